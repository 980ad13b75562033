"""Whether a loop carries tensors of one size: what a yielded value must have to be copied into the carried buffer.

A dynamic size is followed back to where it comes from: through ops that return what they were given to write, slices,
`tensor.dim` and forwarded values. What cannot be followed is a size of its own, equal to itself only.

Cost: a constant number of steps per dimension.
"""

from __future__ import annotations

from mlir import ir

from ..effects.reader import TensorEffects
from ..index_sets.slices import Symbol

__all__ = ["followed_size", "keeps_size"]

_STEPS = 64
"""How far a size is followed back."""

_CREATORS = frozenset({"tensor.empty", "tensor.generate"})
"""Ops whose operands are the dynamic sizes of their result, outermost first."""

_Size = int | tuple[int, int]
"""A constant, an index value (its number, -1), or a dimension of a tensor value."""


def keeps_size(effects: TensorEffects, value: int, argument: int) -> bool:
    """Whether ``value``, yielded to loop ``argument``, certainly has the sizes of the argument in every iteration.

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


def followed_size(effects: TensorEffects, value: int, dimension: int) -> _Size:
    """Follow one size of a tensor value back: a number, an index value and -1, or a dimension of a tensor value.

    What a loop carries has the size of its initial value, if what is yielded keeps it.
    """
    for _ in range(_STEPS):
        found = _size(effects, value, dimension, {})
        initial = None if isinstance(found, int) or found[1] < 0 else _initial(effects, found[0])
        if isinstance(found, int) or initial is None:
            return found
        value, dimension = initial, found[1]
    return value, dimension


def _initial(effects: TensorEffects, argument: int) -> int | None:
    """Return the initial value of a loop argument that has its sizes in every iteration."""
    s = effects.snapshot
    sources = effects.sources.get(argument, ())
    if s.value_op[argument] >= 0 or len(sources) < 2 or s.comes_from_branches(argument):
        return None
    initial = [s.operand_value[o] for o in sources if s.op_regions[s.operand_op[o]]]
    yielded = [s.operand_value[o] for o in sources if not s.op_regions[s.operand_op[o]]]
    if len(initial) != 1 or initial[0] < 0 or not all(keeps_size(effects, value, argument) for value in yielded):
        return None
    return initial[0]


def _size(effects: TensorEffects, value: int, dimension: int, assumed: dict[int, int]) -> _Size:
    """Follow one dynamic size back; an argument in ``assumed`` has the size of the value it stands for."""
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
            return (value, dimension) if index is None else index
        measured = _measured(effects, index.value)
        if measured is None:
            return index.value, -1
        value, dimension = measured
    return value, dimension


def _same_shape(effects: TensorEffects, value: int) -> int | None:
    """Return the value that ``value`` has the shape of, because it is that one, forwarded or written to."""
    s = effects.snapshot
    sources = effects.sources.get(value, ())
    if len(sources) != 1:
        return None
    operand = sources[0]
    keeps_shape = operand in effects.forwards or effects.is_same_buffer(operand, value)
    return s.operand_value[operand] if keeps_shape else None


def _index(effects: TensorEffects, value: int, dimension: int) -> int | Symbol | None:
    """Return what the op that makes ``value`` takes for a size, if it says so."""
    s = effects.snapshot
    op = s.value_op[value]
    if op < 0:
        return None
    type_ = ir.RankedTensorType(s.values[value].type)
    if s.op_name[op] in _CREATORS:
        return Symbol(s.operand_value[s.operands(op)[sum(map(type_.is_dynamic_dim, range(dimension)))]])
    slice_ = effects.slices.get(s.op_first_operand[op]) if s.op_name[op] == "tensor.extract_slice" else None
    size = slice_.sizes[dimension] if slice_ is not None and len(slice_.sizes) == type_.rank else None
    return size if isinstance(size, int | Symbol) else None


def _measured(effects: TensorEffects, index: int) -> tuple[int, int] | None:
    """Return the tensor and the dimension that an index value is the size of."""
    s = effects.snapshot
    op = s.value_op[index] if index >= 0 else -1
    if op < 0 or s.op_name[op] != "tensor.dim":
        return None
    source, which = (s.operand_value[o] for o in s.operands(op))
    maker = s.value_op[which] if which >= 0 else -1
    if source < 0 or maker < 0 or s.op_name[maker] != "arith.constant":
        return None
    return source, ir.IntegerAttr(s.ops[maker].attributes["value"]).value
