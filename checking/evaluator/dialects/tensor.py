"""Tensors element by element: empty, splat, from_elements, generate, extract, insert, dim, rank, gather, scatter."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder, Registers
from ..decoding.handlers import Handler
from ..decoding.steps import on_registers, on_values, plain
from ..values.attributes import Mixed, integers, mixed
from ..values.elements import Element
from ..values.errors import EvaluationError
from ..values.signature import Function
from ..values.slices import replaced
from ..values.undefined import Undefined, defined, empty, split, tidy

__all__ = ["OPS", "checked_index", "dimension", "filled", "from_elements", "rank", "result_shape", "stack_scalars"]


def result_shape(op: ir.Operation, first: int = 0) -> Mixed:
    """The sizes of the result, its dynamic ones from operand `first` on."""
    return mixed(ir.ShapedType(op.results[0].type).shape, first)


def checked_index(indices: Sequence[Any], shape: Sequence[int]) -> tuple[int, ...]:
    """The indices of an element, which must be within `shape`."""
    index = tuple([value.__index__() for value in indices])
    for position, size in zip(index, shape, strict=True):
        if not 0 <= position < size:
            raise EvaluationError(f"index {list(index)} is out of bounds: the sizes are {list(shape)}")
    return index


@on_values
def _empty(decoder: Decoder, op: ir.Operation) -> Function:
    shape, dtype = result_shape(op), decoder.element(op.results[0].type).dtype
    return lambda *sizes: empty(shape(sizes), dtype)


def stack_scalars(values: Sequence[Any], shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
    """An array of scalars, some of which may be undefined."""
    if any(isinstance(value, Undefined) for value in values):
        parts = [split(value) for value in values]
        data = np.array([data for data, _ in parts]).astype(dtype)
        return tidy(data.reshape(shape), np.array([mask for _, mask in parts]).reshape(shape))
    return np.array(values, dtype).reshape(shape)


def filled(shape: Sequence[int], value: Any, element: Element) -> Any:
    """An array of equal elements."""
    if isinstance(value, Undefined):
        return empty(shape, element.dtype)
    return np.full(tuple(shape), value, element.dtype)


@on_values
def from_elements(decoder: Decoder, op: ir.Operation) -> Function:
    """tensor.from_elements and vector.from_elements."""
    shape, dtype = ir.ShapedType(op.results[0].type).shape, decoder.element(op.results[0].type).dtype
    return lambda *values: stack_scalars(values, shape, dtype)


@on_values
def _splat(decoder: Decoder, op: ir.Operation) -> Function:
    shape, element = result_shape(op), decoder.element(op.results[0].type)
    return lambda value, *sizes: filled(shape(sizes), value, element)


@on_registers
def _generate(decoder: Decoder, op: ir.Operation) -> Function:
    shape, dtype = result_shape(op), decoder.element(op.results[0].type).dtype
    code = decoder.region(op.regions[0])

    def generate(registers: Registers, *operands: Any) -> list[Any]:
        sizes = shape(operands)
        if any(size < 0 for size in sizes):
            raise EvaluationError(f"a size is negative: {list(sizes)}")
        values = [code.call(registers, point)[0] for point in itertools.product(*map(range, sizes))]
        return [stack_scalars(values, sizes, dtype)]

    return generate


@on_values
def _extract(decoder: Decoder, op: ir.Operation) -> Function:
    scalar = decoder.element(op.results[0].type).scalar
    return lambda array, *indices: scalar(array[checked_index(indices, array.shape)])


def _insert(source: Any, target: Any, *indices: Any) -> Any:
    return replaced(target, checked_index(indices, target.shape), source)


def dimension(source: Any, index: Any) -> int:
    """tensor.dim and memref.dim."""
    shape, number = source.shape, index.__index__()
    if not 0 <= number < len(shape):
        raise EvaluationError(f"there is no dimension {number}: the rank is {len(shape)}")
    return shape[number]


def rank(source: Any) -> int:
    """tensor.rank and memref.rank."""
    return len(source.shape)


def _indices(coordinates: Any, dimensions: Sequence[int], shape: Sequence[int]) -> tuple[list[Any], list[int]]:
    """For each gathered dimension, an array of positions; and the dimensions that are taken whole."""
    coordinates = defined(coordinates)
    positions = [coordinates[..., i].astype(np.int64) for i in range(coordinates.shape[-1])]
    for dimension_, position in zip(dimensions, positions, strict=True):
        if np.any((position < 0) | (position >= shape[dimension_])):
            raise EvaluationError(f"a coordinate is out of bounds: dimension {dimension_} has size {shape[dimension_]}")
    return positions, [i for i in range(len(shape)) if i not in dimensions]


@on_values
def _gather(_decoder: Decoder, op: ir.Operation) -> Function:
    dimensions, rank_ = integers(op, "gather_dims"), ir.ShapedType(op.results[0].type).rank

    def gather(array: Any, coordinates: Any) -> Any:
        positions, whole = _indices(coordinates, dimensions, array.shape)
        found = array.transpose((*dimensions, *whole))[tuple(positions)]
        batch = positions[0].shape if positions else ()
        sizes = [array.shape[i] for i in whole]
        if rank_ != len(batch) + len(whole):
            sizes = [1 if i in dimensions else size for i, size in enumerate(array.shape)]
        return found.reshape((*batch, *sizes))

    return gather


@on_values
def _scatter(_decoder: Decoder, op: ir.Operation) -> Function:
    dimensions = integers(op, "scatter_dims")

    def scatter(source: Any, array: Any, coordinates: Any) -> Any:
        positions, whole = _indices(coordinates, dimensions, array.shape)
        order = (*dimensions, *whole)
        batch = positions[0].shape if positions else ()
        shape = (*batch, *(array.shape[i] for i in whole))
        changed = replaced(array.transpose(order), tuple(positions), source.reshape(shape))
        return changed.transpose(np.argsort(order))

    return scatter


OPS: dict[str, Handler] = {
    "tensor.empty": _empty,
    "tensor.from_elements": from_elements,
    "tensor.splat": _splat,
    "tensor.generate": _generate,
    "tensor.extract": _extract,
    "tensor.insert": plain(_insert),
    "tensor.dim": plain(dimension),
    "tensor.rank": plain(rank),
    "tensor.gather": _gather,
    "tensor.scatter": _scatter,
}
