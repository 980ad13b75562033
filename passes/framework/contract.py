"""What passes leave in a program for the runtime: names of attributes and of functions, and the numbers in them.

Here and not with the passes, so that a program from the cache is run without importing these.
"""

from __future__ import annotations

__all__ = [
    "ALIGNMENT",
    "BINDING",
    "BYTES",
    "BY_ZERO",
    "CONTIGUOUS",
    "COUNT_ALIGNMENT",
    "COUNT_COPY",
    "GRID",
    "HALO",
    "HELD",
    "LEAST",
    "MESSAGE_PREFIX",
    "MESSAGE_TABLE",
    "MESSAGE_TAG",
    "MESSAGE_WORDS",
    "MOST_SENT",
    "OUT_OF_RANGE",
    "OUT_RESULT",
    "OUT_SIZES",
    "READ_ONLY",
    "REARRANGED",
    "REQUIRE",
    "REQUIRE_ROOM",
    "RESULT_NAME",
    "RETURNABLE",
    "RETURNED",
    "SHARDING",
    "SIZE_CHECKS",
    "WAIT_FOR",
    "WHOLE_TYPE",
]

CONTIGUOUS = "inplace.contiguous"
"""Attribute of an argument whose memory is in row-major order, which the caller promises."""

READ_ONLY = "inplace.read_only"
"""Attribute of an argument that must not be returned, as the caller's array must not change."""

RETURNABLE = "inplace.returnable"
"""Attribute of an argument that may be returned: the caller knows its array by the address."""

HELD = "inplace.held"
"""Attribute of an argument that is the same array in every call, whose content never changes."""

REARRANGED = "inplace.rearranged"
"""Attribute of a held argument that a pass wants laid out anew: the shape to expand it to, and the order of these."""

OUT_RESULT = "inplace.out_result"
"""Attribute of an out argument: the number of the result that it is the memory of."""

OUT_SIZES = "inplace.out_sizes"
"""Attribute of an out argument of dynamic sizes: how callers compute them (`functions/rewriting/result_sizes.py`)."""

RESULT_NAME = "inplace.result_name"
"""Attribute of a result of a function: its name, as a string."""

ALIGNMENT = "inplace.alignment"
"""Attribute of an out argument: the alignment in bytes of the allocation that it replaces."""

RETURNED = -1
"""Instead of the number of an argument that holds a result: the function returns it."""

REQUIRE = "inplace_require"
"""The function that ends the call of the program with a message, unless a condition holds."""

REQUIRE_ROOM = "inplace_require_room"
"""The function that ends the call of the program if a number of bytes, an f64, is beyond what can be allocated."""

BY_ZERO, OUT_OF_RANGE = "integer division by zero", "integer quotient out of range"
"""Messages of assertions that are told as what Python calls such errors."""

COUNT_COPY = "inplace_count_copy"
"""The function that counts a copy."""

COUNT_ALIGNMENT = "inplace.count_alignment"
"""Attribute of an allocation that is counted: its alignment."""

BINDING = "inplace.binding"
"""Attribute of an argument that is a binding: its set and number."""

SIZE_CHECKS = "inplace.size_checks"
"""Attribute of a lowered function: for each check the argument, and its dimension, `BYTES`, or `LEAST`."""

GRID = "inplace.grid"
"""Attribute of a module that one rank of many runs: the extents of the grid of ranks."""

SHARDING = "inplace.sharding"
"""Attribute of an argument or result that is a shard: for each dimension the list of grid axes that split it."""

WHOLE_TYPE = "inplace.whole_type"
"""Attribute of an argument or result that is a shard: the type of the tensor that it is a part of."""

HALO = "inplace.halo"
"""Attribute of a shard with a border: for each dimension how many elements of the neighbours stand before and after."""

MESSAGE_PREFIX = "inplace_mpi_"
"""How names of the functions begin that send messages."""

MESSAGE_TABLE = f"{MESSAGE_PREFIX}table"
"""The function that returns the address of a program's table of `MESSAGE_WORDS`, which the runtime fills in."""

MESSAGE_TAG = 32767
"""The tag of exchanges, which a program's own messages must not have: the largest number that every MPI has for it."""

MOST_SENT = (1 << 31) - 1
"""As many elements are in one message at most: MPI counts by 32 bits."""

WAIT_FOR = f"{MESSAGE_PREFIX}wait_for"
"""The function that stands for `mpi.wait` until messages are lowered."""

MESSAGE_WORDS = (
    "COMMUNICATOR",
    "IN_PLACE",
    "ERROR",
    "SPLIT",
    "PROC_NULL",
    *("BYTE", "INT8_T", "INT16_T", "INT32_T", "INT64_T", "UINT8_T", "UINT16_T", "UINT32_T", "UINT64_T"),
    *("FLOAT", "DOUBLE", "C_FLOAT_COMPLEX", "C_DOUBLE_COMPLEX"),
    *("SUM", "PROD", "MIN", "MAX", "LAND", "LOR", "LXOR", "BAND", "BOR", "BXOR"),
)
"""What a program that sends messages is told of MPI: its communicator, the address that stands for a buffer that is
input and output, the rank that is nobody, then handles of element types and reductions. `ERROR` is written by the
program: the last code that was none of success. `SPLIT` is the address of a function that does what `MPI_Comm_split`
does, and frees in time what it has made."""

BYTES = -1
"""Instead of a dimension: a view of the argument's bytes ends within them."""

LEAST = -2
"""Instead of a dimension: a number of the grid is not too small; a size of 0 would make loops that never end."""
