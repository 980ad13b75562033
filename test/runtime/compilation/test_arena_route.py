"""The two buffers that a chain of ops works in are one allocation."""

from __future__ import annotations

import numpy as np
import pytest

import mlir_inplace as mi


@pytest.mark.parametrize("ops", [4, 40])
def test_a_chain_allocates_once(ops: int) -> None:
    """A product cannot be computed in the buffer that it reads: two buffers take turns, besides the result's."""
    type_ = "tensor<8x8xf32>"
    lines = [f"func.func @main(%a: {type_}) -> {type_} {{", "%z = arith.constant 0.0 : f32"]
    last = "%a"
    for n in range(ops):
        lines += [
            f"%e{n} = tensor.empty() : {type_}",
            f"%f{n} = linalg.fill ins(%z : f32) outs(%e{n} : {type_}) -> {type_}",
            f"%m{n} = linalg.matmul ins({last}, %a : {type_}, {type_}) outs(%f{n} : {type_}) -> {type_}",
        ]
        last = f"%m{n}"
    program = mi.compile("\n".join([*lines, f"return {last} : {type_}", "}"]), memory_stats=True)
    a = np.diag(np.arange(1, 9, dtype=np.float32)) / 8
    expected = np.linalg.matrix_power(a, ops + 1)
    np.testing.assert_allclose(program.main(a), expected, rtol=1e-4)
    stats = program.memory_stats
    assert stats.allocations == 2, "the arena, and the result"
