"""Structured ops: every linalg op that has indexing maps and a body, on tensors and on memrefs.

An elementwise body runs on whole arrays if the outputs do not alias other operands; otherwise for each point of the
iteration space, in the order of the loops, as compiled code does.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import linalg

from ..decoding.decoder import Code, Decoder, Registers, transfer
from ..values.attributes import integers
from ..values.memory import MemRef
from ..values.undefined import UNDEFINED, Partial, assign, split, tidy
from .iteration import IndexingMap, Plan, check_bounds, loop_sizes, make_plan
from .payload import Payload, compile_payload

__all__ = ["StructuredOp", "output_count"]

Target = tuple[Any, Any]
"""The data of an output, and its mask of undefined elements or None."""


def output_count(op: ir.Operation) -> int:
    """How many of the last operands are outputs."""
    segments = integers(op, "operandSegmentSizes")
    if segments:
        return segments[1]
    return len(op.operands) // 2 if op.name == "linalg.reduce" else 1


class StructuredOp:
    """A decoded structured op. Plans are cached by shapes."""

    def __init__(self, decoder: Decoder, op: ir.Operation) -> None:
        self.decoder = decoder
        operands = list(op.operands)
        self.operands, self.results = decoder.all(operands), decoder.all(op.results)
        self.inputs = len(operands) - output_count(op)
        self.maps = [IndexingMap(ir.AffineMapAttr(map_).value) for map_ in linalg.get_indexing_maps(op) or ()]
        self.elements = [decoder.element(value.type) for value in operands]
        self.block = op.regions[0].blocks[0]
        self.payload = compile_payload(decoder, self.block)
        self.is_copy = op.name == "linalg.copy" and isinstance(operands[-1].type, ir.MemRefType)
        self._plans: dict[tuple[Any, ...], Plan | None] = {}
        self._code: tuple[Code, tuple[int, ...]] | None = None

    def step(self, registers: Registers) -> None:
        """Run the op."""
        values = [registers[slot] for slot in self.operands]
        shapes = tuple([getattr(value, "shape", ()) for value in values])
        if shapes not in self._plans:
            self._plans[shapes] = make_plan(self.maps, self.maps[self.inputs :], shapes)
        plan, payload = self._plans[shapes], self.payload
        if self.is_copy:
            self.decoder.machine.state.copied(values[0])
        is_empty = 0 in (loop_sizes(self.maps, shapes) if plan is None else plan.sizes)
        # Where nothing is computed, inputs may be views that have no memory.
        read = values[self.inputs :] if is_empty else values
        contents = [value.read() if isinstance(value, MemRef) else value for value in read]
        prepared = payload.prepare(registers) if payload else []
        tracked = any(type(value) is Partial or value is UNDEFINED for value in (*contents, *prepared))
        if is_empty:
            targets = [_target(value, tracked=tracked) for value in values[self.inputs :]]
        elif payload is None or plan is None or shares_memory(values, self.inputs, self.maps):
            targets = [_target(value, tracked=True) for value in values[self.inputs :]]
            self._one_by_one(registers, contents, targets, loop_sizes(self.maps, shapes))
        elif not plan.loops and self.results and all(map_.is_identity for map_ in self.maps[self.inputs :]):
            self._at_once(registers, plan, payload, prepared, contents)
            return
        else:
            targets = [_target(value, tracked=tracked) for value in values[self.inputs :]]
            self._on_arrays(plan, payload, prepared, contents[: self.inputs], targets)
        if self.results:
            transfer(registers, self.results, [data if mask is None else tidy(data, mask) for data, mask in targets])
        else:
            for value in values[self.inputs :]:
                value.settle()

    def _at_once(
        self, registers: Registers, plan: Plan, payload: Payload, prepared: list[Any], contents: list[Any]
    ) -> None:
        """Compute whole results; nothing of the inits is kept."""
        arguments = [
            access.take(value, ()) for access, value in zip(plan.accesses, self._arrays(contents), strict=True)
        ]
        _set_indices(payload, plan, prepared, ())
        found = payload.run(prepared, arguments)
        for slot, value, element in zip(self.results, found, self.elements[self.inputs :], strict=True):
            registers[slot] = _whole(value, plan.sizes, element.dtype)

    def _on_arrays(
        self, plan: Plan, payload: Payload, prepared: list[Any], inputs: list[Any], targets: list[Target]
    ) -> None:
        """All vector dimensions at once, one point of the loops after the other."""
        inputs = self._arrays(inputs)
        outputs = plan.accesses[self.inputs :]
        fixed = [
            access.take(value, ()) if access.is_fixed else None
            for access, value in zip(plan.accesses, inputs, strict=False)
        ]
        spend = self.decoder.machine.state.spend
        for point in plan.points():
            spend(1)
            arguments = [
                access.take(value, point) if known is None else known
                for access, value, known in zip(plan.accesses, inputs, fixed, strict=False)
            ]
            places = [
                (access.take(data, point), None if mask is None else access.take(mask, point))
                for access, (data, mask) in zip(outputs, targets, strict=True)
            ]
            arguments += [data if mask is None else tidy(data, mask) for data, mask in places]
            _set_indices(payload, plan, prepared, point)
            found = payload.run(prepared, arguments)
            if len(found) > 1:
                found = [value.copy() if hasattr(value, "copy") else value for value in found]
            for (data, mask), value in zip(places, found, strict=True):
                assign(data, mask, ..., value)

    def _one_by_one(
        self, registers: Registers, contents: list[Any], targets: list[Target], sizes: Sequence[int]
    ) -> None:
        """Run the body for each point, in the order of the loops. Later points see what earlier ones wrote."""
        code, dims = self._scalar_code(registers)
        shapes = [getattr(value, "shape", ()) for value in contents]
        for number, (map_, shape) in enumerate(zip(self.maps, shapes, strict=True)):
            check_bounds(map_, number, shape, sizes)
        sources = [*[split(value) for value in contents[: self.inputs]], *targets]
        reads = [bool(list(argument.uses)) for argument in self.block.arguments]
        spend = self.decoder.machine.state.spend
        for point in itertools.product(*map(range, sizes)):
            spend(1)
            transfer(registers, dims, point)
            indices = [tuple([function(point) for function in map_.functions]) for map_ in self.maps]
            arguments = [
                _scalar(source, index, element) if used else None
                for source, index, element, used in zip(sources, indices, self.elements, reads, strict=True)
            ]
            found = code.call(registers, arguments)
            for (data, mask), index, value in zip(targets, indices[self.inputs :], found, strict=True):
                assign(data, mask, index, value)

    def _arrays(self, values: list[Any]) -> list[Any]:
        """Scalars become arrays of rank 0, of their own type."""
        return [
            value if hasattr(value, "shape") or value is UNDEFINED else np.asarray(value, element.dtype)
            for value, element in zip(values, self.elements, strict=False)
        ]

    def _scalar_code(self, registers: Registers) -> tuple[Code, tuple[int, ...]]:
        if self._code is None:
            decoder = self.decoder
            dims = tuple(decoder.fresh() for _ in range(self.maps[0].n_dims))
            decoder.iteration.append(dims)
            self._code = decoder.block(self.block), dims
            decoder.iteration.pop()
        registers.extend([None] * (len(self.decoder.slots) - len(registers)))
        return self._code


def _scalar(source: Target, index: tuple[int, ...], element: Any) -> Any:
    data, mask = source
    if mask is not None and (mask[index] if isinstance(mask, np.ndarray) else mask):
        return UNDEFINED
    return element.scalar(data[index]) if isinstance(data, np.ndarray) else data


def _target(value: Any, *, tracked: bool) -> Target:
    """A memref's own memory, or a copy of a tensor; with a mask if undefined elements may be written."""
    if isinstance(value, MemRef):
        value.may_write()
        if tracked:
            value.buffer.clean = False
        return value.array, None if value.buffer.clean else value.marks
    data, undefined = split(value)
    return data.copy(), np.array(np.broadcast_to(undefined, data.shape)) if tracked else None


