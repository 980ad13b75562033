"""Views of memory that begins somewhere in a buffer: the evaluator and compiled code read the same elements."""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluator

_HEAD = """
func.func @main(%a: memref<64xi8>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %v = memref.view %a[%c16][] : memref<64xi8> to memref<8xf32>
"""
_REINTERPRETED = {
    "the view": (
        "%r = memref.reinterpret_cast %v to offset: [2], sizes: [3], strides: [2]"
        " : memref<8xf32> to memref<3xf32, strided<[2], offset: 2>>"
        "\n%x = memref.load %r[%c1] : memref<3xf32, strided<[2], offset: 2>>",
        4 + 2 + 2,
    ),
    # The offset counts from where the view begins, not from where the slice does.
    "a slice of it": (
        "%s = memref.subview %v[3] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 3>>"
        "\n%r = memref.reinterpret_cast %s to offset: [1], sizes: [2], strides: [1]"
        " : memref<4xf32, strided<[1], offset: 3>> to memref<2xf32, strided<[1], offset: 1>>"
        "\n%x = memref.load %r[%c1] : memref<2xf32, strided<[1], offset: 1>>",
        4 + 1 + 1,
    ),
    "a view of the view's bytes": (
        "%b, %o, %n, %t = memref.extract_strided_metadata %v"
        " : memref<8xf32> -> memref<f32>, index, index, index"
        "\n%r = memref.reinterpret_cast %b to offset: [%o], sizes: [%n], strides: [%t]"
        " : memref<f32> to memref<?xf32, strided<[?], offset: ?>>"
        "\n%x = memref.load %r[%c1] : memref<?xf32, strided<[?], offset: ?>>",
        4 + 1,
    ),
}


@pytest.mark.parametrize("of", _REINTERPRETED)
def test_offsets_count_from_where_a_view_of_bytes_begins(of: str) -> None:
    body, position = _REINTERPRETED[of]
    text = f"{_HEAD}{body}\nreturn %x : f32\n}}"
    numbers = np.arange(100, 116, dtype=np.float32)
    with ir.Context():
        module = ir.Module.parse(text)
        (evaluated,) = Evaluator(module).run("main", [numbers.view(np.int8).copy()]).results
    compiled = mi.compile(text, cache=False).main(numbers.view(np.int8).copy())
    assert (evaluated, compiled) == (numbers[position], numbers[position])


def test_aligned_pointers_of_views_are_those_of_their_bytes() -> None:
    text = """
    func.func @main(%a: memref<64xi8>) -> index {
      %c16 = arith.constant 16 : index
      %v = memref.view %a[%c16][] : memref<64xi8> to memref<8xf32>
      %p = memref.extract_aligned_pointer_as_index %a : memref<64xi8> -> index
      %q = memref.extract_aligned_pointer_as_index %v : memref<8xf32> -> index
      %d = arith.subi %q, %p : index
      return %d : index
    }"""
    with ir.Context():
        module = ir.Module.parse(text)
        (evaluated,) = Evaluator(module).run("main", [np.zeros(64, np.int8)]).results
    assert (evaluated, mi.compile(text, cache=False).main(np.zeros(64, np.int8))) == (16, 16)
