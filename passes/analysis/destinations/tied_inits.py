"""Where a tensor was computed: from a result to the init it is *tied* to, and on up to the top destination.

A result and its tied init have the same sizes when the program runs, whatever their contents are. The ties are those
of the op models: an operand whose buffer the result certainly is; for a region op, what all that is forwarded to the
result leads back to, such as the initial value of a loop that yields what it computed in its argument.

Counterpart upstream: ``DestinationStyleOpInterface::getTiedOpOperand``, ``LoopLikeOpInterface::getTiedLoopInit``.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ....dialects.bufferizable import Relation
from ..effects.tables import EffectTables

__all__ = ["Destinations"]


class Destinations:
    """Ties followed through a program, each value once. Values are numbers of the snapshot; -1 is none.

    Asked in program order the cost is constant per value; in any order it is linear in what is walked.
    """

    def __init__(self, effects: EffectTables) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._tops: dict[int, dict[ir.Type, int]] = {}
        """For a value, the topmost value of each type on the way up; casts are ties to values of other types."""

    def tied(self, value: int) -> int:
        """Return the init that ``value`` is tied to, one op up; -1 for arguments of blocks and what has no init."""
        s, op = self._snapshot, self._snapshot.value_op[value]
        sources = self._effects.sources.get(value, ())
        if op < 0 or not sources or s.op_name[op] == "func.call":
            return -1
        if any(operand in self._effects.forwards for operand in sources):
            return self._tied_by_regions(op, value)
        tie = next(tie for tie in self._effects.ties[sources[0]] if tie.value == value)
        same = tie.definite and tie.relation is Relation.EQUIVALENT
        # What is not such a tie still tells that the buffer may be another one.
        return s.operand_value[sources[0]] if same and len(sources) == 1 else -1

    def top(self, value: int) -> int:
        """Return the topmost value of the type of ``value`` that ties lead up to, maybe ``value`` itself."""
        s, path, current = self._snapshot, list[int](), value
        while current >= 0 and current not in self._tops:
            path.append(current)
            current = self.tied(current)
        tops = self._tops[current] if current >= 0 else {}
        for step in reversed(path):
            type_ = s.values[step].type
            if type_ not in tops:
                tops = {**tops, type_: step}
            self._tops[step] = tops
        return self._tops[value][s.values[value].type]

    def _forwarded(self, value: int) -> Sequence[int]:
        forwards = self._effects.forwards
        return [operand for operand in self._effects.sources.get(value, ()) if operand in forwards]

    def _tied_by_regions(self, op: int, result: int) -> int:
        """Return the one value from outside of ``op`` that everything forwarded to ``result`` was computed in.

        By induction over the runs of the regions all arguments and results on the way have its sizes. With several
        blocks in a region there is none: what leaves it is not followed.
        """
        s, type_ = self._snapshot, self._snapshot.values[result].type
        if any(len(blocks) != 1 for blocks in s.op_regions[op]):
            return -1
        found: dict[int, int] = {}
        seen: set[int] = set()
        work = list(self._forwarded(result))
        while work:
            operand = work.pop()
            source = s.operand_value[operand]
            if s.operand_op[operand] == op:
                found.setdefault(self.top(source), source)
                continue
            top = self.top(source)
            if s.value_op[top] < 0 and s.block_op[s.value_block[top]] == op:
                feeding = self._forwarded(top)
                if not feeding:
                    return -1
                if top not in seen:
                    seen.add(top)
                    work += feeding
            elif s.is_inside(s.value_position[top], op):
                return -1
            else:
                found.setdefault(top, top)
        values = list(found.values())
        return values[0] if len(values) == 1 and s.values[values[0]].type == type_ else -1
