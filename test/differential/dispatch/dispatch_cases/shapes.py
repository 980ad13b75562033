"""Tensors of odd shapes and element types."""

from __future__ import annotations

import numpy as np

from .case import Case
from .hazards import assign


def doubled(shape: str, element: str, add: str) -> str:
    """A function that stores twice what it loads."""
    tensor = f"{shape}{element}"
    rank = shape.count("x")
    dims = ", ".join(f"d{i}" for i in range(rank))
    iterators = ", ".join(['"parallel"'] * rank)
    return f"""
        %a = dispatch.binding set(0) binding(0) : readonly {tensor}
        %r = dispatch.binding set(0) binding(1) : writeonly {tensor}
        %v = dispatch.load %a : readonly {tensor} -> tensor<{tensor}>
        %e = tensor.empty() : tensor<{tensor}>
        %s = linalg.generic {{indexing_maps = [affine_map<({dims}) -> ({dims})>, affine_map<({dims}) -> ({dims})>],
            iterator_types = [{iterators}]}} ins(%v : tensor<{tensor}>) outs(%e : tensor<{tensor}>) {{
        ^bb0(%x: {element}, %y: {element}):
          %z = {add} %x, %x : {element}
          linalg.yield %z : {element}
        }} -> tensor<{tensor}>
        dispatch.store %s, %r : tensor<{tensor}> -> writeonly {tensor}"""


def copied(tensor: str) -> str:
    """A function that stores what it loads."""
    return f"""
        %a = dispatch.binding set(0) binding(0) : readonly {tensor}
        %r = dispatch.binding set(0) binding(1) : writeonly {tensor}
        %v = dispatch.load %a : readonly {tensor} -> tensor<{tensor}>
        dispatch.store %v, %r : tensor<{tensor}> -> writeonly {tensor}"""


def doubled_case(name: str, shape: str, element: str, add: str) -> Case:
    return Case(
        name,
        (f"{shape}{element}", f"{shape}{element}"),
        lambda a, r: assign((r, a + a)),
        doubled(shape, element, add),
    )


