"""As `forced_updates.py`, for updates that end in a memref: what a rule leaves as it is, and what it would become."""

from __future__ import annotations

import numpy as np

from mlir_inplace.passes.analysis.destructive_updates.outcomes import RewriteRule

from .forced_updates import FILLED, PUT_NEXT, UPWARDS, Refusal, Rule
from .update_programs import FILL, SHIFT, TARGET, Array, loop, plain

__all__ = ["MATERIALIZATIONS"]

_TYPES = {"!t": "tensor<8xf64>", "!m": "memref<8xf64>", "!s": "memref<1xf64, strided<[1], offset: ?>>"}
END = "bufferization.materialize_in_destination %r in restrict writable %m : (!t, !m) -> ()\n"
COPIED = END.replace("%r", "%t")


def place(number: str, at: str = "%i") -> str:
    """Put a number into the memref."""
    return f"""
      %v = tensor.from_elements {number} : tensor<1xf64>
      %view = memref.subview %m[{at}] [1] [1] : !m to !s
      bufferization.materialize_in_destination %v in restrict writable %view : (tensor<1xf64>, !s) -> ()
    """


def program(body: str, number: str = "%f") -> str:
    constants = "\n".join(f"%c{n} = arith.constant {n} : index" for n in range(9))
    text = f"""func.func @main(%t: !t, %m: !m, %f: f64) -> f64 {{
      {constants}
      {body}
      return {number} : f64
    }}"""
    for alias, type_ in _TYPES.items():
        text = text.replace(alias, type_)
    return text


def refusal(
    rule: Rule, body: str, forced: str, output: Array, number: float | None = None, *, name: str = "into a memref"
) -> Refusal:
    shown = "%f" if number is None else "%e"
    return Refusal(rule, program(body, shown), program(forced, shown), output, number, name)


LOADED = "%e = memref.load %m[%c1] : !m\n"
EARLIER = "%b = arith.subi %c7, %i : index\n%e = tensor.extract {}[%b] : !t\n"
TILE = """
  %part = tensor.extract_slice {0}[%i] [1] [1] : {1} to tensor<1xf64>
  %e = tensor.extract %part[%c0] : tensor<1xf64>
"""

MATERIALIZATIONS = (
    refusal(
        RewriteRule.INTERLEAVED,
        loop(FILL) + LOADED + END,
        plain(place("%f")) + LOADED,
        FILLED,
        TARGET[1],
    ),
    refusal(
        RewriteRule.SHARED,
        "%q = bufferization.to_tensor %m restrict writable : !m to !t\n"
        + loop(EARLIER.format("%q") + "%n = tensor.insert %e into %a[%i] : !t\nscf.yield %n : !t")
        + END,
        "%q = bufferization.to_tensor %m restrict writable : !m to !t\n" + plain(EARLIER.format("%q") + place("%e")),
        TARGET[::-1].copy(),
    ),
    refusal(
        RewriteRule.READ,
        loop(SHIFT + TILE.format("%a", "!t") + PUT_NEXT, UPWARDS) + END,
        COPIED + plain(SHIFT + TILE.format("%t", "!t") + place("%e", "%next"), UPWARDS),
        np.ones(8),
    ),
    refusal(
        RewriteRule.OTHER_USERS,
        loop(FILL) + END + "%e = tensor.extract %r[%c2] : !t\n",
        plain(place("%f")) + "%e = tensor.extract %t[%c2] : !t\n",
        FILLED,
        50.0,
    ),
    refusal(
        RewriteRule.ELSEWHERE,
        "%e = tensor.extract %t[%c0] : !t\n"
        + loop(FILL)
        + f"%p = arith.cmpf ogt, %e, %f : f64\nscf.if %p {{\n{END}}}\n",
        plain(place("%f")),
        TARGET,
    ),
)
