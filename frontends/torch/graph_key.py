"""What a prepared graph says to torch-mlir's importer, as plain values: the key of the lowered module on disk."""

from __future__ import annotations

from typing import Any

from .support.framework import torch_module

__all__ = ["graph_key"]

_PLAIN = (bool, int, float, complex, str, type(None))


class _UnknownError(Exception):
    """Something in a graph whose text does not tell all of it."""


def graph_key(graph: Any) -> tuple[Any, ...] | None:
    """The nodes of a graph, which different ones have other `repr`s of; None if it has more than plain values.

    Sizes that are not known stand for conditions elsewhere, and attributes for other graphs. Places in the source
    count, since the module has them as locations; so does PyTorch's version.
    """
    torch = torch_module()
    try:
        nodes = tuple(_node(node) for node in graph.nodes)
    except _UnknownError:
        return None
    return torch.__version__, str(torch.get_default_dtype()), nodes


def _node(node: Any) -> tuple[Any, ...]:
    if node.op not in ("placeholder", "call_function", "output"):
        raise _UnknownError
    stack = (node.meta.get("nn_module_stack") or {}).values()
    return (
        node.op,
        node.name,
        str(node.target),
        _argument(node.args),
        _argument(dict(node.kwargs)),
        _value(node.meta.get("val")),
        repr(node.meta.get("tensor_meta")),
        [str(path) for path, _ in stack],
        node.meta.get("stack_trace"),
    )


def _argument(given: Any) -> Any:
    torch = torch_module()
    if isinstance(given, torch.fx.Node):
        return ("node", given.name)
    if isinstance(given, (list, tuple)):
        return [type(given) is tuple, *map(_argument, given)]
    if isinstance(given, dict):
        return [(name, _argument(one)) for name, one in given.items()]
    if isinstance(given, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
        return ("torch", str(given))
    return _plain(given)


def _value(value: Any) -> Any:
    """What a node computes, without the numbers in it."""
    torch = torch_module()
    if isinstance(value, (list, tuple)):
        return [type(value) is tuple, *map(_value, value)]
    if not isinstance(value, torch.Tensor):
        return _plain(value)
    if value.layout is not torch.strided or value.is_quantized:
        raise _UnknownError
    sizes = [_plain(size) for size in (*value.shape, *value.stride())]
    return ("tensor", str(value.dtype), str(value.device), value.dim(), sizes)


def _plain(value: Any) -> Any:
    if type(value) not in _PLAIN:
        raise _UnknownError
    return value
