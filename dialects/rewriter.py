"""The interface by which op models build memref IR, and all that they learn about decisions.

Contract: a model asks for the buffers of its op's operands and states what holds its results; which of those buffers
are new, and what was copied into them, was decided before. Implemented by
``passes/bufferization/rewriting/rewriter.py``; the models see this interface only, so that no dialect depends on a
pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from mlir import ir

from .support.dense_elements import Elements

__all__ = ["Rewriter"]


class Rewriter(Protocol):
    """What ``OpModel.bufferize`` may use; implemented by ``passes/bufferization/rewriting/rewriter.py``.

    New ops go where the current insertion point is: before the op that is being bufferized, unless a model opens
    another one. An op argument is the very object that the model was given, or what :meth:`terminator` returned.
    """

    def buffer(self, op: ir.Operation, operand: int) -> ir.Value:
        """Return the memref to use for tensor operand ``operand`` of ``op``.

        For an out-of-place operand this is a new allocation, filled by a copy when the old content is needed: ask once
        per operand.
        """
        ...

    def buffer_as(self, op: ir.Operation, operand: int, type_: ir.Type) -> ir.Value:
        """Return :meth:`buffer` as a memref of ``type_``; where both ask for a copy there is one only."""
        ...

    def source_buffer(self, op: ir.Operation, operand: int) -> ir.Value:
        """Return the memref that holds the operand's value, whatever was decided for the operand."""
        ...

    def settle_view(self, op: ir.Operation, operand: int, view: ir.Value) -> ir.Value:
        """Return the buffer of a view of ``operand``: ``view`` itself, or a copy of it when out-of-place."""
        ...

    def same_operand(self, op: ir.Operation, result: int) -> int | None:
        """Return the operand of ``op`` in whose buffer, in place, tensor result ``result`` certainly is, if any."""
        ...

    def needs_buffer(self, value: ir.Value) -> bool:
        """Whether anything uses the buffer of ``value``, a tensor without content, rather than a fresh one."""
        ...

    def sizes(self, buffer: ir.Value) -> list[ir.Value]:
        """Return the dynamic sizes of memref ``buffer``, outermost first."""
        ...

    def is_whole_slice(self, op: ir.Operation, operand: int) -> bool:
        """Whether the slice of ``operand`` that ``op`` works on, of dynamic sizes, is all of it."""
        ...

    def is_redundant_write(self, op: ir.Operation, operand: int) -> bool:
        """Whether writing in place into ``operand`` would copy a buffer onto itself."""
        ...

    def terminator(self, op: ir.Operation, region: int) -> ir.Operation:
        """Return the terminator of a region of ``op`` with one block."""
        ...

    def terminators(self, op: ir.Operation, region: int) -> list[ir.Operation]:
        """Return the terminators that leave a region of ``op``, which may have several blocks."""
        ...

    def carries_one_buffer(self, terminator: ir.Operation, operand: int) -> bool:
        """Whether the loop around ``terminator`` carries the same buffer in every iteration for this operand."""
        ...

    def yielded_buffer(self, terminator: ir.Operation, operand: int, carried: ir.Value | None) -> ir.Value:
        """Return the memref to yield, copying before ``terminator`` where that was decided.

        ``carried`` is the buffer that a loop carries in this place, for a copy into it.
        """
        ...

    def held_buffer(self, value: ir.Value) -> ir.Value:
        """Return the memref that holds tensor ``value``, a block argument."""
        ...

    def output_buffer(self, argument: ir.Value) -> ir.Value:
        """Return the memref that runs of a parallel region insert into for ``argument``, which must be held by then.

        That is the argument's own, or a copy of it if what the argument holds is still read. Ask once per argument.
        """
        ...

    def inserted_buffer(self, op: ir.Operation, operand: int) -> ir.Value:
        """Return the :meth:`output_buffer` that ``op`` inserts into, ``operand`` being the argument."""
        ...

    def carried_type(self, value: ir.Value) -> ir.Type:
        """Return the smallest type that every buffer which reaches region argument ``value`` can be cast to."""
        ...

    def hold(self, value: ir.Value, buffer: ir.Value) -> None:
        """State that tensor ``value``, a block argument, is held by ``buffer``."""
        ...

    def allocate(self, type_: ir.MemRefType, dynamic_sizes: Sequence[ir.Value] = ()) -> ir.Value:
        """Return a new buffer of ``type_``."""
        ...

    def copy(self, source: ir.Value, target: ir.Value) -> None:
        """Copy the elements of memref ``source`` to memref ``target`` of the same shape."""
        ...

    def cast(self, buffer: ir.Value, type_: ir.Type) -> ir.Value:
        """Return ``buffer`` as a memref of ``type_``: itself, a cast, or a copy where a cast could be wrong."""
        ...

    def copies_state(self, op: ir.Operation) -> bool:
        """Whether what ``op`` loads (see ``OpModel.loaded_state``) may be overwritten while it is still used."""
        ...

    def constant(self, attribute: Elements, type_: ir.MemRefType) -> ir.Value:
        """Return a read-only buffer with the elements of ``attribute``."""
        ...

    def signature(self, function: str) -> ir.FunctionType | None:
        """Return the type that function ``function`` has with buffers, or None when it keeps its tensors."""
        ...

    def sweep(self, op: ir.Operation) -> None:
        """Erase the ops inside of region op ``op`` that were replaced."""
        ...

    def replace(self, op: ir.Operation, results: Sequence[ir.Value | None]) -> None:
        """State what replaces each result of ``op``: a memref for a tensor, else a value that takes over its uses.

        ``None`` for a tensor says that nothing uses its buffer (see :meth:`needs_buffer`). The op is erased later.
        """
        ...

    def detach(self, value: ir.Value) -> None:
        """State that a reshaped ``value`` is held by a copy, although its operand is in-place."""
        ...

    def keep(self, op: ir.Operation) -> None:
        """State that ``op`` stays: the model has put memrefs in the place of its tensor operands and results."""
        ...
