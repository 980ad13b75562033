"""Factorizations and solvers of ATen by the few of `native_ops.py`: Cholesky, LU, QR, and rotations of rows.

Singular matrices give infinities or NaN, as ATen's functions that end in `_ex` do: nothing is raised by a compiled
function. Signs of singular vectors and eigenvectors are arbitrary, here as in LAPACK. Matrices are real, and have
elements; others are left as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from ..support.framework import implicitly, torch_module
from .native_ops import native_op


@contextmanager
def unchecked() -> Generator[None]:
    """Trace without the checks that raise errors for singular matrices, which a graph would else have to keep."""
    effects = torch_module("torch._higher_order_ops.effects")
    handle = effects._register_effectful_op("aten::_linalg_check_errors", None)
    try:
        yield
    finally:
        handle.destroy()
        effects._register_effectful_op("aten::_linalg_check_errors", effects._EffectType.ORDERED)


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    rules = {
        aten._linalg_check_errors.default: lambda *_, **__: None,
        aten.linalg_cholesky_ex.default: _cholesky,
        aten.cholesky_solve.default: lambda b, factor, upper=False: _cholesky_solve(factor, b, upper=upper),
        aten.cholesky_inverse.default: _cholesky_inverse,
        aten.linalg_solve_triangular.default: _solve_triangular,
        aten.triangular_solve.default: _old_triangular_solve,
        aten.linalg_lu_factor_ex.default: _lu_factor,
        aten.linalg_lu.default: _lu,
        aten.lu_unpack.default: _lu_unpack,
        aten.linalg_lu_solve.default: _lu_solve,
        aten._linalg_solve_ex.default: _solve,
        aten.linalg_inv_ex.default: _inverse,
        aten._linalg_det.default: _determinant,
        aten._linalg_slogdet.default: _log_determinant,
        aten.geqrf.default: lambda a: _on_batch(native_op("qr"), a),
        aten.linalg_householder_product.default: _householder_product,
        aten.ormqr.default: _multiply_by_q,
        aten.linalg_qr.default: _qr,
        aten._linalg_svd.default: _svd,
        aten._linalg_eigh.default: _eigh,
        aten.linalg_pinv.atol_rtol_tensor: _pseudo_inverse,
    }
    newest = {"linalg_matrix_sqrth": _square_root, "linalg_polar": _polar}  # not in all versions of PyTorch
    rules |= {getattr(aten, name).default: rule for name, rule in newest.items() if hasattr(aten, name)}
    norms = (aten.linalg_norm.default, aten.linalg_norm.ord_str)
    composite = (*norms, aten.linalg_slogdet.default, aten.logdet.default)  # torch-mlir's LU swaps no rows.
    found = {overload: implicitly(overload) for overload in composite}
    return found | {overload: partial(_of_real_elements, rule) for overload, rule in rules.items()}


def _of_real_elements(rule: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What a rule makes of its arguments, if each tensor has elements, and known sizes."""
    tensors = [one for one in arguments if hasattr(one, "numel")]
    fits = all(type(size) is int for one in tensors for size in one.shape)
    fits = fits and (rule in (_determinant, _log_determinant) or all(one.numel() for one in tensors))
    return rule(*arguments, **named) if fits and not any(one.is_complex() for one in tensors) else NotImplemented


def _on_batch(op: Callable[..., Any], *matrices: Any) -> Any:
    """Apply an op to batches of matrices of one dimension, whatever dimensions they have."""
    batch = matrices[0].shape[:-2]
    rank = matrices[0].dim() - 2
    results = op(*[one.reshape((math.prod(batch), *one.shape[rank:])) for one in matrices])
    if isinstance(results, tuple):
        return tuple(one.reshape((*batch, *one.shape[1:])) for one in results)
    return results.reshape((*batch, *results.shape[1:]))


def _common_batch(a: Any, b: Any) -> tuple[Any, Any]:
    """Two matrices with the same dimensions before the last two."""
    batch = torch_module().broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return a.expand(*batch, *a.shape[-2:]), b.expand(*batch, *b.shape[-2:])


