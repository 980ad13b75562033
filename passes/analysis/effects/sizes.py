"""The dynamic sizes of tensors, as far as they can be traced back, and whether a loop-carried tensor keeps its sizes.

A dynamic size is traced back through tied results, slices, `tensor.dim` and forwarded values. A size that cannot be
traced further is symbolic, equal to itself only.

Cost: a constant number of steps per dimension.
"""

from __future__ import annotations

from mlir import ir

from ....dialects.dispatch import sizes_of
from ..index_sets.sums import Index, IndexSums, Symbol
from .tables import EffectTables

__all__ = ["followed_size", "has_size", "keeps_size"]

_STEPS = 64
"""The largest number of steps that a size is traced back."""

_ALLOC = "bufferization.alloc_tensor"
_CREATORS = frozenset({"tensor.empty", "tensor.generate", _ALLOC})
"""Ops whose first operands are the dynamic sizes of their result, outermost first; but see `_copied`."""

_Size = int | tuple[int, int]
"""A constant, an index value (its number, -1), or a dimension of a tensor value."""


def keeps_size(effects: EffectTables, value: int, argument: int) -> bool:
    """Whether ``value``, yielded to loop ``argument``, must have the sizes of the argument in every iteration.

    By induction: the argument has its initial sizes in the first iteration; if it has them in one, and ``value`` then
    has them too, it has them in the next.
    """
    s = effects.snapshot
    initial = [s.operand_value[o] for o in effects.sources[argument] if s.op_regions[s.operand_op[o]]]
    type_ = s.values[argument].type
    if len(initial) != 1 or not isinstance(type_, ir.RankedTensorType):
        return False
    assumed = {argument: initial[0]}
    return all(
        _size(effects, value, dimension, assumed) == _size(effects, initial[0], dimension, assumed)
        for dimension in range(type_.rank)
        if type_.is_dynamic_dim(dimension)
    )


def followed_size(effects: EffectTables, value: int, dimension: int) -> _Size:
    """Trace one size of a tensor value back to a constant, an index value and -1, or a dimension of a tensor value.

    A loop argument has the sizes of its init if every yielded value keeps them.
    """
    for _ in range(_STEPS):
        found = _size(effects, value, dimension, {})
        initial = None if isinstance(found, int) or found[1] < 0 else _initial(effects, found[0])
        if isinstance(found, int) or initial is None:
            return found
        value, dimension = initial, found[1]
    return value, dimension


def has_size(effects: EffectTables, sums: IndexSums, value: int, dimension: int, size: Index) -> bool:
    """Whether ``size``, an index in the block of a use of tensor ``value``, must be its size in ``dimension``."""
    measured = _measured(effects, size.value) if isinstance(size, Symbol) else None
    wanted = size if measured is None else _known_size(effects, sums, *measured)
    return _known_size(effects, sums, value, dimension) == wanted


def _known_size(effects: EffectTables, sums: IndexSums, value: int, dimension: int) -> Index | tuple[int, int]:
    """Return a traced size as an index, or as the dimension of a tensor value if it is not known as an index."""
    found = followed_size(effects, value, dimension)
    if isinstance(found, int):
        return found
    if found[1] < 0:
        return sums.of(effects.snapshot.values[found[0]])
    index = _index(effects, *found)
    return found if index is None else index


def _initial(effects: EffectTables, argument: int) -> int | None:
    """Return the init of a loop argument that has the sizes of the init in every iteration; None for others."""
    s = effects.snapshot
    sources = effects.sources.get(argument, ())
    if s.value_op[argument] >= 0 or len(sources) < 2 or s.comes_from_branches(argument):
        return None
    initial = [s.operand_value[o] for o in sources if s.op_regions[s.operand_op[o]]]
    yielded = [s.operand_value[o] for o in sources if not s.op_regions[s.operand_op[o]]]
    if len(initial) != 1 or initial[0] < 0 or not all(keeps_size(effects, value, argument) for value in yielded):
        return None
    return initial[0]


