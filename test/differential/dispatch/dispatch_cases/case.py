"""What a dispatch function of the suite is: its text, what its bindings hold, and what NumPy makes of that."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from programs.program import Run

_FOLDER = Path(__file__).parents[3] / "passes" / "dispatch" / "scenarios"
SCENARIOS = {path.stem.replace("-", "_"): path for path in _FOLDER.rglob("*.mlir")}
"""The lit tests of the scenarios, by name."""
TENSOR = re.compile(r"(readonly|writeonly|readwrite) ([\w<>?]+)")

ONE = ((1, 1, 1),)
GRIDS = ((1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 2, 1), (3, 2, 1), (1, 5, 1), (7, 1, 1))
ROWS = ((1, 1, 1), (2, 1, 1), (3, 1, 1), (9, 1, 1))
"""Workgroup counts. The functions of the suite divide their work among as many workgroups as there are."""


@dataclass(frozen=True)
class Case:
    """One dispatch function: the only public one of its program.

    `args` is one run or a list of runs: the tensor of each binding, in the order of set and binding ("4x8xf32"), then
    the push constants. `numpy` takes them and changes the arrays as the function changes its bindings. `allocations`
    and `copies` are what is left in the IR at most, for the plan and for one-shot bufferization alike.
    """

    name: str
    args: Run | list[Run]
    numpy: Callable[..., None]
    body: str = ""
    """The text of the function's body, in short: `readonly 4xf32` is the dispatch type of tensor<4xf32>. Empty if the
    program is the scenario of that name."""
    attributes: str = ""
    """What stands in front of the function."""
    allocations: int = 0
    copies: int = 0
    grids: tuple[tuple[int, int, int], ...] = ONE
    sizes: tuple[tuple[int, int, int], ...] = ONE
    rtol: float = 0.0

    @property
    def runs(self) -> list[Run]:
        return self.args if isinstance(self.args, list) else [self.args]

    @property
    def text(self) -> str:
        """The program, in the lighter text form of the dispatch ops."""
        if not self.body:
            return SCENARIOS[self.name].read_text()
        body = TENSOR.sub(r"!dispatch.\1<tensor<\2>>", self.body)
        return f"{self.attributes}\nfunc.func @main() {{\n{body}\n  return\n}}\n"
