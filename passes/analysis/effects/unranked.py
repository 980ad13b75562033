"""Which unranked tensors can be copied: a copy needs a rank, which the type of an unranked tensor lacks."""

from __future__ import annotations

from mlir import ir

from .reader import TensorEffects

__all__ = ["is_copyable", "is_unranked"]


def is_unranked(effects: TensorEffects, value: int) -> bool:
    """Whether tensor ``value`` is unranked."""
    return isinstance(effects.snapshot.values[value].type, ir.UnrankedTensorType)


def is_copyable(effects: TensorEffects, operand: int) -> bool:
    """Whether the conversion can copy ``operand`` to a new buffer.

    It can if the operand is ranked, is the cast of a ranked tensor, or if its op determines the rank.
    """
    s = effects.snapshot
    value, op = s.operand_value[operand], s.operand_op[operand]
    if not is_unranked(effects, value):
        return True
    definition = s.value_op[value]
    if definition >= 0 and s.op_name[definition] == "tensor.cast":
        source = s.operand_value[s.op_first_operand[definition]]
        if source >= 0 and not is_unranked(effects, source):
            return True
    model = effects.model(op)
    return model is not None and model.copies_unranked(s.ops[op], s.operand_index(operand))
