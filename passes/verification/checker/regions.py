"""Ops with regions: branches, loops, threads, and regions that run once."""

from __future__ import annotations

from .control import Control
from .functions import Functions
from .graphs import Graphs
from .groups import Groups
from .loops import CarriedMemref, LoopHead, Loops
from .states import MemoryState
from .tensor_program import TensorProgram
from .threads import SymbolicThreads

__all__ = ["Regions"]

_BRANCHES = frozenset({"scf.if", "scf.index_switch"})
_DEEPEST = 48
"""Ops nested deeper than this are skipped: each level takes some of Python's stack."""


class Regions:
    """Runs ops with regions on the machine of ``control``."""

    def __init__(self, control: Control, groups: Groups, functions: Functions) -> None:
        self.machine = control.machine
        self.control = control
        self.groups = groups
        self.functions = functions
        self.loops = Loops(control)
        self.graphs = Graphs(control.machine, control)
        self.threads = SymbolicThreads(control.machine, control)
        self._depth = 0

    def forget(self) -> None:
        """Reset for another function, also after a failure."""
        self._depth = 0
        self.loops.forget()

    def run(self, op: int, name: str) -> None:
        """Run op ``op``."""
        m = self.machine
        regions = m.snapshot.op_regions[op]
        twin = m.twin(op)
        if twin < 0:
            self.groups.open(op)
        self._depth += 1
        if name == "scf.execute_region" and len(regions[0]) > 1 and self.graphs.is_followed(regions[0]):
            self._run_graph(op, twin)
        elif any(len(region) > 1 for region in regions) or self._depth > _DEEPEST:
            self._skip(op)
        elif name in _BRANCHES:
            self._branch(op, twin)
        elif name in ("scf.execute_region", "vector.mask", "shape.assuming"):
            self._once(op)
        elif name == "scf.for":
            self._for(op, twin)
        elif name == "scf.while":
            self._while(op, twin)
        elif name == "scf.forall" and twin >= 0:
            self.threads.run(op, twin)
        else:
            self._repeat(op)
        self._depth -= 1

    def _skip(self, op: int) -> None:
        """Skip an op whose control flow is not followed."""
        m = self.machine
        for nested in m.snapshot.nested_ops(op):
            self.functions.leave_out_op(nested, "control flow that is not followed")
        for result in m.snapshot.results(op):
            m.views.pop(result, None)
        m.forget(op, "control flow that is not followed")

    def _run_graph(self, op: int, twin: int) -> None:
        """Run a region of several blocks; its exits merge after it."""
        m, program = self.machine, self.machine.program
        before = m.state
        exits = [
            (o, s) for o, s in self.graphs.run(m.snapshot.op_regions[op][0]) if m.snapshot.op_name[o] == "scf.yield"
        ]
        paths = [state for _, state in exits]
        results = program.snapshot.results(twin) if twin >= 0 else range(0)
        renamed = [
            (program.content[result], [program.operand_content(m.tags[o], index) for o, _ in exits])
            for index, result in enumerate(results)
            if program.content[result] >= 0
        ]
        chosen = {
            result: [m.view(m.operand(o, index)) for o, _ in exits]
            for index, result in enumerate(m.snapshot.results(op))
            if m.is_shaped[result]
        }
        self.control.merge(before, paths, renamed, op, chosen)

    def _once(self, op: int) -> None:
        m = self.machine
        block = m.snapshot.op_regions[op][0][0]
        self.control.run_block(block)
        exit_ = m.snapshot.block_ops[block][-1]
        for index, result in enumerate(m.snapshot.results(op)):
            if m.is_shaped[result] and index < m.snapshot.op_operand_count[exit_]:
                m.alias(result, m.view(m.operand(exit_, index)))

    def _branch(self, op: int, twin: int) -> None:
        m, s, program = self.machine, self.machine.snapshot, self.machine.program
        before = m.state
        paths: list[MemoryState] = []
        exits: list[int] = []
        for region in s.op_regions[op]:
            m.state = MemoryState(before)
            if region:
                self.control.run_block(region[0])
                exits.append(s.block_ops[region[0]][-1])
            paths.append(m.state)
        renamed: list[tuple[int, list[int]]] = []
        if twin >= 0:
            for index, result in enumerate(program.snapshot.results(twin)):
                if program.content[result] >= 0:
                    yielded = [program.yielded(twin, r, index) for r in range(len(s.op_regions[op]))]
                    renamed.append((program.content[result], [program.content[v] for v in yielded]))
        chosen = {
            result: [m.view(m.operand(e, index)) for e in exits]
            for index, result in enumerate(s.results(op))
            if m.is_shaped[result]
        }
        self.control.merge(before, paths, renamed, op, chosen)

    def _for(self, op: int, twin: int) -> None:
        m, s, program = self.machine, self.machine.snapshot, self.machine.program
        block = s.op_regions[op][0][0]
        arguments = s.arguments(block)
        carried = [
            CarriedMemref(arguments[i + 1], m.view(m.operand(op, 3 + i)))
            for i, result in enumerate(s.results(op))
            if m.is_shaped[result]
        ]
        exit_ = s.block_ops[block][-1]
        first = {arguments[i + 1]: i for i in range(len(arguments) - 1)}

        def body() -> MemoryState:
            self.control.run_block(block)
            for c in carried:
                c.yielded = m.view(m.operand(exit_, first[c.argument]))
            return m.state

        entry = m.state
        head, back = self.loops.run(LoopHead(op, twin, self._renamed_for(program, twin), carried), body)
        runs = twin >= 0 and program.surely_runs(twin)
        m.state = (back if runs else head).fold(entry)
        for i, result in enumerate(s.results(op)):
            if m.is_shaped[result]:
                m.alias(result, m.view(m.operand(exit_, i) if runs else arguments[i + 1]))

    @staticmethod
    def _renamed_for(program: TensorProgram, twin: int) -> list[tuple[int, int, int]]:
        if twin < 0:
            return []
        t = program.snapshot
        arguments = t.arguments(t.op_regions[twin][0][0])
        found: list[tuple[int, int, int]] = []
        for i, result in enumerate(t.results(twin)):
            if program.content[result] >= 0:
                yielded = program.content[program.yielded(twin, 0, i)]
                found.append((program.content[arguments[i + 1]], program.operand_content(twin, 3 + i), yielded))
        return [entry for entry in found if entry[0] != entry[1]]

    def _while(self, op: int, twin: int) -> None:
        m, s, program = self.machine, self.machine.snapshot, self.machine.program
        before, after = (region[0] for region in s.op_regions[op])
        condition, yield_ = s.block_ops[before][-1], s.block_ops[after][-1]
        arguments = s.arguments(before)
        shaped = [i for i, argument in enumerate(arguments) if m.is_shaped[argument]]
        carried = [CarriedMemref(arguments[i], m.view(m.operand(op, i))) for i in shaped]
        out = m.state

        def pass_on(values: range) -> None:
            for i, value in enumerate(values):
                if m.is_shaped[value]:
                    m.alias(value, m.view(m.operand(condition, 1 + i)))

        def body() -> MemoryState:
            nonlocal out
            self.control.run_block(before)
            out = m.state
            pass_on(s.arguments(after))
            m.state = MemoryState(out)
            self.control.run_block(after)
            for i, c in zip(shaped, carried, strict=True):
                c.yielded = m.view(m.operand(yield_, i))
            return m.state

        renamed: list[tuple[int, int, int]] = []
        if twin >= 0:
            t = program.snapshot
            for i, argument in enumerate(t.arguments(t.op_regions[twin][0][0])):
                if program.content[argument] >= 0:
                    yielded = program.content[program.yielded(twin, 1, i)]
                    renamed.append((program.content[argument], program.operand_content(twin, i), yielded))
        entry = m.state
        self.loops.run(LoopHead(op, twin, renamed, carried), body)
        pass_on(s.results(op))
        m.state = out.fold(entry)

    def _repeat(self, op: int) -> None:
        """Run the regions of an op any number of times, in any order."""
        m = self.machine

        def body() -> MemoryState:
            for region in m.snapshot.op_regions[op]:
                for block in region:
                    self.control.run_block(block)
            return m.state

        entry = m.state
        head, _ = self.loops.run(LoopHead(op, -1, []), body)
        m.state = head.fold(entry)
        for result in m.snapshot.results(op):
            m.views.pop(result, None)
