"""The dispatch functions of a module, which must have no callers in the module."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func

from ...framework.errors import PassFailure
from .pinned_interface import INTERFACE

__all__ = ["find_dispatch_functions"]


def find_dispatch_functions(module: ir.Operation) -> list[func.FuncOp]:
    """Return the functions with dispatch ops or a pinned interface, in order.

    One walk; linear in the ops, times their nesting depth.

    Raises `PassFailure` for a dispatch op outside of functions, and where a dispatch function is called or taken as a
    value: a caller would have to provide its bindings.
    """
    inside: list[ir.Operation] = []
    references: dict[str, list[ir.Operation]] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        name = op.name
        if name == "func.call":
            references.setdefault(ir.FlatSymbolRefAttr(op.attributes["callee"]).value, []).append(op)
        elif name == "func.constant":
            references.setdefault(ir.FlatSymbolRefAttr(op.attributes["value"]).value, []).append(op)
        elif name.startswith("dispatch.") or (name == "func.func" and INTERFACE in op.attributes):
            inside.append(op)
        return ir.WalkResult.ADVANCE

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    found: list[func.FuncOp] = []
    for op in inside:
        function = _enclosing(op)
        # Functions do not nest, so the ops of one function are consecutive.
        if not found or found[-1].operation != function.operation:
            found.append(function)
    for function in found:
        name = ir.StringAttr(function.attributes["sym_name"]).value
        for op in references.get(name, ()):
            raise PassFailure(
                f"'{name}' is a dispatch function, which only the outside can call: it gets its bindings as arguments; "
                "take the dispatch ops out of the function that is called",
                op,
                [("the function", function.location)],
            )
    return found


def _enclosing(op: ir.Operation) -> func.FuncOp:
    """Return the function around a dispatch op, or a function itself."""
    parent: ir.Operation | None = op
    while parent is not None and parent.name != "func.func":
        parent = parent.parent
    view = parent.opview if parent is not None else None
    if not isinstance(view, func.FuncOp):
        raise PassFailure(f"'{op.name}' is in no func.func; dispatch ops belong into functions", op)
    return view
