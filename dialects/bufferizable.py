"""The bufferizable-op interface: what the analysis and the conversion ask about an op.

An *op model* answers, for one kind of op, the questions of upstream's ``BufferizableOpInterface`` under upstream's
names in snake_case. The answers are facts about the op alone: no method looks at decisions, at other ops' buffers or
at the analysis. Two groups of methods exist and they are never mixed:

* queries (``bufferizes_to_memory_read`` … ``forwardings``) are asked once per op, before anything is changed; their
  answers become integer tables in ``passes/analysis/effects/reader.py``;
* ``bufferize`` is asked once per op, after every decision of the function is final. It builds the memref form through
  the :class:`Rewriter` it is given (``rewriter.py``) and consults decisions only through it.

Words: an operand is *tied* to a result when the result may live in the operand's buffer; a tie that the analysis
accepts is *in-place*, otherwise the operand gets a buffer of its own (*out-of-place*). "may" and "must" are kept
apart: a tie says ``definite=False`` when the result lives in the operand's buffer only sometimes.

Third parties add models through the entry-point group ``mlir_inplace.op_models`` (see ``dialects/registry.py``).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

from mlir import ir

from .rewriter import Rewriter
from .support.frozen_classes import frozen_slots
from .support.memref_types import identity_type

__all__ = [
    "AliasingValue",
    "Forwarding",
    "GlobalTensor",
    "OpModel",
    "Relation",
    "Subset",
    "is_tensor",
]


def is_tensor(type_: ir.Type) -> bool:
    """Whether values of ``type_`` become buffers: ranked and unranked tensors."""
    return isinstance(type_, ir.RankedTensorType | ir.UnrankedTensorType)


class Relation(enum.Enum):
    """How a result's buffer relates to the buffer of the operand it is tied to."""

    EQUIVALENT = "equivalent"
    """The same elements at the same addresses."""
    VIEW = "view"
    """Some of the operand's elements: the op's :meth:`OpModel.subset` of it."""
    RESHAPED = "reshaped"
    """All of the operand's elements in the same order under another shape. The conversion may copy them instead."""
    UNKNOWN = "unknown"
    """Overlapping in a way nothing is known about."""


@frozen_slots
class AliasingValue:
    """Result number ``result`` may live in the buffer of the operand that was asked about."""

    result: int
    relation: Relation = Relation.EQUIVALENT
    definite: bool = True


@frozen_slots
class Subset:
    """A hyper-rectangle of a tensor: the elements that a slice op reads or writes.

    ``offsets``, ``sizes`` and ``strides`` have one entry per dimension of the *sliced* tensor, in elements. An entry
    is an integer or an index value.
    """

    offsets: tuple[int | ir.Value, ...]
    sizes: tuple[int | ir.Value, ...]
    strides: tuple[int | ir.Value, ...]


@frozen_slots
class Forwarding:
    """A region op forwards a tensor, unread and unwritten, from one place to others.

    ``region is None``: the source is operand ``operand`` of the op itself. Otherwise it is operand ``operand`` of the
    terminator of that region. ``arguments`` are the (region, block-argument) pairs and ``results`` the results that
    it is forwarded to, all of its type. A source that feeds arguments of its own region is loop-carried. ``shared`` is
    for parallel regions: all threads insert into the one argument, by ops that write it and have no result, and it
    becomes the one result.
    """

    region: int | None
    operand: int
    arguments: tuple[tuple[int, int], ...] = ()
    results: tuple[int, ...] = ()
    shared: bool = False


@frozen_slots
class GlobalTensor:
    """A global tensor: memory under a symbol of the module, which ops anywhere may load from and store to."""

    symbol: str
    is_mutable: bool
    is_private: bool
    """Whether only code of this module can name it."""


