"""The ops that programs are enumerated over: what each takes and returns, and what of it may share memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .programs import TENSORS

__all__ = ["ELEMENT", "GRAMMAR", "LOOPS", "OFFSET", "OpForm", "find_signatures"]

ELEMENT, OFFSET = (0, 1), (0, 1, 2)
"""The constant indices of elements, and the constant offsets of slices."""


@dataclass(frozen=True)
class OpForm:
    """One form of an op without regions: letters of operands, which constant places it has, letters of results.

    `I` as an operand stands for a constant too. `tied`: the operands that the result may share memory with; `writes`:
    whether the op writes these.
    """

    kind: str
    operands: str
    results: str
    places: tuple[int, ...] = ()
    tied: tuple[int, ...] = ()
    writes: bool = False
    apart: bool = False
    """Whether the operands are different values."""


def _on_each(kind: str, operands: str, **rest: object) -> tuple[OpForm, ...]:
    """Signatures in which `A` is each type of tensors."""
    return tuple(OpForm(kind, operands.replace("A", a), a, **rest) for a in TENSORS)  # pyright: ignore[reportArgumentType]


def _call(callee: str, operands: str, results: str, *, writes: bool = False) -> OpForm:
    tied = tuple(range(len(operands))) if results == "T" else (0,)
    return OpForm(f"call @{callee}", operands, results, tied=tied, writes=writes)


GRAMMAR: dict[str, tuple[OpForm, ...]] = {
    "insert": _on_each("insert", "IA", places=ELEMENT, tied=(1,), writes=True),
    "extract": tuple(OpForm("extract", a, "I", ELEMENT) for a in TENSORS),
    "extract_slice": (OpForm("extract_slice", "T", "S", OFFSET, (0,)),),
    "insert_slice": (OpForm("insert_slice", "ST", "T", OFFSET, (1,), writes=True),),
    "map": _on_each("map", "AA", tied=(1,), writes=True),
    "add": _on_each("add", "AA", tied=(1,), writes=True),
    "spread": _on_each("spread", "AA", tied=(1,), writes=True),
    "fill": _on_each("fill", "A", tied=(0,), writes=True),
    "empty": (OpForm("empty", "", "T"), OpForm("empty", "", "S")),
    "select": _on_each("select", "AA", tied=(0, 1), apart=True),
    "reshape": (OpForm("expand", "T", "M", tied=(0,)), OpForm("collapse", "M", "T", tied=(0,))),
    "call": (
        _call("same", "T", "T"),
        _call("put", "T", "T", writes=True),
        _call("peek", "T", "I"),
        _call("fresh", "T", "T"),
        _call("other", "TT", "T", writes=True),
        _call("choose", "TT", "T"),
    ),
    "if": (),
    "for": (),
    "repeat": (),
    "for2": (),
    "while": (),
    "forall": (),
}
"""All ops by the name that `--grammar` has; those with regions have no signature.

`map` overwrites its init, `add` reads it, `spread` overwrites it and reads one element of its input for all of them.
`for` runs as often as an argument says, `repeat` twice; `for2` carries two tensors.
"""

LOOPS = {"for": 1, "repeat": 1, "for2": 2}
"""The `scf.for`s, and how many tensors each carries."""


def find_signatures(names: Sequence[str]) -> tuple[OpForm, ...]:
    """Return the forms of the named ops without regions.

    Raises:
        ValueError: a name is not known.
    """
    for name in names:
        if name not in GRAMMAR:
            raise ValueError(f"unknown op {name!r}; known are {', '.join(GRAMMAR)}")
    return tuple(signature for name in names for signature in GRAMMAR[name])
