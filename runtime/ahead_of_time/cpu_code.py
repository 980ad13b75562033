"""The choice of a version at run time: code that asks an x86-64 processor for the features of its level."""

from __future__ import annotations

from collections.abc import Sequence

from ..native.shorthand import expand

__all__ = ["version_function"]


def _mask(*bits: int) -> int:
    return sum(1 << bit for bit in bits)


_NEEDED = {
    2: {"basic": _mask(0, 9, 13, 19, 20, 23), "extended": _mask(0)},  # SSE3 to SSE4.2, CX16, POPCNT; LAHF
    3: {  # FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; and the system saves registers of 256 bits
        "basic": _mask(12, 22, 27, 28, 29),
        "seventh": _mask(3, 5, 8),
        "extended": _mask(5),
        "saved": _mask(1, 2),
    },
    4: {"seventh": _mask(16, 17, 28, 30, 31), "saved": _mask(1, 2, 5, 6, 7)},  # AVX512F, DQ, CD, BW, VL; of 512 bits
}
"""Level -> for each word of the processor's answers the bits that the level adds to those of the level before."""

_EXTENDED = 0x8000_0000
_FOUR = "!llvm.struct<(i32, i32, i32, i32)>"


_ANSWER = '"cpuid", "={eax},={ebx},={ecx},={edx},{eax},{ecx}"'


def _ask(name: str, leaf: int, register: int) -> str:
    """`name` as register number `register` (eax, ebx, ecx, edx) of the answer to `leaf`, where that exists."""
    signed = leaf - (1 << 32) if leaf >> 31 else leaf
    return f"""
        %{name}_leaf = llvm.mlir.constant({signed} : i32) : i32
        %{name}_sub = llvm.mlir.constant(0 : i32) : i32
        %{name}_all = llvm.inline_asm has_side_effects {_ANSWER} %{name}_leaf, %{name}_sub : (i32, i32) -> {_FOUR}
        %{name}_one = llvm.extractvalue %{name}_all[{register}] : {_FOUR}
        %{name} = llvm.zext %{name}_one : i32 to i64"""


_TWO = "!llvm.struct<(i32, i32)>"
_SAVED = f"""
        %counter = llvm.mlir.constant(0 : i32) : i32
        %both = llvm.inline_asm has_side_effects "xgetbv", "={{eax}},={{edx}},{{ecx}}" %counter : (i32) -> {_TWO}
        %low = llvm.extractvalue %both[0] : {_TWO}
        %saved = llvm.zext %low : i32 to i64"""


def version_function(name: str, levels: Sequence[int]) -> str:
    """The function `name`: the number, from 1 on, of the highest of ascending `levels` that the processor has; 0: none.

    It asks once: the answer is kept in the global `name.known`, less one so that 0 means that nothing was asked.
    """
    checks = "".join(_check(level, levels) for level in sorted(_NEEDED))
    body = expand(
        f"""
        %known = llvm.mlir.addressof @{name}.known : !llvm.ptr
        %found = llvm.load %known atomic monotonic {{alignment = 8 : i64}} : !llvm.ptr -> i64
        if found == 0 -> ^ask, ^known(found)
      ^known(again):
        version = again - 1
        llvm.return %version : i64
      ^ask:
        {_ask("most", 0, 0)}
        if most < 7 -> ^end({_best(1, levels)}), ^extended
      ^extended:
        {_ask("most_extended", _EXTENDED, 0)}
        if most_extended < {_EXTENDED + 1} -> ^end({_best(1, levels)}), ^words
      ^words:
        {_ask("basic", 1, 2)}
        {_ask("seventh", 7, 1)}
        {_ask("extended", _EXTENDED + 1, 2)}
        {checks}
        jump ^end({_best(4, levels)})
      ^end(best):
        next = best + 1
        llvm.store %next, %known atomic monotonic {{alignment = 8 : i64}} : i64, !llvm.ptr
        llvm.return %best : i64
    """,
        {},
        {},
    )
    return f"""
        llvm.mlir.global internal @{name}.known(0 : i64) : i64
        llvm.func internal @{name}() -> i64 {{
        {body}
        }}"""


def _best(level: int, levels: Sequence[int]) -> int:
    """The number of the version that a processor of this level runs."""
    return sum(one <= level for one in levels)


def _check(level: int, levels: Sequence[int]) -> str:
    """Go on if the processor has the level, and end with the version for the one below otherwise."""
    lines: list[str] = []
    for word, mask in _NEEDED[level].items():
        # What the system saves may be asked if OSXSAVE is there, a bit of the basic word of the same level.
        lines.append(_SAVED if word == "saved" and level == 3 else "")
        found, following = f"{word}_{level}", f"^behind_{word}_{level}"
        lines.append(f"{found} = {word} & {mask}")
        lines.append(f"if {found} == {mask} -> {following}, ^end({_best(level - 1, levels)})")
        lines.append(f"{following}:")
    return "\n".join(lines)
