"""May-alias sets and their index: whatever meets in time and place is found, in sets of any size and history."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlir_inplace.passes.analysis.conflicts.accesses import AccessIndex, Read, Write
from mlir_inplace.passes.analysis.conflicts.alias_sets import AliasSets
from mlir_inplace.passes.analysis.conflicts.storage_set import Question, StorageSet
from mlir_inplace.passes.analysis.index_sets.slices import Slice, Symbol

UNKNOWN = Symbol(99)

VALUES = 6


def row(offset: int, size: int) -> Slice:
    return Slice((offset,), (size,), (1,))


slices = st.one_of(
    st.none(),
    st.builds(row, st.integers(0, 40), st.integers(1, 12)),
    st.builds(lambda offset: Slice((offset,), (UNKNOWN,), (1,)), st.integers(0, 3)),
)
values = st.integers(0, VALUES - 1)
reads = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30), values, slices), max_size=40)
writes = st.lists(st.tuples(st.integers(0, 90), values, slices), max_size=40)
links = st.lists(st.tuples(values, values, slices), max_size=5)


def accesses(made: list[tuple[int, int, int, Slice | None]], first: int) -> list[Read]:
    return [Read(begin, begin + length, first + i, value, part) for i, (begin, length, value, part) in enumerate(made)]


def written(made: list[tuple[int, int, Slice | None]], first: int) -> list[Write]:
    return [Write(position, first + i, value, part) for i, (position, value, part) in enumerate(made)]


def certainly_apart(sets: AliasSets, first: Read | Write, second: Read | Write) -> bool:
    """By constant bounds in a class that both lie in."""
    a, b = sets.locate(first.value, first.slice), sets.locate(second.value, second.slice)
    return any(
        len(a[root]) == len(b[root])
        and any(x and y and (x[1] < y[0] or y[1] < x[0]) for x, y in zip(a[root], b[root], strict=True))
        for root in a.keys() & b.keys()
    )


def meets(read: Read, write: Write) -> bool:
    return read.begin < write.position <= read.end


def check(storage: StorageSet, sets: AliasSets, all_reads: list[Read], all_writes: list[Write]) -> None:
    """What a question finds meets in time, is there once, and lacks nothing that may meet in place."""
    for write in all_writes:
        found = list(storage.reads_at(write.position, write.value, write.slice))
        assert len(found) == len(set(found))
        assert all(meets(read, write) for read in found)
        assert all(certainly_apart(sets, r, write) for r in all_reads if meets(r, write) and r not in found)
    for read in all_reads:
        between = list(storage.writes_between(read.begin, read.end, read.value, read.slice))
        assert len(between) == len(set(between))
        assert all(meets(read, write) for write in between)
        assert all(certainly_apart(sets, read, w) for w in all_writes if meets(read, w) and w not in between)


@given(reads, reads, writes, writes, links, links)
def test_nothing_that_may_meet_is_missed(
    first_reads: list[tuple[int, int, int, Slice | None]],
    second_reads: list[tuple[int, int, int, Slice | None]],
    first_writes: list[tuple[int, int, Slice | None]],
    second_writes: list[tuple[int, int, Slice | None]],
    before: list[tuple[int, int, Slice | None]],
    after: list[tuple[int, int, Slice | None]],
) -> None:
    """Two sets are filled and joined; links are known before, and others become known when accesses are entered."""
    sets = AliasSets()
    for view, source, part in before:
        sets.link(view, source, part)
    storage, other = (StorageSet() for _ in range(2))
    r1, r2 = accesses(first_reads, 0), accesses(second_reads, 100)
    w1, w2 = written(first_writes, 200), written(second_writes, 300)
    for into, some_reads, some_writes in ((storage, r1, w1), (other, r2, w2)):
        for read in some_reads:
            into.add_read(read)
        for write in some_writes:
            into.add_write(write)
    storage.absorb(StorageSet(), sets.equivalence.find, sets.locate)
    check(storage, sets, r1, w1)
    for view, source, part in after:
        sets.link(view, source, part)
    storage.absorb(other, sets.equivalence.find, sets.locate)
    assert (storage.reads, storage.writes) == ([*r1, *r2], [*w1, *w2])
    check(storage, sets, [*r1, *r2], [*w1, *w2])


def test_a_question_about_one_place_looks_at_no_other() -> None:
    """A thousand tiles that all live at once: what concerns one of them is one."""
    sets = AliasSets()
    index = AccessIndex(sets.equivalence.find, sets.locate)
    for tile in range(1, 1001):
        sets.link(tile, 0, row(8 * tile, 8))
        index.add_read(Read(tile, 5000, tile, tile, None))
        index.add_write(Write(2000 + tile, tile, tile, None))
    assert [read.value for read in index.reads_at(3000, 0, row(8 * 500 + 2, 4))] == [500]
    assert [write.value for write in index.writes_between(0, 5000, 0, row(8 * 500 + 2, 4))] == [500]
    assert [write.value for write in index.writes_between(2003, 2005, 0, None)] == [5, 4]
    sets.link(0, sets.equivalence.find(0), None)


def test_tiles_of_two_dimensions_are_told_apart() -> None:
    sets = AliasSets()
    index = AccessIndex(sets.equivalence.find, sets.locate)
    for i in range(20):
        for j in range(20):
            index.add_read(Read(0, 9, 20 * i + j, 0, Slice((4 * i, 16 * j), (4, 16), (1, 1))))
    assert [read.operand for read in index.reads_at(5, 0, Slice((4, 32), (4, 16), (1, 1)))] == [22]
    column = index.reads_at(5, 0, Slice((UNKNOWN, 32), (4, 16), (1, 1)))
    assert sorted(read.operand for read in column) == [20 * i + 2 for i in range(20)]


@pytest.mark.parametrize(
    ("part", "box"),
    [
        (Slice((UNKNOWN,), (4,), (1,)), None),
        (Slice((3,), (4,), (2,)), ((3, 9),)),
        (Slice((9,), (4,), (-2,)), ((3, 9),)),
        (Slice((3,), (0,), (1,)), ((3, 3),)),
        (Slice((3, 0), (4, UNKNOWN), (1, 1)), ((3, 6), None)),
    ],
)
def test_bounding_boxes(part: Slice, box: object) -> None:
    assert part.box == box


@pytest.mark.parametrize("count", [1, 40])
def test_absorbing_takes_everything_over(count: int) -> None:
    sets = AliasSets()
    first, second = (StorageSet() for _ in range(2))
    question = Question(Write(3, 30, 1, None), 7)
    for position in range(count):
        second.add_write(Write(position, position, 1, None))
    second.readonly.append(7)
    second.rotating = True
    second.spare([question], sets.equivalence.find)
    second.first = 2
    second.confined = {7: [Write(3, 30, 1, None)]}
    first.add_write(Write(50, 50, 0, None))
    first.add_read(Read(45, 47, 2, 0, None))
    first.first = 4
    first.absorb(second, sets.equivalence.find, sets.locate)
    assert len(first) == count + 2
    assert {write.operand for write in first.writes_between(-1, 60, 0, None)} == {50, *range(count)}
    assert (first.first_write, first.last_write, first.first_begin, first.last_end) == (0, 50, 45, 47)
    assert (first.readonly, first.spared) == ([7], {(1, 7): [question]})
    assert (first.first, first.rotating) == (2, True)
    assert first.confined == second.confined


def test_sets_that_do_not_overlap_in_time_do_not_meet() -> None:
    live, early, late = (StorageSet() for _ in range(3))
    live.add_read(Read(5, 9, 0, 0, None))
    early.add_write(Write(5, 1, 1, None))
    late.add_write(Write(10, 1, 1, None))
    assert not live.may_meet(early)
    assert not live.may_meet(late)
    late.add_write(Write(6, 1, 1, None))
    assert live.may_meet(late)
