"""The tensor dialect: which element types its ops take, and what buffers gathers, scatters and reshapes need."""

from __future__ import annotations

import numpy as np
import pytest
from analysed import context
from mlir import ir

import mlir_inplace as mi

PIPELINE = "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true})"

EVERY_OP = """
func.func @main(%t: tensor<?x4x{0}>, %u: tensor<2x4x{0}>, %x: {0}, %i: tensor<2x1xi32>, %s: tensor<2xindex>, %n: index)
    -> (tensor<2x4x{0}>, tensor<?x?x{0}>, tensor<?x4x{0}>, tensor<?x4x{0}>, tensor<*x{0}>, tensor<2x{0}>, tensor<?x{0}>,
        tensor<?x{0}>, tensor<?x?x{0}>, tensor<{0}>, tensor<?x{0}>, tensor<?x2x2x{0}>, tensor<2x{0}>) {{
  %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<?x4x{0}>, tensor<2x1xi32>) -> tensor<2x4x{0}>
  %1 = tensor.reshape %t(%s) : (tensor<?x4x{0}>, tensor<2xindex>) -> tensor<?x?x{0}>
  %2 = tensor.concat dim(0) %t, %u : (tensor<?x4x{0}>, tensor<2x4x{0}>) -> tensor<?x4x{0}>
  %3 = tensor.scatter %u into %t[%i] scatter_dims([0]) unique
    : (tensor<2x4x{0}>, tensor<?x4x{0}>, tensor<2x1xi32>) -> tensor<?x4x{0}>
  %4 = tensor.cast %t : tensor<?x4x{0}> to tensor<*x{0}>
  %5 = tensor.from_elements %x, %x : tensor<2x{0}>
  %6 = tensor.splat %x[%n] : tensor<?x{0}>
  %7 = tensor.generate %n {{
  ^bb0(%k: index):
    %y = tensor.extract %t[%k, %k] : tensor<?x4x{0}>
    tensor.yield %y : {0}
  }} : tensor<?x{0}>
  %8 = tensor.pad %t low[%n, 0] high[0, %n] {{
  ^bb0(%k: index, %l: index):
    tensor.yield %x : {0}
  }} : tensor<?x4x{0}> to tensor<?x?x{0}>
  %e = tensor.empty() : tensor<{0}>
  %9 = tensor.insert %x into %e[] : tensor<{0}>
  %10 = tensor.collapse_shape %2 [[0, 1]] : tensor<?x4x{0}> into tensor<?x{0}>
  %11 = tensor.expand_shape %t [[0], [1, 2]] output_shape [%n, 2, 2] : tensor<?x4x{0}> into tensor<?x2x2x{0}>
  %a = tensor.extract_slice %t[%n, 1] [1, 2] [1, 2] : tensor<?x4x{0}> to tensor<2x{0}>
  %12 = tensor.insert_slice %a into %5[0] [2] [1] : tensor<2x{0}> into tensor<2x{0}>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12
    : tensor<2x4x{0}>, tensor<?x?x{0}>, tensor<?x4x{0}>, tensor<?x4x{0}>, tensor<*x{0}>, tensor<2x{0}>, tensor<?x{0}>,
      tensor<?x{0}>, tensor<?x?x{0}>, tensor<{0}>, tensor<?x{0}>, tensor<?x2x2x{0}>, tensor<2x{0}>
}}
"""

ELEMENTS = ["f8E4M3FN", "f8E5M2", "bf16", "f80", "complex<f32>", "complex<i8>", "index", "i1", "i4", "ui8", "si16"]


def bufferized(text: str) -> ir.Module:
    with context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, PIPELINE)
    return module


@pytest.mark.parametrize("element", [*ELEMENTS, "vector<4xf32>"])
def test_every_op_takes_elements_of_every_type(element: str) -> None:
    module = bufferized(EVERY_OP.format(element))
    assert "tensor" not in str(module)


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("f8E4M3FN", "i8"),
        ("f8E5M2", "f8E4M3FN"),
        ("f8E5M2", "ui8"),
        ("bf16", "f16"),
        ("bf16", "si16"),
        ("si8", "ui8"),
        ("i1", "ui1"),
        ("i4", "si4"),
        ("f80", "i80"),
    ],
)
def test_bits_are_read_as_another_type(source: str, result: str) -> None:
    for one, other in ((source, result), (result, source)):
        module = bufferized(f"""
            func.func @main(%t: tensor<?x4x{one}>) -> tensor<?x4x{other}> {{
              %0 = tensor.bitcast %t : tensor<?x4x{one}> to tensor<?x4x{other}>
              return %0 : tensor<?x4x{other}>
            }}""")
        assert "tensor" not in str(module)
        assert str(module).count("memref.alloc(") == 1


