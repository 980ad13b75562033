"""ONNX models: read from a file or from memory, and lowered to a module of linalg on tensors."""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, cf, func, tensor

from ...dialects.support.frozen_classes import frozen
from ...dialects.support.index_math import Number, tensor_size
from ...passes.framework.contract import RESULT_NAME
from ...passes.framework.entered_context import new_context
from .data_apart import data_apart
from .lowering import operators as _operators
from .lowering.graph import Graph, Result, dtype_of, onnx
from .lowering.scalars import kind
from .lowering.structured import cast_tensor
from .lowering.values import UnsupportedOnnxError, Value, tensor_type
from .weights import StoredTensors

__all__ = ["LoweredModel", "lower_model", "read_apart", "read_model"]

_ = _operators
ENTRY = "main"
"""The name of the function that a model becomes."""


@frozen
class LoweredModel:
    """A module with the function `main`, and the names of the model's inputs and outputs.

    `weights` holds the arrays of the arguments that follow the inputs, by their numbers. Those in `borrowed` are parts
    of the model's file or of its bytes, and need not be aligned.
    """

    module: ir.Module
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    weights: Mapping[int, np.ndarray[Any, Any]]
    borrowed: Set[int]


def read_model(source: Any) -> Any:
    """A `ModelProto`: of a path, of the bytes of a file, or as it is. External data is read from beside the file."""
    package = onnx()
    if isinstance(source, package.ModelProto):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _parsed(Path(source).read_bytes(), f"'{os.fspath(source)}'")
    if isinstance(source, bytes):
        return _parsed(source, "this")
    raise TypeError(f"expected an onnx.ModelProto, its bytes or a path, got {type(source).__name__}")


