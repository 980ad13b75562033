"""Where a tensor was computed: from a result to the init it is *tied* to, and on up to the top destination.

A result and its tied init have the same sizes when the program runs, whatever their contents are. The ties are those
of the op models: an operand whose buffer the result certainly is (``aliasing_values``); for a region op, what all of
its ``forwardings`` to the result lead back to, such as the initial value of a loop that yields what it computed in its
argument. One implementation for every op that has a model.

Counterpart upstream: ``DestinationStyleOpInterface::getTiedOpOperand``, ``LoopLikeOpInterface::getTiedLoopInit``.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from .bufferizable import Forwarding, Relation, is_tensor
from .registry import find_model
from .support.defining_ops import is_inside

__all__ = ["Destinations", "tied_operands"]


def tied_operands(op: ir.Operation) -> dict[int, int]:
    """Return the operand that each result of ``op`` is tied to: its buffer, certainly and completely.

    A result is missing if there is no model, no such operand, or more than one. Asks the model once per operand.
    """
    model = find_model(op.name)
    if model is None:
        return {}
    ties: dict[int, list[int]] = {}
    for number, value in enumerate(op.operands):
        if not is_tensor(value.type):
            continue
        for alias in model.aliasing_values(op, number):
            same = alias.definite and alias.relation is Relation.EQUIVALENT
            # What is not such a tie still tells that the buffer may be another one.
            ties.setdefault(alias.result, []).append(number if same else -1)
    return {result: found[0] for result, found in ties.items() if len(found) == 1 and found[0] >= 0}


@dataclass(frozen=True)
class _Feeding:
    """What is forwarded to the results and arguments of a region op, and where its regions begin and end."""

    results: dict[int, list[Forwarding]]
    arguments: dict[tuple[int, int], list[Forwarding]]
    blocks: dict[ir.Block, int]
    yielded: dict[int, list[ir.Value]]


class Destinations:
    """Ties followed through a program, each value once. Valid as long as operands keep leading to the same tops.

    Asked in program order the cost is constant per value; in any order it is linear in what is walked.
    """

    def __init__(self) -> None:
        self._tops: dict[ir.Value, dict[ir.Type, ir.Value]] = {}
        """For a value, the topmost value of each type on the way up; casts are ties to values of other types."""
        self._operands: dict[ir.Value, dict[int, int]] = {}
        """The tied operands of an op, by its first result."""
        self._feeding: dict[ir.Value, _Feeding] = {}

    def tied(self, value: ir.Value) -> ir.Value | None:
        """Return the init that ``value`` is tied to, one op up; None for arguments of blocks and what has no init."""
        owner = value.owner
        if isinstance(owner, ir.Block) or not is_tensor(value.type):
            return None
        op, number = owner.operation, ir.OpResult(value).result_number
        first = value if number == 0 else op.results[0]
        if first not in self._operands:
            self._operands[first] = tied_operands(op)
        operand = self._operands[first].get(number)
        if operand is not None:
            return op.operands[operand]
        if not len(op.regions):
            return None
        if first not in self._feeding:
            self._feeding[first] = _feeding(op)
        return self._tied_by_regions(op, number, self._feeding[first])

    def top(self, value: ir.Value) -> ir.Value:
        """Return the topmost value of the type of ``value`` that ties lead up to, maybe ``value`` itself."""
        path: list[ir.Value] = []
        current: ir.Value | None = value
        while current is not None and current not in self._tops:
            path.append(current)
            current = self.tied(current)
        tops = self._tops[current] if current is not None else {}
        for step in reversed(path):
            if step.type not in tops:
                tops = {**tops, step.type: step}
            self._tops[step] = tops
        return self._tops[value][value.type]

    def _tied_by_regions(self, op: ir.Operation, result: int, feeding: _Feeding) -> ir.Value | None:
        """Return the one value from outside of ``op`` that everything forwarded to ``result`` was computed in.

        By induction over the runs of the regions all arguments and results on the way have its sizes.
        """
        found: dict[ir.Value, ir.Value] = {}
        seen: set[tuple[int, int]] = set()
        work = list(feeding.results.get(result, ()))
        type_ = op.results[result].type
        while work:
            forwarding = work.pop()
            if forwarding.region is None:
                source = op.operands[forwarding.operand]
                found.setdefault(self.top(source), source)
                continue
            yielded = feeding.yielded[forwarding.region]
            if forwarding.operand >= len(yielded) or yielded[forwarding.operand].type != type_:
                return None
            top = self.top(yielded[forwarding.operand])
            owner = top.owner
            if isinstance(owner, ir.Block) and owner in feeding.blocks:
                argument = feeding.blocks[owner], ir.BlockArgument(top).arg_number
                if argument not in feeding.arguments:
                    return None
                if argument not in seen:
                    seen.add(argument)
                    work += feeding.arguments[argument]
            elif is_inside(top, op):
                return None
            else:
                found.setdefault(top, top)
        values = list(found.values())
        return values[0] if len(values) == 1 and values[0].type == type_ else None


def _feeding(op: ir.Operation) -> _Feeding:
    """Read the forwardings of ``op``; none if a region has several blocks: what leaves it is not known then."""
    feeding = _Feeding({}, {}, {}, {})
    model = find_model(op.name)
    if model is None or any(len(region.blocks) != 1 for region in op.regions):
        return feeding
    for forwarding in model.forwardings(op):
        for result in forwarding.results:
            feeding.results.setdefault(result, []).append(forwarding)
        for argument in forwarding.arguments:
            feeding.arguments.setdefault(argument, []).append(forwarding)
    if feeding.results:
        for number, region in enumerate(op.regions):
            feeding.blocks[region.blocks[0]] = number
            feeding.yielded[number] = list(list(region.blocks[0].operations)[-1].operation.operands)
    return feeding
