"""Parallel loops with shared outputs.

The loop promises that slices of different threads are disjoint. So each thread owns the slices that it inserts into;
the rest of an output is unknown while the threads run. At the end of a thread each slice must hold the inserted value;
then the output holds the result of the loop.
"""

from __future__ import annotations

from dataclasses import dataclass

from .control import Control
from .machine import SymbolicMachine
from .memory import ContentAnswer, ContentVerdict, IncomingPath, Layer, unknown
from .places import WHOLE, Overlap, Place, join, overlap
from .states import MemoryState
from .terms import UNDEFINED, TermKind

__all__ = ["SymbolicThreads"]

Output = tuple[int, int, int, list[int]]
Bases = list[tuple[int, Place]]
"""The outputs that may be in a root, by number, each with its place."""

_OTHERS = "memory that other threads may write"


@dataclass
class ThreadLoop:
    """A run of the threads of loop ``op``: the states at the entry and at the end of a thread, and the outputs.

    An output has the terms of block argument, init and result, and the insertions.
    """

    op: int
    entry: MemoryState
    outputs: list[Output]
    back: MemoryState


class SymbolicThreads:
    """Runs `scf.forall` on ``machine``."""

    def __init__(self, machine: SymbolicMachine, control: Control) -> None:
        self.machine = machine
        self.control = control
        self._changed: dict[int, dict[int, None]] = {}
        """For each loop, the roots that its threads have been found to change."""

    def run(self, op: int, twin: int) -> None:
        """Run the body until the set of roots that it changes is stable; of these only the own slices are known.

        The search starts from the set that was found before, so that enclosing loops do not multiply the runs.
        """
        m = self.machine
        block = m.snapshot.op_regions[op][0][0]
        entry, around = m.state, m.shared
        loop = ThreadLoop(op, entry, self._outputs(twin), entry)
        renamed = [(argument, [init]) for argument, init, _, _ in loop.outputs]
        seen = self._changed.setdefault(op, {})
        while True:
            changed = [root for root in seen if entry.get(root)]
            kept = [root for root in self.control.holders(renamed, entry) if root not in changed]
            bases = {root: self._bases(loop, root) for root in (*changed, *kept)}
            m.state = head = MemoryState(entry)
            for root in kept:
                head.set(root, self.control.merged([IncomingPath(entry.get(root))], renamed, op))
            m.shared = dict(around)
            for root in changed:
                layers = self._seen_by_thread(loop, root, bases[root])
                head.set(root, layers)
                m.shared[root] = [layer.place for layer in layers[1:]]
            m.state = MemoryState(head)
            self.control.run_block(block)
            loop.back, m.shared = m.state, around
            new = {root: None for root in loop.back.changes if entry.get(root) and root not in changed}
            if not new:
                break
            seen.update(new)
        m.state = entry
        for root in changed:
            self._finish(loop, root, bases[root])
        for root in kept:
            self._keep(loop, root, bases[root])
        self._judge(loop, bases)

    def _outputs(self, twin: int) -> list[Output]:
        """Return the outputs, see `ThreadLoop`."""
        program = self.machine.program
        t = program.snapshot
        results, arguments = t.results(twin), t.arguments(t.op_regions[twin][0][0])
        first = len(arguments) - len(results)
        inserts = [o for o in t.nested_ops(twin) if t.op_name[o] == "tensor.parallel_insert_slice"]
        operands = t.op_operand_count[twin] - len(results)
        return [
            (
                program.content[arguments[first + i]],
                program.operand_content(twin, operands + i),
                program.content[result],
                [o for o in inserts if program.operand(o, 1) == arguments[first + i]],
            )
            for i, result in enumerate(results)
        ]

    def _bases(self, loop: ThreadLoop, root: int) -> Bases:
        """Return the outputs that may be in ``root``, each with its place."""
        terms = self.machine.program.terms
        found: Bases = []
        for number, (_, init, _, _) in enumerate(loop.outputs):
            if init == UNDEFINED:
                found.append((number, WHOLE))
                continue
            wanted = terms.table[init]
            for layer in loop.entry.get(root):
                if init in layer.terms:
                    found.append((number, layer.place))
                elif wanted.kind == TermKind.PART and wanted.base in layer.terms:
                    found.append((number, join(layer.place, wanted.part)))
        return list(dict.fromkeys(found))

    def _seen_by_thread(self, loop: ThreadLoop, root: int, bases: Bases) -> tuple[Layer, ...]:
        """Return the content of ``root`` when a thread begins: its own slices of the outputs are known."""
        m = self.machine
        layers = [Layer(WHOLE, frozenset(), loop.op, _OTHERS)]
        for number, base in bases:
            argument, init, _, inserts = loop.outputs[number]
            if not m.memory.holds(loop.entry.get(root), base, init).is_right:
                continue
            for insert in inserts:
                slice_ = m.program.places[insert]
                place = join(base, slice_)
                if any(overlap(place, layer.place)[0] is not Overlap.DISJOINT for layer in layers[1:]):
                    continue
                names = m.memory.names(loop.entry.get(root), place) | {m.program.terms.part(argument, slice_)}
                layers.append(Layer(place, names, loop.op))
        return tuple(layers)

    def _finish(self, loop: ThreadLoop, root: int, bases: Bases) -> None:
        """Set the content of ``root`` after the loop: the results of outputs whose insertions all hold."""
        m = self.machine
        own: list[Place] = []
        done: list[tuple[Place, int]] = []
        for number, base in bases:
            inserts = loop.outputs[number][3]
            places = [join(base, m.program.places[insert]) for insert in inserts]
            if inserts and all(self._is_inserted(loop, root, base, insert).is_right for insert in inserts):
                own.extend(places)
                done.append((base, loop.outputs[number][2]))
        inside = (Overlap.SAME, Overlap.AROUND)
        written = [
            layer.place for layer in loop.back.get(root) if layer.place or not layer.certain or layer.reason != _OTHERS
        ]
        if not all(any(overlap(place, w)[0] in inside for place in own) for w in written):
            m.state.set(root, (Layer(WHOLE, frozenset(), loop.op, _OTHERS),))
            return
        content = loop.entry.get(root)
        for base in dict.fromkeys(base for base, _ in done):
            content = m.memory.written(content, Layer(base, frozenset(r for b, r in done if b == base), loop.op))
        m.state.set(root, content)

    def _keep(self, loop: ThreadLoop, root: int, bases: Bases) -> None:
        """Add the results of outputs to ``root``, which no thread wrote: what they insert is there already."""
        m = self.machine
        for number, base in bases:
            inserts = loop.outputs[number][3]
            if inserts and all(self._is_inserted(loop, root, base, insert).is_right for insert in inserts):
                names = m.memory.names(m.state.get(root), base) | {loop.outputs[number][2]}
                m.state.set(root, m.memory.written(m.state.get(root), Layer(base, names, loop.op)))

    def _is_inserted(self, loop: ThreadLoop, root: int, base: Place, insert: int) -> ContentAnswer:
        """Whether the slice of ``insert``, in the output at ``base``, holds the inserted value."""
        program = self.machine.program
        place = join(base, program.places[insert])
        return self.machine.memory.holds(loop.back.get(root), place, program.operand_content(insert, 0))

    def _judge(self, loop: ThreadLoop, bases: dict[int, Bases]) -> None:
        """Check that each slice holds the inserted value at the end, in some memory that may be the output."""
        m = self.machine
        key = 0
        for number, (_, _, _, inserts) in enumerate(loop.outputs):
            for insert in inserts:
                expected = m.program.operand_content(insert, 0)
                answers = [
                    self._is_inserted(loop, root, base, insert)
                    for root, found in bases.items()
                    for output, base in found
                    if output == number
                ]
                order = list(ContentVerdict)
                best = min(answers, key=lambda answer: order.index(answer.verdict), default=None)
                if best is None or best.verdict is ContentVerdict.NO:
                    # Which memory is the output is only known once some memory holds the inserted value.
                    best = unknown(_OTHERS)
                m.read(loop.op, 0, insert, expected, best, key)
                key += 1
