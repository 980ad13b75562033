"""Payloads that do more than compute run in their order, where they stand; those that compute may run anywhere."""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.linalg.payload_effects import find_effect

N = 4096
T = f"tensor<{N}xf32>"
ROW = 'indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]'


def generic(source: str, payload: str) -> str:
    """A linalg.generic on one tensor, whose payload makes %n of %i."""
    return f"""linalg.generic {{{ROW}}} ins({source} : {T}) outs(%e : {T}) {{
        ^bb0(%i: f32, %o: f32):
          {payload}
          linalg.yield %n : f32
        }} -> {T}"""


NEGATED = "%n = arith.negf %i : f32"
COUNTED = """%l = memref.load %m[] : memref<f32>
          %k = arith.addf %l, %c : f32
          memref.store %k, %m[] : memref<f32>
          %n = arith.addf %k, %i : f32"""


def compiled(body: str, threads: int, functions: str = "") -> mi.Program:
    text = f"""{functions}
      func.func @main(%a: {T}, %m: memref<f32>) -> {T} {{
        %c = arith.constant 1.0 : f32
        %e = tensor.empty() : {T}
        {body}
      }}"""
    return mi.compile(text, optimize=True, threads=threads, cache=False)


@pytest.mark.parametrize("threads", [1, 2])
def test_memory_is_read_before_it_is_written(threads: int) -> None:
    x = generic("%a", "%l = memref.load %m[] : memref<f32>\n%n = arith.addf %i, %l : f32")
    program = compiled(
        f"%x = {x}\nmemref.store %c, %m[] : memref<f32>\n%y = {generic('%x', NEGATED)}\nreturn %y : {T}", threads
    )
    a = np.arange(N, dtype=np.float32)
    np.testing.assert_array_equal(program.main(a, np.full((), 100, np.float32)), -(a + 100))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_iterations_that_count_are_not_given_to_threads(threads: int) -> None:
    wide = "tensor<4096x256xf32>"
    text = f"""func.func @main(%a: {T}, %m: memref<f32>) -> {wide} {{
        %c = arith.constant 1.0 : f32
        %e = tensor.empty() : {wide}
        %x = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                             iterator_types = ["parallel", "parallel"]}} ins(%a : {T}) outs(%e : {wide}) {{
        ^bb0(%i: f32, %o: f32):
          {COUNTED}
          linalg.yield %n : f32
        }} -> {wide}
        return %x : {wide}
      }}"""
    count = np.zeros((), np.float32)
    a = np.arange(N, dtype=np.float32)
    result = mi.compile(text, optimize=True, threads=threads, cache=False).main(a, count)
    assert count == N * 256
    np.testing.assert_array_equal(result, a[:, None] + np.arange(1, N * 256 + 1, dtype=np.float32).reshape(N, 256))


@pytest.mark.parametrize("threads", [1, 2])
def test_calls_stay_in_their_order(threads: int) -> None:
    function = f"""func.func private @f(%i: f32, %m: memref<f32>) -> f32 {{
        %c = arith.constant 1.0 : f32
        {COUNTED}
        return %n : f32
      }}"""
    call = "%n = func.call @f(%i, %m) : (f32, memref<f32>) -> f32"
    ops = f"""%x = {generic("%a", call)}
        %y = {generic("%a", call)}
        %z = linalg.sub ins(%x, %y : {T}, {T}) outs(%e : {T}) -> {T}
        return %z : {T}"""
    result = compiled(ops, threads, function).main(np.zeros(N, np.float32), np.zeros((), np.float32))
    np.testing.assert_array_equal(result, np.full(N, -N, np.float32))


@pytest.mark.parametrize(("optimize", "threads"), [(False, 1), (True, 1), (True, 2)])
def test_the_first_assertion_is_the_one_that_fails(optimize: bool, threads: int) -> None:
    """The first op fails at element 7, the second would at element 0."""
    checked = '%k = arith.cmpf olt, %i, %z : f32\ncf.assert %k, "{}"\n' + NEGATED
    text = f"""func.func @main(%a: {T}) -> {T} {{
        %z = arith.constant 0.0 : f32
        %e = tensor.empty() : {T}
        %x = {generic("%a", checked.format("the first"))}
        %y = {generic("%x", checked.format("the second"))}
        return %y : {T}
      }}"""
    a = np.full(N, -50, np.float32)
    a[7] = 1
    program = mi.compile(text, optimize=optimize, threads=threads, cache=False)
    with pytest.raises(AssertionError, match=r": the first$"):
        program.main(a)


@pytest.mark.parametrize(
    ("op", "effect"),
    [
        ("%n = arith.addf %i, %i : f32", None),
        ("%n = math.exp %i : f32", None),
        ("%n = tensor.extract %t[%c] : tensor<4xf32>", None),
        ("%n = memref.dim %m, %c : memref<?xf32>", None),
        ("%n = affine.apply affine_map<(d) -> (d * 2)>(%c)", None),
        ("%n = scf.if %b -> f32 { scf.yield %i : f32 } else { scf.yield %i : f32 }", None),
        ("%n = memref.load %m[%c] : memref<?xf32>", "memref.load"),
        ("%n = affine.load %m[0] : memref<?xf32>", "affine.load"),
        ("memref.store %i, %m[%c] : memref<?xf32>", "memref.store"),
        ("%n = vector.load %m[%c] : memref<?xf32>, vector<4xf32>", "vector.load"),
        ("vector.print %i : f32", "vector.print"),
        ("linalg.fill ins(%i : f32) outs(%m : memref<?xf32>)", "linalg.fill"),
        ("%n = bufferization.to_tensor %m : memref<?xf32> to tensor<?xf32>", "bufferization.to_tensor"),
        ('cf.assert %b, "told so"', "cf.assert"),
        ("%n = func.call @f(%i) : (f32) -> f32", "func.call"),
        ("scf.if %b { memref.store %i, %m[%c] : memref<?xf32> }", "memref.store"),
        ("scf.while : () -> () { scf.condition(%b) } do { scf.yield }", "scf.while"),
    ],
)
def test_what_has_an_effect(op: str, effect: str | None) -> None:
    text = f"""func.func private @f(f32) -> f32
      func.func @main(%a: {T}, %e: {T}, %m: memref<?xf32>, %c: index, %b: i1, %t: tensor<4xf32>) {{
        %x = linalg.generic {{{ROW}}} ins(%a : {T}) outs(%e : {T}) {{
        ^bb0(%i: f32, %o: f32):
          {op}
          linalg.yield %i : f32
        }} -> {T}
        return
      }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        main = module.body.operations[1].operation
        linalg_op = main.regions[0].blocks[0].operations[0].operation
        assert find_effect(linalg_op.regions[0].blocks[0]) == effect
