"""Entry points of the installed commands, which handle Ctrl-C before they import anything.

Importing a program and MLIR's bindings takes a second or two; an interrupt in that time prints one line as well.
"""

from __future__ import annotations

import importlib
import sys
from functools import partial

__all__ = ["inplace_check", "inplace_fuzz", "inplace_opt", "inplace_run"]

_INTERRUPTED = 130  # as in shared/command_line.py, which is not imported yet


def _launch(name: str) -> int:
    try:
        return importlib.import_module(f".{name}", __package__).main()
    except KeyboardInterrupt:  # The programs handle it themselves once they are imported.
        if sys.stderr is not None:
            print(f"{name.replace('_', '-')}: interrupted", file=sys.stderr)
        return _INTERRUPTED


inplace_check = partial(_launch, "inplace_check")
inplace_fuzz = partial(_launch, "inplace_fuzz")
inplace_opt = partial(_launch, "inplace_opt")
inplace_run = partial(_launch, "inplace_run")
