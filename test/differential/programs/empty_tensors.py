"""Tensors that are computed in a tensor.empty and inserted: with inplace-eliminate-empty-tensors, or not (`_stays`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import Program, put


def _halves(a: Any, b: Any) -> Any:
    return np.concatenate([-a, a + b])


def _rows(t: Any, a: Any) -> Any:
    return put(t, 1, np.concatenate([-a, a + a]))


PROGRAMS = [
    Program(
        "empty_filled_and_inserted",
        """
        func.func @main(%t: tensor<10xf32>, %o: index, %f: f32) -> tensor<10xf32> {
          %e = tensor.empty() : tensor<5xf32>
          %0 = linalg.fill ins(%f : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
          %1 = tensor.insert_slice %0 into %t[%o] [5] [1] : tensor<5xf32> into tensor<10xf32>
          return %1 : tensor<10xf32>
        }""",
        args=[("10xf32", 0, 99.0), ("10xf32", 5, 99.0)],
        numpy=lambda t, o, f: put(t, slice(o, o + 5), f),
    ),
    Program(
        "empty_inserted_at_a_place_computed_later",
        """
        func.func @main(%t: tensor<?xf32>, %a: tensor<5xf32>, %o: index) -> tensor<?xf32> {
          %e = tensor.empty() : tensor<5xf32>
          %0 = linalg.negf ins(%a : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
          %c2 = arith.constant 2 : index
          %p = arith.muli %o, %c2 : index
          %q = affine.min affine_map<(d0) -> (d0, 5)>(%p)
          %1 = tensor.insert_slice %0 into %t[%q] [5] [1] : tensor<5xf32> into tensor<?xf32>
          return %1 : tensor<?xf32>
        }""",
        args=[("10xf32", "5xf32", 1), ("12xf32", "5xf32", 9)],
        numpy=lambda t, a, o: put(t, slice(min(2 * o, 5), min(2 * o, 5) + 5), -a),
    ),
    Program(
        "empty_halves_concatenated",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<8xf32> {
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.negf ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %1 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %d = tensor.empty() : tensor<8xf32>
          %2 = tensor.insert_slice %0 into %d[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
          %3 = tensor.insert_slice %1 into %2[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %3 : tensor<8xf32>
        }""",
        args=("4xf32", "4xf32"),
        numpy=_halves,
    ),
    Program(
        "empty_halves_in_a_row",
        """
        func.func @main(%t: tensor<3x8xf32>, %a: tensor<4xf32>) -> tensor<3x8xf32> {
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.negf ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %1 = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %d = tensor.empty() : tensor<8xf32>
          %2 = tensor.insert_slice %0 into %d[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
          %3 = tensor.insert_slice %1 into %2[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
          %4 = tensor.insert_slice %3 into %t[1, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<3x8xf32>
          return %4 : tensor<3x8xf32>
        }""",
        args=("3x8xf32", "4xf32"),
        numpy=_rows,
    ),
    Program(
        "empty_updated_in_a_loop_and_inserted",
        """
        func.func @main(%t: tensor<10xf32>, %x: f32, %n: index) -> tensor<10xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %e = tensor.empty() : tensor<5xf32>
          %0 = linalg.fill ins(%x : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
          %1 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %0) -> tensor<5xf32> {
            %y = tensor.extract %v[%i] : tensor<5xf32>
            %z = arith.addf %y, %y : f32
            %w = tensor.insert %z into %v[%i] : tensor<5xf32>
            scf.yield %w : tensor<5xf32>
          }
          %2 = tensor.insert_slice %1 into %t[2] [5] [1] : tensor<5xf32> into tensor<10xf32>
          return %2 : tensor<10xf32>
        }""",
        args=[("10xf32", 7.0, 0), ("10xf32", 7.0, 3)],
        numpy=lambda t, x, n: put(t, slice(2, 7), [2 * x] * n + [x] * (5 - n)),
    ),
    Program(
        "empty_in_a_loop_body",
        """
        func.func @main(%t: tensor<4x5xf32>, %a: tensor<5xf32>) -> tensor<4x5xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %e = tensor.empty() : tensor<5xf32>
          %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %t) -> tensor<4x5xf32> {
            %row = tensor.extract_slice %v[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<5xf32>
            %x = tensor.extract %row[%i] : tensor<5xf32>
            %f = linalg.fill ins(%x : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
            %w = tensor.insert_slice %f into %v[%i, 0] [1, 5] [1, 1] : tensor<5xf32> into tensor<4x5xf32>
            scf.yield %w : tensor<4x5xf32>
          }
          return %0 : tensor<4x5xf32>
        }""",
        args=("4x5xf32", "5xf32"),
        numpy=lambda t, a: np.broadcast_to(np.diagonal(t)[:, None], (4, 5)),
    ),
    Program(
        "empty_in_each_thread",
        """
        func.func @main(%t: tensor<8xf32>, %a: tensor<8xf32>) -> tensor<8xf32> {
          %r = scf.forall (%i) in (3) shared_outs(%o = %t) -> tensor<8xf32> {
            %p = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
            %s = tensor.extract_slice %a[%p] [2] [1] : tensor<8xf32> to tensor<2xf32>
            %e = tensor.empty() : tensor<2xf32>
            %f = linalg.negf ins(%s : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
            scf.forall.in_parallel {
              tensor.parallel_insert_slice %f into %o[%p] [2] [1] : tensor<2xf32> into tensor<8xf32>
            }
          }
          return %r : tensor<8xf32>
        }""",
        args=("8xf32", "8xf32"),
        numpy=lambda t, a: put(t, slice(0, 6), -a[:6]),
    ),
    Program(
        "empty_in_each_branch",
        """
        func.func @main(%t: tensor<10xf32>, %a: tensor<5xf32>, %c: i1) -> tensor<10xf32> {
          %0 = scf.if %c -> tensor<5xf32> {
            %e = tensor.empty() : tensor<5xf32>
            %x = linalg.negf ins(%a : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
            scf.yield %x : tensor<5xf32>
          } else {
            %e = tensor.empty() : tensor<5xf32>
            %x = linalg.add ins(%a, %a : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
            scf.yield %x : tensor<5xf32>
          }
          %1 = tensor.insert_slice %0 into %t[2] [5] [1] : tensor<5xf32> into tensor<10xf32>
          return %1 : tensor<10xf32>
        }""",
        args=[("10xf32", "5xf32", True), ("10xf32", "5xf32", False)],
        numpy=lambda t, a, c: put(t, slice(2, 7), -a if c else a + a),
    ),
    Program(
        "empty_cast_and_reshaped",
        """
        func.func @main(%u: tensor<10x3xf32>, %x: f32, %i: index) -> tensor<10x3xf32> {
          %d = tensor.empty() : tensor<10x3xf32>
          %t = linalg.negf ins(%u : tensor<10x3xf32>) outs(%d : tensor<10x3xf32>) -> tensor<10x3xf32>
          %c2 = arith.constant 2 : index
          %e = tensor.empty(%c2) : tensor<?x2xf32>
          %0 = linalg.fill ins(%x : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
          %y = arith.addf %x, %x : f32
          %1 = tensor.insert %y into %0[%i, %i] : tensor<?x2xf32>
          %2 = tensor.cast %1 : tensor<?x2xf32> to tensor<2x2xf32>
          %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
          %4 = tensor.insert_slice %3 into %t[2, 1] [4, 1] [2, 1] : tensor<4xf32> into tensor<10x3xf32>
          return %4 : tensor<10x3xf32>
        }""",
        args=("10x3xf32", 99.0, 1),
        numpy=lambda u, x, i: put(-u, (slice(2, 9, 2), 1), [x, x, x, 2 * x]),
    ),
    Program(
        "empty_passed_to_a_function",
        """
        func.func private @square(%a: tensor<5xf32>, %d: tensor<5xf32>) -> tensor<5xf32> {
          %0 = linalg.mul ins(%a, %a : tensor<5xf32>, tensor<5xf32>) outs(%d : tensor<5xf32>) -> tensor<5xf32>
          return %0 : tensor<5xf32>
        }
        func.func @main(%t: tensor<10xf32>, %a: tensor<5xf32>) -> tensor<10xf32> {
          %e = tensor.empty() : tensor<5xf32>
          %0 = call @square(%a, %e) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
          %1 = tensor.insert_slice %0 into %t[1] [5] [2] : tensor<5xf32> into tensor<10xf32>
          return %1 : tensor<10xf32>
        }""",
        args=("10xf32", "5xf32"),
        numpy=lambda t, a: put(t, slice(1, 10, 2), a * a),
    ),
    Program(
        "empty_materialized_in_a_tensor",
        """
        func.func @main(%t: tensor<5xf32>, %a: tensor<5xf32>) -> tensor<5xf32> {
          %e = tensor.empty() : tensor<5xf32>
          %0 = linalg.negf ins(%a : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
          %1 = bufferization.materialize_in_destination %0 in %t : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
          return %1 : tensor<5xf32>
        }""",
        args=("5xf32", "5xf32"),
        numpy=lambda t, a: -a,
    ),
    Program(
        "empty_and_the_destination_read_elsewhere",
        """
        func.func @main(%t: tensor<10xf32>, %f: f32) -> (tensor<10xf32>, f32) {
          %c9 = arith.constant 9 : index
          %e = tensor.empty() : tensor<5xf32>
          %0 = linalg.fill ins(%f : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
          %x = tensor.extract %t[%c9] : tensor<10xf32>
          %1 = tensor.insert_slice %0 into %t[0] [5] [1] : tensor<5xf32> into tensor<10xf32>
          return %1, %x : tensor<10xf32>, f32
        }""",
        args=("10xf32", 99.0),
        numpy=lambda t, f: (put(t, slice(0, 5), f), t[9]),
    ),
    Program(
        "empty_and_the_destination_read_between_stays",
        """
        func.func @main(%t: tensor<10xf32>, %f: f32, %i: index) -> (tensor<10xf32>, f32) {
          %e = tensor.empty() : tensor<5xf32>
          %0 = linalg.fill ins(%f : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
          %x = tensor.extract %t[%i] : tensor<10xf32>
          %1 = tensor.insert_slice %0 into %t[0] [5] [1] : tensor<5xf32> into tensor<10xf32>
          return %1, %x : tensor<10xf32>, f32
        }""",
        args=[("10xf32", 99.0, 2), ("10xf32", 99.0, 7)],
        numpy=lambda t, f, i: (put(t, slice(0, 5), f), t[i]),
    ),
    Program(
        "empty_needed_after_the_destination_changes_stays",
        """
        func.func @main(%t: tensor<10xf32>, %f: f32, %g: f32, %i: index) -> (tensor<10xf32>, f32) {
          %e = tensor.empty() : tensor<5xf32>
          %0 = linalg.fill ins(%f : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
          %1 = tensor.insert_slice %0 into %t[0] [5] [1] : tensor<5xf32> into tensor<10xf32>
          %2 = tensor.insert %g into %1[%i] : tensor<10xf32>
          %x = tensor.extract %0[%i] : tensor<5xf32>
          return %2, %x : tensor<10xf32>, f32
        }""",
        args=("10xf32", 99.0, 77.0, 2),
        numpy=lambda t, f, g, i: (put(put(t, slice(0, 5), f), i, g), np.float32(f)),
    ),
    Program(
        "empty_inserted_in_two_places_stays",
        """
        func.func @main(%a: tensor<4xf32>, %t: tensor<8xf32>, %u: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.negf ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %1 = tensor.insert_slice %0 into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
          %2 = tensor.insert_slice %1 into %t[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
          %x = tensor.extract_slice %t[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %3 = tensor.insert_slice %x into %u[1] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %t, %3 : tensor<8xf32>, tensor<8xf32>
        }""",
        args=("4xf32", "8xf32", "8xf32"),
        numpy=lambda a, t, u: (t, put(u, slice(1, 5), t[4:])),
    ),
    Program(
        "empty_inserted_in_one_branch_stays",
        """
        func.func @main(%t: tensor<?xf32>, %f: f32, %o: index, %c: i1) -> tensor<?xf32> {
          %e = tensor.empty() : tensor<5xf32>
          %0 = linalg.fill ins(%f : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
          %1 = scf.if %c -> tensor<?xf32> {
            %2 = tensor.insert_slice %0 into %t[%o] [5] [1] : tensor<5xf32> into tensor<?xf32>
            scf.yield %2 : tensor<?xf32>
          } else {
            scf.yield %t : tensor<?xf32>
          }
          return %1 : tensor<?xf32>
        }""",
        args=[("10xf32", 99.0, 3, True), ("2xf32", 99.0, 1_000_000_000, False)],
        numpy=lambda t, f, o, c: put(t, slice(o, o + 5), f) if c else t,
    ),
]
