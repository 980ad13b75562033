"""Elementwise arith and math on tensors: chains in place, values that are read again, changes of type, loops."""

from __future__ import annotations

import numpy as np

from .program import Program

PROGRAMS = [
    Program(
        "elementwise_chain",
        """
        func.func @main(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>) -> tensor<4x3xf32> {
          %0 = arith.addf %a, %b : tensor<4x3xf32>
          %1 = arith.mulf %0, %b : tensor<4x3xf32>
          %2 = arith.subf %1, %1 : tensor<4x3xf32>
          %3 = arith.maximumf %2, %0 : tensor<4x3xf32>
          return %3 : tensor<4x3xf32>
        }""",
        args=("4x3xf32", "4x3xf32"),
        numpy=lambda a, b: np.maximum(np.float32(0), a + b),
    ),
    Program(
        "elementwise_operands_read_again",
        """
        func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
          %0 = arith.subf %a, %b : tensor<?xf32>
          %1 = arith.subf %b, %a : tensor<?xf32>
          %2 = arith.mulf %0, %a : tensor<?xf32>
          return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
        }""",
        args=[("5xf32", "5xf32"), ("0xf32", "0xf32")],
        numpy=lambda a, b: (a - b, b - a, (a - b) * a),
    ),
    Program(
        "elementwise_comparison_and_choice",
        """
        func.func @main(%a: tensor<6xf32>, %b: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
          %0 = arith.cmpf olt, %a, %b : tensor<6xf32>
          %1 = arith.select %0, %a, %b : tensor<6xi1>, tensor<6xf32>
          %2 = arith.select %0, %b, %a : tensor<6xi1>, tensor<6xf32>
          return %1, %2 : tensor<6xf32>, tensor<6xf32>
        }""",
        args=("6xf32", "6xf32"),
        numpy=lambda a, b: (np.where(a < b, a, b), np.where(a < b, b, a)),
    ),
    Program(
        "elementwise_of_other_types",
        """
        func.func @main(%a: tensor<2x2xi32>, %k: tensor<i64>) -> (tensor<2x2xf64>, tensor<2x2xindex>, tensor<i64>) {
          %0 = arith.sitofp %a : tensor<2x2xi32> to tensor<2x2xf64>
          %1 = arith.index_cast %a : tensor<2x2xi32> to tensor<2x2xindex>
          %2 = arith.muli %k, %k overflow<nsw> : tensor<i64>
          return %0, %1, %2 : tensor<2x2xf64>, tensor<2x2xindex>, tensor<i64>
        }""",
        args=("2x2xi32", "i64"),
        numpy=lambda a, k: (a.astype(np.float64), a.astype(np.int64), k * k),
    ),
    Program(
        "elementwise_on_overlapping_slices",
        """
        func.func @main(%a: tensor<5xf32>) -> tensor<5xf32> {
          %0 = tensor.extract_slice %a[0] [4] [1] : tensor<5xf32> to tensor<4xf32>
          %1 = tensor.extract_slice %a[1] [4] [1] : tensor<5xf32> to tensor<4xf32>
          %2 = arith.addf %0, %1 : tensor<4xf32>
          %3 = tensor.insert_slice %2 into %a[0] [4] [1] : tensor<4xf32> into tensor<5xf32>
          return %3 : tensor<5xf32>
        }""",
        args=("5xf32",),
        numpy=lambda a: np.concatenate([a[:4] + a[1:], a[4:]]),
    ),
    Program(
        "elementwise_in_a_loop",
        """
        func.func @main(%a: tensor<3xf32>, %n: index) -> (tensor<3xf32>, tensor<3xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<3xf32> {
            %0 = arith.addf %x, %a : tensor<3xf32>
            %1 = math.absf %0 : tensor<3xf32>
            scf.yield %1 : tensor<3xf32>
          }
          return %r, %a : tensor<3xf32>, tensor<3xf32>
        }""",
        args=[("3xf32", 0), ("3xf32", 3)],
        numpy=lambda a, n: (a * np.float32(n + 1), a),
        upstream_refuses="is not equivalent",
    ),
]
