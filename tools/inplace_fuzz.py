"""`inplace-fuzz`: random programs through bufferization in many configurations, compared with what they mean.

    inplace-fuzz --seeds 0..200 --jobs 2 --jit-every 50 --save failures

Each program is bufferized by each configuration, freed, and evaluated with NumPy; `--engine jit` compiles and runs all
of them instead. Refusals are counted, everything else that goes wrong is a failure, also a crash.

Exit codes: 0 no failure, 1 failures were found, 2 the command line is wrong, 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from ..checking.fuzzing import (
    CONFIGURATIONS,
    KERNEL_CONFIGURATIONS,
    OPTIMIZE_CONFIGURATIONS,
    Campaign,
    Kind,
    Tally,
    Trial,
)
from ..checking.fuzzing.campaign import ENGINES
from ..checking.fuzzing.configurations import find_configurations
from ..checking.fuzzing.saving import save_failure
from ..checking.generator import FEATURES
from .exit_codes import FAILURE, SUCCESS, run_program
from .opt.output import OutputError
from .run.arguments import Parser, UsageError

PROGRAM = "inplace-fuzz"
_MOST_JOBS, _MOST_DIGITS = 256, 18


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the campaign and returns the exit code; `arguments` defaults to the process's."""
    return run_program(
        PROGRAM,
        lambda: _run(_make_parser().parse_like_llvm(sys.argv[1:] if arguments is None else arguments)),
        usage=(UsageError,),
        failures=(OutputError,),
    )


def _make_parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Bufferizes random programs in many ways and compares the values with what the programs mean.",
        epilog=f"configurations: {', '.join(c.name for c in CONFIGURATIONS)}\n"
        f"configurations of kernels: {', '.join(c.name for c in KERNEL_CONFIGURATIONS)}\n"
        f"configurations of optimization: {', '.join(c.name for c in OPTIMIZE_CONFIGURATIONS)}\n"
        f"features: {', '.join(FEATURES)}\n"
        "exit codes: 0 no failure, 1 failures were found, 2 the command line is wrong, 130 interrupted",
    )
    add = parser.add_argument
    add("--seeds", default="0..200", metavar="A..B", help="the programs from A to B, B excluded; 0..200 by default")
    add("--configurations", metavar="NAMES", help="which ones, separated by commas; all by default")
    add("--kernels", action="store_true", help="try dispatch functions, in configurations of their own")
    add("--optimize", action="store_true", help="try what optimize=True does, each other program of structured ops")
    add("--features", metavar="NAMES", help="what programs may consist of, separated by commas; everything by default")
    add("--size", type=int, default=6, metavar="N", help="how many ops the main function has, about; 6 by default")
    add("--engine", choices=ENGINES, default=ENGINES[0], help="evaluate with NumPy, or compile and run everything")
    add("--jit-every", type=int, default=0, metavar="N", help="also compile and run one of N programs; none by default")
    add("--jobs", type=int, default=1, metavar="N", help="how many processes; 1 by default")
    add("--time-limit", type=float, metavar="SECONDS", help="begin no program after that; none by default")
    add("--save", metavar="DIR", help="where to write programs that fail, each with its configuration and the report")
    return parser


def _run(settings: argparse.Namespace) -> int:
    if sys.stdout is None:  # Python's way to say that the descriptor is closed.
        raise OutputError("standard output is closed")
    campaign = _campaign(settings)
    folder = Path(settings.save) if settings.save is not None else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    failures = 0
    with _Progress(len(campaign.seeds)) as progress:

        def note(seed: int, trial: Trial) -> None:
            nonlocal failures
            for finding in trial.findings:
                if finding.kind.is_failure:
                    failures += 1
                    print(f"seed {seed}, {finding.configuration}: {finding.kind.value}: {finding.text}", flush=True)
                    if folder is not None:
                        save_failure(campaign, finding, folder)
            progress.advance(failures)

        tally = campaign.run(note, seconds=settings.time_limit)
    print(summary(tally))
    sys.stdout.flush()
    return FAILURE if tally.failures else SUCCESS


