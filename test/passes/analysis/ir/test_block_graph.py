"""The graph of a region's blocks against brute force: every way is searched for, irreducible graphs included."""

from __future__ import annotations

from itertools import product

import pytest
from block_graphs import Edges, dominates, graphs, ways
from fast_run import scaled
from hypothesis import given, settings

from mlir_inplace.passes.analysis.ir.block_graph import BlockGraph, BlockLoop


def places(graph: BlockGraph) -> Edges:
    return [list(targets) for targets in graph.successors]


@given(graphs())
def test_every_reachable_block_is_read_once(edges: Edges) -> None:
    graph = BlockGraph(edges)
    assert set(graph.order) == ways(edges, 0) | {0}
    assert sorted(graph.order + graph.unreachable) == list(range(len(edges)))
    assert graph.order[0] == 0
    expected = [tuple(graph.order.index(target) for target in edges[block]) for block in graph.order]
    assert graph.successors == expected


@settings(max_examples=scaled(300, least=60))
@given(graphs())
def test_dominators(edges: Edges) -> None:
    graph = BlockGraph(edges)
    blocks = places(graph)
    for first, second in product(range(len(blocks)), repeat=2):
        assert graph.dominates(first, second) == dominates(blocks, first, second)
        if graph.dominates(first, second):
            assert first <= second
    for place in range(1, len(blocks)):
        above = [d for d in range(len(blocks)) if d != place and dominates(blocks, d, place)]
        assert graph.immediate_dominator[place] == max(above, key=lambda d: sum(dominates(blocks, e, d) for e in above))


@given(graphs())
def test_loops_are_nested_intervals_that_lead_from_anywhere_to_anywhere(edges: Edges) -> None:
    graph = BlockGraph(edges)
    blocks = places(graph)
    for begin, end, outer in graph.loops:
        inside = [[t for t in targets if begin <= t <= end] for targets in blocks]
        assert all(ways(inside, place) == set(range(begin, end + 1)) for place in range(begin, end + 1))
        if outer >= 0:
            # A loop does not contain the header of the one around it.
            assert graph.loops[outer].begin < begin <= end <= graph.loops[outer].end
    for place, loop in enumerate(graph.loop_of):
        around = [n for n, (begin, end, _) in enumerate(graph.loops) if begin <= place <= end]
        assert loop == max(around, key=lambda n: graph.loops[n].begin, default=-1)


@settings(max_examples=scaled(500, least=60))
@given(graphs())
def test_a_way_leads_back_past_a_definition_iff_a_loop_without_it_does(edges: Edges) -> None:
    """The claim behind the rule that loops decide what is overwritten by an earlier or later iteration."""
    graph = BlockGraph(edges)
    blocks = places(graph)
    count = len(blocks)
    for defined, write, read in product(range(count), repeat=3):
        if read > write or not (dominates(blocks, defined, write) and dominates(blocks, defined, read)):
            continue
        back = any(b <= write <= e and b <= read <= e and not b <= defined <= e for b, e, _ in graph.loops)
        assert (read in ways(blocks, write, avoided=defined)) == back


@settings(max_examples=scaled(500, least=60))
@given(graphs())
def test_reachability(edges: Edges) -> None:
    graph = BlockGraph(edges)
    blocks = places(graph)
    for first, second in product(range(len(blocks)), repeat=2):
        assert graph.reaches(first, second, -1) == (second in ways(blocks, first))
        for avoided in range(len(blocks)):
            if dominates(blocks, avoided, first) and dominates(blocks, avoided, second):
                assert graph.reaches(first, second, avoided) == (second in ways(blocks, first, avoided=avoided))


@pytest.mark.parametrize(
    ("edges", "order", "loops"),
    [
        ([[]], [0], []),
        ([[1, 2], [3], [3], []], [0, 1, 2, 3], []),
        # The body of a loop comes before what follows it, wherever it stands.
        ([[1], [2, 3], [], [1]], [0, 1, 3, 2], [BlockLoop(1, 2, -1)]),
        ([[1], [1, 2], []], [0, 1, 2], [BlockLoop(1, 1, -1)]),
        ([[1], [2, 5], [3, 4], [2], [1], []], [0, 1, 2, 3, 4, 5], [BlockLoop(1, 4, -1), BlockLoop(2, 3, 0)]),
        # Two ways into a loop: the block that the search from the entry meets first, by the last edge, is the header.
        ([[1, 2], [2], [1, 3], []], [0, 2, 1, 3], [BlockLoop(1, 2, -1)]),
        ([[2], [2], []], [0, 2], []),
    ],
)
def test_order(edges: Edges, order: list[int], loops: list[BlockLoop]) -> None:
    graph = BlockGraph(edges)
    assert (graph.order, graph.loops) == (order, loops)


def test_far_away_means_reachable() -> None:
    """Two ways of n blocks each that never meet: the search gives up and takes the worse for granted."""

    def fork(n: int) -> BlockGraph:
        left, right = [*range(1, n + 1)], [*range(n + 1, 2 * n + 1)]
        return BlockGraph([[1, n + 1], *([b + 1] for b in left[:-1]), [], *([b + 1] for b in right[:-1]), []])

    assert not fork(200).reaches(1, 201, -1)
    assert fork(300).reaches(1, 301, -1)


def test_long_graphs_are_no_problem() -> None:
    """No recursion, and a block that many others lead to costs no more than each of them."""
    n = 20_000
    chain = BlockGraph([*([b + 1, n] for b in range(n)), []])
    assert chain.immediate_dominator[n] == 0
    assert chain.dominates(n - 2, n - 1)
    exits = BlockGraph([*([b + 1, n + 1] for b in range(n)), [n + 1], []])
    assert exits.immediate_dominator[n + 1] == 0
