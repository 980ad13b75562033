"""Every op of the linalg dialect of the bindings is in a program that runs, or is refused by name."""

from __future__ import annotations

import inspect
import re

import pytest
from mlir import ir
from mlir.dialects import linalg
from programs import PROGRAMS

import mlir_inplace as mi

PARTS = {"linalg.index", "linalg.yield"}
"""What stands inside of other ops only."""

WINOGRAD = {
    "linalg.winograd_filter_transform": (
        "linalg.winograd_filter_transform fmr(F_2_3) ins(%t : tensor<2x3x3x5xf32>) "
        "outs(%u : tensor<4x4x5x2xf32>) -> tensor<4x4x5x2xf32>"
    ),
    "linalg.winograd_input_transform": (
        "linalg.winograd_input_transform fmr(F_2_3) ins(%t : tensor<2x6x6x5xf32>) "
        "outs(%u : tensor<4x4x2x2x2x5xf32>) -> tensor<4x4x2x2x2x5xf32>"
    ),
    "linalg.winograd_output_transform": (
        "linalg.winograd_output_transform fmr(F_2_3) ins(%t : tensor<4x4x2x2x2x2xf32>) "
        "outs(%u : tensor<2x4x4x2xf32>) -> tensor<2x4x4x2xf32>"
    ),
}


def ops_of_the_dialect() -> set[str]:
    classes = (member for _, member in inspect.getmembers(linalg, inspect.isclass))
    return {member.OPERATION_NAME for member in classes if hasattr(member, "OPERATION_NAME")}


def test_each_op_runs_or_is_refused() -> None:
    run = {name for program in PROGRAMS for name in re.findall(r"linalg\.\w+", program.text)}
    assert ops_of_the_dialect() - run - PARTS == set(WINOGRAD)


@pytest.mark.parametrize("op", WINOGRAD)
def test_what_is_refused(op: str) -> None:
    given, made = re.findall(r"tensor<[^>]*>", WINOGRAD[op])[:2]
    text = f"func.func @f(%t: {given}, %u: {made}) -> {made} {{\n  %0 = {WINOGRAD[op]}\n  return %0 : {made}\n}}"
    with ir.Context():
        module = ir.Module.parse(text)
        before = str(module)
        with pytest.raises(mi.PassError) as error:
            mi.run_pipeline(module, "builtin.module(inplace-one-shot-bufferize)")
        assert f"-:2:8: error: '{op}' has no payload that says what it computes; decompose it to structured ops" in str(
            error.value
        )
        assert str(module) == before
