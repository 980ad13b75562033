"""The products of StableHLO: of matrices, of tensors, and convolutions."""

from __future__ import annotations

from mlir import ir

from ...analysis.ir.traversal import find_ops

__all__ = ["element_type", "find_products"]


def find_products(root: ir.Operation) -> list[ir.Operation]:
    """Return the products under `root`, in the order of the text."""
    return find_ops(root, "stablehlo.dot", "stablehlo.dot_general", "stablehlo.convolution")


def element_type(value: ir.Value) -> ir.Type:
    """Return the type of the elements of a tensor."""
    return ir.RankedTensorType(value.type).element_type
