"""`threads=`: the same values bit for bit for any number of threads, and what happens without OpenMP."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from fast_run import sample, scaled
from linalg_programs import PRODUCT, PROGRAMS, Arrays, floats, generic
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.schedule.machine import Machine
from mlir_inplace.runtime.compilation import program
from mlir_inplace.runtime.native import openmp
from mlir_inplace.tools import inplace_run

CASES = [pytest.param(*PROGRAMS[name], id=name) for name in PROGRAMS]


def matmul(m: int, n: int, k: int) -> str:
    """A product that starts from zero."""
    return f"""
      func.func @main(%a: tensor<{m}x{k}xf32>, %b: tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<{m}x{n}xf32>
        %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
        %r = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>) outs(%f : tensor<{m}x{n}xf32>)
            -> tensor<{m}x{n}xf32>
        return %r : tensor<{m}x{n}xf32>
      }}"""


@pytest.mark.parametrize(("text", "expected", "arguments"), sample(CASES, least=8))
def test_parts_have_the_values_of_numpy(
    text: str, expected: Callable[..., np.ndarray], arguments: list[Arrays], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every op is distributed here, however small, among more threads than some have rows for."""
    monkeypatch.setattr("mlir_inplace.passes.analysis.schedule.distribution._LEAST_WORK", 0)
    machine = 'machine="vector-bits=128 registers=16"'
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module(func.func(inplace-distribute{{threads=3 {machine}}}))")
        module.operation.verify()
        compiled = mi.compile(module, memory_stats=True)
    for one in arguments:
        np.testing.assert_allclose(compiled.main(*one), expected(*one), rtol=1e-5, atol=1e-5)
        # The init is an argument, which must not change.
        assert (compiled.memory_stats.allocations, compiled.memory_stats.copies) == (1, 1)


