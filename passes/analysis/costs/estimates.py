"""How large tensors are and how often ops run: the estimates by which every route weighs copies and allocations.

What is not known is assumed: a loop whose bounds are not constant has :data:`ASSUMED_TRIPS` iterations, as has one of
the CFG; a dynamic size is :data:`ASSUMED_SIZE`, but a slice is no larger than what it is a slice of; an element of
unknown size has eight bytes; each branch is taken. Each is looked up once.
"""

from __future__ import annotations

from math import prod

from mlir import ir

from ....dialects.scf.trip_counts import trip_count
from ....dialects.support.element_sizes import element_bytes
from ..effects.reader import TensorEffects

__all__ = ["ASSUMED_SIZE", "ASSUMED_TRIPS", "Estimates", "known_trips"]

ASSUMED_TRIPS = 10
"""The iterations of a loop of unknown bounds."""

ASSUMED_SIZE = 128
"""The size of a dynamic dimension."""

_COUNTED_LOOPS = frozenset({"scf.for", "scf.forall", "scf.parallel"})
"""Loops whose trip counts are known where their bounds are constant."""

_ELEMENT_BYTES = 8

_LONGEST = 64
"""How many values a slice is followed back through."""


def known_trips(loop: ir.Operation) -> int | None:
    """Return how often the body of ``loop`` runs; None if that is not known."""
    return trip_count(loop) if loop.name in _COUNTED_LOOPS else None


class Estimates:
    """Sizes and numbers of runs in one analysed program; asked while the ops of the snapshot exist."""

    def __init__(self, effects: TensorEffects) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._bytes: dict[int, int] = {}
        self._runs: dict[int, int] = {-1: 1}
        """By the block of a loop, how often it runs while the function runs once."""

    def runs_of(self, op: int) -> int:
        """Return how often op number ``op`` runs while the function runs once."""
        s = self._snapshot
        return self.runs(s.block_loop[s.op_block[op]])

    def runs(self, loop: int) -> int:
        """Return how often the body of a loop runs, by its block, while the function runs once; -1 is no loop."""
        found = self._runs.get(loop)
        if found is None:
            s = self._snapshot
            trips = known_trips(s.ops[s.block_op[loop]])
            # What never runs still counts: one of two copies there is the better outcome.
            found = self._runs[loop] = self.runs(s.outer_loop(loop)) * max(ASSUMED_TRIPS if trips is None else trips, 1)
        return found

    def bytes(self, value: int) -> int:
        """Return the bytes of the buffer of a tensor value."""
        found = self._bytes.get(value)
        if found is None:
            found = self._bytes[value] = self._least_bytes(value)
        return found

    def _least_bytes(self, value: int) -> int:
        """Return the bytes by the type, or by those that the value is tied to: a slice is no larger than its tensor."""
        s, found = self._snapshot, _bytes_of(self._snapshot.values[value].type)
        for _ in range(_LONGEST):
            type_ = s.values[value].type
            if isinstance(type_, ir.RankedTensorType) and type_.has_static_shape:
                break
            sources = (s.operand_value[operand] for operand in self._effects.sources.get(value, ()))
            source = next((before for before in sources if 0 <= before < value), -1)
            if source < 0:
                break
            value = source
            found = min(found, _bytes_of(s.values[value].type))
        return found


def _bytes_of(type_: ir.Type) -> int:
    if not isinstance(type_, ir.RankedTensorType):
        return ASSUMED_SIZE * _ELEMENT_BYTES
    try:
        element = element_bytes(type_.element_type)
    except ValueError:
        element = _ELEMENT_BYTES
    return max(element * prod(ASSUMED_SIZE if size < 0 else size for size in type_.shape), 1)
