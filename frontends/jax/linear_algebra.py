"""Eigenvalues of symmetric matrices, for which JAX has only calls of libraries, as loops of JAX.

The common lowering of the primitive is registered, which platforms without one of their own use; singular values come
from it by JAX's own lowering. Jacobi's rotations find small eigenvalues as accurately as the matrix has them. The sign
of an eigenvector is arbitrary, here as in LAPACK.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .framework import jax_extension, jax_module

_MOST_SWEEPS = 40
"""Rotations converge quadratically; ten sweeps are many."""


@functools.cache
def register_factorizations() -> None:
    """Let JAX lower the primitive for platforms that have no rule for it."""
    mlir = jax_module("interpreters.mlir")
    eigh = jax_extension("core.primitives", "eigh_p")
    mlir.register_lowering(eigh, mlir.lower_fun(_eigh, multiple_results=True))


def _eigh(matrices: Any, *, lower: bool, sort_eigenvalues: bool = True, subset_by_index: Any = None, **_: Any) -> Any:
    """The eigenvectors, as columns, and the eigenvalues of each matrix, of which one triangle is read."""
    if np.issubdtype(matrices.dtype, np.complexfloating):
        raise NotImplementedError("eigenvalues of complex matrices have no lowering")
    jnp = jax_module().numpy

    def factorize(matrix: Any) -> Any:
        half = jnp.tril(matrix, -1) if lower else jnp.triu(matrix, 1).T
        vectors, values = _diagonalized(half + half.T + jnp.diag(jnp.diag(matrix)))
        order = jnp.argsort(values) if sort_eigenvalues else jnp.arange(values.size)
        order = order if subset_by_index is None else order[slice(*subset_by_index)]
        return vectors[order].T, values[order]

    for _dimension in range(matrices.ndim - 2):
        factorize = jax_module().vmap(factorize)
    return factorize(matrices)


def _diagonalized(matrix: Any) -> Any:
    """The eigenvectors of a symmetric matrix, as rows, and its eigenvalues."""
    jnp, lax = jax_module().numpy, jax_module().lax
    size, epsilon = matrix.shape[-1], np.finfo(matrix.dtype).eps
    first, second = (jnp.asarray(numbers, np.int32) for numbers in np.triu_indices(size, 1))

    def rotate(number: Any, state: Any) -> Any:
        matrix, vectors = state
        p, q = first[number], second[number]
        turn = _rotation(matrix[p, p], matrix[q, q], matrix[p, q])
        matrix = _turned(_turned(matrix, p, q, *turn).T, p, q, *turn)
        return matrix, _turned(vectors, p, q, *turn)

    def is_off(loop: Any) -> Any:
        count, (matrix, _) = loop
        squares = matrix * matrix
        off = jnp.sum(jnp.triu(squares, 1))
        return (count < _MOST_SWEEPS) & (off > (0.1 * epsilon) ** 2 * jnp.sum(squares))

    def sweep(loop: Any) -> Any:
        count, state = loop
        return count + 1, lax.fori_loop(0, first.size, rotate, state)

    state = (matrix, jnp.eye(size, dtype=matrix.dtype))
    if size > 1:
        _, state = lax.while_loop(is_off, sweep, (0, state))
    return state[1], jnp.diag(state[0])


def _rotation(first: Any, second: Any, mixed: Any) -> tuple[Any, Any]:
    """Cosine and sine of the rotation that makes the matrix of these diagonal elements diagonal."""
    jnp = jax_module().numpy
    slope = (second - first) / (2 * jnp.where(mixed == 0, 1, mixed))
    tangent = jnp.where(slope < 0, -1, 1) / (jnp.abs(slope) + jnp.sqrt(1 + slope * slope))
    tangent = jnp.where(mixed == 0, 0, tangent)
    cosine = 1 / jnp.sqrt(1 + tangent * tangent)
    return cosine, tangent * cosine


def _turned(rows: Any, first: Any, second: Any, cosine: Any, sine: Any) -> Any:
    """A matrix with two rows rotated."""
    one, other = rows[first], rows[second]
    return rows.at[first].set(cosine * one - sine * other).at[second].set(sine * one + cosine * other)
