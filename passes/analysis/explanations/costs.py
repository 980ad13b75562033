"""What an allocation or a copy costs: its bytes, a product of sizes where they are dynamic, and how often it runs.

Sizes and trip counts are read off the tensors and loops before a conversion, which erases them. A loop whose bounds are
not constant is taken to run :data:`ASSUMED_TRIPS` times. Linear in the loops, and in the values of dynamic sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from mlir import ir

from ....dialects.support.element_sizes import element_bytes
from ....dialects.support.frozen_classes import frozen
from ...framework.diagnostics import place_text
from ..costs.estimates import ASSUMED_TRIPS, known_trips
from ..effects.sizes import followed_size
from ..whole_module.module import ModuleAnalysis
from .names import ValueNames

__all__ = ["ASSUMED_TRIPS", "Costs", "Loop", "Size", "runs"]


@frozen
class Loop:
    """A loop around an op: where it is, and its trip count, None if that is not known."""

    location: str
    trips: int | None

    def __str__(self) -> str:
        count = "an unknown number of" if self.trips is None else str(self.trips)
        return f"{count} iterations at {self.location}"


@frozen
class Size:
    """The size of a buffer: in bytes, None if dynamic, and as a product of constants and sizes of the program."""

    bytes: int | None
    text: str


class Costs:
    """Costs of the buffers and ops of an analysed module, with ``names`` of its values; made while its ops exist."""

    def __init__(self, analysis: ModuleAnalysis, names: ValueNames) -> None:
        self._analysis = analysis
        self._names = names
        self._snapshot = s = analysis.snapshot
        self._loops: dict[int, Loop] = {}
        """By the block of each loop."""
        for block, loop in enumerate(s.block_loop):
            if loop == block:
                op = s.block_op[block]
                self._loops[block] = Loop(place_text(s.ops[op].location), known_trips(s.ops[op]))
        self._shapes: dict[int, tuple[tuple[int, ...], tuple[str, ...]]] = {}
        """By tensor value of dynamic sizes, its static shape, and the names of its sizes."""
        for function in analysis.functions:
            for value in s.nested_values(function.function):
                if s.value_is_tensor[value]:
                    self._enter_shape(value)

    def _enter_shape(self, value: int) -> None:
        type_ = self._snapshot.values[value].type
        if isinstance(type_, ir.RankedTensorType) and not type_.has_static_shape:
            names = tuple(self._size_name(value, d) for d in range(type_.rank))
            self._shapes[value] = (tuple(type_.shape), names)

    def _size_name(self, value: int, dimension: int) -> str:
        found = followed_size(self._analysis.effects, value, dimension)
        if isinstance(found, int):
            return str(found)
        name = self._names.of(found[0])
        return name if found[1] < 0 else f"dim({name}, {found[1]})"

    # --- answers, also after the conversion --------------------------------------------------------------------

    def size(self, type_: ir.MemRefType, values: Iterable[int]) -> Size:
        """Return the size of a buffer of ``type_``; the names of its sizes are those of one of ``values``."""
        element = _element_bytes(type_.element_type)
        if type_.has_static_shape:
            size = None if element is None else element * prod(type_.shape)
            return Size(size, "unknown" if size is None else str(size))
        shape = tuple(type_.shape)
        names = next((self._shapes[v][1] for v in values if v in self._shapes and self._shapes[v][0] == shape), None)
        if names is None:
            names = tuple(f"d{d}" if type_.is_dynamic_dim(d) else str(size) for d, size in enumerate(shape))
        constants = [int(name) for name in names if name.isdigit()]
        factors = [name for name in names if not name.isdigit()]
        if element is not None:
            factors.insert(0, str(element * prod(constants)))
        return Size(None, " * ".join(factors))

    def loops(self, op: int) -> tuple[Loop, ...]:
        """Return the loops around op number ``op``, outermost first."""
        return tuple(self._around(self._snapshot.op_block[op]))[::-1]

    def _around(self, block: int) -> Iterator[Loop]:
        s = self._snapshot
        loop = s.block_loop[block] if block >= 0 else -1
        while loop >= 0:
            yield self._loops[loop]
            loop = s.outer_loop(loop)


def runs(loops: Iterable[Loop]) -> int:
    """Return how often an op inside of ``loops`` runs, by estimate, in one call of its function."""
    return prod(ASSUMED_TRIPS if loop.trips is None else loop.trips for loop in loops)


def _element_bytes(type_: ir.Type) -> int | None:
    try:
        return element_bytes(type_)
    except ValueError:
        return None
