"""Operators compiled one by one, `optimize` off and on, and compared with ONNX's reference on distinct data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx_models import distinct, node_model, reference

import mlir_inplace as mi

X, ROW, PICTURE = distinct(3, 4, 5), distinct(5), distinct(1, 4, 6, 7)
I64 = np.int64
BOOLS = distinct(3, 4) > 0


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, I64)


CASES: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "add broadcast": ("Add", [X, ROW], {}),
    "unsigned division": ("Div", [np.array([250, 7], np.uint8), np.array([3, 2], np.uint8)], {}),
    "modulo of negative numbers": ("Mod", [ints(-7, 7, -7), ints(3, -3, -3)], {}),
    "shift": ("BitShift", [np.array([8, 255], np.uint8), np.array([7, 1], np.uint8)], {"direction": "RIGHT"}),
    "where": ("Where", [BOOLS, distinct(3, 4), distinct(4)], {}),
    "integer power": ("Pow", [ints(2, 3, -2), ints(3, 2, 5)], {}),
    "gelu": ("Gelu", [X], {}),
    "cast": ("Cast", [X], {"to": 7}),
    "sum of axes": ("ReduceSum", [X, ints(0, 2)], {"stored": [1], "keepdims": 0}),
    "log of a sum of powers": ("ReduceLogSumExp", [X, ints(1)], {"stored": [1]}),
    "last of the largest": ("ArgMax", [np.round(X), ], {"axis": 1, "select_last_index": 1}),
    "softmax": ("Softmax", [X], {"axis": 1}),
    "sums from behind": ("CumSum", [X, np.array(1, I64)], {"stored": [1], "reverse": 1, "exclusive": 1}),
    "run-time shape": ("Reshape", [X, ints(0, -1, 2, 2)[:2]], {}),
    "slice from behind": ("Slice", [X, ints(-1, 3), ints(-4, 0), ints(1, 2), ints(-2, -1)], {"stored": [3, 4]}),
    "pad with itself": ("Pad", [X, ints(0, 2, 1, 0, 1, 3)], {"mode": "reflect"}),
    "tile": ("Tile", [distinct(2, 3), ints(2, 3)], {}),
    "split": ("Split", [X, ints(1, 3)], {"axis": 1, "outputs": 2, "stored": [1]}),
    "gather from behind": ("Gather", [X, np.array([[0, -1], [2, 1]])], {"axis": 1}),
    "gather tuples": ("GatherND", [X, np.array([[0, 1], [2, -1]])], {}),
    "scatter with sums": (
        "ScatterElements", [distinct(3, 3), np.array([[1, 0, 2], [0, 2, 1]]), distinct(2, 3)], {"reduction": "add"},
    ),
    "non-zeros": ("NonZero", [np.round(distinct(3, 4))], {}),
    "compress": ("Compress", [X, np.array([True, False, True])], {"axis": 1}),
    "largest in order": ("TopK", [np.round(X), ints(3)], {"axis": 1, "outputs": 2, "stored": [1]}),
    "unique rows": ("Unique", [np.array([[2, 1], [0, 3], [2, 1]])], {"axis": 0, "outputs": 4}),
    "stack of products": ("MatMul", [distinct(2, 1, 3, 4), distinct(5, 4, 2)], {}),
    "gemm": ("Gemm", [distinct(4, 3), distinct(5, 4), ROW], {"transA": 1, "transB": 1, "alpha": 0.5, "beta": 2.0}),
    "einsum": ("Einsum", [distinct(2, 3, 4), distinct(2, 4, 3)], {"equation": "bij,bji->b"}),
    "convolution": ("Conv", [PICTURE, distinct(3, 4, 3, 2), distinct(3)], {"pads": [1, 0, 2, 1], "strides": [2, 1]}),
    "groups": ("Conv", [PICTURE, distinct(8, 1, 3, 3)], {"group": 4, "auto_pad": "SAME_UPPER"}),
    "transposed convolution": (
        "ConvTranspose", [PICTURE, distinct(4, 2, 3, 3)],
        {"strides": [2, 1], "pads": [1, 0, 0, 2], "output_padding": [1, 0], "dilations": [1, 2]},
    ),
    "pooling with places": ("MaxPool", [PICTURE], {"kernel_shape": [2, 3], "strides": [2, 1], "outputs": 2}),
    "average at the border": (
        "AveragePool", [PICTURE], {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1], "ceil_mode": 1},
    ),
    "layer normalization": ("LayerNormalization", [X, ROW, ROW], {"axis": -1}),
    "quantize": ("QuantizeLinear", [X, np.float32(0.5), np.uint8(100)], {}),
    "resize": ("Resize", [PICTURE, None, None, ints(1, 4, 9, 5)], {"mode": "linear", "stored": [3]}),
    "grid": ("GridSample", [PICTURE, distinct(1, 3, 2, 2) / 2], {"padding_mode": "reflection"}),
    "lstm": (
        "LSTM", [distinct(3, 2, 4) / 9, distinct(1, 12, 4) / 9, distinct(1, 12, 3) / 9],
        {"hidden_size": 3, "outputs": 3},
    ),
    "transform": ("DFT", [distinct(1, 6, 1), None, np.array(1, I64)], {"stored": [2]}),
    "function of ONNX": (
        "Attention", [distinct(1, 2, 3, 4), distinct(1, 2, 5, 4), distinct(1, 2, 5, 4)], {"opset": 23},
    ),
}  # fmt: skip


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_result_of_an_operator(name: str, optimize: bool) -> None:
    op_type, arrays, options = CASES[name]
    proto = node_model(op_type, arrays, **options)
    given = [a for n, a in enumerate(arrays) if a is not None and n not in options.get("stored", ())]
    wanted = reference(proto, *given)
    found = mi.from_onnx(proto, optimize=optimize, cache=False).main(*map(np.asarray, given))
    for one, other in zip(found if isinstance(found, tuple) else [found], wanted, strict=True):
        assert np.asarray(one).dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5)
