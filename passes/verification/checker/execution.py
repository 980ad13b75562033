"""Executes a memref program: functions and their blocks, op by op in program order."""

from __future__ import annotations

from .accesses import MEMORY_READS, MEMORY_WRITES, VIEWS
from .control import Control
from .functions import Functions
from .groups import Groups
from .machine import NotFollowed, SymbolicMachine
from .operations import Operations
from .places import Opaque, join
from .regions import Regions
from .states import MemoryState, View
from .structured import StructuredOps

__all__ = ["SymbolicExecution"]

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
_MOST_RUNS = 200
"""How often a block of a function may be run, on the average, before the function is not followed any more."""


class SymbolicExecution:
    """Runs the functions of ``machine``."""

    def __init__(self, machine: SymbolicMachine) -> None:
        self.machine = machine
        self.groups = Groups(machine)
        self.operations = Operations(machine, self.groups)
        self.structured = StructuredOps(machine, self.groups)
        self.control = Control(machine, self.run_block)
        self.functions = Functions(machine)
        self.regions = Regions(self.control, self.groups, self.functions)
        self._runs_left = 0

    def run(self) -> None:
        """Run all functions, callees first."""
        m = self.machine
        for function in self.functions.in_order():
            m.state = MemoryState()
            self._runs_left = _MOST_RUNS * sum(1 for _ in m.snapshot.nested_ops(function))
            self.groups.forget()
            self.regions.forget()
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
        elif self.regions.graphs.is_followed(blocks):
            self.regions.graphs.run(blocks)
        else:
            raise NotFollowed("branches that are not followed")

    def run_block(self, block: int) -> None:
        """Execute the ops of ``block``."""
        m, groups = self.machine, self.groups
        around, groups.block = groups.block, block
        self._runs_left -= len(m.snapshot.block_ops[block])
        if self._runs_left < 0:
            raise NotFollowed("control flow that takes too long")
        for op in m.snapshot.block_ops[block]:
            groups.begin(op)
            self._run(op, m.snapshot.op_name[op])
        groups.end_block()
        groups.block = around

    def _run(self, op: int, name: str) -> None:
        m, operations, dialect = self.machine, self.operations, name.partition(".")[0]
        if dialect in ("arith", "math", "affine", "index") and name != "arith.select":
            if m.snapshot.op_result_count[op] and m.is_shaped[m.snapshot.results(op)[0]]:
                operations.other(op)
            return
        if dialect in ("memref", "vector"):
            self._run_memory(op, name)
        elif dialect == "linalg" and m.snapshot.op_regions[op]:
            self._run_structured(op)
        elif name in ("bufferization.to_buffer", "bufferization.to_tensor"):
            self.functions.memory.pass_boundary(op, name)
        elif name == "arith.select":
            self._select(op)
        elif name == "func.call":
            self.functions.call(op)
        elif dialect == "dispatch":
            self.functions.bindings.run(op, name)
        elif name == "func.return":
            self.functions.end(op)
        elif name in _TERMINATORS:
            return
        elif m.snapshot.op_regions[op]:
            self.regions.run(op, name)
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
        elif name in MEMORY_WRITES and not m.snapshot.op_result_count[op]:
            operations.store(op, name)
        elif name == "memref.get_global":
            self.functions.memory.get_global(op)
        elif name == "memref.dealloc":
            operations.free(op)
        elif name == "memref.extract_strided_metadata":
            view = m.view(m.operand(op, 0))
            if view is not None:
                base = m.snapshot.results(op)[0]
                m.views[base] = View(view.root, join(view.place, (Opaque(base),)))
        elif m.snapshot.op_regions[op]:
            self.regions.run(op, name)
        elif name not in _HARMLESS:
            operations.other(op)

    def _run_structured(self, op: int) -> None:
        """Run a payload with loads twice: before the outputs are written, and after other iterations wrote them."""
        block = self.machine.snapshot.op_regions[op][0][0]
        loads = any(self.machine.snapshot.op_name[o] == "memref.load" for o in self.machine.snapshot.nested_ops(op))
        if loads:
            self.run_block(block)
        self.structured.run(op)
        if loads:
            self.run_block(block)

    def _select(self, op: int) -> None:
        m = self.machine
        result = m.snapshot.results(op)[0]
        if not m.is_shaped[result]:
            return
        if m.snapshot.value_is_tensor[result]:
            self.operations.other(op)
        views = [m.view(m.operand(op, i)) for i in (1, 2)]
        tag = m.twin(op)
        renamed: list[tuple[int, list[int]]] = []
        if tag >= 0 and m.program.operand_content(tag, 1) >= 0:
            content = m.program.content[m.program.snapshot.results(tag)[0]]
            renamed = [(content, [m.program.operand_content(tag, i) for i in (1, 2)])]
        self.control.merge(m.state, [m.state, m.state], renamed, op, {result: views})
