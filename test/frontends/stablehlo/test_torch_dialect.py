"""Scans, sorts, scatters and attention of the torch dialect, which torch-mlir's own lowering leaves in `tm_tensor`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.frontends.formats import legalized, register_dialect

X = np.array([[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8]], np.float32)
X3 = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
ROW = np.array([[2, 0, 2, 1]])
ORDER = np.argsort(-X, 1, kind="stable")


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))
    return scores / scores.sum(-1, keepdims=True) @ v


def added(x: Any, indices: Any, updates: Any) -> Any:
    result = x.copy()
    for place in np.ndindex(*indices.shape):
        result[(*place[:-1], indices[place])] += updates[place]
    return result


def tensor(array: Any) -> str:
    letter = "si64" if array.dtype.kind == "i" else "f32"
    return f"!torch.vtensor<[{','.join(map(str, array.shape))}],{letter}>"


PROGRAMS: dict[str, tuple[str, list[Any], list[Any]]] = {
    "cumsum": (
        "%none = torch.constant.none\n%r = torch.aten.cumsum %0, %one, %none : {0}, !torch.int, !torch.none -> {r0}",
        [X],
        [np.cumsum(X, 1)],
    ),
    "sort": (
        "%yes = torch.constant.bool true\n"
        "%r:2 = torch.aten.sort %0, %one, %yes : {0}, !torch.int, !torch.bool -> {r0}, {r1}",
        [X],
        [-np.sort(-X, 1), ORDER],
    ),
    "topk": (
        "%yes = torch.constant.bool true\n%two = torch.constant.int 2\n"
        "%r:2 = torch.aten.topk %0, %two, %one, %yes, %yes"
        " : {0}, !torch.int, !torch.int, !torch.bool, !torch.bool -> {r0}, {r1}",
        [X],
        [-np.sort(-X, 1)[:, :2], ORDER[:, :2]],
    ),
    "scatter_add of rank 3": (
        "%two = torch.constant.int 2\n%r = torch.aten.scatter_add %0, %two, %1, %2 : {0}, !torch.int, {1}, {2} -> {r0}",
        [X3, X3.astype(np.int64) % 3, X3 + 1],
        [added(X3, X3.astype(np.int64) % 3, X3 + 1)],
    ),
    "attention": (
        "%none = torch.constant.none\n%zero = torch.constant.float 0.0\n%no = torch.constant.bool false\n"
        "%r = torch.aten.scaled_dot_product_attention %0, %1, %2, %none, %zero, %no, %none, %no"
        " : {0}, {1}, {2}, !torch.none, !torch.float, !torch.bool, !torch.none, !torch.bool -> {r0}",
        [X3[:1] / 9, X3[1:] / 9, X3[:1]],
        [attention(X3[:1] / 9, X3[1:] / 9, X3[:1])],
    ),
    "ONNX ScatterElements": (
        '%r = torch.operator "onnx.ScatterElements"(%0, %1, %2) {{torch.onnx.axis = 0 : si64}}'
        " : ({0}, {1}, {2}) -> {r0}",
        [X, ROW, X[:1] + 90],
        [np.array([[3, 91, 4, 1], [5, 9, 2, 91], [93, 3, 94, 8]], np.float32)],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_left_goes_through_stablehlo(name: str) -> None:
    body, arguments, expected = PROGRAMS[name]
    types = [*map(tensor, arguments)]
    results = {f"r{number}": tensor(value) for number, value in enumerate(expected)}
    parameters = ", ".join(f"%{number}: {type_}" for number, type_ in enumerate(types))
    values = ", ".join(["%r"] if len(expected) == 1 else ["%r#0", "%r#1"])
    declared = ", ".join(results.values())
    text = (
        f"func.func @main({parameters}) -> ({declared}) attributes {{torch.onnx_meta.opset_version = 21 : si64}} {{\n"
        f"%one = torch.constant.int 1\n{body.format(*types, **results)}\nreturn {values} : {declared}\n}}"
    )
    context = ir.Context()
    register_dialect("torch", context)
    module = legalized(ir.Module.parse(text, context).operation, "torch")
    assert "tm_tensor" not in str(module)
    found = mi.compile(module).main(*arguments)
    for ours, right in zip(found if isinstance(found, tuple) else [found], expected, strict=True):
        np.testing.assert_allclose(ours, right, rtol=1e-5)