TYPES = {"static": "tensor<96x96xf32>", "dynamic": "tensor<?x?xf32>"}
IN_PLACE: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray], int]] = {
    "elementwise": ("%r = linalg.negf ins(%a : T) outs(%a : T) -> T", np.negative, 0),
    "read by the payload": ("%r = linalg.add ins(%a, %a : T, T) outs(%a : T) -> T", lambda a: a + a, 0),
    "transposed": ("%r = linalg.transpose ins(%a : T) outs(%a : T) permutation = [1, 0]", np.transpose, 1),
    "product": ("%r = linalg.matmul ins(%a, %a : T, T) outs(%a : T) -> T", lambda a: a + a @ a, 1),
    "two ops": (
        """%n = linalg.negf ins(%a : T) outs(%a : T) -> T
        %r = linalg.mul ins(%n, %n : T, T) outs(%n : T) -> T""",
        np.square,
        0,
    ),
}
"""Ops that read what they write: what they make of a matrix, and how many buffers they need besides."""


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", IN_PLACE)
def test_threads_write_in_place_what_they_read(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlir_inplace.passes.analysis.schedule.distribution._LEAST_WORK", 0)
    body, expected, buffers = IN_PLACE[name]
    text = f"func.func @main(%a: T {{bufferization.writable = true}}) -> T {{\n{body}\nreturn %r : T\n}}"
    with ir.Context():
        module = ir.Module.parse(re.sub(r"\bT\b", TYPES[kind], text))
        machine = 'machine="vector-bits=128 registers=16"'
        mi.run_pipeline(
            module, f"builtin.module(func.func(inplace-distribute{{threads=3 {machine}}},canonicalize,cse))"
        )
        assert "scf.forall" in str(module)
        program = mi.compile(module, memory_stats=True)
    a = floats(96, 96)
    wanted = expected(a)
    np.testing.assert_allclose(program.main(a), wanted, rtol=1e-4, atol=1e-4)
    assert program.memory_stats.allocations == buffers


@pytest.mark.each_value
@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("shape", [(64, 2048, 64), (200, 100, 333), (96, 65, 512)])
def test_results_do_not_depend_on_threads(shape: Sequence[int], threads: int) -> None:
    assert openmp.find_openmp() is not None, "the extra 'openmp' is part of the extra 'test'"
    m, n, k = shape
    text = matmul(m, n, k)
    a, b = floats(m, k), floats(k, n)
    alone = mi.compile(text, optimize=True).main(a, b)
    np.testing.assert_allclose(alone, a @ b, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(mi.compile(text, optimize=True, threads=threads).main(a, b), alone)


@pytest.mark.parametrize("threads", [2, 3] * scaled(4))
def test_fills_of_products_that_are_distributed_may_be_gone(threads: int) -> None:
    """With operands that are widened, the memory of such a fill is taken by what is built next."""
    text = matmul(256, 256, 256).replace("f32", "i32").replace("constant 0.0", "constant 0")
    narrow, wide = "tensor<256x256xi8>", "tensor<256x256xi32>"
    for name in ("a", "b"):
        text = text.replace(f"%{name}: {wide}", f"%{name}: {narrow}")
    text = text.replace(f"ins(%a, %b : {wide}, {wide})", f"ins(%a, %b : {narrow}, {narrow})")
    a, b = (np.round(floats(256, 256) * 9).astype(np.int8) for _ in range(2))
    expected = a.astype(np.int32) @ b.astype(np.int32)
    np.testing.assert_array_equal(mi.compile(text, optimize=True, threads=threads).main(a, b), expected)


def test_operands_are_transposed_for_all_threads_or_none() -> None:
    """The rows are worth a transposed operand, which a third of them would not be."""
    types = ["tensor<24x256xf32>", "tensor<40x256xf32>", "tensor<24x40xf32>"]
    text = generic(types, ["i, k", "j, k", "i, j"], "ppr", PRODUCT)
    a, b, c = floats(24, 256), floats(40, 256), floats(24, 40)
    alone = mi.compile(text, optimize=True).main(a, b, c)
    np.testing.assert_allclose(alone, c + a @ b.T, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(mi.compile(text, optimize=True, threads=3).main(a, b, c), alone)


MULTIPLIED = """^bb0(%x: f32, %y: f32, %o: f32):
          %p = arith.mulf %x, %y : f32
          %t = arith.addf %o, %p : f32
          linalg.yield %t : f32"""


def heads(h: int, n: int, d: int) -> str:
    """Attention of `h` heads, without a maximum."""
    q, s, row = f"tensor<1x{h}x{n}x{d}xf32>", f"tensor<1x{h}x{n}x{n}xf32>", f"tensor<1x{h}x{n}xf32>"
    loops, parallel = "(a, h, i, j, l)", '"parallel", "parallel", "parallel"'
    return f"""
      #q = affine_map<{loops} -> (a, h, i, l)>
      #k = affine_map<{loops} -> (a, h, j, l)>
      #s = affine_map<{loops} -> (a, h, i, j)>
      #id = affine_map<(a, h, i, j) -> (a, h, i, j)>
      #row = affine_map<(a, h, i, j) -> (a, h, i)>
      func.func @main(%q: {q}, %k: {q}, %v: {q}) -> {q} {{
        %z = arith.constant 0.0 : f32
        %e0 = tensor.empty() : {s}
        %e1 = tensor.empty() : {row}
        %e2 = tensor.empty() : {q}
        %f0 = linalg.fill ins(%z : f32) outs(%e0 : {s}) -> {s}
        %f1 = linalg.fill ins(%z : f32) outs(%e1 : {row}) -> {row}
        %f2 = linalg.fill ins(%z : f32) outs(%e2 : {q}) -> {q}
        %scores = linalg.generic {{
            indexing_maps = [#q, #k, #s], iterator_types = [{parallel}, "parallel", "reduction"]}}
            ins(%q, %k : {q}, {q}) outs(%f0 : {s}) {{
        {MULTIPLIED}
        }} -> {s}
        %powers = linalg.exp ins(%scores : {s}) outs(%e0 : {s}) -> {s}
        %sum = linalg.reduce {{arith.addf}} ins(%powers : {s}) outs(%f1 : {row}) dimensions = [3]
        %weights = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = [{parallel}, "parallel"]}}
            ins(%powers, %sum : {s}, {row}) outs(%e0 : {s}) {{
        ^bb0(%x: f32, %y: f32, %o: f32):
          %t = arith.divf %x, %y : f32
          linalg.yield %t : f32
        }} -> {s}
        %r = linalg.generic {{indexing_maps = [#s, #k, #q], iterator_types = [{parallel}, "reduction", "parallel"]}}
            ins(%weights, %v : {s}, {q}) outs(%f2 : {q}) {{
        {MULTIPLIED}
        }} -> {q}
        return %r : {q}
      }}"""


@pytest.mark.parametrize(("shape", "threads"), [((2, 96, 32), 2), pytest.param((3, 83, 21), 3, marks=pytest.mark.full)])
def test_attention_does_not_depend_on_threads(
    shape: tuple[int, int, int], threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Caches are so small here that rows of each head are computed tile by tile."""
    small = Machine().override("vector-bits=512 registers=32 l1=4096 l2=65536 l3=262144 cores=2")
    monkeypatch.setattr("mlir_inplace.passes.scheduling.rewriting.linalg_ops.detect_machine", lambda: small)
    h, n, d = shape
    q, k, v = (floats(1, h, n, d) / 2 for _ in range(3))
    text = heads(*shape)
    alone = mi.compile(text, optimize=True).main(q, k, v)
    powers = np.exp(np.matmul(q, k.swapaxes(2, 3), dtype=np.float64))
    np.testing.assert_allclose(alone, powers / powers.sum(-1, keepdims=True) @ v, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(mi.compile(text, optimize=True, threads=threads).main(q, k, v), alone)


def test_a_forall_of_the_program_runs_on_threads() -> None:
    text = """
      func.func @main(%a: tensor<5x8xf32>) -> tensor<5x8xf32> {
        %e = tensor.empty() : tensor<5x8xf32>
        %r = scf.forall (%i) in (5) shared_outs(%t = %e) -> (tensor<5x8xf32>) {
          %x = tensor.extract_slice %a[%i, 0] [1, 8] [1, 1] : tensor<5x8xf32> to tensor<1x8xf32>
          %y = tensor.extract_slice %t[%i, 0] [1, 8] [1, 1] : tensor<5x8xf32> to tensor<1x8xf32>
          %z = linalg.exp ins(%x : tensor<1x8xf32>) outs(%y : tensor<1x8xf32>) -> tensor<1x8xf32>
          scf.forall.in_parallel {
            tensor.parallel_insert_slice %z into %t[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<5x8xf32>
          }
        }
        return %r : tensor<5x8xf32>
      }"""
    a = floats(5, 8)
    np.testing.assert_allclose(mi.compile(text, threads=2).main(a), np.exp(a), rtol=1e-6)


def test_without_a_runtime_a_warning_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "has_team", lambda: False)
    monkeypatch.setattr(program, "find_openmp", lambda: None)
    a, b = floats(8, 4), floats(4, 16)
    with pytest.warns(RuntimeWarning, match=r"there is no OpenMP runtime, so everything runs on one thread; install"):
        compiled = mi.compile(matmul(8, 16, 4), threads=2)
    np.testing.assert_allclose(compiled.main(a, b), a @ b, rtol=1e-5)


@pytest.mark.parametrize(
    ("threads", "error", "message"),
    [
        (0, ValueError, "threads must be at least 1, got 0"),
        (1025, ValueError, "threads must be at most 1024, got 1025"),
        ("2", TypeError, "threads must be an integer, got str"),
    ],
)
def test_wrong_numbers(threads: int, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        mi.compile(matmul(1, 1, 1), threads=threads)


def test_inplace_run_optimizes_on_threads(
    tmp_path: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"{tmp_path}/product.mlir"
    with open(path, "w") as file:
        file.write(matmul(64, 256, 64))
    arguments = [path, "--arg=random", "--arg=random", "--check=a0 @ a1", "--tolerance=1e-5", "--optimize"]
    assert inplace_run.main([*arguments, "--threads=2"]) == 0
    monkeypatch.setattr(program, "has_team", lambda: False)
    monkeypatch.setattr(program, "find_openmp", lambda: None)
    assert inplace_run.main([*arguments, "--threads=2"]) == 0
    assert "inplace-run: warning: there is no OpenMP runtime" in capsys.readouterr().err


def conv(size: int, channels: int, filters: int) -> str:
    image, kernel = f"tensor<1x{size}x{size}x{channels}xf32>", f"tensor<3x3x{channels}x{filters}xf32>"
    result = f"tensor<1x{size - 2}x{size - 2}x{filters}xf32>"
    return f"""func.func @main(%a: {image}, %b: {kernel}, %c: {result}) -> {result} {{
      %r = linalg.conv_2d_nhwc_hwcf {{strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}}
        ins(%a, %b : {image}, {kernel}) outs(%c : {result}) -> {result}
      return %r : {result} }}"""


def two_sums(rows: int, outer: int, inner: int, columns: int) -> str:
    types = [
        f"tensor<{rows}x{outer}x{inner}xf32>",
        f"tensor<{inner}x{outer}x{columns}xf32>",
        f"tensor<{rows}x{columns}xf32>",
    ]
    return generic(types, ["i, k, l", "l, k, j", "i, j"], "pprr", PRODUCT)


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        pytest.param(
            conv(18, 256, 32),
            [(1, 18, 18, 256), (3, 3, 256, 32), (1, 16, 16, 32)],
            id="a kernel that is cut",
            marks=pytest.mark.full,
        ),
        pytest.param(two_sums(48, 32, 128, 16), [(48, 32, 128), (128, 32, 16), (48, 16)], id="two sums, few rows"),
        pytest.param(two_sums(60, 4, 1024, 16), [(60, 4, 1024), (1024, 4, 16), (60, 16)], id="two sums, a long one"),
        pytest.param(matmul(12, 65, 1100), [(12, 1100), (1100, 65)], id="a column that is left"),
        pytest.param(
            matmul(256, 513, 1024), [(256, 1024), (1024, 513)], id="a column behind panels", marks=pytest.mark.full
        ),
    ],
)
def test_tiles_of_parts_do_not_change_the_order_of_a_sum(text: str, shapes: Sequence[Sequence[int]]) -> None:
    """Tiles of a thread's part are others than those of the whole, on a machine with AVX2 at least."""
    machine = "vector-bits=256 registers=16 l1=32768 l2=524288 l3=33554432"
    arguments = [floats(*shape) for shape in shapes]
    alone, *others = [
        mi.compile(text, optimize=True, threads=threads, machine=machine).main(*arguments) for threads in (1, 2, 3)
    ]
    for other in others:
        np.testing.assert_array_equal(other, alone)
