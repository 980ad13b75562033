"""Tensors as NumPy arrays of the dtype that a compiled function takes, and back: over the same memory.

Compiled functions have integers without a sign, so an array of uint8 crosses as int8. NumPy has no bfloat16 and no
float of 8 bits; arrays of these have dtypes of `ml_dtypes`, and cross to torch as integers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...runtime.interface.memrefs import Array
from .support.framework import torch_module

_NARROW = ("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
"""Floats that torch and `ml_dtypes` have, by the same names, and NumPy has not."""


@cache
def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """The NumPy dtype of a dtype of torch. Raises `TypeError` if there is none."""
    name = str(dtype).removeprefix("torch.")
    if name in _NARROW:
        import ml_dtypes  # only arrays of such types pay for it

        return np.dtype(getattr(ml_dtypes, name))
    try:
        return np.dtype(name)
    except TypeError:
        raise TypeError(f"NumPy has no dtype for {dtype}") from None


def is_on_host(tensor: Any) -> bool:
    """Whether the memory of a tensor is the host's, dense and plain, so that NumPy can view it."""
    torch = torch_module()
    return tensor.device.type == "cpu" and tensor.layout is torch.strided and not tensor.is_quantized


@cache
def array_maker(dtype: Any, native: np.dtype[Any]) -> Callable[[Any], Array]:
    """Makes of a tensor of this dtype an array of the dtype `native` over its memory."""
    torch = torch_module()
    own = numpy_dtype(dtype)
    if own.name in _NARROW:
        carrier = {1: torch.uint8, 2: torch.int16}[own.itemsize]
        return lambda tensor: tensor.detach().view(carrier).numpy().view(native)
    if own == native:
        return lambda tensor: tensor.detach().resolve_conj().resolve_neg().numpy()
    return lambda tensor: tensor.detach().numpy().view(native)


@cache
def tensor_maker(dtype: Any) -> Callable[[Array], Any]:
    """Makes of an array that a compiled function returned a tensor of this dtype over its memory."""
    torch = torch_module()
    own = numpy_dtype(dtype)
    if own.name in _NARROW:
        carrier = {1: np.dtype(np.uint8), 2: np.dtype(np.int16)}[own.itemsize]
        return lambda array: torch.from_numpy(array.view(carrier)).view(dtype)
    return lambda array: torch.from_numpy(array if array.dtype == own else array.view(own))
