"""`optimize=True` and the passes behind it: the values stay, and what was in place, or in one buffer, still is."""

from __future__ import annotations

import re
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from fast_run import sample
from linalg_programs import PROGRAMS, Arrays, floats, generic
from mlir import ir
from softmax_programs import EACH, MAPS, softmax

import mlir_inplace as mi
from mlir_inplace.passes.analysis.schedule.machine import Machine, detect_machine

CASES = [pytest.param(*PROGRAMS[name], id=name) for name in PROGRAMS]
MATRIX = "tensor<?x?xf32>"
CHAIN = f"""
  #id = affine_map<(i, j) -> (i, j)>
  #swap = affine_map<(i, j) -> (j, i)>
  func.func @main(%a: {MATRIX}, %b: {MATRIX}, %c: {MATRIX}) -> ({MATRIX}, tensor<?xf32>) {{
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = tensor.dim %a, %c0 : {MATRIX}
    %n = tensor.dim %a, %c1 : {MATRIX}
    %e = tensor.empty(%m, %n) : {MATRIX}
    %f = linalg.fill ins(%zero : f32) outs(%e : {MATRIX}) -> {MATRIX}
    %product = linalg.mul ins(%a, %b : {MATRIX}, {MATRIX}) outs(%e : {MATRIX}) -> {MATRIX}
    %t = tensor.empty(%n, %m) : {MATRIX}
    %swapped = linalg.transpose ins(%product : {MATRIX}) outs(%t : {MATRIX}) permutation = [1, 0]
    %relu = linalg.generic {{indexing_maps = [#swap, #id, #id, #id], iterator_types = ["parallel", "parallel"]}}
        ins(%swapped, %c, %f : {MATRIX}, {MATRIX}, {MATRIX}) outs(%e : {MATRIX}) {{
    ^bb0(%x: f32, %y: f32, %least: f32, %out: f32):
      %s = arith.addf %x, %y : f32
      %k = linalg.index 1 : index
      %ki = arith.index_cast %k : index to i32
      %kf = arith.sitofp %ki : i32 to f32
      %d = arith.subf %s, %kf : f32
      %w = arith.maximumf %d, %least : f32
      linalg.yield %w : f32
    }} -> {MATRIX}
    %minus = arith.negf %relu : {MATRIX}
    %row = tensor.empty(%m) : tensor<?xf32>
    %start = linalg.fill ins(%zero : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
    %exp = linalg.exp ins(%minus : {MATRIX}) outs(%e : {MATRIX}) -> {MATRIX}
    %sum = linalg.reduce ins(%exp : {MATRIX}) outs(%start : tensor<?xf32>) dimensions = [1]
      (%u: f32, %v: f32) {{
        %uv = arith.addf %u, %v : f32
        linalg.yield %uv : f32
      }}
    return %relu, %sum : {MATRIX}, tensor<?xf32>
  }}"""


