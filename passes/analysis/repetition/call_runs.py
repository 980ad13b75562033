"""Long runs of calls, allocations and copies in a block that can be executed from a table.

A *step* is a call without results, an allocation of static size, a deallocation, or a copy between contiguous memrefs.
A *run* is a stretch of a block with nothing in it but steps and ops without effects. Steps that differ only in buffers,
sizes and other integers are of one *kind*; the values in which they differ are *words*. A word is an integer, or the
*place* (index) of an address in a frame. A buffer defined before the run has one place, for its aligned pointer, and
another one for its allocated pointer if the run frees it. A buffer allocated in the run has two consecutive places,
which are reused once it is freed.

Ops without effects that depend on allocations of the run are *late*: addresses and views, which the table does not
need. A `memref.view` has an address that is not its source's, so it is a buffer of its own: one of an allocation of the
run ends the run, and others are buffers from outside, those that begin at one offset of one memref being the same.

Nothing is changed here. Linear in the ops: each is read once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import ClassVar

from mlir import ir

from ....dialects.support.frozen_classes import frozen, record
from ..linalg.structured_op import type_bytes
from .shared_sizes import is_plain

__all__ = ["Call", "Copy", "Deallocation", "Given", "Kind", "Run", "TabulatedAllocation", "find_runs"]

_LARGEST = (1 << 31) - 1
"""Words have 32 bits."""
_MOST_PLACES = 1 << 14
"""Frames are on the stack, which may be small in a thread: 128 KiB."""
_VIEWS = frozenset({"memref.cast", "memref.subview"})
"""Ops whose results have the address of their source; their offset is in the type."""
_ADDRESSES = frozenset({"arith.index_cast", "llvm.inttoptr", "memref.extract_aligned_pointer_as_index"})
_PART = "memref.view"
_WITHOUT_EFFECT = _VIEWS | _ADDRESSES | {"arith.constant", "llvm.mlir.constant", "memref.get_global", _PART}
_OF_ALLOCATIONS = frozenset({"alignment", "operandSegmentSizes"})
_WIDTHS = frozenset({1, 8, 16, 32, 64})
"""Element types of which an allocation and a copy take the same number of bytes, without padding."""


@frozen
class Call:
    """A call of `callee`; for each argument a value that all steps share, or None if it is a word.

    `types` are those of the arguments: a word is an address if its type is a pointer.
    """

    callee: ir.Attribute
    fixed: tuple[ir.Value | None, ...]
    types: tuple[ir.Type, ...]


@frozen
class TabulatedAllocation:
    """Words: the first of the two places (aligned and allocated pointer), and the number of bytes."""

    alignment: ir.IntegerAttr | None


@frozen
class Deallocation:
    """Words: the place of the allocated pointer."""


@frozen
class Copy:
    """Words: source and target, each a place and an offset in bytes; the number of bytes."""


Kind = Call | TabulatedAllocation | Deallocation | Copy
_Row = list[int]
"""The number of the step's kind, then its words."""


@frozen
class Given:
    """An address of a memref from outside of a run: its aligned or its allocated pointer."""

    memref: ir.Value
    to_be_freed: bool


@record
class Run:
    """One run.

    Attributes:
        kinds: the kinds of its steps, with their numbers, in the order of their first steps.
        rows: for each step the number of its kind and its words.
        steps: the ops, allocations among them.
        late: the ops without effects that depend on allocations of the run, in program order.
        given: the addresses stored into the frame before the run, with their places.
        made: the places of the allocations, by their results.
        size: how many places the frame has.
        end: the op behind it.
    """

    kinds: dict[Kind, int] = field(default_factory=dict)
    rows: list[_Row] = field(default_factory=list)
    steps: list[ir.Operation] = field(default_factory=list)
    late: list[ir.Operation] = field(default_factory=list)
    given: dict[Given, int] = field(default_factory=dict)
    made: dict[ir.Value, int] = field(default_factory=dict)
    size: int = 0
    end: ir.Operation | None = None


