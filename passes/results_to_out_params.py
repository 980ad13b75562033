"""Let the caller provide the memory of results: `return memref.alloc()` becomes an argument to write into.

A caller that owns the result's buffer from the start needs no hand-over of ownership: NumPy allocates the array, the
code fills it, and `out=` needs no copy.

Goes in: `func.func` on memrefs. Comes out: for each entry function (public, with a body, not called and not referred
to inside the module) every result that qualifies is removed, and an argument of the allocation's type is appended,
marked `inplace.out_result = <original number>` and, if the allocation asked for one, `inplace.alignment`;
`inplace.result_arguments` on the function holds the map (see `function_results.py`). A result qualifies if every
return gives the same value, which is, through `memref.cast`, a `memref.alloc` in the function's entry block, with
static shape, the identity layout and no explicit `memref.dealloc`. Everything else is left alone: results of dynamic
shape, views, allocations made in branches or loops, a second result that is the same buffer.

    func.func @f() -> memref<4xf32> {            func.func @f(%out: memref<4xf32> {inplace.out_result = 0 : i64})
      %0 = memref.alloc() : memref<4xf32>   ->       attributes {inplace.result_arguments = array<i64: 0>} {
      linalg.fill ... outs(%0)                     linalg.fill ... outs(%out)
      return %0 : memref<4xf32>                    return

Legal because the entry block runs exactly once per call, so the buffer is as fresh as the allocation was. Linear in
the operations.

Upstream counterpart: `buffer-results-to-out-params{hoist-static-allocs}`. That one turns EVERY result into an
argument and copies where it cannot hoist; ours never adds a copy, and leaves functions alone that the module itself
calls.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from .base import Pass, Statistic
from .function_results import (
    RETURNED,
    FunctionUses,
    append_argument,
    collect_functions,
    result_arguments,
    take_out_results,
)
from .options import PassOptions

OUT_RESULT = "inplace.out_result"
ALIGNMENT = "inplace.alignment"


@dataclass(frozen=True)
class HoistableResult:
    """Result `result` (current number) of a function is the buffer that `allocation` makes."""

    result: int
    allocation: ir.Operation


def analyze_hoistable_results(uses: FunctionUses) -> tuple[HoistableResult, ...]:
    """The results of one function whose memory its caller could provide. Changes nothing."""
    if not uses.is_entry or not uses.returns:
        return ()
    found: list[HoistableResult] = []
    for number in range(len(uses.function.type.results)):
        allocations = {_allocation(ret.operation.operands[number]) for ret in uses.returns}
        allocation = allocations.pop() if len(allocations) == 1 else None
        if allocation is None or any(other.allocation == allocation for other in found):
            continue
        if allocation.block == uses.function.entry_block and _qualifies(allocation):
            found.append(HoistableResult(number, allocation))
    return tuple(found)


def _allocation(value: ir.Value) -> ir.Operation | None:
    """The `memref.alloc` behind `value`, looking through casts."""
    while not isinstance(value, ir.BlockArgument):
        owner = ir.OpResult(value).owner.operation
        if owner.name == "memref.alloc":
            return owner
        if owner.name != "memref.cast":
            return None
        value = owner.operands[0]
    return None


def _qualifies(allocation: ir.Operation) -> bool:
    type_ = ir.MemRefType(allocation.result.type)
    if not type_.has_static_shape or len(allocation.operands):
        return False
    strided, offset = type_.get_strides_and_offset()
    expected = 1
    for size, stride in zip(reversed(type_.shape), reversed(strided), strict=True):
        if stride != expected:
            return False
        expected *= max(size, 1)
    freed = any(use.owner.operation.name == "memref.dealloc" for use in allocation.result.uses)
    return offset == 0 and type_.memory_space is None and not freed


def _hoist(uses: FunctionUses, results: tuple[HoistableResult, ...]) -> None:
    """Replace each allocation by a new argument and drop the result."""
    function = uses.function
    originals = [number for number, argument in enumerate(result_arguments(function)) if argument == RETURNED]
    integer = ir.IntegerType.get_signless(64)
    moved: dict[int, int] = {}
    for hoisted in results:
        allocation = hoisted.allocation
        marks: dict[str, ir.Attribute] = {OUT_RESULT: ir.IntegerAttr.get(integer, originals[hoisted.result])}
        if "alignment" in allocation.attributes:
            marks[ALIGNMENT] = allocation.attributes["alignment"]
        moved[hoisted.result] = len(function.arguments)
        value = append_argument(function, allocation.result.type, allocation.location, ir.DictAttr.get(marks))
        allocation.result.replace_all_uses_with(value)
        allocation.erase()
    take_out_results(uses, moved)


class ResultsToOutParamsPass(Pass[PassOptions]):
    """Turn returned allocations of entry functions into arguments."""

    argument = "inplace-results-to-out-params"
    summary = "let callers of entry functions provide the memory of statically shaped results"
    anchor = "builtin.module"
    statistics = (Statistic("hoisted-results", "results that became arguments"),)

    def run(self, op: ir.Operation) -> None:
        with op.context:
            for uses in collect_functions(op).values():
                results = analyze_hoistable_results(uses)
                if results:
                    _hoist(uses, results)
                    self.count("hoisted-results", len(results))
