"""Attach the destructive updates that were found to their ops, as attributes for tests.

``__destructive_updates_attr__``
    On an op with results that are destructive updates, or that were refused: one dictionary for each. An update has its
    number in the function, the result, where it comes from, whether anything is read, and what is known of its slices:
    ``yes``, ``no`` or ``unknown`` for each field of :class:`UpdateProof`. A refusal has the result and the rule.
``__destructive_roles_attr__``
    On the ops that have a part in them: ``forwards 0``, ``updates 0``, ``reads 0``, with the number of the update, and
    ``on a condition``; ``breaks ping-pong`` on the op because of which a rule refused a result.

Cost: linear in the updates and what belongs to them.
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
    """Collects what is said of the ops of one function, and attaches it. Needs a current context."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._updates: dict[int, list[ir.DictAttr]] = {}
        self._roles: dict[int, list[str]] = {}
        self._count = 0

    def accept(self, update: DestructiveUpdate, proof: UpdateProof) -> None:
        """Note an update and what is certain about it."""
        s, number = self._snapshot, self._count
        self._count += 1
        said: dict[str, ir.Attribute] = {
            "update": _number(number),
            "result": _number(s.value_index[update.value]),
            "source": ir.StringAttr.get(describe_value(s, update.source)),
            "write_only": ir.BoolAttr.get(update.is_write_only),
        }
        said |= {field.name: ir.StringAttr.get(getattr(proof, field.name).value) for field in fields(proof)}
        self._updates.setdefault(s.value_op[update.value], []).append(ir.DictAttr.get(said))
        for op in update.loops:
            self._add_role(op, f"forwards {number}")
        for verb, accesses in (("updates", update.updates), ("reads", update.reads)):
            for access in accesses:
                self._add_role(access.op, f"{verb} {number}{' on a condition' * access.is_conditional}")

    def refuse(self, refused: RefusedUpdate) -> None:
        """Note a rule and the op that breaks it."""
        rule = refused.rule.name.lower().replace("_", "-")
        said: dict[str, ir.Attribute] = {"result": _number(refused.index), "refused": ir.StringAttr.get(rule)}
        self._updates.setdefault(refused.op, []).append(ir.DictAttr.get(said))
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
