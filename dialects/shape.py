"""shape: ``shape.assuming`` returns what its region yields. Constraints are left alone."""

from __future__ import annotations

from .bufferizable import OpModel
from .common_models import NoReadModel
from .region_branches import RegionBranchModel

__all__ = ["MODELS"]

MODELS: tuple[OpModel, ...] = (RegionBranchModel("shape.assuming"), NoReadModel("shape.assuming_yield"))
