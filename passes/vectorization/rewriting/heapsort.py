"""The text of a sort by a heap: n log n comparisons of any numbers, one by one, in place."""

from __future__ import annotations

from .quicksort import HEAP
from .sort_code import SortCode

__all__ = ["write_heapsort"]

_SIFT = "inplace.sift_heap"
_TYPES = "!llvm.ptr, i64, i64"


def write_heapsort(code: SortCode) -> None:
    """Write the function `HEAP_kind`, and the one that it calls."""
    _write_sift(code)
    name = f"{_SIFT}_{code.kind}"
    with code.function(f"{HEAP}_{code.kind}", "%d: !llvm.ptr, %n: i64"):
        zero, one = code.number(0), code.number(1)
        half = code.get(f"arith.divui %n, {code.number(2)} : i64")
        with code.loop(zero, half, 1) as names:
            code.call(name, "%d", code.subtract(code.subtract(half, one), names[0]), "%n", types=_TYPES)
        with code.loop(one, "%n", 1) as names:
            first, last = (code.at("%d", place) for place in (zero, code.subtract("%n", names[0])))
            numbers = code.load_number(last), code.load_number(first)
            for number, place in zip(numbers, (first, last), strict=True):
                code.store_number(number, place)
            code.call(name, "%d", zero, code.subtract("%n", names[0]), types=_TYPES)


def _write_sift(code: SortCode) -> None:
    """Write the function that moves the number at `%first` down, below those that are greater."""
    with code.function(f"{_SIFT}_{code.kind}", "%d: !llvm.ptr, %first: i64, %n: i64"):
        step = code.number(1)
        number = code.load_number(code.at("%d", "%first"))
        code.do("%last = scf.while (%at = %first) : (i64) -> i64 {")
        left = code.add(code.add("%at", "%at"), step)
        right = code.add(left, step)
        code.do(f"%more:2 = scf.if {code.compare('slt', left, '%n')} -> (i1, i64) {{")
        other = code.choose(code.compare("slt", right, "%n"), right, left)
        one, two = (code.load_number(code.at("%d", place)) for place in (left, other))
        is_other = code.less(one, two, code.element)
        greater = code.choose(is_other, two, one, code.element)
        is_below = code.less(number, greater, code.element)
        with code.branch(is_below):
            code.store_number(greater, code.at("%d", "%at"))
        code.do(f"scf.yield {is_below}, {code.choose(is_below, code.choose(is_other, other, left), '%at')} : i1, i64")
        code.otherwise()
        code.do(f"scf.yield {code.get('arith.constant false')}, %at : i1, i64\n}}")
        code.do("scf.condition(%more#0) %more#1 : i64\n} do {\n^bb0(%next: i64):\nscf.yield %next : i64\n}")
        code.store_number(number, code.at("%d", "%last"))
