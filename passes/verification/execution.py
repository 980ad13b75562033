"""Executes a memref program: blocks, structured control flow, functions and calls, op by op in program order."""

from __future__ import annotations

from .accesses import MEMORY_READS, MEMORY_WRITES, VIEWS
from .control import Control
from .functions import Functions
from .graphs import Graphs
from .loops import Carried, Loop, Loops
from .machine import Machine, NotFollowed, State, View
from .operations import Operations
from .places import Opaque, join
from .tensor_program import TensorProgram
from .threads import Threads

__all__ = ["Execution"]

_BRANCHES = frozenset({"scf.if", "scf.index_switch"})
_HARMLESS = frozenset(
    {"memref.dim", "memref.rank", "memref.assume_alignment", "memref.extract_aligned_pointer_as_index"}
)
_TERMINATORS = frozenset(
    {
        "cf.br",
        "cf.cond_br",
        "cf.switch",
        "linalg.yield",
        "scf.condition",
        "scf.forall.in_parallel",
        "scf.reduce",
        "scf.yield",
        "shape.assuming_yield",
        "tensor.yield",
        "vector.yield",
    }
)
_DEEPEST = 48
"""Ops nested deeper than this are not followed, as each level needs a part of the stack."""
_MOST_RUNS = 200
"""How often a block of a function may be run, on the average, before the function is not followed any more."""


