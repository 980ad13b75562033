"""Put buffers into one arena, as ``analysis/memory_plan/arena.py`` planned."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, func, memref

from ....dialects.structured import index_constant
from ....dialects.support.index_math import as_value
from ...analysis.memory_plan.arena import ArenaPlan, Section
from ...functions.rewriting.results import append_argument, replace_call, update_function_type
from ...kernels.rewriting.outlining import NO_INLINE, address_of, memref_of

__all__ = ["add_arena_argument", "allocate_arena", "bring_arena"]

ARENA = "inplace.arena"
"""The attribute of an argument that is an arena: the alignment that it must have, in bytes."""
_ANY_SIZE = ir.ShapedType.get_dynamic_size()


def allocate_arena(
    plan: ArenaPlan, place: ir.Operation, last: ir.Operation | None, moves: Sequence[ir.Operation]
) -> None:
    """Allocate the arena in front of ``place``, after ``moves``, use it, and free it behind ``last``."""
    for op in moves:
        op.move_before(place)
    with ir.InsertionPoint(place), place.location:
        units, begins, total = _layout(plan)
        size = plan.static_bytes
        type_ = _bytes(_ANY_SIZE if size is None else size)
        arena = memref.AllocOp(type_, [as_value(total)] if size is None else [], [], alignment=plan.alignment).result
    assert last is not None
    with last.location:
        memref.DeallocOp(arena, ip=ir.InsertionPoint(last)).operation.move_after(last)
    _use(plan, arena, place, units, begins)


def add_arena_argument(plan: ArenaPlan, function: func.FuncOp, place: ir.Operation) -> None:
    """Make the arena, which has static sizes only, the last argument of ``function``, and use it.

    An outlined function takes its address, like those of its other buffers.
    """
    assert plan.static_bytes is not None
    with ir.InsertionPoint(place), place.location:
        type_, word = _bytes(plan.static_bytes), ir.IntegerType.get_signless(64)
        if NO_INLINE in function.attributes:
            mark = ir.DictAttr.get({"llvm.noalias": ir.UnitAttr.get()})
            arena = memref_of(append_argument(function, ir.Type.parse("!llvm.ptr"), place.location, mark), type_)
        else:
            mark = ir.DictAttr.get({ARENA: ir.IntegerAttr.get(word, plan.alignment)})
            arena = append_argument(function, type_, place.location, mark)
        units, begins, _ = _layout(plan)
    update_function_type(function)
    _use(plan, arena, place, units, begins)


def bring_arena(plan: ArenaPlan, function: func.FuncOp, call: ir.Operation) -> None:
    """Let a ``call`` of ``function`` allocate what that was given as its last argument."""
    assert plan.static_bytes is not None
    with ir.InsertionPoint(call), call.location:
        arena = memref.AllocOp(_bytes(plan.static_bytes), [], [], alignment=plan.alignment).result
        given = address_of(arena) if NO_INLINE in function.attributes else arena
        freed = memref.DeallocOp(arena)
    freed.operation.move_after(replace_call(call, {}, [given]))


def _bytes(count: int) -> ir.MemRefType:
    return ir.MemRefType.get([count], ir.IntegerType.get_signless(8))


def _layout(plan: ArenaPlan) -> tuple[list[ir.Value | int], list[ir.Value | int], ir.Value | int]:
    """The unit of each section, where each begins, and where the last one ends; built where these are no constants."""
    units: list[ir.Value | int] = [_unit(section, plan.alignment) for section in plan.sections]
    begins: list[ir.Value | int] = [0]
    for section, unit in zip(plan.sections, units, strict=True):
        begins.append(_add(begins[-1], _multiply(unit, section.placement.peak)))
    return units, begins[:-1], begins[-1]


def _unit(section: Section, alignment: int) -> ir.Value | int:
    """The bytes of a unit: of a dynamic one rounded up to ``alignment``."""
    if not section.dynamic:
        return section.factor
    size: ir.Value | int = section.factor
    for value in section.dynamic:
        size = _multiply(value, size) if isinstance(size, int) else arith.muli(size, value)
    padded = _add(size, alignment - 1)
    assert isinstance(padded, ir.Value)
    return arith.andi(padded, index_constant(-alignment))


def _multiply(number: ir.Value | int, factor: int) -> ir.Value | int:
    if isinstance(number, int) or factor == 0:
        return number * factor if isinstance(number, int) else 0
    return number if factor == 1 else arith.muli(number, index_constant(factor))


def _add(one: ir.Value | int, other: ir.Value | int) -> ir.Value | int:
    if isinstance(one, int) and isinstance(other, int):
        return one + other
    if other == 0 or one == 0:
        return one if other == 0 else other
    return arith.addi(as_value(one), as_value(other))


def _use(
    plan: ArenaPlan,
    arena: ir.Value,
    place: ir.Operation,
    units: Sequence[ir.Value | int],
    begins: Sequence[ir.Value | int],
) -> None:
    """Replace each buffer by a view of ``arena``, which is known in front of ``place``.

    Buffers of one static type at one offset are one view, in front of ``place``, and views at one offset have the value
    of it in common, so that there are few addresses.
    """
    shifts: dict[int, ir.Value] = {}
    views: dict[tuple[int, ir.Type], ir.Value] = {}
    for section, unit, begin in zip(plan.sections, units, begins, strict=True):
        for buffer, offset in zip(section.buffers, section.placement.offsets, strict=True):
            allocation, result = buffer.allocation, buffer.allocation.results[0]
            if section.dynamic:
                with ir.InsertionPoint(allocation), allocation.location:
                    at = as_value(_add(begin, _multiply(unit, offset)))
                    view = memref.ViewOp(result.type, arena, at, list(allocation.operands)).result
            else:
                with ir.InsertionPoint(place), allocation.location:
                    at = shifts.get(offset) or shifts.setdefault(offset, index_constant(section.factor * offset))
                    key = offset, result.type
                    view = views.get(key) or views.setdefault(key, memref.ViewOp(result.type, arena, at, []).result)
            result.replace_all_uses_with(view)
    for section in plan.sections:
        for buffer in section.buffers:
            buffer.deallocation.erase()
            buffer.allocation.erase()
