"""The report of one bufferization: plain data, as text for people, as JSON for programs, as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from ....dialects.support.frozen_classes import frozen
from ..costs.optimality import Optimality
from .events import EventKind
from .explainer import Explainer
from .html_table import html_table
from .reasons import Reason
from .records import BufferRecord, ReportedDecision, counted, describe, together
from .reported_sets import ReportedAliasSet

__all__ = ["BufferizationReport"]

JSON_VERSION = 1
"""The version of the JSON form; it changes when a field goes or means something else."""


@frozen
class BufferizationReport:
    """All decisions, allocations and copies of one-shot bufferization; `str()` is for people.

    Counts are of ops in the IR: an op in a loop counts once. `program.memory_stats` counts executed ops.
    """

    decisions: tuple[ReportedDecision, ...]
    records: tuple[BufferRecord, ...]
    """Every allocation and copy, function by function in program order."""
    functions: tuple[str, ...] = ()
    """The symbols of the functions with tensors."""
    alias_sets: tuple[ReportedAliasSet, ...] = ()
    """The tensors that may share memory, set by set."""
    optimality: Mapping[str, Optimality] = field(default_factory=dict[str, Optimality])
    """By function, how near to the cheapest decisions its own are; empty without `analysis_heuristic="optimal"`."""

    @classmethod
    def of(cls, explainer: Explainer) -> BufferizationReport:
        """Return the report of what ``explainer`` has observed."""
        names = tuple(name for name, _ in explainer.functions)
        alias_sets = tuple(explainer.alias_sets)
        return cls(tuple(explainer.decisions), tuple(explainer.records), names, alias_sets, dict(explainer.optimality))

    def by_function(self) -> dict[str, BufferizationReport]:
        """Return the parts of the report by the symbols of the functions that they are about."""
        decisions: dict[str, list[ReportedDecision]] = {name: [] for name in self.functions}
        records: dict[str, list[BufferRecord]] = {name: [] for name in self.functions}
        for decision in self.decisions:
            decisions[decision.function].append(decision)
        for record in self.records:
            records[record.function].append(record)
        sets: dict[str, list[ReportedAliasSet]] = {name: [] for name in self.functions}
        for alias_set in self.alias_sets:
            sets[alias_set.function].append(alias_set)
        return {
            name: BufferizationReport(
                tuple(decisions[name]),
                tuple(records[name]),
                (name,),
                tuple(sets[name]),
                {name: self.optimality[name]} if name in self.optimality else {},
            )
            for name in self.functions
        }

    @property
    def allocations(self) -> tuple[BufferRecord, ...]:
        """The records of allocations."""
        return tuple(record for record in self.records if record.kind is EventKind.ALLOCATION)

    @property
    def copies(self) -> tuple[BufferRecord, ...]:
        """The records of copies."""
        return tuple(record for record in self.records if record.kind is EventKind.COPY)

    @property
    def out_of_place(self) -> tuple[ReportedDecision, ...]:
        """The decisions that cost a buffer or a copy."""
        return tuple(decision for decision in self.decisions if not decision.in_place)

    @property
    def allocated_bytes(self) -> int:
        """Sizes of all allocations whose size is known, in bytes."""
        return sum(record.bytes or 0 for record in self.allocations)

    @property
    def copied_bytes(self) -> int:
        """Sizes of all copies whose size is known, in bytes."""
        return sum(record.bytes or 0 for record in self.copies)

    @property
    def summary(self) -> str:
        """The counts, in one line."""
        in_place = len(self.decisions) - len(self.out_of_place)
        return f"{in_place} of {len(self.decisions)} operands in-place, {self._left()}"

    def _left(self) -> str:
        """What is left to explain."""
        made, copies = self.allocations, self.copies
        if copies:
            return f"{_total(made, 'allocation')}, {_total(copies, 'copy')}"
        if all(record.reason is Reason.RESULT for record in made):
            what = "the result" if len(made) == 1 else "the results"
            return f"no copies, {counted(len(made), 'allocation')}: {what}" if made else "no copies, no allocations"
        return f"no copies, {_total(made, 'allocation')}"

    def __repr__(self) -> str:
        return f"<BufferizationReport: {self.summary}>"

    def __str__(self) -> str:
        found = [f"@{name}: {optimality}" for name, optimality in self.optimality.items()]
        return "\n".join([self.summary, *found, *map(describe, together(self.records))])

    def _repr_html_(self) -> str:
        return html_table(self.summary, self.records)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON objects; `docs/explanation.schema.json` describes them."""
        return {
            "version": JSON_VERSION,
            "summary": self.summary,
            "allocated_bytes": self.allocated_bytes,
            "copied_bytes": self.copied_bytes,
            "records": [record.to_json() for record in self.records],
            "decisions": [
                {
                    "function": decision.function,
                    "location": decision.location,
                    "in_place": decision.in_place,
                    "text": decision.text,
                    "notes": list(decision.notes),
                }
                for decision in self.decisions
            ],
            "alias_sets": [alias_set.to_json() for alias_set in self.alias_sets],
            **({"optimality": self._optimality_json()} if self.optimality else {}),
        }

    def _optimality_json(self) -> list[dict[str, Any]]:
        return [{"function": name, **found.to_json()} for name, found in self.optimality.items()]


def _total(records: Sequence[BufferRecord], noun: str) -> str:
    """The number of records, with their bytes."""
    known = [record.bytes for record in records if record.bytes is not None]
    sizes = [f"{sum(known)} bytes"] if known else []
    sizes += [f"{len(records) - len(known)} of dynamic size"] if len(known) < len(records) else []
    shown = f" ({', '.join(sizes)})" if sizes else ""
    return f"{counted(len(records), noun)}{shown}"
