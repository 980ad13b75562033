"""What is gathered or exchanged, and inserted into a larger tensor, lands there; it is copied where it must be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluation, evaluate_ranks
from mlir_inplace.passes.message_passing.receive_in_place import analyze_receipts
from mlir_inplace.passes.pipeline.pipeline import run_pipeline

ONE_SHOT = """inplace-convert-to-destination-style,
    inplace-one-shot-bufferize{bufferize-function-boundaries=true
        function-boundary-type-conversion=identity-layout-map},inplace-canonicalize,cse"""
BUFFERIZE = f"builtin.module({ONE_SHOT})"
COPY = f"builtin.module({ONE_SHOT},inplace-pack-messages,inplace-deallocate)"
RECEIVE = f"builtin.module({ONE_SHOT},inplace-receive-in-place,inplace-pack-messages,inplace-deallocate)"
X = "tensor<4x6xf32>"
OPS = {
    "all_gather": ("3", "shard.all_gather %x on @g grid_axes = [0] gather_axis = 0", (12, 6)),
    "all_gather of columns": ("3", "shard.all_gather %x on @g grid_axes = [0] gather_axis = 1", (4, 18)),
    "all_gather of one axis": ("2x2", "shard.all_gather %x on @g grid_axes = [1] gather_axis = 0", (8, 6)),
    "all_to_all": ("2", "shard.all_to_all %x on @g grid_axes = [0] split_axis = 0 concat_axis = 1", (2, 12)),
}


LANDING = ("all_gather", "all_gather of one axis")


def program(name: str, between: str = "", source: str = "", results: str = "") -> str:
    """A slice of `%t` from row `%i` on becomes what the op gives."""
    grid, op, (rows, columns) = OPS[name]
    whole, made = f"tensor<20x{columns}xf32>", f"tensor<{rows}x{columns}xf32>"
    other = f", {results.rpartition(':')[2]}" if results else ""
    return f"""
      shard.grid @g(shape = {grid})
      func.func @f(%given: {X}, %t: {whole} {{bufferization.writable = true}}, %i: index) -> ({whole}{other}) {{
        {source or f"%x = tensor.cast %given : {X} to {X}"}
        %made = {op} : {X} -> {made}
        {between}
        %r = tensor.insert_slice %made into %t[%i, 0] [{rows}, {columns}] [1, 1] : {made} into {whole}
        return %r{", " if results else ""}{results.rpartition(":")[0]} : {whole}{other}
      }}"""


def arguments(name: str) -> list[list[Any]]:
    grid, _, (_, columns) = OPS[name]
    ranks = int(np.prod([int(extent) for extent in grid.split("x")]))
    return [
        [np.arange(24, dtype=np.float32).reshape(4, 6) + 100 * rank, np.full((20, columns), -1.0 - rank, np.float32), 3]
        for rank in range(ranks)
    ]


def run(text: str, given: list[list[Any]], pipeline: str = "") -> list[Evaluation]:
    copied = [[one.copy() if isinstance(one, np.ndarray) else one for one in rank] for rank in given]
    with ir.Context():
        module = ir.Module.parse(text)
        if pipeline:
            mi.run_pipeline(module, pipeline)
        return evaluate_ranks(module, "f", copied)


def receipts(text: str) -> int:
    with ir.Context():
        module = ir.Module.parse(text)
        run_pipeline(module, BUFFERIZE)
        return len(analyze_receipts(module.operation))


@pytest.mark.parametrize("name", OPS)
def test_it_lands_in_its_slice(name: str) -> None:
    """What is received in turn is copied."""
    text, lands = program(name), int(name in LANDING)
    assert receipts(text) == lands
    wanted, before = run(text, arguments(name)), run(text, arguments(name), COPY)
    for one, other, copying in zip(wanted, run(text, arguments(name), RECEIVE), before, strict=True):
        np.testing.assert_array_equal(one.results[0], other.results[0])
        assert (one.results[0] >= 0).sum() >= 24
        assert (copying.allocations - other.allocations, copying.copies - other.copies, other.leaked) == (
            lands,
            lands,
            0,
        )


OVERLAPPING = f"%x = tensor.extract_slice %t[2, 0] [4, 6] [1, 1] : tensor<20x6xf32> to {X}"
"""What is sent lies in the tensor that is inserted into, partly where it is received."""

CASES = {
    "sent from there": program("all_gather", source=OVERLAPPING),
    "sent from there, apart in each dimension": program("all_gather", source=OVERLAPPING).replace("%t[%i", "%t[6"),
    "read in between": program(
        "all_gather",
        "%v = tensor.extract %t[%i, %i] : tensor<20x6xf32>",
        results="%v : f32",
    ),
    "used besides": program("all_gather", results="%made : tensor<12x6xf32>"),
}
FOUND = {"sent from there, apart in each dimension": 1}


@pytest.mark.parametrize("name", CASES)
def test_it_is_copied_where_it_must_be(name: str) -> None:
    text = CASES[name]
    assert receipts(text) == FOUND.get(name, 0)
    given = arguments("all_gather")
    for rank in given:
        rank[1] = rank[1] * np.arange(1, 121, dtype=np.float32).reshape(20, 6)
    for one, other in zip(run(text, given), run(text, given, RECEIVE), strict=True):
        for a, b in zip(one.results, other.results, strict=True):
            np.testing.assert_array_equal(a, b)
        assert other.leaked == 0


@pytest.mark.parametrize("rows", [(2, 1, 1), (0, 3, 1), (4, 4, 4)])
def test_parts_of_different_sizes_are_copied(rows: tuple[int, ...]) -> None:
    text = """
      shard.grid @g(shape = 3)
      func.func @f(%x: tensor<?x6xf32>, %t: tensor<20x6xf32> {bufferization.writable = true}, %n: index)
          -> tensor<20x6xf32> {
        %made = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<?x6xf32> -> tensor<?x6xf32>
        %r = tensor.insert_slice %made into %t[1, 0] [%n, 6] [1, 1] : tensor<?x6xf32> into tensor<20x6xf32>
        return %r : tensor<20x6xf32>
      }"""
    given = [
        [np.arange(6.0 * size, dtype=np.float32).reshape(size, 6) + 50 * rank, np.zeros((20, 6), np.float32), sum(rows)]
        for rank, size in enumerate(rows)
    ]
    wanted = np.zeros((20, 6), np.float32)
    wanted[1 : 1 + sum(rows)] = np.concatenate([one[0] for one in given])
    assert receipts(text) == 0
    for one in run(text, given, RECEIVE):
        np.testing.assert_array_equal(one.results[0], wanted)
        assert one.leaked == 0


CHAINED = """
  func.func @f(%x: memref<4x8xf32>, %t: memref<8x8xf32>, %i: index) -> f32 {
    %c = mpi.comm_world : !mpi.comm
    %a = memref.alloc() : memref<8x8xf32>
    %b = memref.alloc() : memref<8x8xf32>
    mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
    %old = memref.load %t[%i, %i] : memref<8x8xf32>
    %s = memref.subview %b[0, 0] [8, 8] [1, 1] : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1]>>
    memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1]>>
    memref.copy %b, %t : memref<8x8xf32> to memref<8x8xf32>
    return %old : f32
  }"""
"""A load stands between the gather and the copy; and %b is not filled by the gather alone."""

OUT_OF_THE_BLOCK = """
  func.func @f(%x: memref<4x8xf32>, %t: memref<16x8xf32>, %i: index) -> f32 {
    %c = mpi.comm_world : !mpi.comm
    %c0 = arith.constant 0 : index
    %v = memref.subview %t[8, 0] [4, 8] [1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 64>>
    %y = memref.reinterpret_cast %v to offset: [0], sizes: [4, 8], strides: [8, 1]
      : memref<4x8xf32, strided<[8, 1], offset: 64>> to memref<4x8xf32, strided<[8, 1]>>
    %s = memref.subview %t[0, 0] [8, 8] [1, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[8, 1]>>
    %a = memref.alloc() : memref<8x8xf32>
    mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
    %old = memref.load %y[%c0, %c0] : memref<4x8xf32, strided<[8, 1]>>
    memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1]>>
    return %old : f32
  }"""
"""The offset of a reinterpreted memref counts from the root: it is not within the block that it is made of."""


@pytest.mark.parametrize(("text", "found"), [(CHAINED, 0), (OUT_OF_THE_BLOCK, 0)], ids=["chained", "out-of-the-block"])
def test_on_memrefs(text: str, found: int) -> None:
    rows = 16 if "16x8" in text else 8
    given = [
        [np.full((4, 8), 1.0 + rank, np.float32), -np.arange(8.0 * rows, dtype=np.float32).reshape(rows, 8) - 1, 2]
        for rank in range(2)
    ]
    with ir.Context():
        module = ir.Module.parse(text)
        wanted = evaluate_ranks(module, "f", [[one.copy() if n < 2 else one for n, one in enumerate(g)] for g in given])
        assert len(analyze_receipts(module.operation)) == found
        run_pipeline(module, "inplace-receive-in-place")
        for one, other in zip(wanted, evaluate_ranks(module, "f", given), strict=True):
            assert one.results == other.results
    for one in given:
        np.testing.assert_array_equal(one[1][:8], np.repeat([[1.0], [2.0]], 4, 0) * np.ones((8, 8)))
