"""Tensors element by element: empty, splat, from_elements, generate, extract, insert, dim, rank, gather, scatter."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step, integers, mixed
from .elements import Element
from .errors import EvaluationError
from .handlers import Handler
from .slices import replaced
from .undefined import Partial, Undefined, defined, empty, split, tidy

__all__ = ["OPS", "checked_index", "dimension", "filled", "rank", "stack_scalars"]

Shape = Callable[[Registers], Sequence[int]]


def result_shape(decoder: Decoder, op: ir.Operation, dynamic: Sequence[ir.Value]) -> Shape:
    """The sizes of the result, its dynamic ones from operands."""
    return mixed(decoder, ir.ShapedType(op.results[0].type).shape, dynamic)


def checked_index(registers: Registers, slots: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """The indices of an element, which must be within `shape`."""
    index = tuple([registers[slot].__index__() for slot in slots])
    for position, size in zip(index, shape, strict=True):
        if not 0 <= position < size:
            raise EvaluationError(f"index {list(index)} is out of bounds: the sizes are {list(shape)}")
    return index


def _empty(decoder: Decoder, op: ir.Operation) -> Step:
    shape, result = result_shape(decoder, op, list(op.operands)), decoder.slot(op.results[0])
    dtype = decoder.element(op.results[0].type).dtype

    def step(registers: Registers) -> None:
        registers[result] = empty(shape(registers), dtype)

    return step


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


def _from_elements(decoder: Decoder, op: ir.Operation) -> Step:
    slots, result = decoder.all(list(op.operands)), decoder.slot(op.results[0])
    shape, dtype = ir.ShapedType(op.results[0].type).shape, decoder.element(op.results[0].type).dtype

    def step(registers: Registers) -> None:
        registers[result] = stack_scalars([registers[slot] for slot in slots], shape, dtype)

    return step


def _splat(decoder: Decoder, op: ir.Operation) -> Step:
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])
    shape, element = result_shape(decoder, op, list(op.operands)[1:]), decoder.element(op.results[0].type)

    def step(registers: Registers) -> None:
        registers[result] = filled(shape(registers), registers[source], element)

    return step


def _generate(decoder: Decoder, op: ir.Operation) -> Step:
    shape, result = result_shape(decoder, op, list(op.operands)), decoder.slot(op.results[0])
    dtype = decoder.element(op.results[0].type).dtype
    code = decoder.region(op.regions[0])

    def step(registers: Registers) -> None:
        sizes = shape(registers)
        if any(size < 0 for size in sizes):
            raise EvaluationError(f"a size is negative: {list(sizes)}")
        values = [code.call(registers, point)[0] for point in itertools.product(*map(range, sizes))]
        registers[result] = stack_scalars(values, sizes, dtype)

    return step


def _extract(decoder: Decoder, op: ir.Operation) -> Step:
    source, *indices = decoder.all(list(op.operands))
    result, scalar = decoder.slot(op.results[0]), decoder.element(op.results[0].type).scalar

    def step(registers: Registers) -> None:
        array = registers[source]
        value = array[checked_index(registers, indices, array.shape)]
        registers[result] = value.item() if type(value) is Partial else scalar(value)

    return step


def _insert(decoder: Decoder, op: ir.Operation) -> Step:
    source, target, *indices = decoder.all(list(op.operands))
    result = decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        array = registers[target]
        registers[result] = replaced(array, checked_index(registers, indices, array.shape), None, registers[source])

    return step


def dimension(decoder: Decoder, op: ir.Operation) -> Step:
    """tensor.dim and memref.dim."""
    source, index = decoder.all(list(op.operands))
    result = decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        shape, number = registers[source].shape, registers[index].__index__()
        if not 0 <= number < len(shape):
            raise EvaluationError(f"there is no dimension {number}: the rank is {len(shape)}")
        registers[result] = shape[number]

    return step


def rank(decoder: Decoder, op: ir.Operation) -> Step:
    """tensor.rank and memref.rank."""
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[result] = len(registers[source].shape)

    return step


def _indices(coordinates: Any, dimensions: Sequence[int], shape: Sequence[int]) -> tuple[list[Any], list[int]]:
    """For each gathered dimension, an array of positions; and the dimensions that are taken whole."""
    coordinates = defined(coordinates)
    positions = [coordinates[..., i].astype(np.int64) for i in range(coordinates.shape[-1])]
    for dimension_, position in zip(dimensions, positions, strict=True):
        if np.any((position < 0) | (position >= shape[dimension_])):
            raise EvaluationError(f"a coordinate is out of bounds: dimension {dimension_} has size {shape[dimension_]}")
    return positions, [i for i in range(len(shape)) if i not in dimensions]


def _gathered_first(array: Any, dimensions: Sequence[int], whole: Sequence[int]) -> Any:
    return array.transpose((*dimensions, *whole))


def _gather(decoder: Decoder, op: ir.Operation) -> Step:
    source, coordinates = decoder.all(list(op.operands))
    result, dimensions = decoder.slot(op.results[0]), integers(op, "gather_dims")
    rank_ = ir.ShapedType(op.results[0].type).rank

    def step(registers: Registers) -> None:
        array = registers[source]
        positions, whole = _indices(registers[coordinates], dimensions, array.shape)
        found = _gathered_first(array, dimensions, whole)[tuple(positions)]
        batch = positions[0].shape if positions else ()
        sizes = [array.shape[i] for i in whole]
        if rank_ != len(batch) + len(whole):
            sizes = [1 if i in dimensions else size for i, size in enumerate(array.shape)]
        registers[result] = found.reshape((*batch, *sizes))

    return step


def _scatter(decoder: Decoder, op: ir.Operation) -> Step:
    source, target, coordinates = decoder.all(list(op.operands))
    result, dimensions = decoder.slot(op.results[0]), integers(op, "scatter_dims")

    def step(registers: Registers) -> None:
        array = registers[target]
        positions, whole = _indices(registers[coordinates], dimensions, array.shape)
        order = (*dimensions, *whole)
        batch = positions[0].shape if positions else ()
        shape = (*batch, *(array.shape[i] for i in whole))
        changed = replaced(_gathered_first(array, dimensions, whole), tuple(positions), shape, registers[source])
        registers[result] = changed.transpose(np.argsort(order))

    return step


OPS: dict[str, Handler] = {
    "tensor.empty": _empty,
    "tensor.from_elements": _from_elements,
    "tensor.splat": _splat,
    "tensor.generate": _generate,
    "tensor.extract": _extract,
    "tensor.insert": _insert,
    "tensor.dim": dimension,
    "tensor.rank": rank,
    "tensor.gather": _gather,
    "tensor.scatter": _scatter,
}