def _size(effects: EffectTables, value: int, dimension: int, assumed: dict[int, int]) -> _Size:
    """Trace one dynamic size back; an argument in ``assumed`` is assumed to have the sizes of the value given there."""
    s = effects.snapshot
    for _ in range(_STEPS):
        type_ = s.values[value].type
        if not isinstance(type_, ir.RankedTensorType):
            return value, dimension
        if not type_.is_dynamic_dim(dimension):
            return type_.shape[dimension]
        before = assumed[value] if value in assumed else _same_shape(effects, value)
        if before is not None:
            value = before
            continue
        index = _index(effects, value, dimension)
        if not isinstance(index, Symbol):
            return index if isinstance(index, int) else (value, dimension)
        measured = _measured(effects, index.value)
        if measured is None:
            return index.value, -1
        value, dimension = measured
    return value, dimension


def _same_shape(effects: EffectTables, value: int) -> int | None:
    """Return the only source of ``value``, if it is forwarded, copied or the destination, and so has the same shape."""
    s = effects.snapshot
    copied = _copied(effects, value)
    if copied is not None:
        return copied
    sources = effects.sources.get(value, ())
    if len(sources) != 1:
        return None
    operand = sources[0]
    keeps_shape = operand in effects.forwards or effects.is_same_buffer(operand, value)
    return s.operand_value[operand] if keeps_shape else None


def _copied(effects: EffectTables, value: int) -> int | None:
    """Return the tensor that ``value`` is made as a copy of, by an op that has no sizes then."""
    s = effects.snapshot
    op = s.value_op[value]
    if op < 0 or s.op_name[op] != _ALLOC or not ir.DenseI32ArrayAttr(s.ops[op].attributes["operandSegmentSizes"])[1]:
        return None
    return s.operand_value[s.operands(op)[0]]


def _index(effects: EffectTables, value: int, dimension: int) -> Index | None:
    """Return the size operand or attribute of the op that defines ``value``, if it has one."""
    s = effects.snapshot
    op = s.value_op[value]
    type_ = s.values[value].type
    if op < 0 or not isinstance(type_, ir.RankedTensorType):
        return None
    if s.op_name[op] in _CREATORS:
        if _copied(effects, value) is not None:
            return None
        return Symbol(s.operand_value[s.operands(op)[_dynamic_before(type_, dimension)]])
    if s.op_name[op] == "dispatch.contents":
        sizes = sizes_of(ir.OpResult(s.ops[op].operands[0]).owner)
        return Symbol(s.value_id(sizes[_dynamic_before(type_, dimension)])) if sizes else None
    slice_ = effects.slices.get(s.op_first_operand[op]) if s.op_name[op] == "tensor.extract_slice" else None
    return slice_.sizes[dimension] if slice_ is not None and len(slice_.sizes) == type_.rank else None


def _dynamic_before(type_: ir.RankedTensorType, dimension: int) -> int:
    return sum(map(type_.is_dynamic_dim, range(dimension)))


def _measured(effects: EffectTables, index: int) -> tuple[int, int] | None:
    """Return the tensor and the dimension whose size an index value is, if it is a `tensor.dim`."""
    s = effects.snapshot
    op = s.value_op[index] if index >= 0 else -1
    if op < 0 or s.op_name[op] != "tensor.dim":
        return None
    source, which = (s.operand_value[o] for o in s.operands(op))
    maker = s.value_op[which] if which >= 0 else -1
    if source < 0 or maker < 0 or s.op_name[maker] != "arith.constant":
        return None
    dimension = ir.IntegerAttr(s.ops[maker].attributes["value"]).value
    type_ = s.values[source].type
    exists = not isinstance(type_, ir.RankedTensorType) or 0 <= dimension < type_.rank
    return (source, dimension) if exists else None
