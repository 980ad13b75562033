"""Tensors of one number where they are used: an op of its own for each user, numbers in place of constant tensors."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from ....dialects.support.constants import number_of
from ...analysis.linalg.elementwise_fusion import find_fusion
from ...analysis.linalg.structured_op import as_structured
from ...analysis.linalg.uniform_ops import find_users, is_uniform, uniform_inputs
from .generic import affine_map, build_generic, hand_over

__all__ = ["inline_numbers", "separate"]


def separate(op: ir.Operation) -> int:
    """Clone linalg op `op`, if its result is one number, for each user that gains by it; return how many do.

    These are ops whose init it fills, and ops that it can be fused into.
    """
    structured = as_structured(op)
    users = find_users(structured) if structured is not None and is_uniform(structured) else []
    count = 0
    for user, operands in users:
        own = op.clone(ir.InsertionPoint(user.op)).operation
        _replace(user.op, operands, own)
        if all(number < user.inputs for number in operands) and find_fusion(own) is None:
            _replace(user.op, operands, op)
            own.erase()
        else:
            count += 1
    if count and next(iter(op.results[0].uses), None) is None:
        op.erase()
    return count


def _replace(user: ir.Operation, operands: Sequence[int], producer: ir.Operation) -> None:
    for number in operands:
        user.operands[number] = producer.results[0]


def inline_numbers(op: ir.Operation) -> bool:
    """Put inputs of `linalg.generic` `op` that are constants of one number into its payload; `op` is erased then."""
    structured = as_structured(op)
    numbers = uniform_inputs(structured) if structured is not None else []
    if structured is None or not numbers:
        return False
    inputs = [number for number in range(structured.inputs) if number not in numbers]
    loops = len(structured.sizes)
    new = build_generic(
        structured, [(op.operands[number], affine_map(loops, structured.indices[number])) for number in inputs]
    )
    block = new.regions[0].blocks[0]
    elements: dict[int, ir.Value] = dict(zip([*inputs, *structured.outputs], block.arguments, strict=True))
    with ir.InsertionPoint(block), op.location:
        for number in numbers:
            constant = op.operands[number]
            elements[number] = arith.constant(constant.type.element_type, number_of(constant))
    hand_over(structured, new, [elements[number] for number in range(len(structured.indices))])
    return True
