"""Slices of a generated program taken backwards: the same elements in the other order.

The productions draw strides of 1 and 2. Here they become negative, in dimensions whose offset, size and stride are
numbers, so that the slice stays in bounds. The program means something else then, but nothing undefined.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from .program import GeneratedProgram

__all__ = ["with_reversed_slices"]

_SLICE = re.compile(
    r"(?P<op>tensor\.(?:extract_slice|insert_slice|parallel_insert_slice) [^\[\]]*)"
    r"\[(?P<offsets>[^\]]*)\] \[(?P<sizes>[^\]]*)\] \[(?P<strides>[^\]]*)\]"
)


def with_reversed_slices(program: GeneratedProgram) -> GeneratedProgram:
    """Return ``program`` with about half of the dimensions reversed of slices that are known. Linear in the text."""
    draw = Random(program.seed)
    return replace(program, text=_SLICE.sub(lambda found: _reversed(found, draw), program.text))


def _reversed(found: re.Match[str], draw: Random) -> str:
    offsets, sizes, strides = (found[part].split(", ") for part in ("offsets", "sizes", "strides"))
    for dimension, entries in enumerate(zip(offsets, sizes, strides, strict=True)):
        if all(map(str.isdecimal, entries)) and draw.random() < 0.5:
            offset, size, stride = map(int, entries)
            if size > 1:
                offsets[dimension], strides[dimension] = str(offset + (size - 1) * stride), str(-stride)
    return f"{found['op']}[{', '.join(offsets)}] [{', '.join(sizes)}] [{', '.join(strides)}]"
