"""The programs in examples/, by the same rules as all others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .program import Program, Run

FOLDER = Path(__file__).parents[3] / "examples"

MLP = ("8x32xf32", "32x64xf32", "64xf32", "64x64xf32", "64xf32", "64x10xf32", "10xf32")


def example(name: str, args: Run | list[Run], numpy: Callable[..., Any], **notes: Any) -> Program:
    """The program in examples/`name`.mlir."""
    return Program(f"example_{name}", (FOLDER / f"{name}.mlir").read_text(), args, numpy, **notes)


def mlp(x: np.ndarray, *layers: np.ndarray) -> np.ndarray:
    weights, biases = layers[::2], layers[1::2]
    for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
        x = np.maximum(x @ weight + bias, 0)
    return x @ weights[-1] + biases[-1]


def jacobi(t: np.ndarray, steps: int) -> np.ndarray:
    for _ in range(steps):
        new = t.copy()
        new[1:-1, 1:-1] = (t[:-2, 1:-1] + t[2:, 1:-1] + t[1:-1, :-2] + t[1:-1, 2:]) * 0.25
        t = new
    return t


def set_ends(t: np.ndarray, x: float) -> tuple[np.ndarray, np.ndarray]:
    new = t.copy()
    new[[0, -1]] = x
    return new, t[0]


def scaled_down(t: np.ndarray, limit: float) -> np.ndarray:
    return t * (np.float32(limit) / t.sum()) if t.sum() > limit else t


def gram_of_centred(a: np.ndarray) -> np.ndarray:
    centred = a - a.sum(1, keepdims=True) / max(a.shape[1], 1)
    return centred @ centred.T


PROGRAMS = [
    example("tiled_matmul", ("128x96xf32:random", "96x64xf32:random"), lambda a, b: a @ b, rtol=1e-4),
    example("mlp", tuple(f"{size}:random" for size in MLP), mlp, rtol=1e-4),
    example(
        "jacobi",
        [("34x34xf64", steps) for steps in (0, 1, 2, 7)],
        jacobi,
        upstream_refuses="is not equivalent",
        fewer=True,
    ),
    example("prefix_sum", [("16xi64",), ("1xi64",), ("0xi64",)], np.cumsum),
    example("old_value", ("8xf32", 99.0), set_ends),
    example("branch", [("8xf32", 20.0), ("8xf32", 1000.0)], scaled_down, rtol=1e-6),
    example("call", ("3x4xf32", "4xf32"), lambda t, row: t + 2 * row),
    example(
        "dynamic", [("5x7xf64:random",), ("1x1xf64:random",), ("0x3xf64",), ("3x0xf64",)], gram_of_centred, rtol=1e-12
    ),
]