def find_runs(block: ir.Block, fewest: int, of_kind: int) -> list[Run]:
    """The runs in `block` of at least `fewest` steps, and `of_kind` for each kind, whose frames fit on the stack."""
    found: list[Run] = []
    room = _MOST_PLACES
    for run in _read_block(block):
        if len(run.steps) >= max(fewest, of_kind * len(run.kinds)) and run.size <= room:
            found.append(run)
            room -= run.size
    return found


def _read_block(block: ir.Block) -> Iterator[Run]:
    with block.owner.context:
        reader = _Reader()
    for view in block.operations:
        op = view.operation
        name = op.name
        has_effect = name not in _WITHOUT_EFFECT
        if not reader.read_step(op, name) if has_effect else name == _PART and reader.is_late(op.operands[0]):
            if reader.run.steps and not reader.leaks():
                reader.run.end = op
                yield reader.run
            reader.begin()
        if not has_effect:
            reader.read_without_effect(op, name)


class _Reader:
    """Reads the ops of a block one after the other."""

    def __init__(self) -> None:
        self._pointer = ir.Type.parse("!llvm.ptr")
        self._integers = (ir.IndexType.get(), ir.IntegerType.get_signless(64))
        self._roots: dict[ir.Value, ir.Value] = {}
        """From views and addresses to the memref whose address they have."""
        self._parts: dict[tuple[ir.Value, ir.Value], ir.Value] = {}
        """By a memref and an offset in bytes, the first view of it that begins there."""
        self._numbers: dict[ir.Value, int] = {}
        """Constants of 64 bits."""
        self._extents: dict[ir.Type, tuple[int, int] | None] = {}
        self.begin()

    def begin(self) -> None:
        """Begin a run."""
        self.run = Run()
        self._late: set[ir.Value] = set()
        self._places: dict[ir.Value, int] = {}
        """The places of addresses that were arguments of calls."""
        self._calls: dict[tuple[ir.Attribute, tuple[ir.Value | None, ...]], int] = {}
        """The numbers of kinds, by the properties that calls of a kind share."""
        self._uses: dict[ir.Value, int] = {}
        """Use counts within the run, at least of its allocations and of late values."""
        self._freed: set[ir.Value] = set()
        self._free_places: list[int] = []

    def leaks(self) -> bool:
        """Whether an op outside of the run uses an address whose place may have been reused."""
        return any(
            self._roots.get(value, value) in self._freed and self._uses.get(value, 0) != sum(1 for _ in value.uses)
            for value in (*self.run.made, *self._late)
        )

    def is_late(self, value: ir.Value) -> bool:
        """Whether `value` depends on allocations of the run, or is one."""
        return value in self._late or value in self.run.made

    def read_without_effect(self, op: ir.Operation, name: str) -> None:
        """Read an op that may move before or behind the run."""
        operands = list(op.operands)
        result = op.results[0]
        if name == _PART:
            self._roots[result] = self._parts.setdefault((operands[0], operands[1]), result)
        elif name in _VIEWS or (name in _ADDRESSES and result.type in (*self._integers, self._pointer)):
            self._roots[result] = self._roots.get(operands[0], operands[0])
        elif name == "llvm.mlir.constant" and result.type == self._integers[1]:
            self._numbers[result] = ir.IntegerAttr(op.attributes["value"]).value
        if any(self.is_late(value) for value in operands):
            self.run.late.append(op)
            self._late.add(result)
            self._use(operands)

    def read_step(self, op: ir.Operation, name: str) -> bool:
        """Read an op, and return whether it is a step."""
        read = self._readers.get(name)
        row = None if read is None else read(self, op)
        if row is None:
            return False
        self.run.rows.append(row)
        self.run.steps.append(op)
        return True

    def _call(self, op: ir.Operation) -> _Row | None:
        attributes = op.attributes
        if len(op.results) or len(attributes) != 1:
            return None
        fixed: list[ir.Value | None] = []
        row = [0]
        operands = list(op.operands)
        for value in operands:
            word = self._word(value)
            if word is not None:
                row.append(word)
                fixed.append(None)
            elif self.is_late(value):
                return None
            else:
                fixed.append(value)
        self._use(operands)
        common = attributes["callee"], tuple(fixed)
        number = self._calls.get(common)
        if number is None:
            types = tuple(value.type for value in operands)
            number = self._calls[common] = self._number(Call(*common, types))
        row[0] = number
        return row

    def _word(self, value: ir.Value) -> int | None:
        """The word for an argument in the table, if any."""
        place = self._places.get(value)
        if place is None:
            number = self._numbers.get(value, -1)
            if 0 <= number <= _LARGEST:
                return number
            root = self._roots.get(value)
            if root is None or value.type != self._pointer or not _has_address(root):
                return None
            place = self._places[value] = self._place(root, to_be_freed=False)
        return place

    def _allocation(self, op: ir.Operation) -> _Row | None:
        result, attributes = op.results[0], op.attributes
        extent = self._extent(result.type)
        if extent is None or extent[0] or not _OF_ALLOCATIONS.issuperset(attributes):
            return None
        place = self._free_places.pop() if self._free_places else self.run.size
        self.run.size = max(self.run.size, place + 2)
        self.run.made[result] = place
        alignment = ir.IntegerAttr(attributes["alignment"]) if "alignment" in attributes else None
        return [self._number(TabulatedAllocation(alignment)), place, extent[1]]

    def _deallocation(self, op: ir.Operation) -> _Row | None:
        value = op.operands[0]
        root = self._roots.get(value, value)
        if not _has_address(root) or root in self._freed:
            return None
        place = self._place(root, to_be_freed=True)
        if root in self.run.made:
            self._freed.add(root)
            self._free_places.append(self.run.made[root])
        self._use([value])
        return [self._number(Deallocation()), place]

    def _copy(self, op: ir.Operation) -> _Row | None:
        operands = list(op.operands)
        row = [0]
        count = 0
        for value in operands:
            root, extent = self._roots.get(value, value), self._extent(value.type)
            if extent is None or not _has_address(root):
                return None
            begin, count = extent
            row += [self._place(root, to_be_freed=False), begin]
        self._use(operands)
        row[0] = self._number(Copy())
        return [*row, count]

    _readers: ClassVar[dict[str, Callable[[_Reader, ir.Operation], _Row | None]]] = {
        "func.call": _call,
        "memref.alloc": _allocation,
        "memref.copy": _copy,
        "memref.dealloc": _deallocation,
    }

    def _number(self, kind: Kind) -> int:
        return self.run.kinds.setdefault(kind, len(self.run.kinds))

    def _place(self, memref: ir.Value, *, to_be_freed: bool) -> int:
        """The place of an address of `memref`."""
        made = self.run.made.get(memref)
        if made is not None:
            return made + to_be_freed
        place = self.run.given.setdefault(Given(memref, to_be_freed), self.run.size)
        self.run.size = max(self.run.size, place + 1)
        return place

    def _use(self, operands: Iterable[ir.Value]) -> None:
        uses = self._uses
        for value in operands:
            uses[value] = uses.get(value, 0) + 1

    def _extent(self, type_: ir.Type) -> tuple[int, int] | None:
        if type_ not in self._extents:
            self._extents[type_] = _extent(type_)
        return self._extents[type_]


def _has_address(value: ir.Value) -> bool:
    return isinstance(value.type, ir.MemRefType) and value.type.memory_space is None


def _extent(type_: ir.Type) -> tuple[int, int] | None:
    """Offset and size in bytes of the elements of a contiguous memref; None for other types."""
    if not is_plain(type_):
        return None
    memref = ir.MemRefType(type_)
    element = memref.element_type
    if not isinstance(element, ir.IndexType) and getattr(element, "width", 0) not in _WIDTHS:
        return None
    strides, offset = memref.get_strides_and_offset()
    count = 1
    for size, stride in zip(reversed(memref.shape), reversed(strides), strict=True):
        if stride != count:
            return None
        count *= size
    extent = offset * type_bytes(element), count * type_bytes(element)
    return extent if 0 <= min(extent) <= max(extent) <= _LARGEST else None
