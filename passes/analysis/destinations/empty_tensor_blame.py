"""Blame eliminations of empty tensors if a function needs more copies or buffers after a trial.

What is computed in a slice is written between the op that makes the slice and the insertion: this is the *window* of an
elimination. A decision that costs more than before has a record of the write and the read that clash. The elimination
in whose window, and in whose memory, that write stands is blamed; if there is none, that of the read, or of the op
itself.

Blame is a heuristic that saves rounds: it only rejects, never accepts (``empty_tensor_trial.py``).

Cost: linear in ops and decisions. The counterpart for other changes is ``outs_blame.py``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ..costs.price import Price
from ..in_place.cost_model import CostModel
from ..in_place.function_decisions import FunctionAnalysis
from ..whole_module.module import ModuleAnalysis
from .costs import decision_price

__all__ = ["Window", "find_blamed"]

_NEARBY = 8
"""How many windows that begin before a write are asked whether they have not ended yet."""


@frozen
class Window:
    """From where the slice of an elimination, that into operand ``write``, is made to where it is inserted.

    Positions and the may-alias set, ``memory``, are those of the program after the trial; ``write`` is of that before.
    """

    begin: int
    end: int
    memory: int
    write: int


def find_blamed(
    before: tuple[ModuleAnalysis, FunctionAnalysis],
    after: tuple[ModuleAnalysis, FunctionAnalysis],
    ops: Sequence[ir.Operation],
    windows: Sequence[Window],
) -> set[int]:
    """Return the ``write`` of those of ``windows`` that are to blame; none if that is not known.

    ``before`` and ``after`` are one function before and after the trial, ``ops`` the ops that were changed, by the
    numbers that they had before.
    """
    by_memory: dict[int, list[Window]] = {}
    for window in sorted(windows, key=lambda window: window.begin):
        by_memory.setdefault(window.memory, []).append(window)
    s, blamed = after[0].snapshot, set[int]()
    for operand in _worse(before, after, ops):
        conflict = after[1].decisions[operand].conflict
        named = (conflict.write, conflict.read, operand) if conflict is not None else (operand,)
        for use in named:
            if use < 0 or not s.value_is_tensor[s.operand_value[use]]:
                continue
            memory = by_memory.get(after[1].sets.find(s.operand_value[use]), [])
            found = _window_of(memory, s.operand_position(use))
            if found is not None:
                blamed.add(found.write)
                break
    return blamed


def _worse(
    before: tuple[ModuleAnalysis, FunctionAnalysis],
    after: tuple[ModuleAnalysis, FunctionAnalysis],
    ops: Sequence[ir.Operation],
) -> Iterator[int]:
    """Yield the operands whose decision costs more than before, those of new ops among them."""
    s, changed = before[0].snapshot, after[0].snapshot
    old_costs, new_costs = CostModel(before[0].effects), CostModel(after[0].effects)
    numbers: dict[ir.Value, int] = {op.results[0]: n for n, op in enumerate(ops) if s.op_result_count[n]}
    for operand in after[1].decisions:
        now = decision_price(new_costs, after[1], operand)
        if now == Price():
            continue
        op = changed.operand_op[operand]
        number = numbers.get(changed.values[changed.op_first_result[op]]) if changed.op_result_count[op] else None
        if number is None:
            yield operand
            continue
        old = s.op_first_operand[number] + changed.operand_index(operand)
        if old not in before[1].decisions or now > decision_price(old_costs, before[1], old):
            yield operand


def _window_of(windows: Sequence[Window], position: int) -> Window | None:
    """Return the window around ``position`` that begins last."""
    last = bisect_right(windows, position, key=lambda window: window.begin)
    for window in reversed(windows[max(0, last - _NEARBY) : last]):
        if position <= window.end:
            return window
    return None
