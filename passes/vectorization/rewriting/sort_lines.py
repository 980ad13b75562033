"""The text of functions that sort a line in place, in one of the orders of `SortForm`, by a quicksort.

    sort_line(line, spare, n, descending):
      signed, unsigned:  sort, many numbers in a small range by counts
      total:             sort integers that are ordered as the floats are, and turn them back
      numbers:           sort, if no element is -0 or NaN; else
        save zeros and NaNs, in their order; make zeros 0 and NaNs infinity; sort; write zeros and NaNs over these
      reverse the line if descending

Only zeros and NaNs are equal without being alike. All zeros lie together in the sorted line, and so do NaNs, at the end
of the greatest, where as many infinities are; so putting those back that were saved, in their order, is what a stable
sort leaves.
"""

from __future__ import annotations

from .counting_sort import write_counting_sort
from .heapsort import write_heapsort
from .quicksort import QUICK, QUICK_TYPES, write_quicksort
from .sort_code import SortCode

__all__ = ["LINE_TYPES", "line_function", "write_line_sort", "write_number_sort"]

LINE_TYPES = "!llvm.ptr, !llvm.ptr, i64, i1"
_ARGUMENTS = "%d: !llvm.ptr, %s: !llvm.ptr, %n: i64, %down: i1"
_UNROLLED = 4


def line_function(kind: str, order: str) -> str:
    """The name of the function that sorts lines of numbers of `kind` in `order`."""
    return f"inplace.sort_line_{order}_{kind}"


def write_number_sort(code: SortCode) -> None:
    """Write the functions that sort numbers of one kind: without NaN and -0."""
    write_heapsort(code)
    write_quicksort(code)


def write_line_sort(code: SortCode, order: str) -> None:
    """Write the function that sorts a line of numbers of one kind in `order`; those of `write_number_sort` are there.

    For the total order of floats, the kind is that of integers.
    """
    with code.function(line_function(code.kind, order), _ARGUMENTS):
        if order == "numbers":
            with code.branch(_has_special(code)):
                _sort_with_special(code)
                code.otherwise()
                _sort(code)
        elif order == "total":
            _turn(code)
            _sort(code)
            _turn(code)
        else:
            write_counting_sort(code, lambda: _sort_parts(code))
            with code.branch("%down"):
                _reverse(code)


def _sort(code: SortCode) -> None:
    """Write the sort of a line, in which equal elements are alike."""
    _sort_parts(code)
    with code.branch("%down"):
        _reverse(code)


def _sort_parts(code: SortCode) -> None:
    zeros = code.get("math.ctlz %n : i64")
    depth = code.get(f"arith.muli {code.subtract(code.number(64), zeros)}, {code.number(2)} : i64")
    code.call(f"{QUICK}_{code.kind}", "%d", "%s", "%n", depth, code.get("arith.constant false"), types=QUICK_TYPES)


def _vectors(code: SortCode, size: int = 1) -> tuple[str, str]:
    """Write up to where there are groups of `size` full vectors, and the mask of a vector from there on."""
    end = code.get(f"arith.andi %n, {code.number(-size * code.lanes)} : i64")
    return end, code.first_lanes(code.subtract("%n", end))


def _turn(code: SortCode) -> None:
    """Write what makes bits of floats integers in their order, and back: of negative ones, all but the sign turn."""
    shifts = [code.get(f"arith.constant dense<{by}> : {code.vector}") for by in (code.width - 1, 1)]

    def turned(value: str) -> str:
        signs = code.get(f"arith.shrsi {value}, {shifts[0]} : {code.vector}")
        turns = code.get(f"arith.shrui {signs}, {shifts[1]} : {code.vector}")
        return code.get(f"arith.xori {value}, {turns} : {code.vector}")

    end, mask = _vectors(code)
    with code.loop(code.number(0), end, code.lanes) as names:
        place = code.at("%d", names[0])
        code.store(turned(code.load(place)), place)
    place = code.at("%d", end)
    code.store(turned(code.load(place, mask, shifts[0])), place, mask)


def _reverse(code: SortCode) -> None:
    """Write the reversal of a line: of pairs of vectors from both ends, then of pairs of numbers in the middle."""
    turned = list(reversed(range(code.lanes)))
    pairs = code.get(f"arith.divui %n, {code.number(2 * code.lanes)} : i64")
    done = code.get(f"arith.muli {pairs}, {code.number(code.lanes)} : i64")
    with code.loop(code.number(0), done, code.lanes) as names:
        behind = code.subtract("%n", code.add(names[0], code.number(code.lanes)))
        places = code.at("%d", names[0]), code.at("%d", behind)
        values = [code.load(place) for place in places]
        for value, place in zip(reversed(values), places, strict=True):
            code.store(code.shuffle(value, value, turned), place)
    with code.loop(done, code.get(f"arith.divui %n, {code.number(2)} : i64"), 1) as names:
        behind = code.subtract(code.subtract("%n", code.number(1)), names[0])
        places = code.at("%d", names[0]), code.at("%d", behind)
        numbers = [code.load_number(place) for place in places]
        for number, place in zip(reversed(numbers), places, strict=True):
            code.store_number(number, place)


