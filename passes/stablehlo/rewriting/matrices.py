"""Factorizations and solves of matrices as loops on tensors, which the loops carry and update in place.

Each function builds the loops for one matrix of a batch, a `Matrix` that says where its elements are, and returns the
tensors that it was given as they are afterwards. The algorithms are the unblocked ones of LAPACK.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, math, tensor

from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import Number, as_value, index_constant
from .loops import loop

__all__ = ["Matrix", "cholesky", "householder_factors", "householder_product", "lu", "solve_triangular"]

Values = Sequence[ir.Value]
_OGT = arith.CmpFPredicate.OGT


@frozen
class Matrix:
    """Where the elements of a matrix are in a tensor: behind the indices of the batch, transposed or not."""

    batch: Sequence[ir.Value]
    is_transposed: bool = False

    def place(self, row: Number, column: Number) -> list[ir.Value]:
        """Return the indices of an element."""
        pair = (column, row) if self.is_transposed else (row, column)
        return [*self.batch, *map(as_value, pair)]

    def get(self, values: ir.Value, row: Number, column: Number) -> ir.Value:
        """Build the load of an element."""
        return tensor.extract(values, self.place(row, column))

    def set(self, number: ir.Value, values: ir.Value, row: Number, column: Number) -> ir.Value:
        """Build the store of an element."""
        return tensor.insert(number, values, self.place(row, column))


def _next(index: ir.Value) -> ir.Value:
    return arith.addi(index, index_constant(1))


def _difference(start: ir.Value, first: Number, end: Number, term: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """Build `start` minus the sum of `term(k)` for `k` from `first` to below `end`."""
    return loop(first, end, [start], lambda k, carried: [arith.subf(carried[0], term(k))])[0]


def cholesky(at: Matrix, size: int, a: ir.Value, info: ir.Value) -> Values:
    """Build the lower factor in place of the lower triangle; `info` is 1 + the first row that is not positive, else 0.

    On a transposed matrix that is the upper factor.
    """

    def row(j: ir.Value, carried: list[ir.Value]) -> Values:
        a, info = carried
        pivot = _difference(at.get(a, j, j), 0, j, lambda k: arith.mulf(at.get(a, j, k), at.get(a, j, k)))
        zero = arith.constant(pivot.type, 0.0)
        is_good = arith.cmpf(_OGT, pivot, zero)
        number = arith.index_cast(info.type, _next(j))
        has_failed = arith.cmpi(arith.CmpIPredicate.ne, info, arith.constant(info.type, 0))
        info = arith.select(arith.ori(is_good, has_failed), info, number)
        root = math.sqrt(pivot)

        def column(i: ir.Value, inner: list[ir.Value]) -> Values:
            (a,) = inner
            rest = _difference(at.get(a, i, j), 0, j, lambda k: arith.mulf(at.get(a, i, k), at.get(a, j, k)))
            return [at.set(arith.divf(rest, root), a, i, j)]

        return [*loop(_next(j), size, [at.set(root, a, j, j)], column), info]

    return loop(0, size, [a, info], row)


def solve_triangular(
    a_at: Matrix, b_at: Matrix, shape: tuple[int, int], a: ir.Value, b: ir.Value, *, is_lower: bool, has_unit: bool
) -> ir.Value:
    """Build the solution of `a x = b` in place of `b`, of `shape`; `a` has ones on its diagonal if `has_unit`."""
    size, columns = shape

    def row(step: ir.Value, carried: list[ir.Value]) -> Values:
        i = step if is_lower else arith.subi(index_constant(size - 1), step)
        solved = (0, i) if is_lower else (_next(i), size)

        def subtract(k: ir.Value, inner: list[ir.Value]) -> Values:
            factor = a_at.get(a, i, k)

            def column(c: ir.Value, values: list[ir.Value]) -> Values:
                (b,) = values
                rest = arith.subf(b_at.get(b, i, c), arith.mulf(factor, b_at.get(b, k, c)))
                return [b_at.set(rest, b, i, c)]

            return loop(0, columns, inner, column)

        rest = loop(*solved, carried, subtract)
        if has_unit:
            return rest
        pivot = a_at.get(a, i, i)
        return loop(0, columns, rest, lambda c, bs: [b_at.set(arith.divf(b_at.get(bs[0], i, c), pivot), bs[0], i, c)])

    return loop(0, size, [b], row)[0]


def _largest(at: Matrix, rows: int, j: ir.Value, a: ir.Value) -> ir.Value:
    """Build the search for the first row from `j` on with the element of largest magnitude in column `j`."""

    def visit(i: ir.Value, carried: list[ir.Value]) -> Values:
        best, place = carried
        size = math.absf(at.get(a, i, j))
        is_larger = arith.cmpf(_OGT, size, best)
        return [arith.select(is_larger, size, best), arith.select(is_larger, i, place)]

    return loop(_next(j), rows, [math.absf(at.get(a, j, j)), j], visit)[1]


def _swap_rows(at: Matrix, columns: int, pair: tuple[ir.Value, ir.Value], a: ir.Value) -> ir.Value:
    first, second = pair

    def column(c: ir.Value, carried: list[ir.Value]) -> Values:
        (a,) = carried
        upper, lower = at.get(a, first, c), at.get(a, second, c)
        return [at.set(upper, at.set(lower, a, first, c), second, c)]

    return loop(0, columns, [a], column)[0]


def lu(at: Matrix, shape: tuple[int, int], a: ir.Value, pivots: ir.Value, info: ir.Value) -> Values:
    """Build the factors with partial pivoting in place of `a`; the rows it swaps, counted from 1, become `pivots`.

    `info` is 1 + the first column without a pivot, else 0.
    """
    rows, columns = shape

    def step(j: ir.Value, carried: list[ir.Value]) -> Values:
        a, pivots, info = carried
        chosen = _largest(at, rows, j, a)
        number = arith.index_cast(ir.RankedTensorType(pivots.type).element_type, _next(chosen))
        pivots = tensor.insert(number, pivots, [*at.batch, j])
        a = _swap_rows(at, columns, (j, chosen), a)
        pivot = at.get(a, j, j)
        is_zero = arith.cmpf(arith.CmpFPredicate.OEQ, pivot, arith.constant(pivot.type, 0.0))
        is_first = arith.cmpi(arith.CmpIPredicate.eq, info, arith.constant(info.type, 0))
        info = arith.select(arith.andi(is_zero, is_first), arith.index_cast(info.type, _next(j)), info)

        def row(i: ir.Value, inner: list[ir.Value]) -> Values:
            (a,) = inner
            old = at.get(a, i, j)
            factor = arith.select(is_zero, old, arith.divf(old, pivot))
            a = at.set(factor, a, i, j)

            def column(c: ir.Value, values: list[ir.Value]) -> Values:
                (a,) = values
                rest = arith.subf(at.get(a, i, c), arith.mulf(factor, at.get(a, j, c)))
                return [at.set(rest, a, i, c)]

            return loop(_next(j), columns, [a], column)

        return [*loop(_next(j), rows, [a], row), pivots, info]

    return loop(0, min(rows, columns), [a, pivots, info], step)


def _reflect(at: Matrix, shape: tuple[int, int], j: ir.Value, tau: ir.Value, a: ir.Value) -> ir.Value:
    """Build the reflection of the columns behind `j` by the vector below the diagonal of column `j`, 1 on it."""
    rows, columns = shape

    def column(c: ir.Value, carried: list[ir.Value]) -> Values:
        (a,) = carried
        product = loop(
            _next(j),
            rows,
            [at.get(a, j, c)],
            lambda i, sums: [arith.addf(sums[0], arith.mulf(at.get(a, i, j), at.get(a, i, c)))],
        )
        scaled = arith.mulf(tau, product[0])
        a = at.set(arith.subf(at.get(a, j, c), scaled), a, j, c)

        def row(i: ir.Value, inner: list[ir.Value]) -> Values:
            (a,) = inner
            rest = arith.subf(at.get(a, i, c), arith.mulf(scaled, at.get(a, i, j)))
            return [at.set(rest, a, i, c)]

        return loop(_next(j), rows, [a], row)

    return loop(_next(j), columns, [a], column)[0]


def _scale_below(at: Matrix, rows: int, j: ir.Value, factor: ir.Value, a: ir.Value) -> ir.Value:
    return loop(
        _next(j), rows, [a], lambda i, carried: [at.set(arith.mulf(factor, at.get(carried[0], i, j)), carried[0], i, j)]
    )[0]


def householder_factors(at: Matrix, shape: tuple[int, int], a: ir.Value, taus: ir.Value) -> Values:
    """Build R in place of the upper triangle, and the vectors of the reflections below it, with their `taus`."""
    rows, columns = shape

    def step(j: ir.Value, carried: list[ir.Value]) -> Values:
        a, taus = carried
        alpha = at.get(a, j, j)
        zero, one = arith.constant(alpha.type, 0.0), arith.constant(alpha.type, 1.0)
        below = loop(
            _next(j),
            rows,
            [zero],
            lambda i, sums: [arith.addf(sums[0], arith.mulf(at.get(a, i, j), at.get(a, i, j)))],
        )[0]
        norm = math.sqrt(arith.addf(arith.mulf(alpha, alpha), below))
        beta = arith.negf(math.copysign(norm, alpha))
        is_done = arith.cmpf(arith.CmpFPredicate.OEQ, below, zero)
        tau = arith.select(is_done, zero, arith.divf(arith.subf(beta, alpha), beta))
        factor = arith.select(is_done, one, arith.divf(one, arith.subf(alpha, beta)))
        a = at.set(arith.select(is_done, alpha, beta), _scale_below(at, rows, j, factor, a), j, j)
        return [_reflect(at, shape, j, tau, a), tensor.insert(tau, taus, [*at.batch, j])]

    return loop(0, min(rows, columns), [a, taus], step)


def householder_product(at: Matrix, shape: tuple[int, int], count: int, a: ir.Value, taus: ir.Value) -> ir.Value:
    """Build the first columns of the product of `count` reflections, in place of their vectors."""
    rows, columns = shape
    element = ir.RankedTensorType(a.type).element_type
    zero, one = arith.constant(element, 0.0), arith.constant(element, 1.0)

    def unit_column(c: ir.Value, carried: list[ir.Value]) -> Values:
        cleared = loop(0, rows, carried, lambda i, values: [at.set(zero, values[0], i, c)])
        return [at.set(one, cleared[0], c, c)]

    def step(number: ir.Value, carried: list[ir.Value]) -> Values:
        j = arith.subi(index_constant(count - 1), number)
        tau = tensor.extract(taus, [*at.batch, j])
        a = _reflect(at, shape, j, tau, carried[0])
        a = _scale_below(at, rows, j, arith.negf(tau), a)
        a = at.set(arith.subf(one, tau), a, j, j)
        return loop(0, j, [a], lambda i, values: [at.set(zero, values[0], i, j)])

    return loop(0, count, loop(count, columns, [a], unit_column), step)[0]
