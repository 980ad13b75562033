"""What the tests of ONNX share: models of a few nodes, and ONNX's own results for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", minversion="1.20")
pytest.importorskip("onnx.reference")

helper = onnx.helper


def value(name: str, array: Any = None, *, kind: str | None = None, shape: Any = None) -> Any:
    """The declaration of an input or output like an array, or of a type and sizes; a size may be a name."""
    if array is not None:
        kind, shape = helper.tensor_dtype_to_string(helper.np_dtype_to_tensor_dtype(array.dtype)), array.shape
    code = getattr(onnx.TensorProto, (kind or "FLOAT").removeprefix("TensorProto."))
    return helper.make_tensor_value_info(name, code, shape)


def untyped(name: str) -> Any:
    """An output of which nothing is declared."""
    proto = onnx.ValueInfoProto()
    proto.name = name
    return proto


def model(nodes: Any, inputs: Any, outputs: Any, *, opset: int = 21, stored: Any = (), functions: Any = ()) -> Any:
    """A model; `stored` are arrays by name."""
    given = [onnx.numpy_helper.from_array(array, name) for name, array in dict(stored).items()]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, given)
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(f.domain, 1) for f in functions)]
    return helper.make_model(graph, opset_imports=opsets, functions=functions)


def node_model(
    op_type: str, arrays: Any, *, outputs: int = 1, opset: int = 21, stored: Any = None, **attributes: Any
) -> Any:
    """A model of one node; the inputs whose numbers are in `stored` are stored in the model, None is left out."""
    names = [f"x{n}" if array is not None else "" for n, array in enumerate(arrays)]
    results = [f"y{n}" for n in range(outputs)]
    kept = set(stored or ())
    given = [
        value(name, a) for n, (name, a) in enumerate(zip(names, arrays, strict=True)) if a is not None and n not in kept
    ]
    node = helper.make_node(op_type, names, results, **attributes)
    held = {f"x{n}": arrays[n] for n in kept}
    return model([node], given, [untyped(name) for name in results], opset=opset, stored=held)


def reference(proto: Any, *arrays: Any) -> list[np.ndarray]:
    """ONNX's own results."""
    names = [given.name for given in proto.graph.input]
    return onnx.reference.ReferenceEvaluator(proto).run(None, dict(zip(names, arrays, strict=True)))


def distinct(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    """Numbers around 0 in any order, all different, and multiples of 1/4 if they are real."""
    size = int(np.prod(shape))
    order = np.random.default_rng(0).permutation(size).reshape(shape) - size // 2
    return (order / 4).astype(dtype) if np.dtype(dtype).kind == "f" else order.astype(dtype)
