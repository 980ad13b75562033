"""Loops: what is known at the head holds at the entry, and at the end of the body if it holds at the head.

The search begins with all that the entry says of the carried tensors and drops what the end of the body does not
confirm. Only the outermost loop is run until nothing changes any more. A loop within it runs once each time, from what
was found the last time; the outermost one goes on as long as anything changed in any of them. So the time grows with
the number of ops times the number of passes, which grows with the depth of the nest, and not with its power.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .control import Control, way_back
from .machine import NotFollowed
from .memory import Content, Layer, Renamed, Way
from .places import WHOLE
from .states import MemoryState, View

__all__ = ["CarriedMemref", "LoopHead", "Loops"]

_MOST_PASSES = 12
_MORE_PASSES = 3
"""For each level of nesting: what is lost in one loop is lost in the next ones in the passes that follow."""
_TOO_MANY = "a loop with too many cases"


@dataclass
class CarriedMemref:
    """A memref that a loop carries: its argument, where it comes from, and what the body hands on."""

    argument: int
    entry: View | None
    handed: View | None = None


@dataclass
class LoopHead:
    """What is known of the head of a loop between two passes.

    ``renamed`` has, for each carried tensor, its term, the one at the entry and the one that the body hands on.
    """

    op: int
    tensor_op: int
    renamed: list[tuple[int, int, int]]
    head: dict[int, Content] = field(default_factory=dict[int, Content])
    entry: dict[int, Content] = field(default_factory=dict[int, Content])
    """What the entry said of each root when ``head`` was found."""
    after: dict[int, Content] = field(default_factory=dict[int, Content])
    """What the end of the body said of a root; nothing as long as only the entry is believed."""
    older: dict[int, Content] = field(default_factory=dict[int, Content])
    """What ``head`` was one pass before."""
    alternating: set[int] = field(default_factory=set[int])
    """The roots whose content at the head came back after two passes: what they lost on some way is left out."""
    varying: set[int] = field(default_factory=set[int])
    """The carried memrefs that are not the same in each run."""
    lost: set[int] = field(default_factory=set[int])
    """The carried memrefs that are not followed."""
    together: set[frozenset[int]] = field(default_factory=set[frozenset[int]])
    """Pairs of carried memrefs that may be the same memory."""
    aliases: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    """What each carried memref may be at the head."""
    search: int = -1
    """The number of the outermost loop's search that all this was found in."""


