"""Control flow: where ways meet, only what holds on all of them is kept; loops run until nothing changes any more.

A loop's first pass finds out what its body changes. What its head knows begins with all that its entry says of the
carried tensors and only shrinks, so it is found after a few passes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from .machine import Machine, State, View
from .memory import Content, Layer, Renamed, Way
from .places import WHOLE, Place, join
from .terms import UNDEFINED, Kind, Terms

__all__ = ["Carried", "Control", "Loop", "way_back"]

_MOST_PASSES = 12
_MOST_RELATED = 64


def _never(_: int) -> bool:
    return False


@dataclass
class Carried:
    """A memref that a loop carries: its argument, where it comes from, and what the body hands on."""

    argument: int
    entry: View | None
    handed: View | None = None


@dataclass
class Loop:
    """What is known of the head of a loop between two passes.

    ``renamed`` has, for each carried tensor, its term, the one at the entry and the one that the body hands on.
    """

    op: int
    tensor_op: int
    renamed: list[tuple[int, int, int]]
    head: dict[int, Content] = field(default_factory=dict[int, Content])
    varying: set[int] = field(default_factory=set[int])
    """The carried memrefs that are not the same in each run."""
    together: set[frozenset[int]] = field(default_factory=set[frozenset[int]])
    """Pairs of carried memrefs that may be the same memory."""
    aliases: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    """What each carried memref may be at the head."""
    entry: dict[int, Content] = field(default_factory=dict[int, Content])


class Control:
    """Runs regions on ``machine``; ``run_block`` executes the ops of a block."""

    def __init__(self, machine: Machine, run_block: Callable[[int], None]) -> None:
        self.machine = machine
        self.run_block = run_block
        self._loops: dict[int, Loop] = {}

    # --- branches --------------------------------------------------------------------------------------------------

    def meet(
        self,
        before: State,
        ways: Sequence[State],
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
        ways = [Way(content, _never, again=True) for content in contents]
        return self.machine.memory.met(ways, renamed, self.places(contents, renamed), op)

    def _known(self, views: Sequence[View | None]) -> list[View]:
        """Return ``views`` if all of them are followed, and are not too many pieces of memory."""
        known = [view for view in views if view is not None]
        many = sum(len(self.machine.related.get(view.root, ())) for view in known) > _MOST_RELATED
        return known if len(known) == len(views) and not many else []

    def _choose(self, value: int, known: list[View]) -> None:
        """Let memref ``value`` be one of ``known``."""
        m = self.machine
        if not known:
            m.views.pop(value, None)
        elif all(view == known[0] for view in known):
            m.views[value] = known[0]
        else:
            m.renew(value)
            m.views[value] = View(value)
            m.relate(value, {view.root for view in known})

    def holders(self, renamed: Renamed, state: State) -> list[int]:
        """Return the roots that hold a term that gets another name."""
        terms = self.machine.program.terms
        wanted = dict.fromkeys(old for _, before in renamed for old in before if old != UNDEFINED)
        for term in list(wanted):
            if terms.table[term].kind == Kind.PART and isinstance(base := terms.table[term].base, int):
                wanted[base] = None
        return list(dict.fromkeys(root for term in wanted for root in self.machine.holders(term, state)))

    def places(self, contents: Sequence[Content], renamed: Renamed) -> list[Place]:
        """Return the places where terms that get another name may be."""
        terms = self.machine.program.terms
        found: list[Place] = []
        for _, before in renamed:
            for term, content in zip(before, contents, strict=True):
                wanted = terms.table[term]
                if wanted.kind == Kind.PART:
                    found.extend(join(layer.place, wanted.part) for layer in content if wanted.base in layer.terms)
        return found

    def seen(self, view: View, state: State, op: int) -> Content:
        """Return what ``view`` holds, as a content of its own."""
        layers = self.machine.memory.copied(state.get(view.root), view.place, WHOLE, op)
        return tuple(layers) or (Layer(WHOLE, frozenset(), op, "memory that is not known"),)

    # --- loops -----------------------------------------------------------------------------------------------------

    def loop(self, loop: Loop, carried: list[Carried], body: Callable[[], State]) -> tuple[State, State]:
        """Run ``body`` until the head of the loop does not change; return the states at the head and at the end.

        ``body`` runs from the state at the head, sets :attr:`Carried.handed` and returns the state at its end.
        """
        m, entry = self.machine, self.machine.state
        loop = self._loops[loop.op] = self._again(loop, entry)
        head = back = State(entry)
        for passes in range(_MOST_PASSES + 2):
            head = State(entry)
            self._enter(loop, carried, head, entry)
            m.state = State(head)
            back = body()
            stable = self._carry(loop, carried)
            roots = [root for root in self.changed(back, head) if entry.get(root)]
            roots += [c.argument for c in carried if c.argument in loop.varying]
            fresh: dict[int, Content] = {}
            for root in dict.fromkeys([*roots, *loop.head]):
                if passes >= _MOST_PASSES:
                    fresh[root] = (Layer(WHOLE, frozenset(), loop.op, "a loop with too many cases"),)
                    continue
                fresh[root] = self._head_content(loop, root, entry, back, carried, head)
            done = stable and all(content == head.get(root) for root, content in fresh.items())
            loop.head = fresh
            if done:
                break
        loop.entry = {root: entry.get(root) for root in loop.head}
        return head, back

    def _again(self, loop: Loop, entry: State) -> Loop:
        """Return what was found of the loop before, if it is entered with the same contents."""
        before = self._loops.get(loop.op)
        if before is None or any(entry.get(root) != content for root, content in before.entry.items()):
            return loop
        return before

    def changed(self, back: State, head: State) -> list[int]:
        """Return the roots that changed from ``head`` to ``back``."""
        found: dict[int, None] = {}
        state: State | None = back
        while state is not None and state is not head:
            found.update(dict.fromkeys(state.changes))
            state = state.before
        return list(found)

    def _enter(self, loop: Loop, carried: list[Carried], head: State, entry: State) -> None:
        """Set the state at the head: what was found so far, and the memrefs that come around."""
        m = self.machine
        renamed = [(new, [old]) for new, old, _ in loop.renamed]
        m.state = entry
        for root in self.holders(renamed, entry):
            if root not in loop.head:
                content = entry.get(root)
                head.set(root, m.memory.met([Way(content, _never)], renamed, self.places([content], renamed), loop.op))
        for root, content in loop.head.items():
            head.set(root, content)
        self._relate(loop, carried)
        for c in carried:
            if c.argument in loop.varying and c.entry is not None:
                m.views[c.argument] = View(c.argument)
                if not head.get(c.argument):
                    head.set(
                        c.argument,
                        m.memory.met([Way(self.seen(c.entry, entry, loop.op), _never)], renamed, (), loop.op),
                    )
            elif c.entry is not None and c.argument not in loop.varying:
                m.views[c.argument] = c.entry
            else:
                m.views.pop(c.argument, None)

    def _carry(self, loop: Loop, carried: list[Carried]) -> bool:
        """Compare what the body hands on with what was assumed of the carried memrefs; whether that was right."""
        m, stable = self.machine, True
        for c in carried:
            if c.entry is None or c.handed is None:
                if c.argument not in loop.varying:
                    loop.varying.add(c.argument)
                    stable = False
                c.entry = None
            elif c.argument not in loop.varying and c.handed != c.entry:
                loop.varying.add(c.argument)
                stable = False
        arguments = [c for c in carried if c.argument in loop.varying and c.entry is not None]
        for i, first in enumerate(arguments):
            for second in arguments[:i]:
                pair = frozenset((first.argument, second.argument))
                if pair not in loop.together and self._may_meet(first, second):
                    loop.together.add(pair)
                    stable = False
        for c in arguments:
            assert c.entry is not None
            assert c.handed is not None
            roots = {c.entry.root, c.handed.root}
            for root in tuple(roots):
                roots |= m.related.get(root, set())
            known = loop.aliases.setdefault(c.argument, set())
            if not roots - {c.argument} <= known:
                known |= roots - {c.argument}
                stable = False
        return stable

    def _relate(self, loop: Loop, carried: list[Carried]) -> None:
        """State what the carried memrefs may be at the head."""
        m = self.machine
        varying = [c.argument for c in carried if c.argument in loop.varying]
        for argument in varying:
            m.renew(argument)
        for argument in varying:
            known = loop.aliases.get(argument, set())
            apart = {a for a in varying if frozenset((a, argument)) not in loop.together}
            m.relate(argument, known - apart)
            for other in apart:
                m.related[argument].discard(other)
                m.related.get(other, set()).discard(argument)

    def _may_meet(self, a: Carried, b: Carried) -> bool:
        """Whether two carried memrefs may share memory, at the entry or one run later."""
        m = self.machine
        assert a.entry is not None
        assert b.entry is not None
        assert a.handed is not None
        assert b.handed is not None
        return m.may_overlap(a.entry, b.entry) or m.may_overlap(a.handed, b.handed)

    def _head_content(
        self, loop: Loop, root: int, entry: State, back: State, carried: list[Carried], head: State
    ) -> Content:
        """Return what ``root`` holds at the head, by the entry and the end of the body."""
        m = self.machine
        own = next((c for c in carried if c.argument == root), None)
        if own is None:
            before, after = entry.get(root), back.get(root)
        elif own.entry is None or own.handed is None:
            return (Layer(WHOLE, frozenset(), loop.op, "memrefs that are not followed"),)
        else:
            before, after = self.seen(own.entry, entry, loop.op), self.seen(own.handed, back, loop.op)
        if root not in loop.head:
            # The first time, what the entry says is believed, so that the next pass can find it true.
            renamed: Renamed = [(new, [old]) for new, old, _ in loop.renamed]
            believed = m.memory.met([Way(before, _never)], renamed, self.places([before], renamed), loop.op)
            if believed != head.get(root):
                return believed
        renamed = [(new, [old, handed]) for new, old, handed in loop.renamed]
        places = self.places([before, after], renamed)
        ways = [Way(before, _never), self._way_back(loop, after)]
        return m.memory.met(ways, renamed, places, _last_writer(after))

    def _way_back(self, loop: Loop, content: Content) -> Way:
        """Return the way from the end of the body; its terms and places are those of the run that ends there."""
        m, terms = self.machine, self.machine.program.terms
        begin = m.snapshot.op_enter[loop.op]
        tensor_begin = m.program.snapshot.op_enter[loop.tensor_op] if loop.tensor_op >= 0 else 1 << 62
        return way_back(terms, content, {term for _, _, term in loop.renamed}, tensor_begin, begin)


def way_back(terms: Terms, content: Content, handed: set[int], tensor_begin: int, begin: int) -> Way:
    """Return a way back to a place that begins at these positions, to which ``handed`` are handed over."""
    return Way(
        content,
        lambda term: term not in handed and terms.is_newer(term, tensor_begin, begin),
        lambda place: terms.is_newer_place(place, tensor_begin, begin),
    )


def _last_writer(content: Content) -> int:
    return content[-1].writer if content else -1
