"""Fourier transforms, determinants, and tables that are constant in practice."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....dialects.support.index_math import Number
from .contractions import contract
from .graph import Node, fold, lowers
from .scalars import INDEX, Scalar, constant
from .structured import cast_to, computed, elementwise, extract, fill, pad, reshape, slice_of
from .values import UnsupportedOnnxError, Value


def _length(node: Node, at: int, size: int | None) -> int:
    if node.has(at):
        return int(node.input(at).require_constant(f"'dft_length' of {node}").reshape(-1)[0])
    if size is None:
        raise UnsupportedOnnxError(f"{node} needs a signal of known length")
    return size


def fourier(x: Value, axis: int, length: int, *, inverse: bool, onesided: bool) -> Value:
    """The discrete Fourier transform by its matrix; the last dimension holds real and imaginary parts."""
    size = x.shape[axis]
    if size is not None and size > length:
        x = slice_of(x, [0] * x.rank, [length if d == axis else s for d, s in enumerate(x.sizes)])
    elif size is not None and size < length:
        x = pad(x, [0] * x.rank, [length - size if d == axis else 0 for d in range(x.rank)], 0)
    parts = x.shape[-1]
    count = length // 2 + 1 if onesided and not inverse else length
    rows = length // 2 + 1 if onesided and inverse else length
    if rows != length:
        x = slice_of(x, [0] * x.rank, [rows if d == axis else s for d, s in enumerate(x.sizes)])
    angle = 2 * np.pi * np.outer(np.arange(count), np.arange(rows)) / length * (1 if inverse else -1)
    cos, sin = np.cos(angle), np.sin(angle)
    if inverse and onesided:  # The other half is the conjugate.
        twice = np.where((np.arange(rows) == 0) | (2 * np.arange(rows) == length), 1, 2)
        table = np.stack([cos * twice, -sin * twice], -1)[..., None] / length  # [out, in, re/im, real]
    else:
        table = np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], -2)
        table = table / length if inverse else table
    table = table[:, :, :parts]
    dtype = np.dtype(np.float64)  # A sum that cancels is 0 to the precision of the elements.
    matrix = Value(dtype, constant=table.astype(dtype))
    labels = [chr(ord("a") + d) for d in range(x.rank)]
    source = "".join(labels)
    target = "".join("Y" if d == axis else c for d, c in enumerate(labels[:-1])) + "Z"
    total = contract([x, matrix], [source, f"Y{labels[axis]}{labels[-1]}Z"], target, dtype)
    return cast_to(total, x.dtype)


@lowers("DFT")
def _dft(node: Node) -> Value:
    x = node.input()
    given = np.reshape(node.constant(2, "axis", -2), -1)[0] if node.version >= 20 else node.attribute("axis", 1)
    axis = node.normalized(int(given), x.rank)
    inverse, onesided = bool(node.attribute("inverse", 0)), bool(node.attribute("onesided", 0))
    size = x.shape[axis]
    if inverse and onesided and size is not None and not node.has(1):
        size = 2 * (size - 1)
    return fourier(x, axis, _length(node, 1, size), inverse=inverse, onesided=onesided)


@lowers("STFT")
def _short_time(node: Node) -> Value:
    x = node.input()
    step = int(node.input(1).require_constant(f"'frame_step' of {node}").reshape(-1)[0])
    window = node.input(2) if node.has(2) else None
    size = window.shape[0] if window is not None else None
    length = int(node.input(3).require_constant(f"'frame_length' of {node}").reshape(-1)[0]) if node.has(3) else size
    signal = x.shape[1]
    if length is None or signal is None:
        raise UnsupportedOnnxError(f"{node} needs a signal and frames of known length")
    frames = (signal - length) // step + 1
    parts = x.shape[-1] if x.rank == 3 else 1
    x = x if x.rank == 3 else reshape(x, [*x.sizes, 1])

    def element(at: list[Scalar]) -> Scalar:
        e = extract(x, [at[0], at[1] * step + at[2], at[3]])
        return e * extract(window, [at[2]]) if window is not None else e

    framed = computed([x.sizes[0], frames, length, parts or 1], x.dtype, element)
    return fourier(framed, 2, length, inverse=False, onesided=bool(node.attribute("onesided", 1)))


@lowers("MelWeightMatrix")
def _mel_weights(node: Node) -> Any:
    for number, value in enumerate(node.tensors):
        value.require_constant(f"input {number} of {node}")
    found = fold(node)
    if found is None:
        raise UnsupportedOnnxError(f"{node} is larger than what is computed while compiling")
    return tuple(found)


@lowers("Det")
def _determinant(node: Node) -> Value:
    """By elimination with pivots, a column a step."""
    x = node.input()
    size = x.shape[-1]
    if size is None or x.shape[-2] != size:
        raise UnsupportedOnnxError(f"{node} needs square matrices of known size")
    outer: list[Number] = list(x.sizes[:-2])
    matrix, total = x, fill(outer, x.dtype, 1)
    for step in range(size):
        left = size - step
        column = reshape(slice_of(matrix, [0] * matrix.rank, [*outer, left, 1]), [*outer, left])
        magnitude = elementwise(x.dtype, [column], Scalar.absolute)
        pivot = node.call("ArgMax", magnitude, axis=len(outer), keepdims=0)

        def sign_and_pivot(
            at: list[Scalar], column: Value = column, pivot: Value = pivot, total: Value = total
        ) -> Scalar:
            from .scalars import choose

            place = extract(pivot, at)
            product = extract(total, at) * extract(column, [*at, place])
            return choose(place.equals(0), product, -product)

        total = computed(outer, x.dtype, sign_and_pivot)
        if left == 1:
            break

        def rest(at: list[Scalar], matrix: Value = matrix, pivot: Value = pivot) -> Scalar:
            from .scalars import choose

            *batch, row, col = at
            place = extract(pivot, batch).to(INDEX)
            first = constant(0, INDEX)
            source = choose((row + 1).equals(place), first, row + 1)  # The pivot's row and the first change places.
            top = extract(matrix, [*batch, place, col + 1])
            corner = extract(matrix, [*batch, place, first])
            factor = choose(corner.equals(0.0), corner, extract(matrix, [*batch, source, first]) / corner)
            return extract(matrix, [*batch, source, col + 1]) - factor * top

        matrix = computed([*outer, left - 1, left - 1], x.dtype, rest)
    return total
