"""Named ops of linalg through `optimize=True`: the very values of the evaluator, on large caches and on tiny ones.

Elements are small integers, so that sums are exact in whatever order they are added up.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from fast_run import sample
from linalg_programs import named
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import evaluate

WINDOW = "{strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}"
SPREAD = "{strides = dense<1> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>}"
OPS: list[tuple[str, str, list[str]]] = [
    ("matmul", "f32", ["7x13xE", "13x5xE", "7x5xE"]),
    ("matmul", "i64", ["33x17xE", "17x65xE", "33x65xE"]),
    ("matmul", "f64", ["1x64xE", "64x1xE", "1x1xE"]),
    ("matmul", "i8", ["4x0xE", "0x3xE", "4x3xE"]),
    ("matmul", "f32", ["0x5xE", "5x2xE", "0x2xE"]),
    ("matmul", "i16", ["19x33xE", "33x21xE", "19x21xi32"]),
    ("matmul", "i8", ["19x33xE", "33x21xi32", "19x21xi64"]),
    ("matmul", "f32", ["19x33xE", "33x21xE", "19x21xf64"]),
    ("matmul", "f16", ["19x33xE", "33x21xE", "19x21xf32"]),
    ("matvec", "f32", ["9x33xE", "33xE", "9xE"]),
    ("vecmat", "i8", ["33xE", "33x19xE", "19xi32"]),
    ("dot", "f64", ["37xE", "37xE", "E"]),
    ("dot", "bf16", ["37xE", "37xE", "f32"]),
    ("batch_matvec", "f32", ["3x9x17xE", "3x17xE", "3x9xE"]),
    ("batch_vecmat", "i32", ["3x17xE", "3x17x9xE", "3x9xE"]),
    ("batch_matmul", "bf16", ["2x9x33xE", "2x33x21xE", "2x9x21xf32"]),
    ("batch_reduce_matmul", "f32", ["3x9x17xE", "3x17x11xE", "9x11xE"]),
    ("mmt4d", "f32", ["2x3x4x2xE", "5x3x8x2xE", "2x5x4x8xE"]),
    ("batch_mmt4d", "i8", ["2x2x3x4x2xE", "2x5x3x8x2xE", "2x2x5x4x8xi32"]),
    ("quantized_matmul", "i8", ["9x17xE", "17x21xE", "i32", "i32", "9x21xi32"]),
    ("conv_1d", "f32", ["20xE", "3xE", "18xE"]),
    ("conv_2d", "f64", ["12x20xE", "3x4xE", "10x17xE"]),
    ("conv_3d", "i32", ["6x7x8xE", "2x3x2xE", "5x5x7xE"]),
    (f"conv_2d_nchw_fchw {WINDOW}", "f32", ["2x3x9x9xE", "5x3x3x3xE", "2x5x4x4xE"]),
    (f"conv_2d_nhwc_hwcf {SPREAD}", "f32", ["1x9x9x3xE", "3x3x3x20xE", "1x5x5x20xE"]),
    ("conv_2d_nhwc_hwcf", "i8", ["1x9x9x3xE", "3x3x3x20xE", "1x7x7x20xi32"]),
    ("conv_2d_nhwc_fhwc", "f32", ["1x9x9x3xE", "20x3x3x3xE", "1x7x7x20xE"]),
    ("conv_1d_ncw_fcw", "f32", ["2x3x19xE", "5x3x4xE", "2x5x16xE"]),
    ("conv_1d_nwc_wcf", "i64", ["2x19x3xE", "4x3x5xE", "2x16x5xE"]),
    ("conv_3d_ndhwc_dhwcf", "f32", ["1x5x6x7x2xE", "2x2x2x2x3xE", "1x4x5x6x3xE"]),
    ("depthwise_conv_2d_nhwc_hwc", "f32", ["1x9x9x19xE", "3x3x19xE", "1x7x7x19xE"]),
    ("depthwise_conv_2d_nchw_chw", "f32", ["1x19x9x9xE", "19x3x3xE", "1x19x7x7xE"]),
    ("depthwise_conv_2d_nhwc_hwcm", "i32", ["1x9x9x5xE", "3x3x5x2xE", "1x7x7x5x2xE"]),
    ("depthwise_conv_1d_nwc_wc", "f32", ["1x19x5xE", "3x5xE", "1x17x5xE"]),
    (f"pooling_nhwc_sum {WINDOW}", "f32", ["1x9x9x17xE", "3x3xE", "1x4x4x17xE"]),
    (f"pooling_nhwc_max {WINDOW}", "i8", ["1x9x9x17xE", "3x3xE", "1x4x4x17xE"]),
    ("pooling_nchw_max", "f32", ["1x7x9x9xE", "3x3xE", "1x7x7x7xE"]),
    ("pooling_nwc_min", "f64", ["1x19x5xE", "3xE", "1x17x5xE"]),
    ("pooling_ncw_sum", "f32", ["1x5x19xE", "3xE", "1x5x17xE"]),
    ("abs", "bf16", ["2x3x4x5xE", "2x3x4x5xE"]),
    ("square", "f16", ["0x4xE", "0x4xE"]),
    ("negf", "f32", ["E", "E"]),
    ("floor", "f64", ["33xE", "33xE"]),
    ("add", "i1", ["3x17xE", "3x17xE", "3x17xE"]),
    ("max", "bf16", ["3x17xE", "3x17xE", "3x17xE"]),
    ("mul", "i16", ["E", "E", "E"]),
    ("select", "f32", ["3x19xi1", "3x19xE", "3x19xE", "3x19xE"]),
    ("copy", "f32", ["3x19xE", "3x19xf64"]),
]
MACHINES = {"this machine": {}, "tiny caches, two threads": {"machine": "l1=512 l2=2048", "threads": 2}}
DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64, "i1": np.bool_}


def values(seed: int, text: str) -> np.ndarray:
    """An array of type `text`, as `3x5xf32`."""
    *shape, element = text.split("x")
    dtype = DTYPES.get(element) or np.dtype(element.replace("i", "int"))
    low, high = (0, 2) if element == "i1" else (-4, 5)
    return np.random.default_rng(seed).integers(low, high, [int(size) for size in shape]).astype(dtype)


@pytest.mark.each_value
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("op", "element", "types"), sample(OPS, least=16))
def test_values_are_those_of_the_evaluator(op: str, element: str, types: list[str], machine: str) -> None:
    types = [text.replace("E", element) for text in types]
    text = named(f"linalg.{op}", [f"tensor<{text}>" for text in types])
    arguments = [values(number, text) for number, text in enumerate(types)]
    with ir.Context():
        (expected,) = evaluate(ir.Module.parse(text), "main", arguments).results
    result = mi.compile(text, optimize=True, **MACHINES[machine]).main(*arguments)
    np.testing.assert_array_equal(np.asarray(result, np.float64), np.asarray(expected, np.float64))
