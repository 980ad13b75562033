"""Updates that become stores of slices: the values before and after are those of NumPy, and nothing is carried."""

from __future__ import annotations

import numpy as np
import pytest
from updates.accepted_updates import Accepted, accepted, check
from updates.forced_updates import BACKWARDS, SLICE
from updates.update_programs import FIRST, SECOND, STORE, TARGET, keep, threads, transformed

import mlir_inplace as mi

ELEMENT = "tensor<1xf64>"
TWICE = f"%old = tensor.extract_slice %a[%i] [1] [1] : !t to {ELEMENT}\n" + (
    f"%s = linalg.add ins(%old, %old : {ELEMENT}, {ELEMENT}) outs(%old : {ELEMENT}) -> {ELEMENT}"
)
TILES = """
  #rest = affine_map<(i) -> (3, 8 - i)>
""".strip()


def with_maps(case: Accepted, maps: str) -> Accepted:
    return Accepted(case.name, f"{maps}\n{case.text}", case.output, case.hides, case.grids)


THREADS = (
    accepted("elements of their own", threads(TWICE) + STORE, FIRST * 2, access="writeonly", hides="shared_outs"),
    accepted(
        "elements of other threads, as they were",
        threads(BACKWARDS + SLICE.format("%a", "%back")) + STORE,
        FIRST[::-1].copy(),
        hides="shared_outs",
    ),
    with_maps(
        accepted(
            "tiles with a rest",
            """
            %r = scf.forall (%i) = (0) to (8) step (3) shared_outs(%a = %t) -> (!t) {
              %w = affine.min #rest(%i)
              %s = tensor.extract_slice %u[%i] [%w] [1] : !t to tensor<?xf64>
              scf.forall.in_parallel {
                tensor.parallel_insert_slice %s into %a[%i] [%w] [1] : tensor<?xf64> into !t
              }
            }
            """
            + STORE,
            SECOND,
            access="writeonly",
            hides="shared_outs",
        ),
        TILES,
    ),
    accepted(
        "some elements only",
        threads("%p = arith.constant 0 : index\n" + SLICE.format("%u", "%p")).replace("in (8)", "in (3)") + STORE,
        np.r_[10.0, 10.0, 10.0, FIRST[3:]],
        hides="shared_outs",
    ),
    accepted(
        "again and again",
        """
        %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%b = %t) -> (!t) {
          %v = tensor.extract_slice %u[%k] [1] [1] : !t to tensor<1xf64>
          %q = scf.forall (%i) in (8) shared_outs(%a = %b) -> (!t) {
            %old = tensor.extract_slice %a[%i] [1] [1] : !t to tensor<1xf64>
            %s = linalg.add ins(%old, %v : tensor<1xf64>, tensor<1xf64>) outs(%old : tensor<1xf64>) -> tensor<1xf64>
            scf.forall.in_parallel {
              tensor.parallel_insert_slice %s into %a[%i] [1] [1] : tensor<1xf64> into !t
            }
          }
          scf.yield %q : !t
        }
        """
        + STORE,
        FIRST + SECOND.sum(),
    ),
    accepted(
        "two outputs of which one is stored",
        """
        %e = tensor.empty() : !t
        %r, %copy = scf.forall (%i) in (8) shared_outs(%a = %t, %b = %e) -> (!t, !t) {
          %s = tensor.extract_slice %u[%i] [1] [1] : !t to tensor<1xf64>
          %o = tensor.extract_slice %t[%i] [1] [1] : !t to tensor<1xf64>
          scf.forall.in_parallel {
            tensor.parallel_insert_slice %s into %a[%i] [1] [1] : tensor<1xf64> into !t
            tensor.parallel_insert_slice %o into %b[%i] [1] [1] : tensor<1xf64> into !t
          }
        }
        %first = tensor.extract %copy[%c0] : !t
        """
        + keep("%first")
        + STORE,
        SECOND,
        hides="(tensor<8xf64>, tensor<8xf64>)",
    ),
)

