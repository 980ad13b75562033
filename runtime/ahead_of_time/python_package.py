"""A Python package around a library, which needs NumPy alone: its calls behave as those of `mi.compile`.

It has copies of the files here that check arguments, fill frames and take results, in folders of the same names.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ... import __version__
from ..interface.names import python_names
from ..interface.signature import Parameter, Signature, ValueType
from ..message_passing.shards import ShardedSignature
from .entry_code import held_symbol
from .interface import CFunction
from .library import Library
from .loaded_library import NativeForms
from .message_code import Messages

__all__ = ["COPIED", "COPIED_FOR_RANKS", "COPIES", "package_files"]

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
            "trampoline_records",
            "trampolines",
        )
    ),
    *(
        f"runtime/interface/{name}.py"
        for name in ("dtypes", "forms", "keywords", "memrefs", "names", "result_sizes", "signature")
    ),
    "runtime/memory/result_pool.py",
    "runtime/memory/statistics.py",
)
"""`loaded_library.py` and all that it imports."""

COPIED_FOR_RANKS = (
    "dialects/support/shard_layout.py",
    "runtime/ahead_of_time/library_ranks.py",
    *(
        f"runtime/message_passing/{name}.py"
        for name in ("communicators", "distributed_entry", "library", "rank_parts", "shards", "whole_arrays")
    ),
)
"""The same for `library_ranks.py`, in packages that send messages."""


def package_files(library: Library, shared: bytes, source: str) -> dict[str, bytes]:
    """The files of the package by path; `shared` is the shared library, `source` the name of the program."""
    copied = COPIED if library.messages is None else (*COPIED, *COPIED_FOR_RANKS)
    files = {f"{COPIES}/{path}": (_ROOT / path).read_bytes() for path in copied}
    folders = {folder.as_posix() for path in copied for folder in Path(path).parents}
    files |= {f"{COPIES}/{folder}/__init__.py".replace("/./", "/"): b"" for folder in folders}
    files[f"{COPIES}/LICENSE"] = _LICENSE
    name = f"lib{library.wanted.prefix}.so"
    texts = {"__init__.py": _init(library, source), "_functions.py": _functions(library, name)}
    return {**files, name: shared, **{path: text.encode() for path, text in texts.items()}}


_LICENSE = b"These files are parts of mlir-inplace, under the Apache License 2.0 with LLVM exceptions.\n"


def _init(library: Library, source: str) -> str:
    names, use = _names(library), [] if library.messages is None else ["use_mpi"]
    lines = [
        f'"""Functions of {_quoted(source)}, compiled by mlir-inplace {__version__}."""\n',
        f"from ._functions import {', '.join(['ENTRY_POINTS', 'LIBRARY', *use])}\n",
        f"__all__ = {sorted([*names, *use])!r}\n",
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
        *_ranks(library.messages),
        "ENTRY_POINTS = {",
        *(f"    {name!r}: {_entry(function, library)}," for name, function in entries),
        "}\n",
    ]
    return "\n".join(lines)


def _ranks(messages: Messages | None) -> Sequence[str]:
    """The lines that make the ranks of the library, if it sends messages."""
    if messages is None:
        return ()
    return (
        f"from .{COPIES}.dialects.support.shard_layout import ShardLayout",
        f"from .{COPIES}.runtime.ahead_of_time.library_ranks import LibraryRanks",
        f"from .{COPIES}.runtime.message_passing.shards import Shard, ShardedSignature\n",
        f"RANKS = LibraryRanks(LIBRARY, {messages.grid!r}, {tuple(messages.functions)!r})",
        "use_mpi = RANKS.use",
    )


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
    given = f"{function.name!r}, {_signature(function.signature)}, {forms!r}, {weights!r}"
    if library.messages is None:
        return f"LIBRARY.entry_point({given})"
    return f"RANKS.entry_point({given}, {_sharded(library.messages.shards.get(name))})"


def _sharded(shards: ShardedSignature | None) -> str:
    if shards is None:
        return "None"
    sides = (
        "".join(f"Shard({_type(one.whole)}, {one.layout!r}), " for one in side)
        for side in (shards.parameters, shards.results)
    )
    return f"ShardedSignature({shards.grid!r}, {', '.join(f'({side})' for side in sides)})"


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
