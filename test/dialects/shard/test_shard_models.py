"""Collectives on memrefs give what they give on tensors, in place where the operand dies, and leak nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluation, evaluate_ranks

BUFFERIZE = """builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true},
    inplace-canonicalize,cse)"""

PACKED = f"""{BUFFERIZE.removesuffix(")")},inplace-pack-messages,inplace-deallocate,inplace-expand-clones,
    inplace-canonicalize,cse)"""
"""What `mi.compile` runs on it, as far as that concerns communication."""

T, G = "tensor<4x6xf32>", "on @g grid_axes ="
OPS = {
    "all_reduce": ("2x2", f"shard.all_reduce %t {G} [0] reduction = sum : {T} -> {T}", T),
    "all_reduce of all axes": ("2x2", f"shard.all_reduce %t {G} [0, 1] reduction = max : {T} -> {T}", T),
    "all_reduce, axes turned": ("2x3", f"shard.all_reduce %t {G} [1, 0] reduction = min : {T} -> {T}", T),
    "all_reduce of no axes": ("2", f"shard.all_reduce %t on @g : {T} -> {T}", T),
    "reduce_scatter": (
        "2x2",
        f"shard.reduce_scatter %t {G} [1] scatter_dim = 0 : {T} -> tensor<2x6xf32>",
        "tensor<2x6xf32>",
    ),
    "reduce_scatter of columns": (
        "3",
        f"shard.reduce_scatter %t {G} [0] reduction = product scatter_dim = 1 : {T} -> tensor<4x2xf32>",
        "tensor<4x2xf32>",
    ),
    "all_gather": ("2x2", f"shard.all_gather %t {G} [0] gather_axis = 0 : {T} -> tensor<8x6xf32>", "tensor<8x6xf32>"),
    "all_gather of columns": (
        "3",
        f"shard.all_gather %t {G} [0] gather_axis = 1 : {T} -> tensor<4x18xf32>",
        "tensor<4x18xf32>",
    ),
    "all_slice": ("2x2", f"shard.all_slice %t {G} [1] slice_axis = 0 : {T} -> tensor<2x6xf32>", "tensor<2x6xf32>"),
    "all_slice of columns": (
        "2x3",
        f"shard.all_slice %t {G} [1] slice_axis = 1 : {T} -> tensor<4x2xf32>",
        "tensor<4x2xf32>",
    ),
    "all_to_all": (
        "2",
        f"shard.all_to_all %t {G} [0] split_axis = 0 concat_axis = 1 : {T} -> tensor<2x12xf32>",
        "tensor<2x12xf32>",
    ),
    "all_to_all of columns": (
        "3",
        f"shard.all_to_all %t {G} [0] split_axis = 1 concat_axis = 0 : {T} -> tensor<12x2xf32>",
        "tensor<12x2xf32>",
    ),
    "all_to_all of one axis": ("2", f"shard.all_to_all %t {G} [0] split_axis = 0 concat_axis = 0 : {T} -> {T}", T),
    "all_to_all of unequal parts": (
        "3",
        f"shard.all_to_all %t {G} [0] split_axis = 0 concat_axis = 1 : {T} -> tensor<?x18xf32>",
        "tensor<?x18xf32>",
    ),
    "all_to_all of unequal columns": (
        "2x2",
        f"shard.all_to_all %t {G} [1, 0] split_axis = 1 concat_axis = 0 : {T} -> tensor<16x?xf32>",
        "tensor<16x?xf32>",
    ),
    "all_to_all of one axis in unequal parts": (
        "5",
        f"shard.all_to_all %t {G} [0] split_axis = 0 concat_axis = 0 : {T} -> tensor<?x6xf32>",
        "tensor<?x6xf32>",
    ),
    "broadcast": ("2x2", f"shard.broadcast %t {G} [0] root = [1] : ({T}) -> {T}", T),
    "broadcast to five": ("5", f"shard.broadcast %t {G} [0] root = [3] : ({T}) -> {T}", T),
    "broadcast of two axes": ("2x3", f"shard.broadcast %t {G} [0, 1] root = [1, 2] : ({T}) -> {T}", T),
    "shift around": ("3", f"shard.shift %t {G} [0] shift_axis = 0 offset = 2 rotate : {T} -> {T}", T),
    "shift along one of two": ("2x3", f"shard.shift %t {G} [0, 1] shift_axis = 1 offset = 1 rotate : {T} -> {T}", T),
    "shift back around": ("2x3", f"shard.shift %t {G} [1] shift_axis = 1 offset = -1 rotate : {T} -> {T}", T),
    "update_halo": ("3", f"shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1, 1] : {T}", T),
    "update_halo of corners": (
        "2x2",
        f"shard.update_halo %t on @g split_axes = [[0], [1]] halo_sizes = [1, 1, 2, 1] : {T}",
        T,
    ),
    "update_halo of columns": ("3", f"shard.update_halo %t on @g split_axes = [[], [0]] halo_sizes = [0, 2] : {T}", T),
}
IN_PLACE = [name for name in OPS if name.startswith(("all_reduce", "broadcast", "update_halo"))]


def program(name: str, *, kept: bool = False, argument: str = "") -> str:
    """The op alone; with `kept` its operand is returned as well."""
    grid, op, result = OPS[name]
    results, values = (f"({result}, {T})", f"%r, %t : {result}, {T}") if kept else (result, f"%r : {result}")
    return f"""
      shard.grid @g(shape = {grid})
      func.func @f(%t: {T} {argument}) -> {results} {{
        %r = {op}
        return {values}
      }}"""


def inputs(grid: str) -> list[list[Any]]:
    """Tensors whose elements differ, on each rank others."""
    ranks = int(np.prod([int(extent) for extent in grid.split("x")]))
    return [[(np.arange(24, dtype=np.float32) + 24 * rank + 1).reshape(4, 6)] for rank in range(ranks)]


def run(text: str, arguments: list[list[Any]], pipeline: str = "") -> list[Evaluation]:
    with ir.Context():
        module = ir.Module.parse(text)
        if pipeline:
            mi.run_pipeline(module, pipeline)
        return evaluate_ranks(module, "f", arguments)


@pytest.mark.each_value
@pytest.mark.parametrize("pipeline", [BUFFERIZE, PACKED])
@pytest.mark.parametrize("argument", ["{bufferization.writable = true}", "{bufferization.writable = false}"])
@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("name", OPS)
def test_the_same_as_on_tensors(name: str, kept: bool, argument: str, pipeline: str) -> None:
    grid, text = OPS[name][0], program(name, kept=kept, argument=argument)
    wanted = run(text, inputs(grid))
    for one, other in zip(wanted, run(text, inputs(grid), pipeline), strict=True):
        for a, b in zip(one.results, other.results, strict=True):
            np.testing.assert_array_equal(a, b)
        assert pipeline != PACKED or other.leaked == 0


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_where_the_operand_dies(name: str) -> None:
    grid, text = OPS[name][0], program(name, argument="{bufferization.writable = true}")
    for one in run(text, inputs(grid), BUFFERIZE):
        assert (one.allocations, one.copies) == (0, 0)


@pytest.mark.parametrize("name", IN_PLACE)
def test_one_copy_where_the_operand_is_read_later(name: str) -> None:
    grid, text = OPS[name][0], program(name, kept=True, argument="{bufferization.writable = true}")
    for one in run(text, inputs(grid), BUFFERIZE):
        assert (one.allocations, one.copies) == (1, 1)


@pytest.mark.parametrize("rows", [(2, 1, 1), (0, 3, 1), (4, 4, 4)])
@pytest.mark.parametrize("dimension", [0, 1])
def test_parts_of_different_sizes_are_gathered(rows: tuple[int, ...], dimension: int) -> None:
    local, whole = ("tensor<?x2xf64>",) * 2 if dimension == 0 else ("tensor<2x?xf64>",) * 2
    text = f"""
      shard.grid @g(shape = 3)
      func.func @f(%t: {local}) -> {whole} {{
        %r = shard.all_gather %t on @g grid_axes = [0] gather_axis = {dimension} : {local} -> {whole}
        return %r : {whole}
      }}"""
    start = 0.0
    arguments = []
    for size in rows:
        shape = (size, 2) if dimension == 0 else (2, size)
        arguments.append([start + np.arange(2.0 * size).reshape(shape)])
        start += 2 * size
    wanted = np.concatenate([given for (given,) in arguments], dimension)
    for pipeline in ("", BUFFERIZE, PACKED):
        for one in run(text, arguments, pipeline):
            np.testing.assert_array_equal(one.results[0], wanted)
            assert pipeline != PACKED or one.leaked == 0


@pytest.mark.parametrize("sizes", [(2, 1, 1), (0, 3, 1), (4, 4, 4)])
@pytest.mark.parametrize(("split", "concat"), [(0, 1), (1, 0), (0, 0), (1, 1)])
def test_parts_of_different_sizes_are_exchanged(sizes: tuple[int, ...], split: int, concat: int) -> None:
    """What is put together differs in size from rank to rank; what is split is equal, if it is another dimension."""
    type_ = "tensor<?x?xi32>"
    text = f"""
      shard.grid @g(shape = 3)
      func.func @f(%t: {type_}) -> {type_} {{
        %r = shard.all_to_all %t on @g grid_axes = [0] split_axis = {split} concat_axis = {concat} : {type_} -> {type_}
        return %r : {type_}
      }}"""
    arguments = []
    for rank, size in enumerate(sizes):
        shape = (size, 5) if concat == 0 else (5, size)
        arguments.append([100 * rank + np.arange(5 * size, dtype=np.int32).reshape(shape)])
    parts = [np.array_split(given, 3, split) for (given,) in arguments]
    for pipeline in ("", BUFFERIZE, PACKED):
        for rank, one in enumerate(run(text, arguments, pipeline)):
            np.testing.assert_array_equal(one.results[0], np.concatenate([of[rank] for of in parts], concat))
            assert pipeline != PACKED or one.leaked == 0


@pytest.mark.parametrize("around", ["", "rotate"])
@pytest.mark.parametrize("offset", [1, -1, 2])
def test_tensors_of_different_sizes_are_shifted(offset: int, around: str) -> None:
    text = f"""
      shard.grid @g(shape = 3)
      func.func @f(%t: tensor<?x2xf64>) -> tensor<?x2xf64> {{
        %r = shard.shift %t on @g grid_axes = [0] shift_axis = 0 offset = {offset} {around}
          : tensor<?x2xf64> -> tensor<?x2xf64>
        return %r : tensor<?x2xf64>
      }}"""
    given = [100 * rank + np.arange(2.0 * size).reshape(size, 2) for rank, size in enumerate((2, 3, 1))]
    for pipeline in ("", BUFFERIZE, PACKED):
        for rank, one in enumerate(run(text, [[array] for array in given], pipeline)):
            if around or 0 <= rank - offset < 3:
                np.testing.assert_array_equal(one.results[0], given[(rank - offset) % 3])
            assert pipeline != PACKED or one.leaked == 0


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64", "f32", "f64"])
def test_element_types_of_reductions(element: str) -> None:
    text = f"""
      shard.grid @g(shape = 2)
      func.func @f(%t: tensor<3x{element}>) -> tensor<3x{element}> {{
        %r = shard.all_reduce %t on @g grid_axes = [0] : tensor<3x{element}> -> tensor<3x{element}>
        return %r : tensor<3x{element}>
      }}"""
    dtype = np.dtype(element.replace("i", "int").replace("f", "float"))
    arguments = [[np.array([1, 2, 3], dtype)], [np.array([10, 20, 30], dtype)]]
    for one in run(text, arguments, BUFFERIZE):
        np.testing.assert_array_equal(one.results[0], [11, 22, 33])


def test_a_view_that_is_overwritten_later_is_copied() -> None:
    """The part of all_slice is read after the tensor that it lies in was overwritten."""
    text = f"""
      shard.grid @g(shape = 2)
      func.func @f(%t: {T} {{bufferization.writable = true}}) -> (tensor<2x6xf32>, {T}) {{
        %s = shard.all_slice %t on @g grid_axes = [0] slice_axis = 0 : {T} -> tensor<2x6xf32>
        %r = shard.all_reduce %t on @g grid_axes = [0] : {T} -> {T}
        return %s, %r : tensor<2x6xf32>, {T}
      }}"""
    for one, other in zip(run(text, inputs("2")), run(text, inputs("2"), BUFFERIZE), strict=True):
        for a, b in zip(one.results, other.results, strict=True):
            np.testing.assert_array_equal(a, b)
        assert other.copies == 1
