"""Compiling and calling: what comes back is right, fresh, and in the array it should be in."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi

PROGRAM = """
func.func @add(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tensor.empty() : tensor<4x4xf32>
  %1 = linalg.add ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
func.func @add_into(%a: tensor<?x?xf32> {bufferization.writable = true}, %b: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, index) {
  %c1 = arith.constant 1 : index
  %columns = tensor.dim %a, %c1 : tensor<?x?xf32>
  %0 = linalg.add ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %columns : tensor<?x?xf32>, index
}
func.func @transpose(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %a, %c1 : tensor<?x?xf32>
  %0 = tensor.empty(%columns, %rows) : tensor<?x?xf32>
  %1 = linalg.transpose ins(%a : tensor<?x?xf32>) outs(%0 : tensor<?x?xf32>) permutation = [1, 0]
  return %1 : tensor<?x?xf32>
}
func.func @corner(%a: tensor<?x?xf32>) -> tensor<2x2xf32> {
  %0 = tensor.extract_slice %a[0, 0] [2, 2] [1, 1] : tensor<?x?xf32> to tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func @identity(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  return %a : tensor<?x?xf32>
}
func.func @twice(%a: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %f = arith.constant 7.0 : f32
  %c0 = arith.constant 0 : index
  %0 = tensor.insert %f into %a[%c0, %c0] : tensor<?x?xf32>
  return %0, %0 : tensor<?x?xf32>, tensor<?x?xf32>
}
func.func @constant() -> tensor<3xi64> {
  %0 = arith.constant dense<[2, 3, 5]> : tensor<3xi64>
  return %0 : tensor<3xi64>
}
func.func @choose(%which: i1, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = scf.if %which -> tensor<?xf32> {
    scf.yield %a : tensor<?xf32>
  } else {
    scf.yield %b : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
func.func @sum(%a: tensor<?xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?xf64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f64 {
    %x = tensor.extract %a[%i] : tensor<?xf64>
    %t = arith.addf %s, %x : f64
    scf.yield %t : f64
  }
  return %r : f64
}
func.func @nothing() {
  return
}
func.func private @helper(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func @calls_helper(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @helper(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@pytest.fixture(scope="module")
def program() -> mi.Program:
    return mi.compile(PROGRAM)


def grid(rows: int = 4, columns: int = 4, start: int = 1) -> np.ndarray[Any, Any]:
    return np.arange(start, start + rows * columns, dtype=np.float32).reshape(rows, columns)


def test_a_result_is_a_fresh_array_that_owns_its_memory(program: mi.Program) -> None:
    a, b = grid(), grid(start=100)
    first, second = program.add(a, b), program.add(a, b)
    np.testing.assert_array_equal(first, a + b)
    assert not np.shares_memory(first, second)
    first[...] = 0
    np.testing.assert_array_equal(second, a + b)
    np.testing.assert_array_equal(a, grid())
    assert second.flags.writeable and second.flags.aligned and second.ctypes.data % 64 == 0


def test_results_outlive_the_program() -> None:
    program = mi.compile(PROGRAM)
    static, dynamic = program.add(grid(), grid()), program.transpose(grid())
    view = dynamic[1:, ::2]
    del program, dynamic
    gc.collect()
    np.testing.assert_array_equal(static, 2 * grid())
    np.testing.assert_array_equal(view, grid().T[1:, ::2])


def test_a_writable_argument_is_updated_in_place_and_returned(program: mi.Program) -> None:
    a, b = grid(3, 5), grid(3, 5, start=100)
    result, columns = program.add_into(a, b)
    assert result is a and columns == 5
    np.testing.assert_array_equal(a, grid(3, 5) + b)


def test_a_writable_argument_may_be_a_strided_view(program: mi.Program) -> None:
    whole = grid(6, 8)
    view = whole[::-2, 1::3]
    result, _ = program.add_into(view, grid(3, 3, start=100))
    assert result is view
    expected = grid(6, 8)
    expected[::-2, 1::3] += grid(3, 3, start=100)
    np.testing.assert_array_equal(whole, expected)


@pytest.mark.parametrize("view", [np.s_[:, :], np.s_[::-1, ::-1], np.s_[1:4:2, ::3], np.s_[2:2, :], np.s_[4:, :1]])
def test_any_strides_go_in(program: mi.Program, view: Any) -> None:
    a = grid(5, 7)[view]
    np.testing.assert_array_equal(program.transpose(a), a.T)
    np.testing.assert_array_equal(program.transpose(a.T), a)


def test_a_result_that_is_an_argument_is_a_copy_unless_it_is_writable(program: mi.Program) -> None:
    a = grid()
    for result in (program.identity(a), program.identity(a[::2])):
        assert not np.shares_memory(result, a)
    np.testing.assert_array_equal(program.identity(a[::2]), a[::2])
    np.testing.assert_array_equal(program.calls_helper(a[1]), a[1])
    assert not np.shares_memory(program.calls_helper(a[1]), a)


def test_a_result_that_is_a_view_of_an_argument_is_a_copy(program: mi.Program) -> None:
    a = grid()
    result = program.corner(a)
    assert not np.shares_memory(result, a)
    np.testing.assert_array_equal(result, a[:2, :2])


def test_one_buffer_returned_twice_is_two_arrays(program: mi.Program) -> None:
    first, second = program.twice(grid())
    assert not np.shares_memory(first, second)
    expected = grid()
    expected[0, 0] = 7
    np.testing.assert_array_equal(first, expected)
    np.testing.assert_array_equal(second, expected)


def test_a_constant_result_can_be_changed_without_changing_the_constant(program: mi.Program) -> None:
    program.constant()[...] = 0
    np.testing.assert_array_equal(program.constant(), [2, 3, 5])


@pytest.mark.parametrize("which", [True, False])
def test_a_result_from_a_branch(program: mi.Program, which: bool) -> None:
    a, b = grid()[0], grid()[1]
    result = program.choose(which, a, b)
    np.testing.assert_array_equal(result, a if which else b)
    assert not np.shares_memory(result, a) and not np.shares_memory(result, b)


def test_scalars_and_no_results(program: mi.Program) -> None:
    assert program.sum(np.arange(10.0)) == 45.0
    assert program.sum(np.empty(0)) == 0.0
    assert program.nothing() is None


def test_entry_points_are_the_public_functions(program: mi.Program) -> None:
    assert "helper" not in program.entry_points and "calls_helper" in program.entry_points
    assert list(program) == list(program.entry_points)
    assert program["add"] is program.add and "add" in dir(program)
    with pytest.raises(AttributeError, match="no entry point 'missing'; it has: add, add_into"):
        _ = program.missing
    with pytest.raises(KeyError, match="no entry point 'helper'; it has: add, add_into"):
        _ = program["helper"]
    assert str(program.add.signature) == "add(a: tensor<4x4xf32>, b: tensor<4x4xf32>) -> tensor<4x4xf32>"


@pytest.mark.parametrize("name", ["memory_stats", "_entries", "_lock", "__init__", "entry_points"])
def test_no_entry_point_hides_what_a_program_needs(name: str) -> None:
    program = mi.compile(f"func.func @{name}() -> i32 {{ %0 = arith.constant 3 : i32 return %0 : i32 }}")
    assert program.entry_points == (name,) and program[name]() == 3


def test_a_public_function_that_is_called_inside_costs_no_copies_there() -> None:
    program = mi.compile(
        """
        func.func @bump(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %done = arith.cmpi eq, %n, %c0 : index
          %r = scf.if %done -> tensor<4xf32> {
            scf.yield %a : tensor<4xf32>
          } else {
            %f = arith.constant 1.0 : f32
            %x = tensor.extract %a[%c0] : tensor<4xf32>
            %y = arith.addf %x, %f : f32
            %0 = tensor.insert %y into %a[%c0] : tensor<4xf32>
            %m = arith.subi %n, %c1 : index
            %1 = func.call @bump(%0, %m) : (tensor<4xf32>, index) -> tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          return %r : tensor<4xf32>
        }
        func.func @fill(%a: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
          %0 = linalg.fill ins(%f : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @main(%a: tensor<4xf32> {bufferization.writable = true}, %f: f32) -> tensor<4xf32> {
          %0 = call @fill(%a, %f) : (tensor<4xf32>, f32) -> tensor<4xf32>
          %1 = call @fill(%0, %f) : (tensor<4xf32>, f32) -> tensor<4xf32>
          return %1 : tensor<4xf32>
        }""",
        memory_stats=True,
    )
    assert program.entry_points == ("bump", "fill", "main")
    a = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(program.fill(a, 7.0), [7, 7, 7, 7])
    np.testing.assert_array_equal(program.bump(a, 3), [3, 1, 2, 3])
    np.testing.assert_array_equal(a, [0, 1, 2, 3])
    assert program.main(a, 7.0) is a
    np.testing.assert_array_equal(a, [7, 7, 7, 7])
    assert program.memory_stats.allocations == program.memory_stats.copied_bytes == 0


def test_calls_from_several_threads_do_not_mix(program: mi.Program) -> None:

    def is_right(number: int) -> bool:
        a = np.full((4, 4), number, np.float32)
        return all((program.add(a, a) == 2 * number).all() for _ in range(200))

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(is_right, range(4)))


class TestOut:
    """`out=`: the result in an array of the caller's."""

    def test_static(self, program: mi.Program) -> None:
        out = np.zeros((4, 4), np.float32)
        assert program.add(grid(), grid(), out=out) is out
        np.testing.assert_array_equal(out, 2 * grid())

    def test_dynamic(self, program: mi.Program) -> None:
        out = np.zeros((5, 3), np.float32)
        assert program.transpose(grid(3, 5), out=out) is out
        np.testing.assert_array_equal(out, grid(3, 5).T)

    def test_dynamic_sizes_that_follow_from_arguments_are_written_there(self) -> None:
        program = mi.compile(
            """
            func.func @join(%a: tensor<?x3xf32>, %b: tensor<?x3xf32>) -> tensor<?x3xf32> {
              %r = tensor.concat dim(0) %a, %b : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
              return %r : tensor<?x3xf32>
            }""",
            memory_stats=True,
        )
        a, b, out = grid(2, 3), grid(4, 3, 9), np.zeros((6, 3), np.float32)
        expected = np.concatenate([a, b])
        np.testing.assert_array_equal(program.join(a, b), expected)
        fresh = program.memory_stats
        assert program.join(a, b, out=out) is out
        np.testing.assert_array_equal(out, expected)
        given = program.memory_stats
        assert (given.allocations, given.copied_bytes) == (fresh.allocations - 1, fresh.copied_bytes)
        with pytest.raises(ValueError, match=r"the result has shape \(6, 3\), the array \(5, 3\)"):
            program.join(a, b, out=out[:5])
        assert program.join(out[:2], b, out=out) is out
        np.testing.assert_array_equal(out, expected)
        assert program.join(a[:0], b[:0], out=out[:0]).shape == (0, 3)

    def test_strided(self, program: mi.Program) -> None:
        whole = np.zeros((8, 8), np.float32)
        program.add(grid(), grid(), out=whole[::2, ::-2])
        np.testing.assert_array_equal(whole[::2, ::-2], 2 * grid())
        assert not whole[1::2].any() and not whole[:, ::2].any()

    def test_overlapping_an_argument(self, program: mi.Program) -> None:
        a = grid()
        program.add(a, a[::-1], out=a)
        np.testing.assert_array_equal(a, grid() + grid()[::-1])

    def test_several(self, program: mi.Program) -> None:
        out = np.zeros((4, 4), np.float32)
        first, second = program.twice(grid(), out=(None, out))
        assert second is out and not np.shares_memory(first, out)
        np.testing.assert_array_equal(first, out)

    def test_the_writable_argument_itself(self, program: mi.Program) -> None:
        a = grid()
        result, _ = program.add_into(a, grid(start=5), out=(a, None))
        assert result is a
        np.testing.assert_array_equal(a, grid() + grid(start=5))

    def test_another_array_than_the_writable_argument(self, program: mi.Program) -> None:
        a, out = grid(), np.zeros((4, 4), np.float32)
        result, _ = program.add_into(a, grid(), out=(out, None))
        assert result is out
        np.testing.assert_array_equal(out, a)

    @pytest.mark.parametrize(
        ("name", "out", "error", "message"),
        [
            ("add", np.zeros((4, 4)), TypeError, "out for result 0: expected dtype float32"),
            ("add", np.zeros((4, 5), np.float32), ValueError, "out for result 0: expected shape 4x4"),
            ("add", [[0.0] * 4] * 4, TypeError, "add has 1 result, but out names 4"),
            ("add", "x", TypeError, "out for result 0: expected an array, got str"),
            ("add", np.broadcast_to(np.float32(0), (4, 4)), ValueError, "read-only"),
            ("add", np.ma.masked_array(np.zeros((4, 4), np.float32), True), TypeError, "got a masked array of float32"),
            ("add", (grid(), grid()), TypeError, "add has 1 result, but out names 2"),
            ("transpose", grid(1, 1), ValueError, r"the result has shape \(4, 4\), the array \(1, 1\)"),
        ],
    )
    def test_wrong(self, program: mi.Program, name: str, out: Any, error: type[Exception], message: str) -> None:
        arguments = [grid(), grid()][: len(program[name].signature.parameters)]
        with pytest.raises(error, match=message):
            program[name](*arguments, out=out)

    def test_wrong_combinations(self, program: mi.Program) -> None:
        out, a = grid(), grid()
        with pytest.raises(ValueError, match="out arrays 0 and 1 overlap"):
            program.twice(grid(), out=(out, out))
        with pytest.raises(TypeError, match="out for result 1: the result is a scalar"):
            program.add_into(a, grid(), out=(None, out))
        windows = np.lib.stride_tricks.as_strided(out, (4, 4), (4, 4))
        with pytest.raises(ValueError, match="several indices of the array lead to the same memory"):
            program.add(grid(), grid(), out=windows)
        np.testing.assert_array_equal(a, grid())

    def test_overlapping_a_written_argument(self) -> None:
        program = mi.compile("""
            func.func @f(%a: tensor<4xf32> {bufferization.writable = true}) -> (tensor<4xf32>, tensor<4xf32>) {
              %f = arith.constant 7.0 : f32
              %e = tensor.empty() : tensor<4xf32>
              %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
              %1 = linalg.fill ins(%f : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
              return %0, %1 : tensor<4xf32>, tensor<4xf32>
            }""")
        a = np.zeros(4, np.float32)
        with pytest.raises(ValueError, match=r"out overlaps argument 0 \('a'\), which the call writes"):
            program.f(a, out=(a, None))
        exponential, filled = program.f(a)
        assert filled is a and (a == 7).all() and (exponential == 1).all()


class TestSource:
    """A program comes from a module, from text, or from a file."""

    TEXT = "func.func @main() -> i64 { %0 = arith.constant 42 : i64 return %0 : i64 }"

    def test_text_and_path(self, tmp_path: Path) -> None:
        path = tmp_path / "a program (1).mlir"
        path.write_text(self.TEXT)
        for source in (self.TEXT, path, str(path), self.TEXT.encode()):
            assert mi.compile(source).main() == 42

    def test_module_of_any_context_is_left_alone(self) -> None:
        with ir.Context():
            module = ir.Module.parse(PROGRAM)
        before = str(module)
        with ir.Context():
            program = mi.compile(module)
        assert str(module) == before
        del module
        gc.collect()
        np.testing.assert_array_equal(program.add(grid(), grid()), 2 * grid())

    def test_missing_file(self) -> None:
        with pytest.raises(FileNotFoundError, match=r"missing\.mlir"):
            mi.compile("missing.mlir")

    def test_broken_text(self, tmp_path: Path) -> None:
        with pytest.raises(ir.MLIRError, match="expected"):
            mi.compile("func.func @main( {")
        path = tmp_path / "broken.mlir"
        path.write_text("func.func @main( {")
        with pytest.raises(ir.MLIRError, match=r"broken\.mlir"):
            mi.compile(path)

    def test_something_else(self) -> None:
        with pytest.raises(TypeError, match=r"expected an ir\.Module, MLIR text or bytecode, or a path, got int"):
            mi.compile(3)  # type: ignore[arg-type]


class TestCompile:
    """Options of `compile`, and programs it must refuse."""

    @pytest.mark.parametrize("level", [-1, 4, "2"])
    def test_wrong_level(self, level: Any) -> None:
        with pytest.raises(ValueError, match="opt_level must be 0, 1, 2 or 3"):
            mi.compile(PROGRAM, opt_level=level)

    @pytest.mark.parametrize("level", range(4))
    def test_levels(self, level: int) -> None:
        assert mi.compile(PROGRAM, opt_level=level).sum(np.arange(4.0)) == 6.0

    def test_pipeline_takes_the_place_of_bufferization(self) -> None:
        text = "inplace-one-shot-bufferize{function-boundaries=true copy-before-write=true}"
        program = mi.compile(PROGRAM, pipeline=text, memory_stats=True)
        np.testing.assert_array_equal(program.add(grid(), grid()), 2 * grid())

    def test_wrong_pipelines(self) -> None:
        with pytest.raises(ValueError, match="unknown pass 'inplace-nothing'"):
            mi.compile(PROGRAM, pipeline="inplace-nothing")
        with pytest.raises(mi.PassError, match="the pipeline left argument 0 of 'add' a tensor<4x4xf32>"):
            mi.compile(PROGRAM, pipeline="canonicalize")

    def test_a_function_from_a_shared_library(self) -> None:
        text = """
            func.func private @cbrt(f64) -> f64
            func.func @main(%x: f64) -> f64 { %0 = call @cbrt(%x) : (f64) -> f64 return %0 : f64 }"""
        assert mi.compile(text, shared_libs=["libm.so.6"]).main(27.0) == pytest.approx(3.0)

    def test_wrong_shared_libs(self) -> None:
        with pytest.raises(OSError, match=r"shared library '/nowhere/x\.so' does not exist"):
            mi.compile(PROGRAM, shared_libs=["/nowhere/x.so"])
        with pytest.raises(OSError, match=r"cannot load shared library 'nowhere\.so'"):
            mi.compile(PROGRAM, shared_libs=["nowhere.so"])
        with pytest.raises(TypeError, match="shared_libs must be a sequence"):
            mi.compile(PROGRAM, shared_libs="libm.so.6")

    def test_a_function_that_is_defined_nowhere(self) -> None:
        with pytest.raises(mi.PassError, match="function 'nowhere_to_be_found' is declared but defined nowhere"):
            mi.compile("""
                func.func private @nowhere_to_be_found()
                func.func @main() { call @nowhere_to_be_found() : () -> () return }""")

    def test_an_operation_that_cannot_be_lowered(self) -> None:
        with pytest.raises(mi.PassError, match=r"3:\d+: 'gpu.thread_id' cannot be lowered to LLVM"):
            mi.compile("""
                func.func @main() -> index {
                  %0 = gpu.thread_id x
                  return %0 : index
                }""")

    def test_an_operation_that_is_not_registered(self) -> None:
        """Upstream's lowering of functions ended the process."""
        with ir.Context() as context:
            context.allow_unregistered_dialects = True
            module = ir.Module.parse('func.func @main(%x: index) { "test.unknown"(%x) : (index) -> () return }')
        with pytest.raises(
            mi.PassError, match=r"^-:1:30: 'test.unknown' cannot be lowered to LLVM: it is not registered"
        ):
            mi.compile(module)

    def test_a_loop_that_folding_cuts_off(self) -> None:
        """Upstream's canonicalize does not end on it."""
        program = mi.compile("""
            func.func @main(%t: tensor<4xf32>) -> tensor<4xf32> {
              %c0 = arith.constant 0 : index
              %c1 = arith.constant 1 : index
              %c6 = arith.constant 6 : index
              %p = arith.constant true
              cf.cond_br %p, ^end, ^loop(%c0 : index)
            ^loop(%i: index):
              %j = arith.addi %i, %c1 : index
              %k = arith.cmpi slt, %j, %c6 : index
              cf.cond_br %k, ^go, ^end
            ^go:
              cf.br ^loop(%j : index)
            ^end:
              return %t : tensor<4xf32>
            }""")
        np.testing.assert_array_equal(program.main(np.arange(4, dtype=np.float32)), [0, 1, 2, 3])

    def test_no_entry_point(self) -> None:
        program = mi.compile("func.func private @f() { return }")
        assert program.entry_points == ()
        with pytest.raises(AttributeError, match="it has: none; make a function with a body public"):
            _ = program.f
        assert "no entry points" in repr(program)
