"""FX graphs of ATen ops, made ready for import: pure functions from tensors and integers to tensors.

A graph is copied. In the copy, tensors that it refers to by name, and random numbers, are inputs; what is updated in
place, and each value that is returned, is a result once. `Recipe` says where inputs come from and results go.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from ...dialects.support.frozen_classes import frozen, record
from .narrow_integers import NarrowIntegers
from .support.framework import torch_module
from .support.refusal import RefusedGraphError
from .symbolic_views import symbolic_view


@frozen
class RandomInput:
    """Random numbers: what `target` returns for constant arguments."""

    target: Any
    arguments: tuple[Any, ...]
    named: Mapping[str, Any]


@frozen
class Recipe:
    """Where the inputs of a prepared graph come from, and where its results go.

    Attributes:
        inputs: the numbers of the original inputs that it takes, first; others are constants of the graph.
        constants: tensors for the inputs after those of the original graph.
        random: the random numbers for the inputs after these.
        outputs: of each original output, the number of its result, or a constant.
        updates: the number of the result that is the new content of an argument, by the number of the argument.
        values: the example value of each result.
    """

    inputs: tuple[int, ...]
    constants: tuple[Any, ...]
    random: tuple[RandomInput, ...]
    outputs: tuple[Result | Constant, ...]
    updates: Mapping[int, int]
    values: tuple[Any, ...]

    @property
    def returned(self) -> int:
        """How many results are outputs; those after them are updates."""
        return len(self.values) - len(self.updates)


@frozen
class Result:
    """An output that is result `number` of the prepared graph."""

    number: int


@frozen
class Constant:
    """An output that is no result: None, or a number."""

    value: Any


@record
class _Copy:
    """A graph that is being copied."""

    graph: Any
    nodes: dict[Any, Any] = field(default_factory=dict)
    constants: list[Any] = field(default_factory=list)
    random: list[RandomInput] = field(default_factory=list)
    stored: dict[Any, Any] = field(default_factory=dict)
    """Inputs that are updated, with the nodes of their new contents."""


def prepare(module: Any, *, hoist_random: bool, updates: Mapping[int, str] | None = None) -> tuple[Any, Recipe]:
    """A copy of the graph of an `fx.GraphModule`, and how to call it.

    Args:
        module: with a functional graph; a `copy_` into an input is understood as its update.
        hoist_random: make random numbers inputs, where their sizes are known.
        updates: the name of the input that an output updates, by the number of the output.

    Raises `RefusedGraphError` for random numbers that are no inputs, and for sizes that depend on values.
    """
    fx = torch_module("torch.fx")
    copy = _Copy(fx.Graph())
    every = [node for node in module.graph.nodes if node.op == "placeholder"]
    inputs = [node for node in every if _is_value(node)]
    for node in inputs:
        copy.nodes[node] = _copied(copy, node)
    attributes = {node.target: _attribute(module, node.target) for node in module.graph.nodes if node.op == "get_attr"}
    torch = torch_module()
    tensors = {name: value for name, value in attributes.items() if isinstance(value, torch.Tensor)}
    for name, tensor in tensors.items():
        tensors[name] = _new_input(copy, f"constant_{len(copy.constants)}", tensor)
        copy.constants.append(tensor)
    for node in module.graph.nodes if hoist_random else ():
        if _is_hoistable(node):
            copy.nodes[node] = _new_input(copy, f"random_{len(copy.random)}", node.meta["val"])
            copy.random.append(_random_input(node))
    wider = NarrowIntegers(copy.graph, copy.nodes.__getitem__)
    for node in module.graph.nodes:
        if node in copy.nodes or node.op in ("output", "placeholder"):
            continue
        if node.op == "get_attr" and node.target in tensors:
            copy.nodes[node] = tensors[node.target]
        elif node.target is torch.ops.aten.copy_.default and node.args[0] in inputs:
            copy.stored[node.args[0]] = copy.nodes[node] = copy.nodes[node.args[1]]
        elif node.target is torch.ops.aten._assert_tensor_metadata.default:
            continue  # Of what tracing has seen.
        elif reason := _refusal(node):
            raise RefusedGraphError([_name(node.target)], reason)
        elif _is_empty(node):
            copy.nodes[node] = _without_elements(copy, node)
        else:
            other = symbolic_view(copy.graph, node, copy.nodes) or wider.copy(node)
            copy.nodes[node] = other or _copied(copy, node)
    return _finished(copy, every, inputs, _outputs(module), updates or {})


def _is_value(node: Any) -> bool:
    """Whether an input is a tensor or a number that calls differ in: tracing specializes on others."""
    torch = torch_module()
    symbolic = (torch.Tensor, torch.SymInt, torch.SymFloat, torch.SymBool)
    return isinstance(node.meta.get("val"), symbolic) or bool(node.users)


def _outputs(module: Any) -> Sequence[Any]:
    (output,) = (node for node in module.graph.nodes if node.op == "output")
    given = output.args[0]
    return given if isinstance(given, (tuple, list)) else (given,)


def _finished(
    copy: _Copy, every: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any], updates: Mapping[int, str]
) -> tuple[Any, Recipe]:
    fx = torch_module("torch.fx")
    names = {node.name: node for node in inputs}
    results: dict[Any, int] = {}
    recipe: list[Result | Constant] = []
    for number, given in enumerate(outputs):
        if number in updates:
            copy.stored[names[updates[number]]] = copy.nodes[given]
        elif isinstance(given, fx.Node):
            recipe.append(Result(results.setdefault(copy.nodes[given], len(results))))
        else:
            recipe.append(Constant(given))
    numbers = {node: number for number, node in enumerate(inputs)}
    # A result of its own for each, as the native function writes it into the input.
    stored = list(copy.stored.items())
    nodes = [*results, *(value for _, value in stored)]
    copy.graph.output(tuple(nodes))
    copy.graph.eliminate_dead_code()
    places = {numbers[node]: len(results) + place for place, (node, _) in enumerate(stored)}
    values = tuple(node.meta.get("val") for node in nodes)
    kept = tuple(number for number, node in enumerate(every) if node in copy.nodes)
    return copy.graph, Recipe(kept, tuple(copy.constants), tuple(copy.random), tuple(recipe), places, values)


def _copied(copy: _Copy, node: Any) -> Any:
    return copy.graph.node_copy(node, copy.nodes.__getitem__)


def _is_empty(node: Any) -> bool:
    """Whether a node computes a tensor of known sizes without elements; for some, torch-mlir divides by zero."""
    value, torch = node.meta.get("val"), torch_module()
    if node.op != "call_function" or not isinstance(value, torch.Tensor) or value.dtype is torch.uint8:
        return False  # It takes constants of bytes for signed ones.
    return all(type(size) is int for size in value.shape) and 0 in value.shape


def _refusal(node: Any) -> str | None:
    """Why a node has no place in a compiled function."""
    if _is_random(node):
        return "it draws random numbers, which compiled functions take as arguments only"
    if _has_sizes_from_values(node):
        return "the size of its result depends on values; a mask in torch.where keeps the size"
    return None


def _has_sizes_from_values(node: Any) -> bool:
    """Whether a node computes a tensor whose sizes are known once the program runs; torch-mlir may not end there."""
    value, torch = node.meta.get("val"), torch_module()
    if node.op != "call_function" or not isinstance(value, torch.Tensor) or all(type(n) is int for n in value.shape):
        return False
    return bool(torch_module("torch.fx.experimental.symbolic_shapes").free_unbacked_symbols(value.shape))


def _without_elements(copy: _Copy, node: Any) -> Any:
    value, full = node.meta["val"], torch_module().ops.aten.full.default
    new = copy.graph.call_function(full, (list(value.shape), 0), {"dtype": value.dtype})
    new.meta["val"] = value
    return new


def _new_input(copy: _Copy, name: str, value: Any) -> Any:
    node = copy.graph.placeholder(name)
    node.meta["val"] = _fake(value)
    return node


def _fake(value: Any) -> Any:
    """A tensor without memory, which the importer asks for sizes and dtype."""
    fake = torch_module("torch._subclasses.fake_tensor")
    if isinstance(value, fake.FakeTensor):
        return value
    return fake.FakeTensorMode(allow_non_fake_inputs=True).from_tensor(value)


def _attribute(module: Any, path: str) -> Any:
    return operator.attrgetter(path)(module)


def _is_random(node: Any) -> bool:
    torch = torch_module()
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def _is_hoistable(node: Any) -> bool:
    """Whether a node gives random numbers of which sizes and distribution are known before the call."""
    torch = torch_module()
    value, name = node.meta.get("val"), _name(node.target)
    if not (_is_random(node) and isinstance(value, torch.Tensor) and name.startswith("aten.")):
        return False
    if not all(type(size) is int for size in value.shape):
        return False
    only_shape = name.split(".")[1].endswith("_like") or name == "aten.bernoulli.p"
    given = node.args[1:] if only_shape else node.args
    return not any(isinstance(one, torch.fx.Node) for one in (*given, *node.kwargs.values()))


def _random_input(node: Any) -> RandomInput:
    if not node.args or not hasattr(node.args[0], "meta"):
        return RandomInput(node.target, node.args, node.kwargs)
    torch = torch_module()
    like = node.args[0].meta["val"]
    example = torch.empty(1, dtype=like.dtype, device=like.device).expand(like.shape)
    return RandomInput(node.target, (example, *node.args[1:]), node.kwargs)


def _name(target: Any) -> str:
    """`aten.rand.default`, say."""
    return str(target)
