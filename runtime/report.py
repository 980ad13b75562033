"""`bufferize`: bufferize a module in place, and report why every copy and buffer is there.

The report is plain data: strings and numbers that outlive the module, its context and the ops that were replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlir import ir

from ..passes.analysis.dispatch.ranges import byte_size
from ..passes.analysis.whole_module.explain import conflict_notes, describe_decision
from ..passes.analysis.whole_module.module import ModuleAnalysis
from ..passes.bufferization.one_shot_bufferize import OneShotBufferizeOptions, OneShotBufferizePass
from ..passes.bufferization.rewriting.trace import BufferTrace, EventKind
from ..passes.framework.diagnostics import place_text
from ..passes.framework.errors import nearest
from ..passes.pipeline.elements import InplacePass
from ..passes.pipeline.instrumentation import Instrumentation
from ..passes.pipeline.pipeline import Pipeline
from ..passes.pipeline.steps import PassStep, UpstreamStep

__all__ = ["BufferRecord", "BufferizationReport", "ReportedDecision", "bufferize"]


@dataclass(frozen=True)
class ReportedDecision:
    """The decision for one operand.

    Attributes:
        function: the symbol of the function.
        location: `file:line:column`, or `unknown`.
        in_place: whether neither a buffer nor a copy is needed.
        text: one sentence: the operand, the decision, the rule that made it out-of-place.
        notes: the write, the read and the definition of a conflict, each with its place.
    """

    function: str
    location: str
    in_place: bool
    text: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.location}: {self.text}", *(f"    {note}" for note in self.notes)])


@dataclass(frozen=True)
class BufferRecord:
    """One allocation or copy in the result: the memref type, its size in bytes (None if dynamic), and the reason."""

    location: str
    type: str
    bytes: int | None
    reason: str

    def __str__(self) -> str:
        size = "dynamic size" if self.bytes is None else f"{self.bytes} bytes"
        return f"{self.location}: {self.type}, {size}: {self.reason}"


@dataclass(frozen=True, repr=False)
class BufferizationReport:
    """All decisions, allocations and copies of one-shot bufferization; `str()` is for people.

    Counts are of ops in the IR: an op in a loop counts once. `program.memory_stats` counts executed ops.
    """

    decisions: tuple[ReportedDecision, ...]
    allocations: tuple[BufferRecord, ...]
    copies: tuple[BufferRecord, ...]

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
        return (
            f"{in_place} of {len(self.decisions)} operands in-place, {len(self.allocations)} allocations "
            f"({self.allocated_bytes} bytes), {len(self.copies)} copies ({self.copied_bytes} bytes)"
        )

    def __repr__(self) -> str:
        return f"<BufferizationReport: {self.summary}>"

    def __str__(self) -> str:
        lines = [self.summary]
        for title, records in (
            ("out-of-place", self.out_of_place),
            ("allocations", self.allocations),
            ("copies", self.copies),
        ):
            if records:
                lines += [f"{title}:", *("  " + str(record).replace("\n", "\n  ") for record in records)]
        return "\n".join(lines)


def bufferize(module: ir.Module | ir.Operation | ir.OpView, **options: Any) -> BufferizationReport:
    """Run `inplace-one-shot-bufferize` on `module`, in place, and report.

    Args:
        module: a module of tensor functions; it is changed.
        options: those of `inplace-one-shot-bufferize` (`docs/PASSES.md`), with underscores: `allow_unknown_ops=True`.
            Function boundaries are bufferized unless told otherwise.

    Raises:
        PassError: the module cannot be bufferized; it is as it was, and the diagnostics are in the message.
        TypeError: an option has an unknown name or is given twice, or `module` is none.
        OptionError: an option's value does not fit (a ValueError).
    """
    arguments: dict[str, Any] = {"bufferize_function_boundaries": True, **_by_attribute(options)}
    chosen = OneShotBufferizeOptions(**arguments)
    reporter = _Reporter()
    Pipeline("builtin.module", (InplacePass(OneShotBufferizePass, chosen),)).run(module, reporter)
    return reporter.report()


def _by_attribute(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options by the names of their fields; an option may have further names."""
    specs = OneShotBufferizeOptions.specs()
    known = {name.replace("-", "_"): spec.attribute for spec in specs for name in (spec.name, *spec.aliases)}
    found: dict[str, Any] = {}
    for name, value in options.items():
        if name not in known:
            raise TypeError(f"bufferize() has no option '{name}'{nearest(name, known)}")
        if known[name] in found:
            raise TypeError(f"bufferize() is given option '{known[name]}' twice, once as '{name}'")
        found[known[name]] = value
    return found


class _Reporter(Instrumentation):
    """Observer of the pass, which reads ops before they are erased."""

    def __init__(self) -> None:
        self._decisions: list[ReportedDecision] = []
        self._reasons: dict[int, str] = {}
        self._events: dict[EventKind, list[BufferRecord]] = {kind: [] for kind in EventKind}

    def before_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        """Make this the observer of the pass."""
        if isinstance(step, PassStep) and isinstance(step.instance, OneShotBufferizePass):
            step.instance.observer = self

    def analysed(self, analysis: ModuleAnalysis) -> None:
        """Turn the decisions into text while their ops exist."""
        s = analysis.snapshot
        for function in analysis.functions:
            name = ir.StringAttr(s.ops[function.function].attributes["sym_name"]).value
            for _, decision in sorted(function.decisions.items()):
                text = describe_decision(s, decision)
                conflict = decision.conflict
                notes = [] if conflict is None else conflict_notes(analysis, conflict)
                location = place_text(s.ops[s.operand_op[decision.operand]].location)
                said = tuple(f"{note}, {place_text(where)}" for note, where in notes)
                self._decisions.append(ReportedDecision(name, location, decision.in_place, text, said))
                self._reasons[decision.operand] = text

    def converted(self, trace: BufferTrace) -> None:
        """Join allocations and copies with the reasons for them."""
        for event in trace.events:
            reason = self._reasons.get(event.operand, "the op makes a new tensor or needs another layout")
            record = BufferRecord(place_text(event.location), str(event.type), byte_size(event.type), reason)
            self._events[event.kind].append(record)

    def report(self) -> BufferizationReport:
        """The report of the run."""
        return BufferizationReport(
            tuple(self._decisions),
            tuple(self._events[EventKind.ALLOCATION]),
            tuple(self._events[EventKind.COPY]),
        )
