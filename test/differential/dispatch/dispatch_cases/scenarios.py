"""The scenarios of the plan: the lit tests in passes/dispatch/scenarios, which also say what they become."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import GRIDS, ROWS, Case

Array = np.ndarray[Any, Any]
TILES = ("4x5xf32", "5x6xf32", "4x6xf32", "4x6xf32")
IN_PLACE = TILES[:3]
DYNAMIC = [(2, 3, 3, 5), (4, 6, 6, 8), (7, 1, 1, 3), (1, 1, 1, 1), (3, 0, 0, 4)]
SIZES = ((1, 1, 1), (2, 3, 1), (4, 4, 1), (16, 1, 1))


def dynamic_runs(count: int) -> list[tuple[str | int, ...]]:
    """Runs of the dynamic matmul with `count` bindings: the sizes of both operands and of the result."""
    runs: list[tuple[str | int, ...]] = []
    for m, k, _, n in DYNAMIC:
        shapes = (f"{m}x{k}xf32", f"{k}x{n}xf32", f"{m}x{n}xf32", f"{m}x{n}xf32")
        runs.append((*shapes[:count], m, k, k, n, m, n))
    return runs


def store(target: Array, value: Any) -> None:
    target[...] = value


def load_inplace_and_copy(a: Array, b: Array, c: Array, r: Array) -> None:
    c += a @ b
    r[...] = c


def reshape_and_copy_out(a: Array, r: Array, q: Array) -> None:
    r[...] = 2 * a.reshape(3, 4)
    q[...] = a.reshape(3, 4)


def slice_multiple_copy(a: Array, r: Array, q: Array, *slices: int) -> None:
    i, j, k, m, n, p = slices
    r[...] = a[i : i + m, j : j + n, k : k + p]
    q[i : i + m, k : k + p] = a[i : i + m, j, k : k + p]


def pooled(a: Array) -> Array:
    """Sums of windows of 2 by 3, side by side."""
    return a.reshape(1, 2, 2, 2, 3, 1).sum((2, 4))


CASES = [
    Case(
        "tile_from_tensor_load",
        TILES,
        lambda a, b, c, r: store(r, c + a @ b),
        copies=1,
        grids=GRIDS,
    ),
    Case(
        "tile_from_tensor_load_inplace",
        IN_PLACE,
        lambda a, b, c: store(c, c + a @ b),
        grids=GRIDS,
    ),
    Case(
        "tile_from_tensor_load_inplace_and_copy",
        TILES,
        load_inplace_and_copy,
        copies=1,
        grids=GRIDS,
    ),
    Case(
        "tile_from_pointwise_lhs",
        TILES,
        lambda a, b, c, r: store(r, c + 2 * a @ b),
        allocations=1,
        copies=1,
        grids=GRIDS,
    ),
    Case(
        "tile_from_pointwise_lhs_inplace",
        IN_PLACE,
        lambda a, b, c: store(c, c + 2 * a @ b),
        allocations=1,
        grids=GRIDS,
    ),
    Case(
        "tile_from_pointwise_outs",
        TILES,
        lambda a, b, c, r: store(r, 2 * c + a @ b),
        grids=GRIDS,
    ),
    Case(
        "tile_from_pointwise_outs_inplace",
        IN_PLACE,
        lambda a, b, c: store(c, 2 * c + a @ b),
        grids=GRIDS,
    ),
    Case(
        "tile_from_matmul_outs",
        TILES,
        lambda a, b, c, r: store(r, c + 2 * (a @ b)),
        copies=1,
        grids=GRIDS,
    ),
    Case(
        "tile_from_matmul_outs_inplace",
        IN_PLACE,
        lambda a, b, c: store(c, c + 2 * (a @ b)),
        grids=GRIDS,
    ),
    Case(
        "bufferize_dynamic",
        dynamic_runs(4),
        lambda a, b, c, r, *sizes: store(r, c + a @ b),
        copies=1,
        grids=GRIDS,
        sizes=SIZES,
    ),
    Case(
        "bufferize_dynamic_inplace",
        dynamic_runs(3),
        lambda a, b, c, *sizes: store(c, c + a @ b),
        grids=GRIDS,
        sizes=SIZES,
    ),
    Case(
        "bufferize_transfer_op",
        ("2x3xf32", "3x4xf32", "2x4xf32", "2x4xf32"),
        lambda a, b, c, r: store(r, c + a @ b),
        copies=1,
        grids=ROWS,
    ),
    Case(
        "bufferize_transfer_op_inplace",
        ("2x3xf32", "3x4xf32", "2x4xf32"),
        lambda a, b, c: store(c, c + a @ b),
        grids=ROWS,
    ),
    Case("reshape_simple", ("12xi32", "3x4xi32"), lambda a, r: store(r, a.reshape(3, 4)), copies=1),
    Case("reshape_fused_source", ("12xi32", "3x4xi32"), lambda a, r: store(r, 2 * a.reshape(3, 4))),
    Case("reshape_fused_source_and_copyout", ("12xi32", "3x4xi32", "3x4xi32"), reshape_and_copy_out, copies=1),
    Case("reshape_fused_target", ("3x4xi32", "12xi32"), lambda a, r: store(r, 2 * a.reshape(12))),
    Case(
        "slice",
        [("5x7xi32", "2x3xi32", 1, 2, 2, 3), ("5x7xi32", "5x7xi32", 0, 0, 5, 7), ("5x7xi32", "0x3xi32", 5, 4, 0, 3)],
        lambda a, r, i, j, m, n: store(r, a[i : i + m, j : j + n]),
        copies=1,
    ),
    Case(
        "slice_rank_reducing",
        [("4x5x6xi32", "2x3xi32", 1, 2, 2, 3), ("4x5x6xi32", "1x1xi32", 3, 5, 1, 1)],
        lambda a, r, i, j, m, n: store(r, a[i : i + m, i, j : j + n]),
        copies=1,
    ),
    Case(
        "slice_multiple_copy",
        [
            ("4x5x6xi32", "2x3x2xi32", "4x8xi32", 1, 2, 3, 2, 3, 2),
            ("4x5x6xi32", "1x1x1xi32", "4x8xi32", 0, 4, 5, 1, 1, 1),
        ],
        slice_multiple_copy,
        copies=2,
    ),
    Case("slice_in_place", ("5x7xi32",), lambda a: None),
    Case("slice_whole_stride", ("4x6xi32", "1x6xi32"), lambda a, r: store(r, a[2:3]), copies=1),
    Case(
        "rank_reduced_insert",
        [("3x4xf32", "2x3x4xf32"), ("1x1xf32", "1x1x1xf32")],
        lambda a, r: store(r[0], a),
        copies=1,
    ),
    Case("pooling", ("f32", "1x4x6x1xf32", "1x2x2x1xf32"), lambda z, a, r: store(r, z + pooled(a))),
    Case(
        "cast_followed_by_store",
        ("4x8x16xf32", "4x16x6xf32", "4x8x6xf32"),
        lambda a, b, r: store(r, a @ b),
        grids=GRIDS,
    ),
]
