"""Programs of structured ops: products, reductions, convolutions, row-wise ops, sweeps, and ops on their results.

`generate` covers all ops, on tensors of a few elements. These are chains of ops that are worth optimizing, with sizes
of some vectors and a remainder, of 0 or 1, and dynamic ones.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from .building.arguments import SETS, argument_sets
from .building.buffers import enter
from .building.builder import Builder, Module, NothingFits
from .building.draw import Draw
from .building.functions import end
from .building.productions import Production
from .building.structured import elementwise_generic, mapped_generic, reduction_generic
from .building.values import ConditionValue, IndexValue, Parameters, Size, Tensor
from .program import GeneratedProgram, assembled
from .rules.named import broadcast, elementwise_named, index_map, transpose
from .rules.slices import extract_slice, insert_slice
from .structured_rules import RULES
from .structured_sweeps import SWEEPS

__all__ = ["generate_structured"]

_SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 20)
_ELEMENTS = ("f32", "f64", "i32", "i8", "i64", "f16", "bf16")
_WEIGHTS = (10.0, 3.0, 2.0, 1.0, 1.0, 1.0, 1.0)
_DEPTH = 2


def generate_structured(seed: int, *, size: int = 6) -> GeneratedProgram:
    """Return the program of a seed: always the same one. It has about `size` ops, or small groups of them."""
    return _Assembly(seed, size).assemble()


_SHARED = (
    (elementwise_generic, 3.0),
    (mapped_generic, 3.0),
    (reduction_generic, 1.5),
    (elementwise_named, 1.0),
    (transpose, 1.5),
    (broadcast, 0.7),
    (index_map, 0.3),
    (extract_slice, 0.7),
    (insert_slice, 0.7),
)
_RULES = [*RULES, *SWEEPS, *(Production("shared", rule.__name__, weight, False, rule) for rule, weight in _SHARED)]
"""The last ones are rules of `generate` that do something between two products."""


class _Assembly:
    def __init__(self, seed: int, size: int) -> None:
        self.seed, self.size = seed, size
        self.draw = Draw(seed)
        self.module = Module(self.draw, SETS, _parameters(self.draw), self.produce)
        self.weights = [p.weight * self.draw.choice((0.3, 1.0, 1.0, 3.0)) for p in _RULES]

    def produce(self, builder: Builder) -> None:
        """Add one op or group of ops."""
        for _ in range(8):
            chosen = self.draw.weighted(_RULES, self.weights)
            if chosen.is_nest and builder.depth >= _DEPTH:
                continue
            with suppress(NothingFits):
                chosen.rule(builder)
                self.module.features[chosen.name] += 1
                return

    def assemble(self) -> GeneratedProgram:
        """Write the program."""
        builder = Builder(self.module)
        models = self._models(builder)
        boundary = enter(builder, models, memrefs=False)
        for _ in range(self.size):
            builder.produce()
        tensors = builder.scope.tensors
        results = [tensors[-1], *(self.draw.choice(tensors) for _ in range(self.draw.below(3)))]
        end(builder, "return", results)
        return assembled(self.seed, builder, boundary, results, argument_sets(self.module.parameters, models, _small))

    def _models(self, builder: Builder) -> list[Tensor]:
        """Return tensors that have dimensions, and for the most part the element type, in common."""
        draw = self.draw
        element = draw.weighted(_ELEMENTS, _WEIGHTS)
        pool: list[Size] = [*self.module.parameters.indices[:2], *(draw.choice(_SIZES) for _ in range(3))]
        models: list[Tensor] = []
        for _ in range(draw.between(2, 4)):
            rank = draw.weighted((1, 2, 3), (2, 6, 2))
            sizes = tuple(draw.choice(pool) for _ in range(rank))
            other = draw.weighted(_ELEMENTS, _WEIGHTS)
            models.append(Tensor(builder.name(), sizes, element if draw.chance(0.85) else other))
        return models


def _parameters(draw: Draw) -> Parameters:
    """Two sizes, one of which is 0 and then 1, a number of iterations, and two conditions."""
    first = (draw.choice(_SIZES[2:]), draw.choice(_SIZES[2:]), draw.below(8))
    rest = [(small, draw.choice(_SIZES)) for small in (0, 1)]
    swapped = [pair[::-1] if draw.chance(0.5) else pair for pair in rest]
    rows = (first, (*swapped[0], draw.below(4)), (*swapped[1], draw.below(8)))
    indices = tuple(
        IndexValue(name, tuple((row[d], row[d]) for row in rows)) for d, name in enumerate(("%n", "%m", "%i"))
    )
    return Parameters(indices, (ConditionValue("%p", (True, False, True)), ConditionValue("%q", (False, True, True))))


def _small(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Small enough for products of products to be sums without rounding, most of the time."""
    return (values.astype(np.int64) * 5 % 17 - 8).astype(values.dtype)
