"""Compiled graphs: from the FX graph of a torch program to a function of tensors, by `mi.compile`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from mlir import ir

from ...runtime.compilation import program as programs
from ...runtime.interface.memrefs import Array
from ...runtime.interface.signature import Parameter
from ..kept_modules import compile_lowered
from .graph_key import graph_key
from .graphs import Result, prepare
from .lowering import tensor_module
from .support.framework import torch_module
from .support.refusal import RefusedGraphError
from .tensors import array_maker, is_on_host, tensor_maker

Reader = Callable[[Any], Any]
"""Makes the argument to pass of a tensor or number."""


class CompiledGraph:
    """A graph with its program, whose `main` takes the inputs of the recipe, then random numbers; constants are held.

    Raises `RefusedGraphError` for a graph that cannot be lowered, and what `compile` raises.
    """

    def __init__(
        self,
        module: Any,
        options: Mapping[str, Any],
        *,
        hoist_random: bool,
        updates: Mapping[int, str] | None = None,
        names: Sequence[str | None] | None = None,
    ) -> None:
        graph, recipe = prepare(module, hoist_random=hoist_random, updates=updates)
        _require_host(graph)
        inputs = [node for node in graph.nodes if node.op == "placeholder"]
        called = [names[number] if names else None for number in recipe.inputs]
        called += [None] * (len(inputs) - len(called))
        constants = {len(recipe.inputs) + place: tensor for place, tensor in enumerate(recipe.constants)}
        program = _program(graph, called, recipe.updates, options)
        if "main" not in program.entry_points:
            raise RefusedGraphError((), _told(lambda: program["main"]))
        self.recipe = recipe
        self.examples = [node.meta.get("val") for node in inputs]
        self.readers = [
            _reader(node.meta.get("val"), parameter)
            for node, parameter in zip(inputs, program["main"].signature.parameters, strict=True)
        ]
        count = len(recipe.inputs)
        self._given = [*self.readers[:count], *self.readers[count + len(constants) :]]
        self.program = program.hold({place: self.readers[place](tensor) for place, tensor in constants.items()})
        """Takes and returns flat arrays; a result that updates an argument is this, or is to be copied there."""

    def call(self, given: Sequence[Any]) -> tuple[Any, ...]:
        """Run with tensors and numbers, in the order of the graph's inputs, and return all outputs of the graph."""
        recipe = self.recipe
        values = [given[number] for number in recipe.inputs]
        values += [one.target(*one.arguments, **one.named) for one in recipe.random]
        arrays = [read(value) for read, value in zip(self._given, values, strict=True)]
        results = as_results(self.program.main(*arrays))
        for argument, number in recipe.updates.items():
            if results[number] is not arrays[argument] or not values[argument].is_contiguous():
                values[argument].copy_(_tensor(recipe.values[number], results[number]))
        outputs = recipe.values[: recipe.returned]
        made = [_tensor(value, result) for value, result in zip(outputs, results, strict=False)]
        return tuple(made[one.number] if isinstance(one, Result) else one.value for one in recipe.outputs)


def _program(
    graph: Any, names: Sequence[str | None], updates: Mapping[int, int], options: Mapping[str, Any]
) -> programs.Program:
    """The program of a prepared graph; the lowered module is kept on disk if the graph has a key."""

    def lower() -> ir.Module:
        return tensor_module(graph, names, updates)

    key = graph_key(graph)
    if key is None:
        return programs.compile(lower(), **options)
    return compile_lowered(lower, "torch", key, tuple(names), tuple(sorted(updates.items())), **options)


def as_results(returned: Any) -> tuple[Any, ...]:
    """What a call returned as a tuple."""
    if returned is None:
        return ()
    return returned if isinstance(returned, tuple) else (returned,)


def _told(ask: Callable[[], Any]) -> str:
    try:
        ask()
    except (TypeError, KeyError) as error:
        return str(error)
    raise AssertionError("the program has the function")


def _require_host(graph: Any) -> None:
    torch = torch_module()
    for node in graph.nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor) and not is_on_host(value):
            what = f"a {value.layout} tensor on {value.device.type}"
            raise RefusedGraphError([str(node.target)], f"programs run on dense tensors on the host, and it is {what}")


def _reader(value: Any, parameter: Parameter) -> Reader:
    """How to read an argument like the example `value`: not contiguous tensors are copied."""
    if not parameter.type.is_array:
        return _number
    make = array_maker(value.dtype, parameter.type.element.dtype)

    def read(tensor: Any) -> Array:
        return make(tensor if tensor.is_contiguous() else tensor.contiguous())

    return read


def _number(value: Any) -> Any:
    return value


def _tensor(value: Any, result: Any) -> Any:
    """The tensor, with the strides of the traced one, or the number that a result is."""
    if not isinstance(result, np.ndarray):
        return result
    tensor = tensor_maker(value.dtype)(result)
    if value.is_contiguous() or not all(type(size) is int for size in (*value.shape, *value.stride())):
        return tensor
    strided = torch_module().empty_strided(value.shape, value.stride(), dtype=value.dtype)
    _once(strided, value.stride()).copy_(_once(tensor, value.stride()))
    return strided


def _once(tensor: Any, strides: Sequence[int]) -> Any:
    """The elements of a tensor, each once if it is expanded by `strides`: PyTorch writes no element twice."""
    for dim, stride in enumerate(strides):
        if stride == 0 and tensor.shape[dim] > 1:
            tensor = tensor.narrow(dim, 0, 1)
    return tensor
