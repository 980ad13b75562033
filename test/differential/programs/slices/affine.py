"""Slices at offsets that are computed: apart, contained or overlapping by a known distance, or by an unknown one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..program import Program, put

INDICES = """
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %c4 = arith.constant 4 : index
          %c8 = arith.constant 8 : index"""

DOUBLED = """
          %d = linalg.add ins(%s, %s : {0}, {0}) outs(%s : {0}) -> {0}"""


def doubled(t: np.ndarray, *slices: slice) -> np.ndarray:
    changed = t.copy()
    for part in slices:
        changed[part] = 2 * changed[part]
    return changed


def two_slices(name: str, first: str, second: str, numpy: Any, **notes: Any) -> Program:
    """Two elements wide: the slice at `first` is doubled and put back while the one at `second` is still to be read."""
    return Program(
        name,
        f"""
        func.func @main(%t: tensor<16xf32>, %i: index, %j: index) -> (tensor<16xf32>, tensor<2xf32>) {{{INDICES}
          {first}
          {second}
          %r = tensor.extract_slice %t[%b] [2] [1] : tensor<16xf32> to tensor<2xf32>
          %s = tensor.extract_slice %t[%a] [2] [1] : tensor<16xf32> to tensor<2xf32>{DOUBLED.format("tensor<2xf32>")}
          %0 = tensor.insert_slice %d into %t[%a] [2] [1] : tensor<2xf32> into tensor<16xf32>
          %e = tensor.empty() : tensor<2xf32>
          %1 = linalg.add ins(%r, %r : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
          return %0, %1 : tensor<16xf32>, tensor<2xf32>
        }}""",
        args=[("16xf32", 1, 2), ("16xf32", 2, 3), ("16xf32", 3, 1)],
        numpy=numpy,
        **notes,
    )


def at(place: int) -> slice:
    return slice(place, place + 2)


def tiles(t: np.ndarray, n: int) -> np.ndarray:
    """Of each tile of four, the first half is added to the second."""
    changed = t.copy()
    for i in range(n):
        changed[4 * i + 2 : 4 * i + 4] += changed[4 * i : 4 * i + 2]
    return changed


def filter_rows(t: np.ndarray) -> np.ndarray:
    changed = t.copy()
    for i in range(0, 4, 2):
        changed[i, 1:3] *= 2
        changed[i + 1, 1:3] *= 2
    return changed


def shifted_down(t: np.ndarray, n: int) -> np.ndarray:
    changed = t.copy()
    for i in range(n):
        changed[2 * i : 2 * i + 2] = changed[2 * i + 2 : 2 * i + 4]
    return changed


PROGRAMS = [
    two_slices(
        "affine_slices_that_follow_each_other",
        "%a = arith.muli %i, %c4 : index",
        "%b = affine.apply affine_map<(d0) -> (d0 * 4 + 2)>(%i)",
        lambda t, i, j: (doubled(t, at(4 * i)), 2 * t[at(4 * i + 2)]),
        fewer=True,
    ),
    two_slices(
        "affine_slices_that_overlap_by_one",
        "%a = arith.muli %i, %c4 : index",
        "%b = affine.apply affine_map<(d0) -> (d0 * 4 + 1)>(%i)",
        lambda t, i, j: (doubled(t, at(4 * i)), 2 * t[at(4 * i + 1)]),
    ),
    two_slices(
        "affine_slices_with_the_sum_in_another_order",
        "%x = arith.addi %i, %j : index %a = arith.addi %x, %c2 : index",
        "%y = arith.subi %j, %c2 : index %z = arith.addi %y, %c2 : index %b = arith.addi %z, %i : index",
        lambda t, i, j: (doubled(t, at(i + j + 2)), 2 * t[at(i + j)]),
        fewer=True,
    ),
    two_slices(
        "affine_slices_of_two_symbols_that_may_meet",
        "%a = arith.muli %i, %c2 : index",
        "%b = arith.muli %j, %c2 : index",
        lambda t, i, j: (doubled(t, at(2 * i)), 2 * t[at(2 * j)]),
    ),
    two_slices(
        "affine_slices_by_a_product_of_symbols",
        "%p = arith.muli %i, %j : index %a = arith.addi %p, %c2 : index",
        "%b = arith.addi %p, %c0 : index",
        lambda t, i, j: (doubled(t, at(i * j + 2)), 2 * t[at(i * j)]),
        fewer=True,
    ),
    two_slices(
        "affine_slices_by_a_remainder",
        "%a = arith.remui %i, %c2 : index",
        "%b = affine.apply affine_map<(d0) -> (d0 mod 2 + 1)>(%i)",
        lambda t, i, j: (doubled(t, at(i % 2)), 2 * t[at(i % 2 + 1)]),
    ),
    Program(
        "affine_halves_of_each_tile",
        f"""
        func.func @main(%t: tensor<16xf32>, %n: index) -> tensor<16xf32> {{{INDICES}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<16xf32> {{
            %a = arith.muli %i, %c4 : index
            %b = arith.addi %a, %c2 : index
            %r = tensor.extract_slice %u[%a] [2] [1] : tensor<16xf32> to tensor<2xf32>
            %s = tensor.extract_slice %u[%b] [2] [1] : tensor<16xf32> to tensor<2xf32>
            %1 = linalg.add ins(%r, %s : tensor<2xf32>, tensor<2xf32>) outs(%s : tensor<2xf32>) -> tensor<2xf32>
            %2 = tensor.insert_slice %1 into %u[%b] [2] [1] : tensor<2xf32> into tensor<16xf32>
            scf.yield %2 : tensor<16xf32>
          }}
          return %0 : tensor<16xf32>
        }}""",
        args=[("16xf32", n) for n in (0, 1, 4)],
        numpy=tiles,
        fewer=True,
    ),
    Program(
        "affine_slice_read_in_the_next_iteration",
        f"""
        func.func @main(%t: tensor<16xf32>, %n: index) -> tensor<16xf32> {{{INDICES}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<16xf32> {{
            %a = arith.muli %i, %c2 : index
            %b = arith.addi %a, %c2 : index
            %r = tensor.extract_slice %u[%b] [2] [1] : tensor<16xf32> to tensor<2xf32>
            %1 = tensor.insert_slice %r into %u[%a] [2] [1] : tensor<2xf32> into tensor<16xf32>
            scf.yield %1 : tensor<16xf32>
          }}
          return %0 : tensor<16xf32>
        }}""",
        args=[("16xf32", n) for n in (0, 1, 7)],
        numpy=shifted_down,
        fewer=True,
    ),
    Program(
        "affine_rows_of_a_pair_both_updated",
        f"""
        func.func @main(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {{{INDICES}
          %0 = scf.for %i = %c0 to %c4 step %c2 iter_args(%u = %t) -> tensor<4x4xf32> {{
            %j = arith.addi %i, %c1 : index
            %s = tensor.extract_slice %u[%i, 1] [1, 2] [1, 1] : tensor<4x4xf32> to tensor<1x2xf32>
            %r = tensor.extract_slice %u[%j, 1] [1, 2] [1, 1] : tensor<4x4xf32> to tensor<1x2xf32>
            %1 = linalg.add ins(%s, %s : tensor<1x2xf32>, tensor<1x2xf32>) outs(%s : tensor<1x2xf32>)
                -> tensor<1x2xf32>
            %2 = linalg.add ins(%r, %r : tensor<1x2xf32>, tensor<1x2xf32>) outs(%r : tensor<1x2xf32>)
                -> tensor<1x2xf32>
            %3 = tensor.insert_slice %1 into %u[%i, 1] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<4x4xf32>
            %4 = tensor.insert_slice %2 into %3[%j, 1] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<4x4xf32>
            scf.yield %4 : tensor<4x4xf32>
          }}
          return %0 : tensor<4x4xf32>
        }}""",
        args=("4x4xf32",),
        numpy=filter_rows,
        fewer=True,
    ),
    Program(
        "affine_slice_contained_in_what_is_put_back",
        f"""
        func.func @main(%t: tensor<16xf32>, %i: index, %f: f32) -> tensor<16xf32> {{{INDICES}
          %a = arith.muli %i, %c4 : index
          %b = arith.addi %a, %c1 : index
          %s = tensor.extract_slice %t[%a] [4] [1] : tensor<16xf32> to tensor<4xf32>
          %d = linalg.add ins(%s, %s : tensor<4xf32>, tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
          %0 = tensor.insert %f into %t[%b] : tensor<16xf32>
          %1 = tensor.insert_slice %d into %0[%a] [4] [1] : tensor<4xf32> into tensor<16xf32>
          return %1 : tensor<16xf32>
        }}""",
        args=[("16xf32", 0, 99.0), ("16xf32", 3, 99.0)],
        numpy=lambda t, i, f: doubled(t, slice(4 * i, 4 * i + 4)),
    ),
    Program(
        "affine_element_beside_what_is_put_back",
        f"""
        func.func @main(%t: tensor<16xf32>, %i: index, %f: f32) -> tensor<16xf32> {{{INDICES}
          %a = arith.muli %i, %c4 : index
          %b = arith.addi %a, %c4 : index
          %s = tensor.extract_slice %t[%a] [4] [1] : tensor<16xf32> to tensor<4xf32>
          %d = linalg.add ins(%s, %s : tensor<4xf32>, tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
          %0 = tensor.insert %f into %t[%b] : tensor<16xf32>
          %1 = tensor.insert_slice %d into %0[%a] [4] [1] : tensor<4xf32> into tensor<16xf32>
          return %1 : tensor<16xf32>
        }}""",
        args=[("16xf32", 0, 99.0), ("16xf32", 2, 99.0)],
        numpy=lambda t, i, f: put(doubled(t, slice(4 * i, 4 * i + 4)), 4 * i + 4, f),
    ),
    Program(
        "affine_evens_and_odds",
        """
        func.func @main(%t: tensor<16xf32>, %i: index) -> tensor<16xf32> {
          %c1 = arith.constant 1 : index
          %j = arith.addi %i, %c1 : index
          %s = tensor.extract_slice %t[%i] [4] [2] : tensor<16xf32> to tensor<4xf32>
          %r = tensor.extract_slice %t[%j] [4] [2] : tensor<16xf32> to tensor<4xf32>
          %0 = linalg.add ins(%s, %r : tensor<4xf32>, tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
          %1 = tensor.insert_slice %0 into %t[%i] [4] [2] : tensor<4xf32> into tensor<16xf32>
          return %1 : tensor<16xf32>
        }""",
        args=[("16xf32", 0), ("16xf32", 5)],
        numpy=lambda t, i: put(t, slice(i, i + 8, 2), t[i : i + 8 : 2] + t[i + 1 : i + 9 : 2]),
        fewer=True,
    ),
    Program(
        "dynamic_halves_by_a_dynamic_size",
        """
        func.func @main(%t: tensor<?xf32>, %n: index, %m: index) -> tensor<?xf32> {
          %s = tensor.extract_slice %t[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
          %r = tensor.extract_slice %t[%n] [%m] [1] : tensor<?xf32> to tensor<?xf32>
          %a = linalg.add ins(%s, %s : tensor<?xf32>, tensor<?xf32>) outs(%s : tensor<?xf32>) -> tensor<?xf32>
          %b = linalg.mul ins(%r, %r : tensor<?xf32>, tensor<?xf32>) outs(%r : tensor<?xf32>) -> tensor<?xf32>
          %0 = tensor.insert_slice %a into %t[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
          %1 = tensor.insert_slice %b into %0[%n] [%m] [1] : tensor<?xf32> into tensor<?xf32>
          return %1 : tensor<?xf32>
        }""",
        args=[("7xf32", 3, 4), ("7xf32", 0, 7), ("7xf32", 2, 2), ("0xf32", 0, 0)],
        numpy=lambda t, n, m: np.concatenate([2 * t[:n], t[n : n + m] ** 2, t[n + m :]]),
        fewer=True,
    ),
    Program(
        "row_of_a_dynamic_tile",
        """
        func.func @main(%t: tensor<?x?xf32>, %i: index, %f: f32) -> tensor<?x?xf32> {
          %c1 = arith.constant 1 : index
          %w = tensor.dim %t, %c1 : tensor<?x?xf32>
          %j = arith.addi %i, %c1 : index
          %s = tensor.extract_slice %t[%i, 0] [1, %w] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
          %r = tensor.extract_slice %t[%j, 0] [1, %w] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
          %0 = linalg.sub ins(%r, %s : tensor<?xf32>, tensor<?xf32>) outs(%s : tensor<?xf32>) -> tensor<?xf32>
          %1 = tensor.insert_slice %0 into %t[%i, 0] [1, %w] [1, 1] : tensor<?xf32> into tensor<?x?xf32>
          return %1 : tensor<?x?xf32>
        }""",
        args=[("3x4xf32", 0, 99.0), ("3x4xf32", 1, 99.0), ("2x0xf32", 0, 99.0)],
        numpy=lambda t, i, f: put(t, i, t[i + 1] - t[i]),
        fewer=True,
    ),
    Program(
        "prefix_in_two_steps_of_a_tile",
        f"""
        func.func @main(%t: tensor<17xf32>) -> tensor<17xf32> {{{INDICES}
          %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%u = %t) -> tensor<17xf32> {{
            %a = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
            %b = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)
            %c = affine.apply affine_map<(d0) -> (d0 * 2 + 2)>(%i)
            %x = tensor.extract %u[%a] : tensor<17xf32>
            %y = tensor.extract %u[%b] : tensor<17xf32>
            %s = arith.addf %x, %y : f32
            %1 = tensor.insert %s into %u[%b] : tensor<17xf32>
            %z = tensor.extract %u[%c] : tensor<17xf32>
            %w = arith.addf %s, %z : f32
            %2 = tensor.insert %w into %1[%c] : tensor<17xf32>
            scf.yield %2 : tensor<17xf32>
          }}
          return %0 : tensor<17xf32>
        }}""",
        args=("17xf32",),
        numpy=np.cumsum,
        upstream_refuses="is not equivalent",
        fewer=True,
    ),
]
