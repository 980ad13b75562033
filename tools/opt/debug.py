"""`--debug` and `--debug-only`: what passes log, on standard error."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from typing import Any

from mlir import ir

from ...passes.framework.debug import LOGGER, logger

__all__ = ["log_passes"]


def log_passes(names: Sequence[str]) -> None:
    """Print what these passes log, all if none is named; MLIR takes the names for its debug types."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    LOGGER.addHandler(handler)
    LOGGER.propagate = False
    for chosen in map(logger, names) if names else [LOGGER]:
        chosen.setLevel(logging.DEBUG)
    mlir_debug: Any = vars(ir)["_GlobalDebug"]
    mlir_debug.flag = True
    if names:
        mlir_debug.set_types(list(names))
