"""Factorizations that JAX has only as calls of LAPACK: their results have the properties that define them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fast_run import chosen

jax = pytest.importorskip("jax", minversion="0.9")

import mlir_inplace as mi  # noqa: E402

MATRIX = np.random.default_rng(0).normal(size=(6, 6)).astype(np.float32)
SYMMETRIC = MATRIX + MATRIX.T


@pytest.mark.parametrize(
    "matrix",
    [
        np.diag(np.float32([3, 3, -1])),
        pytest.param(SYMMETRIC, marks=pytest.mark.full),
        pytest.param(np.ones((4, 4), np.float32), marks=pytest.mark.full),
    ],
)
def test_eigenvectors_diagonalize_a_symmetric_matrix(matrix: Any) -> None:
    values, vectors = mi.jit(jax.numpy.linalg.eigh, optimize=False)(matrix)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix), atol=2e-5)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(matrix)), atol=1e-5)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=2e-5)


@pytest.mark.parametrize("lower", chosen([True, False], False))
def test_only_one_triangle_is_read(lower: bool) -> None:
    given = (np.tril if lower else np.triu)(SYMMETRIC)
    found = mi.jit(lambda a: jax.lax.linalg.eigh(a, lower=lower, symmetrize_input=False)[1], optimize=False)(given)
    np.testing.assert_allclose(found, np.linalg.eigvalsh(SYMMETRIC), atol=2e-5)


@pytest.mark.parametrize("shape", [(6, 6), (6, 4), (4, 6)])
def test_qr_is_lapacks(shape: tuple[int, int]) -> None:
    matrix = MATRIX[: shape[0], : shape[1]].copy()
    q, r = mi.jit(jax.numpy.linalg.qr, optimize=False)(matrix)
    expected_q, expected_r = np.linalg.qr(matrix)
    np.testing.assert_allclose(q, expected_q, atol=1e-5)
    np.testing.assert_allclose(r, expected_r, atol=1e-5)


@pytest.mark.full
@pytest.mark.parametrize("shape", [(6, 6), (6, 4), (4, 6)])
def test_singular_values_and_vectors(shape: tuple[int, int]) -> None:
    matrix = MATRIX[: shape[0], : shape[1]].copy()
    u, values, v = mi.jit(lambda a: jax.numpy.linalg.svd(a, full_matrices=False))(matrix)
    np.testing.assert_allclose(values, np.linalg.svd(matrix, compute_uv=False), atol=1e-5)
    np.testing.assert_allclose((u * values) @ v, matrix, atol=1e-5)
    np.testing.assert_allclose(u.T @ u, np.eye(min(shape)), atol=1e-5)


def test_complex_matrices_are_refused() -> None:
    with pytest.raises(mi.PassError, match="cannot be lowered: eigenvalues of complex matrices have no lowering"):
        mi.jit(jax.numpy.linalg.eigvalsh)(SYMMETRIC.astype(np.complex64))
