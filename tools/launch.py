"""What the installed commands start: nothing is imported before Ctrl-C is minded.

Importing a program and MLIR's bindings takes a second or two, in which an interrupt is one line, too.
"""

from __future__ import annotations

import importlib
import sys

__all__ = ["inplace_check", "inplace_fuzz", "inplace_opt", "inplace_run"]

_INTERRUPTED = 130


def inplace_check() -> int:
    """`inplace-check`."""
    return _launch("inplace_check")


def inplace_fuzz() -> int:
    """`inplace-fuzz`."""
    return _launch("inplace_fuzz")


def inplace_opt() -> int:
    """`inplace-opt`."""
    return _launch("inplace_opt")


def inplace_run() -> int:
    """`inplace-run`."""
    return _launch("inplace_run")


def _launch(name: str) -> int:
    try:
        return importlib.import_module(f".{name}", __package__).main()
    except KeyboardInterrupt:  # The programs answer it themselves once they are imported.
        if sys.stderr is not None:
            print(f"{name.replace('_', '-')}: interrupted", file=sys.stderr)
        return _INTERRUPTED