def read_apart(source: Any) -> tuple[Any, Mapping[str, np.ndarray[Any, Any]]]:
    """The same, without the data of its large tensors if it is read here, and the bytes of these, by name.

    The largest are those in the file, which is mapped as long as they exist (`data_apart`).
    """
    if isinstance(source, bytes):
        rest, data = data_apart(memoryview(source))
        return _parsed(rest, "this"), data
    if not isinstance(source, (str, os.PathLike)) or not os.path.getsize(source):
        return read_model(source), {}
    with open(source, "rb") as file:
        rest, data = data_apart(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
    return _parsed(rest, f"'{os.fspath(source)}'"), data


def _parsed(content: bytes, name: str) -> Any:
    package = onnx()
    try:
        model = package.load_from_string(content)
    except Exception as error:  # noqa: BLE001 - protobuf's own
        raise UnsupportedOnnxError(f"{name} is no ONNX model: {error}") from None
    if not (model.HasField("graph") and model.opset_import):
        raise UnsupportedOnnxError(f"{name} is no ONNX model: it has no graph, or names no operator set")
    return model


def lower_model(
    model: Any,
    constants: Mapping[str, np.ndarray[Any, Any]] | None = None,
    folder: Path | None = None,
    context: ir.Context | None = None,
    data: Mapping[str, np.ndarray[Any, Any]] | None = None,
) -> LoweredModel:
    """Lower a model; inputs in `constants` are replaced by these values. External data is in `folder`.

    `data` are the bytes of tensors that are not in the model (`read_apart`).

    Raises `UnsupportedOnnxError` for what cannot be lowered, and by its subclass `NeedsConstantError` for an input that
    must be a constant.
    """
    graph_proto = model.graph
    given = dict(constants or {})
    initialized = {proto.name for proto in graph_proto.initializer}
    inputs = [proto for proto in graph_proto.input if proto.name not in initialized]
    unknown = set(given) - {proto.name for proto in inputs}
    if unknown:
        names = ", ".join(proto.name for proto in inputs)
        raise ValueError(f"the model has no input {min(unknown)!r}; it has: {names}")
    passed = [proto for proto in inputs if proto.name not in given]
    kinds = [_kind(proto) for proto in passed]
    opsets = {proto.domain if proto.domain != "ai.onnx" else "": proto.version for proto in model.opset_import}
    functions = {(proto.domain, proto.name): proto for proto in model.functions}
    with context or new_context(), ir.Location.name(graph_proto.name or "graph"):
        module = ir.Module.create()
        types = [tensor_type(shape, dtype, signed=True) for dtype, shape in kinds]
        with ir.InsertionPoint(module.body):
            function = func.FuncOp(ENTRY, (types, []))
        locations = [ir.Location.name(proto.name) for proto in passed]
        block = function.regions[0].blocks.append(*types, arg_locs=locations)
        with ir.InsertionPoint(block):
            sizes = _sizes(passed, block.arguments)
            values = {
                proto.name: _signless(Value(dtype, argument, sizes=sizes[proto.name], name=proto.name))
                for proto, (dtype, _), argument in zip(passed, kinds, block.arguments, strict=True)
            }
            values |= {name: Value(np.asarray(a).dtype, constant=np.asarray(a), name=name) for name, a in given.items()}
            stored = StoredTensors(block, folder, data or {})
            graph = Graph(opsets, functions, weights=stored.value)
            results = graph.lower_graph(graph_proto, [values[proto.name] for proto in inputs])
            finished = [_output(proto, value) for proto, value in zip(graph_proto.output, results, strict=True)]
            func.ReturnOp(finished)
        function_type = ir.FunctionType.get(
            [argument.type for argument in block.arguments], [value.type for value in finished]
        )
        function.attributes["function_type"] = ir.TypeAttr.get(function_type)
        names, outputs = (tuple(proto.name for proto in protos) for protos in (passed, graph_proto.output))
        named = [ir.DictAttr.get({RESULT_NAME: ir.StringAttr.get(name)}) for name in outputs]
        function.attributes["res_attrs"] = ir.ArrayAttr.get(named)
    return LoweredModel(module, names, outputs, stored.arrays, stored.borrowed)


def _kind(proto: Any) -> tuple[Any, list[int | None]]:
    """The element type and sizes of an input or output; raises `UnsupportedOnnxError` if it is no tensor of numbers."""
    which = proto.type.WhichOneof("value")
    if which != "tensor_type":
        found = (which or "nothing").removesuffix("_type").replace("_", " ")
        raise UnsupportedOnnxError(f"{proto.name!r} is of type {found}; only tensors are supported")
    tensor_proto = proto.type.tensor_type
    if not tensor_proto.HasField("shape"):
        raise UnsupportedOnnxError(f"the rank of {proto.name!r} is not known; state its dimensions in the model")
    sizes = [
        dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else None for dim in tensor_proto.shape.dim
    ]
    try:
        return dtype_of(tensor_proto.elem_type), sizes
    except UnsupportedOnnxError as error:
        raise UnsupportedOnnxError(f"{proto.name!r}: {error}") from None


def _sizes(inputs: Sequence[Any], arguments: Sequence[ir.Value]) -> dict[str, list[Number]]:
    """The sizes of each input; that dimensions of one name have one size is asserted in each call."""
    first: dict[str, ir.Value] = {}
    found: dict[str, list[Number]] = {}
    for proto, argument in zip(inputs, arguments, strict=True):
        sizes: list[Number] = []
        for d, dim in enumerate(proto.type.tensor_type.shape.dim):
            size = tensor_size(argument, d)
            sizes.append(size)
            if not isinstance(size, ir.Value) or not dim.dim_param:
                continue
            known = first.setdefault(dim.dim_param, size)
            if known is not size:
                same = arith.cmpi(arith.CmpIPredicate.eq, known, size)
                cf.assert_(same, f"dimension {d} of {proto.name!r} differs from another one named {dim.dim_param!r}")
                sizes[-1] = known
        found[proto.name] = sizes
    return found


def _signless(value: Value) -> Value:
    if kind(value.dtype) != "u":
        return value
    signless = tensor.bitcast(tensor_type(value.shape, value.dtype), value.ssa)
    return Value(value.dtype, signless, sizes=value.sizes, name=value.name)


def _output(proto: Any, result: Result) -> ir.Value:
    if not isinstance(result, Value):
        raise UnsupportedOnnxError(
            f"output {proto.name!r} is a sequence or an optional value; only tensors are supported"
        )
    dtype, sizes = result.dtype, result.shape
    if proto.type.WhichOneof("value") == "tensor_type" and proto.type.tensor_type.HasField("shape"):
        _, declared = _kind(proto)
        if len(declared) == len(sizes):
            sizes = tuple(known if known is not None else stated for known, stated in zip(sizes, declared, strict=True))
    ssa = cast_tensor(result, sizes).ssa
    return tensor.bitcast(tensor_type(sizes, dtype, signed=True), ssa) if kind(dtype) == "u" else ssa
