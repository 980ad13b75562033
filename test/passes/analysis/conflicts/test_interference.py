"""Where values are live, and that no decision looks at more accesses than it may."""

from __future__ import annotations

import pytest
from analysed import Analysed, analyse

from mlir_inplace.passes.analysis.conflicts.liveness import Liveness
from mlir_inplace.passes.analysis.ir.program_order import ProgramOrder

LIVE = """
  %d = tensor.splat %f : !v loc("d")
  scf.for %k = %c0 to %n step %c1 {
    %w = tensor.insert %f into %d[%i] : !v loc("w")
    %r = tensor.extract %w[%i] : !v loc("r")
  } loc("loop")
  %l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> !v {
    scf.yield %a : !v loc("y")
  } loc("carries")
  %e = tensor.empty() : !v loc("e")
  %s = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("s")
  %x = tensor.extract %e[%i] : !v
  %m = bufferization.to_buffer %u read_only : !v to memref<8xf32> loc("m")
  "test.keep"(%m) : (memref<8xf32>) -> ()
  return %l : !v loc("end")
"""


@pytest.fixture(scope="module")
def live() -> Analysed:
    return analyse(LIVE)


def live_range(a: Analysed, value: str) -> tuple[int, int] | None:
    """From the definition to the last read."""
    effects = a.analysis.effects
    order = ProgramOrder(a.snapshot, frozenset())
    reads = Liveness(effects, order).reads(a.value(value))
    return (reads[0].begin, max(read.end for read in reads)) if reads else None


@pytest.mark.parametrize(
    ("value", "until"),
    [("t", "carries"), ("w", "r"), ("carries", "end"), ("carries^1", "y")],
)
def test_a_value_lives_until_its_last_read(live: Analysed, value: str, until: str) -> None:
    """A view that nobody reads is no read; what a loop is given is read when it starts."""
    s = live.snapshot
    assert live_range(live, value) == (s.value_position[live.value(value)], s.op_enter[live.op(until)])


def test_a_value_read_in_a_loop_lives_until_the_end_of_the_loop(live: Analysed) -> None:
    s = live.snapshot
    body = s.op_regions[live.op("loop")][0][0]
    assert live_range(live, "d") == (s.value_position[live.value("d")], s.block_end[body])


def test_a_value_that_escapes_lives_for_ever(live: Analysed) -> None:
    s = live.snapshot
    assert live_range(live, "u") == (s.value_position[live.value("u")], s.op_exit[0])


@pytest.mark.parametrize("value", ["s", "e"])
def test_values_nobody_reads_and_values_without_content_are_not_live(live: Analysed, value: str) -> None:
    assert live_range(live, value) is None


def versions(reads: int, writes: int) -> str:
    """A chain of writes into one of the two buffers that a select chooses from, then reads of the other one.

    Each write meets each read, and only that they have no origin in common tells them apart.
    """
    chain = [f"%w{n} = tensor.insert %f into %w{n - 1}[%i] : !v" for n in range(1, writes)]
    others = [f"%r{n} = tensor.extract %t[%i] : !v" for n in range(reads)]
    return "\n".join(
        ['%w0 = tensor.insert %f into %u[%i] : !v loc("w")', *chain, *others, f"return %t, %w{writes - 1} : !v, !v"]
    )


@pytest.mark.parametrize(("reads", "writes", "enough"), [(200, 8, True), (800, 200, False)])
def test_a_decision_that_would_take_too_long_is_a_no(reads: int, writes: int, enough: bool) -> None:
    a = analyse('%s = arith.select %p, %t, %u : !v loc("s")\n' + versions(reads, writes))
    rules = {reason.split()[1] for reason in a.not_in_place.values()}
    assert rules == (set() if enough else {"TOO_MANY_ACCESSES"})
