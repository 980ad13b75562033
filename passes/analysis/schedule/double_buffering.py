"""Loops that compute a new version of a loop-carried tensor while the old one is still read: double buffering.

Such a loop needs two alternating buffers and no copy: the buffer written in one iteration is read in the next one. The
*root* of the new version is the tensor it starts from: the value below all insertions of the body. A second tensor, the
*other* one, is carried beside the old one, and the new version starts from it instead of the root. There are two cases:

* The root is the carried tensor itself (or a tensor from outside that is also its init), and the inserted slices are
  the same in each iteration. All versions agree outside of these slices, so the other tensor can replace the root if it
  has those elements from the start.
* The root is a `tensor.empty`. Any tensor of its sizes can replace it. If slices of the old version are inserted at
  their old position, and cover everything but the slice that is inserted last, this is the first case again.

If the last read of the old version precedes the first write of the new one, one buffer is enough: the new one then
starts from the old one instead of a `tensor.empty`. If the slices that change are less than half of the tensor, copying
them costs less than a second tensor, and the loop is left alone.

Linear in the ops of the body and the uses of carried values; nothing is changed. See docs/theory/sweeps.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from mlir import ir

from ....dialects.bufferizable import Subset
from ....dialects.subsets import mixed_subset
from ....dialects.support.constants import constant_integer
from ....dialects.support.defining_ops import defining_op, is_inside
from ....dialects.support.frozen_classes import frozen
from ..ir.traversal import find_ops
from ..linalg.structured_op import as_structured

__all__ = ["DoubleBuffering", "find_double_buffering", "is_known_box", "outside_of"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_DIM, _EMPTY, _EXTRACT, _INSERT = "tensor.dim", "tensor.empty", "tensor.extract_slice", "tensor.insert_slice"
_LOOP = "scf.for"
_INSERTIONS = frozenset({_INSERT, "tensor.insert", "vector.transfer_write"})
_NESTS = frozenset({_LOOP, "scf.forall"})
_RELAYOUTS = frozenset({"linalg.pack", "linalg.unpack"})
_VIEWS = frozenset({_EXTRACT, "tensor.cast", "tensor.collapse_shape", "tensor.expand_shape"})
_INDEX_OPS = ("affine.", "arith.", "index.")
_DEPTH = 32
"""How many ops an index computation is followed through."""


@frozen
class DoubleBuffering:
    """A carried tensor whose next version starts from a second one, or from itself.

    Attributes:
        loop: the `scf.for`.
        number: which of its carried values it is.
        user: the op that starts the new version; its `operand` is the root.
        written: the inserted slices, where the other tensor needs no content; if there are none, it needs none at all.
        alternates: whether another tensor is needed.
    """

    loop: ir.Operation
    number: int
    user: ir.Operation
    operand: int
    written: tuple[Subset, ...]
    alternates: bool = True


def find_double_buffering(root: ir.Operation) -> list[DoubleBuffering]:
    """Return the double-bufferable loop-carried tensors of loops inside `root`; outer loops first."""
    found: list[DoubleBuffering | None] = []
    for loop in find_ops(root, _LOOP, reachable=True):
        *_, terminator = loop.regions[0].blocks[0].operations
        for number, result in enumerate(loop.results):
            if isinstance(result.type, ir.RankedTensorType) and result.type.encoding is None:
                found.append(_Carried(loop, terminator.operation, number).find())
    return [one for one in found if one is not None]


@frozen
class _Write:
    """An op that makes a version of the tensor from operand `operand`, the version before."""

    op: ir.Operation
    operand: int

    @property
    def before(self) -> ir.Value:
        """The version before."""
        return self.op.operands[self.operand]


class _Carried:
    """One tensor that a loop carries."""

    def __init__(self, loop: ir.Operation, terminator: ir.Operation, number: int) -> None:
        self.loop = loop
        self.number = number
        self.body = loop.regions[0].blocks[0]
        self.old = self.body.arguments[number + 1]
        self.terminator = terminator
        self.initial = loop.operands[number + 3]
        self.shape = list(ir.RankedTensorType(self.old.type).shape)

    def find(self) -> DoubleBuffering | None:
        """Return the new start of the new version; None if it stays as it is."""
        writes = self._writes(self.terminator.operands[self.number])
        is_yielded = any(use.owner.operation == self.terminator for use in self.old.uses)
        if not writes or is_yielded or _runs_once(self.loop):
            return None
        first = writes[-1]
        root = _without_copies(first.before)
        slices: list[Subset] | None = []
        if self._is_empty(root):
            if self._keeps_the_rest(writes):
                first = writes[0]
                slices = self._inserted(writes[:1])
        else:
            slices = self._inserted(writes) if root in (self.old, self.initial) else None
        if slices is None:
            return None
        alternates = root == self.initial or self._is_read_late(first, slices)
        found = DoubleBuffering(self.loop, self.number, first.op, first.operand, tuple(slices), alternates)
        return found if alternates or first.before != self.old else None

    def _writes(self, value: ir.Value) -> list[_Write]:
        """Return the ops of the body that make `value` from one another, the last one first."""
        writes: list[_Write] = []
        while (op := defining_op(value)) is not None and op.block == self.body and _without_copies(value) == value:
            operand = self._start(op, ir.OpResult(value).result_number)
            if operand is None:
                break
            writes.append(_Write(op, operand))
            value = writes[-1].before
        return writes

    def _start(self, op: ir.Operation, result: int) -> int | None:
        """Return the operand that `result` of `op` starts from, if any; both have the same sizes."""
        if op.name in _INSERTIONS:
            return 1
        is_nest = op.name in _NESTS and _DYNAMIC not in self.shape
        if is_nest or (op.name.startswith("linalg.") and op.name not in _RELAYOUTS):
            return len(op.operands) - len(op.results) + result
        return None

    def _is_empty(self, root: ir.Value) -> bool:
        """Whether `root` has no content, and the same sizes as the tensor in each iteration."""
        op = defining_op(root, _EMPTY)
        if op is None or root.type != self.old.type:
            return False
        dynamic = [dimension for dimension, size in enumerate(self.shape) if size == _DYNAMIC]
        return all(self._is_size(value, dimension) for value, dimension in zip(op.operands, dynamic, strict=True))

    def _is_size(self, value: ir.Value, dimension: int) -> bool:
        op = defining_op(value, _DIM)
        if op is None:
            return False
        source, number = op.operands
        return source in (self.old, self.initial) and constant_integer(number) == dimension

    def _inserted(self, writes: list[_Write]) -> list[Subset] | None:
        """Return the inserted slices; None for other ops, or slices that differ between iterations."""
        slices: list[Subset] = []
        for write in writes:
            # An intermediate version lacks later insertions: there, the other tensor has content from two iterations
            # ago.
            if write.op.name != _INSERT or (write is not writes[0] and len(list(write.op.results[0].uses)) != 1):
                return None
            subset = _folded(mixed_subset(write.op, 2))
            entries = (*subset.offsets, *subset.sizes, *subset.strides)
            if not all(isinstance(entry, int) or self._is_constant(entry, _DEPTH) for entry in entries):
                return None
            slices.append(subset)
        return slices if self._is_much(slices) else None

    def _keeps_the_rest(self, writes: list[_Write]) -> bool:
        """Whether only the last insertion changes elements: the others put back slices of the old version."""
        if any(write.op.name != _INSERT for write in writes) or _DYNAMIC in self.shape:
            return False
        last, *others = (mixed_subset(write.op, 2) for write in writes)
        for write, subset in zip(writes[1:], others, strict=True):
            source = defining_op(write.op.operands[0], _EXTRACT)
            if source is None or source.operands[0] != self.old:
                return False
            if mixed_subset(source, 1) != subset or not is_known_box(subset, self.shape):
                return False
        return is_known_box(last, self.shape) and all(
            any(_lies_in(part, other) for other in others) for part in outside_of(last, self.shape)
        )

    def _is_much(self, slices: list[Subset]) -> bool:
        """Whether the slices are at least half of the tensor, or have unknown sizes."""
        sizes = [size for subset in slices for size in subset.sizes]
        known = [size for size in sizes if isinstance(size, int)]
        if len(known) < len(sizes) or _DYNAMIC in self.shape:
            return True
        rank = len(self.shape)
        written = sum(prod(known[start : start + rank]) for start in range(0, len(known), rank)) if rank else 1
        return 2 * written >= prod(self.shape)

    def _is_constant(self, value: ir.Value, depth: int) -> bool:
        """Whether index `value` is the same in each iteration. The tensor keeps its sizes."""
        if not is_inside(value, self.loop):
            return True
        op = defining_op(value)
        if op is None or not depth:
            return False
        operands = list(op.operands)
        if op.name == _DIM and operands[0] == self.old:
            operands = operands[1:]
        elif len(op.regions) or not op.name.startswith(_INDEX_OPS):
            return False
        return all(self._is_constant(operand, depth - 1) for operand in operands)

    def _is_read_late(self, first: _Write, slices: list[Subset]) -> bool:
        """Whether an op that cannot work in place reads the old version after the new one is begun."""
        begin, updated = self._begin(first)
        values: list[tuple[ir.Value, Subset | None]] = [(self.old, None)]
        for value, part in values:
            for use in value.uses:
                user = use.owner.operation
                if user.name == _DIM or (user == first.op and use.operand_number == first.operand):
                    continue
                if user.name in _VIEWS:
                    own = _folded(mixed_subset(user, 1)) if user.name == _EXTRACT and value == self.old else None
                    values.append((user.results[0], own))
                elif not self._holder(user).is_before_in_block(begin):
                    same = value == self.old if not slices else part == slices[-1]
                    in_place = use.operand_number == updated or _updates_in_place(user, use.operand_number)
                    if not (same and user == begin and in_place):
                        return True
        return False

    def _begin(self, first: _Write) -> tuple[ir.Operation, int]:
        """Return the op that first writes the new version, or computes the first inserted slice; what it updates."""
        begin, updated = first.op, first.operand
        value = begin.operands[0] if begin.name == _INSERT else first.before
        while (op := defining_op(value)) is not None and op.block == self.body:
            operand = self._start(op, ir.OpResult(value).result_number)
            if operand is None:
                break
            begin, updated, value = op, operand, op.operands[operand]
        return begin, updated

    def _holder(self, op: ir.Operation) -> ir.Operation:
        """Return the op of the body that is `op` or contains it."""
        while op.block != self.body:
            op = op.block.owner.operation
        return op


def is_known_box(subset: Subset, shape: Sequence[int]) -> bool:
    """Whether a slice is a box with static bounds inside of a tensor of `shape`."""
    return all(
        isinstance(first, int) and isinstance(size, int) and stride == 1 and 0 <= first < first + size <= whole
        for first, size, stride, whole in zip(subset.offsets, subset.sizes, subset.strides, shape, strict=True)
    )


def outside_of(subset: Subset, shape: Sequence[int]) -> Iterator[Subset]:
    """Cut the complement of a known box into boxes: before and behind it in each dimension."""
    offsets, sizes = [0] * len(shape), list(shape)
    for dimension, (first, size) in enumerate(_bounds(subset)):
        for begin, end in ((0, first), (first + size, shape[dimension])):
            if begin < end:
                offsets[dimension], sizes[dimension] = begin, end - begin
                yield Subset(tuple(offsets), tuple(sizes), (1,) * len(shape))
        offsets[dimension], sizes[dimension] = first, size


def _bounds(box: Subset) -> Iterator[tuple[int, int]]:
    for first, size in zip(box.offsets, box.sizes, strict=True):
        assert isinstance(first, int) and isinstance(size, int), "the box has known bounds"
        yield first, size


def _lies_in(part: Subset, whole: Subset) -> bool:
    pairs = zip(_bounds(part), _bounds(whole), strict=True)
    return all(first <= own and own + size <= first + length for (own, size), (first, length) in pairs)


def _folded(subset: Subset) -> Subset:
    """Return `subset` with numbers in the place of constants."""

    def fold(entries: tuple[int | ir.Value, ...]) -> tuple[int | ir.Value, ...]:
        known = (entry if isinstance(entry, int) else constant_integer(entry) for entry in entries)
        return tuple(entry if number is None else number for entry, number in zip(entries, known, strict=True))

    return Subset(fold(subset.offsets), fold(subset.sizes), fold(subset.strides))


def _without_copies(value: ir.Value) -> ir.Value:
    """Return the value that `value` is a copy of, looking through several copies."""
    while (op := defining_op(value)) is not None:
        if op.name == "linalg.copy" and op.operands[0].type == value.type:
            value = op.operands[0]
        elif op.name == "bufferization.alloc_tensor" and op.attributes["operandSegmentSizes"][1]:
            value = op.operands[op.attributes["operandSegmentSizes"][0]]
        else:
            break
    return value


def _runs_once(loop: ir.Operation) -> bool:
    """Whether `loop` certainly has at most one iteration."""
    lower, upper, step = (constant_integer(value) for value in list(loop.operands)[:3])
    return lower is not None and upper is not None and upper - lower <= (step or 1)


def _updates_in_place(op: ir.Operation, operand: int) -> bool:
    """Whether `op` reads each element of `operand` only in the iteration that writes that element."""
    structured = as_structured(op)
    if structured is None:
        return False
    own = structured.indices[operand]
    alike = all(structured.indices[output] == own for output in structured.outputs)
    return alike and all(structured.parallel) and all(index.loop is not None for index in own)