@pytest.mark.parametrize(("text", "expected", "arguments"), sample(CASES, least=8))
def test_values_are_those_of_numpy(text: str, expected: Callable[..., np.ndarray], arguments: list[Arrays]) -> None:
    program = mi.compile(text, optimize=True, memory_stats=True)
    for one in arguments:
        np.testing.assert_allclose(program.main(*one), expected(*one), rtol=1e-5, atol=1e-5)
        assert program.memory_stats.leaked_bytes == 0


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (17, 40), (64, 64), (0, 3), (4, 0)])
def test_a_chain_of_elementwise_ops_needs_no_buffer_but_the_results(shape: tuple[int, int]) -> None:
    program = mi.compile(CHAIN, optimize=True, memory_stats=True)
    a, b, c = (floats(*shape) for _ in range(3))
    relu, total = program.main(a, b, c)
    expected = np.maximum(a * b + c - np.arange(shape[1], dtype=np.float32), 0)
    np.testing.assert_allclose(relu, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(total, np.exp(-expected).sum(1), rtol=1e-5)
    assert (program.memory_stats.allocations, program.memory_stats.copies) == (2, 0)


@pytest.mark.parametrize("threads", [1, 2])
def test_payloads_with_loops_and_conditions_go_into_others(threads: int) -> None:
    """What is computed for negative numbers, and how often the others are multiplied, is in regions of its own."""
    text = """func.func @main(%a: tensor<70x130xf32>) -> tensor<130x70xf32> {
        %zero = arith.constant 0.0 : f32
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %e = tensor.empty() : tensor<70x130xf32>
        %t = tensor.empty() : tensor<130x70xf32>
        %x = linalg.map ins(%a : tensor<70x130xf32>) outs(%e : tensor<70x130xf32>) (%x: f32, %o: f32) {
          %row = linalg.index 0 : index
          %less = arith.cmpf olt, %x, %zero : f32
          %r = scf.if %less -> (f32) {
            %n = arith.negf %x : f32
            scf.yield %n : f32
          } else {
            %p = scf.for %i = %c0 to %row step %c1 iter_args(%s = %x) -> (f32) {
              %q = arith.addf %s, %x : f32
              scf.yield %q : f32
            }
            scf.yield %p : f32
          }
          linalg.yield %r : f32
        }
        %y = linalg.transpose ins(%x : tensor<70x130xf32>) outs(%t : tensor<130x70xf32>) permutation = [1, 0]
        %z = linalg.exp ins(%y : tensor<130x70xf32>) outs(%t : tensor<130x70xf32>) -> tensor<130x70xf32>
        return %z : tensor<130x70xf32>
      }"""
    a = floats(70, 130) / 64
    expected = np.exp(np.where(a < 0, -a, a * (np.arange(70, dtype=np.float32)[:, None] + 1))).T
    program = mi.compile(text, optimize=True, threads=threads, memory_stats=True)
    np.testing.assert_allclose(program.main(a), expected, rtol=1e-5)
    assert program.memory_stats.allocations == 1


@pytest.mark.each_value
@pytest.mark.parametrize("machine", ["", "vector-bits=128 l1=256 l2=1024 l3=4096"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("shape", "dimensions"), [((300, 200), [1]), ((300, 200), [0]), ((30, 20, 40), [0, 2])])
def test_reductions_with_two_results(shape: tuple[int, ...], dimensions: list[int], threads: int, machine: str) -> None:
    kept = [size for dimension, size in enumerate(shape) if dimension not in dimensions]
    whole, row = ("x".join(map(str, sizes)) for sizes in (shape, kept))
    text = f"""func.func @main(%a: tensor<{whole}xf32>, %b: tensor<{whole}xi32>, %c: tensor<{row}xf32>,
                              %d: tensor<{row}xi32>) -> (tensor<{row}xf32>, tensor<{row}xi32>) {{
        %e = tensor.empty() : tensor<{whole}xf32>
        %x = linalg.exp ins(%a : tensor<{whole}xf32>) outs(%e : tensor<{whole}xf32>) -> tensor<{whole}xf32>
        %r:2 = linalg.reduce ins(%x, %b : tensor<{whole}xf32>, tensor<{whole}xi32>)
            outs(%c, %d : tensor<{row}xf32>, tensor<{row}xi32>) dimensions = {dimensions}
            (%p: f32, %q: i32, %s: f32, %t: i32) {{
          %u = arith.addf %p, %s : f32
          %v = arith.maxsi %q, %t : i32
          linalg.yield %u, %v : f32, i32
        }}
        return %r#0, %r#1 : tensor<{row}xf32>, tensor<{row}xi32>
      }}"""
    a, c = floats(*shape), floats(*kept)
    b, d = (np.arange(np.prod(sizes), dtype=np.int32).reshape(sizes) * 7919 % 4096 for sizes in (shape, kept))
    total, most = mi.compile(text, optimize=True, threads=threads, machine=machine).main(a, b, c, d)
    axes = tuple(dimensions)
    np.testing.assert_allclose(total, c + np.exp(a).sum(axes), rtol=1e-5)
    np.testing.assert_array_equal(most, np.maximum(b.max(axes), d))


def test_a_chain_grows_in_one_op() -> None:
    length = 60
    steps = [
        f"%{i + 1} = linalg.add ins(%{i}, %a : tensor<9xf32>, tensor<9xf32>) outs(%a : tensor<9xf32>) -> tensor<9xf32>"
        for i in range(length)
    ]
    first = "%0 = linalg.exp ins(%a : tensor<9xf32>) outs(%a : tensor<9xf32>) -> tensor<9xf32>"
    body = "\n".join([first, *steps])
    text = f"func.func @main(%a: tensor<9xf32>) -> tensor<9xf32> {{ {body} return %{length} : tensor<9xf32> }}"
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(func.func(inplace-fuse))")
        assert str(module).count("linalg.generic") == 1
        program = mi.compile(module)
    array = floats(9)
    np.testing.assert_allclose(program.main(array), np.exp(array) + length * array, rtol=1e-5)


@pytest.mark.parametrize("shape", [(300, 200, 500), (257, 129, 401)])
def test_scheduled_products_have_the_values_of_numpy(shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    text = f"""
      func.func @main(%a: tensor<{m}x{k}xf32>, %b: tensor<{k}x{n}xf32>, %c: tensor<{m}x{n}xf32>)
          -> tensor<{m}x{n}xf32> {{
        %r = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>) outs(%c : tensor<{m}x{n}xf32>)
            -> tensor<{m}x{n}xf32>
        return %r : tensor<{m}x{n}xf32>
      }}"""
    machine = "vector-bits=256 registers=16 l2=65536"
    with ir.Context():
        module = ir.Module.parse(text)
        options = f'machine="{machine}"'
        mi.run_pipeline(
            module, f"builtin.module(func.func(inplace-schedule{{{options}}},inplace-vectorize{{{options}}}))"
        )
        assert "linalg" not in str(module)
        program = mi.compile(module, memory_stats=True)
    a, b, c = floats(m, k), floats(k, n), floats(m, n)
    np.testing.assert_allclose(program.main(a, b, c), c + a @ b, rtol=1e-4, atol=1e-3)
    assert (program.memory_stats.copies, program.memory_stats.leaked_bytes) == (1, 0)


@pytest.mark.parametrize("rows", [5, 6, 7, 8, 9, 14, 15, 20])
def test_rows_that_are_left_are_run_with_those_before(rows: int) -> None:
    a, b, c = floats(rows, 33), floats(33, 40), floats(rows, 40)
    text = f"""
      func.func @main(%a: tensor<{rows}x33xf32>, %b: tensor<33x40xf32>, %c: tensor<{rows}x40xf32>)
          -> tensor<{rows}x40xf32> {{
        %r = linalg.matmul ins(%a, %b : tensor<{rows}x33xf32>, tensor<33x40xf32>) outs(%c : tensor<{rows}x40xf32>)
            -> tensor<{rows}x40xf32>
        return %r : tensor<{rows}x40xf32>
      }}"""
    program = mi.compile(text, optimize=True, machine="vector-bits=256 registers=16")
    np.testing.assert_allclose(program.main(a, b, c), c + a @ b, rtol=1e-4, atol=1e-3)


TRANSPOSED = {
    "second": (["i, k", "j, k", "i, j"], "mk,nk->mn"),
    "both": (["k, i", "j, k", "i, j"], "km,nk->mn"),
    "result": (["i, k", "k, j", "j, i"], "mk,kn->nm"),
}


@pytest.mark.each_value
@pytest.mark.parametrize("element", ["f32", "f64", "bf16", "i8"])
@pytest.mark.parametrize("name", TRANSPOSED)
def test_products_of_transposed_operands(name: str, element: str) -> None:
    maps, subscripts = TRANSPOSED[name]
    wide, add, multiply = ("i32", "addi", "muli") if element == "i8" else ("f32", "addf", "mulf")
    wide = "f64" if element == "f64" else wide
    widen = {"bf16": "extf", "i8": "extsi"}.get(element)
    elements = [f"%e{number}" for number in range(2)]
    body = ""
    if widen:
        body = "".join(f"%w{n} = arith.{widen} %e{n} : {element} to {wide}\n" for n in range(2))
        elements = ["%w0", "%w1"]
    body += f"""%p = arith.{multiply} {elements[0]}, {elements[1]} : {wide}
      %s = arith.{add} %e2, %p : {wide}
      linalg.yield %s : {wide}"""
    sizes = {"m": 70, "n": 37, "k": 53}
    shapes = [tuple(sizes[letter] for letter in part) for part in subscripts.replace("->", ",").split(",")]
    types = [f"tensor<{m}x{n}x{type_}>" for (m, n), type_ in zip(shapes, [element, element, wide], strict=True)]
    text = generic(types, maps, "ppr", body)
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(func.func(inplace-transpose-operands))")
        assert str(module).count("linalg.transpose") == 1
    dtype = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "i8": np.int8}[element]
    a, b = (np.asarray(floats(*shape) * 9).astype(dtype) for shape in shapes[:2])
    c = np.zeros(shapes[2], {"f32": np.float32, "f64": np.float64, "i32": np.int32}[wide])
    expected = np.einsum(subscripts, a.astype(np.float64), b.astype(np.float64))
    np.testing.assert_allclose(mi.compile(text, optimize=True).main(a, b, c), expected, rtol=1e-4, atol=1e-3)


@pytest.mark.each_value
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("sizes", [(64, 48, 96), (70, 37, 53)])
@pytest.mark.parametrize("name", ["first", *TRANSPOSED])
def test_slices_of_operands_are_transposed_into_panels(name: str, sizes: tuple[int, int, int], threads: int) -> None:
    maps, subscripts = {**TRANSPOSED, "first": (["k, i", "k, j", "i, j"], "km,kn->mn")}[name]
    letters = dict(zip("mnk", sizes, strict=True))
    shapes = [tuple(letters[letter] for letter in part) for part in subscripts.replace("->", ",").split(",")]
    types = [f"tensor<{m}x{n}xf32>" for m, n in shapes]
    body = "%p = arith.mulf %e0, %e1 : f32\n%s = arith.addf %e2, %p : f32\nlinalg.yield %s : f32"
    machine = "vector-bits=128 registers=16 l1=2048 l2=4096 cores=2"
    text = generic(types, maps, "ppr", body)
    a, b, c = (floats(*shape) for shape in shapes)
    expected = c + np.einsum(subscripts, a.astype(np.float64), b.astype(np.float64))
    for one in (text, re.sub(r"tensor<\d+x\d+xf32>", "tensor<?x?xf32>", text)):
        program = mi.compile(one, optimize=True, threads=threads, machine=machine)
        np.testing.assert_allclose(program.main(a, b, c), expected, rtol=1e-4, atol=1e-3)


@pytest.mark.each_value
@pytest.mark.parametrize("shape", ["70x53", "?x?"])
@pytest.mark.parametrize("element", ["bf16", "f16", "i8"])
def test_products_of_narrow_numbers(element: str, shape: str) -> None:
    """With an operand that is both factors, too: a bf16 has all its values in f32, an i8 in i32."""
    wide, add, multiply, widen = (
        ("i32", "addi", "muli", "extsi") if element == "i8" else ("f32", "addf", "mulf", "extf")
    )
    dtype = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "i8": np.int8}[element]
    body = f"""%x = arith.{widen} %e0 : {element} to {wide}
      %y = arith.{widen} %e1 : {element} to {wide}
      %p = arith.{multiply} %x, %y : {wide}
      %s = arith.{add} %e2, %p : {wide}
      linalg.yield %s : {wide}"""
    square = "70x70" if shape == "70x53" else shape
    types = [f"tensor<{shape}x{element}>"] * 2 + [f"tensor<{square}x{wide}>"]
    text = generic(types, ["i, k", "j, k", "i, j"], "ppr", body).replace("%t1: ", "%unused: ").replace("%t1", "%t0")
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, 'builtin.module(func.func(inplace-widen-operands{machine="vector-bits=256"}))')
        assert str(module).count(f"arith.{widen}") == 1
    a = np.asarray(floats(70, 53) * 9).astype(dtype)
    c = np.zeros((70, 70), np.int32 if element == "i8" else np.float32)
    expected = a.astype(np.float64) @ a.astype(np.float64).T
    for optimize in (False, True):
        result = mi.compile(text, optimize=optimize).main(a, a, c)
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-3)


