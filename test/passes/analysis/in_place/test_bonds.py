"""Which operands bring a write and a read together, and that nothing else is said to."""

from __future__ import annotations

from unittest import mock

import pytest
from analysed import Analysed, analyse, loop

from mlir_inplace.passes.analysis.conflicts.decisions import Rule
from mlir_inplace.passes.analysis.in_place import improvement
from mlir_inplace.passes.analysis.in_place.bonds import Bonds

VIEWS = """
  %a = tensor.extract_slice %t[0] [6] [1] : !v to tensor<6xf32> loc("a")
  %b = tensor.extract_slice %a[2] [2] [1] : tensor<6xf32> to tensor<2xf32> loc("b")
  %c = tensor.extract_slice %u[0] [2] [1] : !v to tensor<2xf32> loc("c")
  %w = tensor.insert %f into %t[%i] : !v loc("w")
  return %w, %b, %c : !v, tensor<2xf32>, tensor<2xf32>
"""


def bonds_of(a: Analysed) -> Bonds:
    return Bonds(a.analysis.effects, a.function().function)


def places(a: Analysed, operands: frozenset[int] | None) -> set[str] | None:
    return None if operands is None else {a.place(operand) for operand in operands}


def test_the_core_is_what_ties_the_write_to_what_is_read() -> None:
    """%b is a view of %a: either may be copied, or the write refused; %c is a view of another tensor."""
    a = analyse(VIEWS)
    (paid,) = a.not_in_place
    conflict = a.function().decisions[a.operand(paid)].conflict
    assert conflict is not None
    core = places(a, bonds_of(a).core(a.function(), a.operand(paid), conflict))
    assert core is not None
    assert {"w#1", "a#0", "b#0"} >= core > set()
    assert "c#0" not in core


def test_the_core_of_what_threads_write_has_the_write() -> None:
    """Whose content it would be is not told: it is what the loop brings to the write."""
    a = analyse("""
      %r = scf.forall (%k) in (4) shared_outs(%o = %t) -> (!v) {
        %l = scf.for %m = %c0 to %c4 step %c1 iter_args(%a = %u) -> !v {
          %w = tensor.insert %f into %a[%m] : !v loc("w")
          scf.yield %w : !v
        } loc("l")
        %s = tensor.extract_slice %l[%k] [1] [1] : !v to tensor<1xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %s into %o[%k] [1] [1] : tensor<1xf32> into !v
        }
      }
      return %r : !v
    """)
    (paid,) = a.not_in_place
    conflict = a.function().decisions[a.operand(paid)].conflict
    assert conflict is not None
    assert conflict.rule is Rule.PARALLEL
    assert places(a, bonds_of(a).core(a.function(), a.operand(paid), conflict)) == {"w#1", paid}


def test_between_are_the_operands_that_would_have_to_be_in_place() -> None:
    a = analyse(VIEWS)
    bonds = bonds_of(a)
    assert places(a, bonds.between(a.value("t"), a.value("b"))) == {"a#0", "b#0"}
    assert places(a, bonds.between(a.value("w"), a.value("b"))) == {"w#1", "a#0", "b#0"}
    assert bonds.between(a.value("t"), a.value("c")) is None


def test_a_way_to_an_argument_ends_at_what_is_copied() -> None:
    a = analyse(VIEWS)
    (paid,) = a.not_in_place
    ways = {name: bonds_of(a).to_argument(a.function(), a.value(name)) for name in ("a", "b", "c")}
    assert places(a, ways["c"]) == {"c#0"}
    assert (ways["b"] is None) == (paid in ("a#0", "b#0"))


def test_a_loop_ties_its_argument_to_its_result() -> None:
    a = analyse(loop("%a = %t", 'scf.yield %a : !v loc("y")') + "return %l#0 : !v")
    s = a.snapshot
    (operand,) = [o for o in a.analysis.effects.forwards if s.operand_value[o] == a.value("t")]
    argument, result = sorted(a.analysis.effects.forwards[operand], key=lambda value: s.value_op[value])
    assert bonds_of(a).between(argument, result) == frozenset()


def test_no_trials_where_so_much_is_paid_for_that_a_few_would_not_do() -> None:
    count = improvement.MOST_PAID
    lines = [
        f"""%s{n} = tensor.extract_slice %t[{n % 5}] [4] [1] : !v to !h
        %w{n} = tensor.insert %f into %s{n}[%i] : !h
        %x{n} = tensor.insert %f into %s{n}[%j] : !h
        "test.use"(%w{n}, %x{n}) : (!h, !h) -> ()"""
        for n in range(count)
    ]
    with mock.patch.object(improvement.LikelyClauses, "learn", side_effect=AssertionError("a trial")):
        decisions = analyse("\n".join(lines), allow_unknown=True).function().decisions.values()
    assert sum(not decision.in_place for decision in decisions) >= count


SELECTS = """
  %r:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %t, %b = %u) -> (!v, !v) {
    %s = arith.select %p, %FIRST, %b : !v loc("s")
    scf.yield %b, %a : !v, !v loc("y")
  }
  return %r#0, %r#1 : !v, !v
"""


@pytest.mark.parametrize(("first", "found"), [("a", {"s#1", "s#2"}), ("b", set[str]())])
def test_what_keeps_a_loop_from_a_swap_joins_its_buffers_in_the_body(first: str, found: set[str]) -> None:
    """That the loop itself brings each buffer to the place of the other is not told."""
    a = analyse(SELECTS.replace("FIRST", first))
    assert places(a, bonds_of(a).outside_loop(a.function(), a.operand("y#0"))) == found
    assert bonds_of(a).outside_loop(a.function(), a.operand("s#1")) == frozenset()


def test_a_write_separates_and_one_of_two_ways_does_not() -> None:
    """%b is tied to %t by %a alone."""
    a = analyse(VIEWS)
    (paid,) = a.not_in_place
    bonds, conflict = bonds_of(a), a.function().decisions[a.operand(paid)].conflict
    assert conflict is not None
    assert bonds.separates(a.function(), a.operand(paid), conflict, a.operand("w#1"))
    assert bonds.separates(a.function(), a.operand(paid), conflict, a.operand(paid))
    assert not bonds.separates(a.function(), a.operand(paid), conflict, a.operand("c#0"))
