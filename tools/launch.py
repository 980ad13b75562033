"""Entry points of the installed commands, which handle Ctrl-C and missing packages before they import anything.

Importing a program and MLIR's bindings takes a second or two; an interrupt in that time prints one line as well. So
does a package that is not installed or does not load: a person at a command line can do without the traceback.
"""

from __future__ import annotations

import importlib
import sys
from functools import partial

from ..runtime.bindings import explain_missing_module

__all__ = [
    "inplace_check",
    "inplace_compile",
    "inplace_exhaust",
    "inplace_explain",
    "inplace_fuzz",
    "inplace_lsp",
    "inplace_opt",
    "inplace_run",
]

_SUCCESS, _FAILURE, _INTERRUPTED = 0, 1, 130  # as in shared/command_line.py, which is not imported yet

_VERSION = (["--version"], ["-version"])


def _launch(name: str) -> int:
    try:
        if sys.argv[1:] in _VERSION:
            from .shared.version import version_text  # The programs print the same, after more imports.

            print(version_text(name.replace("_", "-")), end="")
            return _SUCCESS
        if name == "inplace_opt":
            from .shared.deferred_numpy import defer_numpy

            defer_numpy()
        return importlib.import_module(f".{name}", __package__).main()
    except KeyboardInterrupt:  # The programs handle it themselves once they are imported.
        _report(name, "interrupted")
        return _INTERRUPTED
    except ImportError as error:
        if (reason := explain_missing_module(error)) is None:
            raise
        _report(name, f"error: {reason}")
        return _FAILURE


def _report(name: str, message: str) -> None:
    if sys.stderr is not None:
        print(f"{name.replace('_', '-')}: {message}", file=sys.stderr)


inplace_check = partial(_launch, "inplace_check")
inplace_compile = partial(_launch, "inplace_compile")
inplace_exhaust = partial(_launch, "inplace_exhaust")
inplace_explain = partial(_launch, "inplace_explain")
inplace_fuzz = partial(_launch, "inplace_fuzz")
inplace_lsp = partial(_launch, "inplace_lsp")
inplace_opt = partial(_launch, "inplace_opt")
inplace_run = partial(_launch, "inplace_run")
