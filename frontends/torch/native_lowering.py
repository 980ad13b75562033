"""Ops of `native_ops.py` as functions, which torch-mlir's passes keep, and these functions' bodies.

Before torch-mlir lowers a graph, each op becomes the call of a declared function; afterwards the function is given a
body of StableHLO ops and loops, which `legalize_stablehlo` inlines and lowers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from ...dialects import stablehlo
from ...dialects.support.index_math import index_constant
from ...passes.analysis.ir.traversal import find_ops
from ...passes.framework.entered_context import entered
from ...passes.stablehlo.rewriting.loops import loop_nest
from .native_ops import NAMESPACE

__all__ = ["declare_native_ops", "define_native_ops"]

Values = Sequence[ir.Value]
Types = Sequence[ir.Type]
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
                ir.Operation.create("func.return", [], list(_RULES[name](list(block.arguments), signature.results)))
    return bool(functions)


def _is_declared(op: ir.Operation) -> bool:
    return op.name == "func.func" and _name(op).startswith(_PREFIX)


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value


def _library_call(target: str) -> Callable[[Values, Types], Values]:
    def build(operands: Values, types: Types) -> Values:
        letter = {"f32": "s", "f64": "d"}[str(ir.RankedTensorType(operands[0].type).element_type)]
        return _called(target.replace("?", letter), operands, types)

    return build


def _called(target: str, operands: Values, types: Types, **options: int) -> Values:
    attributes: dict[str, ir.Attribute] = {"call_target_name": ir.StringAttr.get(target)}
    if options:
        byte = ir.IntegerType.get_signless(8)
        numbers = {name: ir.IntegerAttr.get(byte, number) for name, number in options.items()}
        attributes["mhlo.backend_config"] = ir.DictAttr.get({**numbers})
    return list(ir.Operation.create("stablehlo.custom_call", types, list(operands), attributes).results)


def _cholesky(operands: Values, types: Types) -> Values:
    letter = {"f32": "s", "f64": "d"}[str(ir.RankedTensorType(operands[0].type).element_type)]
    return _called(f"lapack_{letter}potrf_ffi", operands, types, uplo=ord("L"))


def _solve(*, lower: bool) -> Callable[[Values, Types], Values]:
    def build(operands: Values, types: Types) -> Values:
        flag = ir.BoolAttr.get
        attributes = {
            "left_side": flag(True),
            "lower": flag(lower),
            "unit_diagonal": flag(False),
            "transpose_a": ir.Attribute.parse("#stablehlo<transpose NO_TRANSPOSE>"),
        }
        return list(ir.Operation.create("stablehlo.triangular_solve", types, list(operands), attributes).results)

    return build


def _swap_rows(operands: Values, _types: Types) -> Values:
    """Swaps of elements, one after the other: number `k` with the one that the pivot `k` says."""
    x, pivots = operands
    batch, count = ir.RankedTensorType(pivots.type).shape

    def swap(place: list[ir.Value], carried: list[ir.Value]) -> Values:
        (x,) = carried
        index, k = place
        pivot = arith.index_cast(ir.IndexType.get(), tensor.extract(pivots, place))
        other = arith.subi(pivot, index_constant(1))
        one, two = tensor.extract(x, [index, k]), tensor.extract(x, [index, other])
        return [tensor.insert(one, tensor.insert(two, x, [index, k]), [index, other])]

    return loop_nest([batch, count], [x], swap)


_RULES: dict[str, Callable[[Values, Types], Values]] = {
    "lu": _library_call("lapack_?getrf_ffi"),
    "cholesky": _cholesky,
    "qr": _library_call("Qr"),
    "householder": _library_call("ProductOfElementaryHouseholderReflectors"),
    "solve_lower": _solve(lower=True),
    "solve_upper": _solve(lower=False),
    "swap_rows": _swap_rows,
}
"""What builds the body of each function."""
