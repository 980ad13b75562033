"""The same three programs on each element type, on a rank of 0 and on dynamic and empty shapes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .program import DTYPES, Program, put

FLOATS = ("f16", "bf16", "f32", "f64")

ADD: dict[str, tuple[str, Callable[..., Any]]] = {
    "i1": ("arith.xori", operator.xor),
    **dict.fromkeys(FLOATS, ("arith.addf", operator.add)),
}


def update(dtype: str) -> Program:
    """An element is moved; what it overwrote is still read."""
    return Program(
        f"update_of_{dtype}",
        f"""
        func.func @main(%t: tensor<?x3x{dtype}>, %i: index, %j: index) -> (tensor<?x3x{dtype}>, {dtype}) {{
          %0 = tensor.extract %t[%i, %j] : tensor<?x3x{dtype}>
          %1 = tensor.insert %0 into %t[%j, %i] : tensor<?x3x{dtype}>
          %2 = tensor.extract %t[%j, %i] : tensor<?x3x{dtype}>
          return %1, %2 : tensor<?x3x{dtype}>, {dtype}
        }}""",
        args=[(f"3x3x{dtype}", 0, 1), (f"3x3x{dtype}", 2, 0)],
        numpy=lambda t, i, j: (put(t, (j, i), t[i, j]), t[j, i]),
    )


def sum_into_input(dtype: str) -> Program:
    """An elementwise op writes into one input; the other is returned as it came."""
    op, numpy_op = ADD.get(dtype, ("arith.addi", operator.add))
    return Program(
        f"sum_of_{dtype}",
        f"""
        #id = affine_map<(i) -> (i)>
        func.func @main(%a: tensor<?x{dtype}>, %b: tensor<?x{dtype}>) -> (tensor<?x{dtype}>, tensor<?x{dtype}>) {{
          %0 = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
              ins(%b : tensor<?x{dtype}>) outs(%a : tensor<?x{dtype}>) {{
          ^bb0(%x: {dtype}, %y: {dtype}):
            %1 = {op} %x, %y : {dtype}
            linalg.yield %1 : {dtype}
          }} -> tensor<?x{dtype}>
          return %0, %b : tensor<?x{dtype}>, tensor<?x{dtype}>
        }}""",
        args=[(f"5x{dtype}", f"5x{dtype}"), (f"0x{dtype}", f"0x{dtype}"), (f"1x{dtype}", f"1x{dtype}")],
        numpy=lambda a, b: (numpy_op(a, b), b),
    )


def shift(dtype: str) -> Program:
    """A slice is moved by one, over itself."""
    return Program(
        f"shift_of_{dtype}",
        f"""
        func.func @main(%t: tensor<6x{dtype}>) -> (tensor<6x{dtype}>, tensor<{dtype}>) {{
          %0 = tensor.extract_slice %t[0] [5] [1] : tensor<6x{dtype}> to tensor<5x{dtype}>
          %1 = tensor.insert_slice %0 into %t[1] [5] [1] : tensor<5x{dtype}> into tensor<6x{dtype}>
          %2 = tensor.extract_slice %t[5] [1] [1] : tensor<6x{dtype}> to tensor<{dtype}>
          return %1, %2 : tensor<6x{dtype}>, tensor<{dtype}>
        }}""",
        args=(f"6x{dtype}",),
        numpy=lambda t: (put(t, slice(1, 6), t[:5]), t[5]),
    )


PROGRAMS = [make(dtype) for dtype in DTYPES for make in (update, sum_into_input, shift)]
