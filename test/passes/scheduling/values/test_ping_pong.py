"""Sweeps that read the neighbours of what they write: two buffers take turns, or one is enough, and values stay."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fast_run import sample
from mlir import ir
from stencil_programs import FIVE, THREE_D, Stencil

import mlir_inplace as mi

Sweep = Callable[[np.ndarray], np.ndarray]
STENCILS = {
    "three points": Stencil((67,), [(0,), (1,), (2,)]),
    "five points": Stencil((19, 37), FIVE),
    "nine points": Stencil((12, 33), [(i, j) for i in range(3) for j in range(3)]),
    "far in one direction": Stencil((20, 18), [(0, 0), (4, 1), (0, 3), (2, 2)]),
    "seven points": Stencil((7, 9, 20), THREE_D),
    "f64": Stencil((19, 37), FIVE, "f64"),
    "i32": Stencil((19, 37), FIVE, "i32"),
    "i8": Stencil((19, 37), FIVE, "i8"),
}
BORDERS = """
  %fresh = tensor.empty() : tensor<19x37xf32>
  %b0 = tensor.extract_slice %u[0, 0] [1, 37] [1, 1] : tensor<19x37xf32> to tensor<1x37xf32>
  %b1 = tensor.extract_slice %u[18, 0] [1, 37] [1, 1] : tensor<19x37xf32> to tensor<1x37xf32>
  %b2 = tensor.extract_slice %u[0, 0] [19, 1] [1, 1] : tensor<19x37xf32> to tensor<19x1xf32>
  %b3 = tensor.extract_slice %u[0, 36] [19, 1] [1, 1] : tensor<19x37xf32> to tensor<19x1xf32>
  %f0 = tensor.insert_slice %b0 into %fresh[0, 0] [1, 37] [1, 1] : tensor<1x37xf32> into tensor<19x37xf32>
  %f1 = tensor.insert_slice %b1 into %f0[18, 0] [1, 37] [1, 1] : tensor<1x37xf32> into tensor<19x37xf32>
  %f2 = tensor.insert_slice %b2 into %f1[0, 0] [19, 1] [1, 1] : tensor<19x1xf32> into tensor<19x37xf32>
  %f3 = tensor.insert_slice %b3 into %f2[0, 36] [19, 1] [1, 1] : tensor<19x1xf32> into tensor<19x37xf32>
"""
COPY = """
  %fresh = tensor.empty() : tensor<19x37xf32>
  %f3 = linalg.copy ins(%u : tensor<19x37xf32>) outs(%fresh : tensor<19x37xf32>) -> tensor<19x37xf32>
