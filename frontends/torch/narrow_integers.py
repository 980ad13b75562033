"""Integers of 8 bits are computed as those of 32, and cut off afterwards.

torch-mlir takes unsigned bytes for signed ones in sums, quotients and comparisons, and ends the process at products,
extrema and numbers of 8 bits. Integers of 32 bits that are cut off to 8 have the values that PyTorch computes. What
only moves elements stays as it is, so that a tensor is updated where it is. Truth values are added and compared as
integers, too: for torch-mlir their sum is one modulo 2, and true less than false.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .support.framework import torch_module
from .support.graph_calls import add_call

__all__ = ["NarrowIntegers"]

_MOVES = (
    "alias as_strided broadcast_to clone contiguous copy detach diagonal embedding expand flip gather index "
    "index_copy index_select lift_fresh_copy permute repeat reshape roll select select_scatter slice slice_scatter "
    "split split_with_sizes squeeze t transpose unbind unfold unsqueeze _unsafe_view view scatter.src"
)
"""Ops whose results have elements of their operands, whatever these mean."""

_MERGES = "cat stack where.self"
"""The same, where these have one dtype."""

_CONVERSIONS = "_to_copy convert_element_type to view.dtype"
_OF_TRUTH = "add ge gt index_add le lt scatter_add scatter_reduce"
"""Ops that torch-mlir lowers wrongly for truth values."""


class NarrowIntegers:
    """Copies nodes into a graph, those that compute with integers of 8 bits with wider ones.

    Args:
        graph: where copies are made.
        copied: the copy of a node, by the node.
    """

    def __init__(self, graph: Any, copied: Callable[[Any], Any]) -> None:
        self._graph = graph
        self._copied = copied
        self._mode: Any = None
        self._wide: dict[Any, Any] = {}
        """Of nodes with several results, the copies, which have wider ones."""

    def copy(self, node: Any) -> Any | None:
        """The copy of a node that is computed with wider integers; None if it needs none."""
        if node.op != "call_function":
            return None
        if node.target is operator.getitem:
            return self._part(node)
        narrow = _narrow(node)
        if not any(_dtype(value) in narrow for value in _values(node)):
            return None
        torch, fx = torch_module(), torch_module("torch.fx")
        self._mode = self._mode or _mode(node)

        def widened(operand: Any) -> Any:
            copied = self._copied(operand)
            is_narrow = _dtype(copied.meta.get("val")) in narrow
            return self._converted(copied, torch.int32) if is_narrow else copied

        conditions = 1 if _name(node) == "where.self" else 0
        arguments = (
            *fx.map_arg(node.args[:conditions], self._copied),
            *fx.map_arg(node.args[conditions:], widened),
        )
        named = fx.map_arg(dict(node.kwargs), widened)
        named = {name: torch.int32 if name == "dtype" and given in narrow else given for name, given in named.items()}
        wide = self._called(node, node.target, arguments, named)
        if isinstance(node.meta["val"], (list, tuple)):
            self._wide[node] = wide
            return wide
        return self._as_before(wide, node)

    def _part(self, node: Any) -> Any | None:
        """One result of a node that is computed with wider integers."""
        source, place = node.args
        if source not in self._wide:
            return None
        return self._as_before(self._called(node, operator.getitem, (self._wide[source], place), {}), node)

    def _as_before(self, wide: Any, node: Any) -> Any:
        """A result in the dtype that it has in the original graph."""
        dtype = node.meta["val"].dtype
        return wide if wide.meta["val"].dtype == dtype else self._converted(wide, dtype)

    def _converted(self, node: Any, dtype: Any) -> Any:
        return self._called(node, torch_module().ops.prims.convert_element_type.default, (node, dtype), {})

    def _called(self, told: Any, target: Any, arguments: Any, named: Any) -> Any:
        return add_call(self._graph, told, target, arguments, named, mode=self._mode, value_of=self._value_of)

    def _value_of(self, node: Any) -> Any:
        """The example value, or one like it, if it was not made while the graph was traced."""
        torch, value = torch_module(), node.meta["val"]
        if not isinstance(value, torch.Tensor) or getattr(value, "fake_mode", None) is self._mode:
            return value
        with self._mode:
            return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)


def _dtype(value: Any) -> Any:
    return value.dtype if isinstance(value, torch_module().Tensor) else None


def _values(node: Any) -> list[Any]:
    """The example values of what a node takes and gives."""
    own = node.meta.get("val")
    results = list(own) if isinstance(own, (list, tuple)) else [own]
    return [*results, *(operand.meta.get("val") for operand in node.all_input_nodes)]


def _mode(node: Any) -> Any:
    """The mode in which the graph of a node was traced."""
    fake = torch_module("torch._subclasses.fake_tensor")
    modes = [value.fake_mode for value in _values(node) if isinstance(value, fake.FakeTensor)]
    return modes[0] if modes else fake.FakeTensorMode()


def _name(node: Any) -> str:
    """The name of an op with its overload, if it is PyTorch's."""
    namespace, _, name = str(node.target).partition(".")
    return name if namespace in ("aten", "prims") else ""


def _narrow(node: Any) -> frozenset[Any]:
    """The dtypes that a node is not to compute with."""
    torch, name = torch_module(), _name(node)
    names = {name, name.partition(".")[0]}
    if not name or names & {*_MOVES.split(), *_CONVERSIONS.split()}:
        return frozenset()
    integers, all_of_them = frozenset((torch.int8, torch.uint8)), frozenset((torch.int8, torch.uint8, torch.bool))
    if "index_put" in names:
        accumulates = len(node.args) > 3 and bool(node.args[3])
        return all_of_them if accumulates else frozenset()
    if names & set(_MERGES.split()):
        merged = node.args[1:] if name == "where.self" else node.args[0]
        dtypes = {_dtype(one.meta["val"]) for one in merged}
        return all_of_them if len(dtypes) > 1 else frozenset()
    return all_of_them if names & set(_OF_TRUTH.split()) else integers
