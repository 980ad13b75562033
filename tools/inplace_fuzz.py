"""`inplace-fuzz`: bufferize random programs in many configurations, and compare the results with a reference.

    inplace-fuzz --seeds 0..200 --jobs 2 --jit-every 50 --save failures

Each program is bufferized by each configuration, deallocated, and evaluated with NumPy; `--engine jit` compiles and
runs all of them instead. Refusals are counted; any other error, a crash too, is a failure.

Exit codes: 0 no failure, 1 failures were found, 2 the command line is wrong, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..checking.fuzzing import (
    CONFIGURATIONS,
    KERNEL_CONFIGURATIONS,
    OPTIMIZE_CONFIGURATIONS,
    SEARCH_CONFIGURATIONS,
    Campaign,
    FindingKind,
    Tally,
    Trial,
)
from ..checking.fuzzing.campaign import ENGINES
from ..checking.fuzzing.configurations import find_configurations
from ..checking.fuzzing.saving import save_failure
from ..checking.fuzzing.state import load_tally, save_tally
from ..checking.generator import FEATURES
from ..runtime.progress import progress
from ..runtime.remote import SchedulerError
from .shared.command_line import FAILURE, SUCCESS, Parser, UsageError, names_of, run_program
from .shared.output import require_standard_output

PROGRAM = "inplace-fuzz"
_EXAMPLES = """examples:
    inplace-fuzz --seeds 0..200 --jobs 2 --jit-every 50 --save failures
    inplace-fuzz --seeds 0..100000 --time-limit 3600 --features slices,loops
    inplace-fuzz --seeds 0..100000 --part 2 --state fuzz.json
    inplace-fuzz --optimize --seeds 0..50
    inplace-fuzz --seeds 0..100000 --scheduler tcp://10.0.0.1:8786

"""
_MOST_JOBS, _MOST_DIGITS = 256, 18
_SAVED_EVERY = 10.0
"""How many seconds of work an end without a word may lose."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaign and return the exit code; `arguments` defaults to the process's."""
    given = sys.argv[1:] if arguments is None else arguments
    return run_program(PROGRAM, lambda: _run(_make_parser().parse_like_llvm(given)))


def _make_parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        description="Bufferize random programs in many configurations, and compare the results with a reference.",
        epilog=_EXAMPLES
        + _list("configurations", (c.name for c in CONFIGURATIONS))
        + _list("configurations if named", (c.name for c in SEARCH_CONFIGURATIONS))
        + _list("configurations with --kernels", (c.name for c in KERNEL_CONFIGURATIONS))
        + _list("configurations with --optimize", (c.name for c in OPTIMIZE_CONFIGURATIONS))
        + _list("features", FEATURES)
        + "exit codes: 0 no failure, 1 failures were found, 2 the command line is wrong, 130 interrupted",
    )
    add, number = parser.add_argument, parser.add_number
    add("--seeds", default="0..200", metavar="A..B", help="the programs from A to B, B excluded; 0..200 by default")
    add("--configurations", metavar="NAMES", help="configurations, separated by commas; all by default")
    part = "each program goes through N of the configurations, drawn by its seed so that all get as many programs"
    number("--part", 0, least=0, metavar="N", help=f"{part}; through all by default")
    add("--kernels", action="store_true", help="generate dispatch functions (kernels on bindings) instead")
    add("--optimize", action="store_true", help="test optimize=True; every other program consists of structured ops")
    add("--features", metavar="NAMES", help="features of the programs, separated by commas; all by default")
    number("--size", 6, least=1, help="about how many ops the main function has; 6 by default")
    add("--engine", choices=ENGINES, default=ENGINES[0], help="evaluate with NumPy, or compile and run all programs")
    number("--jit-every", 0, least=0, help="also compile and run one of N programs; none by default")
    number("--jobs", 1, least=1, most=_MOST_JOBS, help="the number of processes; 1 by default")
    add("--scheduler", metavar="ADDRESS", help="run on the workers of this Dask scheduler instead")
    time_limit = "start no program after this time; no limit by default"
    number("--time-limit", None, least=1e-3, metavar="SECONDS", help=time_limit)
    add("--state", metavar="FILE", help="a file for what was counted, from which the same command goes on")
    add("--save", metavar="DIR", help="a folder for failing programs, each with its configuration and report")
    return parser


