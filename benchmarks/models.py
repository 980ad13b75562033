"""Whole programs beside their peers, in one run: the functions of `subjects/jax_models.py`, as JAX lowers them.

    python benchmarks/models.py
    python benchmarks/models.py --only blocks heat --threads 1 2 --rounds 15 --peers JAX torch

Peers are those of JAX, IREE, torch, torch.compile and ONNX Runtime that are installed (`pip install
'mlir-inplace[bench]'`, in an environment of its own). JAX runs its own function on its own arrays, IREE what JAX lowers
it to, on one thread; torch runs what one writes in torch (`subjects/torch_functions.py`), ONNX Runtime what torch
exports; torch unrolls loops, and inductor takes minutes for those of a hundred steps. Ours gets NumPy arrays. Results
are compared with JAX's before anything is timed; a peer that cannot run a program is named on the standard error, and
left out. All take turns, as in `speed.py`, whose medians and quartiles these are; the ratio is that of the best peer to
ours (above 1.00 we are faster). The geometric mean of the ratios stands at the end of each table. `--processor-time`
counts the time of the process: for a machine that does other things, on one thread. Nothing here is a test: figures
depend on the machine.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from speed import CHILD, Clock, measure, right_calls, set_up

if TYPE_CHECKING:
    from subjects.peers import Call

TOLERANCE = 1e-4
Program = tuple[Callable[..., Any], tuple[Any, ...]]


def main() -> None:
    """Run a process for each number of threads, since JAX asks for it once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="programs whose names contain one of these")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", nargs="+", type=int, default=[1])
    parser.add_argument("--peers", nargs="+", choices=PEERS, help="those that are installed by default")
    parser.add_argument("--processor-time", action="store_true", help="count the time of the process")
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("--rounds must be 2 or more, as there are quartiles of them")
    if CHILD in os.environ:
        threads = int(os.environ[CHILD])
        set_up(threads)
        table(options, threads, time.process_time if options.processor_time else time.perf_counter)
        return
    for threads in options.threads:
        subprocess.run([sys.executable, *sys.argv], env=os.environ | {CHILD: str(threads)}, check=True)


def table(options: argparse.Namespace, threads: int, clock: Clock) -> None:
    """Measure all programs on this many threads."""
    from subjects.jax_models import OTHERS, PROGRAMS

    peers = options.peers or [name for name, (module, _) in PEERS.items() if importlib.util.find_spec(module)]
    print(f"\n{threads} thread{'s' if threads > 1 else ''}\n")
    titles = ["program", "ours, ms (quartiles)", *peers, "best peer / ours (quartiles)", "compiled, s: ours", "JAX"]
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    ratios: list[float] = []
    for name, make in {**PROGRAMS, **OTHERS}.items():
        if any(part in name for part in options.only):
            calls, compiled = calls_of(name, make(), threads, peers)
            times = measure(calls, options.rounds, threads, clock)
            ratios.append(print_row(name, peers, times, compiled))
    print(f"\ngeometric mean: {statistics.geometric_mean(ratios):.2f}")


def calls_of(name: str, program: Program, threads: int, peers: Sequence[str]) -> tuple[dict[str, Call], list[float]]:
    """A call of each, and the seconds it took to compile ours and JAX's. Raises `SystemExit` if ours is wrong."""
    import jax

    import mlir_inplace as mi

    function, arguments = program
    begin = time.process_time()
    compiled = jax.jit(function).lower(*arguments).compile()
    middle = time.process_time()
    own = mi.from_jax(function, *arguments, threads=threads, cache=False)
    seconds = [time.process_time() - middle, middle - begin]
    calls: dict[str, Call] = {"ours": lambda: own.main(*arguments)}
    wanted = jax.tree.leaves(compiled(*arguments))
    if not (error := error_of(jax.tree.leaves(calls["ours"]()), wanted)) <= TOLERANCE:
        raise SystemExit(f"{name}: the result is off by {error:.1e}")
    makers = {peer: partial(PEERS[peer][1], name, program, threads) for peer in peers}
    calls |= right_calls(name, makers, lambda found: error_of(jax.tree.leaves(found), wanted), TOLERANCE)
    return calls, seconds


