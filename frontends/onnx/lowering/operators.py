"""All lowerings: importing this module registers them."""

from . import (
    contractions,
    control_flow,
    elementwise,
    indexing,
    movement,
    normalization,
    quantization,
    recurrent,
    reductions,
    resampling,
    sequences,
    signals,
    sorting,
    windows,
)

__all__ = [
    "contractions",
    "control_flow",
    "elementwise",
    "indexing",
    "movement",
    "normalization",
    "quantization",
    "recurrent",
    "reductions",
    "resampling",
    "sequences",
    "signals",
    "sorting",
    "windows",
]
