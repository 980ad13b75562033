"""Pipelines: one text that mixes our passes with upstream's, at any depth of nesting.

    builtin.module(func.func(inplace-x{a=1 b=true},cse),canonicalize)

The text is upstream's. One top-level `name(...)` says what the pipeline is for; a bare list such as `canonicalize,cse`
is for `builtin.module`. Every name and option is checked when the text is parsed, so nothing runs before the last
mistake is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..framework.errors import OptionError, PipelineError, nearest
from ..framework.upstream import find_problem, suggest
from .elements import Element, InplacePass, Nest, UpstreamPass, inplace_passes, with_options
from .execution import PipelineExecution
from .instrumentation import Instrumentation
from .registry import Registry, registry
from .syntax import ParsedElement, ParsedNest, ParsedPass, parse_syntax

DEFAULT_ANCHOR = "builtin.module"


@frozen
class Pipeline(Nest):
    """Passes to run on operations named `anchor` (`any`: on whatever operation is given). `str()` parses back."""

    @staticmethod
    def parse(text: str, passes: Registry | None = None) -> Pipeline:
        """Reads and checks a pipeline text; raises `PipelineError`, whose message has a caret under the mistake.

        Args:
            text: the pipeline.
            passes: where our passes are looked up; the built-in and installed ones when None.
        """
        if not text.strip():
            raise PipelineError("the pipeline is empty; write for example builtin.module(canonicalize)", text, 0)
        parsed = parse_syntax(text)
        resolver = _Resolver(text, registry if passes is None else passes)
        if len(parsed) == 1 and isinstance(parsed[0], ParsedNest):
            return Pipeline(parsed[0].anchor, resolver.resolve_all(parsed[0].anchor, parsed[0].elements))
        return Pipeline(DEFAULT_ANCHOR, resolver.resolve_all(DEFAULT_ANCHOR, parsed))

    def __repr__(self) -> str:
        return f"Pipeline.parse({str(self)!r})"

    def with_options(self, **values: Any) -> Pipeline:
        """The pipeline with options set on each of our passes that declares them, at any depth of nesting.

            Pipeline.parse("func.func(inplace-fuse,inplace-vectorize,cse)").with_options(machine="l2=1048576")

        Raises `OptionError` for an option that no pass of the pipeline declares, and for a value that does not fit.
        """
        declared = {spec.attribute: spec for found in inplace_passes(self) for spec in found.options.specs()}
        for name in values:
            if name not in declared:
                raise OptionError(f"no pass of the pipeline has an option '{name}'{nearest(name, declared)}")
        changed = with_options(self, values)
        assert isinstance(changed, Pipeline)
        return changed

    def run(
        self,
        op: ir.Module | ir.Operation | ir.OpView,
        instrumentation: Sequence[Instrumentation] | Instrumentation | None = None,
        *,
        verify_each: bool = True,
        verify_result: bool = False,
        reproducer: str | Path | None = None,
    ) -> None:
        """Runs the pipeline on `op`, in place.

        Args:
            op: a module or another operation that is isolated from above and fits the anchor.
            instrumentation: who watches, in this order.
            verify_each: verify the IR before the first pass and after every pass.
            verify_result: verify it after the last pass, where `verify_each` does not.
            reproducer: write the IR before the pipeline, and the pipeline, to this file if a pass fails.

        Raises:
            PassError: the IR is not valid to begin with, or a pass refused, failed, or left invalid IR; the diagnostics
                are in the message. A pass that refuses leaves the IR as the passes before it made it.
            TypeError: `op` is no operation.
            OSError: the reproducer cannot be written; nothing has run.
            Exception: whatever a pass with a bug raises, after a reproducer was written and its path reported.
        """
        root = _operation(op)
        watchers = [instrumentation] if isinstance(instrumentation, Instrumentation) else list(instrumentation or ())
        path = Path(reproducer) if reproducer is not None else None
        execution = PipelineExecution(
            self, watchers, verify_each=verify_each, verify_result=verify_result, reproducer=path
        )
        execution.run(root)

    def indented(self) -> str:
        """The same text with one element on each line, for people."""
        return _indent(self, "")


def run_pipeline(
    module: ir.Module | ir.Operation | ir.OpView,
    pipeline: str | Pipeline,
    instrumentation: Sequence[Instrumentation] | Instrumentation | None = None,
    *,
    verify_each: bool = True,
    verify_result: bool = False,
    reproducer: str | Path | None = None,
) -> None:
    """Runs a pipeline of our passes and upstream's, mixed, on `module`, in place.

        run_pipeline(module, "builtin.module(inplace-one-shot-bufferize{function-boundaries=true},canonicalize)")

    Raises `PipelineError` (a ValueError) for a text that is wrong, before anything runs, and `TypeError` for arguments
    of another type; for the rest see `Pipeline.run`, whose arguments these are. Errors are in the exception and go to
    diagnostic handlers only if `context.emit_error_diagnostics` is set, as with `PassManager.run`; warnings and remarks
    always travel on.
    """
    parsed = as_pipeline(pipeline)
    parsed.run(module, instrumentation, verify_each=verify_each, verify_result=verify_result, reproducer=reproducer)


def as_pipeline(pipeline: object) -> Pipeline:
    """The pipeline that a text describes, or the given one; raises `PipelineError`, `TypeError` for other types."""
    if isinstance(pipeline, str):
        return Pipeline.parse(pipeline)
    if not isinstance(pipeline, Pipeline):
        raise TypeError(f"expected a pipeline's text or a Pipeline, got {type(pipeline).__name__}")
    return pipeline


def _operation(op: object) -> ir.Operation:
    if not isinstance(op, (ir.Module, ir.Operation, ir.OpView)):
        raise TypeError(f"expected an ir.Module or an operation, got {type(op).__name__}; parse text to get one")
    return op.operation


class _Resolver:
    """Finds what each name of a pipeline text means, or the place where it means nothing."""

    def __init__(self, text: str, passes: Registry) -> None:
        self._text = text
        self._passes = passes

    def resolve_all(self, anchor: str, parsed: Sequence[ParsedElement]) -> tuple[Element, ...]:
        return tuple(self._resolve(anchor, element) for element in parsed)

    def _resolve(self, anchor: str, parsed: ParsedElement) -> Element:
        if isinstance(parsed, ParsedNest):
            return Nest(parsed.anchor, self.resolve_all(parsed.anchor, parsed.elements))
        if parsed.name in self._passes:
            return self._resolve_inplace(anchor, parsed)
        return self._resolve_upstream(anchor, parsed)

    def _resolve_inplace(self, anchor: str, parsed: ParsedPass) -> InplacePass:
        cls = self._passes.get(parsed.name)
        if cls.anchor not in (None, anchor) and anchor != "any":
            message = (
                f"pass '{parsed.name}' runs on '{cls.anchor}', not on '{anchor}';"
                f" write {cls.anchor}({parsed.name}) inside it"
            )
            raise PipelineError(message, self._text, parsed.offset, len(parsed.name))
        try:
            return InplacePass(cls, cls.Options.parse(parsed.options))
        except OptionError as error:
            offset = parsed.options_offset + (error.offset or 0)
            raise PipelineError(f"pass '{parsed.name}': {error.message}", self._text, offset, error.length) from None

    def _resolve_upstream(self, anchor: str, parsed: ParsedPass) -> UpstreamPass:
        options = parsed.options.strip()
        problem = find_problem(anchor, parsed.name, options)
        if problem is None:
            return UpstreamPass(parsed.name, options)
        if problem.unknown:
            message = problem.message + suggest(parsed.name, self._passes.arguments())
            raise PipelineError(message, self._text, parsed.offset, len(parsed.name))
        if problem.option and problem.option in parsed.options:
            offset = parsed.options_offset + parsed.options.index(problem.option)
            raise PipelineError(problem.message, self._text, offset, len(problem.option))
        raise PipelineError(problem.message, self._text, parsed.offset, len(parsed.name))


def _indent(element: Element, indent: str) -> str:
    if not isinstance(element, Nest):
        return f"{indent}{element}"
    inner = ",\n".join(_indent(nested, f"{indent}  ") for nested in element.elements)
    return f"{indent}{element.anchor}(\n{inner}\n{indent})" if inner else f"{indent}{element.anchor}()"
