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
COPY = f"builtin.module({ONE_SHOT},inplace-deallocate)"
RECEIVE = f"builtin.module({ONE_SHOT},inplace-receive-in-place,inplace-deallocate)"
TURNS = f"builtin.module({ONE_SHOT},inplace-receive-in-place,inplace-exchange-in-turn,inplace-deallocate)"
PACKED = f"builtin.module({ONE_SHOT},inplace-receive-in-place,inplace-pack-messages,inplace-deallocate)"
X = "tensor<4x6xf32>"
WRITTEN = "{bufferization.writable = true, inplace.returnable}"
"""What `mi.compile` knows of an argument that is written: it shares memory with no other one."""
OPS = {
    "all_gather": ("3", "shard.all_gather %x on @g grid_axes = [0] gather_axis = 0", (12, 6)),
    "all_gather of columns": ("3", "shard.all_gather %x on @g grid_axes = [0] gather_axis = 1", (4, 18)),
    "all_gather of one axis": ("2x2", "shard.all_gather %x on @g grid_axes = [1] gather_axis = 0", (8, 6)),
    "all_gather of long rows": ("5", "shard.all_gather %x on @g grid_axes = [0] gather_axis = 0", (20, 6)),
    "all_to_all": ("2", "shard.all_to_all %x on @g grid_axes = [0] split_axis = 0 concat_axis = 1", (2, 12)),
    "all_to_all of columns": ("3", "shard.all_to_all %x on @g grid_axes = [0] split_axis = 1 concat_axis = 0", (12, 2)),
    "shift": ("3", "shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate", (4, 6)),
    "reduce_scatter": ("2", "shard.reduce_scatter %x on @g grid_axes = [0] scatter_dim = 0", (2, 6)),
}
COPIED_TO_GAPS = ("all_gather of long rows", "shift", "reduce_scatter")
"""MPI would walk memory with gaps; and from five ranks on it gathers few elements in fewer messages than ranks."""


def program(name: str, between: str = "", source: str = "", results: str = "", gap: int = 0) -> str:
    """A slice of `%t` from row `%i` on becomes what the op gives; behind its rows there are `gap` more columns."""
    grid, op, (rows, columns) = OPS[name]
    whole, made = f"tensor<30x{columns + gap}xf32>", f"tensor<{rows}x{columns}xf32>"
    other = f", {results.rpartition(':')[2]}" if results else ""
    return f"""
      shard.grid @g(shape = {grid})
      func.func @f(%given: {X}, %t: {whole} {WRITTEN}, %i: index) -> ({whole}{other}) {{
        {source or f"%x = tensor.cast %given : {X} to {X}"}
        %made = {op} : {X} -> {made}
        {between}
        %r = tensor.insert_slice %made into %t[%i, 0] [{rows}, {columns}] [1, 1] : {made} into {whole}
        return %r{", " if results else ""}{results.rpartition(":")[0]} : {whole}{other}
      }}"""


