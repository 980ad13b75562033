"""A payload like that of an argmax, as data: which comparison says the same, and where none does."""

from __future__ import annotations

import pytest
from mlir.dialects.arith import CmpFPredicate, CmpIPredicate

from mlir_inplace.passes.analysis.linalg.choice_programs import ChoiceProgram, Step, Taking, find_taking, is_any_order

# The accumulators are 0 and 1, the elements 2 and 3; 1 and 3 are numbers of iterations.
FLOATS, INTEGERS, OR, AND, SELECT = "arith.cmpf", "arith.cmpi", "arith.ori", "arith.andi", "arith.select"


def argmax(steps: tuple[Step, ...], *, floats: bool = True, signed: bool | None = None) -> ChoiceProgram:
    """A payload whose last two steps are what it yields."""
    last = 4 + len(steps)
    return ChoiceProgram((floats, False), (signed, True), steps, (last - 2, last - 1))


def of_jax(greater: CmpFPredicate, earlier: CmpIPredicate) -> ChoiceProgram:
    """JAX's: greater or NaN stays, and of equal values the one with the earlier place."""
    return argmax(
        (
            (FLOATS, greater.value, (0, 2)),
            (FLOATS, CmpFPredicate.UNE.value, (0, 0)),
            (OR, 0, (4, 5)),
            (FLOATS, CmpFPredicate.OEQ.value, (0, 2)),
            (INTEGERS, earlier.value, (1, 3)),
            (AND, 0, (7, 8)),
            (OR, 0, (6, 9)),
            (SELECT, 0, (6, 0, 2)),
            (SELECT, 0, (10, 1, 3)),
        )
    )


@pytest.mark.parametrize(
    ("program", "predicate"),
    [
        (of_jax(CmpFPredicate.OGT, CmpIPredicate.slt), CmpFPredicate.ULT),
        (of_jax(CmpFPredicate.OGT, CmpIPredicate.ult), CmpFPredicate.ULT),
        (of_jax(CmpFPredicate.OLT, CmpIPredicate.slt), CmpFPredicate.UGT),
        (of_jax(CmpFPredicate.OGT, CmpIPredicate.sgt), CmpFPredicate.ULE),
    ],
)
def test_one_comparison_of_numbers_says_what_is_taken(program: ChoiceProgram, predicate: CmpFPredicate) -> None:
    assert find_taking(program, 1) == Taking(0, predicate.value, True)


@pytest.mark.parametrize(
    ("signed", "greater", "taken"),
    [(True, CmpIPredicate.sge, CmpIPredicate.slt), (False, CmpIPredicate.uge, CmpIPredicate.ult)],
)
def test_integers_keep_their_signedness(signed: bool, greater: CmpIPredicate, taken: CmpIPredicate) -> None:
    steps: tuple[Step, ...] = ((INTEGERS, greater.value, (0, 2)), (SELECT, 0, (4, 0, 2)), (SELECT, 0, (4, 1, 3)))
    assert find_taking(argmax(steps, floats=False, signed=signed), 1) == Taking(0, taken.value, False)


def test_results_that_are_not_taken_together() -> None:
    """The greatest value, and the place of the first one that is not less than all before: there are two conditions."""
    program = argmax(
        (
            (INTEGERS, CmpIPredicate.sgt.value, (0, 2)),
            (INTEGERS, CmpIPredicate.slt.value, (0, 2)),
            (SELECT, 0, (4, 0, 2)),
            (SELECT, 0, (5, 1, 3)),
        ),
        floats=False,
        signed=True,
    )
    assert find_taking(program, 1) is None


def test_a_condition_on_places_that_is_not_their_order() -> None:
    """Values are taken where places are equal: in one lane they differ, but for the init and the first iteration."""
    program = argmax(
        ((INTEGERS, CmpIPredicate.eq.value, (1, 3)), (SELECT, 0, (4, 2, 0)), (SELECT, 0, (4, 3, 1))),
        floats=False,
        signed=True,
    )
    assert find_taking(program, 1) is None
    assert not is_any_order(program, None)
