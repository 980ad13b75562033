"""Reductions that choose one of their elements, such as an argmax: whether they may choose in any order.

The payload of such a reduction compares its accumulators with the elements of an iteration, and selects: for each
output its accumulator, or the element. A maximum with its index has two outputs. What is selected depends on how the
values of each output are ordered, and on nothing else. So a law about three of them holds if it holds for three numbers
and a NaN: every order of three values, with equal ones, is an order of some of these. `find_choice` runs the payload on
all of them, and knows then that it is commutative, associative and idempotent.

Many such payloads prefer the left of two NaN, or of two equal values, which is the first one as iterations have an
order. Then they are commutative once the operand with the lower index is the left one: for an output that is the number
of the iteration, the lower index is the earlier one.

Equal values with different bits (zeros of both signs, several NaN) count as one: which is chosen depends on the order.

The 12 states of two outputs make 144 runs, once for each payload. No upstream counterpart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from .structured_op import Structured

__all__ = ["Choice", "find_choice"]

_MOST_OUTPUTS = 2
"""States are counted by a power of the outputs."""

_Number = int | None
_NAN = None
_State = tuple[_Number, ...]

_LESS, _EQUAL, _GREATER, _UNORDERED = 1, 2, 4, 8
_ORDERED = _LESS | _EQUAL | _GREATER
_FLOAT_RELATIONS = (
    0,
    *(_EQUAL, _GREATER, _GREATER | _EQUAL, _LESS, _LESS | _EQUAL, _LESS | _GREATER, _ORDERED),
    *(kinds | _UNORDERED for kinds in (_EQUAL, _GREATER, _GREATER | _EQUAL, _LESS, _LESS | _EQUAL, _LESS | _GREATER)),
    _UNORDERED,
    _ORDERED | _UNORDERED,
)
"""For each predicate of `arith.cmpf`, in its numbering, the relations for which it is true."""
_INTEGER_RELATIONS = (
    _EQUAL,
    _LESS | _GREATER,
    *((_LESS, _LESS | _EQUAL, _GREATER, _GREATER | _EQUAL) * 2),
)
"""The same for `arith.cmpi`: equal or not, then signed, then unsigned."""
_FIRST_SIGNED, _FIRST_UNSIGNED = 2, 6

_EXTREMES: dict[str, tuple[int, bool, bool | None]] = {
    "arith.maximumf": (_GREATER, True, None),
    "arith.minimumf": (_LESS, True, None),
    "arith.maxnumf": (_GREATER, False, None),
    "arith.minnumf": (_LESS, False, None),
    "arith.maxsi": (_GREATER, False, True),
    "arith.minsi": (_LESS, False, True),
    "arith.maxui": (_GREATER, False, False),
    "arith.minui": (_LESS, False, False),
}
"""How the left operand compares with the right one if it is taken, whether NaN is taken, and the signedness."""
_LOGIC = {"arith.andi": 0b1000, "arith.ori": 0b1110, "arith.xori": 0b0110}
"""Truth tables: the bit whose number the two operands make."""
_SELECT, _COMPARE_FLOATS, _COMPARE_INTEGERS = "arith.select", "arith.cmpf", "arith.cmpi"
_CASTS = ("arith.index_cast", "arith.index_castui")
_CHOOSING = frozenset({_SELECT, _COMPARE_FLOATS, _COMPARE_INTEGERS, *_LOGIC, *_EXTREMES})

_Step = tuple[str, int, tuple[int, ...]]
"""An op: its name, a number that says what it does, and the places of its operands among the values before it."""


@frozen
class Choice:
    """How a reduction chooses.

    Attributes:
        elements: for each output the value of an iteration that is chosen, or not.
        ops: the ops of the payload that choose, in order, on accumulators and `elements`.
        ordered_by: the output whose lower value is on the left, if that matters.
    """

    elements: tuple[ir.Value, ...]
    ops: tuple[ir.Operation, ...]
    ordered_by: int | None = None


@frozen
class _Program:
    """A payload as data: accumulators come first, then elements, then a value for each step; and what is yielded."""

    floats: tuple[bool, ...]
    steps: tuple[_Step, ...]
    yielded: tuple[int, ...]


def find_choice(structured: Structured) -> Choice | None:
    """Return how the payload of a reduction chooses elements, if it may do so in any order; None otherwise."""
    if not 1 <= len(structured.outputs) <= _MOST_OUTPUTS:
        return None
    reader = _Reader(structured)
    elements = reader.elements()
    if elements is None:
        return None
    program = reader.program(elements)
    if program is None:
        return None
    ops = tuple(reader.ops)
    if _is_any_order(program, None):
        return Choice(elements, ops)
    for output, element in enumerate(elements):
        if _counts_iterations(structured, element) and _starts_below(structured, output):
            return Choice(elements, ops, output) if _is_any_order(program, output) else None
    return None


class _Reader:
    """Reads the payload of one op."""

    def __init__(self, structured: Structured) -> None:
        self.block = structured.payload
        self.accumulators = [self.block.arguments[number] for number in structured.outputs]
        self.ops: list[ir.Operation] = []
        *self.all, self.terminator = (op.operation for op in self.block.operations)
        self.dependent: set[ir.Value] = set(self.accumulators)
        for op in self.all:
            if any(value in self.dependent for value in op.operands):
                self.dependent.update(op.results)

    def elements(self) -> tuple[ir.Value, ...] | None:
        """Return for each output the value that it is chosen from besides its accumulator."""
        found: list[ir.Value] = []
        for accumulator, value in zip(self.accumulators, self.terminator.operands, strict=True):
            others = self._roots(value) - {accumulator}
            if len(others) != 1 or others & self.dependent:
                return None
            found.extend(others)
        return tuple(found)

    def _roots(self, value: ir.Value) -> set[ir.Value]:
        """Return what `value` is chosen from."""
        op = defining_op(value, _SELECT, *_EXTREMES)
        if op is None or value not in self.dependent:
            return {value}
        chosen = list(op.operands)[1:] if op.name == _SELECT else list(op.operands)
        return set[ir.Value]().union(*map(self._roots, chosen))

    def program(self, elements: Sequence[ir.Value]) -> _Program | None:
        """Return the ops that choose as data; None if one of them does anything else. Fills `ops`."""
        outputs = range(len(elements))
        places = {value: number for number, value in enumerate((*self.accumulators, *elements))}
        if len(places) != 2 * len(elements):
            return None
        outputs_of: dict[ir.Value, int | None] = {}
        for values in (self.accumulators, elements):
            outputs_of.update(zip(values, outputs, strict=True))
        signs: dict[int, bool] = {}
        steps: list[_Step] = []
        for op in self.all:
            step = self._step(op, places, outputs_of, signs)
            if step is not None:
                places[op.results[0]] = 2 * len(elements) + len(steps)
                steps.append(step)
                self.ops.append(op)
            elif op.results[0] in self.dependent:
                return None
        floats = tuple(isinstance(value.type, ir.FloatType) for value in elements)
        return _Program(floats, tuple(steps), tuple(places[value] for value in self.terminator.operands))

    def _step(
        self,
        op: ir.Operation,
        places: Mapping[ir.Value, int],
        outputs: dict[ir.Value, int | None],
        signs: dict[int, bool],
    ) -> _Step | None:
        """Return an op as data if it chooses; `outputs` says of which output values are, None of conditions."""
        if op.name not in _CHOOSING or any(value not in places for value in op.operands) or _is_fast(op):
            return None
        kinds = {outputs[value] for value in (list(op.operands)[1:] if op.name == _SELECT else op.operands)}
        if len(kinds) != 1:
            return None
        (output,) = kinds
        is_condition = output is None
        number = 0
        if op.name == _SELECT:
            if outputs[op.operands[0]] is not None:
                return None
        elif is_condition != (op.name in _LOGIC):
            return None
        elif op.name in (_COMPARE_FLOATS, _COMPARE_INTEGERS):
            number = ir.IntegerAttr(op.attributes["predicate"]).value
        sign = _signedness(op.name, number)
        if sign is not None and output is not None and signs.setdefault(output, sign) != sign:
            return None  # two orders of the same values
        outputs[op.results[0]] = None if op.name in (_COMPARE_FLOATS, _COMPARE_INTEGERS) else output
        return op.name, number, tuple(places[value] for value in op.operands)


def _signedness(name: str, predicate: int) -> bool | None:
    if name == _COMPARE_INTEGERS:
        return None if predicate < _FIRST_SIGNED else predicate < _FIRST_UNSIGNED
    return _EXTREMES[name][2] if name in _EXTREMES else None


def _is_fast(op: ir.Operation) -> bool:
    """Whether a flag excludes values: an order of their own compares others."""
    return "fastmath" in op.attributes and "none" not in str(op.attributes["fastmath"])


def _counts_iterations(structured: Structured, element: ir.Value) -> bool:
    """Whether `element` is the number of the iteration, in the only loop that reduces."""
    op = defining_op(element, *_CASTS, "linalg.index")
    if op is not None and op.name != "linalg.index":
        width = getattr(element.type, "width", 64)
        loop = structured.reduction_loops[0]
        size = structured.sizes[loop]
        if size is None or size > 1 << (width - 1):
            return False
        op = defining_op(op.operands[0], "linalg.index")
    if op is None or len(structured.reduction_loops) != 1:
        return False
    return ir.IntegerAttr(op.attributes["dim"]).value == structured.reduction_loops[0]


def _starts_below(structured: Structured, output: int) -> bool:
    """Whether the init of an output is 0, the lowest number of an iteration."""
    fill = defining_op(structured.op.operands[structured.inputs + output], "linalg.fill")
    constant = defining_op(fill.operands[0], "arith.constant") if fill else None
    return constant is not None and ir.IntegerAttr(constant.attributes["value"]).value == 0


def _relation(left: _Number, right: _Number) -> int:
    if left is None or right is None:
        return _UNORDERED
    return _LESS if left < right else _EQUAL if left == right else _GREATER


def _extreme(name: str, left: _Number, right: _Number) -> _Number:
    taken, takes_nan, _ = _EXTREMES[name]
    relation = _relation(left, right)
    if relation == _UNORDERED:
        return _NAN if takes_nan else left if right is _NAN else right
    return left if relation == taken else right


def _run(program: _Program, left: _State, right: _State) -> _State:
    """Return what the payload chooses between an accumulator and an element."""
    values: list[_Number] = [*left, *right]
    for name, number, places in program.steps:
        operands = [values[place] for place in places]
        if name == _SELECT:
            values.append(operands[1] if operands[0] else operands[2])
        elif name in _LOGIC:
            first, second = operands
            values.append(_LOGIC[name] >> (2 * (first or 0) + (second or 0)) & 1)
        elif name in _EXTREMES:
            values.append(_extreme(name, *operands))
        else:
            relations = _FLOAT_RELATIONS if name == _COMPARE_FLOATS else _INTEGER_RELATIONS
            values.append(int(bool(relations[number] & _relation(*operands))))
    return tuple(values[place] for place in program.yielded)


@lru_cache(maxsize=64)
def _is_any_order(program: _Program, ordered_by: int | None) -> bool:
    """Whether a payload is commutative, associative and idempotent, its left operand having the lower `ordered_by`."""
    states: list[_State] = list(product(*([1, 2, 3, _NAN] if is_float else [1, 2, 3] for is_float in program.floats)))

    def rank(state: _State) -> int:
        return 0 if ordered_by is None else state[ordered_by] or 0

    chosen: dict[tuple[_State, _State], _State] = {
        (left, right): _run(program, *((left, right) if rank(left) <= rank(right) else (right, left)))
        for left, right in product(states, repeat=2)
    }
    choose: Callable[[_State, _State], _State] = lambda left, right: chosen[left, right]  # noqa: E731
    return (
        all(choose(one, one) == one for one in states)
        and all(choose(one, two) == choose(two, one) for one, two in product(states, repeat=2))
        and all(
            choose(choose(one, two), three) == choose(one, choose(two, three))
            for one, two, three in product(states, repeat=3)
        )
    )
