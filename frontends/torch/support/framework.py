"""What is used of PyTorch, and of the importer in the bindings."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from ...extras import required_module

WANTED_BY = "a torch module"


def torch_module(name: str = "torch") -> Any:
    """A module of the package `torch`. Raises `ImportError` with the command that installs it."""
    required_module("torch", "torch", WANTED_BY)
    return importlib.import_module(name)


def importer_module(name: str) -> Any:
    """A module of torch-mlir's importer, such as `mlir.extras.fx_importer`.

    Raises `ImportError` if the bindings in use have none, as only torch-mlir's do.
    """
    torch_module()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        message = "the MLIR bindings in use cannot import torch graphs; install torch-mlir: pip install torch-mlir"
        raise ImportError(message, name=error.name) from None


def implicitly(overload: Any) -> Callable[..., Any]:
    """What PyTorch computes a composite op by, which `torch.export` else keeps."""
    return torch_module("torch._export.utils")._get_decomp_for_cia(overload)
