"""How fast convolutions run that `mi.compile(..., optimize=True)` made of plain linalg, beside ONNX Runtime.

    python benchmarks/convolutions.py
    python benchmarks/convolutions.py --only '3x3 64 to 64' stride --rounds 15

Each case is one `linalg` op on an image that is padded already: sizes that occur in residual nets, with short rows,
strides and few channels, and their neighbours (channels last, f64, batches). ONNX Runtime, where it is installed
(`pip install onnxruntime onnx`), has the weights as constants, which it may pack once; we get them as arguments. Both
run on one thread and take turns; a turn is the median of the calls within 20 ms (three at least), in the processor time
of the process. The table has medians over the rounds, for ours with the quartiles, Gflop/s of both, and the ratio of
ONNX Runtime's median to ours (above 1.00 we are faster), with the quartiles of the ratio in each round. Before that
our result is compared with NumPy in float64. Nothing here is a test: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from subjects.onnx_runtime import ratio_cell, runtime_call, turns

import mlir_inplace as mi

TURN = 0.02
"""Seconds that a turn takes at least."""
TOLERANCE = {"f32": 1e-4, "f64": 1e-10}


@dataclass(frozen=True)
class Case:
    """A convolution: `size` is that of the result's rows and columns, `filters` is 0 for a depthwise one."""

    size: int
    channels: int
    filters: int
    window: int
    stride: int = 1
    batch: int = 1
    last: bool = False
    element: str = "f32"

    @property
    def name(self) -> str:
        """What the table calls it."""
        kind = f"{self.channels} to {self.filters}" if self.filters else f"{self.channels} depthwise"
        parts = [f"{self.window}x{self.window} {kind} on {self.size}x{self.size}"]
        parts += [f"stride {self.stride}"] * (self.stride > 1) + [f"batch {self.batch}"] * (self.batch > 1)
        parts += ["channels last"] * self.last + [self.element] * (self.element != "f32")
        return ", ".join(parts)

    @property
    def shapes(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """The shapes of image, weights and result."""
        side = (self.size - 1) * self.stride + self.window
        window = (self.window, self.window)
        if self.last:
            image, result = (self.batch, side, side, self.channels), (self.batch, self.size, self.size)
            weights = (*window, self.channels, *((self.filters,) if self.filters else ()))
            return image, weights, (*result, self.filters or self.channels)
        weights = (self.filters, self.channels, *window) if self.filters else (self.channels, *window)
        result = (self.batch, self.filters or self.channels, self.size, self.size)
        return (self.batch, self.channels, side, side), weights, result

    @property
    def work(self) -> int:
        """How many floating-point operations it takes."""
        pixels = self.batch * self.size**2 * self.window**2
        return 2 * pixels * self.channels * (self.filters or 1)

    @property
    def text(self) -> str:
        """The program."""
        image, weights, result = (f"tensor<{'x'.join(map(str, shape))}x{self.element}>" for shape in self.shapes)
        if self.filters:
            op = "linalg.conv_2d_nhwc_hwcf" if self.last else "linalg.conv_2d_nchw_fchw"
        else:
            op = "linalg.depthwise_conv_2d_nhwc_hwc" if self.last else "linalg.depthwise_conv_2d_nchw_chw"
        strides = f"{{strides = dense<{self.stride}> : tensor<2xi64>}}"
        return f"""func.func @main(%x: {image}, %w: {weights}) -> {result} {{
          %zero = arith.constant 0.0 : {self.element}
          %empty = tensor.empty() : {result}
          %start = linalg.fill ins(%zero : {self.element}) outs(%empty : {result}) -> {result}
          %y = {op} {strides} ins(%x, %w : {image}, {weights}) outs(%start : {result}) -> {result}
          return %y : {result}
        }}"""

    def arguments(self) -> list[np.ndarray]:
        """Return a random image and weights."""
        rng = np.random.default_rng(0)
        dtype = np.float32 if self.element == "f32" else np.float64
        return [rng.standard_normal(shape).astype(dtype) for shape in self.shapes[:2]]

    def expected(self, image: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Compute the result in float64."""
        image, weights = image.astype(np.float64), weights.astype(np.float64)
        if self.last:
            image = image.transpose(0, 3, 1, 2)
            weights = weights.transpose((3, 2, 0, 1) if self.filters else (2, 0, 1))
        windows = np.lib.stride_tricks.sliding_window_view(image, (self.window, self.window), (2, 3))
        windows = windows[:, :, :: self.stride, :: self.stride]
        if self.filters:
            result = np.tensordot(windows, weights, ((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
        else:
            result = np.einsum("ncyxij,cij->ncyx", windows, weights)
        return result.transpose(0, 2, 3, 1) if self.last else result


CASES = (
    Case(56, 64, 64, 3),
    Case(16, 64, 64, 3),
    Case(8, 128, 128, 3),
    Case(4, 256, 256, 3),
    Case(2, 512, 512, 3),
    Case(56, 256, 64, 1),
    Case(112, 3, 64, 7, stride=2),
    Case(32, 3, 64, 7, stride=2),
    Case(8, 64, 128, 3, stride=2),
    Case(28, 64, 128, 3, stride=2),
    Case(8, 64, 128, 1, stride=2),
    Case(14, 256, 256, 3),
    Case(7, 512, 512, 3),
    Case(56, 64, 0, 3),
    Case(28, 64, 0, 3, stride=2),
    Case(8, 128, 0, 3),
    Case(8, 128, 128, 3, batch=8),
    Case(2, 512, 512, 3, batch=8),
    Case(16, 64, 64, 3, element="f64"),
    Case(4, 256, 256, 3, element="f64"),
    Case(16, 64, 64, 3, last=True),
    Case(4, 256, 256, 3, last=True),
    Case(2, 512, 512, 3, last=True),
    Case(32, 3, 64, 7, stride=2, last=True),
    Case(28, 64, 0, 3, last=True),
)


def peer_call(case: Case, image: np.ndarray, weights: np.ndarray) -> Callable[[], Any] | None:
    """Return a call of ONNX Runtime on one thread; None where it is not installed, or has no such convolution."""
    try:
        import onnx
        import onnxruntime  # noqa: F401
        from onnx import helper
    except ImportError:
        return None
    if case.last:
        image = np.ascontiguousarray(image.transpose(0, 3, 1, 2))
        weights = np.ascontiguousarray(weights.transpose((3, 2, 0, 1) if case.filters else (2, 0, 1)))
    if not case.filters:
        weights = weights[:, None]
    kind = onnx.TensorProto.FLOAT if case.element == "f32" else onnx.TensorProto.DOUBLE
    groups = 1 if case.filters else case.channels
    node = helper.make_node("Conv", ["x", "w"], ["y"], strides=[case.stride] * 2, group=groups)
    graph = helper.make_graph(
        [node],
        "conv",
        [helper.make_tensor_value_info("x", kind, image.shape)],
        [helper.make_tensor_value_info("y", kind, None)],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    return runtime_call(graph, image)


def row(case: Case, rounds: int) -> str:
    """Measure a case; return its row of the table.

    Raises:
        SystemExit: our result is wrong.
    """
    image, weights = case.arguments()
    begin = time.process_time()
    program = mi.compile(case.text, optimize=True, threads=1)
    compiled = time.process_time() - begin
    expected = case.expected(image, weights)
    error = np.abs(program.main(image, weights) - expected).max() / np.abs(expected).max()
    if not error <= TOLERANCE[case.element]:
        raise SystemExit(f"{case.name}: the result is off by {error:.1e}")
    ours = program.main.bind(image, weights)
    theirs = peer_call(case, image, weights)
    own, peers = turns(ours, theirs, rounds, TURN)
    low, middle, high = statistics.quantiles(own, n=4)
    cells = [case.name, f"{middle * 1e3:.3f} ({low * 1e3:.3f}-{high * 1e3:.3f})", f"{case.work / middle / 1e9:.0f}"]
    if peers:
        peer = statistics.median(peers)
        cells += [f"{peer * 1e3:.3f}", f"{case.work / peer / 1e9:.0f}", ratio_cell(own, peers)]
    else:
        cells += ["-", "-", "-"]
    return f"| {' | '.join([*cells, f'{compiled:.2f}'])} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="cases whose names contain one of these")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args(arguments)
    if options.rounds < 2:
        parser.error("--rounds must be 2 or more, as there are quartiles of them")
    print("| convolution | ours, ms (quartiles) | Gflop/s | ONNX Runtime | Gflop/s | ratio (quartiles) | compile, s |")
    print("|---|---|---|---|---|---|---|")
    for case in CASES:
        if any(part in case.name for part in options.only):
            print(row(case, options.rounds), flush=True)


if __name__ == "__main__":
    main()
