"""tensor.gather and tensor.scatter: slices at coordinates that are data. Upstream does not bufferize them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..program import Program, put

REFUSED = "op was not bufferized|is not equivalent to the corresponding iter bbArg"
NO_ORACLE = "upstream does not run the program at all"


def program(name: str, text: str, args: Any, numpy: Any) -> Program:
    """A program that only NumPy can check."""
    return Program(name, text, args, numpy, upstream_refuses=REFUSED, oracle_wrong=NO_ORACLE)


def scattered(tensor: np.ndarray[Any, Any], where: Any, slices: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """tensor.scatter with the slices in the shape that indexing the tensor by `where` gives."""
    changed = tensor.copy()
    changed[where] = slices.reshape(changed[where].shape)
    return changed


PROGRAMS = [
    program(
        "gather_rows",
        """
        func.func @main(%i: tensor<3x1xindex>, %t: tensor<5x4xf32>) -> tensor<3x4xf32> {
          %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<5x4xf32>, tensor<3x1xindex>) -> tensor<3x4xf32>
          return %0 : tensor<3x4xf32>
        }""",
        ("3x1xindex", "5x4xf32"),
        lambda i, t: t[i[:, 0]],
    ),
    program(
        "gather_columns_keeping_the_dimension",
        """
        func.func @main(%i: tensor<2x1xi32>, %t: tensor<3x4xf32>) -> tensor<2x3x1xf32> {
          %0 = tensor.gather %t[%i] gather_dims([1]) : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x3x1xf32>
          return %0 : tensor<2x3x1xf32>
        }""",
        ("2x1xi32", "3x4xf32"),
        lambda i, t: t[:, i[:, 0]].T.reshape(2, 3, 1),
    ),
    program(
        "gather_by_outer_and_inner_coordinates",
        """
        func.func @main(%i: tensor<2x2x2xindex>, %t: tensor<9x3x9xf32>) -> tensor<2x2x3xf32> {
          %0 = tensor.gather %t[%i] gather_dims([0, 2]) unique
            : (tensor<9x3x9xf32>, tensor<2x2x2xindex>) -> tensor<2x2x3xf32>
          return %0 : tensor<2x2x3xf32>
        }""",
        ("2x2x2xindex", "9x3x9xf32"),
        lambda i, t: t[i[..., 0], :, i[..., 1]],
    ),
    program(
        "gather_elements_by_all_coordinates",
        """
        func.func @main(%i: tensor<3x2xi64>, %t: tensor<7x7xf64>) -> tensor<3xf64> {
          %0 = tensor.gather %t[%i] gather_dims([0, 1]) : (tensor<7x7xf64>, tensor<3x2xi64>) -> tensor<3xf64>
          return %0 : tensor<3xf64>
        }""",
        ("3x2xi64", "7x7xf64"),
        lambda i, t: t[i[:, 0], i[:, 1]],
    ),
    program(
        "gather_one_slice_by_indices_of_rank_1",
        """
        func.func @main(%i: tensor<1xindex>, %t: tensor<4x3xf32>) -> (tensor<3xf32>, tensor<1x3xf32>) {
          %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<4x3xf32>, tensor<1xindex>) -> tensor<3xf32>
          %1 = tensor.gather %t[%i] gather_dims([0]) : (tensor<4x3xf32>, tensor<1xindex>) -> tensor<1x3xf32>
          return %0, %1 : tensor<3xf32>, tensor<1x3xf32>
        }""",
        ("1xindex", "4x3xf32"),
        lambda i, t: (t[i[0]], t[i]),
    ),
    program(
        "gather_one_element_as_rank_0",
        """
        func.func @main(%i: tensor<2xindex>, %t: tensor<4x3xf32>) -> tensor<f32> {
          %0 = tensor.gather %t[%i] gather_dims([0, 1]) : (tensor<4x3xf32>, tensor<2xindex>) -> tensor<f32>
          return %0 : tensor<f32>
        }""",
        ("2xindex", "4x3xf32"),
        lambda i, t: t[i[0], i[1]],
    ),
    program(
        "gather_with_dynamic_sizes",
        """
        func.func @main(%i: tensor<?x1xi32>, %t: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?x1xf32>) {
          %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<?x?xf32>, tensor<?x1xi32>) -> tensor<?x?xf32>
          %1 = tensor.gather %t[%i] gather_dims([1]) : (tensor<?x?xf32>, tensor<?x1xi32>) -> tensor<?x?x1xf32>
          return %0, %1 : tensor<?x?xf32>, tensor<?x?x1xf32>
        }""",
        [("3x1xi32", "4x5xf32"), ("1x1xi32", "2x2xf32"), ("0x1xi32", "4x5xf32")],
        lambda i, t: (t[i[:, 0]], t[:, i[:, 0]].T[..., None]),
    ),
    program(
        "gather_where_a_sliced_dimension_has_size_one",
        """
        func.func @main(%i: tensor<2x1xindex>, %t: tensor<4x1x3xf32>) -> (tensor<2x1x3xf32>, tensor<2x1x1x3xf32>) {
          %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<4x1x3xf32>, tensor<2x1xindex>) -> tensor<2x1x3xf32>
          %1 = tensor.gather %t[%i] gather_dims([0]) : (tensor<4x1x3xf32>, tensor<2x1xindex>) -> tensor<2x1x1x3xf32>
          return %0, %1 : tensor<2x1x3xf32>, tensor<2x1x1x3xf32>
        }""",
        ("2x1xindex", "4x1x3xf32"),
        lambda i, t: (t[i[:, 0]], t[i]),
    ),
    program(
        "gather_of_empty_rows",
        """
        func.func @main(%i: tensor<2x1xindex>, %t: tensor<4x0xf32>) -> tensor<2x0xf32> {
          %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<4x0xf32>, tensor<2x1xindex>) -> tensor<2x0xf32>
          return %0 : tensor<2x0xf32>
        }""",
        ("2x1xindex", "4x0xf32"),
        lambda i, t: t[i[:, 0]],
    ),
    program(
        "gather_of_a_strided_slice_by_a_column",
        """
        func.func @main(%i: tensor<3x3xindex>, %t: tensor<12x4xf32>) -> tensor<3x2xf32> {
          %j = tensor.extract_slice %i[0, 1] [3, 1] [1, 1] : tensor<3x3xindex> to tensor<3x1xindex>
          %s = tensor.extract_slice %t[1, 0] [11, 2] [1, 2] : tensor<12x4xf32> to tensor<11x2xf32>
          %0 = tensor.gather %s[%j] gather_dims([0]) : (tensor<11x2xf32>, tensor<3x1xindex>) -> tensor<3x2xf32>
          return %0 : tensor<3x2xf32>
        }""",
        ("3x3xindex", "12x4xf32"),
        lambda i, t: t[1:, ::2][i[:, 1]],
    ),
    program(
        "gather_the_same_slice_twice",
        """
        func.func @main(%t: tensor<4x3xf32>) -> tensor<2x3xf32> {
          %i = arith.constant dense<2> : tensor<2x1xindex>
          %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<4x3xf32>, tensor<2x1xindex>) -> tensor<2x3xf32>
          return %0 : tensor<2x3xf32>
        }""",
        ("4x3xf32",),
        lambda t: t[[2, 2]],
    ),
    program(
        "gather_before_its_source_is_overwritten",
        """
        func.func @main(%i: tensor<2x1xindex>, %t: tensor<3xf32>, %f: f32) -> (tensor<2xf32>, tensor<3xf32>) {
          %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<3xf32>, tensor<2x1xindex>) -> tensor<2xf32>
          %1 = linalg.fill ins(%f : f32) outs(%t : tensor<3xf32>) -> tensor<3xf32>
          return %0, %1 : tensor<2xf32>, tensor<3xf32>
        }""",
        ("2x1xindex", "3xf32", 99.0),
        lambda i, t, f: (t[i[:, 0]], np.full_like(t, f)),
    ),
    program(
        "gather_after_its_source_is_overwritten",
        """
        func.func @main(%i: tensor<2x1xindex>, %t: tensor<3xf32>, %f: f32) -> (tensor<2xf32>, tensor<3xf32>) {
          %1 = linalg.fill ins(%f : f32) outs(%t : tensor<3xf32>) -> tensor<3xf32>
          %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<3xf32>, tensor<2x1xindex>) -> tensor<2xf32>
          return %0, %1 : tensor<2xf32>, tensor<3xf32>
        }""",
        ("2x1xindex", "3xf32", 99.0),
        lambda i, t, f: (t[i[:, 0]], np.full_like(t, f)),
    ),
    program(
        "gather_after_its_indices_are_overwritten",
        """
        func.func @main(%i: tensor<2x1xindex>, %t: tensor<3xf32>) -> (tensor<2xf32>, tensor<2x1xindex>) {
          %c0 = arith.constant 0 : index
          %1 = tensor.insert %c0 into %i[%c0, %c0] : tensor<2x1xindex>
          %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<3xf32>, tensor<2x1xindex>) -> tensor<2xf32>
          return %0, %1 : tensor<2xf32>, tensor<2x1xindex>
        }""",
        ("2x1xindex", "3xf32"),
        lambda i, t: (t[i[:, 0]], put(i, (0, 0), 0)),
    ),
    program(
        "gathered_slices_updated",
        """
        func.func @main(%i: tensor<2x1xindex>, %t: tensor<3xf32>, %n: index, %f: f32)
            -> (tensor<2xf32>, tensor<3xf32>) {
          %0 = tensor.gather %t[%i] gather_dims([0]) : (tensor<3xf32>, tensor<2x1xindex>) -> tensor<2xf32>
          %1 = tensor.insert %f into %0[%n] : tensor<2xf32>
          return %1, %t : tensor<2xf32>, tensor<3xf32>
        }""",
        ("2x1xindex", "3xf32", 1, 99.0),
        lambda i, t, n, f: (put(t[i[:, 0]], n, f), t),
    ),
    program(
        "gather_by_indices_that_are_gathered",
        """
        func.func @main(%i: tensor<4x1xindex>, %t: tensor<5xf32>) -> tensor<2xf32> {
          %a = arith.constant dense<[[3], [1]]> : tensor<2x1xi8>
          %j = tensor.gather %i[%a] gather_dims([0]) : (tensor<4x1xindex>, tensor<2x1xi8>) -> tensor<2x1xindex>
          %0 = tensor.gather %t[%j] gather_dims([0]) : (tensor<5xf32>, tensor<2x1xindex>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }""",
        ("4x1xindex", "5xf32"),
        lambda i, t: t[i[[3, 1], 0]],
    ),
    program(
        "gather_in_a_loop",
        """
        func.func @main(%i: tensor<3x1xindex>, %t: tensor<4xf32>, %n: index) -> tensor<3xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %z = arith.constant dense<1.0> : tensor<3xf32>
          %0 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %z) -> tensor<3xf32> {
            %g = tensor.gather %t[%i] gather_dims([0]) : (tensor<4xf32>, tensor<3x1xindex>) -> tensor<3xf32>
            %s = linalg.mul ins(%g, %a : tensor<3xf32>, tensor<3xf32>) outs(%a : tensor<3xf32>) -> tensor<3xf32>
            scf.yield %s : tensor<3xf32>
          }
          return %0 : tensor<3xf32>
        }""",
        ("3x1xindex", "4xf32", 3),
        lambda i, t, n: t[i[:, 0]] ** n,
    ),
    program(
        "scatter_rows",
        """
        func.func @main(%i: tensor<2x1xindex>, %s: tensor<2x3xf32>, %t: tensor<4x3xf32>) -> tensor<4x3xf32> {
          %0 = tensor.scatter %s into %t[%i] scatter_dims([0]) unique
            : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x1xindex>) -> tensor<4x3xf32>
          return %0 : tensor<4x3xf32>
        }""",
        ("2x1xindex", "2x3xf32", "4x3xf32"),
        lambda i, s, t: scattered(t, i[:, 0], s),
    ),
    program(
        "scatter_columns_keeping_the_dimension",
        """
        func.func @main(%i: tensor<2x1xi32>, %s: tensor<2x3x1xf32>, %t: tensor<3x4xf32>) -> tensor<3x4xf32> {
          %0 = tensor.scatter %s into %t[%i] scatter_dims([1]) unique
            : (tensor<2x3x1xf32>, tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<3x4xf32>
          return %0 : tensor<3x4xf32>
        }""",
        ("2x1xi32", "2x3x1xf32", "3x4xf32"),
        lambda i, s, t: scattered(t.T, i[:, 0], s).T,
    ),
    program(
        "scatter_by_outer_and_inner_coordinates",
        """
        func.func @main(%i: tensor<2x2x2xindex>, %s: tensor<2x2x3xf32>, %t: tensor<9x3x9xf32>) -> tensor<9x3x9xf32> {
          %0 = tensor.scatter %s into %t[%i] scatter_dims([0, 2]) unique
            : (tensor<2x2x3xf32>, tensor<9x3x9xf32>, tensor<2x2x2xindex>) -> tensor<9x3x9xf32>
          return %0 : tensor<9x3x9xf32>
        }""",
        ("2x2x2xindex", "2x2x3xf32", "9x3x9xf32"),
        lambda i, s, t: scattered(t, (i[..., 0], slice(None), i[..., 1]), s),
    ),
    program(
        "scatter_elements_by_all_coordinates",
        """
        func.func @main(%i: tensor<3x2xindex>, %s: tensor<3xf32>, %t: tensor<7x7xf32>) -> tensor<7x7xf32> {
          %0 = tensor.scatter %s into %t[%i] scatter_dims([0, 1]) unique
            : (tensor<3xf32>, tensor<7x7xf32>, tensor<3x2xindex>) -> tensor<7x7xf32>
          return %0 : tensor<7x7xf32>
        }""",
        ("3x2xindex", "3xf32", "7x7xf32"),
        lambda i, s, t: scattered(t, (i[:, 0], i[:, 1]), s),
    ),
    program(
        "scatter_one_element_of_rank_0",
        """
        func.func @main(%i: tensor<1xindex>, %s: tensor<f32>, %t: tensor<3xf32>) -> tensor<3xf32> {
          %0 = tensor.scatter %s into %t[%i] scatter_dims([0]) unique
            : (tensor<f32>, tensor<3xf32>, tensor<1xindex>) -> tensor<3xf32>
          return %0 : tensor<3xf32>
        }""",
        ("1xindex", "f32", "3xf32"),
        lambda i, s, t: scattered(t, i, s),
    ),
    program(
        "scatter_with_dynamic_sizes",
        """
        func.func @main(%i: tensor<?x1xi64>, %s: tensor<?x1x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
          %0 = tensor.scatter %s into %t[%i] scatter_dims([0]) unique
            : (tensor<?x1x?xf32>, tensor<?x?xf32>, tensor<?x1xi64>) -> tensor<?x?xf32>
          return %0 : tensor<?x?xf32>
        }""",
        [("3x1xi64", "3x1x2xf32", "5x2xf32"), ("0x1xi64", "0x1x2xf32", "5x2xf32"), ("1x1xi64", "1x1x0xf32", "3x0xf32")],
        lambda i, s, t: scattered(t, i[:, 0], s),
    ),
    program(
        "scatter_into_a_tensor_read_later",
        """
        func.func @main(%i: tensor<2x1xindex>, %s: tensor<2xf32>, %t: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
          %0 = tensor.scatter %s into %t[%i] scatter_dims([0]) unique
            : (tensor<2xf32>, tensor<3xf32>, tensor<2x1xindex>) -> tensor<3xf32>
          return %0, %t : tensor<3xf32>, tensor<3xf32>
        }""",
        ("2x1xindex", "2xf32", "3xf32"),
        lambda i, s, t: (scattered(t, i[:, 0], s), t),
    ),
    program(
        "scatter_a_slice_of_the_destination",
        """
        func.func @main(%i: tensor<2x1xindex>, %t: tensor<4xf32>) -> tensor<4xf32> {
          %s = tensor.extract_slice %t[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
          %0 = tensor.scatter %s into %t[%i] scatter_dims([0]) unique
            : (tensor<2xf32>, tensor<4xf32>, tensor<2x1xindex>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        ("2x1xindex", "4xf32"),
        lambda i, t: scattered(t, i[:, 0], t[:2]),
    ),
    program(
        "scatter_into_its_own_indices",
        """
        func.func @main(%i: tensor<3x1xi32>, %s: tensor<2xi32>) -> tensor<3x1xi32> {
          %h = tensor.extract_slice %i[0, 0] [2, 1] [1, 1] : tensor<3x1xi32> to tensor<2x1xi32>
          %one = arith.constant dense<1> : tensor<2x1xi32>
          %j = arith.subi %h, %one : tensor<2x1xi32>
          %v = tensor.collapse_shape %i [[0, 1]] : tensor<3x1xi32> into tensor<3xi32>
          %w = tensor.scatter %s into %v[%j] scatter_dims([0]) unique
            : (tensor<2xi32>, tensor<3xi32>, tensor<2x1xi32>) -> tensor<3xi32>
          %0 = tensor.expand_shape %w [[0, 1]] output_shape [3, 1] : tensor<3xi32> into tensor<3x1xi32>
          return %0 : tensor<3x1xi32>
        }""",
        ("3x1xi32", "2xi32"),
        lambda i, s: put(i, i[:2, 0] - 1, s[:, None]),
    ),
    program(
        "scatter_indices_into_themselves",
        """
        func.func @main(%i: tensor<4x1xi32>) -> tensor<4x1xi32> {
          %one = arith.constant dense<1> : tensor<4x1xi32>
          %j = arith.subi %i, %one : tensor<4x1xi32>
          %v = tensor.collapse_shape %j [[0, 1]] : tensor<4x1xi32> into tensor<4xi32>
          %s = arith.constant dense<[5, 6, 7, 8]> : tensor<4xi32>
          %w = tensor.scatter %s into %v[%j] scatter_dims([0]) unique
            : (tensor<4xi32>, tensor<4xi32>, tensor<4x1xi32>) -> tensor<4xi32>
          %0 = tensor.expand_shape %w [[0, 1]] output_shape [4, 1] : tensor<4xi32> into tensor<4x1xi32>
          return %0 : tensor<4x1xi32>
        }""",
        ("4x1xi32",),
        lambda i: put(i, i[:, 0] - 1, np.arange(5, 9)[:, None]),
    ),
    program(
        "scatter_fills_a_new_tensor",
        """
        func.func @main(%i: tensor<2x1xindex>, %s: tensor<2xf32>, %f: f32) -> tensor<4xf32> {
          %e = tensor.empty() : tensor<4xf32>
          %z = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %0 = tensor.scatter %s into %z[%i] scatter_dims([0]) unique
            : (tensor<2xf32>, tensor<4xf32>, tensor<2x1xindex>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        ("2x1xindex", "2xf32", 99.0),
        lambda i, s, f: scattered(np.full(4, f, np.float32), i[:, 0], s),
    ),
    program(
        "scatter_slices_into_a_constant",
        """
        func.func @main(%i: tensor<2x1xindex>, %s: tensor<2xf32>) -> tensor<4xf32> {
          %z = arith.constant dense<[7.0, 8.0, 9.0, 10.0]> : tensor<4xf32>
          %0 = tensor.scatter %s into %z[%i] scatter_dims([0]) unique
            : (tensor<2xf32>, tensor<4xf32>, tensor<2x1xindex>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        ("2x1xindex", "2xf32"),
        lambda i, s: scattered(np.arange(7, 11, dtype=np.float32), i[:, 0], s),
    ),
    program(
        "scatter_in_a_loop",
        """
        func.func @main(%i: tensor<3x1xindex>, %s: tensor<3xf32>, %t: tensor<5xf32>, %n: index) -> tensor<5xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<5xf32> {
            %g = tensor.gather %a[%i] gather_dims([0]) : (tensor<5xf32>, tensor<3x1xindex>) -> tensor<3xf32>
            %h = linalg.add ins(%g, %s : tensor<3xf32>, tensor<3xf32>) outs(%g : tensor<3xf32>) -> tensor<3xf32>
            %r = tensor.scatter %h into %a[%i] scatter_dims([0]) unique
              : (tensor<3xf32>, tensor<5xf32>, tensor<3x1xindex>) -> tensor<5xf32>
            scf.yield %r : tensor<5xf32>
          }
          return %0 : tensor<5xf32>
        }""",
        ("3x1xindex", "3xf32", "5xf32", 3),
        lambda i, s, t, n: put(t, i[:, 0], t[i[:, 0]] + n * s),
    ),
    program(
        "scatter_into_a_strided_slice",
        """
        func.func @main(%i: tensor<2x1xindex>, %s: tensor<2xf32>, %t: tensor<8xf32>) -> tensor<8xf32> {
          %v = tensor.extract_slice %t[1] [4] [2] : tensor<8xf32> to tensor<4xf32>
          %w = tensor.scatter %s into %v[%i] scatter_dims([0]) unique
            : (tensor<2xf32>, tensor<4xf32>, tensor<2x1xindex>) -> tensor<4xf32>
          %0 = tensor.insert_slice %w into %t[1] [4] [2] : tensor<4xf32> into tensor<8xf32>
          return %0 : tensor<8xf32>
        }""",
        ("2x1xindex", "2xf32", "8xf32"),
        lambda i, s, t: put(t, slice(1, None, 2), scattered(t[1::2], i[:, 0], s)),
    ),
]
