"""The loads from and stores to a function's bindings, with slot and memory, in program order.

Two slots never share memory; two bindings of one slot may. Linear; a query takes a binary search.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from mlir import ir

from ....dialects import dispatch
from ....dialects.subsets import covers
from ..ir.snapshot import Snapshot

__all__ = ["BindingAccesses", "Window"]

LOAD, STORE = "dispatch.load", "dispatch.store"
_PROMOTED = frozenset({"dispatch.commit", "dispatch.contents"})

Window = tuple[int, int]
"""Between two positions of the snapshot, neither included."""


class BindingAccesses:
    """The loads and stores of one function; ``problem`` is an op that makes them unknown."""

    def __init__(self, snapshot: Snapshot, function: int) -> None:
        self._snapshot = snapshot
        self.problem = -1
        self.loads: list[int] = []
        self.stores: list[int] = []
        self._at: dict[int, int] = {}
        self._slots: dict[int, dispatch.Slot] = {}
        self._accesses: dict[dispatch.Slot, list[int]] = {}
        self._stores: dict[dispatch.Slot, list[int]] = {}
        for op in snapshot.nested_ops(function):
            name = snapshot.op_name[op]
            if name in (LOAD, STORE):
                self._enter(op, is_store=name == STORE)
            elif name in _PROMOTED and self.problem < 0:
                self.problem = op

    def _enter(self, op: int, *, is_store: bool) -> None:
        s = self._snapshot
        declared = dispatch.binding_of(self.binding(op))
        if declared is None:
            self.problem = op
            return
        slot = self._slots[op] = dispatch.slot_of(declared)
        self._accesses.setdefault(slot, []).append(s.op_enter[op])
        self._at[s.op_enter[op]] = op
        if is_store:
            self._stores.setdefault(slot, []).append(s.op_enter[op])
        (self.stores if is_store else self.loads).append(op)

    def binding(self, op: int) -> ir.Value:
        """Return the binding that a load or a store accesses."""
        return self._snapshot.ops[op].operands[1 if self._snapshot.op_name[op] == STORE else 0]

    def slot(self, op: int) -> dispatch.Slot:
        """Return the slot of a load or a store."""
        return self._slots[op]

    def is_same_memory(self, first: int, second: int) -> bool:
        """Whether two accesses are to the same declaration."""
        declared = [dispatch.binding_of(self.binding(op)) for op in (first, second)]
        return declared[0] is not None and declared[1] is not None and declared[0].results[0] == declared[1].results[0]

    def is_whole(self, op: int) -> bool:
        """Whether a load or a store certainly accesses its whole binding, at full rank."""
        operation = self._snapshot.ops[op]
        subset = dispatch.subset_of(operation)
        if subset is None:
            return True
        tensor = dispatch.tensor_type_of(self.binding(op).type)
        value = operation.operands[0].type if self._snapshot.op_name[op] == STORE else operation.results[0].type
        return value == tensor and covers(subset, tensor)

    def is_same_part(self, first: int, second: int) -> bool:
        """Whether two accesses certainly cover the same elements of one memory, in the same order."""
        if not self.is_same_memory(first, second):
            return False
        subset = dispatch.subset_of(self._snapshot.ops[first])
        is_equal = subset is not None and subset == dispatch.subset_of(self._snapshot.ops[second])
        return is_equal or (self.is_whole(first) and self.is_whole(second))

    def accesses_in(self, slot: dispatch.Slot, window: Window, most: int) -> list[int]:
        """Return the first ``most`` loads and stores of ``slot`` in ``window``."""
        return self._found(self._accesses.get(slot, []), window, most)

    def stores_in(self, slot: dispatch.Slot, window: Window, most: int) -> list[int]:
        """Return the first ``most`` stores to ``slot`` in ``window``."""
        return self._found(self._stores.get(slot, []), window, most)

    def _found(self, positions: Sequence[int], window: Window, most: int) -> list[int]:
        begin, end = bisect_right(positions, window[0]), bisect_left(positions, window[1])
        return [self._at[position] for position in positions[begin : min(end, begin + most)]]