def _zero(code: SortCode) -> str:
    return code.get(f"arith.constant dense<0.0> : {code.vector}")


def _is_nan(code: SortCode, value: str) -> str:
    return code.get(f"arith.cmpf uno, {value}, {value} : {code.vector}")


def _is_special(code: SortCode, value: str) -> str:
    """Where lanes are -0 or NaN."""
    type_ = f"vector<{code.lanes}xi{code.width}>"
    bits = code.get(f"arith.bitcast {value} : {code.vector} to {type_}")
    sign = code.get(f"arith.constant dense<{-(1 << (code.width - 1))}> : {type_}")
    return code.either(_is_nan(code, value), code.get(f"arith.cmpi eq, {bits}, {sign} : {type_}"))


def _has_special(code: SortCode) -> str:
    """Write whether any element is -0 or NaN."""
    found = code.number(0)
    first = code.number(0)
    for vectors in (_UNROLLED, 1):
        end, mask = _vectors(code, vectors)
        with code.loop(first, end, vectors * code.lanes, [found]) as names:
            # From the end on, which was written last, to the beginning, which is read next: these are in the cache.
            start = code.subtract(code.subtract(code.add(first, end), names[0]), code.number(vectors * code.lanes))
            places = [code.add(start, code.number(number * code.lanes)) for number in range(vectors)]
            special = [_is_special(code, code.load(code.at("%d", place))) for place in places]
            while len(special) > 1:
                special = [code.either(*special[:2]), *special[2:]]
            names[1] = code.get(f"arith.ori {names[1]}, {code.count(special[0])} : i64")
        found, first = names[0], end
    last = code.count(_is_special(code, code.load(code.at("%d", first), mask, _zero(code))))
    return code.compare("ne", code.get(f"arith.ori {found}, {last} : i64"), code.number(0))


def _sort_with_special(code: SortCode) -> None:
    """Write the sort of a line with zeros and NaNs that are equal and not alike."""
    room = code.add("%n", code.number(code.lanes))
    words = code.get(f"arith.index_cast {code.add(room, room)} : i64 to index")
    memory = f"memref<?x{code.element}>"
    saved = code.get(f"memref.alloc({words}) {{alignment = 64 : i64}} : {memory}")
    address = code.get(f"memref.extract_aligned_pointer_as_index {saved} : {memory} -> index")
    zeros = code.get(f"llvm.inttoptr {code.get(f'arith.index_cast {address} : index to i64')} : i64 to !llvm.ptr")
    nans = code.at(zeros, room)
    end, mask = _vectors(code)
    counts = [code.number(0)] * 3
    with code.loop(code.number(0), end, code.lanes, counts) as names:
        names[1:] = _save(code, names[0], "", zeros, nans, names[1:])
    of_zeros, of_nans, below = _save(code, end, mask, zeros, nans, names)
    _sort(code)
    behind = code.subtract(code.subtract("%n", below), of_zeros)
    at_nans = code.choose("%down", code.number(0), code.subtract("%n", of_nans))
    for source, place, count in ((zeros, code.choose("%down", behind, below), of_zeros), (nans, at_nans, of_nans)):
        code.copy(source, code.at("%d", place), count)
    code.do(f"memref.dealloc {saved} : {memory}")


def _save(code: SortCode, place: str, mask: str, zeros: str, nans: str, counts: list[str]) -> list[str]:
    """Write what saves zeros and NaNs of a vector, and puts 0 and infinity there; return what was counted."""
    zero, address = _zero(code), code.at("%d", place)
    value = code.load(address, mask, code.greatest())
    is_zero = code.get(f"arith.cmpf oeq, {value}, {zero} : {code.vector}")
    is_nan = _is_nan(code, value)
    sums: list[str] = []
    for found, target, count in ((is_zero, zeros, counts[0]), (is_nan, nans, counts[1])):
        code.store(code.compressed(value, found), code.at(target, count))
        sums.append(code.add(count, code.count(found)))
    plain = code.choose(is_zero, zero, value, f"{code.mask}, {code.vector}")
    plain = code.choose(is_nan, code.greatest(), plain, f"{code.mask}, {code.vector}")
    code.store(plain, address, mask)
    return [*sums, code.add(counts[2], code.count(code.less(plain, zero)))]
