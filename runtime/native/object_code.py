"""Machine code without Python's lock: object files of modules in the LLVM dialect, by the C functions of the bindings.

The methods of the bindings' `ExecutionEngine` hold the lock from the translation to LLVM to the last instruction. The C
functions below them, which are called here, know nothing of Python: two threads compile two modules at once, of
contexts that nothing else uses meanwhile.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from mlir import ir
from mlir._mlir_libs import _mlirExecutionEngine

__all__ = ["CodeEmitter", "compiles_without_lock", "object_code"]

_PARAMETERS = "shared_libs: collections.abc.Sequence[str] = [], enable_object_dump: bool = True, enable_pic: bool ="
"""The last ones of the constructor of bindings whose C function takes them in this order."""


_SHORT = frozenset({"RegisterSymbol", "DumpToObjectFile"})
"""Functions that keep Python's lock: they take less time than getting it again."""


class _Handle(ctypes.Structure):
    """An object of the C functions, which take and return it by value."""

    _fields_ = (("pointer", ctypes.c_void_p),)


class _Text(ctypes.Structure):
    """A string of the C functions."""

    _fields_ = (("data", ctypes.c_char_p), ("length", ctypes.c_size_t))


class _Functions(NamedTuple):
    create: Callable[..., _Handle]
    register: Callable[..., None]
    lookup: Callable[..., int | None]
    dump: Callable[..., None]
    destroy: Callable[..., None]


def compiles_without_lock() -> bool:
    """Whether the bindings in use have the functions, as they are known here, and write object files that we load."""
    return _functions() is not None


def object_code(
    module: ir.Module, opt_level: int, shared_libs: Sequence[str], undefined: Iterable[str]
) -> bytes | None:
    """The object file of one module: see `CodeEmitter.code`."""
    with CodeEmitter() as emitter:
        return emitter.code(module, opt_level, shared_libs, undefined)


class CodeEmitter:
    """Makes object files, one after the other; what LLVM keeps of them is freed at the end of the `with` block.

    Each time that a thread has given Python's lock away, another one that runs Python's code keeps it for 5 ms. So
    there are two such times for each module, when LLVM optimizes and when it selects instructions.
    """

    def __init__(self) -> None:
        self._engines: list[_Handle] = []

    def __enter__(self) -> CodeEmitter:
        return self

    def __exit__(self, *_: object) -> None:
        functions = _functions()
        while functions is not None and self._engines:
            functions.destroy(self._engines.pop())

    def code(
        self, module: ir.Module, opt_level: int, shared_libs: Sequence[str], undefined: Iterable[str]
    ) -> bytes | None:
        """The object file of a module, in whose context nothing else happens meanwhile; None if there is none.

        Args:
            module: it defines a function that others see. What it declares is in the process or in `shared_libs`.
            opt_level: LLVM's.
            shared_libs: paths.
            undefined: symbols that the module declares, and whoever loads the code defines.
        """
        functions = _functions()
        name = _visible_function(module)
        if functions is None or name is None:
            return None
        libraries = (_Text * len(shared_libs))(*map(_text, shared_libs))
        engine = functions.create(_handle(module), opt_level, len(shared_libs), libraries, True, False)
        if not engine.pointer:
            return None
        self._engines.append(engine)
        # The engine links its own copy of the code, which is not run.
        for symbol in undefined:
            functions.register(engine, _text(symbol), ctypes.addressof(libraries) or 1)
        return _dumped(functions, engine) if functions.lookup(engine, _text(name)) else None


def _dumped(functions: _Functions, engine: _Handle) -> bytes | None:
    """The object file that an engine has made."""
    libc = _libc()
    file = libc.memfd_create(b"object", 1)  # closed in programs that are started
    if file < 0:
        return None
    try:
        functions.dump(engine, _text(f"/proc/self/fd/{file}"))
        size = libc.lseek(file, 0, os.SEEK_END)
        content = ctypes.create_string_buffer(max(size, 0))
        return content.raw if size > 0 and libc.pread(file, content, size, 0) == size else None
    finally:
        libc.close(file)


@cache
def _libc() -> Any:
    """The C library, whose functions here keep Python's lock."""
    libc = ctypes.PyDLL(None)
    libc.lseek.restype, libc.lseek.argtypes = ctypes.c_int64, (ctypes.c_int, ctypes.c_int64, ctypes.c_int)
    libc.pread.restype = ctypes.c_ssize_t
    libc.pread.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64)
    return libc


@cache
def _functions() -> _Functions | None:
    constructor = _mlirExecutionEngine.ExecutionEngine.__init__.__doc__ or ""
    if not sys.platform.startswith("linux") or _PARAMETERS not in constructor:
        return None
    place = str(_mlirExecutionEngine.__file__)
    without_lock, with_lock = ctypes.CDLL(place), ctypes.PyDLL(place)  # Either brings the libraries that it needs.
    engine, text, pointer = _Handle, _Text, ctypes.c_void_p
    types: dict[str, tuple[Any, ...]] = {
        "Create": (engine, engine, ctypes.c_int, ctypes.c_int, pointer, ctypes.c_bool, ctypes.c_bool),
        "RegisterSymbol": (None, engine, text, pointer),
        "Lookup": (pointer, engine, text),
        "DumpToObjectFile": (None, engine, text),
        "Destroy": (None, engine),
    }
    found: list[Any] = []
    for name, (result, *arguments) in types.items():
        library = with_lock if name in _SHORT else without_lock
        function = getattr(library, f"mlirExecutionEngine{name}", None)
        if function is None:
            return None
        function.restype, function.argtypes = result, arguments
        found.append(function)
    return _Functions(*found)


def _visible_function(module: ir.Module) -> str | None:
    for op in module.body.operations:
        found = op.operation
        is_defined = found.name == "llvm.func" and len(found.regions[0].blocks) > 0
        if is_defined and "external" in str(found.attributes["linkage"]):
            return ir.StringAttr(found.attributes["sym_name"]).value
    return None


def _text(text: str) -> _Text:
    data = text.encode()
    return _Text(data, len(data))


def _handle(module: ir.Module) -> _Handle:
    capsule: Any = module._CAPIPtr  # pyright: ignore[reportAttributeAccessIssue]
    name, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return _Handle(pointer(capsule, name(capsule)))
