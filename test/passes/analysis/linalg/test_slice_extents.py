"""Which sizes tiles can have, against those that their loops run through, and what comes of it in a register tile."""

from __future__ import annotations

import re

import numpy as np
import pytest
from linalg_programs import floats
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.ir.traversal import find_ops
from mlir_inplace.passes.analysis.linalg.slice_extents import slice_extents


def slices(lower: int, upper: int | str, step: int, minimum: str) -> str:
    """A loop that takes a slice of `affine.min` elements in each iteration."""
    bound = f"%u = arith.constant {upper} : index" if isinstance(upper, int) else ""
    return f"""func.func @main(%t: tensor<?x?xf32>{"" if bound else ", %u: index"}) {{
      %l = arith.constant {lower} : index
      {bound}
      %s = arith.constant {step} : index
      scf.for %i = %l to %u step %s {{
        %size = affine.min affine_map<{minimum}>(%i)
        %slice = tensor.extract_slice %t[%i, 0] [%size, 8] [1, 1] : tensor<?x?xf32> to tensor<?x8xf32>
        "test.use"(%slice) : (tensor<?x8xf32>) -> ()
      }}
      return }}"""


def sizes(text: str, dimension: int = 0) -> frozenset[int]:
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        return slice_extents(find_ops(module.operation, "tensor.extract_slice")[0].results[0], dimension)


@pytest.mark.parametrize(
    ("lower", "upper", "step", "most", "end"),
    [
        (0, 128, 78, 78, 128),
        (0, 128, 64, 64, 128),
        (0, 129, 64, 64, 129),
        (0, 65, 64, 64, 65),
        (0, 20, 64, 64, 20),
        (3, 50, 7, 7, 50),
        (0, 100, 10, 30, 120),
    ],
)
@pytest.mark.parametrize(
    "order", ["(i) -> ({most}, {end} - i)", "(i) -> (-i + {end}, {most})", "()[i] -> ({most}, {end} - i)"]
)
def test_sizes_are_those_of_all_iterations(lower: int, upper: int, step: int, most: int, end: int, order: str) -> None:
    text = slices(lower, upper, step, order.format(most=most, end=end))
    if order.startswith("()"):
        text = text.replace(">(%i)", ">()[%i]")
    assert sizes(text) == {min(most, end - i) for i in range(lower, upper, step)}
    assert sizes(text, 1) == {8}


@pytest.mark.parametrize(
    ("lower", "upper", "step", "minimum"),
    [
        pytest.param(0, 100, 10, "(i) -> (30, 100 - i)", id="three sizes and more"),
        pytest.param(0, "unknown", 10, "(i) -> (10, 100 - i)", id="a bound that is not known"),
        pytest.param(0, 100, 30, "(i) -> (30, 100 - 2 * i)", id="another slope"),
        pytest.param(0, 100, 30, "(i) -> (30, i + 1)", id="sizes that grow"),
        pytest.param(0, 100, 30, "(i) -> (30, 100 - i, 20)", id="a third term"),
        pytest.param(0, 100, 30, "(i) -> (30, 90 - i)", id="a slice without elements"),
        pytest.param(100, 100, 30, "(i) -> (30, 100 - i)", id="a loop without iterations"),
    ],
)
def test_nothing_is_known_of_other_sizes(lower: int, upper: int | str, step: int, minimum: str) -> None:
    assert sizes(slices(lower, upper, step, minimum)) == frozenset()


def product(m: int, n: int, k: int) -> str:
    a, b, c = f"tensor<{m}x{k}xf32>", f"tensor<{k}x{n}xf32>", f"tensor<{m}x{n}xf32>"
    return f"""func.func @main(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
      %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%c : {c}) -> {c}
      return %r : {c} }}"""


@pytest.mark.each_value
@pytest.mark.parametrize("m", [7, 14, 31, 62, 63, 64])
@pytest.mark.parametrize("machine", ["vector-bits=256 registers=16 l2=8192", "vector-bits=512 registers=32 l2=16384"])
def test_rows_that_are_left_over_in_tiles_of_two_sizes(m: int, machine: str) -> None:
    program = mi.compile(product(m, 40, 97), optimize=True, machine=machine)
    a, b, c = floats(m, 97), floats(97, 40), floats(m, 40)
    expected = a.astype(np.float64) @ b.astype(np.float64) + c
    np.testing.assert_allclose(program.main(a, b, c), expected, rtol=1e-4, atol=1e-4)


def test_no_row_is_alone_where_what_is_left_is_known() -> None:
    """Of tiles of 30 and 20 rows, these are 12 in steps of 6 and two steps of 4, with no step of 2, or of 1."""
    with ir.Context():
        module = ir.Module.parse(product(50, 64, 128))
        mi.run_pipeline(
            module,
            "builtin.module(func.func(inplace-tile{tile-sizes=30,0,16},"
            'inplace-vectorize{machine="vector-bits=256 registers=16"}))',
        )
        text = str(module)
    assert "arith.remui" not in text
    steps = {int(step) for step in re.findall(r"step %c(\d+)", text)}
    assert steps == {30, 16, 6, 4, 1}  # 1 is that of the loop that reduces


def test_nothing_is_known_of_a_loop_without_step() -> None:
    assert sizes(slices(0, 100, 0, "(i) -> (30, 100 - i)")) == frozenset()
