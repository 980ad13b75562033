"""Arrays of other packages: over their own memory where a protocol shares it, and refused clearly where it does not."""

from __future__ import annotations

import array
import ctypes
import gc
import weakref
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mlir_inplace as mi

Array = np.ndarray[Any, Any]

PROGRAM = """
func.func @plus(%a: tensor<?x?xf32>, %x: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %s = tensor.splat %x[%m, %n] : tensor<?x?xf32>
  %0 = linalg.add ins(%a, %s : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @double(%a: tensor<2x3xf32> {bufferization.writable = true}) -> tensor<2x3xf32> {
  %0 = linalg.add ins(%a, %a : tensor<2x3xf32>, tensor<2x3xf32>) outs(%a : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func @bf16(%a: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
  %e = tensor.empty() : tensor<2x3xbf16>
  %0 = linalg.add ins(%a, %a : tensor<2x3xbf16>, tensor<2x3xbf16>) outs(%e : tensor<2x3xbf16>) -> tensor<2x3xbf16>
  return %0 : tensor<2x3xbf16>
}
func.func @first(%a: tensor<2x3xTYPE>) -> TYPE {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %a[%c0, %c0] : tensor<2x3xTYPE>
  return %0 : TYPE
}
func.func @contiguous(%a: memref<2x3xf32>, %b: memref<2x3xf32>) {
  memref.copy %a, %b : memref<2x3xf32> to memref<2x3xf32>
  return
}
"""


def grid(dtype: Any = np.float32) -> Array:
    return np.arange(1, 7).reshape(2, 3).astype(dtype)


@pytest.fixture(scope="module")
def program() -> mi.Program:
    return mi.compile(PROGRAM.replace("TYPE", "i32"))


class Exported:
    """An array that has nothing but DLPack."""

    def __init__(self, memory: Array, device: tuple[int, int] = (1, 0)) -> None:
        self.memory, self.device = memory, device

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.memory.__dlpack__(**keywords)


class OldExported(Exported):
    """DLPack before version 1: no `max_version`, and nothing says whether the memory may be written."""

    def __dlpack__(self) -> Any:  # type: ignore[override]
        return self.memory.__dlpack__()


class Retyped(Exported):
    """Exports unsigned integers under another DLPack type code, as NumPy exports no bf16."""

    code: int
    minor = 0

    def __dlpack__(self, **keywords: Any) -> Any:
        capsule = super().__dlpack__(max_version=(1, 0))
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        start = pointer(capsule, b"dltensor_versioned")
        ctypes.c_uint8.from_address(start + 52).value = self.code
        if self.minor:
            ctypes.c_uint32.from_address(start).value = self.minor
        return capsule


def retyped(memory: Array, code: int) -> Retyped:
    exported = Retyped(memory)
    exported.code = code
    return exported


class Copying:
    """An array that gives copies."""

    def __init__(self, values: Array) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype)


class Described:
    """An array that says where its memory is."""

    def __init__(self, memory: Array) -> None:
        self.memory = memory
        self.__array_interface__ = memory.__array_interface__


def floats(values: Array) -> Any:
    return (ctypes.c_float * 3 * 2)(*(tuple(map(float, row)) for row in values))


@pytest.mark.parametrize(
    "foreign",
    [
        Exported(grid()),
        OldExported(grid()),
        Exported(np.asfortranarray(grid())),
        Exported(np.repeat(grid(), 2, axis=1)[:, ::2]),
        Exported(grid(), device=(3, 0)),  # pinned for CUDA
        memoryview(grid()),
        memoryview(array.array("f", range(1, 7))).cast("B").cast("f", (2, 3)),
        floats(grid()),
        Copying(grid()),
        Described(grid()),
        Described(grid()[::-1]),
    ],
)
def test_every_protocol(program: mi.Program, foreign: Any) -> None:
    expected = grid()[::-1] if isinstance(foreign, Described) and foreign.memory[0, 0] == 4 else grid()
    for _ in range(2):  # with the plan being made, and with the plan
        result = program.plus(foreign, 10.0)
        assert type(result) is np.ndarray
        np.testing.assert_array_equal(result, expected + 10)
    np.testing.assert_array_equal(program.bind(foreign, 10.0, function="plus")(), expected + 10)


