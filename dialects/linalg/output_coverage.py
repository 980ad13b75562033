"""Whether a structured op writes every element of an init: from the output map and the sizes of the loops.

The results of a map fall into groups that have no loop in common, so what is written is the product of what each group
writes. A result that is one loop of its own covers its dimension, whatever the size: it IS the size of that loop. A
constant covers a dimension of one element. A sum of multiples of loops is decided by its coefficients, anything else by
going through all its points if they are few. Loops that write nothing of their own must run at least once, since an op
without iterations writes nothing at all.

Cost: linear in the sizes of the maps, and at most ``_MOST_POINTS`` evaluations for maps that are no sums.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

from mlir import ir

__all__ = ["loops_in", "why_uncovered"]

_MOST_POINTS = 4096
_DYNAMIC = ir.ShapedType.get_dynamic_size()

_Sizes = Sequence[int | None]
_BINARY: Mapping[type[ir.AffineExpr], Callable[[int, int], int]] = {
    ir.AffineAddExpr: lambda a, b: a + b,
    ir.AffineMulExpr: lambda a, b: a * b,
    ir.AffineModExpr: lambda a, b: a % b,
    ir.AffineFloorDivExpr: lambda a, b: a // b,
    ir.AffineCeilDivExpr: lambda a, b: -(-a // b),
}


def why_uncovered(op: ir.Operation, indexing_maps: ir.ArrayAttr, operand: int) -> str | None:
    """Return why ``op`` may leave elements of init ``operand`` as they were, or None if it writes all of them.

    The reason is a phrase that follows "because".
    """
    type_ = op.operands[operand].type
    shape = list(ir.ShapedType(type_).shape)
    if 0 in shape:
        return None
    maps = [ir.AffineMapAttr(attribute).value for attribute in indexing_maps]
    output = maps[operand]
    if output.is_permutation:
        return None
    sizes, results = _loop_sizes(op, maps), list(output.results)
    for group in _groups(results):
        reason = _why_group_uncovered([results[i] for i in group], [shape[i] for i in group], sizes, group)
        if reason is not None:
            return reason
    own = {result.position for result in results if isinstance(result, ir.AffineDimExpr)}
    for loop, size in enumerate(sizes):
        if loop in own or (size is not None and size > 0):
            continue
        if size is None:
            return f"loop d{loop}, which is none of the output's, may have no iteration: its size is dynamic"
        return f"loop d{loop}, which is none of the output's, has no iteration"
    return None


def _loop_sizes(op: ir.Operation, maps: Sequence[ir.AffineMap]) -> _Sizes:
    """Return the static sizes of the loops, each from the first operand that walks it."""
    sizes: dict[int, int | None] = {}
    for value, map_ in zip(op.operands, maps, strict=True):
        type_ = value.type
        if not isinstance(type_, ir.RankedTensorType | ir.MemRefType):
            continue
        for position, result in enumerate(map_.results):
            if isinstance(result, ir.AffineDimExpr) and result.position not in sizes:
                size = type_.shape[position]
                sizes[result.position] = None if size == _DYNAMIC else size
    return [sizes.get(loop) for loop in range(maps[0].n_dims)]


def _groups(results: Sequence[ir.AffineExpr]) -> list[list[int]]:
    """Return the numbers of ``results``, those that share loops together."""
    groups: list[tuple[set[int], list[int]]] = []
    for number, result in enumerate(results):
        loops, members = loops_in(result), [number]
        apart: list[tuple[set[int], list[int]]] = []
        for others, numbers in groups:
            if others.isdisjoint(loops):
                apart.append((others, numbers))
            else:
                loops, members = loops | others, numbers + members
        groups = [*apart, (loops, members)]
    return [sorted(members) for _, members in groups]


def loops_in(expression: ir.AffineExpr) -> set[int]:
    """Return the dimensions that occur in ``expression``."""
    found: set[int] = set()
    work = [expression]
    while work:
        part = work.pop()
        if isinstance(part, ir.AffineDimExpr):
            found.add(part.position)
        elif isinstance(part, ir.AffineBinaryExpr):
            work += [part.lhs, part.rhs]
    return found


def _why_group_uncovered(
    results: Sequence[ir.AffineExpr], shape: Sequence[int], sizes: _Sizes, numbers: Sequence[int]
) -> str | None:
    """Return why the points of ``results`` may not be all of a tensor of ``shape``; None if they are."""
    if len(results) == 1 and isinstance(results[0], ir.AffineDimExpr):
        return None
    where = f"dimension {numbers[0]}" if len(numbers) == 1 else f"dimensions {', '.join(map(str, numbers))}"
    partly = f"the output map reaches only some elements along {where}"
    loops = sorted(set[int]().union(*map(loops_in, results)))
    extents = [sizes[loop] for loop in loops]
    known = [extent for extent in extents if extent is not None]
    if _DYNAMIC in shape or len(known) < len(extents):
        return f"which elements the output map reaches along {where} depends on dynamic sizes"
    total = math.prod(shape)
    if math.prod(known) < total:
        return partly
    if len(results) == 1:
        terms = _terms(results[0])
        if terms is not None:
            return None if _sum_covers(terms, dict(zip(loops, known, strict=True)), shape[0]) else partly
    if math.prod(known) > _MOST_POINTS:
        return f"the output map has too many points along {where} to look at each of them"
    points = (dict(zip(loops, point, strict=True)) for point in itertools.product(*map(range, known)))
    reached = {tuple(_evaluate(result, point) for result in results) for point in points}
    inside = sum(all(0 <= i < size for i, size in zip(place, shape, strict=True)) for place in reached)
    return None if inside == total else partly


def _terms(expression: ir.AffineExpr) -> dict[int, int] | None:
    """Return the coefficients of a sum of multiples of loops, the constant under -1; None for anything else."""
    if isinstance(expression, ir.AffineConstantExpr):
        return {-1: expression.value}
    if isinstance(expression, ir.AffineDimExpr):
        return {expression.position: 1}
    if isinstance(expression, ir.AffineAddExpr):
        left, right = _terms(expression.lhs), _terms(expression.rhs)
        if left is None or right is None:
            return None
        return {loop: left.get(loop, 0) + right.get(loop, 0) for loop in left | right}
    if isinstance(expression, ir.AffineMulExpr) and isinstance(expression.rhs, ir.AffineConstantExpr):
        terms, factor = _terms(expression.lhs), expression.rhs.value
        return None if terms is None else {loop: factor * value for loop, value in terms.items()}
    return None


def _sum_covers(terms: Mapping[int, int], sizes: Mapping[int, int], extent: int) -> bool:
    """Whether a sum takes every value from 0 to ``extent`` - 1; exact for sums that stay in bounds.

    A loop with a negative coefficient is run backwards. In the order of their coefficients, the loops so far reach
    all values up to some ``reach``; a next coefficient of more than one beyond that leaves a gap for good.
    """
    least = terms.get(-1, 0) + sum(c * (sizes[loop] - 1) for loop, c in terms.items() if loop >= 0 and c < 0)
    if least > 0:
        return False
    reach = least
    for coefficient, size in sorted((abs(c), sizes[loop]) for loop, c in terms.items() if loop >= 0 and c):
        if coefficient > reach - least + 1 and size > 1:
            break
        reach += coefficient * (size - 1)
    return reach >= extent - 1


def _evaluate(expression: ir.AffineExpr, point: Mapping[int, int]) -> int:
    if isinstance(expression, ir.AffineDimExpr):
        return point[expression.position]
    if isinstance(expression, ir.AffineConstantExpr):
        return expression.value
    assert isinstance(expression, ir.AffineBinaryExpr)
    left, right = _evaluate(expression.lhs, point), _evaluate(expression.rhs, point)
    return _BINARY[type(expression)](left, right)
