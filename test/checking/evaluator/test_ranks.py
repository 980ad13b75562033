"""Several ranks in one process: what collectives compute, and how programs that cannot go on are told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from mlir import ir

from mlir_inplace.checking.evaluator import Evaluation, EvaluationError, evaluate_ranks

GRID = "shard.grid @g(shape = 2x3)\n"


def run(text: str, arguments: Sequence[Sequence[Any]]) -> list[Evaluation]:
    with ir.Context():
        return evaluate_ranks(ir.Module.parse(text), "f", arguments)


def whole(op: str, result: str, values: Sequence[Any], type_: str) -> list[Any]:
    text = (
        f"{GRID}func.func @f(%t: {type_}) -> {result} {{ %r = shard.{op} : {type_} -> {result} return %r : {result} }}"
    )
    return [one.results[0] for one in run(text, [[value] for value in values])]


VALUES = [np.array([10 * rank, 10 * rank + 1], np.int32) for rank in range(6)]
T = "tensor<2xi32>"


def test_sums_among_the_ranks_of_an_axis() -> None:
    """Ranks 0, 3 differ in axis 0 only; 0, 1, 2 in axis 1."""
    by_rows = whole("all_reduce %t on @g grid_axes = [0]", T, VALUES, T)
    assert [list(r) for r in by_rows[:3]] == [[30, 32], [50, 52], [70, 72]]
    by_columns = whole("all_reduce %t on @g grid_axes = [1]", T, VALUES, T)
    assert [list(r) for r in by_columns] == [[30, 33]] * 3 + [[120, 123]] * 3


def test_parts_are_gathered_in_the_order_of_axes() -> None:
    gathered = whole("all_gather %t on @g grid_axes = [1, 0] gather_axis = 0", "tensor<12xi32>", VALUES, T)
    assert list(gathered[4]) == [0, 1, 30, 31, 10, 11, 40, 41, 20, 21, 50, 51]


def test_shifts_and_their_ends() -> None:
    shifted = whole("shift %t on @g grid_axes = [1] shift_axis = 1 offset = 1 rotate", T, VALUES, T)
    assert [r[0] for r in shifted] == [20, 0, 10, 50, 30, 40]


def test_positions() -> None:
    text = f"""{GRID}func.func @f() -> (index, index, index, index) {{
      %l = shard.process_linear_index on @g : index
      %p:2 = shard.process_multi_index on @g : index, index
      %q = shard.process_multi_index on @g axes = [1] : index
      return %l, %p#0, %p#1, %q : index, index, index, index }}"""
    assert [one.results for one in run(text, [[]] * 6)][4] == (4, 1, 1, 1)


def test_ranks_have_memory_of_their_own() -> None:
    text = """
      func.func @f(%m: memref<2xf32>) -> i32 {
        %w = mpi.comm_world : !mpi.comm
        mpi.allreduce(%m, %m, MPI_SUM, %w) : memref<2xf32>, memref<2xf32>
        %s = mpi.comm_size(%w) : i32
        return %s : i32
      }"""
    arguments = [[np.full(2, rank, np.float32)] for rank in range(64)]
    assert {one.results for one in run(text, arguments)} == {(64,)}
    assert all((given[0] == 64 * 63 / 2).all() for given in arguments)


def test_other_collectives_on_other_ranks() -> None:
    text = """
      func.func @f(%m: memref<2xf32>, %p: i1) {
        %w = mpi.comm_world : !mpi.comm
        scf.if %p {
          mpi.allreduce(%m, %m, MPI_SUM, %w) : memref<2xf32>, memref<2xf32>
        } else {
          mpi.barrier(%w)
        }
        return
      }"""
    with pytest.raises(EvaluationError, match=r"rank \d calls mpi\.\w+.* while rank \d calls mpi\."):
        run(text, [[np.zeros(2, np.float32), rank == 1] for rank in range(3)])


def test_a_rank_that_leaves_before_the_others() -> None:
    text = """
      func.func @f(%m: memref<2xf32>, %p: i1) {
        %w = mpi.comm_world : !mpi.comm
        scf.if %p {
          mpi.barrier(%w)
        }
        return
      }"""
    with pytest.raises(
        EvaluationError, match=r"deadlock: ranks 0, 2: waiting in 'mpi\.barrier' at .*; rank 1: returned"
    ):
        run(text, [[np.zeros(2, np.float32), rank != 1] for rank in range(3)])


def test_sends_that_wait_for_each_other() -> None:
    """Each rank sends before it receives: with MPI it depends on the size whether that hangs."""
    text = """
      func.func @f(%m: memref<2xf32>, %other: i32) {
        %w = mpi.comm_world : !mpi.comm
        %tag = arith.constant 0 : i32
        mpi.send(%m, %tag, %other, %w) : memref<2xf32>, i32, i32
        mpi.recv(%m, %tag, %other, %w) : memref<2xf32>, i32, i32
        return
      }"""
    with pytest.raises(EvaluationError, match=r"deadlock: ranks 0, 1: waiting in 'mpi\.send"):
        run(text, [[np.zeros(2, np.float32), 1 - rank] for rank in range(2)])


def test_an_error_ends_all_ranks_and_names_its_own() -> None:
    text = """
      func.func @f(%m: memref<2xf32>, %i: index) -> f32 {
        %w = mpi.comm_world : !mpi.comm
        %x = memref.load %m[%i] : memref<2xf32>
        mpi.barrier(%w)
        return %x : f32
      }"""
    with pytest.raises(EvaluationError, match=r"memref\.load': rank 2: index \[5\] is out of bounds"):
        run(text, [[np.zeros(2, np.float32), 5 if rank == 2 else 0] for rank in range(3)])


def test_a_grid_of_another_size() -> None:
    with pytest.raises(EvaluationError, match=r"the grid is \[2, 3\], but there are 4 ranks"):
        whole("all_reduce %t on @g grid_axes = [0]", T, VALUES[:4], T)


def test_a_received_message_must_fit() -> None:
    text = """
      func.func private @inplace_mpi_sendrecv_1d_f32(memref<?xf32>, i32, memref<?xf32>, i32, !mpi.comm)
      func.func @f(%a: memref<?xf32>, %b: memref<?xf32>, %other: i32) {
        %w = mpi.comm_world : !mpi.comm
        call @inplace_mpi_sendrecv_1d_f32(%a, %other, %b, %other, %w)
            : (memref<?xf32>, i32, memref<?xf32>, i32, !mpi.comm) -> ()
        return
      }"""
    sizes = [(2, 3), (2, 2)]
    with pytest.raises(EvaluationError, match="2 elements are received, but there is memory for 3"):
        run(text, [[*(np.zeros(n, np.float32) for n in sizes[rank]), 1 - rank] for rank in range(2)])


def test_one_rank_alone_has_nobody_to_ask() -> None:
    from mlir_inplace.checking.evaluator import evaluate

    with ir.Context():
        module = ir.Module.parse("func.func @f() { %w = mpi.comm_world : !mpi.comm return }")
        with pytest.raises(EvaluationError, match="there is one rank only; call evaluate_ranks"):
            evaluate(module, "f", [])
