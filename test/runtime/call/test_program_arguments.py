"""What may go into a call, and how everything else is refused before native code runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mlir_inplace as mi

Array = np.ndarray[Any, Any]

PROGRAM = """
#identity = affine_map<(i, j) -> (i, j)>
func.func @tensors(%a: tensor<2x?xf32> loc("left"), %b: tensor<f32>) -> tensor<2x?xf32> {
  %x = tensor.extract %b[] : tensor<f32>
  %0 = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%a : tensor<2x?xf32>) {
    ^bb0(%e: f32):
      %s = arith.mulf %e, %x : f32
      linalg.yield %s : f32
  } -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
func.func @scale(%a: tensor<?x?xf32> {bufferization.writable = true}, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.mul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @flip(%a: tensor<?x?x?xi32>) -> tensor<?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = tensor.dim %a, %c0 : tensor<?x?x?xi32>
  %j = tensor.dim %a, %c1 : tensor<?x?x?xi32>
  %k = tensor.dim %a, %c2 : tensor<?x?x?xi32>
  %0 = tensor.empty(%k, %i, %j) : tensor<?x?x?xi32>
  %1 = linalg.transpose ins(%a : tensor<?x?x?xi32>) outs(%0 : tensor<?x?x?xi32>) permutation = [2, 0, 1]
  return %1 : tensor<?x?x?xi32>
}
func.func @memrefs(%a: memref<4x4xf32>, %b: memref<4x4xf32, strided<[?, 1], offset: ?>>,
                   %c: memref<4x4xf32, strided<[?, ?], offset: 3>>) {
  linalg.add ins(%a, %b : memref<4x4xf32>, memref<4x4xf32, strided<[?, 1], offset: ?>>)
      outs(%c : memref<4x4xf32, strided<[?, ?], offset: 3>>)
  return
}
func.func @dynamic_memref(%a: memref<?x?xf32>, %b: memref<?xf32>) {
  %0 = memref.collapse_shape %a [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  memref.copy %0, %b : memref<?xf32> to memref<?xf32>
  return
}
"""


@pytest.fixture(scope="module")
def program() -> mi.Program:
    return mi.compile(PROGRAM)


def grid(rows: int = 4, columns: int = 4, start: int = 1) -> Array:
    return np.arange(start, start + rows * columns, dtype=np.float32).reshape(rows, columns)


ONE = np.float32(1)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((), TypeError, r"tensors takes 2 arguments, got 0: tensors\(left: tensor<2x\?xf32>, b: tensor<f32>\)"),
        ((grid(2), ONE, ONE), TypeError, "tensors takes 2 arguments, got 3"),
        ((grid(3), ONE), ValueError, r"argument 0 \('left'\): expected shape 2x\? for tensor<2x\?xf32>, got 3x4"),
        ((grid(2)[0], ONE), ValueError, r"expected shape 2x\? for tensor<2x\?xf32>, got 4"),
        ((ONE, ONE), TypeError, r"argument 0 \('left'\): expected an array of float32 \(2x\?\)"),
        ((grid(2).astype(int), ONE), TypeError, "expected dtype float32 .* got int64; convert with .astype"),
        ((grid(2).astype(object), ONE), TypeError, "expected dtype float32 .* got object"),
        ((grid(2).astype("U4"), ONE), TypeError, "expected dtype float32 .* got <U4"),
        (([[1.0], [2.0]], ONE), TypeError, r"argument 0 \('left'\): expected an array .* got list"),
        ((None, ONE), TypeError, "expected an array .* got None"),
        ((np.ma.masked_array(grid(2), grid(2) > 3), ONE), TypeError, "expected an array .* got a masked array"),
        (
            (grid(2), None),
            TypeError,
            r"argument 1 \('b'\): expected an array of float32 \(rank 0\) for tensor<f32>, got None",
        ),
        (
            (grid(2), np.ones(1, np.float32)),
            ValueError,
            r"argument 1 \('b'\): expected shape rank 0 for tensor<f32>, got 1",
        ),
        (
            (grid(2), np.float64(1)),
            TypeError,
            r"argument 1 \('b'\): expected dtype float32 for tensor<f32>, got float64",
        ),
        ((grid(2), 1j), TypeError, r"argument 1 \('b'\): expected a real number for f32"),
        ((grid(2), 1e300), ValueError, r"argument 1 \('b'\): 1e\+300 does not fit into f32"),
    ],
)
def test_wrong_arguments(program: mi.Program, arguments: tuple[Any, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        program.tensors(*arguments)


@pytest.mark.parametrize("scalar", [2, 2.0, np.float32(2), np.array(2, np.float32)])
def test_a_scalar_stands_for_a_rank_zero_tensor(program: mi.Program, scalar: Any) -> None:
    np.testing.assert_array_equal(program.tensors(grid(2), scalar), 2 * grid(2))


def test_subclasses_of_ndarray_go_in_as_arrays(program: mi.Program) -> None:
    matrix = grid(2).view(type("Matrix", (np.ndarray,), {}))
    result = program.tensors(matrix, ONE)
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, grid(2))


def test_a_misaligned_array_is_refused(program: mi.Program) -> None:
    raw = np.zeros(4 * 8 + 1, np.uint8)[1:].view(np.float32).reshape(2, 4)
    with pytest.raises(ValueError, match=r"argument 0 \('left'\): its memory is not aligned to 4 bytes"):
        program.tensors(raw, ONE)


def test_strides_that_are_no_whole_elements_are_refused(program: mi.Program) -> None:
    fields = np.zeros((2, 4), np.dtype([("x", np.float32), ("y", np.int16)], align=False))
    with pytest.raises(ValueError, match="axis 0 has a stride of 24 bytes|axis 1 has a stride of 6 bytes"):
        program.tensors(fields["x"], ONE)


def test_a_read_only_array_will_do_where_nothing_is_written(program: mi.Program) -> None:
    a = grid(2)
    a.flags.writeable = False
    np.testing.assert_array_equal(program.tensors(a, 3.0), 3 * a)
    np.testing.assert_array_equal(program.tensors(np.broadcast_to(np.float32(2), (2, 3)), 3.0), np.full((2, 3), 6.0))


class TestWritten:
    """An argument that the call changes."""

    def test_read_only(self, program: mi.Program) -> None:
        a = grid()
        program.scale(a, grid())
        a.flags.writeable = False
        with pytest.raises(
            ValueError, match=r"argument 0 \('a'\): the array is read-only, but the call writes into it"
        ):
            program.scale(a, grid())
        np.testing.assert_array_equal(a, grid() * grid())

    def test_overlapping_another_argument(self, program: mi.Program) -> None:
        whole = grid(4, 8)
        for a, b in ((whole, whole), (whole[:2], whole[1:3]), (whole[:, :4], whole[:, 3:7])):
            with pytest.raises(
                ValueError, match=r"argument 0 \('a'\) is written in place, but its memory overlaps argument 1 \('b'\)"
            ):
                program.scale(a, b)
        np.testing.assert_array_equal(whole, grid(4, 8))

    def test_disjoint_parts_of_one_array(self, program: mi.Program) -> None:
        whole = grid(4, 8)
        for a, b in ((whole[:2], whole[2:]), (whole[:, ::2], whole[:, 1::2])):
            expected = a * b
            np.testing.assert_array_equal(program.scale(a, b), expected)

    def test_overlapping_itself(self, program: mi.Program) -> None:
        windows = np.lib.stride_tricks.as_strided(grid(), (3, 4), (4, 4))
        with pytest.raises(
            ValueError, match=r"argument 0 \('a'\): it is written, but several of its indices lead to the same"
        ):
            program.scale(windows, grid(3))

    def test_a_scalar_is_no_memory(self, program: mi.Program) -> None:
        with pytest.raises(TypeError, match=r"argument 0 \('a'\): expected an array of float32"):
            program.scale(1.0, grid())


class TestMemrefs:
    """Arguments that were memrefs in the source keep the layout their author gave them."""

    def test_layouts(self, program: mi.Program) -> None:
        a, wide, tall = grid(), grid(4, 9), np.zeros((8, 4), np.float32)
        assert program.memrefs(a, wide[:, 2:6], tall[::-2]) is None
        np.testing.assert_array_equal(tall[::-2], a + wide[:, 2:6])
        assert not tall[::2].any()

    @pytest.mark.parametrize(
        ("a", "b", "message"),
        [
            (
                grid().T,
                grid(),
                r"argument 0 \('a'\): expected strides \(4, 1\) in elements for memref<4x4xf32>, got \(1, 4\)",
            ),
            (
                grid(8)[::2],
                grid(),
                r"argument 0 \('a'\): expected strides \(4, 1\).* got \(8, 1\); pass a contiguous array",
            ),
            (grid(), grid().T, r"argument 1 \('b'\): expected strides \(any, 1\) .* got \(1, 4\)"),
        ],
    )
    def test_wrong_strides(self, program: mi.Program, a: Array, b: Array, message: str) -> None:
        out = np.zeros((4, 4), np.float32)
        with pytest.raises(ValueError, match=message):
            program.memrefs(a, b, out)
        assert not out.any()

    def test_dynamic_sizes_with_identity_layout_mean_contiguous(self, program: mi.Program) -> None:
        flat = np.zeros(12, np.float32)
        program.dynamic_memref(grid(3, 4), flat)
        np.testing.assert_array_equal(flat, grid(3, 4).ravel())
        with pytest.raises(ValueError, match=r"expected strides \(2, 1\)"):
            program.dynamic_memref(grid(3, 4)[:, :2], flat[:6])

    def test_what_is_only_read_may_be_read_only_and_what_is_written_may_not(self, program: mi.Program) -> None:
        a, b, out = grid(), grid(), np.zeros((4, 4), np.float32)
        for array in (a, b, out):
            array.flags.writeable = False
        with pytest.raises(ValueError, match=r"argument 2 \('c'\): the array is read-only"):
            program.memrefs(a, b, out)
        out = np.zeros((4, 4), np.float32)
        program.memrefs(a, b, out)
        np.testing.assert_array_equal(out, 2 * grid())


AXIS = st.tuples(st.integers(0, 5), st.integers(-3, 3).filter(bool), st.integers(0, 2))


@settings(max_examples=60)
@given(axes=st.tuples(AXIS, AXIS, AXIS), order=st.permutations([0, 1, 2]))
def test_any_view_of_an_array_goes_in(
    program: mi.Program, axes: tuple[tuple[int, int, int], ...], order: list[int]
) -> None:
    shape = [start + max((size - 1) * abs(step) + 1, 1) for size, step, start in axes]
    whole = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    view = whole[tuple(slice(start, None, abs(step)) for _, step, start in axes)]
    view = view[tuple(slice(0, size) for size, _, _ in axes)]
    view = view[tuple(slice(None, None, 1 if step > 0 else -1) for _, step, _ in axes)].transpose(order)
    np.testing.assert_array_equal(program.flip(view), view.transpose(2, 0, 1))
