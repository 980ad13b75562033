"""The layouts of the records that trampolines read: arrays of 64-bit words, each named by an `IntEnum`."""

from __future__ import annotations

from enum import IntEnum

__all__ = [
    "MOST_OUTS",
    "ArgumentKind",
    "ArgumentRecord",
    "BoundRecord",
    "HeadRecord",
    "OutRecord",
    "PairRecord",
    "PlanRecord",
    "ResultKind",
    "ResultRecord",
    "SpanRecord",
]

MOST_OUTS = 16
"""How many results may be written by native code to new arrays."""


class HeadRecord(IntEnum):
    """What all plans of an entry point share."""

    FIRST, NEW_ARRAY, SET_BASE, ARRAY_TYPE, BYTE, NONE, MISS, TRUE, RAISE = range(9)


class PlanRecord(IntEnum):
    """Calls with arguments of one kind; of each list there is the number of records and the address of the first."""

    NEXT, BUSY, FRAME, TABLE, FUNCTION, ARGUMENTS, ARGUMENT, PAIRS, PAIR = range(9)
    OUTS, OUT, RESULTS, RESULT, SPANS, SPAN, TAKES_OUT = range(9, 16)


class ArgumentRecord(IntEnum):
    """One argument. `SIZES` is the address of the sizes and then the strides; `PLACE` an offset in the frame."""

    TYPE, KIND, DTYPE, RANK, SIZES, MASK, FLAGS, PLACE, BACK = range(9)


class ArgumentKind(IntEnum):
    """How an argument gets into the frame."""

    ARRAY, F64, F32, I64, I32, I1 = range(6)


class PairRecord(IntEnum):
    """Two arrays that may not meet: where the frame has their addresses, and their bounds from there."""

    PLACE, LOW, HIGH, OTHER_PLACE, OTHER_LOW, OTHER_HIGH = range(6)


class SpanRecord(IntEnum):
    """An array that `out` may not meet."""

    PLACE, LOW, HIGH = range(3)


class OutRecord(IntEnum):
    """A result that native code writes: a new array in a block, or the array of `out`.

    The block has `BLOCK` bytes; if `TAKE` is not zero, it is what that function of Python's returns.
    """

    DTYPE, RANK, SIZES, ALIGNMENT, BLOCK, PLACE, BYTES, MASK, TAKE = range(9)


class ResultRecord(IntEnum):
    """One result: `VALUE` is the number of the argument or out, or the offset in the frame of what was returned.

    A returned array has the memory of its descriptor, which is given back to the function at the address `FREE`.
    """

    KIND, VALUE, DTYPE, RANK, ITEM_BYTES, FREE = range(6)


class ResultKind(IntEnum):
    """Where a result is."""

    ARGUMENT, OUT, F64, F32, I64, I32, I1, ARRAY = range(8)


class BoundRecord(IntEnum):
    """A bound call."""

    BUSY, TABLE, FUNCTION, RESULT, MISS, RAISE = range(6)
