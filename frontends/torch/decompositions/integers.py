"""Integers: torch-mlir negates and divides them as floats, which have too few digits, and crashes on short ones.

Of tensors of one dtype, of 32 or 64 bits, its truncated quotients and remainders are right: the others are made of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..support.framework import torch_module
from .complex_numbers import of_parts
from .native_ops import native_op

_LEAST_BYTES = 4
"""Shorter integers are computed as those of 32 bits."""


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    prims = torch_module().ops.prims
    return {
        aten.neg.default: _negated,
        aten.pow.Scalar: _power,
        aten.pow.Tensor_Scalar: _power,
        aten.pow.Tensor_Tensor: _power,
        aten.gcd.default: _common_divisor,
        prims.gcd.default: _common_divisor,
        aten.lcm.default: _common_multiple,
        prims.bitwise_and.default: partial(_of_bits, aten.bitwise_and.Tensor),
        prims.bitwise_or.default: partial(_of_bits, aten.bitwise_or.Tensor),
        prims.bitwise_xor.default: partial(_of_bits, aten.bitwise_xor.Tensor),
        prims.scalar_tensor.default: lambda number, dtype=None, **_: torch_module().full((), number, dtype=dtype),
    }


def quotient(x: Any, y: Any, *, rounds_down: bool) -> Any:
    """The quotient of integers, rounded down or towards zero; NotImplemented where torch-mlir's is right."""
    torch = torch_module()
    if not rounds_down and _is_lowered(x, y):
        return NotImplemented
    x, y, dtype = _wide(x, y)
    found = torch.div(x, y, rounding_mode="trunc")
    if rounds_down:
        found = torch.where((x - found * y != 0) & ((x < 0) != (y < 0)), found - 1, found)
    return found.to(dtype)


def remainder(x: Any, y: Any, *, rounds_down: bool) -> Any:
    """What such a quotient leaves; NotImplemented where torch-mlir's is right."""
    torch = torch_module()
    if not rounds_down and _is_lowered(x, y):
        return NotImplemented
    x, y, dtype = _wide(x, y)
    rest = torch.fmod(x, y)
    if rounds_down:
        rest = torch.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)
    return rest.to(dtype)


def _is_lowered(x: Any, y: Any) -> bool:
    tensor = torch_module().Tensor
    if not (isinstance(x, tensor) and isinstance(y, tensor)):
        return False
    return x.dtype == y.dtype and x.dtype.itemsize >= _LEAST_BYTES


def _alike(x: Any, y: Any) -> tuple[Any, Any]:
    """Two arguments of one shape, in the dtype of the result."""
    torch = torch_module()
    dtype = torch.result_type(x, y)
    tensors = (one if isinstance(one, torch.Tensor) else torch.full((), one, dtype=dtype) for one in (x, y))
    x, y = (one.to(dtype) for one in torch.broadcast_tensors(*tensors))
    return x, y


def _wide(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """The same in at least 32 bits, and the dtype of the result."""
    torch = torch_module()
    x, y = _alike(x, y)
    if x.dtype.itemsize >= _LEAST_BYTES:
        return x, y, x.dtype
    return x.to(torch.int32), y.to(torch.int32), x.dtype


def _negated(x: Any) -> Any:
    if x.is_complex():
        return of_parts(x, lambda part: -part)
    if x.is_floating_point():
        return NotImplemented
    return torch_module().zeros_like(x) - x


def _of_bits(op: Callable[..., Any], x: Any, y: Any) -> Any:
    """Of tensors: PyTorch makes ops of a tensor and a number that torch-mlir does not know."""
    return op(*_alike(x, y))


def _power(x: Any, y: Any) -> Any:
    """Of integers: torch-mlir looks at six bits of the exponent. One that is a number is taken apart here."""
    torch = torch_module()
    dtype = torch.result_type(x, y)
    if dtype.is_floating_point or dtype.is_complex or dtype is torch.bool:
        return NotImplemented
    if not isinstance(y, torch.Tensor):
        return NotImplemented if y < 0 else _product(x.to(dtype), int(y))
    x, y, dtype = _wide(x, y)
    return native_op("power")(x.reshape(-1), y.reshape(-1)).reshape(x.shape).to(dtype)


def _product(x: Any, times: int) -> Any:
    """An integer by itself, `times` times."""
    found, power = None, x
    while times:
        if times % 2:
            found = power if found is None else found * power
        times //= 2
        power = power * power if times else power
    return x * 0 + 1 if found is None else found.clone() if found is x else found


def _common_divisor(x: Any, y: Any) -> Any:
    torch = torch_module()
    x, y = _alike(x, y)
    one, other = (x, y) if x.dtype.is_signed else (x.to(torch.int16), y.to(torch.int16))
    return native_op("gcd")(one.reshape(-1), other.reshape(-1)).reshape(x.shape).to(x.dtype)


def _common_multiple(x: Any, y: Any) -> Any:
    """Of short integers in 32 bits, and what does not fit into the dtype is cut off when it is positive: as PyTorch."""
    torch = torch_module()
    divisor = _common_divisor(x, y)
    x, y, dtype = _wide(x, y)
    divisor = divisor.to(x.dtype)
    divisor = torch.where(divisor < 0, _negated(divisor), divisor)
    found = torch.div(x, torch.where(divisor == 0, 1, divisor), rounding_mode="trunc") * y
    found = torch.where(divisor == 0, 0, found)
    return torch.where(found < 0, _negated(found), found).to(dtype)
