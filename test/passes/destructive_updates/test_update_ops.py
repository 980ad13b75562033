"""Updates by vectors and by ops that compute the whole tensor, and in `scf.while`: stores, with the values of NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from test_update_refusals import rules
from updates.accepted_updates import Accepted, accepted, check
from updates.update_programs import FIRST, SECOND, STORE, Array, function, keep, loop, run, transformed, until

import mlir_inplace as mi
from mlir_inplace.passes.analysis.destructive_updates.outcomes import RewriteRule

BOX = "{in_bounds = [true]} : !t, vector<2xf64>"
WRITE = "%n = vector.transfer_write %z, %a[%i] {in_bounds = [true]} : vector<2xf64>, !t\nscf.yield %n : !t"
PAIRS = "%c0 to %c8 step %c2"

VECTORS = (
    accepted(
        "vectors of its own",
        loop(f"%v = vector.transfer_read %a[%i], %zero {BOX}\n%z = arith.addf %v, %v : vector<2xf64>\n{WRITE}", PAIRS)
        + STORE,
        FIRST * 2,
        access="writeonly",
    ),
    accepted(
        "vectors that were written before",
        loop(
            f"%v = vector.transfer_read %a[%c0], %zero {BOX}\n%x = vector.transfer_read %a[%i], %zero {BOX}\n"
            f"%z = arith.addf %v, %x : vector<2xf64>\n{WRITE}",
            PAIRS,
        )
        + STORE,
        np.r_[2.0, 4.0, FIRST[2:] + np.tile([2.0, 4.0], 3)],
    ),
    accepted(
        "a vector outside of any loop",
        f"%v = vector.transfer_read %t[%c2], %zero {BOX}\n"
        "%r = vector.transfer_write %v, %t[%c5] {in_bounds = [true]} : vector<2xf64>, !t\n" + STORE,
        np.r_[FIRST[:5], FIRST[2:4], FIRST[7:]],
        hides="vector<2xf64>, tensor<8xf64>",
    ),
)

ADD = "linalg.add ins(%{0}, %{1} : !t, !t) outs(%{2} : !t) -> !t"
SUMMED = """
  %m = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
                       iterator_types = ["parallel"]} ins(%u : !t) outs(%a : !t) {
  ^bb0(%x: f64, %y: f64):
    %z = arith.addf %x, %y : f64
    linalg.yield %z : f64
  } -> !t
  scf.yield %m : !t
"""
FILLED_FIRST = """
  %m = linalg.fill ins(%g : f64) outs(%a : !t) -> !t
  %n = tensor.insert %f into %m[%i] : !t
  scf.yield %n : !t
"""

WHOLES = (
    accepted("a sum that needs what is there", loop(SUMMED) + STORE, FIRST + 8 * SECOND),
    accepted(
        "a fill that needs nothing",
        loop(FILLED_FIRST) + STORE,
        np.r_[np.full(7, 60.0), 50.0],
        access="writeonly",
    ),
    accepted("a fill of what can be loaded", loop(FILLED_FIRST) + STORE, np.r_[np.full(7, 60.0), 50.0]),
    accepted(
        "on a condition",
        loop(
            f"%p = arith.cmpi uge, %i, %c5 : index\n%q = scf.if %p -> (!t) {{{SUMMED}}} else {{\n"
            "scf.yield %a : !t\n}\nscf.yield %q : !t"
        )
        + STORE,
        FIRST + 3 * SECOND,
    ),
    accepted(
        "two results of one op",
        """
        %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t, %b = %u) -> (!t, !t) {
          %m:2 = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
                                 iterator_types = ["parallel"]} outs(%a, %b : !t, !t) {
          ^bb0(%x: f64, %y: f64):
            %z = arith.addf %x, %y : f64
            linalg.yield %z, %y : f64, f64
          } -> (!t, !t)
          scf.yield %m#0, %m#1 : !t, !t
        }
        %kept = tensor.extract %r#1[%c0] : !t
        """
        + STORE.replace("%r,", "%r#0,")
        + keep("%kept")
        .replace("%kept =", "%k1 =")
        .replace("%kept,", "%k1,")
        .replace("from_elements %k1", "from_elements %kept"),
        FIRST + 8 * SECOND,
        hides="-> (tensor<8xf64>, tensor<8xf64>) {",
    ),
)

SWAPPED = """
  %last, %r = scf.while (%a = %t, %k = %c0) : (!t, index) -> (index, !t) {
    %e = tensor.extract %a[%c0] : !t
    %y = arith.addf %e, %f : f64
    %b = tensor.insert %y into %a[%c0] : !t
    %p = arith.cmpi ult, %k, %c7 : index
    scf.condition(%p) %k, %b : index, !t
  } do {
  ^bb0(%i: index, %h: !t):
    %j = arith.addi %i, %c1 : index
    %v = tensor.extract %h[%i] : !t
    %n = tensor.insert %v into %h[%j] : !t
    scf.yield %n, %j : !t, index
  }
