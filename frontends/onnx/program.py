"""`from_onnx`: a compiled program from an ONNX model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from mlir import ir

from ...runtime.compilation.program import Program
from ..held_weights import compile_with_weights
from .model import LoweredModel, lower_model, read_model

__all__ = ["compile_model", "from_onnx", "lowered_model"]


def from_onnx(
    model: Any, *, constants: Mapping[str, Any] | None = None, optimize: bool = True, **options: Any
) -> Program:
    """Compile an ONNX model for the host CPU; its function is `main`.

    `main` takes the model's inputs in their order, or by name, and returns its outputs, in their order. Tensors of at
    least 1 KB that the model stores are passed by pointer: external data is mapped from its file, and nothing is copied
    or written into the code, but for the weights of convolutions that optimized code wants in another layout, which are
    laid out once. Operators are lowered by their version; functions of the model are inlined, and so are the
    functions that ONNX defines operators by.

    Args:
        model: an `onnx.ModelProto`, its bytes, or the path of a file.
        constants: values of inputs that are always the same, by name; calls do not take them. Axes, shapes and other
            inputs that decide what code is made must be constants.
        optimize: see `compile`.
        options: other arguments of `compile`, such as `threads`, `cache` and `memory_stats`.

    Raises:
        ValueError: an operator, type or attribute is not supported, or an input must be a constant; the message names
            the node.
        ImportError: the package `onnx` is not installed.
        OSError: the file cannot be read.
    """
    given = {name: np.asarray(value) for name, value in (constants or {}).items()}
    return compile_model(lowered_model(model, given), optimize=optimize, **options)


def lowered_model(
    model: Any, constants: Mapping[str, np.ndarray[Any, Any]] | None = None, context: ir.Context | None = None
) -> LoweredModel:
    """Read a model and lower it to linalg on tensors, in a context of its own if none is given."""
    folder = Path(os.fspath(model)).parent if isinstance(model, (str, os.PathLike)) else None
    return lower_model(read_model(model), constants, folder, context)


def compile_model(lowered: LoweredModel, **options: Any) -> Program:
    """Compile a lowered model, with its weights held."""
    return compile_with_weights(lowered.module, lowered.weights, **options)
