"""Fusion groups that a module repeats on other tensors: each can be a function on tensors, which is tiled once.

A group (`fusion_groups.py`) is read as a body (`repetition/bodies.py`): its producers in program order, then its root.
What it uses from outside are parameters, but for constants, and for empty tensors that no root is computed in: these
are made inside. So two groups are equal if one function can compute both.

A group is left where it is if a parameter may be a part of another tensor, as the buffer of such a part is strided, and
a function has one layout for all its calls; if it may write over a tensor that others read, which a call copies first,
but the op that overwrites all of it does not; if an empty tensor has a dynamic size; and if nothing uses its result, as
a call would stay.

Linear in the ops; nothing is changed. No upstream counterpart.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from ..repetition.bodies import Body, BodyReader, NotShared
from .fusion_groups import FusionGroup, find_groups
from .kernel_candidates import unused_results
from .machine import Machine

__all__ = ["RepeatedGroup", "find_repeated_groups", "inits"]

_EMPTY = "tensor.empty"
_WHOLE = frozenset({"arith.constant", "bufferization.to_tensor", _EMPTY})
"""Ops whose results are whole tensors, besides linalg ops."""
_RESHAPES = frozenset({"tensor.collapse_shape", "tensor.expand_shape"})


@frozen
class RepeatedGroup:
    """Equal groups in program order, and which of their parameters are arguments; the others are empty tensors."""

    bodies: tuple[Body, ...]
    is_argument: tuple[bool, ...]

    def arguments(self, body: Body) -> list[ir.Value]:
        """Return the values of `body` that a call passes."""
        return [value for value, passed in zip(body.parameters, self.is_argument, strict=True) if passed]

    def results(self, body: Body) -> list[ir.Value]:
        """Return the values of `body` that are used outside: those of its root."""
        return list(body.op.results)


def find_repeated_groups(
    functions: Sequence[Sequence[ir.Operation]], machine: Machine, repeats: int
) -> list[RepeatedGroup]:
    """Return the groups that occur at least `repeats` times; `functions` are the linalg ops of each function."""
    reader = BodyReader()
    found: dict[tuple[int, tuple[bool, ...]], list[Body]] = {}
    for ops in functions:
        unused = unused_results(ops)
        places = {op.results[0]: place for place, op in enumerate(ops) if len(op.results)}
        for group in reversed(find_groups(ops, machine)):
            # Without loops it has one row, or is only distributed over threads.
            if not group.loops or group.root.op.results[0] in unused:
                continue
            producers = sorted((one.op for one in group.producers), key=lambda op: places[op.results[0]])
            try:
                key, body = reader.read((*producers, group.root.op))
            except NotShared:
                continue
            passed = tuple(_is_argument(value, group) for value in body.parameters)
            are_fit = all(_is_whole(value) and not _is_dynamic_empty(value) for value in body.parameters)
            if are_fit and _runs_once(body) and _overwrites_nothing(body):
                found.setdefault((key, passed), []).append(body)
    return [RepeatedGroup(tuple(same), passed) for (_, passed), same in found.items() if len(same) >= repeats]


def _is_argument(value: ir.Value, group: FusionGroup) -> bool:
    """Whether a call passes `value`: all but empty tensors in which the root is not computed."""
    root = group.root
    return defining_op(value, _EMPTY) is None or value in list(root.op.operands)[root.inputs :]


def _is_dynamic_empty(value: ir.Value) -> bool:
    """Whether `value` is an empty tensor of dynamic sizes: as an argument it would count as having a content."""
    empty = defining_op(value, _EMPTY)
    return empty is not None and len(empty.operands) > 0


def _runs_once(body: Body) -> bool:
    """Whether the group is in no loop of its function."""
    return body.op.block.owner.operation.name == "func.func"


def _overwrites_nothing(body: Body) -> bool:
    """Whether no op outside of the group reads what the group may write over: a call would copy it."""
    ops = set(body.ops)
    for value in inits(body).intersection(body.parameters):
        op = defining_op(value)
        if op is None or (op.name != _EMPTY and not op.name.startswith("linalg.")):
            return False
        if op.name != _EMPTY and not all(use.owner.operation in ops for use in value.uses):
            return False
    return True


def inits(body: Body) -> set[ir.Value]:
    """Return the values that ops of a group have as inits."""
    return {value for op in body.ops for value in list(op.operands)[-len(op.results) :]}


def _is_whole(value: ir.Value) -> bool:
    """Whether `value` is no tensor, or one that has a buffer without gaps, as far as its op says."""
    op = defining_op(value)
    while op is not None and op.name in _RESHAPES:
        value = op.operands[0]
        op = defining_op(value)
    if not isinstance(value.type, ir.RankedTensorType):
        return not isinstance(value.type, ir.ShapedType)
    return op is None or op.name in _WHOLE or op.name.startswith("linalg.")
