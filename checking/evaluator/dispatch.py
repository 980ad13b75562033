"""The dispatch dialect: a kernel run over its grid, one workgroup after the other, on the memory of its bindings.

docs/DISPATCH.md says what holds, and in which order a call gives bindings, push constants, sizes and counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mlir import ir

from ...dialects.dispatch.types import access_of, is_dispatch_type, tensor_type_of
from .decoder import Decoder, Registers, Step, integers, mixed
from .errors import EvaluationError
from .handlers import Handler
from .memory import MemRef, view, wrap_arrays
from .slices import SliceReader

__all__ = ["OPS", "Interface", "interface_of"]

GRID = {"dispatch.workgroup_id": "id", "dispatch.workgroup_size": "size", "dispatch.workgroup_count": "count"}


def _number(op: ir.Operation, name: str) -> int:
    return ir.IntegerAttr(op.attributes[name]).value


@dataclass
class Interface:
    """What a dispatch function is given: slots of bindings, positions of push constants, dimensions of the grid."""

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
        """Note the arguments in `grid`; returns the workgroups, each with an index for each dimension of `id`."""
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
                found.bindings.setdefault((_number(op, "set"), _number(op, "binding")), []).append(op)
            elif name == "dispatch.push_constant":
                found.constants.setdefault(_number(op, "index"), op)
            elif name in GRID:
                found.dimensions[GRID[name]].add(_number(op, "dimension"))
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    return found if names else None


@dataclass(frozen=True)
class _Untied:
    """A binding whose sizes come later."""

    memory: MemRef
    begin: int
    dtype: np.dtype[Any]

    def with_sizes(self, sizes: Sequence[int]) -> MemRef:
        """The memory with its sizes, which must be the array's, or within an array of bytes."""
        array = self.memory.array
        count = int(np.prod(sizes, dtype=np.int64)) * self.dtype.itemsize
        if array.dtype == self.dtype and not self.begin and tuple(sizes) != array.shape:
            raise EvaluationError(f"a binding has sizes {list(sizes)}, its array has {list(array.shape)}")
        if self.begin < 0 or self.begin + count > array.nbytes:
            raise EvaluationError(f"bytes {self.begin} to {self.begin + count} of a binding of {array.nbytes} bytes")
        strides = [self.dtype.itemsize] * len(sizes)
        for i in range(len(sizes) - 2, -1, -1):
            strides[i] = strides[i + 1] * sizes[i + 1]
        return view(self.memory.buffer, self.dtype, self.begin, sizes, strides)


def _tied(memory: Any) -> MemRef:
    """Memory whose sizes are known."""
    if isinstance(memory, _Untied):
        raise EvaluationError("the binding's sizes are not known; give it sizes, or tie them to it")
    return memory


def _shaped(type_: ir.Type) -> ir.ShapedType:
    return ir.ShapedType(tensor_type_of(type_) if is_dispatch_type(type_) else type_)


def _binding(decoder: Decoder, op: ir.Operation) -> Step:
    state, slot = decoder.machine.state, (_number(op, "set"), _number(op, "binding"))
    operands, has_offset = list(op.operands), integers(op, "operandSegmentSizes")[0]
    offset = decoder.slot(operands[0]) if has_offset else None
    shaped, sizes = _shaped(op.results[0].type), operands[has_offset:]
    dtype, result = decoder.element(shaped).dtype, decoder.slot(op.results[0])
    is_tied = shaped.has_static_shape or bool(sizes)
    shape = mixed(decoder, shaped.shape, sizes) if is_tied else None
    type_ = op.results[0].type
    readonly = is_dispatch_type(type_) and not access_of(type_).writes

    def step(registers: Registers) -> None:
        memory = state.grid["bindings"][slot]
        memory.buffer.readonly = readonly
        found = _Untied(memory, 0 if offset is None else registers[offset].__index__(), dtype)
        if shape is not None:
            registers[result] = found.with_sizes(shape(registers))
        else:
            registers[result] = memory if memory.array.dtype == dtype and not found.begin else found

    return step


def _tie_shape(decoder: Decoder, op: ir.Operation) -> Step:
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])
    shape = mixed(decoder, _shaped(op.results[0].type).shape, list(op.operands)[1:])

    def step(registers: Registers) -> None:
        memory, sizes = registers[source], shape(registers)
        if isinstance(memory, MemRef):
            if tuple(sizes) != memory.shape:
                raise EvaluationError(f"sizes {list(sizes)} are tied to memory of sizes {list(memory.shape)}")
            registers[result] = memory
        else:
            registers[result] = memory.with_sizes(sizes)

    return step


def _part(decoder: Decoder, op: ir.Operation, first: int, memory: int, type_: ir.Type) -> Any:
    """A function that gives the slice of a binding that a load or store names, in the shape of its value."""
    if not integers(op, "static_sizes"):
        return lambda registers: _tied(registers[memory])
    reader = SliceReader(decoder, op, first)
    kept = reader.kept(type_)

    def part(registers: Registers) -> MemRef:
        memref = _tied(registers[memory])
        key, _ = reader.key(registers, memref.shape)
        if kept is not None:
            key = tuple(entry if i in kept else entry.start for i, entry in enumerate(key))
        return memref.sliced((*key, ...))

    return part


def _load(decoder: Decoder, op: ir.Operation) -> Step:
    result = decoder.slot(op.results[0])
    part = _part(decoder, op, 1, decoder.slot(op.operands[0]), op.results[0].type)

    def step(registers: Registers) -> None:
        registers[result] = part(registers).read().copy()

    return step


def _store(decoder: Decoder, op: ir.Operation) -> Step:
    value, target = decoder.all(list(op.operands)[:2])
    part = _part(decoder, op, 2, target, op.operands[0].type)

    def step(registers: Registers) -> None:
        memory, stored = part(registers), registers[value]
        if memory.shape != stored.shape:
            raise EvaluationError(f"sizes {list(stored.shape)} are stored to sizes {list(memory.shape)}")
        memory.write(stored)

    return step


def _contents(decoder: Decoder, op: ir.Operation) -> Step:
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[result] = _tied(registers[source]).read().copy()

    return step


def _commit(decoder: Decoder, op: ir.Operation) -> Step:
    owner = op.operands[1].owner
    if not isinstance(owner, ir.OpView | ir.Operation) or owner.operation.name != "dispatch.contents":
        raise EvaluationError("what is committed to must come from dispatch.contents directly")
    value, memory = decoder.slot(op.operands[0]), decoder.slot(owner.operation.operands[0])
    return lambda registers: registers[memory].write(registers[value])


def _push_constant(decoder: Decoder, op: ir.Operation) -> Step:
    index, result, state = _number(op, "index"), decoder.slot(op.results[0]), decoder.machine.state

    def step(registers: Registers) -> None:
        registers[result] = state.grid["constants"][index]

    return step


def _grid(decoder: Decoder, op: ir.Operation) -> Step:
    what, dim = GRID[op.name], _number(op, "dimension")
    result, state = decoder.slot(op.results[0]), decoder.machine.state

    def step(registers: Registers) -> None:
        registers[result] = state.grid[what][dim]

    return step


OPS: dict[str, Handler] = {
    "dispatch.binding": _binding,
    "dispatch.tie_shape": _tie_shape,
    "dispatch.load": _load,
    "dispatch.store": _store,
    "dispatch.contents": _contents,
    "dispatch.commit": _commit,
    "dispatch.push_constant": _push_constant,
    **dict.fromkeys(GRID, _grid),
}
