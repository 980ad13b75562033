"""Operators that make tensors: constants, shapes, ranges, masks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mlir import ir

from ....dialects.support.index_math import Number, as_value
from .graph import Node, dtype_of, lowers, tensor_constant
from .scalars import INDEX, TypedScalar, choose, constant, greatest
from .structured import (
    computed,
    elementwise,
    extract,
    fill,
    index,
    product,
    reshape,
)
from .values import UnsupportedOnnxError, Value

I64 = np.dtype(np.int64)


@lowers("Constant")
def _constant(node: Node) -> Value:
    for name, value in node.attributes.items():
        if name == "value":
            return node.graph.stored(value)
        kind = {"value_float": np.float32, "value_floats": np.float32, "value_int": np.int64, "value_ints": np.int64}
        if name in kind:
            array = np.array(value, kind[name])
            return Value(array.dtype, constant=array)
    raise UnsupportedOnnxError(
        f"{node} holds {', '.join(node.attributes) or 'nothing'}; a dense tensor of numbers is needed"
    )


@lowers("ConstantOfShape")
def _constant_of_shape(node: Node) -> Value:
    given = node.attribute("value")
    number = np.zeros(1, np.float32) if given is None else tensor_constant(given).constant
    assert number is not None
    sizes = node.input().elements
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) == len(sizes) and math.prod(known) <= 4096:
        return Value(number.dtype, constant=np.full(known, number.reshape(-1)[0]))
    return fill(sizes, number.dtype, number.reshape(-1)[0])


@lowers("Shape")
def _shape(node: Node) -> Value:
    sizes = node.input().sizes[slice(node.attribute("start", 0), node.attribute("end"))]
    return _numbers(sizes)


def _numbers(sizes: list[Number]) -> Value:
    elements = np.array([*sizes, None], object)[:-1]
    if any(isinstance(size, ir.Value) for size in sizes):
        return Value(I64, elements=elements)
    return Value(I64, constant=elements.astype(I64))


@lowers("Size")
def _size(node: Node) -> Value:
    total = product(node.input().sizes)
    return reshape(_numbers([total]), [])


@lowers("Range")
def _range(node: Node) -> Value:
    start, limit, delta = (extract(reshape(value, []), []) for value in node.tensors)
    if start.kind == "f":
        count = ((limit - start) / delta).math("ceil").to(I64).to(INDEX)
    else:
        wide = [e.to(I64) for e in (start, limit, delta)]
        down = choose(wide[2] < 0, constant(1, I64), -1)
        count = ((wide[1] - wide[0] + wide[2] + down) / wide[2]).to(INDEX)
    size = greatest(count, 0).value
    known = [value.constant for value in node.tensors]
    sizes: list[Number] = [size]
    if all(array is not None for array in known):
        sizes = [len(np.arange(*[array.reshape(-1)[0] for array in known if array is not None]))]
    return computed(sizes, start.dtype, lambda at: start + at[0].to(I64).to(start.dtype) * delta)


@lowers("EyeLike")
def _eye_like(node: Node) -> Value:
    x = node.input()
    dtype = dtype_of(node.attribute("dtype")) if "dtype" in node.attributes else x.dtype
    shift = node.attribute("k", 0)
    return computed(
        x.sizes, dtype, lambda at: choose((at[0] + shift).equals(at[1]), constant(1, dtype), constant(0, dtype))
    )


@lowers("Trilu")
def _triangle(node: Node) -> Value:
    x = node.input()
    shift = TypedScalar(as_value(node.input(1).elements[0]), INDEX) if node.has(1) else constant(0, INDEX)
    upper = node.attribute("upper", 1)

    def body(e: TypedScalar) -> TypedScalar:
        row, column = index(x.rank - 2), index(x.rank - 1)
        inside = column - row >= shift if upper else column - row <= shift
        return choose(inside, e, 0)

    return elementwise(x.dtype, [x], body) if 1 not in x.shape[:-2] else _unbroadcast(x, body)


def _unbroadcast(x: Value, body: Any) -> Value:
    from .structured import loops, map_elements

    return map_elements(x.sizes, x.dtype, [(x, loops(x.rank))], body)


@lowers("OneHot")
def _one_hot(node: Node) -> Value:
    indices, depth, values = node.tensors
    axis = node.axis(indices.rank + 1, -1)
    size = reshape(depth, []).elements[0] if depth.dtype.kind in "iu" else None
    if size is None:
        size = int(depth.require_constant(f"'depth' of {node}").reshape(-1)[0])
    sizes = [*indices.sizes[:axis], size, *indices.sizes[axis:]]
    count = TypedScalar(as_value(size), INDEX)

    def element(at: list[TypedScalar]) -> TypedScalar:
        found = extract(indices, [*at[:axis], *at[axis + 1 :]]).to(INDEX)
        found = choose(found < 0, found + count, found)
        return choose(found.equals(at[axis]), extract(values, [1]), extract(values, [0]))

    return computed(sizes, values.dtype, element)
