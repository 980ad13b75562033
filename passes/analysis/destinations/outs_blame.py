"""Blame changes of inits if a function needs more copies or buffers after a trial.

The decisions after the trial are set against those before, op by op. What belongs to one buffer, before or after, is
one *group*: an alias set, with those of the destinations that its inits are to take. A group that needs no more than
before is not looked at, whatever moved within it. In any other one, those changes are blamed whose own op needs more,
or the new tensor in front of it; if there are none, those at the ops that a new conflict names; if there are none
either, all changes of the group, unless they are many.

Blame is a heuristic that saves rounds: it only rejects, never accepts (``outs_profit.py``).

Cost: linear in ops, operands and changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import field

from ....dialects.support.frozen_classes import record
from ..in_place.function_decisions import FunctionAnalysis
from ..ir.snapshot import Snapshot
from ..ir.union_find import UnionFind
from ..whole_module.module import ModuleAnalysis
from .costs import Charge, charges
from .outs_dependency import Retie

__all__ = ["align", "blame"]

_FEW = 8


def align(before: Snapshot, erased: Set[int], made: dict[int, int], after: Snapshot) -> list[int] | None:
    """Return for each op of ``after`` the op of ``before`` that it is, or that it was ``made`` in front of.

    None if that cannot be told. Both are in program order, so what is not ``erased`` comes in the same order.
    """
    found: list[int] = []
    for op in range(len(before.ops)):
        if op not in erased:
            found += [op] * (made.get(op, 0) + 1)
    if len(found) != len(after.ops):
        return None
    ends = (place for place in range(len(found)) if place + 1 == len(found) or found[place + 1] != found[place])
    return found if all(after.op_name[place] == before.op_name[found[place]] for place in ends) else None


def blame(
    before: tuple[ModuleAnalysis, FunctionAnalysis],
    after: tuple[ModuleAnalysis, FunctionAnalysis],
    origin: Sequence[int],
    reties: Sequence[Retie],
    *,
    buffers: bool = True,
) -> set[int]:
    """Return the operands of those of ``reties`` that are to blame; ``origin`` is what ``align`` returned.

    ``before`` and ``after`` are one function before and after all of ``reties``. Without ``buffers`` copies count only.
    """
    if not reties or before[1].refusals or after[1].refusals:
        return set()
    return _Blame(before, after, origin, reties, buffers=buffers).blamed()


@record
class _Group:
    """What one group costs more than before, in weighed and in copied bytes."""

    more: list[int] = field(default_factory=lambda: [0, 0])
    reties: list[Retie] = field(default_factory=list[Retie])


class _Blame:
    """The comparison of one function."""

    def __init__(
        self,
        before: tuple[ModuleAnalysis, FunctionAnalysis],
        after: tuple[ModuleAnalysis, FunctionAnalysis],
        origin: Sequence[int],
        reties: Sequence[Retie],
        *,
        buffers: bool,
    ) -> None:
        self._before, self._function = before
        self._after, self._changed = after
        self._snapshot = self._before.snapshot
        self._origin = origin
        self._buffers = buffers
        self._joined = UnionFind()
        self._groups: dict[int, _Group] = {}
        self._at_op: dict[int, Retie] = {}
        for retie in reties:
            self._at_op[self._snapshot.operand_op[retie.operand]] = retie
            if not retie.is_empty:
                self._joined.union(self._alias_set(retie.old), self._alias_set(retie.target))
        for retie in reties:
            self._group(retie.old).reties.append(retie)

    def _alias_set(self, value: int) -> int:
        """Return the alias set of ``value``; what has no number is a set of its own."""
        return value if value < 0 else self._function.sets.find(value)

    def _group(self, value: int) -> _Group:
        return self._groups.setdefault(self._joined.find(self._alias_set(value)), _Group())

    def blamed(self) -> set[int]:
        """Return the operands of the changes to blame."""
        worse: Counter[int] = Counter()
        for charge in charges(self._before, self._function):
            self._count(charge, charge.op, self._value(charge.operand, charge.value), -1, worse)
        for charge in charges(self._after, self._changed):
            op, value = self._place(charge)
            self._count(charge, op, value, 1, worse)
        named = self._named_in_conflicts({op for op, more in worse.items() if more > 0})
        bad = [group for group in self._groups.values() if any(more > 0 for more in group.more)]
        return {operand for group in bad for operand in _guilty(self._snapshot, group.reties, worse, named)}

    def _count(self, charge: Charge, op: int, value: int, sign: int, worse: Counter[int]) -> None:
        copied = charge.price.copied
        weighed = charge.price.weighed if self._buffers else copied
        worse[op] += sign * weighed
        more = self._group(value).more
        more[0] += sign * weighed
        more[1] += sign * copied

    def _value(self, operand: int, value: int) -> int:
        """Return the value whose buffer is charged: the result that ``operand`` is tied to, if there is one."""
        if operand < 0:
            return value
        ties = self._before.effects.ties.get(operand, ())
        return ties[0].value if ties else self._snapshot.operand_value[operand]

    def _place(self, charge: Charge) -> tuple[int, int]:
        """Return the op and the value, before the changes, that ``charge`` is about."""
        s, changed = self._snapshot, self._after.snapshot
        op = self._origin[charge.op]
        if charge.op + 1 < len(self._origin) and self._origin[charge.op + 1] == op:
            return op, self._at_op[op].old
        if charge.operand >= 0:
            return op, self._value(s.op_first_operand[op] + changed.operand_index(charge.operand), -1)
        return op, s.op_first_result[op] + changed.value_index[charge.value]

    def _named_in_conflicts(self, worse: Set[int]) -> set[int]:
        """Return the ops that write or read in the conflicts of ops that are ``worse`` now."""
        s, named = self._after.snapshot, set[int]()
        for decision in self._changed.decisions.values():
            if decision.conflict is not None and self._origin[s.operand_op[decision.operand]] in worse:
                uses = (decision.conflict.write, decision.conflict.read)
                named |= {self._origin[s.operand_op[use]] for use in uses if use >= 0}
        return named


def _guilty(s: Snapshot, reties: Sequence[Retie], worse: Counter[int], named: Set[int]) -> Iterable[int]:
    """Return the operands of those of ``reties``, one group that needs more than before, that are to blame."""
    own = [retie.operand for retie in reties if worse[s.operand_op[retie.operand]] > 0]
    if own:
        return own
    nearby = [retie.operand for retie in reties if s.operand_op[retie.operand] in named]
    if nearby or len(reties) > _FEW:
        return nearby
    return [retie.operand for retie in reties]
