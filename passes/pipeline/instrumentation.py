"""Instrumentation of a pipeline: IR printing, timing and statistics, in the format of mlir-opt.

An instrumentation is told before and after each step, and at the end. Upstream passes come one at a time to those that
ask for `single_steps`; the bindings do not tell the C++ class of an upstream pass, so reports show its argument.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, TextIO

from mlir import ir

from ...dialects.dispatch.printing import export_text
from .steps import NestStep, PassStep, Step, UpstreamStep, walk_steps

_RULE = "===" + "-" * 73 + "==="


class Instrumentation:
    """Base class; every hook does nothing until it is overridden. No hook may change the IR.

    Attributes:
        single_steps: wants to see each upstream pass by itself.
        upstream_statistics: wants the statistics of upstream's passes gathered.
    """

    single_steps: ClassVar[bool] = False
    upstream_statistics: ClassVar[bool] = False

    def before_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        """`step` is about to run on `op`."""

    def after_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        """`step` has run on `op`, and the result has been verified if that was asked for."""

    def pass_failed(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        """`step` has refused `op`, or left it invalid; nothing more will run."""

    def pipeline_finished(self, anchor: str, steps: Sequence[Step]) -> None:
        """The pipeline is over, well or not."""


@dataclass(frozen=True)
class AsmFlags:
    """How IR is printed: with locations, in generic form, without the elements of attributes above a limit."""

    debug_info: bool = False
    generic: bool = False
    elide_elements_above: int | None = None

    def text(self, op: ir.Operation) -> str:
        """`op` as text, ending in a newline. Invalid IR comes out in generic form.

        Operations of the dispatch dialect are in its lighter form, unless all are to be generic.
        """
        text = str(
            op.get_asm(
                enable_debug_info=self.debug_info,
                print_generic_op_form=self.generic,
                large_elements_limit=self.elide_elements_above,
            )
        )
        text = text if text.endswith("\n") else f"{text}\n"
        return text if self.generic else export_text(text)


@dataclass
class IRPrinting(Instrumentation):
    """Prints the operation a pass runs on: before and after each pass, only when it changed, or only when it failed.

    Attributes:
        before_all, after_all: print before, after each pass.
        after_change: after a pass, print only if the text of the operation changed (implies printing after).
        after_failure: after a pass, print only if it failed.
        tree_dir: write files below this folder instead of printing, one folder for each operation, one file for each
            print: `builtin_module_main/func_func_f/0_2_cse.mlir`, the numbers counting the prints of each level.
        flags: how the IR is printed.
        stream: where to print; standard error when None.
    """

    single_steps: ClassVar[bool] = True

    before_all: bool = False
    after_all: bool = False
    after_change: bool = False
    after_failure: bool = False
    tree_dir: Path | None = None
    flags: AsmFlags = AsmFlags()
    stream: TextIO | None = None
    _fingerprints: dict[tuple[int, ...], int] = field(default_factory=dict)
    _counters: dict[Path, int] = field(default_factory=dict)

    @property
    def wanted(self) -> bool:
        """Whether anything will ever be printed."""
        return self.before_all or self.after_all or self.after_change or self.after_failure

    def before_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        if self.after_change:
            self._fingerprints[step.path] = _fingerprint(op)
        if self.before_all:
            self._print(f"Before {_title(step)}", step, op)

    def after_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        if self.after_failure or not (self.after_all or self.after_change):
            return
        if self.after_change and self._fingerprints.pop(step.path) == _fingerprint(op):
            return
        self._print(f"After {_title(step)}", step, op)

    def pass_failed(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        if self.after_all or self.after_change or self.after_failure:
            self._print(f"After {_title(step)} Failed", step, op)

    def pipeline_finished(self, anchor: str, steps: Sequence[Step]) -> None:
        self._counters.clear()

    def _print(self, title: str, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        body = f"// -----// IR Dump {title} //----- //\n{self.flags.text(op)}\n"
        if self.tree_dir is None:
            stream = self.stream or sys.stderr
            stream.write(body)
            stream.flush()
            return
        path = self._next_path(step, op)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")

    def _next_path(self, step: PassStep | UpstreamStep, op: ir.Operation) -> Path:
        """The file of the next print of `op`; its number stands behind those of the operations around it."""
        assert self.tree_dir is not None
        folders: list[Path] = []
        for level in reversed([op, *_ancestors(op)]):
            folders.append((folders[-1] if folders else self.tree_dir) / _folder_name(level))
        # Counted by folder: an operation's hash changes when a pass changes it.
        for outer in folders[:-1]:
            self._counters.setdefault(outer, 0)
        self._counters[folders[-1]] = self._counters.get(folders[-1], -1) + 1
        numbers = "_".join(str(self._counters[folder]) for folder in folders)
        return folders[-1] / f"{numbers}_{_file_part(step.argument)}.mlir"


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
        """`(seconds, label)` in the order of the report, labels indented by nesting; the last row is the total."""
        total = self._clock() - self._started
        rows = [(self._phases["Parser"], "Parser")] if "Parser" in self._phases else []
        for path in sorted(self._labels):
            inside = sum(seconds for inner, seconds in self._passes.items() if inner[: len(path)] == path)
            rows.append((inside, "  " * (len(path) - 1) + self._labels[path]))
        rows += [(seconds, name) for name, seconds in self._phases.items() if name != "Parser"]
        accounted = sum(self._phases.values()) + sum(self._passes.values())
        return [*rows, (max(total - accounted, 0.0), "Rest"), (total, "Total")]

    def report(self) -> str:
        """The table that mlir-opt prints for `--mlir-timing`."""
        rows = self.rows()
        total = rows[-1][0] or 1.0
        table = "\n".join(f"  {seconds:8.4f} ({100 * seconds / total:5.1f}%)  {label}" for seconds, label in rows)
        title = _title_box("Execution time report")
        return f"{title}  Total Execution Time: {total:.4f} seconds\n\n  ----Wall Time----  ----Name----\n{table}\n"


@dataclass
class StatisticsReport(Instrumentation):
    """Prints what the passes counted, in the order of the pipeline, when it is over.

    Upstream's passes count only in bindings that were built with statistics; release builds leave them out.
    """

    single_steps: ClassVar[bool] = True
    upstream_statistics: ClassVar[bool] = True

    stream: TextIO | None = None

    def pipeline_finished(self, anchor: str, steps: Sequence[Step]) -> None:
        lines = [f"'{anchor}' Pipeline", *_statistic_lines(steps, "  ")]
        stream = self.stream or sys.stderr
        stream.write(_title_box("Pass statistics report") + "\n".join(lines) + "\n\n")
        stream.flush()


def read_upstream_statistics(report: str) -> dict[str, tuple[int, str]]:
    """The `(S) value name - description` lines of a report that upstream printed, values of one name added up."""
    found: dict[str, tuple[int, str]] = {}
    for value, name, description in re.findall(r"\(S\)\s+(\d+)\s+(\S+)\s+-\s+(.*)", report):
        found[name] = (found.get(name, (0, ""))[0] + int(value), description.strip())
    return found


def _statistic_lines(steps: Sequence[Step], indent: str) -> list[str]:
    lines: list[str] = []
    for step in steps:
        if isinstance(step, NestStep):
            lines += [f"{indent}'{step.anchor}' Pipeline", *_statistic_lines(step.steps, f"{indent}  ")]
            continue
        lines.append(f"{indent}{step.name}")
        lines += [f"{indent}  (S) {value:>4} {name} - {text}" for name, value, text in _values(step)]
    return lines


def _values(step: PassStep | UpstreamStep) -> list[tuple[str, int, str]]:
    if isinstance(step, UpstreamStep):
        return [(name, value, text) for name, (value, text) in step.statistics.items()]
    counted = step.instance.statistic_values
    return [(statistic.name, counted[statistic.name], statistic.description) for statistic in step.instance.statistics]


def _title_box(title: str) -> str:
    text = f"... {title} ..."
    return f"{_RULE}\n{' ' * ((80 - len(text)) // 2)}{text}\n{_RULE}\n"


def _title(step: PassStep | UpstreamStep) -> str:
    """`Class: text` for our passes, the text alone for upstream's."""
    return f"{step.name}: {step.text}" if isinstance(step, PassStep) else step.text


def _fingerprint(op: ir.Operation) -> int:
    """Equal for equal IR, locations included; the text itself would be kept for every nest at once."""
    return hash(op.get_asm(enable_debug_info=True, print_generic_op_form=True))


def _ancestors(op: ir.Operation) -> list[ir.Operation]:
    """The operations around `op`, innermost first."""
    found = []
    while (outer := op.parent) is not None:
        op = outer.operation
        found.append(op)
    return found


def _folder_name(op: ir.Operation) -> str:
    symbol = ir.StringAttr(op.attributes["sym_name"]).value if "sym_name" in op.attributes else "no-symbol-name"
    return f"{_file_part(op.name.replace('.', '_'))}_{_file_part(symbol)}"


def _file_part(name: str) -> str:
    """`name` with everything replaced that could leave the folder or trouble a file system."""
    return re.sub(r"[^\w.-]", "_", name).lstrip(".") or "_"
