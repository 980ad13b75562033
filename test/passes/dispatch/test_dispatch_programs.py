"""Dispatch functions that run: arrays for bindings, any grid, and arrays that do not fit are refused.

The programs are in memref form, as bufferization leaves them, so that these tests are about lowering and calling only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.dialects import dispatch

Array = np.ndarray[Any, Any]

MATMUL = """
#rest = affine_map<(i)[tile, size] -> (tile, size - i)>
func.func @main() {
  %m = dispatch.push_constant 0 : index
  %n = dispatch.push_constant 1 : index
  %k = dispatch.push_constant 2 : index
  %a = dispatch.binding set(0) binding(0) sizes(%m, %k) : memref<?x?xf32>
  %b = dispatch.binding set(0) binding(1) : memref<?x?xf32>
  %bt = dispatch.tie_shape %b, [%k, %n] : memref<?x?xf32>
  %c = dispatch.binding set(1) binding(0) sizes(%m, %n) : memref<?x?xf32>
  %sx = dispatch.workgroup_size 0 : index
  %sy = dispatch.workgroup_size 1 : index
  %nx = dispatch.workgroup_count 0 : index
  %ny = dispatch.workgroup_count 1 : index
  %ix = dispatch.workgroup_id 0 : index
  %iy = dispatch.workgroup_id 1 : index
  %y0 = arith.muli %iy, %sy : index
  %dy = arith.muli %ny, %sy : index
  %x0 = arith.muli %ix, %sx : index
  %dx = arith.muli %nx, %sx : index
  scf.for %i = %y0 to %m step %dy {
    scf.for %j = %x0 to %n step %dx {
      %h = affine.min #rest(%i)[%sy, %m]
      %w = affine.min #rest(%j)[%sx, %n]
      %ta = memref.subview %a[%i, 0] [%h, %k] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
      %tb = memref.subview %bt[0, %j] [%k, %w] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
      %tc = memref.subview %c[%i, %j] [%h, %w] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
      linalg.matmul ins(%ta, %tb : memref<?x?xf32, strided<[?, 1], offset: ?>>,
                                   memref<?x?xf32, strided<[?, 1], offset: ?>>)
                    outs(%tc : memref<?x?xf32, strided<[?, 1], offset: ?>>)
    }
  }
  return
}
"""


def numbers(*shape: int, start: int = 1) -> Array:
    """Distinct values, small enough for exact products."""
    return np.arange(start, start + int(np.prod(shape)), dtype=np.float32).reshape(shape)


@pytest.fixture(scope="module")
def matmul() -> mi.Program:
    return mi.compile(MATMUL)


@pytest.mark.each_value
@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("shape", [(5, 7, 3), (8, 6, 4), (1, 9, 2), (3, 0, 5), (0, 4, 1), (4, 5, 0)])
def test_a_matmul_for_any_grid(matmul: mi.Program, size: int, count: int, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    a, b, c = numbers(m, k), numbers(k, n, start=50), numbers(m, n, start=1000)
    before = c.copy()
    assert matmul.main(a, b, c, m, n, k, size, size + 1, count, 4 - count) is None
    np.testing.assert_array_equal(c, before + a @ b)
    np.testing.assert_array_equal(a, numbers(m, k))


def test_nothing_runs_without_workgroups(matmul: mi.Program) -> None:
    c = numbers(2, 2)
    matmul.main(numbers(2, 2), numbers(2, 2), c, 2, 2, 2, 1, 1, 0, 3)
    np.testing.assert_array_equal(c, numbers(2, 2))


READ_ONLY = np.frombuffer(bytes(2 * 2 * 4), np.float32).reshape(2, 2)
SHARED = numbers(4, 2)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({0: numbers(3, 2)}, ValueError, r"argument 0 \('set 0 binding 0'\): dimension 0 has size 3, .* says 2"),
        ({1: numbers(2, 3)}, ValueError, r"argument 1 \('set 0 binding 1'\): dimension 1 has size 3, .* says 2"),
        ({2: numbers(2, 1)}, ValueError, r"argument 2 \('set 1 binding 0'\): dimension 1 has size 1, .* says 2"),
        ({3: -2}, ValueError, r"argument 0 \('set 0 binding 0'\): dimension 0 has size 2, but the program says -2"),
        ({4: 2**62}, ValueError, r"argument 1 .* says 4611686018427387904"),
        ({6: 0}, ValueError, r"argument 6 \('workgroup size x'\): must be at least 1, got 0"),
        ({9: -1}, ValueError, r"argument 9 \('workgroup count y'\): must be at least 0, got -1"),
        ({0: numbers(2, 2).astype("f8")}, TypeError, r"set 0 binding 0.*expected dtype float32 .* got float64"),
        ({1: numbers(2)}, ValueError, r"set 0 binding 1.*expected shape \?x\? for memref<\?x\?xf32>, got 2"),
        ({0: numbers(2, 2).T}, ValueError, r"set 0 binding 0.*expected strides"),
        ({2: READ_ONLY}, ValueError, r"set 1 binding 0.*the array is read-only, but the call writes into it"),
        ({0: SHARED[:2], 2: SHARED[1:3]}, ValueError, "set 1 binding 0.* its memory overlaps argument 0"),
        ({3: 2.0}, TypeError, r"argument 3 \('push constant 0'\): expected an integer"),
    ],
)
def test_what_does_not_fit_is_refused(
    matmul: mi.Program, changed: dict[int, Any], error: type[Exception], message: str
) -> None:
    output = numbers(2, 2)
    arguments: list[Any] = [numbers(2, 2), numbers(2, 2), output, 2, 2, 2, 1, 1, 2, 2]
    for place, argument in changed.items():
        arguments[place] = argument
    with pytest.raises(error, match=message):
        matmul.main(*arguments)
    np.testing.assert_array_equal(output, numbers(2, 2))
    np.testing.assert_array_equal(SHARED, numbers(4, 2))


def test_read_only_bindings_may_share_memory_and_be_read_only(matmul: mi.Program) -> None:
    a, c = numbers(3, 3), np.zeros((3, 3), np.float32)
    a.flags.writeable = False
    matmul.main(a, a, c, 3, 3, 3, 2, 2, 1, 1)
    np.testing.assert_array_equal(c, a @ a)


def test_the_message_for_a_wrong_count_names_the_bindings(matmul: mi.Program) -> None:
    with pytest.raises(TypeError, match=r"main takes 10 arguments, got 1: main\(set_0_binding_0: memref<\?x\?xf32>, "):
        matmul.main(numbers(2, 2))


BYTES = """
func.func @main() {
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %at = dispatch.push_constant 0 : index
  %n = dispatch.push_constant 1 : index
  %head = dispatch.binding set(0) binding(0) : memref<4xi32>
  %in = dispatch.binding set(0) binding(0) offset(%c16) sizes(%n) : memref<?xf32>
  %out = dispatch.binding set(0) binding(0) offset(%at) sizes(%n) : memref<?xf64>
  %x = dispatch.workgroup_id 0 : index
  %v = memref.load %in[%x] : memref<?xf32>
  %w = arith.extf %v : f32 to f64
  memref.store %w, %out[%x] : memref<?xf64>
  %i = arith.index_cast %x : index to i32
  memref.store %i, %head[%c0] : memref<4xi32>
  return
}
"""


@pytest.fixture(scope="module")
def several_views() -> mi.Program:
    return mi.compile(BYTES)


def aligned_bytes(count: int) -> Array:
    block = np.zeros(count + 64, np.int8)
    start = -block.ctypes.data % 64
    return block[start : start + count]


def test_byte_offsets_in_one_binding(several_views: mi.Program) -> None:
    memory = aligned_bytes(16 + 12 + 4 + 24)
    memory[16:28].view(np.float32)[:] = [1.5, 2.5, 3.5]
    several_views.main(memory, 32, 3, 3)
    np.testing.assert_array_equal(memory[32:].view(np.float64), [1.5, 2.5, 3.5])
    np.testing.assert_array_equal(memory[:16].view(np.int32), [2, 0, 0, 0])


@pytest.mark.parametrize(
    ("size", "offset", "count", "message"),
    [
        (56, 32, 4, "the program uses 64 bytes of it, but it has only 56"),
        (56, 40, 3, "the program uses 64 bytes of it, but it has only 56"),
        (8, 0, 0, "the program uses 16 bytes of it, but it has only 8"),
        (56, 36, 2, "does not fit: its byte offset or a size is negative, misaligned or huge"),
        (56, -8, 2, "does not fit"),
        (56, 32, -1, "does not fit"),
        (56, 32, 2**61, "does not fit"),
    ],
)
def test_views_must_lie_in_the_memory(
    several_views: mi.Program, size: int, offset: int, count: int, message: str
) -> None:
    memory = aligned_bytes(size)
    with pytest.raises(ValueError, match=rf"argument 0 \('set 0 binding 0'\): .*{message}"):
        several_views.main(memory, offset, count, 1)
    assert not memory.any()


def test_bytes_must_be_aligned_for_what_is_in_them(several_views: mi.Program) -> None:
    with pytest.raises(ValueError, match="set 0 binding 0.*not aligned to 8 bytes"):
        several_views.main(aligned_bytes(65)[1:], 32, 2, 1)


def test_push_constants_of_each_type_and_rank_zero() -> None:
    program = mi.compile("""
    func.func @main() {
      %i = dispatch.push_constant 0 : i32
      %bits = dispatch.push_constant 4 : i32
      %n = dispatch.push_constant 2 : index
      %out = dispatch.binding set(0) binding(0) : memref<f64>
      %f = arith.bitcast %bits : i32 to f32
      %fd = arith.extf %f : f32 to f64
      %id = arith.sitofp %i : i32 to f64
      %ni = arith.index_cast %n : index to i64
      %nd = arith.sitofp %ni : i64 to f64
      %s0 = arith.addf %fd, %id : f64
      %s1 = arith.mulf %s0, %nd : f64
      memref.store %s1, %out[] : memref<f64>
      return
    }
    """)
    out = np.zeros((), np.float64)
    program.main(out, -3, 5, int(np.float32(0.5).view(np.int32)))
    assert out[()] == (0.5 - 3) * 5
    with pytest.raises(ValueError, match=r"argument 1 \('push constant 0'\): 2147483648 does not fit into i32"):
        program.main(out, 2**31, 5, 0)


LOCAL = """
func.func @main() {{
  %n = dispatch.push_constant 0 : index
  %a = dispatch.binding set(0) binding(0) sizes(%n) : memref<?x4xi32>
  %x = dispatch.workgroup_id 0 : index
  %y = dispatch.workgroup_id 1 : index
  %z = dispatch.workgroup_id 2 : index
  %row = memref.subview %a[%x, 0] [1, 4] [1, 1] : memref<?x4xi32> to memref<4xi32, strided<[1], offset: ?>>
  %own = memref.{allocation}() : memref<4xi32, {space}>
  memref.copy %row, %own : memref<4xi32, strided<[1], offset: ?>> to memref<4xi32, {space}>
  %plain = memref.memory_space_cast %own : memref<4xi32, {space}> to memref<4xi32>
  linalg.map {{ arith.addi }} ins(%plain, %row : memref<4xi32>, memref<4xi32, strided<[1], offset: ?>>)
      outs(%row : memref<4xi32, strided<[1], offset: ?>>)
  return
}}
"""


@pytest.mark.parametrize("space", ["#gpu.address_space<workgroup>", "3 : i32"])
@pytest.mark.parametrize("allocation", ["alloca", "alloc"])
def test_workgroup_memory_is_freed_by_each_workgroup(space: str, allocation: str) -> None:
    program = mi.compile(LOCAL.format(space=space, allocation=allocation), memory_stats=True)
    a = np.arange(20, dtype=np.int32).reshape(5, 4)
    program.main(a, 5, 5, 2, 3)
    np.testing.assert_array_equal(a, 2**6 * np.arange(20).reshape(5, 4))
    stats = program.memory_stats
    assert stats.temporaries == 30
    assert stats.frees == 30
    assert stats.peak_bytes < 2 * 128


def test_branches_between_blocks() -> None:
    program = mi.compile("""
    func.func @main() {
      %a = dispatch.binding set(0) binding(0) : memref<8xf32>
      %c3 = arith.constant 3 : index
      %x = dispatch.workgroup_id 0 : index
      %skip = arith.cmpi eq, %x, %c3 : index
      cf.cond_br %skip, ^out, ^work
    ^out:
      return
    ^work:
      %v = arith.constant 1.0 : f32
      memref.store %v, %a[%x] : memref<8xf32>
      return
    }
    """)
    a = np.zeros(8, np.float32)
    program.main(a, 6)
    np.testing.assert_array_equal(a, [1, 1, 1, 0, 1, 1, 0, 0])


def test_a_binding_in_a_branch_is_checked_ahead() -> None:
    program = mi.compile("""
    func.func @main() {
      %a = dispatch.binding set(0) binding(0) : memref<8xf32>
      %n = dispatch.push_constant 0 : index
      %c1 = arith.constant 1 : index
      %x = dispatch.workgroup_id 0 : index
      %odd = arith.andi %x, %c1 : index
      %is_odd = arith.cmpi eq, %odd, %c1 : index
      scf.if %is_odd {
        %size = arith.addi %n, %c1 : index
        %b = dispatch.binding set(0) binding(1) sizes(%size) : memref<?xf32>
        %v = memref.load %b[%x] : memref<?xf32>
        memref.store %v, %a[%x] : memref<8xf32>
      }
      return
    }
    """)
    a = np.zeros(8, np.float32)
    program.main(a, numbers(9), 8, 5)
    np.testing.assert_array_equal(a, [0, 2, 0, 4, 0, 0, 0, 0])
    with pytest.raises(ValueError, match="set 0 binding 1.*dimension 0 has size 8, but the program says 9"):
        program.main(a, numbers(8), 8, 5)


def test_branches_between_blocks_with_buffers() -> None:
    program = mi.compile(
        """
    func.func @main() {
      %a = dispatch.binding set(0) binding(0) : memref<8xf32>
      %n = dispatch.push_constant 0 : index
      %c3 = arith.constant 3 : index
      %x = dispatch.workgroup_id 0 : index
      %skip = arith.cmpi eq, %x, %c3 : index
      cf.cond_br %skip, ^out, ^work
    ^out:
      return
    ^work:
      %b = memref.alloc(%n) : memref<?xf32>
      memref.copy %a, %b : memref<8xf32> to memref<?xf32>
      %v = memref.load %b[%c3] : memref<?xf32>
      memref.store %v, %a[%x] : memref<8xf32>
      cf.br ^out
    }
    """,
        memory_stats=True,
    )
    a = numbers(8)
    program.main(a, 8, 5)
    np.testing.assert_array_equal(a, [4, 4, 4, 4, 4, 6, 7, 8])
    stats = program.memory_stats
    assert (stats.temporaries, stats.frees) == (4, 4)


def test_what_nothing_uses_is_an_argument_still() -> None:
    program = mi.compile("""
    func.func @main() {
      %a = dispatch.binding set(0) binding(0) : memref<2xf32>
      %b = dispatch.binding set(0) binding(1) : memref<3xf32>
      %p = dispatch.push_constant 0 : i32
      %s = dispatch.workgroup_size 2 : index
      %x = dispatch.workgroup_id 1 : index
      %c0 = arith.constant 0 : index
      %v = arith.constant 1.0 : f32
      memref.store %v, %b[%c0] : memref<3xf32>
      return
    }
    """)
    assert str(program.main.signature) == (
        "main(set_0_binding_0: memref<2xf32>, set_0_binding_1: memref<3xf32>, push_constant_0: i32, "
        "workgroup_size_z: index, workgroup_count_y: index) -> ()"
    )
    a, b = numbers(2), numbers(3, start=5)
    program.main(a, b, 0, 1, 0)
    np.testing.assert_array_equal(b, [5, 6, 7])
    program.main(a, b, 0, 1, 2)
    np.testing.assert_array_equal(b, [1, 6, 7])


MIXED = """
func.func private @twice(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
func.func @kernel() {
  %c1 = arith.constant 1 : index
  %a = dispatch.binding set(0) binding(0) : memref<2xf32>
  %v = memref.load %a[%c1] : memref<2xf32>
  %w = func.call @twice(%v) : (f32) -> f32
  memref.store %w, %a[%c1] : memref<2xf32>
  return
}
func.func @tensors(%t: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %t[%c0] : tensor<2xf32>
  %w = func.call @twice(%v) : (f32) -> f32
  %0 = tensor.insert %w into %t[%c0] : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


@pytest.mark.parametrize("pipeline", [None, "builtin.module(inplace-one-shot-bufferize{function-boundaries})"])
def test_other_functions_of_the_program_stay_as_they_are(pipeline: str | None) -> None:
    program = mi.compile(MIXED, pipeline=pipeline)
    a, t = numbers(2), numbers(2)
    program.kernel(a)
    np.testing.assert_array_equal(a, [1, 4])
    np.testing.assert_array_equal(program.tensors(t), [2, 2])
    np.testing.assert_array_equal(t, [1, 2])
    assert str(program.tensors.signature) == "tensors(t: tensor<2xf32>) -> tensor<2xf32>"


def test_arguments_of_its_own_come_first_and_are_not_changed() -> None:
    program = mi.compile("""
    func.func @main(%scale: f32 loc("scale"), %t: tensor<4xf32>) {
      %out = dispatch.binding set(0) binding(0) : !dispatch.writeonly<tensor<4xf32>>
      %0 = linalg.exp ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
      %1 = linalg.fill ins(%scale : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
      %2 = linalg.mul ins(%0, %1 : tensor<4xf32>, tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
      dispatch.store %2, %out[0] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<4xf32>>
      return
    }
    """)
    t, out = numbers(8)[::2], np.zeros(4, np.float32)
    program.main(3.0, t, out)
    np.testing.assert_allclose(out, 3 * np.exp([1, 3, 5, 7]), rtol=1e-6)
    np.testing.assert_array_equal(t, [1, 3, 5, 7])


def test_a_program_that_is_lowered_already_runs_as_well() -> None:
    with ir.Context() as context:
        lowered = dispatch.parse(MATMUL, context)
        mi.run_pipeline(lowered, "builtin.module(inplace-lower-dispatch{workgroup-size=2,2 workgroup-count=3,3})")
        program = mi.compile(lowered)
        again = mi.compile(str(lowered))
    for compiled in (program, again):
        c = np.zeros((4, 4), np.float32)
        compiled.main(numbers(4, 4), numbers(4, 4), c, 4, 4, 4)
        np.testing.assert_array_equal(c, numbers(4, 4) @ numbers(4, 4))
        with pytest.raises(
            ValueError, match=r"argument 2 \('set 1 binding 0'\) .*overlaps argument 0 \('set 0 binding 0'"
        ):
            compiled.main(c, numbers(4, 4), c, 4, 4, 4)


def test_a_pipeline_of_ones_own_lowers_by_itself() -> None:
    program = mi.compile(
        MATMUL, pipeline="builtin.module(inplace-lower-dispatch{workgroup-size=2,2 workgroup-count=3,3})"
    )
    c = np.zeros((4, 4), np.float32)
    program.main(numbers(4, 4), numbers(4, 4), c, 4, 4, 4)
    np.testing.assert_array_equal(c, numbers(4, 4) @ numbers(4, 4))


def test_a_call_of_a_dispatch_function_is_refused_with_its_place() -> None:
    with pytest.raises(mi.PassError, match="5:.*'kernel' is a dispatch function, which only the outside can call"):
        mi.compile("""func.func @kernel() {
          %x = dispatch.workgroup_id 0 : index
          return
        }
        func.func @main() { func.call @kernel() : () -> () return }""")
