"""Loop-carried tensors: whether a yield is in the carried buffer, and whether a loop may use its init buffer.

A yielded value that is equivalent to the loop argument costs nothing. Yields that permute the carried buffers are
*rotated*: the loop swaps buffers. Any other yield is copied into the carried buffer, or the next iteration gets the
yielded buffer itself; the order in which the two are tried is a matter of cost. If both would destroy something, the
next iteration gets a new copy. All this is decided in the loop's turn, after everything in its body.

Cost: linear in the carried tensors, except for the comparisons; a rotation is quadratic in its buffers, whose number is
bounded. See docs/theory/loops.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..conflicts.decisions import Conflict, Rule, Strategy
from ..conflicts.joining import Joiner
from ..conflicts.liveness import Liveness
from ..effects.sizes import keeps_size
from ..effects.unranked import is_unranked
from .decision_order import DecisionOrder
from .decision_record import DecisionRecord
from .region_flow import CarriedTensor, permuted

__all__ = ["CarriedDecisions"]

_MOST_ROTATED = 64
"""The largest number of buffers that a loop swaps, as they are compared pairwise. More are not rotated."""


class CarriedDecisions:
    """Decides loop-carried tensors; ``return_allocs``: whether a loop may yield other buffers than it carries.

    ``order`` says whether passing on the yielded buffer is preferred to copying it into the carried one, and whether a
    loop may swap the buffers that it carries; of what yields operands that are in ``orders`` the order there.
    """

    def __init__(
        self,
        joiner: Joiner,
        record: DecisionRecord,
        live: Liveness,
        *,
        return_allocs: bool,
        order: DecisionOrder,
        orders: Mapping[int, DecisionOrder],
    ) -> None:
        self._joiner = joiner
        self._live = live
        self._effects = joiner.effects
        self._snapshot = joiner.snapshot
        self._sets = joiner.sets
        self._record = record
        self._return_allocs = return_allocs
        self._order = order
        self._orders = orders
        self._settled: set[int] = set()
        """Loop arguments that are one buffer in every iteration."""
        self._lanes: dict[int, tuple[int, int]] = {}
        """By argument that a loop swaps, the loop and the place of the argument among those that it swaps."""
        self._started: dict[int, list[int]] = {}
        """By loop that swaps buffers, the values in whose buffers its arguments start, by place; -1 if not in one."""

    def settle(self, argument: int, result: int = -1) -> None:
        """State that ``argument`` is one buffer in every iteration, which its ``result``, if any, is in too."""
        self._settled.add(argument)
        if result >= 0:
            self._sets.unite(argument, result)

    def decide(self, op: int, carried: list[CarriedTensor]) -> bool:
        """Decide the yields of loop ``op`` to its next iteration; return whether it swaps buffers."""
        s, equivalence = self._snapshot, self._sets.equivalence
        pending = []
        for operand, argument, result in carried:
            if equivalence.find(s.operand_value[operand]) == equivalence.find(argument):
                self._record.accept(operand)
                self.settle(argument, result)
            elif not (self._is_reshaped(operand, argument) and self._pass_on(operand, argument)):
                pending.append(CarriedTensor(operand, argument, result))
        rotation = permuted(self._effects, self._sets, pending, self._unswapped(pending))
        rotates = bool(rotation) and self._return_allocs and self.rotate(op, rotation)
        swapped = set(rotation) if rotates else set()
        for entry in pending:
            if entry not in swapped:
                self._decide_other(*entry)
        return rotates

    def decide_initial(self, operand: int, *, rotating: bool) -> None:
        """Decide whether a loop may start in the buffer of its init ``operand``."""
        sets, value = self._sets, self._snapshot.operand_value[operand]
        arguments = [v for v in self._effects.forwards[operand] if self._snapshot.value_op[v] < 0]
        argument = arguments[0]
        is_shared = rotating and sets.find(value) == sets.find(argument)
        if is_shared and not self._starts_apart(value, argument):
            self._record.refuse(operand, Conflict(Rule.ROTATION_SHARED, value=value))
            return
        self.decide_entry(operand, argument, settled=argument in self._settled, keeps_apart=is_shared)
        if argument in self._lanes and self._record.decisions[operand].in_place:
            loop, place = self._lanes[argument]
            self._started[loop][place] = value

    def _starts_apart(self, value: int, argument: int) -> bool:
        """Whether a loop that swaps ``argument`` may start in ``value``, which is in its set by what it starts in.

        Another loop keeps all of these apart, as buffers that it swaps.
        """
        loop, _ = self._lanes.get(argument, (-1, -1))
        others = [other for other in self._started.get(loop, ()) if other >= 0]
        return bool(others) and all(self._sets.rotated_apart(value, other) for other in others)

    def _unswapped(self, pending: list[CarriedTensor]) -> list[int]:
        """Return what is yielded; of all that a loop in the body swaps, what that loop started in.

        Those are the same buffers, in an order that is not known.
        """
        s = self._snapshot
        values = [s.operand_value[entry.operand] for entry in pending]
        block = s.op_block[s.operand_op[pending[0].operand]] if pending else -1
        for _ in self._started:
            yielded: dict[int, dict[int, list[int]]] = {}
            for index, value in enumerate(values):
                frame, place = self._sets.frame_of_class(value) or (-1, -1)
                if frame >= 0 and s.op_block[frame // 2] == block:
                    yielded.setdefault(frame // 2, {}).setdefault(place, []).append(index)
            whole = [found for loop, found in yielded.items() if self._is_whole(loop, found)]
            for loop, found in yielded.items():
                for place, indices in found.items() if found in whole else ():
                    values[indices[0]] = self._started[loop][place]
            if not whole:
                break
        return values

    def _is_whole(self, loop: int, yielded: dict[int, list[int]]) -> bool:
        """Whether each buffer that ``loop`` swaps is yielded once, and all of them are known to start in others."""
        started = self._started.get(loop, [])
        once = all(len(indices) == 1 for indices in yielded.values())
        return once and len(yielded) == len(started) and all(value >= 0 for value in started)

    def decide_entry(self, operand: int, argument: int, *, settled: bool, keeps_apart: bool = False) -> None:
        """Decide whether ``argument`` may be the buffer of ``operand``; if ``settled``, it is no other buffer."""
        value = self._snapshot.operand_value[operand]
        attempt = self._joiner.begin((value, argument))
        attempt.keeps_apart = keeps_apart
        if settled:
            self._sets.unite(value, argument)
        else:
            self._sets.come_from(argument, value)
        conflict = self._record.decide(self._joiner, attempt, operand)
        if conflict is not None and settled:
            self._joiner.check.iterations.copy(operand, argument)
        self._record.enter(operand, conflict)

    def rotate(self, op: int, rotation: list[CarriedTensor]) -> bool:
        """Join the sets of buffers that a loop swaps, if they start apart and nothing is destroyed.

        ``op`` is the loop, or the branch back to its header.
        """
        sets, s = self._sets, self._snapshot
        if not self._orders.get(rotation[0].operand, self._order).rotate:
            return False
        arguments = list(dict.fromkeys(argument for _, argument, _ in rotation))
        results = [result for _, _, result in rotation if result >= 0]
        if len(rotation) > _MOST_ROTATED or not self._are_apart(arguments, results):
            return False
        attempt = self._joiner.begin(arguments)
        attempt.keeps_apart = True
        sets.rotate(arguments, 2 * op)
        sets.rotate(results, 2 * op + 1)
        for operand, argument, _ in rotation:
            sets.come_from(argument, s.operand_value[operand], op)
        if self._joiner.decide(attempt) is not None:
            return False
        sets.storage(arguments[0]).rotating = True
        self._started[op] = [-1] * len(arguments)
        for place, argument in enumerate(arguments):
            self._lanes[argument] = op, place
        for operand, _, _ in rotation:
            self._record.accept(operand, Strategy.ROTATE)
        return True

    def _are_apart(self, arguments: list[int], results: list[int]) -> bool:
        """Whether no two arguments are in one set, but those that a loop swaps which starts in them or the results."""
        find, sets = self._sets.equivalence.find, [self._sets.find(argument) for argument in arguments]
        if len(set(sets)) == len(arguments):
            return True
        if len(set(map(find, arguments))) < len(arguments) or len(set(sets)) > 1:
            return False
        started = [{find(value) for value in values if value >= 0} for values in self._started.values()]
        own = [set(map(find, values)) for values in (arguments, results) if len(values) == len(arguments)]
        return any(values <= classes for values in own for classes in started)

    def _is_reshaped(self, operand: int, argument: int) -> bool:
        """Whether a loop yields a reshaped view of its argument: of the carried buffer, or a copy made in the body."""
        carried = self._sets.equivalence.find(argument)
        return any(root == carried for _, root in self._sets.reshapes(self._snapshot.operand_value[operand]))

    def _pass_on(self, operand: int, argument: int) -> bool:
        """Pass the yielded buffer itself on to the next iteration, if that destroys nothing."""
        s = self._snapshot
        value, loop = s.operand_value[operand], s.block_op[s.value_block[argument]]
        attempt = self._joiner.begin((argument, value))
        self._sets.come_from(argument, value, loop)
        conflict = self._joiner.decide(attempt)
        if conflict is not None:
            self._record.not_passed_on[operand] = conflict
            return False
        self._record.accept(operand, Strategy.PASS_ON)
        return True

    def _decide_other(self, operand: int, argument: int, result: int) -> None:
        """Copy the yielded value into the carried buffer or pass it on, in either order; else pass on a new copy."""
        s = self._snapshot
        value = s.operand_value[operand]
        ways = [partial(self._copy_to_carried, operand, argument, result)]
        if self._return_allocs and not is_unranked(self._effects, value):
            is_first = self._orders.get(operand, self._order).pass_on
            ways.insert(0 if is_first else 1, partial(self._pass_on, operand, argument))
        if any(way() for way in ways):
            return
        self._record.refuse(operand, Conflict(Rule.NOT_EQUIVALENT, read=operand, value=value))
        if not self._return_allocs:
            self._record.refuse_program(
                operand,
                "is not in the buffer that the loop carries and cannot be copied into it; yield an update of the "
                "iteration argument, or set allow-return-allocs-from-loops=true",
            )

    def _copy_to_carried(self, operand: int, argument: int, result: int) -> bool:
        """Copy the yielded value into the carried buffer, if the sizes must be equal and nothing is destroyed."""
        value = self._snapshot.operand_value[operand]
        apart = self._sets.find(value) != self._sets.find(argument)
        if not apart or not keeps_size(self._effects, value, argument) or is_unranked(self._effects, value):
            return False
        attempt = self._joiner.begin((argument,), (self._live.write(operand, argument),))
        if self._joiner.decide(attempt) is not None:
            return False
        conflict = Conflict(Rule.NOT_EQUIVALENT, read=operand, value=value)
        self._record.refuse(operand, conflict, Strategy.COPY_TO_CARRIED)
        self.settle(argument, result)
        return True
