"""What is used of PyTorch, and of the importer in the bindings."""

from __future__ import annotations

import importlib
from typing import Any

from ..extras import required_module

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


def decompositions() -> Any:
    """The ATen ops that PyTorch expresses by others before a graph is imported, by overload.

    What draws by `bernoulli`, as dropout does on the host, still does so, and gets the same numbers.
    """
    aten = torch_module().ops.aten
    table = dict(importer_module("mlir.extras.fx_decomp_util").get_decomposition_table())
    for overload in (aten.bernoulli.p, aten.bernoulli.default):
        table.pop(overload, None)
    table[aten.native_dropout.default] = _dropout
    return table


def _dropout(tensor: Any, probability: float, train: bool | None) -> Any:
    torch = torch_module()
    if train is False or probability == 0:
        return tensor.clone(), torch.ones_like(tensor, dtype=torch.bool)
    if probability == 1:
        return torch.zeros_like(tensor), torch.zeros_like(tensor, dtype=torch.bool)
    kept = torch.ops.aten.bernoulli.p(torch.ones_like(tensor), 1 - probability)
    return tensor * kept * (1 / (1 - probability)), kept.to(torch.bool)
