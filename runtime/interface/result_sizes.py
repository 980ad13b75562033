"""Sizes of results that callers compute from sizes of arguments.

`passes/functions/rewriting/result_sizes.py` writes the words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

__all__ = ["known_shape"]

_OPS: Mapping[str, Callable[[int, int], int]] = {
    "addi": lambda left, right: left + right,
    "maxsi": max,
    "minsi": min,
    "muli": lambda left, right: left * right,
    "subi": lambda left, right: left - right,
}


def known_shape(shape: Sequence[int | str], shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return `shape` in numbers, for arguments of `shapes` (of those that are no arrays, any).

    A size below 0 is 0 here: it is the program that asserts what it needs, and says where.
    """
    return tuple(size if isinstance(size, int) else max(_computed(size, shapes), 0) for size in shape)


def _computed(words: str, shapes: Sequence[Sequence[int]]) -> int:
    stack: list[int] = []
    for word in words.split():
        if word in _OPS:
            left, right = stack.pop(), stack.pop()
            stack.append(_OPS[word](left, right))
        elif word.startswith("a"):
            argument, dimension = word[1:].split(".")
            stack.append(shapes[int(argument)][int(dimension)])
        else:
            stack.append(int(word))
    (size,) = stack
    return size
