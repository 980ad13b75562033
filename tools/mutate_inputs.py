"""`python -m mlir_inplace.tools.mutate_inputs [paths]`: run the tools on randomly mutated MLIR files.

    python -m mlir_inplace.tools.mutate_inputs test examples --count 5000 --keep /tmp/found

Each trial mutates one part of one file (`mutation/mutations.py`), sends it through two pipelines of `inplace-opt` and
sometimes through `mi.compile`, in a child process with a limit of time and memory, and classifies what happened. A
number and the seed make a trial again: `--first NUMBER --count 1`. Exit codes: 0 every input was processed or refused
with a diagnostic, 1 something was found, 2 the command line is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..checking.checker.isolation import Ended, Send, allow, isolated
from ..checking.mutation.trial import CLASSES, MutationFinding, MutationTrial, make_trial, output_path, run_trial
from ..runtime.source import private_copy
from . import inplace_opt

_MARKER = b"// -----"
_LARGEST_PART = 20_000
_BATCH = 100
_LONGEST = 3600
_CLOCK = 6
"""The wall time limit of a run, in processor time limits."""

# Messages of native code that runs out of memory.
_NO_MEMORY = ("bad_alloc", "out of memory", "Cannot allocate memory", "length_error")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the trials, print findings and a table of classes; return the exit code."""
    settings = _make_parser().parse_args(arguments)
    corpus = read_corpus(settings.paths)
    if not corpus:
        print("no .mlir files found in: " + " ".join(settings.paths), file=sys.stderr)
        return 2
    keep = Path(settings.keep) if settings.keep else None
    counts: Counter[str] = Counter()
    inputs: Counter[str] = Counter()
    started = time.perf_counter()
    numbers = range(settings.first, settings.first + settings.count)
    for trial, findings in run_trials(settings.seed, numbers, corpus, settings.seconds, settings.megabytes):
        counts.update(finding.kind for finding in findings)
        inputs[max((finding.kind for finding in findings), key=list(CLASSES).index)] += 1
        for finding in findings:
            if finding.kind not in ("ok", "diagnostic"):
                _tell(trial, finding, keep)
    print(f"{settings.count} inputs, {sum(counts.values())} runs, {time.perf_counter() - started:.0f} s")
    for kind, meaning in CLASSES.items():
        print(f"{kind:>10}  {inputs[kind]:6} inputs {counts[kind]:6} runs  {meaning}")
    return int(any(inputs[kind] for kind in CLASSES if kind not in ("ok", "diagnostic")))


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mutate_inputs", description=(__doc__ or "").split("\n\n", 1)[0])
    add = parser.add_argument
    add("paths", nargs="*", default=["test", "examples"], help="files, and folders of .mlir files; test and examples")
    add("--count", type=int, default=1000, metavar="N", help="the number of inputs; 1000 by default")
    add("--seed", type=int, default=0, metavar="N", help="the seed of mutations; 0 by default")
    add("--first", type=int, default=0, metavar="N", help="the number of the first input; 0 by default")
    add("--seconds", type=int, default=10, metavar="N", help="the time limit of each run; 10 by default")
    add("--megabytes", type=int, default=4096, metavar="N", help="the memory limit of a process; 4096 by default")
    add("--keep", metavar="FOLDER", help="keep inputs with findings in this folder")
    return parser


def read_corpus(paths: Iterable[str]) -> list[bytes]:
    """The valid parts, between split markers, of all .mlir files in `paths`, in a fixed order."""
    files: set[Path] = set()
    for path in map(Path, paths):
        files.update(path.rglob("*.mlir") if path.is_dir() else [path])
    parts = [part for file in sorted(files) for part in file.read_bytes().split(_MARKER)]
    return _parsable([part for part in parts if len(part) <= _LARGEST_PART])


def _parsable(parts: Sequence[bytes]) -> list[bytes]:
    """The valid ones; a child process parses them, so that this process starts no threads."""

    def work(send: Send) -> None:
        for part in parts:
            with contextlib.suppress(Exception):
                private_copy(part).operation.verify()
                send(part)

    return list(isolated(work, _LONGEST).messages)


def run_trials(
    seed: int, numbers: Iterable[int], corpus: Sequence[bytes], seconds: int, megabytes: int
) -> Iterator[tuple[MutationTrial, list[MutationFinding]]]:
    """Run trials in child processes, a new one whenever one dies; yield each trial with its findings.

    Args:
        seed: of the mutations.
        numbers: which trials.
        corpus: what to mutate.
        seconds: how much processor time one run may take; six times as long on the clock.
        megabytes: how much memory a process may have.
    """
    waiting = [make_trial(seed, number, corpus) for number in numbers][::-1]
    with tempfile.TemporaryDirectory(prefix="mutate-inputs-") as folder:
        while waiting:
            batch = waiting[-_BATCH:][::-1]
            for trial, findings in _run_batch(batch, Path(folder) / "input.mlir", seconds, megabytes):
                waiting.pop()
                yield trial, findings


def _run_batch(
    batch: Sequence[MutationTrial], path: Path, seconds: int, megabytes: int
) -> Iterator[tuple[MutationTrial, list[MutationFinding]]]:
    """Run trials in one child; yield those that were started, the last one perhaps with the child's death."""

    def work(send: Send) -> None:
        def report(said: str | list[MutationFinding]) -> None:
            _limit_time(seconds)
            send(said)

        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        for trial in batch:
            report(run_trial(trial, path, inplace_opt.main, report))

    ended = isolated(work, _CLOCK * seconds)
    waiting = iter(batch)
    way = ""
    for said in ended.messages:
        if isinstance(said, str):
            way = said
        else:
            yield next(waiting), said
    if ended.crashed or ended.error:
        yield next(waiting), [_death(ended, way, output_path(path))]


def _limit_time(seconds: int) -> None:
    """Kill the process after so much processor time from now, or a multiple of it on the clock."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    allow(_CLOCK * seconds)


def _death(ended: Ended, way: str, output: Path) -> MutationFinding:
    """The finding for the death of a child, with its output."""
    printed = output.read_text(errors="replace")[-2000:] if output.exists() else ""
    if ended.killed_by <= 0:
        return MutationFinding("traceback", way, f"{printed}{ended.error or ended.cause}")
    if ended.hung or ended.killed_by == signal.SIGPROF:
        return MutationFinding("hang", way, printed)
    kind = "memory" if any(word in printed for word in _NO_MEMORY) else "crash"
    return MutationFinding(kind, way, f"{signal.Signals(ended.killed_by).name}\n{printed}")


def _tell(trial: MutationTrial, finding: MutationFinding, keep: Path | None) -> None:
    """Print a finding, and keep it with its input."""
    lines = [line for line in finding.text.splitlines() if line.strip()]
    shown = next((line for line in reversed(lines) if "rror" in line), lines[0] if lines else "")
    print(f"{trial.number}: {finding.kind}: {finding.way}: {shown[:200]}", flush=True)
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        name = f"{finding.kind}-{trial.number}"
        (keep / f"{name}.mlir").write_bytes(trial.data)
        (keep / f"{name}.txt").write_text(f"{finding.way}\n{finding.text}", encoding="utf-8", errors="replace")


if __name__ == "__main__":
    sys.exit(main())
