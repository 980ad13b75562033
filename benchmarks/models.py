"""Whole programs beside JAX and IREE, in one run: the functions of `subjects/jax_models.py`, as JAX lowers them.

    python benchmarks/models.py
    python benchmarks/models.py --only blocks heat --threads 1 2 --rounds 15

JAX runs its own function on its own arrays; IREE, where it is installed, what JAX lowers it to, on one thread; ours
gets NumPy arrays. Results are compared with JAX's before anything is timed. All take turns, as in `speed.py`, whose
medians and quartiles these are; the ratio is that of the best peer to ours (above 1.00 we are faster). The geometric
mean of the ratios stands at the end of each table. `--processor-time` counts the time of the process: for a machine
that does other things, on one thread. Nothing here is a test: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from speed import CHILD, Clock, measure, set_up

TOLERANCE = 1e-4
Call = Callable[[], Any]


def main() -> None:
    """Run a process for each number of threads, since JAX asks for it once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="programs whose names contain one of these")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", nargs="+", type=int, default=[1])
    parser.add_argument("--processor-time", action="store_true", help="count the time of the process")
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("--rounds must be 2 or more, as there are quartiles of them")
    if CHILD in os.environ:
        threads = int(os.environ[CHILD])
        set_up(threads)
        table(options.only, threads, options.rounds, time.process_time if options.processor_time else time.perf_counter)
        return
    for threads in options.threads:
        subprocess.run([sys.executable, *sys.argv], env=os.environ | {CHILD: str(threads)}, check=True)


def table(only: list[str], threads: int, rounds: int, clock: Clock) -> None:
    """Measure all programs on this many threads."""
    from subjects.jax_models import OTHERS, PROGRAMS

    print(f"\n{threads} thread{'s' if threads > 1 else ''}\n")
    print("| program | ours, ms (quartiles) | JAX | IREE | best peer / ours (quartiles) | compiled, s: ours | JAX |")
    print("|---|---|---|---|---|---|---|")
    ratios: list[float] = []
    for name, make in {**PROGRAMS, **OTHERS}.items():
        if any(part in name for part in only):
            calls, compiled = calls_of(*make(), threads)
            times = measure(calls, rounds, threads, clock)
            ratios.append(print_row(name, times, compiled))
    print(f"\ngeometric mean: {statistics.geometric_mean(ratios):.2f}")


def calls_of(function: Callable[..., Any], arguments: Any, threads: int) -> tuple[dict[str, Call], list[float]]:
    """A call of each, and the seconds it took to compile ours and JAX's. Raises `SystemExit` for a wrong result."""
    import jax

    import mlir_inplace as mi

    begin = time.process_time()
    compiled = jax.jit(function).lower(*arguments).compile()
    middle = time.process_time()
    program = mi.from_jax(function, *arguments, threads=threads, cache=False)
    seconds = [time.process_time() - middle, middle - begin]
    on_device = jax.tree.map(jax.numpy.asarray, arguments)
    calls = {"ours": lambda: program.main(*arguments), "JAX": lambda: jax.block_until_ready(compiled(*on_device))}
    if threads == 1 and importlib.util.find_spec("iree"):
        lowered = jax.jit(function).lower(*arguments).as_text()
        calls["IREE"] = iree_call(lowered, jax.tree.leaves(arguments))
    for got, wanted in zip(jax.tree.leaves(calls["ours"]()), jax.tree.leaves(calls["JAX"]()), strict=True):
        largest = np.abs(wanted).max()
        if not np.abs(np.asarray(got) - np.asarray(wanted)).max() <= TOLERANCE * largest:
            raise SystemExit(f"{function}: the result is not JAX's")
    return calls, seconds


def iree_call(text: str, arguments: list[Any]) -> Call:
    """A call of IREE's program."""
    from iree import compiler, runtime

    flags = ["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3", "--iree-input-type=stablehlo"]
    code = compiler.compile_str(text, target_backends=["llvm-cpu"], extra_args=flags)
    config = runtime.Config("local-sync")
    context = runtime.SystemContext(config=config)
    context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, code))
    function = next(value for name, value in context.modules.items() if name.startswith("jit"))["main"]
    on_device = [runtime.asdevicearray(config.device, np.asarray(argument)) for argument in arguments]
    return lambda: function(*on_device)


def print_row(name: str, times: dict[str, list[float]], compiled: list[float]) -> float:
    """Print a row of the table, and return the ratio of the best peer to ours."""
    medians = {peer: statistics.median(values) for peer, values in times.items()}
    best = min(set(medians) - {"ours"}, key=medians.__getitem__)
    low, _, high = statistics.quantiles(times["ours"], n=4)
    ratios = [theirs / ours for theirs, ours in zip(times[best], times["ours"], strict=True)]
    least, middle, most = statistics.quantiles(ratios, n=4)
    iree = f"{medians['IREE'] * 1e3:.3g}" if "IREE" in medians else "-"
    ours = f"{medians['ours'] * 1e3:.3g} ({low * 1e3:.3g}-{high * 1e3:.3g})"
    ratio = f"{middle:.2f} ({least:.2f}-{most:.2f})"
    seconds = " | ".join(f"{one:.2f}" for one in compiled)
    print(f"| {name} | {ours} | {medians['JAX'] * 1e3:.3g} | {iree} | {ratio} | {seconds} |", flush=True)
    return middle


if __name__ == "__main__":
    main()
