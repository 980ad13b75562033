"""Sizes and offsets: static ones fold, dynamic ones become ops."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

from mlir_inplace.dialects.support.index_math import add, as_value, ceil_div, multiply, subtract, tensor_size


@pytest.fixture
def body() -> Iterator[ir.Block]:
    """The body of a function of an index and a tensor."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse("func.func @f(%i: index, %t: tensor<4x?xf32>) { return }")
        block = module.body.operations[0].regions[0].blocks[0]
        with ir.InsertionPoint.at_block_begin(block):
            yield block


def names(block: ir.Block) -> list[str]:
    *ops, _ = (op.operation.name for op in block.operations)
    return ops


def test_static_numbers_need_no_ops(body: ir.Block) -> None:
    assert (add(2, 3), subtract(2, 3), multiply(2, 3), ceil_div(7, 3)) == (5, -1, 6, 3)
    assert tensor_size(body.arguments[1], 0) == 4
    assert names(body) == []


def test_neutral_numbers_need_no_ops(body: ir.Block) -> None:
    i = body.arguments[0]
    assert [add(i, 0), add(0, i), subtract(i, 0), multiply(i, 1), multiply(1, i), as_value(i)] == [i] * 6
    assert [multiply(i, 0), multiply(0, i)] == [0, 0]
    assert names(body) == []


def test_dynamic_numbers_become_ops(body: ir.Block) -> None:
    i, t = body.arguments
    assert str(subtract(i, 2)).endswith("arith.addi %arg0, %c-2 : index)")
    assert str(subtract(3, i)).endswith("arith.subi %c3, %arg0 : index)")
    assert str(multiply(i, i)).endswith("arith.muli %arg0, %arg0 : index)")
    assert str(ceil_div(i, 4)).endswith("arith.ceildivui %arg0, %c4 : index)")
    assert str(tensor_size(t, 1)).endswith("tensor.dim %arg1, %c1 : tensor<4x?xf32>)")
