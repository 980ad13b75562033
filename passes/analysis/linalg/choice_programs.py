"""Payloads that choose elements, as data: what they choose, the laws of that, and a shorter way to say it.

A program (`ChoiceProgram`) has the accumulators, the elements of an iteration, and steps that compare and select. It is
run on numbers that stand for all orders that three values can have (`element_choices.py` says why that is enough).

In one lane the iterations come in their order, so that what is there has a lower number than what comes. With that
known, most of a payload like that of an argmax says one thing: whether the elements are taken (`find_taking`). All
pairs of states tell whether a comparison says the same.

The 12 states of two outputs make 144 runs, and three times as many choices of two results, once for each payload. No
upstream counterpart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product

from ....dialects.support.frozen_classes import frozen

__all__ = [
    "COMPARE_FLOATS",
    "COMPARE_INTEGERS",
    "EXTREMES",
    "FIRST_SIGNED",
    "FIRST_UNSIGNED",
    "LOGIC",
    "SELECT",
    "ChoiceProgram",
    "Step",
    "Taking",
    "find_taking",
    "is_any_order",
]

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
FIRST_SIGNED, FIRST_UNSIGNED = 2, 6

EXTREMES: dict[str, tuple[int, bool, bool | None]] = {
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
LOGIC = {"arith.andi": 0b1000, "arith.ori": 0b1110, "arith.xori": 0b0110}
"""Truth tables: the bit whose number the two operands make."""
SELECT, COMPARE_FLOATS, COMPARE_INTEGERS = "arith.select", "arith.cmpf", "arith.cmpi"

Step = tuple[str, int, tuple[int, ...]]
"""An op: its name, a number that says what it does, and the places of its operands among the values before it."""


@frozen
class ChoiceProgram:
    """A payload as data: accumulators come first, then elements, then a value for each step; and what is yielded.

    `floats` and `signed` say of each output whether its values are floats, and how they are compared if it is known.
    """

    floats: tuple[bool, ...]
    signed: tuple[bool | None, ...]
    steps: tuple[Step, ...]
    yielded: tuple[int, ...]


@frozen
class Taking:
    """When all elements of an iteration are taken: if the accumulator of an output compares so with its element.

    `only_numbers`: not where that accumulator is NaN.
    """

    output: int
    predicate: int
    only_numbers: bool


def _relation(left: _Number, right: _Number) -> int:
    if left is None or right is None:
        return _UNORDERED
    return _LESS if left < right else _EQUAL if left == right else _GREATER


def _extreme(name: str, left: _Number, right: _Number) -> _Number:
    taken, takes_nan, _ = EXTREMES[name]
    relation = _relation(left, right)
    if relation == _UNORDERED:
        return _NAN if takes_nan else left if right is _NAN else right
    return left if relation == taken else right


def _run(program: ChoiceProgram, left: _State, right: _State) -> _State:
    """Return what the payload chooses between an accumulator and an element."""
    values: list[_Number] = [*left, *right]
    for name, number, places in program.steps:
        operands = [values[place] for place in places]
        if name == SELECT:
            values.append(operands[1] if operands[0] else operands[2])
        elif name in LOGIC:
            first, second = operands
            values.append(LOGIC[name] >> (2 * (first or 0) + (second or 0)) & 1)
        elif name in EXTREMES:
            values.append(_extreme(name, *operands))
        else:
            values.append(int(_holds(name == COMPARE_FLOATS, number, *operands)))
    return tuple(values[place] for place in program.yielded)


def _states(program: ChoiceProgram) -> list[_State]:
    return list(product(*([1, 2, 3, _NAN] if is_float else [1, 2, 3] for is_float in program.floats)))


def _holds(is_float: bool, predicate: int, left: _Number, right: _Number) -> bool:
    relations = _FLOAT_RELATIONS if is_float else _INTEGER_RELATIONS
    return bool(relations[predicate] & _relation(left, right))


@lru_cache(maxsize=64)
def is_any_order(program: ChoiceProgram, ordered_by: int | None) -> bool:
    """Whether a payload is commutative, associative and idempotent, its left operand having the lower `ordered_by`."""
    states = _states(program)

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


@lru_cache(maxsize=64)
def find_taking(program: ChoiceProgram, numbered: int) -> Taking | None:
    """Return when a payload takes its elements, if no accumulator has a higher number than they; None otherwise.

    `numbered` is the output with the numbers.
    """
    pairs = [(left, right) for left, right in product(_states(program), repeat=2) if _is_before(left, right, numbered)]
    chosen = [(left, right, _run(program, left, right)) for left, right in pairs]
    for taking in _takings(program, numbered):
        if all(result == (right if _takes(program, taking, left, right) else left) for left, right, result in chosen):
            return taking
    return None


def _is_before(left: _State, right: _State, numbered: int) -> bool:
    return (left[numbered] or 0) <= (right[numbered] or 0)


def _takings(program: ChoiceProgram, numbered: int) -> Iterator[Taking]:
    """Yield what may say the same as a payload, the shortest first."""
    for only_numbers in (False, True):
        for output, (is_float, signed) in enumerate(zip(program.floats, program.signed, strict=True)):
            if output == numbered or (only_numbers and not is_float):
                continue
            both = range(FIRST_SIGNED)
            ordered = range(FIRST_SIGNED, FIRST_UNSIGNED) if signed else range(FIRST_UNSIGNED, len(_INTEGER_RELATIONS))
            predicates = range(len(_FLOAT_RELATIONS)) if is_float else (*both, *(ordered if signed is not None else ()))
            yield from (Taking(output, predicate, only_numbers) for predicate in predicates)


def _takes(program: ChoiceProgram, taking: Taking, left: _State, right: _State) -> bool:
    one, other = left[taking.output], right[taking.output]
    if taking.only_numbers and one is _NAN:
        return False
    return _holds(program.floats[taking.output], taking.predicate, one, other)
