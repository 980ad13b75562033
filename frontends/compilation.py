"""`compile` of programs in any dialect: those in StableHLO, the torch dialect and TOSA are lowered to linalg first."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, ParamSpec

from mlir import ir

from ..dialects import stablehlo
from ..passes.analysis.ir.traversal import find_ops
from ..passes.framework.entered_context import new_context
from ..runtime.compilation.program import Program
from ..runtime.compilation.program import compile as compile_tensors
from ..runtime.source.bytecode import check_bytecode
from ..runtime.source.parsing import IR, Source, is_path, private_copy, read_program
from ..runtime.source.text_checks import BYTECODE_MAGIC, check_text, decode_text
from .formats import DIALECTS, find_dialect, legalized, register_dialect
from .stablehlo import parse_artifact

__all__ = ["compile"]

_Options = ParamSpec("_Options")
_PREFIXES = tuple(f"{name}." for name in DIALECTS)


def _of_any_dialect(
    compile_linalg: Callable[Concatenate[Source, _Options], Program],
) -> Callable[Concatenate[Source, _Options], Program]:
    @functools.wraps(compile_linalg)
    def compile(source: Source, *args: _Options.args, **options: _Options.kwargs) -> Program:  # noqa: A001
        return compile_linalg(_lowered(source), *args, **options)

    return compile


def _lowered(source: Source) -> Source:
    """The program in linalg on tensors if it is in a dialect of a frontend; otherwise the same source."""
    if isinstance(source, IR):
        foreign = find_ops(source.operation, where=lambda op: op.name.startswith(_PREFIXES))
        return legalized(private_copy(source).operation, foreign[0].name.split(".")[0]) if foreign else source
    name = "-"
    if isinstance(source, os.PathLike) or (isinstance(source, str) and is_path(source)):
        name = os.fspath(source)
        content: str | bytes = read_program(Path(source))
    elif isinstance(source, (str, bytes)):  # pyright: ignore[reportUnnecessaryIsInstance]
        content = source
    else:
        return source  # which is an error of `compile`
    if isinstance(content, bytes) and not content.startswith(BYTECODE_MAGIC):
        content = decode_text(content, name)
    if isinstance(content, str) and not any(prefix in content for prefix in _PREFIXES):
        return source
    dialect = find_dialect(content)
    return source if dialect is None else legalized(_parsed(content, name, dialect), dialect)


def _parsed(content: str | bytes, name: str, dialect: str) -> ir.Operation:
    context = new_context()
    if isinstance(content, bytes):
        check_bytecode(content, name)
        if stablehlo.is_artifact(content):
            return parse_artifact(content, context).operation
    else:
        check_text(content, name)
    register_dialect(dialect, context)
    with context:
        parsed = ir.Module.parseFile(name) if name != "-" else ir.Module.parse(content)
    return parsed.operation


compile = _of_any_dialect(compile_tensors)  # noqa: A001
