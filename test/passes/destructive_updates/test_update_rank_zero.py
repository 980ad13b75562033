"""Updates of tensors that have one element and no dimensions."""

from __future__ import annotations

import numpy as np
import pytest
from updates.update_programs import transformed

import mlir_inplace as mi


def program(bounds: str) -> str:
    text = f"""func.func @main() {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %f = arith.constant 5.0 : f64
      %n = dispatch.push_constant 0 : index
      %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<!t>
      %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<!t>
      %t = dispatch.load %in : !dispatch.readonly<!t> -> !t
      %r = scf.for %i = {bounds} step %c1 iter_args(%a = %t) -> (!t) {{
        %x = tensor.extract %t[] : !t
        %y = arith.addf %x, %f : f64
        %u = tensor.insert %y into %a[] : !t
        scf.yield %u : !t
      }}
      dispatch.store %r, %out : !t -> !dispatch.writeonly<!t>
      return
    }}"""
    return text.replace("!t", "tensor<f64>")


@pytest.mark.parametrize(("bounds", "is_covered"), [("%c0 to %c3", True), ("%c0 to %n", False)])
def test_the_only_element_is_updated_if_the_loop_runs(bounds: str, *, is_covered: bool) -> None:
    after = transformed(program(bounds))[1]
    assert "iter_args" not in after
    assert after.count("dispatch.store") == (1 if is_covered else 2)
    for runs in (0, 2):
        for text in (program(bounds), after):
            output = np.array(-1.0)
            mi.compile(text, opt_level=0).main(np.array(7.0), output, runs)
            assert output == (12.0 if is_covered or runs else 7.0)
