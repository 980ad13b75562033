"""Roots, the pieces of memory of the lifetime analysis, and the set of roots that each memref may be.

``module.py`` defines roots; the walks over regions and over the block graph share this table.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

from mlir import ir

from ....dialects.support.frozen_classes import record
from ...framework.contract import RETURNABLE
from ...framework.errors import PassFailure
from .plan import GlobalBuffer, Handle

__all__ = ["NONE", "VIEWS", "Root", "RootKind", "RootTable", "Roots", "is_buffer", "leaving_buffers"]


class RootKind(enum.Enum):
    """The owner of a root's memory, as seen from the block of the root."""

    OWNED = enum.auto()
    """The block: it allocated the memory, or received it from a call."""
    JOINED = enum.auto()
    """The block, unless the memory is that of another root that it may be."""
    CARRIED = enum.auto()
    """The loop's body, if an earlier iteration allocated the memory."""
    BORROWED = enum.auto()
    """Not the block."""


@record
class Root:
    """`handles`: its values (several for the joined results of one op). `avoid`: roots it may be without owning them.

    `level` is the number of the block it is seen from (None: everywhere). `freed_by_program`: it has a dealloc already.
    `returnable`: an argument of the function that the caller recognizes when it is returned.
    """

    number: int
    kind: RootKind
    handles: tuple[Handle, ...]
    level: int | None
    avoid: frozenset[int] = frozenset()
    last_use: ir.Operation | None = None
    pinned: bool = False
    freed_by_program: bool = False
    returnable: bool = False


Roots = frozenset[int]
NONE: Roots = frozenset()

VIEWS = frozenset(
    f"memref.{name}"
    for name in (
        "assume_alignment",
        "cast",
        "collapse_shape",
        "expand_shape",
        "extract_strided_metadata",
        "reinterpret_cast",
        "reshape",
        "subview",
        "transpose",
        "view",
    )
)
"""Ops whose result aliases operand 0; all but `memref.view` also keep the address."""


def is_buffer(type_: ir.Type) -> bool:
    """Whether values of this type are memory."""
    return isinstance(type_, (ir.MemRefType, ir.UnrankedMemRefType))


def leaving_buffers(terminator: ir.Operation) -> dict[int, ir.Value]:
    """The memrefs that a terminator forwards, by operand number."""
    return {number: value for number, value in enumerate(terminator.operands) if is_buffer(value.type)}


def _is_returnable(argument: ir.BlockArgument) -> bool:
    attributes = argument.owner.owner.attributes
    if "arg_attrs" not in attributes:
        return False
    return RETURNABLE in ir.DictAttr(ir.ArrayAttr(attributes["arg_attrs"])[argument.arg_number])


class RootTable:
    """The roots of one function and the set of roots of each memref."""

    def __init__(self) -> None:
        self.roots: list[Root] = []
        self.sets: dict[ir.Value, Roots] = {}
        self.shifted: set[ir.Value] = set()
        """Memrefs whose address is not that of their root."""
        self._globals: dict[str, int] = {}
        self._levels = 0
        self._buffer_types: dict[ir.Type, bool] = {}

    def is_buffer_type(self, type_: ir.Type) -> bool:
        """`is_buffer`, cached by type."""
        known = self._buffer_types.get(type_)
        if known is None:
            known = self._buffer_types[type_] = is_buffer(type_)
        return known

    def new_level(self) -> int:
        """A number for a block that has its own roots."""
        self._levels += 1
        return self._levels

    def new_root(self, kind: RootKind, handles: tuple[Handle, ...], level: int | None, avoid: Roots = NONE) -> Root:
        """Add a root; unless it is joined, it is the only root in the sets of its handles."""
        root = Root(len(self.roots), kind, handles, level, avoid)
        self.roots.append(root)
        if kind is not RootKind.JOINED:
            for handle in handles:
                if isinstance(handle, ir.Value):
                    self.sets[handle] = frozenset((root.number,))
        return root

    def new_argument(self, argument: ir.BlockArgument) -> Root:
        """Add the root of an argument of the function."""
        root = self.new_root(RootKind.BORROWED, (argument,), None)
        root.returnable = _is_returnable(argument)
        return root

    def global_root(self, handle: GlobalBuffer) -> Roots:
        """The root of the memory of a `memref.global`: one for each symbol."""
        if handle.symbol not in self._globals:
            self._globals[handle.symbol] = self.new_root(RootKind.BORROWED, (handle,), None).number
        return frozenset((self._globals[handle.symbol],))

    def handles(self, numbers: Iterable[int]) -> list[Handle]:
        """The values that stand for roots `numbers`."""
        return [handle for number in sorted(numbers) for handle in self.roots[number].handles]

    def is_certain(self, numbers: Roots) -> bool:
        """Whether all memrefs with this set are certainly one buffer."""
        return len(numbers) == 1 and all(len(self.roots[number].handles) == 1 for number in numbers)

    def check_address(self, value: ir.Value, op: ir.Operation) -> None:
        """Refuse a memref that `op` forwards if its address is not that of its buffer."""
        if value in self.shifted:
            raise PassFailure(
                "cannot follow a memref.view out of its block: its address is not that of its buffer; pass the buffer",
                op,
            )
