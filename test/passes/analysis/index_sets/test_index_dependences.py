"""What iterations need of each other: each rule by name, and thousands of nests run through."""

from __future__ import annotations

from collections import Counter

import pytest
from random_index_sets import Case, Generator, Values, elements, iterations, plus
from test_index_sets import Program, at_most, cut

from mlir_inplace.passes.analysis.index_sets.dependences import Dependence, DependenceKind, dependences
from mlir_inplace.passes.analysis.index_sets.points import Direction
from mlir_inplace.passes.analysis.index_sets.relations import MOST_LOOPS, IndexSets, carried_by
from mlir_inplace.passes.analysis.index_sets.sums import Symbol

FLOW, ANTI, OUTPUT = DependenceKind
LATER, EARLIER, SAME, ANY = Direction.LATER, Direction.EARLIER, Direction.SAME, Direction.ANY


def test_an_update_of_each_element_stays_within_its_iteration() -> None:
    p = Program()
    loop, i = p.loop(0, p.n, 4)
    tile = cut((i, p.least(4, plus(p.n, (-1, i)))))
    assert dependences(p.sets, tile, tile, [loop]) == (Dependence(ANTI, None, is_certain=True),)
    assert dependences(p.sets, tile, tile, [loop], read_first=False) == (Dependence(FLOW, None, is_certain=True),)


def test_other_elements_are_independent() -> None:
    p = Program()
    loop, i = p.loop(0, p.n)
    assert dependences(p.sets, cut((plus((2, i)), 1)), cut((plus((2, i), 1), 1)), [loop]) == ()


def test_a_reduction_reads_what_the_iteration_before_wrote() -> None:
    p = Program()
    (rows, i), (sums, k) = p.loop(0, p.n), p.loop(0, p.m)
    row = cut((i, 1))
    assert dependences(p.sets, row, row, [rows, sums]) == (
        Dependence(ANTI, None, is_certain=True),
        *(Dependence(kind, k.value, True, (LATER,), (None,)) for kind in (FLOW, ANTI, OUTPUT)),
    )
    # With the reduction outside it is carried there, at the same row.
    assert dependences(p.sets, row, row, [sums, rows])[1:] == tuple(
        Dependence(kind, k.value, True, (LATER, SAME), (None, 0)) for kind in (FLOW, ANTI, OUTPUT)
    )


def test_a_sweep_reads_its_neighbours() -> None:
    """Gauss-Seidel: the new one on the left, the old one on the right."""
    p = Program()
    loop, i = p.loop(1, plus(p.n, -1))
    here = cut((i, 1))
    assert dependences(p.sets, cut((plus(i, -1), 1)), here, [loop]) == (
        Dependence(FLOW, i.value, True, (LATER,), (1,)),
    )
    assert dependences(p.sets, cut((plus(i, 1), 1)), here, [loop]) == (Dependence(ANTI, i.value, True, (LATER,), (1,)),)
    assert dependences(p.sets, cut((plus(i, -1), 3)), here, [loop]) == (
        Dependence(ANTI, None, is_certain=True),
        Dependence(FLOW, i.value, True, (LATER,), (1,)),
        Dependence(ANTI, i.value, True, (LATER,), (1,)),
    )
    # Far apart: only if there are that many iterations.
    short, j = p.loop(0, 5)
    assert dependences(p.sets, cut((plus(j, -5), 1)), cut((j, 1)), [short]) == ()
    assert len(dependences(p.sets, cut((plus(j, -4), 1)), cut((j, 1)), [short])) == 1


def test_a_diagonal_sweep() -> None:
    p = Program()
    (rows, i), (columns, j) = p.loop(1, p.n), p.loop(1, p.m)
    here, corner = cut((i, 1), (j, 1)), cut((plus(i, -1), 1), (plus(j, 1), 1))
    assert dependences(p.sets, corner, here, [rows, columns]) == (
        Dependence(FLOW, i.value, True, (LATER, EARLIER), (1, -1)),
    )


def test_a_triangular_solve() -> None:
    """Row i reads the rows j < i, all of them written before."""
    p = Program()
    outer, i = p.loop(0, p.n)
    inner, j = p.loop(0, i)
    found = dependences(p.sets, cut((j, 1)), cut((i, 1)), [outer, inner])
    assert [(d.kind, d.carrier, d.directions) for d in found] == [
        (FLOW, i.value, (LATER, LATER)),
        (OUTPUT, j.value, (LATER,)),
    ]


