"""Vectors of elements that are no whole bytes, in memory: each element has the value that a scalar access has."""

from __future__ import annotations

import numpy as np
import pytest

import mlir_inplace as mi

WIDTHS = [1, 2, 3, 4, 7, 12, 24, 48, 63]
OPTIONS = [pytest.param({}, id="default"), pytest.param({"optimize": True}, id="optimize")]


def wrapped(values: np.ndarray, width: int) -> np.ndarray:
    """What is left of integers in so many bits."""
    return ((values << (64 - width)) >> (64 - width)).astype(np.int64)


@pytest.mark.each_value
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("width", WIDTHS)
def test_transfers(width: int, options: dict[str, bool]) -> None:
    """Written as scalars, moved as a vector from one place to another with a padding, and read as scalars."""
    program = mi.compile(
        f"""
        func.func @main(%t: tensor<?xi64>, %i: index, %j: index) -> tensor<?xi64> {{
          %x = arith.constant -1 : i{width}
          %n = arith.trunci %t : tensor<?xi64> to tensor<?xi{width}>
          %v = vector.transfer_read %n[%i], %x : tensor<?xi{width}>, vector<8xi{width}>
          %u = vector.transfer_write %v, %n[%j] : vector<8xi{width}>, tensor<?xi{width}>
          %r = arith.extsi %u : tensor<?xi{width}> to tensor<?xi64>
          return %r : tensor<?xi64>
        }}""",
        **options,
    )
    numbers = np.random.default_rng(width).integers(-(1 << 62), 1 << 62, 16)
    for source, target in ((0, 8), (3, 5), (12, 1), (7, 12)):
        narrow = wrapped(numbers, width)
        padded = np.concatenate([narrow, np.full(8, -1)])[source : source + 8]
        expected = narrow.copy()
        expected[target : target + 8] = padded[: 16 - target]
        np.testing.assert_array_equal(program.main(numbers, source, target), expected)


@pytest.mark.parametrize("width", WIDTHS)
def test_accesses_of_memrefs(width: int) -> None:
    """Loads and stores, also through masks, by affine ops, from a slice, and of all elements that a mask chooses."""
    program = mi.compile(
        f"""
        func.func @main(%t: memref<32xi64>, %l: index) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c24 = arith.constant 24 : index
          %c32 = arith.constant 32 : index
          %m = memref.alloca() : memref<32xi{width}>
          scf.for %i = %c0 to %c32 step %c1 {{
            %a = memref.load %t[%i] : memref<32xi64>
            %b = arith.trunci %a : i64 to i{width}
            memref.store %b, %m[%i] : memref<32xi{width}>
          }}
          %k = vector.create_mask %l : vector<8xi1>
          %s = memref.subview %m[8] [24] [1] : memref<32xi{width}> to memref<24xi{width}, strided<[1], offset: 8>>
          %0 = vector.load %m[%c0] : memref<32xi{width}>, vector<8xi{width}>
          %1 = vector.maskedload %s[%c0], %k, %0
              : memref<24xi{width}, strided<[1], offset: 8>>, vector<8xi1>, vector<8xi{width}> into vector<8xi{width}>
          vector.store %1, %m[%c0] : memref<32xi{width}>, vector<8xi{width}>
          %2 = affine.vector_load %m[16] : memref<32xi{width}>, vector<8xi{width}>
          vector.maskedstore %s[%c0], %k, %2
              : memref<24xi{width}, strided<[1], offset: 8>>, vector<8xi1>, vector<8xi{width}>
          vector.compressstore %m[%c24], %k, %2 : memref<32xi{width}>, vector<8xi1>, vector<8xi{width}>
          scf.for %i = %c0 to %c32 step %c1 {{
            %a = memref.load %m[%i] : memref<32xi{width}>
            %b = arith.extsi %a : i{width} to i64
            memref.store %b, %t[%i] : memref<32xi64>
          }}
          return
        }}"""
    )
    numbers = np.random.default_rng(width).integers(-(1 << 62), 1 << 62, 32)
    for lanes in (0, 3, 8):
        array, expected = numbers.copy(), wrapped(numbers, width)
        expected[:lanes] = expected[8 : 8 + lanes]
        expected[8 : 8 + lanes] = expected[24 : 24 + lanes] = expected[16 : 16 + lanes]
        program.main(array, lanes)
        np.testing.assert_array_equal(array, expected)


def test_booleans_of_numpy() -> None:
    """One byte each."""
    program = mi.compile(
        """
        func.func @main(%t: tensor<?xi1>, %i: index) -> (tensor<16xi1>, i32) {
          %c0 = arith.constant 0 : index
          %no = arith.constant false
          %v = vector.transfer_read %t[%i], %no : tensor<?xi1>, vector<16xi1>
          %e = tensor.empty() : tensor<16xi1>
          %r = vector.transfer_write %v, %e[%c0] {in_bounds = [true]} : vector<16xi1>, tensor<16xi1>
          %w = arith.extui %v : vector<16xi1> to vector<16xi32>
          %s = vector.reduction <add>, %w : vector<16xi32> into i32
          return %r, %s : tensor<16xi1>, i32
        }"""
    )
    array = np.arange(23) % 3 == 1
    for start in (0, 5, 20):
        chosen, count = program.main(array, start)
        expected = np.concatenate([array, np.zeros(16, bool)])[start : start + 16]
        np.testing.assert_array_equal(chosen, expected)
        assert count == expected.sum()
