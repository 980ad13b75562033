"""All programs up to a size, in batches that worker processes try. A crash ends one worker and is one finding.

What was counted so far is kept in a state file, if one is named: a run with the same settings goes on from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..fuzzing.configurations import Configuration
from ..resumable import load_state, save_state
from .batch import MOST_ORDERS
from .enumeration import Enumeration
from .findings import Counterexample
from .grammar import GRAMMAR
from .programs import SmallProgram
from .reordering import is_least

__all__ = ["BatchTally", "Exhaustion", "ExhaustionTally", "load_totals", "save_totals"]

COUNTS = ("programs", "meaningless", "orders", "sampled", "variants", "copies")
_KEPT = 100
"""So many findings are kept in full."""


@dataclass(frozen=True)
class Exhaustion:
    """What is tried: all programs of 1 to `size` ops, or about one of `one_of` of them, drawn by `seed`."""

    size: int
    grammar: tuple[str, ...] = tuple(GRAMMAR)
    arguments: str = "wr"
    returns: int = 2
    one_of: int = 1
    seed: int = 0
    least: int = 1
    """The smallest size."""
    configurations: tuple[Configuration, ...] = ()
    most_orders: int = MOST_ORDERS
    batch: int = 100

    def batches(self, position: int = 0) -> Iterator[tuple[int, list[SmallProgram]]]:
        """Yield programs behind the first `position` candidates, and up to which candidate each list goes."""
        batch: list[SmallProgram] = []
        number = 0
        for number, program in enumerate(self._candidates(), 1):
            if number > position and is_least(program):
                batch.append(program)
                if len(batch) == self.batch:
                    yield number, batch
                    batch = []
        if batch:
            yield number, batch

    def _candidates(self) -> Iterator[SmallProgram]:
        enumeration = Enumeration(
            self.grammar, arguments=self.arguments, returns=self.returns, one_of=self.one_of, seed=self.seed
        )
        for size in range(self.least, self.size + 1):
            yield from enumeration.candidates(size)

    def describe(self) -> str:
        """Return in words which programs these are."""
        sizes = f"up to {self.size} ops" if self.least == 1 else f"{self.least} to {self.size} ops"
        part = "all programs" if self.one_of == 1 else f"about one of {self.one_of} (seed {self.seed}) of the programs"
        names = "all ops" if set(self.grammar) == set(GRAMMAR) else ", ".join(self.grammar)
        count = f"{len(self.arguments)} tensors" if len(self.arguments) > 1 else "one tensor"
        return f"{part} of {sizes} over the grammar {{{names}}}, {count}, at most {self.returns} results"

    def key(self) -> dict[str, Any]:
        """Return the settings that a state is for."""
        kept = asdict(self)
        del kept["batch"]
        return {**kept, "grammar": list(self.grammar), "configurations": [one.name for one in self.configurations]}


@dataclass
class ExhaustionTally:
    """The totals so far."""

    position: int = 0
    """Up to which candidate all programs were tried."""
    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    """Failures by kind."""
    findings: list[Counterexample] = field(default_factory=list)
    """The first ones."""
    seconds: float = 0.0
    cpu: float = 0.0
    """How many of the seconds, in all processes that try programs, were their own."""
    is_complete: bool = False

    def add(self, part: BatchTally) -> None:
        """Count a part."""
        self.cpu += part.cpu
        self.counts.update(part.counts)
        self.refused.update(part.refused)
        self.found.update(part.found)
        self.findings += part.findings[: max(0, _KEPT - len(self.findings))]

    def summary(self, what: Exhaustion) -> str:
        """Return the outcome in a few lines."""
        counts = self.counts
        bound = what.describe() if self.is_complete else f"unfinished, {self.position} candidates: {what.describe()}"
        rate = counts["programs"] / self.cpu if self.cpu else 0.0
        lines = [
            bound,
            f"{counts['programs']} programs, {counts['meaningless']} of them without a meaning; "
            f"{counts['orders']} orders of decisions, {counts['variants']} bufferized programs evaluated; "
            f"{counts['copies']} copies",
            f"{self.seconds:.0f} s; {self.cpu:.0f} s of one core, {rate:.0f} programs in each",
        ]
        if counts["sampled"]:
            lines.append(f"of {counts['sampled']} programs with more orders, {what.most_orders} orders each were tried")
        lines += [f"{count} × refused: {text}" for text, count in self.refused.most_common()]
        found = ", ".join(f"{count} × {kind}" for kind, count in self.found.most_common())
        return "\n".join([*lines, f"found: {found or 'nothing'}"])


@dataclass
class BatchTally:
    """What became of some programs, as plain data that processes hand to each other."""

    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    findings: list[Counterexample] = field(default_factory=list)
    cpu: float = 0.0

    def add(self, other: BatchTally) -> None:
        """Add what became of others."""
        self.cpu += other.cpu
        self.counts.update(other.counts)
        self.refused.update(other.refused)
        self.found.update(other.found)
        self.findings += other.findings


Note = Callable[[ExhaustionTally, Sequence[Counterexample]], None]


def load_totals(path: Path, what: Exhaustion) -> ExhaustionTally:
    """Return the totals in a state file, or new ones if there is no file; raises as `load_state`."""
    return load_state(path, "inplace-exhaust", what.key(), _totals) or ExhaustionTally()


def _totals(state: dict[str, Any]) -> ExhaustionTally:
    findings = [Counterexample(**one) for one in state.pop("findings")]
    counters = {name: Counter(state.pop(name)) for name in ("counts", "refused", "found")}
    return ExhaustionTally(**counters, findings=findings, **state)


def save_totals(path: Path, what: Exhaustion, tally: ExhaustionTally) -> None:
    """Write the totals to a state file; raises `OSError`."""
    save_state(path, what.key(), {**vars(tally), "findings": [asdict(finding) for finding in tally.findings]})
