"""Writes docs/MUTATIONS.md from the catalogue and what was found: `python test/mutations/table.py`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import mlir_inplace  # noqa: F401  # isort: skip

from catalogue import RULES
from disabling import Rule
from search import TRIES, read_findings
from verdicts import UNNEEDED, UNTESTED

PAGE = Path(__file__).parent.parent.parent / "docs" / "MUTATIONS.md"
_WRITTEN = "written"
_DATE, _MACHINE = "2026-11-21", "a busy two-core AMD Zen 5 machine"
_HEAD = f"""# What each rule is for

The mutation check: one rule of the analysis after the other is switched off, and random programs are bufferized and
run until one goes wrong, in at most {TRIES} tries. The search is not finished: rules that are listed as not found were
tried on fewer programs than that so far. A rule is switched off by changing one expression of one function;
`test/mutations/catalogue_*.py` says which. What a program means is computed by the evaluator (`runtime/evaluator/`),
on tensors; the memref program must return the same, leave alone the arguments that are not writable, free each buffer
once and read nothing that was freed or never written. Threads are run one after the other, and again in step.

    python test/mutations/search.py --tries {TRIES}    # what was not found yet; findings.json has the rest
    python test/mutations/table.py                 # this page

Run on {_DATE} on {_MACHINE}, with `torch-mlir` 20261001. *Tries* are the
programs that were made until one went wrong, in turn from several generators or from the one that is named; *program*
is the generator and its seed (`test/mutations/sources.py`), which `test/mutations/test_mutations.py` runs again for
every rule. *Written* programs are files in `test/mutations/written/`, each for a few rules; no tries are counted for
them. An *internal error* shows that the rule is needed, but not what it prevents.
"""


def page() -> str:
    """The page."""
    found = read_findings()
    missing = [rule for rule in RULES if rule.name not in found]
    kinds = Counter(_kind(finding["finding"]) for finding in found.values())
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    tried = [finding for finding in found.values() if finding["source"] != _WRITTEN]
    few = sum(finding["tries"] <= 100 for finding in tried)
    lines = [
        _HEAD,
        f"Of {len(RULES)} rules {len(found)} are found, {len(tried)} of them by random programs "
        f"({few} within 100 tries), the others by written ones: {counts}. "
        f"{len(missing)} are not.\n",
        "| rule | docs/THEORY.md | tries | program | what goes wrong |",
        "|---|---|---|---|---|",
        *(_row(rule, found[rule.name]) for rule in RULES if rule.name in found),
        "",
        "## Rules whose absence nothing showed",
        "",
        "| rule | docs/THEORY.md | | why |",
        "|---|---|---|---|",
        *(_missing_row(rule) for rule in missing),
        "",
    ]
    return "\n".join(lines)


def _kind(finding: str) -> str:
    return finding.partition(" (")[0].partition(":")[0]


def _anchor(rule: Rule) -> str:
    return " ".join(rule.anchor.replace("*", "").replace("#", "").split()).rstrip(".")


def _row(rule: Rule, finding: dict[str, Any]) -> str:
    program = f"{finding['source']} {finding['seed']}"
    tries = "" if finding["source"] == _WRITTEN else finding["tries"]
    return f"| {rule.name} | {_anchor(rule)} | {tries} | {program} | {finding['finding']} |"


def _missing_row(rule: Rule) -> str:
    verdict, why = "untested", "no program was found yet, in fewer tries than allowed"
    if rule.name in UNNEEDED:
        verdict, why = "unneeded", UNNEEDED[rule.name]
    elif rule.name in UNTESTED:
        why = UNTESTED[rule.name]
    return f"| {rule.name} | {_anchor(rule)} | {verdict} | {why} |"


if __name__ == "__main__":
    PAGE.write_text(page())
