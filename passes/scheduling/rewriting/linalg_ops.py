"""What the passes on linalg ops share: finding ops, replacing them, and the machine they are compiled for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ...analysis.ir.reachable_ops import walk_reachable
from ...analysis.repetition.bodies import KERNEL_MARK
from ...analysis.schedule.machine import Machine, detect_machine
from ...framework.errors import PassFailure

__all__ = ["erase_op", "find_linalg_ops", "read_machine", "replace_op"]

_FILL = "linalg.fill"


def find_linalg_ops(root: ir.Operation, names: Collection[str] = ()) -> list[ir.Operation]:
    """Return the linalg ops on tensors inside `root`, in program order; only those with one of `names`, if any.

    Without ops that have no payload (`linalg.index`, `linalg.yield`), ops in payloads, which move with the op around
    them, ops that `inplace-mark-kernels` has marked, and unreachable ops. Linear.
    """
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        is_linalg = op.name.startswith("linalg.") and len(op.regions) and len(op.results)
        if is_linalg and (not names or op.name in names) and KERNEL_MARK not in op.attributes:
            found.append(op.operation)
        return ir.WalkResult.SKIP if is_linalg else ir.WalkResult.ADVANCE

    walk_reachable(root, visit)
    return found


def replace_op(op: ir.Operation, values: Sequence[ir.Value], producers: Sequence[ir.Operation] = ()) -> None:
    """Replace the results of `op` by `values`, and erase it.

    Those of `producers`, in program order, and of the fills of `op` that are unused then are erased too.
    """
    for old, new in zip(op.results, values, strict=True):
        old.replace_all_uses_with(new)
    erase_op(op, producers)


def erase_op(op: ir.Operation, producers: Sequence[ir.Operation] = ()) -> None:
    """Erase an unused op, and those of `producers` and of its fills that are unused then."""
    dead = list(producers)
    for fill in (defining_op(value, _FILL) for value in op.operands):
        if fill is not None and fill not in dead:
            dead.insert(0, fill)
    op.erase()
    for one in reversed(dead):
        if not any(list(result.uses) for result in one.results):
            one.erase()


def read_machine(text: str, op: ir.Operation) -> Machine:
    """Return the machine that this process runs on, with the properties in `text`; raises `PassFailure`."""
    try:
        return detect_machine().override(text)
    except ValueError as problem:
        raise PassFailure(str(problem), op.location) from None
