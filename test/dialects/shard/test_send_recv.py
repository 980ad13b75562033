"""`shard.send` and `shard.recv`: what is received, in which memory, in which order, and what cannot go on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluation, EvaluationError, evaluate_ranks

BUFFERIZE = """builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true},
    inplace-canonicalize,cse)"""
PIPELINES = ["", BUFFERIZE]
T = "tensor<4x6xf32>"
WRITABLE = "{bufferization.writable = true}"


def run(body: str, ranks: int, pipeline: str, *, grid: str = "", result: str = T) -> list[Evaluation]:
    """A function on a tensor `%t` that differs on each rank, whose number is `%rank`."""
    text = f"""
      shard.grid @g(shape = {grid or ranks})
      func.func @f(%t: {T} {WRITABLE}, %rank: index) -> {result} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        {body}
      }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        if pipeline:
            mi.run_pipeline(module, pipeline)
        return evaluate_ranks(module, "f", [[given(rank), rank] for rank in range(ranks)])


def given(rank: int) -> Any:
    return (np.arange(24, dtype=np.float32) + 24 * rank + 1).reshape(4, 6)


FIRST_TO_LAST = f"""
        %is_first = arith.cmpi eq, %rank, %c0 : index
        %r = scf.if %is_first -> {T} {{
          %s = shard.send %t on @g grid_axes = [0] destination = [2] : ({T}) -> {T}
          scf.yield %s : {T}
        }} else {{
          %is_second = arith.cmpi eq, %rank, %c1 : index
          %o = scf.if %is_second -> {T} {{
            scf.yield %t : {T}
          }} else {{
            %v = shard.recv %t on @g grid_axes = [0] source = [0] : ({T}) -> {T}
            scf.yield %v : {T}
          }}
          scf.yield %o : {T}
        }}
        return %r : {T}"""


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_from_one_rank_to_another(pipeline: str) -> None:
    found = run(FIRST_TO_LAST, 3, pipeline)
    for one, origin in zip(found, (0, 1, 0), strict=True):
        np.testing.assert_array_equal(one.results[0], given(origin))
        assert (one.allocations, one.copies) == (0, 0)


RELAY = f"""
        %is_first = arith.cmpi eq, %rank, %c0 : index
        %before = arith.subi %rank, %c1 : index
        %after = arith.addi %rank, %c1 : index
        %r = scf.if %is_first -> {T} {{
          scf.yield %t : {T}
        }} else {{
          %v = shard.recv %t on @g grid_axes = [1] source = [%before] : ({T}, index) -> {T}
          scf.yield %v : {T}
        }}
        %c2 = arith.constant 2 : index
        %is_last = arith.cmpi eq, %rank, %c2 : index
        %p = scf.if %is_last -> {T} {{
          scf.yield %r : {T}
        }} else {{
          %s = shard.send %r on @g grid_axes = [1] destination = [%after] : ({T}, index) -> {T}
          scf.yield %s : {T}
        }}
        return %p : {T}"""


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_message_that_is_passed_on_along_an_axis(pipeline: str) -> None:
    """The rank in the group, `%rank`, is the position along the axis: there is one row."""
    for one in run(RELAY, 3, pipeline, grid="1x3"):
        np.testing.assert_array_equal(one.results[0], given(0))
        assert (one.allocations, one.copies) == (0, 0)


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_coordinates_of_several_axes(pipeline: str) -> None:
    """In the group of axes 2, 0 of a grid of 2x1x3, [2, 1] is rank 5, and [0, 0] is rank 0."""
    body = f"""
        %c2 = arith.constant 2 : index
        %c5 = arith.constant 5 : index
        %is_first = arith.cmpi eq, %rank, %c0 : index
        %is_last = arith.cmpi eq, %rank, %c5 : index
        %r = scf.if %is_first -> {T} {{
          %s = shard.send %t on @g grid_axes = [2, 0] destination = [%c2, 1] : ({T}, index) -> {T}
          scf.yield %s : {T}
        }} else {{
          scf.yield %t : {T}
        }}
        %p = scf.if %is_last -> {T} {{
          %v = shard.recv %r on @g grid_axes = [2, 0] source = [%c0, %c0] : ({T}, index, index) -> {T}
          scf.yield %v : {T}
        }} else {{
          scf.yield %r : {T}
        }}
        return %p : {T}"""
    found = run(body, 6, pipeline, grid="2x1x3")
    for one, origin in zip(found, (0, 1, 2, 3, 4, 0), strict=True):
        np.testing.assert_array_equal(one.results[0], given(origin))


EXCHANGED = f"""
        %other = arith.subi %c1, %rank : index
        %is_first = arith.cmpi eq, %rank, %c0 : index
        %r:2 = scf.if %is_first -> ({T}, {T}) {{
          %s = shard.send %t on @g grid_axes = [0] destination = [1] : ({T}) -> {T}
          %v = shard.recv %t on @g grid_axes = [0] source = [1] : ({T}) -> {T}
          scf.yield %s, %v : {T}, {T}
        }} else {{
          %v = shard.recv %t on @g grid_axes = [0] source = [0] : ({T}) -> {T}
          %s = shard.send %t on @g grid_axes = [0] destination = [0] : ({T}) -> {T}
          scf.yield %s, %v : {T}, {T}
        }}
        return %r#0, %r#1 : {T}, {T}"""


