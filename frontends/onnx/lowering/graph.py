"""Lowering of an ONNX graph: node by node, functions expanded, what is constant computed by ONNX's reference."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import numpy as np
from mlir import ir

from ...extras import required_module
from .scalars import DType
from .structured import cast_tensor
from .values import MAX_ELEMENTS, UnsupportedOnnxError, Value

__all__ = ["Graph", "Node", "Result", "lowers", "onnx"]

Result = Union[Value, "list[Any]", None]
"""A tensor, a sequence of tensors, or an optional value that is not there."""

Lowering = Callable[["Node"], Any]

LOWERINGS: dict[str, Lowering] = {}
"""How each operator is lowered; others by their function body, if ONNX has one."""

_FOLDED_ELEMENTS = 4096
_NEVER_FOLDED = frozenset(
    {"Constant", "If", "Loop", "Scan", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
    | {"Bernoulli", "Multinomial", "Dropout", "SequenceMap"}
)
_MOVEMENTS = frozenset(
    {
        "Gather",
        "Slice",
        "Concat",
        "Squeeze",
        "Unsqueeze",
        "Reshape",
        "Identity",
        "Cast",
        "Split",
        "Transpose",
        "Flatten",
    }
)
"""Operators that move elements and change none."""


def lowers(*names: str) -> Callable[[Lowering], Lowering]:
    """Registers the lowering of operators."""

    def register(lowering: Lowering) -> Lowering:
        for name in names:
            assert name not in LOWERINGS, name
            LOWERINGS[name] = lowering
        return lowering

    return register


def onnx(submodule: str = "") -> Any:
    """The package onnx, or a module of it."""
    return required_module(f"onnx.{submodule}" if submodule else "onnx", "onnx", "an ONNX model")


class Node:
    """One node: its inputs as values, and its attributes as Python objects.

    Attributes:
        graph: where it is; subgraphs see its names.
        op_type: the operator.
        inputs: None for an input that is left out.
        attributes: by name; a tensor is a `TensorProto`, a subgraph a `GraphProto`.
        output_names: empty for an output that nobody reads.
        version: of the operator set.
    """

    def __init__(self, graph: Graph, proto: Any, inputs: Sequence[Result], attributes: Mapping[str, Any]) -> None:
        self.graph = graph
        self.proto = proto
        self.op_type: str = proto.op_type
        self.domain: str = proto.domain if proto.domain != "ai.onnx" else ""
        self.inputs = list(inputs)
        self.attributes = attributes
        self.output_names = list(proto.output)
        self.version: int = graph.opsets.get(self.domain, 1)

    def __repr__(self) -> str:
        return f"{self.op_type} node {self.proto.name or (self.output_names or ['?'])[0]!r}"

    def subgraph(self) -> Graph:
        """A graph within this node, which sees the names around it."""
        return Graph(self.graph.opsets, self.graph.functions, self.graph)

    def has(self, number: int) -> bool:
        """Whether an input is given."""
        return number < len(self.inputs) and self.inputs[number] is not None

    def input(self, number: int = 0) -> Value:
        """An input that must be a tensor."""
        value = self.inputs[number] if number < len(self.inputs) else None
        if not isinstance(value, Value):
            found = "a sequence" if isinstance(value, list) else "left out"
            raise UnsupportedOnnxError(f"input {number} of {self} is {found}; a tensor is needed")
        return value

    def stored(self, array: np.ndarray[Any, Any]) -> Value:
        """The value of an array that was computed of what the model stores."""
        return self.graph.stored(onnx("numpy_helper").from_array(array))

    @property
    def tensors(self) -> list[Value]:
        """All inputs, each a tensor."""
        return [self.input(number) for number in range(len(self.inputs))]

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute; strings are text."""
        value = self.attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def constant(self, number: int, name: str, default: Any = None) -> Any:
        """The elements of a constant input, or in older operator sets an attribute, as Python numbers."""
        if self.has(number):
            what = f"input {number} ({name!r}) of {self}"
            return self.input(number).require_constant(what).tolist()
        return self.attribute(name, default)

    def axis(self, rank: int, default: int | None = None, name: str = "axis") -> int:
        """An attribute that counts dimensions, from the end if it is negative."""
        return self.normalized(self.attribute(name, default), rank)

    def normalized(self, axis: int, rank: int) -> int:
        """A dimension from 0; raises `UnsupportedOnnxError` if there is none."""
        if not -rank <= axis < max(rank, 1):
            raise UnsupportedOnnxError(f"axis {axis} of {self} is out of range: the tensor has rank {rank}")
        return axis + rank if axis < 0 else axis

    def call(self, op_type: str, *inputs: Result, outputs: int = 1, **attributes: Any) -> Any:
        """Lower another node in place of this one; returns its outputs, the only one without a list."""
        names = [f"{op_type}_{number}" for number in range(outputs)]
        proto = onnx("helper").make_node(op_type, [""] * len(inputs), names, domain=self.domain)
        results = self.graph.lower_node(Node(self.graph, proto, inputs, attributes))
        return results[0] if outputs == 1 else results


