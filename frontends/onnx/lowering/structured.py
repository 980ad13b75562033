"""Structured ops and slices, as the lowering of ONNX writes them. All of it goes to the current insertion point."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

from mlir import ir
from mlir.dialects import arith, cf, linalg, scf, tensor

from ....dialects.structured import fill as fill_tensor
from ....dialects.support.index_math import Number, add, as_value, multiply
from .scalars import INDEX, DType, TypedScalar, constant, element_type
from .values import UnsupportedOnnxError, Value, same_size, tensor_type

__all__ = [
    "accumulate",
    "broadcast_sizes",
    "cast_tensor",
    "cast_to",
    "computed",
    "elementwise",
    "else_of",
    "empty",
    "expand",
    "extract",
    "fill",
    "for_loop",
    "index",
    "insert_slice",
    "loops",
    "map_elements",
    "pad",
    "reshape",
    "slice_of",
    "static",
    "transpose",
]

Expr = ir.AffineExpr
Body = Callable[..., TypedScalar]
Operand = tuple[Value, Sequence[Expr]]
"""A tensor, and the element that iteration d0, d1, … of an op reads."""


def loops(count: int) -> list[Expr]:
    """The dimensions d0, d1, … of an op."""
    return [ir.AffineDimExpr.get(d) for d in range(count)]


def static(sizes: Sequence[Number]) -> list[int | None]:
    """The sizes, None where dynamic."""
    return [None if isinstance(size, ir.Value) else size for size in sizes]


def empty(sizes: Sequence[Number], dtype: DType) -> ir.Value:
    """A `tensor.empty`."""
    return tensor.empty(list(sizes), element_type(dtype))


def fill(sizes: Sequence[Number], dtype: DType, number: Any) -> Value:
    """A tensor that holds a number, or a scalar, everywhere."""
    scalar = number if isinstance(number, TypedScalar) else constant(number, dtype)
    return Value(dtype, fill_tensor(scalar.value, empty(sizes, dtype)))


def generic(
    operands: Sequence[Operand],
    init: ir.Value,
    results: Sequence[Expr],
    iterators: Sequence[str],
    body: Callable[[list[ir.Value]], ir.Value],
) -> ir.Value:
    """A `linalg.generic` with one result; the body gets the elements of the operands and of the init."""
    maps = [ir.AffineMap.get(len(iterators), 0, list(exprs)) for exprs in (*(e for _, e in operands), results)]
    kinds = [ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in iterators]
    values = [value.ssa for value, _ in operands]
    op = linalg.GenericOp(
        [init.type], values, [init], ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]), ir.ArrayAttr.get(kinds)
    )
    types = [ir.RankedTensorType(value.type).element_type for value in (*values, init)]
    block = op.regions[0].blocks.append(*types, arg_locs=[op.location] * len(types))
    with ir.InsertionPoint(block):
        linalg.YieldOp([body(list(block.arguments))])
    return op.results[0]


def map_elements(sizes: Sequence[Number], dtype: DType, operands: Sequence[Operand], body: Body) -> Value:
    """The tensor whose elements the body computes from those of the operands, all independent of each other.

    A constant of one element gets into the body.
    """
    passed = [operand for operand in operands if _single(operand[0]) is None]

    def scalars(arguments: list[ir.Value]) -> ir.Value:
        given = iter(arguments)
        found: list[TypedScalar] = []
        for value, _ in operands:
            single = _single(value)
            found.append(TypedScalar(next(given), value.dtype) if single is None else constant(single, value.dtype))
        return body(*found).value

    rank = len(sizes)
    return Value(dtype, generic(passed, empty(sizes, dtype), loops(rank), ["parallel"] * rank, scalars))


def _single(value: Value) -> Any:
    if value.constant is None or value.constant.size != 1:
        return None
    return value.constant.reshape(-1)[0]


def computed(sizes: Sequence[Number], dtype: DType, body: Callable[[list[TypedScalar]], TypedScalar]) -> Value:
    """The tensor whose elements the body computes from their indices."""
    return map_elements(sizes, dtype, [], lambda: body([index(d) for d in range(len(sizes))]))


def index(dimension: int) -> TypedScalar:
    """The current index of a dimension, in the body of a structured op."""
    return TypedScalar(linalg.IndexOp(dimension).result, INDEX)


def extract(value: ir.Value | Value, indices: Sequence[TypedScalar | int], dtype: DType | None = None) -> TypedScalar:
    """One element of a tensor."""
    source = value.ssa if isinstance(value, Value) else value
    kind = value.dtype if isinstance(value, Value) else dtype
    assert kind is not None
    places = [as_value(i) if isinstance(i, int) else i.to(INDEX).value for i in indices]
    return TypedScalar(tensor.extract(source, places), kind)


def accumulate(
    loop_count: int,
    reduced: Sequence[int],
    operands: Sequence[Operand],
    init: Value,
    body: Callable[..., TypedScalar],
) -> Value:
    """A reduction into `init` over some of the loops; the body gets what was accumulated, then the elements."""
    iterators = ["reduction" if d in set(reduced) else "parallel" for d in range(loop_count)]
    kept = [d for d in loops(loop_count) if ir.AffineDimExpr(d).position not in set(reduced)]

    def scalars(arguments: list[ir.Value]) -> ir.Value:
        *given, total = arguments
        elements = [TypedScalar(a, value.dtype) for a, (value, _) in zip(given, operands, strict=True)]
        return body(TypedScalar(total, init.dtype), *elements).value

    return Value(init.dtype, generic(operands, init.ssa, kept, iterators, scalars))


def broadcast_sizes(values: Sequence[Value]) -> list[Number]:
    """The sizes of what several tensors are broadcast to, as NumPy does.

    Two sizes that are known at run time only must be equal, which is asserted unless it is seen.
    """
    rank = max((value.rank for value in values), default=0)
    sizes: list[Number] = [1] * rank
    for value in values:
        for d, size in enumerate(value.shape):
            at = rank - value.rank + d
            known = sizes[at]
            if size is None and isinstance(known, int) and known == 1:
                sizes[at] = value.sizes[d]
            elif size is None:
                _require_same(known, value.sizes[d])
            elif size != 1:
                if isinstance(known, ir.Value):
                    _require_same(known, size)
                elif known not in (1, size):
                    raise UnsupportedOnnxError(f"sizes {known} and {size} of dimension {at} cannot be broadcast")
                sizes[at] = size
    return sizes


def _require_same(left: Number, right: Number) -> None:
    if not same_size(left, right):
        same = arith.cmpi(arith.CmpIPredicate.eq, as_value(left), as_value(right))
        cf.assert_(same, "sizes differ, and one that is known at run time only is not broadcast")


def aligned(value: Value, rank: int, sizes: Sequence[Number] | None = None) -> Operand:
    """A tensor as an operand that is broadcast over the loops, of these sizes: dimensions of size 1 are dropped."""
    offset = rank - value.rank
    if sizes is not None and list(value.shape) == static(sizes) and None not in value.shape:
        return value, loops(rank)
    kept = [d for d, size in enumerate(value.shape) if size != 1]
    if len(kept) < value.rank and (value.constant is None or value.constant.size != 1):
        value = reshape(value, [value.sizes[d] for d in kept])
    return value, [loops(rank)[offset + d] for d in kept]


def elementwise(dtype: DType, values: Sequence[Value], body: Body) -> Value:
    """The body on the elements of tensors that are broadcast."""
    sizes = broadcast_sizes(values)
    return map_elements(sizes, dtype, [aligned(value, len(sizes), sizes) for value in values], body)


def cast_to(value: Value, dtype: DType) -> Value:
    """The elements converted as in C."""
    if value.dtype == dtype:
        return value
    return elementwise(dtype, [value], lambda x: x.to(dtype))


def reshape(value: Value, sizes: Sequence[Number]) -> Value:
    """The same elements in row-major order with other sizes."""
    if value.constant is not None:
        return Value(value.dtype, constant=value.constant.reshape(static(sizes)))
    target = static(sizes)
    if list(value.shape) == target and None not in target:
        return value
    known = value.known_elements
    if known is not None and None not in target:
        return Value(value.dtype, elements=known.reshape(target))
    groups = _groups(list(value.shape), target)
    source, type_ = value.ssa, tensor_type(target, value.dtype)
    if groups is not None:
        reassociation, collapses = groups
        if collapses:
            return Value(value.dtype, tensor.CollapseShapeOp(type_, source, reassociation).result)
        dynamic = [size for size in sizes if isinstance(size, ir.Value)]
        static_sizes = [ir.ShapedType.get_dynamic_size() if size is None else size for size in target]
        return Value(value.dtype, tensor.ExpandShapeOp(type_, source, reassociation, dynamic, static_sizes).result)
    if 0 in target:
        return Value(value.dtype, empty(sizes, value.dtype))
    if None not in target and None not in value.shape and (value.rank > 1 or len(target) > 1):
        flat = Value(value.dtype, source)
        if value.rank > 1:
            flat = reshape(flat, [math.prod(size for size in target if size is not None)])
        return reshape(flat, sizes)
    shape = tensor.from_elements(
        ir.RankedTensorType.get([len(sizes)], ir.IndexType.get()), [as_value(size) for size in sizes]
    )
    return Value(value.dtype, tensor.ReshapeOp(type_, source, shape).result)


def _groups(source: list[int | None], target: list[int | None]) -> tuple[list[list[int]], bool] | None:
    """The reassociation of one `tensor.collapse_shape` (True) or `expand_shape`, if one makes `target`."""
    collapses = len(source) > len(target)
    many, few = (source, target) if collapses else (target, source)
    if len(many) == len(few) or 0 in many:
        return None
    if not few:  # Also between a scalar and no dimensions.
        return ([], collapses) if all(size == 1 for size in many) else None
    groups: list[list[int]] = []
    at = 0
    for wanted in few:
        group: list[int] = []
        product: int | None = 1
        while at < len(many) and (not group or product != wanted):
            size = many[at]
            if size is None and group and product != 1:
                return None
            product = None if size is None or product is None else product * size
            group.append(at)
            at += 1
            if product is None and wanted is not None:
                return None
        if product != wanted or not group:
            return None
        groups.append(group)
    for rest in range(at, len(many)):
        if many[rest] != 1:
            return None
        groups[-1].append(rest)
    return groups, collapses


def transpose(value: Value, permutation: Sequence[int]) -> Value:
    """A tensor whose dimension d is dimension `permutation[d]` of the value."""
    if list(permutation) == list(range(value.rank)):
        return value
    sizes = [value.sizes[p] for p in permutation]
    # The wrapper is typed for operations; it takes values.
    op: Any = linalg.transpose(
        cast(Any, value.ssa), outs=cast(Any, [empty(sizes, value.dtype)]), permutation=list(permutation)
    )
    return Value(value.dtype, op.results[0] if hasattr(op, "results") else op)


def expand(value: Value, sizes: Sequence[Number]) -> Value:
    """The tensor broadcast to sizes of at least its rank."""
    if list(value.shape) == static(sizes) and None not in value.shape:
        return value
    return map_elements(sizes, value.dtype, [aligned(value, len(sizes))], lambda x: x)


def _split(numbers: Sequence[Number]) -> tuple[list[ir.Value], list[int]]:
    dynamic = ir.ShapedType.get_dynamic_size()
    values = [number for number in numbers if isinstance(number, ir.Value)]
    return values, [dynamic if isinstance(number, ir.Value) else number for number in numbers]


def slice_of(
    value: Value, offsets: Sequence[Number], sizes: Sequence[Number], strides: Sequence[Number] | None = None
) -> Value:
    """A `tensor.extract_slice`."""
    steps = [1] * len(sizes) if strides is None else strides
    (o, so), (s, ss), (t, st) = _split(offsets), _split(sizes), _split(steps)
    type_ = tensor_type(static(sizes), value.dtype)
    return Value(value.dtype, tensor.ExtractSliceOp(type_, value.ssa, o, s, t, so, ss, st).result)


def insert_slice(source: Value, into: Value, offsets: Sequence[Number], strides: Sequence[int] | None = None) -> Value:
    """A `tensor.insert_slice`."""
    steps = [1] * into.rank if strides is None else list(strides)
    (o, so), (s, ss) = _split(offsets), _split(source.sizes)
    return Value(into.dtype, tensor.InsertSliceOp(source.ssa, into.ssa, o, s, [], so, ss, steps).result)


def pad(value: Value, low: Sequence[Number], high: Sequence[Number], number: Any) -> Value:
    """A `tensor.pad` with a number or scalar."""
    if all(isinstance(p, int) and p == 0 for p in (*low, *high)):
        return value
    scalar = number if isinstance(number, TypedScalar) else constant(number, value.dtype)
    sizes = [add(add(size, lo), hi) for size, lo, hi in zip(value.sizes, low, high, strict=True)]
    (lows, static_low), (highs, static_high) = _split(low), _split(high)
    type_ = tensor_type(static(sizes), value.dtype)
    op = tensor.PadOp(type_, value.ssa, lows, highs, static_low, static_high)
    block = op.regions[0].blocks.append(*[ir.IndexType.get()] * value.rank, arg_locs=[op.location] * value.rank)
    with ir.InsertionPoint(block):
        tensor.YieldOp(scalar.value)
    return Value(value.dtype, op.result)


def cast_tensor(value: Value, shape: Sequence[int | None]) -> Value:
    """A `tensor.cast` to sizes of which others are known."""
    if list(value.shape) == list(shape):
        return value
    return Value(value.dtype, tensor.cast(tensor_type(shape, value.dtype), value.ssa))


def for_loop(
    count: Number, inits: Sequence[Value], body: Callable[[TypedScalar, list[Value]], Sequence[Value]]
) -> list[Value]:
    """A `scf.for` from 0 to `count`, whose body gets the index and the carried tensors, and returns the next ones."""
    op = scf.ForOp(as_value(0), as_value(count), as_value(1), [init.ssa for init in inits])
    with ir.InsertionPoint(op.body):
        carried = [Value(init.dtype, a) for init, a in zip(inits, op.inner_iter_args, strict=True)]
        results = body(TypedScalar(op.induction_variable, INDEX), carried)
        scf.YieldOp([result.ssa for result in results])
    return [Value(init.dtype, result) for init, result in zip(inits, op.results, strict=True)]


def else_of(op: scf.IfOp) -> ir.Block:
    """The block of an `scf.if` for a condition that does not hold."""
    block = op.else_block
    assert block is not None
    return block


def product(sizes: Sequence[Number]) -> Number:
    """The product of sizes."""
    total: Number = 1
    for size in sizes:
        total = multiply(total, size)
    return total
