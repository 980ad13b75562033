"""`inplace-exhaust`: bufferize every program up to a size by every order of decisions, and compare with a reference.

    inplace-exhaust --ops 2 --state exhaust.json --keep found

Programs are enumerated over a grammar of ops; those that differ in names or in the order of independent ops only count
once. Each is evaluated with NumPy on tensors, and again for each outcome of the in-place decisions that differs.

Exit codes: 0 nothing was found, 1 something was, 2 the command line is wrong, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..checking.exhaustive import (
    GRAMMAR,
    Counterexample,
    Exhaustion,
    ExhaustionTally,
    load_totals,
    results,
    results_on,
    save_finding,
    save_totals,
)
from ..checking.fuzzing import CONFIGURATIONS, OPTIMIZE_CONFIGURATIONS
from ..checking.fuzzing.configurations import find_configurations
from ..runtime.progress import Progress, progress
from ..runtime.remote import SchedulerError
from .shared.command_line import FAILURE, SUCCESS, Parser, UsageError, names_of, run_program
from .shared.output import require_standard_output

PROGRAM = "inplace-exhaust"
_EXAMPLES = """examples:
    inplace-exhaust --ops 2 --state exhaust.json --keep found
    inplace-exhaust --ops 3 --grammar insert,extract,map,for --jobs 2
    inplace-exhaust --ops 4 --sample 1/1000 --seed 7
    inplace-exhaust --ops 3 --state exhaust.json --scheduler tcp://10.0.0.1:8786

"""
_MOST_JOBS, _MOST_OPS, _MOST_ARGUMENTS, _MOST_DIGITS = 256, 12, 4, 18
_SAVED_EVERY = 10.0
"""How many seconds of work an end without a word may lose."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaign and return the exit code; `arguments` defaults to the process's."""
    given = sys.argv[1:] if arguments is None else arguments
    return run_program(PROGRAM, lambda: _run(_make_parser().parse_like_llvm(given)))


def _make_parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        description="Bufferize every program up to a size by every order of decisions, and compare with a reference.",
        epilog=_EXAMPLES
        + f"ops of the grammar:\n    {', '.join(GRAMMAR)}\n\n"
        + "exit codes: 0 nothing was found, 1 something was, 2 the command line is wrong, 130 interrupted",
    )
    add, number = parser.add_argument, parser.add_number
    number("--ops", 2, least=1, most=_MOST_OPS, help="the largest number of ops of a program; 2 by default")
    number("--least", 1, least=1, most=_MOST_OPS, metavar="OPS", help="the smallest number of ops; 1 by default")
    add("--grammar", metavar="NAMES", help="the ops of the programs, separated by commas; all by default")
    add("--arguments", default="wr", help="the tensors it takes: w may be written, r must not be; wr by default")
    number("--results", 2, least=1, most=_MOST_ARGUMENTS, help="the largest number of results; 2 by default")
    add("--sample", default="1/1", metavar="1/N", help="try one of N programs, drawn by --seed; all by default")
    number("--seed", 0, least=0, help="which programs a sample consists of; 0 by default")
    add("--configurations", metavar="NAMES", help="pipelines of inplace-fuzz to run besides, separated by commas")
    add("--optimize", action="store_true", help="run the passes of optimize=True besides")
    number("--orders", 200, least=1, help="the largest number of orders of decisions for a program; 200 by default")
    number("--jobs", 1, least=1, most=_MOST_JOBS, help="the number of processes that try programs; 1 by default")
    add("--scheduler", metavar="ADDRESS", help="try programs on the workers of this Dask scheduler instead")
    number("--time-limit", None, least=1e-3, metavar="SECONDS", help="stop after this time; no limit by default")
    add("--state", metavar="FILE", help="a file for what was counted, from which the same command goes on")
    add("--keep", metavar="DIR", help="a folder for what was found: reduced programs, each with its report")
    return parser


