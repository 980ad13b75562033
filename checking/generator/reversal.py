"""Slices of a generated program taken backwards: the same elements in the other order.

The productions draw strides of 1 and 2. Here they become negative, and offsets those of the last element, so that the
slice stays in bounds. Both are numbers where offset, size and stride are; or they are values, computed before the op
or, of what threads insert, before the op that inserts. Slices of memory that kernels load and store have values only,
as a stride that is a number must be positive. The program means something else then, but nothing undefined.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from .program import GeneratedProgram

__all__ = ["with_reversed_slices"]

_SLICE = re.compile(
    r"(?P<op>(?P<name>tensor\.(?:extract_slice|insert_slice|parallel_insert_slice)|dispatch\.(?:load|store)) [^\[\]]*)"
    r"\[(?P<offsets>[^\]]*)\] \[(?P<sizes>[^\]]*)\] \[(?P<strides>[^\]]*)\]"
)

_THREADS = "scf.forall.in_parallel {"
_NUMBERS = 0.6
"""How often numbers stay numbers."""
_MATCHING = 0.75
"""How often a slice of the same place goes the same way, as those that are taken and put back."""


def with_reversed_slices(program: GeneratedProgram) -> GeneratedProgram:
    """Return ``program`` with about half of the dimensions of its slices reversed. Linear in the text."""
    return replace(program, text=_Reversal(Random(program.seed)).of_text(program.text))


class _Reversal:
    def __init__(self, draw: Random) -> None:
        self._draw = draw
        self._lines: list[str] = []
        self._place = 0
        """Where the ops that compute an offset go."""
        self._count = 0
        self._known: dict[str, list[bool]] = {}

    def of_text(self, text: str) -> str:
        """Return the program with slices reversed."""
        for line in text.split("\n"):
            if _THREADS in line:
                self._place = len(self._lines)
            found = _SLICE.search(line)
            if found is not None and found["name"] != "tensor.parallel_insert_slice":
                self._place = len(self._lines)
            changed = line if found is None else f"{line[: found.start()]}{self._of(found)}{line[found.end() :]}"
            self._lines.append(changed)
        return "\n".join(self._lines)

    def _of(self, found: re.Match[str]) -> str:
        offsets, sizes, strides = (found[part].split(", ") for part in ("offsets", "sizes", "strides"))
        are_values = found["name"].startswith("dispatch")
        for dimension, turns in enumerate(self._turns(found[0][len(found["op"]) :], len(sizes))):
            offset, size, stride = offsets[dimension], sizes[dimension], strides[dimension]
            if not turns or size in ("0", "1"):
                continue
            if not are_values and all(map(str.isdecimal, (offset, size, stride))) and self._draw.random() < _NUMBERS:
                offsets[dimension] = str(int(offset) + (int(size) - 1) * int(stride))
                strides[dimension] = f"-{stride}"
            else:
                offsets[dimension] = self._last(offset, size, stride)
                is_value = are_values or self._draw.random() < 0.5
                strides[dimension] = self._backwards(size, stride) if is_value else f"-{stride}"
        return f"{found['op']}[{', '.join(offsets)}] [{', '.join(sizes)}] [{', '.join(strides)}]"

    def _turns(self, place: str, rank: int) -> list[bool]:
        """Return which dimensions of a slice are reversed."""
        drawn = [self._draw.random() < 0.5 for _ in range(rank)]
        known = self._known.setdefault(place, drawn)
        return known if self._draw.random() < _MATCHING else drawn

    def _last(self, offset: str, size: str, stride: str) -> str:
        """Compute the offset of the last element; of none it is the offset itself."""
        if size.isdecimal():
            steps = self._value(str((int(size) - 1) * int(stride)))
        else:
            less = self._op(f"arith.subi {size}, {self._value('1')} : index")
            steps = self._op(f"arith.maxsi {less}, {self._value('0')} : index")
            steps = self._op(f"arith.muli {steps}, {self._value(stride)} : index")
        return self._op(f"arith.addi {self._value(offset)}, {steps} : index")

    def _backwards(self, size: str, stride: str) -> str:
        """Compute the negative stride, as a constant or from a size, which is not below it."""
        constant = self._value(f"-{stride}")
        if size.isdecimal() or self._draw.random() < 0.5:
            return constant
        return self._op(f"arith.minsi {size}, {constant} : index")

    def _value(self, entry: str) -> str:
        return entry if entry.startswith("%") else self._op(f"arith.constant {entry} : index")

    def _op(self, text: str) -> str:
        self._count += 1
        name = f"%back{self._count}"
        self._lines.insert(self._place, f"{name} = {text}")
        self._place += 1
        return name
