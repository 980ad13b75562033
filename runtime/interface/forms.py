"""The native signature of an entry point: layouts of arrays, out arguments, where each result is after the call."""

from __future__ import annotations

from ...dialects.support.frozen_classes import frozen

__all__ = ["Form", "Layout", "OutArgument"]


@frozen
class Layout:
    """The layout that native code expects: strides and offset in elements (None: any), alignment in bytes.

    `identity`: the strides are those of row-major order for whatever the sizes turn out to be.
    """

    strides: tuple[int | None, ...]
    offset: int | None
    alignment: int
    identity: bool


@frozen
class OutArgument:
    """An out argument: the caller's memory for result `result`, aligned to `alignment` bytes.

    A size that depends on sizes of arguments is the words that say how (`result_sizes.py`).
    """

    result: int
    shape: tuple[int | str, ...]
    alignment: int


@frozen
class Form:
    """The native signature of an entry point.

    `layouts` has one entry for each parameter (None for a scalar). `results` has one for each result: the number of the
    argument that holds it (numbers from `len(layouts)` on are `outs`), or `RETURNED`.
    """

    layouts: tuple[Layout | None, ...]
    outs: tuple[OutArgument, ...]
    results: tuple[int, ...]
