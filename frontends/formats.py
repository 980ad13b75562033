"""Which dialect of a frontend a program is in, and its lowering to linalg on tensors.

    %0 = stablehlo.add %a, %b    JAX, TensorFlow; also as a portable artifact
    %0 = torch.aten.add.Tensor   torch-mlir, in its backend contract; ONNX operators as `torch.operator "onnx.Add"`
    %0 = tosa.add %a, %b         TensorFlow Lite and others

ONNX models are no MLIR: see `frontends/onnx/`.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

from mlir import ir

from ..dialects import stablehlo
from ..passes.pipeline.pipeline import run_pipeline

__all__ = ["DIALECTS", "find_dialect", "legalized", "register_dialect"]

DIALECTS = ("stablehlo", "torch", "tosa")
"""The dialects that are lowered."""

_OPERATION = re.compile(rf'^\s*(?:%[^=\n]*=\s*)?"?({"|".join(DIALECTS)})\.[a-z]', re.MULTILINE)
_NAMES = {name: re.compile(rb"[\0-\x1f\x80-\xff]" + name.encode() + rb"[\0-\x1f\x80-\xff]") for name in DIALECTS}

_ONNX_TO_TORCH = "torch-onnx-to-torch-backend-pipeline"
_TOSA_TO_LINALG = (
    "func.func(tosa-optional-decompositions),func.func(tosa-infer-shapes),func.func(tosa-make-broadcastable),"
    "func.func(tosa-to-linalg-named),func.func(tosa-layerwise-constant-fold),func.func(tosa-make-broadcastable),"
    "func.func(tosa-to-linalg),func.func(tosa-to-arith),func.func(tosa-to-tensor),func.func(tosa-to-scf),canonicalize"
)


def find_dialect(source: str | bytes) -> str | None:
    """The dialect of a frontend that MLIR text or bytecode has operations of; None if it has none of them."""
    if isinstance(source, str):
        found = _OPERATION.search(source)
        return found[1] if found else None
    if stablehlo.is_artifact(source):
        return "stablehlo"
    return next((name for name, pattern in _NAMES.items() if pattern.search(source)), None)


def register_dialect(name: str, context: ir.Context) -> None:
    """Let a context parse a dialect; raises `ImportError` where the bindings lack it."""
    if name == "stablehlo":
        stablehlo.register(context)
    elif name == "torch":
        _torch().register_dialect(context)


def _torch() -> Any:
    try:
        return importlib.import_module("mlir.dialects.torch")
    except ModuleNotFoundError as error:
        message = (
            "the MLIR bindings in use lack the torch dialect; use those that have it: python -m pip install torch-mlir"
        )
        raise ImportError(message, name=error.name) from None


def legalized(module: ir.Operation, dialect: str) -> ir.Operation:
    """A module in linalg, tensor, scf, arith, math and func; the given one may be changed.

    Raises `PassError`, with a diagnostic that names the operation, for what is not lowered.
    """
    if dialect == "stablehlo":
        from .stablehlo import legalize_stablehlo

        return legalize_stablehlo(module).operation
    if dialect == "torch":
        from .stablehlo.torch_dialect import lower_torch_dialect

        if _has_onnx(module):
            run_pipeline(module, _ONNX_TO_TORCH)
        return lower_torch_dialect(module)
    run_pipeline(module, _TOSA_TO_LINALG)
    return module


def _has_onnx(module: ir.Operation) -> bool:
    """Whether operations are those of ONNX, as torch-mlir's importer writes them."""
    found: list[bool] = []

    def note(op: ir.Operation) -> ir.WalkResult:
        if op.name == "torch.operator" and ir.StringAttr(op.attributes["name"]).value.startswith("onnx."):
            found.append(True)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    module.walk(note)
    return bool(found)
