"""How fast convolution nets run that `mi.compile(..., optimize=True)` made of plain linalg, beside ONNX Runtime.

    python benchmarks/networks.py
    python benchmarks/networks.py --only ResNet --rounds 15

The nets are as frontends lower them: padding, convolution, batch normalization, relu and sums are separate ops, batch
1, channels first. Weights are random. ONNX Runtime, where it is installed (`pip install onnxruntime onnx`), has them as
constants, which it folds and packs. So have we where the net is an ONNX model (`mi.from_onnx`, which needs `onnx`);
rows "weights as arguments" are of `mi.compile` on linalg that gets the weights in each call. Both run on one thread and
take turns; a turn is the median of the calls within 50 ms (three at least), in the processor time of the process. The
table has medians over the rounds, for ours with the quartiles, the ratio of ONNX Runtime's median to ours (above 1.00
we are faster) with the quartiles of the ratio in each round, and the seconds of compiling. Before that our result is
compared with NumPy in float64. Nothing here is a test: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from subjects.onnx_runtime import onnx_model, ratio_cell, runtime_call, turns

import mlir_inplace as mi

TURN = 0.05
EPSILON = 1e-5
RELU = "%z = arith.constant 0.0 : f32\n%y = arith.maximumf {0}, %z : f32"


def tensor(*shape: int) -> str:
    """The type of a tensor."""
    return f"tensor<{'x'.join(map(str, (*shape, 'f32')))}>"


class Net:
    """A net as linalg, as ONNX nodes and as values in float64; methods add an op to all three, and return its name."""

    def __init__(self, *shape: int) -> None:
        self.rng = np.random.default_rng(0)
        self.lines: list[str] = []
        self.nodes: list[tuple[str, list[str], str, dict[str, Any]]] = []
        self.parameters: dict[str, np.ndarray] = {}
        self.input = self.rng.standard_normal(shape).astype(np.float32)
        self.values: dict[str, np.ndarray] = {"x": self.input.astype(np.float64)}

    def parameter(self, *shape: int, scale: float = 1.0, least: float | None = None) -> str:
        """Random weights; none is below `least`, if that is given."""
        name = f"p{len(self.parameters)}"
        values = self.rng.standard_normal(shape) * scale
        self.parameters[name] = (values if least is None else np.abs(values) + least).astype(np.float32)
        self.values[name] = self.parameters[name].astype(np.float64)
        return name

    def _type(self, name: str) -> str:
        return tensor(*self.values[name].shape)

    def _add(self, kind: str, inputs: Sequence[str], value: np.ndarray, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append((kind, list(inputs), name, attributes))
        self.values[name] = value
        return name

    def _filled(self, name: str, type_: str, value: str) -> str:
        self.lines += [
            f"%{name}_c = arith.constant {value} : f32",
            f"%{name}_e = tensor.empty() : {type_}",
            f"%{name}_f = linalg.fill ins(%{name}_c : f32) outs(%{name}_e : {type_}) -> {type_}",
        ]
        return f"%{name}_f"

    def _elementwise(self, name: str, inputs: Sequence[str], maps: Sequence[str], body: str) -> None:
        """An op on all elements of a result; `body` computes %y of %i0 and so on."""
        type_, rank = self._type(name), self.values[name].ndim
        loops = ", ".join("nchw"[:rank])
        attributes = ", ".join(f"affine_map<({loops}) -> ({map_})>" for map_ in (*maps, loops))
        kinds = ", ".join(['"parallel"'] * rank)
        arguments = ", ".join(f"%i{number}: f32" for number in range(len(inputs)))
        self.lines.append(
            f"%{name}_e = tensor.empty() : {type_}\n"
            f"%{name} = linalg.generic {{indexing_maps = [{attributes}], iterator_types = [{kinds}]}}"
            f" ins({', '.join(f'%{one}' for one in inputs)} : {', '.join(map(self._type, inputs))})"
            f" outs(%{name}_e : {type_}) {{\n^bb0({arguments}, %o: f32):\n{body}\nlinalg.yield %y : f32\n}} -> {type_}"
        )

    def padded(self, x: str, pad: int, value: float = 0.0) -> str:
        """An image with a border; a part of the next ONNX node."""
        if not pad:
            return x
        n, c, h, w = self.values[x].shape
        name = f"{x}_p{pad}"
        if name not in self.values:
            text = "0.0" if value == 0 else "0xFF800000"
            self.values[name] = np.pad(self.values[x], ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=value)
            self.lines.append(
                f"%{name}_c = arith.constant {text} : f32\n"
                f"%{name} = tensor.pad %{x} low[0, 0, {pad}, {pad}] high[0, 0, {pad}, {pad}] {{\n"
                f"^bb0(%i: index, %j: index, %k: index, %l: index):\ntensor.yield %{name}_c : f32\n}}"
                f" : {tensor(n, c, h, w)} to {self._type(name)}"
            )
        return name

    def _windows(self, name: str, window: int, stride: int) -> np.ndarray:
        view = np.lib.stride_tricks.sliding_window_view(self.values[name], (window, window), (2, 3))
        return view[:, :, ::stride, ::stride]

    def conv(self, x: str, filters: int, window: int, stride: int = 1) -> str:
        """A convolution, padded so that the size stays but for the stride."""
        pad, channels = window // 2, self.values[x].shape[1]
        weights = self.parameter(filters, channels, window, window, scale=(channels * window**2) ** -0.5)
        image = self.padded(x, pad)
        windows = self._windows(image, window, stride)
        value = np.tensordot(windows, self.values[weights], ((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
        name = self._add("Conv", [x, weights], value, strides=[stride] * 2, pads=[pad] * 4)
        start = self._filled(name, self._type(name), "0.0")
        self.lines.append(
            f"%{name} = linalg.conv_2d_nchw_fchw {{strides = dense<{stride}> : tensor<2xi64>}}"
            f" ins(%{image}, %{weights} : {self._type(image)}, {self._type(weights)})"
            f" outs({start} : {self._type(name)}) -> {self._type(name)}"
        )
        return name

    def norm(self, x: str) -> str:
        """Batch normalization by known means and variances."""
        c = self.values[x].shape[1]
        names = [self.parameter(c, least=0.5), self.parameter(c), self.parameter(c), self.parameter(c, least=0.5)]
        scale, shift, mean, variance = (self.values[name][:, None, None] for name in names)
        value = (self.values[x] - mean) / np.sqrt(variance + EPSILON) * scale + shift
        name = self._add("BatchNormalization", [x, *names], value, epsilon=EPSILON)
        body = f"""%eps = arith.constant {EPSILON:.6f} : f32
          %d = arith.subf %i0, %i3 : f32
          %v = arith.addf %i4, %eps : f32
          %r = math.rsqrt %v : f32
          %q = arith.mulf %d, %r : f32
          %s = arith.mulf %q, %i1 : f32
          %y = arith.addf %s, %i2 : f32"""
        self._elementwise(name, [x, *names], ["n, c, h, w", *["c"] * 4], body)
        return name

    def relu(self, x: str) -> str:
        """The larger of each element and zero."""
        name = self._add("Relu", [x], np.maximum(self.values[x], 0))
        loops = ", ".join("nchw"[: self.values[x].ndim])
        self._elementwise(name, [x], [loops], RELU.format("%i0"))
        return name

    def add(self, x: str, y: str) -> str:
        """A sum."""
        name = self._add("Add", [x, y], self.values[x] + self.values[y])
        self._elementwise(name, [x, y], ["n, c, h, w"] * 2, "%y = arith.addf %i0, %i1 : f32")
        return name

    def pool(self, x: str, window: int, stride: int, pad: int) -> str:
        """The largest element of each window."""
        image = self.padded(x, pad, -np.inf)
        value = self._windows(image, window, stride).max((4, 5))
        name = self._add("MaxPool", [x], value, kernel_shape=[window] * 2, strides=[stride] * 2, pads=[pad] * 4)
        start = self._filled(name, self._type(name), "0xFF800000")
        shape = tensor(window, window)
        self.lines.append(
            f"%{name}_w = tensor.empty() : {shape}\n"
            f"%{name} = linalg.pooling_nchw_max {{strides = dense<{stride}> : tensor<2xi64>}}"
            f" ins(%{image}, %{name}_w : {self._type(image)}, {shape}) outs({start} : {self._type(name)})"
            f" -> {self._type(name)}"
        )
        return name

    def mean(self, x: str) -> str:
        """The mean of the pixels of each channel."""
        _, _, h, w = self.values[x].shape
        name = self._add("ReduceMean", [x], self.values[x].mean((2, 3)), axes=[2, 3], keepdims=0)
        start = self._filled(f"{name}_s", self._type(name), "0.0")
        self.lines.append(
            f"%{name}_s = linalg.reduce {{arith.addf}} ins(%{x} : {self._type(x)}) outs({start} : {self._type(name)})"
            " dimensions = [2, 3]"
        )
        self.values[f"{name}_s"] = self.values[name]
        body = f"%k = arith.constant {1 / (h * w)} : f32\n%y = arith.mulf %i0, %k : f32"
        self._elementwise(name, [f"{name}_s"], ["n, c"], body)
        return name

    def dense(self, x: str, features: int) -> str:
        """A product with weights, and a bias."""
        inputs = self.values[x].shape[1]
        weights, bias = self.parameter(inputs, features, scale=inputs**-0.5), self.parameter(features)
        product = self.values[x] @ self.values[weights]
        name = self._add("Gemm", [x, weights, bias], product + self.values[bias])
        start = self._filled(f"{name}_m", self._type(name), "0.0")
        self.values[f"{name}_m"] = product
        self.lines.append(
            f"%{name}_m = linalg.matmul ins(%{x}, %{weights} : {self._type(x)}, {self._type(weights)})"
            f" outs({start} : {self._type(name)}) -> {self._type(name)}"
        )
        self._elementwise(name, [f"{name}_m", bias], ["n, c", "c"], "%y = arith.addf %i0, %i1 : f32")
        return name

    def text(self, result: str) -> str:
        """The program; parameters follow the image."""
        names = ["x", *self.parameters]
        arguments = ", ".join(f"%{name}: {self._type(name)}" for name in names)
        body = "\n".join(self.lines)
        type_ = self._type(result)
        return f"func.func @main({arguments}) -> {type_} {{\n{body}\nreturn %{result} : {type_}\n}}"

    def graph(self, result: str) -> Any:
        """The net as an ONNX graph, which stores the weights; None where `onnx` is not installed."""
        try:
            import onnx
        except ImportError:
            return None
        helper, kind = onnx.helper, onnx.TensorProto.FLOAT
        return helper.make_graph(
            [helper.make_node(op, inputs, [output], **attributes) for op, inputs, output, attributes in self.nodes],
            "net",
            [helper.make_tensor_value_info("x", kind, self.input.shape)],
            [helper.make_tensor_value_info(result, kind, self.values[result].shape)],
            [onnx.numpy_helper.from_array(values, name) for name, values in self.parameters.items()],
        )

    def peer_call(self, result: str) -> Callable[[], Any] | None:
        """A call of ONNX Runtime on one thread; None where it is not installed."""
        try:
            import onnxruntime  # noqa: F401
        except ImportError:
            return None
        graph = self.graph(result)
        return None if graph is None else runtime_call(graph, self.input)


def small(net: Net) -> str:
    """Three convolutions with pooling, and a layer on top."""
    x = "x"
    for filters in (32, 64, 128):
        x = net.pool(net.relu(net.norm(net.conv(x, filters, 3))), 2, 2, 0)
    return net.dense(net.mean(x), 10)


def resnet(net: Net) -> str:
    """ResNet-18."""
    x = net.pool(net.relu(net.norm(net.conv("x", 64, 7, 2))), 3, 2, 1)
    for number, filters in enumerate((64, 128, 256, 512)):
        for block in range(2):
            stride = 2 if number and not block else 1
            short = net.norm(net.conv(x, filters, 1, stride)) if stride > 1 else x
            inner = net.relu(net.norm(net.conv(x, filters, 3, stride)))
            x = net.relu(net.add(net.norm(net.conv(inner, filters, 3)), short))
    return net.dense(net.mean(x), 1000)


NETS: dict[str, tuple[tuple[int, ...], Callable[[Net], str]]] = {
    "small net at 32x32": ((1, 3, 32, 32), small),
    "ResNet-18 at 64x64": ((1, 3, 64, 64), resnet),
    "ResNet-18 at 224x224": ((1, 3, 224, 224), resnet),
}


def with_arguments(net: Net, result: str) -> tuple[Callable[[], Any], float]:
    """A call that passes all weights, and the seconds of compiling."""
    begin = time.process_time()
    program = mi.compile(net.text(result), optimize=True, threads=1, cache=False)
    seconds = time.process_time() - begin
    return program.main.bind(net.input, *net.parameters.values()), seconds


def with_constants(net: Net, result: str) -> tuple[Callable[[], Any], float] | None:
    """A call of the ONNX model, and the seconds of compiling; None where `onnx` is not installed."""
    graph = net.graph(result)
    if graph is None:
        return None
    model = onnx_model(graph)
    begin = time.process_time()
    program = mi.from_onnx(model, threads=1, cache=False)
    return program.main.bind(net.input), time.process_time() - begin


def row(name: str, net: Net, result: str, made: tuple[Callable[[], Any], float], rounds: int) -> str:
    """Measure a net; return its row of the table.

    Raises:
        SystemExit: our result is wrong.
    """
    ours, compiled = made
    expected = net.values[result]
    error = np.abs(ours() - expected).max() / np.abs(expected).max()
    if not error <= 1e-4:
        raise SystemExit(f"{name}: the result is off by {error:.1e}")
    own, peers = turns(ours, net.peer_call(result), rounds, TURN)
    low, middle, high = (seconds * 1e3 for seconds in statistics.quantiles(own, n=4))
    cells = [name, f"{middle:.3f} ({low:.3f}-{high:.3f})"]
    if peers:
        cells += [f"{statistics.median(peers) * 1e3:.3f}", ratio_cell(own, peers)]
    else:
        cells += ["-", "-"]
    return f"| {' | '.join([*cells, f'{compiled:.1f}'])} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="nets whose names contain one of these")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("--rounds must be 2 or more, as there are quartiles of them")
    print("| net | ours, ms (quartiles) | ONNX Runtime | ratio (quartiles) | compile, s |\n|---|---|---|---|---|")
    for name, (shape, build) in NETS.items():
        if not any(part in name for part in options.only):
            continue
        net = Net(*shape)
        result = build(net)
        print(
            row(f"{name}, weights as arguments", net, result, with_arguments(net, result), options.rounds), flush=True
        )
        stored = with_constants(net, result)
        if stored is not None:
            print(row(name, net, result, stored, options.rounds), flush=True)


if __name__ == "__main__":
    main()
