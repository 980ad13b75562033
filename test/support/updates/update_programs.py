"""Small programs whose loops update tensors, as text, and what they do to arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.dialects import dispatch

Array = np.ndarray[Any, Any]

PASS = "inplace-rewrite-destructive-updates{print-rewritten=false print-kept=false}"


def transformed(text: str) -> tuple[str, str]:
    """The program before and after the pass, as MLIR prints it."""
    with ir.Context() as context:
        module = dispatch.parse(text, context)
        before = str(module)
        mi.run_pipeline(module, f"builtin.module({PASS})")
        return before, str(module)


T = "tensor<8xf64>"
FIRST, SECOND, TARGET, OTHER = (np.arange(1.0, 9) * factor for factor in (1, 10, -1, -10))
"""What is in the four bindings before."""


def function(body: str, access: str = "readwrite") -> str:
    constants = "\n".join(f"%c{n} = arith.constant {n} : index" for n in range(9))
    return f"""func.func @main() {{
      {constants}
      %f = arith.constant 50.0 : f64
      %g = arith.constant 60.0 : f64
      %zero = arith.constant 0.0 : f64
      %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<{T}>
      %second = dispatch.binding set(0) binding(1) : !dispatch.readonly<{T}>
      %out = dispatch.binding set(0) binding(2) : !dispatch.{access}<{T}>
      %other = dispatch.binding set(0) binding(3) : !dispatch.readwrite<{T}>
      %t = dispatch.load %in : !dispatch.readonly<{T}> -> {T}
      %u = dispatch.load %second : !dispatch.readonly<{T}> -> {T}
      {body.replace("!o", f"!dispatch.{access}<{T}>").replace("!b", f"!dispatch.readwrite<{T}>").replace("!t", T)}
      return
    }}"""


def run(text: str, *grid: int) -> tuple[Array, float]:
    """The target afterwards, and the first element of the other binding."""
    first, second, output, other = (array.copy() for array in (FIRST, SECOND, TARGET, OTHER))
    mi.compile(text, opt_level=0).main(first, second, output, other, *grid)
    np.testing.assert_array_equal(other[1:], OTHER[1:])
    return output, float(other[0])


def sum_of(element: str, body: str) -> str:
    """A loop that carries the tensor and a sum, which is stored to the other binding; `body` yields %n."""
    return f"""
      %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t, %s = %zero) -> (!t, f64) {{
        {body}
        %z = arith.addf %s, {element} : f64
        scf.yield %n, %z : !t, f64
      }}
      dispatch.store %r#0, %out : !t -> !o
      {keep("%r#1")}
    """


def forced_sum(element: str, body: str) -> str:
    return f"""
      dispatch.store %t, %out : !t -> !o
      %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (f64) {{
        {body}
        %z = arith.addf %s, {element} : f64
        scf.yield %z : f64
      }}
      {keep("%r")}
    """


def keep(number: str) -> str:
    return f"""
      %kept = tensor.from_elements {number} : tensor<1xf64>
      dispatch.store %kept, %other[0] [1] [1] : tensor<1xf64> -> !b
    """


def put(number: str, at: str, name: str = "v") -> str:
    return f"""
      %{name} = tensor.from_elements {number} : tensor<1xf64>
      dispatch.store %{name}, %out[{at}] [1] [1] : tensor<1xf64> -> !o
    """


def get(name: str, at: str, binding: str = "%out", type_: str = "!o") -> str:
    return f"""
      %{name}t = dispatch.load {binding}[{at}] [1] [1] : {type_} -> tensor<1xf64>
      %{name} = tensor.extract %{name}t[%c0] : tensor<1xf64>
    """


def loop(body: str, bounds: str = "%c0 to %c8 step %c1") -> str:
    return f"%r = scf.for %i = {bounds} iter_args(%a = %t) -> (!t) {{\n{body}\n}}\n"


def plain(body: str, bounds: str = "%c0 to %c8 step %c1") -> str:
    return f"scf.for %i = {bounds} {{\n{body}\n}}\n"


def until(body: str) -> str:
    """The same as `loop` as an `scf.while`; `body` makes %n of %h."""
    return f"""
      %r, %last = scf.while (%a = %t, %k = %c0) : (!t, index) -> (!t, index) {{
        %p = arith.cmpi ult, %k, %c8 : index
        scf.condition(%p) %a, %k : !t, index
      }} do {{
      ^bb0(%h: !t, %i: index):
        {body}
        %j = arith.addi %i, %c1 : index
        scf.yield %n, %j : !t, index
      }}
    """


def threads(body: str, into: str = "%a") -> str:
    """Threads that each insert one element, %s, which `body` makes of %a."""
    return f"""
      %r = scf.forall (%i) in (8) shared_outs(%a = %t) -> (!t) {{
        {body}
        scf.forall.in_parallel {{
          tensor.parallel_insert_slice %s into {into}[%i] [1] [1] : tensor<1xf64> into !t
        }}
      }}
    """


STORE = "dispatch.store %r, %out : !t -> !o\n"
FILL = "%n = tensor.insert %f into %a[%i] : !t\nscf.yield %n : !t"
SHIFT = "%next = arith.addi %i, %c1 : index\n"
