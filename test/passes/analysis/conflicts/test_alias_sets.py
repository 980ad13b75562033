"""Which values may share memory: sets that keep what is asked of them, facts that can be taken back, origins."""

from __future__ import annotations

from disjoint_sets import classes, pairs
from hypothesis import given
from hypothesis import strategies as st

from mlir_inplace.passes.analysis.conflicts.accesses import Read
from mlir_inplace.passes.analysis.conflicts.alias_sets import AliasSets
from mlir_inplace.passes.analysis.index_sets.slices import Slice, Symbol
from mlir_inplace.passes.analysis.ir.union_find import UnionFind

LEFT, RIGHT = Slice((0,), (4,), (1,)), Slice((4,), (4,), (1,))


# --- may alias -------------------------------------------------------------------------------------------------------


@given(pairs)
def test_merged_sets_are_one(merges: list[tuple[int, int]]) -> None:
    sets, expected = AliasSets(), UnionFind()
    for value in range(8):
        sets.storage(value).add_read(Read(value, value + 1, value, value, None))
    for a, b in merges:
        sets.merge(a, b)
        expected.union(a, b)
    for a in range(8):
        together = {b for b in range(8) if expected.find(b) == expected.find(a)}
        assert {b for b in range(8) if sets.find(b) == sets.find(a)} == together
        assert {read.value for read in sets.storage(a).reads} == together


# --- facts -----------------------------------------------------------------------------------------------------------


def test_equivalent_values_share_their_links_and_origins() -> None:
    sets = AliasSets()
    sets.link(1, 0, LEFT)
    sets.unite(2, 1)
    root = sets.equivalence.find(1)
    assert sets.path(2) == [(root, None), (0, LEFT)]
    assert sets.have_common_origin(2, 0)
    assert not sets.have_common_origin(2, 3)


def test_a_link_that_is_united_into_a_larger_class_is_kept() -> None:
    sets = AliasSets()
    for value in (3, 4, 5):
        sets.unite(value, 2)
    sets.link(1, 0, LEFT)
    sets.unite(1, 2)
    assert [slice_ for _, slice_ in sets.path(5)] == [None, LEFT]
    assert sets.have_common_origin(5, 0)


def test_taking_back_restores_everything() -> None:
    sets = AliasSets()
    sets.link(1, 0, LEFT)
    mark = sets.mark()
    sets.unite(1, 2)
    sets.link(3, 2, RIGHT)
    sets.come_from(4, 3)
    sets.unite(4, 5)
    assert sets.have_common_origin(5, 0)
    sets.undo(mark)
    assert sets.path(1) == [(1, None), (0, LEFT)]
    for value in (2, 3, 4, 5):
        assert sets.path(value) == [(value, None)]
        assert not any(sets.have_common_origin(value, other) for other in range(8) if other != value)
    assert sets.have_common_origin(1, 0)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(0, 5)), max_size=10), st.integers(0, 10))
def test_facts_are_taken_back_one_by_one(steps: list[tuple[int, int, int]], kept: int) -> None:
    def state(of: AliasSets) -> tuple[list[int], list[bool], list[list[Slice | None]]]:
        return (
            classes(of.equivalence, 6),
            [of.have_common_origin(a, b) for a in range(6) for b in range(6)],
            [[slice_ for _, slice_ in of.path(value)] for value in range(6)],
        )

    sets = AliasSets()
    states, marks = [state(sets)], []
    for kind, a, b in steps:
        marks.append(sets.mark())
        if kind == 0:
            sets.link(a, b, LEFT)
        else:
            (sets.unite, sets.come_from)[kind - 1](a, b)
        states.append(state(sets))
    while len(marks) > kept:
        sets.undo(marks.pop())
        states.pop()
        assert state(sets) == states[-1]


def test_a_class_keeps_its_first_link() -> None:
    sets = AliasSets()
    sets.link(1, 0, LEFT)
    mark = sets.mark()
    sets.link(1, 2, RIGHT)
    assert sets.path(1) == [(1, None), (0, LEFT)]
    assert sets.have_common_origin(1, 2)
    sets.undo(mark)
    assert sets.path(1) == [(1, None), (0, LEFT)]
    assert not sets.have_common_origin(1, 2)