class Execution:
    """Runs the functions of ``machine``."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.operations = Operations(machine)
        self.control = Control(machine, self.run_block)
        self.loops = Loops(self.control)
        self.functions = Functions(machine, self.operations)
        self.graphs = Graphs(machine, self.control)
        self.threads = Threads(machine, self.control)
        self._depth = 0
        self._runs_left = 0

    def run(self) -> None:
        """Run all functions, callees first."""
        m = self.machine
        for function in self.functions.in_order():
            m.state = State()
            self._depth, self._runs_left = 0, _MOST_RUNS * sum(1 for _ in m.snapshot.nested_ops(function))
            self.operations.forget_groups()
            self.loops.forget()
            self.functions.enter(function)
            try:
                self._run_function(m.snapshot.op_regions[function][0])
            except NotFollowed as reason:
                self.functions.leave_out(function, str(reason))
            else:
                self.functions.leave(function)

    def _run_function(self, blocks: tuple[int, ...]) -> None:
        if len(blocks) == 1:
            self.run_block(blocks[0])
        elif self.graphs.is_followed(blocks):
            self.graphs.run(blocks)
        else:
            raise NotFollowed("branches that are not followed")

    def run_block(self, block: int) -> None:
        """Execute the ops of ``block``."""
        m, operations = self.machine, self.operations
        around, operations.block = operations.block, block
        self._runs_left -= len(m.snapshot.block_ops[block])
        if self._runs_left < 0:
            raise NotFollowed("control flow that takes too long")
        for op in m.snapshot.block_ops[block]:
            operations.begin(op)
            self._run(op, m.snapshot.op_name[op])
        operations.end_block()
        operations.block = around

    def _run(self, op: int, name: str) -> None:
        m, operations, dialect = self.machine, self.operations, name.partition(".")[0]
        if dialect in ("arith", "math", "affine", "index") and name != "arith.select":
            return
        if dialect in ("memref", "vector"):
            self._run_memory(op, name)
        elif dialect == "linalg" and m.snapshot.op_regions[op]:
            self._run_structured(op)
        elif name in ("bufferization.to_buffer", "bufferization.to_tensor"):
            self.functions.pass_boundary(op, name)
        elif name == "arith.select":
            self._select(op)
        elif name == "func.call":
            self.functions.call(op)
        elif name == "func.return":
            self.functions.end(op)
        elif name in _TERMINATORS:
            return
        elif m.snapshot.op_regions[op]:
            self._run_regions(op, name)
        else:
            operations.other(op)

    def _run_memory(self, op: int, name: str) -> None:
        m, operations = self.machine, self.operations
        if name in VIEWS:
            operations.make_view(op, name)
        elif name in ("memref.alloc", "memref.alloca"):
            operations.allocate(op)
        elif name == "memref.copy":
            operations.copy(op)
        elif name in MEMORY_READS and m.is_shaped[m.operand(op, MEMORY_READS[name])]:
            operations.load(op, name)
        elif name in MEMORY_WRITES:
            operations.store(op, name)
        elif name == "memref.get_global":
            self.functions.get_global(op)
        elif name == "memref.dealloc":
            operations.free(op)
        elif name == "memref.extract_strided_metadata":
            view = m.view(m.operand(op, 0))
            if view is not None:
                base = m.snapshot.results(op)[0]
                m.views[base] = View(view.root, join(view.place, (Opaque(base),)))
        elif m.snapshot.op_regions[op]:
            self._run_regions(op, name)
        elif name not in _HARMLESS:
            operations.other(op)

    def _run_structured(self, op: int) -> None:
        """Run a payload before the outputs are written, and after, when other iterations have written them."""
        block = self.machine.snapshot.op_regions[op][0][0]
        loads = any(self.machine.snapshot.op_name[o] == "memref.load" for o in self.machine.snapshot.nested_ops(op))
        if loads:
            self.run_block(block)
        self.operations.structured(op)
        if loads:
            self.run_block(block)

    def _select(self, op: int) -> None:
        m = self.machine
        result = m.snapshot.results(op)[0]
        if not m.is_shaped[result]:
            return
        views = [m.view(m.operand(op, i)) for i in (1, 2)]
        tag = m.twin(op)
        renamed: list[tuple[int, list[int]]] = []
        if tag >= 0 and m.program.operand_content(tag, 1) >= 0:
            content = m.program.content[m.program.snapshot.results(tag)[0]]
            renamed = [(content, [m.program.operand_content(tag, i) for i in (1, 2)])]
        self.control.meet(m.state, [m.state, m.state], renamed, op, {result: views})

    # --- regions ---------------------------------------------------------------------------------------------------

    def _run_regions(self, op: int, name: str) -> None:
        m = self.machine
        regions = m.snapshot.op_regions[op]
        twin = m.twin(op)
        if twin < 0:
            self.operations.open_group(op)
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
        """Leave out an op that is not followed."""
        m = self.machine
        for nested in m.snapshot.nested_ops(op):
            self.functions.leave_out_op(nested, "control flow that is not followed")
        for result in m.snapshot.results(op):
            m.views.pop(result, None)
        self.operations.forget(op, "control flow that is not followed")

    def _run_graph(self, op: int, twin: int) -> None:
        """Run a region with branches; what leaves it meets behind it."""
        m, program = self.machine, self.machine.program
        before = m.state
        exits = [
            (o, s) for o, s in self.graphs.run(m.snapshot.op_regions[op][0]) if m.snapshot.op_name[o] == "scf.yield"
        ]
        ways = [state for _, state in exits]
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
        self.control.meet(before, ways, renamed, op, chosen)

    def _once(self, op: int) -> None:
        m = self.machine
        block = m.snapshot.op_regions[op][0][0]
        self.run_block(block)
        exit_ = m.snapshot.block_ops[block][-1]
        for index, result in enumerate(m.snapshot.results(op)):
            if m.is_shaped[result] and index < m.snapshot.op_operand_count[exit_]:
                self._alias(result, m.operand(exit_, index))

    def _alias(self, value: int, other: int) -> None:
        view = self.machine.view(other)
        if view is None:
            self.machine.views.pop(value, None)
        else:
            self.machine.views[value] = view

    def _branch(self, op: int, twin: int) -> None:
        m, s, program = self.machine, self.machine.snapshot, self.machine.program
        before = m.state
        ways: list[State] = []
        exits: list[int] = []
        for region in s.op_regions[op]:
            m.state = State(before)
            if region:
                self.run_block(region[0])
                exits.append(s.block_ops[region[0]][-1])
            ways.append(m.state)
        renamed: list[tuple[int, list[int]]] = []
        if twin >= 0:
            for index, result in enumerate(program.snapshot.results(twin)):
                if program.content[result] >= 0:
                    handed = [program.yielded(twin, r, index) for r in range(len(s.op_regions[op]))]
                    renamed.append((program.content[result], [program.content[v] for v in handed]))
        chosen = {
            result: [m.view(m.operand(e, index)) for e in exits]
            for index, result in enumerate(s.results(op))
            if m.is_shaped[result]
        }
        self.control.meet(before, ways, renamed, op, chosen)

    def _for(self, op: int, twin: int) -> None:
        m, s, program = self.machine, self.machine.snapshot, self.machine.program
        block = s.op_regions[op][0][0]
        arguments = s.arguments(block)
        carried = [
            Carried(arguments[i + 1], m.view(m.operand(op, 3 + i)))
            for i, result in enumerate(s.results(op))
            if m.is_shaped[result]
        ]
        exit_ = s.block_ops[block][-1]
        first = {arguments[i + 1]: i for i in range(len(arguments) - 1)}

        def body() -> State:
            self.run_block(block)
            for c in carried:
                c.handed = m.view(m.operand(exit_, first[c.argument]))
            return m.state

        entry = m.state
        head, back = self.loops.run(Loop(op, twin, self._renamed_for(program, twin)), carried, body)
        runs = twin >= 0 and program.surely_runs(twin)
        m.state = (back if runs else head).fold(entry)
        for i, result in enumerate(s.results(op)):
            if m.is_shaped[result]:
                self._alias(result, m.operand(exit_, i) if runs else arguments[i + 1])

    @staticmethod
    def _renamed_for(program: TensorProgram, twin: int) -> list[tuple[int, int, int]]:
        if twin < 0:
            return []
        t = program.snapshot
        arguments = t.arguments(t.op_regions[twin][0][0])
        found: list[tuple[int, int, int]] = []
        for i, result in enumerate(t.results(twin)):
            if program.content[result] >= 0:
                handed = program.content[program.yielded(twin, 0, i)]
                found.append((program.content[arguments[i + 1]], program.operand_content(twin, 3 + i), handed))
        return [entry for entry in found if entry[0] != entry[1]]

    def _while(self, op: int, twin: int) -> None:
        m, s, program = self.machine, self.machine.snapshot, self.machine.program
        before, after = (region[0] for region in s.op_regions[op])
        condition, yield_ = s.block_ops[before][-1], s.block_ops[after][-1]
        arguments = s.arguments(before)
        shaped = [i for i, argument in enumerate(arguments) if m.is_shaped[argument]]
        carried = [Carried(arguments[i], m.view(m.operand(op, i))) for i in shaped]
        out = m.state

        def pass_on(values: range) -> None:
            for i, value in enumerate(values):
                if m.is_shaped[value]:
                    self._alias(value, m.operand(condition, 1 + i))

        def body() -> State:
            nonlocal out
            self.run_block(before)
            out = m.state
            pass_on(s.arguments(after))
            m.state = State(out)
            self.run_block(after)
            for i, c in zip(shaped, carried, strict=True):
                c.handed = m.view(m.operand(yield_, i))
            return m.state

        renamed: list[tuple[int, int, int]] = []
        if twin >= 0:
            t = program.snapshot
            for i, argument in enumerate(t.arguments(t.op_regions[twin][0][0])):
                if program.content[argument] >= 0:
                    handed = program.content[program.yielded(twin, 1, i)]
                    renamed.append((program.content[argument], program.operand_content(twin, i), handed))
        entry = m.state
        self.loops.run(Loop(op, twin, renamed), carried, body)
        pass_on(s.results(op))
        m.state = out.fold(entry)

    def _repeat(self, op: int) -> None:
        """Run the regions of an op any number of times, in any order."""
        m = self.machine

        def body() -> State:
            for region in m.snapshot.op_regions[op]:
                for block in region:
                    self.run_block(block)
            return m.state

        entry = m.state
        head, _ = self.loops.run(Loop(op, -1, []), [], body)
        m.state = head.fold(entry)
        for result in m.snapshot.results(op):
            m.views.pop(result, None)
