"""One function for each op that the plan converts and that no scenario has, and for each that holds other ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case
from .hazards import CONSTANTS, add, assign

Array = np.ndarray[Any, Any]

A8 = "%a = dispatch.binding set(0) binding(0) : readonly 8xi32"
R8 = "%r = dispatch.binding set(0) binding(1) : writeonly 8xi32"
A34 = "%a = dispatch.binding set(0) binding(0) : readonly 3x4xf32"
R34 = "%r = dispatch.binding set(0) binding(1) : writeonly 3x4xf32"
LOAD_A8 = "%v = dispatch.load %a : readonly 8xi32 -> tensor<8xi32>"
LOAD_A34 = "%v = dispatch.load %a : readonly 3x4xf32 -> tensor<3x4xf32>"
STORE_R8 = "dispatch.store %s, %r : tensor<8xi32> -> writeonly 8xi32"
STORE_R34 = "dispatch.store %s, %r : tensor<3x4xf32> -> writeonly 3x4xf32"
ID = "#id = affine_map<(i) -> (i)>"


def sorted_out(a: Array, r: Array, q: Array) -> None:
    r[...] = np.minimum(a, 5)
    q[...] = np.maximum(a, 5)


CASES = [
    Case(
        "extract",
        [("8xi32", "8xi32", i) for i in (0, 5)],
        lambda a, r, i: assign((r, np.full(8, a[i]))),
        f"""
        {A8}
        {R8}
        %i = dispatch.push_constant 0 : index
        {LOAD_A8}
        %x = tensor.extract %v[%i] : tensor<8xi32>
        %e = tensor.empty() : tensor<8xi32>
        %s = linalg.fill ins(%x : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
        {STORE_R8}""",
    ),
    Case(
        "pad",
        ("3x4xf32", "5x7xf32"),
        lambda a, r: assign((r, np.pad(a, ((1, 1), (0, 3)), constant_values=-1))),
        f"""
        {A34}
        %r = dispatch.binding set(0) binding(1) : writeonly 5x7xf32
        {LOAD_A34}
        %f = arith.constant -1.0 : f32
        %s = tensor.pad %v low[1, 0] high[1, 3] {{
        ^bb0(%i: index, %j: index):
          tensor.yield %f : f32
        }} : tensor<3x4xf32> to tensor<5x7xf32>
        dispatch.store %s, %r : tensor<5x7xf32> -> writeonly 5x7xf32""",
        copies=1,
    ),
    Case(
        "pad_dynamic",
        [("3x4xf32", "5x7xf32", 1, 1, 3), ("2x2xf32", "3x2xf32", 1, 0, 0), ("3x1xf32", "3x1xf32", 0, 0, 0)],
        lambda a, r, top, bottom, right: assign((r, np.pad(a, ((top, bottom), (0, right)), constant_values=-1))),
        """
        %top = dispatch.push_constant 0 : index
        %bottom = dispatch.push_constant 1 : index
        %right = dispatch.push_constant 2 : index
        %a = dispatch.binding set(0) binding(0) : readonly ?x?xf32
        %r = dispatch.binding set(0) binding(1) : writeonly ?x?xf32
        %v = dispatch.load %a : readonly ?x?xf32 -> tensor<?x?xf32>
        %f = arith.constant -1.0 : f32
        %s = tensor.pad %v low[%top, 0] high[%bottom, %right] {
        ^bb0(%i: index, %j: index):
          tensor.yield %f : f32
        } : tensor<?x?xf32> to tensor<?x?xf32>
        dispatch.store %s, %r : tensor<?x?xf32> -> writeonly ?x?xf32""",
        copies=1,
    ),
    Case(
        "constant_stored",
        ("2x3xf32",),
        lambda r: assign((r, [[1, 2, 3], [4, 5, 6]])),
        """
        %r = dispatch.binding set(0) binding(0) : writeonly 2x3xf32
        %s = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
        dispatch.store %s, %r : tensor<2x3xf32> -> writeonly 2x3xf32""",
        copies=1,
    ),
    Case(
        "splat_constant_stored",
        ("2x3xf32",),
        lambda r: assign((r, np.full((2, 3), 7))),
        """
        %r = dispatch.binding set(0) binding(0) : writeonly 2x3xf32
        %s = arith.constant dense<7.0> : tensor<2x3xf32>
        dispatch.store %s, %r : tensor<2x3xf32> -> writeonly 2x3xf32""",
    ),
    Case(
        "constant_read",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r, a + np.array([1, 10, 2, 20, 3, 30, 4, 40]))),
        f"""
        {A8}
        {R8}
        {LOAD_A8}
        %c = arith.constant dense<[1, 10, 2, 20, 3, 30, 4, 40]> : tensor<8xi32>
        {add("s", "v", "c", type_="tensor<8xi32>")}
        {STORE_R8}""",
    ),
    Case(
        "constant_as_init",
        ("3x4xf32", "4x3xf32", "3x3xf32"),
        lambda a, b, r: assign((r, a @ b + np.arange(9).reshape(3, 3))),
        f"""
        {A34}
        %b = dispatch.binding set(0) binding(1) : readonly 4x3xf32
        %r = dispatch.binding set(0) binding(2) : writeonly 3x3xf32
        {LOAD_A34}
        %w = dispatch.load %b : readonly 4x3xf32 -> tensor<4x3xf32>
        %c = arith.constant dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]> : tensor<3x3xf32>
        %s = linalg.matmul ins(%v, %w : tensor<3x4xf32>, tensor<4x3xf32>) outs(%c : tensor<3x3xf32>) -> tensor<3x3xf32>
        dispatch.store %s, %r : tensor<3x3xf32> -> writeonly 3x3xf32""",
        copies=1,
    ),
    Case(
        "splat_constant_as_init",
        ("3x4xf32", "4x3xf32", "3x3xf32"),
        lambda a, b, r: assign((r, a @ b + 1)),
        f"""
        {A34}
        %b = dispatch.binding set(0) binding(1) : readonly 4x3xf32
        %r = dispatch.binding set(0) binding(2) : writeonly 3x3xf32
        {LOAD_A34}
        %w = dispatch.load %b : readonly 4x3xf32 -> tensor<4x3xf32>
        %c = arith.constant dense<1.0> : tensor<3x3xf32>
        %s = linalg.matmul ins(%v, %w : tensor<3x4xf32>, tensor<4x3xf32>) outs(%c : tensor<3x3xf32>) -> tensor<3x3xf32>
        dispatch.store %s, %r : tensor<3x3xf32> -> writeonly 3x3xf32""",
    ),
    Case(
        "dim",
        [("3x4xf32", "3x4xf32"), ("1x5xf32", "1x5xf32"), ("0x5xf32", "0x5xf32")],
        lambda a, r: assign((r, np.full(a.shape, 100 * a.shape[0] + a.shape[1]))),
        """
        %a = dispatch.binding set(0) binding(0) : readonly ?x?xf32
        %r = dispatch.binding set(0) binding(1) : writeonly ?x?xf32
        %v = dispatch.load %a : readonly ?x?xf32 -> tensor<?x?xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c100 = arith.constant 100 : index
        %m = tensor.dim %v, %c0 : tensor<?x?xf32>
        %n = tensor.dim %v, %c1 : tensor<?x?xf32>
        %h = arith.muli %m, %c100 : index
        %k = arith.addi %h, %n : index
        %i = arith.index_cast %k : index to i32
        %f = arith.sitofp %i : i32 to f32
        %e = tensor.empty(%m, %n) : tensor<?x?xf32>
        %s = linalg.fill ins(%f : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
        dispatch.store %s, %r : tensor<?x?xf32> -> writeonly ?x?xf32""",
    ),
    Case(
        "sizes_of_a_binding",
        [("3x4xf32", "3x4xf32", 3, 4), ("1x5xf32", "1x5xf32", 1, 5)],
        lambda a, r, m, n: assign((r, a + a.shape[1])),
        """
        %m = dispatch.push_constant 0 : index
        %n = dispatch.push_constant 1 : index
        %a = dispatch.binding set(0) binding(0) sizes(%m, %n) : readonly ?x?xf32
        %r = dispatch.binding set(0) binding(1) sizes(%m, %n) : writeonly ?x?xf32
        %v = dispatch.load %a : readonly ?x?xf32 -> tensor<?x?xf32>
        %c1 = arith.constant 1 : index
        %d = tensor.dim %v, %c1 : tensor<?x?xf32>
        %i = arith.index_cast %d : index to i32
        %f = arith.sitofp %i : i32 to f32
        %e = tensor.empty(%m, %n) : tensor<?x?xf32>
        %g = linalg.fill ins(%f : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
        %s = linalg.add ins(%v, %g : tensor<?x?xf32>, tensor<?x?xf32>) outs(%g : tensor<?x?xf32>) -> tensor<?x?xf32>
        dispatch.store %s, %r : tensor<?x?xf32> -> writeonly ?x?xf32""",
    ),
    Case(
        "tied_shape",
        [("3x4xf32", "12xf32", 3, 4, 12), ("5x1xf32", "5xf32", 5, 1, 5)],
        lambda a, r, *sizes: assign((r, a.reshape(-1))),
        """
        %m = dispatch.push_constant 0 : index
        %n = dispatch.push_constant 1 : index
        %k = dispatch.push_constant 2 : index
        %a0 = dispatch.binding set(0) binding(0) : readonly ?x?xf32
        %a = dispatch.tie_shape %a0, [%m, %n] : readonly ?x?xf32
        %r0 = dispatch.binding set(0) binding(1) : writeonly ?xf32
        %r = dispatch.tie_shape %r0, [%k] : writeonly ?xf32
        %v = dispatch.load %a : readonly ?x?xf32 -> tensor<?x?xf32>
        %s = tensor.collapse_shape %v [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
        dispatch.store %s, %r : tensor<?xf32> -> writeonly ?xf32""",
        copies=1,
    ),
    Case(
        "insert_slice",
        ("2x2xf32", "3x4xf32"),
        lambda a, r: assign((r[1:, 1:3], a)),
        """
        %a = dispatch.binding set(0) binding(0) : readonly 2x2xf32
        %r = dispatch.binding set(0) binding(1) : readwrite 3x4xf32
        %v = dispatch.load %a : readonly 2x2xf32 -> tensor<2x2xf32>
        %w = dispatch.load %r : readwrite 3x4xf32 -> tensor<3x4xf32>
        %s = tensor.insert_slice %v into %w[1, 1] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<3x4xf32>
        dispatch.store %s, %r : tensor<3x4xf32> -> readwrite 3x4xf32""",
        copies=1,
    ),
    Case(
        "insert_slice_computed_in_place",
        ("2x2xf32", "3x4xf32"),
        lambda a, r: assign((r[1:, 1:3], 2 * a)),
        f"""
        %a = dispatch.binding set(0) binding(0) : readonly 2x2xf32
        %r = dispatch.binding set(0) binding(1) : readwrite 3x4xf32
        %v = dispatch.load %a : readonly 2x2xf32 -> tensor<2x2xf32>
        %w = dispatch.load %r : readwrite 3x4xf32 -> tensor<3x4xf32>
        {add("t", "v", "v", type_="tensor<2x2xf32>")}
        %s = tensor.insert_slice %t into %w[1, 1] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<3x4xf32>
        dispatch.store %s, %r : tensor<3x4xf32> -> readwrite 3x4xf32""",
    ),
    Case(
        "insert_slice_into_readonly",
        ("2x2xf32", "3x4xf32", "3x4xf32"),
        lambda a, b, r: assign((r, b), (r[1:, 1:3], a)),
        """
        %a = dispatch.binding set(0) binding(0) : readonly 2x2xf32
        %b = dispatch.binding set(0) binding(1) : readonly 3x4xf32
        %r = dispatch.binding set(0) binding(2) : writeonly 3x4xf32
        %v = dispatch.load %a : readonly 2x2xf32 -> tensor<2x2xf32>
        %w = dispatch.load %b : readonly 3x4xf32 -> tensor<3x4xf32>
        %s = tensor.insert_slice %v into %w[1, 1] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<3x4xf32>
        dispatch.store %s, %r : tensor<3x4xf32> -> writeonly 3x4xf32""",
        copies=2,
    ),
    Case(
        "insert_into_readwrite",
        [("8xi32", i) for i in (0, 7)],
        lambda a, i: assign((a[i : i + 1], -5)),
        """
        %a = dispatch.binding set(0) binding(0) : readwrite 8xi32
        %i = dispatch.push_constant 0 : index
        %c = arith.constant -5 : i32
        %v = dispatch.load %a : readwrite 8xi32 -> tensor<8xi32>
        %s = tensor.insert %c into %v[%i] : tensor<8xi32>
        dispatch.store %s, %a : tensor<8xi32> -> readwrite 8xi32""",
    ),
    Case(
        "collapse_rank_reduced_and_cast",
        ("2x3x4xf32", "12xf32"),
        lambda a, r: assign((r, 2 * a[1].reshape(12))),
        f"""
        %a = dispatch.binding set(0) binding(0) : readonly 2x3x4xf32
        %r = dispatch.binding set(0) binding(1) : writeonly 12xf32
        %v = dispatch.load %a[1, 0, 0] [1, 3, 4] [1, 1, 1] : readonly 2x3x4xf32 -> tensor<3x4xf32>
        %w = tensor.cast %v : tensor<3x4xf32> to tensor<?x4xf32>
        %x = tensor.collapse_shape %w [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
        %y = tensor.cast %x : tensor<?xf32> to tensor<12xf32>
        {add("s", "y", "y", type_="tensor<12xf32>")}
        dispatch.store %s, %r : tensor<12xf32> -> writeonly 12xf32""",
    ),
    Case(
        "slices_and_reshapes_of_the_result_replayed",
        ("6xf32", "2x3xf32"),
        lambda a, r: assign((r, 2 * a.reshape(2, 3))),
        f"""
        %a = dispatch.binding set(0) binding(0) : readonly 6xf32
        %r = dispatch.binding set(0) binding(1) : writeonly 2x3xf32
        %v = dispatch.load %a : readonly 6xf32 -> tensor<6xf32>
        {add("t", "v", "v", type_="tensor<6xf32>")}
        %x = tensor.expand_shape %t [[0, 1, 2]] output_shape [1, 2, 3] : tensor<6xf32> into tensor<1x2x3xf32>
        %s = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x2x3xf32> into tensor<2x3xf32>
        dispatch.store %s, %r : tensor<2x3xf32> -> writeonly 2x3xf32""",
        allocations=1,
        copies=1,
    ),
    Case(
        "reshape_of_a_slice_that_is_not_contiguous",
        ("6x4xf32", "12xf32"),
        lambda a, r: assign((r, a[:, :2].reshape(12))),
        """
        %a = dispatch.binding set(0) binding(0) : readonly 6x4xf32
        %r = dispatch.binding set(0) binding(1) : writeonly 12xf32
        %v = dispatch.load %a[0, 0] [6, 2] [1, 1] : readonly 6x4xf32 -> tensor<6x2xf32>
        %s = tensor.collapse_shape %v [[0, 1]] : tensor<6x2xf32> into tensor<12xf32>
        dispatch.store %s, %r : tensor<12xf32> -> writeonly 12xf32""",
        allocations=1,
        copies=2,
    ),
    Case(
        "result_stored_transposed_through_a_slice",
        ("3x4xf32", "5x6xf32"),
        lambda a, r: assign((r[1:5, 0:6:2], a.T)),
        f"""
        {A34}
        %r = dispatch.binding set(0) binding(1) : writeonly 5x6xf32
        {LOAD_A34}
        %e = tensor.empty() : tensor<4x3xf32>
        %s = linalg.transpose ins(%v : tensor<3x4xf32>) outs(%e : tensor<4x3xf32>) permutation = [1, 0]
        dispatch.store %s, %r[1, 0] [4, 3] [1, 2] : tensor<4x3xf32> -> writeonly 5x6xf32""",
    ),
    Case(
        "results_of_one_generic_to_two_bindings",
        ("8xi32", "8xi32", "8xi32"),
        sorted_out,
        f"""
        {A8}
        {R8}
        %q = dispatch.binding set(0) binding(2) : writeonly 8xi32
        {LOAD_A8}
        %c5 = arith.constant 5 : i32
        %e = tensor.empty() : tensor<8xi32>
        %s:2 = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}}
            ins(%v : tensor<8xi32>) outs(%e, %e : tensor<8xi32>, tensor<8xi32>) {{
        ^bb0(%x: i32, %y: i32, %z: i32):
          %p = arith.minsi %x, %c5 : i32
          %q_ = arith.maxsi %x, %c5 : i32
          linalg.yield %p, %q_ : i32, i32
        }} -> (tensor<8xi32>, tensor<8xi32>)
        dispatch.store %s#0, %r : tensor<8xi32> -> writeonly 8xi32
        dispatch.store %s#1, %q : tensor<8xi32> -> writeonly 8xi32""",
        attributes=ID,
    ),
    Case(
        "generic_of_two_operands_reuses_a_dead_one",
        ("8xi32", "8xi32", "8xi32"),
        lambda a, b, r: assign((r, 2 * a + b)),
        f"""
        {A8}
        %b = dispatch.binding set(0) binding(1) : readonly 8xi32
        %r = dispatch.binding set(0) binding(2) : writeonly 8xi32
        {LOAD_A8}
        %w = dispatch.load %b : readonly 8xi32 -> tensor<8xi32>
        {add("t", "v", "v", type_="tensor<8xi32>")}
        {add("s", "t", "w", type_="tensor<8xi32>")}
        {STORE_R8}""",
        allocations=1,
    ),
    Case(
        "reduction",
        ("3x4xf32", "3xf32"),
        lambda a, r: assign((r, a.sum(1) + 1)),
        f"""
        {A34}
        %r = dispatch.binding set(0) binding(1) : writeonly 3xf32
        {LOAD_A34}
        %one = arith.constant 1.0 : f32
        %e = tensor.empty() : tensor<3xf32>
        %f = linalg.fill ins(%one : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
        %s = linalg.reduce {{ arith.addf }} ins(%v : tensor<3x4xf32>) outs(%f : tensor<3xf32>) dimensions = [1]
        dispatch.store %s, %r : tensor<3xf32> -> writeonly 3xf32""",
    ),
    Case(
        "broadcast_then_product",
        ("4xf32", "3x4xf32", "3x4xf32"),
        lambda a, b, r: assign((r, a * b)),
        """
        %a = dispatch.binding set(0) binding(0) : readonly 4xf32
        %b = dispatch.binding set(0) binding(1) : readonly 3x4xf32
        %r = dispatch.binding set(0) binding(2) : writeonly 3x4xf32
        %v = dispatch.load %a : readonly 4xf32 -> tensor<4xf32>
        %w = dispatch.load %b : readonly 3x4xf32 -> tensor<3x4xf32>
        %e = tensor.empty() : tensor<3x4xf32>
        %t = linalg.broadcast ins(%v : tensor<4xf32>) outs(%e : tensor<3x4xf32>) dimensions = [0]
        %s = linalg.mul ins(%t, %w : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
        dispatch.store %s, %r : tensor<3x4xf32> -> writeonly 3x4xf32""",
        allocations=1,
    ),
    Case(
        "transfer_of_a_whole_tensor",
        ("8xf32", "8xf32"),
        lambda a, r: assign((r, 2 * a)),
        """
        %a = dispatch.binding set(0) binding(0) : readonly 8xf32
        %r = dispatch.binding set(0) binding(1) : writeonly 8xf32
        %c0 = arith.constant 0 : index
        %zero = arith.constant 0.0 : f32
        %v = dispatch.load %a : readonly 8xf32 -> tensor<8xf32>
        %x = vector.transfer_read %v[%c0], %zero {in_bounds = [true]} : tensor<8xf32>, vector<8xf32>
        %y = arith.addf %x, %x : vector<8xf32>
        %e = tensor.empty() : tensor<8xf32>
        %s = vector.transfer_write %y, %e[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
        dispatch.store %s, %r : tensor<8xf32> -> writeonly 8xf32""",
    ),
    Case(
        "whole_tensor_as_a_slice",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r, 2 * a)),
        f"""
        {A8}
        {R8}
        %v = dispatch.load %a[0] [8] [1] : readonly 8xi32 -> tensor<8xi32>
        {add("s", "v", "v", type_="tensor<8xi32>")}
        dispatch.store %s, %r[0] [8] [1] : tensor<8xi32> -> writeonly 8xi32""",
    ),
    Case(
        "unit_dimensions_dropped_by_load_and_store",
        ("3x1x4xf32", "1x3x4x1xf32"),
        lambda a, r: assign((r[0, :, :, 0], 2 * a[:, 0])),
        f"""
        %a = dispatch.binding set(0) binding(0) : readonly 3x1x4xf32
        %r = dispatch.binding set(0) binding(1) : writeonly 1x3x4x1xf32
        %v = dispatch.load %a[0, 0, 0] [3, 1, 4] [1, 1, 1] : readonly 3x1x4xf32 -> tensor<3x4xf32>
        {add("s", "v", "v", type_="tensor<3x4xf32>")}
        dispatch.store %s, %r[0, 0, 0, 0] [1, 3, 4, 1] [1, 1, 1, 1] : tensor<3x4xf32> -> writeonly 1x3x4x1xf32""",
    ),
    Case(
        "if_chooses_what_is_stored",
        [("8xi32", "8xi32", True), ("8xi32", "8xi32", False)],
        lambda a, r, p: assign((r, 2 * a if p else np.full(8, 3))),
        f"""
        {A8}
        {R8}
        %p = dispatch.push_constant 0 : i1
        {LOAD_A8}
        %c3 = arith.constant 3 : i32
        %s = scf.if %p -> tensor<8xi32> {{
          {add("t", "v", "v", type_="tensor<8xi32>")}
          scf.yield %t : tensor<8xi32>
        }} else {{
          %e = tensor.empty() : tensor<8xi32>
          %f = linalg.fill ins(%c3 : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
          scf.yield %f : tensor<8xi32>
        }}
        {STORE_R8}""",
        allocations=2,
        copies=1,
    ),
    Case(
        "select_chooses_what_is_stored",
        [("8xi32", "8xi32", "8xi32", True), ("8xi32", "8xi32", "8xi32", False)],
        lambda a, b, r, p: assign((r, a if p else b)),
        f"""
        {A8}
        %b = dispatch.binding set(0) binding(1) : readonly 8xi32
        %r = dispatch.binding set(0) binding(2) : writeonly 8xi32
        %p = dispatch.push_constant 0 : i1
        {LOAD_A8}
        %w = dispatch.load %b : readonly 8xi32 -> tensor<8xi32>
        %s = arith.select %p, %v, %w : tensor<8xi32>
        {STORE_R8}""",
        copies=1,
    ),
    Case(
        "reduction_loop_accumulates_in_the_output",
        ("4x8xf32", "8x6xf32", "4x6xf32"),
        lambda a, b, r: assign((r, a @ b)),
        f"""
        %a = dispatch.binding set(0) binding(0) : readonly 4x8xf32
        %b = dispatch.binding set(0) binding(1) : readonly 8x6xf32
        %r = dispatch.binding set(0) binding(2) : writeonly 4x6xf32
        {CONSTANTS}
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<4x6xf32>
        %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
        %s = scf.for %k = %c0 to %c8 step %c2 iter_args(%sum = %f) -> tensor<4x6xf32> {{
          %v = dispatch.load %a[0, %k] [4, 2] [1, 1] : readonly 4x8xf32 -> tensor<4x2xf32>
          %w = dispatch.load %b[%k, 0] [2, 6] [1, 1] : readonly 8x6xf32 -> tensor<2x6xf32>
          %t = linalg.matmul ins(%v, %w : tensor<4x2xf32>, tensor<2x6xf32>) outs(%sum : tensor<4x6xf32>)
              -> tensor<4x6xf32>
          scf.yield %t : tensor<4x6xf32>
        }}
        dispatch.store %s, %r : tensor<4x6xf32> -> writeonly 4x6xf32""",
    ),
    Case(
        "tiles_computed_by_a_forall",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r, 2 * a)),
        f"""
        {A8}
        {R8}
        {LOAD_A8}
        %e = tensor.empty() : tensor<8xi32>
        %s = scf.forall (%i) = (0) to (8) step (4) shared_outs(%o = %e) -> (tensor<8xi32>) {{
          %x = tensor.extract_slice %v[%i] [4] [1] : tensor<8xi32> to tensor<4xi32>
          {add("t", "x", "x")}
          scf.forall.in_parallel {{
            tensor.parallel_insert_slice %t into %o[%i] [4] [1] : tensor<4xi32> into tensor<8xi32>
          }}
        }}
        {STORE_R8}""",
    ),
    Case(
        "while_loop_doubles_the_tensor_in_the_output",
        [("8xi32", "8xi32", n) for n in (0, 1, 3)],
        lambda a, r, n: assign((r, a << n)),
        f"""
        {A8}
        {R8}
        %n = dispatch.push_constant 0 : index
        {CONSTANTS}
        {LOAD_A8}
        %s, %end = scf.while (%t = %v, %i = %c0) : (tensor<8xi32>, index) -> (tensor<8xi32>, index) {{
          %p = arith.cmpi slt, %i, %n : index
          scf.condition(%p) %t, %i : tensor<8xi32>, index
        }} do {{
        ^bb0(%t: tensor<8xi32>, %i: index):
          {add("u", "t", "t", "t", "tensor<8xi32>")}
          %next = arith.addi %i, %c1 : index
          scf.yield %u, %next : tensor<8xi32>, index
        }}
        {STORE_R8}""",
        copies=1,
    ),
    Case(
        "store_in_an_execute_region",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r, 2 * a)),
        f"""
        {A8}
        {R8}
        scf.execute_region {{
          {LOAD_A8}
          {add("s", "v", "v", type_="tensor<8xi32>")}
          {STORE_R8}
          scf.yield
        }}""",
    ),
    Case(
        "store_in_a_switch",
        [("8xi32", "8xi32", n) for n in (0, 1, 2)],
        lambda a, r, n: assign((r[:4], (2 * a[:4], a[4:], r[:4])[n])),
        f"""
        {A8}
        {R8}
        %n = dispatch.push_constant 0 : index
        %v = dispatch.load %a[0] [4] [1] : readonly 8xi32 -> tensor<4xi32>
        %w = dispatch.load %a[4] [4] [1] : readonly 8xi32 -> tensor<4xi32>
        scf.index_switch %n
        case 0 {{
          {add("s", "v", "v")}
          dispatch.store %s, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32
          scf.yield
        }}
        case 1 {{
          dispatch.store %w, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32
          scf.yield
        }}
        default {{
        }}""",
        copies=1,
    ),
    Case(
        "elementwise_on_tensors",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r, 2 * a)),
        f"""
        {A8}
        {R8}
        {LOAD_A8}
        %s = arith.addi %v, %v : tensor<8xi32>
        {STORE_R8}""",
    ),
    Case(
        "concat",
        ("4xi32", "4xi32", "8xi32"),
        lambda a, b, r: assign((r, np.concatenate([b, a]))),
        """
        %a = dispatch.binding set(0) binding(0) : readonly 4xi32
        %b = dispatch.binding set(0) binding(1) : readonly 4xi32
        %r = dispatch.binding set(0) binding(2) : writeonly 8xi32
        %v = dispatch.load %a : readonly 4xi32 -> tensor<4xi32>
        %w = dispatch.load %b : readonly 4xi32 -> tensor<4xi32>
        %s = tensor.concat dim(0) %w, %v : (tensor<4xi32>, tensor<4xi32>) -> tensor<8xi32>
        dispatch.store %s, %r : tensor<8xi32> -> writeonly 8xi32""",
        copies=2,
    ),
    Case(
        "generated_from_a_load",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r, a[::-1])),
        f"""
        {A8}
        {R8}
        {LOAD_A8}
        %c7 = arith.constant 7 : index
        %s = tensor.generate {{
        ^bb0(%i: index):
          %j = arith.subi %c7, %i : index
          %x = tensor.extract %v[%j] : tensor<8xi32>
          tensor.yield %x : i32
        }} : tensor<8xi32>
        {STORE_R8}""",
    ),
    Case(
        "elements_stored",
        [("8xi32", "2xi32", i) for i in (2, 6)],
        lambda a, r, i: assign((r, [a[i], a[0]])),
        f"""
        {A8}
        %r = dispatch.binding set(0) binding(1) : writeonly 2xi32
        %i = dispatch.push_constant 0 : index
        %c0 = arith.constant 0 : index
        {LOAD_A8}
        %x = tensor.extract %v[%i] : tensor<8xi32>
        %y = tensor.extract %v[%c0] : tensor<8xi32>
        %s = tensor.from_elements %x, %y : tensor<2xi32>
        dispatch.store %s, %r : tensor<2xi32> -> writeonly 2xi32""",
    ),
    Case(
        "push_constants_of_several_types",
        [("i64", "i64", 3, True, 7), ("i64", "i64", 0, False, -7)],
        lambda a, r, i, p, k: assign((r, (a if p else 0) + 10 * i + k)),
        """
        %a = dispatch.binding set(0) binding(0) : readonly i64
        %r = dispatch.binding set(0) binding(1) : writeonly i64
        %i = dispatch.push_constant 0 : index
        %p = dispatch.push_constant 1 : i1
        %k = dispatch.push_constant 2 : i32
        %v = dispatch.load %a : readonly i64 -> tensor<i64>
        %zero = arith.constant 0 : i64
        %ten = arith.constant 10 : i64
        %x = tensor.extract %v[] : tensor<i64>
        %y = arith.select %p, %x, %zero : i64
        %j = arith.index_cast %i : index to i64
        %l = arith.extsi %k : i32 to i64
        %m = arith.muli %j, %ten : i64
        %n = arith.addi %y, %m : i64
        %o = arith.addi %n, %l : i64
        %s = tensor.from_elements %o : tensor<i64>
        dispatch.store %s, %r : tensor<i64> -> writeonly i64""",
    ),
    Case(
        "push_constant_used_twice_and_out_of_order",
        [("8xi32", "8xi32", 1, 4)],
        lambda a, r, i, j: assign((r[4:6], a[1:3])),
        f"""
        {A8}
        {R8}
        %j = dispatch.push_constant 1 : index
        %i = dispatch.push_constant 0 : index
        %k = dispatch.push_constant 1 : index
        %v = dispatch.load %a[%i] [2] [1] : readonly 8xi32 -> tensor<2xi32>
        dispatch.store %v, %r[%k] [2] [1] : tensor<2xi32> -> writeonly 8xi32""",
        copies=1,
    ),
    Case(
        "one_element_for_each_workgroup_in_three_dimensions",
        ("2x3x4xi32",),
        lambda r: assign((r, np.arange(24).reshape(2, 3, 4))),
        """
        %r = dispatch.binding set(0) binding(0) : writeonly 2x3x4xi32
        %x = dispatch.workgroup_id 0 : index
        %y = dispatch.workgroup_id 1 : index
        %z = dispatch.workgroup_id 2 : index
        %m = dispatch.workgroup_count 0 : index
        %n = dispatch.workgroup_count 1 : index
        %zn = arith.muli %z, %n : index
        %row = arith.addi %zn, %y : index
        %rm = arith.muli %row, %m : index
        %k = arith.addi %rm, %x : index
        %f = arith.index_cast %k : index to i32
        %e = tensor.empty() : tensor<1x1x1xi32>
        %s = linalg.fill ins(%f : i32) outs(%e : tensor<1x1x1xi32>) -> tensor<1x1x1xi32>
        dispatch.store %s, %r[%z, %y, %x] [1, 1, 1] [1, 1, 1] : tensor<1x1x1xi32> -> writeonly 2x3x4xi32""",
        grids=((4, 3, 2),),
    ),
    Case(
        "workgroup_size_divides_the_work",
        ("16xi32", "16xi32"),
        lambda a, r: assign((r, 2 * a)),
        """
        %a = dispatch.binding set(0) binding(0) : readonly 16xi32
        %r = dispatch.binding set(0) binding(1) : writeonly 16xi32
        %x = dispatch.workgroup_id 0 : index
        %size = dispatch.workgroup_size 0 : index
        %count = dispatch.workgroup_count 0 : index
        %c16 = arith.constant 16 : index
        %first = arith.muli %x, %size : index
        %step = arith.muli %count, %size : index
        scf.for %i = %first to %c16 step %step {
          %n = affine.min affine_map<(d0)[s0] -> (16 - d0, s0)>(%i)[%size]
          %v = dispatch.load %a[%i] [%n] [1] : readonly 16xi32 -> tensor<?xi32>
          %e = tensor.empty(%n) : tensor<?xi32>
          %s = linalg.add ins(%v, %v : tensor<?xi32>, tensor<?xi32>) outs(%e : tensor<?xi32>) -> tensor<?xi32>
          dispatch.store %s, %r[%i] [%n] [1] : tensor<?xi32> -> writeonly 16xi32
        }""",
        grids=((1, 1, 1), (2, 1, 1), (3, 1, 1), (5, 1, 1)),
        sizes=((1, 1, 1), (3, 1, 1), (4, 1, 1), (32, 1, 1)),
    ),
    Case(
        "no_binding_is_stored",
        ("8xi32",),
        lambda a: None,
        f"""
        {A8}
        {LOAD_A8}
        {add("s", "v", "v", type_="tensor<8xi32>")}""",
        allocations=1,
    ),
    Case(
        "softmax",
        ("3x4xf32:random", "3x4xf32"),
        lambda a, r: assign((r, np.exp(a) / np.exp(a).sum(1, keepdims=True))),
        f"""
        {A34}
        {R34}
        {LOAD_A34}
        %e = tensor.empty() : tensor<3x4xf32>
        %s = linalg.softmax dimension(1) ins(%v : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
        {STORE_R34}""",
        rtol=1e-5,
    ),
]
