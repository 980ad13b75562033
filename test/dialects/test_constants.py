"""Constant tensors of every element type and of every kind of attribute, through the compiler."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi

BLOB = '\n{-# dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } } #-}'

CONSTANTS: list[tuple[str, str, Any]] = [
    ("dense<[true, false, true]>", "3xi1", np.array([True, False, True])),
    ("dense<true>", "3xi1", np.array([True, True, True])),
    ("dense<[1, -2]>", "2xi8", np.array([1, -2], np.int8)),
    ("dense<[1, -2]>", "2xi64", np.array([1, -2])),
    ("dense<[[1, -2], [3, 4]]>", "2x2xindex", np.array([[1, -2], [3, 4]])),
    ("dense<[1.0, 0.5]>", "2xf16", np.array([1, 0.5], np.float16)),
    ("dense<[1.0, 0.5]>", "2xbf16", np.array([1, 0.5], ml_dtypes.bfloat16)),
    ("dense<[1.0, 0.1]>", "2xf64", np.array([1, 0.1])),
    ("dense<1.5>", "2x2xf32", np.full((2, 2), 1.5, np.float32)),
    ("dense<1.5>", "f64", np.array(1.5)),
    ("dense<>", "0x2xf32", np.zeros((0, 2), np.float32)),
    ("dense<[(1.0, 2.0), (3.0, -4.0)]>", "2xcomplex<f32>", np.array([1 + 2j, 3 - 4j], np.complex64)),
    ("dense<(1.0, 2.0)>", "2xcomplex<f64>", np.array([1 + 2j, 1 + 2j])),
    ("sparse<[[0, 1], [1, 0]], [2.0, 3.0]>", "2x2xf32", np.array([[0, 2], [3, 0]], np.float32)),
    ("dense_resource<blob>", "2xf32", np.array([1, 2], np.float32)),
]


@pytest.mark.parametrize(("value", "type_", "expected"), CONSTANTS, ids=[f"{v} : {t}" for v, t, _ in CONSTANTS])
def test_constants(value: str, type_: str, expected: Any) -> None:
    text = f"""func.func @main() -> tensor<{type_}> {{
      %0 = arith.constant {value} : tensor<{type_}>
      return %0 : tensor<{type_}>
    }}{BLOB if "blob" in value else ""}"""
    result = mi.compile(text, opt_level=0).main()
    np.testing.assert_array_equal(result, expected)
    assert np.asarray(result).dtype == expected.dtype or expected.ndim == 0


def test_the_value_of_a_global() -> None:
    text = """
    !t = tensor<2xcomplex<f32>>
    ml_program.global private mutable @g(dense<[(1.0, 2.0), (3.0, -4.0)]> : !t) : !t
    func.func @main() -> !t {
      %0 = ml_program.global_load @g : !t
      return %0 : !t
    }"""
    np.testing.assert_array_equal(mi.compile(text, opt_level=0).main(), [1 + 2j, 3 - 4j])


def test_equal_constants_are_one_global() -> None:
    complex_ = "arith.constant dense<[(1.0, 2.0), (3.0, -4.0)]> : tensor<2xcomplex<f32>>"
    text = f"""func.func @main() -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) {{
      %0 = {complex_}
      %1 = {complex_}
      return %0, %1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
    }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true})")
        assert str(module).count("memref.global") == 1
        assert str(module).count("memref.get_global") == 2