"""


def swapped() -> Array:
    values = FIRST.copy()
    for k in range(8):
        values[0] += 50
        if k < 7:
            values[k + 1] = values[k]
    return values


REPEATED = (
    accepted(
        "as long as",
        until("%e = tensor.extract %h[%i] : !t\n%z = arith.addf %e, %f : f64\n%n = tensor.insert %z into %h[%i] : !t")
        + STORE,
        FIRST + 50,
        hides="(tensor<8xf64>, index)",
    ),
    accepted("in both blocks, at different places", SWAPPED + STORE, swapped(), hides="tensor<8xf64>, index)"),
    accepted(
        "a loop in it",
        until(
            "%n = scf.for %x = %c0 to %i step %c1 iter_args(%q = %h) -> (!t) {\n"
            "%m = tensor.insert %f into %q[%x] : !t\nscf.yield %m : !t\n}"
        )
        + STORE,
        np.r_[np.full(7, 50.0), 8.0],
    ),
)

ACCEPTED = VECTORS + WHOLES + REPEATED


@pytest.mark.parametrize("case", ACCEPTED, ids=str)
def test_stores_of_updates(case: Accepted) -> None:
    check(case)


def test_what_is_computed_from_what_is_there_needs_a_load() -> None:
    text = function(loop(SUMMED) + STORE, "writeonly")
    assert rules(text) == [RewriteRule.READS_TARGET]
    before, after = transformed(text)
    assert before == after
    np.testing.assert_array_equal(run(text)[0], FIRST + 8 * SECOND)


COLUMNS = """
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4x3xf64>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<2x4x3xf64>>
  %t = dispatch.load %in : !dispatch.readonly<tensor<4x3xf64>> -> tensor<4x3xf64>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %t) -> (tensor<4x3xf64>) {
    %v = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true], permutation_map = affine_map<(r, c) -> (r)>}
      : tensor<4x3xf64>, vector<4xf64>
    %w = vector.transfer_read %a[%c0, %i], %zero {in_bounds = [true], permutation_map = affine_map<(r, c) -> (r)>}
      : tensor<4x3xf64>, vector<4xf64>
    %z = arith.addf %v, %w : vector<4xf64>
    %n = vector.transfer_write %z, %a[%c0, %i] {in_bounds = [true], permutation_map = affine_map<(r, c) -> (r)>}
      : vector<4xf64>, tensor<4x3xf64>
    scf.yield %n : tensor<4x3xf64>
  }
  dispatch.store %r, %out[1, 0, 0] [1, 4, 3] [1, 1, 1] : tensor<4x3xf64> -> !dispatch.readwrite<tensor<2x4x3xf64>>
  return
}
"""


def test_columns_of_a_part() -> None:
    before, after = transformed(COLUMNS)
    assert "iter_args" not in after
    source = np.arange(1.0, 13).reshape(4, 3)
    for program in (before, after):
        target = np.zeros((2, 4, 3))
        mi.compile(program, opt_level=0).main(source, target)
        wanted = source.copy()
        for i in range(3):
            wanted[:, i] += wanted[:, 0]
        np.testing.assert_array_equal(target, [np.zeros((4, 3)), wanted])
