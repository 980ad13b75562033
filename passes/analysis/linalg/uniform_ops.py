"""Linalg ops whose result has one number in all of its elements: fills, and broadcasts of a scalar.

Such an op costs nothing where its result is read, so each user may have one of its own. It is worth having where the
result is an init: computed once for several users, it is copied for all but one of them.

Linear in the uses and their payloads; nothing is changed.
"""

from __future__ import annotations

from mlir import ir

from ....dialects.support.constants import is_splat
from .structured_op import Structured, as_structured

__all__ = ["find_users", "is_uniform", "uniform_inputs"]

_FILL, _GENERIC = "linalg.fill", "linalg.generic"


def is_uniform(structured: Structured) -> bool:
    """Whether all elements of the result are one number, which an input holds."""
    if structured.op.name == _FILL:
        return True
    if len(structured.outputs) != 1 or not all(structured.parallel) or len(structured.payload.operations) != 1:
        return False
    (yielded,) = structured.payload.operations[0].operation.operands
    inputs = list(structured.payload.arguments)[: structured.inputs]
    source = next((number for number, argument in enumerate(inputs) if argument == yielded), None)
    return source is not None and not any(index.coefficients for index in structured.indices[source])


def find_users(producer: Structured) -> list[tuple[Structured, tuple[int, ...]]]:
    """Return the linalg ops that read elements of a uniform op, each with the operands that are its result.

    Empty if there is only one user, in the same block.
    """
    operands: dict[ir.Operation, list[int]] = {}
    for use in producer.op.results[0].uses:
        operands.setdefault(use.owner.operation, []).append(use.operand_number)
    if len(operands) == 1 and all(user.block == producer.op.block for user in operands):
        return []
    found = ((as_structured(user), tuple(numbers)) for user, numbers in operands.items())
    return [(user, own) for user, own in found if user is not None and any(user.reads[number] for number in own)]


def uniform_inputs(structured: Structured) -> list[int]:
    """Return the inputs of a `linalg.generic` that are constants of one number, if it can do without them.

    It cannot if the sizes of its loops do not follow from its other operands.
    """
    if structured.op.name != _GENERIC:
        return []
    operands = structured.op.operands
    found = [number for number in range(structured.inputs) if structured.reads[number] and is_splat(operands[number])]
    others = (own for number, own in enumerate(structured.indices) if number not in found)
    known = {index.loop for own in others for index in own}
    return found if known >= set(structured.loops) else []
