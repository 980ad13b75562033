"""The dispatch dialect: a kernel runs for each workgroup of its grid, in order, on the memory of its bindings.

docs/DISPATCH.md has the semantics, and the order of bindings, push constants, sizes and counts in a call.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mlir import ir

from ....dialects.dispatch.types import access_of, is_dispatch_type, tensor_type_of
from ..decoding.decoder import Decoder, Step
from ..decoding.handlers import Handler
from ..decoding.steps import computation, on_values, plain
from ..values.attributes import integer, integers, mixed
from ..values.errors import EvaluationError
from ..values.memory import MemRef, wrap_arrays
from ..values.signature import Function
from ..values.slices import SliceReader
from .memref_views import typed_view

__all__ = ["OPS", "Interface", "interface_of"]

GRID = {"dispatch.workgroup_id": "id", "dispatch.workgroup_size": "size", "dispatch.workgroup_count": "count"}


@dataclass
class Interface:
    """The interface of a dispatch function: slots of bindings, push constants, dimensions of the grid."""

    bindings: dict[tuple[int, int], list[ir.Operation]] = field(default_factory=dict)
    constants: dict[int, ir.Operation] = field(default_factory=dict)
    dimensions: dict[str, set[int]] = field(default_factory=lambda: {"id": set(), "size": set(), "count": set()})

    @property
    def counted(self) -> list[int]:
        """The dimensions that have a count."""
        return sorted(self.dimensions["count"] | self.dimensions["id"])

    @property
    def size(self) -> int:
        """How many arguments a call has after the function's own."""
        return len(self.bindings) + len(self.constants) + len(self.dimensions["size"]) + len(self.counted)

    def enter(self, arguments: Sequence[Any], grid: dict[str, Any]) -> itertools.product[tuple[int, ...]]:
        """Store the arguments in `grid`; return the workgroups, by their index in each dimension of `id`."""
        given = iter(arguments)
        slots = sorted(self.bindings)
        arrays = [self._array(slot, next(given)) for slot in slots]
        grid["bindings"] = dict(zip(slots, wrap_arrays(arrays, "argument"), strict=True))
        grid["constants"] = {index: next(given) for index in sorted(self.constants)}
        grid["size"] = {dim: self._at_least(1, "size", dim, next(given)) for dim in sorted(self.dimensions["size"])}
        grid["count"] = {dim: self._at_least(0, "count", dim, next(given)) for dim in self.counted}
        return itertools.product(*[range(grid["count"][dim]) for dim in sorted(self.dimensions["id"])])

    def _array(self, slot: tuple[int, int], array: Any) -> Any:
        if not isinstance(array, np.ndarray) or not array.flags.c_contiguous:
            raise EvaluationError(f"binding {slot[0]}.{slot[1]} needs a contiguous array")
        return array

    def _at_least(self, least: int, what: str, dim: int, value: Any) -> int:
        if int(value) < least:
            raise EvaluationError(f"the workgroup {what} in dimension {dim} is {value}, it must be at least {least}")
        return int(value)


def interface_of(function: ir.Operation) -> Interface | None:
    """The interface of a dispatch function; None if it has no dispatch op."""
    found = Interface()
    names: list[str] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        name = op.name
        if name.startswith("dispatch."):
            names.append(name)
            if name == "dispatch.binding":
                found.bindings.setdefault((integer(op, "set"), integer(op, "binding")), []).append(op)
            elif name == "dispatch.push_constant":
                found.constants.setdefault(integer(op, "index"), op)
            elif name in GRID:
                found.dimensions[GRID[name]].add(integer(op, "dimension"))
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    return found if names else None


@dataclass(frozen=True)
class _Untied:
    """A binding without sizes, before dispatch.tie_shape."""

    memory: MemRef
    begin: int
    dtype: np.dtype[Any]

    def with_sizes(self, sizes: Sequence[int]) -> MemRef:
        """The memory with its sizes, which must be the array's, or within an array of bytes."""
        array = self.memory.array
        if array.dtype == self.dtype and not self.begin and tuple(sizes) != array.shape:
            raise EvaluationError(f"a binding has sizes {list(sizes)}, its array has {list(array.shape)}")
        return typed_view(self.memory, self.dtype, self.begin, sizes)


