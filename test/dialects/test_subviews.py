"""Subviews that drop dimensions of size one: MLIR has to drop the same ones as the tensor program, or none."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from analysed import context
from mlir import ir
from mlir.passmanager import PassManager

from mlir_inplace.checking.evaluator import Evaluator
from mlir_inplace.dialects.bufferizable import Subset
from mlir_inplace.dialects.subsets import subview

KEPT = ["memref.subview"]
DROPPED_APART = ["memref.subview", "memref.collapse_shape"]


def with_subview(source: str, slice_: str, shape: Sequence[int], step: int | None = None) -> ir.Module:
    """A function that returns the slice; ``%n`` in it is an argument, or the constant ``step``."""
    given = f"%n = arith.constant {step} : index" if step is not None else ""
    arguments = f"%m: memref<{source}>" + ("" if given else ", %n: index")
    module = ir.Module.parse(f"func.func @main({arguments}) {{\n{given}\nreturn\n}}")
    function = module.body.operations[0]
    block = function.body.blocks[0]
    number = block.operations[0].results[0] if given else block.arguments[1]
    groups = [
        tuple(number if n == "%n" else int(n) for n in re.findall(r"[^ ,]+", g)) for g in slice_[1:-1].split("][")
    ]
    with ir.InsertionPoint(block.operations[len(block.operations) - 1]), ir.Location.unknown():
        view = subview(block.arguments[0], Subset(*groups), shape)
    block.operations[len(block.operations) - 1].operation.erase()
    with ir.InsertionPoint(block), ir.Location.unknown():
        ir.Operation.create("func.return", operands=[view])
    inputs = [argument.type for argument in block.arguments]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, [view.type]))
    return module


def views(module: ir.Module) -> list[str]:
    return re.findall(r"memref\.\w+(?= %)", str(module))


@pytest.mark.parametrize(
    ("source", "slice_", "shape", "expected"),
    [
        ("2x4x41xf32", "[1, 0, 3][1, 4, 1][1, 1, 1]", [4], KEPT),
        ("2x4x41xf32", "[1, 2, 3][1, 1, 1][1, 1, 1]", [1, 1], KEPT),
        ("1x1x41xf32", "[0, 0, 3][1, 1, 4][1, 1, 1]", [1, 4], KEPT),
        # The first and the last one are as far apart: MLIR drops the first one.
        ("2x4x41xf32", "[1, 2, 3][1, 1, 1][1, 1, 164]", [1, 1], DROPPED_APART),
        ("2x4x41xf32", "[1, 0, 3][1, 4, 1][1, 1, 164]", [1, 4], DROPPED_APART),
        ("2x4x41xf32", "[1, 0, 3][1, 4, 1][1, 1, 163]", [1, 4], KEPT),
        ("1x1x1xf32", "[0, 0, 0][1, 1, 1][2, 1, 2]", [1, 1], DROPPED_APART),
        ("1x1x1xf32", "[0, 0, 0][1, 1, 1][2, 1, 2]", [1], KEPT),
        ("1x1x1xf32", "[0, 0, 0][1, 1, 1][2, 1, 2]", [], KEPT),
        # Strides that are not known tell nothing apart, and MLIR goes by sizes; but they may become known.
        ("2x4x41xf32, strided<[?, ?, ?], offset: ?>", "[1, 0, 3][1, 4, 1][1, 1, 164]", [1, 4], DROPPED_APART),
        ("2x4x41xf32, strided<[?, 41, 1], offset: ?>", "[1, 0, 3][1, 4, 1][1, 1, 1]", [1, 4], DROPPED_APART),
        ("2x4x41xf32, strided<[?, 41, 1], offset: ?>", "[1, 0, 3][1, 4, 1][1, 1, 1]", [4], KEPT),
        # A step may become known.
        ("2x4x41xf32", "[1, 0, 3][1, 4, 1][1, 1, %n]", [1, 4], DROPPED_APART),
        ("2x4x41xf32", "[1, 0, 3][1, 4, 1][1, 1, %n]", [4], KEPT),
    ],
)
def test_mlir_drops_what_the_tensor_drops(source: str, slice_: str, shape: list[int], expected: list[str]) -> None:
    with context():
        module = with_subview(source, slice_, shape)
        assert module.operation.verify()
        assert views(module) == expected
        sizes = [int(n) for n in re.findall(r"\d+(?=x)", source)]
        given = np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes)
        found = Evaluator(module).run("main", (given, 5))
    begins, counts, _ = ([int(n) for n in re.findall(r"\d+", group)] for group in slice_.replace("%n", "5").split("]["))
    wanted = given[tuple(slice(n, n + count) for n, count in zip(begins, counts, strict=True))]
    np.testing.assert_array_equal(found.results[0], wanted.reshape(shape))


def test_a_step_that_becomes_known() -> None:
    with context():
        module = with_subview("2x4x41xf32", "[1, 0, 3][1, 4, 1][1, 1, %n]", [1, 4], step=164)
        PassManager.parse("builtin.module(canonicalize)").run(module.operation)
        assert views(module) == DROPPED_APART
