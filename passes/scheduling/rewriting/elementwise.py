"""Fusion of elementwise producers into their consumers: one `linalg.generic` with both payloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir

from ....dialects.structured import linalg_index
from ....dialects.support.cloning import clone_with
from ...analysis.linalg.elementwise_fusion import ElementwiseFusion
from ...analysis.linalg.structured_op import OperandIndex, Structured
from .generic import affine_map, build_generic, hand_over

__all__ = ["fuse"]

_Input = tuple[ir.Value, ir.AffineMap]


def fuse(fusion: ElementwiseFusion) -> None:
    """Replace the consumer by a `linalg.generic` that computes the producer as well; both are erased.

    Inits stay as they are. Linear in the payloads.
    """
    producer, consumer = fusion.producer, fusion.consumer
    inputs = _Inputs(len(consumer.sizes))
    # Inputs of the consumer whose elements are not used stay: sizes are read from them.
    own = {
        operand: inputs.add(consumer.op.operands[operand], consumer.indices[operand])
        for operand in range(consumer.inputs)
        if operand not in fusion.operands
    }
    brought = [
        {
            operand: inputs.add(
                producer.op.operands[operand], [_substituted(index, loops) for index in producer.indices[operand]]
            )
            for operand in fusion.brought
        }
        for loops in fusion.loops
    ]
    op = build_generic(consumer, inputs.all)
    arguments = list(op.regions[0].blocks[0].arguments)
    elements: dict[int, ir.Value] = {operand: arguments[place] for operand, place in own.items()}
    elements.update(zip(consumer.outputs, arguments[len(inputs.all) :], strict=True))
    with ir.InsertionPoint(op.regions[0].blocks[0]), consumer.op.location:
        for number, operand in enumerate(fusion.operands):
            known = {source: arguments[place] for source, place in brought[number].items()}
            elements[operand] = _inline(producer, known, fusion.loops[number])
    # The payload of the consumer is moved, as it grows with each producer.
    hand_over(consumer, op, [elements[operand] for operand in range(len(consumer.indices))])
    producer.op.erase()


class _Inputs:
    """The inputs of the new op; the same value at the same indices is one input."""

    def __init__(self, loops: int) -> None:
        self.all: list[_Input] = []
        self._loops = loops

    def add(self, value: ir.Value, indices: Sequence[OperandIndex]) -> int:
        """Return the number of the input that is `value` at `indices`."""
        one = value, affine_map(self._loops, indices)
        for number, (other, map_) in enumerate(self.all):
            if other == value and map_ == one[1]:
                return number
        self.all.append(one)
        return len(self.all) - 1


def _substituted(index: OperandIndex, loops: Sequence[OperandIndex]) -> OperandIndex:
    """Return `index` with the loops of the producer replaced by `loops`."""
    return sum((loops[loop] * factor for loop, factor in index.coefficients.items()), OperandIndex({}, index.constant))


def _inline(producer: Structured, elements: Mapping[int, ir.Value], loops: Sequence[OperandIndex]) -> ir.Value:
    """Build the payload of `producer` at `loops`; return what it yields."""
    known: dict[ir.Value, ir.Value] = {
        producer.payload.arguments[operand]: element for operand, element in elements.items()
    }
    *operations, terminator = list(producer.payload.operations)
    for op in operations:
        if op.operation.name == "linalg.index":
            loop = loops[ir.IntegerAttr(op.operation.attributes["dim"]).value].loop
            assert loop is not None, "the fusion was found to know the indices"
            known[op.operation.results[0]] = linalg_index(loop)
        else:
            clone_with(op.operation, known)
    (value,) = terminator.operation.operands
    return known.get(value, value)
