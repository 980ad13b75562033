"""Programs whose repeated code is compiled once compute what they computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.repeated_bodies import find_repeated_bodies
from mlir_inplace.runtime import lowering

T = "tensor<24x24xf32>"
ROUNDS = 9


def chain() -> str:
    """Matmuls that take two buffers in turns, elementwise ops in place, the first input read to the end."""
    lines = [f"func.func @inplace_kernel(%a: {T}, %b: {T}) -> ({T}, {T}) {{", f"%e = tensor.empty() : {T}"]
    lines += ["%z = arith.constant 0.0 : f32"]
    x = "%a"
    for n in range(ROUNDS):
        lines += [f"%f{n} = linalg.fill ins(%z : f32) outs(%e : {T}) -> {T}"]
        lines += [f"%m{n} = linalg.matmul ins({x}, %b : {T}, {T}) outs(%f{n} : {T}) -> {T}"]
        lines += [f"%s{n} = linalg.add ins(%m{n}, %a : {T}, {T}) outs(%e : {T}) -> {T}"]
        lines += [f"%t{n} = linalg.mul ins(%s{n}, %s{n} : {T}, {T}) outs(%e : {T}) -> {T}"]
        x = f"%t{n}"
    return "\n".join([*lines, f"return {x}, %m3 : {T}, {T}", "}"])


def chained(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x, fourth = a.astype(np.float64), a
    for n in range(ROUNDS):
        x = x @ b.astype(np.float64)
        fourth = x if n == 3 else fourth
        x = (x + a) ** 2
    return x, fourth


def inputs() -> tuple[np.ndarray, np.ndarray]:
    numbers = np.arange(24 * 24, dtype=np.float32).reshape(24, 24) / (24 * 24)
    return numbers / 2, np.flip(numbers, 0).copy() / 24


def lowered(text: str) -> ir.Module:
    module = ir.Module.parse(text)
    mi.run_pipeline(module, lowering.pipeline_text((*lowering.BUFFERIZE, *lowering.BOUNDARY, *lowering.DEALLOCATE)))
    return module


@pytest.mark.parametrize("options", [{}, {"optimize": True}, {"memory_stats": True}, {"threads": 2, "optimize": True}])
def test_a_long_chain(options: dict[str, Any]) -> None:
    program = mi.compile(chain(), **options)
    a, b = inputs()
    before = a.copy()
    for result, expected in zip(program["inplace_kernel"](a, b), chained(a, b), strict=True):
        np.testing.assert_allclose(result, expected, rtol=2e-5)
    np.testing.assert_array_equal(a, before)
    strided = np.asfortranarray(a)
    np.testing.assert_allclose(program["inplace_kernel"](strided, b)[0], chained(a, b)[0], rtol=2e-5)


def test_a_chain_becomes_few_functions() -> None:
    with ir.Context():
        module = lowered(chain())
        mi.run_pipeline(module, "builtin.module(inplace-outline-kernels)")
        functions = [
            op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value != "inplace_kernel"
        ]
        text = str(module)
    # Fill, matmul, addition and square, whether they write to the memory of a result or to an allocation.
    assert len(functions) == 4
    # The first matmul reads %a, whose layout may be any, and the addition after %m3 is not in place.
    assert text.count("call @inplace_kernel") == 4 * ROUNDS - 2
    assert text.count("linalg.") == 4 + 2


def views(x: str, y: str) -> str:
    """A reversal-like shift within one buffer: reads and writes overlap, so the order of iterations matters."""
    loops = "\n".join(
        f"""scf.for %i{n} = %c0 to %c255 step %c1 {{
          %v{n} = memref.load {x}[%i{n}] : memref<256xf32, strided<[1], offset: ?>>
          %w{n} = arith.addf %v{n}, %s : f32
          memref.store %w{n}, {y}[%i{n}] : memref<256xf32, strided<[1], offset: ?>>
        }}"""
        for n in range(10)
    )
    return f"""
      func.func @main(%m: memref<257xf32>, %s: f32, %zero: index, %one: index) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c255 = arith.constant 255 : index
        %x = memref.subview %m[%zero] [256] [1] : memref<257xf32> to memref<256xf32, strided<[1], offset: ?>>
        %y = memref.subview %m[%one] [256] [1] : memref<257xf32> to memref<256xf32, strided<[1], offset: ?>>
        {loops}
        return
      }}"""


@pytest.mark.parametrize(("x", "y"), [("%x", "%y"), ("%y", "%x"), ("%x", "%x")])
def test_loops_on_overlapping_memory(x: str, y: str) -> None:
    m = np.arange(257, dtype=np.float32)
    expected = m.copy()
    source, target = (expected[1:] if name == "%y" else expected[:256] for name in (x, y))
    for _ in range(10):
        for i in range(255):
            target[i] = source[i] + np.float32(0.5)
    mi.compile(views(x, y)).main(m, 0.5, 0, 1)
    np.testing.assert_array_equal(m, expected)


EXCLUSIVE = """
!top = memref<16x32xf32, strided<[32, 1]>>
!low = memref<16x32xf32, strided<[32, 1], offset: 512>>
memref.global @g : memref<32x32xf32>
func.func private @made() -> memref<32x32xf32>
func.func @f(%a: memref<32x32xf32>, %n: index) {{
  %x = memref.alloc() : memref<32x32xf32>
  %y = memref.alloc() : memref<32x32xf32>
  %g = memref.get_global @g : memref<32x32xf32>
  %c0 = arith.constant 0 : index
  %top = memref.subview %x[0, 0] [16, 32] [1, 1] : memref<32x32xf32> to !top
  %low = memref.subview %x[16, 0] [16, 32] [1, 1] : memref<32x32xf32> to !low
  %made = call @made() : () -> memref<32x32xf32>
  {op}
  return
}}
"""
M = "memref<32x32xf32>"


@pytest.mark.parametrize(
    ("op", "exclusive"),
    {
        "two allocations": (f"linalg.exp ins(%x : {M}) outs(%y : {M})", (True, True)),
        "an argument": (f"linalg.exp ins(%a : {M}) outs(%y : {M})", (False, True)),
        "a global": (f"linalg.exp ins(%g : {M}) outs(%y : {M})", (True,)),
        "two parts of one": ("linalg.exp ins(%top : !top) outs(%low : !low)", (False, False)),
        "in place": (f"linalg.exp ins(%x : {M}) outs(%x : {M})", (True,)),
        "from a call": (f"linalg.exp ins(%made : {M}) outs(%y : {M})", (False, False)),
        "carried by a loop": (
            f"""%r:2 = scf.for %i = %c0 to %n step %n iter_args(%p = %x, %q = %y) -> ({M}, {M}) {{
              linalg.exp ins(%p : {M}) outs(%y : {M})
              scf.yield %q, %p : {M}, {M}
            }}""",
            None,
        ),
        "carried, in no loop": (
            f"""%r:2 = scf.for %i = %c0 to %n step %n iter_args(%p = %x, %q = %y) -> ({M}, {M}) {{
              scf.yield %q, %p : {M}, {M}
            }}
            linalg.exp ins(%r#0 : {M}) outs(%y : {M})""",
            (False, False),
        ),
    }.values(),
)
def test_what_is_exclusive(op: str, exclusive: tuple[bool, ...] | None) -> None:
    with ir.Context():
        module = ir.Module.parse(EXCLUSIVE.format(op=op))
        function = list(module.body.operations)[2]
        found = [body.exclusive for bodies in find_repeated_bodies(function.operation).values() for body in bodies]
    assert found == ([] if exclusive is None else [exclusive])


def test_deep_nests_are_left_alone() -> None:
    depth = 300
    open_ = "".join(f"scf.for %i{n} = %c0 to %c1 step %c1 {{\n" for n in range(depth))
    nest = f'{open_}"test.op"() : () -> ()\n{"}" * depth}\n'
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        constants = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        module = ir.Module.parse(f"func.func @f() {{\n{constants}{nest * 8}return }}")
        mi.run_pipeline(module, "builtin.module(inplace-outline-kernels)")
        assert "call" not in str(module)
