"""In-place decisions as sentences: what is copied or allocated, why and where."""

from __future__ import annotations

from mlir import ir

from ..conflicts.decisions import Conflict, Decision, Rule, Strategy
from ..ir.snapshot import Snapshot
from .module import ModuleAnalysis

__all__ = ["conflict_notes", "describe_decision", "describe_place"]

_WHAT = {
    Strategy.IN_PLACE: "is in-place",
    Strategy.ROTATE: "is in-place: the loop swaps buffers",
    Strategy.PASS_ON: "is in-place: the yielded buffer goes to the next iteration",
    Strategy.OUT_OF_PLACE: "is out-of-place",
    Strategy.COPY_TO_CARRIED: "is copied into the buffer that the loop carries",
}

_READS = {
    Rule.WRITTEN_TWICE: "also writes it",
    Rule.NOT_EQUIVALENT: "yields the tensor",
    Rule.CHEAPER: "needs contiguous elements",
}
"""What the op does that a conflict has as the read, where that is no read."""


def describe_place(snapshot: Snapshot, operand: int) -> str:
    """Return "operand #1 of 'tensor.insert'"."""
    op = snapshot.operand_op[operand]
    return f"operand #{snapshot.operand_index(operand)} of '{snapshot.op_name[op]}'"


def describe_decision(snapshot: Snapshot, decision: Decision) -> str:
    """Return one sentence with the decision and, for a refusal, the rule."""
    text = f"{describe_place(snapshot, decision.operand)} {_WHAT[decision.strategy]}"
    if decision.conflict is None:
        return text
    if decision.strategy is Strategy.OUT_OF_PLACE:
        text += " with a copy" if decision.copies else " in a new buffer without a copy"
    return f"{text}: {decision.conflict.rule.value}"


def conflict_notes(analysis: ModuleAnalysis, conflict: Conflict) -> list[tuple[str, ir.Location]]:
    """Return notes with the locations of the write, the read and the value of the conflict."""
    s = analysis.snapshot
    notes = []
    if conflict.write >= 0:
        notes.append((f"{describe_place(s, conflict.write)} writes the buffer", _location(s, conflict.write)))
    if conflict.read >= 0:
        verb = _READS.get(conflict.rule, "reads the old content")
        notes.append((f"{describe_place(s, conflict.read)} {verb}", _location(s, conflict.read)))
    if conflict.value >= 0:
        reason = analysis.effects.readonly.get(conflict.value)
        text = (
            f"the buffer is {reason}"
            if conflict.rule is Rule.NOT_WRITABLE and reason
            else "the content is defined here"
        )
        notes.append((text, s.values[conflict.value].location))
    return notes


def _location(snapshot: Snapshot, operand: int) -> ir.Location:
    return snapshot.ops[snapshot.operand_op[operand]].location
