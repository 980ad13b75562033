"""`from_torch`: from a module or an exported program to a `Program`.

Parameters, buffers and constants are held arguments of the function, over the memory of the module's own tensors: they
are neither printed nor copied, a later change of a parameter is seen, and buffers that the module updates are updated.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...runtime.call.entry_point import EntryPoint
from ...runtime.call.process_bound import ProcessBound
from ...runtime.compilation.garbage import collection_paused
from ...runtime.compilation.program import Program
from ...runtime.interface.dtypes import describe_value
from ...runtime.interface.signature import Parameter
from ...runtime.progress import progress
from .compiled import CompiledGraph, as_results
from .decompositions.linear_algebra import unchecked
from .decompositions.table import decompositions
from .graphs import Result
from .support.framework import torch_module
from .tensors import array_maker, is_on_host, numpy_dtype

__all__ = ["ModuleArguments", "ModuleCall", "TorchProgram", "argument_reader", "from_torch"]


@collection_paused()
def from_torch(
    module: Any,
    /,
    *example_inputs: Any,
    example_kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    optimize: bool = True,
    **options: Any,
) -> Program:
    """Compile a torch module, by `torch.export` and torch-mlir; `program.main` is called as the module is.

    Arguments are NumPy arrays or tensors, and results NumPy arrays (`torch.from_dlpack(y)` has the same memory), in the
    structure that the module returns. The program holds the module's parameters and buffers by pointer: an optimizer's
    step is seen by the next call, and buffers that the module updates are updated in place. `program["main"]` is the
    same function with flat arrays, for `bind` and `out=`.

    Args:
        module: a `torch.nn.Module`, in the mode (`train`, `eval`) that is wanted, or a `torch.export.ExportedProgram`.
        example_inputs: arguments of the module, for `torch.export`: of the dtypes and shapes that calls will have.
        example_kwargs: its keyword arguments.
        dynamic_shapes: of `torch.export`: which dimensions differ between calls.
        optimize: as for `compile`.
        options: further arguments of `compile`.

    Raises:
        PassError: the graph has an op that cannot be lowered, or something that cannot be compiled.
        ImportError: there is no torch; the message says how to install it.
        TypeError: `module` is no module, or examples are missing.
        Exception: what `torch.export` raises for a module that it cannot export.
    """
    exported = _exported(module, example_inputs, example_kwargs, dynamic_shapes)
    with unchecked():
        exported = exported.run_decompositions(dict(decompositions()))
    inputs, outputs = exported.graph_signature.input_specs, exported.graph_signature.output_specs
    by_target = {spec.target: spec.arg.name for spec in inputs if spec.target is not None}
    updates = {place: by_target.get(spec.target, spec.target) for place, spec in enumerate(outputs) if spec.target}
    names = [spec.target or spec.arg.name for spec in inputs]
    with progress(f"compiling {type(module).__name__}"):
        graph = CompiledGraph(
            exported.graph_module,
            {"optimize": optimize, **options},
            hoist_random=False,
            updates=updates,
            names=names,
        )
    tensors = {**exported.state_dict, **exported.constants}
    held: dict[str | int, Any] = {}
    for place, number in enumerate(graph.recipe.inputs):
        if inputs[number].target is not None:
            tensor, parameter = tensors[inputs[number].target], graph.program["main"].signature.parameters[place]
            held[place] = array_maker(tensor.dtype, parameter.type.element.dtype)(tensor)
    return TorchProgram(graph, held, exported)


def _exported(module: Any, inputs: tuple[Any, ...], named: Mapping[str, Any] | None, dynamic_shapes: Any) -> Any:
    torch = torch_module()
    export = torch_module("torch.export")
    if isinstance(module, export.ExportedProgram):
        if inputs or named or dynamic_shapes:
            raise TypeError("an exported program has its example inputs and dynamic shapes; give none")
        return module
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"expected a torch.nn.Module or ExportedProgram, got {describe_value(module)}")
    return export.export(module, inputs, dict(named or {}), dynamic_shapes=dynamic_shapes, strict=False)


class TorchProgram(Program):
    """The program of a torch module. `main` is called as the module is; `program["main"]` takes flat arrays.

    The latter has the module's tensor arguments in the order of `torch.export`, its other ones being constants, and
    returns the new contents of updated buffers after the outputs.
    """

    main: ModuleCall

    def __init__(self, graph: CompiledGraph, held: Mapping[str | int, Any], exported: Any) -> None:
        self._share(graph.program.hold(held), {})
        self.main = ModuleCall(graph, self["main"], exported)


class ModuleCall(ProcessBound):
    """A compiled module as a function: arguments and results have the structure that the module's have."""

    def __init__(self, graph: CompiledGraph, entry: EntryPoint, exported: Any) -> None:
        self._entry, self._recipe = entry, graph.recipe
        self._outputs = outputs = [_output_view(value) for value in graph.recipe.values]
        self._make = {one.number: outputs[one.number] for one in graph.recipe.outputs if isinstance(one, Result)}
        self._arguments = ModuleArguments(exported)
        specs = [exported.graph_signature.input_specs[number] for number in graph.recipe.inputs]
        users = [place for place, spec in enumerate(specs) if spec.target is None]
        self._leaves = [self._arguments.leaves.index(specs[place].arg.name) for place in users]
        self._readers = [
            argument_reader(parameter, graph.examples[place], written=place in graph.recipe.updates)
            for place, parameter in zip(users, entry.signature.parameters, strict=True)
        ]
        self._out = exported.call_spec.out_spec
        self._unflatten = torch_module("torch.utils._pytree").tree_unflatten
        self.__name__ = entry.__name__
        self.__signature__ = self._arguments.signature
        self.__doc__ = entry.__doc__

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """Run, and return what the module returns, with an array for each tensor."""
        leaves = self._arguments.flat(arguments, named)
        rest = [read(leaves[leaf]) for read, leaf in zip(self._readers, self._leaves, strict=True)]
        results = as_results(self._entry(*rest))
        if self._recipe.updates:
            results = self._stored(rest, results)
        made = {number: view(results[number]) for number, view in self._make.items()}
        outputs = [made[one.number] if isinstance(one, Result) else one.value for one in self._recipe.outputs]
        return self._unflatten(outputs[len(outputs) - self._out.num_leaves :], self._out)

    def _stored(self, rest: Sequence[Any], results: tuple[Any, ...]) -> tuple[Any, ...]:
        """The results after updates have been stored where they belong; outputs share no memory with these."""
        whole = self._entry.held.complete(rest)
        updated = [whole[argument] for argument in self._recipe.updates]
        outputs = tuple(
            result.copy() if any(result is array for array in updated) else result
            for result in results[: self._recipe.returned]
        )
        for array, number in zip(updated, self._recipe.updates.values(), strict=True):
            if results[number] is not array:
                np.copyto(array, results[number])
        return outputs

    def __repr__(self) -> str:
        return f"<compiled module {self.__name__}{self.__signature__}>"


