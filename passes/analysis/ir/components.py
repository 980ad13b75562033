"""The strongly connected components of a graph: what can reach each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

__all__ = ["strong_components"]

_Node = TypeVar("_Node", bound=Hashable)


def strong_components(nodes: Iterable[_Node], successors: Callable[[_Node], Iterable[_Node]]) -> list[list[_Node]]:
    """Return the components of the graph that is reached from ``nodes``, each after those that it leads to (Tarjan).

    Iterative; linear in nodes and edges.
    """
    index: dict[_Node, int] = {}
    low: dict[_Node, int] = {}
    open_nodes: list[_Node] = []
    placed: set[_Node] = set()
    found: list[list[_Node]] = []

    stack: list[tuple[_Node, Iterator[_Node]]] = []

    def enter(node: _Node) -> None:
        index[node] = low[node] = len(index)
        open_nodes.append(node)
        stack.append((node, iter(successors(node))))

    for root in nodes:
        if root in index:
            continue
        enter(root)
        while stack:
            node, targets = stack[-1]
            for target in targets:
                if target not in index:
                    enter(target)
                    break
                if target not in placed:
                    low[node] = min(low[node], index[target])
            else:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[node])
                if low[node] == index[node]:
                    component: list[_Node] = []
                    while not component or component[-1] != node:
                        component.append(open_nodes.pop())
                    placed.update(component)
                    found.append(component)
    return found
