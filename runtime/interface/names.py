"""Names of arguments that Python calls can use.

A parameter is called as in the source: `%lhs` is `lhs`. Where that is no name that a call can use,

* a keyword of Python, and `out` and `function`, which calls use themselves, get an underscore: `%in` is `in_`;
* a number, or no name at all, becomes the position, as MLIR prints it: `%0` is `arg0`;
* other characters become underscores: `%a.b` is `a_b`; a name that is taken then gets underscores until it is not.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

_USED_BY_CALLS = {"out", "function"}


def python_names(spellings: Sequence[str | None]) -> tuple[str, ...]:
    """A Python identifier for each spelling of the source (None: it has none), all of them different."""
    wanted = [_identifier(spelling, position) for position, spelling in enumerate(spellings)]
    names = list(wanted)
    taken: set[str] = set()
    # Those that stay as they are come first, so that no other takes their name.
    for position in sorted(range(len(names)), key=lambda position: wanted[position] != spellings[position]):
        while names[position] in taken:
            names[position] += "_"
        taken.add(names[position])
    return tuple(names)


def _identifier(spelling: str | None, position: int) -> str:
    if not spelling or spelling.isdecimal():
        return f"arg{position}"
    name = re.sub(r"\W", "_", spelling)
    if keyword.iskeyword(name) or name in _USED_BY_CALLS:
        return f"{name}_"
    return name if name.isidentifier() else f"_{name}"