class Graph:
    """A graph or function that is lowered, with the values of its names.

    Args:
        opsets: the version of each operator set, by domain.
        functions: the model's own functions, by domain and name.
        parent: the graph around a subgraph.
        weights: makes values of tensors that are stored in the model; constants if None.
    """

    def __init__(
        self,
        opsets: Mapping[str, int],
        functions: Mapping[tuple[str, str], Any],
        parent: Graph | None = None,
        weights: Weights | None = None,
    ) -> None:
        self.opsets = opsets
        self.functions = functions
        self.parent = parent
        self.weights = parent.weights if weights is None and parent is not None else weights
        self.values: dict[str, Result] = {}

    def value(self, name: str) -> Result:
        """The value of a name here or in a graph around; None for the empty name."""
        if not name:
            return None
        if name in self.values:
            return self.values[name]
        if self.parent is not None:
            return self.parent.value(name)
        raise UnsupportedOnnxError(f"nothing defines {name!r}")

    def stored(self, proto: Any) -> Value:
        """The value of a `TensorProto` of the model."""
        return self.weights(proto) if self.weights is not None else tensor_constant(proto)

    def lower_graph(self, proto: Any, inputs: Sequence[Result]) -> list[Result]:
        """Lower a graph with values for its inputs (those without an initializer); returns its outputs."""
        initialized = {tensor.name for tensor in proto.initializer}
        for tensor in proto.initializer:
            self.values[tensor.name] = self.stored(tensor)
        if proto.sparse_initializer:
            raise UnsupportedOnnxError("sparse initializers are not supported")
        names = [given.name for given in proto.input if given.name not in initialized]
        self.values.update(zip(names, inputs, strict=True))
        self.lower_nodes(proto.node, {})
        return [self.value(output.name) for output in proto.output]

    def lower_nodes(self, nodes: Sequence[Any], bound: Mapping[str, Any]) -> None:
        """Lower nodes in order; `bound` holds the attributes of the call of a function."""
        helper = onnx("helper")
        for proto in nodes:
            attributes: dict[str, Any] = {}
            for attribute in proto.attribute:
                if not attribute.ref_attr_name:
                    attributes[attribute.name] = helper.get_attribute_value(attribute)
                elif attribute.ref_attr_name in bound:
                    attributes[attribute.name] = bound[attribute.ref_attr_name]
            node = Node(self, proto, [self.value(name) for name in proto.input], attributes)
            place = proto.name or next((name for name in proto.output if name), proto.op_type)
            with ir.Location.name(place):
                results = self.lower_node(node)
            for name, result in zip(proto.output, results, strict=False):
                if isinstance(result, Value) and name:
                    result.name = result.name or name
                self.values[name] = result

    def lower_node(self, node: Node) -> list[Result]:
        """Lower a node, and return its outputs."""
        folded = fold(node)
        if folded is not None:
            return folded
        lowering = LOWERINGS.get(node.op_type) if node.domain in ("", "ai.onnx.preview") else None
        if lowering is not None:
            result = lowering(node)
            if result is not NotImplemented:
                return list(result) if isinstance(result, tuple) else [result]
        return self._lower_function(node)

    def _lower_function(self, node: Node) -> list[Result]:
        body = self.functions.get((node.domain, node.op_type)) or _schema_body(node)
        if body is None:
            name = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
            raise UnsupportedOnnxError(f"operator {name} is not supported, for {node}")
        opsets = {**self.opsets, **{given.domain: given.version for given in body.opset_import}}
        inner = Graph(opsets, self.functions, None, self.weights)
        inner.values = dict.fromkeys(body.input)
        inner.values.update(zip(body.input, node.inputs, strict=False))
        bound = {a.name: onnx("helper").get_attribute_value(a) for a in body.attribute_proto}
        bound.update(_defaults(node))
        bound.update(node.attributes)
        inner.lower_nodes(body.node, bound)
        return [inner.value(name) if name in inner.values else None for name in body.output]


