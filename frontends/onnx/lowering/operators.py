"""All lowerings: importing this module registers them."""

from . import (
    contractions,
    control_flow,
    convolution,
    creation,
    elementwise,
    indexing,
    movement,
    normalization,
    pooling,
    quantization,
    recurrent,
    reductions,
    resampling,
    sequences,
    signals,
    sorting,
)

__all__ = [
    "contractions",
    "control_flow",
    "convolution",
    "creation",
    "elementwise",
    "indexing",
    "movement",
    "normalization",
    "pooling",
    "quantization",
    "recurrent",
    "reductions",
    "resampling",
    "sequences",
    "signals",
    "sorting",
]