def error_of(found: Sequence[Any], wanted: Sequence[Any]) -> float:
    """By how much results differ, relative to the largest number of each."""
    pairs = [(np.asarray(one), np.asarray(other)) for one, other in zip(found, wanted, strict=True)]
    return max(float(np.abs(one - other).max() / np.abs(other).max()) for one, other in pairs)


def jax_call(name: str, program: Program, threads: int) -> Call:
    """A call of what JAX compiles."""
    import jax

    del name, threads  # as many as the process may use cores
    function, arguments = program
    on_device = jax.tree.map(jax.numpy.asarray, arguments)
    compiled = jax.jit(function)
    return lambda: jax.block_until_ready(compiled(*on_device))


def iree_program_call(name: str, program: Program, threads: int) -> Call:
    """A call of IREE's program."""
    import jax
    from subjects.peers import iree_call

    if threads > 1:
        raise ValueError(f"{name} runs on one thread")
    function, arguments = program
    text = jax.jit(function).lower(*arguments).as_text()
    leaves = [np.asarray(one) for one in jax.tree.leaves(arguments)]
    return iree_call(text, leaves, threads, "--iree-input-type=stablehlo")


def torch_call(name: str, program: Program, threads: int, *, compiled: bool = False) -> Call:
    """A call of the same written in torch."""
    import torch
    from subjects.torch_functions import FUNCTIONS, flat, tensors

    torch.set_num_threads(threads)
    arguments = tensors(program[1])
    function = torch.compile(FUNCTIONS[name]) if compiled else FUNCTIONS[name]

    def run() -> Any:
        with torch.no_grad():
            return flat(function(*arguments))

    return run


def torch_compile_call(name: str, program: Program, threads: int) -> Call:
    """A call of what inductor makes of it."""
    return torch_call(name, program, threads, compiled=True)


def onnx_runtime_call(name: str, program: Program, threads: int) -> Call:
    """A call of what torch exports."""
    import onnxruntime
    from subjects.torch_functions import exported, flat, tensors

    model = exported(name, tensors(program[1]))
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    values = [np.asarray(one) for one in flat(program[1])]
    feeds = {one.name: value for one, value in zip(session.get_inputs(), values, strict=True)}
    return lambda: session.run(None, feeds)


PEERS: dict[str, tuple[str, Callable[[str, Program, int], Call]]] = {
    "JAX": ("jax", jax_call),
    "IREE": ("iree", iree_program_call),
    "torch": ("torch", torch_call),
    "torch.compile": ("torch", torch_compile_call),
    "ONNX Runtime": ("onnxruntime", onnx_runtime_call),
}
"""Each peer's module and what makes its calls."""


def print_row(name: str, peers: Sequence[str], times: Mapping[str, list[float]], compiled: Sequence[float]) -> float:
    """Print a row of the table, and return the ratio of the best peer to ours."""
    medians = {one: statistics.median(values) for one, values in times.items()}
    best = min(set(medians) - {"ours"}, key=medians.__getitem__)
    low, _, high = statistics.quantiles(times["ours"], n=4)
    ratios = [theirs / ours for theirs, ours in zip(times[best], times["ours"], strict=True)]
    least, middle, most = statistics.quantiles(ratios, n=4)
    cells = [name, f"{medians['ours'] * 1e3:.3g} ({low * 1e3:.3g}-{high * 1e3:.3g})"]
    cells += [f"{medians[peer] * 1e3:.3g}" if peer in medians else "-" for peer in peers]
    cells += [f"{middle:.2f} ({least:.2f}-{most:.2f})", *(f"{one:.2f}" for one in compiled)]
    print(f"| {' | '.join(cells)} |", flush=True)
    return middle


if __name__ == "__main__":
    main()
