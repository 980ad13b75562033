"""Arrays as memrefs and back, without a program: addresses, strides, overlap, ownership, frames."""

from __future__ import annotations

import ctypes
import gc
import struct
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlir_inplace.runtime.call.frames import ArraySlot, FrameLayout, descriptor_code
from mlir_inplace.runtime.interface import memrefs
from mlir_inplace.runtime.interface.dtypes import ElementType
from mlir_inplace.runtime.interface.forms import Layout
from mlir_inplace.runtime.interface.memrefs import (
    StrideError,
    adopt,
    copy_of,
    data_address,
    element_strides,
    new_array,
    overlap,
    overlaps_itself,
    row_major_strides,
)
from mlir_inplace.runtime.interface.signature import BoundaryKind, Parameter, ValueType

Array = np.ndarray[Any, Any]

LIBC = ctypes.CDLL(None)
LIBC.malloc.restype, LIBC.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
LIBC.free.restype, LIBC.free.argtypes = None, (ctypes.c_void_p,)


def grid(*shape: int) -> Array:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def windows(array: Array, shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    return np.lib.stride_tricks.as_strided(array, shape, strides)


@pytest.mark.parametrize(
    "array", [grid(3, 4), grid(3, 4)[::-1, 1:], grid(0, 4), grid(), np.zeros(3, ml_dtypes.bfloat16)], ids=str
)
def test_the_address_is_that_of_the_first_element(array: Array) -> None:
    assert data_address(array) == array.ctypes.data
    array = array.view()
    array.flags.writeable = False
    assert data_address(array) == array.ctypes.data


@given(st.lists(st.integers(0, 4), max_size=4))
def test_row_major_strides_are_those_of_numpy(shape: list[int]) -> None:
    array = np.empty(shape, np.int8)
    if array.size:
        assert row_major_strides(shape) == array.strides
    assert len(row_major_strides(shape)) == len(shape)


class TestElementStrides:
    """Strides of an array as a layout allows them."""

    element = ElementType("f32", np.dtype(np.float32), "f", 4, lambda value: (value,), lambda parts: parts[0], "f", 32)

    def strides(self, array: Array, wanted: tuple[int | None, ...], *, identity: bool = False) -> tuple[int, ...]:
        type_ = ValueType("memref", BoundaryKind.MEMREF, self.element, (None,) * array.ndim)
        return element_strides(array, Parameter(0, "a", type_, False), Layout(wanted, None, 4, identity))

    def test_any(self) -> None:
        assert self.strides(grid(4, 6)[::-2, ::3], (None, None)) == (-12, 3)
        assert self.strides(grid(4, 6).T, (None, None)) == (1, 6)
        assert self.strides(grid(), ()) == ()

    def test_fixed(self) -> None:
        assert self.strides(grid(4, 6)[:, :2], (None, 1)) == (6, 1)
        with pytest.raises(StrideError, match=r"argument 0 \('a'\): expected strides \(any, 1\) .* got \(6, 2\)"):
            self.strides(grid(4, 6)[:, ::2], (None, 1))

    def test_identity(self) -> None:
        assert self.strides(grid(4, 6), (None, 1), identity=True) == (6, 1)
        with pytest.raises(StrideError, match=r"expected strides \(2, 1\) .* got \(6, 1\)"):
            self.strides(grid(4, 6)[:, :2], (None, 1), identity=True)

    def test_axes_without_a_step_have_any_stride(self) -> None:
        assert self.strides(grid(4, 6)[1:2, ::2], (None, 2)) == (3, 2)
        assert self.strides(grid(4, 6)[1:2, :4], (None, 1), identity=True) == (4, 1)
        assert self.strides(grid(0, 6)[:, ::-1], (None, 1)) == (6, 1)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (np.s_[:2], np.s_[1:3], True),
        (np.s_[:2], np.s_[2:], False),
        (np.s_[:, ::2], np.s_[:, 1::2], False),
        (np.s_[:, ::2], np.s_[:, 2::3], True),
        (np.s_[:0], np.s_[:], False),
        (np.s_[::-1], np.s_[:], True),
    ],
)
def test_overlap(first: Any, second: Any, expected: bool) -> None:
    array = grid(4, 6)
    assert overlap(array[first], array[second]) is expected
    assert overlap(array[first], array.copy()) is False


def test_overlap_that_is_too_hard_to_decide_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memrefs, "_OVERLAP_WORK", 1)
    whole = np.zeros(10_000, np.uint8)
    first = windows(whole, (7, 11, 13, 5), (1009, 97, 11, 3))
    second = windows(whole[1:], (7, 11, 13, 5), (1013, 89, 7, 5))
    assert overlap(first, second) is True


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (grid(4, 6), False),
        (grid(4, 6)[::-2, ::-3].T, False),
        (grid(0, 6), False),
        (grid(), False),
        (windows(grid(24), (3, 4), (4, 4)), True),
        (windows(grid(24), (3, 4), (0, 4)), True),
        (windows(grid(24), (0, 4), (0, 4)), False),
        (windows(grid(24), (1, 4), (0, 4)), False),
    ],
    ids=str,
)
def test_overlap_with_itself(array: Array, expected: bool) -> None:
    assert overlaps_itself(array) is expected


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(-6, 6)), min_size=1, max_size=3))
def test_no_overlap_with_itself_is_certain(axes: list[tuple[int, int]]) -> None:
    places = np.zeros((), int)
    for size, stride in axes:
        places = np.add.outer(places, stride * np.arange(size))
    array = windows(np.zeros(100, np.int8)[50:], tuple(size for size, _ in axes), tuple(stride for _, stride in axes))
    if not overlaps_itself(array):
        assert len(np.unique(places)) == places.size


