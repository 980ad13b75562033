"""What all analyses of one function have in common, whatever they decide: its ops, their order in time, and its reads.

Linear in the function; the reads of a value are looked up once.
"""

from __future__ import annotations

from ..conflicts.accesses import Read
from ..conflicts.liveness import Liveness
from ..effects.reader import TensorEffects
from ..ir.program_order import ProgramOrder

__all__ = ["FunctionTables"]


class FunctionTables:
    """The tables of op number ``function``, whose effects were added before."""

    def __init__(self, effects: TensorEffects, function: int) -> None:
        s = effects.snapshot
        self._effects = effects
        self.ops = effects.active_ops(function)
        self.around = effects.ops_around_tensors(function)
        exclusive = frozenset(op for op in self.ops if len(s.op_regions[op]) > 1 and self._is_exclusive(op))
        self.order = ProgramOrder(s, exclusive, effects.early_definitions)
        self.live = Liveness(effects, self.order)
        self._reads: dict[int, list[Read]] = {}

    def reads(self, value: int) -> list[Read]:
        """Return when and where the content of ``value`` may be read."""
        found = self._reads.get(value)
        if found is None:
            found = self._reads[value] = self.live.reads(value)
        return found

    def _is_exclusive(self, op: int) -> bool:
        model = self._effects.model(op)
        return model is not None and model.are_exclusive_regions(self._effects.snapshot.ops[op])
