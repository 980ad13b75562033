"""Which elements two accesses touch, as slices of the innermost equivalence class that both lie in.

A class is one buffer with one layout, so slices of it are disjoint iff the addresses are. Slices are compared by
symbols. This is right only if the symbols keep their values between a write ``w`` and a read ``r``. They do, unless the
path from ``w`` to ``r`` goes around a loop; then only symbols from outside that loop are compared, and those that each
iteration computes of such ones.

Cost: per pair at most the depth of views. See docs/theory/slices.md, and *renewed symbols* in
docs/theory/foundations.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from ....dialects.support.frozen_classes import frozen_slots
from ..effects.reader import TensorEffects
from ..index_sets.slices import Slice, SliceRelation, are_one_or_apart, slice_relation
from ..ir.program_order import ProgramOrder
from ..ir.snapshot import Snapshot
from .accesses import Read, Write
from .alias_sets import AliasSets
from .threads import is_within

__all__ = ["Frames", "SliceFrame"]

_DEEPEST = 4
"""How many ops in a row are followed from a symbol of a loop to what it is computed of."""

_AFFINE = frozenset({"affine.apply", "affine.max", "affine.min"})


@frozen_slots
class SliceFrame:
    """The written slice of class ``base``, and the slice of it that the value is; ``is_own``: the value is in it."""

    written: Slice | None
    viewed: Slice | None
    is_own: bool
    base: int


class Frames:
    """Comparisons of the slices of one function's accesses; has no state of its own."""

    def __init__(self, effects: TensorEffects, order: ProgramOrder, sets: AliasSets) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._order = order
        self._sets = sets

    def redundant_by(self, write: int) -> tuple[int, ...] | None:
        """Return the reshaped views between the slice ``write`` writes and its source; None if it is not redundant.

        Reshapes keep the order of elements, so between two equal slices they are the identity. If one of them turns out
        to be a copy, the write has to be performed. It still destroys nothing: every write in between was checked.
        """
        source = self._effects.redundant_source.get(write)
        if source is None:
            return None
        s, sets = self._snapshot, self._sets
        target = sets.equivalence.find(s.operand_value[write])
        value, wanted = s.operand_value[source], self._effects.slices.get(write)
        passed: list[int] = []
        for view, root in sets.reshapes(value):
            if view != value:
                passed.append(view)
            if root == target and _keeps_order(wanted):
                return tuple(passed)
            if wanted is None:
                continue
            found = sets.viewed(root)
            if found is not None and found[0] == target:
                return tuple(passed) if slice_relation(found[1], wanted) is SliceRelation.EQUAL else None
        return None

    def is_copied_onto_itself(self, write: int) -> bool:
        """Whether ``write`` is to all of a tensor, by a ``linalg.copy`` of what is in that very buffer."""
        source, find = self._effects.copied_operand(write), self._sets.equivalence.find
        value = self._snapshot.operand_value
        return source >= 0 and find(value[source]) == find(value[write])

    def is_moved_onto_itself_or_apart(self, write: int, read: int) -> bool:
        """Whether ``write`` inserts what ``read`` is of, a slice of that very tensor: the same slice, or one apart."""
        effects, sets, values = self._effects, self._sets, self._snapshot.operand_value
        written = effects.slices.get(write)
        if written is None or effects.redundant_source.get(write) != read:
            return False
        found = sets.viewed(sets.equivalence.find(values[read]))
        target = sets.equivalence.find(values[write])
        return found is not None and found[0] == target and are_one_or_apart(found[1], written)

    def frame(self, write: Write, value: int) -> SliceFrame | None:
        """Return the slices of the innermost class that ``write`` and ``value`` both lie in; None if none is known."""
        views = dict(self._sets.path(value))
        own = self._sets.equivalence.find(value)
        for base, written in self._sets.region(write.value, write.slice):
            if base in views:
                return SliceFrame(written, views[base], base == own, base)
        return None

    def apart(self, frame: SliceFrame | None, access: int, loop: int) -> bool:
        """Whether the written elements and those that ``access`` reads are disjoint.

        ``loop`` is the outermost loop that leads from one to the other, -1 if there is none. Only symbols that it does
        not change are compared.
        """
        if frame is None:
            return False
        effects = self._effects
        accessed = effects.slices.get(access) if frame.is_own else frame.viewed
        if loop >= 0 and not self._stable((frame.written, accessed), loop):
            return False
        if frame.is_own and effects.writes[access]:
            # An op that overwrites a slice reads only the elements outside of it.
            return accessed is not None and is_within(frame.written, accessed)
        return _disjoint(frame.written, accessed)

    def apart_around(self, frame: SliceFrame | None, write: Write, read: Read, loop: int, *, later: bool) -> bool:
        """Whether no later iteration of the loops from ``loop`` inwards reads the elements that ``write`` writes.

        If ``later``, the read comes after the write in an iteration; the same iteration must not read them either.
        """
        if frame is None or frame.written is None or (frame.is_own and self._effects.writes[read.operand]):
            return False
        accessed = self._effects.slices.get(read.operand) if frame.is_own else frame.viewed
        s = self._snapshot
        writer, reader = s.operand_op[write.operand], s.operand_op[read.operand]
        if accessed is None:
            return False
        return self._effects.slice_iterations.are_apart((frame.written, writer), (accessed, reader), loop, later=later)

    def is_renewed(self, frame: SliceFrame | None, write: Write, read: Read) -> bool:
        """Whether a symbol that both slices depend on may be redefined between ``write`` and ``read``.

        A value from a loop in the CFG may be used after the loop, where it is the last iteration's.
        """
        s = self._snapshot
        if not s.graphs or frame is None:
            return False
        loop = self._order.outermost_wrap(read.value, s.op_block[s.operand_op[write.operand]])
        slices = (frame.written, self._effects.slices.get(read.operand))
        first, second = ({} if part is None else dict.fromkeys(part.symbols) for part in slices)
        return loop >= 0 and any(s.encloses(loop, s.value_position[v]) for v in first if v in second)

    def are_regions_apart(self, first: Write, second: Write) -> bool:
        """Whether the elements that two operands of one op touch are disjoint."""
        accessed = dict(self._sets.region(second.value, second.slice))
        for base, slice_ in self._sets.region(first.value, first.slice):
            if base in accessed:
                return _disjoint(slice_, accessed[base])
        return False

    def _stable(self, slices: tuple[Slice | None, ...], loop: int) -> bool:
        """Whether each symbol is from outside of ``loop``, or computed anew of what is."""
        s = self._snapshot
        left = self._inside((symbol for slice_ in slices if slice_ is not None for symbol in slice_.symbols), loop)
        for _ in range(_DEEPEST if left else 0):
            if not all(symbol >= 0 and _is_arithmetic(s, s.value_op[symbol]) for symbol in left):
                return False
            operands = (operand for symbol in left for operand in s.operands(s.value_op[symbol]))
            left = self._inside((s.operand_value[operand] for operand in operands), loop)
        return not left

    def _inside(self, symbols: Iterable[int], loop: int) -> set[int]:
        """Return the symbols that may be defined in ``loop``."""
        s = self._snapshot
        return {symbol for symbol in symbols if symbol < 0 or s.is_in_loop(s.value_position[symbol], loop)}

    def are_one_slice(self, first: int, second: int) -> bool:
        """Whether two values of one type must be the same slice of one class, in one run of their block."""
        sets = self._sets
        a, b = (sets.viewed(sets.equivalence.find(value)) for value in (first, second))
        return a is not None and b is not None and a[0] == b[0] and slice_relation(a[1], b[1]) is SliceRelation.EQUAL


def _disjoint(first: Slice | None, second: Slice | None) -> bool:
    return first is not None and second is not None and slice_relation(first, second) is SliceRelation.DISJOINT


def _is_arithmetic(s: Snapshot, op: int) -> bool:
    """Whether ``op`` computes numbers of numbers, the same ones whenever it runs."""
    if op < 0 or not (s.op_name[op].startswith(("arith.", "index.")) or s.op_name[op] in _AFFINE):
        return False
    return not s.op_has_tensors[op]


def _keeps_order(written: Slice | None) -> bool:
    """Whether a slice of as many elements as its tensor has each in its place; a negative stride reverses them."""
    return written is None or all(isinstance(stride, int) and stride > 0 for stride in written.strides)