def test_paths_lead_through_views_of_views() -> None:
    sets = AliasSets()
    sets.link(2, 1, RIGHT)
    sets.link(1, 0, LEFT)
    assert sets.path(2) == [(2, None), (1, RIGHT), (0, LEFT)]


def test_a_view_of_itself_does_not_hang() -> None:
    """A loop's result may be a view of what the loop was given, which may be the result."""
    sets = AliasSets()
    sets.link(1, 0, LEFT)
    sets.unite(0, 2)
    sets.link(2, 1, RIGHT)
    assert len(sets.path(1)) == 2
    assert sets.have_common_origin(1, 2)


def test_the_place_of_a_part_is_known_in_every_class_around_it() -> None:
    sets = AliasSets()
    sets.link(2, 1, Slice((Symbol(3), 8), (4, 2), (1, 3)))
    sets.link(1, 0, Slice((Symbol(3),), (Symbol(3),), (1,)))
    assert sets.locate(2, LEFT) == {2: ((0, 3),), 1: (None, (8, 11))}
    assert sets.locate(2, None) == {1: (None, (8, 11))}
    assert sets.locate(0, None) == {}


def test_a_long_path_is_cut_off() -> None:
    sets = AliasSets()
    for view in range(1, 200):
        sets.link(view, view - 1, LEFT)
    assert len(sets.path(199)) < 100
    assert sets.path(199)[:3] == [(199, None), (198, LEFT), (197, LEFT)]


# --- origins ---------------------------------------------------------------------------------------------------------


def test_two_origins_of_one_value_are_no_origins_of_each_other() -> None:
    sets = AliasSets()
    sets.come_from(2, 0)
    sets.come_from(2, 1)
    assert sets.have_common_origin(2, 0)
    assert sets.have_common_origin(2, 1)
    assert not sets.have_common_origin(0, 1)


def test_two_values_from_one_origin_have_it_in_common() -> None:
    sets = AliasSets()
    sets.come_from(1, 0)
    sets.come_from(2, 0)
    assert sets.have_common_origin(1, 2)
    assert not sets.have_common_origin(1, 3)


def test_two_values_with_very_many_origins_may_have_one_in_common() -> None:
    """Looking for it would take too long, and nothing is said to be apart that was not looked at."""
    sets = AliasSets()
    for value in range(1, 999):
        sets.come_from(value, value - 1)
    assert sets.have_common_origin(998, 999)
    assert sets.have_common_origin(999, 998)
    assert not sets.have_common_origin(100, 999)


def test_origins_may_go_round_in_circles() -> None:
    sets = AliasSets()
    sets.come_from(1, 2)
    sets.come_from(2, 1)
    sets.come_from(2, 0)
    assert sets.have_common_origin(1, 0)
    assert not sets.have_common_origin(1, 3)


# --- rotation --------------------------------------------------------------------------------------------------------


def test_slots_of_one_rotation_are_apart() -> None:
    sets = AliasSets()
    sets.unite(0, 3)
    sets.rotate([4, 5], 11)
    mark = sets.mark()
    sets.rotate([0, 1], 10)
    sets.link(6, 1, LEFT)
    assert sets.rotated_apart(0, 1)
    assert sets.rotated_apart(3, 1)
    assert sets.rotated_apart(0, 6)
    assert not sets.rotated_apart(1, 6)
    assert not sets.rotated_apart(0, 4)
    assert not sets.rotated_apart(0, 2)
    sets.undo(mark)
    assert not sets.rotated_apart(0, 1)
    assert sets.rotated_apart(4, 5)


def test_a_slot_is_found_through_a_union_and_lost_when_it_is_taken_back() -> None:
    sets = AliasSets()
    for value in (3, 4):
        sets.unite(2, value)
    sets.rotate([0, 1], 10)
    mark = sets.mark()
    sets.unite(0, 2)
    assert sets.rotated_apart(4, 1)
    sets.undo(mark)
    assert not sets.rotated_apart(4, 1)
    assert sets.rotated_apart(0, 1)