class TestMachine:
    """The description of the machine."""

    def test_it_can_be_told_and_printed(self) -> None:
        text = "vector-bits=512 registers=32 l1=49152 l2=1048576 l3=33554432 cores=2 load-bits=256"
        assert str(Machine().override(text)) == text

    def test_whole_vectors_are_loaded_if_nothing_else_is_said(self) -> None:
        halves = Machine().override("vector-bits=512 load-bits=256")
        assert halves.override("l2=65536").load_bits == 256
        assert halves.override("vector-bits=512").load_bits == 512

    def test_what_is_detected_makes_sense(self) -> None:
        machine = detect_machine()
        assert machine.vector_bits in {128, 256, 512}
        assert machine.load_bits in {machine.vector_bits, machine.vector_bits // 2}
        assert 0 < machine.l1 <= machine.l2 <= machine.l3
        assert machine.cores >= 1

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("l2=4096 l2=8192", "the property 'l2' of a machine is given twice, as 4096 and 8192"),
            (
                "l4=3",
                "unknown property 'l4' of a machine; known are vector-bits, registers, l1, l2, l3, cores, load-bits",
            ),
            ("l1=0", "the property 'l1' of a machine must be a positive integer, got '0'"),
            ("l1", "the property 'l1' of a machine must be a positive integer, got ''"),
            ("l1=\u0663", "the property 'l1' of a machine must be a positive integer, got '\u0663'"),
            (
                "vector-bits=7",
                "the property 'vector-bits' of a machine must be a power of two of at least 64, got '7'",
            ),
            (
                "vector-bits=96",
                "the property 'vector-bits' of a machine must be a power of two of at least 64, got '96'",
            ),
            ("vector-bits=65537", "the property 'vector-bits' of a machine must be at most 65536, got '65537'"),
            ("cores=1" + "0" * 5000, "the property 'cores' of a machine must be at most 65536, got '10000"),
            ("l3=1099511627777", "the property 'l3' of a machine must be at most 1099511627776, got '1099511627777'"),
        ],
    )
    def test_nonsense_is_refused(self, text: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Machine().override(text)


def numpy_softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def in_tiles(text: str, l2: int) -> mi.Program:
    """The program of `text`, compiled for a machine with so small a cache that chains are computed in tiles."""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f'builtin.module(func.func(inplace-fuse{{machine="l1={l2} l2={l2}"}}))')
        assert "scf.for" in str(module)
        module.operation.verify()
        return mi.compile(module, optimize=True, memory_stats=True)