def _campaign(settings: argparse.Namespace) -> Campaign:
    for name in ("size", "jobs"):
        if getattr(settings, name) < 1:
            raise UsageError(f"--{name} must be at least 1, got {getattr(settings, name)}")
    if settings.jobs > _MOST_JOBS:
        raise UsageError(f"--jobs must be at most {_MOST_JOBS}, got {settings.jobs}")
    if settings.time_limit is not None and not settings.time_limit > 0:
        raise UsageError(f"--time-limit must be positive, got {settings.time_limit:g}")
    if settings.save is not None and (not settings.save or "\0" in settings.save):
        raise UsageError(f"--save needs a folder, got {settings.save!r}")
    if settings.jit_every < 0:
        raise UsageError(f"--jit-every must not be negative, got {settings.jit_every}")
    if settings.kernels and settings.optimize:
        raise UsageError("--kernels and --optimize exclude each other; leave one of them out")
    known = CONFIGURATIONS
    if settings.kernels or settings.optimize:
        known = KERNEL_CONFIGURATIONS if settings.kernels else OPTIMIZE_CONFIGURATIONS
    try:
        configurations = find_configurations(_names(settings.configurations), known)
    except ValueError as error:
        raise UsageError(f"--configurations: {error}") from None
    features = _names(settings.features)
    kind = "--kernels" if settings.kernels else "--optimize" if settings.optimize else None
    if kind and features is not None:
        raise UsageError(f"--features does not apply to {kind}; leave one of them out")
    for name in features or ():
        if name not in FEATURES:
            raise UsageError(f"--features: unknown feature {name!r}; known are {', '.join(FEATURES)}")
    return Campaign(
        _seeds(settings.seeds),
        configurations,
        size=settings.size,
        features=features,
        engine=settings.engine,
        jit_every=settings.jit_every,
        jobs=settings.jobs,
        kernels=settings.kernels,
        optimize=settings.optimize,
    )


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def _seeds(text: str) -> range:
    first, dots, end = text.partition("..")
    if max(len(first), len(end)) > _MOST_DIGITS:
        raise UsageError(f"--seeds has numbers of more than {_MOST_DIGITS} digits: {text[:50]!r}")
    if not (dots and first.isdecimal() and end.isdecimal() and int(first) < int(end)):
        raise UsageError(f"--seeds must be A..B with A smaller than B, as in 0..200, got {text!r}")
    return range(int(first), int(end))


def summary(tally: Tally) -> str:
    """Return the outcome of a campaign in a few lines: counts, then refusals by message."""
    lines = [
        f"{tally.programs} programs in {tally.seconds:.0f} s: {tally.runs} bufferizations, {tally.evaluated} different "
        f"programs evaluated, {tally.executed} compiled and run",
        f"{tally.allocations} allocations and {tally.copies} copies, {tally.rounded} results differ by rounding",
    ]
    for (kind, text), count in tally.others.most_common():
        lines.append(f"{count} × {kind.value}: {text}")
    kinds = {kind: sum(finding.kind is kind for finding in tally.failures) for kind in Kind}
    found = ", ".join(f"{count} × {kind.value}" for kind, count in kinds.items() if count)
    return "\n".join([*lines, f"failures: {found or 'none'}"])


class _Progress:
    """A bar on a terminal if `rich` is installed, else nothing."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._advance: Callable[[int], None] = lambda failures: None
        self._stop: Callable[[], None] = lambda: None

    def __enter__(self) -> _Progress:
        if sys.stderr is not None and sys.stderr.isatty() and importlib.util.find_spec("rich"):
            self._begin()
        return self

    def _begin(self) -> None:
        from rich.console import Console  # pyright: ignore[reportMissingImports]
        from rich.progress import Progress  # pyright: ignore[reportMissingImports]

        bar = Progress(console=Console(stderr=True))
        task = bar.add_task("programs", total=self._total)
        bar.start()
        self._stop = bar.stop
        self._advance = lambda failures: bar.update(task, advance=1, description=f"programs, {failures} failures")

    def advance(self, failures: int) -> None:
        """One more program is done; so many failures were found in all."""
        self._advance(failures)

    def __exit__(self, *_: object) -> None:
        self._stop()


if __name__ == "__main__":
    sys.exit(main())
