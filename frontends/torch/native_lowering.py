"""Ops of `decompositions/native_ops.py` as functions, which torch-mlir's passes keep, and these functions' bodies.

Before torch-mlir lowers a graph, each op becomes the call of a declared function; afterwards the function is given a
body of StableHLO ops and loops, which `legalize_stablehlo` inlines and lowers.
"""

from __future__ import annotations

from mlir import ir

from ...dialects import stablehlo
from ...passes.analysis.ir.traversal import find_ops
from ...passes.framework.entered_context import entered
from .decompositions.native_ops import NAMESPACE
from .native_bodies import body

__all__ = ["declare_native_ops", "define_native_ops"]

_PREFIX = f"torch.{NAMESPACE}."


def declare_native_ops(module: ir.Module) -> None:
    """Turn each op of ours that was imported into a call of a function without a body."""
    with entered(module.context):
        for number, op in enumerate(find_ops(module.operation, where=_is_native)):
            name = f"{ir.StringAttr(op.attributes['name']).value}.{number}"
            signature = ir.FunctionType.get([one.type for one in op.operands], [one.type for one in op.results])
            with ir.InsertionPoint(module.body), op.location:
                attributes = {
                    "sym_name": ir.StringAttr.get(name),
                    "sym_visibility": ir.StringAttr.get("private"),
                    "function_type": ir.TypeAttr.get(signature),
                }
                ir.Operation.create("func.func", attributes=attributes, regions=1)
            with ir.InsertionPoint(op), op.location:
                callee = {"callee": ir.FlatSymbolRefAttr.get(name)}
                call = ir.Operation.create("func.call", signature.results, list(op.operands), callee)
            for old, new in zip(op.results, call.results, strict=True):
                old.replace_all_uses_with(new)
            op.erase()


def _is_native(op: ir.Operation) -> bool:
    return op.name == "torch.operator" and ir.StringAttr(op.attributes["name"]).value.startswith(_PREFIX)


def define_native_ops(module: ir.Module) -> bool:
    """Give the functions bodies; whether there are any."""
    with entered(module.context):
        functions = find_ops(module.operation, where=_is_declared)
        if functions:
            stablehlo.register(module.context)
        for function in functions:
            signature = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
            block = function.regions[0].blocks.append(
                *signature.inputs, arg_locs=[function.location] * len(signature.inputs)
            )
            name = _name(function).removeprefix(_PREFIX).split(".")[0]
            with ir.InsertionPoint(block), function.location:
                ir.Operation.create("func.return", [], list(body(name)(list(block.arguments), signature.results)))
    return bool(functions)


def _is_declared(op: ir.Operation) -> bool:
    return op.name == "func.func" and _name(op).startswith(_PREFIX)


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value
