"""How fast programs of frontends run, beside the frontend's own compilers, and when the first result is there.

    python benchmarks/frontends.py
    python benchmarks/frontends.py --rounds 15 --processor-time --only jax onnx
    python benchmarks/frontends.py --json frontends.json --plot docs/frontends.svg

All run on one thread and take turns, as in `speed.py`; before that, their results are compared. JAX donates what our
programs donate; `ours, JAX's arrays` is our program with JAX's arrays in and out. The ratio is that of the fastest of
the others to ours. The second table has seconds until the first result of a function of JAX that was not compiled
before: tracing, compiling and one call; and what it takes in a second process, where machine code comes from the cache
(without importing JAX). Frontends that are not installed are left out. Nothing here is a test: figures depend on the
machine.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from speed import measure, plot, set_up

NEEDED = {"jax": ("jax",), "torch": ("torch",), "onnx": ("onnx", "onnxruntime")}


def measured(name: str, rounds: int, clock: Callable[[], float]) -> dict[str, Any]:
    """What is to be told of a program.

    Raises:
        SystemExit: results differ.
    """
    import numpy as np
    from subjects.frontend_programs import PROGRAMS

    calls = PROGRAMS[name]()
    results = {who: np.asarray(call()) for who, call in calls.items()}
    for who, result in results.items():
        if not np.allclose(result, results["ours"], 1e-3, 1e-4):
            raise SystemExit(f"{name}: the results of {who} and ours differ")
    times = measure(calls, rounds, 1, clock)
    medians = {who: statistics.median(values) for who, values in times.items()}
    best = min((who for who in times if not who.startswith("ours")), key=medians.__getitem__)
    ratios = [theirs / ours for theirs, ours in zip(times[best], times["ours"], strict=True)]
    return {
        "workload": name,
        "threads": 1,
        "quartiles": {who: statistics.quantiles(values, n=4) for who, values in times.items()},
        "best": best,
        "ratio": statistics.median(ratios),
        "ratio quartiles": statistics.quantiles(ratios, n=4),
    }


def row(figures: Mapping[str, Any]) -> str:
    """One row of the first table, in microseconds."""
    cells = {
        who: f"{middle * 1e6:.0f} ({low * 1e6:.0f}-{high * 1e6:.0f})"
        for who, (low, middle, high) in figures["quartiles"].items()
    }
    others = ", ".join(f"{who} {cell}" for who, cell in cells.items() if who != "ours")
    low, middle, high = figures["ratio quartiles"]
    return f"| {figures['workload']} | {cells['ours']} | {others} | {middle:.2f} ({low:.2f}-{high:.2f}) |"


def first_result(name: str, compiler: str, cache: str) -> float:
    """Seconds until the first result, in this process."""
    import jax
    from subjects.frontend_programs import JAX

    import mlir_inplace as mi

    function, state, rest = JAX[name]()
    jax.block_until_ready(jax.jit(lambda a: a + 1)(1.0))  # JAX starts its runtime
    begin = time.perf_counter()
    if compiler == "jax.jit":
        compiled = jax.jit(function, donate_argnums=0)
    else:
        compiled = mi.jit(function, donate_argnums=0, cache=cache)
    jax.block_until_ready(compiled(state, *rest))
    return time.perf_counter() - begin


def first_results(name: str) -> str:
    """One row of the second table."""
    cells = [name]
    with tempfile.TemporaryDirectory() as cache:
        for compiler in ("jax.jit", "ours", "ours"):
            command = [sys.executable, __file__, "--first", name, compiler, cache]
            cells.append(f"{float(subprocess.run(command, check=True, capture_output=True, text=True).stdout):.2f}")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print both tables, and draw the first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--processor-time", action="store_true", help="count the time of the process, not the clock's")
    parser.add_argument("--only", nargs="+", default=[""], help="programs whose names contain one of these")
    parser.add_argument("--json", type=Path, help="where to write the figures, a line for each row")
    parser.add_argument("--plot", type=Path, help="where to draw the ratios (needs matplotlib)")
    parser.add_argument("--first", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    set_up(1)
    if options.first:
        print(first_result(*options.first))
        return
    from subjects.frontend_programs import JAX, PROGRAMS

    there = {one for one, packages in NEEDED.items() if all(map(importlib.util.find_spec, packages))}
    names = [name for name in PROGRAMS if name.split(":")[0] in there and any(part in name for part in options.only)]
    clock = time.process_time if options.processor_time else time.perf_counter
    print("| program | ours, µs (quartiles) | others | best of the others / ours |\n|---|---|---|---|")
    rows: list[dict[str, Any]] = []
    for name in names:
        rows.append(measured(name, options.rounds, clock))
        print(row(rows[-1]), flush=True)
    if options.json:
        options.json.write_text("".join(json.dumps(one) + "\n" for one in rows))
    if options.plot:
        plot(rows, options.plot, "times as fast as the best of the frontend's own compilers")
    print("\n| first result, s | jax.jit | ours | ours, from the cache |\n|---|---|---|---|")
    for name in JAX:
        if f"jax: {name}" in names:
            print(first_results(name), flush=True)


if __name__ == "__main__":
    main()
