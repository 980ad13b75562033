"""Programs whose updates become stores, and how that is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .update_programs import Array, function, run, transformed


@dataclass(frozen=True)
class Accepted:
    """A program whose updates become stores; `hides` is not in the text afterwards."""

    name: str
    text: str
    output: Array
    hides: str = "iter_args"
    grids: tuple[tuple[int, ...], ...] = ((),)

    def __str__(self) -> str:
        return self.name


def accepted(name: str, body: str, output: Array, *, access: str = "readwrite", **more: object) -> Accepted:
    return Accepted(name, function(body, access), output, **more)  # type: ignore[arg-type]


def check(case: Accepted) -> None:
    """Nothing is carried any more, and the values before and after are those of NumPy."""
    before, after = transformed(case.text)
    assert case.hides in before
    assert case.hides not in after
    for program in (case.text, after):
        for grid in case.grids:
            np.testing.assert_array_equal(run(program, *grid)[0], case.output)