def _list(title: str, names: Iterable[str]) -> str:
    """The names below a title, for `--help`."""
    lines = textwrap.fill(
        ", ".join(names), 100, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    )
    return f"{title}:\n{lines}\n\n"


def _run(settings: argparse.Namespace) -> int:
    require_standard_output()
    campaign = _campaign(settings)
    folder, state = (Path(name) if name is not None else None for name in (settings.save, settings.state))
    try:
        before = load_tally(state, campaign) if state is not None else Tally()
    except ValueError as error:
        raise UsageError(f"--state: {error}") from None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    tally = _try_all(campaign, before, settings, folder, state)
    print(summary(tally))
    sys.stdout.flush()
    return FAILURE if tally.failures else SUCCESS


def _try_all(
    campaign: Campaign, tally: Tally, settings: argparse.Namespace, folder: Path | None, state: Path | None
) -> Tally:
    """Try what is left, and keep the state file up to date, also if this is interrupted; return the totals."""
    saved = time.monotonic()
    left = campaign.without(tally.done)
    with progress("fuzzing") as line:

        def note(seed: int, trial: Trial) -> None:
            nonlocal saved
            for finding in trial.findings:
                if finding.kind.is_failure:
                    with line.hidden():
                        print(f"seed {seed}, {finding.configuration}: {finding.kind.value}: {finding.text}", flush=True)
                    if folder is not None:
                        save_failure(campaign, finding, folder)
            line.text = f"{tally.programs} of {len(campaign.seeds)} programs, {len(tally.failures)} failures"
            if state is not None and time.monotonic() - saved > _SAVED_EVERY:
                save_tally(state, campaign, tally)
                saved = time.monotonic()

        try:
            if settings.scheduler is None:
                left.run(note, seconds=settings.time_limit, tally=tally)
            else:
                _run_on(settings.scheduler, left, note, settings.time_limit, tally)
        finally:
            if state is not None:
                save_tally(state, campaign, tally)
    return tally


def _run_on(
    scheduler: str, campaign: Campaign, note: Callable[[int, Trial], None], time_limit: float | None, tally: Tally
) -> None:
    """Run the campaign on the workers of a scheduler."""
    try:
        campaign.run_on(scheduler, note, seconds=time_limit, tally=tally)
    except SchedulerError as error:
        raise UsageError(f"--scheduler: {error}") from None


def _campaign(settings: argparse.Namespace) -> Campaign:
    for name, what in (("save", "a folder"), ("state", "a file")):
        given = getattr(settings, name)
        if given is not None and (not given or "\0" in given):
            raise UsageError(f"--{name} needs {what}, got {given!r}")
    if settings.kernels and settings.optimize:
        raise UsageError("--kernels and --optimize exclude each other; leave one of them out")
    if settings.scheduler is not None and settings.jobs != 1:
        raise UsageError("--jobs and --scheduler exclude each other; leave one of them out")
    known = CONFIGURATIONS
    if settings.kernels or settings.optimize:
        known = KERNEL_CONFIGURATIONS if settings.kernels else OPTIMIZE_CONFIGURATIONS
    try:
        configurations = find_configurations(names_of(settings.configurations), known)
    except ValueError as error:
        raise UsageError(f"--configurations: {error}") from None
    features = names_of(settings.features)
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
        part=settings.part,
    )


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
    by_name = ", ".join(f"{name} {count}" for name, count in tally.bufferized.items())
    lines += textwrap.wrap(
        f"bufferizations: {by_name or 'none'}", 120, subsequent_indent="    ", break_on_hyphens=False
    )
    for (kind, text), count in tally.others.most_common():
        lines.append(f"{count} × {kind.value}: {text}")
    kinds = {kind: sum(finding.kind is kind for finding in tally.failures) for kind in FindingKind}
    found = ", ".join(f"{count} × {kind.value}" for kind, count in kinds.items() if count)
    return "\n".join([*lines, f"failures: {found or 'none'}"])


if __name__ == "__main__":
    sys.exit(main())
