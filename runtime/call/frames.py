"""Frames: the memory through which a call passes its arguments and gets its results.

Native code takes the address of a table of pointers (see `native/engine.py`). A frame is one block of memory with all
that the table points to, in four parts:

    what changes with each call | results | offsets, sizes and strides | the table

The first part holds one pointer for each array, which serves as its allocated and its aligned pointer alike, and the
scalars; one `struct` writes it. The second is read by another. The rest is written when the frame is made.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence

from ...dialects.support.frozen_classes import frozen

_WORD = 8


@frozen
class ArraySlot:
    """The part of an array argument's descriptor that all calls of a plan share: offset, sizes, strides in elements.

    The pointer too, if the array is held (`held_arguments.py`): `address` is None where each call packs another.
    """

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    address: int | None = None


@frozen
class CallFrame:
    """The memory of one call in flight, and the address of its pointer table."""

    memory: ctypes.Array[ctypes.c_char]
    table: int


class FrameLayout:
    """The layout of frames for one call signature: `arguments` packs at 0, `returned` unpacks at `returned_offset`.

    Args:
        arguments: in native order, an `ArraySlot` or the `struct` code of a scalar.
        returned: the `struct` code of each returned value, in order; a descriptor's is `descriptor_code`.
    """

    def __init__(self, arguments: Sequence[ArraySlot | str], returned: Sequence[str]) -> None:
        codes = [_packed_code(argument) for argument in arguments]
        self.arguments = struct.Struct("@" + "".join(codes))
        self.returned = struct.Struct("@" + "".join(returned))
        self.returned_offset = _round_up(self.arguments.size)
        start = _round_up(self.returned_offset + self.returned.size)
        places: list[int] = []
        constants: list[int] = []
        pointers: list[int] = []
        for number, argument in enumerate(arguments):
            if isinstance(argument, ArraySlot) and argument.address is not None:
                place = start
                start += _WORD
                constants.append(argument.address)
            else:
                # A repeat count of zero adds the padding before a value, and no value.
                place = struct.calcsize("@" + "".join(codes[:number]) + "0" + codes[number][0])
            pointers.append(place)
            places.append(place)
            if isinstance(argument, ArraySlot):
                words = (argument.offset, *argument.shape, *argument.strides)
                pointers += [place, *range(start, start + len(words) * _WORD, _WORD)]
                start += len(words) * _WORD
                constants += words
        if returned:
            pointers.append(self.returned_offset)
        self.places = tuple(places)
        """Where in a frame the pointer or the scalar of each argument is."""
        self._constants = struct.pack(f"{len(constants)}q", *constants)
        self._pointers = tuple(pointers)
        self._table_offset = start
        self._memory_class = ctypes.c_char * (start + len(pointers) * _WORD)

    def new_frame(self) -> CallFrame:
        """A new frame, ready for `arguments.pack_into`."""
        memory = self._memory_class()
        address = ctypes.addressof(memory)
        constants = self._table_offset - len(self._constants)
        memory[constants : self._table_offset] = self._constants
        table = struct.pack(f"{len(self._pointers)}Q", *(address + pointer for pointer in self._pointers))
        memory[self._table_offset :] = table
        return CallFrame(memory, address + self._table_offset)


def _packed_code(argument: ArraySlot | str) -> str:
    if isinstance(argument, ArraySlot):
        return "Q" if argument.address is None else ""
    return argument


def descriptor_code(rank: int) -> str:
    """The `struct` code of a ranked memref: two pointers, the offset, the sizes, the strides."""
    return "QQ" + "q" * (1 + 2 * rank)


def _round_up(size: int) -> int:
    """The next multiple of 16, the alignment of the largest scalar."""
    return -(-size // 16) * 16
