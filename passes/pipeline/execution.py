"""Execution of a pipeline: our passes in Python, upstream's through their pass managers, and failures.

The failure contract:
- A pass that raises `PassFailure` has changed nothing; its message becomes an error diagnostic at its location.
- Two packages with op models for one op are an error of the installation: a diagnostic too, and nothing was changed.
- An upstream pass that fails, and a pass whose result the verifier refuses, stop the pipeline with MLIR's diagnostics.
- Any other exception is a bug in a pass: it goes on to the caller unchanged, after a reproducer was written and its
  path was reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlir import ir

from ...dialects.support.attribute_casts import read_every_attribute
from ..framework.attribute_checks import check_attributes
from ..framework.base import Pass
from ..framework.diagnostics import DiagnosticCollector, emit, place_text
from ..framework.entered_context import entered
from ..framework.errors import PassError, PassFailure
from ..framework.native_stderr import captured_native_stderr
from .elements import Nest, inplace_passes
from .instrumentation import Instrumentation
from .statistics_report import read_upstream_statistics
from .steps import NestStep, PassStep, PlanSettings, Step, UpstreamStep, make_steps

if TYPE_CHECKING:
    from ..analysis.whole_module.module import ModuleAnalysis
    from .reproducer import Reproducer


class _Stopped(Exception):
    """A step failed; the message names it. `bug` is the exception of a pass that did not mean to fail."""

    def __init__(self, message: str, bug: Exception | None = None) -> None:
        super().__init__(message)
        self.bug = bug


class PipelineExecution:
    """One pipeline on one operation.

    Args:
        pipeline: the passes, and the operation they are for, or `any`.
        instrumentation: who watches.
        verify_each: verify before the first pass and after every pass.
        verify_result: verify after the last pass, if not after each.
        reproducer: where to write a reproducer when the pipeline fails; None for no file, unless a pass has a bug.
    """

    def __init__(
        self,
        pipeline: Nest,
        instrumentation: Sequence[Instrumentation],
        *,
        verify_each: bool,
        verify_result: bool = False,
        reproducer: Path | None,
    ) -> None:
        self._pipeline = pipeline
        self._watchers = tuple(instrumentation)
        self._verify_result = verify_result and not verify_each
        self._reproducer_path = reproducer
        self._preserved: ModuleAnalysis | None = None
        """What the last step left for the next one, whichever that is."""
        self._met: tuple[ir.Operation, frozenset[str]] | None = None
        """An operation with the names of the ops in it, until a step runs."""
        self._settings = PlanSettings(
            single_steps=any(watcher.single_steps for watcher in self._watchers),
            verify_each=verify_each,
            statistics=any(watcher.upstream_statistics for watcher in self._watchers),
        )

    def run(self, op: ir.Operation) -> None:
        """Runs the pipeline; raises `PassError`, and whatever a pass with a bug raises."""
        reproducer = self._make_reproducer(op)
        try:
            ready = _ready_for_ours(self._pipeline, op.context)
            with entered(op.context), DiagnosticCollector(op.context) as collector, ready:
                stopped = self._run_watched_plan(op)
                if stopped and not stopped.bug:
                    self._report_failure(stopped, op, collector, reproducer)
                    raise PassError(str(stopped), collector.diagnostics) from stopped.__cause__
            if stopped and stopped.bug:
                # Outside the collector, so that the report reaches someone whatever becomes of the exception.
                _report_bug(stopped, op, reproducer)
                raise stopped.bug
        finally:
            if reproducer:
                reproducer.discard()

    def _run_watched_plan(self, op: ir.Operation) -> _Stopped | None:
        """Makes and runs the steps; returns what stopped them, if anything did."""
        steps: tuple[Step, ...] = ()
        try:
            self._check_root(op)
            steps = make_steps(self._pipeline.anchor, self._pipeline.elements, op.context, self._settings)
            self._run_steps(steps, op)
            if self._verify_result:
                self._verify(op, f"after passes {self._pipeline}")
        except _Stopped as stopped:
            return stopped
        finally:
            for watcher in self._watchers:
                watcher.pipeline_finished(self._pipeline.anchor, steps)
        return None

    def _make_reproducer(self, op: ir.Operation) -> Reproducer | None:
        """Made when one is asked for, and when one of our passes might turn out to have a bug."""
        if self._reproducer_path is None and not inplace_passes(self._pipeline):
            return None
        from .reproducer import Reproducer

        return Reproducer(op, str(self._pipeline), verify_each=self._settings.verify_each, path=self._reproducer_path)

    def _report_failure(
        self, stopped: _Stopped, op: ir.Operation, collector: DiagnosticCollector, reproducer: Reproducer | None
    ) -> None:
        """Makes sure that there is at least one error diagnostic, and keeps the reproducer that was asked for."""
        if not collector.errors:
            emit("error", op.location, str(stopped))
        if reproducer and self._reproducer_path:
            emit("remark", op.location, f"{stopped}; reproducer generated at '{reproducer.keep()}'")

    def _check_root(self, op: ir.Operation) -> None:
        """The pipeline must be for this operation, and the operation must not reach outside itself."""
        anchor = self._pipeline.anchor
        if anchor not in ("any", op.name):
            wrapped = f"{op.name}({anchor}(...))"
            raise self._refuse(
                op, f"can't run a pipeline for '{anchor}' on '{op.name}'; nest it in the pipeline: {wrapped}"
            )
        self._check_isolated(op)
        if self._settings.verify_each:
            # Passes, ours and upstream's, count on valid IR; on other IR they may do anything.
            self._verify(op, "before the pipeline; correct what makes it")
        try:
            check_attributes(op)
        except PassFailure as failure:
            emit("error", failure.location, failure.message)
            raise _Stopped(f"{failure.message}") from failure

    def _check_isolated(self, op: ir.Operation) -> None:
        if not ir.Operation.has_trait(op, ir.IsIsolatedFromAboveTrait):
            raise self._refuse(
                op, f"can't run passes on '{op.name}': the operation is not isolated from above (IsolatedFromAbove)"
            )

    def _refuse(self, op: ir.Operation, message: str) -> _Stopped:
        emit("error", op.location, message)
        return _Stopped(message)

    def _run_steps(self, steps: Sequence[Step], op: ir.Operation) -> None:
        for step in steps:
            if isinstance(step, NestStep):
                self._preserved = None
                for inner in self._nested(step.anchor, op):
                    self._run_steps(step.steps, inner)
            else:
                self._run_watched(step, op)

    def _nested(self, anchor: str, op: ir.Operation) -> Iterator[ir.Operation]:
        """The operations directly inside `op` that a nest is for; all are found before the first one is changed."""
        children = [child.operation for region in op.regions for block in region for child in block.operations]
        for child in children:
            if anchor == "any":
                if ir.Operation.has_trait(child, ir.IsIsolatedFromAboveTrait):
                    yield child
            elif child.name == anchor:
                self._check_isolated(child)
                yield child

    def _run_watched(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        for watcher in self._watchers:
            watcher.before_pass(step, op)
        inherited, self._preserved = self._preserved, None
        try:
            if isinstance(step, PassStep) and not self._concerns(step.instance, op):
                self._preserved = inherited
            elif isinstance(step, PassStep):
                step.instance.inherited = inherited
                self._run_pass(step, op)
                self._preserved, step.instance.preserved = step.instance.preserved, None
            else:
                self._run_upstream(step, op)
        except _Stopped:
            for watcher in self._watchers:
                watcher.pass_failed(step, op)
            raise
        finally:
            if isinstance(step, PassStep):
                step.instance.inherited = None
        for watcher in self._watchers:
            watcher.after_pass(step, op)

    def _concerns(self, instance: Pass[Any], op: ir.Operation) -> bool:
        """Whether a pass may change `op`; passes in a row that may not ask for the names of its ops once."""
        if instance.concerns is None or instance.anchor not in (None, op.name):
            return True
        if self._met is None or self._met[0] != op:
            from ..analysis.ir.traversal import names_of_ops

            self._met = op, names_of_ops(op)
        return not self._met[1].isdisjoint(instance.concerns)

    def _run_pass(self, step: PassStep, op: ir.Operation) -> None:
        """Runs one of our passes and verifies its result; what the bindings report is in the collector already."""
        needed = step.instance.anchor
        if needed not in (None, op.name):
            raise self._refuse(op, f"can't run pass '{step.argument}' on '{op.name}'; it runs on '{needed}'")
        if step.instance.logs:
            step.instance.log(f"runs on {_described(op)} as {step.text}")
        from ...dialects.registry import ModelError

        self._met = None
        try:
            step.instance.run(op)
        except PassFailure as failure:
            emit("error", failure.location, failure.message, failure.notes)
            raise _Stopped(f"pass '{step.argument}' failed") from failure
        except ModelError as clash:
            emit("error", op.location, str(clash))
            raise _Stopped(f"pass '{step.argument}' failed") from clash
        except (ir.MLIRError, PassError) as failure:
            raise _Stopped(f"pass '{step.argument}' failed") from failure
        except Exception as bug:  # it goes on to the caller; here a reproducer can still be written
            raise _Stopped(f"pass '{step.argument}' stopped with {type(bug).__name__}: {bug}", bug) from bug
        for name, value in step.instance.statistic_values.items() if step.instance.logs else ():
            step.instance.log(f"counted {name} = {value}, so far")
        if self._settings.verify_each:
            self._verify(op, f"after pass '{step.argument}'")

    def _verify(self, op: ir.Operation, when: str) -> None:
        try:
            op.verify()
        except ir.MLIRError as failure:
            raise _Stopped(f"the IR is not valid {when}") from failure

    def _run_upstream(self, step: UpstreamStep, op: ir.Operation) -> None:
        self._met = None
        try:
            if self._settings.statistics:
                _run_counting(step, op)
            else:
                step.manager.run(op)
        except ir.MLIRError as failure:
            which = "one of the passes" if "," in step.argument else "pass"
            raise _Stopped(f"{which} '{step.argument}' failed") from failure


def _ready_for_ours(pipeline: Nest, context: ir.Context) -> AbstractContextManager[None]:
    """What passes of ours need around them; upstream's alone are spared its imports."""
    if not inplace_passes(pipeline):
        return nullcontext()
    from ..analysis.linalg.structured_op import nests_kept

    read_every_attribute(context)
    return nests_kept()


def _described(op: ir.Operation) -> str:
    symbol = f" {op.attributes['sym_name']}" if "sym_name" in op.attributes else ""
    return f"'{op.name}'{symbol} at {place_text(op.location)}"


def _report_bug(stopped: _Stopped, op: ir.Operation, reproducer: Reproducer | None) -> None:
    """Writes the reproducer of a bug and says where it is, in a diagnostic and in the exception's notes."""
    where = f"reproducer generated at '{reproducer.keep()}'" if reproducer else "no reproducer was kept"
    emit("error", op.location, f"{stopped}; {where}")
    vars(stopped.bug).setdefault("__notes__", []).append(where)  # add_note, which Python 3.10 lacks


def _run_counting(step: UpstreamStep, op: ir.Operation) -> None:
    """Runs upstream's passes and reads the statistics they print when they are done."""
    with captured_native_stderr() as printed:
        step.manager.run(op)
    for name, (value, description) in read_upstream_statistics(printed.text).items():
        before, _ = step.statistics.get(name, (0, ""))
        step.statistics[name] = (before + value, description)
