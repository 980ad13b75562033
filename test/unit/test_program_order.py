"""Order in time of two places: before, after, never both, around each other, and the way around loops."""

from __future__ import annotations

import pytest
from analysed import parse
from mlir import ir

from mlir_inplace.passes.analysis.program_order import Order, ProgramOrder
from mlir_inplace.passes.analysis.snapshot import Snapshot

TEXT = """
func.func @f(%n: index, %p: i1) {
  %outside = arith.constant 0 : index loc("outside")
  "test.op"() : () -> () loc("a")
  scf.for %i = %n to %n step %n {
    %outer = arith.constant 1 : index loc("outer")
    "test.op"() : () -> () loc("b")
    scf.if %p {
      "test.op"() : () -> () loc("then")
      scf.for %j = %n to %n step %n {
        "test.op"() : () -> () loc("c")
        %inner = arith.constant 2 : index loc("inner")
        "test.op"() : () -> () loc("d")
      } loc("loop2")
    } else {
      "test.op"() : () -> () loc("else")
    } loc("if")
    "test.op"() : () -> () loc("e")
  } loc("loop1")
  "test.regions"() ({
    "test.op"() : () -> () loc("first")
    "test.end"() : () -> ()
  }, {
    "test.op"() : () -> () loc("second")
    "test.end"() : () -> ()
  }) : () -> () loc("regions")
  "test.op"() : () -> () loc("z")
  return
}
"""


class Places:
    """The snapshot of TEXT, its ops and values by name, and its order."""

    def __init__(self) -> None:
        self.snapshot = Snapshot(parse(TEXT).operation, lambda _op, name, _region: name == "scf.for")
        names = [o.location.name_str if isinstance(o.location, ir.NameLoc) else "" for o in self.snapshot.ops]
        self.ops = {name: number for number, name in enumerate(names) if name}
        exclusive = frozenset(o for o, name in enumerate(self.snapshot.op_name) if name == "scf.if")
        self.order = ProgramOrder(self.snapshot, exclusive)

    def value(self, name: str) -> int:
        return self.snapshot.results(self.ops[name])[0]

    def block(self, name: str) -> int:
        return self.snapshot.op_block[self.ops[name]]

    def body(self, name: str) -> int:
        return self.snapshot.op_regions[self.ops[name]][0][0]


@pytest.fixture(scope="module")
def places() -> Places:
    return Places()


OPPOSITE = {
    Order.BEFORE: Order.AFTER,
    Order.AFTER: Order.BEFORE,
    Order.ENCLOSES: Order.INSIDE,
    Order.INSIDE: Order.ENCLOSES,
    Order.SAME: Order.SAME,
    Order.EXCLUSIVE: Order.EXCLUSIVE,
}


@pytest.mark.parametrize(
    ("first", "second", "order", "common"),
    [
        ("a", "z", Order.BEFORE, "a"),
        ("a", "d", Order.BEFORE, "a"),
        ("d", "z", Order.BEFORE, "a"),
        ("b", "e", Order.BEFORE, "b"),
        ("b", "d", Order.BEFORE, "b"),
        ("c", "d", Order.BEFORE, "c"),
        ("then", "c", Order.BEFORE, "then"),
        ("b", "b", Order.SAME, "b"),
        ("if", "if", Order.SAME, "b"),
        ("then", "else", Order.EXCLUSIVE, "b"),
        ("d", "else", Order.EXCLUSIVE, "b"),
        ("loop1", "d", Order.ENCLOSES, "a"),
        ("loop1", "b", Order.ENCLOSES, "a"),
        ("loop2", "d", Order.ENCLOSES, "then"),
        ("if", "else", Order.ENCLOSES, "b"),
        ("if", "e", Order.BEFORE, "b"),
    ],
)
def test_order(places: Places, first: str, second: str, order: Order, common: str) -> None:
    found = places.order.order(places.ops[first], places.ops[second])
    assert found == (order, places.block(common))
    found = places.order.order(places.ops[second], places.ops[first])
    assert found == (OPPOSITE[order], places.block(common))


def test_regions_that_are_not_exclusive_may_run_in_any_order(places: Places) -> None:
    first, second = places.ops["first"], places.ops["second"]
    assert places.order.order(first, second) == (Order.BEFORE, places.block("regions"))
    assert places.order.order(second, first) == (Order.BEFORE, places.block("regions"))


@pytest.mark.parametrize(
    ("value", "op", "dominates"),
    [
        ("outside", "a", True),
        ("outside", "d", True),
        ("outer", "b", True),
        ("outer", "d", True),
        ("outer", "else", True),
        ("outer", "z", False),
        ("outer", "a", False),
        ("inner", "d", True),
        ("inner", "c", False),
        ("inner", "else", False),
        ("inner", "e", False),
    ],
)
def test_dominates(places: Places, value: str, op: str, dominates: bool) -> None:
    assert places.order.dominates(places.value(value), places.ops[op]) == dominates


@pytest.mark.parametrize(
    ("value", "block", "loop"),
    [
        ("outside", "a", None),
        ("outside", "b", "loop1"),
        ("outside", "then", "loop1"),
        ("outside", "c", "loop1"),
        ("outer", "b", None),
        ("outer", "then", None),
        ("outer", "c", "loop2"),
        ("inner", "c", None),
        ("inner", "b", None),
    ],
)
def test_the_way_around(places: Places, value: str, block: str, loop: str | None) -> None:
    """A loop leads from any place to any other unless the value is defined anew on the way."""
    number, where = places.value(value), places.block(block)
    assert places.order.wraps(number, where) == (loop is not None)
    assert places.order.outermost_wrap(number, where) == (-1 if loop is None else places.body(loop))


@pytest.mark.parametrize(
    ("value", "op", "until"),
    [
        ("outside", "a", "a"),
        ("outside", "z", "z"),
        ("outside", "b", "loop1"),
        ("outside", "d", "loop1"),
        ("outer", "b", "b"),
        ("outer", "d", "loop2"),
        ("outer", "e", "e"),
        ("inner", "d", "d"),
    ],
)
def test_a_read_may_happen_until_the_end_of_the_loops_that_keep_the_value(
    places: Places, value: str, op: str, until: str
) -> None:
    last = places.order.last_moment(places.value(value), places.ops[op])
    if until.startswith("loop"):
        assert last == places.snapshot.block_end[places.body(until)]
    else:
        assert last == places.snapshot.op_enter[places.ops[until]]
