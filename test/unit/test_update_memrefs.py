"""Updates that end in a memref: slices are materialized where they are inserted, with the values of NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from forced_materializations import END, program
from update_programs import FIRST, TARGET, loop, threads, transformed, until

import mlir_inplace as mi

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
