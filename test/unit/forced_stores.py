"""As `forced_updates.py`, for destructive updates of which a rule keeps the store, in dispatch functions."""

from __future__ import annotations

import numpy as np
from forced_updates import BACKWARDS, FILLED, FROM_SOURCE, MIRRORED, PUT_NEXT, READ, SLICE, UPWARDS, refusal
from update_programs import FILL, FIRST, SHIFT, STORE, TARGET, get, keep, loop, plain, put, threads

from mlir_inplace.passes.analysis.update_rewrites import RewriteRule

__all__ = ["STORES"]

VECTOR = """
  %w = vector.transfer_read {}[%i], %zero {{in_bounds = [true]}} : !t, vector<1xf64>
  %e = vector.extract %w[0] : f64 from vector<1xf64>
"""

STORES = (
    refusal(
        RewriteRule.PART,
        """
        %h = tensor.extract_slice %t[4] [4] [1] : !t to tensor<4xf64>
        %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %h) -> (tensor<4xf64>) {
          %n = tensor.insert %f into %a[%i] : tensor<4xf64>
          scf.yield %n : tensor<4xf64>
        }
        dispatch.store %r, %out[%c4] [4] [1] : tensor<4xf64> -> !o
        """,
        plain(put("%f", "%i"), "%c0 to %c4 step %c1"),
        np.r_[TARGET[:4], FILLED[4:]],
    ),
    refusal(
        RewriteRule.ELSEWHERE,
        loop(FILL) + f"%q = tensor.extract %t[%c0] : !t\n%p = arith.cmpf ogt, %q, %f : f64\nscf.if %p {{\n{STORE}}}\n",
        plain(put("%f", "%i")),
        TARGET,
    ),
    refusal(
        RewriteRule.CONTROL_FLOW,
        threads(BACKWARDS + SLICE.format("%a", "%back")) + STORE,
        FROM_SOURCE + plain(BACKWARDS + get("e", "%back") + put("%e", "%i")),
        MIRRORED,
    ),
    refusal(
        RewriteRule.UPDATE,
        loop(
            "%v = vector.broadcast %g : f64 to vector<1xf64>\n%m = tensor.insert %f into %a[%i] : !t\n"
            "%n = vector.transfer_write %v, %m[%c3] {in_bounds = [true]} : vector<1xf64>, !t\nscf.yield %n : !t"
        )
        + STORE,
        plain(put("%f", "%i")),
        np.r_[FILLED[:3], 60.0, FILLED[4:]],
    ),
    refusal(
        RewriteRule.INTERLEAVED,
        loop(FILL) + get("e", "%c2") + STORE + keep("%e"),
        plain(put("%f", "%i")) + get("e", "%c2") + keep("%e"),
        FILLED,
        TARGET[2],
    ),
    refusal(
        RewriteRule.READS_TARGET,
        loop(SHIFT + "%e = tensor.extract %a[%i] : !t\n" + PUT_NEXT, UPWARDS) + STORE,
        FROM_SOURCE + plain(SHIFT + get("e", "%i", "%in", READ) + put("%e", "%next"), UPWARDS),
        np.ones(8),
        access="writeonly",
    ),
    refusal(
        RewriteRule.READ,
        loop(SHIFT + VECTOR.format("%a") + PUT_NEXT, UPWARDS) + STORE,
        FROM_SOURCE + plain(SHIFT + VECTOR.format("%t") + put("%e", "%next"), UPWARDS),
        np.ones(8),
    ),
    refusal(
        RewriteRule.OTHER_USERS,
        loop(FILL) + STORE + "%e = tensor.extract %r[%c2] : !t\n" + keep("%e"),
        plain(put("%f", "%i")) + "%e = tensor.extract %t[%c2] : !t\n" + keep("%e"),
        FILLED,
        50.0,
        access="writeonly",
    ),
    refusal(
        RewriteRule.GRID,
        "%x = dispatch.workgroup_id 0 : index\n" + loop(FILL, "%x to %c8 step %c4") + STORE,
        "%x = dispatch.workgroup_id 0 : index\n" + plain(put("%f", "%i"), "%x to %c8 step %c4"),
        np.r_[50.0, FIRST[1:4], 50.0, FIRST[5:]],
        grid=(1,),
    ),
)