def _run(settings: argparse.Namespace) -> int:
    require_standard_output()
    what = _exhaustion(settings)
    state, folder = (_path(settings, name) for name in ("state", "keep"))
    try:
        tally = load_totals(state, what) if state is not None else ExhaustionTally()
    except ValueError as error:
        raise UsageError(f"--state: {error}") from None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    if not tally.is_complete:
        try:
            with progress("enumerating") as line:
                _try_all(what, tally, settings, state, folder, line)
        except SchedulerError as error:
            raise UsageError(f"--scheduler: {error}") from None
    print(tally.summary(what))
    sys.stdout.flush()
    return FAILURE if tally.found else SUCCESS


def _try_all(
    what: Exhaustion,
    tally: ExhaustionTally,
    settings: argparse.Namespace,
    state: Path | None,
    folder: Path | None,
    line: Progress,
) -> None:
    """Try what is left, and keep the state file up to date, also if this is interrupted."""
    before, began = tally.seconds, time.monotonic()
    saved = began
    if settings.scheduler is None:
        parts = results(what, settings.jobs, tally.position)
    else:
        parts = results_on(settings.scheduler, what, tally.position)
    try:
        for position, part in parts:
            now = time.monotonic()
            tally.position, tally.seconds = position, before + now - began
            for number, finding in enumerate(part.findings, len(tally.findings) + 1):
                _report(finding, number, folder, line)
            tally.add(part)
            line.text = f"{tally.counts['programs']} programs, {sum(tally.found.values())} failures"
            if state is not None and now - saved > _SAVED_EVERY:
                save_totals(state, what, tally)
                saved = now
            if settings.time_limit is not None and now - began > settings.time_limit:
                return
        tally.is_complete = True
    finally:
        if state is not None:
            save_totals(state, what, tally)


def _report(finding: Counterexample, number: int, folder: Path | None, line: Progress) -> None:
    where = f", see {save_finding(finding, folder, number)}" if folder is not None else ""
    with line.hidden():
        print(f"{finding.kind}: {finding.text} ({finding.route}){where}", flush=True)


def _exhaustion(settings: argparse.Namespace) -> Exhaustion:
    if settings.least > settings.ops:
        raise UsageError(f"--least is {settings.least}, which is more than --ops, {settings.ops}")
    if settings.scheduler is not None and settings.jobs != 1:
        raise UsageError("--jobs and --scheduler exclude each other; leave one of them out")
    if not 0 < len(settings.arguments) <= _MOST_ARGUMENTS or not set(settings.arguments) <= set("wr"):
        raise UsageError(
            f"--arguments must be 1 to {_MOST_ARGUMENTS} letters w or r, as in wr, got {settings.arguments!r}"
        )
    names = names_of(settings.grammar)
    for name in names or ():
        if name not in GRAMMAR:
            raise UsageError(f"--grammar: unknown op {name!r}; known are {', '.join(GRAMMAR)}")
    try:
        configurations = find_configurations(names_of(settings.configurations) or [], CONFIGURATIONS)
    except ValueError as error:
        raise UsageError(f"--configurations: {error}") from None
    if settings.optimize:
        configurations += OPTIMIZE_CONFIGURATIONS
    return Exhaustion(
        settings.ops,
        tuple(dict.fromkeys(names)) if names else tuple(GRAMMAR),
        settings.arguments,
        settings.results,
        _sample(settings.sample),
        settings.seed,
        settings.least,
        configurations,
        settings.orders,
    )


def _sample(text: str) -> int:
    one, slash, many = text.partition("/")
    if one != "1" or not slash or not many.isdecimal() or len(many) > _MOST_DIGITS or int(many) == 0:
        raise UsageError(f"--sample must be 1/N, as in 1/1000, got {text!r}")
    return int(many)


def _path(settings: argparse.Namespace, name: str) -> Path | None:
    given = getattr(settings, name)
    if given is None:
        return None
    if not given or "\0" in given:
        raise UsageError(f"--{name} needs a name, got {given!r}")
    return Path(given)


if __name__ == "__main__":
    sys.exit(main())