class Loops:
    """Runs loops on the machine of ``control``."""

    def __init__(self, control: Control) -> None:
        self.machine = control.machine
        self.control = control
        self._loops: dict[int, LoopHead] = {}
        self._searches = 0
        self._depth = 0
        self._deepest = 0
        self._gives_up = False
        self._stable = True

    def forget(self) -> None:
        """Begin with another function, wherever the last one was left."""
        self._depth = 0

    def run(
        self, loop: LoopHead, carried: list[CarriedMemref], body: Callable[[], MemoryState]
    ) -> tuple[MemoryState, MemoryState]:
        """Run ``body`` until nothing changes; within another loop, once. Return the states at the head and the end.

        ``body`` runs from the state at the head, sets :attr:`CarriedMemref.handed` and returns the state at its end.
        Raises ``NotFollowed`` if there is no end.
        """
        loop = self._loops[loop.op] = self._again(loop, self.machine.state)
        self._depth += 1
        self._deepest = max(self._deepest, self._depth)
        if self._depth > 1:
            head, back, done = self._pass(loop, carried, body)
            self._stable = self._stable and done
        else:
            head, back = self._search(loop, carried, body)
        self._depth -= 1
        return head, back

    def _search(
        self, loop: LoopHead, carried: list[CarriedMemref], body: Callable[[], MemoryState]
    ) -> tuple[MemoryState, MemoryState]:
        entry, passes, self._deepest = self.machine.state, 0, 1
        while True:
            most = _MOST_PASSES + _MORE_PASSES * self._deepest
            self._gives_up = passes >= most
            self._stable = True
            self.machine.state = entry
            head, back, done = self._pass(loop, carried, body)
            if done and self._stable:
                self._gives_up = False
                return head, back
            passes += 1
            if passes > 2 * most:
                raise NotFollowed(_TOO_MANY)

    def _pass(
        self, loop: LoopHead, carried: list[CarriedMemref], body: Callable[[], MemoryState]
    ) -> tuple[MemoryState, MemoryState, bool]:
        """Run ``body`` once; the third result is whether all that was assumed at the head was right."""
        m, entry = self.machine, self.machine.state
        for c in carried:
            if c.argument in loop.lost:
                c.entry = None
        head = MemoryState(entry)
        self._enter(loop, carried, head, entry)
        m.state = MemoryState(head)
        back = body()
        stable = self._carry(loop, carried)
        roots = [root for root in self.control.changed(back, head) if entry.get(root)]
        roots += [c.argument for c in carried if c.argument in loop.varying]
        fresh: dict[int, Content] = {}
        loop.entry, loop.after = {}, {}
        for root in dict.fromkeys([*roots, *loop.head]):
            fresh[root] = self._at_end(loop, root, entry, back, carried, head)
            if fresh[root] != loop.head.get(root) and fresh[root] == loop.older.get(root):
                loop.alternating.add(root)
        loop.older, loop.head = loop.head, fresh
        return head, back, stable and all(content == head.get(root) for root, content in fresh.items())

    def _again(self, loop: LoopHead, entry: MemoryState) -> LoopHead:
        """Return what was found of the loop before: in this search, or in one that began with the same contents."""
        before = self._loops.get(loop.op)
        if self._depth == 0:
            self._searches += 1
        same = before is not None and (self._depth > 0 and before.search == self._searches)
        if before is not None and not same:
            same = all(
                entry.get(root) == content for root, content in before.entry.items() if root not in before.varying
            )
        found = before if before is not None and same else loop
        found.search = self._searches
        return found

    # --- the head --------------------------------------------------------------------------------------------------

    def _enter(self, loop: LoopHead, carried: list[CarriedMemref], head: MemoryState, entry: MemoryState) -> None:
        """Set the state at the head: what was found so far, and the memrefs that come around."""
        m = self.machine
        renamed = [(new, [old]) for new, old, _ in loop.renamed]
        m.state = entry
        for root in self.control.holders(renamed, entry):
            if root not in loop.head:
                head.set(root, self._believed(loop, entry.get(root)))
        for root in list(loop.head):
            before = self._before(loop, root, entry, carried)
            if not before and root not in loop.varying:
                del loop.head[root]
                continue
            if self._gives_up:
                loop.head[root] = (Layer(WHOLE, frozenset(), loop.op, _TOO_MANY),)
            elif before != loop.entry.get(root):
                loop.head[root] = self._head_content(loop, root, before, loop.after.get(root, ()))
            head.set(root, loop.head[root])
        self._relate(loop, carried)
        for c in carried:
            if c.argument in loop.varying and c.entry is not None:
                m.views[c.argument] = View(c.argument)
                if not head.get(c.argument):
                    head.set(c.argument, self._believed(loop, self.control.seen(c.entry, entry, loop.op)))
            else:
                m.alias(c.argument, None if c.argument in loop.varying else c.entry)

    def _before(self, loop: LoopHead, root: int, entry: MemoryState, carried: list[CarriedMemref]) -> Content:
        """Return what the entry says of ``root``; nothing of memrefs that are not followed."""
        own = next((c for c in carried if c.argument == root), None)
        if own is None:
            return entry.get(root)
        return () if own.entry is None else self.control.seen(own.entry, entry, loop.op)

    def _believed(self, loop: LoopHead, before: Content) -> Content:
        """Return what the head holds if it is what the entry says, so that the next pass can find it true."""
        renamed = [(new, [old]) for new, old, _ in loop.renamed]
        places = self.control.places([before], renamed)
        return self.machine.memory.met([Way(before)], renamed, places, loop.op)

    def _head_content(self, loop: LoopHead, root: int, before: Content, after: Content) -> Content:
        """Return what the head holds, by the entry and the end of the body, if that is known."""
        if not before:
            return (Layer(WHOLE, frozenset(), loop.op, "memrefs that are not followed"),)
        if not after:
            return self._believed(loop, before)
        renamed: Renamed = [(new, [old, handed]) for new, old, handed in loop.renamed]
        places = self.control.places([before, after], renamed)
        ways = [Way(before), self._way_back(loop, after)]
        found = self.machine.memory.met(ways, renamed, places, after[-1].writer)
        return tuple(layer._replace(lost={}) for layer in found) if root in loop.alternating else found

    def _at_end(
        self,
        loop: LoopHead,
        root: int,
        entry: MemoryState,
        back: MemoryState,
        carried: list[CarriedMemref],
        head: MemoryState,
    ) -> Content:
        """Return what ``root`` holds at the head, now that the body was run."""
        if self._gives_up:
            return (Layer(WHOLE, frozenset(), loop.op, _TOO_MANY),)
        own = next((c for c in carried if c.argument == root), None)
        if own is not None and (own.entry is None or own.handed is None):
            return self._head_content(loop, root, (), ())
        before = loop.entry[root] = self._before(loop, root, entry, carried)
        if root not in loop.head:
            believed = self._believed(loop, before)
            if believed != head.get(root):
                return believed
        handed = own.handed if own is not None else None
        loop.after[root] = back.get(root) if handed is None else self.control.seen(handed, back, loop.op)
        return self._head_content(loop, root, before, loop.after[root])

    def _way_back(self, loop: LoopHead, content: Content) -> Way:
        """Return the way from the end of the body; its terms and places are those of the run that ends there."""
        m, terms = self.machine, self.machine.program.terms
        begin = m.snapshot.op_enter[loop.op]
        tensor_begin = m.program.snapshot.op_enter[loop.tensor_op] if loop.tensor_op >= 0 else 1 << 62
        return way_back(terms, content, {term for _, _, term in loop.renamed}, tensor_begin, begin)

    # --- carried memrefs ----------------------------------------------------------------------------------------

    def _carry(self, loop: LoopHead, carried: list[CarriedMemref]) -> bool:
        """Compare what the body hands on with what was assumed of the carried memrefs; whether that was right."""
        m, stable = self.machine, True
        for c in carried:
            if c.entry is None or c.handed is None:
                if c.argument not in loop.lost:
                    loop.lost.add(c.argument)
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

    def _relate(self, loop: LoopHead, carried: list[CarriedMemref]) -> None:
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

    def _may_meet(self, a: CarriedMemref, b: CarriedMemref) -> bool:
        """Whether two carried memrefs may share memory, at the entry or one run later."""
        m = self.machine
        assert a.entry is not None
        assert b.entry is not None
        assert a.handed is not None
        assert b.handed is not None
        return m.may_overlap(a.entry, b.entry) or m.may_overlap(a.handed, b.handed)
