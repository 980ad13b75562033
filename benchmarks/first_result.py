"""Time of a fresh process until its first result, by frontend, beside the frontend's own compiler.

    python benchmarks/first_result.py
    python benchmarks/first_result.py --wall
    python benchmarks/first_result.py --rounds 3 --only jax
    python benchmarks/first_result.py --only opt text

Each figure is of a process of its own; processes take turns, and the median of `--rounds` is printed, in milliseconds
of processor time (children too: inductor runs a C++ compiler) or, with `--wall`, as a clock on the wall shows them,
for a machine that does nothing else. Nothing is on disk at first, of ours or of the peer.
`framework` is its import, which all share. The columns after it count from there: `peer` is tracing, compiling and the
first call with `jax.jit`, inductor or ONNX Runtime; `ours` the same with this package, its own import included;
`cached` the same in a second process, which finds the machine code on disk; `warm` a second compilation in a process,
without a cache. Rows `text` are linalg, which has no peer; in rows `opt` whole processes count, the peer is
`torch-mlir-opt`, and `cached` is none. Nothing here is a test: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import compileall
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

Call = Callable[[str | None], Any]
"""Compiles and returns a result: with the peer for None, else with this package and the cache in the folder."""

ROOT = Path(__file__).parents[1]
KINDS = ("peer", "ours", "cached", "warm")


WALL = "FIRST_RESULT_WALL"
"""The environment variable that tells processes to read the clock on the wall."""


def spent() -> float:
    """Processor time of this process and of its children, in seconds, or time on the wall."""
    if WALL in os.environ:
        return time.perf_counter()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def jax_program(name: str) -> Call:
    """A function of `subjects/jax_models.py`."""
    import jax
    from subjects import jax_models

    function, arguments = jax_models.PROGRAMS[name]()
    jax.block_until_ready(jax.jit(lambda a: a + 1)(1.0))  # JAX starts its runtime

    def call(cache: str | None) -> Any:
        jax.clear_caches()
        if cache is None:
            return jax.block_until_ready(jax.jit(function)(*arguments))
        import mlir_inplace as mi

        return mi.jit(function, cache=cache or False)(*arguments)

    return call


def torch_program(name: str) -> Call:
    """A module of PyTorch by `torch.compile`."""
    import torch
    import torch._dynamo
    import torch._inductor.compile_fx
    from torch import nn

    torch.set_num_threads(1)
    models: dict[str, Callable[[], tuple[nn.Module, torch.Tensor]]] = {
        "perceptron": lambda: (nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)), torch.randn(32, 64)),
        "encoder layer": lambda: (
            nn.TransformerEncoderLayer(128, 4, 256, dropout=0, batch_first=True).eval(),
            torch.randn(1, 32, 128),
        ),
    }
    model, x = models[name]()
    torch.compile(lambda a: a + 1, backend="eager")(x)  # Dynamo starts

    def call(cache: str | None) -> Any:
        torch._dynamo.reset()
        with torch.no_grad():
            if cache is None:
                return torch.compile(model)(x)
            from mlir_inplace.frontends.torch.dynamo import inplace

            return torch.compile(model, backend=inplace, options={"cache": cache or False})(x)

    return call


def onnx_program(file: str) -> Call:
    """A model in a file, whose input is in a file beside it."""
    import onnx  # noqa: F401
    import onnxruntime

    image = np.load(file + ".npy")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1

    def call(cache: str | None) -> Any:
        if cache is None:
            session = onnxruntime.InferenceSession(file, options, ["CPUExecutionProvider"])
            return session.run(None, {"x": image})
        import mlir_inplace as mi

        return mi.from_onnx(file, cache=cache or False).main(image)

    return call


def text_program(name: str) -> Call:
    """A chain of `subjects/chains.py`, optimized."""
    from subjects import chains

    text = chains.PROGRAMS[name][0](40)
    height = chains.SIZE if name == "same shapes" else chains.SIZE + 10
    arguments = [np.ones((rows, chains.SIZE), np.float32) for rows in (height, chains.SIZE)]

    def call(cache: str | None) -> Any:
        import mlir_inplace as mi

        return mi.compile(text, optimize=True, cache=cache or False).main(*arguments)

    return call


STARTS: dict[str, Callable[[str], Call]] = {
    "jax": jax_program,
    "torch": torch_program,
    "onnx": onnx_program,
    "text": text_program,
}


def child(frontend: str, name: str, kind: str, folder: str) -> None:
    """Print how long the framework took, and from there to the result, in seconds."""
    call = STARTS[frontend](name)
    framework = spent()  # With `--wall` it counts from any point.
    if kind == "warm":
        call("")
        started = spent()
        call("")
    else:
        started = framework
        call(None if kind == "peer" else folder)
    print(framework, spent() - started)


def run(command: list[str], environment: dict[str, str]) -> str:
    """What a process prints."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def measured(frontend: str, name: str, rounds: int) -> dict[str, list[float]]:
    """The seconds of each kind in each round; `framework` too."""
    times: dict[str, list[float]] = {kind: [] for kind in ("framework", *KINDS)}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            places = {"TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor", "TORCHINDUCTOR_COMPILE_THREADS": "1"}
            for kind in KINDS[frontend == "text" :]:
                command = [sys.executable, __file__, "--child", frontend, name, kind, f"{folder}/ours"]
                framework, seconds = map(float, run(command, {**os.environ, **places}).split()[-2:])
                if WALL not in os.environ:
                    times["framework"].append(framework)
                times[kind].append(seconds)
    return times


