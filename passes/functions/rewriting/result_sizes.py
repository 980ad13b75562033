"""Sizes of results as words: how a caller computes them from the sizes of arguments.

A size is in postfix form, the right operand of an op before the left one. `a1.0` is the first size of the second
argument, a number is itself, and an op has the name that it has in `arith`. `runtime/interface/result_sizes.py`
computes them.
"""

from __future__ import annotations

from mlir import ir

from ....dialects.support.defining_ops import defining_op

__all__ = ["size_words"]

_OPS = frozenset({"addi", "maxsi", "minsi", "muli", "subi"})
_MOST = 32
"""How many words a size has at most."""


def size_words(size: ir.Value, entry: ir.Block) -> str | None:
    """Return the words of `size`, an index of the function with the block `entry`.

    None if it does not follow from sizes of arguments, by ops of which Python's are the same.
    """
    words: list[str] = []
    work: list[ir.Value | str] = [size]
    while work:
        if len(words) + len(work) > _MOST:
            return None
        value = work.pop()
        if isinstance(value, str):
            words.append(value)
            continue
        op = defining_op(value)
        if op is None or not isinstance(value.type, ir.IndexType):
            return None
        name = op.name.removeprefix("arith.")
        if name in _OPS:
            work += [name, *op.operands]
            continue
        word = _word(op, entry)
        if word is None:
            return None
        words.append(word)
    return " ".join(words)


def _word(op: ir.Operation, entry: ir.Block) -> str | None:
    """Return the word of a constant, or of a size of an argument; None for another op."""
    if op.name == "arith.constant":
        return str(ir.IntegerAttr(op.attributes["value"]).value)
    if op.name != "memref.dim":
        return None
    source, dimension = op.operands[0], defining_op(op.operands[1], "arith.constant")
    if dimension is None or not isinstance(source, ir.BlockArgument) or source.owner != entry:
        return None
    return f"a{source.arg_number}.{ir.IntegerAttr(dimension.attributes['value']).value}"
