"""Parallel loops with shared outputs.

The loop promises that slices of different threads are disjoint. So each thread owns the slices that it inserts into;
the rest of an output is unknown while the threads run. At the end of a thread each slice must hold the inserted value;
then the output holds the result of the loop.
"""

from __future__ import annotations

from collections.abc import Collection

from .control import Control
from .machine import SymbolicMachine
from .memory import ContentAnswer, ContentVerdict, IncomingPath, Layer, Renamed, unknown
from .places import WHOLE, Overlap, Place, join, overlap
from .states import MemoryState
from .terms import UNDEFINED, TermKind

__all__ = ["SymbolicThreads"]

Output = tuple[int, int, int, list[int]]
_OTHERS = "memory that other threads may write"


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
        entry, outputs, around = m.state, self._outputs(twin), m.shared
        renamed = [(argument, [init]) for argument, init, _, _ in outputs]
        seen = self._changed.setdefault(op, {})
        while True:
            changed = [root for root in seen if entry.get(root)]
            kept = [root for root in self.control.holders(renamed, entry) if root not in changed]
            bases = {root: self._bases(root, entry, outputs) for root in (*changed, *kept)}
            m.state = head = MemoryState(entry)
            self._name(renamed, entry, head, changed, op)
            m.shared = dict(around)
            for root in changed:
                layers = self._seen_by_thread(root, entry, bases[root], outputs, op)
                head.set(root, layers)
                m.shared[root] = [layer.place for layer in layers[1:]]
            m.state = MemoryState(head)
            self.control.run_block(block)
            back, m.shared = m.state, around
            new = {root: None for root in back.changes if entry.get(root) and root not in changed}
            if not new:
                break
            seen.update(new)
        m.state = entry
        for root in changed:
            self._finish(root, entry, back, bases[root], outputs, op)
        for root in kept:
            self._keep(root, entry, back, bases[root], outputs, op)
        self._judge(op, back, bases, outputs)

    def _name(
        self, renamed: Renamed, entry: MemoryState, state: MemoryState, changed: Collection[int], op: int
    ) -> None:
        """Add the terms of the block arguments to memory that no thread changes."""
        for root in self.control.holders(renamed, entry):
            if root not in changed:
                content = entry.get(root)
                places = self.control.places([content], renamed)
                state.set(root, self.machine.memory.merged([IncomingPath(content)], renamed, places, op))

    def _outputs(self, twin: int) -> list[Output]:
        """Return for each output the terms of block argument, init and result, and the insertions."""
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

    def _bases(self, root: int, entry: MemoryState, outputs: list[Output]) -> list[tuple[int, Place]]:
        """Return the outputs that may be in ``root``, each with its place."""
        terms = self.machine.program.terms
        found: list[tuple[int, Place]] = []
        for number, (_, init, _, _) in enumerate(outputs):
            if init == UNDEFINED:
                found.append((number, WHOLE))
                continue
            wanted = terms.table[init]
            for layer in entry.get(root):
                if init in layer.terms:
                    found.append((number, layer.place))
                elif wanted.kind == TermKind.PART and wanted.base in layer.terms:
                    found.append((number, join(layer.place, wanted.part)))
        return list(dict.fromkeys(found))

    def _seen_by_thread(
        self,
        root: int,
        entry: MemoryState,
        bases: list[tuple[int, Place]],
        outputs: list[Output],
        op: int,
    ) -> tuple[Layer, ...]:
        """Return the content of ``root`` when a thread begins: its own slices of the outputs are known."""
        m = self.machine
        layers = [Layer(WHOLE, frozenset(), op, _OTHERS)]
        for number, base in bases:
            argument, init, _, inserts = outputs[number]
            if not m.memory.holds(entry.get(root), base, init).is_right:
                continue
            for insert in inserts:
                slice_ = m.program.places[insert]
                place = join(base, slice_)
                if any(overlap(place, layer.place)[0] is not Overlap.DISJOINT for layer in layers[1:]):
                    continue
                names = m.memory.names(entry.get(root), place) | {m.program.terms.part(argument, slice_)}
                layers.append(Layer(place, names, op))
        return tuple(layers)

    def _finish(
        self,
        root: int,
        entry: MemoryState,
        back: MemoryState,
        bases: list[tuple[int, Place]],
        outputs: list[Output],
        op: int,
    ) -> None:
        """Set the content of ``root`` after the loop: the results of outputs whose insertions all hold."""
        m = self.machine
        own: list[Place] = []
        done: list[tuple[Place, int]] = []
        for number, base in bases:
            inserts = outputs[number][3]
            places = [join(base, m.program.places[insert]) for insert in inserts]
            if inserts and all(self._is_inserted(root, base, insert, back).is_right for insert in inserts):
                own.extend(places)
                done.append((base, outputs[number][2]))
        inside = (Overlap.SAME, Overlap.AROUND)
        written = [
            layer.place for layer in back.get(root) if layer.place or not layer.certain or layer.reason != _OTHERS
        ]
        if not all(any(overlap(place, w)[0] in inside for place in own) for w in written):
            m.state.set(root, (Layer(WHOLE, frozenset(), op, _OTHERS),))
            return
        content = entry.get(root)
        for base in dict.fromkeys(base for base, _ in done):
            content = m.memory.written(content, Layer(base, frozenset(r for b, r in done if b == base), op))
        m.state.set(root, content)

    def _keep(
        self,
        root: int,
        entry: MemoryState,
        back: MemoryState,
        bases: list[tuple[int, Place]],
        outputs: list[Output],
        op: int,
    ) -> None:
        """Add the results of outputs to ``root``, which no thread wrote: what they insert is there already."""
        m = self.machine
        for number, base in bases:
            inserts = outputs[number][3]
            if inserts and all(self._is_inserted(root, base, insert, back).is_right for insert in inserts):
                names = m.memory.names(m.state.get(root), base) | {outputs[number][2]}
                m.state.set(root, m.memory.written(m.state.get(root), Layer(base, names, op)))

    def _is_inserted(self, root: int, base: Place, insert: int, back: MemoryState) -> ContentAnswer:
        """Whether the slice of ``insert``, in the output at ``base``, holds the inserted value."""
        program = self.machine.program
        place = join(base, program.places[insert])
        return self.machine.memory.holds(back.get(root), place, program.operand_content(insert, 0))

    def _judge(
        self,
        op: int,
        back: MemoryState,
        bases: dict[int, list[tuple[int, Place]]],
        outputs: list[Output],
    ) -> None:
        """Check that each slice holds the inserted value at the end, in some memory that may be the output."""
        m = self.machine
        key = 0
        for number, (_, _, _, inserts) in enumerate(outputs):
            for insert in inserts:
                expected = m.program.operand_content(insert, 0)
                answers = [
                    self._is_inserted(root, base, insert, back)
                    for root, found in bases.items()
                    for output, base in found
                    if output == number
                ]
                order = list(ContentVerdict)
                best = min(answers, key=lambda answer: order.index(answer.verdict), default=None)
                if best is None or best.verdict is ContentVerdict.NO:
                    # Which memory is the output is only known once some memory holds the inserted value.
                    best = unknown(_OTHERS)
                m.read(op, 0, insert, expected, best, key)
                key += 1
