"""The result of `module.py` as data: deallocations and clones by which every buffer is freed once."""

from __future__ import annotations

from mlir import ir

from ....dialects.support.frozen_classes import frozen


@frozen
class GlobalBuffer:
    """The memory of a `memref.global`, for which no single SSA value is visible everywhere."""

    symbol: str
    type: ir.Type


Handle = ir.Value | GlobalBuffer
"""Memory whose address can be taken."""


@frozen
class Free:
    """Free `value` before op `before`, unless its address is that of one of `unless`."""

    value: ir.Value
    before: ir.Operation
    unless: tuple[Handle, ...] = ()


@frozen
class ReturnedClone:
    """Return a clone of operand `operand` if its address is that of one of `when`; always if `when` is None."""

    terminator: ir.Operation
    operand: int
    when: tuple[Handle, ...] | None


@frozen
class EdgeFrees:
    """Frees on the edge from `terminator` to its successor number `index`; `Free.before` is not used."""

    terminator: ir.Operation
    index: int
    frees: tuple[Free, ...]


@frozen
class LifetimePlan:
    """The clones and frees to insert, in this order, so that every buffer is freed once."""

    clones: tuple[ReturnedClone, ...]
    frees: tuple[Free, ...]
    edges: tuple[EdgeFrees, ...] = ()
