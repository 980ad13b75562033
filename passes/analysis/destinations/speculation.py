"""Whether pure ops may run before others: what would be undefined must not run where it did not run before.

A pure op may be undefined, as a read out of bounds is. In front of another op it runs even if that one ends the program
or does not end. So either all ops that it passes return, or it is defined for all operands.

Nothing is changed. Cost: linear in the ops asked about and what is inside of them; a called function is read once.
"""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir

from ..ir.snapshot import Snapshot
from ..linalg.payload_effects import is_pure

__all__ = ["Speculation"]

_RETURN = frozenset({"affine", "bufferization", "memref", "vector"})
"""Ops of these dialects return, also those that access memory."""
_RETURNING = frozenset({"func.return", "scf.parallel", "scf.reduce", "scf.reduce.return"})
_DEFINED = frozenset({"linalg.index", "linalg.yield", "scf.if", "scf.yield", "tensor.empty"})
_COMPUTES = frozenset({"arith", "complex", "linalg", "math"})
"""Ops of these dialects are defined for all operands, but for those with `_UNDEFINED` in their names."""
_UNDEFINED = ("div", "rem", "ipowi", "sh", "index_cast", "fpto")


class Speculation:
    """Answers for the ops of one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._functions: dict[str, int] | None = None
        self._returning: dict[int, bool] = {}

    def may_precede(self, moved: Iterable[int], passed: Iterable[int]) -> bool:
        """Whether pure ops ``moved`` may run before ops ``passed``, which now run before them."""
        return all(map(self._returns, passed)) or all(map(self._is_defined, moved))

    def _returns(self, op: int) -> bool:
        """Whether control comes to the next op."""
        s = self._snapshot
        return all(self._returns_itself(inner) for inner in (op, *s.nested_ops(op)))

    def _returns_itself(self, op: int) -> bool:
        s = self._snapshot
        name = s.op_name[op]
        if name == "func.call":
            return self._callee_returns(op)
        return name in _RETURNING or name.partition(".")[0] in _RETURN or is_pure(s.ops[op])

    def _callee_returns(self, call: int) -> bool:
        """Whether the function that is called has one block of ops that return; a recursive one may not."""
        s = self._snapshot
        if self._functions is None:
            functions = [op for op, name in enumerate(s.op_name) if name == "func.func"]
            self._functions = {ir.StringAttr(s.ops[op].attributes["sym_name"]).value: op for op in functions}
        function = self._functions.get(s.callee(call), -1)
        if function < 0 or len(s.op_regions[function][0]) != 1:
            return False
        if function not in self._returning:
            self._returning[function] = False  # while it is asked about
            self._returning[function] = all(map(self._returns_itself, s.nested_ops(function)))
        return self._returning[function]

    def _is_defined(self, op: int) -> bool:
        """Whether a pure op is defined for all operands, and what is inside of it."""
        s = self._snapshot
        return all(self._is_defined_itself(inner) for inner in (op, *s.nested_ops(op)))

    def _is_defined_itself(self, op: int) -> bool:
        s = self._snapshot
        name, made = s.op_name[op], s.ops[op]
        if not all(_is_static(value.type) for value in (*made.operands, *made.results)):
            return False
        if name == "tensor.extract":
            return self._reads_inside(op)
        if name == "tensor.extract_slice":
            return _is_slice_inside(made)
        dialect, _, mnemonic = name.partition(".")
        return name in _DEFINED or (dialect in _COMPUTES and not any(word in mnemonic for word in _UNDEFINED))

    def _reads_inside(self, op: int) -> bool:
        """Whether the indices of a ``tensor.extract`` are constants within bounds."""
        s = self._snapshot
        tensor, *indices = (s.operand_value[operand] for operand in s.operands(op))
        for index, size in zip(indices, ir.RankedTensorType(s.values[tensor].type).shape, strict=True):
            maker = s.value_op[index] if index >= 0 else -1
            if maker < 0 or s.op_name[maker] != "arith.constant":
                return False
            if not 0 <= ir.IntegerAttr(s.ops[maker].attributes["value"]).value < size:
                return False
        return True


def _is_static(type_: ir.Type) -> bool:
    return not isinstance(type_, ir.ShapedType) or (type_.has_rank and type_.has_static_shape)


def _is_slice_inside(op: ir.Operation) -> bool:
    """Whether a ``tensor.extract_slice`` has static offsets, sizes and strides, within bounds."""
    if len(op.operands) > 1:
        return False
    offsets, sizes, strides = (
        list(ir.DenseI64ArrayAttr(op.attributes[f"static_{what}"])) for what in ("offsets", "sizes", "strides")
    )
    shape = ir.RankedTensorType(op.operands[0].type).shape
    ends = zip(offsets, sizes, strides, shape, strict=True)
    return all(
        size >= 0 and 0 <= offset < bound and 0 <= offset + max(size - 1, 0) * stride < bound
        for offset, size, stride, bound in ends
    )
