"""The interface of a dispatch function: which memory its bindings declare, and its loads and stores.

A *memory* is an equivalence class of declarations: those of one slot (set and binding) with equal byte offset, type and
sizes. Different slots never share memory; two memories of one slot must be proved disjoint (``ranges.py``) unless both
are only read. Offsets and sizes are compared as sums (``index_sets/sums.py``), where equal push constants and workgroup
numbers are one symbol.

Refused, with locations: one slot with two accesses, memory that may overlap other memory or that has two shapes, and a
dispatch value with users outside of the dialect. Nothing is changed; all results are plain data. Linear in the ops,
apart from sorting the byte ranges of one slot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from mlir import ir

from ....dialects.dispatch import (
    Access,
    Slot,
    access_of,
    binding_of,
    byte_offset_of,
    is_dispatch_type,
    sizes_of,
    slot_of,
    tensor_type_of,
)
from ....dialects.support.frozen_classes import frozen, frozen_slots, record
from ..index_sets.sums import Index, IndexSums, Sum, Symbol
from ..ir.snapshot import Snapshot
from .ranges import overlapping

__all__ = ["BindingMemories", "BindingMemory", "BindingRefusal", "read_memories"]

_SAME_EVERYWHERE = frozenset(
    {"dispatch.push_constant", "dispatch.workgroup_count", "dispatch.workgroup_id", "dispatch.workgroup_size"}
)
_USERS = ("dispatch.tie_shape", "dispatch.load", "dispatch.store", "dispatch.contents")


@frozen_slots
class BindingRefusal:
    """The reason why op number ``op`` cannot be bufferized; ``notes`` are messages at further ops."""

    op: int
    message: str
    notes: tuple[tuple[str, int], ...] = ()


@frozen_slots
class BindingMemory:
    """The declarations of one slot with equal byte offset, type and sizes. Ops are snapshot numbers, in order."""

    slot: Slot
    access: Access
    type: ir.RankedTensorType
    offset: Index
    sizes: tuple[Index, ...]
    declarations: tuple[int, ...]
    ties: tuple[int, ...]
    loads: tuple[int, ...]
    stores: tuple[int, ...]
    contents: tuple[int, ...]
    """Its ``dispatch.contents`` from an earlier promotion."""

    @property
    def root(self) -> int:
        """The op whose result is taken as the memory: one with sizes if there is one."""
        return self.ties[0] if self.ties and not self.type.has_static_shape else self.declarations[0]

    def __str__(self) -> str:
        offset = self.offset if isinstance(self.offset, int) else "a dynamic offset"
        counts = f"declared {len(self.declarations)}, loaded {len(self.loads)}, stored {len(self.stores)} times"
        return f"{self.slot}: {self.access.value} {self.type} from byte {offset}, {counts}"


@frozen
class BindingMemories:
    """The memories of function ``function``, and the reasons to refuse it."""

    function: int
    memories: tuple[BindingMemory, ...] = ()
    memory_of: dict[int, int] = field(default_factory=dict)
    """For each declaration, tie, load, store and contents, the number of its memory."""
    problems: tuple[BindingRefusal, ...] = ()

    def __str__(self) -> str:
        return "\n".join(str(memory) for memory in self.memories)


_Key = tuple[Slot, ir.Type, Index, tuple[Index, ...]]


@record
class _Found:
    """A memory while it is being read."""

    key: _Key
    declarations: list[int] = field(default_factory=list)
    uses: dict[str, list[int]] = field(default_factory=dict)

    def finish(self) -> BindingMemory:
        slot, type_, offset, sizes = self.key
        uses = [tuple(self.uses.get(name, ())) for name in _USERS]
        tensor = tensor_type_of(type_)
        return BindingMemory(slot, access_of(type_), tensor, offset, sizes, tuple(self.declarations), *uses)


class _Reader:
    """Reads the dispatch ops of one function in program order."""

    def __init__(self, snapshot: Snapshot, sums: IndexSums, function: int) -> None:
        self._snapshot = snapshot
        self._sums = sums
        self._function = function
        self._found: dict[_Key, _Found] = {}
        self._first: dict[Slot, int] = {}
        """For a slot, its first declaration."""
        self._of_value: dict[int, _Found] = {}
        self._of_op: dict[int, _Found] = {}
        self._canonical: dict[tuple[str, int, ir.Type], int] = {}
        self._problems: list[BindingRefusal] = []

    def read(self) -> BindingMemories:
        s = self._snapshot
        for op in s.nested_ops(self._function):
            name = s.op_name[op]
            if name == "dispatch.binding":
                self._declare(op)
            elif name in _USERS:
                self._use(op, name)
        found = list(self._found.values())
        memories = tuple(memory.finish() for memory in found)
        self._refuse_escapes()
        if not self._problems:
            self._problems.extend(self._overlaps(memories))
            self._problems.extend(problem for memory in memories for problem in self._shapes(memory))
        numbers = {id(memory): number for number, memory in enumerate(found)}
        memory_of = {op: numbers[id(memory)] for op, memory in self._of_op.items()}
        return BindingMemories(self._function, memories, memory_of, tuple(self._problems))

    def _declare(self, op: int) -> None:
        s = self._snapshot
        operation, slot = s.ops[op], slot_of(s.ops[op])
        type_ = operation.results[0].type
        first = self._first.setdefault(slot, op)
        declared = s.ops[first].results[0].type
        if not is_dispatch_type(type_) or not is_dispatch_type(declared):
            if is_dispatch_type(type_) or is_dispatch_type(declared):
                message = f"{slot} is declared as {type_} here and as {declared} elsewhere; bufferize both"
                self._problems.append(BindingRefusal(op, message, (("the other declaration is here", first),)))
            return
        if access_of(type_) is not access_of(declared):
            message = (
                f"{slot} is declared {access_of(type_).value} here and {access_of(declared).value} "
                "elsewhere; declare it with one access"
            )
            self._problems.append(BindingRefusal(op, message, (("the other declaration is here", first),)))
            return
        offset = byte_offset_of(operation)
        sizes = tuple(self._index(size) for size in sizes_of(operation))
        key = (slot, type_, 0 if offset is None else self._index(offset), sizes)
        found = self._found.setdefault(key, _Found(key))
        found.declarations.append(op)
        self._of_op[op] = self._of_value[s.op_first_result[op]] = found

    def _use(self, op: int, name: str) -> None:
        s = self._snapshot
        operand = s.op_first_operand[op] + (1 if name == "dispatch.store" else 0)
        found = self._of_value.get(s.operand_value[operand])
        if found is None:
            value = s.ops[op].operands[s.operand_index(operand)]
            # A refused declaration has been reported; one that is a memref already needs no report.
            if is_dispatch_type(value.type) and binding_of(value) is None:
                message = f"'{name}' of {value.type} that no dispatch.binding here makes; declare the binding"
                self._problems.append(BindingRefusal(op, message))
            return
        self._of_op[op] = found
        found.uses.setdefault(name, []).append(op)
        if name == "dispatch.tie_shape":
            self._of_value[s.op_first_result[op]] = found

    # --- comparing ---------------------------------------------------------------------------------------------

    def _index(self, value: ir.Value) -> Index:
        """Return ``value`` as a sum; results of equal interface ops, such as push constants, are one symbol."""
        index = self._sums.of(value)
        if isinstance(index, Symbol):
            return Symbol(self._symbol(index.value))
        if isinstance(index, Sum):
            terms: dict[int, int] = {}
            for term, factor in index.terms:
                symbol = self._symbol(term)
                terms[symbol] = terms.get(symbol, 0) + factor
            return Sum(tuple(sorted(terms.items())), index.constant)
        return index

    def _symbol(self, value: int) -> int:
        s = self._snapshot
        op = s.value_op[value] if value >= 0 else -1
        if op < 0 or s.op_name[op] not in _SAME_EVERYWHERE:
            return value
        attributes = s.ops[op].attributes
        which = attributes["index" if s.op_name[op] == "dispatch.push_constant" else "dimension"]
        key = (s.op_name[op], ir.IntegerAttr(which).value, s.values[value].type)
        return self._canonical.setdefault(key, value)

    def _overlaps(self, memories: Sequence[BindingMemory]) -> Iterator[BindingRefusal]:
        slots: dict[Slot, list[BindingMemory]] = {}
        for memory in memories:
            slots.setdefault(memory.slot, []).append(memory)
        for slot, ways in slots.items():
            # Memory that is only read may have several declarations.
            pair = overlapping([(m.offset, m.type) for m in ways]) if ways[0].access.writes else None
            if pair is not None:
                first, second, why = pair
                message = (
                    f"{slot} is declared again {why}; declare it once and use slices, or give byte offsets "
                    "that keep the ranges apart"
                )
                notes = (("the other declaration is here", ways[first].declarations[0]),)
                yield BindingRefusal(ways[second].declarations[0], message, notes)

    def _shapes(self, memory: BindingMemory) -> Iterator[BindingRefusal]:
        ties = [(op, tuple(self._index(size) for size in sizes_of(self._snapshot.ops[op]))) for op in memory.ties]
        for op, sizes in ties[1:]:
            if sizes != ties[0][1]:
                message = f"{memory.slot} is tied to sizes that may not be those it was tied to first"
                notes = (("it was tied to other sizes here", ties[0][0]),)
                yield BindingRefusal(op, f"{message}; tie it once and use the result", notes)

    # --- escapes -----------------------------------------------------------------------------------------------

    def _refuse_escapes(self) -> None:
        s = self._snapshot
        for value, memory in self._of_value.items():
            for operand in s.value_uses[value]:
                op = s.operand_op[operand]
                if s.op_name[op] not in _USERS:
                    message = (
                        f"'{s.op_name[op]}' uses {memory.key[0]} itself, which nothing but loads, stores "
                        "and dispatch.tie_shape may; load the tensor, or declare the binding where it is used"
                    )
                    notes = (("the binding is declared here", memory.declarations[0]),)
                    self._problems.append(BindingRefusal(op, message, notes))


def read_memories(snapshot: Snapshot, sums: IndexSums, function: int) -> BindingMemories:
    """Read the interface of op number ``function``, a ``func.func``."""
    return _Reader(snapshot, sums, function).read()
