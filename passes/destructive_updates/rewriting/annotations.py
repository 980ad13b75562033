"""Attach destructive updates to their ops, as attributes for tests.

``__destructive_updates_attr__``
    On an op with results that are destructive updates, or were refused: one dictionary for each such result. That of an
    update has its number in the function, the result, the source, whether the tensor is only written, and ``yes``,
    ``no`` or ``unknown`` for each field of :class:`UpdateProof`. That of a refusal has the result and the rule.
``__destructive_roles_attr__``
    On the ops of an update: ``forwards 0``, ``updates 0`` or ``reads 0``, with the number of the update, followed by
    ``on a condition`` for conditional accesses. On the op that violates the rule of a refusal: ``breaks ping-pong``.

Cost: linear in the updates and their accesses.
"""

from __future__ import annotations

from dataclasses import fields

from mlir import ir

from ...analysis.destructive_updates.chains import DestructiveUpdate, RefusedUpdate
from ...analysis.destructive_updates.proofs import UpdateProof
from ...analysis.destructive_updates.text import describe_value
from ...analysis.ir.snapshot import Snapshot

__all__ = ["ROLES", "UPDATES", "UpdateAnnotations"]

UPDATES = "__destructive_updates_attr__"
ROLES = "__destructive_roles_attr__"


class UpdateAnnotations:
    """Collects the attributes of the ops of one function, and attaches them. Needs a current context."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._updates: dict[int, list[ir.DictAttr]] = {}
        self._roles: dict[int, list[str]] = {}
        self._count = 0

    def accept(self, update: DestructiveUpdate, proof: UpdateProof) -> None:
        """Record an update and its proofs."""
        s, number = self._snapshot, self._count
        self._count += 1
        entry: dict[str, ir.Attribute] = {
            "update": _number(number),
            "result": _number(s.value_index[update.value]),
            "source": ir.StringAttr.get(describe_value(s, update.source)),
            "write_only": ir.BoolAttr.get(update.is_write_only),
        }
        entry |= {field.name: ir.StringAttr.get(getattr(proof, field.name).value) for field in fields(proof)}
        self._updates.setdefault(s.value_op[update.value], []).append(ir.DictAttr.get(entry))
        for op in update.loops:
            self._add_role(op, f"forwards {number}")
        for verb, accesses in (("updates", update.updates), ("reads", update.reads)):
            for access in accesses:
                self._add_role(access.op, f"{verb} {number}{' on a condition' * access.is_conditional}")

    def refuse(self, refused: RefusedUpdate) -> None:
        """Record a refusal: its rule, and the op that violates it."""
        rule = refused.rule.name.lower().replace("_", "-")
        entry: dict[str, ir.Attribute] = {"result": _number(refused.index), "refused": ir.StringAttr.get(rule)}
        self._updates.setdefault(refused.op, []).append(ir.DictAttr.get(entry))
        self._add_role(refused.culprit, f"breaks {rule}")

    def attach(self) -> None:
        """Attach all attributes."""
        ops = self._snapshot.ops
        for op, updates in self._updates.items():
            ops[op].attributes[UPDATES] = ir.ArrayAttr.get(updates)
        for op, roles in self._roles.items():
            ops[op].attributes[ROLES] = ir.ArrayAttr.get([ir.StringAttr.get(role) for role in roles])

    def _add_role(self, op: int, role: str) -> None:
        self._roles.setdefault(op, []).append(role)


def _number(value: int) -> ir.IntegerAttr:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
