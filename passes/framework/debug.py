"""What passes log, by the pass's name: for `inplace-opt --debug-only=NAME`, and for Python's `logging`."""

from __future__ import annotations

import logging

__all__ = ["LOGGER", "logger"]

LOGGER = logging.getLogger("mlir_inplace.passes")
"""The parent of the loggers of all passes; a library prints nothing by itself."""

LOGGER.addHandler(logging.NullHandler())


def logger(name: str) -> logging.Logger:
    """The logger of one pass."""
    return LOGGER.getChild(name)
