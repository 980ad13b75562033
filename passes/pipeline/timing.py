"""The time of each pass, in the format of mlir-opt's `--mlir-timing`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import ClassVar, Literal

from mlir import ir

from ...dialects.support.frozen_classes import record
from .instrumentation import Instrumentation, title_box
from .steps import NestStep, PassStep, Step, UpstreamStep, walk_steps

__all__ = ["Timing"]

# Where mlir-opt has them; other phases come behind.
_FIRST, _OUTPUT = "Parser", "Output"


@record
class _Row:
    """A line of the report, with the lines that are nested in it."""

    seconds: float
    name: str
    inside: list[_Row] = field(default_factory=list)


class Timing(Instrumentation):
    """Measures wall time, in seconds: each pass in a tree of nests, and whatever else `phase` is told.

    The times of one place in a pipeline add up over the operations it meets and over several runs of the pipeline. The
    total counts from when the object was made; `clock` gives the time.
    """

    single_steps: ClassVar[bool] = True

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._started = clock()
        self._pass_started = self._started
        self._phases: dict[str, float] = {}
        self._passes: dict[tuple[int, ...], float] = {}
        self._labels: dict[tuple[int, ...], str] = {}

    def phase(self, name: str, seconds: float) -> None:
        """Adds time that was spent outside passes, under a name of its own (`Parser`, `Output`)."""
        self._phases[name] = self._phases.get(name, 0.0) + seconds

    def before_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        self._pass_started = self._clock()

    def after_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        self._passes[step.path] = self._passes.get(step.path, 0.0) + self._clock() - self._pass_started

    pass_failed = after_pass

    def pipeline_finished(self, anchor: str, steps: Sequence[Step]) -> None:
        for step in walk_steps(steps):
            self._labels[step.path] = f"'{step.anchor}' Pipeline" if isinstance(step, NestStep) else step.name

    def rows(self) -> list[tuple[float, str]]:
        """`(seconds, label)` of the tree, labels indented by nesting; the last row is the total."""
        return [(row.seconds, "  " * depth + row.name) for depth, row in _walk(self._tree())]

    def merged_rows(self) -> list[tuple[float, str]]:
        """`(seconds, label)` of the list: the rows of one name added up, the longest first; the last is the total."""
        *tree, rest, total = self._tree()
        sums: dict[str, float] = {}
        for _, row in _walk(tree):
            sums[row.name] = sums.get(row.name, 0.0) + row.seconds
        ordered = sorted(sums.items(), key=lambda item: -item[1])
        merged = [(seconds, name) for name, seconds in ordered]
        return [(total.seconds, "root"), *merged, (rest.seconds, rest.name), (total.seconds, total.name)]

    def report(self, display: Literal["tree", "list"] = "tree", form: Literal["text", "json"] = "text") -> str:
        """What mlir-opt prints for `--mlir-timing`, `--mlir-timing-display` and `--mlir-output-format`."""
        if form == "json":
            return _json_tree(self._tree()) if display == "tree" else _json_list(self.merged_rows())
        rows = self.rows() if display == "tree" else self.merged_rows()
        total = rows[-1][0]
        table = "\n".join(f"  {seconds:8.4f} ({_percent(seconds, total)}%)  {label}" for seconds, label in rows)
        title = title_box("Execution time report")
        return f"{title}  Total Execution Time: {total:.4f} seconds\n\n  ----Wall Time----  ----Name----\n{table}\n"

    def _tree(self) -> list[_Row]:
        total = self._clock() - self._started
        rows: dict[tuple[int, ...], _Row] = {}
        top = [_Row(self._phases[_FIRST], _FIRST)] if _FIRST in self._phases else []
        for path in sorted(self._labels):
            inside = sum(seconds for inner, seconds in self._passes.items() if inner[: len(path)] == path)
            rows[path] = _Row(inside, self._labels[path])
            (rows[path[:-1]].inside if path[:-1] in rows else top).append(rows[path])
        others = sorted(self._phases.keys() - {_FIRST}, key=lambda name: (name != _OUTPUT, name))
        top += [_Row(self._phases[name], name) for name in others]
        accounted = sum(self._phases.values()) + sum(self._passes.values())
        return [*top, _Row(max(total - accounted, 0.0), "Rest"), _Row(total, "Total")]


def _walk(rows: Sequence[_Row], depth: int = 0) -> list[tuple[int, _Row]]:
    return [found for row in rows for found in ((depth, row), *_walk(row.inside, depth + 1))]


def _percent(seconds: float, total: float) -> str:
    return f"{100 * seconds / (total or 1.0):5.1f}"


def _entry(seconds: float, total: float, name: str) -> str:
    wall = f'{{"duration": {seconds:8.4f}, "percentage": {_percent(seconds, total)}}}'
    return f'{{"wall": {wall}, "name": "{name}"'


def _json_list(rows: Sequence[tuple[float, str]]) -> str:
    total = rows[-1][0]
    return "[\n" + ",\n".join(_entry(seconds, total, name) + "}" for seconds, name in rows) + "\n]"


def _json_tree(rows: Sequence[_Row]) -> str:
    *tree, rest, last = rows
    lines = [line for row in tree for line in _json_nest(row, last.seconds, "")]
    ends = [_entry(row.seconds, last.seconds, row.name) + "}" for row in (rest, last)]
    return "\n".join(["[", *lines, ",\n".join(ends), "]"])


def _json_nest(row: _Row, total: float, indent: str) -> list[str]:
    """The lines of one row; upstream ends the list in it with an empty object."""
    inside = [line for inner in row.inside for line in _json_nest(inner, total, f"{indent}  ")]
    return [f'{indent}{_entry(row.seconds, total, row.name)}, "passes": [', *inside, f"{indent}{{}}]}},"]
