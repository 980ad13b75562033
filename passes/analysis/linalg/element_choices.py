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

Payloads as data, and their laws, are in `choice_programs.py`. No upstream counterpart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from .choice_programs import (
    COMPARE_FLOATS,
    COMPARE_INTEGERS,
    EXTREMES,
    FIRST_SIGNED,
    FIRST_UNSIGNED,
    LOGIC,
    SELECT,
    ChoiceProgram,
    Step,
    Taking,
    find_taking,
    is_any_order,
)
from .structured_op import Structured

__all__ = ["Choice", "find_choice"]

_MOST_OUTPUTS = 2
"""States are counted by a power of the outputs."""

_CASTS = ("arith.index_cast", "arith.index_castui")
_CHOOSING = frozenset({SELECT, COMPARE_FLOATS, COMPARE_INTEGERS, *LOGIC, *EXTREMES})


@frozen
class Choice:
    """How a reduction chooses.

    Attributes:
        elements: for each output the value of an iteration that is chosen, or not.
        ops: the ops of the payload that choose, in order, on accumulators and `elements`.
        ordered_by: the output whose lower value is on the left, if that matters.
        taking: a comparison that says the same as `ops` as long as iterations come in their order, if there is one.
    """

    elements: tuple[ir.Value, ...]
    ops: tuple[ir.Operation, ...]
    ordered_by: int | None = None
    taking: Taking | None = None


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
    ops, numbered = tuple(reader.ops), _numbered(structured, elements)
    taking = None if numbered is None else find_taking(program, numbered)
    if is_any_order(program, None):
        return Choice(elements, ops, taking=taking)
    if numbered is not None and is_any_order(program, numbered):
        return Choice(elements, ops, numbered, taking)
    return None


def _numbered(structured: Structured, elements: Sequence[ir.Value]) -> int | None:
    """Return the first output with the numbers of iterations, which begins with the lowest; None without one."""
    for output, element in enumerate(elements):
        if _counts_iterations(structured, element) and _starts_below(structured, output):
            return output
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
        op = defining_op(value, SELECT, *EXTREMES)
        if op is None or value not in self.dependent:
            return {value}
        chosen = list(op.operands)[1:] if op.name == SELECT else list(op.operands)
        return set[ir.Value]().union(*map(self._roots, chosen))

    def program(self, elements: Sequence[ir.Value]) -> ChoiceProgram | None:
        """Return the ops that choose as data; None if one of them does anything else. Fills `ops`."""
        outputs = range(len(elements))
        places = {value: number for number, value in enumerate((*self.accumulators, *elements))}
        if len(places) != 2 * len(elements):
            return None
        outputs_of: dict[ir.Value, int | None] = {}
        for values in (self.accumulators, elements):
            outputs_of.update(zip(values, outputs, strict=True))
        signs: dict[int, bool] = {}
        steps: list[Step] = []
        for op in self.all:
            step = self._step(op, places, outputs_of, signs)
            if step is not None:
                places[op.results[0]] = 2 * len(elements) + len(steps)
                steps.append(step)
                self.ops.append(op)
            elif op.results[0] in self.dependent:
                return None
        floats = tuple(isinstance(value.type, ir.FloatType) for value in elements)
        signed = tuple(signs.get(output) for output in outputs)
        return ChoiceProgram(floats, signed, tuple(steps), tuple(places[value] for value in self.terminator.operands))

    def _step(
        self,
        op: ir.Operation,
        places: Mapping[ir.Value, int],
        outputs: dict[ir.Value, int | None],
        signs: dict[int, bool],
    ) -> Step | None:
        """Return an op as data if it chooses; `outputs` says of which output values are, None of conditions."""
        if op.name not in _CHOOSING or any(value not in places for value in op.operands) or _is_fast(op):
            return None
        kinds = {outputs[value] for value in (list(op.operands)[1:] if op.name == SELECT else op.operands)}
        if len(kinds) != 1:
            return None
        (output,) = kinds
        is_condition = output is None
        number = 0
        if op.name == SELECT:
            if outputs[op.operands[0]] is not None:
                return None
        elif is_condition != (op.name in LOGIC):
            return None
        elif op.name in (COMPARE_FLOATS, COMPARE_INTEGERS):
            number = ir.IntegerAttr(op.attributes["predicate"]).value
        sign = _signedness(op.name, number)
        if sign is not None and output is not None and signs.setdefault(output, sign) != sign:
            return None  # two orders of the same values
        outputs[op.results[0]] = None if op.name in (COMPARE_FLOATS, COMPARE_INTEGERS) else output
        return op.name, number, tuple(places[value] for value in op.operands)


def _signedness(name: str, predicate: int) -> bool | None:
    if name == COMPARE_INTEGERS:
        return None if predicate < FIRST_SIGNED else predicate < FIRST_UNSIGNED
    return EXTREMES[name][2] if name in EXTREMES else None


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