def _cholesky(a: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    del check_errors
    factor, info = _on_batch(native_op("cholesky"), a.mT if upper else a)
    factor = factor.tril()
    return factor.mT if upper else factor, info


def _cholesky_solve(factor: Any, b: Any, *, upper: bool) -> Any:
    factor, b = _common_batch(factor.mT if upper else factor, b)
    return _triangular(factor.mT, _triangular(factor, b, upper=False), upper=True)


def _cholesky_inverse(factor: Any, upper: bool = False) -> Any:
    return _cholesky_solve(factor, _unit(factor), upper=upper)


def _unit(a: Any) -> Any:
    unit = torch_module().eye(a.shape[-1], dtype=a.dtype, device=a.device)
    return unit.expand(*a.shape[:-2], *unit.shape)


def _triangular(a: Any, b: Any, *, upper: bool, unit: bool = False) -> Any:
    """The solution of `a x = b`, for matrices with the same batch."""
    if unit:
        torch = torch_module()
        a = torch.where(torch.eye(a.shape[-1], dtype=torch.bool, device=a.device), 1, a)
    return _on_batch(native_op("solve_upper" if upper else "solve_lower"), a, b)


def _solve_triangular(a: Any, b: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    a, b = _common_batch(a, b)
    if left:
        return _triangular(a, b, upper=upper, unit=unitriangular)
    return _triangular(a.mT, b.mT, upper=not upper, unit=unitriangular).mT


def _old_triangular_solve(b: Any, a: Any, upper: bool = True, transpose: bool = False, unit: bool = False) -> Any:
    a, b = _common_batch(a, b)
    solution = _triangular(a.mT if transpose else a, b, upper=upper != transpose, unit=unit)
    return solution, a.clone()


def _lu_factor(a: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    del check_errors
    return _on_batch(native_op("lu"), a) if pivot else NotImplemented


def _halves(lu: Any) -> tuple[Any, Any]:
    torch = torch_module()
    rows, columns = lu.shape[-2:]
    least = min(rows, columns)
    lower = lu[..., :least].tril(-1) + torch.eye(rows, least, dtype=lu.dtype, device=lu.device)
    return lower, lu[..., :least, :].triu()


def _permutation(pivots: Any, rows: int) -> Any:
    """For each row of the factors the row of the matrix that it comes from."""
    order = torch_module().arange(rows, device=pivots.device).expand(*pivots.shape[:-1], rows)
    count = math.prod(pivots.shape[:-1])
    flat = native_op("swap_rows")(order.reshape(count, rows), pivots.reshape(count, pivots.shape[-1]))
    return flat.reshape(order.shape)


def _permutation_matrix(pivots: Any, rows: int, dtype: Any) -> Any:
    torch = torch_module()
    places = torch.arange(rows, device=pivots.device)
    return (places.unsqueeze(-1) == _permutation(pivots, rows).unsqueeze(-2)).to(dtype)


def _lu(a: Any, *, pivot: bool = True) -> Any:
    if not pivot:
        return NotImplemented
    lu, pivots, _ = _lu_factor(a)
    return _permutation_matrix(pivots, a.shape[-2], a.dtype), *_halves(lu)


def _lu_unpack(lu: Any, pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    lower, upper = _halves(lu) if unpack_data else (lu.new_empty(0), lu.new_empty(0))
    order = _permutation_matrix(pivots, lu.shape[-2], lu.dtype) if unpack_pivots else lu.new_empty(0)
    return order, lower, upper


def _permuted(b: Any, pivots: Any, *, back: bool = False) -> Any:
    """The rows of `b` in the order of the factors, or back in that of the matrix."""
    if back:
        return _permutation_matrix(pivots, b.shape[-2], b.dtype) @ b
    order = _permutation(pivots, b.shape[-2])
    return b.gather(-2, order.unsqueeze(-1).expand(b.shape))


def _lu_solve(lu: Any, pivots: Any, b: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    if not left:
        return _lu_solve(lu, pivots, b.mT, adjoint=not adjoint).mT
    lu, b = _common_batch(lu, b)
    pivots = pivots.expand(*lu.shape[:-2], pivots.shape[-1])
    if adjoint:
        inner = _triangular(lu.mT, b, upper=False)
        return _permuted(_triangular(lu.mT, inner, upper=True, unit=True), pivots, back=True)
    return _triangular(lu, _triangular(lu, _permuted(b, pivots), upper=False, unit=True), upper=True)


def _solve(a: Any, b: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    del check_errors
    is_vector = b.dim() == 1 or (b.dim() == a.dim() - 1 and b.shape == a.shape[:-1])
    lu, pivots, info = _lu_factor(a)
    found = _lu_solve(lu, pivots, b.unsqueeze(-1) if is_vector else b, left=left or is_vector)
    return found.squeeze(-1) if is_vector else found, lu, pivots, info


def _inverse(a: Any, *, check_errors: bool = False) -> Any:
    del check_errors
    lu, pivots, info = _lu_factor(a)
    return _lu_solve(lu, pivots, _unit(a)), info


def _parity(pivots: Any, dtype: Any) -> Any:
    torch = torch_module()
    own = torch.arange(1, pivots.shape[-1] + 1, dtype=pivots.dtype, device=pivots.device)
    return 1 - 2 * ((pivots != own).sum(-1) % 2).to(dtype)


def _determinant(a: Any) -> Any:
    if not a.shape[-1]:
        return a.new_ones(a.shape[:-2]), a.clone(), a.new_empty(a.shape[:-1], dtype=torch_module().int32)
    lu, pivots, _ = _lu_factor(a)
    return lu.diagonal(0, lu.dim() - 2, lu.dim() - 1).prod(-1) * _parity(pivots, a.dtype), lu, pivots


def _log_determinant(a: Any) -> Any:
    if not a.shape[-1]:
        one, lu, pivots = _determinant(a)
        return one, torch_module().zeros_like(one), lu, pivots
    lu, pivots, _ = _lu_factor(a)
    diagonal = lu.diagonal(0, lu.dim() - 2, lu.dim() - 1)
    return diagonal.sign().prod(-1) * _parity(pivots, a.dtype), diagonal.abs().log().sum(-1), lu, pivots


def _householder_product(a: Any, factors: Any) -> Any:
    return _on_batch(native_op("householder"), a, factors)


def _whole(a: Any) -> Any:
    """A matrix with as many columns as rows, of zeros; what there are too many of is cut."""
    rows, columns = a.shape[-2:]
    if columns >= rows:
        return a[..., :rows]
    torch = torch_module()
    return torch.cat([a, a.new_zeros(*a.shape[:-1], rows - columns)], -1)


def _multiply_by_q(a: Any, factors: Any, b: Any, left: bool = True, transpose: bool = False) -> Any:
    q = _householder_product(_whole(a), factors)
    q = q.mT if transpose else q
    return q @ b if left else b @ q


def _qr(a: Any, mode: str = "reduced") -> Any:
    rows, columns = a.shape[-2:]
    factors, scales = _on_batch(native_op("qr"), a)
    if mode == "complete":
        return _householder_product(_whole(factors), scales), factors.triu()
    least = min(rows, columns)
    r = factors[..., :least, :].triu()
    return a.new_empty(0) if mode == "r" else _householder_product(factors[..., :least], scales), r


def _rotated(a: Any) -> tuple[Any, Any, Any]:
    """Of the columns of `a`: the norms, descending, after rotations make them orthogonal; these columns; rotations."""
    rows, rotations = _on_batch(native_op("orthogonalize"), a.mT)
    norms, order = (rows * rows).sum(-1).sqrt().sort(-1, descending=True)
    order = order.unsqueeze(-1)
    return norms, rows.gather(-2, order.expand(rows.shape)).mT, rotations.gather(-2, order.expand(rotations.shape)).mT


def _svd(a: Any, full_matrices: bool = False, compute_uv: bool = True, *, driver: str | None = None) -> Any:
    """In float64; from the QR factorization of the rotated columns, as norms may be zero."""
    del driver
    torch = torch_module()
    if a.shape[-2] < a.shape[-1]:
        u, values, vh = _svd(a.mT, full_matrices, compute_uv)
        return (vh.mT, values, u.mT) if compute_uv else (u, values, vh)
    values, columns, v = _rotated(a.to(torch.float64))
    if not compute_uv:
        return a.new_empty(0), values.to(a.dtype), a.new_empty(0)
    q, r = _qr(columns, "complete" if full_matrices else "reduced")
    signs = torch.where(r.diagonal(0, r.dim() - 2, r.dim() - 1) < 0, -1.0, 1.0).to(q.dtype)
    count = signs.shape[-1]
    q = torch.cat([q[..., :count] * signs.unsqueeze(-2), q[..., count:]], -1)
    return q.to(a.dtype), values.to(a.dtype), v.mT.to(a.dtype)


def _eigh(a: Any, uplo: str = "L", compute_v: bool = True) -> Any:
    """By the singular values of a matrix with a multiple of the unit added, which makes all eigenvalues positive."""
    torch = torch_module()
    exact = a.to(torch.float64)
    half = exact.tril(-1) if uplo.upper() == "L" else exact.triu(1).mT
    exact = half + half.mT + torch.diag_embed(exact.diagonal(0, exact.dim() - 2, exact.dim() - 1))
    bound = exact.abs().sum(-1).amax(-1, keepdim=True) if a.shape[-1] else exact.new_zeros(*a.shape[:-2], 1)
    values, _, vectors = _rotated(exact + bound.unsqueeze(-1) * _unit(exact))
    values = (values - bound).flip(-1).to(a.dtype)
    return values, vectors.flip(-1).to(a.dtype) if compute_v else a.new_empty(0)


def _pseudo_inverse(a: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    torch = torch_module()
    most = max(a.shape[-2:])
    if hermitian:
        numbers, u = _eigh(a)
        vh, values = u.mT, numbers.abs()
    else:
        u, values, vh = _svd(a)
        numbers = values
    absolute = values.new_zeros(()) if atol is None else atol
    if rtol is None:
        default = torch.finfo(a.dtype).eps * most
        relative = default if atol is None else torch.where(absolute > 0, 0.0, default)
    else:
        relative = rtol
    largest = values.amax(-1, keepdim=True)
    bound = torch.maximum(_column(absolute), _column(relative) * largest)
    inverse = torch.where(values > bound, 1 / numbers, 0)
    return (vh.mT * inverse.unsqueeze(-2)) @ u.mT


def _column(number: Any) -> Any:
    return number.unsqueeze(-1) if hasattr(number, "unsqueeze") else number


def _square_root(a: Any) -> Any:
    values, vectors = _eigh(a)
    return (vectors * values.clamp(min=0).sqrt().unsqueeze(-2)) @ vectors.mT


def _polar(a: Any) -> Any:
    u, values, vh = _svd(a)
    return u @ vh, (vh.mT * values.unsqueeze(-2)) @ vh
