"""Merges of control flow: only facts that hold on all paths are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .machine import SymbolicMachine
from .memory import Content, IncomingPath, Layer, Renamed
from .places import WHOLE, Place, is_empty, join
from .states import MemoryState, View
from .terms import UNDEFINED, TermKind, Terms

__all__ = ["Control", "back_edge"]

_MOST_RELATED = 64


class Control:
    """Runs regions on ``machine``; ``run_block`` executes the ops of a block."""

    def __init__(self, machine: SymbolicMachine, run_block: Callable[[int], None]) -> None:
        self.machine = machine
        self.run_block = run_block

    # --- branches --------------------------------------------------------------------------------------------------

    def merge(
        self,
        before: MemoryState,
        paths: Sequence[MemoryState],
        renamed: Renamed,
        op: int,
        chosen: Mapping[int, Sequence[View | None]],
    ) -> None:
        """Merge the states at the end of all ``paths``, which start at ``before``, into the state after ``op``.

        ``chosen`` has for each memref that is defined there its view on each path.
        """
        m = self.machine
        m.state = before
        roots = dict.fromkeys(root for path in paths for root in self.changed(path, before))
        roots.update(dict.fromkeys(self.holders(renamed, before)))
        found: dict[int, Content] = {}
        for root in roots:
            contents = [path.get(root) for path in paths]
            # Memory that is missing on a path is not visible after the merge.
            if all(contents):
                found[root] = self.merged([IncomingPath(content, again=True) for content in contents], renamed, op)
        for value, views in chosen.items():
            known = self._known(views)
            if known and any(view != known[0] for view in known):
                seen = [self.seen(view, path, op) for view, path in zip(known, paths, strict=True)]
                found[value] = self.merged([IncomingPath(content, again=True) for content in seen], renamed, op)
        for value, views in chosen.items():
            self._choose(value, self._known(views))
        # Only now, as the states of the paths extend `before`.
        for root, content in found.items():
            before.set(root, content)

    def merged(self, paths: Sequence[IncomingPath], renamed: Renamed, op: int) -> Content:
        """Return the content where ``paths`` merge at ``op``."""
        places = self._places([path.content for path in paths], renamed)
        return self.machine.memory.merged(paths, renamed, places, op)

    def _known(self, views: Sequence[View | None]) -> list[View]:
        """Return ``views`` if all of them are followed, and have few aliases."""
        known = [view for view in views if view is not None]
        many = sum(len(self.machine.related.get(view.root, ())) for view in known) > _MOST_RELATED
        return known if len(known) == len(views) and not many else []

    def _choose(self, value: int, known: list[View]) -> None:
        """Set memref ``value`` to any of the views ``known``."""
        m = self.machine
        if all(view == known[0] for view in known):
            m.alias(value, known[0] if known else None)
        else:
            m.renew(value)
            m.views[value] = View(value)
            m.relate(value, {view.root for view in known})

    def holders(self, renamed: Renamed, state: MemoryState) -> list[int]:
        """Return the roots that hold a renamed term."""
        terms = self.machine.program.terms
        wanted = dict.fromkeys(old for _, before in renamed for old in before if old != UNDEFINED)
        for term in list(wanted):
            if terms.table[term].kind == TermKind.PART:
                wanted[terms.table[term].base] = None
        return list(dict.fromkeys(root for term in wanted for root in self.machine.holders(term, state)))

    def _places(self, contents: Sequence[Content], renamed: Renamed) -> list[Place]:
        """Return the places where renamed terms may be."""
        terms = self.machine.program.terms
        found: list[Place] = []
        for _, before in renamed:
            for term, content in zip(before, contents, strict=True):
                wanted = terms.table[term]
                if wanted.kind == TermKind.PART:
                    found.extend(join(layer.place, wanted.part) for layer in content if wanted.base in layer.terms)
        return found

    def seen(self, view: View, state: MemoryState, op: int) -> Content:
        """Return the content of ``view``, seen as a root. That of an empty view is unknown."""
        is_known = not is_empty(view.place)
        layers = self.machine.memory.copied(state.get(view.root), view.place, WHOLE, op) if is_known else []
        return tuple(layers) or (Layer(WHOLE, frozenset(), op, "memory that is not known"),)

    def changed(self, back: MemoryState, head: MemoryState) -> list[int]:
        """Return the roots that changed from ``head`` to ``back``."""
        found: dict[int, None] = {}
        state: MemoryState | None = back
        while state is not None and state is not head:
            found.update(dict.fromkeys(state.changes))
            state = state.before
        return list(found)


def back_edge(terms: Terms, content: Content, forwarded: set[int], tensor_begin: int, begin: int) -> IncomingPath:
    """Return the path along a back edge to a head at these positions; the branch forwards the terms ``forwarded``."""
    return IncomingPath(
        content,
        lambda term: term not in forwarded and terms.is_newer(term, tensor_begin, begin),
        lambda place: terms.is_newer_place(place, tensor_begin, begin),
    )
