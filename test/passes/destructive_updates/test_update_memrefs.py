"""Updates that end in a memref: slices are materialized where they are inserted, with the values of NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir
from test_update_refusals import rules
from updates.forced_materializations import END, program
from updates.update_programs import FIRST, TARGET, loop, threads, transformed, until

import mlir_inplace as mi
from mlir_inplace.passes.analysis.destructive_updates.outcomes import RewriteRule

TWICE = """
  %old = tensor.extract_slice %a[%i] [1] [1] : !t to tensor<1xf64>
  %s = linalg.add ins(%old, %old : tensor<1xf64>, tensor<1xf64>) outs(%old : tensor<1xf64>) -> tensor<1xf64>
"""
HALF = "tensor<4xf64>"
BOX = "{in_bounds = [true]}"

PROGRAMS = {
    "threads": (threads(TWICE), FIRST * 2),
    "as long as": (until("%n = tensor.insert %f into %h[%i] : !t"), np.full(8, 50.0)),
    "vectors": (
        loop(
            f"%v = vector.transfer_read %a[%i], %f {BOX} : !t, vector<2xf64>\n%z = arith.addf %v, %v : vector<2xf64>\n"
            f"%n = vector.transfer_write %z, %a[%i] {BOX} : vector<2xf64>, !t\nscf.yield %n : !t",
            "%c2 to %c8 step %c2",
        ),
        np.r_[FIRST[:2], FIRST[2:] * 2],
    ),
    "elements that were updated before": (
        loop(
            "%b = arith.subi %i, %c1 : index\n%x = tensor.extract %a[%b] : !t\n%y = tensor.extract %a[%i] : !t\n"
            "%z = arith.addf %x, %y : f64\n%n = tensor.insert %z into %a[%i] : !t\n"
            "%k = tensor.extract %n[%i] : !t\n%l = arith.addf %k, %f : f64\n"
            "%w = tensor.insert %l into %n[%i] : !t\nscf.yield %w : !t",
            "%c1 to %c8 step %c1",
        ),
        np.cumsum(FIRST) + 50.0 * np.arange(8),
    ),
    "vectors that were updated before": (
        loop(
            f"%b = arith.subi %i, %c2 : index\n%x = vector.transfer_read %a[%b], %f {BOX} : !t, vector<2xf64>\n"
            f"%n = vector.transfer_write %x, %a[%i] {BOX} : vector<2xf64>, !t\nscf.yield %n : !t",
            "%c2 to %c8 step %c2",
        ),
        np.tile(FIRST[:2], 4),
    ),
    "all of it": (
        loop("%w = linalg.fill ins(%f : f64) outs(%a : !t) -> !t\nscf.yield %w : !t", "%c0 to %c2 step %c1"),
        np.full(8, 50.0),
    ),
    "tiles of tiles": (
        f"""
        %r = scf.for %i = %c0 to %c8 step %c4 iter_args(%a = %t) -> (!t) {{
          %h = tensor.extract_slice %t[%i] [4] [1] : !t to {HALF}
          %q = scf.for %j = %c1 to %c4 step %c2 iter_args(%b = %h) -> ({HALF}) {{
            %n = tensor.insert %f into %b[%j] : {HALF}
            scf.yield %n : {HALF}
          }}
          %w = tensor.insert_slice %q into %a[%i] [4] [1] : {HALF} into !t
          scf.yield %w : !t
        }}
        """,
        np.where(np.arange(8) % 2, 50.0, FIRST),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_slices_in_a_memref(name: str) -> None:
    body, wanted = PROGRAMS[name]
    text = program(body + END)
    before, after = transformed(text)
    assert any(word in before for word in ("iter_args", "shared_outs", "(tensor<8xf64>, index)"))
    assert not any(word in after for word in ("iter_args", "shared_outs", "(tensor<8xf64>, index)"))
    for one in (text, after):
        source, target = FIRST.copy(), TARGET.copy()
        assert mi.compile(one, opt_level=0).main(source, target, 50.0) == 50
        np.testing.assert_array_equal(target, wanted)
        np.testing.assert_array_equal(source, FIRST)


VALUES = """
func.func @main(%t: !t {bufferization.writable = true}, %d: !t {bufferization.writable = true}, %f: f64) -> (!t, !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (!t) {
    %e = tensor.extract %a[%i] : !t
    %y = arith.addf %e, %f : f64
    %n = tensor.insert %y into %a[%i] : !t
    scf.yield %n : !t
  }
  %q = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %d) -> (!t) {
    %n = tensor.insert %f into %a[%i] : !t
    scf.yield %n : !t
  }
  %m = bufferization.materialize_in_destination %q in %d : (!t, !t) -> !t
  return %r, %m : !t, !t
}
""".replace("!t", "tensor<8xf64>")


def test_tensors_that_may_be_written_are_left_to_bufferization() -> None:
    assert rules(VALUES) == [RewriteRule.VALUE, RewriteRule.VALUE]
    assert rules(VALUES.replace("true", "false", 1)) == [RewriteRule.VALUE]
    before, after = transformed(VALUES)
    assert before == after
    with ir.Context():
        module = ir.Module.parse(VALUES)
        mi.run_pipeline(module, "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true})")
        text = str(module)
    # What the rewrite would have made of it: loops that carry nothing, and a store of each element.
    assert not any(word in text for word in ("iter_args", "memref.alloc", "memref.copy"))
    assert text.count("memref.store") == 2


def test_loops_that_fill_other_memory_stay() -> None:
    """Nobody needs what they return, but what they do."""
    writes = "affine.store %x, %k[%j] : memref<8xf64>\naffine.yield %x : f64"
    other = f"""
      %k = memref.alloc() : memref<8xf64>
      %q = affine.for %j = 0 to 8 iter_args(%x = %f) -> (f64) {{
        {writes}
      }}
      %g = tensor.generate {{
      ^bb0(%j: index):
        linalg.fill ins(%f : f64) outs(%k : memref<8xf64>)
        tensor.yield %f : f64
      }} : !t
    """
    body = other + loop("%n = tensor.insert %f into %a[%i] : !t\nscf.yield %n : !t")
    after = transformed(program(body + END))[1]
    assert "iter_args(%arg4 = %arg2) -> (f64)" in after
    assert "linalg.fill" in after
    assert "-> (tensor" not in after
