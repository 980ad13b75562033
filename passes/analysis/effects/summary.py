"""Function summaries for callers: which argument buffers are read and written, and which may hold results.

Functions are analysed callees first, so the summary of the callee is available at a call. For cycles of the call graph
see ``whole_module/recursion.py``. Calls to functions without a body and to unknown functions get the pessimistic
summary: every tensor argument is read and written, and every result may be in any argument's buffer.

Counterpart upstream: ``FuncAnalysisState`` of ``FuncBufferizableOpInterfaceImpl``.
"""

from __future__ import annotations

from itertools import combinations

from mlir import ir

from ....dialects.bufferizable import Relation, is_tensor
from ....dialects.support.frozen_classes import frozen_slots
from ..ir.components import strongly_connected

__all__ = [
    "FunctionSummary",
    "buffer_layouts",
    "call_order",
    "declared_writable",
    "pessimistic_summary",
]

_WRITABLE = "bufferization.writable"


@frozen_slots
class FunctionSummary:
    """One entry per argument or result of the function; entries of non-tensors have no meaning.

    ``result_ties`` maps, for each result, the arguments whose buffer it may be to the relation. A single
    ``EQUIVALENT`` entry means that it is always that argument's buffer. ``result_readonly`` is the reason why the
    buffer of a result must not be written, or the empty string. ``shared_results`` are pairs of results that may share
    memory with each other.
    """

    argument_is_read: tuple[bool, ...]
    argument_is_written: tuple[bool, ...]
    result_ties: tuple[dict[int, Relation], ...]
    result_readonly: tuple[str, ...]
    shared_results: tuple[tuple[int, int], ...]


def buffer_layouts(function: ir.Operation) -> dict[int, ir.Attribute]:
    """Return the layouts that ``bufferization.buffer_layout`` sets for arguments of ``function``, by index."""
    if "arg_attrs" not in function.attributes:
        return {}
    key = "bufferization.buffer_layout"
    entries = enumerate(ir.ArrayAttr(function.attributes["arg_attrs"]))
    return {index: attributes[key] for index, attributes in entries if key in attributes}


def declared_writable(function: ir.Operation, argument: int) -> bool | None:
    """Return the value of ``bufferization.writable`` of an argument of ``function``; None if it is not set."""
    attributes = function.attributes
    if "arg_attrs" not in attributes:
        return None
    marks = ir.DictAttr(ir.ArrayAttr(attributes["arg_attrs"])[argument])
    return ir.BoolAttr(marks[_WRITABLE]).value if _WRITABLE in marks else None


def pessimistic_summary(function: ir.Operation, *, recursive: bool, unwritable: bool) -> FunctionSummary:
    """Return the summary that is right for any body of a function of this type.

    The results of a ``recursive`` function are ``unwritable``, as its body may, for example, return a constant
    (``whole_module/recursion.py``). A declaration promises writable results, which is upstream's convention.

    Arguments are assumed to be written unless they are marked ``bufferization.writable = false``, which is enforced in
    a body. For a declaration, ``bufferization.access = "read"`` or ``"none"`` does the same; it cannot be checked.
    """
    type_ = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    arguments = [i for i, t in enumerate(type_.inputs) if is_tensor(t)]
    read = [True] * len(type_.inputs)
    written = [True] * len(type_.inputs)
    if "arg_attrs" in function.attributes:
        for index, attributes in enumerate(function.attributes["arg_attrs"]):
            if "bufferization.access" in attributes and not recursive:
                access = ir.StringAttr(attributes["bufferization.access"]).value
                read[index] = access in ("read", "read-write")
                written[index] = access in ("write", "read-write")
            if declared_writable(function, index) is False:
                written[index] = False
    ties = tuple(dict.fromkeys(arguments, Relation.UNKNOWN) for _ in type_.results)
    reason = "the result of a recursive call, which may be a buffer that must not be written" if unwritable else ""
    results = [i for i, t in enumerate(type_.results) if is_tensor(t)]
    return FunctionSummary(
        tuple(read), tuple(written), ties, (reason,) * len(type_.results), tuple(combinations(results, 2))
    )


def call_order(functions: dict[str, ir.Operation], calls: dict[str, list[str]]) -> tuple[list[list[str]], set[str]]:
    """Return the strongly connected components of the call graph, callees first, and the recursive functions.

    Linear in functions and calls.
    """
    order = strongly_connected(functions, lambda name: (callee for callee in calls[name] if callee in functions))
    recursive = {name for component in order for name in component if len(component) > 1 or name in calls[name]}
    return order, recursive
