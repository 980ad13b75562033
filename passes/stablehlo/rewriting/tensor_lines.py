"""The lines of tensors along one dimension, and loops over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir

from ....dialects.bufferizable import Subset
from ....dialects.subsets import extract_slice, insert_slice
from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import Number
from .loops import loop_nest

__all__ = ["TensorLines"]

_EachLine = Callable[[list[ir.Value], list[ir.Value]], list[ir.Value]]
"""Builds what replaces the lines at some indices."""


@frozen
class TensorLines:
    """The lines along dimension `dim` of tensors of `sizes`."""

    sizes: Sequence[Number]
    dim: int

    @property
    def line(self) -> Number:
        """The number of elements of a line."""
        return self.sizes[self.dim]

    def subset(self, indices: Sequence[ir.Value]) -> Subset:
        """The line at `indices`, one for each other dimension."""
        offsets = [*indices[: self.dim], 0, *indices[self.dim :]]
        lengths = [size if number == self.dim else 1 for number, size in enumerate(self.sizes)]
        return Subset(tuple(offsets), tuple(lengths), (1,) * len(self.sizes))

    def replace_each(self, values: Sequence[ir.Value], replace: _EachLine) -> Sequence[ir.Value]:
        """Build the loops that replace each line of `values` by what `replace` makes of it."""
        others = [*self.sizes[: self.dim], *self.sizes[self.dim + 1 :]]

        def body(indices: list[ir.Value], carried: list[ir.Value]) -> list[ir.Value]:
            news = replace(indices, [self.extracted(value, indices) for value in carried])
            if len(self.sizes) == 1:
                return news
            subset = self.subset(indices)
            return [insert_slice(new, value, subset) for new, value in zip(news, carried, strict=True)]

        return loop_nest(others, values, body)

    def extracted(self, value: ir.Value, indices: Sequence[ir.Value]) -> ir.Value:
        """Build the line of `value` at `indices`."""
        type_ = ir.RankedTensorType(value.type)
        if type_.rank == 1:
            return value
        return extract_slice(
            value, self.subset(indices), ir.RankedTensorType.get([type_.shape[self.dim]], type_.element_type)
        )
