"""A lower bound on allocations: contents that are needed at the same time are in different buffers.

The *content* of a value is what the op that defines it leaves there. Two contents are *apart* if no sound outcome has
them in one buffer: the later one is written, in whole or in part, after the earlier one is, and the earlier one is read
after that. Of contents that are apart, in pairs, each needs a buffer of its own. A buffer comes from an operand that is
refused, or from a tensor without content, or from memory that costs nothing, such as a writable argument: what the
operands in front of a value lead back to says which of them may hold it.

Several such groups count together if no operand may hold contents of two of them. A tensor without content may hold one
content of each group, so it is paid for once. An expense in a loop makes a buffer in each iteration, several of which
may be in use: it counts for one content. See docs/theory/foundations.md.

A group is what is needed at one time, at most :data:`_MOST` contents; the dearest groups come first. Contents of blocks
that define more than :data:`_MOST_OF_BLOCK` are not looked at, so the bound is linear in the values of a part.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import attrgetter

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ..costs.estimates import known_trips
from ..costs.price import Price
from ..effects.reader import TensorEffects
from ..index_sets.slices import Slice, SliceRelation, slice_relation
from ..index_sets.sums import Index, index_symbols
from .cost_model import CostModel
from .region_flow import carried_values

__all__ = ["least_allocations"]

_MOST = 16
"""How many contents of one time are looked at."""

_MOST_OF_BLOCK = 64
"""In how many values of one block groups are looked for."""

_LONGEST = 64
"""How many values a buffer is followed back through."""

_DEEPEST = 8
"""How many loops and insertions deep a write is looked for."""

_NOTHING = Price()


def least_allocations(
    effects: TensorEffects, costs: CostModel, function: int, values: Sequence[int], most: Price
) -> Price:
    """Return what ``values``, a part of ``function``, cost in any outcome that costs less than ``most``, at least.

    The search for groups ends when they cost as much as that.
    """
    if effects.snapshot.graphs or effects.shared_outputs:
        return _NOTHING
    bound = _Bound(effects, costs, function, most)
    blocks: dict[int, list[int]] = {}
    for value in values:
        if effects.value_read[value] and not effects.undefined[value]:
            blocks.setdefault(effects.snapshot.value_block[value], []).append(value)
    return bound.least([list(bound.contents(*one)) for one in blocks.items() if len(one[1]) <= _MOST_OF_BLOCK])


@frozen
class _Write:
    """``op`` writes ``slice`` of the buffer, or all of it, by ``operand``; ``around`` are its loops, outermost first.

    Of an insertion it may be what computes its source that writes elements of the slice.
    """

    op: int
    operand: int
    slice: Slice | None
    around: tuple[int, ...] = ()


@frozen
class _Holders:
    """What may hold a content: operands that are refused, of which none costs less than ``least``, and ``roots``.

    ``operands`` are all in front of the content. ``repeated`` are the expenses in loops, new tensors as negative
    numbers.
    """

    least: Price
    operands: frozenset[int]
    repeated: frozenset[int]
    roots: frozenset[int]


@frozen
class _Content:
    """A content that is there from position ``begin`` to ``end``; ``reads`` are operands, at positions of its block.

    ``write`` is what leaves it there; None for an argument of the function, which is a holder itself.
    """

    value: int
    begin: int
    end: int
    reads: Sequence[tuple[int, int]]
    write: _Write | None
    holders: _Holders


@frozen
class _Group:
    """Some of ``contents``, needed at a time, that are apart: what they cost, and what besides ``roots``.

    They are held by ``operands`` that are refused or by ``roots``, which are outside of loops.
    """

    time: int
    contents: Sequence[_Content]
    operands: frozenset[int]
    paid: Price
    unpaid: Price
    roots: frozenset[int]


class _Bound:
    """The bound of the blocks of one part."""

    def __init__(self, effects: TensorEffects, costs: CostModel, function: int, most: Price) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._costs = costs
        self._function = function
        self._most = most
        self._own: dict[int, tuple[_Holders, Sequence[int], ir.Type | None]] = {}

    def least(self, blocks: Sequence[Sequence[_Content]]) -> Price:
        """Return what the contents cost at least that ops of some ``blocks`` define."""
        waiting: list[_Group] = []
        for contents in blocks:
            times = {at for one in contents for at in (one.begin, one.end)}
            waiting += [self._at(time, contents) for time in times]
        waiting.sort(key=attrgetter("unpaid"))
        used, total, taken = set[int](), _NOTHING, list[_Group]()
        while waiting and total < self._most:
            best = waiting.pop()
            if used.isdisjoint(best.operands):
                taken.append(best)
                total = total.plus(best.unpaid)
                used |= best.operands if best.unpaid > _NOTHING else frozenset()
            elif best.unpaid > _NOTHING:
                # Of fewer contents no group costs more than before.
                left = [one for one in best.contents if used.isdisjoint(one.holders.operands)]
                insort(waiting, self._at(best.time, left), key=attrgetter("unpaid"))
        return total.plus(_of_roots(taken))

    def _at(self, time: int, contents: Sequence[_Content]) -> _Group:
        """Return a group of those ``contents`` that are needed at a time."""
        live = [one for one in contents if one.begin <= time <= one.end]
        group = self._group(live)
        operands = frozenset[int]().union(*(one.holders.operands for one in group))
        return _Group(time, live, operands, *self._price(group))

    def _group(self, live: Sequence[_Content]) -> list[_Content]:
        """Return contents of those ``live`` that are apart, in pairs."""
        group: list[_Content] = []
        repeated = set[int]()
        for content in sorted(live, key=lambda one: -one.begin)[:_MOST]:
            own = content.holders.repeated
            if repeated.isdisjoint(own) and all(self._are_apart(content, later) for later in group):
                group.append(content)
                repeated |= own
        return group

    def _price(self, group: Sequence[_Content]) -> tuple[Price, Price, frozenset[int]]:
        """Return what a group costs, and what it costs besides the roots that it may be in, and these."""
        arguments = {one.value for one in group if one.write is None}
        holders = [one.holders for one in group if one.write is not None]
        roots = frozenset[int]().union(*(one.roots for one in holders)) - arguments
        prices = sorted(self._costs.of_new(root) if self._is_new(root) else _NOTHING for root in roots)
        paid = unpaid = reduce(Price.plus, (one.least for one in holders), _NOTHING)
        dearest = sorted((one.least for one in holders if one.roots - arguments), reverse=True)
        for least, price in zip(dearest, prices, strict=False):
            unpaid = unpaid.minus(least)
            paid = paid.minus(least).plus(min(price, least))
        return paid, unpaid, roots

    def _is_new(self, value: int) -> bool:
        """Whether an op makes ``value``, a tensor without content."""
        return bool(self._effects.undefined[value]) and self._snapshot.value_op[value] >= 0

    def contents(self, block: int, values: Sequence[int]) -> Iterator[_Content]:
        """Yield the contents of ``values`` of which it is known what leaves them there."""
        for value in values:
            if (content := self._content(block, value)) is not None:
                yield content

    def _content(self, block: int, value: int) -> _Content | None:
        """Return the content of ``value`` if it is known what leaves it there, and anything of the block reads it."""
        s, op = self._snapshot, self._snapshot.value_op[value]
        write = _certain_write(self._effects, value)
        if write is None and (op >= 0 or s.block_op[block] != self._function):
            return None
        names = [value]
        reads = list(self._reads(block, names))
        holders = self._holders(names) if write is not None else _Holders(_NOTHING, *[frozenset[int]()] * 3)
        if not reads or holders is None:
            return None
        begin, end = s.op_enter[op] if op >= 0 else -1, max(at for at, _ in reads)
        return _Content(value, begin, end, reads, write, holders)

    def _reads(self, block: int, names: list[int]) -> Iterator[tuple[int, int]]:
        """Yield the operands that read a content, with the position of their ops' ancestors in ``block``.

        Values that are the same elements under another type have the same content: they are added to ``names``.
        """
        s, effects = self._snapshot, self._effects
        for name in names:
            for operand in s.value_uses[name]:
                op = at = s.operand_op[operand]
                while at >= 0 and s.op_block[at] != block:
                    at = s.block_op[s.op_block[at]]
                if at >= 0 and effects.content_reads[operand]:
                    yield s.op_enter[at], operand
                    if at == op and not s.op_regions[op] and not effects.writes[operand]:
                        names += self._renamed(operand)

    def _renamed(self, operand: int) -> Iterator[int]:
        """Yield the values of one op that are as large as ``operand``, and in its buffer or a copy."""
        value, size = self._snapshot.operand_value[operand], self._costs.bytes
        for tie in self._effects.ties.get(operand, ()):
            if len(self._effects.sources.get(tie.value, ())) == 1 and size(tie.value) == size(value):
                yield tie.value

    def _holders(self, names: Sequence[int]) -> _Holders | None:
        """Return what may hold the content of ``names``; None if that may hold several at once."""
        costs, own = self._costs, self._own
        size, type_ = costs.bytes(names[0]), self._snapshot.values[names[0]].type
        work, seen, least = list(names), set(names), self._most
        operands, repeated, roots = set[int](), set[int](), set[int]()
        while work:
            value = work.pop()
            holders, sources, other = own.get(value) or self._enter(value)
            # Sizes tell which of two tensors is larger if both are known, or all are the same.
            if len(seen) > _LONGEST or costs.bytes(value) >= 2 * size or (other is not None and other != type_):
                return None
            least = min(least, holders.least)
            operands |= holders.operands
            repeated |= holders.repeated
            roots |= holders.roots
            for source in sources:
                if source < 0:
                    return None
                if source not in seen:
                    seen.add(source)
                    work.append(source)
        return _Holders(least, frozenset(operands), frozenset(repeated), frozenset(roots))

    def _enter(self, value: int) -> tuple[_Holders, Sequence[int], ir.Type | None]:
        """Remember what is in front of ``value``, these values, and its type unless all sizes are known."""
        s, effects, costs = self._snapshot, self._effects, self._costs
        operands, inside = effects.sources.get(value, ()), s.block_loop[s.value_block[value]] >= 0
        found = [
            (Price.of(allocated=costs.of_refusal(one).allocated), one, s.block_loop[s.op_block[s.operand_op[one]]] >= 0)
            for one in operands
        ]
        is_made = not operands and self._is_new(value) and inside
        found += [(costs.of_new(value), -1 - value, True)] if is_made else []
        # It may be in memory of its op, such as a call's.
        ties = (tie for one in operands for tie in effects.ties.get(one, ()) if tie.value == value)
        is_root = not is_made and value not in effects.readonly and not (operands and all(tie.definite for tie in ties))
        cheap = [one for one in found if one[0].weighed <= self._most.weighed]
        least = min((price for price, _, _ in cheap), default=self._most)
        repeated = frozenset([number for _, number, is_repeated in cheap if is_repeated])
        numbers, roots = frozenset([number for _, number, _ in found]), frozenset((value,) if is_root else ())
        type_, sources = s.values[value].type, [s.operand_value[one] for one in operands]
        is_static = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
        own = self._own[value] = _Holders(least, numbers, repeated, roots), sources, None if is_static else type_
        return own

    def _are_apart(self, first: _Content, second: _Content) -> bool:
        """Whether ``first``, which is there before ``second`` is written, is read in whole or in part after that."""
        write = second.write
        if write is None or first.begin >= second.begin:
            return False
        for at, read in first.reads:
            if at > second.begin and self._may_meet(write, read):
                return True
            if at == second.begin and (self._is_read_again(write, read) if write.around else self._clash(write, read)):
                return True
        return False

    def _clash(self, write: _Write, read: int) -> bool:
        """Whether one op reads elements of one operand after it wrote elements of another one."""
        s, effects = self._snapshot, self._effects
        op = s.operand_op[read]
        if op != write.op or effects.writes[read] or read in effects.slices or write.slice is not None:
            return False
        model = effects.model(op)
        conflicting = s.operand_index(read), s.operand_index(write.operand)
        return model is not None and not model.is_not_conflicting(s.ops[op], *conflicting)

    def _may_meet(self, write: _Write, read: int) -> bool:
        """Whether nothing tells what ``write`` writes from what ``read``, an operand of a later op, reads."""
        s, accessed, written = self._snapshot, self._effects.slices.get(read), write.slice
        if accessed is not None and self._effects.writes[read]:
            return False  # It reads the rest.
        if written is None or accessed is None:
            return True
        outer = write.around[0] if write.around else write.op
        if s.block_loop[s.op_block[outer]] < 0:
            return slice_relation(written, accessed) is not SliceRelation.DISJOINT
        return all(
            covers or (isinstance(size, int) and any(self._is_inside(one, outer) for one in index_symbols(offset)))
            for covers, offset, size in zip(self._covered(read), written.offsets, written.sizes, strict=False)
        )

    def _is_read_again(self, write: _Write, read: int) -> bool:
        """Whether a loop writes elements that ``read`` reads in a later iteration."""
        s = self._snapshot
        if read in self._effects.slices and self._effects.writes[read]:
            return False
        position = s.op_enter[s.operand_op[read]]
        return any(
            s.op_enter[loop] < position < s.op_exit[loop]
            and known_trips(s.ops[loop]) not in {0, 1}
            and self._meet_later(write, read, loop)
            for loop in write.around
        )

    def _meet_later(self, write: _Write, read: int, loop: int) -> bool:
        """Whether in each dimension one covers the tensor, or both are the same in all iterations of ``loop``."""
        written, accessed = write.slice, self._effects.slices.get(read)
        if written is None or accessed is None:
            return True
        if len(written.offsets) != len(accessed.offsets):
            return False
        fields = zip(written.offsets, written.sizes, written.strides, strict=True)
        others = zip(accessed.offsets, accessed.sizes, accessed.strides, strict=True)
        covered = zip(self._covered(read), self._covered(write.operand), strict=True)
        return all(
            any(covers) or (one == other and not any(self._moves(index, loop) for index in one))
            for covers, one, other in zip(covered, fields, others, strict=True)
        )

    def _moves(self, index: Index, loop: int) -> bool:
        """Whether ``index`` may be another one in another iteration of ``loop``."""
        return any(one < 0 or self._is_inside(one, loop) for one in index_symbols(index))

    def _covered(self, operand: int) -> list[bool]:
        """Return which dimensions of its tensor the slice of ``operand`` covers; it may reach beyond their ends."""
        s, part = self._snapshot, self._effects.slices[operand]
        shape = ir.RankedTensorType(s.values[s.operand_value[operand]].type).shape
        return [
            offset == 0 and isinstance(size, int) and size >= extent >= 0 and stride == 1
            for offset, size, stride, extent in zip(part.offsets, part.sizes, part.strides, shape, strict=True)
        ]

    def _is_inside(self, symbol: int, op: int) -> bool:
        """Whether ``symbol`` is defined inside of an op."""
        s = self._snapshot
        return symbol >= 0 and s.op_enter[op] < s.value_position[symbol] < s.op_exit[op]


def _certain_write(effects: TensorEffects, value: int, around: tuple[int, ...] = (), depth: int = 0) -> _Write | None:
    """Return a write that the buffer of ``value`` gets in any outcome when its op runs; None if none is known."""
    s, op = effects.snapshot, effects.snapshot.value_op[value]
    if op < 0 or depth > _DEEPEST:
        return None
    if s.op_name[op] == "scf.for":
        entry = next((one for one in carried_values(effects, op) if one.result == value), None)
        yielded = s.operand_value[entry.operand] if entry is not None else -1
        if entry is None or yielded < 0 or s.value_block[yielded] != s.op_block[s.operand_op[entry.operand]]:
            return None
        return _certain_write(effects, yielded, (*around, op), depth + 1)
    for operand in effects.sources.get(value, ()):
        is_written = s.operand_op[operand] == op and effects.writes[operand] and effects.is_same_buffer(operand, value)
        if is_written and effects.copied_operand(operand) < 0:
            is_certain = operand not in effects.redundant_source or (around and _is_written(effects, operand, depth))
            return _Write(op, operand, effects.slices.get(operand), around) if is_certain else None
    return None


def _is_written(effects: TensorEffects, insertion: int, depth: int) -> bool:
    """Whether what ``insertion`` inserts is written by an op of the same block."""
    s = effects.snapshot
    source = s.operand_value[effects.redundant_source[insertion]]
    if source < 0 or s.value_block[source] != s.op_block[s.operand_op[insertion]]:
        return False
    return _certain_write(effects, source, (), depth + 1) is not None


def _of_roots(groups: Sequence[_Group]) -> Price:
    """Return what groups pay for roots, at least: those that have neither these nor operands in common."""
    total, roots, operands = _NOTHING, set[int](), set[int]()
    for group in sorted(groups, key=lambda one: one.paid.minus(one.unpaid), reverse=True):
        if roots.isdisjoint(group.roots) and operands.isdisjoint(group.operands):
            total = total.plus(group.paid.minus(group.unpaid))
            roots |= group.roots
            operands |= group.operands
    return total
