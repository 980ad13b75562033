"""Halves of vectors for elementwise ops that wait for memory, where the machine loads no more at once."""

from __future__ import annotations

import pytest
from linalg_programs import generic
from mlir import ir

from mlir_inplace.passes.analysis.ir.traversal import first_op
from mlir_inplace.passes.analysis.schedule.machine import Machine
from mlir_inplace.passes.analysis.schedule.vector_plan import plan_vectors

HALVES = Machine(vector_bits=512, registers=32, load_bits=256)
WHOLE = Machine(vector_bits=512, registers=32, load_bits=512)
ADD = "%r = arith.addf %e0, %e1 : f32\nlinalg.yield %r : f32"


def of_rows(body: str, inputs: int = 2, element: str = "f32") -> str:
    """An elementwise op on matrices."""
    types = [f"tensor<64x128x{element}>"] * (inputs + 1)
    return generic(types, ["i, j"] * (inputs + 1), "pp", body)


OTHERS = {
    "one input": of_rows("%r = arith.negf %e0 : f32\nlinalg.yield %r : f32", inputs=1),
    "a polynomial": of_rows("%s = arith.addf %e0, %e1 : f32\n%r = math.exp %s : f32\nlinalg.yield %r : f32"),
    "more arithmetic than loads": of_rows(
        "%s = arith.mulf %e0, %e1 : f32\n%t = arith.mulf %s, %e1 : f32\n%r = arith.addf %t, %e0 : f32\n"
        "linalg.yield %r : f32"
    ),
    "a row for all rows": generic(
        ["tensor<64x128xf32>", "tensor<64xf32>", "tensor<64x128xf32>"], ["i, j", "i", "i, j"], "pp", ADD
    ),
    "a reduction": generic(
        ["tensor<64x128xf32>", "tensor<64x128xf32>", "tensor<128xf32>"],
        ["i, j", "i, j", "j"],
        "rp",
        "%p = arith.mulf %e0, %e1 : f32\n%r = arith.addf %e2, %p : f32\nlinalg.yield %r : f32",
    ),
}


def lanes_of(text: str, machine: Machine) -> int:
    with ir.Context():
        module = ir.Module.parse(text)
        op = first_op(module.operation, lambda op: op.name == "linalg.generic")
        assert op is not None
        return plan_vectors(op, machine).lanes


def test_two_inputs_are_loaded_in_halves() -> None:
    assert lanes_of(of_rows(ADD), HALVES) == 8
    assert lanes_of(of_rows(ADD), WHOLE) == 16
    assert lanes_of(of_rows(ADD.replace("f32", "f64"), element="f64"), HALVES) == 4


@pytest.mark.parametrize("name", OTHERS)
def test_other_ops_have_whole_vectors(name: str) -> None:
    assert lanes_of(OTHERS[name], HALVES) == 16


def test_narrow_floats_are_arithmetic() -> None:
    assert lanes_of(of_rows(ADD.replace("f32", "bf16"), element="bf16"), HALVES) == 32
