"""Shapes at the edge: no dimension, no element, one element, many dimensions; and element types of odd sizes."""

from __future__ import annotations

import numpy as np

from .program import Program, put


def cyclic(t: np.ndarray) -> np.ndarray:
    return np.concatenate([t[1:], t[:1]])


def visited(t: np.ndarray, n: int) -> np.ndarray:
    """Each step writes its number where it stands and goes on to where the old element points."""
    t, place = t.copy(), 0
    for i in range(n):
        t[place], place = i, int(t[place]) % 5
    return t


PROGRAMS = [
    Program(
        "rank_0_through_a_loop",
        """
        func.func @main(%t: tensor<f32>, %v: tensor<5xf32>, %n: index) -> tensor<f32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<f32> {
            %x = tensor.extract %u[] : tensor<f32>
            %y = tensor.extract %v[%i] : tensor<5xf32>
            %z = arith.addf %x, %y : f32
            %1 = tensor.insert %z into %u[] : tensor<f32>
            scf.yield %1 : tensor<f32>
          }
          return %0 : tensor<f32>
        }""",
        args=[("f32", "5xf32", n) for n in (0, 1, 5)],
        numpy=lambda t, v, n: np.float32(t + v[:n].sum()).reshape(()),
    ),
    Program(
        "rank_0_swapped_in_a_loop",
        """
        func.func @main(%a: tensor<i32>, %b: tensor<i32>, %n: index) -> (tensor<i32>, tensor<i32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b) -> (tensor<i32>, tensor<i32>) {
            scf.yield %v, %u : tensor<i32>, tensor<i32>
          }
          return %0#0, %0#1 : tensor<i32>, tensor<i32>
        }""",
        args=[("i32", "i32", n) for n in (0, 1, 2, 3)],
        numpy=lambda a, b, n: (b, a) if n % 2 else (a, b),
        upstream_refuses="is not equivalent",
        fewer=True,
    ),
    Program(
        "rank_0_of_a_slice_and_back",
        """
        func.func @main(%t: tensor<2x3xi64>, %i: index, %j: index) -> tensor<2x3xi64> {
          %a = tensor.extract_slice %t[%i, %j] [1, 1] [1, 1] : tensor<2x3xi64> to tensor<i64>
          %0 = tensor.insert_slice %a into %t[%i, 0] [1, 1] [1, 1] : tensor<i64> into tensor<2x3xi64>
          return %0 : tensor<2x3xi64>
        }""",
        args=[("2x3xi64", 0, 2), ("2x3xi64", 1, 0)],
        numpy=lambda t, i, j: put(t, (i, 0), t[i, j]),
    ),
    Program(
        "no_elements_updated_by_an_op",
        """
        func.func @main(%t: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
          %0 = linalg.add ins(%t, %t : tensor<?x4xf32>, tensor<?x4xf32>) outs(%t : tensor<?x4xf32>) -> tensor<?x4xf32>
          return %0, %t : tensor<?x4xf32>, tensor<?x4xf32>
        }""",
        args=[("0x4xf32",), ("1x4xf32",), ("3x4xf32",)],
        numpy=lambda t: (2 * t, t),
    ),
    Program(
        "no_elements_between_two_slices",
        """
        func.func @main(%t: tensor<?xf32>, %n: index, %f: f32) -> tensor<?xf32> {
          %a = tensor.extract_slice %t[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
          %b = linalg.fill ins(%f : f32) outs(%a : tensor<?xf32>) -> tensor<?xf32>
          %0 = tensor.insert_slice %b into %t[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
          return %0 : tensor<?xf32>
        }""",
        args=[("0xf32", 0, 99.0), ("4xf32", 0, 99.0), ("4xf32", 4, 99.0)],
        numpy=lambda t, n, f: put(t, slice(n), f),
    ),
    Program(
        "sum_over_no_elements_keeps_the_init",
        """
        func.func @main(%t: tensor<3x?xf32>, %o: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
          %0 = linalg.reduce ins(%t : tensor<3x?xf32>) outs(%o : tensor<3xf32>) dimensions = [1]
            (%x: f32, %y: f32) {
              %s = arith.addf %x, %y : f32
              linalg.yield %s : f32
            }
          return %0, %o : tensor<3xf32>, tensor<3xf32>
        }""",
        args=[("3x0xf32", "3xf32"), ("3x1xf32", "3xf32"), ("3x4xf32", "3xf32")],
        numpy=lambda t, o: (o + t.sum(1), o),
    ),
    Program(
        "last_row_over_no_rows_keeps_the_init",
        """
        #all = affine_map<(i, j) -> (i, j)>
        #column = affine_map<(i, j) -> (j)>
        func.func @main(%t: tensor<?x3xf32>, %o: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
          %0 = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
              ins(%t : tensor<?x3xf32>) outs(%o : tensor<3xf32>) {
          ^bb0(%x: f32, %y: f32):
            linalg.yield %x : f32
          } -> tensor<3xf32>
          return %0, %o : tensor<3xf32>, tensor<3xf32>
        }""",
        args=[("0x3xf32", "3xf32"), ("1x3xf32", "3xf32"), ("4x3xf32", "3xf32")],
        numpy=lambda t, o: (t[-1] if len(t) else o, o),
        oracle_wrong="upstream takes an init as overwritten although the loop over the rows may run zero times",
    ),
    Program(
        "unit_dimensions_added_and_dropped",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %a = tensor.expand_shape %t [[0, 1, 2]] output_shape [1, 4, 1] : tensor<4xf32> into tensor<1x4x1xf32>
          %b = tensor.insert %f into %a[%c0, %i, %c0] : tensor<1x4x1xf32>
          %c = tensor.collapse_shape %b [[0, 1, 2]] : tensor<1x4x1xf32> into tensor<4xf32>
          return %c : tensor<4xf32>
        }""",
        args=[("4xf32", 0, 99.0), ("4xf32", 3, 99.0)],
        numpy=put,
        fewer=True,
    ),
    Program(
        "unit_dimensions_of_a_column",
        """
        func.func @main(%t: tensor<4x3xf32>, %i: index) -> tensor<4x3xf32> {
          %a = tensor.extract_slice %t[0, %i] [4, 1] [1, 1] : tensor<4x3xf32> to tensor<4x1xf32>
          %b = tensor.collapse_shape %a [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
          %c = linalg.add ins(%b, %b : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
          %d = tensor.expand_shape %c [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
          %0 = tensor.insert_slice %d into %t[0, %i] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x3xf32>
          return %0 : tensor<4x3xf32>
        }""",
        args=[("4x3xf32", 0), ("4x3xf32", 2)],
        numpy=lambda t, i: put(t, np.s_[:, i], 2 * t[:, i]),
        fewer=True,
    ),
    Program(
        "six_dimensions_with_one_updated_slab",
        """
        func.func @main(%t: tensor<2x1x3x2x1x2xf32>, %i: index) -> tensor<2x1x3x2x1x2xf32> {
          %a = tensor.extract_slice %t[0, 0, %i, 0, 0, 0] [2, 1, 1, 2, 1, 2] [1, 1, 1, 1, 1, 1]
              : tensor<2x1x3x2x1x2xf32> to tensor<2x2x2xf32>
          %b = linalg.add ins(%a, %a : tensor<2x2x2xf32>, tensor<2x2x2xf32>) outs(%a : tensor<2x2x2xf32>)
              -> tensor<2x2x2xf32>
          %0 = tensor.insert_slice %b into %t[0, 0, %i, 0, 0, 0] [2, 1, 1, 2, 1, 2] [1, 1, 1, 1, 1, 1]
              : tensor<2x2x2xf32> into tensor<2x1x3x2x1x2xf32>
          return %0 : tensor<2x1x3x2x1x2xf32>
        }""",
        args=[("2x1x3x2x1x2xf32", 0), ("2x1x3x2x1x2xf32", 2)],
        numpy=lambda t, i: put(t, np.s_[:, :, i], 2 * t[:, :, i]),
    ),
    Program(
        "bits_negated_and_kept",
        """
        func.func @main(%t: tensor<9xi1>) -> (tensor<9xi1>, tensor<9xi1>) {
          %true = arith.constant dense<true> : tensor<9xi1>
          %0 = arith.xori %t, %true : tensor<9xi1>
          return %0, %t : tensor<9xi1>, tensor<9xi1>
        }""",
        args=("9xi1",),
        numpy=lambda t: (~t, t),
    ),
    Program(
        "bytes_moved_by_one",
        """
        func.func @main(%t: tensor<7xi8>) -> tensor<7xi8> {
          %c0 = arith.constant 0 : index
          %c6 = arith.constant 6 : index
          %x = tensor.extract %t[%c0] : tensor<7xi8>
          %a = tensor.extract_slice %t[1] [6] [1] : tensor<7xi8> to tensor<6xi8>
          %0 = tensor.insert_slice %a into %t[0] [6] [1] : tensor<6xi8> into tensor<7xi8>
          %1 = tensor.insert %x into %0[%c6] : tensor<7xi8>
          return %1 : tensor<7xi8>
        }""",
        args=("7xi8",),
        numpy=cyclic,
    ),
    Program(
        "indices_that_point_into_themselves",
        """
        func.func @main(%t: tensor<5xindex>, %n: index) -> tensor<5xindex> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t, %k = %c0) -> (tensor<5xindex>, index) {
            %x = tensor.extract %u[%k] : tensor<5xindex>
            %c5 = arith.constant 5 : index
            %y = arith.remui %x, %c5 : index
            %1 = tensor.insert %i into %u[%k] : tensor<5xindex>
            scf.yield %1, %y : tensor<5xindex>, index
          }
          return %0#0 : tensor<5xindex>
        }""",
        args=[("5xindex", n) for n in (0, 1, 4)],
        numpy=visited,
    ),
    Program(
        "half_floats_summed_in_a_wider_type",
        """
        #all = affine_map<(i) -> (i)>
        #one = affine_map<(i) -> ()>
        func.func @main(%t: tensor<8xf16>, %o: tensor<f32>) -> (tensor<f32>, tensor<8xf16>) {
          %0 = linalg.generic {indexing_maps = [#all, #one], iterator_types = ["reduction"]}
              ins(%t : tensor<8xf16>) outs(%o : tensor<f32>) {
          ^bb0(%x: f16, %y: f32):
            %w = arith.extf %x : f16 to f32
            %s = arith.addf %w, %y : f32
            linalg.yield %s : f32
          } -> tensor<f32>
          return %0, %t : tensor<f32>, tensor<8xf16>
        }""",
        args=("8xf16", "f32"),
        numpy=lambda t, o: (np.float32(o + t.astype(np.float32).sum()).reshape(()), t),
    ),
    Program(
        "narrower_result_than_its_input",
        """
        #id = affine_map<(i) -> (i)>
        func.func @main(%t: tensor<6xf64>) -> (tensor<6xf32>, tensor<6xf64>) {
          %e = tensor.empty() : tensor<6xf32>
          %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
              ins(%t : tensor<6xf64>) outs(%e : tensor<6xf32>) {
          ^bb0(%x: f64, %y: f32):
            %z = arith.truncf %x : f64 to f32
            linalg.yield %z : f32
          } -> tensor<6xf32>
          return %0, %t : tensor<6xf32>, tensor<6xf64>
        }""",
        args=("6xf64",),
        numpy=lambda t: (t.astype(np.float32), t),
    ),
    Program(
        "one_init_for_results_of_two_ops",
        """
        #id = affine_map<(i) -> (i)>
        func.func @main(%t: tensor<6xf32>, %f: f32) -> (tensor<6xf32>, tensor<6xf32>) {
          %e = tensor.empty() : tensor<6xf32>
          %0 = linalg.fill ins(%f : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
          %1 = linalg.add ins(%t, %0 : tensor<6xf32>, tensor<6xf32>) outs(%0 : tensor<6xf32>) -> tensor<6xf32>
          %2 = linalg.mul ins(%t, %0 : tensor<6xf32>, tensor<6xf32>) outs(%0 : tensor<6xf32>) -> tensor<6xf32>
          return %1, %2 : tensor<6xf32>, tensor<6xf32>
        }""",
        args=("6xf32", 3.0),
        numpy=lambda t, f: (t + f, t * f),
    ),
    Program(
        "init_that_is_an_input_too_under_another_map",
        """
        #id = affine_map<(i, j) -> (i, j)>
        #row = affine_map<(i, j) -> (0, j)>
        func.func @main(%t: tensor<3x4xf32>) -> tensor<3x4xf32> {
          %0 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
              ins(%t : tensor<3x4xf32>) outs(%t : tensor<3x4xf32>) {
          ^bb0(%x: f32, %y: f32):
            %s = arith.addf %x, %y : f32
            linalg.yield %s : f32
          } -> tensor<3x4xf32>
          return %0 : tensor<3x4xf32>
        }""",
        args=("3x4xf32",),
        numpy=lambda t: t + t[0],
    ),
    Program(
        "index_of_the_loop_written_over_an_input",
        """
        #id = affine_map<(i) -> (i)>
        func.func @main(%t: tensor<6xindex>) -> tensor<6xindex> {
          %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%t : tensor<6xindex>) {
          ^bb0(%x: index):
            %i = linalg.index 0 : index
            %y = arith.addi %x, %i : index
            linalg.yield %y : index
          } -> tensor<6xindex>
          return %0 : tensor<6xindex>
        }""",
        args=("6xindex",),
        numpy=lambda t: t + np.arange(6),
    ),
    Program(
        "payload_reads_its_own_init_elsewhere",
        """
        #id = affine_map<(i) -> (i)>
        func.func @main(%t: tensor<6xf32>) -> tensor<6xf32> {
          %c5 = arith.constant 5 : index
          %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%t : tensor<6xf32>) {
          ^bb0(%x: f32):
            %i = linalg.index 0 : index
            %j = arith.subi %c5, %i : index
            %y = tensor.extract %t[%j] : tensor<6xf32>
            linalg.yield %y : f32
          } -> tensor<6xf32>
          return %0 : tensor<6xf32>
        }""",
        args=("6xf32",),
        numpy=lambda t: t[::-1],
    ),
    Program(
        "payload_reads_a_slice_beside_its_init",
        """
        #id = affine_map<(i) -> (i)>
        func.func @main(%t: tensor<8xf32>) -> tensor<8xf32> {
          %c3 = arith.constant 3 : index
          %a = tensor.extract_slice %t[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %b = tensor.extract_slice %t[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %c = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : tensor<4xf32>) {
          ^bb0(%x: f32):
            %i = linalg.index 0 : index
            %j = arith.subi %c3, %i : index
            %y = tensor.extract %b[%j] : tensor<4xf32>
            linalg.yield %y : f32
          } -> tensor<4xf32>
          %0 = tensor.insert_slice %c into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %0 : tensor<8xf32>
        }""",
        args=("8xf32",),
        numpy=lambda t: np.concatenate([t[:3:-1], t[4:]]),
        fewer=True,
    ),
]
