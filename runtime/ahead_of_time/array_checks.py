"""Checks of an array that a C caller gives, and the words that describe it to native code.

The struct in the header has the address of the data, then sizes and strides in elements, then `memory`, each a word.
"""

from __future__ import annotations

from collections.abc import Callable

from ...dialects.support.frozen_classes import frozen
from ..interface.forms import Layout, OutArgument
from ..interface.memrefs import row_major_strides
from ..interface.result_sizes import known_shape
from ..interface.signature import ValueType
from .interface import Checks
from .lines import WORD, Lines

__all__ = ["ArrayWords", "checked_array", "held_array", "out_layout"]


@frozen
class ArrayWords:
    """What describes an array: constants and variables."""

    address: str
    offset: str
    sizes: tuple[str, ...]
    strides: tuple[str, ...]


def out_layout(out: OutArgument, type_: ValueType) -> Layout:
    """The layout of the memory for a result, which has no dynamic size in a library."""
    shape = known_shape(out.shape, ())
    return Layout(row_major_strides(shape), 0, max(out.alignment, type_.element.alignment), identity=True)


def held_array(address: str, type_: ValueType, layout: Layout) -> ArrayWords:
    """The words of a contiguous array of the library's own, all of whose sizes are known."""
    shape = [size or 0 for size in type_.shape]
    strides = row_major_strides(shape)
    return ArrayWords(address, str(layout.offset or 0), tuple(map(str, shape)), tuple(map(str, strides)))


def checked_array(
    lines: Lines, base: str, type_: ValueType, layout: Layout, checks: Checks, mismatch: Callable[[], None]
) -> ArrayWords:
    """Check the array whose struct is at `base`; `mismatch` ends the code where the layout does not allow strides."""
    return _ArrayChecks(lines, base, type_, layout).run(checks, mismatch)


class _ArrayChecks:
    def __init__(self, lines: Lines, base: str, type_: ValueType, layout: Layout) -> None:
        self._lines = lines
        self._base = base
        self._shape = type_.shape
        self._itemsize = type_.element.dtype.itemsize
        self._layout = layout
        self._given_sizes = [f"{base}_n{axis}" for axis in range(len(type_.shape))]
        self._given_strides = [f"{base}_s{axis}" for axis in range(len(type_.shape))]
        self._sizes = [
            name if size is None else str(size) for name, size in zip(self._given_sizes, type_.shape, strict=True)
        ]

    def run(self, checks: Checks, mismatch: Callable[[], None]) -> ArrayWords:
        lines, base = self._lines, self._base
        lines.refuse(f"{base} == 0", checks.memory)
        for place, name in enumerate([f"{base}_data", *self._given_sizes, *self._given_strides]):
            lines.add(f"{name} = {base}[{place * WORD}]")
        for name, size in zip(self._given_sizes, self._shape, strict=True):
            if size is None:
                lines.refuse(f"{name} < 0", checks.sizes)
            else:
                lines.require(f"{name} == {size}", checks.sizes)
        allowed = self._regular_strides() if self._layout.identity else self._stated_strides()
        if 0 not in self._shape:
            self._check_elements(allowed, checks, mismatch)
        address, offset = f"{base}_data", self._layout.offset or 0
        if offset:
            distance = lines.constant(offset * self._itemsize)
            lines.add(f"{base}_start = {address} - {distance}")
            address = f"{base}_start"
        strides = (wanted or given for wanted, given in zip(allowed, self._given_strides, strict=True))
        return ArrayWords(address, lines.constant(offset), tuple(self._sizes), tuple(strides))

    def _stated_strides(self) -> list[str | None]:
        return [None if stride is None else self._lines.constant(stride) for stride in self._layout.strides]

    def _regular_strides(self) -> list[str | None]:
        """The strides of a contiguous array; an axis without elements counts as one with one element."""
        strides: list[str] = ["1"] * len(self._shape)
        for axis in range(len(self._shape) - 2, -1, -1):
            size, inner = self._shape[axis + 1], strides[axis + 1]
            if size is not None and inner.isdigit():
                strides[axis] = str(int(inner) * max(size, 1))
                continue
            factor = str(max(size or 1, 1))
            if size is None:
                factor = self._lines.new_name()
                given = self._given_sizes[axis + 1]
                self._lines.add(f"%{factor} = llvm.intr.smax(%{given}, %k1) : (i64, i64) -> i64")
            strides[axis] = self._lines.new_name()
            self._lines.add(f"{strides[axis]} = {inner} * {factor}")
        return [*strides]

    def _check_elements(self, allowed: list[str | None], checks: Checks, mismatch: Callable[[], None]) -> None:
        """Check what matters only if there are elements: the memory, and the strides of axes with several."""
        lines, behind = self._lines, self._lines.new_name()
        for name, size in zip(self._given_sizes, self._shape, strict=True):
            if size is None:
                lines.branch(f"{name} == 0", yes=behind)
        lines.refuse(f"{self._base}_data == 0", checks.memory)
        if self._layout.alignment > 1:
            lines.add(f"{self._base}_low = {self._base}_data & {self._layout.alignment - 1}")
            lines.require(f"{self._base}_low == 0", checks.memory)
        for size, name, stride, wanted in zip(
            self._shape, self._given_sizes, self._given_strides, allowed, strict=True
        ):
            if wanted is None or size == 1:
                continue
            fits = lines.new_name()
            if size is None:
                lines.branch(f"{name} == 1", yes=fits)
            lines.branch(f"{stride} == {wanted}", yes=fits)
            mismatch()
            lines.begin(fits)
        lines.add(f"jump ^{behind}")
        lines.begin(behind)
