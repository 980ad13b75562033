"""Which elementwise linalg ops can be fused into the op that uses their result, without any work done twice.

A producer is fused into its consumer if

* all its loops are parallel, and its init has one index for each: every element is computed once, from its indices;
* only inputs of the consumer use its result, and both are in the same block;
* the consumer reads each element once: the operand moves with all loops of the consumer. A fill costs nothing, so it
  may be read many times;
* the sizes of the consumer's loops still follow from its operands afterwards.

Linear in the ops and their operands; nothing is changed. Upstream counterpart: `linalg-fuse-elementwise-ops`, which
replaces inits that are not read by new ones, and so loses the destinations of results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir

from .structured_op import OperandIndex, Structured, as_structured

__all__ = ["ElementwiseFusion", "find_fusion"]


@dataclass(frozen=True)
class ElementwiseFusion:
    """A producer to be computed inside of its consumer.

    Attributes:
        producer: the op whose result is not stored any more.
        consumer: the op that computes it.
        operands: the inputs of the consumer that are that result.
        loops: for each of them and each loop of the producer, its index in terms of the loops of the consumer.
    """

    producer: Structured
    consumer: Structured
    operands: tuple[int, ...]
    loops: tuple[tuple[OperandIndex, ...], ...]


def find_fusion(op: ir.Operation) -> ElementwiseFusion | None:
    """Return how linalg op `op` is computed inside of the only op that uses it, or None."""
    uses = list(op.results[0].uses) if len(op.results) == 1 else []
    users = [use.owner.operation for use in uses]
    if not users or any(user != users[0] for user in users) or users[0].block != op.block:
        return None
    operands = tuple(sorted(use.operand_number for use in uses))
    producer = as_structured(op)
    if producer is None or not all(producer.parallel):
        return None
    consumer = as_structured(users[0])
    if consumer is None or not _is_fusible(producer, consumer, operands):
        return None
    loops = tuple(_loops(producer, consumer.indices[operand]) for operand in operands)
    fusion = ElementwiseFusion(producer, consumer, operands, loops)
    return fusion if _knows_sizes(fusion) and _knows_indices(fusion) else None


def _is_fusible(producer: Structured, consumer: Structured, operands: Sequence[int]) -> bool:
    if any(operand >= consumer.inputs for operand in operands):
        return False
    if any(index.loop is None for index in producer.indices[producer.inputs]):
        return False
    is_free = producer.op.name == "linalg.fill"
    return is_free or all(consumer.depends(operand, loop) for operand in operands for loop in consumer.loops)


def _loops(producer: Structured, read: Sequence[OperandIndex]) -> tuple[OperandIndex, ...]:
    """Return the index of each loop of `producer` where the consumer reads at `read`."""
    position = {index.loop: number for number, index in enumerate(producer.indices[producer.inputs])}
    return tuple(read[position[loop]] for loop in producer.loops)


def _knows_sizes(fusion: ElementwiseFusion) -> bool:
    """Whether each loop of the consumer is the index of something that stays, so that its size is known."""
    consumer, producer = fusion.consumer, fusion.producer
    known = {
        index.loop
        for operand in range(len(consumer.indices))
        if operand not in fusion.operands
        for index in consumer.indices[operand]
    }
    for loops in fusion.loops:
        read = (index for operand in range(producer.inputs) for index in producer.indices[operand])
        known.update(loops[index.loop].loop for index in read if index.loop is not None)
    return known >= set(consumer.loops)


def _knows_indices(fusion: ElementwiseFusion) -> bool:
    """Whether `linalg.index` of the producer is a loop of the consumer, if the payload asks for it."""
    asked = [
        ir.IntegerAttr(op.operation.attributes["dim"]).value
        for op in fusion.producer.payload.operations
        if op.operation.name == "linalg.index"
    ]
    return all(loops[loop].loop is not None for loops in fusion.loops for loop in asked)
