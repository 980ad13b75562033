"""Inline assembly that LLVM would crash on, or leave out: one diagnostic with the place."""

from __future__ import annotations

import platform
import re

import pytest

import mlir_inplace as mi

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the assembly is that of x86-64")


def text(assembly: str, constraints: str, operands: int = 1, results: int = 1) -> str:
    types = ", ".join(["i32"] * operands)
    op = f'{"%y = " if results else ""}llvm.inline_asm has_side_effects "{assembly}", "{constraints}"'
    result = {0: "()", 1: "i32", 2: '!llvm.struct<"two", (i32, i32)>'}[results]
    names = ", ".join(["%x"] * operands)
    return f"""
        func.func @main(%x: i32) -> i32 {{
          {op} {names} : ({types}) -> {result}
          return {"%y" if results == 1 else "%x"} : i32
        }}"""


@pytest.mark.parametrize(
    ("assembly", "constraints", "operands", "results"),
    [
        ("lea 1($1), $0", "=r,r", 1, 1),
        ("inc $0", "=r,0", 1, 1),
        ("lea 1($1), $0", "=&r,r,~{memory},~{dirflag}", 1, 1),
        ("lea 1($1), $0", "={eax},{rdi}", 1, 1),
        ("mov $2, $0", "=r,=r,r", 1, 2),
        ("nop", "", 0, 0),
    ],
)
def test_right_assembly(assembly: str, constraints: str, operands: int, results: int) -> None:
    program = mi.compile(text(assembly, constraints, operands, results))
    assert program.main(3) == (4 if results == 1 else 3)


@pytest.mark.parametrize(
    ("constraints", "operands", "results", "problem"),
    [
        ("=r,r,r", 1, 1, "its constraints '=r,r,r' are for 2 operands, but it has 1"),
        ("", 1, 1, "its constraints '' are for 0 operands, but it has 1"),
        ("=r", 0, 0, "its constraints '=r' are for 1 results, but it has 0"),
        ("=r,=r,r", 1, 1, "its constraints '=r,=r,r' are for 2 results, but it has 1"),
        ("=r,r", 1, 2, "its constraints '=r,r' are for 1 results, but it has 2"),
        ("=r,1", 1, 1, "'1' in its constraints '=r,1' names an output that there is not"),
        (
            "r,=r",
            1,
            1,
            "its constraints 'r,=r' are out of order; outputs come first, then inputs, then what is clobbered",
        ),
        ("=q!!,r", 1, 1, "'=q!!' in its constraints '=q!!,r' is none that LLVM knows"),
        ("=,r", 1, 1, "'=' in its constraints '=,r' is none that LLVM knows"),
    ],
)
def test_constraints_that_do_not_fit(constraints: str, operands: int, results: int, problem: str) -> None:
    message = re.escape(f"the inline assembly cannot be compiled: {problem}")
    with pytest.raises(mi.PassError, match=rf"^-:3:\d+: {message}$"):
        mi.compile(text("nop", constraints, operands, results))


@pytest.mark.parametrize(
    ("assembly", "constraints", "problem"),
    [
        ("nonsense $0, $1", "=r,r", "invalid instruction mnemonic 'nonsense'"),
        ("mov $1, $0", "={foo},r", "could not allocate output register for constraint '{foo}'"),
        ("mov $1, $0", "=r,i", "invalid operand for inline asm constraint 'i'"),
    ],
)
def test_assembly_that_would_be_left_out(assembly: str, constraints: str, problem: str) -> None:
    message = re.escape(f"the inline assembly cannot be assembled for this processor: {problem}")
    with pytest.raises(mi.PassError, match=rf"^-:3:\d+: {message}$"):
        mi.compile(text(assembly, constraints))


def test_the_place_among_several() -> None:
    wrong = text("nonsense $0, $1", "=r,r").replace("@main", "@wrong")
    with pytest.raises(mi.PassError, match=r"^-:3:\d+: the inline assembly cannot"):
        mi.compile(f"{wrong}\n{text('mov $1, $0', '=r,r')}")
