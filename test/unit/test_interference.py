"""Where values are live, and that no decision looks at more accesses than it may."""

from __future__ import annotations

import pytest
from analysed import Analysed, analyse

from mlir_inplace.passes.analysis.interference import Interference
from mlir_inplace.passes.analysis.program_order import ProgramOrder

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
    effects = a.analysis.effects
    order = ProgramOrder(a.snapshot, frozenset())
    return Interference(effects, order, a.function().sets).live_range(a.value(value))


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


@pytest.mark.parametrize(("count", "in_place"), [(300, True), (600, False)])
def test_a_decision_that_would_take_too_long_is_a_no(count: int, in_place: bool) -> None:
    """The write goes to an element that none of the reads, all of them later, touches."""
    text = "\n".join(f"%r{n} = tensor.extract %t[%k{n % 7}] : !v" for n in range(count))
    constants = "\n".join(f"%k{n} = arith.constant {n} : index" for n in range(8))
    a = analyse(f'{constants}\n%w = tensor.insert %f into %t[%k7] : !v loc("w")\n{text}')
    assert list(a.not_in_place) == ([] if in_place else ["w#1"])
    assert in_place or a["w#1"].startswith("copy: TOO_MANY_ACCESSES write=w#1")
