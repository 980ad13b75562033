"""The outcome of one program: findings, counts, and the first difference from the reference."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..evaluator import Evaluation
from .comparison import Agreement, compare, describe


class FindingKind(enum.Enum):
    """Kinds of failures, and refusals, which are no failures and are counted by message."""

    VALUE = "wrong value"
    ARGUMENT = "changed argument"
    MEMORY = "memory error"
    LEAK = "leak"
    BUG = "exception"
    CRASH = "crash"
    TIME = "too slow"
    REFERENCE = "no reference"
    REFUSED = "refused"
    UNSUPPORTED = "not evaluated"

    @property
    def is_failure(self) -> bool:
        """Whether something is wrong with the bufferization."""
        return self not in (FindingKind.REFUSED, FindingKind.UNSUPPORTED, FindingKind.REFERENCE)


@dataclass(frozen=True)
class Finding:
    """A finding about a program in a configuration, described in one line."""

    seed: int
    configuration: str
    kind: FindingKind
    text: str


@dataclass
class Trial:
    """The outcome of one program."""

    findings: list[Finding] = field(default_factory=list)
    bufferized: Counter[str] = field(default_factory=Counter)
    """How often the program was bufferized, by configuration."""
    evaluated: int = 0
    """Different programs on memrefs that were evaluated."""
    executed: int = 0
    """Programs that were compiled and run."""
    rounded: int = 0
    allocations: int = 0
    copies: int = 0

    @property
    def runs(self) -> int:
        """How often the program was bufferized."""
        return self.bufferized.total()


def copies_of(arguments: Sequence[Any]) -> list[Any]:
    """Return arguments that a run may change."""
    return [np.copy(value) if isinstance(value, np.ndarray) else value for value in arguments]


def difference(
    outcome: tuple[Sequence[Any], Sequence[Any]], reference: Evaluation, checked: Sequence[int], trial: Trial
) -> tuple[FindingKind, str] | None:
    """Compare results, and the arguments at the positions `checked`; return the first difference."""
    results = list(zip(outcome[0], reference.results, strict=True))
    arguments = [(outcome[1][number], reference.arguments[number]) for number in checked]
    for position, (found, wanted) in enumerate((*results, *arguments)):
        agreement = compare(found, wanted)
        trial.rounded += agreement is Agreement.ROUNDED
        if agreement is Agreement.DIFFERENT:
            if position < len(results):
                return FindingKind.VALUE, f"result {position} {describe(found, wanted)}"
            return FindingKind.ARGUMENT, f"argument {checked[position - len(results)]} {describe(found, wanted)}"
    return None


def first_error(text: str) -> str:
    """Return the first error of a report of diagnostics."""
    lines = [line for line in text.splitlines() if "error:" in line]
    return (lines or text.splitlines() or [""])[0]
