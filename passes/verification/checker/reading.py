"""Reading of programs: index values as linear sums, slice ops as places."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ...analysis.ir.snapshot import Snapshot
from .places import DYNAMIC, LinearSum, Place, Reshape, StridedBox, add, join, scaled

__all__ = ["Scalars", "element_place", "read_snapshot", "shape_of", "slice_place", "successor_operands"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_VIEWS = {"tensor.extract_slice": 0, "tensor.insert_slice": 1, "tensor.parallel_insert_slice": 1, "memref.subview": 0}
"""Slice ops, and which of their operands they take a slice of."""


def read_snapshot(root: ir.Operation) -> Snapshot:
    """Read the tables of ``root``, without the analysis's knowledge of loops."""
    return Snapshot(root, lambda op, name, region: False)


def successor_operands(snapshot: Snapshot, op: int) -> list[range] | None:
    """Return which operands of branch ``op`` each successor gets; None for a branch that is not known."""
    name, count = snapshot.op_name[op], snapshot.op_operand_count[op]
    if name == "cf.br":
        return [range(count)]
    if name not in ("cf.cond_br", "cf.switch"):
        return None
    attributes = snapshot.ops[op].attributes
    segments = ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"])
    sizes = [segments[1]]
    if name == "cf.cond_br":
        sizes.append(segments[2])
    elif "case_operand_segments" in attributes:
        cases = ir.DenseI32ArrayAttr(attributes["case_operand_segments"])
        sizes += [cases[i] for i in range(len(cases))]
    begins = [1]
    for size in sizes:
        begins.append(begins[-1] + size)
    return [range(begins[i], begins[i + 1]) for i in range(len(sizes))]


def shape_of(type_: ir.Type) -> tuple[int, ...] | None:
    """Return the shape of a ranked type, with `DYNAMIC` for sizes that are not known; None without a rank."""
    if not isinstance(type_, ir.RankedTensorType | ir.MemRefType):
        return None
    return tuple(DYNAMIC if size == _DYNAMIC else size for size in type_.shape)


def _integers(array: ir.Attribute) -> list[int]:
    dense = ir.DenseI64ArrayAttr(array)
    return [dense[number] for number in range(len(dense))]


class Scalars:
    """Index values of one snapshot as linear sums; ``symbol`` gives the symbol of any other value."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.sums: dict[int, LinearSum] = {}
        self._frozen = False

    def freeze(self) -> None:
        """Stop reading ops, which may be erased from now on."""
        self._frozen = True

    def symbol(self, value: int) -> int:
        """Return the symbol of ``value``: in the tensor program, its number."""
        return value

    def known(self, value: int) -> LinearSum | None:
        """Return a sum that is known from elsewhere."""
        return self.sums.get(value)

    def sum(self, value: int, depth: int = 8) -> LinearSum:
        """Return ``value`` as a sum, through constants, additions and multiplications by constants; else its symbol."""
        found = self.known(value)
        if found is None:
            found = self._read(value, depth) if depth and not self._frozen else None
            found = found or LinearSum(0, ((self.symbol(value), 1),))
            self.sums[value] = found
        return found

    def _read(self, value: int, depth: int) -> LinearSum | None:
        s = self._snapshot
        op = s.value_op[value] if value >= 0 else -1
        if op < 0:
            return None
        name = s.op_name[op]
        if name in ("arith.constant", "index.constant"):
            attribute = s.ops[op].attributes["value"]
            return LinearSum(ir.IntegerAttr(attribute).value) if isinstance(attribute, ir.IntegerAttr) else None
        operands = [s.operand_value[operand] for operand in s.operands(op)]
        if name == "arith.addi":
            return add(self.sum(operands[0], depth - 1), self.sum(operands[1], depth - 1))
        if name == "arith.subi":
            return add(self.sum(operands[0], depth - 1), self.sum(operands[1], depth - 1), -1)
        if name == "arith.muli":
            first, second = (self.sum(operand, depth - 1) for operand in operands)
            if not second.terms:
                return scaled(first, second.constant)
            return scaled(second, first.constant) if not first.terms else None
        return None


def slice_place(snapshot: Snapshot, op: int, scalars: Scalars, result: ir.Type) -> Place:
    """Return the place of slice op ``op`` in its source; ``result`` is the type of the slice."""
    operation = snapshot.ops[op]
    sliced = _VIEWS[snapshot.op_name[op]]
    attributes = operation.attributes
    segments = ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"])
    operands = iter(snapshot.operands(op)[sum(segments[i] for i in range(sliced + 1)) :])

    def entries(name: str) -> tuple[LinearSum, ...]:
        return tuple(
            scalars.sum(snapshot.operand_value[next(operands)]) if entry == _DYNAMIC else LinearSum(entry)
            for entry in _integers(attributes[name])
        )

    slice_ = StridedBox(entries("static_offsets"), entries("static_sizes"), entries("static_strides"))
    return narrowed(shape_of(operation.operands[sliced].type), slice_, shape_of(result))


def narrowed(shape: Sequence[int] | None, slice_: StridedBox, result: tuple[int, ...] | None) -> Place:
    """Return the place of ``slice_`` in something of ``shape``, seen under the shape ``result``."""
    sizes = tuple(DYNAMIC if size.terms else size.constant for size in slice_.sizes)
    # A slice with all elements of a dimension starts at the first one, whatever its offset is.
    full = [shape is not None and size == shape[d] != DYNAMIC for d, size in enumerate(sizes)]
    zero, one = LinearSum(0), LinearSum(1)
    offsets = tuple(zero if all_ else offset for all_, offset in zip(full, slice_.offsets, strict=True))
    strides = tuple(one if all_ else stride for all_, stride in zip(full, slice_.strides, strict=True))
    steps: list[StridedBox | Reshape] = [] if all(full) else [StridedBox(offsets, slice_.sizes, strides)]
    if result is not None and len(result) != len(sizes):
        steps.append(Reshape(sizes, result))
    return join((), steps)


def element_place(shape: Sequence[int] | None, indices: Sequence[LinearSum]) -> Place:
    """Return the place of one element of something of ``shape``."""
    ones = (LinearSum(1),) * len(indices)
    return narrowed(shape, StridedBox(tuple(indices), ones, ones), None)
