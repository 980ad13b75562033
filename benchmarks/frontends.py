"""How fast programs of frontends run, beside the frontend's own compiler, and when the first result is there.

    python benchmarks/frontends.py
    python benchmarks/frontends.py --rounds 15 --processor-time

All run on one thread and take turns, as in `speed.py`. JAX donates what our programs donate; `jax arrays` is our
program with JAX's arrays in and out. The second table has seconds until the first result of a function that was not
compiled before: tracing, compiling and one call; and what it takes in a second process, where machine code comes from
the cache (without importing JAX). Nothing here is a test: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from speed import measure, set_up

EXAMPLES = Path(__file__).parent.parent / "examples"


def training(batch: int, sizes: tuple[int, ...]) -> tuple[Any, Any, tuple[Any, ...]]:
    """The step of `examples/jax_training.py` on `sizes`: the function, its donated state, and its other arguments."""
    import numpy as np

    example = runpy.run_path(str(EXAMPLES / "jax_training.py"))
    function = example["train_step"]
    function.__globals__.update(BATCH=batch, SIZES=sizes, STEPS=1)
    images, labels = example["batches"]()
    return function, example["first_parameters"](), (np.ascontiguousarray(images[0]), np.ascontiguousarray(labels[0]))


def decoding() -> tuple[Any, Any, tuple[Any, ...]]:
    """The step of `examples/jax_decoding.py`, in the middle of its cache."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    example = runpy.run_path(str(EXAMPLES / "jax_decoding.py"))
    model, decode = jax.tree.map(jnp.asarray, example["weights"]()), example["decode"]

    def step(cache: Any, position: Any, word: Any) -> Any:
        word, cache = decode(model, cache, position, word)
        return cache, word

    return step, example["empty_cache"](), (np.int32(60), np.int32(3))


PROGRAMS: dict[str, Callable[[], tuple[Any, Any, tuple[Any, ...]]]] = {
    "training step, 64-128-10, batch 32": lambda: training(32, (64, 128, 10)),
    "training step, 256-512-10, batch 64": lambda: training(64, (256, 512, 10)),
    "decoding step, 2 layers, width 64": decoding,
}


def stepping(function: Callable[..., Any], state: Any, rest: tuple[Any, ...]) -> Callable[[], Any]:
    """A call that makes a step from the state of the last one."""
    import jax

    def call() -> Any:
        nonlocal state
        state, value = function(state, *rest)
        return jax.block_until_ready(value)

    return call


def calls_of(name: str) -> dict[str, Callable[[], Any]]:
    """A step of each program, on states of their own."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    import mlir_inplace as mi

    function, state, rest = PROGRAMS[name]()

    def fresh(convert: Callable[[Any], Any]) -> Any:
        return jax.tree.map(convert, state)

    ours = mi.jit(function, donate_argnums=0)
    arrays = tuple(map(jnp.asarray, rest))
    return {
        "ours": stepping(ours, fresh(np.array), rest),
        "jax arrays": stepping(ours, fresh(jnp.array), arrays),
        "jax.jit": stepping(jax.jit(function, donate_argnums=0), fresh(jnp.array), arrays),
    }


def row(name: str, times: dict[str, list[float]]) -> str:
    """One row of the first table, in microseconds."""
    cells = [name]
    for values in times.values():
        low, middle, high = (1e6 * seconds for seconds in statistics.quantiles(values, n=4))
        cells.append(f"{middle:.0f} ({low:.0f}-{high:.0f})")
    ratios = [theirs / ours for theirs, ours in zip(times["jax.jit"], times["ours"], strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"| {' | '.join([*cells, f'{middle:.2f} ({low:.2f}-{high:.2f})'])} |"


def first_result(name: str, compiler: str, cache: str) -> float:
    """Seconds until the first result, in this process."""
    import jax

    import mlir_inplace as mi

    function, state, rest = PROGRAMS[name]()
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
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--processor-time", action="store_true", help="count the time of the process, not the clock's")
    parser.add_argument("--only", default="", help="a part of the names of programs")
    parser.add_argument("--first", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    set_up(1)
    if options.first:
        print(first_result(*options.first))
        return
    names = [name for name in PROGRAMS if options.only in name]
    clock = time.process_time if options.processor_time else time.perf_counter
    print("| program | ours, µs (quartiles) | with JAX's arrays | jax.jit | jax.jit / ours |\n|---|---|---|---|---|")
    for name in names:
        print(row(name, measure(calls_of(name), options.rounds, 1, clock)), flush=True)
    print("\n| first result, s | jax.jit | ours | ours, from the cache |\n|---|---|---|---|")
    for name in names:
        print(first_results(name), flush=True)


if __name__ == "__main__":
    main()
