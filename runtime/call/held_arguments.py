"""Held arguments: arrays that every call of a function passes, such as a model's weights.

They are checked once, when they are given, and their addresses are written into frames once (`frames.py`), so that a
call costs nothing for them. Native code reads the arrays where they are: nothing is copied, and a mapped file is read
page by page as it is used. One that is `bufferization.writable` is updated in place by each call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...dialects.support.frozen_classes import frozen
from ...passes.framework.errors import nearest
from ..interface.keywords import Keywords
from ..interface.memrefs import Array
from ..interface.signature import Parameter, Signature
from .arguments import checked_array, exclusive_pairs, require_exclusive

__all__ = ["NOTHING_HELD", "HeldArguments", "hold"]


@frozen
class HeldArguments:
    """The arrays that calls pass by themselves, by the numbers of their parameters in the source."""

    arrays: Mapping[int, Array]

    def complete(self, rest: Sequence[Any]) -> tuple[Any, ...]:
        """All arguments of the native function, for a call with `rest`."""
        remaining = iter(rest)
        count = len(rest) + len(self.arrays)
        return tuple(self.arrays[number] if number in self.arrays else next(remaining) for number in range(count))

    def signature_of_rest(self, whole: Signature) -> Signature:
        """What callers see: the parameters that are not held, numbered anew."""
        rest = [parameter for parameter in whole.parameters if parameter.index not in self.arrays]
        return replace(whole, parameters=tuple(replace(one, index=number) for number, one in enumerate(rest)))

    def labelled(self, whole: Signature) -> Signature:
        """All parameters, which messages call as a caller knows them."""
        labels = iter([parameter.label for parameter in self.signature_of_rest(whole).parameters])
        parameters = (
            replace(one, told_as=_held_label(whole, one) if one.index in self.arrays else next(labels))
            for one in whole.parameters
        )
        return replace(whole, parameters=tuple(parameters))


NOTHING_HELD = HeldArguments({})


def hold(whole: Signature, earlier: HeldArguments, given: Mapping[str | int, Any]) -> HeldArguments:
    """The arguments of `earlier` and those of `given`, by name or number among the parameters that are not held yet.

    Raises `TypeError` for a name or number that is none of an array parameter's or is given twice, what a call raises
    for an array that does not fit, and `ValueError` for one that is written and overlaps another.
    """
    rest = earlier.signature_of_rest(whole)
    numbers = [parameter.index for parameter in whole.parameters if parameter.index not in earlier.arrays]
    positions, arrays = Keywords(rest).positions, dict(earlier.arrays)
    for key, value in given.items():
        parameter = whole.parameters[numbers[_position(rest, positions, key)]]
        if parameter.index in arrays:
            raise TypeError(f"{parameter.label} of {whole.name} is given twice")
        told = replace(parameter, told_as=_held_label(whole, parameter))
        if not parameter.type.is_array:
            raise TypeError(f"{told.label}: only arrays can be held, and it is {parameter.type.spelling}")
        arrays[parameter.index] = checked_array(told, value)
        if told.writable and not arrays[parameter.index].flags.writeable:
            raise ValueError(f"{told.label}: the array is read-only, but calls write into it; pass a copy")
    held = HeldArguments(arrays)
    pairs = exclusive_pairs(whole, lambda one, other: one in arrays and other in arrays)
    require_exclusive(held.labelled(whole), [arrays.get(parameter.index) for parameter in whole.parameters], pairs)
    return held


def _held_label(whole: Signature, parameter: Parameter) -> str:
    return f"held argument {whole.names[parameter.index]!r}"


def _position(rest: Signature, positions: Mapping[str, int], key: str | int) -> int:
    position = positions.get(key) if isinstance(key, str) else key
    if position is None:
        raise TypeError(f"{rest.name} has no argument {key!r}{nearest(str(key), positions)}; it is {rest}")
    if type(position) is not int or position not in range(len(rest.parameters)):
        raise TypeError(f"{rest.name} has no argument number {key!r}; it is {rest}")
    return position
