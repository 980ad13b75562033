"""Elementwise linalg ops that can be fused into the user of their result without recomputation.

A producer is fused into its consumer if

* all its loops are parallel, and the map of its init has one result for each: every element is computed once;
* only inputs of the consumer use its result, and both are in the same block;
* the consumer reads each element once: all its loops occur in the operand's indexing map. A fill, or a broadcast
  of one number, costs nothing, so it may be read many times;
* the sizes of the consumer's loops still follow from its operands afterwards;
* both payloads together have no more than `_MOST_OPS` ops: LLVM's time is more than linear in the body of a loop, and
  one more pass over memory is little beside so many ops.

Linear in the ops and their operands; nothing is changed. Upstream counterpart: `linalg-fuse-elementwise-ops`, which
replaces unread inits by new ones, and so loses the destinations of results.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from .structured_op import OperandIndex, Structured, as_structured
from .uniform_ops import is_uniform

__all__ = ["ElementwiseFusion", "find_fusion"]

_MOST_OPS = 64


@frozen
class ElementwiseFusion:
    """A producer to be computed inside of its consumer.

    Attributes:
        producer: the op whose result is no longer materialized.
        consumer: the op that computes it.
        operands: the inputs of the consumer that are the producer's result.
        loops: for each of them and each loop of the producer, its index in terms of the loops of the consumer.
        brought: the operands of the producer that become inputs of the consumer: those whose elements it uses, and
            those needed to infer the size of a loop.
    """

    producer: Structured
    consumer: Structured
    operands: tuple[int, ...]
    loops: tuple[tuple[OperandIndex, ...], ...]
    brought: tuple[int, ...]


def find_fusion(op: ir.Operation) -> ElementwiseFusion | None:
    """Return the fusion of linalg op `op` into its only user, or None."""
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
    brought = _brought(producer, consumer, operands, loops)
    if brought is None or not _knows_indices(producer, loops):
        return None
    return ElementwiseFusion(producer, consumer, operands, loops, brought)


def _is_fusible(producer: Structured, consumer: Structured, operands: Sequence[int]) -> bool:
    if any(operand >= consumer.inputs for operand in operands):
        return False
    if any(index.loop is None for index in producer.indices[producer.inputs]):
        return False
    if is_uniform(producer):
        return True
    if len(producer.payload.operations) + len(consumer.payload.operations) > _MOST_OPS:
        return False
    return all(consumer.depends(operand, loop) for operand in operands for loop in consumer.loops)


def _loops(producer: Structured, read: Sequence[OperandIndex]) -> tuple[OperandIndex, ...]:
    """Return the index of each loop of `producer` where the consumer reads at `read`."""
    position = {index.loop: number for number, index in enumerate(producer.indices[producer.inputs])}
    return tuple(read[position[loop]] for loop in producer.loops)


def _brought(
    producer: Structured, consumer: Structured, operands: Sequence[int], loops: Sequence[Sequence[OperandIndex]]
) -> tuple[int, ...] | None:
    """Return the operands of `producer` to add, so that each loop of `consumer` is an index of an operand.

    None if that is impossible: linalg infers loop sizes from such indices, and its verifier demands them.
    """
    known = {
        index.loop
        for operand in range(len(consumer.indices))
        if operand not in operands
        for index in consumer.indices[operand]
    }
    brought: list[int] = []
    # An unread init is not added: fusion that keeps it alive would save nothing.
    for operand in sorted(range(len(producer.indices)), key=lambda operand: not producer.reads[operand]):
        named = {own[index.loop].loop for own in loops for index in producer.indices[operand] if index.loop is not None}
        is_input = operand < producer.inputs
        if producer.reads[operand] or (is_input and (named - known) & set(consumer.loops)):
            brought.append(operand)
            known |= named
    return tuple(sorted(brought)) if known >= set(consumer.loops) else None


def _knows_indices(producer: Structured, loops: Sequence[Sequence[OperandIndex]]) -> bool:
    """Whether each `linalg.index` in the payload of `producer` is a loop of the consumer."""
    asked = [
        ir.IntegerAttr(op.operation.attributes["dim"]).value
        for op in producer.payload.operations
        if op.operation.name == "linalg.index"
    ]
    return all(own[loop].loop is not None for own in loops for loop in asked)
