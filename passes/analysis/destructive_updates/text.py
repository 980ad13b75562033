"""The sentences and notes of remarks about destructive updates and refusals."""

from __future__ import annotations

from mlir import ir

from ..index_sets.problems import Answer
from ..ir.snapshot import Snapshot
from .chains import DestructiveUpdate, RefusedUpdate, UpdateAccess
from .proofs import UpdateProof

__all__ = ["Notes", "describe_proof", "describe_refusal", "describe_update", "describe_value", "notes_of"]

Notes = list[tuple[str, ir.Location]]


def describe_value(s: Snapshot, value: int) -> str:
    """Return a description of ``value``: a block argument or the result of an op."""
    if value < 0:
        return "a value from outside"
    op = s.value_op[value]
    if op < 0:
        return f"block argument #{s.value_index[value]}"
    return f"result #{s.value_index[value]} of '{s.op_name[op]}'"


def describe_update(s: Snapshot, update: DestructiveUpdate) -> str:
    """Return one sentence with the value, the source and the numbers of loops, updates and reads."""
    counts = (
        _count(len(update.loops), "loop or branch", "loops and branches"),
        _count(len(update.updates), "update", "updates"),
        _count(len(update.reads), "read", "reads"),
    )
    what, source = describe_value(s, update.value), describe_value(s, update.source)
    return f"{what} is a destructive update of {source}: {', '.join(counts)}"


def describe_proof(update: DestructiveUpdate, proof: UpdateProof) -> str:
    """Return the properties that were proved, disproved or left open."""
    covered = {
        Answer.YES: "every element is updated",
        Answer.NO: "some elements keep what the source held",
        Answer.UNKNOWN: "some elements may keep what the source held",
    }[proof.covers]
    if proof.covers is not Answer.YES and proof.covers_with_grid is Answer.YES:
        covered = "every element is updated by one workgroup or another"
    parts = [covered, _said(proof.writes_once, "no element is updated twice", "updated twice")]
    if not update.is_write_only:
        parts.append(_said(proof.reads_source, "no element is read after its update", "read after their update"))
        parts.append(
            _said(proof.reads_first, "no element is updated after it was read", "updated after they were read")
        )
    return "; ".join(parts)


def describe_refusal(s: Snapshot, refused: RefusedUpdate) -> str:
    """Return one sentence with the refused result and the rule."""
    return f"result #{refused.index} of '{s.op_name[refused.op]}' is no destructive update: {refused.rule.value}"


def notes_of(s: Snapshot, update: DestructiveUpdate) -> Notes:
    """Return a note for each op that forwards the tensor, updates it or reads it."""

    def note(access: UpdateAccess, what: str) -> tuple[str, ir.Location]:
        sometimes = " on a condition" if access.is_conditional else ""
        return f"{what} by '{s.op_name[access.op]}'{sometimes}", s.ops[access.op].location

    forwarded = [(f"forwarded by '{s.op_name[op]}'", s.ops[op].location) for op in update.loops]
    updated = [note(access, "updated") for access in update.updates]
    return [*forwarded, *updated, *(note(access, "read") for access in update.reads)]


def _said(answer: Answer, certain: str, some: str) -> str:
    if answer is Answer.YES:
        return certain
    return f"some elements {'are' if answer is Answer.NO else 'may be'} {some}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
