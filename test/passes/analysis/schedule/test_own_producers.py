"""Transpositions and fills that only one op reads: which of them its threads compute part by part, and their values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import evaluate

ROWS, COLUMNS, DEPTH = 300, 50, 40
RESULT = f"tensor<{ROWS}x{COLUMNS}xi32>"
TURN = "%t = linalg.transpose ins(%a : {source}) outs({init} : {turned}) permutation = [1, 0]"
FILL = f"%f = linalg.fill ins(%seven : i32) outs(%c : {RESULT}) -> {RESULT}"


def product(
    map_: str = "i, k", height: int = ROWS, width: int = DEPTH, start: str = "%c", other: str = "", init: str = "%e"
) -> str:
    """A product of the first argument, transposed and then read at `map_`, with the second one, on top of `start`.

    `other` stands in front of it. The transposition starts from `init`.
    """
    source, turned = f"tensor<{width}x{height}xi32>", f"tensor<{height}x{width}xi32>"
    return f"""
    func.func @main(%a: {source}, %b: tensor<{DEPTH}x{COLUMNS}xi32>, %c: {RESULT}, %d: {turned}) -> {RESULT} {{
      %seven = arith.constant 7 : i32
      %e = tensor.empty() : {turned}
      {TURN.format(source=source, turned=turned, init=init)}
      {other}
      %r = linalg.generic {{indexing_maps = [affine_map<(i, j, k) -> ({map_})>, affine_map<(i, j, k) -> (k, j)>,
                                            affine_map<(i, j, k) -> (i, j)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}}
          ins(%t, %b : {turned}, tensor<{DEPTH}x{COLUMNS}xi32>) outs({start} : {RESULT}) {{
      ^bb0(%x: i32, %y: i32, %z: i32):
        %p = arith.muli %x, %y : i32
        %s = arith.addi %z, %p : i32
        linalg.yield %s : i32
      }} -> {RESULT}
      return %r : {RESULT}
    }}"""


def in_parts(text: str, expected: Callable[..., np.ndarray]) -> dict[str, bool]:
    """For the transposition and the fill whether each thread computes a part; values are `expected` all the same."""
    rng = np.random.default_rng(0)
    found: dict[str, bool] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in ("linalg.transpose", "linalg.fill"):
            found[op.name] = op.operation.parent.name == "scf.forall"
        return ir.WalkResult.ADVANCE

    with ir.Context():
        module = ir.Module.parse(text)
        (function,) = module.body.operations
        types = [argument.type for argument in function.operation.regions[0].blocks[0].arguments]
        arguments = [rng.integers(-99, 99, ir.ShapedType(type_).shape).astype(np.int32) for type_ in types]
        mi.run_pipeline(module, "builtin.module(func.func(inplace-distribute{threads=2}))")
        np.testing.assert_array_equal(evaluate(module, "main", arguments).results[0], expected(*arguments))
        assert str(module).count("scf.forall (") == 1
        module.operation.walk(visit)
    return found


def test_each_thread_transposes_and_fills_what_it_needs() -> None:
    text = product(start="%f", other=FILL)
    found = in_parts(text, lambda a, b, c, d: a.T @ b + 7)
    assert found == {"linalg.transpose": True, "linalg.fill": True}


@pytest.mark.parametrize(
    ("options", "use"),
    [
        ({}, f"%u = arith.addi %f, %f : {RESULT}"),
        ({}, f"%u = tensor.extract_slice %t[0, 0] [9, 9] [1, 1] : tensor<{ROWS}x{DEPTH}xi32> to tensor<9x9xi32>"),
        ({"init": "%d"}, ""),
    ],
    ids=["fill with another use", "transposition with another use", "transposition with an init of its own"],
)
def test_what_others_use_stays_whole(options: dict[str, str], use: str) -> None:
    text = product(start="%f", other=f"{FILL}\n{use}", **options)
    found = in_parts(text, lambda a, b, c, d: a.T @ b + 7)
    assert found == {"linalg.transpose": "%f, %f" in use, "linalg.fill": "%f, %f" not in use}


def test_a_transposition_that_is_a_kernel_stays_whole() -> None:
    text = product().replace("permutation = [1, 0]", "permutation = [1, 0] {inplace.kernel}")
    assert in_parts(text, lambda a, b, c, d: a.T @ b + c) == {"linalg.transpose": False}


@pytest.mark.parametrize(
    ("map_", "height", "width", "expected"),
    [
        ("i, j + k", ROWS, COLUMNS + DEPTH - 1, True),
        ("i, i + k", ROWS, ROWS + DEPTH - 1, False),
        ("i + k, i", ROWS + DEPTH - 1, ROWS, False),
        ("k, j", DEPTH, COLUMNS, False),
    ],
)
def test_what_rows_read_at_another_index_too_stays_whole(map_: str, height: int, width: int, expected: bool) -> None:
    """A part of the rows would have to begin elsewhere in the other dimension, too, or is not all that is read."""

    def result(a: np.ndarray, b: np.ndarray, c: np.ndarray, _: np.ndarray) -> np.ndarray:
        i, j, k = np.indices((ROWS, COLUMNS, DEPTH))
        places = {"i, j + k": (i, j + k), "i, i + k": (i, i + k), "i + k, i": (i + k, i), "k, j": (k, j)}
        return (a.T[places[map_]] * b[k, j]).sum(2, dtype=np.int32) + c

    assert in_parts(product(map_, height, width), result) == {"linalg.transpose": expected}
