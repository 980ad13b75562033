"""Products with a transposed matrix that read it where it is.

PyTorch's linear layers multiply by the transpose of their weights, which torch-mlir computes first: for few rows that
takes longer than the product. `linalg.matmul` can read either operand transposed, by its indexing maps. With many rows
a transposed copy pays, as optimized code packs the matrix anyway.
"""

from __future__ import annotations

from mlir import ir

from ...passes.analysis.ir.traversal import find_ops

MOST_ROWS = 16
"""The most rows of the other operand for which the matrix is read where it is."""


def read_in_place(module: ir.Operation) -> None:
    """Let products of a few rows with a transposed matrix read the matrix itself. Linear."""
    with module.context:
        rows, columns, inner = (ir.AffineExpr.get_dim(number) for number in range(3))
        results = ([rows, inner], [columns, inner], [rows, columns])
        maps = ir.ArrayAttr.get([ir.AffineMapAttr.get(ir.AffineMap.get(3, 0, exprs)) for exprs in results])
    for product in find_ops(module, "linalg.matmul", where=_is_plain):
        left, right, _ = product.operands
        transposition = right.owner
        if (
            not isinstance(transposition, (ir.Operation, ir.OpView))
            or transposition.operation.name != "linalg.transpose"
        ):
            continue
        if not 0 <= ir.RankedTensorType(left.type).shape[0] <= MOST_ROWS:
            continue
        product.operands[1] = transposition.operation.operands[0]
        product.attributes["indexing_maps"] = maps
        if not list(right.uses):
            transposition.operation.erase()


def _is_plain(product: ir.Operation) -> bool:
    """Whether neither operand is transposed or broadcast yet."""
    row, column, inner = "d0", "d1", "d2"
    plain = [f"({row}, {inner})", f"({inner}, {column})", f"({row}, {column})"]
    maps = [str(ir.AffineMapAttr(one).value) for one in ir.ArrayAttr(product.attributes["indexing_maps"])]
    return [text.split("-> ")[1] for text in maps] == plain
