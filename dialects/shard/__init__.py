"""shard: collectives and exchanges between the ranks of a grid, which become calls of MPI.

In place where the operand dies: a reduction, a broadcast and a halo need no second buffer. Elements that do not lie
contiguously are packed, since MPI gets lines. Ranks run one program, so the same ops in the same order; all that an op
needs from other ranks it has received when it returns.
"""

from __future__ import annotations

from ..bufferizable import OpModel
from .halos import HALO_MODELS
from .movements import MOVEMENT_MODELS
from .reductions import REDUCTION_MODELS
from .rooted import ROOTED_MODELS

__all__ = ["MODELS"]

MODELS: tuple[OpModel, ...] = (*REDUCTION_MODELS, *MOVEMENT_MODELS, *ROOTED_MODELS, *HALO_MODELS)
