"""Tensors computed where they are wanted: in the destination, over a dead input, by a fill; or not (`_stays`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import Program, put


def _tile(a: Any, b: Any, tile: Any, t: Any, i: int, j: int) -> Any:
    return put(t, (slice(i, i + 2), slice(j, j + 2)), tile[i : i + 2, j : j + 2] + 2 * (a @ b))


def _loop(tile: Any, t: Any, f: float, n: int) -> Any:
    changed = tile.copy()
    changed[:n] = f
    return put(t, slice(4, 8), changed)


def _either(tile: Any, t: Any, f: float, i: int, flag: bool) -> Any:
    return put(t, slice(4, 8), put(tile, i if flag else 0, f))


def _rows(tile: Any, t: Any, f: float) -> Any:
    changed = tile.copy()
    changed[:, 1] += f
    return put(t, slice(4, 8), changed)


PROGRAMS = [
    Program(
        "destination_of_products_onto_a_tile",
        """
        func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %in: tensor<4x4xf32> {bufferization.writable = false},
                        %t: tensor<4x4xf32>, %i: index, %j: index) -> tensor<4x4xf32> {
          %tile = tensor.extract_slice %in[%i, %j] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
          %0 = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>)
            outs(%tile : tensor<2x2xf32>) -> tensor<2x2xf32>
          %1 = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>)
            outs(%0 : tensor<2x2xf32>) -> tensor<2x2xf32>
          %2 = tensor.insert_slice %1 into %t[%i, %j] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
          return %2 : tensor<4x4xf32>
        }""",
        args=[("2x2xf32", "2x2xf32", "4x4xf32", "4x4xf32", i, j) for i, j in ((0, 0), (1, 2))],
        numpy=_tile,
    ),
    Program(
        "destination_of_a_value_needed_later",
        """
        func.func @main(%a: tensor<4xf32>, %t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, tensor<4xf32>) {
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.negf ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          %2 = tensor.insert_slice %1 into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %2, %0 : tensor<8xf32>, tensor<4xf32>
        }""",
        args=("4xf32", "8xf32", 99.0, 2),
        numpy=lambda a, t, f, i: (put(t, slice(0, 4), put(-a, i, f)), -a),
    ),
    Program(
        "destination_of_vector_writes_reshaped",
        """
        func.func @main(%tile: tensor<2x4xf32> {bufferization.writable = false}, %t: tensor<16xf32>, %f: f32,
                        %i: index) -> tensor<16xf32> {
          %c0 = arith.constant 0 : index
          %v = vector.broadcast %f : f32 to vector<2xf32>
          %0 = vector.transfer_write %v, %tile[%i, %c0] : vector<2xf32>, tensor<2x4xf32>
          %1 = vector.transfer_write %v, %0[%c0, %i] : vector<2xf32>, tensor<2x4xf32>
          %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
          %3 = tensor.insert_slice %2 into %t[8] [8] [1] : tensor<8xf32> into tensor<16xf32>
          return %3 : tensor<16xf32>
        }""",
        args=("2x4xf32", "16xf32", 99.0, 1),
        numpy=lambda tile, t, f, i: put(
            t, slice(8, 16), put(put(tile, (i, slice(0, 2)), f), (0, slice(i, i + 2)), f).ravel()
        ),
    ),
    Program(
        "destination_of_a_loop_from_a_tile",
        """
        func.func @main(%tile: tensor<4xf32> {bufferization.writable = false}, %t: tensor<8xf32>, %f: f32,
                        %n: index) -> tensor<8xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %tile) -> tensor<4xf32> {
            %y = tensor.insert %f into %x[%i] : tensor<4xf32>
            scf.yield %y : tensor<4xf32>
          }
          %1 = tensor.insert_slice %0 into %t[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=[("4xf32", "8xf32", 99.0, n) for n in (0, 1, 3)],
        numpy=_loop,
    ),
    Program(
        "destination_of_either_branch",
        """
        func.func @main(%tile: tensor<4xf32> {bufferization.writable = false}, %t: tensor<8xf32>, %f: f32,
                        %i: index, %flag: i1) -> tensor<8xf32> {
          %c0 = arith.constant 0 : index
          %0 = scf.if %flag -> tensor<4xf32> {
            %x = tensor.insert %f into %tile[%i] : tensor<4xf32>
            scf.yield %x : tensor<4xf32>
          } else {
            %x = tensor.insert %f into %tile[%c0] : tensor<4xf32>
            scf.yield %x : tensor<4xf32>
          }
          %1 = tensor.insert_slice %0 into %t[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=[("4xf32", "8xf32", 99.0, 2, flag) for flag in (False, True)],
        numpy=_either,
    ),
    Program(
        "destination_of_each_thread",
        """
        func.func @main(%tile: tensor<4x2xf32> {bufferization.writable = false}, %t: tensor<8x2xf32>,
                        %f: f32) -> tensor<8x2xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = scf.forall (%i) in (4) shared_outs(%o = %t) -> tensor<8x2xf32> {
            %p = affine.apply affine_map<(d0) -> (d0 + 4)>(%i)
            %s = tensor.extract_slice %tile[%i, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<2xf32>
            %x = tensor.extract %s[%c1] : tensor<2xf32>
            %y = arith.addf %x, %f : f32
            %z = tensor.insert %y into %s[%c1] : tensor<2xf32>
            scf.forall.in_parallel {
              tensor.parallel_insert_slice %z into %o[%p, 0] [1, 2] [1, 1] : tensor<2xf32> into tensor<8x2xf32>
            }
          }
          return %0 : tensor<8x2xf32>
        }""",
        args=("4x2xf32", "8x2xf32", 99.0),
        numpy=_rows,
    ),
    Program(
        "destination_of_what_is_overwritten",
        """
        func.func @main(%a: tensor<4xf32>, %t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
          %0 = linalg.fill ins(%f : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
          %1 = tensor.insert_slice %0 into %t[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=("4xf32", "8xf32", 99.0),
        numpy=lambda a, t, f: put(t, slice(4, 8), f),
    ),
    Program(
        "destination_in_memory_changed_later_stays",
        """
        func.func @main(%a: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %m = memref.alloc() : memref<4xf32>
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          bufferization.materialize_in_destination %0 in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
          memref.store %f, %m[%i] : memref<4xf32>
          %1 = memref.load %m[%i] : memref<4xf32>
          memref.dealloc %m : memref<4xf32>
          return %0, %1 : tensor<4xf32>, f32
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda a, i, f: (2 * a, np.float32(f)),
    ),
    Program(
        "destination_read_between_stays",
        """
        func.func @main(%tile: tensor<4xf32> {bufferization.writable = false}, %t: tensor<8xf32>, %f: f32,
                        %i: index) -> (tensor<8xf32>, f32) {
          %0 = tensor.insert %f into %tile[%i] : tensor<4xf32>
          %1 = tensor.extract %t[%i] : tensor<8xf32>
          %2 = tensor.insert_slice %0 into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %2, %1 : tensor<8xf32>, f32
        }""",
        args=("4xf32", "8xf32", 99.0, 2),
        numpy=lambda tile, t, f, i: (put(t, slice(0, 4), put(tile, i, f)), t[i]),
    ),
    Program(
        "destination_changed_again_stays",
        """
        func.func @main(%tile: tensor<4xf32> {bufferization.writable = false}, %t: tensor<8xf32>, %f: f32,
                        %i: index) -> (tensor<8xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %0 = tensor.insert %f into %tile[%i] : tensor<4xf32>
          %1 = tensor.insert_slice %0 into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
          %2 = tensor.insert %f into %1[%c0] : tensor<8xf32>
          return %2, %0 : tensor<8xf32>, tensor<4xf32>
        }""",
        args=("4xf32", "8xf32", 99.0, 2),
        numpy=lambda tile, t, f, i: (put(put(t, slice(0, 4), put(tile, i, f)), 0, f), put(tile, i, f)),
    ),
    Program(
        "destination_of_elementwise_ops_is_their_input",
        """
        func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.negf ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %e1 = tensor.empty() : tensor<4xf32>
          %1 = linalg.map { arith.negf } ins(%0 : tensor<4xf32>) outs(%e1 : tensor<4xf32>)
          %e2 = tensor.empty() : tensor<4xf32>
          %2 = linalg.add ins(%a, %1 : tensor<4xf32>, tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
          return %2 : tensor<4xf32>
        }""",
        args=("4xf32",),
        numpy=lambda a: 2 * a,
    ),
    Program(
        "destination_of_an_elementwise_op_is_a_tile",
        """
        func.func @main(%a: tensor<4xf32>, %i: index) -> (tensor<2xf32>, f32) {
          %c0 = arith.constant 0 : index
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.negf ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %s = tensor.extract_slice %0[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
          %e1 = tensor.empty() : tensor<2xf32>
          %1 = linalg.add ins(%s, %s : tensor<2xf32>, tensor<2xf32>) outs(%e1 : tensor<2xf32>) -> tensor<2xf32>
          %x = tensor.extract %1[%c0] : tensor<2xf32>
          %e2 = tensor.empty() : tensor<2xf32>
          %2 = linalg.fill ins(%x : f32) outs(%e2 : tensor<2xf32>) -> tensor<2xf32>
          return %2, %x : tensor<2xf32>, f32
        }""",
        args=("4xf32", 2),
        numpy=lambda a, i: (np.full(2, -2 * a[i]), -2 * a[i]),
    ),
    Program(
        "destination_constant_filled",
        """
        func.func @main(%a: tensor<2x2xf32>, %t: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<2x2xf32>) {
          %c = arith.constant dense<2.0> : tensor<2x2xf32>
          %0 = linalg.matmul ins(%a, %a : tensor<2x2xf32>, tensor<2x2xf32>)
            outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
          %1 = tensor.insert_slice %0 into %t[1, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x2xf32>
          %2 = linalg.matmul ins(%a, %c : tensor<2x2xf32>, tensor<2x2xf32>)
            outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
          return %1, %2 : tensor<4x2xf32>, tensor<2x2xf32>
        }""",
        args=("2x2xf32", "4x2xf32"),
        numpy=lambda a, t: (put(t, slice(1, 3), a @ a + 2), 2 + a @ np.full((2, 2), 2.0, np.float32)),
    ),
    Program(
        "destination_constant_filled_for_a_loop",
        """
        func.func @main(%n: index, %f: i32) -> tensor<4xi32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c = arith.constant dense<7> : tensor<4xi32>
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> tensor<4xi32> {
            %y = tensor.insert %f into %x[%i] : tensor<4xi32>
            scf.yield %y : tensor<4xi32>
          }
          return %0 : tensor<4xi32>
        }""",
        args=[(n, 99) for n in (0, 2)],
        numpy=lambda n, f: np.array([f] * n + [7] * (4 - n), np.int32),
    ),
    Program(
        "destination_input_needed_later_stays",
        """
        func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.negf ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %e1 = tensor.empty() : tensor<4xf32>
          %1 = linalg.add ins(%0, %0 : tensor<4xf32>, tensor<4xf32>) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
          return %0, %1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32",),
        numpy=lambda a: (-a, -2 * a),
    ),
    Program(
        "destination_input_needed_in_the_next_iteration_stays",
        """
        func.func @main(%a: tensor<4xf32>, %n: index) -> f32 {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %zero = arith.constant 0.0 : f32
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %1 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
            %e1 = tensor.empty() : tensor<4xf32>
            %2 = linalg.add ins(%0, %0 : tensor<4xf32>, tensor<4xf32>) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
            %x = tensor.extract %2[%i] : tensor<4xf32>
            %y = arith.addf %s, %x : f32
            scf.yield %y : f32
          }
          return %1 : f32
        }""",
        args=[("4xf32", n) for n in (0, 1, 3)],
        numpy=lambda a, n: np.float32(4 * a[:n].sum()),
    ),
    Program(
        "destination_input_read_in_another_order_stays",
        """
        #id = affine_map<(i, j) -> (i, j)>
        #other = affine_map<(i, j) -> (j, i)>
        func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
          %e = tensor.empty() : tensor<2x2xf32>
          %0 = linalg.negf ins(%a : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
          %e1 = tensor.empty() : tensor<2x2xf32>
          %1 = linalg.generic {indexing_maps = [#id, #other, #id], iterator_types = ["parallel", "parallel"]}
            ins(%0, %0 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e1 : tensor<2x2xf32>) {
          ^bb0(%x: f32, %y: f32, %z: f32):
            %s = arith.addf %x, %y : f32
            linalg.yield %s : f32
          } -> tensor<2x2xf32>
          return %1 : tensor<2x2xf32>
        }""",
        args=("2x2xf32",),
        numpy=lambda a: -a - a.T,
    ),
    Program(
        "destination_constant_of_several_numbers_stays",
        """
        func.func @main(%i: index, %f: f32) -> tensor<3xf32> {
          %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
          %0 = tensor.insert %f into %c[%i] : tensor<3xf32>
          return %0 : tensor<3xf32>
        }""",
        args=(1, 99.0),
        numpy=lambda i, f: put(np.array([1, 2, 3], np.float32), i, f),
    ),
    Program(
        "destination_of_a_padded_tensor",
        """
        func.func @main(%x: tensor<?xf32>, %t: tensor<9xf32>, %low: index, %n: index, %f: f32) -> tensor<9xf32> {
          %c1 = arith.constant 1 : index
          %0 = tensor.pad %x low[%low] high[%c1] {
          ^bb0(%i: index):
            tensor.yield %f : f32
          } : tensor<?xf32> to tensor<?xf32>
          %1 = tensor.insert_slice %0 into %t[1] [%n] [1] : tensor<?xf32> into tensor<9xf32>
          return %1 : tensor<9xf32>
        }""",
        args=[("3xf32", "9xf32", 2, 6, 99.0), ("1xf32", "9xf32", 0, 2, 99.0)],
        numpy=lambda x, t, low, n, f: put(t, slice(1, 1 + n), np.pad(x, (low, 1), constant_values=f)),
    ),
    Program(
        "destination_of_generated_padding_and_parts",
        """
        func.func @main(%x: tensor<2xf32>, %y: tensor<5xf32>, %t: tensor<9xf32>, %f: f32) -> tensor<9xf32> {
          %0 = tensor.pad %x low[1] high[2] {
          ^bb0(%i: index):
            %p = tensor.extract %y[%i] : tensor<5xf32>
            tensor.yield %p : f32
          } : tensor<2xf32> to tensor<5xf32>
          %1 = tensor.from_elements %f, %f : tensor<2xf32>
          %2 = tensor.concat dim(0) %0, %1 : (tensor<5xf32>, tensor<2xf32>) -> tensor<7xf32>
          %3 = tensor.insert_slice %2 into %t[1] [7] [1] : tensor<7xf32> into tensor<9xf32>
          return %3 : tensor<9xf32>
        }""",
        args=("2xf32", "5xf32", "9xf32", 99.0),
        numpy=lambda x, y, t, f: put(t, slice(1, 8), np.concatenate([y[:1], x, y[3:], [f, f]])),
    ),
    Program(
        "destination_of_generated_elements",
        """
        func.func @main(%x: tensor<?xf32>, %t: tensor<8xf32>, %o: index, %n: index) -> tensor<8xf32> {
          %0 = tensor.generate %n {
          ^bb0(%i: index):
            %e = tensor.extract %x[%i] : tensor<?xf32>
            %d = arith.addf %e, %e : f32
            tensor.yield %d : f32
          } : tensor<?xf32>
          %1 = tensor.insert_slice %0 into %t[%o] [%n] [1] : tensor<?xf32> into tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=[("5xf32", "8xf32", 3, 5), ("5xf32", "8xf32", 0, 1)],
        numpy=lambda x, t, o, n: put(t, slice(o, o + n), 2 * x[:n]),
    ),
    Program(
        "destination_of_a_constant_and_what_a_loop_makes_of_a_splat",
        """
        func.func @main(%t: tensor<8xf32>, %f: f32, %n: index) -> (tensor<8xf32>, f32) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c = arith.constant dense<7.0> : tensor<2xf32>
          %0 = tensor.insert_slice %c into %t[0] [2] [1] : tensor<2xf32> into tensor<8xf32>
          %s = tensor.splat %f : tensor<4xf32>
          %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s) -> tensor<4xf32> {
            %e = tensor.extract %c[%c0] : tensor<2xf32>
            %b = tensor.insert %e into %a[%i] : tensor<4xf32>
            scf.yield %b : tensor<4xf32>
          }
          %2 = tensor.insert_slice %1 into %0[3] [4] [1] : tensor<4xf32> into tensor<8xf32>
          %e = tensor.extract %c[%c1] : tensor<2xf32>
          return %2, %e : tensor<8xf32>, f32
        }""",
        args=[("8xf32", 99.0, n) for n in (0, 1, 3)],
        numpy=lambda t, f, n: (put(put(t, slice(0, 2), 7), slice(3, 7), [7] * n + [f] * (4 - n)), 7),
    ),
    Program(
        "destination_of_elementwise_ops",
        """
        func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %t: tensor<8xf32>, %n: index) -> tensor<8xf32> {
          %0 = arith.mulf %a, %b : tensor<?xf32>
          %1 = arith.cmpf ogt, %0, %a : tensor<?xf32>
          %2 = arith.select %1, %0, %b : tensor<?xi1>, tensor<?xf32>
          %3 = tensor.insert_slice %2 into %t[2] [%n] [1] : tensor<?xf32> into tensor<8xf32>
          return %3 : tensor<8xf32>
        }""",
        args=[("5xf32", "5xf32", "8xf32", 5), ("1xf32", "1xf32", "8xf32", 1)],
        numpy=lambda a, b, t, n: put(t, slice(2, 2 + n), np.where(a * b > a, a * b, b)),
    ),
    Program(
        "destination_read_by_generated_elements_stays",
        """
        func.func @main(%t: tensor<8xf32>, %n: index) -> tensor<8xf32> {
          %0 = tensor.generate %n {
          ^bb0(%i: index):
            %e = tensor.extract %t[%i] : tensor<8xf32>
            tensor.yield %e : f32
          } : tensor<?xf32>
          %1 = tensor.insert_slice %0 into %t[1] [%n] [1] : tensor<?xf32> into tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=("8xf32", 6),
        numpy=lambda t, n: put(t, slice(1, 1 + n), t[:n].copy()),
    ),
    Program(
        "destination_padded_onto_itself_stays",
        """
        func.func @main(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
          %s = tensor.extract_slice %t[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %0 = tensor.pad %s low[1] high[1] {
          ^bb0(%i: index):
            tensor.yield %f : f32
          } : tensor<4xf32> to tensor<6xf32>
          %1 = tensor.insert_slice %0 into %t[0] [6] [1] : tensor<6xf32> into tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=("8xf32", 99.0),
        numpy=lambda t, f: put(t, slice(0, 6), np.pad(t[:4], 1, constant_values=f)),
    ),
    Program(
        "destination_read_elsewhere_by_elementwise_op_stays",
        """
        func.func @main(%t: tensor<8xf32>, %a: tensor<6xf32> {bufferization.writable = false}) -> tensor<8xf32> {
          %s = tensor.extract_slice %t[0] [6] [1] : tensor<8xf32> to tensor<6xf32>
          %0 = arith.addf %s, %a : tensor<6xf32>
          %1 = tensor.insert_slice %0 into %t[1] [6] [1] : tensor<6xf32> into tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=("8xf32", "6xf32"),
        numpy=lambda t, a: put(t, slice(1, 7), t[:6] + a),
    ),
]
