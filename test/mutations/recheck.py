"""Runs the programs that were found for rules again, in child processes: one may end its process without its rule.

`python test/mutations/recheck.py` prints what happened, by rule, as JSON.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import mlir_inplace  # noqa: F401  # isort: skip

from catalogue import BY_NAME
from children import start_child
from search import read_findings
from sources import case
from trial import Trial, Unusable

from mlir_inplace.passes.framework.entered_context import new_context

Finding = tuple[str, str, Any]
"""The rule, and the source and the number of the program."""


def recheck_all() -> dict[str, str]:
    """What goes wrong now, by rule: `nothing`, or `crash` where the process ended."""
    found = read_findings()
    # Programs that several rules share come one after the other, so that what they mean is computed once.
    ordered = sorted((str(f["source"]), str(f["seed"]), name) for name, f in found.items())
    waiting: list[Finding] = [(name, found[name]["source"], found[name]["seed"]) for _, _, name in ordered]
    results: dict[str, str] = {}
    while waiting:
        done = _in_child(waiting)
        results.update(done)
        left = [finding for finding in waiting if finding[0] not in done]
        if left:
            results[left[0][0]] = "crash"
        waiting = left[1:]
    return results


def _in_child(findings: Sequence[Finding]) -> dict[str, str]:
    """The results of as many findings as a child gets to, in order."""
    reading, child = start_child(lambda pipe: _recheck(findings, pipe))
    with os.fdopen(reading) as lines:
        done = dict(json.loads(line) for line in lines)
    os.waitpid(child, 0)
    return done


def _recheck(findings: Sequence[Finding], pipe: int) -> None:
    context = new_context()
    trials: dict[tuple[str, Any], Trial] = {}
    others = {name: found.get("with") for name, found in read_findings().items()}
    for name, source, seed in findings:
        if (source, seed) not in trials:
            trials.clear()
            try:
                trials[source, seed] = Trial(case(source, seed), context)
                wrong = trials[source, seed].check()
            except Unusable as error:
                wrong = str(error)
            if wrong is not None:
                trials.pop((source, seed), None)
                os.write(pipe, (json.dumps((name, f"with all rules: {wrong}")) + "\n").encode())
                continue
        finding = _finding(trials[source, seed], name, others[name])
        os.write(pipe, (json.dumps((name, finding)) + "\n").encode())


def _finding(trial: Trial, name: str, other: str | None) -> str:
    """What goes wrong without a rule, or without both where the other one alone changes nothing."""
    if other is None:
        return trial.finding(BY_NAME[name]) or "nothing"
    alone = next(filter(None, (trial.finding(BY_NAME[rule]) for rule in (name, other))), None)
    return f"without one of them: {alone}" if alone else trial.finding(BY_NAME[name], BY_NAME[other]) or "nothing"


if __name__ == "__main__":
    print(json.dumps(recheck_all()))
