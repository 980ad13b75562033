"""The bufferization plan as plain data: unions of tensors into buffers, separations, and the rule behind each.

All data is text, numbers and locations: a plan outlives the ops it was made from, can be compared and printed, and is
immutable. ``bufferization_plan.py`` makes it.
"""

from __future__ import annotations

import enum

from mlir import ir

from ....dialects.support.frozen_classes import frozen, frozen_slots
from ..conflicts.decisions import Rule

__all__ = [
    "BufferClass",
    "FunctionPlan",
    "Note",
    "PlannedValue",
    "Separation",
    "SeparationRule",
    "Storage",
    "StorageKind",
    "Union",
    "UnionKind",
    "UnionRule",
]

Note = tuple[str, ir.Location]
"""A sentence and its location."""


class StorageKind(enum.Enum):
    """The kind of memory of a class of tensors. The value is its text in the printed plan."""

    BINDING = "binding"
    ARGUMENT = "function argument"
    CONSTANT = "constant"
    NEW = "new buffer"
    UNUSED = "no buffer: nothing but its shape is used"
    GIVEN = "given buffer"


class UnionKind(enum.Enum):
    """The relation of a value to the buffer it was united with. The value is its text in the printed plan."""

    SAME = "is"
    SLICE = "is a slice of"
    RESHAPE = "is a reshape of"
    MAYBE = "may be"


class UnionRule(enum.Enum):
    """The rule that proposed a union. The value is its text in the printed plan."""

    LOAD = "load tied to its binding"
    STORE = "store tied to its target"
    STORED_VALUE = "value computed in the slice that it is stored to"
    COMMIT = "contents left in their binding"
    INIT_READ = "init read by the op"
    INIT_OVERWRITTEN = "init overwritten by the op"
    INPUT_REUSED = "elementwise input reused for the result"
    VIEW = "view op"
    UPDATE = "destination of an update"
    CARRIED = "region argument"
    YIELDED = "value yielded out of a region"
    BRANCHED = "argument of a block"
    CALLED = "argument of a call that returns it"
    CHOSEN = "one of the buffers that the op chooses from"
    TIED = "result in the buffer of an operand"


class SeparationRule(enum.Enum):
    """Reasons to copy an inserted value into its destination, in addition to ``decisions.Rule``."""

    CONSTANT = "the value is a constant"
    OTHER_BINDING = "the value is in another binding"
    OTHER_OFFSET = "the value is in the same binding at another offset"
    OTHER_PART = "the value is in another part of the same buffer"
    ARGUMENT = "the value is in a function argument"
    OWN_BUFFER = "the value is in a buffer of its own"
    GIVEN = "the value is in a buffer that was given"


@frozen_slots
class PlannedValue:
    """A tensor: its number in the snapshot, its name (``loc("name")``, else as printed), and its definition."""

    number: int
    name: str
    origin: str
    location: ir.Location

    def __str__(self) -> str:
        return self.name


@frozen_slots
class Storage:
    """Memory of a class, and the value that is defined in it.

    ``binding`` is (set, binding), ``offset`` the byte offset as a number or the name of the value that says it,
    ``access`` the access that the type of the binding allows; only ``StorageKind.BINDING`` has these. ``detail``
    describes the others.
    """

    kind: StorageKind
    value: PlannedValue
    binding: tuple[int, int] | None = None
    offset: str = ""
    access: str = ""
    detail: str = ""

    def __str__(self) -> str:
        if self.binding is not None:
            set_, binding = self.binding
            return f"{self.access} memory of set {set_} binding {binding} from byte {self.offset}, as {self.value}"
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.kind.value}{detail}, as {self.value}"


@frozen_slots
class Union:
    """``value`` lies in the buffer of ``source``: the relation, the rule, and the op at which it was proposed."""

    value: PlannedValue
    source: PlannedValue
    kind: UnionKind
    rule: UnionRule
    op: str
    location: ir.Location

    def __str__(self) -> str:
        return f"{self.value} {self.kind.value} {self.source}: {self.rule.value} ('{self.op}')"


@frozen_slots
class Separation:
    """A refused union: operand ``operand`` of ``op`` does not share its buffer with the value that the op makes of it.

    ``copies``: whether the content is copied; otherwise the cost is only a new buffer. ``rule`` refused it; the
    ``notes`` give the ops concerned, with locations. ``carried``: a loop copies into the buffer it carries.
    """

    op: str
    operand: int
    value: PlannedValue
    rule: Rule | SeparationRule
    copies: bool
    location: ir.Location
    carried: bool = False
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        if isinstance(self.rule, SeparationRule):
            cost = "is copied to its target"
        elif self.carried:
            cost = "is copied into the buffer that the loop carries" if self.copies else "costs nothing"
        else:
            cost = "is copied into a new buffer" if self.copies else "is replaced by a new buffer"
        return f"{self.value}, operand #{self.operand} of '{self.op}', {cost}: {self.rule.value}"


@frozen_slots
class BufferClass:
    """Values that share memory: ``members`` in program order, and the ``unions`` that brought them together.

    There is usually one storage; several if a branch or a loop chooses between buffers. ``is_stored``: the class has
    the contents of a written binding, so its members are computed in place in the output.
    """

    number: int
    storages: tuple[Storage, ...]
    members: tuple[PlannedValue, ...]
    unions: tuple[Union, ...]
    is_stored: bool

    def __str__(self) -> str:
        stored = "; stored, computed in place" if self.is_stored else ""
        return f"class {self.number}: {' or '.join(map(str, self.storages))}{stored}"


@frozen
class FunctionPlan:
    """The plan of one function: its classes in program order, and the unions that were refused."""

    name: str
    location: ir.Location
    classes: tuple[BufferClass, ...]
    separations: tuple[Separation, ...]

    @property
    def store_set(self) -> tuple[BufferClass, ...]:
        """The classes that hold the contents of a written binding."""
        return tuple(found for found in self.classes if found.is_stored)

    @property
    def copies(self) -> int:
        """The number of copies that the separations cost."""
        return sum(found.copies for found in self.separations)

    @property
    def summary(self) -> str:
        """One line with the counts."""
        classes = f"{len(self.classes)} class{'' if len(self.classes) == 1 else 'es'}"
        copies = f"{self.copies} cop{'y' if self.copies == 1 else 'ies'}"
        return f"plan of @{self.name}: {classes}, {len(self.store_set)} stored, {copies}"
