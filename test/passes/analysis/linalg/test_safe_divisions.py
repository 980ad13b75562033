"""Which divisions of integers cannot trap: those whose divisors a program replaces where they are not defined."""

from __future__ import annotations

import pytest
from mlir import ir

from mlir_inplace.passes.analysis.ir.traversal import find_ops
from mlir_inplace.passes.analysis.linalg.safe_divisions import divides_safely

ZERO = "%z = arith.cmpi eq, %b, %c0 : i32"
OVER = "%l = arith.cmpi eq, %a, %least : i32\n%m = arith.cmpi eq, %b, %minus : i32\n%o = arith.andi %l, %m : i1"
SAFE = {
    "as StableHLO has it": ("divsi", f"{ZERO}\n{OVER}\n%u = arith.ori %z, %o : i1", "select %u, %c1, %b"),
    "the other way round": ("remsi", f"{ZERO}\n{OVER}\n%u = arith.ori %o, %z : i1", "select %u, %c1, %b"),
    "any -1": ("divsi", f"{ZERO}\n{OVER}\n%u = arith.ori %z, %m : i1", "select %u, %c1, %b"),
    "unsigned": ("remui", ZERO, "select %z, %c1, %b"),
    "a constant": ("divsi", "", "addi %c1, %c1"),
}
UNSAFE = {
    "not replaced": ("divui", "", "addi %b, %c0"),
    "-1 stays": ("divsi", ZERO, "select %z, %c1, %b"),
    "zero stays": ("divsi", OVER, "select %o, %c1, %b"),
    "replaced by zero": ("divui", ZERO, "select %z, %c0, %b"),
    "replaced by -1": ("divsi", f"{ZERO}\n{OVER}\n%u = arith.ori %z, %o : i1", "select %u, %minus, %b"),
    "another number is asked": ("divui", "%z = arith.cmpi eq, %a, %c0 : i32", "select %z, %c1, %b"),
    "another question": ("divui", "%z = arith.cmpi ne, %b, %c0 : i32", "select %z, %c1, %b"),
    "both must hold": ("divui", f"{ZERO}\n{OVER}\n%u = arith.andi %z, %l : i1", "select %u, %c1, %b"),
    "the wrong way": ("divui", ZERO, "select %z, %b, %c1"),
    "another least number": (
        "divsi",
        f"{ZERO}\n%l = arith.cmpi eq, %a, %c1 : i32\n%m = arith.cmpi eq, %b, %minus : i32\n"
        "%o = arith.andi %l, %m : i1\n%u = arith.ori %z, %o : i1",
        "select %u, %c1, %b",
    ),
}


def is_safe(name: str, conditions: str, divisor: str) -> bool:
    with ir.Context():
        module = ir.Module.parse(f"""
func.func @f(%a: i32, %b: i32) -> i32 {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %minus = arith.constant -1 : i32
  %least = arith.constant -2147483648 : i32
  {conditions}
  %d = arith.{divisor} : i32
  %r = arith.{name} %a, %d : i32
  return %r : i32
}}""")
        if divisor.startswith("addi %c1"):
            (sum_,) = find_ops(module.operation, "arith.addi")
            sum_.results[0].replace_all_uses_with(sum_.operands[0])
        (division,) = find_ops(module.operation, f"arith.{name}")
        return divides_safely(division)


@pytest.mark.parametrize("name", SAFE)
def test_divisors_that_are_replaced(name: str) -> None:
    assert is_safe(*SAFE[name])


@pytest.mark.parametrize("name", UNSAFE)
def test_divisors_that_may_trap(name: str) -> None:
    assert not is_safe(*UNSAFE[name])
