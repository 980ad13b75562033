"""Factorizations and triangular solves against NumPy, batched, with all flags; LAPACK's calls as JAX makes them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hlo_programs import compiled


def random_matrix(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=shape)


def positive(*shape: int) -> np.ndarray:
    a = random_matrix(*shape)
    return a @ np.swapaxes(a, -1, -2) + 3 * np.eye(shape[-1])


def call_text(target: str, operands: list[str], results: list[str], **options: str) -> str:
    """A function that hands its arguments to a `stablehlo.custom_call`; options are letters, as JAX gives them."""
    config = ", ".join(f"{name} = {ord(letter)} : ui8" for name, letter in options.items())
    names = [f"%a{number}" for number in range(len(operands))]
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in zip(names, operands, strict=True))
    values = ", ".join(f"%0#{number}" for number in range(len(results))) if len(results) > 1 else "%0"
    count = f":{len(results)}" if len(results) > 1 else ""
    return f"""
func.func @main({arguments}) -> ({", ".join(results)}) {{
  %0{count} = stablehlo.custom_call @{target}({", ".join(names)}) {{mhlo.backend_config = {{{config}}}}}
      : ({", ".join(operands)}) -> ({", ".join(results)})
  return {values} : {", ".join(results)}
}}
"""


@pytest.mark.parametrize("lower", [True, False])
def test_cholesky(lower: bool) -> None:
    text = f"""
func.func @main(%a: tensor<3x6x6xf64> {{bufferization.writable = true}}) -> tensor<3x6x6xf64> {{
  %0 = stablehlo.cholesky %a, lower = {str(lower).lower()} : tensor<3x6x6xf64>
  return %0 : tensor<3x6x6xf64>
}}
"""
    program = compiled(text)
    a = positive(3, 6, 6)
    expected = np.linalg.cholesky(a)
    triangle = np.tril if lower else np.triu
    result = program.main(a)
    assert result is a
    np.testing.assert_allclose(triangle(result), expected if lower else np.swapaxes(expected, -1, -2), rtol=1e-9)
    assert program.memory_stats.allocations == program.memory_stats.copies == 0


@pytest.mark.each_value
@pytest.mark.parametrize(("left", "lower", "unit", "transposed"), list(itertools.product([True, False], repeat=4)))
def test_triangular_solve(left: bool, lower: bool, unit: bool, transposed: bool) -> None:
    size, shape = 5, (2, 5, 3) if left else (2, 3, 5)
    b_type = f"tensor<{'x'.join(map(str, shape))}xf64>"
    flags = {"left_side": left, "lower": lower, "unit_diagonal": unit}
    words = ", ".join(f"{name} = {str(flag).lower()}" for name, flag in flags.items())
    transposition = "TRANSPOSE" if transposed else "NO_TRANSPOSE"
    text = f"""
func.func @main(%a: tensor<2x5x5xf64>, %b: {b_type}) -> {b_type} {{
  %0 = "stablehlo.triangular_solve"(%a, %b) <{{{words}, transpose_a = #stablehlo<transpose {transposition}>}}>
      : (tensor<2x5x5xf64>, {b_type}) -> {b_type}
  return %0 : {b_type}
}}
"""
    call = call_text(
        "lapack_dtrsm_ffi",
        ["tensor<2x5x5xf64>", b_type],
        [b_type],
        side="LR"[not left],
        uplo="LU"[not lower],
        diag="NU"[unit],
        trans_x="NT"[transposed],
    )
    a, b = random_matrix(2, size, size) + 4 * np.eye(size), random_matrix(*shape)
    triangle = (np.tril if lower else np.triu)(a)
    if unit:
        triangle[:, range(size), range(size)] = 1
    matrix = np.swapaxes(triangle, -1, -2) if transposed else triangle
    for program in (compiled(text), compiled(call)):
        x = program.main(a, b)
        np.testing.assert_allclose(matrix @ x if left else x @ matrix, b, rtol=1e-9, atol=1e-12)


def test_cholesky_tells_which_row_is_not_positive() -> None:
    types = ["tensor<2x4x4xf32>", "tensor<2xi32>"]
    program = compiled(call_text("lapack_spotrf_ffi", types[:1], types, uplo="U"))
    a = positive(2, 4, 4).astype(np.float32)
    good = np.linalg.cholesky(a)
    a[1, 2, 2] = -1
    factor, info = program.main(a)
    np.testing.assert_array_equal(info, [0, 3])
    np.testing.assert_allclose(np.triu(factor[0]), good[0].T, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(np.tril(factor[0], -1), np.tril(a[0], -1))


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (6, 4), (4, 6), (1, 1)])
def test_lu(rows: int, columns: int) -> None:
    least = min(rows, columns)
    types = [f"tensor<2x{rows}x{columns}xf64>", f"tensor<2x{least}xi32>", "tensor<2xi32>"]
    a = random_matrix(2, rows, columns)
    factors, pivots, info = compiled(call_text("lapack_dgetrf_ffi", types[:1], types)).main(a)
    np.testing.assert_array_equal(info, [0, 0])
    for number in range(2):
        lower = np.tril(factors[number, :, :least], -1) + np.eye(rows, least)
        assert np.abs(lower).max() <= 1  # pivoted
        permuted = a[number].copy()
        for row, pivot in enumerate(pivots[number]):
            permuted[[row, pivot - 1]] = permuted[[pivot - 1, row]]
        np.testing.assert_allclose(lower @ np.triu(factors[number])[:least], permuted, rtol=1e-9, atol=1e-12)


def test_lu_of_a_singular_matrix() -> None:
    types = ["tensor<3x3xf64>", "tensor<3xi32>", "tensor<i32>"]
    a = np.array([[1.0, 2, 3], [2, 4, 7], [3, 6, 1]])
    factors, _, info = compiled(call_text("lapack_dgetrf_ffi", types[:1], types)).main(a)
    assert info == 2
    assert factors[1, 1] == 0


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (6, 4), (4, 6)])
def test_qr(rows: int, columns: int) -> None:
    least = min(rows, columns)
    types = [f"tensor<2x{rows}x{columns}xf64>", f"tensor<2x{least}xf64>"]
    a = random_matrix(2, rows, columns)
    a[1, 1:, 0] = 0  # nothing to reflect in this column
    factors, taus = compiled(call_text("lapack_dgeqrf_ffi", types[:1], types)).main(a)
    assert taus[1, 0] == 0
    wide = [f"tensor<2x{rows}x{rows}xf64>", types[1]]
    vectors = np.zeros((2, rows, rows))
    vectors[:, :, :least] = factors[:, :, :least]
    q = compiled(call_text("lapack_dorgqr_ffi", wide, wide[:1])).main(vectors, taus)
    np.testing.assert_allclose(q @ np.swapaxes(q, -1, -2), np.broadcast_to(np.eye(rows), q.shape), atol=1e-12)
    np.testing.assert_allclose(q @ np.triu(factors), a, atol=1e-12)
    np.testing.assert_allclose(np.triu(factors)[0, :least], np.linalg.qr(a)[1][0], atol=1e-12)  # LAPACK's signs
