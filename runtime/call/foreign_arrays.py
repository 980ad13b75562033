"""Arrays of other packages as NumPy arrays over the same memory.

Three protocols are tried, in this order:

1. DLPack (PyTorch, JAX, CuPy, …). It also hands over bf16 and floats of 8 bits, which `numpy.from_dlpack` refuses; here
   they become dtypes of `ml_dtypes`. An array may be written only if its exporter says so: capsules without a version
   cannot say it, and count as read-only, as they do for NumPy.
2. The buffer protocol (`array.array`, `memoryview`, `bytearray`, ctypes arrays) and `__array_interface__`.
3. `__array__`, which may copy; it is not asked for an array that is to be written.

Lists and other sequences are not arrays.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ..interface.dtypes import describe_value, is_masked
from ..interface.memrefs import Array, row_major_strides

_HOST = {1, 3, 11}
"""The DLPack devices whose memory the host can read: itself, and memory pinned for CUDA and for ROCm."""

_DEVICES = {2: "CUDA", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 13: "CUDA (managed)", 14: "oneAPI"}

_KINDS = {0: "i", 1: "u", 2: "f", 5: "c"}
_BOOL = 6
_NARROW_FLOATS = {
    4: ("bfloat16", 16),
    7: ("float8_e3m4", 8),
    8: ("float8_e4m3", 8),
    9: ("float8_e4m3b11fnuz", 8),
    10: ("float8_e4m3fn", 8),
    11: ("float8_e4m3fnuz", 8),
    12: ("float8_e5m2", 8),
    13: ("float8_e5m2fnuz", 8),
}
"""DLPack's type codes for which `ml_dtypes` has a dtype, with the number of bits."""

_READ_ONLY = 1
_PLAIN, _VERSIONED = b"dltensor", b"dltensor_versioned"
_NEWEST = (1, 1)
"""The newest version that is understood; every 1.x has the layout below."""


class _Tensor(ctypes.Structure):
    """`DLTensor` of dlpack.h."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _VersionedTensor(ctypes.Structure):
    """`DLManagedTensorVersioned` of dlpack.h. The older `DLManagedTensor` starts with its `DLTensor`."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


def _capsule_function(name: str, result: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, ctypes.py_object, ctypes.c_char_p)((name, ctypes.pythonapi))


_is_valid = _capsule_function("PyCapsule_IsValid", ctypes.c_int)
_pointer = _capsule_function("PyCapsule_GetPointer", ctypes.c_void_p)


class _Borrowed:
    """Memory that a capsule owns, for `numpy.asarray`; it lives as long as the array.

    The capsule is not consumed, so that its own destructor releases the exporter's memory.
    """

    __slots__ = ("__array_interface__", "_capsule")

    def __init__(self, capsule: object, interface: dict[str, Any]) -> None:
        self._capsule = capsule
        self.__array_interface__ = interface


def foreign_array(label: str, value: Any, *, written: bool) -> Array | None:
    """`value` as an array over its own memory; None if it is no array by any protocol.

    `label` is its name in errors. With `written`, it is never a copy.

    Raises `TypeError` for an array that cannot be had, with its exporter's reason, and for one on another device.
    """
    if isinstance(value, (type, np.generic)) or is_masked(value):
        return None
    failure: Exception | None = None
    for protocol in (_by_dlpack, _by_buffer, _by_copy):
        if protocol is _by_copy and written:
            continue
        try:
            array = protocol(value)
        except _WrongDevice as error:
            raise TypeError(f"{label}: {error}") from None
        except Exception as error:  # noqa: BLE001 - somebody else's object may raise anything
            failure = failure or error
        else:
            if array is not None:
                return array
    if failure is not None:
        raise TypeError(f"{label}: {type(value).__name__} gives no array: {failure}") from failure
    if written and hasattr(value, "__array__"):
        raise TypeError(
            f"{label}: {type(value).__name__} may give only a copy of its memory (__array__), but the call writes into "
            "it; pass a NumPy array, or one with DLPack or the buffer protocol"
        )
    return None


class _WrongDevice(Exception):
    """The array is not in the host's memory."""


def _by_dlpack(value: Any) -> Array | None:
    if not hasattr(value, "__dlpack__"):
        return None
    if hasattr(value, "__dlpack_device__"):
        kind, number = map(int, value.__dlpack_device__())
        if kind not in _HOST:
            device = _DEVICES.get(kind, f"DLPack's kind {kind}")
            raise _WrongDevice(f"it is on device {number} of {device}, but programs run on the host; copy it there")
    try:
        capsule = value.__dlpack__(max_version=_NEWEST)
    except TypeError:  # before version 1 there was no such argument
        capsule = value.__dlpack__()
    return _array_of(capsule)


def _array_of(capsule: object) -> Array:
    """The array that a DLPack capsule hands out."""
    read_only = True
    if _is_valid(capsule, _VERSIONED):
        managed = _VersionedTensor.from_address(_pointer(capsule, _VERSIONED))
        if managed.major != _NEWEST[0]:
            raise TypeError(f"its DLPack version is {managed.major}.{managed.minor}, needed is {_NEWEST[0]}.x")
        tensor, read_only = managed.tensor, bool(managed.flags & _READ_ONLY)
    elif _is_valid(capsule, _PLAIN):
        tensor = _Tensor.from_address(_pointer(capsule, _PLAIN))
    else:
        raise TypeError(f"__dlpack__ returned {describe_value(capsule)}, needed is a capsule that nobody has used")
    dtype = _dtype(tensor.code, tensor.bits, tensor.lanes)
    shape = tuple(tensor.shape[: tensor.rank])
    if 0 in shape:
        return np.empty(shape, dtype)  # its pointer may be NULL
    strides = tuple(tensor.strides[: tensor.rank]) if tensor.strides else row_major_strides(shape)
    interface = {
        "version": 3,
        "shape": shape,
        "typestr": f"|V{dtype.itemsize}",
        "data": (tensor.data + tensor.byte_offset, read_only),
        "strides": tuple(stride * dtype.itemsize for stride in strides),
    }
    return np.asarray(_Borrowed(capsule, interface)).view(dtype)


def _dtype(code: int, bits: int, lanes: int) -> np.dtype[Any]:
    if lanes == 1 and code in _KINDS and bits % 8 == 0:
        return np.dtype(f"{_KINDS[code]}{bits // 8}")
    if lanes == 1 and (code, bits) == (_BOOL, 8):
        return np.dtype(np.bool_)
    if lanes == 1 and code in _NARROW_FLOATS and _NARROW_FLOATS[code][1] == bits:
        import ml_dtypes  # only arrays of such types pay for it

        return np.dtype(getattr(ml_dtypes, _NARROW_FLOATS[code][0]))
    raise TypeError(f"NumPy has no dtype for DLPack's type code {code} of {bits} bits in {lanes} lanes")


def _by_buffer(value: Any) -> Array | None:
    try:
        return np.asarray(memoryview(value))
    except TypeError:
        shares = hasattr(value, "__array_interface__") or hasattr(value, "__array_struct__")
        return np.asarray(value) if shares else None


def _by_copy(value: Any) -> Array | None:
    return np.asarray(value) if hasattr(value, "__array__") else None
