"""Puts a program together: helper functions first, then the one that is called."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .building.arguments import SETS, argument_sets, draw_parameters
from .building.blocks import block_function, write_blocks
from .building.buffers import DeclaredParameters, enter, leave
from .building.builder import Builder, Module, NothingFits
from .building.carried import types
from .building.draw import Draw
from .building.functions import end, plain_function, random_models, recursive_functions, write_function
from .building.values import Tensor
from .rules.creation import draw_element
from .rules.features import PRODUCTIONS
from .rules.indices import LENGTH

_FUNCTIONS = ("blocks", "recursion", "buffers")
"""Features that are kinds of functions, not productions."""

FEATURES: tuple[str, ...] = (*dict.fromkeys(p.feature for p in PRODUCTIONS), *_FUNCTIONS)
"""All features that a program can be restricted to."""

_DEPTH = 3


@dataclass(frozen=True)
class GeneratedProgram:
    """A program with arguments to call it with.

    `features` are those that it uses; `productions` says how often it uses each rule. `kept` are the positions of
    arguments that hold after a call what they hold after an evaluation of the program on tensors, however it is
    bufferized; those in `unspecified` may hold anything, since the program may use their memory.
    """

    seed: int
    text: str
    function: str
    features: tuple[str, ...]
    productions: tuple[tuple[str, int], ...]
    argument_sets: tuple[tuple[Any, ...], ...]
    kept: tuple[int, ...] = ()
    unspecified: tuple[int, ...] = ()


def generate(seed: int, *, size: int = 8, features: Collection[str] | None = None) -> GeneratedProgram:
    """Return the program of a seed: always the same one for the same arguments.

    Args:
        seed: any integer.
        size: about how many ops the main function has, not counting those inside of others.
        features: what may be used, names from `FEATURES`; everything by default.

    Raises:
        ValueError: a feature is not known.
    """
    allowed = set(FEATURES if features is None else features)
    unknown = sorted(allowed - set(FEATURES))
    if unknown:
        raise ValueError(f"unknown feature {unknown[0]!r}; known are {', '.join(FEATURES)}")
    return _Assembly(seed, size, allowed).assemble()


def assembled(
    seed: int,
    builder: Builder,
    boundary: DeclaredParameters,
    results: Sequence[Tensor],
    argument_sets: tuple[tuple[Any, ...], ...],
) -> GeneratedProgram:
    """Return the program whose main function, with these results, is what `builder` has written."""
    module, head = builder.module, f"@main({boundary.declared}) -> ({types(results)})"
    used = tuple(sorted((name, count) for name, count in module.features.items() if count))
    return GeneratedProgram(
        seed,
        "\n".join([*module.functions, write_function(builder, head), ""]),
        "main",
        tuple(sorted({name.partition(".")[0] for name, _ in used})),
        used,
        argument_sets,
        boundary.kept,
        boundary.unspecified,
    )


class _Assembly:
    def __init__(self, seed: int, size: int, allowed: set[str]) -> None:
        self.seed, self.size, self.allowed = seed, size, allowed
        self.draw = Draw(seed)
        usual = (self.draw.between(1, 6), self.draw.between(1, 6))
        likeness = self.draw.choice((0.3, 0.5, 0.95))
        parameters = draw_parameters(self.draw)
        self.module = Module(self.draw, SETS, parameters, self.produce, usual=usual, likeness=likeness)
        self.elements = self._draw_elements()
        self.usable = [p for p in PRODUCTIONS if p.feature in allowed]
        # Each program favours some features, so that rare ones are combined: each is frequent in a few programs.
        self.favour = {f: self.draw.choice((0.3, 1.0, 1.0, 3.0)) for f in FEATURES}

    def _draw_elements(self) -> list[str]:
        """One or two element types make up most of a program, or values would not meet."""
        return [draw_element(self.draw) for _ in range(2)]

    def pick_element(self) -> str:
        """Return an element type for an argument."""
        return self.draw.choice(self.elements) if self.draw.chance(0.8) else draw_element(self.draw)

    def produce(self, builder: Builder) -> None:
        """Add one random op; some rules find nothing to do, then others are tried."""
        is_flat = builder.depth >= _DEPTH or len(builder.lines) > 40 * self.size
        usable = [p for p in self.usable if not (is_flat and p.is_nest)]
        weights = [p.weight * self.favour[p.feature] for p in usable]
        for _ in range(8 if usable else 0):
            chosen = self.draw.weighted(usable, weights)
            with suppress(NothingFits):
                chosen.rule(builder)
                self.module.features[f"{chosen.feature}.{chosen.name}"] += 1
                return

    def assemble(self) -> GeneratedProgram:
        """Write the program."""
        self._helpers()
        builder = Builder(self.module)
        models = random_models(builder, self.draw.between(2, 4), self.pick_element)
        if self._has("indices", 0.15):
            models[0] = Tensor(models[0].name, (LENGTH,), models[0].element)
        memrefs = self._has("buffers", 0.1)
        boundary = enter(builder, models, memrefs=memrefs)
        count = self.draw.between(1, 3)
        if not memrefs and self._has("blocks", 0.08):
            results: list[Tensor] = [self.draw.choice(models) for _ in range(count)]
            write_blocks(builder, models, results)
        else:
            for _ in range(self.size):
                builder.produce()
            leave(builder, boundary)
            results = self._results(builder, count)
            end(builder, "return", results)
        return assembled(self.seed, builder, boundary, results, argument_sets(self.module.parameters, models))

    def _has(self, feature: str, probability: float) -> bool:
        """Draw whether a program uses a feature; the fewer features are requested, the more likely."""
        probability = min(0.7, probability * len(FEATURES) / len(self.allowed))
        has = feature in self.allowed and self.draw.chance(probability)
        self.module.features[feature] += has
        return has

    def _helpers(self) -> None:
        if "calls" not in self.allowed:
            return
        if self._has("calls", 0.22):
            self.module.callable.append(plain_function(self.module, self._models(3), self.draw.between(1, 4)))
        if self._has("recursion", 0.22):
            models = [self._models(3) for _ in range(self.draw.between(1, 2))]
            self.module.callable += recursive_functions(self.module, models, self.draw.between(1, 3))
        if self._has("blocks", 0.22):
            self.module.callable.append(block_function(self.module, self._models(3)))

    def _models(self, most: int) -> list[Tensor]:
        return random_models(Builder(self.module), self.draw.between(1, most), self.pick_element)

    def _results(self, builder: Builder, count: int) -> list[Tensor]:
        """Return what main returns: values written over, and whatever else is in scope."""
        found = (builder.find() for _ in range(count))
        return [tensor for tensor in found if tensor is not None]


__all__ = ["FEATURES", "GeneratedProgram", "generate"]
