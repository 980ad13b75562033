"""Quotients and remainders of integers, as StableHLO defines them for all numbers, on vectors and the rest of rows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hlo_programs import compiled

KINDS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


def operands(kind: Any, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of numbers where divisions have limits, multiples of divisors and their neighbours, and any numbers."""
    random, limits = np.random.default_rng(7), np.iinfo(kind)
    a, b = random.integers(limits.min, limits.max, (2, *shape), dtype=kind, endpoint=True)
    edges = [limits.min, limits.min + 1, limits.max, limits.max - 1, limits.max // 3]
    edges += [0, 1, 2, 7, *([-1, -2, -7] if limits.min < 0 else [5, 6])]
    pairs = np.array(list(itertools.product(edges, edges)), kind)
    divisors = random.integers(1, min(limits.max, 1000), len(pairs)).astype(object)
    products = random.integers(0, limits.max, len(pairs), dtype=kind).astype(object) // divisors * divisors
    near = np.clip(products + random.integers(-1, 2, len(pairs)), 0, limits.max)
    a.flat[: 2 * len(pairs)] = [*pairs[:, 0], *near]
    b.flat[: 2 * len(pairs)] = [*pairs[:, 1], *divisors]
    return a, b


def quotient(one: int, other: int, limits: np.iinfo) -> int:
    if other == 0:
        return -1 if limits.min < 0 else int(limits.max)
    size = abs(one) // abs(other)
    found = size if (one < 0) == (other < 0) else -size
    return found if found <= limits.max else int(limits.min)


def remainder(one: int, other: int, limits: np.iinfo) -> int:
    del limits
    return one if other == 0 else abs(one) % abs(other) * (-1 if one < 0 else 1)


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize("width", KINDS)
@pytest.mark.parametrize("function", ["divide", "remainder"])
def test_divisions(function: str, width: str, unsigned: bool, optimize: bool) -> None:
    kind = np.dtype(KINDS[width].__name__.replace("int", "uint") if unsigned else KINDS[width])
    a, b = operands(kind, (9, 67))
    type_ = f"tensor<9x67x{'u' if unsigned else ''}{width}>"
    text = f"""
func.func @main(%a: {type_}, %b: {type_}) -> {type_} {{
  %r = stablehlo.{function} %a, %b : {type_}
  return %r : {type_}
}}"""
    result = compiled(text, optimize=optimize).main(a.view(KINDS[width]), b.view(KINDS[width])).view(kind)
    meaning = quotient if function == "divide" else remainder
    limits = np.iinfo(kind)
    expected = [meaning(int(x), int(y), limits) for x, y in zip(a.flat, b.flat, strict=True)]
    np.testing.assert_array_equal(result, np.array(expected, object).astype(kind).reshape(a.shape))


@pytest.mark.each_value
@pytest.mark.parametrize("divisor", [0, -1, 7, -9])
@pytest.mark.parametrize("shared", [False, True])
def test_one_divisor_for_all(divisor: int, shared: bool) -> None:
    """A constant, or a number of the program."""
    a, _ = operands(np.int32, (9, 67))
    text = f"""
func.func @main(%a: tensor<9x67xi32>, %d: tensor<i32>) -> tensor<9x67xi32> {{
  %c = stablehlo.constant dense<{divisor}> : tensor<9x67xi32>
  %s = stablehlo.broadcast_in_dim %d, dims = [] : (tensor<i32>) -> tensor<9x67xi32>
  %r = stablehlo.divide %a, {"%s" if shared else "%c"} : tensor<9x67xi32>
  return %r : tensor<9x67xi32>
}}"""
    result = compiled(text, optimize=True).main(a, np.array(divisor, np.int32))
    limits = np.iinfo(np.int32)
    expected = np.array([quotient(int(x), divisor, limits) for x in a.flat], np.int64).astype(np.int32)
    np.testing.assert_array_equal(result, expected.reshape(a.shape))
