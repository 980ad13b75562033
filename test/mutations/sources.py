"""Where programs come from: `checking/generator`, other tests, and files, written by hand or kept by `keep.py`.

A source makes a case of a number: a program, the arguments of its runs, and the passes that it goes through. The same
number makes the same case, always.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

_TEST = Path(__file__).parent.parent
for _folder in ("support", "differential", "differential/dispatch", "passes/dispatch"):
    if str(_TEST / _folder) not in sys.path:
        sys.path.append(str(_TEST / _folder))

from generated import SUBJECTS, program  # noqa: E402
from programs import PROGRAMS  # noqa: E402
from programs.program import arguments as suite_arguments  # noqa: E402
from random_dispatch import random_dispatch  # noqa: E402
from test_random_dispatch import Kernel  # noqa: E402
from updates.nest_model import Grid  # noqa: E402
from updates.nest_text import text_of  # noqa: E402
from updates.nests import random_nest  # noqa: E402

Runs = list[list[Any]]


@dataclass(frozen=True)
class Case:
    """A tensor program with the entry point @main, what to call it with, and the passes to bufferize it by."""

    text: str
    runs: Runs
    passes: str
    """What makes memrefs of tensors."""
    after: str
    """What moves and frees buffers afterwards."""
    expected: list[list[np.ndarray[Any, Any]]] | None = None
    """What the arguments are after each run; else the results count, as the program's meaning on tensors is."""
    protects: bool = False
    """Whether tensor arguments must not be changed unless the program says that they may."""
    refused: bool = False
    """Whether the passes refuse it with all rules kept, so that it says something without one of them only."""
    tensors: str = ""
    """Functions that the program declares only: what they do with tensors."""
    memrefs: str = ""
    """What they do with the memrefs that they are called with after bufferization."""


_ORDERS = (
    "",
    "analysis-heuristic=fuzzer analysis-fuzzer-seed={seed}",
    "analysis-heuristic=top-down",
    "analysis-heuristic=bottom-up-from-terminators",
    "function-boundary-type-conversion=identity-layout-map",
)
_BOUNDARY = "inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations"
_DEALLOCATE = "canonicalize,cse,inplace-deallocate"


def _passes(seed: int, before: str = "", options: str = "") -> tuple[str, str]:
    """Every order of decisions has its turn; what comes before and behind bufferization changes as well."""
    order = _ORDERS[seed % len(_ORDERS)].format(seed=seed)
    always = "bufferize-function-boundaries=true warn-written-arguments=false"
    bufferize = f"inplace-one-shot-bufferize{{{always} {options} {order}}}"
    boundary = _BOUNDARY if seed % 3 == 0 else ""
    return ",".join(filter(None, (before, bufferize))), ",".join(filter(None, (boundary, _DEALLOCATE)))


def _suite(seed: int) -> Case:
    program = PROGRAMS[seed % len(PROGRAMS)]
    before = ("", "inplace-convert-to-destination-style", "inplace-remove-outs-dependency")[seed // len(PROGRAMS) % 3]
    runs: Runs = [suite_arguments(run) for run in program.runs]
    return Case(program.text, runs, *_passes(seed // len(PROGRAMS), before))


def _generated(seed: int, subject: str) -> Case:
    before = ("", "inplace-convert-to-destination-style", "inplace-remove-outs-dependency")[seed % 3]
    made = program(subject, seed, size=8)
    return Case(made.text, [list(given) for given in made.argument_sets], *_passes(seed // 3, before))


_DISPATCH = ("inplace-plan-bufferize", "inplace-one-shot-bufferize{bufferize-function-boundaries=true}")
_UPDATES = "inplace-rewrite-destructive-updates{print-rewritten=false print-kept=false}"


def _lowered(seed: int, before: str = "") -> tuple[str, str]:
    return ",".join(filter(None, (before, _DISPATCH[seed % 2], "inplace-lower-dispatch"))), _DEALLOCATE


def _dispatch(seed: int) -> Case:
    program = random_dispatch(seed)
    count = len(program.accesses) * int(np.prod(program.shape))
    runs: Runs = []
    expected = []
    for place, flag in ((0, True), (1, False)):
        bindings = list(np.arange(1000.0, 1000 + count).reshape(-1, *program.shape))
        after = [binding.copy() for binding in bindings]
        program.run(after, place, flag)
        grid = [program.workgroups] if "workgroup" in program.text else []
        runs.append([*bindings, place, flag, *grid])
        expected.append(after)
    return Case(program.text, runs, *_lowered(seed), expected)


def _kernels(seed: int) -> Case:
    kernel = Kernel(seed)
    runs: Runs = []
    expected = []
    for pushed in (0, 3):
        arrays = list(np.arange(64, dtype=np.float32).reshape(4, 16) + 1)
        after = [array.copy() for array in arrays]
        kernel.run(after, pushed)
        runs.append([*arrays, pushed])
        expected.append(after)
    return Case(kernel.text, runs, *_lowered(seed), expected)


def _nests(seed: int) -> Case:
    """One workgroup of a nest."""
    nest = random_nest(seed)
    memory, count = nest.memory(), len(nest.sources)
    given, added, *others = memory
    after = nest.run(given, added, others[:count], Grid()).last
    shown = [after[k] if nest.shown[k] else others[count + k] for k in range(count)]
    grid = [1, 1] if nest.has_grid else []
    return Case(text_of(nest), [[*memory, *grid]], *_lowered(seed, _UPDATES), [[given, added, *after, *shown]])


SOURCES: dict[str, Callable[[int], Case]] = {
    "suite": _suite,
    "dispatch": _dispatch,
    "kernels": _kernels,
    "nests": _nests,
    **{subject: partial(_generated, subject=subject) for subject in SUBJECTS},
}
DRAWN = (*SUBJECTS, "nests")
"""Sources whose programs are others when a generator changes."""
ROTATION = (*SOURCES, "everything", "everything", "everything")
"""Where programs come from in turn, if a search is not aimed at one source."""


WRITTEN = Path(__file__).parent / "written"
"""Programs that were written for a rule: files with the passes and the arguments of their runs in front."""


def _written(name: str) -> Case:
    text = (WRITTEN / f"{name}.mlir").read_text()
    says = dict(re.findall(r"^// (\w+): ?(.*)$", text, re.MULTILINE))
    runs: Runs = [[_value(*given) for given in run] for run in json.loads(says["runs"])]
    tensors, memrefs = (
        "\n".join(re.findall(rf"^// {kind}:(.*)$", text, re.MULTILINE)) for kind in ("tensors", "memrefs")
    )
    after, protects, refused = says.get("after", _DEALLOCATE), says.get("protects") == "yes", "refused" in says
    return Case(text, runs, says["passes"], after, protects=protects, refused=refused, tensors=tensors, memrefs=memrefs)


def _value(dtype: str, shape: list[int] | None, first: Any) -> Any:
    """A scalar, or an array of different numbers from `first` on, or of the numbers that `first` lists."""
    if shape is None:
        return first
    if isinstance(first, list):
        return np.array(first, dtype).reshape(shape)
    return (np.arange(int(np.prod(shape))) + first).reshape(shape).astype(dtype)


@cache
def case(source: str, seed: int | str) -> Case:
    """Case number `seed` of a source; the one of that name, if it was written."""
    if isinstance(seed, str):
        return _written(seed)
    return replace(SOURCES[source](seed), protects=seed % 4 < 2)
