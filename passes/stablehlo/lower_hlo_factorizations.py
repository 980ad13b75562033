"""Lower factorizations and triangular solves of matrices to loops.

In: `stablehlo.cholesky`, `stablehlo.triangular_solve`, and the calls of LAPACK that JAX makes for these, for LU and for
QR: `lapack_spotrf_ffi`, `_strsm_`, `_sgetrf_`, `_sgeqrf_`, `_sorgqr_`, in f32 and f64. Out: the unblocked algorithms of
LAPACK as `scf.for` loops, in place, for one matrix of a batch after the other. Left alone: other calls, such as those
of eigenvalues, and complex numbers.

```mlir
func.func @f(%a: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}
```

computes:

```text
for j = 0 to 4:
  a[j, j] = sqrt(a[j, j] - sum of a[j, k]^2 for k < j)
  for i = j + 1 to 4:
    a[i, j] = (a[i, j] - sum of a[i, k] * a[j, k] for k < j) / a[j, j]
```

The triangle that has no part in an operation stays as it is, as in LAPACK. The work is that of LAPACK, without its
blocking for caches.

Upstream counterpart: none in the bindings; `stablehlo-legalize-to-linalg` leaves these ops as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.attributes import call_options, enum_value
from .rewriting.loops import loop_nest
from .rewriting.matrices import Matrix, cholesky, householder_factors, householder_product, lu, solve_triangular

Values = Sequence[ir.Value]
ForMatrix = Callable[[list[ir.Value], list[ir.Value]], Values]
_LETTERS = {letter: ord(letter) for letter in "LURNTC"}
"""What LAPACK's flags are, as numbers: lower, upper, right, not transposed, transposed, conjugated."""


def _shape(value: ir.Value) -> tuple[int, int]:
    rows, columns = ir.RankedTensorType(value.type).shape[-2:]
    return rows, columns


def _for_each_matrix(value: ir.Value, carried: Values, build: ForMatrix) -> Values:
    """Build loops over the batch of matrices that `value` is."""
    return loop_nest(list(ir.RankedTensorType(value.type).shape[:-2]), carried, build)


def _empty(result: ir.Value) -> ir.Value:
    return ir.Operation.create("tensor.empty", [result.type]).result


def _with_info(batch: Values, infos: ir.Value, build: Callable[[ir.Value], Values]) -> Values:
    """Build what computes an `info`, 0 at first, as its last value, and store it."""
    *others, info = build(arith.constant(ir.RankedTensorType(infos.type).element_type, 0))
    return [*others, tensor.insert(info, infos, list(batch))]


def _cholesky(op: ir.Operation) -> Values:
    lower = "lower" not in op.attributes or ir.BoolAttr(op.attributes["lower"]).value
    (a,) = op.operands
    no_info = arith.constant(ir.IntegerType.get_signless(32), 0)

    def build(batch: list[ir.Value], carried: list[ir.Value]) -> Values:
        return cholesky(Matrix(batch, is_transposed=not lower), _shape(a)[0], carried[0], no_info)[:1]

    return _for_each_matrix(a, [a], build)


def _potrf(op: ir.Operation) -> Values:
    (a,) = op.operands
    is_upper = call_options(op)["uplo"] == _LETTERS["U"]

    def build(batch: list[ir.Value], carried: list[ir.Value]) -> Values:
        a, infos = carried
        at = Matrix(batch, is_transposed=is_upper)
        return _with_info(batch, infos, lambda info: cholesky(at, _shape(a)[0], a, info))

    return _for_each_matrix(a, [a, _empty(op.results[1])], build)


def _solve(op: ir.Operation, *, is_left: bool, is_lower: bool, is_transposed: bool, has_unit: bool) -> Values:
    """Build the solution for `op(a) x = b` or, if not `is_left`, for `x op(a) = b`, which is its transposition."""
    a, b = op.operands
    rows, columns = _shape(b)
    flips = is_transposed == is_left

    def build(batch: list[ir.Value], carried: list[ir.Value]) -> Values:
        return [
            solve_triangular(
                Matrix(batch, is_transposed=flips),
                Matrix(batch, is_transposed=not is_left),
                (rows, columns) if is_left else (columns, rows),
                a,
                carried[0],
                is_lower=is_lower != flips,
                has_unit=has_unit,
            )
        ]

    return _for_each_matrix(b, [b], build)


