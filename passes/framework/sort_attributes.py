"""What a function that sorts says of itself, for passes that may sort in another way.

A function of one tensor, or of one memref, has `inplace.sort = {descending = false, dim = 1 : i64, order = "signed"}`
if what it computes, or leaves in the memref, are the sorted lines along the dimension `dim`, which has a known size:

| order | elements are compared as |
|---|---|
| `signed`, `unsigned` | integers with or without a sign |
| `total` | floats, by sign and bits |
| `numbers` | floats; zeros are equal, NaNs are equal and greatest, and the sort keeps the order of equal elements |
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen

__all__ = ["SORT", "SortForm", "SortFunction"]

SORT = "inplace.sort"


@frozen
class SortForm:
    """How a function sorts: lines along `dim`, by `order`."""

    order: str
    dim: int
    descending: bool

    @staticmethod
    def of(function: ir.Operation) -> SortForm | None:
        """Return what `function` says of itself."""
        if SORT not in function.attributes:
            return None
        says = ir.DictAttr(function.attributes[SORT])
        order, dim = ir.StringAttr(says["order"]).value, ir.IntegerAttr(says["dim"]).value
        return SortForm(order, dim, ir.BoolAttr(says["descending"]).value)

    def mark(self, function: ir.Operation) -> None:
        """Let `function` say it."""
        function.attributes[SORT] = ir.DictAttr.get(
            {
                "descending": ir.BoolAttr.get(self.descending),
                "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), self.dim),
                "order": ir.StringAttr.get(self.order),
            }
        )

    @staticmethod
    def unmark(function: ir.Operation) -> None:
        """Let `function` say nothing: it sorts in another way now."""
        del function.attributes[SORT]


@frozen
class SortFunction:
    """What a function sorts: a memref of `type`, as numbers of `kind`, in an order."""

    function: ir.Operation
    form: SortForm
    type: ir.MemRefType
    kind: str
