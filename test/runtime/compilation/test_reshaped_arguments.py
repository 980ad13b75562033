"""Arguments are contiguous in the code compiled for them, so a reshape of one is a view of it, not a copy."""

from __future__ import annotations

import numpy as np
import pytest

import mlir_inplace as mi

WHOLE, FLAT = "tensor<4x6x5xf32>", "tensor<24x5xf32>"
TEXT = f"""func.func @main(%a: {WHOLE} ATTRIBUTES) -> {FLAT} {{
  %flat = tensor.collapse_shape %a [[0, 1], [2]] : {WHOLE} into {FLAT}
  %e = tensor.empty() : {FLAT}
  %r = linalg.exp ins(%flat : {FLAT}) outs(%e : {FLAT}) -> {FLAT}
  return %r : {FLAT}
}}"""
ANY_STRIDES = "{bufferization.buffer_layout = strided<[?, ?, ?], offset: ?>}"


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize(("attributes", "copies"), [("", 0), (ANY_STRIDES, 1)])
def test_a_reshape_of_an_argument_is_a_view(attributes: str, copies: int, *, optimize: bool) -> None:
    program = mi.compile(TEXT.replace("ATTRIBUTES", attributes), memory_stats=True, optimize=optimize)
    a = np.arange(120, dtype=np.float32).reshape(4, 6, 5) / 64
    np.testing.assert_allclose(program.main(a), np.exp(a).reshape(24, 5), rtol=1e-6)
    assert (program.memory_stats.copies, program.memory_stats.copied_bytes) == (copies, copies * a.nbytes)


def test_arguments_of_other_strides_are_read_where_they_are() -> None:
    a = np.arange(240, dtype=np.float32).reshape(4, 6, 10)[:, :, ::2] / 64
    np.testing.assert_allclose(mi.compile(TEXT.replace("ATTRIBUTES", "")).main(a), np.exp(a).reshape(24, 5), rtol=1e-6)
