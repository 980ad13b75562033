"""`--verify-roundtrip`: IR that is printed and parsed again must be the same."""

from __future__ import annotations

import io

from mlir import ir

from ...passes.framework.diagnostics import emit

__all__ = ["verify_round_trip"]


def verify_round_trip(op: ir.Operation) -> bool:
    """Whether `op` survives printing and parsing, in each form; if not, an error diagnostic names the form."""
    return all(_survives(op, form) for form in ("text", "generic text", "bytecode"))


def _survives(op: ir.Operation, form: str) -> bool:
    try:
        root = _read(_written(op, form), op.context)
    except (ir.MLIRError, ValueError):
        emit("error", op.location, f"the {form} that was written cannot be read again")
        return False
    # The parser of bytecode makes a module, which `root` keeps alive.
    again = root if root.name == op.name else root.regions[0].blocks[0].operations[0].operation
    # Operations that text leaves out, such as the payload of a named linalg op, have no locations in it.
    if _ir(op) == _ir(again) and (form == "text" or _locations(op) == _locations(again)):
        return True
    emit("error", op.location, f"the IR is not the same after it was written as {form} and read again")
    return False


def _written(op: ir.Operation, form: str) -> str | bytes:
    if form == "bytecode":
        written = io.BytesIO()
        op.write_bytecode(written)
        return written.getvalue()
    return str(op.get_asm(enable_debug_info=True, print_generic_op_form=form == "generic text"))


def _read(written: str | bytes, context: ir.Context) -> ir.Operation:
    if isinstance(written, str):
        return ir.Operation.parse(written, context=context).operation
    return ir.Module.parse(written, context).operation


def _ir(op: ir.Operation) -> str:
    return str(op.get_asm(print_generic_op_form=True, use_local_scope=True)).strip()


def _locations(op: ir.Operation) -> list[str]:
    """The locations of the operations; those of block arguments need not survive, as in mlir-opt."""
    found: list[str] = []

    def note(inner: ir.Operation) -> ir.WalkResult:
        found.append(str(inner.location))
        return ir.WalkResult.ADVANCE

    op.walk(note)
    return found