SCATTER = """
func.func @main(%t: tensor<8xf32> {{bufferization.writable = {0}}}, %i: tensor<2x1xindex>, %s: tensor<2xf32>)
    -> tensor<8xf32> {{
  %r = tensor.scatter %s into %t[%i] scatter_dims([0]) unique
    : (tensor<2xf32>, tensor<8xf32>, tensor<2x1xindex>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}}
"""


@pytest.mark.parametrize("writable", [True, False])
def test_a_scatter_writes_its_destination(writable: bool) -> None:
    program = mi.compile(SCATTER.format(str(writable).lower()), memory_stats=True)
    tensor = np.arange(8, dtype=np.float32)
    result = program.main(tensor, np.array([[6], [1]]), np.array([10, 20], np.float32))
    np.testing.assert_array_equal(result, [0, 20, 2, 3, 4, 5, 10, 7])
    assert np.shares_memory(result, tensor) == writable
    assert (program.memory_stats.allocations, program.memory_stats.copies) == ((0, 0) if writable else (1, 1))


@pytest.mark.parametrize(
    ("offsets", "sizes", "strides", "copies"),
    [
        ((0, 0), (4, 6), (1, 1), 0),
        ((2, 0), (2, 6), (1, 1), 0),
        ((1, 2), (1, 4), (1, 1), 0),
        ((0, 2), (4, 1), (1, 1), 0),
        ((0, 0), (4, 3), (1, 2), 0),
        ((0, 1), (4, 3), (1, 1), 1),
        ((0, 0), (2, 6), (2, 1), 1),
        ((0, 0), (4, 2), (1, 2), 1),
    ],
)
def test_a_reshape_copies_only_what_does_not_lie_in_one_line(
    offsets: tuple[int, int], sizes: tuple[int, int], strides: tuple[int, int], copies: int
) -> None:
    """One line of elements at equal distances is enough: a view may have a stride."""
    count = sizes[0] * sizes[1]
    slice_ = " ".join(str(list(part)) for part in (offsets, sizes, strides))
    text = f"""
    func.func @main(%x: f32) -> (f32, tensor<4x6xf32>) {{
      %c0 = arith.constant 0 : index
      %shape = arith.constant dense<[1, {count}]> : tensor<2xindex>
      %t = tensor.splat %x : tensor<4x6xf32>
      %s = tensor.extract_slice %t{slice_} : tensor<4x6xf32> to tensor<{sizes[0]}x{sizes[1]}xf32>
      %r = tensor.reshape %s(%shape) : (tensor<{sizes[0]}x{sizes[1]}xf32>, tensor<2xindex>) -> tensor<1x{count}xf32>
      %v = tensor.extract %r[%c0, %c0] : tensor<1x{count}xf32>
      return %v, %t : f32, tensor<4x6xf32>
    }}"""
    assert str(bufferized(text)).count("memref.copy") == copies


ROWS = """
func.func @main(%a: tensor<{rows}x7xf32>, %i: index, %j: index) -> f32 {{
  %s = tensor.extract_slice %a[%i, 0] [{taken}, 7] [1, 1] : tensor<{rows}x7xf32> to tensor<{taken}x7xf32>
  %c = tensor.collapse_shape %s [[0, 1]] : tensor<{taken}x7xf32> into tensor<{count}xf32>
  %e = tensor.extract_slice %c[%j] [1] [1] : tensor<{count}xf32> to tensor<1xf32>
  %f = tensor.collapse_shape %e [] : tensor<1xf32> into tensor<f32>
  %x = tensor.extract %f[] : tensor<f32>
  return %x : f32
}}
"""


@pytest.mark.parametrize(("taken", "copies"), [(1, 0), (2, 1)])
def test_only_joined_dimensions_need_contiguous_elements(taken: int, copies: int) -> None:
    """A row of an argument of any layout is no copy; two rows are one, of their elements, not of one element."""
    text = str(bufferized(ROWS.format(rows=5, taken=taken, count=7 * taken)))
    assert text.count("memref.copy") == text.count("memref.alloc()") == copies
    with context():
        module = ir.Module.parse(ROWS.format(rows=5, taken=taken, count=7 * taken))
        array = np.arange(70, dtype=np.float32).reshape(5, 14)[:, ::2]
        assert mi.compile(module).main(array, 2, 3) == array[2, 3]
