"""The text of a quicksort of numbers in vectors, with as much memory besides.

    sort(data, spare, n, to_spare):                            # leaves the sorted numbers in one of the two
      if n <= 16 vectors: sort them in registers
      pivot = the median of medians of a few vectors
      if these are all equal to the pivot, and so are all numbers: done
      out, other = (spare, data) if to_spare else (data, spare)
      for each vector of data:
        out[...] = those below the pivot, moved together; other[...] = those above it
      out[...] = the pivot, as often as numbers are equal to it
      sort(other, the rest of out, above, to_spare=True)
      sort(out, other, below, to_spare=False)

Of the two memories, one is that of the vectors that are read. What is written there never overtakes what is read, as no
more is kept than was read; so full vectors are written, and the next ones overwrite what was not to be kept. Numbers
that are equal to the pivot are not written but counted, so each partition ends the sort of one number at least. If
partitions are so uneven that they are twice as deep as even ones would be, what is left is sorted by a heap.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from .sort_code import SortCode
from .sort_registers import sorted_registers

__all__ = ["HEAP", "MOST", "QUICK", "QUICK_TYPES", "fill", "sampled", "write_quicksort"]

SMALL, HEAP, QUICK = "inplace.sort_in_registers", "inplace.sort_by_heap", "inplace.sort_by_parts"
QUICK_TYPES = "!llvm.ptr, !llvm.ptr, i64, i64, i1"
_REGISTERS = (4, 8, 16)
MOST = _REGISTERS[-1]
"""How many vectors are sorted in registers at most."""
_MANY = 1024
"""For a pivot of so many numbers, 9 vectors are read, not 3."""
_UNROLLED = 4
_AHEAD, _FAR_AHEAD = 1024, 2048
"""How many bytes ahead lines are asked for, to be written and to be read."""


def write_quicksort(code: SortCode) -> None:
    """Write the functions of the sort of numbers of one kind: `QUICK_kind`, and those that it calls."""
    _write_small(code)
    with code.function(f"{QUICK}_{code.kind}", "%d: !llvm.ptr, %s: !llvm.ptr, %n: i64, %depth: i64, %to: i1"):
        out, other = code.choose("%to", "%s", "%d", "!llvm.ptr"), code.choose("%to", "%d", "%s", "!llvm.ptr")
        with code.branch(code.compare("sle", "%n", code.number(MOST * code.lanes))):
            code.call(f"{SMALL}_{code.kind}", "%d", out, "%n", types="!llvm.ptr, !llvm.ptr, i64")
            code.otherwise()
            with code.branch(code.compare("eq", "%depth", code.number(0))):
                code.call(f"{HEAP}_{code.kind}", "%d", "%n", types="!llvm.ptr, i64")
                with code.branch("%to"):
                    code.copy("%d", "%s", "%n")
                code.otherwise()
                _write_step(code, out, other)


def _write_small(code: SortCode) -> None:
    with code.function(f"{SMALL}_{code.kind}", "%src: !llvm.ptr, %dst: !llvm.ptr, %n: i64"):
        _write_sizes(code, 0, _REGISTERS)


def _write_sizes(code: SortCode, full: int, sizes: Sequence[int]) -> None:
    """Write the choice of how many registers hold the numbers, which fill `full` ones."""
    if len(sizes) == 1:
        _write_in_registers(code, full, sizes[0])
        return
    with code.branch(code.compare("sle", "%n", code.number(sizes[0] * code.lanes))):
        _write_in_registers(code, full, sizes[0])
        code.otherwise()
        _write_sizes(code, sizes[0], sizes[1:])


def _write_in_registers(code: SortCode, full: int, count: int) -> None:
    """Write the sort in `count` registers, of which the first are full."""
    starts = [code.number(register * code.lanes) for register in range(count)]
    masks = [""] * full + [code.first_lanes(code.subtract("%n", start)) for start in starts[full:]]
    other = code.greatest()
    loaded = [code.load(code.at("%src", start), mask, other) for start, mask in zip(starts, masks, strict=True)]
    for value, start, mask in zip(sorted_registers(code, loaded), starts, masks, strict=True):
        code.store(value, code.at("%dst", start), mask)


def _median(code: SortCode, one: str, two: str, three: str) -> str:
    least, greatest = code.minimum(one, two), code.maximum(one, two)
    return code.maximum(least, code.minimum(greatest, three))


def sampled(code: SortCode, count: int) -> list[str]:
    """Write the reads of `count` vectors, the first to the last."""
    last = code.subtract("%n", code.number(code.lanes))
    steps = code.get(f"arith.divui {last}, {code.number(count - 1)} : i64")
    places = [code.get(f"arith.muli {steps}, {code.number(one)} : i64") for one in range(count)]
    return [code.load(code.at("%d", place)) for place in places]


def _pivot(code: SortCode) -> tuple[str, str]:
    """Write the choice of a pivot: a vector, in whose lanes it is; and whether all that was read is equal to it."""
    chosen = code.fresh()
    many = code.compare("sge", "%n", code.number(_MANY))
    types = ", ".join([code.vector] * 3)
    code.do(f"{chosen}:3 = scf.if {many} -> ({types}) {{")
    for count in (9, 3):
        samples = sampled(code, count)
        least, greatest = reduce(code.minimum, samples), reduce(code.maximum, samples)
        while len(samples) > 1:
            third = len(samples) // 3
            samples = [_median(code, *samples[one::third]) for one in range(third)]
        code.do(f"scf.yield {samples[0]}, {least}, {greatest} : {types}")
        code.do("} else {" if count == 9 else "}")
    middle = f"{chosen}#0"
    for distance in (1, 3):
        turned = [[(lane + by) % code.lanes for lane in range(code.lanes)] for by in (distance, 2 * distance)]
        middle = _median(code, middle, *(code.shuffle(middle, middle, lanes) for lanes in turned))
    pivot = code.splat(code.get(f"vector.extract {middle}[0] : {code.element} from {code.vector}"))
    differs = code.either(code.less(f"{chosen}#1", pivot), code.less(pivot, f"{chosen}#2"))
    return pivot, code.compare("eq", code.count(differs), code.number(0))


def _are_all(code: SortCode, pivot: str, likely: str) -> str:
    """Write whether all numbers are equal to the pivot, which is looked at if it is `likely`, until one is not."""
    size = _UNROLLED * code.lanes
    end = code.get(f"arith.andi %n, {code.number(-size)} : i64")
    limit = code.choose(likely, end, code.number(-1))
    stop, at, inside = code.fresh(), code.fresh(), code.fresh()
    code.do(f"{stop} = scf.while ({at} = {code.number(0)}) : (i64) -> i64 {{")
    code.do(f"{inside} = scf.if {code.compare('slt', at, limit)} -> (i1) {{")
    places = [code.add(at, code.number(number * code.lanes)) for number in range(_UNROLLED)]
    differ = [_differs(code, code.load(code.at("%d", place)), pivot) for place in places]
    code.do(f"scf.yield {code.compare('eq', code.count(reduce(code.either, differ)), code.number(0))} : i1")
    code.otherwise()
    code.do(f"scf.yield {code.get('arith.constant false')} : i1\n}}")
    code.do(f"scf.condition({inside}) {at} : i64\n}} do {{\n^bb0({(again := code.fresh())}: i64):")
    code.do(f"scf.yield {code.add(again, code.number(size))} : i64\n}}")
    is_so = code.compare("eq", stop, limit)
    rest = code.choose(is_so, end, "%n")
    with code.loop(rest, "%n", code.lanes, [code.number(0)]) as names:
        mask = code.first_lanes(code.subtract("%n", names[0]))
        value = code.load(code.at("%d", names[0]), mask, pivot)
        names[1] = code.add(names[1], code.count(_differs(code, value, pivot)))
    is_rest = code.compare("eq", names[0], code.number(0))
    return code.get(f"arith.andi {is_so}, {is_rest} : i1")


def _differs(code: SortCode, value: str, pivot: str) -> str:
    return code.either(code.less(value, pivot), code.less(pivot, value))


def _write_step(code: SortCode, out: str, other: str) -> None:
    """Write a partition, and the sorts of its parts."""
    pivot, likely = _pivot(code)
    with code.branch(_are_all(code, pivot, likely)):
        with code.branch("%to"):
            fill(code, out, code.number(0), "%n", pivot)
        code.otherwise()
        below, above = _write_partition(code, out, other, pivot)
        behind = code.subtract("%n", above)
        fill(code, out, below, behind, pivot)
        depth, name = code.subtract("%depth", code.number(1)), f"{QUICK}_{code.kind}"
        yes, no = code.get("arith.constant true"), code.get("arith.constant false")
        code.call(name, other, code.at(out, behind), above, depth, yes, types=QUICK_TYPES)
        code.call(name, out, other, below, depth, no, types=QUICK_TYPES)


def _write_partition(code: SortCode, out: str, other: str, pivot: str) -> tuple[str, str]:
    """Write the partition; return how many numbers are below and above the pivot."""
    at = [code.number(0)] * 2
    first = code.number(0)
    for vectors in (_UNROLLED, 1):
        end = code.get(f"arith.andi %n, {code.number(-vectors * code.lanes)} : i64")
        with code.loop(first, end, vectors * code.lanes, at) as names:
            index, *inner = names
            if vectors > 1:
                _ask(code, ((out, inner[0], _AHEAD), (other, inner[1], _AHEAD), ("%d", index, _FAR_AHEAD)))
            places = [code.add(index, code.number(number * code.lanes)) for number in range(vectors)]
            for value in [code.load(code.at("%d", place)) for place in places]:
                inner = _write_parts(code, value, pivot, (out, other), inner)
            names[1:] = inner
        at, first = names, end
    mask = code.first_lanes(code.subtract("%n", first))
    below, above = _write_parts(code, code.load(code.at("%d", first), mask, pivot), pivot, (out, other), at, rest=True)
    return below, above


def _ask(code: SortCode, streams: Sequence[tuple[str, str, int]]) -> None:
    """Ask for the lines that are used soon: written ones half as fast as others are read."""
    for pointer, place, ahead in streams:
        is_read = pointer == "%d" and ahead == _FAR_AHEAD
        for number in range(_UNROLLED if is_read else _UNROLLED // 2):
            offset = code.number(ahead * 8 // code.width + number * code.lanes)
            code.prefetch(code.at(pointer, code.add(place, offset)), written=not is_read)


def _write_parts(
    code: SortCode, value: str, pivot: str, targets: Sequence[str], at: Sequence[str], *, rest: bool = False
) -> list[str]:
    """Write where the parts of a vector go, and, if it is the rest, nothing behind them; return what is behind them."""
    behind: list[str] = []
    masks = code.less(value, pivot), code.less(pivot, value)
    for mask, target, place in zip(masks, targets, at, strict=True):
        count = code.count(mask)
        kept = code.first_lanes(count) if rest else ""
        code.store(code.compressed(value, mask), code.at(target, place), kept)
        behind.append(code.add(place, count))
    return behind


def fill(code: SortCode, target: str, first: str, end: str, value: str) -> None:
    """Write a vector of one number to all places from `first` to below `end`."""
    whole = code.get(f"arith.andi {code.subtract(end, first)}, {code.number(-code.lanes)} : i64")
    middle = code.add(first, whole)
    with code.loop(first, middle, code.lanes) as names:
        code.store(value, code.at(target, names[0]))
    code.store(value, code.at(target, middle), code.first_lanes(code.subtract(end, middle)))
