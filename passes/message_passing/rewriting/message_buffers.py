"""The memory of a memref as MPI describes it: an address, a count, and a data type.

A memref in row-major order is its elements, one after the other. Any other is one element of a derived type, made for
the message: a column of a matrix is sent from where it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, func, memref

from ....dialects.structured import index_constant
from ....dialects.support.element_sizes import element_bytes
from ....dialects.support.frozen_classes import frozen
from ....dialects.support.memref_types import has_identity_layout, is_row_major
from ...framework.contract import MESSAGE_PREFIX, MESSAGE_WORDS

__all__ = ["MessageBuffer", "call", "describe", "moved_type", "reduced_type", "word", "word_type"]

_REAL = {"f32": "FLOAT", "f64": "DOUBLE"}
_COMPLEX = {"f32": "C_FLOAT_COMPLEX", "f64": "C_DOUBLE_COMPLEX"}


@frozen
class MessageBuffer:
    """Values of i64 at the current insertion point.

    Attributes:
        address: of the first element.
        count: how many elements of `type` are sent.
        type: the handle of a data type.
        elements: how many numbers that is.
        made: handles that must be released behind the message.
    """

    address: ir.Value
    count: ir.Value
    type: ir.Value
    elements: ir.Value
    made: Sequence[ir.Value]


def moved_type(element: ir.Type) -> tuple[str, int] | None:
    """The data type by which elements are moved, and how many of it are one; None if their size is not known."""
    reduced = reduced_type(element)
    if reduced is not None:
        return reduced, 1
    try:
        return "BYTE", element_bytes(element)
    except ValueError:
        return None


def reduced_type(element: ir.Type) -> str | None:
    """The data type of numbers that MPI can compute with, if it has one for them."""
    if isinstance(element, ir.IndexType):
        return "INT64_T"
    if isinstance(element, ir.IntegerType) and element.width in (1, 8, 16, 32, 64):
        unsigned = element.is_unsigned or element.width == 1
        return f"{'U' if unsigned else ''}INT{max(element.width, 8)}_T"
    if isinstance(element, ir.ComplexType):
        return _COMPLEX.get(str(element.element_type))
    return _REAL.get(str(element))


def word_type() -> ir.Type:
    """The type of everything that is passed to the runtime's functions."""
    return ir.IntegerType.get_signless(64)


def word(value: int | ir.Value) -> ir.Value:
    """A number, an `index` or a narrower integer as an i64."""
    if isinstance(value, int):
        return arith.constant(word_type(), value)
    if isinstance(value.type, ir.IndexType):
        return arith.index_cast(word_type(), value)
    return value if value.type == word_type() else arith.extsi(word_type(), value)


def call(name: str, *operands: int | ir.Value) -> ir.Value:
    """A call of a function of the runtime (`runtime/message_passing/native_code.py`)."""
    return func.CallOp([word_type()], f"{MESSAGE_PREFIX}{name}", [word(operand) for operand in operands]).results[0]


def describe(buffer: ir.Value, *, reduced: bool = False) -> MessageBuffer:
    """Describe a memref whose elements have a `moved_type`, or a `reduced_type` if they are `reduced`."""
    type_ = ir.MemRefType(buffer.type)
    name, several = (reduced_type(type_.element_type), 1) if reduced else moved_type(type_.element_type) or ("BYTE", 1)
    handle = call("word", MESSAGE_WORDS.index(name or "BYTE"))
    elements = word(1)
    for dimension in range(type_.rank):
        elements = arith.muli(elements, word(_size(buffer, dimension)))
    start = word(memref.extract_aligned_pointer_as_index(buffer))
    bytes_ = element_bytes(type_.element_type)
    if has_identity_layout(type_):
        return MessageBuffer(start, arith.muli(elements, word(several)), handle, elements, ())
    parts = memref.ExtractStridedMetadataOp(buffer).results
    offset, strides = parts[1], list(parts)[2 + type_.rank :]
    address = arith.addi(start, arith.muli(word(offset), word(bytes_)))
    if is_row_major(type_):
        return MessageBuffer(address, arith.muli(elements, word(several)), handle, elements, ())
    made: list[ir.Value] = []
    if several > 1:
        handle = call("vector", several, 1, handle)
        made.append(handle)
    for dimension in reversed(range(type_.rank)):
        stride = arith.muli(word(strides[dimension]), word(bytes_))
        handle = call("vector", _size(buffer, dimension), stride, handle)
        made.append(handle)
    return MessageBuffer(address, word(1), handle, elements, made)


def _size(buffer: ir.Value, dimension: int) -> int | ir.Value:
    type_ = ir.MemRefType(buffer.type)
    return memref.dim(buffer, index_constant(dimension)) if type_.is_dynamic_dim(dimension) else type_.shape[dimension]