def arguments(name: str, gap: int = 0) -> list[list[Any]]:
    grid, _, (_, columns) = OPS[name]
    ranks = int(np.prod([int(extent) for extent in grid.split("x")]))
    return [
        [
            np.arange(24, dtype=np.float32).reshape(4, 6) + 100 * rank,
            np.full((30, columns + gap), -1.0 - rank, np.float32),
            3,
        ]
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


@pytest.mark.parametrize("gap", [0, 3])
@pytest.mark.parametrize("name", OPS)
def test_it_lands_in_its_slice(name: str, gap: int) -> None:
    text, lands = program(name, gap=gap), int(not gap or name not in COPIED_TO_GAPS)
    assert receipts(text) == lands
    wanted, before = run(text, arguments(name, gap)), run(text, arguments(name, gap), COPY)
    for one, other, copying in zip(wanted, run(text, arguments(name, gap), RECEIVE), before, strict=True):
        np.testing.assert_array_equal(one.results[0], other.results[0])
        assert (one.results[0] >= 0).sum() >= 12
        saved = copying.allocations - other.allocations, copying.copies - other.copies
        assert (saved, other.leaked) == ((lands, lands), 0)


@pytest.mark.parametrize("pipeline", [TURNS, PACKED])
@pytest.mark.parametrize("gap", [0, 3])
@pytest.mark.parametrize("name", OPS)
def test_messages_fill_the_slice(name: str, gap: int, pipeline: str) -> None:
    wanted = run(program(name, gap=gap), arguments(name, gap))
    for one, other in zip(wanted, run(program(name, gap=gap), arguments(name, gap), pipeline), strict=True):
        np.testing.assert_array_equal(one.results[0], other.results[0])
        assert other.leaked == 0


OVERLAPPING = f"%x = tensor.extract_slice %t[2, 0] [4, 6] [1, 1] : tensor<30x6xf32> to {X}"
"""What is sent lies in the tensor that is inserted into, partly where it is received."""

CASES = {
    "sent from there": program("all_gather", source=OVERLAPPING),
    "sent from there, apart in each dimension": program("all_gather", source=OVERLAPPING).replace("%t[%i", "%t[6"),
    "read in between": program(
        "all_gather",
        "%v = tensor.extract %t[%i, %i] : tensor<30x6xf32>",
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
        rank[1] = rank[1] * np.arange(1, 181, dtype=np.float32).reshape(30, 6)
    for one, other in zip(run(text, given), run(text, given, RECEIVE), strict=True):
        for a, b in zip(one.results, other.results, strict=True):
            np.testing.assert_array_equal(a, b)
        assert other.leaked == 0


@pytest.mark.parametrize("pipeline", [RECEIVE, TURNS, PACKED])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("gap", [0, 2])
@pytest.mark.parametrize("sizes", [(2, 1, 1), (0, 3, 1), (4, 4, 4), (0, 0, 0)])
def test_parts_of_different_sizes_land(sizes: tuple[int, ...], gap: int, axis: int, pipeline: str) -> None:
    part = ("?x6", "6x?")[axis]
    shape = (30, 6 + gap) if axis == 0 else (6 + gap, 30)
    whole, given = f"tensor<{shape[0]}x{shape[1]}xf32>", f"tensor<{part}xf32>"
    offsets, extents = ("1, 0", "0, 1")[axis], ("%n, 6", "6, %n")[axis]
    text = f"""
      shard.grid @g(shape = 3)
      func.func @f(%x: {given}, %t: {whole} {WRITTEN}, %n: index) -> {whole} {{
        %made = shard.all_gather %x on @g grid_axes = [0] gather_axis = {axis} : {given} -> {given}
        %r = tensor.insert_slice %made into %t[{offsets}] [{extents}] [1, 1] : {given} into {whole}
        return %r : {whole}
      }}"""
    parts = [np.arange(6.0 * size, dtype=np.float32).reshape(size, 6) + 50 * rank for rank, size in enumerate(sizes)]
    parts = parts if axis == 0 else [one.reshape(6, -1) for one in parts]
    wanted = np.zeros(shape, np.float32)
    made = np.concatenate(parts, axis)
    wanted[axis == 0 :, axis == 1 :][: made.shape[0], : made.shape[1]] = made
    assert receipts(text) == 1
    for one in run(text, [[part, np.zeros(shape, np.float32), sum(sizes)] for part in parts], pipeline):
        np.testing.assert_array_equal(one.results[0], wanted)
        assert one.leaked == 0
        assert pipeline != RECEIVE or one.copies == 0


BRANCHES = """
  func.func @f(%x: memref<4x8xf32>, %t: memref<8x11xf32> {{inplace.returnable}}, %u: memref<8x8xf32>) {{
    %c = mpi.comm_world : !mpi.comm
    %rank = mpi.comm_rank(%c) : i32
    %one = arith.constant 1 : i32
    %is_second = arith.cmpi eq, %rank, %one : i32
    scf.if %is_second {{
      %s = memref.subview %t[0, 2] [8, 8] [1, 1] : memref<8x11xf32> to memref<8x8xf32, strided<[11, 1], offset: 2>>
      %a = memref.alloc() : memref<8x8xf32>
      mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
      memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[11, 1], offset: 2>>
    }} else {{
      {other}
    }}
    return
  }}"""
"""Two gathers meet, one of which may be received in memory with gaps."""
ALIKE = """%s = memref.subview %t[0, 1] [8, 8] [1, 1] : memref<8x11xf32> to memref<8x8xf32, strided<[11, 1], offset: 1>>
      %a = memref.alloc() : memref<8x8xf32>
      mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
      memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[11, 1], offset: 1>>"""
UNKNOWN = """%y = memref.cast %x : memref<4x8xf32> to memref<?x8xf32>
      mpi.allgather(%y, %u, %c) : memref<?x8xf32>, memref<8x8xf32>"""


@pytest.mark.parametrize(
    ("other", "found"),
    [("mpi.allgather(%x, %u, %c) : memref<4x8xf32>, memref<8x8xf32>", 0), (UNKNOWN, 0), (ALIKE, 2)],
)
def test_gathers_that_meet_stay_alike(other: str, found: int) -> None:
    given = [
        [np.full((4, 8), rank, np.float32), np.zeros((8, 11), np.float32), np.zeros((8, 8), np.float32)]
        for rank in range(2)
    ]
    with ir.Context():
        module = ir.Module.parse(BRANCHES.format(other=other))
        assert len(analyze_receipts(module.operation)) == found
        run_pipeline(module, "inplace-receive-in-place")
        evaluate_ranks(module, "f", given)
    np.testing.assert_array_equal(given[1][1][:, 2:10], np.repeat([[0.0], [1.0]], 4, 0) * np.ones((8, 8)))


def test_gathers_of_types_that_are_one_in_mpi_stay_alike() -> None:
    more = "%u: memref<8x8xindex>, %y: memref<4x8xi64>, %v: memref<8x8xi64>"
    other = "mpi.allgather(%y, %v, %c) : memref<4x8xi64>, memref<8x8xi64>"
    text = BRANCHES.format(other=other).replace("f32", "index").replace("%u: memref<8x8xindex>", more)
    assert receipts(text) == 0
    assert receipts(text.replace("i64", "f64")) == 1


MESSAGES_BESIDE = """
  func.func @f(%x: memref<2x3xf32>, %p: memref<2x3xf32>, %q: memref<2x3xf32>,
      %t: memref<4x5xf32> {inplace.returnable}) {
    %c = mpi.comm_world : !mpi.comm
    %r = mpi.comm_rank(%c) : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %other = arith.subi %c1, %r : i32
    %a = memref.alloc() : memref<4x3xf32>
    %sent = mpi.isend(%p, %c0, %other, %c) : memref<2x3xf32>, i32, i32 -> !mpi.request
    mpi.allgather(%x, %a, %c) : memref<2x3xf32>, memref<4x3xf32>
    %s = memref.subview %t[0, 1] [4, 3] [1, 1] : memref<4x5xf32> to memref<4x3xf32, strided<[5, 1], offset: 1>>
    memref.copy %a, %s : memref<4x3xf32> to memref<4x3xf32, strided<[5, 1], offset: 1>>
    mpi.recv(%q, %c0, %other, %c) : memref<2x3xf32>, i32, i32
    mpi.wait(%sent) : !mpi.request
    return
  }"""


def test_an_exchange_takes_no_message_of_the_program() -> None:
    given = [
        [*(np.full((2, 3), number, np.float32) for number in (rank, 70 + rank, 0)), np.zeros((4, 5), np.float32)]
        for rank in range(2)
    ]
    with ir.Context():
        module = ir.Module.parse(MESSAGES_BESIDE)
        run_pipeline(module, "inplace-receive-in-place,inplace-exchange-in-turn")
        assert "mpi.allgather(" not in str(module)
        evaluate_ranks(module, "f", given)
    for rank, (_, _, received, filled) in enumerate(given):
        np.testing.assert_array_equal(received, np.full((2, 3), 71 - rank))
        np.testing.assert_array_equal(filled[:, 1:4], np.repeat([[0.0], [1.0]], 2, 0) * np.ones((4, 3)))


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