def _schema(node: Node) -> Any:
    try:
        return onnx("defs").get_schema(node.op_type, node.version, node.domain)
    except Exception as error:
        name = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
        raise UnsupportedOnnxError(f"there is no operator {name} in version {node.version}: {node}") from error


def _defaults(node: Node) -> dict[str, Any]:
    helper = onnx("helper")
    if (node.domain, node.op_type) in node.graph.functions:
        return {}
    given = {name: a.default_value for name, a in _schema(node).attributes.items() if a.default_value.name}
    return {name: helper.get_attribute_value(value) for name, value in given.items()}


def _schema_body(node: Node) -> Any:
    """The function that ONNX defines an operator by, for these inputs; None if there is none."""
    schema = _schema(node)
    versions = (schema.function_opset_versions, schema.context_dependent_function_opset_versions)
    plain, dependent = (max((v for v in found if v <= node.version), default=None) for found in versions)
    function = onnx().FunctionProto()
    if dependent is not None and (plain is None or dependent >= plain):
        helper = onnx("helper")
        proto = onnx().NodeProto()
        proto.CopyFrom(node.proto)
        del proto.attribute[:]
        proto.attribute.extend(helper.make_attribute(name, value) for name, value in node.attributes.items())
        for number, given in enumerate(node.inputs):
            proto.input[number] = (proto.input[number] or f"given{number}") if given is not None else ""
        types = [type_proto(given).SerializeToString() for given in node.inputs]
        content = schema.get_context_dependent_function_with_opset_version(dependent, proto.SerializeToString(), types)
    elif plain is not None:
        content = schema.get_function_with_opset_version(plain)
    else:
        return None
    if not content:
        return None
    function.ParseFromString(content)
    return function


def type_proto(value: Result) -> Any:
    """ONNX's type of a value."""
    if not isinstance(value, Value):
        return onnx().TypeProto()
    helper = onnx("helper")
    return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)


Weights = Callable[[Any], Value]
"""Makes the value of a `TensorProto`."""


def tensor_constant(proto: Any) -> Value:
    """A `TensorProto` as a constant."""
    if proto.data_type == onnx().TensorProto.STRING:
        raise UnsupportedOnnxError(f"tensor {proto.name!r} holds strings, which are not supported")
    array = onnx("numpy_helper").to_array(proto)
    return Value(array.dtype, constant=array, name=proto.name)


def dtype_of(code: int) -> DType:
    """The NumPy type of an ONNX element type; raises `UnsupportedOnnxError` for one that is not supported."""
    package = onnx()
    name = package.TensorProto.DataType.Name(code)
    if name in _UNSUPPORTED or name == "UNDEFINED":
        raise UnsupportedOnnxError(f"elements of type {name} are not supported")
    return np.dtype(onnx("helper").tensor_dtype_to_np_dtype(code))


_UNSUPPORTED = frozenset({"STRING", "FLOAT4E2M1", "FLOAT8E8M0"})


