"""The same three programs on each element type, on a rank of 0 and on dynamic and empty shapes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .program import DTYPES, Program, put

FLOATS = ("f16", "bf16", "f32", "f64")

ADD: dict[str, tuple[str, Callable[..., Any]]] = {
    "i1": ("arith.xori", operator.xor),
    "complex64": ("complex.add", operator.add),
    **dict.fromkeys(FLOATS, ("arith.addf", operator.add)),
}


def element(dtype: str) -> str:
    """How MLIR spells an element type that has NumPy's name."""
    return "complex<f32>" if dtype == "complex64" else dtype


def update(dtype: str) -> Program:
    """An element is moved; what it overwrote is still read."""
    type_ = element(dtype)
    return Program(
        f"update_of_{dtype}",
        f"""
        func.func @main(%t: tensor<?x3x{type_}>, %i: index, %j: index) -> (tensor<?x3x{type_}>, {type_}) {{
          %0 = tensor.extract %t[%i, %j] : tensor<?x3x{type_}>
          %1 = tensor.insert %0 into %t[%j, %i] : tensor<?x3x{type_}>
          %2 = tensor.extract %t[%j, %i] : tensor<?x3x{type_}>
          return %1, %2 : tensor<?x3x{type_}>, {type_}
        }}""",
        args=[(f"3x3x{dtype}", 0, 1), (f"3x3x{dtype}", 2, 0)],
        numpy=lambda t, i, j: (put(t, (j, i), t[i, j]), t[j, i]),
    )


def sum_into_input(dtype: str) -> Program:
    """An elementwise op writes into one input; the other is returned as it came."""
    op, numpy_op = ADD.get(dtype, ("arith.addi", operator.add))
    type_ = element(dtype)
    return Program(
        f"sum_of_{dtype}",
        f"""
        #id = affine_map<(i) -> (i)>
        func.func @main(%a: tensor<?x{type_}>, %b: tensor<?x{type_}>) -> (tensor<?x{type_}>, tensor<?x{type_}>) {{
          %0 = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
              ins(%b : tensor<?x{type_}>) outs(%a : tensor<?x{type_}>) {{
          ^bb0(%x: {type_}, %y: {type_}):
            %1 = {op} %x, %y : {type_}
            linalg.yield %1 : {type_}
          }} -> tensor<?x{type_}>
          return %0, %b : tensor<?x{type_}>, tensor<?x{type_}>
        }}""",
        args=[(f"5x{dtype}", f"5x{dtype}"), (f"0x{dtype}", f"0x{dtype}"), (f"1x{dtype}", f"1x{dtype}")],
        numpy=lambda a, b: (numpy_op(a, b), b),
    )


def shift(dtype: str) -> Program:
    """A slice is moved by one, over itself."""
    type_ = element(dtype)
    return Program(
        f"shift_of_{dtype}",
        f"""
        func.func @main(%t: tensor<6x{type_}>) -> (tensor<6x{type_}>, tensor<{type_}>) {{
          %0 = tensor.extract_slice %t[0] [5] [1] : tensor<6x{type_}> to tensor<5x{type_}>
          %1 = tensor.insert_slice %0 into %t[1] [5] [1] : tensor<5x{type_}> into tensor<6x{type_}>
          %2 = tensor.extract_slice %t[5] [1] [1] : tensor<6x{type_}> to tensor<{type_}>
          return %1, %2 : tensor<6x{type_}>, tensor<{type_}>
        }}""",
        args=(f"6x{dtype}",),
        numpy=lambda t: (put(t, slice(1, 6), t[:5]), t[5]),
    )


PROGRAMS = [make(dtype) for dtype in DTYPES for make in (update, sum_into_input, shift)]
