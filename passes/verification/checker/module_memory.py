"""Globals of the module (constants and state), and conversions between tensors and memrefs."""

from __future__ import annotations

from mlir import ir

from .machine import SymbolicMachine
from .memory import Layer
from .places import WHOLE
from .states import View

__all__ = ["ModuleMemory"]

_STATE = "state of the module"
_STATE_OPS = frozenset({"ml_program.global_load", "ml_program.global_store"})


class ModuleMemory:
    """The globals of the program that ``machine`` executes."""

    def __init__(self, machine: SymbolicMachine) -> None:
        self.machine = machine
        self.globals: dict[str, int] = {}
        """For each global seen so far, its root."""

    def is_constant(self, root: int) -> bool:
        """Whether ``root`` is the memory of a constant."""
        content = self.machine.state.get(root)
        return bool(content) and any(self.machine.program.terms.is_constant(term) for term in content[0].terms)

    def get_global(self, op: int) -> None:
        """Execute `memref.get_global`: of a constant, or of state that the tensor program loads."""
        m = self.machine
        name = ir.FlatSymbolRefAttr(m.snapshot.ops[op].attributes["name"]).value
        root = self.globals.setdefault(name, -2 - len(self.globals))
        tag = m.tags[op]
        results = m.program.snapshot.results(tag) if tag >= 0 else range(0)
        content = m.program.content[results[0]] if len(results) == 1 else -1
        tensor_name = m.tensor_name(op)
        if content >= 0 and tensor_name == "ml_program.global_load":
            terms = frozenset({content} if self._is_current(root) else ())
            m.state.set(root, (Layer(WHOLE, terms, op, "" if terms else _STATE),))
        elif not m.state.get(root):
            is_constant = content >= 0 and tensor_name == "arith.constant"
            terms = frozenset({content} if is_constant else ())
            if is_constant:
                m.constants[root] = tag
            m.state.set(root, (Layer(WHOLE, terms, op, _STATE),))
        m.views[m.snapshot.results(op)[0]] = View(root)

    def _is_current(self, root: int) -> bool:
        """Whether only stores of the tensor program are known to have written a global."""
        m, t = self.machine, self.machine.program.snapshot
        for layer in m.state.get(root):
            tag = m.tags[layer.writer] if layer.writer >= 0 else -1
            if (tag < 0 or t.op_name[tag] not in _STATE_OPS) and (layer.terms or layer.reason != _STATE):
                return False
        return True

    def drop(self, op: int) -> None:
        """Make the content of all mutable globals unknown from ``op`` on."""
        m = self.machine
        for root in self.globals.values():
            content = m.state.get(root)
            if content and not self.is_constant(root):
                m.state.set(root, (Layer(WHOLE, frozenset(), op, _STATE),))

    def pass_boundary(self, op: int, name: str) -> None:
        """Execute `bufferization.to_buffer` or `to_tensor`."""
        m = self.machine
        source, result = m.operand(op, 0), m.snapshot.results(op)[0]
        view = m.view(source)
        if view is not None:
            m.views[result] = view
            return
        if name == "bufferization.to_tensor":
            return
        content = m.kept(source)
        m.renew(result)
        m.new_root(result, frozenset({content} if content >= 0 else ()), op, "tensors that stay")