def fold(node: Node) -> list[Result] | None:
    """The outputs of a node all of whose inputs are known and small; None if they are not."""
    if node.op_type in _NEVER_FOLDED or node.domain or not node.inputs:
        return None
    given = [value for value in node.inputs if value is not None]
    if not all(isinstance(value, Value) for value in given):
        return None
    arrays = [value.constant for value in given if isinstance(value, Value)]
    if all(array is not None for array in arrays):
        if sum(array.size for array in arrays if array is not None) > _FOLDED_ELEMENTS:
            return None
        found = evaluate(node, [v.constant if isinstance(v, Value) else None for v in node.inputs])
        if found is None or any(array.size > _FOLDED_ELEMENTS for array in found):
            return None
        return [Value(array.dtype, constant=array) for array in found]
    return _move_elements(node) if node.op_type in _MOVEMENTS else None


def _move_elements(node: Node) -> list[Result] | None:
    """The outputs of an operator that moves elements of which some are index values."""
    count = len(node.inputs) if node.op_type == "Concat" else 1
    moved: list[Any] = []
    arrays: list[Any] = []
    for number, value in enumerate(node.inputs):
        known = value.known_elements if isinstance(value, Value) else None
        if number < count:
            if known is None or not isinstance(value, Value) or value.dtype.kind not in "iu":
                return None
            arrays.append(np.arange(len(moved), len(moved) + known.size).reshape(known.shape))
            moved += list(known.reshape(-1))
        else:
            arrays.append(value.constant if isinstance(value, Value) else None)
            if isinstance(value, Value) and value.constant is None:
                return None
    dtype = node.input().dtype
    if node.op_type == "Cast":
        dtype = dtype_of(node.attribute("to"))
        if dtype.kind not in "iu":
            return None
        found: list[Any] | None = arrays
    else:
        found = evaluate(node, arrays)
    if found is None or any(array.size > MAX_ELEMENTS for array in found):
        return None
    picked = [
        np.array([moved[i] for i in array.reshape(-1)] + [None], object)[:-1].reshape(array.shape) for array in found
    ]
    return [Value(dtype, elements=elements) for elements in picked]


def evaluate(node: Node, arrays: Sequence[Any]) -> list[np.ndarray[Any, Any]] | None:
    """The outputs of a node by ONNX's reference; None if that cannot do it."""
    helper = onnx("helper")
    inputs = [f"in{n}" if array is not None else "" for n, array in enumerate(arrays)]
    outputs = [name and f"out{n}" for n, name in enumerate(node.output_names)]
    proto = helper.make_node(node.op_type, inputs, outputs)
    proto.attribute.extend(helper.make_attribute(name, value) for name, value in node.attributes.items())
    feeds = {name: array for name, array in zip(inputs, arrays, strict=True) if name}
    try:
        graph = helper.make_graph(
            [proto], "folded", [_untyped(name) for name in feeds], [_untyped(name) for name in outputs if name]
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", node.version)])
        found = onnx("reference").ReferenceEvaluator(model).run(None, feeds)
    except Exception:  # noqa: BLE001 - whatever it is, the node is then lowered instead
        return None
    if not all(isinstance(array, (np.ndarray, np.generic)) and array.dtype != object for array in found):
        return None  # A sequence, or strings.
    results = iter(found)
    return [np.asarray(next(results)) if name else np.empty(0) for name in outputs]


def stated(proto: Any, value: Any) -> Value:
    """A result, with the sizes that the graph's output states where they were not known."""
    if proto.type.WhichOneof("value") != "tensor_type" or not proto.type.tensor_type.HasField("shape"):
        return value
    dims = [dim.dim_value if dim.HasField("dim_value") else None for dim in proto.type.tensor_type.shape.dim]
    if len(dims) != value.rank or None not in value.shape:
        return value
    sizes = [stated if known is None else known for known, stated in zip(value.shape, dims, strict=True)]
    return cast_tensor(value, sizes)


@functools.cache
def _untyped(name: str) -> Any:
    proto = onnx().ValueInfoProto()
    proto.name = name
    return proto
