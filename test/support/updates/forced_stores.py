"""As `forced_updates.py`, for destructive updates of which a rule keeps the store, in dispatch functions."""

from __future__ import annotations

import numpy as np

from mlir_inplace.passes.analysis.destructive_updates.outcomes import RewriteRule

from .forced_updates import BACKWARDS, FILLED, FROM_SOURCE, PUT_NEXT, READ, SLICE, UPWARDS, refusal
from .update_programs import FILL, FIRST, SECOND, SHIFT, STORE, TARGET, get, keep, loop, plain, put, threads

__all__ = ["STORES"]

PAIR = "%v = vector.broadcast %f : f64 to vector<2xf64>\n"
VECTOR = """
  %w = vector.transfer_read {}[%i], %zero : !t, vector<1xf64>
  %e = vector.extract %w[0] : f64 from vector<1xf64>
"""

ID = "%g0 = dispatch.workgroup_id 0 : index\n"
ZEROS = """
  %o = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %z) -> (!t) {
    %n = tensor.insert %zero into %a[%i] : !t
    scf.yield %n : !t
  }
"""
SUMS = """
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%b = %o) -> (!t) {
    %v = tensor.extract %u[%k] : !t
    %q = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %b) -> (!t) {
      %e = tensor.extract %a[%i] : !t
      %y = arith.addf %e, %v : f64
      %n = tensor.insert %y into %a[%i] : !t
      scf.yield %n : !t
    }
    scf.yield %q : !t
  }
"""

STORES = (
    refusal(
        RewriteRule.ELSEWHERE,
        loop(FILL) + f"%q = tensor.extract %t[%c0] : !t\n%p = arith.cmpf ogt, %q, %f : f64\nscf.if %p {{\n{STORE}}}\n",
        plain(put("%f", "%i")),
        TARGET,
    ),
    refusal(
        RewriteRule.THREADS,
        "%r = scf.for %k = %c0 to %c2 step %c1 iter_args(%h = %t) -> (!t) {\n"
        + threads(BACKWARDS + SLICE.format("%a", "%back")).replace("%r =", "%q =").replace("= %t)", "= %h)")
        + "scf.yield %q : !t\n}\n"
        + STORE,
        FROM_SOURCE
        + "scf.for %k = %c0 to %c2 step %c1 {\n"
        + plain(BACKWARDS + get("e", "%back") + put("%e", "%i"))
        + "}\n",
        FIRST,
    ),
    # Workgroups at the same time: one of their many orders is a loop over them inside of the reduction.
    refusal(
        RewriteRule.GRID_READS,
        ID + f"%z = tensor.empty() : !t\n{ZEROS}{SUMS}" + STORE,
        ID
        + plain(put("%zero", "%i"))
        + "scf.for %k = %c0 to %c8 step %c1 {\n%v = tensor.extract %u[%k] : !t\n"
        + "scf.for %w = %c0 to %c2 step %c1 {\n"
        + plain(get("e", "%i") + "%y = arith.addf %e, %v : f64\n" + put("%y", "%i", "x"))
        + "}\n}\n",
        np.full(8, SECOND.sum()),
        grid=(2,),
    ),
    refusal(
        RewriteRule.UPDATE,
        loop(
            "%v = vector.broadcast %g : f64 to vector<1xf64>\n%m = tensor.insert %f into %a[%i] : !t\n"
            "%w = vector.broadcast %c3 : index to vector<1xindex>\n%p = vector.constant_mask [1] : vector<1xi1>\n"
            "%n = vector.scatter %m[%c0][%w], %p, %v : !t, vector<1xindex>, vector<1xi1>, vector<1xf64> -> !t\n"
            "scf.yield %n : !t"
        )
        + STORE,
        plain(put("%f", "%i")),
        np.r_[FILLED[:3], 60.0, FILLED[4:]],
    ),
    refusal(
        RewriteRule.TRANSFER,
        loop(
            f"{PAIR}%p = vector.create_mask %c1 : vector<2xi1>\n"
            "%n = vector.transfer_write %v, %a[%i], %p {in_bounds = [true]} : vector<2xf64>, !t\nscf.yield %n : !t",
            UPWARDS,
        )
        + STORE,
        FROM_SOURCE
        + plain(
            f"{PAIR}%e = tensor.empty() : tensor<2xf64>\n"
            "%n = vector.transfer_write %v, %e[%c0] {in_bounds = [true]} : vector<2xf64>, tensor<2xf64>\n"
            "dispatch.store %n, %out[%i] [2] [1] : tensor<2xf64> -> !o",
            UPWARDS,
        ),
        np.r_[FILLED[:7], 8.0],
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
