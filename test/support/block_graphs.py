"""Random block graphs and brute-force questions about them: every way is searched for."""

from __future__ import annotations

from hypothesis import strategies as st

Edges = list[list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Edges:
    """The blocks that each block branches to. Block 0 is the entry; irreducible graphs and self-loops are included."""
    size = draw(st.integers(1, 8))
    targets = st.lists(st.integers(min(1, size - 1), size - 1), max_size=3)
    return [draw(targets) if size > 1 else [] for _ in range(size)]


def ways(edges: Edges, start: int, avoided: int = -1) -> set[int]:
    """The blocks that some way of at least one edge from the end of `start` enters, without entering `avoided`."""
    seen: set[int] = set()
    work = [start]
    while work:
        for target in edges[work.pop()]:
            if target != avoided and target not in seen:
                seen.add(target)
                work.append(target)
    return seen


def dominates(edges: Edges, first: int, second: int) -> bool:
    """Whether every way to `second`, which can be reached, passes `first`."""
    return first in (0, second) or (second != 0 and second not in ways(edges, 0, avoided=first))
