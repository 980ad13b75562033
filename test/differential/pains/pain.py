"""What a pain is: a program of a kind that users of bufferization report, because it copies or allocates too much."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from programs.program import Run, arguments

W = "{bufferization.writable = true}"
"""The attribute of an argument whose memory the function may write."""


@dataclass(frozen=True)
class Pain:
    """One program; its entry point is `@main`. `run` and `numpy` are as those of a `Program` of the suite.

    `complaint` says what was reported, and where: an issue of a project, or none for what everybody meets.
    `copied` is the most that the default route may copy, in bytes, if that is known; `peak` the most it may allocate.
    """

    name: str
    complaint: str
    text: str
    run: Run
    numpy: Callable[..., Any]
    rtol: float = 0.0
    copied: int | None = None
    peak: int | None = None

    def arguments(self) -> list[Any]:
        """The arguments, made anew: the program may write into them."""
        return arguments(self.run)


def main(signature: str, results: str, body: str, *functions: str, **types: str) -> str:
    """A module with `@main`, in whose body `%c0` and the like are indices and `%f0` and the like floats.

    `types` are aliases: `t="64xf32"` lets the text say `!t`.
    """
    aliases = "".join(f"!{name} = tensor<{spelled}>\n" for name, spelled in types.items())
    named = sorted(set(re.findall(r"%(c|f)(\d+)\b", body)))
    made = {"c": "arith.constant {0} : index", "f": "arith.constant {0}.0 : f32"}
    constants = "\n".join(f"%{kind}{number} = {made[kind].format(number)}" for kind, number in named)
    others = "\n".join(functions)
    return f"{aliases}{others}\nfunc.func @main({signature}) -> ({results}) {{\n{constants}\n{body}\n}}\n"
