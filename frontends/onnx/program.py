"""`from_onnx`: a compiled program from an ONNX model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mlir import ir

from ...runtime.compilation.garbage import collection_paused
from ...runtime.compilation.program import Program
from ...runtime.progress import progress
from ..held_weights import compile_with_weights
from .model import LoweredModel, lower_model, read_apart

__all__ = ["OnnxProgram", "compile_model", "from_onnx", "lowered_model"]


class OnnxProgram(Program):
    """The program of an ONNX model: `main` takes and returns arrays in their order, `run` takes and picks them by name.

    `help(program.main)` and `inspect.signature(program.main)` show the model's names of both.
    """

    def __init__(self, program: Program, lowered: LoweredModel) -> None:
        # `program` holds the weights.
        self._share(program, {})
        self.input_names = lowered.inputs
        self.output_names = lowered.outputs

    def run(self, output_names: Sequence[str] | None, inputs: Mapping[str, Any]) -> list[Any]:
        """The outputs of these names, all if None, in a list: called as ONNX Runtime's `InferenceSession.run` is.

        Raises `ValueError` for an output that the model does not have, and `TypeError` for wrong inputs.
        """
        chosen = self.output_names if output_names is None else output_names
        for name in chosen:
            if name not in self.output_names:
                raise ValueError(f"the model has no output {name!r}; it has: {', '.join(self.output_names)}")
        results = self["main"](**inputs)
        found = dict(zip(self.output_names, results if isinstance(results, tuple) else (results,), strict=True))
        return [found[name] for name in chosen]


@collection_paused()
def from_onnx(
    model: Any, *, constants: Mapping[str, Any] | None = None, optimize: bool = True, **options: Any
) -> OnnxProgram:
    """Compile an ONNX model for the host CPU; its function is `main`.

    `main` takes the model's inputs in their order, or by name, and returns its outputs, in their order; `run(None,
    {"x": x})` is the call that ONNX Runtime's sessions have (see `OnnxProgram`). Tensors of at
    least 1 KB that the model stores are passed by pointer: external data is mapped from its file, and nothing is copied
    or written into the code, but for the weights of convolutions and products that optimized code wants in another
    layout, which are laid out once. Operators are lowered by their version; functions of the model are inlined, and so
    are the functions that ONNX defines operators by.

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
        OSError: the file cannot be read, or becomes shorter meanwhile.
    """
    given = {name: np.asarray(value) for name, value in (constants or {}).items()}
    name = Path(os.fspath(model)).name if isinstance(model, (str, os.PathLike)) else "an ONNX model"
    with progress(f"compiling {name}"):
        return compile_model(lowered_model(model, given), optimize=optimize, **options)


def lowered_model(
    model: Any, constants: Mapping[str, np.ndarray[Any, Any]] | None = None, context: ir.Context | None = None
) -> LoweredModel:
    """Read a model and lower it to linalg on tensors, in a context of its own if none is given."""
    folder = Path(os.fspath(model)).parent if isinstance(model, (str, os.PathLike)) else None
    proto, data = read_apart(model)
    return lower_model(proto, constants, folder, context, data)


def compile_model(lowered: LoweredModel, **options: Any) -> OnnxProgram:
    """Compile a lowered model, with its weights held."""
    return OnnxProgram(compile_with_weights(lowered.module, lowered.weights, lowered.borrowed, **options), lowered)
