"""Messages that are begun and waited for later: their order, and uses of their memory in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from mlir import ir

from mlir_inplace.checking.evaluator import EvaluationError, evaluate_ranks

BEGIN = """
  %w = mpi.comm_world : !mpi.comm
  %tag = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %x = arith.constant 5.0 : f32
  %r = mpi.irecv(%b, %tag, %other, %w) : memref<2xf32>, i32, i32 -> !mpi.request
  %s = mpi.isend(%a, %tag, %other, %w) : memref<2xf32>, i32, i32 -> !mpi.request"""
WAIT = """
  mpi.wait(%r) : !mpi.request
  mpi.wait(%s) : !mpi.request"""


def run(body: str, arguments: Sequence[Sequence[Any]] | None = None) -> list[Sequence[Any]]:
    """Run a body on two ranks, each of which sends `a` to the other; returns the arguments."""
    given = arguments or [[np.float32([rank, 10 + rank]), np.zeros(2, np.float32), 1 - rank] for rank in range(2)]
    with ir.Context():
        text = f"func.func @f(%a: memref<2xf32>, %b: memref<2xf32>, %other: i32) {{{body}\nreturn }}"
        evaluate_ranks(ir.Module.parse(text), "f", given)
    return list(given)


def test_what_was_sent_is_there_after_the_wait() -> None:
    arguments = run(BEGIN + WAIT)
    assert [list(one[1]) for one in arguments] == [[1, 11], [0, 10]]


def test_memory_that_is_sent_may_be_read() -> None:
    run(f"{BEGIN}\n%y = memref.load %a[%c0] : memref<2xf32>{WAIT}\nmemref.store %y, %b[%c0] : memref<2xf32>")


def test_memory_that_is_sent_must_stay() -> None:
    with pytest.raises(EvaluationError, match=r"memory that 'mpi\.isend' at .* sends is written before the wait"):
        run(f"{BEGIN}\nmemref.store %x, %a[%c0] : memref<2xf32>{WAIT}")


def test_memory_that_is_received_into_must_not_be_written() -> None:
    with pytest.raises(EvaluationError, match=r"memory that 'mpi\.irecv' at .* receives into is written before"):
        run(f"{BEGIN}\nmemref.store %x, %b[%c0] : memref<2xf32>{WAIT}")


def test_memory_that_is_received_into_is_undefined_until_the_wait() -> None:
    body = f"""{BEGIN}
      %y = memref.load %b[%c0] : memref<2xf32>
      %p = arith.cmpf ogt, %y, %x : f32
      scf.if %p {{ mpi.barrier(%w) }}{WAIT}"""
    with pytest.raises(EvaluationError, match=r"never written decides about control flow"):
        run(body)


def test_freed_memory() -> None:
    begin = BEGIN.replace("isend(%a", "isend(%t")
    body = f"%t = memref.alloc() : memref<2xf32>\nlinalg.fill ins(%v : f32) outs(%t : memref<2xf32>){begin}"
    body = f"%v = arith.constant 1.0 : f32\n{body}\nmemref.dealloc %t : memref<2xf32>{WAIT}"
    with pytest.raises(EvaluationError, match=r"memory is used after it was freed"):
        run(body)


def test_a_message_that_is_not_waited_for() -> None:
    with pytest.raises(EvaluationError, match=r"rank \d: it never waits for the message of 'mpi\.isend'"):
        run(f"{BEGIN}\nmpi.wait(%r) : !mpi.request")


def test_a_second_wait() -> None:
    with pytest.raises(EvaluationError, match=r"the message of 'mpi\.irecv' .* was waited for before"):
        run(f"{BEGIN}{WAIT}\nmpi.wait(%r) : !mpi.request")


def test_a_wait_for_what_nobody_sends() -> None:
    only = "\n".join(line for line in BEGIN.splitlines() if "isend" not in line)
    with pytest.raises(EvaluationError, match=r"deadlock: ranks 0, 1: waiting in 'mpi\.wait'"):
        run(f"{only}\nmpi.wait(%r) : !mpi.request")


def test_messages_meet_receives_in_the_order_in_which_both_were_begun() -> None:
    """The later receive is waited for first, and gets the second message."""
    body = f"""{BEGIN}
      %first = memref.alloc() : memref<1xf32>
      %second = memref.subview %a[1] [1] [1] : memref<2xf32> to memref<1xf32, strided<[1], offset: 1>>
      %q = mpi.irecv(%first, %tag, %other, %w) : memref<1xf32>, i32, i32 -> !mpi.request
      %t = mpi.isend(%second, %tag, %other, %w)
        : memref<1xf32, strided<[1], offset: 1>>, i32, i32 -> !mpi.request
      mpi.wait(%q) : !mpi.request
      mpi.wait(%t) : !mpi.request{WAIT}
      %y = memref.load %first[%c0] : memref<1xf32>
      memref.store %y, %b[%c0] : memref<2xf32>
      memref.dealloc %first : memref<1xf32>"""
    assert [list(one[1]) for one in run(body)] == [[11, 11], [10, 10]]


SUM = """
  %w = mpi.comm_world : !mpi.comm
  %c0 = arith.constant 0 : index
  %x = arith.constant 5.0 : f32
  %q = func.call @inplace_mpi_begin_allreduce_3_t(%a, %b, %w)
    : (memref<2xf32>, memref<2xf32>, !mpi.comm) -> !mpi.request"""
SUMMED = """
  %e = func.call @inplace_mpi_wait_for(%q) : (!mpi.request) -> !mpi.retval"""
DECLARED = """
func.func private @inplace_mpi_begin_allreduce_3_t(memref<2xf32>, memref<2xf32>, !mpi.comm) -> !mpi.request
func.func private @inplace_mpi_wait_for(!mpi.request) -> !mpi.retval
"""


def run_sum(body: str) -> list[Sequence[Any]]:
    given = [[np.float32([rank, 10 + rank]), np.zeros(2, np.float32)] for rank in range(3)]
    with ir.Context():
        text = f"{DECLARED}func.func @f(%a: memref<2xf32>, %b: memref<2xf32>) {{{body}\nreturn }}"
        evaluate_ranks(ir.Module.parse(text), "f", given)
    return list(given)


def test_a_sum_is_there_after_the_wait() -> None:
    load = "%y = memref.load %a[%c0] : memref<2xf32>"
    assert [list(one[1]) for one in run_sum(f"{SUM}\n{load}{SUMMED}")] == [[3, 33]] * 3


def test_a_sum_in_place() -> None:
    body = SUM.replace("(%a, %b,", "(%a, %a,") + SUMMED
    assert [list(one[0]) for one in run_sum(body)] == [[3, 33]] * 3


@pytest.mark.parametrize(("memory", "told"), [("a", "sends"), ("b", "receives into")])
def test_memory_of_a_sum_must_stay(memory: str, told: str) -> None:
    with pytest.raises(EvaluationError, match=f"memory that 'func.call' at .* {told} is written before the wait"):
        run_sum(f"{SUM}\nmemref.store %x, %{memory}[%c0] : memref<2xf32>{SUMMED}")


def test_a_sum_that_is_not_waited_for() -> None:
    with pytest.raises(EvaluationError, match=r"rank \d: it never waits for the message of 'func\.call'"):
        run_sum(SUM)


def test_a_sum_that_is_begun_meets_none_that_waits() -> None:
    waits = "mpi.allreduce(%a, %b, MPI_SUM, %w) : memref<2xf32>, memref<2xf32>"
    body = f"""
      %w = mpi.comm_world : !mpi.comm
      %r = mpi.comm_rank(%w) : i32
      %zero = arith.constant 0 : i32
      %first = arith.cmpi eq, %r, %zero : i32
      scf.if %first {{ {waits} }} else {{ {SUM.replace("%w = mpi.comm_world : !mpi.comm", "")}{SUMMED} }}"""
    with pytest.raises(EvaluationError, match="all ranks of a group must call the same"):
        run_sum(body)


def test_codes_of_messages_are_those_of_success() -> None:
    body = """
      %w = mpi.comm_world : !mpi.comm
      %c0 = arith.constant 0 : index
      %x = arith.constant 5.0 : f32
      %r = mpi.comm_rank(%w) : i32
      %tag = arith.constant 0 : i32
      %e = mpi.allreduce(%a, %a, MPI_SUM, %w) : memref<2xf32>, memref<2xf32> -> !mpi.retval
      %d = mpi.barrier(%w) -> !mpi.retval
      %ok = mpi.retval_check %e = <MPI_SUCCESS> : i1
      %well = mpi.retval_check %d = <MPI_SUCCESS> : i1
      %both = arith.andi %ok, %well : i1
      scf.if %both { memref.store %x, %b[%c0] : memref<2xf32> }"""
    assert [list(one[1]) for one in run_sum(body)] == [[5, 0]] * 3