"""


def alternating(text: str) -> int:
    """How many tensors take turns with another one."""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(func.func(inplace-ping-pong))")
        module.operation.verify()
        return sum(
            len(loop.results) - len(other.results)
            for loop, other in zip(loops(module), loops(ir.Module.parse(text)), strict=True)
        )


def loops(module: ir.Module) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "scf.for":
            found.append(op.operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def check(text: str, start: np.ndarray, sweep: Sweep, buffers: int) -> None:
    """Values for several numbers of sweeps, and no buffer or copy that depends on it."""
    program = mi.compile(text, optimize=True, memory_stats=True)
    expected, copies = start, set[int]()
    for steps in range(6):
        original = start.copy()
        np.testing.assert_allclose(program.main(original, steps), expected, rtol=1e-5)
        np.testing.assert_array_equal(original, start)
        stats = program.memory_stats
        assert (stats.allocations, stats.leaked_bytes) == (buffers, 0)
        copies.add(stats.copies)
        expected = sweep(expected)
    assert len(copies) == 1


@pytest.mark.parametrize("name", STENCILS)
def test_two_buffers_take_turns(name: str) -> None:
    stencil = STENCILS[name]
    text = stencil.program(stencil.sums() + "\n" + stencil.insert("%u"))
    assert alternating(text) == 1
    check(text, stencil.start(), stencil.sweep, 2)


@pytest.mark.parametrize("begin", [BORDERS, COPY], ids=["borders", "copy"])
def test_a_border_that_is_copied_in_each_sweep_is_copied_once(begin: str) -> None:
    stencil = STENCILS["five points"]
    text = stencil.program(stencil.sums() + begin + stencil.insert("%f3"))
    assert alternating(text) == 1
    check(text, stencil.start(), stencil.sweep, 2)


def test_an_argument_that_may_be_written_is_one_of_the_buffers() -> None:
    stencil = STENCILS["five points"]
    text = stencil.program(stencil.sums() + "\n" + stencil.insert("%u"), steps="%c7", writable=True)
    program = mi.compile(text, optimize=True, memory_stats=True)
    expected = stencil.start()
    for _ in range(7):
        expected = stencil.sweep(expected)
    np.testing.assert_allclose(program.main(stencil.start(), 0), expected, rtol=1e-5)
    assert program.memory_stats.allocations <= 2


def test_what_is_inserted_into_the_initial_value_keeps_its_border() -> None:
    stencil = STENCILS["five points"]
    text = stencil.program(stencil.sums() + "\n" + stencil.insert("%u0"))
    assert alternating(text) == 1
    check(text, stencil.start(), stencil.sweep, 2)


def test_another_tensor_from_outside_has_another_border() -> None:
    stencil = STENCILS["five points"]
    body = stencil.sums() + "\n" + stencil.insert("%other")
    other = f"%other = linalg.exp ins(%u0 : {stencil.whole}) outs(%u0 : {stencil.whole}) -> {stencil.whole}"
    text = stencil.program(body).replace("%last = scf.for", f"{other}\n%last = scf.for")
    assert alternating(text) == 0
    start = stencil.start() / np.float32(99)
    program = mi.compile(text, optimize=True)

    def sweep(u: np.ndarray) -> np.ndarray:
        new = np.exp(start)
        new[1:-1, 1:-1] = stencil.sweep(u)[1:-1, 1:-1]
        return new

    np.testing.assert_allclose(program.main(start, 2), sweep(sweep(start)), rtol=1e-5)


def test_slices_that_move_are_left_alone() -> None:
    # Rows 0 to 9 in the first sweep, 1 to 10 in the second one: what the second one keeps is older than two sweeps.
    text = """
      func.func @main(%u0: tensor<19x8xf32>) -> tensor<19x8xf32> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c9 = arith.constant 9 : index
        %last = scf.for %t = %c0 to %c9 step %c1 iter_args(%u = %u0) -> (tensor<19x8xf32>) {
          %e = tensor.empty() : tensor<10x8xf32>
          %x = tensor.extract_slice %u[%t, 0] [10, 8] [1, 1] : tensor<19x8xf32> to tensor<10x8xf32>
          %y = tensor.extract_slice %u[9, 0] [10, 8] [1, 1] : tensor<19x8xf32> to tensor<10x8xf32>
          %r = linalg.add ins(%x, %y : tensor<10x8xf32>, tensor<10x8xf32>) outs(%e : tensor<10x8xf32>)
              -> tensor<10x8xf32>
          %new = tensor.insert_slice %r into %u[%t, 0] [10, 8] [1, 1] : tensor<10x8xf32> into tensor<19x8xf32>
          scf.yield %new : tensor<19x8xf32>
        }
        return %last : tensor<19x8xf32>
      }"""
    assert alternating(text) == 0
    u = np.arange(152, dtype=np.float32).reshape(19, 8)
    expected = u.copy()
    for t in range(9):
        expected[t : t + 10] = expected[t : t + 10] + expected[9:]
    np.testing.assert_allclose(mi.compile(text, optimize=True).main(u), expected)


def test_a_version_in_between_that_is_read_is_no_turn() -> None:
    # %mid has the old left half of %u; two buffers that take turns would have one of two sweeps ago in it.
    text = """
      func.func @main(%u0: tensor<16xf32>, %steps: index) -> tensor<16xf32> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %last = scf.for %t = %c0 to %steps step %c1 iter_args(%u = %u0) -> (tensor<16xf32>) {
          %e = tensor.empty() : tensor<8xf32>
          %x = tensor.extract_slice %u[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
          %y = tensor.extract_slice %u[4] [8] [1] : tensor<16xf32> to tensor<8xf32>
          %r = linalg.add ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
          %mid = tensor.insert_slice %r into %u[8] [8] [1] : tensor<8xf32> into tensor<16xf32>
          %z = tensor.extract_slice %mid[4] [8] [1] : tensor<16xf32> to tensor<8xf32>
          %q = linalg.sub ins(%z, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
          %new = tensor.insert_slice %q into %mid[0] [8] [1] : tensor<8xf32> into tensor<16xf32>
          scf.yield %new : tensor<16xf32>
        }
        return %last : tensor<16xf32>
      }"""
    assert alternating(text) == 0
    u = np.arange(16, dtype=np.float32)
    expected = u.copy()
    program = mi.compile(text, optimize=True)
    for steps in range(5):
        np.testing.assert_array_equal(program.main(u, steps), expected)
        y = expected[4:12].copy()
        expected[8:] = expected[:8] + y
        expected[:8] = expected[4:12] - y


@pytest.mark.parametrize("shape", sample([(19, 37), (3, 3), (16, 18)], least=2))
def test_sizes_may_be_dynamic(shape: tuple[int, int]) -> None:
    text = """
      #id = affine_map<(i, j) -> (i, j)>
      func.func @main(%u0: tensor<?x?xf32>, %steps: index) -> tensor<?x?xf32> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %last = scf.for %t = %c0 to %steps step %c1 iter_args(%u = %u0) -> (tensor<?x?xf32>) {
          %c2 = arith.constant 2 : index
          %m = tensor.dim %u, %c0 : tensor<?x?xf32>
          %n = tensor.dim %u, %c1 : tensor<?x?xf32>
          %p = arith.subi %m, %c2 : index
          %q = arith.subi %n, %c2 : index
          %x = tensor.extract_slice %u[0, 1] [%p, %q] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
          %y = tensor.extract_slice %u[2, 1] [%p, %q] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
          %z = tensor.extract_slice %u[1, %c2] [%p, %q] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
          %e = tensor.empty(%p, %q) : tensor<?x?xf32>
          %r = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
              ins(%x, %y, %z : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
          ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
            %s = arith.addf %a, %b : f32
            %w = arith.subf %s, %c : f32
            linalg.yield %w : f32
          } -> tensor<?x?xf32>
          %new = tensor.insert_slice %r into %u[1, 1] [%p, %q] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
          scf.yield %new : tensor<?x?xf32>
        }
        return %last : tensor<?x?xf32>
      }"""

    def sweep(u: np.ndarray) -> np.ndarray:
        new = u.copy()
        new[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] - u[1:-1, 2:]
        return new

    assert alternating(text) == 1
    check(text, np.arange(np.prod(shape), dtype=np.float32).reshape(shape), sweep, 2)


def around(body: str, carried: str = "%u", type_: str = "tensor<8x8xf32>") -> str:
    """A function with a loop around `body`, which makes `%new` from `%u`, a matrix."""
    return f"""
      #here = affine_map<(i, j) -> (i, j)>
      #swap = affine_map<(i, j) -> (j, i)>
      func.func @main(%u0: {type_}, %steps: index) -> {type_} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c7 = arith.constant 7 : index
        %half = arith.constant 0.5 : f32
        %last = scf.for %t = %c0 to %steps step %c1 iter_args({carried} = %u0) -> ({type_}) {{
          {body}
          scf.yield %new : {type_}
        }}
        return %last : {type_}
      }}"""


MATRIX = "tensor<8x8xf32>"
DYNAMIC = "tensor<?x?xf32>"


@pytest.mark.parametrize(("type_", "sizes"), [(MATRIX, ""), (DYNAMIC, "%m, %n")])
def test_what_starts_from_nothing_takes_turns(type_: str, sizes: str) -> None:
    body = f"""
      %m = tensor.dim %u0, %c0 : {type_}
      %n = tensor.dim %u, %c1 : {type_}
      %e = tensor.empty({sizes}) : {type_}
      %new = linalg.generic {{indexing_maps = [#here, #swap, #here], iterator_types = ["parallel", "parallel"]}}
          ins(%u, %u : {type_}, {type_}) outs(%e : {type_}) {{
      ^bb0(%x: f32, %y: f32, %o: f32):
        %s = arith.subf %x, %y : f32
        %h = arith.mulf %s, %half : f32
        %z = arith.addf %x, %h : f32
        linalg.yield %z : f32
      }} -> {type_}"""
    text = around(body, type_=type_)
    assert alternating(text) == 1
    check(text, np.arange(64, dtype=np.float32).reshape(8, 8), lambda u: u + (u - u.T) * np.float32(0.5), 2)


@pytest.mark.parametrize(("options", "turns"), [("", 1), ("{new-tensors=false}", 0)])
def test_new_tensors_take_turns_if_asked(options: str, turns: int) -> None:
    body = f"""
      %e = tensor.empty() : {MATRIX}
      %new = linalg.transpose ins(%u : {MATRIX}) outs(%e : {MATRIX}) permutation = [1, 0]"""
    with ir.Context():
        module = ir.Module.parse(around(body))
        mi.run_pipeline(module, f"builtin.module(func.func(inplace-ping-pong{options}))")
        (loop,) = loops(module)
        assert len(loop.results) == 1 + turns


def test_sizes_of_something_else_are_no_turn() -> None:
    # The new tensor is as large as its number says, which nobody compares with the size of the old one.
    body = f"""
      %e = tensor.empty(%steps, %steps) : {DYNAMIC}
      %f = linalg.fill ins(%half : f32) outs(%e : {DYNAMIC}) -> {DYNAMIC}
      %x = tensor.extract %u[%c0, %c0] : {DYNAMIC}
      %new = tensor.insert %x into %f[%c0, %c1] : {DYNAMIC}"""
    text = around(body, type_=DYNAMIC)
    assert alternating(text) == 0
    result = mi.compile(text, optimize=True).main(np.full((2, 5), 3, np.float32), 3)
    expected = np.full((3, 3), 0.5, np.float32)
    expected[0, 1] = 0.5
    np.testing.assert_array_equal(result, expected)


def test_an_update_of_each_element_by_itself_needs_no_second_buffer() -> None:
    body = f"""
      %e = tensor.empty() : {MATRIX}
      %new = linalg.add ins(%u, %u : {MATRIX}, {MATRIX}) outs(%e : {MATRIX}) -> {MATRIX}"""
    text = around(body)
    assert alternating(text) == 0
    check(text, np.arange(64, dtype=np.float32).reshape(8, 8), lambda u: u + u, 1)


def test_a_sweep_that_reads_what_it_has_written_stays_one_in_place() -> None:
    # Gauss and Seidel: the left and the upper neighbour are those of this sweep.
    body = f"""
      %new = scf.for %i = %c1 to %c7 step %c1 iter_args(%v = %u) -> ({MATRIX}) {{
        %rows = scf.for %j = %c1 to %c7 step %c1 iter_args(%w = %v) -> ({MATRIX}) {{
          %up = arith.subi %i, %c1 : index
          %down = arith.addi %i, %c1 : index
          %left = arith.subi %j, %c1 : index
          %right = arith.addi %j, %c1 : index
          %a = tensor.extract %w[%up, %j] : {MATRIX}
          %b = tensor.extract %w[%down, %j] : {MATRIX}
          %c = tensor.extract %w[%i, %left] : {MATRIX}
          %d = tensor.extract %w[%i, %right] : {MATRIX}
          %ab = arith.addf %a, %b : f32
          %cd = arith.addf %c, %d : f32
          %s = arith.addf %ab, %cd : f32
          %x = arith.mulf %s, %half : f32
          %set = tensor.insert %x into %w[%i, %j] : {MATRIX}
          scf.yield %set : {MATRIX}
        }}
        scf.yield %rows : {MATRIX}
      }}"""

    def sweep(u: np.ndarray) -> np.ndarray:
        new = u.copy()
        for i in range(1, 7):
            for j in range(1, 7):
                new[i, j] = ((new[i - 1, j] + new[i + 1, j]) + (new[i, j - 1] + new[i, j + 1])) * np.float32(0.5)
        return new

    text = around(body)
    assert alternating(text) == 0
    check(text, np.arange(64, dtype=np.float32).reshape(8, 8), sweep, 1)


def test_rows_of_a_sweep_in_a_loop_of_their_own() -> None:
    # Each row becomes the sum of itself and the row opposite, of the last sweep.
    body = f"""
      %e = tensor.empty() : {MATRIX}
      %c8 = arith.constant 8 : index
      %new = scf.for %i = %c0 to %c8 step %c1 iter_args(%v = %e) -> ({MATRIX}) {{
        %o = arith.subi %c7, %i : index
        %x = tensor.extract_slice %u[%i, 0] [1, 8] [1, 1] : {MATRIX} to tensor<1x8xf32>
        %y = tensor.extract_slice %u[%o, 0] [1, 8] [1, 1] : {MATRIX} to tensor<1x8xf32>
        %p = tensor.empty() : tensor<1x8xf32>
        %r = linalg.add ins(%x, %y : tensor<1x8xf32>, tensor<1x8xf32>) outs(%p : tensor<1x8xf32>) -> tensor<1x8xf32>
        %w = tensor.insert_slice %r into %v[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into {MATRIX}
        scf.yield %w : {MATRIX}
      }}"""
    text = around(body)
    assert alternating(text) == 1
    check(text, np.arange(64, dtype=np.float32).reshape(8, 8), lambda u: u + u[::-1], 2)


def test_two_fields_that_depend_on_each_other_take_turns_each() -> None:
    part = "tensor<8x6xf32>"
    text = f"""
      func.func @main(%a: {MATRIX}, %b: {MATRIX}, %steps: index) -> ({MATRIX}, {MATRIX}) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %r:2 = scf.for %t = %c0 to %steps step %c1 iter_args(%u = %a, %v = %b) -> ({MATRIX}, {MATRIX}) {{
          %e = tensor.empty() : {part}
          %ul = tensor.extract_slice %u[0, 0] [8, 6] [1, 1] : {MATRIX} to {part}
          %vr = tensor.extract_slice %v[0, 2] [8, 6] [1, 1] : {MATRIX} to {part}
          %x = linalg.add ins(%ul, %vr : {part}, {part}) outs(%e : {part}) -> {part}
          %y = linalg.sub ins(%ul, %vr : {part}, {part}) outs(%e : {part}) -> {part}
          %un = tensor.insert_slice %x into %u[0, 1] [8, 6] [1, 1] : {part} into {MATRIX}
          %vn = tensor.insert_slice %y into %v[0, 1] [8, 6] [1, 1] : {part} into {MATRIX}
          scf.yield %un, %vn : {MATRIX}, {MATRIX}
        }}
        return %r#0, %r#1 : {MATRIX}, {MATRIX}
      }}"""
    assert alternating(text) == 2
    program = mi.compile(text, optimize=True, memory_stats=True)
    a = np.arange(64, dtype=np.float32).reshape(8, 8)
    b = -a[::-1].copy()
    u, v = a.copy(), b.copy()
    counts = set[tuple[int, int]]()
    for steps in range(5):
        left, right = program.main(a, b, steps)
        np.testing.assert_array_equal(left, u)
        np.testing.assert_array_equal(right, v)
        counts.add((program.memory_stats.allocations, program.memory_stats.copies))
        x, y = u[:, :6] + v[:, 2:], u[:, :6] - v[:, 2:]
        u[:, 1:7], v[:, 1:7] = x, y
    assert len(counts) == 1


@pytest.mark.parametrize("steps", ["%c0", "%c1"])
def test_a_loop_that_runs_once_has_no_turns(steps: str) -> None:
    stencil = STENCILS["five points"]
    assert alternating(stencil.program(stencil.sums() + "\n" + stencil.insert("%u"), steps=steps)) == 0


def test_a_small_slice_is_copied_instead() -> None:
    body = f"""
      %e = tensor.empty() : tensor<3x8xf32>
      %x = tensor.extract_slice %u[0, 0] [3, 8] [1, 1] : {MATRIX} to tensor<3x8xf32>
      %y = tensor.extract_slice %u[1, 0] [3, 8] [1, 1] : {MATRIX} to tensor<3x8xf32>
      %r = linalg.add ins(%x, %y : tensor<3x8xf32>, tensor<3x8xf32>) outs(%e : tensor<3x8xf32>) -> tensor<3x8xf32>
      %new = tensor.insert_slice %r into %u[2, 0] [3, 8] [1, 1] : tensor<3x8xf32> into {MATRIX}"""
    assert alternating(around(body)) == 0


def test_a_tensor_that_is_yielded_under_two_names_is_left_alone() -> None:
    # u'' = 2 u - u' + sums: three versions, of which two are carried.
    text = f"""
      func.func @main(%a: {MATRIX}, %steps: index) -> {MATRIX} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %r:2 = scf.for %t = %c0 to %steps step %c1 iter_args(%u = %a, %v = %a) -> ({MATRIX}, {MATRIX}) {{
          %e = tensor.empty() : tensor<6x8xf32>
          %x = tensor.extract_slice %u[0, 0] [6, 8] [1, 1] : {MATRIX} to tensor<6x8xf32>
          %y = tensor.extract_slice %v[1, 0] [6, 8] [1, 1] : {MATRIX} to tensor<6x8xf32>
          %s = linalg.sub ins(%x, %y : tensor<6x8xf32>, tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
          %new = tensor.insert_slice %s into %u[1, 0] [6, 8] [1, 1] : tensor<6x8xf32> into {MATRIX}
          scf.yield %new, %u : {MATRIX}, {MATRIX}
        }}
        return %r#0 : {MATRIX}
      }}"""
    assert alternating(text) == 0
    a = np.arange(64, dtype=np.float32).reshape(8, 8)
    u, v = a.copy(), a.copy()
    program = mi.compile(text, optimize=True)
    for steps in range(5):
        np.testing.assert_array_equal(program.main(a, steps), u)
        new = u.copy()
        new[1:7] = u[:6] - v[1:7]
        u, v = new, u


@pytest.mark.parametrize("size", [(403, 500), pytest.param((3, 200010), marks=pytest.mark.full)])
def test_each_sweep_runs_on_all_threads(size: tuple[int, int]) -> None:
    stencil = Stencil(size, FIVE)
    text = stencil.program(stencil.sums() + "\n" + stencil.insert("%u"))
    start = stencil.start()
    alone = mi.compile(text, optimize=True).main(start, 3)
    np.testing.assert_allclose(alone, stencil.sweep(stencil.sweep(stencil.sweep(start))), rtol=1e-5)
    for threads in (2, 3):
        with ir.Context():
            module = ir.Module.parse(text)
            mi.run_pipeline(module, f"builtin.module(func.func(inplace-distribute{{threads={threads}}}))")
            assert f"in ({threads})" in str(module)
        np.testing.assert_array_equal(mi.compile(text, optimize=True, threads=threads).main(start, 3), alone)


def test_an_op_that_starts_from_the_old_elements_reads_them_where_they_are() -> None:
    whole, part = "tensor<40x37xf32>", "tensor<38x35xf32>"
    text = f"""
      #id = affine_map<(i, j) -> (i, j)>
      func.func @main(%a: {whole}, %n: index) -> {whole} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %r = scf.for %t = %c0 to %n step %c1 iter_args(%u = %a) -> ({whole}) {{
          %x = tensor.extract_slice %u[0, 1] [38, 35] [1, 1] : {whole} to {part}
          %y = tensor.extract_slice %u[2, 1] [38, 35] [1, 1] : {whole} to {part}
          %c = tensor.extract_slice %u[1, 1] [38, 35] [1, 1] : {whole} to {part}
          %s = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}}
              ins(%x, %y : {part}, {part}) outs(%c : {part}) {{
          ^bb0(%p: f32, %q: f32, %o: f32):
            %d = arith.addf %p, %q : f32
            %e = arith.subf %d, %o : f32
            linalg.yield %e : f32
          }} -> {part}
          %new = tensor.insert_slice %s into %u[1, 1] [38, 35] [1, 1] : {part} into {whole}
          scf.yield %new : {whole}
        }}
        return %r : {whole}
      }}"""

    def sweep(u: np.ndarray) -> np.ndarray:
        new = u.copy()
        new[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] - u[1:-1, 1:-1]
        return new

    check(text, np.arange(1480, dtype=np.float32).reshape(40, 37) % 41, sweep, 2)


def test_an_op_that_leaves_elements_of_its_init_out_keeps_the_init() -> None:
    # Only the diagonal is written; the other elements inside are the old ones, a row further down.
    text = f"""
      func.func @main(%a: {MATRIX}, %n: index) -> {MATRIX} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %r = scf.for %t = %c0 to %n step %c1 iter_args(%u = %a) -> ({MATRIX}) {{
          %x = tensor.extract_slice %u[0, 0] [7, 7] [1, 1] : {MATRIX} to tensor<7x7xf32>
          %c = tensor.extract_slice %u[1, 0] [7, 7] [1, 1] : {MATRIX} to tensor<7x7xf32>
          %s = linalg.generic {{indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i, i)>],
              iterator_types = ["parallel"]}} ins(%x : tensor<7x7xf32>) outs(%c : tensor<7x7xf32>) {{
          ^bb0(%p: f32, %o: f32):
            %e = arith.subf %p, %o : f32
            linalg.yield %e : f32
          }} -> tensor<7x7xf32>
          %new = tensor.insert_slice %s into %u[0, 1] [7, 7] [1, 1] : tensor<7x7xf32> into {MATRIX}
          scf.yield %new : {MATRIX}
        }}
        return %r : {MATRIX}
      }}"""
    u = np.arange(64, dtype=np.float32).reshape(8, 8)
    expected = u.copy()
    program = mi.compile(text, optimize=True)
    for steps in range(4):
        np.testing.assert_array_equal(program.main(u, steps), expected)
        inside = expected[1:, :7].copy()
        np.fill_diagonal(inside, np.diagonal(expected[:7, :7] - expected[1:, :7]))
        expected[:7, 1:] = inside


ACCUMULATION = """
func.func @main(%a: tensor<8x6xf32>, %b: tensor<6x8xf32>, %c: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %c) -> (tensor<8x8xf32>) {
    %s = tensor.extract_slice %t[READ, 0] [5, 8] [1, 1] : tensor<8x8xf32> to tensor<5x8xf32>
    %l = tensor.extract_slice %a[1, 0] [5, 6] [1, 1] : tensor<8x6xf32> to tensor<5x6xf32>
    %m = linalg.matmul ins(%l, %b : tensor<5x6xf32>, tensor<6x8xf32>) outs(%s : tensor<5x8xf32>) -> tensor<5x8xf32>
    %x = tensor.insert_slice %m into %t[2, 0] [5, 8] [1, 1] : tensor<5x8xf32> into tensor<8x8xf32>
    scf.yield %x : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}"""


@pytest.mark.parametrize(("read", "turns"), [(2, 0), (1, 1)])
@pytest.mark.parametrize("optimize", [False, True])
def test_a_slice_that_a_reduction_accumulates_in_is_updated_in_place(read: int, turns: int, optimize: bool) -> None:
    """The init of a product is updated element by element, although its other loops reduce; another slice is not."""
    text = ACCUMULATION.replace("READ", str(read))
    assert alternating(text) == turns
    a, b, c = (np.arange(n, n + rows * columns, dtype=np.float32).reshape(rows, columns) % 5
               for n, rows, columns in ((1, 8, 6), (2, 6, 8), (3, 8, 8)))  # fmt: skip
    expected = c.copy()
    for _ in range(3):
        expected[2:7] = expected[read : read + 5] + a[1:6] @ b
    program = mi.compile(text, optimize=optimize, memory_stats=True)
    np.testing.assert_array_equal(program.main(a, b, c, 3), expected)
    if not turns:
        assert (program.memory_stats.allocations, program.memory_stats.copies) == (1, 1)