HALF = "tensor<4xf64>"
PARTS = (
    accepted(
        "half of a binding",
        f"""
        %h = tensor.extract_slice %t[4] [4] [1] : !t to {HALF}
        %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %h) -> ({HALF}) {{
          %n = tensor.insert %f into %a[%i] : {HALF}
          scf.yield %n : {HALF}
        }}
        dispatch.store %r, %out[%c4] [4] [1] : {HALF} -> !o
        """,
        np.r_[TARGET[:4], np.full(4, 50.0)],
        access="writeonly",
    ),
    accepted(
        "every other element of every other element",
        f"""
        %h = dispatch.load %in[%c1] [4] [2] : !dispatch.readonly<!t> -> {HALF}
        %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %h) -> ({HALF}) {{
          %s = tensor.extract_slice %a[%i] [2] [2] : {HALF} to tensor<2xf64>
          %d = linalg.add ins(%s, %s : tensor<2xf64>, tensor<2xf64>) outs(%s : tensor<2xf64>) -> tensor<2xf64>
          %n = tensor.insert_slice %d into %a[%i] [2] [2] : tensor<2xf64> into {HALF}
          scf.yield %n : {HALF}
        }}
        dispatch.store %r, %out[%c1] [4] [2] : {HALF} -> !o
        """,
        np.where(np.arange(8) % 2, FIRST * 2, TARGET),
        access="writeonly",
    ),
    accepted(
        "places that are computed afterwards",
        f"""
        %h = dispatch.load %in[%c1] [4] [2] : !dispatch.readonly<!t> -> {HALF}
        %k = dispatch.load %second[%c0] [4] [1] : !dispatch.readonly<!t> -> {HALF}
        %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %h, %b = %k) -> ({HALF}, {HALF}) {{
          %n = tensor.insert %f into %a[%i] : {HALF}
          %m = tensor.insert %g into %b[%i] : {HALF}
          scf.yield %n, %m : {HALF}, {HALF}
        }}
        %zero_at = arith.subi %c1, %c1 : index
        %four = arith.addi %zero_at, %c4 : index
        dispatch.store %r#1, %out[%four] [4] [1] : {HALF} -> !o
        dispatch.store %r#0, %out[%zero_at] [4] [1] : {HALF} -> !o
        """,
        np.repeat([50.0, 60.0], 4),
        access="writeonly",
    ),
    accepted(
        "what lies elsewhere in the same memory",
        f"""
        %h = dispatch.load %out[0] [4] [1] : !o -> {HALF}
        %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %h) -> ({HALF}) {{
          %back = arith.subi %c3, %i : index
          %e = tensor.extract %a[%i] : {HALF}
          %z = arith.addf %e, %f : f64
          %n = tensor.insert %z into %a[%i] : {HALF}
          scf.yield %n : {HALF}
        }}
        dispatch.store %r, %out[2] [4] [1] : {HALF} -> !o
        """,
        np.r_[TARGET[:2], TARGET[:4] + 50, TARGET[6:]],
    ),
    accepted(
        "two halves at a time",
        f"""
        %h = dispatch.load %out[0] [4] [1] : !o -> {HALF}
        %k = dispatch.load %out[4] [4] [1] : !o -> {HALF}
        %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %h, %b = %k) -> ({HALF}, {HALF}) {{
          %n = tensor.insert %f into %a[%i] : {HALF}
          %m = tensor.insert %g into %b[%i] : {HALF}
          scf.yield %n, %m : {HALF}, {HALF}
        }}
        dispatch.store %r#0, %out[0] [4] [1] : {HALF} -> !o
        dispatch.store %r#1, %out[4] [4] [1] : {HALF} -> !o
        """,
        np.repeat([50.0, 60.0], 4),
    ),
    accepted(
        "tiles of tiles",
        f"""
        %r = scf.for %i = %c0 to %c8 step %c4 iter_args(%a = %t) -> (!t) {{
          %h = tensor.extract_slice %a[%i] [4] [1] : !t to {HALF}
          %q = scf.for %j = %c0 to %c4 step %c2 iter_args(%b = %h) -> ({HALF}) {{
            %s = tensor.extract_slice %b[%j] [2] [1] : {HALF} to tensor<2xf64>
            %d = linalg.add ins(%s, %s : tensor<2xf64>, tensor<2xf64>) outs(%s : tensor<2xf64>) -> tensor<2xf64>
            %n = tensor.insert_slice %d into %b[%j] [2] [1] : tensor<2xf64> into {HALF}
            scf.yield %n : {HALF}
          }}
          %m = tensor.insert_slice %q into %a[%i] [4] [1] : {HALF} into !t
          scf.yield %m : !t
        }}
        """
        + STORE,
        FIRST * 2,
        access="writeonly",
    ),
)

ACCEPTED = THREADS + PARTS


@pytest.mark.parametrize("case", ACCEPTED, ids=str)
def test_stores_of_slices(case: Accepted) -> None:
    check(case)


ROWS = """
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4x1x6xf64>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.ACCESS<tensor<1x4x6xf64>>
  %y = dispatch.workgroup_id 0 : index
  %t = dispatch.load %in[%y, 0, 0] [1, 1, 6] [1, 1, 1] : !dispatch.readonly<tensor<4x1x6xf64>> -> tensor<1x6xf64>
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%a = %t) -> (tensor<1x6xf64>) {
    %s = tensor.extract_slice %a[0, %i] [1, 1] [1, 1] : tensor<1x6xf64> to tensor<1xf64>
    %d = linalg.add ins(%s, %s : tensor<1xf64>, tensor<1xf64>) outs(%s : tensor<1xf64>) -> tensor<1xf64>
    %n = tensor.insert_slice %d into %a[0, %i] [1, 1] [1, 1] : tensor<1xf64> into tensor<1x6xf64>
    scf.yield %n : tensor<1x6xf64>
  }
  dispatch.store %r, %out[0, %y, 0] [1, 1, 6] [1, 1, 1] : tensor<1x6xf64> -> !dispatch.ACCESS<tensor<1x4x6xf64>>
  return
}
"""


@pytest.mark.parametrize("access", ["writeonly", "readwrite"])
def test_rows_with_fewer_dimensions(access: str) -> None:
    before, after = transformed(ROWS.replace("ACCESS", access))
    assert "iter_args" not in after
    source = np.arange(1.0, 25).reshape(4, 1, 6)
    for program in (before, after):
        target = np.zeros((1, 4, 6))
        mi.compile(program, opt_level=0).main(source, target, 4)
        np.testing.assert_array_equal(target, source.reshape(1, 4, 6) * 2)
