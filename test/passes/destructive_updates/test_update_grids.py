"""Workgroups that update one tensor together: what each reads in the target must not be what others store there."""

from __future__ import annotations

import numpy as np
import pytest
from test_update_refusals import rules
from updates.forced_stores import ID, SUMS, ZEROS
from updates.update_programs import FIRST, SECOND, STORE, TARGET, function, run, transformed

from mlir_inplace.passes.analysis.destructive_updates.outcomes import RewriteRule

COUNT = "%n0 = dispatch.workgroup_count 0 : index\n"
EMPTY = "%z = tensor.empty() : !t\n"


def distributed(text: str) -> str:
    """Each workgroup has its own of the elements that the loops over %i go through."""
    return text.replace("%i = %c0 to %c8 step %c1", "%i = %g0 to %c8 step %n0")


@pytest.mark.parametrize("grid", [1, 2, 3, 8])
def test_each_workgroup_adds_up_in_elements_of_its_own(grid: int) -> None:
    text = function(ID + COUNT + EMPTY + distributed(ZEROS + SUMS) + STORE)
    after = transformed(text)[1]
    assert "iter_args" not in after
    np.testing.assert_array_equal(run(after, grid)[0], np.full(8, SECOND.sum()))
    np.testing.assert_array_equal(run(text, 1)[0], np.full(8, SECOND.sum()))


def test_one_element_too_many_is_shared() -> None:
    text = function(ID + COUNT + EMPTY + distributed(ZEROS) + SUMS + STORE)
    assert rules(text) == [RewriteRule.GRID_READS]


@pytest.mark.parametrize("grid", [1, 2, 4])
def test_parts_of_their_own(grid: int) -> None:
    body = """
      %at = arith.muli %g0, %c2 : index
      %h = dispatch.load %in[%at] [2] [1] : !dispatch.readonly<!t> -> tensor<2xf64>
      %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %h) -> (tensor<2xf64>) {
        %e = tensor.extract %u[%k] : !t
        %x = tensor.extract %a[%c1] : tensor<2xf64>
        %y = arith.addf %x, %e : f64
        %n = tensor.insert %y into %a[%c1] : tensor<2xf64>
        scf.yield %n : tensor<2xf64>
      }
      dispatch.store %r, %out[%at] [2] [1] : tensor<2xf64> -> !o
    """
    text = function(ID + body)
    after = transformed(text)[1]
    assert "iter_args" not in after
    wanted = np.where(np.arange(8) < 2 * grid, FIRST + SECOND.sum() * (np.arange(8) % 2), TARGET)
    for program in (text, after):
        np.testing.assert_array_equal(run(program, grid)[0], wanted)
    assert rules(function(ID + body.replace("%g0, %c2", "%g0, %c1"))) == [RewriteRule.GRID_READS]


REPEATED = """
  %at = arith.addi %x, %g0 : index
  %o = dispatch.load %out : !o -> !t
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %o) -> (!t) {
    %v = tensor.extract %a[%at] : !t
    %y = arith.addf %v, %f : f64
    %n = tensor.insert %y into %a[%at] : !t
    scf.yield %n : !t
  }
"""
LOADED = """
  %tile = dispatch.load %second[%g0] [1] [1] : !dispatch.readonly<!t> -> tensor<1xf64>
  %number = tensor.extract %tile[%c0] : tensor<1xf64>
  %integer = arith.fptoui %number : f64 to i64
  %x = arith.index_cast %integer : i64 to index
"""


def test_a_number_from_memory_differs_between_workgroups() -> None:
    same = ID + "%x = dispatch.push_constant 0 : index\n"
    assert rules(function(same + REPEATED + STORE)) == []
    assert rules(function(ID + LOADED + REPEATED + STORE)) == [RewriteRule.GRID_READS]