@pytest.mark.parametrize("wrap", [Exported, memoryview, Described])
def test_what_is_written_is_the_memory_of_the_foreign_array(program: mi.Program, wrap: Any) -> None:
    memory = grid()
    result = program.double(wrap(memory))
    np.testing.assert_array_equal(memory, 2 * grid())
    assert np.shares_memory(result, memory)
    call = program.bind(wrap(memory), function="double")
    call()
    np.testing.assert_array_equal(memory, 4 * grid())


@pytest.mark.parametrize("wrap", [Exported, memoryview, Described])
def test_out_of_a_foreign_array(program: mi.Program, wrap: Any) -> None:
    memory = np.zeros((2, 3), np.float32)
    result = program.plus(grid(), 1.0, out=wrap(memory))
    np.testing.assert_array_equal(memory, grid() + 1)
    assert np.shares_memory(result, memory)
    memory[:] = 0
    program.bind(grid(), 1.0, function="plus", out=wrap(memory))()
    np.testing.assert_array_equal(memory, grid() + 1)


def read_only() -> Array:
    memory = grid()
    memory.flags.writeable = False
    return memory


@pytest.mark.parametrize(
    ("foreign", "error", "message"),
    [
        (Exported(read_only()), ValueError, "argument 0.*: the array is read-only, but the call writes into it"),
        (OldExported(grid()), ValueError, "argument 0.*: the array is read-only"),  # it cannot say that it is not
        (memoryview(read_only()), ValueError, "argument 0.*: the array is read-only"),
        (
            Copying(grid()),
            TypeError,
            r"argument 0.*: Copying may give only a copy of its memory \(__array__\), but the",
        ),
        (
            Exported(np.broadcast_to(np.float32(1), (2, 3))),
            ValueError,
            "several of its indices lead to the same memory",
        ),
        (
            Exported(grid(), device=(2, 1)),
            TypeError,
            "argument 0.*: it is on device 1 of CUDA, but programs run on the",
        ),
        (Exported(grid(), device=(99, 0)), TypeError, "it is on device 0 of DLPack's kind 99, but programs run on"),
        (Exported(grid(np.float64)), TypeError, "argument 0.*: expected dtype float32 for .*, got float64"),
        (Exported(grid()[0]), ValueError, "argument 0.*: expected shape 2x3 for tensor<2x3xf32>, got 3"),
        (retyped(grid(np.uint8), 17), TypeError, "NumPy has no dtype for DLPack's type code 17 of 8 bits in 1 lanes"),
    ],
)
def test_refused_before_anything_is_written(
    program: mi.Program, foreign: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        program.double(foreign)
    if isinstance(foreign, Exported) and foreign.memory.dtype == np.float32 and foreign.memory.strides == (12, 4):
        np.testing.assert_array_equal(foreign.memory, grid())


def test_refused_outs(program: mi.Program) -> None:
    for out, message in (
        (Exported(read_only()), "out for result 0: the array is read-only"),
        (Exported(grid(), device=(2, 0)), "out for result 0: it is on device 0 of CUDA"),
        (Copying(grid()), "out for result 0: Copying may give only a copy"),
        (Exported(grid(np.float64)), "out for result 0: expected dtype float32"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            program.plus(grid(), 1.0, out=out)


def test_strides_that_a_memref_does_not_allow(program: mi.Program) -> None:
    with pytest.raises(ValueError, match=r"argument 0.*: expected strides \(3, 1\) in elements .*, got \(1, 2\)"):
        program.contiguous(Exported(np.asfortranarray(grid())), grid())


class Failing:
    """An exporter that refuses, as PyTorch's does for a tensor that requires a gradient."""

    def __dlpack__(self, **keywords: Any) -> Any:
        raise BufferError("cannot export tensors that require gradient, use tensor.detach()")


def test_the_exporters_reason_is_told(program: mi.Program) -> None:
    with pytest.raises(
        TypeError, match="argument 0.*: Failing gives no array: cannot export tensors .* use tensor.det"
    ):
        program.plus(Failing(), 1.0)


class Both(Failing):
    """Has a second protocol beside the one that fails."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return grid()


def test_another_protocol_takes_the_place_of_one_that_fails(program: mi.Program) -> None:
    np.testing.assert_array_equal(program.plus(Both(), 1.0), grid() + 1)


def test_a_capsule_that_is_none_or_from_the_future(program: mi.Program) -> None:
    wrong = type("Wrong", (), {"__dlpack__": lambda self, **keywords: 7})()
    with pytest.raises(TypeError, match="__dlpack__ returned int 7, needed is a capsule that nobody has used"):
        program.plus(wrong, 1.0)
    future = retyped(grid(), 2)
    future.minor = 2
    with pytest.raises(TypeError, match=r"its DLPack version is 2\.\d, needed is 1\.x"):
        program.plus(future, 1.0)


CODES = {
    4: ("bf16", ml_dtypes.bfloat16),
    7: ("f8E3M4", ml_dtypes.float8_e3m4),
    8: ("f8E4M3", ml_dtypes.float8_e4m3),
    9: ("f8E4M3B11FNUZ", ml_dtypes.float8_e4m3b11fnuz),
    10: ("f8E4M3FN", ml_dtypes.float8_e4m3fn),
    11: ("f8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz),
    12: ("f8E5M2", ml_dtypes.float8_e5m2),
    13: ("f8E5M2FNUZ", ml_dtypes.float8_e5m2fnuz),
}


@pytest.mark.parametrize(("code", "names"), CODES.items(), ids=[name for name, _ in CODES.values()])
def test_narrow_floats(code: int, names: tuple[str, Any]) -> None:
    spelling, dtype = names
    values = grid(dtype)
    memory = values.view(f"u{values.itemsize}")
    text = PROGRAM[PROGRAM.index("func.func @first") : PROGRAM.index("func.func @contiguous")]
    program = mi.compile(text.replace("TYPE", spelling))
    assert program.first(retyped(memory, code)) == values[0, 0]
    with pytest.raises(TypeError, match=f"expected dtype {np.dtype(dtype)} for .*, got uint"):
        program.first(Exported(memory))


def test_bf16_is_computed_on_its_own_memory(program: mi.Program) -> None:
    result = program.bf16(retyped(grid(ml_dtypes.bfloat16).view(np.uint16), 4))
    assert result.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(result.astype(np.float32), 2 * grid())


@pytest.mark.parametrize("foreign", [Exported(np.array(10, np.float32)), Copying(np.array(10, np.float32))])
def test_a_foreign_scalar(program: mi.Program, foreign: Any) -> None:
    for _ in range(2):
        np.testing.assert_array_equal(program.plus(grid(), foreign), grid() + 10)


def test_a_foreign_array_is_no_scalar(program: mi.Program) -> None:
    with pytest.raises(TypeError, match="argument 1.*: expected a real number for f32, got an array of float32"):
        program.plus(grid(), Exported(grid()))


def test_an_empty_foreign_array(program: mi.Program) -> None:
    assert program.plus(Exported(np.empty((0, 3), np.float32)), 1.0).shape == (0, 3)


def test_types_and_masked_arrays_are_not_arrays(program: mi.Program) -> None:
    for value in (np.ndarray, np.ma.masked_array(grid(), grid() > 3), [[1.0]], "text", np.float32(1)):
        with pytest.raises(TypeError, match="argument 0.*: expected an array of float32"):
            program.plus(value, 1.0)


def test_memory_lives_as_long_as_it_is_used_and_no_longer(program: mi.Program) -> None:
    memory = grid()
    alive = weakref.ref(memory)
    call = program.bind(Exported(memory), 10.0, function="plus")
    del memory
    gc.collect()
    assert alive() is not None
    np.testing.assert_array_equal(call(), grid() + 10)
    del call
    gc.collect()
    assert alive() is None


def test_results_go_out_by_dlpack_without_a_copy(program: mi.Program) -> None:
    result = program.plus(grid(), 1.0)
    assert np.shares_memory(np.from_dlpack(result), result)


STATIC = """
func.func @static(%a: tensor<512x1024xf32>, %x: f32) -> tensor<512x1024xf32> {
  %e = tensor.empty() : tensor<512x1024xf32>
  %s = linalg.fill ins(%x : f32) outs(%e : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %0 = linalg.add ins(%a, %s : tensor<512x1024xf32>, tensor<512x1024xf32>)
      outs(%e : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  return %0 : tensor<512x1024xf32>
}
"""


@pytest.mark.parametrize("name", ["static", "plus"])
def test_a_large_result_that_went_out_is_not_overwritten(program: mi.Program, name: str) -> None:
    """Memory of dropped results is reused, but not while another array, made through DLPack, lives in it."""
    large = np.ones((512, 1024), np.float32)
    function = mi.compile(STATIC).static if name == "static" else program.plus
    reused = {function(large, 1.0).ctypes.data for _ in range(3)}
    assert len(reused) < 3
    kept = np.from_dlpack(function(large, 1.0))
    for x in range(2, 6):
        function(large, float(x))
    np.testing.assert_array_equal(kept, large + 1)
