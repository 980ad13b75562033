"""Writes docs/MUTATIONS.md from the catalogue and what was found: `python test/mutations/table.py`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import mlir_inplace  # noqa: F401  # isort: skip

from catalogue import RULES
from disabling import Rule
from search import TRIES, read_findings, read_tried
from theory import find_section
from verdicts import COSTS

PAGE = Path(__file__).parent.parent.parent / "docs" / "MUTATIONS.md"
_WRITTEN = "written"
_DATE, _MACHINE = "2026-11-24", "busy two-core machines"
_HEAD = f"""# What each rule is for

The mutation check: one rule of the analysis after the other is switched off, and random programs are bufferized and
run until one goes wrong, in at most {TRIES} tries. A rule is switched off by changing one expression of one function;
`test/mutations/catalogue/` says which. What a program means is computed by the evaluator (`checking/evaluator/`),
on tensors; the memref program must return the same, leave alone the arguments that are not writable, free each buffer
once and read nothing that was freed or never written. Threads are run one after the other, and again in step.

A *try* is a program that is made and bufferized with all rules. While that is done, what each rule's expression would
come to without the rule is computed beside it (`test/mutations/reach.py`). Where it never comes to anything else, the
program comes out the same without the rule, and the try is over; else the program is bufferized again without it. If
it comes out another one (*changed*), it is run.

```sh
python test/mutations/search.py --tries {TRIES}  # what was not found yet; findings.json has the rest
python test/mutations/exhaust.py --ops 2 --write  # the same by enumerating small programs, in all orders of decisions
python test/mutations/table.py  # this page
```

Run on {_DATE} on {_MACHINE}, with `torch-mlir` 20261001. *Tries* are the
programs that were made until one went wrong, in turn from several generators or from the one that is named; *program*
is the generator and its seed (`test/mutations/sources.py`), which `test/mutations/test_mutations.py` runs again for
every rule. *Written* programs are files in `test/mutations/written/`, each for a few rules; no tries are counted for
them. An *internal error* shows that the rule is needed, but not what it prevents.
"""
_COVERED = """
## Rules that another rule covers

Without one of the two rules the program comes out right, without both it goes wrong: each is there for the case that
the other one does not see.

| rule | why it is right | the other rule | program | what goes wrong without both |
|---|---|---|---|---|"""
_MISSING = """
## Rules whose absence nothing showed

*Programs* are the random ones that were tried, *reached* those of them in which the rule came to something else.
The first 15 of these are bufferized again without the rule (*run*); *changed* are those that came out another program,
and were right nevertheless.

| rule | why it is right | | why | programs | reached | run | changed |
|---|---|---|---|---|---|---|---|"""


def page() -> str:
    """The page."""
    findings = read_findings()
    found = {name: finding for name, finding in findings.items() if "with" not in finding}
    covered = {name: finding for name, finding in findings.items() if "with" in finding}
    missing = [rule for rule in RULES if rule.name not in findings]
    kinds = Counter(_kind(finding["finding"]) for finding in found.values())
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    tried = [finding for finding in found.values() if finding["source"] != _WRITTEN]
    few = sum(finding["tries"] <= 100 for finding in tried)
    costs = sum(rule.name in COSTS for rule in missing)
    lines = [
        _HEAD,
        f"Of {len(RULES)} rules {len(found)} are found, {len(tried)} of them by random programs "
        f"({few} within 100 tries), the others by written ones: {counts}.",
        f"{len(covered)} are covered by another rule and found without both. The other {len(missing)} are "
        f"costs only ({costs}), untested ({len(missing) - costs}).",
        f"For these the search has come to {_programs_tried()} programs of all generators, those among them that "
        "`checking/generator/` has replaced since; what is found was found in longer runs of one generator, too.\n",
        "| rule | why it is right | tries | program | what goes wrong |",
        "|---|---|---|---|---|",
        *(_row(rule, found[rule.name]) for rule in RULES if rule.name in found),
        _COVERED,
        *(_covered_row(rule, covered[rule.name]) for rule in RULES if rule.name in covered),
        _MISSING,
        *(_missing_row(rule, read_tried().get(rule.name, {})) for rule in missing),
        "",
    ]
    return "\n".join(lines)


def _programs_tried() -> int:
    return max((counts["programs"] for counts in read_tried().values()), default=0)


def _kind(finding: str) -> str:
    return finding.partition(" (")[0].partition(":")[0]


def _anchor(rule: Rule) -> str:
    section = find_section(rule.anchor)
    return f"[{section.title}]({section.link})" if section else rule.anchor


def _row(rule: Rule, finding: dict[str, Any]) -> str:
    program = f"{finding['source']} {finding['seed']}"
    tries = "" if finding["source"] == _WRITTEN else finding["tries"]
    return f"| {rule.name} | {_anchor(rule)} | {tries} | {program} | {finding['finding']} |"


def _covered_row(rule: Rule, finding: dict[str, Any]) -> str:
    program = f"{finding['source']} {finding['seed']}"
    return f"| {rule.name} | {_anchor(rule)} | {finding['with']} | {program} | {finding['finding']} |"


def _missing_row(rule: Rule, tried: dict[str, int]) -> str:
    verdict, why = "costs only" if rule.name in COSTS else "untested", COSTS.get(rule.name, "")
    counts = " | ".join(str(tried.get(key, "")) for key in ("programs", "reached", "run", "changed"))
    return f"| {rule.name} | {_anchor(rule)} | {verdict} | {why} | {counts} |"


if __name__ == "__main__":
    PAGE.write_text(page())
