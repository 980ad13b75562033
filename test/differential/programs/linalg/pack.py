"""linalg.pack, linalg.unpack and linalg.softmax: written to their destination, which may be read later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..program import Program

Array = np.ndarray[Any, Any]

LOOPS = "upstream has no lowering of the op on memrefs"


def packed(
    plain: Array, positions: Sequence[int], tiles: Sequence[int], outer: Sequence[int] = (), padding: float = 0
) -> Array:
    """linalg.pack: tiles of `tiles` elements at the dimensions `positions`, the tiles in the order `outer`."""
    tile_of = dict(zip(positions, tiles, strict=True))
    excess = [(0, -size % tile_of.get(dimension, 1)) for dimension, size in enumerate(plain.shape)]
    filled = np.pad(plain, excess, constant_values=padding)
    # Each tiled dimension becomes two; then the counts of tiles come first, in their order, and the tiles last.
    shape, counts, inner = [], [], {}
    for dimension, size in enumerate(filled.shape):
        counts.append(len(shape))
        shape.append(size // tile_of.get(dimension, 1))
        if dimension in tile_of:
            inner[dimension] = len(shape)
            shape.append(tile_of[dimension])
    order = [counts[dimension] for dimension in (outer or range(plain.ndim))]
    return filled.reshape(shape).transpose([*order, *(inner[dimension] for dimension in positions)])


def unpacked(
    tiled: Array, shape: Sequence[int], positions: Sequence[int], tiles: Sequence[int], outer: Sequence[int] = ()
) -> Array:
    """linalg.unpack, by looking up where pack puts the number of each element."""
    numbers = packed(np.arange(1, 1 + np.prod(shape)).reshape(shape), positions, tiles, outer)
    found = np.zeros(shape, tiled.dtype)
    found.flat[numbers[numbers > 0] - 1] = tiled[numbers > 0]
    return found


def softmax(x: Array, axis: int) -> Array:
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


PROGRAMS = [
    Program(
        "pack_into_argument",
        """
        func.func @main(%t: tensor<8x6xf32>, %u: tensor<4x2x3x2xf32>) -> tensor<4x2x3x2xf32> {
          %0 = linalg.pack %t inner_dims_pos = [1, 0] inner_tiles = [3, 2] into %u
              : tensor<8x6xf32> -> tensor<4x2x3x2xf32>
          return %0 : tensor<4x2x3x2xf32>
        }""",
        args=("8x6xf32", "4x2x3x2xf32"),
        numpy=lambda t, u: packed(t, [1, 0], [3, 2]),
        oracle_cannot=LOOPS,
    ),
    Program(
        "pack_into_what_is_read_later",
        """
        func.func @main(%t: tensor<8x6xf32>, %u: tensor<2x4x2x3xf32>) -> (tensor<2x4x2x3xf32>, tensor<2x4x2x3xf32>) {
          %0 = linalg.pack %t outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %u
              : tensor<8x6xf32> -> tensor<2x4x2x3xf32>
          return %0, %u : tensor<2x4x2x3xf32>, tensor<2x4x2x3xf32>
        }""",
        args=("8x6xf32", "2x4x2x3xf32"),
        numpy=lambda t, u: (packed(t, [0, 1], [2, 3], [1, 0]), u),
        oracle_cannot=LOOPS,
    ),
    Program(
        "pack_of_three_dimensions",
        """
        func.func @main(%t: tensor<4x5x6xf32>) -> tensor<5x3x4x2xf32> {
          %u = tensor.empty() : tensor<5x3x4x2xf32>
          %0 = linalg.pack %t outer_dims_perm = [1, 2, 0] inner_dims_pos = [2] inner_tiles = [2] into %u
              : tensor<4x5x6xf32> -> tensor<5x3x4x2xf32>
          return %0 : tensor<5x3x4x2xf32>
        }""",
        args=("4x5x6xf32",),
        numpy=lambda t: packed(t, [2], [2], [1, 2, 0]),
        oracle_cannot=LOOPS,
    ),
    Program(
        "pack_with_padding",
        """
        func.func @main(%t: tensor<7x5xf32>, %f: f32) -> (tensor<4x2x2x3xf32>, tensor<7x5xf32>) {
          %u = tensor.empty() : tensor<4x2x2x3xf32>
          %0 = linalg.pack %t padding_value(%f : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %u
              : tensor<7x5xf32> -> tensor<4x2x2x3xf32>
          return %0, %t : tensor<4x2x2x3xf32>, tensor<7x5xf32>
        }""",
        args=("7x5xf32", 99.0),
        numpy=lambda t, f: (packed(t, [0, 1], [2, 3], padding=f), t),
        oracle_cannot=LOOPS,
    ),
    Program(
        "pack_with_padding_that_is_not_needed",
        """
        func.func @main(%t: tensor<6xf32>, %f: f32, %u: tensor<3x2xf32>) -> tensor<3x2xf32> {
          %0 = linalg.pack %t padding_value(%f : f32) inner_dims_pos = [0] inner_tiles = [2] into %u
              : tensor<6xf32> -> tensor<3x2xf32>
          return %0 : tensor<3x2xf32>
        }""",
        args=("6xf32", 99.0, "3x2xf32"),
        numpy=lambda t, f, u: packed(t, [0], [2]),
        oracle_cannot=LOOPS,
    ),
    Program(
        "pack_of_dynamic_sizes_and_tiles",
        """
        func.func @main(%t: tensor<7x?xf32>, %f: f32, %n: index, %u: tensor<?x4x?x2xf32>) -> tensor<?x4x?x2xf32> {
          %0 = linalg.pack %t padding_value(%f : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0]
              inner_tiles = [%n, 2] into %u : tensor<7x?xf32> -> tensor<?x4x?x2xf32>
          return %0 : tensor<?x4x?x2xf32>
        }""",
        args=[("7x5xf32", 99.0, 3, "2x4x3x2xf32"), ("7x6xf32", 99.0, 2, "3x4x2x2xf32")],
        numpy=lambda t, f, n, u: packed(t, [1, 0], [n, 2], [1, 0], f),
        oracle_cannot=LOOPS,
    ),
    Program(
        "pack_of_dynamic_tiles_that_are_full",
        """
        func.func @main(%t: tensor<?x6xf32>, %n: index, %u: tensor<?x6x?xf32>) -> tensor<?x6x?xf32> {
          %0 = linalg.pack %t inner_dims_pos = [0] inner_tiles = [%n] into %u : tensor<?x6xf32> -> tensor<?x6x?xf32>
          return %0 : tensor<?x6x?xf32>
        }""",
        args=[("4x6xf32", 2, "2x6x2xf32"), ("3x6xf32", 3, "1x6x3xf32")],
        numpy=lambda t, n, u: packed(t, [0], [n]),
        oracle_cannot=LOOPS,
    ),
    Program(
        "pack_its_own_view",
        """
        func.func @main(%t: tensor<4x4xf32>) -> tensor<2x2x2x2xf32> {
          %u = tensor.expand_shape %t [[0, 1], [2, 3]] output_shape [2, 2, 2, 2]
              : tensor<4x4xf32> into tensor<2x2x2x2xf32>
          %0 = linalg.pack %t inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %u
              : tensor<4x4xf32> -> tensor<2x2x2x2xf32>
          return %0 : tensor<2x2x2x2xf32>
        }""",
        args=("4x4xf32",),
        numpy=lambda t: packed(t, [0, 1], [2, 2]),
        oracle_cannot=LOOPS,
    ),
    Program(
        "unpack_into_argument",
        """
        func.func @main(%t: tensor<4x2x3x2xf32>, %u: tensor<8x6xf32>) -> tensor<8x6xf32> {
          %0 = linalg.unpack %t inner_dims_pos = [1, 0] inner_tiles = [3, 2] into %u
              : tensor<4x2x3x2xf32> -> tensor<8x6xf32>
          return %0 : tensor<8x6xf32>
        }""",
        args=("4x2x3x2xf32", "8x6xf32"),
        numpy=lambda t, u: unpacked(t, (8, 6), [1, 0], [3, 2]),
        oracle_cannot=LOOPS,
    ),
    Program(
        "unpack_of_tiles_that_are_not_full",
        """
        func.func @main(%t: tensor<2x4x2x3xf32>, %u: tensor<7x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>) {
          %0 = linalg.unpack %t outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %u
              : tensor<2x4x2x3xf32> -> tensor<7x5xf32>
          return %0, %u : tensor<7x5xf32>, tensor<7x5xf32>
        }""",
        args=("2x4x2x3xf32", "7x5xf32"),
        numpy=lambda t, u: (unpacked(t, (7, 5), [0, 1], [2, 3], [1, 0]), u),
        oracle_cannot=LOOPS,
    ),
    Program(
        "unpack_of_dynamic_tiles",
        """
        func.func @main(%t: tensor<?x5x?xf32>, %n: index, %u: tensor<?x5xf32>) -> tensor<?x5xf32> {
          %0 = linalg.unpack %t inner_dims_pos = [0] inner_tiles = [%n] into %u : tensor<?x5x?xf32> -> tensor<?x5xf32>
          return %0 : tensor<?x5xf32>
        }""",
        args=[("3x5x2xf32", 2, "5x5xf32"), ("1x5x4xf32", 4, "3x5xf32")],
        numpy=lambda t, n, u: unpacked(t, u.shape, [0], [n]),
        oracle_cannot=LOOPS,
    ),
    Program(
        "pack_compute_and_unpack",
        """
        func.func @main(%t: tensor<5x6xf32>, %f: f32) -> tensor<5x6xf32> {
          %e = tensor.empty() : tensor<3x2x2x3xf32>
          %0 = linalg.pack %t padding_value(%f : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %e
              : tensor<5x6xf32> -> tensor<3x2x2x3xf32>
          %1 = linalg.square ins(%0 : tensor<3x2x2x3xf32>) outs(%e : tensor<3x2x2x3xf32>) -> tensor<3x2x2x3xf32>
          %2 = linalg.unpack %1 inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %t
              : tensor<3x2x2x3xf32> -> tensor<5x6xf32>
          return %2 : tensor<5x6xf32>
        }""",
        args=("5x6xf32", 99.0),
        numpy=lambda t, f: t * t,
        oracle_cannot=LOOPS,
    ),
    Program(
        "softmax_into_argument",
        """
        func.func @main(%t: tensor<3x5xf32>, %u: tensor<3x5xf32>) -> tensor<3x5xf32> {
          %0 = linalg.softmax dimension(1) ins(%t : tensor<3x5xf32>) outs(%u : tensor<3x5xf32>) -> tensor<3x5xf32>
          return %0 : tensor<3x5xf32>
        }""",
        args=("3x5xf32:random", "3x5xf32:random"),
        numpy=lambda t, u: softmax(t, 1),
        rtol=1e-6,
        oracle_cannot=LOOPS,
    ),
    Program(
        "softmax_over_its_input",
        """
        func.func @main(%t: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
          %0 = linalg.softmax dimension(1) ins(%t : tensor<3x4x5xf32>) outs(%t : tensor<3x4x5xf32>)
              -> tensor<3x4x5xf32>
          return %0 : tensor<3x4x5xf32>
        }""",
        args=("3x4x5xf32:random",),
        numpy=lambda t: softmax(t, 1),
        rtol=1e-6,
        oracle_cannot=LOOPS,
        fewer=True,
    ),
    Program(
        "softmax_over_another_part_of_its_input",
        """
        func.func @main(%t: tensor<4x5xf64>) -> tensor<4x5xf64> {
          %a = tensor.extract_slice %t[0, 0] [3, 5] [1, 1] : tensor<4x5xf64> to tensor<3x5xf64>
          %b = tensor.extract_slice %t[1, 0] [3, 5] [1, 1] : tensor<4x5xf64> to tensor<3x5xf64>
          %0 = linalg.softmax dimension(0) ins(%a : tensor<3x5xf64>) outs(%b : tensor<3x5xf64>) -> tensor<3x5xf64>
          %1 = tensor.insert_slice %0 into %t[1, 0] [3, 5] [1, 1] : tensor<3x5xf64> into tensor<4x5xf64>
          return %1 : tensor<4x5xf64>
        }""",
        args=("4x5xf64:random",),
        numpy=lambda t: np.concatenate([t[:1], softmax(t[:3], 0)]),
        rtol=1e-12,
        oracle_cannot=LOOPS,
    ),
    Program(
        "softmax_and_its_input",
        """
        func.func @main(%t: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
          %0 = linalg.softmax dimension(0) ins(%t : tensor<?x?xf32>) outs(%t : tensor<?x?xf32>) -> tensor<?x?xf32>
          return %0, %t : tensor<?x?xf32>, tensor<?x?xf32>
        }""",
        args=[("3x5xf32:random",), ("1x4xf32:random",), ("2x0xf32:random",)],
        numpy=lambda t: (softmax(t, 0), t),
        rtol=1e-6,
        oracle_cannot=LOOPS,
    ),
    Program(
        "softmax_of_a_vector_of_large_numbers",
        """
        func.func @main(%t: tensor<4xf32>) -> tensor<4xf32> {
          %e = tensor.empty() : tensor<4xf32>
          %c = arith.constant dense<[1.0e4, 1.0e4, -1.0e4, 9999.0]> : tensor<4xf32>
          %0 = linalg.softmax dimension(0) ins(%c : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=("4xf32",),
        numpy=lambda t: softmax(np.array([1.0e4, 1.0e4, -1.0e4, 9999.0], np.float32), 0),
        rtol=1e-6,
        oracle_cannot=LOOPS,
    ),
]