class OpModel:
    """How one kind of op bufferizes: subclass it and override what differs from the defaults.

    The defaults describe an op that reads its tensor operands, writes none, and whose tensor results are new buffers.
    """

    op_names: tuple[str, ...] = ()
    """Names of the ops; ``"linalg.*"`` matches every op of the dialect that no exact name matches."""

    def __init__(self, *op_names: str) -> None:
        if op_names:
            self.op_names = op_names

    joins_buffer_types: bool = False
    """Whether targets of forwardings get the :func:`joint_type` of the forwarded buffers, or a more dynamic type.

    For region arguments the model asks :meth:`Rewriter.carried_type`. Otherwise targets may have any strides.
    """

    def refuse(self, op: ir.Operation) -> str | None:
        """Return why ``op`` cannot be bufferized (what was found, what is needed), or None. Asked before any change."""
        return None

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Whether the op itself needs the content of tensor operand ``operand``.

        Forwarding and making a view are not reads: the analysis follows those to the reads behind them. Leaving part
        of a written operand as it was is a read.
        """
        return True

    def only_keeps_content(self, op: ir.Operation, operand: int) -> bool:
        """Whether the op reads written ``operand`` for nothing but the elements that it leaves as they were.

        They are then needed only if the content of the tied result is.
        """
        return False

    def why_content_is_needed(self, op: ir.Operation, operand: int) -> str:
        """Return why the op reads ``operand``, which it writes: a phrase that follows "because"."""
        return "the op reads it, or leaves a part of it as it was"

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """Whether the op writes into the buffer of ``operand`` when that operand is in-place."""
        return False

    def bufferizes_to_allocation(self, op: ir.Operation, result: int) -> bool:
        """Whether the op makes a buffer of its own for tensor result ``result``."""
        tied = (self.aliasing_values(op, i) for i, value in enumerate(op.operands) if is_tensor(value.type))
        return all(alias.result != result for ties in tied for alias in ties)

    def needs_only_shape(self, op: ir.Operation, operand: int) -> bool:
        """Whether the op needs the shape of ``operand`` only, which has no content, and so no buffer of it."""
        return False

    def must_bufferize_in_place(self, op: ir.Operation, operand: int) -> bool:
        """Whether ``operand`` must be in-place: the conversion cannot give it a buffer of its own."""
        return False

    def copies_unranked(self, op: ir.Operation, operand: int) -> bool:
        """Whether unranked ``operand`` can be out-of-place, because the op knows its rank."""
        return False

    def surely_copies(self, op: ir.Operation, operand: int) -> bool:
        """Whether the layout of tied ``operand`` surely keeps the op from working in its buffer.

        Asked for :attr:`Relation.RESHAPED` ties only. A yes costs at most a copy; a no promises nothing.
        """
        return False

    def discards_content(self, op: ir.Operation, operand: int) -> bool:
        """Whether a new buffer for written ``operand`` needs no copy of the content, although the op reads the operand.

        Such an op reads the operand through :meth:`Rewriter.source_buffer` and writes :meth:`Rewriter.buffer`.
        """
        return False

    def escapes(self, op: ir.Operation, operand: int) -> bool:
        """Whether the buffer of ``operand`` escapes: other code may use it at any later time."""
        return False

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """Return the results that may live in the buffer of ``operand`` when that operand is in-place."""
        return ()

    def is_writable(self, op: ir.Operation, result: int) -> bool:
        """Whether the buffer that the op makes for ``result`` may be written."""
        return True

    def result_is_undefined(self, op: ir.Operation, result: int) -> bool:
        """Whether ``result`` has no content yet, so that nothing is lost by overwriting it."""
        return False

    def is_not_conflicting(self, op: ir.Operation, read: int, write: int) -> bool:
        """Whether the op may read operand ``read`` and write operand ``write`` in ONE buffer with one layout."""
        return False

    def writes_at_once(self, op: ir.Operation, first: int, second: int) -> bool:
        """Whether the op may write operands ``first`` and ``second`` in ONE buffer, if nobody reads either result.

        The other results must be right then, although the op reads the old content of the two.
        """
        return False

    def subset(self, op: ir.Operation, operand: int) -> Subset | None:
        """Return the part of ``operand`` that the op views, reads or writes; None means the whole.

        For an operand that is written, everything outside of the subset keeps its content, and that is also all the
        op needs of the old content.
        """
        return None

    def redundant_source(self, op: ir.Operation, operand: int) -> int | None:
        """Return the operand that the op copies into the subset of ``operand``, if there is one.

        When the two are the same memory the copy is redundant and none is emitted.
        """
        return None

    def declared_state(self, op: ir.Operation) -> GlobalTensor | None:
        """Return the global that ``op``, an op of the module's own block, declares.

        :meth:`bufferize` is asked for such an op once, before all functions; then the op is erased.
        """
        return None

    def loaded_state(self, op: ir.Operation) -> str | None:
        """Return the symbol of the global that the op loads as result 0."""
        return None

    def stored_state(self, op: ir.Operation) -> str | None:
        """Return the symbol of the global that the op overwrites by a copy."""
        return None

    def forwardings(self, op: ir.Operation) -> tuple[Forwarding, ...]:
        """Return how a region op forwards tensors between operands, block arguments, terminators and results."""
        return ()

    def successor_operands(self, op: ir.Operation) -> tuple[Sequence[int], ...]:
        """Return, for each successor of a branch, the operands that become the arguments of that block, in order.

        A branch forwards every tensor operand, unread and unwritten; no operand reaches two arguments.
        """
        return ()

    def with_successor_operands(self, op: ir.Operation, operands: Sequence[Sequence[ir.Value]]) -> ir.Operation:
        """Recreate branch ``op`` at the insertion point with these values for the arguments of each successor."""
        raise NotImplementedError(op.name)

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """Whether region number ``region`` may run more than once for one execution of the op."""
        return False

    def is_parallel_region(self, op: ir.Operation, region: int) -> bool:
        """Whether runs of the region may overlap in time."""
        return False

    def are_exclusive_regions(self, op: ir.Operation) -> bool:
        """Whether one execution of the op runs at most one of its regions."""
        return False

    def reads_before_regions(self, op: ir.Operation) -> bool:
        """Whether the op reads its own operands before its regions run, as structured control flow does."""
        return bool(self.forwardings(op))

    def buffer_type(self, op: ir.Operation, result: int, operands: Mapping[int, ir.Type]) -> ir.Type | None:
        """Return a memref type that the buffer of ``result`` can be cast to; None means any strides.

        ``operands`` has the types of the buffers that the op gets for the operands that the result is tied to. Types
        there may promise less than those that :meth:`bufferize` will see; the answer must then promise less as well.
        By default the result is a new contiguous buffer, or the one operand's that it is equivalent to.
        """
        type_ = op.results[result].type
        if not operands:
            return identity_type(type_) if self.bufferizes_to_allocation(op, result) else None
        ties = [(i, tie) for i in operands for tie in self.aliasing_values(op, i) if tie.result == result]
        if len(ties) != 1 or not ties[0][1].definite or ties[0][1].relation is not Relation.EQUIVALENT:
            return None
        return operands[ties[0][0]] if op.operands[ties[0][0]].type == type_ else None

    def enter(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Prepare a region op before its body is converted: give block arguments their buffers."""

    def leave_region(self, op: ir.Operation, region: int, rewriter: Rewriter) -> None:
        """Finish region number ``region``, whose terminator forwards tensors, before the next one is converted."""

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Build the memref form of ``op`` before it and tell ``rewriter`` what replaces it.

        A region op is asked when its body is converted already. Linear in the operands and results of the op.
        """
        raise NotImplementedError(op.name)
