"""The tensors that a model stores: large ones are read where they are, in the file or in the model's memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from mlir import ir

from .data_apart import LEAST_BYTES
from .lowering.graph import dtype_of, onnx, tensor_constant
from .lowering.scalars import bits, native
from .lowering.values import UnsupportedOnnxError, Value, tensor_type

__all__ = ["StoredTensors"]


class StoredTensors:
    """Makes arguments of the function of large tensors, and keeps their arrays: by the numbers of these arguments.

    Args:
        block: the entry block of the function, which gets the arguments.
        folder: where files with external data are.
        data: the bytes of tensors that are not in the model, by name.
    """

    def __init__(self, block: ir.Block, folder: Path | None, data: Mapping[str, np.ndarray[Any, Any]]) -> None:
        self._block = block
        self._folder = folder
        self._data = data
        # With the object, which keeps its number from being another's. A body that is lowered again finds it here.
        self._made: dict[int, tuple[Any, Value]] = {}
        self.arrays: dict[int, np.ndarray[Any, Any]] = {}
        self.borrowed: set[int] = set()
        """The numbers of arrays that are parts of `data` which was not copied."""

    def value(self, proto: Any) -> Value:
        """The value of a `TensorProto`, an argument if it is large."""
        if id(proto) in self._made:
            return self._made[id(proto)][1]
        if proto.data_location == onnx().TensorProto.EXTERNAL:
            is_apart = not proto.external_data and proto.name in self._data
            array = self._apart(proto) if is_apart else self._mapped(proto)
        # Each look at `raw_data` copies it.
        elif len(raw := proto.raw_data) >= LEAST_BYTES and bits(dtype_of(proto.data_type)) >= 8:
            array = np.frombuffer(raw, dtype_of(proto.data_type)).reshape(tuple(proto.dims))
        else:
            constant = tensor_constant(proto)
            assert constant.constant is not None
            array = constant.constant
        if array.nbytes < LEAST_BYTES:
            return Value(array.dtype, constant=np.array(array), name=proto.name)
        self._made[id(proto)] = proto, self._argument(array, proto.name)
        return self._made[id(proto)][1]

    def _argument(self, array: np.ndarray[Any, Any], name: str) -> Value:
        dtype, number = array.dtype, len(self._block.arguments)
        if self._is_borrowed(array, name):
            self.borrowed.add(number)
            self.arrays[number] = array.view(native(dtype))
        else:
            self.arrays[number] = _held(array)
        location = ir.Location.name(name)
        argument = self._block.add_argument(tensor_type(array.shape, dtype), location)
        return Value(dtype, argument, name=name, held=array)

    def _is_borrowed(self, array: np.ndarray[Any, Any], name: str) -> bool:
        """Whether an array is a part of the model's file or bytes."""
        data = self._data.get(name)
        return data is not None and not data.flags.writeable and np.may_share_memory(array, data)

    def _apart(self, proto: Any) -> np.ndarray[Any, Any]:
        """Data that was taken out of the model."""
        if bits(dtype_of(proto.data_type)) >= 8:
            return self._data[proto.name].view(dtype_of(proto.data_type)).reshape(tuple(proto.dims))
        whole = onnx().TensorProto()
        whole.CopyFrom(proto)
        whole.ClearField("data_location")
        whole.raw_data = self._data[proto.name].tobytes()
        constant = tensor_constant(whole).constant
        assert constant is not None
        return constant

    def _mapped(self, proto: Any) -> np.ndarray[Any, Any]:
        """External data, mapped from its file."""
        if self._folder is None:
            raise UnsupportedOnnxError(
                f"tensor {proto.name!r} is in a file of its own; give the path of the model's file"
            )
        info = onnx("external_data_helper").ExternalDataInfo(proto)
        path = (self._folder / info.location).resolve()
        if not path.is_relative_to(self._folder.resolve()):
            raise UnsupportedOnnxError(f"tensor {proto.name!r} is in '{info.location}', outside of the model's folder")
        dtype, shape = dtype_of(proto.data_type), tuple(proto.dims)
        if not math.prod(shape):
            return np.empty(shape, dtype)
        try:
            return np.memmap(path, dtype, "r", int(info.offset or 0), shape)
        except ValueError as error:
            raise UnsupportedOnnxError(f"tensor {proto.name!r} does not fit into '{info.location}': {error}") from None


def _held(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array as native code takes it: aligned, and of the signless type, which NumPy calls signed."""
    aligned = np.require(array, requirements=["C", "A"])
    return aligned.view(native(array.dtype))
