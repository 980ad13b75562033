"""Perceptrons of several widths and batches as ONNX models, beside ONNX Runtime, and beside what the core can do.

    python benchmarks/perceptrons.py
    python benchmarks/perceptrons.py --only 1024 --batches 1 8 --rounds 9

Layers are `Gemm` and `Relu`, or with `--transposed`, as PyTorch exports them, with a matrix that is transposed. Both
run on one thread and take turns; a turn is the median of the calls within 30 ms (three at least), in the processor time
of the process. The table has medians over the rounds in microseconds, the ratio of ONNX Runtime's to ours (above 1.00
we are faster) with the quartiles of the rounds' ratios, and what share of the core's peak of additions and
multiplications both reach. Of few rows the time is that of reading weights: the last column is how many GB of them are
read in a second, by us and by ONNX Runtime. Before that our result is compared with ONNX Runtime's. Nothing here is a
test.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import time
from collections.abc import Sequence
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from subjects.limits import measure_limits
from subjects.onnx_runtime import onnx_model, ratio_cell, runtime_call, turns

import mlir_inplace as mi

TURN = 0.03
NETS = ("64-128-10", "256-256-256-256", "784-300-100-10", "784-512-512-10", "1024-1024-1024", "2048-2048-2048")


def graph(batch: int, widths: Sequence[int], transposed: bool) -> Any:
    """The layers as an ONNX graph, which stores random weights."""
    from onnx import helper, numpy_helper

    rng = np.random.default_rng(0)
    nodes: list[Any] = []
    stored: list[Any] = []
    x = "x"
    for layer, (inputs, outputs) in enumerate(itertools.pairwise(widths)):
        if layer:
            nodes.append(helper.make_node("Relu", [x], [f"positive{layer}"]))
            x = f"positive{layer}"
        shape = (outputs, inputs) if transposed else (inputs, outputs)
        weights = (rng.standard_normal(shape) * inputs**-0.5).astype(np.float32)
        bias = rng.standard_normal(outputs).astype(np.float32)
        names = f"weights{layer}", f"bias{layer}"
        stored += map(numpy_helper.from_array, (weights, bias), names)
        nodes.append(helper.make_node("Gemm", [x, *names], [f"layer{layer}"], transB=int(transposed)))
        x = f"layer{layer}"
    ends = [
        helper.make_tensor_value_info(name, 1, (batch, width)) for name, width in (("x", widths[0]), (x, widths[-1]))
    ]
    return helper.make_graph(nodes, "perceptron", ends[:1], ends[1:], stored)


def row(net: str, batch: int, *, transposed: bool, rounds: int, peak: float) -> str:
    """Measure a net; return its row of the table.

    Raises:
        SystemExit: our result is wrong.
    """
    widths = [int(width) for width in net.split("-")]
    made = graph(batch, widths, transposed)
    x = np.random.default_rng(1).standard_normal((batch, widths[0])).astype(np.float32)
    ours = mi.from_onnx(onnx_model(made), threads=1, cache=False).main.bind(x)
    peer = runtime_call(made, x)
    if peer is None:
        raise SystemExit(f"{net}: ONNX Runtime does not take the model")
    error = np.abs(ours() - peer()[0]).max()
    if not error <= 1e-3:
        raise SystemExit(f"{net}: the result is off by {error:.1e}")
    own, peers = turns(ours, peer, rounds, TURN)
    elements = sum(inputs * outputs for inputs, outputs in itertools.pairwise(widths))
    seconds = [statistics.median(own), statistics.median(peers)]
    cells = (
        ", ".join(f"{one * 1e6:.1f}" for one in seconds),
        ratio_cell(own, peers),
        ", ".join(f"{2 * batch * elements / one / peak:.0%}" for one in seconds),
        ", ".join(f"{4 * elements / one / 1e9:.0f}" for one in seconds),
    )
    return f"| {net} | {batch} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="nets whose names contain one of these")
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 2, 4, 8, 32, 128, 256])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--transposed", action="store_true", help="weights have a row for each output")
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("--rounds must be 2 or more, as there are quartiles of them")
    peak = measure_limits(1, time.process_time).operations
    print("| net | batch | ours, ONNX Runtime, µs | ratio (quartiles) | of the peak | GB/s |")
    print("|---|--:|--:|---|--:|--:|")
    for net in NETS:
        if any(part in net for part in options.only):
            for batch in options.batches:
                print(row(net, batch, transposed=options.transposed, rounds=options.rounds, peak=peak), flush=True)


if __name__ == "__main__":
    main()