@pytest.mark.parametrize("shape", [(24, 37), (50, 16), (3, 300)])
def test_softmax_is_computed_in_tiles_of_rows(shape: tuple[int, int]) -> None:
    m, n = shape
    matrix, row = f"tensor<{m}x{n}xf32>", f"tensor<{m}xf32>"
    body = softmax("%a", "%r", matrix, row)
    program = in_tiles(f"{MAPS} func.func @main(%a: {matrix}) -> {matrix} {{ {body} return %r : {matrix} }}", 512)
    a = floats(m, n)
    np.testing.assert_allclose(program.main(a), numpy_softmax(a), rtol=1e-5, atol=1e-6)
    stats = program.memory_stats
    assert (stats.copies, stats.leaked_bytes) == (0, 0)
    # The result, and a tile; all the rows in between would be as large as the result once more.
    assert stats.peak_bytes < 2 * stats.result_bytes


def test_attention_is_computed_in_tiles_of_rows() -> None:
    m, n, d = 40, 48, 20
    q, k, s, row = f"tensor<{m}x{d}xf32>", f"tensor<{n}x{d}xf32>", f"tensor<{m}x{n}xf32>", f"tensor<{m}xf32>"
    text = f"""{MAPS}
      func.func @main(%query: {q}, %key: {k}, %value: {k}) -> {q} {{
        %z = arith.constant 0.0 : f32
        %e0 = tensor.empty() : {s}
        %f0 = linalg.fill ins(%z : f32) outs(%e0 : {s}) -> {s}
        %scores = linalg.generic {{indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (j, l)>,
            affine_map<(i, j, l) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}}
            ins(%query, %key : {q}, {k}) outs(%f0 : {s}) {{
        ^bb0(%x: f32, %y: f32, %o: f32):
          %p = arith.mulf %x, %y : f32
          %t = arith.addf %p, %o : f32
          linalg.yield %t : f32
        }} -> {s}
        {softmax("%scores", "%weights", s, row)}
        %e1 = tensor.empty() : {q}
        %f1 = linalg.fill ins(%z : f32) outs(%e1 : {q}) -> {q}
        %r = linalg.matmul ins(%weights, %value : {s}, {k}) outs(%f1 : {q}) -> {q}
        return %r : {q}
      }}"""
    program = in_tiles(text, 8192)
    a, b, c = floats(m, d), floats(n, d), floats(n, d)
    np.testing.assert_allclose(program.main(a, b, c), numpy_softmax(a @ b.T) @ c, rtol=1e-4, atol=1e-5)
    stats = program.memory_stats
    assert (stats.copies, stats.leaked_bytes) == (0, 0)
    assert stats.peak_bytes < stats.result_bytes + m * n * 4


