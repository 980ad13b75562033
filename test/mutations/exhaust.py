"""Looks for small programs that go wrong without a rule, by enumeration in all orders of decisions.

    python test/mutations/exhaust.py --rule "rotated sets stay a forest" --ops 3 --grammar for2,insert,map --sample 1/50

Prints the reduced programs, each with a pipeline that shows it; `--write` makes a file of `written/` of each that is
confirmed, and lets `findings.json` refer to it. Programs are tried in this process, batch by batch: only those rules
are switched off that a batch reaches.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

import mlir_inplace  # noqa: F401  # isort: skip

import numpy as np
from catalogue import BY_NAME, RULES
from disabling import Rule, disabled
from keep import as_written
from mlir import ir
from reach import Reach
from search import read_findings, write_findings
from sources import WRITTEN, Case
from trial import Trial
from verdicts import COSTS

from mlir_inplace.checking.exhaustive import GRAMMAR, Counterexample, Exhaustion
from mlir_inplace.checking.exhaustive.workers import attempt
from mlir_inplace.checking.fuzzing.configurations import find_configurations

_WEAK = ("exception",)
"""Findings that end the search for a rule only if nothing better is found."""


def findings(
    rules: Sequence[Rule], what: Exhaustion, seconds: float, reached: Counter[str]
) -> Iterator[tuple[Rule, Counterexample]]:
    """Yield what is found without each rule; a rule is left out when something better than an exception was."""
    reach, left, began = Reach(rules), list(rules), time.process_time()
    for _, programs in what.batches():
        if not left or time.process_time() - began > seconds:
            return
        with reach.watching():
            for found in attempt(programs, what).findings:
                print(f"with all rules: {found}")
        reached["programs"] += len(programs)
        for rule in [rule for rule in left if reach.reached(rule)]:
            reached[rule.name] += 1
            with disabled(rule):
                found = attempt(programs, what).findings
            yield from ((rule, one) for one in found)
            if any(one.kind not in _WEAK for one in found):
                left.remove(rule)


def write(rule: Rule, finding: Counterexample) -> bool:
    """Write a finding as a program of this rule, if it is one when it is run as they are; return whether it is."""
    count = finding.program.partition("@main(")[2].partition(") ->")[0].count("tensor<")
    tensors = [np.arange(4, dtype=np.int32) + 1 + 100 * number for number in range(count)]
    runs = [[*tensors, chosen, trips] for chosen in (True, False) for trips in (0, 1, 2)]
    passes = finding.pipeline.removeprefix("builtin.module(").removesuffix(")")
    made = Case(finding.program, runs, passes, "canonicalize,cse,inplace-deallocate")
    seen = Trial(made, ir.Context()).finding(rule) if passes else None
    if seen is None:
        return False
    name = re.sub("[^a-z0-9]+", "-", rule.name.lower())
    (WRITTEN / f"{name}.mlir").write_text(as_written(made))
    write_findings({**read_findings(), rule.name: {"source": "written", "seed": name, "tries": 1, "finding": seen}})
    return True


def main(arguments: Sequence[str] | None = None) -> None:
    """Search, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rule", action="append", help="the rule; all that nothing was found for by default")
    parser.add_argument("--ops", type=int, default=2)
    parser.add_argument("--least", type=int, default=1)
    parser.add_argument("--grammar", default=",".join(GRAMMAR))
    parser.add_argument("--arguments", default="wr")
    parser.add_argument("--results", type=int, default=2)
    parser.add_argument("--sample", default="1/1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--orders", type=int, default=40)
    parser.add_argument("--configurations", default="")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--seconds", type=float, default=200.0)
    options = parser.parse_args(arguments)
    before = read_findings()
    done = before.keys() | COSTS.keys()
    rules = [BY_NAME[name] for name in options.rule or ()] or [rule for rule in RULES if rule.name not in done]
    what = Exhaustion(
        options.ops,
        tuple(options.grammar.split(",")),
        options.arguments,
        options.results,
        int(options.sample.partition("/")[2]),
        options.seed,
        options.least,
        find_configurations(list(filter(None, options.configurations.split(",")))),
        options.orders,
        batch=50,
    )
    reached: Counter[str] = Counter()
    for rule, finding in findings(rules, what, options.seconds, reached):
        print(f"\n== {rule.name}: {finding.kind}: {finding.text}\n{finding.pipeline}\n{finding.program}", flush=True)
        if options.write and finding.kind not in _WEAK:
            print("written" if write(rule, finding) else "not confirmed", flush=True)
    print("batches that reach each rule:", dict(reached))


if __name__ == "__main__":
    main(sys.argv[1:])
