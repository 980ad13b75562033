"""What passes counted, in the format of mlir-opt's `--mlir-pass-statistics`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import ClassVar, Literal, TextIO

from ...dialects.support.frozen_classes import record
from .instrumentation import Instrumentation, title_box
from .steps import NestStep, PassStep, Step, UpstreamStep, walk_steps

__all__ = ["StatisticsReport", "read_upstream_statistics"]


@record
class StatisticsReport(Instrumentation):
    """Prints what the passes counted, when the pipeline is over.

    Upstream's passes count only in bindings that were built with statistics; release builds leave them out.

    Attributes:
        stream: where to print; standard error when None.
        display: in the order of the pipeline, or as a list of the passes that count, those of one name added up.
    """

    single_steps: ClassVar[bool] = True
    upstream_statistics: ClassVar[bool] = True

    stream: TextIO | None = None
    display: Literal["pipeline", "list"] = "pipeline"

    def pipeline_finished(self, anchor: str, steps: Sequence[Step]) -> None:
        lines = _merged(steps) if self.display == "list" else [f"'{anchor}' Pipeline", *_nested(steps, "  ")]
        stream = self.stream or sys.stderr
        stream.write(title_box("Pass statistics report") + "".join(f"{line}\n" for line in lines) + "\n")
        stream.flush()


def read_upstream_statistics(report: str) -> dict[str, tuple[int, str]]:
    """The `(S) value name - description` lines of a report that upstream printed, values of one name added up."""
    found: dict[str, tuple[int, str]] = {}
    for value, name, description in re.findall(r"\(S\)\s+(\d+)\s+(\S+)\s+-\s+(.*)", report):
        found[name] = (found.get(name, (0, ""))[0] + int(value), description.strip())
    return found


def _nested(steps: Sequence[Step], indent: str) -> list[str]:
    lines: list[str] = []
    for step in steps:
        if isinstance(step, NestStep):
            lines += [f"{indent}'{step.anchor}' Pipeline", *_nested(step.steps, f"{indent}  ")]
        else:
            lines += _entry(step.name, _values(step), indent)
    return lines


def _merged(steps: Sequence[Step]) -> list[str]:
    sums: dict[str, dict[str, tuple[int, str]]] = {}
    for step in walk_steps(steps):
        if isinstance(step, NestStep):
            continue
        counted = sums.setdefault(step.name, {})
        for name, (value, text) in _values(step).items():
            counted[name] = (counted.get(name, (0, ""))[0] + value, text)
    return [line for name, counted in sorted(sums.items()) if counted for line in _entry(name, counted, "  ")]


def _entry(name: str, counted: dict[str, tuple[int, str]], indent: str) -> list[str]:
    """The name of a pass, and below it what it counted, in columns."""
    values = max((len(str(value)) for value, _ in counted.values()), default=0)
    names = max(map(len, counted), default=0)
    lines = [
        f"{indent}  (S) {value:>{values}} {statistic:<{names}} - {text}"
        for statistic, (value, text) in sorted(counted.items())
    ]
    return [f"{indent}{name}", *lines]


def _values(step: PassStep | UpstreamStep) -> dict[str, tuple[int, str]]:
    if isinstance(step, UpstreamStep):
        return step.statistics
    counted = step.instance.statistic_values
    return {found.name: (counted[found.name], found.description) for found in step.instance.statistics}
