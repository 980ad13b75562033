"""From a traced JAX function to linalg on tensors, in our bindings."""

from __future__ import annotations

from typing import cast

from mlir import ir
from mlir.dialects import func

from ...passes.framework.entered_context import entered
from ...runtime.interface.signature_reading import WRITABLE
from ..stablehlo import legalize_stablehlo, parse_stablehlo
from .tracing import TracedFunction


def tensor_module(traced: TracedFunction) -> ir.Module:
    """The module of `traced` on tensors, without StableHLO; donated arguments of `main` are writable.

    Raises `PassError` for an operation that cannot be lowered.
    """
    module = parse_stablehlo(traced.artifact)
    with entered(module.context):
        for name in list(module.operation.attributes):
            del module.operation.attributes[name]
        _describe_arguments(cast("func.FuncOp", ir.SymbolTable(module.operation)["main"]), traced)
    return legalize_stablehlo(module)


def _describe_arguments(main: func.FuncOp, traced: TracedFunction) -> None:
    """Let attributes of arguments say which may be written, and nothing else, and locations what they are called."""
    names = [f"constant{index}" for index in range(len(traced.constants))] + list(traced.names)
    for argument, name in zip(main.arguments, names, strict=True):
        argument.set_location(ir.Location.name(name))
    donated = [False] * len(traced.constants) + list(traced.donated)
    writable: dict[str, ir.Attribute] = {WRITABLE: ir.BoolAttr.get(True)}
    main.arg_attrs = [ir.DictAttr.get(writable if given else {}) for given in donated]
