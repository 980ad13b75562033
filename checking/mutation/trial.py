"""One trial of `mutate_inputs`: a mutated input through pipelines of `inplace-opt` and through `mi.compile`.

It runs in a child process; if a signal kills the child, the parent records a finding. No compiled program is executed:
a mutated program may legitimately loop for ever.
"""

from __future__ import annotations

import os
import random
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlir import ir

from ...passes.framework.errors import PassError, PipelineError
from ...runtime.compilation.program import compile as compile_program
from ...runtime.interface.dtypes import UnsupportedTypeError
from .mutations import mutate, mutate_pipeline

__all__ = ["CLASSES", "PIPELINES", "MutationFinding", "MutationTrial", "make_trial", "output_path", "run_trial"]

Opt = Callable[[Sequence[str]], int]
"""`inplace-opt`: from arguments to the exit code."""

CLASSES = {
    "ok": "the input was processed",
    "diagnostic": "it was refused with an error diagnostic",
    "silent": "it was refused without a diagnostic",
    "traceback": "an exception of Python's own came out",
    "internal": "a pass of ours stopped with an exception: a bug, reported with a reproducer",
    "invalid": "a pass of ours left IR that the verifier refuses",
    "memory": "native code wanted more memory than the limit",
    "crash": "the process died by a signal",
    "hang": "it took longer than the limit",
}
"""The outcomes of an input; all but the first two are bugs."""

_ONE_SHOT = "inplace-one-shot-bufferize{bufferize-function-boundaries=true}"
_KERNELS = "inplace-promote-bindings,inplace-convert-to-destination-style"

PIPELINES = (
    *("", _ONE_SHOT, _ONE_SHOT, _ONE_SHOT, "inplace-one-shot-bufferize", f"{_ONE_SHOT},inplace-lower-dispatch"),
    "inplace-one-shot-bufferize{bufferize-function-boundaries allow-unknown-ops dump-alias-sets print-conflicts}",
    "inplace-one-shot-bufferize{test-analysis-only bufferize-function-boundaries analysis-heuristic=fuzzer}",
    "inplace-one-shot-bufferize{copy-before-write allow-unknown-ops must-infer-memory-space}",
    "inplace-one-shot-bufferize{bufferize-function-boundaries use-encoding-for-memory-space buffer-alignment=16}",
    "inplace-plan-bufferize{print-plan bufferize-function-boundaries}",
    f"{_KERNELS},inplace-plan-bufferize{{allocation=stack}},inplace-lower-dispatch{{workgroups=forall}}",
    "inplace-promote-bindings",
    "inplace-convert-to-destination-style{print-decisions}",
    "inplace-move-reads{print-decisions},inplace-detach-inits",
    "inplace-remove-outs-dependency{print-kept print-replaced}",
    "inplace-remove-outs-dependency{mode=empty},inplace-eliminate-empty-tensors{print-kept}",
    "inplace-print-destructive-updates",
    "inplace-rewrite-destructive-updates{print-kept}",
    f"{_ONE_SHOT},inplace-results-to-out-params{{modify-public-functions}},inplace-hoist-allocations,inplace-deallocate",
    "inplace-drop-equivalent-results,inplace-expand-clones,inplace-expand-poison,inplace-expand-strided-copies{all}",
    "inplace-canonicalize,inplace-contiguous-arguments,inplace-count-memory,inplace-deallocate",
    "inplace-lower-dispatch{workgroups=arguments check-sizes=false}",
    f"{_ONE_SHOT},canonicalize,cse,inplace-deallocate",
    "builtin.module(func.func(inplace-fuse{print-groups machine='l2=512'},inplace-schedule{machine='l2=512'}))",
    "builtin.module(func.func(inplace-vectorize{print-kept machine='vector-bits=256'}))",
    f"func.func(inplace-tile{{tile-sizes=3,2 print-kept}},inplace-pack,inplace-vectorize),{_ONE_SHOT}",
    f"func.func(inplace-tile{{tile-sizes=0,0,5 peel=2}},inplace-fuse,inplace-pack),{_ONE_SHOT}",
    f"{_KERNELS},inplace-plan-bufferize{{bufferize-function-boundaries}}",
)
"""The pipelines for inputs."""


