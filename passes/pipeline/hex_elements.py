"""The elements of constants as numbers, where MLIR's printer writes the bytes: the bindings do not set its limit.

The printer writes more than 100 elements as one hexadecimal string. Pieces of that string are constants of fewer
elements, which it writes as numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from mlir import ir

__all__ = ["with_numbers"]

_PIECE = 64
_HEX = re.compile(r'dense<"0x([0-9A-F]+)"> : (tensor|vector)<((?:\d+x)+)(complex<\w+>|[\w!.]+)')


def with_numbers(text: str, limit: int, context: ir.Context) -> str:
    """The printed IR with numbers in constants of up to `limit` elements, of any number for -1."""

    def numbers(match: re.Match[str]) -> str:
        digits, kind, sizes, element = match.groups()
        shape = [int(size) for size in sizes.split("x")[:-1]]
        count = math.prod(shape)
        # The bytes of a constant of equal elements are those of one of them.
        if (0 <= limit < count) or len(digits) % (2 * count):
            return match[0]
        width = len(digits) // count
        try:
            pieces = [digits[at : at + width * _PIECE] for at in range(0, len(digits), width * _PIECE)]
            elements = [found for piece in pieces for found in _numbers(piece, width, element, context)]
        except ir.MLIRError:  # An element type that is an alias, say.
            return match[0]
        return f"dense<{_nested(elements, shape)}> : {kind}<{sizes}{element}"

    return _HEX.sub(numbers, text)


def _numbers(digits: str, width: int, element: str, context: ir.Context) -> list[str]:
    """The elements that these bytes are, as MLIR writes them."""
    count = len(digits) // width
    attribute = ir.Attribute.parse(f'dense<"0x{digits}"> : tensor<{count}x{element}>', context)
    listed = str(attribute).partition("dense<")[2].rpartition("> : ")[0]
    return listed[1:-1].split(", ") if listed.startswith("[") else [listed] * count


def _nested(elements: Sequence[str], shape: Sequence[int]) -> str:
    if not shape:
        return elements[0]
    step = len(elements) // shape[0]
    parts = [_nested(elements[at : at + step], shape[1:]) for at in range(0, len(elements), step)]
    return f"[{', '.join(parts)}]"
