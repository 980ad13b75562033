"""How the ops of the dispatch dialect bufferize, once promotion has turned the memory of bindings into values.

The content of a binding lives in the binding's memory, which may be written if its access allows that and if what it
holds in the end is committed. In between the content is a tensor like any other.
"""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir

from ..bufferizable import OpModel
from ..common_models import CopyModel
from ..rewriter import Rewriter
from ..support.cloning import recreate
from ..support.memref_types import identity_type
from . import access_of, binding_of, is_dispatch_type

__all__ = ["MODELS", "CommitModel", "ContentsModel", "UnpromotedModel"]

_VALUE, _CONTENTS = 0, 1


class ContentsModel(OpModel):
    """``dispatch.contents``: the memory of a binding."""

    op_names = ("dispatch.contents",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse what is not made by promotion."""
        source = op.operands[0]
        if not is_dispatch_type(source.type) or binding_of(source) is None:
            return f"'{op.name}' of {source.type} that no dispatch.binding here makes; declare the binding"
        return None

    def is_writable(self, op: ir.Operation, result: int) -> bool:
        """If the access allows it, and the program says what the memory holds in the end."""
        return access_of(op.operands[0].type).writes and any(
            use.owner.operation.name == "dispatch.commit" and use.operand_number == _CONTENTS
            for use in op.results[0].uses
        )

    def bufferizes_to_allocation(self, op: ir.Operation, result: int) -> bool:
        """The memory is the binding's."""
        return False

    def buffer_type(self, op: ir.Operation, result: int, operands: Mapping[int, ir.Type]) -> ir.Type | None:
        """Contiguous, from the byte offset on."""
        return identity_type(op.results[0].type)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Put a declaration of a memref in the place of that of the tensor, and tie it to the same sizes."""
        chain: list[ir.Operation] = []
        while not chain or chain[-1].name != "dispatch.binding":
            source = (chain[-1] if chain else op).operands[0]
            chain.append(ir.OpResult(source).owner.operation)
        type_ = identity_type(op.results[0].type)
        buffer: ir.Value | None = None
        for old in reversed(chain):
            operands = list(old.operands)
            if buffer is not None:
                operands[0] = buffer
            with ir.InsertionPoint(old), old.location:
                buffer = recreate(old, operands, [type_]).result
        assert buffer is not None
        # The op goes when its function is finished; the old declaration must not wait for that.
        op.operands[0] = buffer
        for old in chain:
            if next(iter(old.results[0].uses), None) is None:
                old.erase()
        rewriter.replace(op, [buffer])


class CommitModel(CopyModel):
    """``dispatch.commit``: the value is in the memory of the contents, which all workgroups share."""

    op_names = ("dispatch.commit",)

    def must_bufferize_in_place(self, op: ir.Operation, operand: int) -> bool:
        """The commit must be to the binding's own memory."""
        return operand == _CONTENTS

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Copy the value, unless it is there already."""
        if not rewriter.is_redundant_write(op, _CONTENTS):
            rewriter.copy(rewriter.buffer(op, _VALUE), rewriter.buffer(op, _CONTENTS))
        rewriter.replace(op, [])


class UnpromotedModel(OpModel):
    """``dispatch.load`` and ``dispatch.store``: accesses to memory that promotion has not turned into values."""

    op_names = ("dispatch.load", "dispatch.store")

    def refuse(self, op: ir.Operation) -> str | None:
        """Ask for promotion."""
        return f"'{op.name}' accesses memory that has to become a value first; run inplace-promote-bindings"


MODELS: tuple[OpModel, ...] = (ContentsModel(), CommitModel(), UnpromotedModel())
