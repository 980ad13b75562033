"""Loops of one thread, and their neighbours."""

from __future__ import annotations

import pytest
from analysed import context, function, operations, parse

from mlir_inplace.dialects.scf.trip_counts import has_one_thread

VALUES = """
  %c3 = arith.constant 3 : index
  %negative = arith.constant -1 : index
  %least = arith.minsi %n, %c1 : index
  %unsigned = arith.minui %n, %c1 : index
  %most = arith.maxsi %n, %c1 : index
  %rest = affine.min affine_map<(d0) -> (d0, 1)>(%n)
  %huge = arith.constant 2000000000 : index
"""


def once(indices: str, bounds: str) -> bool:
    module = parse(function(f"{VALUES}scf.forall ({indices}) {bounds} {{\n}}"))
    (found,) = [op for op in operations(module) if op.name == "scf.forall"]
    with context():
        return has_one_thread(found)


@pytest.mark.parametrize(
    "bounds",
    [
        "in (1)",
        "in (0)",
        "in (%c1)",
        "in (%least)",
        "in (%rest)",
        "= (0) to (2) step (4)",
        "= (2) to (1) step (1)",
        "= (%c2) to (%c3) step (%c1)",
    ],
)
def test_one_thread(bounds: str) -> None:
    assert once("%a", bounds)


@pytest.mark.parametrize(
    "bounds",
    [
        "in (2)",
        "in (%n)",
        "in (%most)",
        "in (%unsigned)",
        "= (0) to (1) step (%n)",
        "= (%i) to (1) step (1)",
        "= (%negative) to (%c1) step (1)",
        "= (0) to (%c1) step (%c0)",
        "= (%huge) to (%huge) step (%huge)",
    ],
)
def test_perhaps_more(bounds: str) -> None:
    assert not once("%a", bounds)


def test_all_dimensions_count() -> None:
    assert once("%a, %b", "in (1, 1)")
    assert not once("%a, %b", "in (1, 2)")
    assert once("%a, %b", "= (0, %c2) to (8, %c4) step (8, 2)")
    assert not once("%a, %b", "= (0, %c2) to (8, %c4) step (8, %c1)")
