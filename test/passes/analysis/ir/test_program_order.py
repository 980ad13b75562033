"""Order in time of two places: before, after, never both, around each other, and the way around loops."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from analysed import parse
from block_graphs import Edges, dominates, graphs, ways
from fast_run import scaled
from hypothesis import given, settings
from hypothesis import strategies as st
from mlir import ir

from mlir_inplace.passes.analysis.ir.program_order import Order, ProgramOrder
from mlir_inplace.passes.analysis.ir.snapshot import Snapshot

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


# --- branches between blocks -----------------------------------------------------------------------------------------


class Blocks:
    """A function with a value and an op behind it in each block that can be reached; the op may be in another one."""

    def __init__(self, edges: Edges, *, nested: bool) -> None:
        self.reachable = sorted(ways(edges, 0) | {0})
        open_, close = ('"test.region"() ({', '"test.end"() : () -> ()\n}) : () -> ()') if nested else ("", "")
        lines = [
            f"""{f"^b{block}:" if block else ""}
            %v{block} = arith.constant {block} : index loc("v{block}")
            {open_}
            "test.op"() : () -> () loc("o{block}")
            {close}
            "test.branch"() [{", ".join(f"^b{target}" for target in edges[block])}] : () -> ()"""
            for block in self.reachable
        ]
        text = "\n".join(lines).replace('"test.branch"() []', '"test.leave"()')
        self.snapshot = Snapshot(parse(f"func.func @f() {{\n{text}\n}}").operation, lambda *_: False)
        names = {o.location.name_str: n for n, o in enumerate(self.snapshot.ops) if isinstance(o.location, ir.NameLoc)}
        self.ops = {block: names[f"o{block}"] for block in self.reachable}
        self.values = {block: self.snapshot.results(names[f"v{block}"])[0] for block in self.reachable}
        self.order = ProgramOrder(self.snapshot, frozenset())


@pytest.mark.parametrize("nested", [False, True])
@settings(max_examples=60)
@given(edges=graphs())
def test_what_branches_lead_to(edges: Edges, nested: bool) -> None:
    """With brute force: whether a way leads from a write to a read past the definition."""
    blocks = Blocks(edges, nested=nested)
    s, order = blocks.snapshot, blocks.order
    for defined, value in blocks.values.items():
        for write, writer in blocks.ops.items():
            assert order.dominates(value, writer) == dominates(edges, defined, write)
            for read, reader in blocks.ops.items():
                if not (dominates(edges, defined, write) and dominates(edges, defined, read)):
                    continue
                found, block = order.order(writer, reader, value)
                leads = found is Order.BEFORE or order.outermost_wrap(value, block) >= 0
                assert leads == (read in ways(edges, write, avoided=defined))
                if leads:
                    assert s.op_enter[writer] <= order.last_moment(value, reader)


def test_a_value_from_outside_of_the_blocks() -> None:
    """Blocks inside of a loop: every way back is the loop's, unless the loop defines the value."""
    s = Snapshot(
        parse("""
          func.func @f(%n: index, %p: i1) {
            %outside = arith.constant 0 : index loc("outside")
            scf.for %i = %n to %n step %n {
              %inside = arith.constant 1 : index loc("inside")
              scf.execute_region {
                cf.cond_br %p, ^a, ^b
              ^a:
                "test.op"() : () -> () loc("a")
                cf.br ^end
              ^b:
                "test.op"() : () -> () loc("b")
                cf.br ^end
              ^end:
                scf.yield
              }
            } loc("loop")
            return
          }
        """).operation,
        lambda _op, name, _region: name == "scf.for",
    )
    names = {o.location.name_str: n for n, o in enumerate(s.ops) if isinstance(o.location, ir.NameLoc)}
    order = ProgramOrder(s, frozenset())
    body = s.op_regions[names["loop"]][0][0]
    for name, wraps in (("outside", True), ("inside", False)):
        value = s.results(names[name])[0]
        assert order.dominates(value, names["a"])
        found, block = order.order(names["a"], names["b"], value)
        assert found is Order.EXCLUSIVE
        assert order.outermost_wrap(value, block) == (body if wraps else -1)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=120), st.randoms(use_true_random=False))
@settings(max_examples=scaled(100, least=15))
def test_common_block_of_random_nests(parents: list[int], random: Random) -> None:
    """That of walks to the outermost block, for ops of every depth."""
    children: dict[int, list[int]] = {}
    for number, choice in enumerate(parents):
        children.setdefault(max(number - choice % 3, 0) if choice % 7 else choice % (number + 1), []).append(number + 1)

    def text(number: int) -> str:
        inner = "".join(map(text, children.get(number, ())))
        return f'"test.op"() ({{\n{inner}"test.end"() : () -> ()\n}}) : () -> () loc("{number}")\n'

    snapshot = Snapshot(parse(f"func.func @f() {{\n{text(0)}return\n}}").operation, lambda *_: False)
    order = ProgramOrder(snapshot, frozenset())
    for _ in range(60):
        first, second = (random.randrange(1, len(snapshot.ops)) for _ in range(2))
        ways = [list(way(snapshot, op)) for op in (first, second)]
        block = next(block for block, _ in ways[0] if block in dict(ways[1]))
        assert order.common_block(first, second) == (block, dict(ways[0])[block], dict(ways[1])[block])


def way(snapshot: Snapshot, op: int) -> Iterator[tuple[int, int]]:
    """The blocks around `op`, innermost first, each with the op in it that holds `op`."""
    while snapshot.op_block[op] >= 0:
        yield snapshot.op_block[op], op
        op = snapshot.block_op[snapshot.op_block[op]]


def test_a_deep_nest_takes_a_logarithm_of_steps() -> None:
    depth = 400
    text = 'scf.if %p {\n"test.op"() : () -> ()\n' * depth + "}\n" * depth
    snapshot = Snapshot(parse(f"func.func @f(%p: i1) {{\n{text}return\n}}").operation, lambda *_: False)
    deepest = max(range(len(snapshot.blocks)), key=lambda block: snapshot.block_depth[block])
    for target in range(depth):
        block, steps = deepest, 0
        while snapshot.block_depth[block] > target:
            jump = snapshot.block_jump[block]
            block = jump if snapshot.block_depth[jump] >= target else snapshot.parent_block(block)
            steps += 1
        assert block == snapshot.block_at(deepest, target)
        assert steps <= 3 * depth.bit_length()
