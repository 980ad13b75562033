"""Fusion of elementwise ops: payloads stay short enough for LLVM, and values are those of single ops."""

from __future__ import annotations

import numpy as np
from mlir import ir

import mlir_inplace as mi

T = "tensor<7x33xf32>"


def chain(count: int) -> str:
    """`count` additions, each of the result of the one before."""
    lines = [f"func.func @main(%a: {T}, %b: {T}) -> {T} {{", f"%e = tensor.empty() : {T}"]
    last = "%a"
    for n in range(count):
        lines.append(f"%x{n} = linalg.add ins({last}, %b : {T}, {T}) outs(%e : {T}) -> {T}")
        last = f"%x{n}"
    return "\n".join([*lines, f"return {last} : {T}", "}"])


def payloads(count: int) -> list[int]:
    """How many ops the payloads of a fused chain have, without their terminators."""
    with ir.Context():
        module = ir.Module.parse(chain(count))
        mi.run_pipeline(module, "builtin.module(func.func(inplace-fuse))")
        ops = [view.operation for view in module.body.operations[0].body.blocks[0].operations]
    return [len(op.regions[0].blocks[0].operations) - 1 for op in ops if op.name.startswith("linalg.")]


def test_a_short_chain_is_one_op() -> None:
    assert payloads(30) == [30]


def test_a_long_chain_is_cut() -> None:
    counts = payloads(200)
    assert sum(counts) == 200
    assert 3 <= len(counts) <= 5
    assert max(counts) <= 64


def test_values_of_a_long_chain() -> None:
    a, b = (np.arange(7 * 33, dtype=np.float32).reshape(7, 33) + start for start in (0, 3))
    expected = a
    for _ in range(200):
        expected = expected + b
    np.testing.assert_array_equal(mi.compile(chain(200), optimize=True).main(a, b), expected)
