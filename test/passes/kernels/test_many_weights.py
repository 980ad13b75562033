"""Convolutions whose weights exceed the second cache, as kernels: the same values as in place, and NumPy's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.kernels.rewriting.optimized_kernels import Kernels, take_kernels
from mlir_inplace.runtime.compilation import lowering, steps
from mlir_inplace.runtime.compilation.stages import watched_stages

MACHINE = "vector-bits=256 registers=16 l1=4096 l2=32768 l3=1048576"
BLOCKS, LANES = 2, 8
"""Of the channels of a result, which the weights have apart."""
MAPS = (
    "indexing_maps = [affine_map<(n, f, h, w, g, i, j, c) -> (n, h * {stride} + i, w * {stride} + j, c)>,"
    " affine_map<(n, f, h, w, g, i, j, c) -> (f, i, j, c, g)>,"
    " affine_map<(n, f, h, w, g, i, j, c) -> (n, h, w, f, g)>],"
    ' iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction",'
    ' "reduction"]'
)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels of what is compiled from now on, before they are optimized."""
    found: list[str] = []

    def taken(module: ir.Operation, *, open_sizes: bool) -> Kernels | None:
        made = take_kernels(module, open_sizes=open_sizes)
        found.extend([str(one) for one in made.module.body.operations] if made is not None else [])
        return made

    marks = replace(lowering.MARK_KERNELS[0], passes=("inplace-mark-kernels{saved=1}",))
    monkeypatch.setattr(lowering, "MARK_KERNELS", (marks,))
    monkeypatch.setattr(steps, "take_kernels", taken)
    return found


def program(element: str, batch: int, size: int, window: int, channels: int, stride: int, *, residual: bool) -> str:
    """Two convolutions on two images, a bias and ReLU behind each; with `residual` the second one adds the first."""
    read = (size - 1) * stride + window
    x = f"tensor<{batch}x{read}x{read}x{channels}x{element}>"
    w = f"tensor<{BLOCKS}x{window}x{window}x{channels}x{LANES}x{element}>"
    out, bias = f"tensor<{batch}x{size}x{size}x{BLOCKS}x{LANES}x{element}>", f"tensor<{BLOCKS}x{LANES}x{element}>"
    lines = []
    for number, (source, added) in enumerate((("%x", None), ("%y", "%r0" if residual else None))):
        more, types = (f", {added}", f", {out}") if added else ("", "")
        identity = "affine_map<(n, h, w, f, g) -> (n, h, w, f, g)>"
        maps = [identity, "affine_map<(n, h, w, f, g) -> (f, g)>", *([identity] if added else []), identity]
        lines += [
            f"%c{number} = linalg.generic {{{MAPS.format(stride=stride)}}}",
            f"ins({source}, %w{number} : {x}, {w}) outs(%f : {out}) {{",
            f"^bb0(%a: {element}, %b: {element}, %c: {element}):",
            f"%p = arith.mulf %a, %b : {element}",
            f"%s = arith.addf %c, %p : {element}",
            f"linalg.yield %s : {element}",
            f"}} -> {out}",
            f"%r{number} = linalg.generic {{indexing_maps = [{', '.join(maps)}],",
            'iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}',
            f"ins(%c{number}, %bias{more} : {out}, {bias}{types}) outs(%e : {out}) {{",
            f"^bb0(%a: {element}, %b: {element}{f', %m: {element}' if added else ''}, %o: {element}):",
            f"%s = arith.addf %a, %b : {element}",
            *([f"%t = arith.addf %s, %m : {element}"] if added else []),
            f"%v = arith.maximumf {'%t' if added else '%s'}, %z : {element}",
            f"linalg.yield %v : {element}",
            f"}} -> {out}",
        ]
    arguments = f"%x: {x}, %y: {x}, %w0: {w}, %w1: {w}, %bias: {bias}"
    begin = [
        f"func.func @main({arguments}) -> ({out}, {out}) {{",
        f"%z = arith.constant 0.0 : {element}",
        f"%e = tensor.empty() : {out}",
        f"%f = linalg.fill ins(%z : {element}) outs(%e : {out}) -> {out}",
    ]
    return "\n".join([*begin, *lines, f"return %r0, %r1 : {out}, {out}", "}"])


def convolved(x: np.ndarray, w: np.ndarray, size: int, stride: int) -> np.ndarray:
    """The sums, in float64."""
    result = np.zeros((x.shape[0], size, size, BLOCKS, LANES))
    for i, j in np.ndindex(w.shape[1:3]):
        part = x[:, i : i + stride * size : stride, j : j + stride * size : stride][:, :size, :size]
        result += np.einsum("nhwc,fcg->nhwfg", part, w[:, i, j])
    return result


@pytest.mark.parametrize("residual", [False, True], ids=["", "residual"])
@pytest.mark.parametrize(
    ("element", "batch", "size", "window", "channels", "stride"),
    [
        pytest.param("f32", 1, 4, 3, 128, 1, id="3x3"),
        pytest.param("f32", 1, 4, 3, 128, 2, id="3x3, stride 2"),
        pytest.param("f32", 2, 3, 3, 128, 1, id="batch of 2"),
        pytest.param("f64", 1, 3, 3, 64, 1, id="f64"),
        pytest.param("f32", 1, 4, 1, 1024, 1, id="1x1"),
        pytest.param("f32", 1, 3, 7, 24, 1, id="7x7"),
    ],
)
def test_values(
    kernels: list[str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    element: str,
    batch: int,
    size: int,
    window: int,
    channels: int,
    stride: int,
    residual: bool,
) -> None:
    text = program(element, batch, size, window, channels, stride, residual=residual)
    rng = np.random.default_rng(0)
    dtype = np.float32 if element == "f32" else np.float64
    read = (size - 1) * stride + window
    shapes = [*[(batch, read, read, channels)] * 2, *[(BLOCKS, window, window, channels, LANES)] * 2, (BLOCKS, LANES)]
    arguments = [rng.uniform(-1, 1, shape).astype(dtype) for shape in shapes]
    found = mi.compile(text, optimize=True, machine=MACHINE, cache=False).main(*arguments)
    assert sum("reduction" in kernel for kernel in kernels) == 1
    monkeypatch.setattr(lowering, "MARK_KERNELS", ())
    alone = mi.compile(text, optimize=True, machine=MACHINE, cache=False).main(*arguments)
    x, y, w0, w1, bias = (argument.astype(np.float64) for argument in arguments)
    first = np.maximum(convolved(x, w0, size, stride) + bias, 0)
    second = np.maximum(convolved(y, w1, size, stride) + bias + (first if residual else 0), 0)
    for one, other, exact in zip(found, alone, (first, second), strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_allclose(one, exact, rtol=1e-4, atol=1e-3 if element == "f32" else 1e-10)


def test_weights_are_prefetched(kernels: list[str]) -> None:
    """What a kernel reads that exceeds the first cache is prefetched there, as it is elsewhere."""
    stages: dict[str, str] = {}
    with watched_stages(lambda name, module: stages.update({name: str(module)})):
        mi.compile(program("f32", 1, 8, 3, 128, 1, residual=False), optimize=True, machine=MACHINE)
    assert kernels
    assert "memref.prefetch" in stages["buffers"]