def onnx_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Write the nets of `networks.py`; yield their names and files."""
    import networks
    import onnx

    for name, (shape, build) in networks.NETS.items():
        net = networks.Net(*shape)
        versions = [onnx.helper.make_opsetid("", 17)]
        model = onnx.helper.make_model(net.graph(build(net)), opset_imports=versions, ir_version=8)
        file = folder / f"{name.replace(' ', '-')}.onnx"
        onnx.save(model, file)
        np.save(f"{file}.npy", net.input)
        yield name, str(file)


def tool_times(flag: str, rounds: int, folder: Path) -> dict[str, list[float]]:
    """Seconds of `inplace-opt` and `torch-mlir-opt`."""
    from subjects import chains

    file = folder / "chain.mlir"
    file.write_text(chains.same_shapes(40))
    commands = {
        "peer": [str(Path(sys.executable).parent / "torch-mlir-opt"), str(file), flag],
        "ours": [str(Path(sys.executable).parent / "inplace-opt"), str(file), flag],
    }
    if not Path(commands["ours"][0]).exists():
        commands["ours"] = [sys.executable, "-m", "mlir_inplace", *commands["ours"][1:]]
    times: dict[str, list[float]] = {kind: [] for kind in commands}
    for _ in range(rounds):
        for kind, command in commands.items():
            started = spent()
            run(command, {**os.environ})
            times[kind].append(spent() - started)
    return times


def row(label: str, times: dict[str, list[float]]) -> str:
    """A row of the table."""
    cells = [
        f"{statistics.median(times[kind]) * 1e3:.0f}" if times.get(kind) else "-" for kind in ("framework", *KINDS)
    ]
    return f"| {' | '.join([label, *cells])} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose names contain one of these")
    parser.add_argument("--wall", action="store_true", help="time on the wall; there is no column for the framework")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", *([WALL] if options.wall else ())):
        os.environ[variable] = "1"
    if options.child:
        child(*options.child)
        return
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(ROOT, quiet=1)  # as installing it does
    jax_names = ("perceptron", "decoding step", "4 residual blocks", "training step", "4 blocks", "12 blocks")
    rows: dict[str, Callable[[], dict[str, list[float]]]] = {}
    named = [("text", name) for name in ("same shapes", "many shapes")] + [("jax", name) for name in jax_names]
    named += [("torch", name) for name in ("perceptron", "encoder layer")]
    for frontend, name in named:
        rows[f"{frontend}: {name}"] = lambda pair=(frontend, name): measured(*pair, options.rounds)
    with tempfile.TemporaryDirectory() as folder:
        for flag in ("--version", "--canonicalize"):
            rows[f"opt {flag}"] = lambda flag=flag: tool_times(flag, options.rounds, Path(folder))
        if not all(part and any(part in label for label in rows) for part in options.only):
            for name, file in onnx_files(Path(folder)):
                rows[f"onnx: {name}"] = lambda file=file: measured("onnx", file, options.rounds)
        print(f"| first result, ms | framework | {' | '.join(KINDS)} |\n|---|{'---|' * (len(KINDS) + 1)}")
        for label, times in rows.items():
            if any(part in label for part in options.only):
                print(row(label, times()), flush=True)


if __name__ == "__main__":
    main()
