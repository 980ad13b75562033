"""`--debug` and `--debug-only`: what passes log, on standard error."""

from __future__ import annotations

import logging
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from mlir import ir

from ...passes.framework.debug import LOGGER, logger

__all__ = ["logged_passes"]


@contextmanager
def logged_passes(names: Sequence[str]) -> Generator[None]:
    """Print what these passes log, all if none is named, for a `with` block; MLIR takes the names as debug types."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    LOGGER.addHandler(handler)
    chosen = [*map(logger, names)] if names else [LOGGER]
    mlir_debug: Any = vars(ir)["_GlobalDebug"]
    mlir_debug.flag = True
    if names:
        mlir_debug.set_types(list(names))
    for found in chosen:
        found.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        mlir_debug.flag = False
        LOGGER.removeHandler(handler)
        for found in chosen:
            found.setLevel(logging.NOTSET)