def _whole(value: Any, sizes: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """A result of the body, broadcast to the whole tensor and converted to its type."""
    if type(value) is np.ndarray and value.shape == sizes:
        return value
    if type(value) is Partial or value is UNDEFINED:
        data, undefined = split(value)
        return Partial(np.broadcast_to(np.asarray(data, dtype), sizes), np.broadcast_to(undefined, sizes))
    return np.full(sizes, value, dtype) if np.ndim(value) == 0 else np.broadcast_to(value, sizes)


def _set_indices(payload: Payload, plan: Plan, prepared: list[Any], point: Sequence[int]) -> None:
    for place, dim in payload.indices:
        prepared[place] = plan.index(dim, point)


def shares_memory(values: Sequence[Any], inputs: int, maps: Sequence[IndexingMap]) -> bool:
    """Whether an output aliases another operand, unless both use the same element at each point."""
    for i in range(inputs, len(values)):
        output = values[i]
        if not isinstance(output, MemRef):
            continue
        for j, other in enumerate(values[:i]):
            if isinstance(other, MemRef) and other.buffer is output.buffer:
                same = _is_same_view(output.array, other.array) and maps[i].plain == maps[j].plain
                if (not same or None in maps[i].plain or j >= inputs) and np.may_share_memory(
                    output.array, other.array
                ):
                    return True
    return False


def _is_same_view(one: Any, other: Any) -> bool:
    return (
        one.shape == other.shape
        and one.strides == other.strides
        and one.__array_interface__["data"] == other.__array_interface__["data"]
    )
