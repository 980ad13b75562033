"""Elementwise ops with several results, which take the places of several operands, and casts of indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import Program

Array = np.ndarray[Any, Any]


def carry(a: Array, b: Array) -> Array:
    """Whether the sum of two arrays of 32 bits has more."""
    return a.astype(np.uint32).astype(np.uint64) + b.astype(np.uint32) > 2**32 - 1


def halves(product: Array) -> tuple[Array, Array]:
    """The lower and the upper 32 bits."""
    return product.astype(np.int32), (product >> np.array(32, product.dtype)).astype(np.int32)


LARGE = """
          %k = arith.constant dense<[[-5, 2147483647, 3], [123456789, -1, -2147483648]]> : tensor<2x3xi32>
          %a = arith.muli %x, %k : tensor<2x3xi32>
          %b = arith.xori %y, %k : tensor<2x3xi32>"""
K = np.array([[-5, 2147483647, 3], [123456789, -1, -2147483648]], np.int32)
LINE = np.array([-5, 2147483647, 3, 123456789, -1, -2147483648, 7], np.int32)

PROGRAMS = [
    Program(
        "sum_and_carry",
        f"""
        func.func @main(%x: tensor<2x3xi32>, %y: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi1>) {{{LARGE}
          %s, %c = arith.addui_extended %a, %b : tensor<2x3xi32>, tensor<2x3xi1>
          return %s, %c : tensor<2x3xi32>, tensor<2x3xi1>
        }}""",
        args=("2x3xi32", "2x3xi32"),
        numpy=lambda x, y: (x * K + (y ^ K), carry(x * K, y ^ K)),
    ),
    Program(
        "sum_and_carry_of_what_is_read_later",
        f"""
        func.func @main(%x: tensor<2x3xi32>, %y: tensor<2x3xi32>)
            -> (tensor<2x3xi32>, tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>) {{{LARGE}
          %s, %c = arith.addui_extended %a, %b : tensor<2x3xi32>, tensor<2x3xi1>
          %d = arith.subi %a, %b : tensor<2x3xi32>
          return %s, %c, %d, %a : tensor<2x3xi32>, tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>
        }}""",
        args=("2x3xi32", "2x3xi32"),
        numpy=lambda x, y: (x * K + (y ^ K), carry(x * K, y ^ K), x * K - (y ^ K), x * K),
    ),
    Program(
        "sum_and_carry_of_bits",
        """
        func.func @main(%x: tensor<8xi1>, %y: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
          %s, %c = arith.addui_extended %x, %y : tensor<8xi1>, tensor<8xi1>
          return %s, %c : tensor<8xi1>, tensor<8xi1>
        }""",
        args=("8xi1", "8xi1"),
        numpy=lambda x, y: (x ^ y, x & y),
        fewer=True,
    ),
    Program(
        "both_halves_of_a_product",
        f"""
        func.func @main(%x: tensor<2x3xi32>, %y: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {{{LARGE}
          %l, %h = arith.mulsi_extended %a, %b : tensor<2x3xi32>
          return %l, %h : tensor<2x3xi32>, tensor<2x3xi32>
        }}""",
        args=("2x3xi32", "2x3xi32"),
        numpy=lambda x, y: halves((x * K).astype(np.int64) * (y ^ K)),
        fewer=True,
    ),
    Program(
        "both_halves_of_an_unsigned_product",
        f"""
        func.func @main(%x: tensor<2x3xi32>, %y: tensor<2x3xi32>)
            -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>) {{{LARGE}
          %l, %h = arith.mului_extended %a, %b : tensor<2x3xi32>
          return %l, %h, %b : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>
        }}""",
        args=("2x3xi32", "2x3xi32"),
        numpy=lambda x, y: (*halves((x * K).astype(np.uint32).astype(np.uint64) * (y ^ K).astype(np.uint32)), y ^ K),
    ),
    Program(
        "both_halves_of_a_square",
        f"""
        func.func @main(%x: tensor<2x3xi32>, %y: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {{{LARGE}
          %l, %h = arith.mulsi_extended %b, %b : tensor<2x3xi32>
          return %l, %h : tensor<2x3xi32>, tensor<2x3xi32>
        }}""",
        args=("2x3xi32", "2x3xi32"),
        numpy=lambda x, y: halves((y ^ K).astype(np.int64) ** 2),
    ),
    Program(
        "both_halves_of_overlapping_slices",
        """
        func.func @main(%x: tensor<7xi32>) -> (tensor<6xi32>, tensor<6xi32>) {
          %k = arith.constant dense<[-5, 2147483647, 3, 123456789, -1, -2147483648, 7]> : tensor<7xi32>
          %t = arith.muli %x, %k : tensor<7xi32>
          %a = tensor.extract_slice %t[1] [6] [1] : tensor<7xi32> to tensor<6xi32>
          %b = tensor.extract_slice %t[0] [6] [1] : tensor<7xi32> to tensor<6xi32>
          %l, %h = arith.mulsi_extended %a, %b : tensor<6xi32>
          return %l, %h : tensor<6xi32>, tensor<6xi32>
        }""",
        args=("7xi32",),
        numpy=lambda x: halves((x * LINE)[1:].astype(np.int64) * (x * LINE)[:6]),
    ),
    Program(
        "both_halves_of_slices_apart",
        """
        func.func @main(%x: tensor<7xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
          %k = arith.constant dense<[-5, 2147483647, 3, 123456789, -1, -2147483648, 7]> : tensor<7xi32>
          %t = arith.muli %x, %k : tensor<7xi32>
          %a = tensor.extract_slice %t[4] [3] [1] : tensor<7xi32> to tensor<3xi32>
          %b = tensor.extract_slice %t[0] [3] [1] : tensor<7xi32> to tensor<3xi32>
          %l, %h = arith.mulsi_extended %a, %b : tensor<3xi32>
          return %l, %h : tensor<3xi32>, tensor<3xi32>
        }""",
        args=("7xi32",),
        numpy=lambda x: halves((x * LINE)[4:].astype(np.int64) * (x * LINE)[:3]),
        fewer=True,
    ),
    Program(
        "product_whose_upper_half_is_not_used",
        f"""
        func.func @main(%x: tensor<2x3xi32>, %y: tensor<2x3xi32>) -> tensor<2x3xi32> {{{LARGE}
          %l, %h = arith.mulsi_extended %a, %b : tensor<2x3xi32>
          %r = arith.addi %l, %b : tensor<2x3xi32>
          return %r : tensor<2x3xi32>
        }}""",
        args=("2x3xi32", "2x3xi32"),
        numpy=lambda x, y: x * K * (y ^ K) + (y ^ K),
    ),
    Program(
        "sine_and_cosine",
        """
        func.func @main(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
          %b = arith.addf %a, %a : tensor<?xf32>
          %s, %c = math.sincos %b : tensor<?xf32>
          %r = arith.mulf %s, %c : tensor<?xf32>
          return %r, %c : tensor<?xf32>, tensor<?xf32>
        }""",
        args=[("5xf32:random",), ("0xf32:random",)],
        numpy=lambda a: (np.sin(2 * a) * np.cos(2 * a), np.cos(2 * a)),
        rtol=1e-6,
        oracle_cannot="upstream's lowering of math.sincos needs a function of another library",
    ),
    Program(
        "indices_and_integers",
        """
        func.func @main(%a: tensor<4xi32>, %b: tensor<4xindex>)
            -> (tensor<4xindex>, tensor<4xindex>, tensor<4xi8>, tensor<4xindex>) {
          %k = arith.constant dense<[-1, 5, -7, 2]> : tensor<4xi32>
          %0 = arith.muli %a, %k : tensor<4xi32>
          %1 = arith.index_cast %0 : tensor<4xi32> to tensor<4xindex>
          %2 = arith.index_castui %0 : tensor<4xi32> to tensor<4xindex>
          %3 = arith.index_cast %b : tensor<4xindex> to tensor<4xi8>
          %4 = arith.addi %1, %b : tensor<4xindex>
          return %1, %2, %3, %4 : tensor<4xindex>, tensor<4xindex>, tensor<4xi8>, tensor<4xindex>
        }""",
        args=("4xi32", "4xindex"),
        numpy=lambda a, b: (
            a * np.array([-1, 5, -7, 2]),
            (a * np.array([-1, 5, -7, 2], np.int32)).astype(np.uint32).astype(np.int64),
            b.astype(np.int8),
            a * np.array([-1, 5, -7, 2]) + b,
        ),
    ),
]