def test_what_is_not_known_is_possible() -> None:
    p = Program()
    loop, i = p.loop(0, p.n)
    assert [d.is_certain for d in dependences(p.sets, cut((Symbol(-1), 1)), cut((i, 1)), [loop])] == [False] * 3
    deep = [p.loop(0, 2) for _ in range(MOST_LOOPS + 1)]
    tile = cut(*((i, 1) for _, i in deep))
    found = dependences(p.sets, tile, tile, [loop for loop, _ in deep])
    assert {d.is_certain for d in found if d.carrier is not None} == {False}


def observed(case: Case, values: Values) -> set[tuple[DependenceKind, int | None, tuple[int, ...]]]:
    """The dependences that occur: the kind, the carrier, and the distances from there on."""
    read, write = case.slices
    found: set[tuple[DependenceKind, int | None, tuple[int, ...]]] = set()
    points = [
        (tuple(point[loop.variable] for loop in case.nest), *(elements(case.terms, s, point) for s in (read, write)))
        for point in iterations(case.terms, case.nest, values)
    ]
    for here, reads, writes in points:
        if not reads.isdisjoint(writes):
            found.add((ANTI, None, ()))
        for there, later_reads, later_writes in points:
            if here >= there:
                continue
            carrier = next(depth for depth, (a, b) in enumerate(zip(here, there, strict=True)) if a != b)
            distances = tuple(b - a for a, b in zip(here, there, strict=True))[carrier:]
            for kind, first, second in (
                (FLOW, writes, later_reads),
                (ANTI, reads, later_writes),
                (OUTPUT, writes, later_writes),
            ):
                if not first.isdisjoint(second):
                    found.add((kind, case.nest[carrier].variable, distances))
    return found


def shows(case: Case, kind: DependenceKind, carrier: int | None) -> bool | None:
    """Whether a dependence occurs for the larger sizes that are said to show it; None if that takes too long."""
    read, write = case.slices
    first, second = {FLOW: (write, read), ANTI: (read, write), OUTPUT: (write, write)}[kind]
    carriers = [loop for loop in case.nest if loop.variable == carrier]
    directions = carried_by(case.nest, carriers[0], LATER) if carriers else {}
    values = at_most(IndexSets(case.terms).are_disjoint(first, second, case.nest, directions), case)
    if values is None or max(values.values()) > 12:
        return None
    return (kind, carrier) in {found[:2] for found in observed(case, values)}


def allows(direction: Direction, distance: int) -> bool:
    return {
        LATER: distance > 0,
        EARLIER: distance < 0,
        SAME: distance == 0,
        Direction.OTHER: distance != 0,
        ANY: True,
    }[direction]


@pytest.mark.parametrize("block", range(8))
def test_random_nests(block: int) -> None:
    """Nothing that occurs is left out; directions and distances hold; what is certain occurs for some size."""
    seen: Counter[object] = Counter()
    for seed in range(block * 150, (block + 1) * 150):
        generator = Generator(seed)
        case = generator.case(generator.random.choice((1, 1, 2)))
        found = dependences(IndexSets(case.terms), *case.slices, case.nest)
        described = {(d.kind, d.carrier): d for d in found}
        assert len(described) == len(found)
        assert all(d.is_certain for d in found)
        occurs: set[tuple[DependenceKind, int | None]] = set()
        for values in case.all_values(5):
            for kind, carrier, distances in observed(case, values):
                occurs.add((kind, carrier))
                assert (kind, carrier) in described, case
                dependence = described[kind, carrier]
                for direction, exact, distance in zip(
                    dependence.directions, dependence.distances, distances, strict=True
                ):
                    assert allows(direction, distance), case
                    assert exact is None or exact == distance, case
        seen.update(kind for kind, carrier in occurs if carrier is not None)
        for kind, carrier in described.keys() - occurs:
            assert shows(case, kind, carrier) in (True, None), case
        seen["exact"] += sum(n is not None for d in found for n in d.distances)
    assert min(seen[kind] for kind in DependenceKind) > 10
    assert seen["exact"] > 20
