"""Looks for a program that goes wrong without a rule, for each rule, and writes what it found.

    python test/mutations/search.py --tries 2000             all rules that nothing was found for yet
    python test/mutations/search.py --rule "..." --source views

Programs are tried in child processes, as a program without a rule may do anything. Found: `findings.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import mlir_inplace  # noqa: F401  # isort: skip

from catalogue import BY_NAME, RULES
from children import start_child
from disabling import Rule, disabled
from mlir import ir
from reach import Reach
from sources import ROTATION, SOURCES, case
from trial import Trial, Unusable

FINDINGS = Path(__file__).parent / "findings.json"
TRIED = Path(__file__).parent / "tried.json"
TRIES = 2000
_BATCH = 16
_SECONDS = 20
_MOST_ENDS = 1
"""A rule without which programs crash or run for ever is given up then."""
_TRIED = ("programs", "reached", "run", "changed")
_MOST_RUNS = 15
"""So many of the programs that reach a rule are bufferized again without it."""
_WEAK = ("internal error", "program that does not verify", "crash", "hang")
"""Findings that end a search only if nothing better is found."""


def places(sources: Sequence[str], tries: range) -> Iterator[tuple[int, str, int]]:
    """Number the programs: each source has its turn, one that is named twice has two."""
    seeds = dict.fromkeys(sources, 0)
    for number in tries:
        source = sources[number % len(sources)]
        yield number, source, seeds[source]
        seeds[source] += 1


def is_weak(finding: str) -> bool:
    """Whether nothing wrong came out, because nothing came out."""
    return finding.startswith(_WEAK)


def read_findings() -> dict[str, dict[str, Any]]:
    """What was found before, by rule."""
    return json.loads(FINDINGS.read_text()) if FINDINGS.exists() else {}


def write_findings(found: dict[str, dict[str, Any]]) -> None:
    """Keep what was found, in the order of the catalogue."""
    write_rows(FINDINGS, found)


def read_tried() -> dict[str, dict[str, int]]:
    """How many programs were tried in vain, by rule."""
    return json.loads(TRIED.read_text()) if TRIED.exists() else {}


def write_rows(path: Path, rules: dict[str, dict[str, Any]]) -> None:
    """Write what is known of some rules, in the order of the catalogue."""
    rows = (f"{json.dumps(name)}: {json.dumps(rules[name])}" for name in BY_NAME if name in rules)
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def _child(
    batch: Sequence[tuple[int, str, int]], rules: Sequence[Rule], reach: Reach, runs: Counter[str], pipe: int
) -> None:
    def say(*words: Any) -> None:
        os.write(pipe, (json.dumps(words) + "\n").encode())

    context = ir.Context()
    left = list(rules)
    for number, source, seed in batch:
        say("case", number)
        try:
            with reach.watching():
                trial = Trial(case(source, seed), context)
        except Unusable:
            continue
        for rule in [rule for rule in left if reach.reached(rule)]:
            say("reached", rule.name)
            runs[rule.name] += 1
            if runs[rule.name] > _MOST_RUNS:
                continue
            say("try", rule.name, number)
            try:
                finding = trial.finding(rule)
            except Unusable:
                break
            if trial.is_changed:
                say("changed", rule.name)
            if finding is not None:
                say("found", rule.name, number, finding)
                if not is_weak(finding):
                    left.remove(rule)
    say("done")


class Search:
    """The search for some rules among the programs of some sources."""

    def __init__(self, rules: Sequence[Rule], sources: Sequence[str]) -> None:
        self.left = {rule.name: rule for rule in rules}
        self.found: dict[str, dict[str, Any]] = {}
        self.tried: dict[str, dict[str, int]] = {rule.name: dict.fromkeys(_TRIED, 0) for rule in rules}
        self._sources = sources
        # Sources are read and compiled here, once, and not in each child.
        self._reach = Reach(rules)
        for rule in rules:
            with disabled(rule):
                pass
        self._ended: Counter[str] = Counter()
        self._places: dict[int, tuple[str, int]] = {}

    def run(self, tries: int) -> None:
        """Try so many programs."""
        batch = list(places(self._sources, range(tries)))
        self._places = {number: (source, seed) for number, source, seed in batch}
        while batch and self.left:
            now, batch = batch[:_BATCH], batch[_BATCH:]
            for name in self.left:
                self.tried[name]["programs"] += len(now)
            self._run_batch(now)
            self.save()

    def save(self) -> None:
        """Add to what was found before."""
        before = read_findings()
        better = {n: f for n, f in self.found.items() if n not in before or not is_weak(f["finding"])}
        write_findings({**before, **better})
        tried = {**read_tried(), **{name: counts for name, counts in self.tried.items() if name in self.left}}
        write_rows(TRIED, tried)

    def _run_batch(self, batch: list[tuple[int, str, int]]) -> None:
        rules = list(self.left.values())
        reading, child = start_child(lambda pipe: _child(batch, rules, self._reach, self._runs(), pipe))
        last, how = self._listen(reading, child)
        os.waitpid(child, 0)
        if how != "done" and last is not None:
            # What the child did last did not end well. The programs behind it have their turn without that rule.
            name, number = last
            self._note(name, number, how)
            rule = self.left.pop(name, None)
            self._run_batch([place for place in batch if place[0] > number])
            self._ended[name] += 1
            if rule is not None and self._ended[name] < _MOST_ENDS:
                self.left[name] = rule

    def _runs(self) -> Counter[str]:
        return Counter({name: counts["run"] for name, counts in self.tried.items()})

    def _listen(self, reading: int, child: int) -> tuple[tuple[str, int] | None, str]:
        last: tuple[str, int] | None = None
        buffer, how = b"", "crash"
        while True:
            if not select.select([reading], [], [], _SECONDS)[0]:
                os.kill(child, signal.SIGKILL)
                how = "hang"
                break
            data = os.read(reading, 65536)
            if not data:
                break
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                kind, *rest = json.loads(line)
                if kind == "try":
                    last = (rest[0], rest[1])
                    self.tried[rest[0]]["run"] += 1
                elif kind in ("reached", "changed"):
                    self.tried[rest[0]][kind] += 1
                elif kind == "case":
                    last = None
                elif kind == "found":
                    self._note(*rest)
                    print(*rest, flush=True)
                elif kind == "done":
                    how = "done"
        os.close(reading)
        return last, how

    def _note(self, name: str, number: int, finding: str) -> None:
        before = self.found.get(name)
        if before is None or (is_weak(before["finding"]) and not is_weak(finding)):
            source, seed = self._places[number]
            self.found[name] = {"source": source, "seed": seed, "tries": number + 1, "finding": finding}
        if not is_weak(finding):
            self.left.pop(name, None)


def main(arguments: Sequence[str] | None = None) -> None:
    """Search, and add to what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=TRIES, help="how many programs at most for each rule")
    parser.add_argument("--rule", action="append", help="search for this rule only, found or not")
    parser.add_argument(
        "--where", default="", help="search for rules only that stand in modules with this in their names"
    )
    parser.add_argument("--weak", action="store_true", help="search for something better than a crash as well")
    parser.add_argument("--source", action="append", choices=sorted(SOURCES), help="take programs from there only")
    options = parser.parse_args(arguments)
    found = read_findings()
    rules = (
        [BY_NAME[name] for name in options.rule]
        if options.rule
        else [
            rule for rule in RULES if rule.name not in found or (options.weak and is_weak(found[rule.name]["finding"]))
        ]
    )
    rules = [rule for rule in rules if re.search(options.where, rule.target)]
    began = time.monotonic()
    search = Search(rules, options.source or list(ROTATION))
    search.run(options.tries)
    print(f"{len(search.found)} of {len(rules)} rules found in {time.monotonic() - began:.0f} s; left:")
    print("\n".join(f"  {name}" for name in search.left))


if __name__ == "__main__":
    main(sys.argv[1:])