@pytest.mark.parametrize("shape", [(), (3, 5), (0, 4)])
@pytest.mark.parametrize("dtype", [np.bool_, np.complex128, ml_dtypes.bfloat16])
@pytest.mark.parametrize("alignment", [16, 64, 256])
def test_new_arrays_are_aligned(shape: tuple[int, ...], dtype: Any, alignment: int) -> None:
    nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    array, address = new_array(shape, np.dtype(dtype), np.empty(nbytes + alignment, np.uint8), alignment)
    array[...] = 1
    assert array.shape == shape and array.dtype == dtype and array.flags.c_contiguous and array.flags.writeable
    assert address == array.ctypes.data and address % alignment == 0


class TestAdopt:
    """Arrays that own memory of native code."""

    @pytest.fixture
    def freed(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """The addresses that are freed, in order."""
        addresses: list[int] = []

        def free(memory: Any) -> None:
            addresses.append(memory.base)
            LIBC.free(memory.base)

        memrefs._memory_class.cache_clear()
        monkeypatch.setattr(memrefs, "_release", free)
        yield addresses
        memrefs._memory_class.cache_clear()

    @staticmethod
    def block(values: Array) -> int:
        address = LIBC.malloc(values.nbytes + 16)
        ctypes.memmove(address, values.ctypes.data, values.nbytes)
        return address

    def test_the_last_view_frees(self, freed: list[int]) -> None:
        address = self.block(grid(3, 4))
        array = adopt((address, address, 0, 3, 4, 4, 1), np.dtype(np.float32), 0)
        np.testing.assert_array_equal(array, grid(3, 4))
        row = array[1]
        del array
        gc.collect()
        assert freed == []
        np.testing.assert_array_equal(row, grid(3, 4)[1])
        del row
        gc.collect()
        assert freed == [address]

    def test_header_and_aligned_pointer(self, freed: list[int]) -> None:
        base = LIBC.malloc(256)
        aligned = base + 64
        ctypes.memmove(aligned, grid(4).ctypes.data, 16)
        array = adopt((base + 16, aligned, 1, 3, 1), np.dtype(np.float32), 16)
        np.testing.assert_array_equal(array, [1, 2, 3])
        del array
        assert freed == [base]

    def test_strides_and_offset(self, freed: list[int]) -> None:
        address = self.block(grid(4, 6))
        array = adopt((address, address, 23, 2, 3, -12, -2), np.dtype(np.float32), 0)
        np.testing.assert_array_equal(array, grid(4, 6)[::-2, ::-2])
        array[...] = 0
        del array
        assert freed == [address]

    def test_empty(self, freed: list[int]) -> None:
        address = LIBC.malloc(1)
        array = adopt((address, address, 0, 3, 0, 0, 1), np.dtype(np.float32), 0)
        assert array.shape == (3, 0) and freed == [address]

    def test_rank_zero(self, freed: list[int]) -> None:
        address = self.block(np.array([5.0]))
        array = adopt((address, address, 0), np.dtype(np.float64), 0)
        assert array.shape == () and array == 5.0
        del array
        assert freed == [address]

    def test_a_copy_leaves_the_memory_alone(self, freed: list[int]) -> None:
        values = grid(3, 4)
        address = values.ctypes.data
        copy = copy_of((address, address, 1, 3, 3, 4, 1), values.dtype)
        np.testing.assert_array_equal(copy, values[:, 1:])
        assert not np.shares_memory(copy, values) and set(freed) <= {0}
        empty = copy_of((address, address, 0, 0, 4, 4, 1), values.dtype)
        assert empty.shape == (0, 4) and set(freed) <= {0}


def follow(table: int, number: int, code: str) -> Any:
    """The value that entry `number` of a pointer table points to."""
    place = ctypes.c_uint64.from_address(table + 8 * number).value
    return struct.unpack(code, ctypes.string_at(place, struct.calcsize(code)))[0]


def test_a_frame_points_to_every_argument_and_to_the_result() -> None:
    layout = FrameLayout(["b", ArraySlot(3, (5, 7), (70, -10)), "ff", "?", ArraySlot(0, (), ())], ["?", "d"])
    frames = [layout.new_frame(), layout.new_frame()]
    for number, frame in enumerate(frames):
        layout.arguments.pack_into(frame.memory, 0, -1 - number, 0x1000, 0.5, 1.5, True, 0x2000)
    for number, frame in enumerate(frames):
        assert follow(frame.table, 0, "b") == -1 - number
        assert [follow(frame.table, entry, "q") for entry in range(1, 8)] == [0x1000, 0x1000, 3, 5, 7, 70, -10]
        assert follow(frame.table, 8, "f") == 0.5 and follow(frame.table, 9, "?") is True
        assert [follow(frame.table, entry, "q") for entry in (10, 11, 12)] == [0x2000, 0x2000, 0]
        result = ctypes.c_uint64.from_address(frame.table + 8 * 13).value
        ctypes.memmove(result, struct.pack("@?d", True, 2.5), 16)
        assert layout.returned.unpack_from(frame.memory, layout.returned_offset) == (True, 2.5)
        assert follow(frame.table, 0, "b") == -1 - number
    assert descriptor_code(2) == "QQqqqqq"
