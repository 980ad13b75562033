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
    from .passes.framework.errors import PassError
    from .passes.pipeline.pipeline import run_pipeline
    from .runtime import bindings
    from .runtime.call.bound_call import BoundCall
    from .runtime.compilation.autotuning import autotune
    from .runtime.compilation.program import Program, compile
    from .runtime.memory.pool import release_memory
    from .runtime.report import BufferizationReport, bufferize
else:
    # Absolute at run time, here only: pytest imports this file outside its package.
    from mlir_inplace.runtime import bindings

__version__ = "0.1.0"

__all__ = [
    "BoundCall",
    "BufferizationReport",
    "CheckReport",
    "PassError",
    "Program",
    "__version__",
    "autotune",
    "bufferize",
    "check",
    "compile",
    "release_memory",
    "run_pipeline",
]

_HOMES = {
    "BoundCall": "mlir_inplace.runtime.call.bound_call",
    "BufferizationReport": "mlir_inplace.runtime.report",
    "CheckReport": "mlir_inplace.checking.checker",
    "PassError": "mlir_inplace.passes.framework.errors",
    "Program": "mlir_inplace.runtime.compilation.program",
    "autotune": "mlir_inplace.runtime.compilation.autotuning",
    "bufferize": "mlir_inplace.runtime.report",
    "check": "mlir_inplace.checking.checker",
    "compile": "mlir_inplace.runtime.compilation.program",
    "release_memory": "mlir_inplace.runtime.memory.pool",
    "run_pipeline": "mlir_inplace.passes.pipeline.pipeline",
}

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
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted({*globals(), *__all__})
