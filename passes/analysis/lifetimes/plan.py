"""The result of `module.py` as data: deallocations and clones by which every buffer is freed once."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir


@dataclass(frozen=True)
class GlobalBuffer:
    """The memory of a `memref.global`; it has no value that is visible everywhere."""

    symbol: str
    type: ir.Type


Handle = ir.Value | GlobalBuffer
"""Something whose address can be taken."""


@dataclass(frozen=True)
class Free:
    """Free `value` before op `before`, unless its address is that of one of `unless`."""

    value: ir.Value
    before: ir.Operation
    unless: tuple[Handle, ...] = ()


@dataclass(frozen=True)
class ReturnedClone:
    """Return a clone in place of operand `operand`: if its address is that of one of `when`, or always (None)."""

    terminator: ir.Operation
    operand: int
    when: tuple[Handle, ...] | None


@dataclass(frozen=True)
class EdgeFrees:
    """Do `frees` (in front of no op that is there) on the way from `terminator` to its successor number `index`."""

    terminator: ir.Operation
    index: int
    frees: tuple[Free, ...]


@dataclass(frozen=True)
class LifetimePlan:
    """What to add so that every buffer is freed once: clones first, then frees, both in the order given."""

    clones: tuple[ReturnedClone, ...]
    frees: tuple[Free, ...]
    edges: tuple[EdgeFrees, ...] = ()
