"""Ops that another package describes, as none of ours says what their models say; the evaluator runs them, too.

`others.longer`: the buffer of the operand if that has eight elements, else another one with eight.
`others.columns`: the elements of a matrix column by column, into the vector that is its second operand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir

from mlir_inplace.checking.evaluator.values.memory import MemRef, wrap_array
from mlir_inplace.dialects.bufferizable import AliasingValue, OpModel
from mlir_inplace.dialects.registry import find_model, register_op_model
from mlir_inplace.dialects.rewriter import Rewriter
from mlir_inplace.dialects.support.memref_types import dynamic_layout_type

__all__ = ["DIALECT", "OPS", "describe"]

DIALECT = "others."
_LENGTH = 8


class _Longer(OpModel):
    op_names = ("others.longer",)

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The whole operand, or nothing of it."""
        return (AliasingValue(0, definite=False),)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """The same op on memrefs."""
        type_ = dynamic_layout_type(op.results[0].type)
        new = ir.Operation.create(op.name, results=[type_], operands=[rewriter.buffer(op, 0)])
        rewriter.replace(op, [new.results[0]])


class _Columns(OpModel):
    op_names = ("others.columns",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """The matrix."""
        return operand == 0

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """The vector."""
        return operand == 1

    def discards_content(self, op: ir.Operation, operand: int) -> bool:
        """It is written completely."""
        return operand == 1

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the vector."""
        return (AliasingValue(0),) if operand == 1 else ()

    def is_not_conflicting(self, op: ir.Operation, read: int, write: int) -> bool:
        """As for all ops that go through their operands in one order, which these two do not share."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """The same op on memrefs."""
        source, target = rewriter.source_buffer(op, 0), rewriter.buffer(op, 1)
        ir.Operation.create(op.name, operands=[source, target])
        rewriter.replace(op, [target])


def describe() -> None:
    """Make the models known to this process."""
    for model in (_Longer(), _Columns()):
        if find_model(model.op_names[0]) is None:
            register_op_model(model)


def _longer(values: Sequence[Any], _: int) -> list[Any]:
    (value,) = values
    if value.shape == (_LENGTH,):
        return [value]
    new = np.arange(_LENGTH, dtype=np.float32)
    return [wrap_array(new, "argument") if isinstance(value, MemRef) else new]


def _columns(values: Sequence[Any], _: int) -> list[Any]:
    matrix, vector = values
    if not isinstance(vector, MemRef):
        return [np.ascontiguousarray(np.transpose(matrix)).reshape(-1)]
    rows, columns = matrix.shape
    for number in range(rows * columns):
        element = matrix.read()[number % rows, number // rows]
        vector.array[number] = element
        vector.written(number)
    return []


OPS: dict[str, Callable[[Sequence[Any], int], list[Any]]] = {"others.longer": _longer, "others.columns": _columns}
"""What the ops do: with tensors, or with memrefs."""
