"""Models of PyTorch on one thread: eager, inductor, and `torch.compile(backend="inplace")`.

    python benchmarks/torch_models.py
    python benchmarks/torch_models.py --rounds 9 --only MLP

Backends take turns, so that none has a quiet machine to itself. Printed are the median and the quartiles over rounds,
in milliseconds for one call, and the seconds that the first call took, compilation included. `--weights` shows instead
that a module with so many megabytes of weights needs no second copy of them.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

import mlir_inplace as mi
from mlir_inplace.frontends.torch.dynamo import inplace

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from torch_compile import vision_model


def models() -> dict[str, tuple[nn.Module, torch.Tensor]]:
    """Models in evaluation mode, with inputs, by name."""
    mlp = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 256), nn.ReLU(), nn.Linear(256, 10))
    encoder = nn.TransformerEncoderLayer(128, 4, 256, dropout=0, batch_first=True)
    return {
        "vision model, batch 1": (vision_model(), torch.randn(1, 3, 32, 32)),
        "vision model, batch 16": (vision_model(), torch.randn(16, 3, 32, 32)),
        "MLP, batch 1": (mlp, torch.randn(1, 256)),
        "MLP, batch 64": (mlp, torch.randn(64, 256)),
        "encoder layer, 32 tokens": (encoder, torch.randn(1, 32, 128)),
    }


BACKENDS: dict[str, Callable[[nn.Module], Any]] = {
    "eager": lambda model: model,
    "inductor": torch.compile,
    "inplace": lambda model: torch.compile(model, backend=inplace),
}


def milliseconds(call: Callable[[], Any], seconds: float = 0.1) -> float:
    """The mean time of a call, over about `seconds`."""
    started, calls = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        call()
        calls += 1
    return (time.perf_counter() - started) / calls * 1e3


def measure(model: nn.Module, x: torch.Tensor, rounds: int) -> None:
    """Print a line for each backend."""
    calls: dict[str, Callable[[], Any]] = {}
    first: dict[str, float] = {}
    with torch.no_grad():
        expected = model(x)
        for name, make in BACKENDS.items():
            torch._dynamo.reset()
            function = make(model)
            started = time.perf_counter()
            torch.testing.assert_close(function(x), expected, rtol=1e-3, atol=1e-4)
            first[name] = time.perf_counter() - started
            calls[name] = lambda function=function: function(x)
        times: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(rounds):
            for name, call in calls.items():
                times[name].append(milliseconds(call))
    for name, found in times.items():
        low, middle, high = statistics.quantiles(found, n=4)
        print(f"  {name:10} {middle:8.3f} ms  ({low:.3f} to {high:.3f}), first call {first[name]:.2f} s")


def weights(megabytes: int) -> None:
    """Print what compiling and calling a module with so many megabytes of weights adds to the process."""

    class Scale(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(megabytes, 1 << 18))

        def forward(self, x: Any) -> Any:
            return (self.weight * x).sum(1)

    module = Scale()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    program = mi.from_torch(module, torch.ones(1 << 18))
    seconds = time.perf_counter() - started
    np.testing.assert_allclose(program.main(np.ones(1 << 18, np.float32)), 1 << 18)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{megabytes} MB of weights: compiled in {seconds:.2f} s; the peak of memory grew by {grown:.0f} MB")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints; returns the exit code."""
    parser = argparse.ArgumentParser(description="PyTorch models: eager, inductor and inplace, on one thread.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="models with this in their names")
    parser.add_argument("--weights", type=int, help="megabytes of weights")
    settings = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if settings.weights:
        weights(settings.weights)
        return 0
    for name, (model, x) in models().items():
        if settings.only in name:
            print(name)
            measure(model.eval(), x, settings.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
