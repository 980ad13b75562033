"""Control flow: where ways meet, only what holds on all of them is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .machine import SymbolicMachine
from .memory import Content, Layer, Renamed, Way
from .places import WHOLE, Place, is_empty, join
from .states import MemoryState, View
from .terms import UNDEFINED, TermKind, Terms

__all__ = ["Control", "way_back"]

_MOST_RELATED = 64


class Control:
    """Runs regions on ``machine``; ``run_block`` executes the ops of a block."""

    def __init__(self, machine: SymbolicMachine, run_block: Callable[[int], None]) -> None:
        self.machine = machine
        self.run_block = run_block

    # --- branches --------------------------------------------------------------------------------------------------

    def meet(
        self,
        before: MemoryState,
        ways: Sequence[MemoryState],
        renamed: Renamed,
        op: int,
        chosen: Mapping[int, Sequence[View | None]],
    ) -> None:
        """Let the state after ``op`` be what holds at the end of all ``ways``, which begin at ``before``.

        ``chosen`` has for each memref that is defined there what it is on the ways.
        """
        m = self.machine
        m.state = before
        roots = dict.fromkeys(root for way in ways for root in self.changed(way, before))
        roots.update(dict.fromkeys(self.holders(renamed, before)))
        found: dict[int, Content] = {}
        for root in roots:
            contents = [way.get(root) for way in ways]
            # Memory that only one way has is named by nobody behind it.
            if all(contents):
                found[root] = self._met(contents, renamed, op)
        for value, views in chosen.items():
            known = self._known(views)
            if known and any(view != known[0] for view in known):
                seen = [self.seen(view, way, op) for view, way in zip(known, ways, strict=True)]
                found[value] = self._met(seen, renamed, op)
        for value, views in chosen.items():
            self._choose(value, self._known(views))
        # Only now, as ways go on where `before` ends.
        for root, content in found.items():
            before.set(root, content)

    def _met(self, contents: Sequence[Content], renamed: Renamed, op: int) -> Content:
        ways = [Way(content, again=True) for content in contents]
        return self.machine.memory.met(ways, renamed, self.places(contents, renamed), op)

    def _known(self, views: Sequence[View | None]) -> list[View]:
        """Return ``views`` if all of them are followed, and are not too many pieces of memory."""
        known = [view for view in views if view is not None]
        many = sum(len(self.machine.related.get(view.root, ())) for view in known) > _MOST_RELATED
        return known if len(known) == len(views) and not many else []

    def _choose(self, value: int, known: list[View]) -> None:
        """Let memref ``value`` be one of ``known``."""
        m = self.machine
        if all(view == known[0] for view in known):
            m.alias(value, known[0] if known else None)
        else:
            m.renew(value)
            m.views[value] = View(value)
            m.relate(value, {view.root for view in known})

    def holders(self, renamed: Renamed, state: MemoryState) -> list[int]:
        """Return the roots that hold a term that gets another name."""
        terms = self.machine.program.terms
        wanted = dict.fromkeys(old for _, before in renamed for old in before if old != UNDEFINED)
        for term in list(wanted):
            if terms.table[term].kind == TermKind.PART:
                wanted[terms.table[term].base] = None
        return list(dict.fromkeys(root for term in wanted for root in self.machine.holders(term, state)))

    def places(self, contents: Sequence[Content], renamed: Renamed) -> list[Place]:
        """Return the places where terms that get another name may be."""
        terms = self.machine.program.terms
        found: list[Place] = []
        for _, before in renamed:
            for term, content in zip(before, contents, strict=True):
                wanted = terms.table[term]
                if wanted.kind == TermKind.PART:
                    found.extend(join(layer.place, wanted.part) for layer in content if wanted.base in layer.terms)
        return found

    def seen(self, view: View, state: MemoryState, op: int) -> Content:
        """Return what ``view`` holds, as a content of its own. Of one without elements nothing can be said."""
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


def way_back(terms: Terms, content: Content, handed: set[int], tensor_begin: int, begin: int) -> Way:
    """Return a way back to a place that begins at these positions, to which ``handed`` are handed over."""
    return Way(
        content,
        lambda term: term not in handed and terms.is_newer(term, tensor_begin, begin),
        lambda place: terms.is_newer_place(place, tensor_begin, begin),
    )
