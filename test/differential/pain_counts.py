"""What our routes and upstream's best one copy and allocate in the programs of `pains/`, when they run.

    python test/differential/pain_counts.py [NAME …] [--record]

Each program is compiled to machine code, called, and its results are compared with NumPy's; the program counts what it
copies and allocates (`memory_stats`). Ours is the default of `mi.compile`, and `optimize=True`. Upstream's is the best
of its heuristics, with and without what upstream has beside them: elimination of empty tensors, results as arguments,
hoisting of buffers, ownership-based deallocation. The best is that with the fewest copied bytes, then the lowest peak.
`--record` writes what upstream does to `pain_counts.json`, with which the test compares.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes  # noqa: F401
import numpy as np

import mlir_inplace as mi

if __name__ == "__main__":  # As conftest.py does for tests.
    sys.path.append(str(Path(__file__).parents[1] / "support"))

from pains import PAINS
from pains.pain import Pain

RECORD = Path(__file__).with_suffix(".json")
HEURISTICS = [f"analysis-heuristic={name}" for name in ("bottom-up", "top-down", "bottom-up-from-terminators")]
CLEAN_UP = "canonicalize,cse,canonicalize"
HOISTED = "func.func(buffer-hoisting,buffer-loop-hoisting)"
FREED = f"buffer-deallocation-pipeline,inplace-expand-clones,{CLEAN_UP}"
OUT_PARAMS = "buffer-results-to-out-params{hoist-static-allocs=true}"
FREES = "func.func private @frees(%memory: memref<f32>) {\nmemref.dealloc %memory : memref<f32>\nreturn\n}\n"


class Cost(NamedTuple):
    """The bytes that one call copies, and the most it has allocated at one moment; less is better."""

    copied: int
    peak: int


class Wrong(Exception):
    """A program gave another result than NumPy."""


def ours(pain: Pain, *, optimize: bool = False) -> Cost:
    """What our route costs. Raises `Wrong`."""
    return measured(pain, optimize=optimize)


def upstream(pain: Pain) -> Cost | None:
    """What upstream's best route costs; None if it refuses the program in each way, or is always wrong."""
    costs: list[Cost] = []
    for passes, added in routes():
        try:
            costs.append(measured(replace(pain, text=pain.text + added), pipeline=f"builtin.module({passes})"))
        except (mi.PassError, Wrong):
            continue
    return min(costs, default=None)


def routes() -> Iterator[tuple[str, str]]:
    """Upstream's pipelines, from tensors to memrefs, and what to add to the program.

    Buffers are freed by upstream, or, like results, left to our boundary. A function that frees says that nothing else
    need be freed; it is gone before upstream, which refuses it, sees it.
    """
    ends = ("", f"drop-equivalent-buffer-results,{HOISTED},{FREED}", f"{OUT_PARAMS},{HOISTED},{FREED}")
    for heuristic, first, end in itertools.product(HEURISTICS, ("", "eliminate-empty-tensors,"), ends):
        options = f"bufferize-function-boundaries=true allow-return-allocs-from-loops=true {heuristic}"
        yield f"symbol-dce,{first}one-shot-bufferize{{{options}}},{CLEAN_UP},{end or CLEAN_UP}", FREES if end else ""


def measured(pain: Pain, **options: Any) -> Cost:
    """Compile, call, and compare with NumPy. Raises `Wrong`."""
    program = mi.compile(pain.text, memory_stats=True, cache=False, **options)
    wanted = pain.numpy(*pain.arguments())
    found = program.main(*pain.arguments())
    one = not isinstance(wanted, tuple)
    pairs = zip((found,) if one else found, (wanted,) if one else wanted, strict=True)
    if not all(np.shape(a) == np.shape(b) and np.allclose(a, b, pain.rtol, 1e-6) for a, b in pairs):
        raise Wrong(pain.name)
    stats = program.memory_stats
    if stats.leaked_bytes:
        raise Wrong(f"{pain.name} leaks")
    return Cost(stats.copied_bytes, stats.peak_bytes)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of the programs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--record", action="store_true", help="ask upstream, and write what it does")
    options = parser.parse_args(arguments)
    chosen = [pain for pain in PAINS if not options.names or pain.name in options.names]
    known: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if options.record:
        known.update({pain.name: upstream(pain) for pain in chosen})
        lines = ",\n".join(f'  "{pain.name}": {json.dumps(known[pain.name])}' for pain in PAINS)
        RECORD.write_text(f"{{\n{lines}\n}}\n")
    print(f"{'':34}{'ours':>20}{'optimized':>20}{'upstream':>20}")
    for pain in chosen:
        cells: list[str] = []
        for optimize in (False, True):
            try:
                cells.append("{} {}".format(*ours(pain, optimize=optimize)))
            except (mi.PassError, Wrong) as error:
                cells.append(f"{type(error).__name__} {str(error)[:60]}")
        best = known.get(pain.name)
        cells.append("refused" if best is None else "{} {}".format(*best))
        print(f"{pain.name:34}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
