"""Every element type crosses the boundary both ways: in arrays, as rank-0 arrays and as scalars."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mlir_inplace as mi

DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "index": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}

SCALARS: dict[str, list[Any]] = {
    "i1": [True, False, np.bool_(True)],
    "i8": [-128, 127, np.int8(-5)],
    "i16": [-(2**15), 2**15 - 1],
    "i32": [-(2**31), 2**31 - 1, np.int64(7)],
    "i64": [-(2**63), 2**63 - 1],
    "ui8": [0, 255],
    "ui64": [0, 2**64 - 1],
    "index": [-1, 2**40],
    "f16": [0.5, -65504.0, float("inf"), 3],
    "bf16": [0.5, -1.0, ml_dtypes.bfloat16(2.5)],
    "f32": [0.25, -(2.0**100), np.float32(1.1)],
    "f64": [0.1, 1e300, np.float32(0.1)],
    "complex<f32>": [1.5 - 2j, 2.0, 3],
    "complex<f64>": [0.1 + 0.2j, np.complex64(1 + 1j)],
}


@pytest.fixture(scope="module")
def echo() -> mi.Program:
    """A program with, for each type, a function that copies a tensor, and one that returns a scalar."""
    functions = [
        f"""
        func.func @array{number}(%a: tensor<?x3x{type_}>, %z: tensor<{type_}>)
            -> (tensor<?x3x{type_}>, tensor<{type_}>) {{
            return %a, %z : tensor<?x3x{type_}>, tensor<{type_}>
        }}
        func.func @scalar{number}(%before: i8, %a: {type_}, %after: i1) -> ({type_}, i8, {type_}, i1) {{
            return %a, %before, %a, %after : {type_}, i8, {type_}, i1
        }}
        func.func @alone{number}(%a: {type_}) -> {type_} {{
            return %a : {type_}
        }}"""
        for number, type_ in enumerate(DTYPES)
    ]
    return mi.compile("\n".join(functions))


def distinct(shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """Values that all differ, as far as the type has so many."""
    values = np.arange(1, 1 + int(np.prod(shape))).reshape(shape)
    if np.dtype(dtype) == np.bool_:
        return values % 3 == 0
    return (values - 2j * values).astype(dtype) if np.dtype(dtype).kind == "c" else values.astype(dtype)


@pytest.mark.parametrize(("number", "type_"), list(enumerate(DTYPES)))
def test_arrays(echo: mi.Program, number: int, type_: str) -> None:
    dtype = DTYPES[type_]
    given, zero = distinct((4, 3), dtype), distinct((), dtype)
    result, scalar = echo[f"array{number}"](given, zero)
    assert result.dtype == dtype and scalar.dtype == dtype
    np.testing.assert_array_equal(result, given)
    assert scalar.shape == () and scalar == zero
    assert not np.shares_memory(result, given) and not np.shares_memory(scalar, zero)


@pytest.mark.parametrize(("number", "type_"), list(enumerate(DTYPES)))
def test_strided_and_empty_arrays(echo: mi.Program, number: int, type_: str) -> None:
    dtype = DTYPES[type_]
    whole = distinct((5, 6), dtype)
    for given in (whole[::-2, ::-2], whole[:, 3:], whole.T[:, :3], whole[:0, :3], whole[4:5, ::2]):
        result, _ = echo[f"array{number}"](given, distinct((), dtype))
        np.testing.assert_array_equal(result, given)


@pytest.mark.parametrize(
    ("type_", "value"), [(type_, value) for type_, values in SCALARS.items() for value in values], ids=str
)
def test_scalars(echo: mi.Program, type_: str, value: Any) -> None:
    number = list(DTYPES).index(type_)
    expected = np.asarray(value).astype(DTYPES[type_])
    first, before, second, after = echo[f"scalar{number}"](-7, value, True)
    alone = echo[f"alone{number}"](value)
    for got in (first, second, alone):
        assert np.asarray(got).astype(DTYPES[type_]) == expected
    assert (before, after) == (-7, True)
    assert type(alone) is {"b": bool, "i": int, "u": int, "f": float, "c": complex}.get(
        np.dtype(DTYPES[type_]).kind, ml_dtypes.bfloat16
    )


def test_a_rank_zero_array_is_a_scalar(echo: mi.Program) -> None:
    assert echo.alone3(np.array(41, np.int32)) == 41


@pytest.mark.parametrize(
    ("type_", "value", "error"),
    [
        ("i1", 1, TypeError),
        ("i1", None, TypeError),
        ("i8", 128, ValueError),
        ("i8", -129, ValueError),
        ("ui8", -1, ValueError),
        ("ui8", 256, ValueError),
        ("i32", 1.0, TypeError),
        ("i32", "1", TypeError),
        ("i64", 2**63, ValueError),
        ("index", 2**63, ValueError),
        ("f16", 1e6, ValueError),
        ("f32", 1e300, ValueError),
        ("f32", 1j, TypeError),
        ("f32", True, TypeError),
        ("f64", 10**400, ValueError),
        ("f64", [1.0], TypeError),
        ("f64", np.zeros(3), TypeError),
        ("bf16", "x", TypeError),
        ("bf16", 1e300, ValueError),
        ("complex<f32>", "x", TypeError),
        ("complex<f32>", 1e300, ValueError),
    ],
)
def test_a_scalar_that_does_not_fit_is_refused(
    echo: mi.Program, type_: str, value: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match=r"argument 0 \('a'\): "):
        echo[f"alone{list(DTYPES).index(type_)}"](value)


@pytest.mark.parametrize("type_", ["f32", "i32", "ui32", "i1", "complex<f32>"])
def test_an_array_of_any_other_dtype_is_refused(echo: mi.Program, type_: str) -> None:
    function = echo[f"array{list(DTYPES).index(type_)}"]
    zero = np.zeros((), DTYPES[type_])
    for other in {np.dtype(dtype) for dtype in DTYPES.values()} - {np.dtype(DTYPES[type_])}:
        with pytest.raises(
            TypeError, match=rf"argument 0 \('a'\): expected dtype .* for tensor<\?x3x{type_}>, got {other}"
        ):
            function(np.zeros((2, 3), other), zero)
    swapped = np.zeros((2, 3), np.dtype(np.float64).newbyteorder())
    with pytest.raises(TypeError, match="byte-swapped"):
        function(swapped, zero)


@pytest.mark.parametrize(
    "type_", ["i5", "i128", "f4E2M1FN", "vector<4xf32>", "tensor<4xi7>", "tensor<*xf32>", "memref<*xf32>"]
)
def test_a_type_without_counterpart_is_named(type_: str) -> None:
    program = mi.compile(f"""
        func.func @good(%a: f32) -> f32 {{ return %a : f32 }}
        func.func @bad(%a: f32, %b: {type_}) {{ return }}
    """)
    assert program.good(2.0) == 2.0
    for get in (lambda: program.bad, lambda: program["bad"]):
        with pytest.raises(TypeError, match="argument 1 of 'bad': type "):
            get()
