"""Make a small ONNX model, a convolution net for pictures of 28 by 28, and write it to a file.

    python examples/onnx_classifier.py classifier.onnx
    inplace-run classifier.onnx --arg 4x1x28x28xf32:random --optimize --print-result

It needs `pip install 'mlir-inplace[onnx]'`. The weights are random.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def make_model() -> Any:
    """Two convolutions with ReLU and pooling, and a dense layer; the number of pictures is free."""
    random = np.random.default_rng(0)
    shapes = {"first": (8, 1, 3, 3), "second": (16, 8, 3, 3), "dense": (10, 784), "bias": (10,)}
    weights = {name: random.normal(0, 0.1, shape).astype(np.float32) for name, shape in shapes.items()}
    nodes = [
        helper.make_node("Conv", ["pictures", "first"], ["c1"], "conv1", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"]),
        helper.make_node("MaxPool", ["r1"], ["p1"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["p1", "second"], ["c2"], "conv2", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c2"], ["r2"]),
        helper.make_node("MaxPool", ["r2"], ["p2"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["p2"], ["flat"]),
        helper.make_node("Gemm", ["flat", "dense", "bias"], ["scores"], "dense", transB=1),
        helper.make_node("Softmax", ["scores"], ["probabilities"]),
    ]
    given = helper.make_tensor_value_info("pictures", TensorProto.FLOAT, ["count", 1, 28, 28])
    made = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["count", 10])
    stored = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "classifier", [given], [made], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write a small classifier of pictures as an ONNX model.")
    parser.add_argument("path", nargs="?", default="classifier.onnx", help="where to write it (default: %(default)s)")
    onnx.save(make_model(), parser.parse_args().path)
