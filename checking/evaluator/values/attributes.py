"""Integers in attributes, and mixed lists of attributes and operands."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

__all__ = ["DYNAMIC", "Mixed", "integer", "integers", "mixed", "mixed_lists"]

DYNAMIC = ir.ShapedType.get_dynamic_size()

Mixed = Callable[[Sequence[Any]], Sequence[int]]
"""From the values of an op's operands to a mixed list: static entries are attributes, dynamic ones operands."""


def integer(op: ir.Operation, name: str) -> int:
    """An attribute that is an integer."""
    return ir.IntegerAttr(op.attributes[name]).value


def integers(op: ir.Operation, name: str) -> list[int]:
    """An attribute that is an array of integers; empty if there is none."""
    attributes = op.attributes
    if name not in attributes:
        return []
    array: Any = attributes[name]
    return [array[i] for i in range(len(array))]


def mixed(static: Sequence[int], first: int = 0) -> Mixed:
    """A reader of a mixed list, whose dynamic entries begin at operand `first`."""
    if DYNAMIC not in static:
        constant = tuple(static)
        return lambda values: constant
    places = itertools.count(first)
    entries = [(next(places), 0) if number == DYNAMIC else (None, number) for number in static]
    return lambda values: [number if place is None else values[place].__index__() for place, number in entries]


def mixed_lists(op: ir.Operation, first: int, *names: str) -> list[Mixed]:
    """Readers of several mixed lists of an op, whose dynamic entries follow each other from operand `first` on."""
    readers: list[Mixed] = []
    for name in names:
        static = integers(op, name)
        readers.append(mixed(static, first))
        first += static.count(DYNAMIC)
    return readers
