"""The text of a sort of many integers of a small range: how often each occurs is counted, and each written as often.

if the range of some of the numbers is small:
  least, greatest = those of all
  if greatest - least < 64:
    for each block of 512 numbers, as bytes without the least one, in 8 registers:
      for each byte of the range: counts[byte] += in how many lanes it is
    write each number of the range as often as its count says
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from .quicksort import fill, sampled
from .sort_code import SortCode

__all__ = ["write_counting_sort"]

_RANGE = 64
_FEWEST = 2048
"""From so many numbers on it pays, and there is memory for the counts."""
_UNROLLED = 4
_BYTES = 64
_REGISTERS = 8
_SAMPLES = 9


def write_counting_sort(code: SortCode, otherwise: Callable[[], None]) -> None:
    """Write the sort of `%n` integers at `%d` by counts in the memory at `%s`, or `otherwise` if it is not for them."""
    many, few, small = code.compare("sge", "%n", code.number(_FEWEST)), code.fresh(), code.fresh()
    word = code.element
    code.do(f"{few}:3 = scf.if {many} -> (i1, {word}, {word}) {{")
    is_likely = _is_small(code, *_ends(code, sampled(code, _SAMPLES)))
    code.do(f"{small}:3 = scf.if {is_likely} -> (i1, {word}, {word}) {{")
    least, greatest = _ends_of_all(code)
    code.do(f"scf.yield {_is_small(code, least, greatest)}, {least}, {greatest} : i1, {word}, {word}\n}} else {{")
    no, zero = code.get("arith.constant false"), code.get(f"arith.constant 0 : {word}")
    code.do(f"scf.yield {no}, {zero}, {zero} : i1, {word}, {word}\n}}")
    code.do(f"scf.yield {small}#0, {small}#1, {small}#2 : i1, {word}, {word}\n}} else {{")
    no, zero = code.get("arith.constant false"), code.get(f"arith.constant 0 : {word}")
    code.do(f"scf.yield {no}, {zero}, {zero} : i1, {word}, {word}\n}}")
    with code.branch(f"{few}#0"):
        extent = _byte(code, f"{few}#2", f"{few}#1")
        with code.branch(code.compare("ne", extent, code.number(0))):
            count = code.add(extent, code.number(1))
            _count(code, f"{few}#1", count)
            _write(code, f"{few}#1", count)
        code.otherwise()
        otherwise()


def _ends(code: SortCode, vectors: list[str]) -> tuple[str, str]:
    """Write the least and the greatest number of vectors."""
    sign = "u" if code.kind[0] == "u" else "s"
    both = reduce(code.minimum, vectors), reduce(code.maximum, vectors)
    least, greatest = (
        code.get(f"vector.reduction <{name}{sign}i>, {value} : {code.vector} into {code.element}")
        for name, value in zip(("min", "max"), both, strict=True)
    )
    return least, greatest


def _is_small(code: SortCode, least: str, greatest: str) -> str:
    extent = code.get(f"arith.subi {greatest}, {least} : {code.element}")
    return code.get(
        f"arith.cmpi ult, {extent}, {code.get(f'arith.constant {_RANGE} : {code.element}')} : {code.element}"
    )


def _ends_of_all(code: SortCode) -> tuple[str, str]:
    """Write the least and the greatest number: of full vectors, and of the last ones again."""
    first = code.load("%d")
    end = code.get(f"arith.andi %n, {code.number(-_UNROLLED * code.lanes)} : i64")
    with code.loop(code.number(0), end, _UNROLLED * code.lanes, [first, first], code.vector) as names:
        places = [code.add(names[0], code.number(number * code.lanes)) for number in range(_UNROLLED)]
        values = [code.load(code.at("%d", place)) for place in places]
        names[1:] = [reduce(code.minimum, values, names[1]), reduce(code.maximum, values, names[2])]
    behind = [code.subtract("%n", code.number((number + 1) * code.lanes)) for number in range(_UNROLLED)]
    return _ends(code, [*names, *(code.load(code.at("%d", place)) for place in behind)])


def _byte(code: SortCode, number: str, least: str) -> str:
    """Write how far a number is above the least one, as i64."""
    above = code.get(f"arith.subi {number}, {least} : {code.element}")
    return above if code.width == 64 else code.get(f"arith.extui {above} : {code.element} to i64")


def _add_to_count(code: SortCode, byte: str, more: str) -> None:
    at = _count_at(code, byte)
    code.do(f"llvm.store {code.add(code.get(f'llvm.load {at} : !llvm.ptr -> i64'), more)}, {at} : i64, !llvm.ptr")


def _count_at(code: SortCode, byte: str) -> str:
    return code.get(f"llvm.getelementptr %s[{byte}] : (!llvm.ptr, i64) -> !llvm.ptr, i64")


def _count(code: SortCode, least: str, count: str) -> None:
    """Write the loops that count, of a range of `count` numbers."""
    size, zero = _BYTES * _REGISTERS, code.number(0)
    with code.loop(zero, count, 1) as names:
        code.do(f"llvm.store {zero}, {_count_at(code, names[0])} : i64, !llvm.ptr")
    end = code.get(f"arith.andi %n, {code.number(-size)} : i64")
    narrow = f"vector<{_BYTES}xi8>"
    with code.loop(zero, end, size) as names:
        blocks = [_bytes(code, code.add(names[0], code.number(part * _BYTES)), least) for part in range(_REGISTERS)]
        with code.loop(zero, count, 1) as inner:
            byte = code.get(f"arith.trunci {inner[0]} : i64 to i8")
            wanted = code.get(f"vector.broadcast {byte} : i8 to {narrow}")
            masks = [code.get(f"arith.cmpi eq, {block}, {wanted} : {narrow}") for block in blocks]
            _add_to_count(code, inner[0], reduce(code.add, [_lanes(code, mask) for mask in masks]))
    with code.loop(end, "%n", 1) as names:
        number = code.load_number(code.at("%d", names[0]))
        _add_to_count(code, _byte(code, number, least), code.number(1))


def _bytes(code: SortCode, place: str, least: str) -> str:
    """Write the read of a vector of numbers, as bytes: how far they are above the least one."""
    wide = f"vector<{_BYTES}x{code.element}>"
    loaded = code.get(f"llvm.load {code.at('%d', place)} {{alignment = {code.width // 8} : i64}} : !llvm.ptr -> {wide}")
    above = code.get(
        f"arith.subi {loaded}, {code.get(f'vector.broadcast {least} : {code.element} to {wide}')} : {wide}"
    )
    return code.get(f"arith.trunci {above} : {wide} to vector<{_BYTES}xi8>")


def _lanes(code: SortCode, mask: str) -> str:
    """Write in how many lanes a mask of bytes holds."""
    bits = code.get(f"vector.bitcast {mask} : vector<{_BYTES}xi1> to vector<1xi64>")
    return code.get(f"math.ctpop {code.get(f'vector.extract {bits}[0] : i64 from vector<1xi64>')} : i64")


def _write(code: SortCode, least: str, count: str) -> None:
    """Write the loop that writes each of `count` numbers."""
    with code.loop(code.number(0), count, 1, [code.number(0)]) as names:
        behind = code.add(names[1], code.get(f"llvm.load {_count_at(code, names[0])} : !llvm.ptr -> i64"))
        index = names[0] if code.width == 64 else code.get(f"arith.trunci {names[0]} : i64 to i32")
        number = code.get(f"arith.addi {least}, {index} : {code.element}")
        fill(code, "%d", names[1], behind, code.splat(number))
        names[1] = behind
