"""Programs whose repeated code is compiled once compute what they computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from linalg_programs import rounds_of
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.repetition.bodies import Body, BodyReader, find_repeated_bodies
from mlir_inplace.passes.analysis.repetition.shared_sizes import SizeReader
from mlir_inplace.runtime.compilation import lowering
from mlir_inplace.runtime.native.engine import Engine

T = "tensor<24x24xf32>"
ROUNDS = 9


def chain() -> str:
    """Matmuls that take two buffers in turns, elementwise ops in place, the first input read to the end."""
    lines, last = rounds_of(ROUNDS, T, squared=True)
    head = f"func.func @inplace_kernel(%a: {T}, %b: {T}) -> ({T}, {T}) {{"
    return "\n".join([head, *lines, f"return {last}, %m3 : {T}, {T}", "}"])


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
    mi.run_pipeline(module, lowering.pipeline((*lowering.BUFFERIZE, *lowering.BOUNDARY, *lowering.DEALLOCATE)))
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


def bodies_of(function: ir.Operation) -> list[Body]:
    found = find_repeated_bodies(function, BodyReader(SizeReader(), sunk_globals=True))
    return [body for same in found.values() for body in same]


def test_a_chain_becomes_few_functions() -> None:
    with ir.Context():
        module = lowered(chain())
        mi.run_pipeline(module, "builtin.module(inplace-outline-kernels{crowd=1000})")
        functions = [
            op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value != "inplace_kernel"
        ]
        text = str(module)
    # Fill, matmul, addition and square, whether they write to the memory of a result or to an allocation.
    assert len(functions) == 4
    # The first matmul reads %a, whose layout may be any, and the addition after %m3 is not in place.
    assert text.count("call @inplace_kernel") == 4 * ROUNDS - 2
    assert text.count("linalg.") == 4 + 2


ROWS = (1, 37, 2, 64, 37, 5, 16, 29, 31, 8, 9, 64)
"""Sizes of outermost dimensions; 64 is that of the inner ones, too."""


def rows(op: str) -> str:
    """Rounds of `op` on the first rows of one matrix, `%x`, and on the rows after the first one, `%y`."""
    whole = "tensor<65x64xf32>"
    lines = [f"func.func @main(%t: {whole}, %q: tensor<64x64xf32>) -> {whole} {{"]
    for n, count in enumerate(ROWS):
        before, type_ = f"%t{n - 1}" if n else "%t", f"tensor<{count}x64xf32>"
        for name, start in (("x", 0), ("y", 1)):
            part = f"{before}[{start}, 0] [{count}, 64] [1, 1]"
            lines += [f"%{name}{n} = tensor.extract_slice {part} : {whole} to {type_}"]
        text = op.replace("%x", f"%x{n}").replace("%y", f"%y{n}").replace("%r", f"%r{n}").replace("%e", f"%e{n}")
        lines += [f"%e{n} = tensor.empty() : {type_}", text.replace("T", type_)]
        lines += [f"%t{n} = tensor.insert_slice %r{n} into {before}[0, 0] [{count}, 64] [1, 1] : {type_} into {whole}"]
    return "\n".join([*lines, f"return %t{len(ROWS) - 1} : {whole}", "}"])


WEIGHTED = """%r = linalg.generic {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]} ins(%x : T) outs(%y : T) {
  ^bb0(%p: f32, %old: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %one = arith.constant 1.0 : f32
    %g = arith.addf %f, %one : f32
    %a = arith.divf %p, %g : f32
    %b = arith.subf %a, %old : f32
    linalg.yield %b : f32
  } -> T"""


@pytest.mark.each_value
@pytest.mark.parametrize(
    ("op", "function"),
    [
        ("%r = linalg.sub ins(%x, %y : T, T) outs(%e : T) -> T", lambda x, y, q: x - y),
        ("%r = linalg.matmul ins(%x, %q : T, tensor<64x64xf32>) outs(%y : T) -> T", lambda x, y, q: x @ q + y),
        (WEIGHTED, lambda x, y, q: x / np.arange(1, len(x) + 1)[:, None] - y),
    ],
    ids=["elementwise", "matmul", "generic"],
)
@pytest.mark.parametrize("options", [{}, {"memory_stats": True}, {"threads": 2, "optimize": True}])
def test_rows_of_many_sizes_share_a_function(
    op: str, function: Any, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    start, made = Engine.__init__, list[int]()

    def watched(self: Engine, module: ir.Module, *rest: Any) -> None:
        made.append(str(module).count("llvm.func internal @inplace_kernel"))
        start(self, module, *rest)

    monkeypatch.setattr(Engine, "__init__", watched)
    generator = np.random.default_rng(3)
    t, q = generator.random((65, 64), np.float32), generator.random((64, 64), np.float32) / 64
    expected = t.astype(np.float64)
    for count in ROWS:
        expected[:count] = function(expected[:count].copy(), expected[1 : count + 1].copy(), q.astype(np.float64))
    np.testing.assert_allclose(mi.compile(rows(op), **options).main(t, q), expected, rtol=1e-4, atol=1e-5)
    if "optimize" not in options:  # whose loops over rows are in tiles of other sizes
        assert made == [1]


@pytest.mark.parametrize(
    ("count", "last", "is_left"),
    {
        "many calls": (64, "", True),
        "too few": (63, "", False),
        "with a small op": (64, "linalg.abs ins(%s : memref<4xf32>) outs(%s : memref<4xf32>)", False),
        "with a loop": (
            64,
            "%r = scf.for %i = %c0 to %n step %n iter_args(%y = %x) -> f32 { scf.yield %x : f32 }",
            False,
        ),
    }.values(),
    ids=str,
)
def test_mere_sequences_of_calls_are_not_optimized(count: int, last: str, is_left: bool) -> None:
    ops = "linalg.exp ins(%a : memref<512xf32>) outs(%a : memref<512xf32>)\n" * count
    with ir.Context():
        module = ir.Module.parse(
            f"""func.func @f(%a: memref<512xf32>, %s: memref<4xf32>, %x: f32, %n: index) {{
              %c0 = arith.constant 0 : index
              {ops}{last}
              return
            }}"""
        )
        mi.run_pipeline(module, "builtin.module(inplace-outline-kernels)")
        caller = next(op.operation for op in module.body.operations if "sym_visibility" not in op.attributes)
        assert str(caller).count("call @inplace_kernel") == count
        assert ("llvm.optimize_none" in caller.attributes) == is_left


@pytest.mark.parametrize(("count", "calls"), [(63, 0), (64, 64)])
def test_many_small_ops_are_outlined(count: int, calls: int) -> None:
    """LLVM would take the square of their number. What a loop runs many times is as it was."""
    small = "linalg.exp ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)\n"
    with ir.Context():
        module = ir.Module.parse(
            f"""func.func @f(%a: memref<4xf32>, %n: index) {{
              %c0 = arith.constant 0 : index
              {small * count}
              scf.for %i = %c0 to %n step %n {{ {small}
                func.call @f(%a, %n) : (memref<4xf32>, index) -> ()
              }}
              return
            }}"""
        )
        mi.run_pipeline(module, "builtin.module(inplace-outline-kernels)")
        caller = next(op.operation for op in module.body.operations if "sym_visibility" not in op.attributes)
        assert str(caller).count("call @inplace_kernel") == calls
        assert str(caller).count("linalg.exp") == count - calls + 1


def test_a_program_of_nothing_but_calls() -> None:
    rounds, t = 40, "tensor<16x16xf32>"
    lines = [f"func.func @main(%x0: {t}, %b: {t}) -> {t} {{", f"%e = tensor.empty() : {t}"]
    for n in range(rounds):
        lines += [f"%y{n} = linalg.sub ins(%b, %x{n} : {t}, {t}) outs(%e : {t}) -> {t}"]
        lines += [f"%z{n} = linalg.mul ins(%y{n}, %b : {t}, {t}) outs(%e : {t}) -> {t}"]
        lines += [f"%x{n + 1} = linalg.max ins(%z{n}, %x{n} : {t}, {t}) outs(%e : {t}) -> {t}"]
    program = mi.compile("\n".join([*lines, f"return %x{rounds} : {t}", "}"]))
    x = np.linspace(-1, 1, 256, dtype=np.float32).reshape(16, 16)
    b = np.flip(x).copy() / 2
    expected = x.astype(np.float64)
    for _ in range(rounds):
        expected = np.maximum((b - expected) * b, expected)
    np.testing.assert_allclose(program.main(x, b), expected, rtol=1e-5, atol=1e-6)


OPEN = """
func.func @f(%a: memref<48x512xf32>, %s: memref<512x512xf32>, %v: memref<512xf32>, %n: index) {{
  %x = memref.alloc() : memref<48x512xf32>
  %t = memref.alloc() : memref<512x48xf32>
  %c0 = arith.constant 0 : index
  {op}
  return
}}
"""
R, S, V = "memref<48x512xf32>", "memref<512x512xf32>", "memref<512xf32>"


@pytest.mark.parametrize(
    ("op", "sizes", "places"),
    {
        "rows": (f"linalg.exp ins(%a : {R}) outs(%x : {R})", (48,), (0, 0)),
        "rows of a product": (f"linalg.matmul ins(%a, %s : {R}, {S}) outs(%x : {R})", (48,), (0, -1, 0)),
        "a matrix times itself": (f"linalg.matmul ins(%s, %s : {S}, {S}) outs(%s : {S})", (), ()),
        "a vector": (f"linalg.exp ins(%v : {V}) outs(%v : {V})", (512,), (0,)),
        "rows that are added up": (f"linalg.vecmat ins(%v, %s : {V}, {S}) outs(%o : {V})", (512,), (0, 0, -1)),
        "columns that are added up": (f"linalg.matvec ins(%s, %v : {S}, {V}) outs(%o : {V})", (512,), (0, -1, 0)),
        "twice the same, once not by rows": (
            f"linalg.matvec ins(%s, %v : {S}, {V}) outs(%v : {V})",
            (512,),
            (0, -1),
        ),
        "rows that become columns": (
            f"linalg.transpose ins(%a : {R}) outs(%t : memref<512x48xf32>) permutation = [1, 0]",
            (),
            (),
        ),
        "columns of all rows": (
            f"linalg.broadcast ins(%v : {V}) outs(%s : {S}) dimensions = [0]",
            (512,),
            (-1, 0),
        ),
        "a window": (
            f"linalg.conv_1d ins(%v, %w : {V}, memref<3xf32>) outs(%u : memref<510xf32>)",
            (),
            (),
        ),
        "a payload that reads the rows": (
            f"""linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>],
                 iterator_types = ["parallel", "parallel"]}} outs(%x : {R}) {{
               ^bb0(%old: f32):
                 %p = memref.load %a[%c0, %n] : {R}
                 linalg.yield %p : f32
               }}""",
            (),
            (),
        ),
    }.values(),
)
def test_which_sizes_are_open(op: str, sizes: tuple[int, ...], places: tuple[int, ...]) -> None:
    made = "".join(f"%{name} = memref.alloc() : memref<{n}xf32>\n" for name, n in (("w", 3), ("u", 510), ("o", 512)))
    with ir.Context():
        module = ir.Module.parse(OPEN.format(op=made + op))
        bodies = bodies_of(module.body.operations[0].operation)
    (body,) = bodies
    assert (body.open_sizes.sizes, body.open_sizes.places) == (sizes, places)


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
        found = [body.exclusive for body in bodies_of(function.operation)]
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


@pytest.mark.parametrize(("ops", "inside"), [(3, False), (5, True)])
def test_of_a_loop_with_a_crowd_inside_the_ops_are_functions(ops: int, inside: bool) -> None:
    """LLVM's time is more than linear in the function of a loop with a long body."""
    m = "memref<64x64xf32>"
    names = ["add" if n % 2 else "mul" for n in range(ops)]
    body = "\n".join(f"linalg.{name} ins(%a, %b : {m}, {m}) outs(%a : {m})" for name in names)
    text = f"""
    func.func @main(%a: {m}, %b: {m}) {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %three = arith.constant 3 : index
      scf.for %i = %zero to %three step %one {{
        {body}
      }}
      return
    }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(inplace-outline-kernels{repeats=8 crowd=4})")
        main = str(next(one for one in module.body.operations if "sym_visibility" not in one.operation.attributes))
        assert ("scf.for" in main) == inside
        assert main.count("call @inplace_kernel") == (ops if inside else 1)
        a, b = (np.random.default_rng(seed).random((64, 64), np.float32) for seed in (1, 2))
        expected = a.astype(np.float64)
        for name in names * 3:
            expected = expected + b if name == "add" else expected * b
        mi.compile(module, cache=False).main(a, b)
    np.testing.assert_allclose(a, expected, rtol=1e-5)
