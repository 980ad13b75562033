"""The two ways from torch-mlir's dialect, in its backend contract, to linalg: directly, or through StableHLO.

The direct one leaves scans, sorts and scatters in torch-mlir's dialect `tm_tensor`, of which nothing lowers what a
program needs. Through StableHLO they become loops by our passes.
"""

from __future__ import annotations

from mlir import ir

from ...dialects import stablehlo
from ...passes.analysis.ir.traversal import find_ops
from ...passes.pipeline.pipeline import run_pipeline
from .legalization import legalize_stablehlo

__all__ = [
    "CLEAN_STABLEHLO",
    "REFINE_SHAPES",
    "TO_BACKEND",
    "TO_BACKEND_KEEPING",
    "TO_LINALG",
    "TO_STABLEHLO",
    "lower_torch_dialect",
    "needs_stablehlo",
]

TO_BACKEND = (
    "builtin.module(func.func(torch-match-quantized-custom-ops),"
    "torchdynamo-export-to-torch-backend-pipeline{extra-library=})"
)
TO_BACKEND_KEEPING = TO_BACKEND.replace(
    "extra-library=", "backend-legal-ops=aten.flatten.using_ints,aten.unflatten.int extra-library="
)
TO_LINALG = (
    "builtin.module(func.func(torch-restructure-non-constant-axes,torch-fuse-quantized-ops,convert-torch-to-tmtensor,"
    "canonicalize,convert-torch-to-linalg,canonicalize,convert-torch-to-scf,convert-torch-to-arith,"
    "convert-torch-to-tensor),convert-torch-conversion-to-mlprogram,func.func(memref-expand,canonicalize,"
    "resolve-shaped-type-result-dims,cse),torch-func-backend-type-conversion,func.func(canonicalize,"
    "torch-finalizing-backend-type-conversion))"
)
TO_STABLEHLO = (
    "builtin.module(func.func(convert-torch-to-stablehlo,chlo-legalize-to-stablehlo,convert-torch-to-arith,"
    "canonicalize,cse),torch-func-backend-type-conversion-for-stablehlo,func.func(canonicalize,"
    "torch-finalizing-backend-type-conversion-for-stablehlo,stablehlo-canonicalize-dynamism,canonicalize))"
)
REFINE_SHAPES = "builtin.module(stablehlo-refine-shapes)"
CLEAN_STABLEHLO = (
    "builtin.module(func.func(canonicalize,stablehlo-canonicalize-dynamism,canonicalize,"
    "stablehlo-legalize-deprecated-ops{fail-on-unused=false}),canonicalize)"
)
"""Pipelines of torch-mlir: to ops that every backend must take, and from there on, without the check at the end that
there is no call."""

_LEFT = ("cumsum", "cumprod", "logcumsumexp", "index_put", "_index_put", "_unsafe_index_put", "scatter", "sort", "topk")
_NOT_TO_LINALG = tuple(f"torch.aten.{name}" for name in _LEFT)
"""What `TO_LINALG` leaves in the dialect `tm_tensor`; it ends the process at a `scatter_add` along dimension -1."""

_CHECKED_TO_LINALG = "torch-backend-to-linalg-on-tensors-backend-pipeline"


def needs_stablehlo(module: ir.Operation) -> bool:
    """Whether the direct way would leave ops of `tm_tensor`."""
    return any(op.name.startswith(_NOT_TO_LINALG) for op in find_ops(module))


def lower_torch_dialect(module: ir.Operation) -> ir.Operation:
    """Lower a module of the torch dialect to linalg on tensors; the given one may be changed.

    Raises `PassError` for what is not lowered.
    """
    run_pipeline(module, TO_BACKEND)
    if not needs_stablehlo(module):
        run_pipeline(module, _CHECKED_TO_LINALG)
        return module
    stablehlo.register(module.context)
    for pipeline in (TO_STABLEHLO, REFINE_SHAPES, CLEAN_STABLEHLO):
        run_pipeline(module, pipeline)
    return legalize_stablehlo(module).operation
