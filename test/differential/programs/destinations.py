"""Tensors that begin with a copy and are inserted: computed in the destination, or not (`_stays`)."""

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
]
