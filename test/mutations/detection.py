"""Which wrong programs the static checker refuses: for each rule, the program that goes wrong without it.

`python test/mutations/detection.py` prints a table for docs/VERIFICATION.md, and with `--missed` what was missed, by
rule. Every program is bufferized in a process of its own, as one may end its process without its rule; 2 to 4 minutes.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mlir_inplace  # noqa: F401  # isort: skip

from catalogue import BY_NAME
from children import start_child
from mlir import ir
from search import read_findings
from sources import case
from trial import Trial, Unusable

from mlir_inplace.passes.verification.checker import recording
from mlir_inplace.passes.verification.checker.report import VerificationReport

REFUSED, UNSURE, SILENT = "refused", "some reads not judged", "every read judged right"
ALARM, LATER, OTHER = "false alarm", "not bufferization", "no program comes out"
COLUMNS = (REFUSED, UNSURE, SILENT, LATER, OTHER, ALARM)


@contextmanager
def reports() -> Iterator[list[VerificationReport]]:
    """What the checker says of each bufferization while this is open; it refuses nothing, so that all goes on."""
    found: list[VerificationReport] = []
    refuse, variable = recording.refuse, os.environ.get(recording.VARIABLE)
    os.environ[recording.VARIABLE] = "1"
    recording.refuse = found.append
    try:
        yield found
    finally:
        recording.refuse = refuse
        os.environ[recording.VARIABLE] = variable or "0"


def judge(name: str, finding: dict[str, Any]) -> tuple[str, str]:
    """What the checker says of the program of rule `name` without it, and what it said in detail."""
    rules = [BY_NAME[rule] for rule in (name, finding.get("with")) if rule is not None]
    with reports() as found:
        try:
            trial = Trial(case(finding["source"], finding["seed"]), ir.Context())
        except Unusable as error:
            return OTHER, str(error)
        if any(report.violations for report in found):
            return ALARM, str(found[0])
        found.clear()
        trial.finding(*rules)
    violations = [violation for report in found for violation in report.violations]
    if violations:
        return REFUSED, violations[0].message
    if not found:
        return (LATER if trial.is_changed else OTHER), ""
    reasons = {reason: number for report in found for reason, number in report.unchecked.items()}
    return (UNSURE, json.dumps(reasons)) if reasons else (SILENT, "")


def judge_in_child(name: str, finding: dict[str, Any]) -> tuple[str, str]:
    """The same in another process; one that ends is none in which the checker had a say."""

    def work(pipe: int) -> None:
        os.write(pipe, json.dumps(judge(name, finding)).encode())

    reading, child = start_child(work)
    with os.fdopen(reading) as lines:
        text = lines.read()
    os.waitpid(child, 0)
    verdict, detail = json.loads(text) if text else (OTHER, "the process ended")
    return verdict, detail


def main() -> None:
    """Judge all findings and print the table."""
    parser = argparse.ArgumentParser(description="Count the wrong programs that the static checker refuses.")
    parser.add_argument("--missed", action="store_true", help="print what was missed, by rule")
    parser.add_argument("--only", help="judge the rules whose name has this in it")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    for name, finding in read_findings().items():
        if options.only and options.only not in name:
            continue
        verdict, detail = judge_in_child(name, finding)
        what = str(finding["finding"]).partition(":")[0].partition(" (")[0]
        counts.setdefault(what, Counter())[verdict] += 1
        if options.missed and verdict != REFUSED:
            print(
                f"{verdict}: {name} [{finding['source']} {finding['seed']}: {finding['finding']}] {detail}", flush=True
            )
    print("| what goes wrong | programs |", " | ".join(COLUMNS), "|")
    print("|---" * (len(COLUMNS) + 2) + "|")
    for what, found in [*counts.items(), ("all", sum(counts.values(), Counter[str]()))]:
        print(f"| {what} | {found.total()} |", " | ".join(str(found[column]) for column in COLUMNS), "|")


if __name__ == "__main__":
    main()
