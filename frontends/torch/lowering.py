"""From a prepared graph to linalg on tensors, by torch-mlir's importer and passes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mlir import ir

from ...dialects import stablehlo
from ...passes.analysis.ir.traversal import find_ops
from ...passes.framework.entered_context import entered, new_context
from ...passes.framework.errors import PassError
from ...passes.pipeline.pipeline import run_pipeline
from ...runtime.interface.signature_reading import WRITABLE
from ...runtime.source import private_copy
from ..stablehlo.legalization import legalize_stablehlo
from ..stablehlo.torch_dialect import (
    CLEAN_STABLEHLO,
    REFINE_SHAPES,
    TO_BACKEND,
    TO_BACKEND_KEEPING,
    TO_LINALG,
    TO_STABLEHLO,
    needs_stablehlo,
)
from .native_lowering import declare_native_ops, define_native_ops
from .support.framework import importer_module, torch_module
from .support.refusal import RefusedGraphError
from .transposed_weights import read_in_place

_OPERATOR = re.compile(r"(?:torch\.)?(?:aten|prims|prim|quantized|torchvision|tm_tensor)\.[\w.]*\w")
_KEPT = ("torch.aten.flatten.using_ints", "torch.aten.unflatten.int")
"""What `symbolic_views.py` makes, which would become views again."""

_FOREIGN = ("torch", "torch_c", "tm_tensor")


def tensor_module(graph: Any, names: Sequence[str | None], updates: Mapping[int, int]) -> ir.Module:
    """The module of a prepared graph, with a function `main`.

    Args:
        graph: as `graphs.prepare` makes it.
        names: what arguments are called.
        updates: arguments that are updated in place, with the numbers of the results that say to what.

    Raises `RefusedGraphError`, which names the ops that cannot be lowered.
    """
    module = _lowered(_imported(graph))
    with entered(module.context):
        (function,) = (op for op in module.body.operations if _is_main(op))
        for argument, name in zip(function.regions[0].blocks[0].arguments, names, strict=True):
            if name is not None:
                argument.set_location(ir.Location.name(name))
        _store_updates(function, updates)
        read_in_place(module.operation)
    return module


def _lowered(module: ir.Module) -> ir.Module:
    """By the shorter way that takes the graph; scans, sorts and scatters go through StableHLO."""
    declare_native_ops(module)
    kept = find_ops(module.operation, where=lambda op: op.name in _KEPT)
    _run(module, TO_BACKEND_KEEPING if kept else TO_BACKEND)
    if needs_stablehlo(module.operation):
        return _through_stablehlo(module)
    try:
        return _to_linalg(private_copy(module))
    except RefusedGraphError as refusal:
        try:
            return _through_stablehlo(module)
        except PassError:
            raise refusal from None  # It names the op as torch does.


def _to_linalg(module: ir.Module) -> ir.Module:
    _run(module, TO_LINALG)
    left = sorted({op.name for op in find_ops(module.operation) if op.name.split(".")[0] in _FOREIGN})
    if left:
        raise RefusedGraphError(left, "there is no lowering of it")
    return legalize_stablehlo(module) if define_native_ops(module) else module


def _through_stablehlo(module: ir.Module) -> ir.Module:
    stablehlo.register(module.context)
    _run(module, TO_STABLEHLO)
    if not define_native_ops(module):  # It ends the process at calls of functions without bodies.
        _run(module, REFINE_SHAPES)
    _run(module, CLEAN_STABLEHLO)
    return legalize_stablehlo(module)


def _run(module: ir.Module, pipeline: str) -> None:
    try:
        run_pipeline(module, pipeline)
    except PassError as error:
        named = _named_in(str(error)) or _operators_left(module)
        raise RefusedGraphError(named, _first_reason(error)) from error


def _operators_left(module: ir.Module) -> list[str]:
    """The ops of torch in a module that could not be lowered; passes do not always say which one was to blame."""
    found = {op.name.removeprefix("torch.") for op in find_ops(module.operation)}
    return sorted(name for name in found if _OPERATOR.fullmatch(name) and not name.startswith("prim."))


def _imported(graph: Any) -> ir.Module:
    importer = importer_module("mlir.extras.fx_importer")
    context = new_context()
    importer_module("mlir.dialects.torch").register_dialect(context)
    try:
        fx = importer.FxImporter(context=context)
        fx._cc = _with_named_places(importer.ContextCache)(context, py_attr_tracker=fx._py_attr_tracker)
        owner = torch_module("torch.fx").GraphModule(torch_module("torch.nn").Module(), graph)
        fx.import_stateless_graph(owner.graph, func_name="main")
    except Exception as error:  # Whatever the importer meets that it does not know: no error is documented.
        reason = str(error).strip().splitlines()
        raise RefusedGraphError(_named_in(str(error)), reason[0] if reason else type(error).__name__) from error
    return fx.module


def _with_named_places(cache_class: Any) -> Any:
    """The importer's cache with locations named by the path of the module that has the call: `loc("head.proj"(…))`."""

    class NamedPlaces(cache_class):
        def get_node_location(self, node: Any) -> ir.Location | None:
            place = super().get_node_location(node)
            stack = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values()]
            path = re.sub(r"^L\['self'\]\.?", "", str(stack[-1])) if stack else ""
            return ir.Location.name(path, place, context=self._c) if path else place

    return NamedPlaces


def _named_in(message: str) -> list[str]:
    found = [name.removeprefix("torch.") for name in _OPERATOR.findall(message)]
    return sorted(set(found))


def _first_reason(error: PassError) -> str:
    errors = [one for one in error.diagnostics if one.severity == "error"]
    return errors[0].message.strip().splitlines()[0] if errors else error.summary


def _is_main(op: Any) -> bool:
    return op.operation.name == "func.func" and ir.StringAttr(op.operation.attributes["sym_name"]).value == "main"


def _store_updates(function: Any, updates: Mapping[int, int]) -> None:
    """Make updated arguments writable, and have their new contents computed there."""
    if not updates:
        return
    block = function.regions[0].blocks[0]
    attributes = list(function.arg_attrs) if "arg_attrs" in function.attributes else []
    attributes = attributes or [ir.DictAttr.get({}) for _ in block.arguments]
    return_op = list(block.operations)[-1]
    for argument, result in updates.items():
        destination, value = block.arguments[argument], return_op.operands[result]
        stored = ir.Operation.create(
            "bufferization.materialize_in_destination",
            results=[value.type],
            operands=[value, destination],
            loc=return_op.location,
            ip=ir.InsertionPoint(return_op),
        )
        return_op.operands[result] = stored.result
        attributes[argument] = ir.DictAttr.get({WRITABLE: ir.BoolAttr.get(True)})
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
