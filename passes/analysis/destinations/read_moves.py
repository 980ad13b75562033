"""Which reads of an old content can come before the write that destroys it, and which writes after the read.

Asked where an operand is out-of-place because its content is read after the write. The ops of one block are pure or
not, so two of them can change places if neither uses a result of the other. A read moves in front of the write with
what it needs; else the write moves behind the read with what needs it; else, if only a slice is read, a copy of that
slice is made in front of the write. Whether that pays is decided by the analysis of the outcome (``read_costs.py``).

Nothing is changed here. See docs/theory/destinations.md. Cost: linear in the ops between a write and a read, of which
at most ``_FAR`` are looked at.
"""

from __future__ import annotations

import enum
from collections.abc import Callable

from mlir import ir

from ....dialects.support.element_sizes import element_bytes
from ....dialects.support.frozen_classes import frozen_slots
from ..conflicts.decisions import Conflict, Decision, Rule
from ..effects.reader import TensorEffects
from ..ir.program_order import ProgramOrder
from ..linalg.payload_effects import is_pure
from ..whole_module.module import ModuleAnalysis
from .speculation import Speculation

__all__ = ["Move", "MoveKind", "plan_moves"]

_MOST_MOVES = 256
"""The most moves of a round: each takes as long as its block is."""
_FAR = 1024
"""The most ops between a write and a read."""


_CLOSED = frozenset({"scf.forall.in_parallel", "vector.mask"})
"""Ops whose regions hold certain ops only."""


class MoveKind(enum.Enum):
    """What happens to a read, or to the write. The value is the phrase of remarks."""

    READ = "read before the write"
    WRITE = "written after the read"
    SLICE = "copied before the write"


@frozen_slots
class Move:
    """Ops ``ops``, in their order, move: in front of op ``place`` of their block, or behind it for ``WRITE``.

    ``decision`` is the operand that is out-of-place. For ``SLICE``, the value ``slice`` is copied in front of
    ``place``, and the operands ``uses`` take the copy.
    """

    kind: MoveKind
    decision: int
    ops: tuple[int, ...]
    place: int
    slice: int = -1
    uses: tuple[int, ...] = ()


def _tensor_bytes(type_: ir.Type) -> int | None:
    """The bytes of a tensor of ``type_``; None if they are not known."""
    if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
        return None
    total = 1
    for size in type_.shape:
        total *= size
    try:
        return total * element_bytes(type_.element_type)
    except ValueError:
        return None


def _copied_value(effects: TensorEffects, operand: int) -> int:
    """The value that is copied if ``operand`` is out-of-place: of an operand that is viewed it is the view."""
    ties = effects.ties.get(operand, ()) if not effects.writes[operand] else ()
    return ties[0].value if ties else effects.snapshot.operand_value[operand]


def plan_moves(analysis: ModuleAnalysis, only: Callable[[int], bool] = lambda operand: True) -> list[Move]:
    """Return moves for operands that are out-of-place because of a later read, each valid after those before it.

    One for each of which ``only`` says so: what else is read after the write shows in the analysis of the outcome. A
    copied slice is the last one, as ops that take the copy depend on it, of which nothing is known yet.
    """
    planner = _Planner(analysis)
    conflicts = [
        (decision, decision.conflict)
        for function in analysis.functions
        for decision in function.decisions.values()
        if decision.conflict is not None and _is_by_later_read(decision.conflict) and only(decision.operand)
    ]
    moves: list[Move] = []
    for decision, conflict in conflicts:
        move = planner.move_for(decision, conflict)
        moves += [move] if move is not None else []
        if len(moves) >= _MOST_MOVES or (move is not None and move.kind is MoveKind.SLICE):
            break
    return moves


def _is_by_later_read(conflict: Conflict) -> bool:
    known = conflict.rule in (Rule.READ_AFTER_WRITE, Rule.READ_BY_WRITER)
    return known and conflict.loop < 0 <= min(conflict.write, conflict.read)


