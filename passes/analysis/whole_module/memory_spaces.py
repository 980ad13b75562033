"""Refuse element types and memory spaces that a buffer cannot have, and spaces that are not stated.

A view, a copy or an in-place result is in the memory space of its source buffer. At an allocation site the space is
stated by the op (``bufferization.alloc_tensor``, ``to_tensor``), or by the tensor type with
``use-encoding-for-memory-space``. Otherwise it is the default one, which ``must-infer-memory-space`` forbids.

Linear in the ops of a function.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

from ....dialects.support.memref_types import memory_space_of
from ..effects.reader import TensorEffects
from ..effects.tables import Refusal
from ..ir.snapshot import Snapshot
from ..ir.union_find import UnionFind

__all__ = ["refuse_assumed_spaces", "refuse_elements", "refuse_encodings", "tensors_that_stay"]


def tensors_that_stay(effects: TensorEffects) -> frozenset[int]:
    """Return the tensors with an encoding, if none of them needs a buffer once their ops stay on tensors."""
    s = effects.snapshot
    types = {t for t in s.tensor_types() if isinstance(t, ir.RankedTensorType) and t.encoding is not None}
    tensors = (v for v, is_tensor in enumerate(s.value_is_tensor) if is_tensor) if types else ()
    encoded = frozenset(v for v in tensors if s.values[v].type in types)
    return frozenset() if any(_needs_buffer(effects, value) for value in encoded) else encoded


def refuse_encodings(effects: TensorEffects, *, as_spaces: bool) -> Iterator[Refusal]:
    """Refuse tensors with an encoding, whose meaning for a buffer is unknown.

    The encoding may be the memory space, or the tensor never gets a buffer, as only unknown ops use it.
    """
    snapshot = effects.snapshot
    for type_ in snapshot.tensor_types() if not effects.encoded else ():
        if not isinstance(type_, ir.RankedTensorType) or type_.encoding is None:
            continue
        if as_spaces and _is_space(type_):
            continue
        if as_spaces:
            message = f"{type_} has an encoding that is no memory space; lower or remove the encoding"
        else:
            message = (
                f"{type_} has an encoding, but only dense tensors have buffers here; lower or remove the encoding, "
                "or set use-encoding-for-memory-space=true if it is a memory space"
            )
        yield Refusal(_holder(snapshot, type_), message)


def _needs_buffer(effects: TensorEffects, value: int) -> bool:
    """Whether a tensor is handed to another block, or to or from a function on buffers."""
    s = effects.snapshot
    op = s.value_op[value]
    if op < 0 and (s.comes_from_branches(value) or (effects.boundaries and s.function_of(value) >= 0)):
        return True
    users = [s.op_name[user] for user in (op, *(s.operand_op[use] for use in s.value_uses[value])) if user >= 0]
    return effects.boundaries and ("func.call" in users or "func.return" in users)


def refuse_elements(snapshot: Snapshot) -> Iterator[Refusal]:
    """Refuse tensors with element types that memrefs do not allow."""
    for type_ in snapshot.tensor_types():
        element = ir.ShapedType(type_).element_type
        if not _is_element(element):
            yield Refusal(
                _holder(snapshot, type_),
                f"{type_} has elements of type {element}, which no memref can have; convert them to another type first",
            )


def _is_element(type_: ir.Type) -> bool:
    """Whether memrefs allow ``type_`` as element type."""
    return _is_memref(type_, None)


def _is_space(type_: ir.RankedTensorType) -> bool:
    """Whether memrefs allow the encoding as memory space. That of a sparse tensor is a storage format instead."""
    if str(type_.encoding).startswith("#sparse_tensor"):
        return False
    return _is_memref(type_.element_type, type_.encoding)


def _is_memref(element: ir.Type, space: ir.Attribute | None) -> bool:
    """Whether memrefs of this element type and space exist; the bindings' own error has no location and is dropped."""
    handler = element.context.attach_diagnostic_handler(lambda _: True)
    try:
        with ir.Location.unknown(element.context):
            ir.MemRefType.get([], element, memory_space=space)
    except (ValueError, ir.MLIRError):
        return False
    finally:
        handler.detach()
    return True


def _holder(s: Snapshot, type_: ir.Type) -> ir.Operation:
    """Return the first op that defines a value of ``type_``, as a result or an argument of its region."""
    value = next(v for v, tensor in enumerate(s.value_is_tensor) if tensor and s.values[v].type == type_)
    op = s.value_op[value]
    return s.ops[op if op >= 0 else s.block_op[s.value_block[value]]]


def refuse_assumed_spaces(effects: TensorEffects, function: int) -> Iterator[Refusal]:
    """Refuse allocation sites without a stated memory space, and buffers that join two different spaces."""
    s = effects.snapshot
    flow = UnionFind()
    stated: dict[int, str] = {}
    for op in (function, *s.nested_ops(function)):
        for value in _made(effects, op, function):
            space = _stated_space(s, value)
            if space is None:
                yield Refusal(s.ops[op], _unstated(s, value))
            else:
                stated[value] = space
        for operand in s.operands(op) if op != function else ():
            targets = (*effects.forwards.get(operand, ()), *(tie.value for tie in effects.ties.get(operand, ())))
            for target in targets:
                flow.union(target, s.operand_value[operand])
    spaces: dict[int, str] = {}
    for value, space in stated.items():
        first = spaces.setdefault(flow.find(value), space)
        if first != space:
            message = f"the buffer is in {space}, but flows together with one in {first}; use one memory space"
            yield Refusal(s.ops[s.value_op[value]], message)


def _made(effects: TensorEffects, op: int, function: int) -> Iterator[int]:
    """Yield the tensors of which ``op`` is the allocation site; for a function, its arguments."""
    s = effects.snapshot
    if op == function or op in effects.unknown_ops:
        for region in s.op_regions[op]:
            for value in (value for block in region[:1] for value in s.arguments(block)):
                if s.value_is_tensor[value] and (effects.boundaries or s.value_uses[value]):
                    yield value
    if op == function:
        return
    for value in s.results(op):
        if s.value_is_tensor[value] and s.value_uses[value] and not _has_source(effects, op, value):
            yield value


def _has_source(effects: TensorEffects, op: int, value: int) -> bool:
    """Whether the buffer of ``value`` comes from an operand's. That of an op that stays on tensors is unknown."""
    return op not in effects.unknown_ops and bool(effects.sources.get(value))


def _stated_space(s: Snapshot, value: int) -> str | None:
    op = s.value_op[value]
    if op < 0:
        return None
    operation = s.ops[op]
    if s.op_name[op] == "bufferization.to_tensor":
        return _space_text(memory_space_of(operation.operands[0].type))
    if s.op_name[op] == "bufferization.alloc_tensor" and "memory_space" in operation.attributes:
        return _space_text(operation.attributes["memory_space"])
    return f"that of result #{s.value_index[value]} of a call" if s.op_name[op] == "func.call" else None


def _space_text(space: ir.Attribute | None) -> str:
    return "the default memory space" if space is None else f"memory space {space}"


def _unstated(s: Snapshot, value: int) -> str:
    what = f"{'result' if s.value_op[value] >= 0 else 'argument'} #{s.value_index[value]}"
    return (
        f"the memory space of {what} cannot be inferred, and must-infer-memory-space does not allow to assume the "
        "default one; make the tensor with bufferization.alloc_tensor and its memory_space"
    )
