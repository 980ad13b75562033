"""Atomic updates of bf16 that compute, as functions with a compare-exchange loop on the bits in memory."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

__all__ = ["expand_atomics", "is_atomic_update", "is_exchange"]

_KINDS = {
    11: ("fadd", "llvm.fadd"),
    12: ("fsub", "llvm.fsub"),
    13: ("fmax", "llvm.intr.maxnum"),
    14: ("fmin", "llvm.intr.minnum"),
    19: ("fmaximum", "llvm.intr.maximum"),
    20: ("fminimum", "llvm.intr.minimum"),
}
"""For each `bin_op` of the LLVM dialect, the name of the update, and the op that computes it."""
_EXCHANGE = 0
_FUNCTION = """
llvm.func internal @NAME(%address: POINTER, %value: bf16) -> bf16 {
  %first = llvm.load %address atomic monotonic {alignment = 2 : i64} : POINTER -> i16
  llvm.br ^try(%first : i16)
^try(%expected: i16):
  %old = llvm.bitcast %expected : i16 to bf16
  %new = "OP"(%old, %value) : (bf16, bf16) -> bf16
  %bits = llvm.bitcast %new : bf16 to i16
  %found = llvm.cmpxchg %address, %expected, %bits seq_cst seq_cst : POINTER, i16
  %now = llvm.extractvalue %found[0] : !llvm.struct<(i16, i1)>
  %is_done = llvm.extractvalue %found[1] : !llvm.struct<(i16, i1)>
  llvm.cond_br %is_done, ^done, ^try(%now : i16)
^done:
  llvm.return %old : bf16
}
"""
"""No order is stronger than this one."""


def is_exchange(op: ir.Operation) -> bool:
    """Whether `op` is an atomic exchange, of numbers of any type."""
    return op.name == "llvm.atomicrmw" and _kind(op) == _EXCHANGE


def is_atomic_update(op: ir.Operation) -> bool:
    """Whether `op` is an atomic update of a bf16 that computes."""
    return op.name == "llvm.atomicrmw" and isinstance(op.results[0].type, ir.BF16Type) and _kind(op) in _KINDS


def _kind(op: ir.Operation) -> int:
    return ir.IntegerAttr(op.attributes["bin_op"]).value


def expand_atomics(module: ir.Operation, updates: Sequence[ir.Operation]) -> None:
    """Replace `updates` by calls of functions in `module`, one for each kind and type of address."""
    names: dict[tuple[int, ir.Type], str] = {}
    for op in updates:
        key = _kind(op), op.operands[0].type
        if key not in names:
            names[key] = _define(module, *key, number=len(names))
        with ir.InsertionPoint(op), op.location:
            attributes = {
                "callee": ir.FlatSymbolRefAttr.get(names[key]),
                "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([2, 0]),
            }
            call = ir.Operation.create("llvm.call", [op.results[0].type], list(op.operands), attributes)
        op.results[0].replace_all_uses_with(call.results[0])
        op.erase()


def _define(module: ir.Operation, kind: int, pointer: ir.Type, *, number: int) -> str:
    """Define the function of a kind of update; return its name."""
    described, op = _KINDS[kind]
    name = f"inplace.atomic_{described}_bf16_{number}"
    text = _FUNCTION.replace("NAME", name).replace("POINTER", str(pointer)).replace("OP", op)
    parsed = ir.Module.parse(text, module.context)
    function = parsed.body.operations[0].operation
    function.detach_from_parent()
    module.regions[0].blocks[0].append(function)
    return name
