"""A Python package around a library, which needs NumPy alone: its calls behave as those of `mi.compile`.

It has copies of the files here that check arguments, fill frames and take results, in folders of the same names.
"""

from __future__ import annotations

from pathlib import Path

from ... import __version__
from ..interface.names import python_names
from ..interface.signature import Parameter, Signature, ValueType
from .entry_code import held_symbol
from .interface import CFunction
from .library import Library
from .loaded_library import NativeForms

__all__ = ["COPIED", "COPIES", "package_files"]

_ROOT = Path(__file__).parents[2]
COPIES = "_mlir_inplace"
"""The folder of the copies in the package."""

COPIED = (
    "dialects/support/frozen_classes.py",
    "passes/framework/contract.py",
    "passes/framework/errors.py",
    "runtime/ahead_of_time/loaded_library.py",
    *(
        f"runtime/call/{name}.py"
        for name in (
            "arguments",
            "bound_call",
            "entry_point",
            "exclusive_memory",
            "failures",
            "foreign_arrays",
            "frames",
            "held_arguments",
            "native_plan",
            "out_arrays",
            "plan",
            "process_bound",
            "results",
            "trampoline_code",
            "trampoline_records",
            "trampolines",
        )
    ),
    *(f"runtime/interface/{name}.py" for name in ("dtypes", "forms", "keywords", "memrefs", "names", "signature")),
    "runtime/memory/result_pool.py",
    "runtime/memory/statistics.py",
    "runtime/native/shorthand.py",
)
"""`loaded_library.py` and all that it imports."""


def package_files(library: Library, shared: bytes, source: str) -> dict[str, bytes]:
    """The files of the package by path; `shared` is the shared library, `source` the name of the program."""
    files = {f"{COPIES}/{path}": (_ROOT / path).read_bytes() for path in COPIED}
    folders = {folder.as_posix() for path in COPIED for folder in Path(path).parents}
    files |= {f"{COPIES}/{folder}/__init__.py".replace("/./", "/"): b"" for folder in folders}
    files[f"{COPIES}/LICENSE"] = _LICENSE
    name = f"lib{library.wanted.prefix}.so"
    texts = {"__init__.py": _init(library, source), "_functions.py": _functions(library, name)}
    return {**files, name: shared, **{path: text.encode() for path, text in texts.items()}}


_LICENSE = b"These files are parts of mlir-inplace, under the Apache License 2.0 with LLVM exceptions.\n"


def _init(library: Library, source: str) -> str:
    names = _names(library)
    lines = [
        f'"""Functions of {_quoted(source)}, compiled by mlir-inplace {__version__}."""\n',
        "from ._functions import ENTRY_POINTS, LIBRARY\n",
        f"__all__ = {sorted(names)!r}\n",
        *(f"{name} = ENTRY_POINTS[{name!r}]" for name in names),
        "",
    ]
    return "\n".join(lines)


def _functions(library: Library, shared: str) -> str:
    entries = zip(_names(library), library.functions, strict=True)
    lines = [
        '"""The functions of the library, with the types of their arguments and results."""\n',
        "from pathlib import Path\n",
        f"from .{COPIES}.runtime.ahead_of_time.loaded_library import LoadedLibrary, NativeForms, value_type",
        f"from .{COPIES}.runtime.interface.forms import Form, Layout, OutArgument",
        f"from .{COPIES}.runtime.interface.signature import Parameter, Signature\n",
        f"LIBRARY = LoadedLibrary(Path(__file__).with_name({shared!r}), {library.wanted.prefix!r})\n",
        "ENTRY_POINTS = {",
        *(f"    {name!r}: {_entry(function, library)}," for name, function in entries),
        "}\n",
    ]
    return "\n".join(lines)


def _names(library: Library) -> tuple[str, ...]:
    return python_names([function.signature.name for function in library.functions])


def _quoted(text: str) -> str:
    return text.replace("\\", "/").replace('"', "'")


def _entry(function: CFunction, library: Library) -> str:
    name = function.signature.name
    contiguous, strided = (library.forms.get(one, {}).get(name) for one in (True, False))
    if contiguous is None:
        raise KeyError(name)
    forms = NativeForms(contiguous, strided, dict(library.owns_results))
    weights = {index: held_symbol(function, index) for index in sorted(function.held)}
    return f"LIBRARY.entry_point({function.name!r}, {_signature(function.signature)}, {forms!r}, {weights!r})"


def _signature(signature: Signature) -> str:
    parameters = "".join(f"{_parameter(one)}, " for one in signature.parameters)
    results = "".join(f"{_type(one)}, " for one in signature.results)
    rest = f"{signature.size_checks!r}, {signature.result_names!r}"
    return f"Signature({signature.name!r}, ({parameters}), ({results}), {rest})"


def _parameter(parameter: Parameter) -> str:
    type_, writable, binding = _type(parameter.type), parameter.writable, parameter.binding
    return f"Parameter({parameter.index}, {parameter.name!r}, {type_}, {writable}, {binding})"


def _type(type_: ValueType) -> str:
    return f"value_type({type_.spelling!r}, {type_.kind.value!r}, {type_.element.spelling!r}, {type_.shape!r})"
