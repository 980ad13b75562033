"""Repeated layers as functions: the same values, no more copied; what stays where it is; and that JAX's are found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.kernels.outline_layers import analyze_layers
from mlir_inplace.passes.pipeline.pipeline import run_pipeline
from mlir_inplace.runtime.compilation import lowering
from mlir_inplace.runtime.compilation.stages import watched_stages

N = 64
T = f"tensor<{N}x{N}xf32>"
V = f"tensor<{N}xf32>"
CALL = "call @inplace_layer"


def with_layers(monkeypatch: pytest.MonkeyPatch, *passes: str) -> None:
    monkeypatch.setattr(lowering, "LAYERS", (replace(lowering.LAYERS[0], passes=passes),))


def traffic(text: str, *arguments: Any, **options: Any) -> tuple[Any, tuple[int, int], int]:
    """What a program returns, the bytes that it copies and leaks, and how many layers it calls."""
    calls: list[int] = []

    def count(stage: str, module: ir.Module) -> None:
        if stage == "tensors":
            calls.append(str(module).count(CALL))

    with watched_stages(count):
        made = mi.compile(text, optimize=True, memory_stats=True, **options)
        found = made.main(*arguments)
    assert made.memory_stats is not None
    return found, (made.memory_stats.copied_bytes, made.memory_stats.leaked_bytes), calls[0]


def block(k: int, x: str, weight: str) -> str:
    """`%yK`: a residual block with a normalization of rows; 6 ops."""
    return f"""
      %a{k} = linalg.matmul ins({x}, {weight} : {T}, {T}) outs(%zeros : {T}) -> {T}
      %b{k} = linalg.exp ins(%a{k} : {T}) outs(%e : {T}) -> {T}
      %s{k} = linalg.reduce {{ arith.addf }} ins(%b{k} : {T}) outs(%sums : {V}) dimensions = [1]
      %c{k} = linalg.broadcast ins(%s{k} : {V}) outs(%e : {T}) dimensions = [1]
      %d{k} = linalg.div ins(%b{k}, %c{k} : {T}, {T}) outs(%e : {T}) -> {T}
      %y{k} = linalg.add ins({x}, %d{k} : {T}, {T}) outs(%e : {T}) -> {T}"""


def program(count: int, result: str = "", head: str = "", returned: str = T) -> str:
    weights = "".join(f", %w{k}: {T}" for k in range(count))
    body = "".join(block(k, f"%y{k - 1}" if k else "%x", f"%w{k}") for k in range(count))
    return f"""
    func.func @main(%x: {T}{weights}) -> {returned} {{
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : {T}
      %r = tensor.empty() : {V}
      %zeros = linalg.fill ins(%z : f32) outs(%e : {T}) -> {T}
      %sums = linalg.fill ins(%z : f32) outs(%r : {V}) -> {V} {head} {body}
      {result or f"return %y{count - 1} : {T}"}
    }}"""


def arguments(count: int) -> list[np.ndarray]:
    random = np.random.default_rng(3)
    return [random.standard_normal((N, N), np.float32) / 8 for _ in range(count + 1)]


def expected(x: np.ndarray, *weights: np.ndarray) -> np.ndarray:
    y = x.astype(np.float64)
    for weight in weights:
        b = np.exp(y @ weight.astype(np.float64))
        y = y + b / b.sum(1, keepdims=True)
    return y


@pytest.mark.parametrize("threads", [1, 2])
def test_same_values_and_copies(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given = arguments(4)
    with_layers(monkeypatch)
    before, cost, none = traffic(program(4), *given, threads=threads)
    with_layers(monkeypatch, "inplace-outline-layers{fewest=6}")
    found, same, calls = traffic(program(4), *given, threads=threads)
    assert (none, calls) == (0, 4)
    np.testing.assert_array_equal(found, before)
    np.testing.assert_allclose(found, expected(*given), rtol=1e-5, atol=1e-5)
    assert cost == same == (0, 0)


STACKED = program(
    4,
    f"""%o = tensor.empty() : tensor<4x{N}x{N}xf32>
    %p0 = tensor.insert_slice %y0 into %o[0, 0, 0] [1, {N}, {N}] [1, 1, 1] : {T} into tensor<4x{N}x{N}xf32>
    %p1 = tensor.insert_slice %y1 into %p0[1, 0, 0] [1, {N}, {N}] [1, 1, 1] : {T} into tensor<4x{N}x{N}xf32>
    %p2 = tensor.insert_slice %y2 into %p1[2, 0, 0] [1, {N}, {N}] [1, 1, 1] : {T} into tensor<4x{N}x{N}xf32>
    %p3 = tensor.insert_slice %y3 into %p2[3, 0, 0] [1, {N}, {N}] [1, 1, 1] : {T} into tensor<4x{N}x{N}xf32>
    return %p3 : tensor<4x{N}x{N}xf32>""",
    returned=f"tensor<4x{N}x{N}xf32>",
)
"""Each result is put into one tensor, in which it can be computed."""

SLICED = f"""
func.func @main(%x: {T}, %w: tensor<4x{N}x{N}xf32>) -> {T} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {T}
  %r = tensor.empty() : {V}
  %zeros = linalg.fill ins(%z : f32) outs(%e : {T}) -> {T}
  %sums = linalg.fill ins(%z : f32) outs(%r : {V}) -> {V}
  {
    "".join(
        f'''
  %w{k} = tensor.extract_slice %w[{k}, 0, 0] [1, {N}, {N}] [1, 1, 1] : tensor<4x{N}x{N}xf32> to {T}'''
        for k in range(4)
    )
}
  {"".join(block(k, f"%y{k - 1}" if k else "%x", f"%w{k}") for k in range(4))}
  return %y3 : {T}
}}"""
"""Weights are parts of one tensor: a call would copy those whose buffers are strided."""

PRINTED = (
    program(4).replace("%d1 =", 'vector.print str "middle"\n%d1 =').replace("%d3 =", 'vector.print str "end"\n%d3 =')
)
"""Ops with effects keep their places."""

CHANGED = program(4).replace("%b1 = linalg.exp", "%b1 = linalg.tanh").replace("%b3 = linalg.exp", "%b3 = linalg.tanh")
"""Every other layer is another function: the period is twice as long, and occurs twice."""


@pytest.mark.parametrize(
    ("text", "repeats", "calls"),
    [
        pytest.param(program(4), 4, 4, id="all"),
        pytest.param(program(4), 5, 0, id="few"),
        pytest.param(STACKED, 2, 0, id="put-into-one"),
        pytest.param(SLICED, 2, 0, id="parts-of-one"),
        pytest.param(PRINTED, 2, 0, id="effects"),
        pytest.param(CHANGED, 2, 2, id="twice-as-long"),
        pytest.param(CHANGED, 3, 0, id="twice-as-long-few"),
    ],
)
def test_what_becomes_a_call(text: str, repeats: int, calls: int) -> None:
    with ir.Context():
        module = ir.Module.parse(text)
        assert sum(len(one.bodies) for one in analyze_layers(module.operation, repeats, 6)) == calls
        run_pipeline(module, f"inplace-outline-layers{{fewest=6 repeats={repeats}}}")
        assert str(module).count(CALL) == calls


@pytest.mark.parametrize("text", [STACKED, SLICED, CHANGED], ids=["put-into-one", "parts-of-one", "twice-as-long"])
def test_nothing_more_is_copied(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x, *weights = arguments(4)
    given = (x, np.stack(weights)) if text == SLICED else (x, *weights)
    with_layers(monkeypatch)
    before, cost, _ = traffic(text, *given)
    with_layers(monkeypatch, "inplace-outline-layers{fewest=6 repeats=2}")
    found, same, _ = traffic(text, *given)
    np.testing.assert_array_equal(found, before)
    assert same == cost


D = "tensor<?xf32>"


@pytest.mark.parametrize(("shared", "calls"), [(False, 3), (True, 0)])
def test_dynamic_sizes(monkeypatch: pytest.MonkeyPatch, *, shared: bool, calls: int) -> None:
    """They are passed and returned; an empty tensor of such a size would count as having a content."""
    layers = "".join(
        f"""
        %e{k} = tensor.empty(%n) : {D}
        %a{k} = linalg.exp ins(%y{k} : {D}) outs(%e{"" if shared else k} : {D}) -> {D}
        %y{k + 1} = linalg.sub ins(%y{k}, %a{k} : {D}, {D}) outs(%e{"" if shared else k} : {D}) -> {D}"""
        for k in range(3)
    )
    text = f"""
    func.func @main(%y0: {D}) -> {D} {{
        %zero = arith.constant 0 : index
        %n = tensor.dim %y0, %zero : {D}
        %e = tensor.empty(%n) : {D} {layers}
        return %y3 : {D}
    }}"""
    with_layers(monkeypatch, "inplace-outline-layers{fewest=3}")
    x = np.linspace(-1, 1, 1001, dtype=np.float32)
    found, cost, counted = traffic(text, x)
    y = x.astype(np.float64)
    for _ in range(3):
        y = y - np.exp(y)
    np.testing.assert_allclose(found, y, rtol=1e-5, atol=1e-5)
    assert (cost, counted) == ((0, 0), calls)