def argument_reader(parameter: Parameter, example: Any, *, written: bool) -> Callable[[Any], Any]:
    """How to read an argument like the tensor or number `example`: a tensor or array of exactly its dtype."""
    if not parameter.type.is_array:
        return lambda value: value
    torch = torch_module()
    own, native = numpy_dtype(example.dtype), parameter.type.element.dtype

    def read(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and is_on_host(value):
            value = array_maker(value.dtype, numpy_dtype(value.dtype))(value)
        if type(value) is not np.ndarray:
            return value
        if value.dtype != own:
            raise TypeError(
                f"{parameter.label}: expected dtype {own}, got {value.dtype}; convert with .astype({str(own)!r})"
            )
        value = value if own == native else value.view(native)
        return value if written else np.ascontiguousarray(value).reshape(value.shape)

    return read


def _output_view(example: Any) -> Callable[[Any], Any]:
    """Makes of a result an array of the dtype that the tensor `example` has."""
    if not hasattr(example, "dtype"):
        return lambda result: result
    own = numpy_dtype(example.dtype)
    return lambda result: result if result.dtype == own else result.view(own)


class ModuleArguments:
    """The arguments of an exported module: what `forward` takes, nested as it is, and the flat leaves.

    `leaves` has their names. Leaves that are no tensors were fixed when the module was exported.
    """

    def __init__(self, exported: Any) -> None:
        self._spec = exported.call_spec.in_spec
        self._flatten = torch_module("torch.utils._pytree").tree_flatten
        users = [spec.arg for spec in exported.graph_signature.input_specs if spec.target is None]
        self.leaves = [argument.name for argument in users]
        constants = ((place, argument) for place, argument in enumerate(users) if hasattr(argument, "value"))
        self._fixed = {place: argument.value for place, argument in constants}
        positional, by_name = self._spec.children()
        self._positional = exported.module_call_graph[0].signature.forward_arg_names[: positional.num_children]
        self._is_flat = positional.num_leaves == positional.num_children == self._spec.num_leaves and not self._fixed
        both, only = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        self.signature = inspect.Signature(
            [inspect.Parameter(name, both) for name in self._positional]
            + [inspect.Parameter(name, only) for name in by_name.context or ()]
        )

    def flat(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Sequence[Any]:
        """The leaves of a call. Raises `TypeError` or `ValueError` if it is not as the module was exported."""
        if self._is_flat and not named and len(arguments) == len(self._positional):
            return arguments
        bound = self.signature.bind(*arguments, **named)
        leaves, spec = self._flatten((bound.args, bound.kwargs))
        if spec != self._spec:
            raise TypeError(f"the module was exported with arguments {_spelled(self._spec)}, got {_spelled(spec)}")
        for place, fixed in self._fixed.items():
            if leaves[place] != fixed:
                raise ValueError(
                    f"{self.leaves[place]}: the module was exported with {fixed!r}, got {leaves[place]!r}; export it "
                    "again for another value"
                )
        return leaves


def _spelled(spec: Any) -> str:
    return " ".join(str(spec).split())
