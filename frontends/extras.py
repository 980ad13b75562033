"""Optional packages: imported when a frontend needs them, with the line to type when one is missing."""

from __future__ import annotations

import importlib
from typing import Any


def required_module(name: str, extra: str, wanted_by: str) -> Any:
    """Import and return the module ``name`` of the optional dependencies ``extra``, which ``wanted_by`` needs.

    Raises `ImportError` with the command that installs it, if it is not there.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name != name.split(".", maxsplit=1)[0]:
            raise  # It is there, and something that it needs is not.
        message = f"{wanted_by} needs {error.name}; install it: pip install 'mlir-inplace[{extra}]'"
        raise ImportError(message, name=error.name) from None
