"""Register tiles of convolutions with packed weights: whole rows of these, and many pixels."""

from __future__ import annotations

import math

import pytest
from linalg_programs import generic, named
from mlir import ir

from mlir_inplace.passes.analysis.ir.traversal import find_ops
from mlir_inplace.passes.analysis.schedule.cache_tiling import choose_tiling
from mlir_inplace.passes.analysis.schedule.machine import Machine
from mlir_inplace.passes.analysis.schedule.vector_plan import is_tall, plan_vectors

WIDE = Machine(vector_bits=512, registers=32, l1=48 << 10, l2=2 << 20)
BODY = "%p = arith.mulf %e0, %e1 : f32\n%s = arith.addf %e2, %p : f32\nlinalg.yield %s : f32"


def packed(rows: int, columns: int, filters: int = 32, depth: int = 512) -> str:
    """A product of each pixel with packed weights; loops are rows, columns, filters and channels."""
    shapes = [f"{rows}x{columns}x{depth}", f"{depth}x{filters}", f"{rows}x{columns}x{filters}"]
    return generic([f"tensor<{shape}xf32>" for shape in shapes], ["i, j, l", "l, k", "i, j, k"], "pppr", BODY)


def windows(columns: int) -> str:
    """One row of pixels; loops are columns, filters and the window."""
    shapes = [f"{columns + 8}", "9x16", f"{columns}x16"]
    return generic([f"tensor<{shape}xf32>" for shape in shapes], ["i + k", "k, j", "i, j"], "ppr", BODY)


def product(rows: int | str, columns: int) -> str:
    """A product of matrices; loops are rows, columns and the depth."""
    shapes = [f"{rows}x99", f"99x{columns}", f"{rows}x{columns}"]
    return generic([f"tensor<{shape}xf32>" for shape in shapes], ["i, k", "k, j", "i, j"], "ppr", BODY)


TALL = {
    "rows of seven": (packed(7, 7), {2: 2, 0: 7, 1: 2}),
    "rows of 14": (packed(14, 14), {2: 2, 0: 14}),
    "in equal steps": (packed(3, 16), {2: 2, 1: 8}),
    "few pixels": (packed(2, 2), {2: 2, 0: 2, 1: 2}),
    "one vector": (packed(7, 7, 16), {2: 1, 0: 7, 1: 4}),
    "windows of one row": (windows(14), {1: 1, 0: 14}),
}
PRODUCTS = {
    "two vectors, in equal steps": (product(64, 32), {1: 2, 0: 13}),
    "three vectors, in equal steps": (product(20, 44), {1: 3, 0: 7}),
    "one vector": (product(64, 16), {1: 1, 0: 16}),
}
HALF = {
    "four vectors": (product(64, 99), {1: 4, 0: 4}),
    "four vectors, few rows": (product(5, 99), {1: 4, 0: 4}),
    "more filters than two vectors": (packed(7, 7, 64), {2: 4, 1: 4}),
    "an unknown number of rows": (product("?", 99), {1: 4, 0: 4}),
    "an unknown number of rows, two vectors": (product("?", 32), {1: 2, 0: 8}),
}
OTHERS = {
    "pixels of a channel": named(
        "linalg.depthwise_conv_2d_nhwc_hwc", ["tensor<1x58x58x64xf32>", "tensor<3x3x64xf32>", "tensor<1x56x56x64xf32>"]
    ),
    "largest product": product(64, 99).replace("addf", "maximumf"),
    "rows of an image with a border": named(
        "linalg.conv_2d_nchw_fchw", ["tensor<1x64x18x18xf32>", "tensor<64x64x3x3xf32>", "tensor<1x64x16x16xf32>"]
    ),
}


CONVOLUTIONS = ("linalg.conv_2d_nchw_fchw", "linalg.depthwise_conv_2d_nhwc_hwc")


def op_of(text: str) -> tuple[ir.Operation, ir.Module]:
    """The op, and the module, which has to live as long."""
    module = ir.Module.parse(text)
    (op,) = find_ops(module.operation, "linalg.generic", "linalg.matmul", *CONVOLUTIONS)
    return op, module


@pytest.mark.parametrize("name", TALL)
def test_almost_all_registers_are_filled(name: str) -> None:
    text, tile = TALL[name]
    with ir.Context():
        op, _module = op_of(text)
        plan = plan_vectors(op, WIDE)
        assert dict(plan.tile) == tile
        assert is_tall(plan)
        assert choose_tiling(op, WIDE) is None


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_take_as_many_known_rows_as_registers_hold(name: str) -> None:
    text, tile = PRODUCTS[name]
    with ir.Context():
        op, _module = op_of(text)
        plan = plan_vectors(op, WIDE)
        assert dict(plan.tile) == tile
        assert not is_tall(plan)


@pytest.mark.parametrize("name", HALF)
def test_products_of_four_vectors_or_unknown_rows_have_half_of_the_registers(name: str) -> None:
    text, tile = HALF[name]
    with ir.Context():
        op, _module = op_of(text)
        plan = plan_vectors(op, WIDE)
        assert dict(plan.tile) == tile
        assert not is_tall(plan)
        assert 2 * math.prod(plan.tile.values()) == WIDE.registers


@pytest.mark.parametrize("name", OTHERS)
def test_other_ops_have_half_of_the_registers(name: str) -> None:
    with ir.Context():
        op, _module = op_of(OTHERS[name])
        plan = plan_vectors(op, WIDE)
        assert not is_tall(plan)
        assert math.prod(plan.tile.values()) <= WIDE.registers // 2


def test_few_registers_hold_as_many_as_before() -> None:
    with ir.Context():
        op, _module = op_of(packed(7, 7))
        assert dict(plan_vectors(op, Machine(vector_bits=256, registers=16)).tile) == {2: 2, 1: 6}
