"""Values of an ONNX graph while it is lowered: tensors, and what is known of their elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor

from ....dialects.support.index_math import Number, as_value, tensor_size
from .scalars import INDEX, DType, TypedScalar, element_type

__all__ = ["NeedsConstantError", "UnsupportedOnnxError", "Value", "same_size", "tensor_type"]


class UnsupportedOnnxError(ValueError):
    """A model that cannot be compiled, and why."""


class NeedsConstantError(UnsupportedOnnxError):
    """A value that is known at run time only and decides what code is made; `name` is its own."""

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name


MAX_ELEMENTS = 64
"""Of how many elements it is kept where each comes from."""


def tensor_type(shape: Sequence[int | None], dtype: DType, *, signed: bool = False) -> ir.RankedTensorType:
    """The type of a tensor; None is a dynamic size."""
    dynamic = ir.ShapedType.get_dynamic_size()
    return ir.RankedTensorType.get(
        [dynamic if size is None else size for size in shape], element_type(dtype, signed=signed)
    )


class Value:
    """A tensor: a constant, or an SSA value of signless elements.

    `elements` holds an integer or an index value for each element of a small tensor of integers, where they are known:
    sizes are computed with them. `held` is the array that an argument always is.
    """

    def __init__(
        self,
        dtype: DType,
        value: ir.Value | None = None,
        *,
        constant: np.ndarray[Any, Any] | None = None,
        elements: np.ndarray[Any, Any] | None = None,
        sizes: Sequence[Number] | None = None,
        name: str = "",
        held: np.ndarray[Any, Any] | None = None,
    ) -> None:
        self.dtype = dtype
        self.name = name
        self.constant = constant
        self._held = held
        self._value = value
        self._elements = elements
        self._sizes = sizes

    @property
    def ssa(self) -> ir.Value:
        """The tensor as an SSA value; made at the insertion point for a constant."""
        if self.constant is not None:
            return constant_tensor(self.constant)
        if self._value is not None:
            return self._value
        assert self._elements is not None
        # Not kept: the insertion point may be in a region that does not dominate the next use.
        parts = [TypedScalar(as_value(e), INDEX).to(self.dtype).value for e in self._elements.reshape(-1)]
        return tensor.from_elements(tensor_type(self._elements.shape, self.dtype), parts)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The sizes; None where dynamic."""
        known = self.constant if self.constant is not None else self._elements
        if self._value is None and known is not None:
            return known.shape
        assert self._value is not None
        type_ = ir.RankedTensorType(self._value.type)
        return tuple(None if type_.is_dynamic_dim(d) else type_.get_dim_size(d) for d in range(type_.rank))

    @property
    def array(self) -> np.ndarray[Any, Any] | None:
        """The tensor, if it is stored in the model."""
        return self.constant if self.constant is not None else self._held

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def sizes(self) -> list[Number]:
        """The sizes as integers, or index values where dynamic."""
        if self._sizes is not None:
            return list(self._sizes)
        return [_run_time_size(self.ssa, d) if size is None else size for d, size in enumerate(self.shape)]

    @property
    def count(self) -> int | None:
        """How many elements it has, if that is known."""
        return math.prod(size for size in self.shape if size is not None) if None not in self.shape else None

    @property
    def known_elements(self) -> np.ndarray[Any, Any] | None:
        """`elements` if they need no code."""
        if self.constant is not None and self.constant.size <= MAX_ELEMENTS and self.constant.dtype.kind in "iu":
            return self.constant.astype(object)
        return self._elements

    @property
    def elements(self) -> list[Number]:
        """Each element of a tensor of integers as an integer or index value; reads the tensor if it must."""
        if self.constant is not None:
            return [int(x) for x in self.constant.reshape(-1)]
        if self._elements is not None:
            return [e if isinstance(e, ir.Value) else int(e) for e in self._elements.reshape(-1)]
        if self.count is None or self.rank > 1:
            raise UnsupportedOnnxError(f"the number of elements of {self.name or 'a shape'!r} is not known")
        places = [[arith.constant(ir.IndexType.get(), number)] if self.rank else [] for number in range(self.count)]
        return [TypedScalar(tensor.extract(self.ssa, place), self.dtype).to(INDEX).value for place in places]

    def require_constant(self, what: str) -> np.ndarray[Any, Any]:
        """The elements; raises `NeedsConstantError` if they are known at run time only."""
        if self.constant is not None:
            return self.constant
        if self._elements is not None and not any(isinstance(e, ir.Value) for e in self._elements.reshape(-1)):
            return self._elements.astype(self.dtype)
        raise NeedsConstantError(f"{what} must be a constant, but {self.name or 'it'!r} is computed", self.name)


def _run_time_size(value: ir.Value, dimension: int) -> Number:
    """A dynamic size: the one that the tensor was made with, where that is seen, so that equal sizes are one value."""
    owner = value.owner
    while isinstance(owner, ir.Operation):
        if owner.name == "tensor.empty":
            dynamic = [d for d in range(ir.RankedTensorType(value.type).rank) if _is_dynamic(value, d)]
            return owner.operands[dynamic.index(dimension)]
        if owner.name.startswith("linalg.") and len(owner.results) == 1:
            value = owner.operands[len(owner.operands) - 1]  # The init.
        elif owner.name == "tensor.insert_slice":
            value = owner.operands[1]
        else:
            break
        owner = value.owner
    return tensor_size(value, dimension)


def _is_dynamic(value: ir.Value, dimension: int) -> bool:
    return ir.RankedTensorType(value.type).is_dynamic_dim(dimension)


def same_size(left: Number, right: Number) -> bool:
    """Whether two sizes are seen to be equal."""
    if isinstance(left, int) or isinstance(right, int):
        return isinstance(left, int) and isinstance(right, int) and left == right
    if left == right:
        return True
    one, other = left.owner, right.owner
    if not (isinstance(one, ir.Operation) and isinstance(other, ir.Operation)):
        return False
    if one.name != "tensor.dim" or other.name != "tensor.dim" or one.operands[0] != other.operands[0]:
        return False
    first, second = (op.operands[1].owner for op in (one, other))
    if not (isinstance(first, ir.Operation) and isinstance(second, ir.Operation)):
        return False
    return first.attributes["value"] == second.attributes["value"]


def constant_tensor(array: np.ndarray[Any, Any]) -> ir.Value:
    """An `arith.constant` of signless elements."""
    type_ = tensor_type(array.shape, array.dtype)
    elements: Any = np.ascontiguousarray(array)
    attribute: Any = ir.DenseElementsAttr.get(elements, shape=array.shape, type=type_.element_type)
    return arith.ConstantOp(type_, attribute).result