def test_what_is_sent_or_read_later_is_not_overwritten() -> None:
    """The tensor is returned beside the one that is received, so this needs memory of its own; its content is none."""
    for pipeline in PIPELINES:
        for rank, one in enumerate(run(EXCHANGED, 2, pipeline, result=f"({T}, {T})")):
            np.testing.assert_array_equal(one.results[0], given(rank))
            np.testing.assert_array_equal(one.results[1], given(1 - rank))
    assert {(one.allocations, one.copies) for one in found_memory(EXCHANGED)} == {(1, 0)}


def found_memory(body: str) -> list[Evaluation]:
    return run(body, 2, BUFFERIZE, result=f"({T}, {T})")


def test_a_slice_is_received_where_it_belongs() -> None:
    body = f"""
        %is_first = arith.cmpi eq, %rank, %c0 : index
        %r = scf.if %is_first -> {T} {{
          %a = tensor.extract_slice %t[0, 5] [4, 1] [1, 1] : {T} to tensor<4x1xf32>
          %s = shard.send %a on @g grid_axes = [0] destination = [1] : (tensor<4x1xf32>) -> tensor<4x1xf32>
          scf.yield %t : {T}
        }} else {{
          %a = tensor.extract_slice %t[0, 0] [4, 1] [1, 1] : {T} to tensor<4x1xf32>
          %v = shard.recv %a on @g grid_axes = [0] source = [0] : (tensor<4x1xf32>) -> tensor<4x1xf32>
          %i = tensor.insert_slice %v into %t[0, 0] [4, 1] [1, 1] : tensor<4x1xf32> into {T}
          scf.yield %i : {T}
        }}
        return %r : {T}"""
    wanted = given(1)
    wanted[:, 0] = given(0)[:, 5]
    for pipeline in PIPELINES:
        first, second = run(body, 2, pipeline)
        np.testing.assert_array_equal(first.results[0], given(0))
        np.testing.assert_array_equal(second.results[0], wanted)
        assert not pipeline or {(one.allocations, one.copies) for one in (first, second)} == {(0, 0)}


def test_no_message_of_a_collective_is_taken_for_it() -> None:
    """Rank 0 sends before it exchanges halos, rank 1 receives after: MPI may keep a short message, or wait for ever.

    The evaluator keeps none. Were the tags one, the halo would be filled with the message, and nobody would wait.
    """
    body = f"""
        %is_first = arith.cmpi eq, %rank, %c0 : index
        %e = tensor.empty() : tensor<1x6xf32>
        scf.if %is_first {{
          %a = tensor.extract_slice %t[0, 0] [1, 6] [1, 1] : {T} to tensor<1x6xf32>
          %s = shard.send %a on @g grid_axes = [0] destination = [1] : (tensor<1x6xf32>) -> tensor<1x6xf32>
        }}
        %h = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1, 1] : {T}
        %r = scf.if %is_first -> tensor<1x6xf32> {{
          scf.yield %e : tensor<1x6xf32>
        }} else {{
          %v = shard.recv %e on @g grid_axes = [0] source = [0] : (tensor<1x6xf32>) -> tensor<1x6xf32>
          scf.yield %v : tensor<1x6xf32>
        }}
        return %h, %r : {T}, tensor<1x6xf32>"""
    for pipeline in PIPELINES:
        with pytest.raises(
            EvaluationError, match=r"deadlock: rank 0: waiting in '(shard|mpi)\.send'.*; rank 1: waiting"
        ):
            run(body, 2, pipeline, result=f"({T}, tensor<1x6xf32>)")


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_message_that_nobody_sends(pipeline: str) -> None:
    body = f"""
        %r = shard.recv %t on @g grid_axes = [0] source = [0] : ({T}) -> {T}
        return %r : {T}"""
    with pytest.raises(EvaluationError, match=r"deadlock: ranks 0, 1: waiting in '(shard|mpi)\.recv"):
        run(body, 2, pipeline)


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_sends_that_wait_for_each_other(pipeline: str) -> None:
    body = f"""
        %other = arith.subi %c1, %rank : index
        %s = shard.send %t on @g grid_axes = [0] destination = [%other] : ({T}, index) -> {T}
        %r = shard.recv %s on @g grid_axes = [0] source = [%other] : ({T}, index) -> {T}
        return %r : {T}"""
    with pytest.raises(EvaluationError, match=r"deadlock: ranks 0, 1: waiting in '(shard|mpi)\.send"):
        run(body, 2, pipeline)


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("coordinates", ["[%c2, %c0]", "[%c0, %c2]", "[1, %c2]"])
def test_a_rank_that_is_none(pipeline: str, coordinates: str) -> None:
    """[0, 2] of a grid of 2x2 would be the number of rank 2; no rank has these coordinates."""
    types = ", ".join([T] + ["index"] * coordinates.count("%"))
    body = f"""
        %c2 = arith.constant 2 : index
        %s = shard.send %t on @g grid_axes = [0, 1] destination = {coordinates} : ({types}) -> {T}
        return %s : {T}"""
    with pytest.raises(EvaluationError, match=r"is no(ne| rank) of"):
        run(body, 4, pipeline, grid="2x2")
