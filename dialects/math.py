"""math on tensors: elementwise."""

from __future__ import annotations

from .bufferizable import OpModel
from .elementwise import ElementwiseModel

__all__ = ["MODELS"]

MODELS: tuple[OpModel, ...] = (ElementwiseModel("math.*"),)
