"""Checks, before the grid, that the caller's memory has the sizes that the program declares.

The program computes the sizes of a binding, mostly from push constants; the caller owns its memory. If they disagree,
the kernel would access memory out of bounds. The checks are ordinary arithmetic on the arguments. The number
of the first check that fails, counted from 1, is returned with the size or the bytes that were needed; 0 means that the
kernel has run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from mlir import ir
from mlir.dialects import arith, func, memref, scf

from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import as_value
from ...analysis.dispatch.host_types import byte_size, natural_alignment
from ...analysis.dispatch.interface import Declaration, DispatchFunction
from ...framework.contract import BYTES, LEAST, SIZE_CHECKS
from ...framework.errors import PassFailure
from .grid import Grid

__all__ = [
    "SizeCheck",
    "checked_values",
    "collect_size_checks",
    "guard",
    "require_known",
]


@frozen
class SizeCheck:
    """The check that a dimension of a binding is `sizes[0]`, or that the view of `declaration` fits.

    `binding` is an index into `DispatchFunction.bindings`; `dimension` is `BYTES` for a view, whose dynamic sizes are
    `sizes`.
    """

    binding: int
    dimension: int
    sizes: Sequence[ir.Value]
    declaration: Declaration


def collect_size_checks(dispatch: DispatchFunction) -> tuple[SizeCheck, ...]:
    """Return the checks, in the order of the bindings; equal ones once."""
    found: dict[tuple[object, ...], SizeCheck] = {}
    for place, binding in enumerate(dispatch.bindings):
        for declaration in binding.declarations:
            for check in _checks(place, declaration, whole=binding.whole):
                key = (declaration.op.results[0],) if check.dimension == BYTES else ()
                found.setdefault((place, check.dimension, *check.sizes, *key), check)
    return tuple(found.values())


def _checks(place: int, declaration: Declaration, *, whole: bool) -> Iterator[SizeCheck]:
    if not whole:
        for sizes in declaration.stated or ((),):
            yield SizeCheck(place, BYTES, sizes, declaration)
        return
    dynamic = [d for d, size in enumerate(declaration.type.shape) if ir.ShapedType.is_dynamic_size(size)]
    for sizes in declaration.stated:
        for dimension, size in zip(dynamic, sizes, strict=True):
            yield SizeCheck(place, dimension, (size,), declaration)


def checked_values(check: SizeCheck) -> list[ir.Value]:
    """Return the values that the check needs."""
    offset = check.declaration.offset
    return [*check.sizes, *([offset] if isinstance(offset, ir.Value) and check.dimension == BYTES else [])]


def require_known(dispatch: DispatchFunction, checks: Sequence[SizeCheck], known: Collection[ir.Value]) -> None:
    """Raise `PassFailure` for a check that cannot be made before the grid, where values in `known` are available."""
    for check in checks:
        if not all(value in known for value in checked_values(check)):
            slot = dispatch.bindings[check.binding].slot
            raise PassFailure(
                f"the sizes of {slot} are not known ahead of the workgroups, so that the caller's memory cannot be "
                "checked against them; compute them from push constants, without divisions by what may be zero",
                check.declaration.op,
            )


def guard(
    function: func.FuncOp,
    grid: Grid,
    checks: Sequence[SizeCheck],
    bindings: Sequence[ir.Value],
    least: Sequence[tuple[ir.Value, int]],
) -> list[ir.Value]:
    """Let the grid run only if all checks hold; return what the function returns now.

    `bindings` are the arguments of the bindings; `least` the arguments of the grid, with their lower bounds.
    """
    with ir.InsertionPoint(grid.outer), function.location:
        index = ir.IndexType.get()
        failed = needed = zero = arith.constant(index, 0)
        pairs = [*_minimums(least), *_sizes(checks, bindings)]
        # In reverse, so that the first failure is the one that is returned.
        for number, (holds, wanted) in reversed(list(enumerate(pairs, 1))):
            failed = arith.select(holds, failed, arith.constant(index, number))
            needed = arith.select(holds, needed, wanted)
        if_op = scf.IfOp(arith.cmpi(arith.CmpIPredicate.eq, failed, zero))
        with ir.InsertionPoint(if_op.then_block):
            end = scf.YieldOp([])
        grid.outer.move_before(end.operation)
    last = [op.operation for op in function.entry_block.operations][-1]
    with ir.InsertionPoint(last), last.location:
        func.ReturnOp([failed, needed])
    last.erase()
    numbers = [ir.BlockArgument(value).arg_number for value in bindings]
    described = [
        *((ir.BlockArgument(value).arg_number, LEAST) for value, _ in least),
        *((numbers[check.binding], check.dimension) for check in checks),
    ]
    function.attributes[SIZE_CHECKS] = ir.ArrayAttr.get([ir.DenseI64ArrayAttr.get(pair) for pair in described])
    return [failed, needed]


def _minimums(least: Sequence[tuple[ir.Value, int]]) -> Iterator[tuple[ir.Value, ir.Value]]:
    for value, number in least:
        bound = arith.constant(value.type, number)
        yield arith.cmpi(arith.CmpIPredicate.sge, value, bound), bound


def _sizes(checks: Sequence[SizeCheck], bindings: Sequence[ir.Value]) -> Iterator[tuple[ir.Value, ir.Value]]:
    """Yield for each check whether it holds, and what is needed."""
    index = ir.IndexType.get()
    cache: dict[tuple[int, int], ir.Value] = {}
    for check in checks:
        key = (check.binding, max(check.dimension, 0))
        if key not in cache:
            cache[key] = memref.dim(bindings[check.binding], arith.constant(index, key[1]))
        if check.dimension == BYTES:
            yield _fits(check, cache[key])
        else:
            yield arith.cmpi(arith.CmpIPredicate.eq, cache[key], check.sizes[0]), check.sizes[0]


def _fits(check: SizeCheck, size: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Build whether a view lies within `size` bytes, aligned for its elements, and where it ends.

    The bytes after the offset are divided by one size after another: no product can overflow.
    """
    type_, index = check.declaration.type, size.type
    zero, one = arith.constant(index, 0), arith.constant(index, 1)
    at_least, equal = arith.CmpIPredicate.sge, arith.CmpIPredicate.eq
    offset = as_value(check.declaration.offset)
    element = arith.constant(index, byte_size(type_.element_type))
    rest, end, empty = arith.subi(size, offset), element, arith.constant(ir.IntegerType.get_signless(1), 0)
    holds = arith.andi(arith.cmpi(at_least, offset, zero), arith.cmpi(at_least, rest, zero))
    if (alignment := natural_alignment(type_.element_type)) > 1:
        over = arith.remsi(offset, arith.constant(index, alignment))
        holds = arith.andi(holds, arith.cmpi(equal, over, zero))
    for extent in _extents(type_, check.sizes):
        holds = arith.andi(holds, arith.cmpi(at_least, extent, zero))
        empty = arith.ori(empty, arith.cmpi(equal, extent, zero))
        rest = arith.divsi(rest, arith.maxsi(extent, one))
        end = arith.muli(end, extent)
    fits = arith.ori(empty, arith.cmpi(at_least, rest, element))
    return arith.andi(holds, fits), arith.addi(offset, end)


def _extents(type_: ir.MemRefType, sizes: Sequence[ir.Value]) -> Iterator[ir.Value]:
    """Yield all sizes of a view as values."""
    dynamic = iter(sizes)
    for size in type_.shape:
        yield next(dynamic) if ir.ShapedType.is_dynamic_size(size) else arith.constant(ir.IndexType.get(), size)
