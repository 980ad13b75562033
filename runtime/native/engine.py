"""The JIT: from a module in the LLVM dialect to native functions that take one pointer.

Each function `f` of the module is called through the wrapper the ExecutionEngine makes for it: it takes the address
of a table of pointers, one to each of the function's LLVM arguments and one, at the end, to memory for its result.
"""

from __future__ import annotations

import ctypes
import math
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mlir import ir
from mlir.execution_engine import ExecutionEngine

from ...passes.analysis.ir.traversal import first_op
from ...passes.framework.diagnostics import located
from ...passes.framework.errors import PassError
from ...passes.framework.interpreter_exit import kept_for_daemons
from ...passes.framework.native_stderr import captured_native_stderr
from .inline_assembly import InlineAssembly

_ARRAY_SIZE = re.compile(r"(\d+) x ")

MOST_ELEMENTS = 1 << 27
"""LLVM stores every element of a constant, even of a splat, several times."""

_TRANSLATED = ("llvm.", "omp.")
"""The dialects that become LLVM IR."""
_ASSEMBLY, _VSCALE = "llvm.inline_asm", "llvm.intr.vscale"
_ASKED = frozenset({_ASSEMBLY, _VSCALE})
_Native = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
_NO_PIC = "the MLIR bindings in use make no code for libraries; use newer ones: python -m pip install -U torch-mlir"


class Engine:
    """A JIT-compiled module, which owns its machine code.

    Raises `PassError` when an operation of another dialect is left, or no library defines a declared function, and
    `OSError` when a shared library cannot be loaded. `opt_level` is LLVM's, 0 to 3. `callbacks` are `ctypes` functions
    that the module declares, by symbol. `pic`: the object file may be linked into a library that is loaded anywhere.
    """

    def __init__(
        self,
        module: ir.Module,
        opt_level: int,
        shared_libs: Sequence[str],
        callbacks: Mapping[str, Any] | None = None,
        *,
        pic: bool = False,
    ) -> None:
        self._callbacks = dict(callbacks or {})  # kept alive as long as native code may call them
        checked = CheckedCode(module, shared_libs, self._callbacks)
        self._assembly, self._functions = checked.assembly, checked.functions
        with captured_native_stderr() as report:
            try:
                options = {"enable_pic": True} if pic else {}
                self._engine = ExecutionEngine(module, opt_level=opt_level, shared_libs=list(shared_libs), **options)
            except RuntimeError as error:
                failure = error
            except TypeError:
                if not pic:
                    raise
                raise PassError(_NO_PIC) from None
            else:
                for name, callback in self._callbacks.items():
                    self._engine.raw_register_runtime(name, ctypes.cast(callback, ctypes.c_void_p))
                kept_for_daemons(self)
                return
        raise PassError(f"cannot start the JIT: {failure} {report.text.strip()}")

    def object_code(self) -> bytes | None:
        """The object file of the code, after the first `function`; None if there is none."""
        with tempfile.TemporaryDirectory() as folder, captured_native_stderr():
            path = Path(folder, "object")
            self._engine.dump_to_object_file(str(path))
            return path.read_bytes() if path.exists() else None

    @property
    def objects(self) -> tuple[bytes, ...]:
        """The object file, if there is one, as `LoadedObject` takes it."""
        code = self.object_code()
        return () if code is None else (code,)

    def defines(self, name: str) -> bool:
        """Whether there is a function of that name."""
        return name in self._functions

    def function(self, name: str) -> Callable[[int], int]:
        """The native function of that name, to be called with the address of its pointer table.

        Raises `PassError` when the code needs a symbol that nothing in the process defines, or inline assembly of the
        module is wrong.
        """
        with captured_native_stderr() as report:
            address = self._engine.raw_lookup(name)
        if not address:
            raise PassError(f"cannot generate native code for '{name}': {report.text.strip()}")
        self._assembly.require_assembled(report.text)
        return _Native(address)


