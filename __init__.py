"""In-place bufferization for MLIR, in Python: tensor programs in, in-place memref programs out, run on the host CPU.

Importing this package first makes `mlir` importable (see `mlir_inplace.runtime.bindings`); the public names below are
then loaded on first use, so that `import mlir_inplace` costs milliseconds.

    import mlir_inplace as mi
    from mlir import ir

    with ir.Context():
        module = ir.Module.parse(text)
        report = mi.bufferize(module)   # in place, with the reason for every copy that is left
        program = mi.compile(module)    # JIT-compiled: NumPy arrays in, NumPy arrays out
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .checking.checker import CheckReport, check
    from .dialects.bufferizable import AliasingValue, Forwarding, GlobalTensor, OpModel, Relation, Subset
    from .dialects.registry import ModelClashError, register_op_model
    from .dialects.rewriter import Rewriter
    from .frontends.compilation import compile
    from .frontends.jax.from_jax import from_jax
    from .frontends.jax.jit import JittedFunction, jit
    from .frontends.jax.shard import shard_jax
    from .frontends.onnx.program import from_onnx
    from .frontends.torch.exported import from_torch
    from .passes.framework.base import Pass, Statistic
    from .passes.framework.diagnostics import Diagnostic
    from .passes.framework.errors import OptionError, PassError, PassFailure, PipelineError, RegistryError
    from .passes.framework.options import PassOptions, option
    from .passes.pipeline.pipeline import Pipeline, run_pipeline
    from .passes.pipeline.registry import register_pass
    from .runtime import bindings
    from .runtime.call.bound_call import BoundCall
    from .runtime.call.entry_point import EntryPoint
    from .runtime.compilation.autotuning import autotune
    from .runtime.compilation.program import Program
    from .runtime.interface.dtypes import ElementType, UnsupportedTypeError
    from .runtime.interface.signature import BoundaryKind, Parameter, Signature, ValueType
    from .runtime.memory.pool import release_memory
    from .runtime.memory.statistics import MemoryStats
    from .runtime.message_passing.communicators import RankError
    from .runtime.report import (
        BufferizationReport,
        BufferRecord,
        Change,
        EventKind,
        Reason,
        ReportedAliasSet,
        ReportedDecision,
        ReportedValue,
        bufferize,
    )
    from .runtime.sharding import shard
else:
    # Absolute at run time, here only: pytest imports this file outside its package.
    from mlir_inplace.runtime import bindings

__version__ = "0.1.0"

__all__ = [
    "AliasingValue",
    "BoundCall",
    "BoundaryKind",
    "BufferRecord",
    "BufferizationReport",
    "Change",
    "CheckReport",
    "Diagnostic",
    "ElementType",
    "EntryPoint",
    "EventKind",
    "Forwarding",
    "GlobalTensor",
    "JittedFunction",
    "MemoryStats",
    "ModelClashError",
    "OpModel",
    "OptionError",
    "Parameter",
    "Pass",
    "PassError",
    "PassFailure",
    "PassOptions",
    "Pipeline",
    "PipelineError",
    "Program",
    "RankError",
    "Reason",
    "RegistryError",
    "Relation",
    "ReportedAliasSet",
    "ReportedDecision",
    "ReportedValue",
    "Rewriter",
    "Signature",
    "Statistic",
    "Subset",
    "UnsupportedTypeError",
    "ValueType",
    "__version__",
    "autotune",
    "bufferize",
    "check",
    "compile",
    "from_jax",
    "from_onnx",
    "from_torch",
    "jit",
    "option",
    "register_op_model",
    "register_pass",
    "release_memory",
    "run_pipeline",
    "shard",
    "shard_jax",
]

_NAMES = {
    "checking.checker": "CheckReport check",
    "dialects.bufferizable": "AliasingValue Forwarding GlobalTensor OpModel Relation Subset",
    "dialects.registry": "ModelClashError register_op_model",
    "dialects.rewriter": "Rewriter",
    "frontends.compilation": "compile",
    "frontends.jax.from_jax": "from_jax",
    "frontends.jax.jit": "JittedFunction jit",
    "frontends.jax.shard": "shard_jax",
    "frontends.onnx.program": "from_onnx",
    "frontends.torch.exported": "from_torch",
    "passes.framework.base": "Pass Statistic",
    "passes.framework.diagnostics": "Diagnostic",
    "passes.framework.errors": "OptionError PassError PassFailure PipelineError RegistryError",
    "passes.framework.options": "PassOptions option",
    "passes.pipeline.pipeline": "Pipeline run_pipeline",
    "passes.pipeline.registry": "register_pass",
    "runtime.call.bound_call": "BoundCall",
    "runtime.call.entry_point": "EntryPoint",
    "runtime.compilation.autotuning": "autotune",
    "runtime.compilation.program": "Program",
    "runtime.interface.dtypes": "ElementType UnsupportedTypeError",
    "runtime.interface.signature": "BoundaryKind Parameter Signature ValueType",
    "runtime.memory.pool": "release_memory",
    "runtime.memory.statistics": "MemoryStats",
    "runtime.message_passing.communicators": "RankError",
    "runtime.report": "BufferRecord BufferizationReport Change EventKind Reason ReportedAliasSet ReportedDecision "
    "ReportedValue bufferize",
    "runtime.sharding": "shard",
}
"""The modules of the package that define public names, with these."""

_HOMES = {name: f"mlir_inplace.{module}" for module, names in _NAMES.items() for name in names.split()}

try:
    bindings.install()
except ImportError as error:
    # A person at a command line gets the one line that says what to do; a program gets the exception.
    if program := bindings.command_line_program():
        sys.exit(f"{program}: error: {error}")
    raise


def __getattr__(name: str) -> object:
    """Loads a public name from the module it lives in, once; raises AttributeError for any other name."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .runtime.compilation.garbage import collection_paused

    with collection_paused():
        value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted({*globals(), *__all__})