def _tied(memory: Any) -> MemRef:
    """Memory whose sizes are known."""
    if isinstance(memory, _Untied):
        raise EvaluationError("the binding's sizes are not known; give it sizes, or tie them to it")
    return memory


def _shaped(type_: ir.Type) -> ir.ShapedType:
    return ir.ShapedType(tensor_type_of(type_) if is_dispatch_type(type_) else type_)


@on_values
def _binding(decoder: Decoder, op: ir.Operation) -> Function:
    state, slot = decoder.machine.state, (integer(op, "set"), integer(op, "binding"))
    has_offset = integers(op, "operandSegmentSizes")[0]
    type_, shaped = op.results[0].type, _shaped(op.results[0].type)
    dtype = decoder.element(shaped).dtype
    is_tied = shaped.has_static_shape or len(op.operands) > has_offset
    shape = mixed(shaped.shape, has_offset) if is_tied else None
    readonly = is_dispatch_type(type_) and not access_of(type_).writes

    def binding(*operands: Any) -> MemRef | _Untied:
        memory = state.grid["bindings"][slot]
        memory.buffer.readonly = readonly
        found = _Untied(memory, operands[0].__index__() if has_offset else 0, dtype)
        if shape is not None:
            return found.with_sizes(shape(operands))
        return memory if memory.array.dtype == dtype and not found.begin else found

    return binding


@on_values
def _tie_shape(_decoder: Decoder, op: ir.Operation) -> Function:
    shape = mixed(_shaped(op.results[0].type).shape, 1)

    def tie(*operands: Any) -> MemRef:
        memory, sizes = operands[0], shape(operands)
        if not isinstance(memory, MemRef):
            return memory.with_sizes(sizes)
        if tuple(sizes) != memory.shape:
            raise EvaluationError(f"sizes {list(sizes)} are tied to memory of sizes {list(memory.shape)}")
        return memory

    return tie


def _part(op: ir.Operation, first: int, type_: ir.Type) -> Callable[[Sequence[Any]], MemRef]:
    """From the operands of a load or store to the slice it names of the last operand before `first`."""
    if not integers(op, "static_sizes"):
        return lambda operands: _tied(operands[first - 1])
    slice_ = SliceReader(op, first, type_)

    def part(operands: Sequence[Any]) -> MemRef:
        memref = _tied(operands[first - 1])
        return memref.sliced(slice_.key(operands, memref.shape))

    return part


@on_values
def _load(_decoder: Decoder, op: ir.Operation) -> Function:
    part = _part(op, 1, op.results[0].type)
    return lambda *operands: part(operands).read().copy()


@on_values
def _store(_decoder: Decoder, op: ir.Operation) -> Function:
    part = _part(op, 2, op.operands[0].type)

    def store(*operands: Any) -> None:
        memory, stored = part(operands), operands[0]
        if memory.shape != stored.shape:
            raise EvaluationError(f"sizes {list(stored.shape)} are stored to sizes {list(memory.shape)}")
        memory.write(stored)

    return store


def _commit(decoder: Decoder, op: ir.Operation) -> Step:
    owner = op.operands[1].owner
    if not isinstance(owner, ir.OpView | ir.Operation) or owner.operation.name != "dispatch.contents":
        raise EvaluationError("the target of a commit must be the result of a dispatch.contents")
    operands = decoder.all([op.operands[0], owner.operation.operands[0]])
    return computation(lambda value, memory: memory.write(value), operands, ())


@on_values
def _push_constant(decoder: Decoder, op: ir.Operation) -> Function:
    index, state = integer(op, "index"), decoder.machine.state
    return lambda: state.grid["constants"][index]


@on_values
def _grid(decoder: Decoder, op: ir.Operation) -> Function:
    what, dim, state = GRID[op.name], integer(op, "dimension"), decoder.machine.state
    return lambda: state.grid[what][dim]


OPS: dict[str, Handler] = {
    "dispatch.binding": _binding,
    "dispatch.tie_shape": _tie_shape,
    "dispatch.load": _load,
    "dispatch.store": _store,
    "dispatch.contents": plain(lambda memory: _tied(memory).read().copy()),
    "dispatch.commit": _commit,
    "dispatch.push_constant": _push_constant,
    **dict.fromkeys(GRID, _grid),
}
