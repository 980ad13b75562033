"""ONNX Runtime on one thread as a peer of benchmarks, in turns with ours."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Call = Callable[[], Any]


def onnx_model(graph: Any) -> Any:
    """Return the model of a graph."""
    from onnx import helper

    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def runtime_call(graph: Any, image: np.ndarray) -> Call | None:
    """Return a call of ONNX Runtime with `image` as the graph's `x`; None where it has no kernel for it."""
    import onnxruntime

    model = onnx_model(graph)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    except Exception:  # noqa: BLE001 - its errors have no common base
        return None
    return lambda: session.run(None, {"x": image})


def turn(call: Call, least: float) -> float:
    """Seconds that a call takes, the median of those in a turn of `least` seconds; the first one is not counted."""
    call()
    times: list[float] = []
    while len(times) < 3 or sum(times) < least:
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return statistics.median(times)


def turns(ours: Call, theirs: Call | None, rounds: int, least: float) -> tuple[list[float], list[float]]:
    """Seconds of both in each of `rounds` rounds, in which they take turns; the second is empty without a peer."""
    pairs = [(turn(ours, least), turn(theirs, least) if theirs else None) for _ in range(rounds)]
    return [own for own, _ in pairs], [peer for _, peer in pairs if peer is not None]


def ratio_cell(own: Sequence[float], peers: Sequence[float]) -> str:
    """The ratio of the medians, above 1 where ours is faster, with the quartiles of the rounds' ratios."""
    low, _, high = statistics.quantiles([peer / one for one, peer in zip(own, peers, strict=True)], n=4)
    return f"{statistics.median(peers) / statistics.median(own):.2f} ({low:.2f}-{high:.2f})"
