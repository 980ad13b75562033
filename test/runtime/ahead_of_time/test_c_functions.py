"""Functions of a library called from C: checks, errors, and where results are."""

from __future__ import annotations

import ctypes
import itertools
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c_libraries import CLibrary, compiled, needs_compiler, struct_of

pytestmark = needs_compiler

PROGRAM = """
#id = affine_map<(i, j) -> (i, j)>
func.func @add(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = arith.addf %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func @twice(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = arith.addf %a, %a : tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}
func.func @set(%a: tensor<?xi32> {bufferization.writable = true}, %i: index, %x: i32) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xi32>
  %below = arith.cmpi ult, %i, %n : index
  cf.assert %below, "no such element"
  %0 = tensor.insert %x into %a[%i] : tensor<?xi32>
  return %0 : tensor<?xi32>
}
func.func @either(%a: tensor<?xi32> {bufferization.writable = true}, %b: tensor<?xi32> {bufferization.writable = true},
                  %c: i1) -> tensor<?xi32> {
  %0 = arith.select %c, %a, %b : tensor<?xi32>
  return %0 : tensor<?xi32>
}
func.func @scalars(%a: i1, %b: i8, %c: i16, %d: i64, %e: f16, %f: bf16, %g: f64, %h: complex<f32>, %i: f32)
    -> (i1, i8, i16, i64, f16, bf16, f64, complex<f32>, f32) {
  return %a, %b, %c, %d, %e, %f, %g, %h, %i : i1, i8, i16, i64, f16, bf16, f64, complex<f32>, f32
}
func.func @rank_zero(%a: tensor<f32>) -> tensor<f32> {
  %0 = arith.addf %a, %a : tensor<f32>
  return %0 : tensor<f32>
}
func.func @strided(%m: memref<4x4xf32, strided<[8, 2], offset: 3>>) -> f32 {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = memref.load %m[%c1, %c2] : memref<4x4xf32, strided<[8, 2], offset: 3>>
  return %0 : f32
}
func.func @ordered(%m: memref<?xf32, strided<[?], offset: ?>>) -> f32 {
  %c1 = arith.constant 1 : index
  %0 = memref.load %m[%c1] : memref<?xf32, strided<[?], offset: ?>>
  return %0 : f32
}
func.func private @helper(%a: tensor<?xi32>) -> tensor<?xi32> { return %a : tensor<?xi32> }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> CLibrary:
    return compiled(tmp_path_factory.mktemp("library"), PROGRAM)


def array(*shape: int, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    return np.arange(np.prod(shape), dtype=dtype).reshape(shape)


def returned(words: Any, rank: int, dtype: Any) -> np.ndarray[Any, Any]:
    """The array of a struct that a call filled."""
    shape, strides = (
        words[1 : 1 + rank],
        [stride * np.dtype(dtype).itemsize for stride in words[1 + rank : 1 + 2 * rank]],
    )
    interface = {"data": (words[0], False), "shape": tuple(shape), "strides": tuple(strides), "version": 3}
    holder = type("Holder", (), {"__array_interface__": {**interface, "typestr": np.dtype(dtype).str}})()
    return np.asarray(holder)


def test_a_result_of_known_size_is_written_to_the_callers_memory(library: CLibrary) -> None:
    a, out = array(2, 3), np.zeros((2, 3), np.float32)
    assert library.call("add", a, a + 1, out) == "OK"
    np.testing.assert_array_equal(out, 2 * a + 1)


@pytest.mark.parametrize(
    ("a", "out", "error"),
    [
        (array(3, 2), array(2, 3), "ADD_A_SIZES"),
        (array(2, 4), array(2, 3), "ADD_A_SIZES"),
        (array(2, 6)[:, ::2], array(2, 3), "ADD_A_STRIDES"),
        (array(3, 2).T, array(2, 3), "ADD_A_STRIDES"),
        (array(2, 3), array(3, 3), "ADD_RESULT_SIZES"),
        (array(2, 3), array(3, 2).T, "ADD_RESULT_STRIDES"),
        (None, array(2, 3), "ADD_A_MEMORY"),
        (array(2, 3), None, "ADD_RESULT_MEMORY"),
    ],
)
def test_what_does_not_fit_is_refused(
    library: CLibrary, a: np.ndarray[Any, Any] | None, out: np.ndarray[Any, Any] | None, error: str
) -> None:
    before = None if out is None else out.copy()
    assert library.call("add", a, array(2, 3), out) == error
    if out is not None:
        np.testing.assert_array_equal(out, before)


def test_memory_that_is_missing_or_misaligned_is_refused(library: CLibrary) -> None:
    a, out = struct_of(array(2, 3)), np.zeros((2, 3), np.float32)
    for address in (0, a[0] + 2):
        a[0] = address
        assert library.call("add", ctypes.byref(a), array(2, 3), out) == "ADD_A_MEMORY"


def test_a_result_of_unknown_size_is_the_callers_to_free(library: CLibrary) -> None:
    free = ctypes.CDLL(None).free
    free.argtypes = (ctypes.c_void_p,)
    for shape in [(3, 5), (1, 1), (0, 4), (4, 0)]:
        a, words = array(*shape, dtype=np.float64), (ctypes.c_int64 * 6)()
        assert library.call("twice", a, ctypes.byref(words)) == "OK"
        if a.size:
            np.testing.assert_array_equal(returned(words, 2, np.float64), 2 * a)
        assert tuple(words[1:3]) == shape
        free(words[5])


def test_strides_of_axes_with_one_element_do_not_matter(library: CLibrary) -> None:
    words, a = (ctypes.c_int64 * 6)(), struct_of(array(1, 4, dtype=np.float64))
    a[3] = 77
    assert library.call("twice", ctypes.byref(a), ctypes.byref(words)) == "OK"
    a[4] = 2
    assert library.call("twice", ctypes.byref(a), ctypes.byref(words)) == "TWICE_A_STRIDES"
    a[1], a[2] = 0, 4  # without elements no stride matters
    assert library.call("twice", ctypes.byref(a), ctypes.byref(words)) == "OK"
    a[1] = -1
    assert library.call("twice", ctypes.byref(a), ctypes.byref(words)) == "TWICE_A_SIZES"


def test_an_argument_is_updated_in_place_and_assertions_have_numbers(library: CLibrary) -> None:
    a = array(4, dtype=np.int32)
    assert library.call("set", a, ctypes.c_int64(2), ctypes.c_int32(9)) == "OK"
    assert a.tolist() == [0, 1, 9, 3]
    error = library.call("set", a, ctypes.c_int64(4), ctypes.c_int32(9))
    assert error.startswith("ASSERTION_")
    assert library.message(library.errors[error]).endswith("no such element")
    assert library.call("set", a, ctypes.c_int64(0), ctypes.c_int32(5)) == "OK"  # it is forgotten
    assert a.tolist() == [5, 1, 9, 3]


def test_failures_of_one_thread_are_not_reported_to_another(library: CLibrary) -> None:
    wrong: list[str] = []

    def run(position: int, expected: str) -> None:
        a = array(4, dtype=np.int32)
        for _ in range(2000):
            found = library.call("set", a, ctypes.c_int64(position), ctypes.c_int32(1))
            if not found.startswith(expected):
                wrong.append(found)

    threads = [threading.Thread(target=run, args=case) for case in ((1, "OK"), (9, "ASSERTION"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_result_that_is_an_argument_is_not_the_callers_to_free(library: CLibrary) -> None:
    a, b, words = array(4, dtype=np.int32), array(4, dtype=np.int32) + 5, (ctypes.c_int64 * 4)()
    for choice, chosen in ((True, a), (False, b)):
        assert library.call("either", a, b, ctypes.c_bool(choice), ctypes.byref(words)) == "OK"
        assert (words[0], words[3]) == (chosen.ctypes.data, 0)


def test_scalars_of_all_kinds_go_in_and_out(library: CLibrary) -> None:
    given = [
        ctypes.c_bool(True),
        ctypes.c_int8(-3),
        ctypes.c_int16(-300),
        ctypes.c_int64(-(1 << 40)),
        ctypes.c_uint16(0x3E00),
        ctypes.c_uint16(0xBFC0),
        ctypes.c_double(0.1),
        (ctypes.c_float * 2)(1.5, -2.5),
        ctypes.c_float(7.25),
    ]
    passed = [ctypes.byref(one) if isinstance(one, ctypes.Array) else one for one in given]
    results = [type(one)() for one in given]
    assert library.call("scalars", *passed, *map(ctypes.byref, results)) == "OK"
    assert list(map(bytes, results)) == list(map(bytes, given))


def test_rank_zero(library: CLibrary) -> None:
    out = np.zeros((), np.float32)
    assert library.call("rank_zero", np.array(1.5, np.float32), out) == "OK"
    assert out == 3


def test_layouts_that_the_program_states(library: CLibrary) -> None:
    memory, found = array(64), ctypes.c_float()
    view = memory[3:].reshape(-1)[:32].reshape(4, 8)[:, ::2]
    assert library.call("strided", view, ctypes.byref(found)) == "OK"
    assert found.value == view[1, 2]
    assert library.call("strided", array(4, 4), ctypes.byref(found)) == "STRIDED_M_STRIDES"
    for step in (3, -1):
        assert library.call("ordered", memory[::step], ctypes.byref(found)) == "OK"
        assert found.value == memory[::step][1]


def test_other_strides_have_code_of_their_own(tmp_path: Path) -> None:
    library = compiled(tmp_path, PROGRAM, "--any-strides")
    base, out = array(6, 8), np.zeros((2, 3), np.float32)
    for a, b in itertools.product((base[:2, :3], base[::3, ::-2][:, :3], base.T[3:5, :3]), repeat=2):
        assert library.call("add", a, b, out) == "OK"
        np.testing.assert_array_equal(out, a + b)
    assert library.call("add", base[:2, :3], base[:2, :3], base[:2, :3]) == "ADD_RESULT_STRIDES"


def test_every_error_has_its_text(library: CLibrary) -> None:
    assert {number: library.message(number) for number in library.texts} == library.texts
    assert {library.message(number) for number in (-1, len(library.texts), 1 << 30)} == {"unknown error"}


def test_a_dispatch_function_names_the_size_that_is_wrong(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "examples" / "dispatch_matmul.mlir").read_text()
    library = compiled(tmp_path, text)
    declaration = library.header[library.header.index("\nint lib1_main(") :]
    assert "const lib1_f32_2d" in declaration
    a, b = array(4, 6), array(6, 4)
    c = np.zeros((4, 4), np.float32)
    numbers = [ctypes.c_int64(1)] * declaration.count("int64_t", 0, declaration.index(";"))
    found = library.call("main", a, b[:5], c, *numbers)
    assert found.startswith("MAIN_SIZE_CHECK_")
    assert "does not have the size" in library.texts[library.errors[found]]
