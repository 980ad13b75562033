"""Loops of one iteration, and their neighbours."""

from __future__ import annotations

import pytest
from analysed import context, function, operations, parse

from mlir_inplace.dialects.scf.trip_counts import runs_at_most_once

FOR = "scf.for %k = LOWER to UPPER step STEP {\n}"
VALUES = """
  %c3 = arith.constant 3 : index
  %negative = arith.constant -1 : index
  %least = arith.minsi %n, %c1 : index
  %unsigned = arith.minui %n, %c1 : index
  %most = arith.maxsi %n, %c1 : index
  %rest = affine.min affine_map<(d0) -> (d0, 1)>(%n)
  %huge = arith.constant 2000000000 : index
  %b0 = arith.constant 0 : i8
  %b100 = arith.constant 100 : i8
  %b127 = arith.constant 127 : i8
"""


def once(loop: str) -> bool:
    module = parse(function(VALUES + loop))
    found = [op for op in operations(module) if op.name in ("scf.for", "scf.forall", "scf.parallel")]
    with context():
        return runs_at_most_once(found[0])


@pytest.mark.parametrize(
    ("lower", "upper", "step"),
    [
        ("%c0", "%c1", "%c1"),
        ("%c0", "%c2", "%c4"),
        ("%c2", "%c1", "%c1"),
        ("%c2", "%c3", "%c1"),
        ("%c0", "%least", "%c1"),
        ("%c0", "%rest", "%c1"),
    ],
)
def test_one_iteration(lower: str, upper: str, step: str) -> None:
    assert once(FOR.replace("LOWER", lower).replace("UPPER", upper).replace("STEP", step))


@pytest.mark.parametrize(
    ("lower", "upper", "step"),
    [
        ("%c0", "%c2", "%c1"),
        ("%c0", "%n", "%c1"),
        ("%c0", "%c1", "%n"),
        ("%i", "%c1", "%c1"),
        ("%negative", "%c1", "%c1"),
        ("%c0", "%most", "%c1"),
        ("%c0", "%unsigned", "%c1"),
        ("%c0", "%c1", "%c0"),
        ("%huge", "%huge", "%huge"),
    ],
)
def test_perhaps_more(lower: str, upper: str, step: str) -> None:
    assert not once(FOR.replace("LOWER", lower).replace("UPPER", upper).replace("STEP", step))


@pytest.mark.parametrize(
    ("loop", "single"),
    [
        ("scf.for unsigned %k = %c0 to %c1 step %c1 {\n}", True),
        # If %n is negative, so is %least: a large number.
        ("scf.for unsigned %k = %c0 to %least step %c1 {\n}", False),
        ("scf.for %k = %b0 to %b100 step %b100 : i8 {\n}", True),
        # 200 is -56: less than 127.
        ("scf.for %k = %b100 to %b127 step %b100 : i8 {\n}", False),
        ("scf.forall (%a) in (1) {\n}", True),
        ("scf.forall (%a) in (2) {\n}", False),
        ("scf.forall (%a, %b) in (1, 1) {\n}", True),
        ("scf.forall (%a, %b) in (1, 2) {\n}", False),
        ("scf.forall (%a) in (%c1) {\n}", True),
        ("scf.forall (%a) in (%rest) {\n}", True),
        ("scf.forall (%a) in (%n) {\n}", False),
        ("scf.forall (%a, %b) = (0, %c2) to (8, %c4) step (8, 2) {\n}", True),
        ("scf.forall (%a, %b) = (0, %c2) to (8, %c4) step (8, %c1) {\n}", False),
        ("scf.parallel (%a) = (%c0) to (%c4) step (%c4) {\n}", True),
        ("scf.parallel (%a, %b) = (%c0, %c0) to (%c4, %c2) step (%c4, %c1) {\n}", False),
    ],
)
def test_loops_of_other_kinds(loop: str, single: bool) -> None:
    assert once(loop) is single