class CheckedCode:
    """What is known of a module that LLVM can take.

    Attributes:
        libraries: the shared libraries, loaded.
        assembly: its inline assembly, which has not been assembled yet.
        functions: the names of those that it defines.

    Raises what `Engine` does before there is code.
    """

    def __init__(self, module: ir.Module, shared_libs: Sequence[str], callbacks: Mapping[str, Any]) -> None:
        self.libraries = [load_library(path) for path in shared_libs]
        inline = require_lowered(module.operation)
        self.assembly = InlineAssembly(inline)
        self.has_assembly = bool(inline)
        _require_room(module.operation)
        self.functions = _require_symbols(module.operation, self.libraries, callbacks)


def library_paths(paths: object) -> tuple[str, ...]:
    """The paths of `shared_libs`; raises `TypeError` and `ValueError` for other values."""
    if isinstance(paths, (str, bytes)) or not isinstance(paths, Sequence):
        raise TypeError(f"shared_libs must be a sequence of paths, got {type(paths).__name__}; put one into a list")
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"shared_libs must hold paths, got {type(path).__name__}")
        if not str(path) or "\0" in str(path):
            raise ValueError(f"shared_libs holds {str(path)!r}, which is no path")
    return tuple(map(str, paths))


def load_library(path: str) -> ctypes.CDLL:
    """Open a shared library, by path or by the loader's search; raises `OSError` with one clear line."""
    if os.sep in path and not os.path.exists(path):
        raise FileNotFoundError(f"shared library '{path}' does not exist")
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise OSError(f"cannot load shared library '{path}': {error}") from None


def require_lowered(module: ir.Operation) -> list[ir.Operation]:
    """Raise `PassError` for the first operation that the lowering to LLVM left, with its place.

    Returns the inline assembly, which has not been checked yet.
    """
    assembly: list[ir.Operation] = []

    def is_left(op: ir.Operation) -> bool:
        name = op.name
        if name in _ASKED:
            assembly.extend([op.operation] if name == _ASSEMBLY else [])
            return name == _VSCALE
        return not name.startswith(_TRANSLATED) and op != module

    left = first_op(module, is_left)
    if left is None:
        return assembly
    advice = "no pass of the route handles it here; rewrite it with a pipeline of your own before compiling"
    if left.name == "builtin.module":
        advice = "a module within the module has no entry points; move its functions out of it, or compile it by itself"
    elif left.name == _VSCALE:
        advice = "there are no scalable vectors here; write the number of elements instead"
    raise PassError(located(left.location, f"'{left.name}' cannot be lowered to LLVM: {advice}"))


def require_registered(module: ir.Operation) -> None:
    """Raise `PassError` for the first unregistered operation; upstream's lowering of functions ends the process."""
    context = module.context
    if context.allow_unregistered_dialects:
        known = context.is_registered_operation
        left = first_op(module, lambda op: not known(op.name))
        if left is not None:
            advice = "it is not registered; rewrite it with a pipeline of your own before compiling"
            raise PassError(located(left.location, f"'{left.name}' cannot be lowered to LLVM: {advice}"))


def _require_room(module: ir.Operation) -> None:
    """Raise `PassError` for a constant or global so large that LLVM would end the process."""
    for op in module.regions[0].blocks[0].operations:
        if op.operation.name != "llvm.mlir.global":
            continue
        type_ = str(op.operation.attributes["global_type"])
        sizes = _ARRAY_SIZE.findall(type_) if type_.startswith("!llvm.array<") else []
        if math.prod(map(int, sizes)) > MOST_ELEMENTS:
            count = " x ".join(sizes)
            message = f"a constant of {count} elements cannot be compiled; fill a tensor when the program runs"
            raise PassError(located(op.operation.location, message))


def _require_symbols(
    module: ir.Operation, libraries: Sequence[ctypes.CDLL], callbacks: Mapping[str, Any]
) -> frozenset[str]:
    """Raise `PassError` for a declared function that the process, the libraries and the callbacks do not define.

    Returns the names of those that the module defines.
    """
    providers = [ctypes.CDLL(None), *libraries]
    defined: list[str] = []
    for op in module.regions[0].blocks[0].operations:
        if op.operation.name != "llvm.func":
            continue
        name = ir.StringAttr(op.operation.attributes["sym_name"]).value
        if len(op.operation.regions[0].blocks):
            defined.append(name)
        elif name not in callbacks and not any(hasattr(provider, name) for provider in providers):
            raise PassError(
                f"function '{name}' is declared but defined nowhere; define it, or name its library in shared_libs"
            )
    return frozenset(defined)