CASES = [
    doubled_case("rank_0", "", "f32", "arith.addf"),
    doubled_case("one_element", "1x1x", "f32", "arith.addf"),
    doubled_case("rank_6", "1x2x1x3x2x2x", "i32", "arith.addi"),
    doubled_case("elements_f16", "8x", "f16", "arith.addf"),
    doubled_case("elements_bf16", "8x", "bf16", "arith.addf"),
    doubled_case("elements_f64", "8x", "f64", "arith.addf"),
    doubled_case("elements_i8", "8x", "i8", "arith.addi"),
    doubled_case("elements_i16", "8x", "i16", "arith.addi"),
    doubled_case("elements_i64", "8x", "i64", "arith.addi"),
    doubled_case("elements_index", "8x", "index", "arith.addi"),
    Case(
        "elements_i1",
        ("8xi1", "8xi1", "8xi1"),
        lambda a, b, r: assign((r, a ^ b)),
        """
        %a = dispatch.binding set(0) binding(0) : readonly 8xi1
        %b = dispatch.binding set(0) binding(1) : readonly 8xi1
        %r = dispatch.binding set(0) binding(2) : writeonly 8xi1
        %v = dispatch.load %a : readonly 8xi1 -> tensor<8xi1>
        %w = dispatch.load %b : readonly 8xi1 -> tensor<8xi1>
        %s = arith.xori %v, %w : tensor<8xi1>
        dispatch.store %s, %r : tensor<8xi1> -> writeonly 8xi1""",
    ),
    Case("copied_i1", ("8xi1", "8xi1"), lambda a, r: assign((r, a)), copied("8xi1"), copies=1),
    Case("copied_rank_0", ("f32", "f32"), lambda a, r: assign((r, a)), copied("f32"), copies=1),
    Case(
        "copied_dynamic",
        [("3x4xf32", "3x4xf32"), ("0x4xf32", "0x4xf32"), ("5x0xf32", "5x0xf32"), ("1x1xf32", "1x1xf32")],
        lambda a, r: assign((r, a)),
        copied("?x?xf32"),
        copies=1,
    ),
    Case(
        "elements_complex",
        ("8xcomplex64", "8xcomplex64"),
        lambda a, r: assign((r, a * a)),
        doubled("8x", "complex<f32>", "complex.mul"),
    ),
    Case(
        "slice_of_no_elements",
        [("8xi32", "8xi32", n) for n in (0, 3)],
        lambda a, r, n: assign((r[5 : 5 + n], 2 * a[:n])),
        """
        %a = dispatch.binding set(0) binding(0) : readonly 8xi32
        %r = dispatch.binding set(0) binding(1) : writeonly 8xi32
        %n = dispatch.push_constant 0 : index
        %v = dispatch.load %a[0] [%n] [1] : readonly 8xi32 -> tensor<?xi32>
        %e = tensor.empty(%n) : tensor<?xi32>
        %s = linalg.add ins(%v, %v : tensor<?xi32>, tensor<?xi32>) outs(%e : tensor<?xi32>) -> tensor<?xi32>
        dispatch.store %s, %r[5] [%n] [1] : tensor<?xi32> -> writeonly 8xi32""",
    ),
    Case(
        "strides_of_load_and_store",
        ("9xf32", "7xf32"),
        lambda a, r: assign((r[0:7:2], np.float32(2) * a[1:9:2])),
        """
        %a = dispatch.binding set(0) binding(0) : readonly 9xf32
        %r = dispatch.binding set(0) binding(1) : writeonly 7xf32
        %v = dispatch.load %a[1] [4] [2] : readonly 9xf32 -> tensor<4xf32>
        %e = tensor.empty() : tensor<4xf32>
        %s = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
        dispatch.store %s, %r[0] [4] [2] : tensor<4xf32> -> writeonly 7xf32""",
    ),
    Case(
        "strides_known_at_run_time",
        [("9xf32", "9xf32", 2, 1), ("9xf32", "9xf32", 1, 3), ("9xf32", "9xf32", 3, 2)],
        lambda a, r, i, j: assign((r[: 3 * j : j][:3], 2 * a[: 3 * i : i][:3])),
        """
        %a = dispatch.binding set(0) binding(0) : readonly 9xf32
        %r = dispatch.binding set(0) binding(1) : writeonly 9xf32
        %i = dispatch.push_constant 0 : index
        %j = dispatch.push_constant 1 : index
        %v = dispatch.load %a[0] [3] [%i] : readonly 9xf32 -> tensor<3xf32>
        %e = tensor.empty() : tensor<3xf32>
        %s = linalg.add ins(%v, %v : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
        dispatch.store %s, %r[0] [3] [%j] : tensor<3xf32> -> writeonly 9xf32""",
    ),
    doubled_case("no_elements", "0x4x", "f32", "arith.addf"),
    doubled_case("no_elements_inside", "3x0x2x", "i32", "arith.addi"),
    Case("copied_empty", ("0xf32", "0xf32"), lambda a, r: assign((r, a)), copied("0xf32")),
    Case(
        "reduction_over_nothing",
        ("3x0xf32", "3xf32", "3xf32"),
        lambda a, b, r: assign((r, b)),
        """
        %a = dispatch.binding set(0) binding(0) : readonly 3x0xf32
        %b = dispatch.binding set(0) binding(1) : readonly 3xf32
        %r = dispatch.binding set(0) binding(2) : writeonly 3xf32
        %v = dispatch.load %a : readonly 3x0xf32 -> tensor<3x0xf32>
        %w = dispatch.load %b : readonly 3xf32 -> tensor<3xf32>
        %s = linalg.reduce { arith.addf } ins(%v : tensor<3x0xf32>) outs(%w : tensor<3xf32>) dimensions = [1]
        dispatch.store %s, %r : tensor<3xf32> -> writeonly 3xf32""",
        copies=1,
    ),
]