class _Planner:
    """Plans moves, and keeps the order that the ops of each block have after those that are planned."""

    def __init__(self, analysis: ModuleAnalysis) -> None:
        self._effects = analysis.effects
        self._snapshot = s = analysis.snapshot
        self._program = ProgramOrder(s, frozenset())
        self._order: dict[int, list[int]] = {}
        self._speculation = Speculation(s)

    def move_for(self, decision: Decision, conflict: Conflict) -> Move | None:
        """Return the move after which the read of ``conflict`` reads what it should; none if there is no such."""
        s = self._snapshot
        write, read = s.operand_op[conflict.write], s.operand_op[conflict.read]
        if write == read:
            block = s.op_block[write]
            return self._keep_slice(decision, conflict.read, block, write) if self._is_open(block) else None
        places = self._places(write, read)
        return self._move(decision, conflict.read, *places) if places is not None else None

    def _places(self, write: int, read: int) -> tuple[int, int, int] | None:
        """Return the block around a write and a read, and its ops that hold them, if the write comes first there."""
        s = self._snapshot
        block, first, second = self._program.common_block(write, read)
        if first == second or s.op_block[first] != s.op_block[second] or s.op_block[first] != block:
            return None
        if not self._is_open(block):
            return None
        order = self._ordered(block)
        return (block, first, second) if order.index(first) < order.index(second) else None

    def _is_open(self, block: int) -> bool:
        """Whether the block may hold any ops."""
        s = self._snapshot
        return s.op_name[s.block_op[block]] not in _CLOSED

    def _ordered(self, block: int) -> list[int]:
        order = self._order.get(block)
        if order is None:
            order = self._order[block] = list(self._snapshot.block_ops[block])
        return order

    def _move(self, decision: Decision, read: int, block: int, write: int, reader: int) -> Move | None:
        order = self._ordered(block)
        first, last = order.index(write), order.index(reader)
        if last - first > _FAR:
            return None
        ops = self._before(order, first, last)
        if ops is not None:
            self._reorder(block, ops, first)
            return Move(MoveKind.READ, decision.operand, ops, write)
        ops = self._behind(order, first, last)
        if ops is not None:
            self._reorder(block, ops, last - len(ops) + 1)
            return Move(MoveKind.WRITE, decision.operand, ops, reader)
        return self._keep_slice(decision, read, block, write)

    def _reorder(self, block: int, ops: tuple[int, ...], place: int) -> None:
        moved = set(ops)
        rest = [op for op in self._ordered(block) if op not in moved]
        self._order[block] = [*rest[:place], *ops, *rest[place:]]

    def _before(self, order: list[int], first: int, last: int) -> tuple[int, ...] | None:
        """Return the op at ``last`` and what it needs, if these can move in front of the op at ``first``."""
        moved, wanted = [order[last]], self._used(order[last])
        for place in range(last - 1, first - 1, -1):
            op = order[place]
            if wanted.isdisjoint(self._snapshot.results(op)):
                continue
            if place == first:
                return None
            moved.append(op)
            wanted |= self._used(op)
        passed = [op for op in order[first:last] if op not in moved]
        if not all(map(self._is_movable, moved)) or not self._speculation.may_precede(moved, passed):
            return None
        return tuple(reversed(moved))

    def _behind(self, order: list[int], first: int, last: int) -> tuple[int, ...] | None:
        """Return the op at ``first`` and what needs it, if these can move behind the op at ``last``."""
        s = self._snapshot
        if last == len(order) - 1:
            return None  # a terminator
        moved, made = [order[first]], set(s.results(order[first]))
        for op in order[first + 1 : last + 1]:
            if made.isdisjoint(self._used(op)):
                continue
            if op == order[last]:
                return None
            moved.append(op)
            made.update(s.results(op))
        return tuple(moved) if all(map(self._is_movable, moved)) else None

    def _used(self, op: int) -> set[int]:
        """The values that an op and what is inside of it use."""
        s = self._snapshot
        inside = s.nested_ops(op)
        values = {s.operand_value[operand] for operand in s.operands(op)}
        values.update(s.operand_value[operand] for operand in s.nested_operands(inside))
        return values

    def _is_movable(self, op: int) -> bool:
        """Whether an op has results and no effect, nor what is inside of it: a terminator has none."""
        s = self._snapshot
        return s.op_result_count[op] > 0 and all(is_pure(s.ops[o]) for o in (op, *s.nested_ops(op)))

    def _keep_slice(self, decision: Decision, read: int, block: int, write: int) -> Move | None:
        """Return a copy of the slice that ``read`` reads, if it is made once for each copy that it saves."""
        s = self._snapshot
        around = s.block_loop[s.op_block[s.operand_op[decision.operand]]]
        value = self._slice_of(read)
        if value < 0 or s.block_loop[block] != around or not decision.copies:
            return None
        kept = _copied_value(self._effects, decision.operand)
        whole, part = _tensor_bytes(s.values[kept].type), _tensor_bytes(s.values[value].type)
        if part is None or (whole is not None and part >= whole):
            return None
        if ir.RankedTensorType(s.values[value].type).encoding is not None:
            return None
        order, ops = self._ordered(block), tuple[int, ...]()
        first, maker = order.index(write), s.value_op[value]
        if maker in order[first:]:
            found = self._before(order, first, order.index(maker))
            if found is None:
                return None
            ops = found
            self._reorder(block, ops, first)
        elif not self._program.dominates(value, write):
            return None
        behind = self._ordered(block)[self._ordered(block).index(write) :]
        later = {inner for op in behind for inner in (op, *s.nested_ops(op))}
        effects = self._effects
        uses = tuple(u for u in s.value_uses[value] if s.operand_op[u] in later and not effects.writes[u])
        return Move(MoveKind.SLICE, decision.operand, ops, write, value, uses)

    def _slice_of(self, read: int) -> int:
        """Return the slice that operand ``read`` reads, through reshapes; -1 if it reads something else."""
        s, effects = self._snapshot, self._effects
        value = s.operand_value[read]
        while s.value_op[value] >= 0 and (sources := effects.sources.get(value)) and not effects.writes[sources[0]]:
            if s.op_name[s.value_op[value]] == "tensor.extract_slice":
                return value
            value = s.operand_value[sources[0]]
        return -1