@dataclass(frozen=True)
class MutationTrial:
    """One input, the pipelines it goes through, and whether it is compiled too, with `optimize=True` perhaps."""

    number: int
    data: bytes
    pipelines: tuple[str, ...]
    compiled: bool
    optimized: bool


@dataclass(frozen=True)
class MutationFinding:
    """The outcome of one input in one pipeline or compilation; `text` is what was printed or raised."""

    kind: str
    way: str
    text: str


def make_trial(seed: int, number: int, corpus: Sequence[bytes]) -> MutationTrial:
    """The trial of that number: a function of its arguments."""
    rng = random.Random(f"{seed}:{number}")
    data = mutate(rng.choice(corpus), rng.choice(corpus), rng)
    pipelines = [rng.choice(PIPELINES) for _ in range(2)]
    if rng.random() < 0.1:
        pipelines[0] = mutate_pipeline(pipelines[0] or _ONE_SHOT, rng)
    return MutationTrial(number, data, tuple(pipelines), rng.random() < 0.25, rng.random() < 0.5)


def run_trial(trial: MutationTrial, path: Path, opt: Opt, report: Callable[[str], None]) -> list[MutationFinding]:
    """Runs a trial, with its input in the file `path`; calls `report` before each step.

    `opt` is what `inplace-opt` does with its arguments; it returns the exit code.

    Standard output and error are kept, C++'s included: nothing else of the process may use them meanwhile.
    """
    path.write_bytes(trial.data)
    findings: list[MutationFinding] = []
    for pipeline in trial.pipelines:
        arguments = [str(path), *(["--pass-pipeline", pipeline] if pipeline else []), "--split-input-file"]
        way = f"inplace-opt {' '.join(map(repr, arguments[1:]))}"
        report(way)
        findings.append(_captured(way, path, lambda arguments=arguments: _opt(opt, arguments)))
    if trial.compiled:
        way = f"mi.compile(optimize={trial.optimized})"
        report(way)
        findings.append(_captured(way, path, lambda: _compile(trial.data, trial.optimized)))
    return findings


def output_path(path: Path) -> Path:
    """The file with the output of the last step on the input `path`, for the case that it kills the process."""
    return path.with_suffix(".out")


def _captured(way: str, path: Path, run: Callable[[], tuple[str, str]]) -> MutationFinding:
    """The finding of `run`, which returns a class and a text, with all output printed meanwhile."""
    kept = os.dup(1), os.dup(2)
    output = os.open(output_path(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    os.close(output)
    try:
        kind, said = run()
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        kind, said = "traceback", f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for descriptor, original in enumerate(kept, start=1):
            os.dup2(original, descriptor)
            os.close(original)
    printed = output_path(path).read_text(encoding="utf-8", errors="replace")
    return MutationFinding(_worse(kind, printed + said), way, said + printed[-4000:])


def _opt(opt: Opt, arguments: Sequence[str]) -> tuple[str, str]:
    return ("diagnostic" if opt(arguments) else "ok"), ""


def _compile(data: bytes, optimize: bool) -> tuple[str, str]:
    try:
        compile_program(data.decode() if b"\xef" not in data else data, opt_level=0, optimize=optimize)
    except UnicodeDecodeError:
        return "ok", ""
    except (ir.MLIRError, PassError, PipelineError, UnsupportedTypeError) as error:
        return "diagnostic", f"error: {error}"
    return "ok", ""


def _worse(kind: str, text: str) -> str:
    """The class of the output, if that is worse than the class of the exit code."""
    if "after pass 'inplace-" in text:
        return "invalid"
    if "internal error" in text or "reproducer generated" in text:
        return "internal"
    if "Traceback (most recent call last)" in text:
        return "traceback"
    return "silent" if kind == "diagnostic" and "error" not in text else kind
