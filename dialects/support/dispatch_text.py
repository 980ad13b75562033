"""MLIR that may use the dispatch dialect; the dialect is imported only where it is mentioned."""

from __future__ import annotations

import importlib
from typing import Any

from mlir import ir

__all__ = ["mentions_dispatch", "parse", "read_text", "register_for"]


def mentions_dispatch(source: str | bytes) -> bool:
    """Whether MLIR text or bytecode may use the dialect, so that it must be loaded before it is parsed."""
    return "dispatch." in source if isinstance(source, str) else b"dispatch" in source


def register_for(source: str | bytes, context: ir.Context) -> None:
    """Loads the dialect into `context` if `source`, text or bytecode that is to be parsed there, may use it."""
    if mentions_dispatch(source):
        _dialect().register(context)


def read_text(text: str, context: ir.Context, file: str = "-") -> str:
    """Prepares MLIR text for parsing in `context`: loads the dialect if it is mentioned, returns the generic form.

    Raises `DispatchSyntaxError`, an `ir.MLIRError`, for the lighter form written wrongly; `file` is its name there.
    """
    if not mentions_dispatch(text):
        return text
    dialect = _dialect()
    dialect.register(context)
    return dialect.import_text(text, file)


def parse(text: str, context: ir.Context, file: str = "-") -> ir.Module:
    """`ir.Module.parse` for text that uses the dialect, in the generic or the lighter form.

    Raises `ir.MLIRError` with what the parser found, which calls the text `-`; `DispatchSyntaxError` calls it `file`.
    """
    generic = read_text(text, context, file)
    try:
        return ir.Module.parse(generic, context)
    except ir.MLIRError as error:
        silent = not error.error_diagnostics and not context.emit_error_diagnostics
        if silent and mentions_dispatch(text) and (unread := _dialect().unread_operation(text, file)):
            raise unread from error
        raise


def _dialect() -> Any:
    """The package of the dialect, as `dialects/registry.py` finds those with models."""
    return importlib.import_module("..dispatch", __package__)