def test_a_reduction_over_what_others_use_too_stays_whole() -> None:
    text = f"""{MAPS}
      func.func @main(%a: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<32xf32>) {{
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<64x32xf32>
        %s = linalg.exp ins(%a : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
        %c = tensor.empty() : tensor<32xf32>
        %f = linalg.fill ins(%zero : f32) outs(%c : tensor<32xf32>) -> tensor<32xf32>
        %columns = linalg.generic {{indexing_maps = [#ij, #j], iterator_types = ["reduction", "parallel"]}}
            ins(%s : tensor<64x32xf32>) outs(%f : tensor<32xf32>) {{
        ^bb0(%x: f32, %y: f32):
          %t = arith.addf %x, %y : f32
          linalg.yield %t : f32
        }} -> tensor<32xf32>
        %r = linalg.generic {{indexing_maps = [#ij, #j, #ij], {EACH}}}
            ins(%s, %columns : tensor<64x32xf32>, tensor<32xf32>) outs(%e : tensor<64x32xf32>) {{
        ^bb0(%x: f32, %y: f32, %o: f32):
          %q = arith.divf %x, %y : f32
          linalg.yield %q : f32
        }} -> tensor<64x32xf32>
        return %r, %columns : tensor<64x32xf32>, tensor<32xf32>
      }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, 'builtin.module(func.func(inplace-fuse{machine="l1=512 l2=512"}))')
        # The columns need all rows before the first quotient: no loop is common.
        assert "scf.for" not in str(module)
    program = mi.compile(text, optimize=True)
    a = floats(64, 32)
    r, columns = program.main(a)
    np.testing.assert_allclose(columns, np.exp(a).sum(0), rtol=1e-5)
    np.testing.assert_allclose(r, np.exp(a) / np.exp(a).sum(0), rtol=1e-5)


def test_products_whose_weights_are_large_stay_by_themselves() -> None:
    m, k, n = 200, 24, 48
    a, b, c, s = (f"tensor<{rows}x{columns}xf32>" for rows, columns in ((m, k), (k, n), (n, k), (m, n)))
    text = f"""
      func.func @main(%a: {a}, %b: {b}, %c: {c}, %s: {s}, %r: {a}) -> {a} {{
        %hidden = linalg.matmul ins(%a, %b : {a}, {b}) outs(%s : {s}) -> {s}
        %result = linalg.matmul ins(%hidden, %c : {s}, {c}) outs(%r : {a}) -> {a}
        return %result : {a}
      }}"""
    tiled: list[bool] = []
    weights, passed_on = 4 * 2 * k * n, 4 * m * n
    caches = (
        (weights - 1, passed_on),
        (weights, passed_on),
        (weights - 1, passed_on - 1),
        (weights - 1, 2 * weights - 1),
    )
    for l2, l3 in caches:
        with ir.Context():
            module = ir.Module.parse(text)
            mi.run_pipeline(module, f'builtin.module(func.func(inplace-fuse{{machine="l2={l2} l3={l3}"}}))')
            tiled.append("scf.for" in str(module))
            program = mi.compile(module)
        x, y, z, init, out = floats(m, k), floats(k, n), floats(n, k), floats(m, n), floats(m, k)
        np.testing.assert_allclose(program.main(x, y, z, init, out), out + (init + x @ y) @ z, rtol=1e-4, atol=1e-3)
    # Each tile of rows reads both weights. The second cache has room for them in the second case only. In the last two
    # what is passed on would go to memory, but half of the last cache has room for the weights in the third case only.
    assert tiled == [False, True, True, False]
