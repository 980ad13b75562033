"""Where programs come from: the generators of the unit tests, the differential suite, and those written for a rule.

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
for _folder in ("support", "differential", "passes/dispatch"):
    if str(_TEST / _folder) not in sys.path:
        sys.path.append(str(_TEST / _folder))

from programs import PROGRAMS  # noqa: E402
from programs.program import arguments as suite_arguments  # noqa: E402
from random_branches import RandomBranches  # noqa: E402
from random_calls import random_calls  # noqa: E402
from random_dispatch import random_dispatch  # noqa: E402
from random_indices import NUMBERS, random_indices, random_versions  # noqa: E402
from random_insertions import random_program as random_insertions  # noqa: E402
from random_loops import random_loops  # noqa: E402
from random_outs import random_outs  # noqa: E402
from random_programs import random_program  # noqa: E402
from random_reshape_loops import random_reshape_loop  # noqa: E402
from random_sweeps import SIZE, random_sweep  # noqa: E402
from random_updates import SIZE as NEST_SIZE  # noqa: E402
from random_updates import random_nest  # noqa: E402
from random_views import INDICES, random_views  # noqa: E402
from test_random_dispatch import Kernel  # noqa: E402

from mlir_inplace.checking.generator import FEATURES, generate  # noqa: E402

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


def _vectors(count: int, size: int = 8, dtype: Any = np.float32) -> list[np.ndarray[Any, Any]]:
    return [np.arange(size, dtype=dtype) + 1000 * (n + 1) for n in range(count)]


def _writable(text: str) -> str:
    head, main, body = text.partition("@main(")
    return head + main + re.sub(r"(%[abc]: tensor<8xf32>)", r"\1 {bufferization.writable = true}", body, count=3)


def _programs(seed: int) -> Case:
    text = random_program(seed)
    runs: Runs = [[*_vectors(3), n, p] for n, p in ((0, True), (2, False), (3, True))]
    return Case(_writable(text) if seed % 2 else text, runs, *_passes(seed // 2))


def _loops(seed: int) -> Case:
    text = random_loops(seed)
    runs: Runs = [[*_vectors(3), n, p] for n, p in ((0, True), (2, False), (3, True))]
    return Case(_writable(text) if seed % 2 else text, runs, *_passes(seed // 2))


def _views(seed: int) -> Case:
    matrices = [np.arange(48, dtype=np.float32).reshape(6, 8), np.arange(20, dtype=np.float32).reshape(5, 4) + 2000]
    text, _ = random_views(seed, matrices)
    return Case(text, [[*matrices, *range(INDICES)]], *_passes(seed))


def _branches(seed: int) -> Case:
    return Case(RandomBranches(seed).text(), [[*_vectors(2), n] for n in range(3)], *_passes(seed))


def _calls(seed: int) -> Case:
    matrix, vector = np.arange(16, dtype=np.float32).reshape(4, 4) / 64, np.arange(20, 24, dtype=np.float32) / 64
    runs: Runs = [[matrix, vector, 0.75, 2, fuel, p] for fuel, p in ((1, True), (2, False), (3, True))]
    return Case(random_calls(seed, recursive=bool(seed % 2)), runs, *_passes(seed // 2))


def _insertions(seed: int) -> Case:
    runs: Runs = [[*_vectors(2, 12, np.float64), place, flag] for place, flag in ((0, True), (1, False))]
    return Case(random_insertions(seed).text, runs, *_passes(seed, "inplace-convert-to-destination-style"))


def _outs(seed: int) -> Case:
    program = random_outs(seed)
    before = ("inplace-remove-outs-dependency", "inplace-remove-outs-dependency{mode=empty}")[seed % 2]
    return Case(program.text, [program.arguments], *_passes(seed // 2, before))


def _reshape_loops(seed: int) -> Case:
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3) + 1
    text, _ = random_reshape_loop(seed, matrix, trips=seed % 3)
    return Case(text, [[matrix, trips] for trips in (0, 1, 2)], *_passes(seed))


def _sweeps(seed: int) -> Case:
    tensor = np.arange(SIZE, dtype=np.float64) + 1
    return Case(random_sweep(seed).text(), [[tensor, bound] for bound in (0, 1, 4)], *_passes(seed))


def _indices(seed: int, make: Callable[[int], str]) -> Case:
    vectors = [np.arange(24, dtype=np.float32) + 1, np.arange(4, dtype=np.float32) + 101]
    return Case(make(seed), [[*vectors, 1000.5, n, m] for n, m in NUMBERS], *_passes(seed))


def _suite(seed: int) -> Case:
    program = PROGRAMS[seed % len(PROGRAMS)]
    before = ("", "inplace-convert-to-destination-style", "inplace-remove-outs-dependency")[seed // len(PROGRAMS) % 3]
    runs: Runs = [suite_arguments(run) for run in program.runs]
    return Case(program.text, runs, *_passes(seed // len(PROGRAMS), before))


_AIMED = {
    "vectors": {"vectors", "slices", "named", "loops"},
    "globals": {"globals", "calls", "slices", "named", "loops"},
    "buffers": {"bufferization", "buffers", "slices", "named", "loops", "branches"},
    "parallel": {"parallel", "slices", "named"},
    "indexed": {"indexed", "packing", "slices", "generic", "elementwise"},
    "generic": {"generic", "named", "slices", "creation"},
    "blocks": {"blocks", "recursion", "calls", "slices", "named", "branches"},
}


def _generated(seed: int, features: frozenset[str] = frozenset(FEATURES)) -> Case:
    before = ("", "inplace-convert-to-destination-style", "inplace-remove-outs-dependency")[seed % 3]
    program = generate(seed, features=sorted(features & set(FEATURES)))
    return Case(program.text, [list(given) for given in program.argument_sets], *_passes(seed // 3, before))


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


def _updates(seed: int) -> Case:
    nest = random_nest(seed)
    given = [np.arange(1.0, NEST_SIZE + 1), np.arange(NEST_SIZE) * 100.0, np.arange(NEST_SIZE) * -7.0]
    wanted = nest.run(*given)
    other = wanted if nest.has_other_user else given[1]
    run = [*given, np.zeros(NEST_SIZE)]
    return Case(nest.text(), [run], *_lowered(seed, _UPDATES), [[given[0], given[1], wanted, other]])


SOURCES: dict[str, Callable[[int], Case]] = {
    "programs": _programs,
    "loops": _loops,
    "views": _views,
    "branches": _branches,
    "calls": _calls,
    "insertions": _insertions,
    "outs": _outs,
    "reshape-loops": _reshape_loops,
    "sweeps": _sweeps,
    "suite": _suite,
    "generated": _generated,
    "dispatch": _dispatch,
    "kernels": _kernels,
    "updates": _updates,
    "indices": partial(_indices, make=random_indices),
    "versions": partial(_indices, make=random_versions),
    **{f"generated {name}": partial(_generated, features=frozenset(used)) for name, used in _AIMED.items()},
}
_AIMED_SOURCES = ("indices", "versions", *(f"generated {name}" for name in _AIMED))
ROTATION = (*(name for name in SOURCES if name not in _AIMED_SOURCES), "generated", "generated", "generated")
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
    """Case number `seed` of a source; the one of that name, if it was written.

    With ", arguments kept" behind the source's name no argument may be changed, else some may.
    """
    if isinstance(seed, str):
        return _written(seed)
    name, _, kept = source.partition(", ")
    made = SOURCES[name](seed)
    if kept:
        return replace(made, protects=True)
    return replace(made, protects=seed % 4 < 2)
