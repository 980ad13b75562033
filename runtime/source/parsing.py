"""Sources of programs: a module in memory, MLIR text or bytecode, or a file."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Union

from mlir import ir

from ...dialects.support import dispatch_text as dispatch
from ...dialects.support.attribute_casts import read_every_attribute
from ...passes.framework.entered_context import entered, new_context
from .argument_names import ArgumentNames
from .bytecode import check_bytecode
from .locations import UNNAMED_SOURCE as _UNNAMED
from .locations import name_locations
from .text_checks import BYTECODE_MAGIC, MAX_BYTES, check_text, decode_text

Source = Union[ir.Module, ir.Operation, ir.OpView, str, bytes, "os.PathLike[str]"]

IR = (ir.Module, ir.Operation, ir.OpView)
"""IR in memory, which no parser has verified."""

_SUFFIXES = (".mlir", ".mlirbc")


def private_copy(source: object) -> ir.Module:
    """The module of `parse_source`."""
    return parse_source(source)[0]


def parse_source(source: object) -> tuple[ir.Module, ArgumentNames]:
    """A private copy of the module to work on, and the names of its arguments; the source stays as it is.

    A module is cloned in its own context; anything else is parsed in a new one. A `str` is a path if it is one line
    that ends in .mlir or .mlirbc or names an existing file, and MLIR text otherwise.

    Raises `ir.MLIRError` with the parser's diagnostics or as `TextError`, `OSError` if a file cannot be read,
    `TypeError` for other objects.
    """
    if isinstance(source, IR):
        read_every_attribute(source.operation.context)
        return _clone(source.operation), ArgumentNames()
    if isinstance(source, str) and is_path(source):
        source = Path(source)
    if isinstance(source, os.PathLike):
        return _parse_file(Path(source))
    if not isinstance(source, (str, bytes)):
        raise TypeError(f"expected an ir.Module, MLIR text or bytecode, or a path, got {type(source).__name__}")
    if isinstance(source, bytes):
        if source.startswith(BYTECODE_MAGIC):
            return _parse_bytecode(source, _UNNAMED), ArgumentNames()
        source = decode_text(source, _UNNAMED)
    check_text(source)
    with _new_context() as context:
        return dispatch.parse(source, context), ArgumentNames(source.encode(), _UNNAMED)


def _parse_file(path: Path) -> tuple[ir.Module, ArgumentNames]:
    content = read_program(path)
    if content.startswith(BYTECODE_MAGIC):
        return _parse_bytecode(content, str(path)), ArgumentNames()
    names = ArgumentNames(content, str(path))
    text = decode_text(content, str(path))
    check_text(text, str(path))
    with _new_context() as context:
        dispatch.register_for(content, context)
        if not dispatch.mentions_dispatch(text):
            return ir.Module.parseFile(str(path)), names
        module = dispatch.parse(text, context, str(path))
        name_locations(module.operation, str(path))
        return module, names


def read_program(path: Path) -> bytes:
    """The content of a file; raises `OSError`, also for one that is too large."""
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise OSError(errno.EFBIG, f"larger than {MAX_BYTES >> 20} MiB", str(path))
    return content


def _parse_bytecode(content: bytes, name: str) -> ir.Module:
    check_bytecode(content, name)
    with _new_context() as context:
        dispatch.register_for(content, context)
        return ir.Module.parse(content)


def _new_context() -> ir.Context:
    context = new_context()
    read_every_attribute(context)
    return context


def _clone(module: ir.Operation) -> ir.Module:
    if module.name != "builtin.module":
        raise TypeError(f"expected a builtin.module, got an operation '{module.name}'")
    with entered(module.context), module.location:
        copy = ir.Module.create()
        for op in module.regions[0].blocks[0].operations:
            copy.body.append(op.operation.clone())
        for name in module.attributes:
            copy.operation.attributes[name] = module.attributes[name]
        return copy


def is_path(text: str) -> bool:
    """Whether a source that is a `str` is a path, not MLIR text."""
    return "\n" not in text and "\0" not in text and (text.endswith(_SUFFIXES) or os.path.exists(text))
