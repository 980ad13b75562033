"""Loops: a fixpoint of facts at the head that hold at the entry and, if they hold at the head, at the end of the body.

The search starts with all facts of the entry and drops those that the end of the body does not confirm. Only the
outermost loop is iterated. An inner loop runs once in each pass, from the facts of the pass before; the search ends
after a pass in which no loop of the nest changed. So the time is the number of ops times the number of passes, which
grows with the depth of the nest, not exponentially.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .control import Control, back_edge
from .machine import NotFollowed
from .memory import Content, IncomingPath, Layer, Renamed
from .places import WHOLE
from .states import MemoryState, View

__all__ = ["CarriedMemref", "LoopHead", "Loops"]

_MOST_PASSES = 12
_MORE_PASSES = 3
"""For each level of nesting: a fact lost in one loop is lost in the others in later passes."""
_TOO_MANY = "a loop with too many cases"


@dataclass
class CarriedMemref:
    """A loop-carried memref: the iter_arg, its init, and the value that the body yields."""

    argument: int
    entry: View | None
    yielded: View | None = None


@dataclass
class LoopHead:
    """Facts at the head of a loop, between two passes.

    ``renamed`` has, for each loop-carried tensor, the terms of iter_arg, init and yielded value.
    """

    op: int
    tensor_op: int
    renamed: list[tuple[int, int, int]]
    carried: list[CarriedMemref] = field(default_factory=list[CarriedMemref])
    head: dict[int, Content] = field(default_factory=dict[int, Content])
    entry: dict[int, Content] = field(default_factory=dict[int, Content])
    """The content of each root at the entry, for which ``head`` was computed."""
    after: dict[int, Content] = field(default_factory=dict[int, Content])
    """The content of each root at the end of the body; missing as long as only the entry counts."""
    older: dict[int, Content] = field(default_factory=dict[int, Content])
    """``head`` one pass before."""
    alternating: set[int] = field(default_factory=set[int])
    """The roots whose content at the head alternates between passes: `Layer.lost` is dropped for them."""
    varying: set[int] = field(default_factory=set[int])
    """The carried memrefs that differ between iterations."""
    lost: set[int] = field(default_factory=set[int])
    """The carried memrefs that are not followed."""
    together: set[frozenset[int]] = field(default_factory=set[frozenset[int]])
    """Pairs of carried memrefs that may be the same memory."""
    aliases: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    """The roots that each carried memref may alias at the head."""
    search: int = -1
    """The number of the outermost loop's search that this belongs to."""

    def own(self, root: int) -> CarriedMemref | None:
        """Return the carried memref that ``root`` is, if any."""
        return next((c for c in self.carried if c.argument == root), None)


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
        """Reset for another function, also after a failure."""
        self._depth = 0

    def run(self, loop: LoopHead, body: Callable[[], MemoryState]) -> tuple[MemoryState, MemoryState]:
        """Run ``body`` to a fixpoint, or once within another loop. Return the states at the head and the end.

        ``body`` runs from the state at the head, sets :attr:`CarriedMemref.yielded` and returns the state at its end.
        Raises ``NotFollowed`` if no fixpoint is found.
        """
        loop = self._loops[loop.op] = self._again(loop, self.machine.state)
        self._depth += 1
        self._deepest = max(self._deepest, self._depth)
        if self._depth > 1:
            head, back, done = self._pass(loop, body)
            self._stable = self._stable and done
        else:
            head, back = self._search(loop, body)
        self._depth -= 1
        return head, back

    def _search(self, loop: LoopHead, body: Callable[[], MemoryState]) -> tuple[MemoryState, MemoryState]:
        entry, passes, self._deepest = self.machine.state, 0, 1
        while True:
            most = _MOST_PASSES + _MORE_PASSES * self._deepest
            self._gives_up = passes >= most
            self._stable = True
            self.machine.state = entry
            head, back, done = self._pass(loop, body)
            if done and self._stable:
                self._gives_up = False
                return head, back
            passes += 1
            if passes > 2 * most:
                raise NotFollowed(_TOO_MANY)

    def _pass(self, loop: LoopHead, body: Callable[[], MemoryState]) -> tuple[MemoryState, MemoryState, bool]:
        """Run ``body`` once; the third result is whether it confirmed the facts at the head."""
        m, entry = self.machine, self.machine.state
        for c in loop.carried:
            if c.argument in loop.lost:
                c.entry = None
        head = MemoryState(entry)
        self._enter(loop, head, entry)
        m.state = MemoryState(head)
        back = body()
        stable = self._carry(loop)
        roots = [root for root in self.control.changed(back, head) if entry.get(root)]
        roots += [c.argument for c in loop.carried if c.argument in loop.varying]
        fresh: dict[int, Content] = {}
        loop.entry, loop.after = {}, {}
        for root in dict.fromkeys([*roots, *loop.head]):
            fresh[root] = self._at_end(loop, root, entry, back, head)
            if fresh[root] != loop.head.get(root) and fresh[root] == loop.older.get(root):
                loop.alternating.add(root)
        loop.older, loop.head = loop.head, fresh
        return head, back, stable and all(content == head.get(root) for root, content in fresh.items())

    def _again(self, loop: LoopHead, entry: MemoryState) -> LoopHead:
        """Return the facts found before in this search, or in one that started with the same contents."""
        before = self._loops.get(loop.op)
        if self._depth == 0:
            self._searches += 1
        same = before is not None and (self._depth > 0 and before.search == self._searches)
        if before is not None and not same:
            same = all(
                entry.get(root) == content for root, content in before.entry.items() if root not in before.varying
            )
        found = before if before is not None and same else loop
        found.search, found.carried = self._searches, loop.carried
        return found

    # --- the head --------------------------------------------------------------------------------------------------

    def _enter(self, loop: LoopHead, head: MemoryState, entry: MemoryState) -> None:
        """Set the state at the head: the facts so far, and the loop-carried memrefs."""
        m = self.machine
        renamed = [(new, [old]) for new, old, _ in loop.renamed]
        m.state = entry
        for root in self.control.holders(renamed, entry):
            if root not in loop.head:
                head.set(root, self._believed(loop, entry.get(root)))
        for root in list(loop.head):
            before = self._before(loop, root, entry)
            if not before and root not in loop.varying:
                del loop.head[root]
                continue
            if self._gives_up:
                loop.head[root] = (Layer(WHOLE, frozenset(), loop.op, _TOO_MANY),)
            elif before != loop.entry.get(root):
                loop.head[root] = self._head_content(loop, root, before, loop.after.get(root, ()))
            head.set(root, loop.head[root])
        self._relate(loop)
        for c in loop.carried:
            if c.argument in loop.varying and c.entry is not None:
                m.views[c.argument] = View(c.argument)
                if not head.get(c.argument):
                    head.set(c.argument, self._believed(loop, self.control.seen(c.entry, entry, loop.op)))
            else:
                m.alias(c.argument, None if c.argument in loop.varying else c.entry)

    def _before(self, loop: LoopHead, root: int, entry: MemoryState) -> Content:
        """Return the content of ``root`` at the entry; nothing for memrefs that are not followed."""
        own = loop.own(root)
        if own is None:
            return entry.get(root)
        return () if own.entry is None else self.control.seen(own.entry, entry, loop.op)

    def _believed(self, loop: LoopHead, before: Content) -> Content:
        """Return the content at the head by the entry alone, for the next pass to confirm."""
        renamed = [(new, [old]) for new, old, _ in loop.renamed]
        return self.control.merged([IncomingPath(before)], renamed, loop.op)

    def _head_content(self, loop: LoopHead, root: int, before: Content, after: Content) -> Content:
        """Return the content at the head, by the entry and, if known, the end of the body."""
        if not before:
            return (Layer(WHOLE, frozenset(), loop.op, "memrefs that are not followed"),)
        if not after:
            return self._believed(loop, before)
        renamed: Renamed = [(new, [old, yielded]) for new, old, yielded in loop.renamed]
        found = self.control.merged([IncomingPath(before), self._back_edge(loop, after)], renamed, after[-1].writer)
        return tuple(layer._replace(lost={}) for layer in found) if root in loop.alternating else found

    def _at_end(self, loop: LoopHead, root: int, entry: MemoryState, back: MemoryState, head: MemoryState) -> Content:
        """Return the content of ``root`` at the head, after a run of the body."""
        if self._gives_up:
            return (Layer(WHOLE, frozenset(), loop.op, _TOO_MANY),)
        own = loop.own(root)
        if own is not None and (own.entry is None or own.yielded is None):
            return self._head_content(loop, root, (), ())
        before = loop.entry[root] = self._before(loop, root, entry)
        if root not in loop.head:
            believed = self._believed(loop, before)
            if believed != head.get(root):
                return believed
        yielded = own.yielded if own is not None else None
        loop.after[root] = back.get(root) if yielded is None else self.control.seen(yielded, back, loop.op)
        return self._head_content(loop, root, before, loop.after[root])

    def _back_edge(self, loop: LoopHead, content: Content) -> IncomingPath:
        """Return the path along the back edge; terms of the body belong to the iteration that ends."""
        m, terms = self.machine, self.machine.program.terms
        begin = m.snapshot.op_enter[loop.op]
        tensor_begin = m.program.snapshot.op_enter[loop.tensor_op] if loop.tensor_op >= 0 else 1 << 62
        return back_edge(terms, content, {term for _, _, term in loop.renamed}, tensor_begin, begin)

    # --- carried memrefs ----------------------------------------------------------------------------------------

    def _carry(self, loop: LoopHead) -> bool:
        """Compare the yielded memrefs with the assumptions about the iter_args; return whether those hold."""
        m, stable = self.machine, True
        for c in loop.carried:
            if c.entry is None or c.yielded is None:
                if c.argument not in loop.lost:
                    loop.lost.add(c.argument)
                    loop.varying.add(c.argument)
                    stable = False
                c.entry = None
            elif c.argument not in loop.varying and c.yielded != c.entry:
                loop.varying.add(c.argument)
                stable = False
        arguments = [c for c in loop.carried if c.argument in loop.varying and c.entry is not None]
        for i, first in enumerate(arguments):
            for second in arguments[:i]:
                pair = frozenset((first.argument, second.argument))
                if pair not in loop.together and self._may_meet(first, second):
                    loop.together.add(pair)
                    stable = False
        for c in arguments:
            assert c.entry is not None
            assert c.yielded is not None
            roots = {c.entry.root, c.yielded.root}
            for root in tuple(roots):
                roots |= m.related.get(root, set())
            known = loop.aliases.setdefault(c.argument, set())
            if not roots - {c.argument} <= known:
                known |= roots - {c.argument}
                stable = False
        return stable

    def _relate(self, loop: LoopHead) -> None:
        """Record what the carried memrefs may alias at the head."""
        m = self.machine
        varying = [c.argument for c in loop.carried if c.argument in loop.varying]
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
        """Whether two carried memrefs may share memory, as inits or as yielded values."""
        m = self.machine
        assert a.entry is not None
        assert b.entry is not None
        assert a.yielded is not None
        assert b.yielded is not None
        return m.may_overlap(a.entry, b.entry) or m.may_overlap(a.yielded, b.yielded)
