"""What the tests of StableHLO share: programs compiled from text, and arrays whose elements are all distinct."""

from __future__ import annotations

from typing import Any

import numpy as np

import mlir_inplace as mi
from mlir_inplace.frontends.stablehlo import legalize_stablehlo, parse_stablehlo


def compiled(text: str, **options: Any) -> mi.Program:
    """The program of a StableHLO text, which counts what it allocates and copies."""
    return mi.compile(legalize_stablehlo(parse_stablehlo(text)), memory_stats=True, **options)


def distinct(*shape: int) -> np.ndarray:
    """Numbers around 0 in any order, all of them quarters, so that sums of them are exact."""
    size = int(np.prod(shape))
    return (np.random.default_rng(0).permutation(size).reshape(shape) / 4 - size / 8).astype(np.float32)
