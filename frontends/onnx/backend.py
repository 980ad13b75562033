"""ONNX's own interface of backends, for programs and tests that are written against it.

    import mlir_inplace.frontends.onnx.backend as backend

    outputs = backend.prepare(model).run(inputs)

`onnx.backend.test.BackendTest(backend, __name__)` makes ONNX's tests run with it.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...runtime.compilation.program import Program
from ..extras import required_module
from .lowering.values import NeedsConstantError
from .model import read_model
from .program import compile_model, lowered_model

__all__ = ["InplaceBackend", "PreparedModel", "is_compatible", "prepare", "run_model", "run_node", "supports_device"]


def _base(name: str) -> Any:
    """A class of `onnx.backend.base`; a plain one where ONNX is not installed, so that this module can be read."""
    try:
        return getattr(importlib.import_module("onnx.backend.base"), name)
    except ModuleNotFoundError:
        return object


_Backend, _BackendRep = _base("Backend"), _base("BackendRep")

_MOST_ELEMENTS = 64
_MOST_PROGRAMS = 16

Array = np.ndarray[Any, Any]


class PreparedModel(_BackendRep):
    """A model that is compiled for inputs of any value, or for each value of the small inputs that decide its code.

    A model whose axes, shapes or repetitions are inputs is compiled when these are known, at the first call with them.
    """

    def __init__(self, model: Any, options: Mapping[str, Any]) -> None:
        self._model = model
        self._options = options
        self._names = _input_names(read_model(model))
        self._decisive: set[str] = set()
        self._programs: dict[Any, Program] = {}
        try:
            self._program({})
        except NeedsConstantError as error:
            self._add_decisive(error.name, {})

    @property
    def decisive_inputs(self) -> tuple[str, ...]:
        """The inputs for whose values the model is compiled, as far as calls have shown."""
        return tuple(name for name in self._names if name in self._decisive)

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs for inputs in their order, or by name."""
        del kwargs
        named = inputs if isinstance(inputs, Mapping) else dict(zip(self._names, inputs, strict=True))
        arrays = {name: np.asarray(value) for name, value in named.items()}
        while True:
            constants = {name: value for name, value in arrays.items() if name in self._decisive}
            try:
                program = self._program(constants)
                break
            except NeedsConstantError as error:
                if not self._add_decisive(error.name, arrays):
                    raise
        results = program["main"](*(arrays[name] for name in self._names if name not in constants))
        return tuple(map(np.asarray, results)) if isinstance(results, tuple) else (np.asarray(results),)

    def _program(self, constants: Mapping[str, Array]) -> Program:
        key = tuple((name, value.dtype.str, value.shape, value.tobytes()) for name, value in constants.items())
        if key not in self._programs:
            if len(self._programs) >= _MOST_PROGRAMS:
                self._programs.pop(next(iter(self._programs)))
            self._programs[key] = compile_model(lowered_model(self._model, constants), **self._options)
        return self._programs[key]

    def _add_decisive(self, name: str, arrays: Mapping[str, Array]) -> bool:
        """Note an input that must be a constant; the small ones of integers if it is computed from others."""
        found = {name} & set(self._names) or {
            name for name, value in arrays.items() if value.size <= _MOST_ELEMENTS and value.dtype.kind in "iub"
        }
        more = found - self._decisive
        self._decisive |= more
        return bool(more)


class InplaceBackend(_Backend):
    """The backend: models are compiled for the host CPU."""

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether the model can be compiled; one whose small inputs must be constants counts as one that can."""
        del kwargs
        if not cls.supports_device(device):
            return False
        try:
            lowered_model(model)
        except NeedsConstantError:
            return True
        except (ValueError, NotImplementedError):
            return False
        return True

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **kwargs: Any) -> PreparedModel:
        """Compile a model; keyword arguments are those of `from_onnx`, others are left to the caller."""
        if not cls.supports_device(device):
            raise ValueError(f"device {device!r} is not supported; CPU is")
        known = {name: value for name, value in kwargs.items() if name in _OPTIONS}
        return PreparedModel(model, known)

    @classmethod
    def run_model(cls, model: Any, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
        """Compile a model and run it once."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls, node: Any, inputs: Any, device: str = "CPU", outputs_info: Any = None, **kwargs: Any
    ) -> tuple[Any, ...]:
        """Compile a model of one node and run it once."""
        helper = required_module("onnx.helper", "onnx", "the ONNX backend")
        names = [name for name in node.input if name]
        arrays = [
            np.asarray(inputs[name] if isinstance(inputs, Mapping) else value) for name, value in _pairs(names, inputs)
        ]
        given = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in zip(names, arrays, strict=True)
        ]
        outputs: list[Any] = []
        for number, name in enumerate(name for name in node.output if name):
            info = helper.ValueInfoProto()
            info.name = name
            if outputs_info:
                dtype, shape = outputs_info[number]
                info = helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)
            outputs.append(info)
        model = helper.make_model(helper.make_graph([node], "node", given, outputs))
        return cls.run_model(model, arrays, device, **kwargs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether it is the CPU."""
        return device.split(":", maxsplit=1)[0] == "CPU"


def _pairs(names: Sequence[str], inputs: Any) -> list[tuple[str, Any]]:
    return [(name, None) for name in names] if isinstance(inputs, Mapping) else list(zip(names, inputs, strict=True))


def _input_names(model: Any) -> list[str]:
    stored = {proto.name for proto in model.graph.initializer}
    return [proto.name for proto in model.graph.input if proto.name not in stored]


_OPTIONS = frozenset({"optimize", "opt_level", "memory_stats", "runtime_checks", "threads", "machine", "cache"})

is_compatible = InplaceBackend.is_compatible
prepare = InplaceBackend.prepare
run_model = InplaceBackend.run_model
run_node = InplaceBackend.run_node
supports_device = InplaceBackend.supports_device
