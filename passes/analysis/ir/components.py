"""Strongly connected components of a directed graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

__all__ = ["strongly_connected"]

Node = TypeVar("Node", bound=Hashable)


def strongly_connected(roots: Iterable[Node], successors: Callable[[Node], Iterable[Node]]) -> list[list[Node]]:
    """Return the components of what ``roots`` reach, each behind those that it leads to (Tarjan).

    Iterative. Linear in nodes and edges; ``successors`` is asked once for each node.
    """
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    open_nodes: list[Node] = []
    placed: set[Node] = set()
    found: list[list[Node]] = []
    for root in roots:
        work = [] if root in index else [(root, iter(successors(root)))]
        while work:
            node, targets = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                open_nodes.append(node)
            for target in targets:
                if target not in index:
                    work.append((target, iter(successors(target))))
                    break
                if target not in placed:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = [open_nodes.pop()]
                    while component[-1] != node:
                        component.append(open_nodes.pop())
                    placed.update(component)
                    found.append(component)
    return found