def _triangular_solve(op: ir.Operation) -> Values:
    flags = (ir.BoolAttr(op.attributes[name]).value for name in ("left_side", "lower", "unit_diagonal"))
    is_left, is_lower, has_unit = flags
    is_transposed = enum_value(op, "transpose_a") in ("TRANSPOSE", "ADJOINT")
    return _solve(op, is_left=is_left, is_lower=is_lower, is_transposed=is_transposed, has_unit=has_unit)


def _trsm(op: ir.Operation) -> Values:
    flags = call_options(op)
    return _solve(
        op,
        is_left=flags["side"] == _LETTERS["L"],
        is_lower=flags["uplo"] == _LETTERS["L"],
        is_transposed=flags["trans_x"] != _LETTERS["N"],
        has_unit=flags["diag"] == _LETTERS["U"],
    )


def _getrf(op: ir.Operation) -> Values:
    (a,) = op.operands

    def build(batch: list[ir.Value], carried: list[ir.Value]) -> Values:
        a, pivots, infos = carried
        return _with_info(batch, infos, lambda info: lu(Matrix(batch), _shape(a), a, pivots, info))

    return _for_each_matrix(a, [a, *map(_empty, list(op.results)[1:])], build)


def _geqrf(op: ir.Operation) -> Values:
    (a,) = op.operands
    return _for_each_matrix(
        a,
        [a, _empty(op.results[1])],
        lambda batch, carried: householder_factors(Matrix(batch), _shape(a), carried[0], carried[1]),
    )


def _orgqr(op: ir.Operation) -> Values:
    a, taus = op.operands
    count = ir.RankedTensorType(taus.type).shape[-1]
    return _for_each_matrix(
        a, [a], lambda batch, carried: [householder_product(Matrix(batch), _shape(a), count, carried[0], taus)]
    )


_RULES: dict[str, Callable[[ir.Operation], Values]] = {
    "stablehlo.cholesky": _cholesky,
    "stablehlo.triangular_solve": _triangular_solve,
    **{
        f"lapack_{letter}{name}_ffi": rule
        for letter in "sd"
        for name, rule in (
            ("potrf", _potrf), ("trsm", _trsm), ("getrf", _getrf), ("geqrf", _geqrf), ("orgqr", _orgqr)
        )
    },
}  # fmt: skip
"""For each op or function that a `stablehlo.custom_call` calls, what builds its results."""


def _rule(op: ir.Operation) -> Callable[[ir.Operation], Values] | None:
    if op.name == "stablehlo.custom_call":
        return _RULES.get(ir.StringAttr(op.attributes["call_target_name"]).value)
    return _RULES.get(op.name)


def analyze_factorizations(root: ir.Operation) -> list[ir.Operation]:
    """Return the ops under `root` that this pass lowers: those on real matrices of known sizes. Changes nothing."""

    def fits(op: ir.Operation) -> bool:
        if not op.name.startswith("stablehlo.") or _rule(op) is None:
            return False
        types = [ir.RankedTensorType(operand.type) for operand in op.operands]
        return all(type_.has_static_shape and isinstance(type_.element_type, ir.FloatType) for type_ in types)

    return find_ops(root, where=fits)


class LowerHloFactorizationsPass(Pass[PassOptions]):
    """Lower factorizations and triangular solves to loops."""

    argument = "inplace-lower-hlo-factorizations"
    summary = "lower Cholesky, LU and QR factorizations and triangular solves of StableHLO and JAX to loops"
    statistics = (Statistic("lowered-factorizations", "ops that became loops"),)

    def run(self, op: ir.Operation) -> None:
        found = analyze_factorizations(op)
        for factorization in found:
            rule = _rule(factorization)
            with ir.InsertionPoint(factorization), factorization.location:
                news = rule(factorization) if rule else []
            for result, new in zip(factorization.results, news, strict=True):
                result.replace_all_uses_with(new)
            factorization.erase()
        self.count("lowered-factorizations", len(found))
