"""What is known of a text that is being edited: diagnostics, and the report of each function.

A function is analysed again only if its text has changed, that of a function which it is linked to, or what is outside
of functions. While the text is broken the last good reports are shown, of the lines that have not changed since.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from mlir import ir

from ...dialects.support.text_error import TextError
from ...frontends.formats import find_dialect
from ...passes.analysis.explanations.explainer import Explainer
from ...passes.analysis.explanations.report import BufferizationReport
from ...passes.bufferization.one_shot_bufferize import OneShotBufferizeOptions, OneShotBufferizePass
from ...passes.framework.diagnostics import Diagnostic, DiagnosticCollector
from ...passes.framework.entered_context import new_context
from ...passes.framework.errors import PassError
from ...passes.pipeline.elements import InplacePass
from ...passes.pipeline.pipeline import Pipeline
from ...runtime.compilation.garbage import collection_paused
from ...runtime.report import Explaining
from ...runtime.source.lines import FileLines
from ...runtime.source.locations import name_locations
from ..shared.command_line import ToolError
from ..shared.diagnostic_printer import with_source_name
from ..shared.input import Source
from ..shared.source_ir import lower_source, parse_module
from .functions import FunctionText, Part, functions_of, moved, parts_of

__all__ = ["Document", "FunctionState", "common_lines"]

_MOST_UPDATES = 100
"""How often a context is used: it never forgets a type or an attribute."""

_WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
"""The bytes of a unit."""

_OPTIONS = OneShotBufferizeOptions(bufferize_function_boundaries=True, warn_written_arguments=False)
_PIPELINE = Pipeline("builtin.module", (InplacePass(OneShotBufferizePass, _OPTIONS),))


@dataclass(frozen=True)
class FunctionState:
    """A function of the text as it is now: its symbol, its first line, and its report."""

    name: str
    line: int
    report: BufferizationReport


@dataclass(frozen=True)
class _Analysed:
    """A part, analysed where its functions began then."""

    functions: tuple[FunctionState, ...]
    diagnostics: tuple[Diagnostic, ...]


class Document:
    """The text of a file ``name``, analysed by :meth:`update`.

    Attributes:
        encoding: what an editor counts columns in, `utf-8`, `utf-16` or `utf-32`.
        lines: its lines.
        diagnostics: what parser, verifier and bufferization said.
        functions: the functions, with reports; of a broken text those of the last good one.
        analysed: how many functions the last update analysed.
        context: the context that it is parsed in, until the next update.
    """

    def __init__(self, name: str, encoding: str = "utf-16", context: ir.Context | None = None) -> None:
        self.name = name
        self.encoding = encoding
        self.lines: list[str] = []
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.functions: tuple[FunctionState, ...] = ()
        self.analysed = 0
        self._good: tuple[list[str], tuple[FunctionState, ...]] = ([], ())
        self._cache: dict[tuple[str, ...], _Analysed] = {}
        self.context = new_context() if context is None else context
        self._updates = 0

    @collection_paused()
    def update(self, text: str) -> None:
        """Read ``text``, which takes the place of the last one."""
        self.lines = text.split("\n")
        self.analysed = 0
        self._updates += 1
        if self._updates % _MOST_UPDATES == 0:
            self.context = new_context()
        with DiagnosticCollector(self.context, consume_all=True) as found:
            try:
                module = self.parsed(text, lower=True)
            except (ir.MLIRError, TextError, PassError, ToolError, ImportError) as error:
                self.diagnostics = tuple(map(self._named, found.diagnostics)) or (_unplaced(error, self.name),)
                self.functions = self._shown_still()
                return
        assert module is not None
        self._take(module)
        self._good = (self.lines, self.functions)

    def variant(self, text: str) -> Document:
        """Return what is known of another text, which does not take the place of this one."""
        other = Document(self.name, self.encoding, self.context)
        other._cache = dict(self._cache)
        other.update(text)
        return other

    def units(self, text: str) -> int:
        """Return how many columns ``text`` takes."""
        return (
            len(text.encode(f"{self.encoding}-le" if self.encoding != "utf-8" else "utf-8")) // _WIDTHS[self.encoding]
        )

    @property
    def copies(self) -> int:
        """The number of copies."""
        return sum(len(state.report.copies) for state in self.functions)

    def parsed(self, text: str, *, lower: bool = False) -> ir.Operation | None:
        """Parse a text; None for that of a frontend, unless it is to be lowered. Raises what parsers raise."""
        source = Source(self.name, text)
        with self.context:
            dialect = find_dialect(text)
            if dialect is not None:
                return lower_source(dialect, source, self.context)[0] if lower else None
            module = parse_module(source, self.context)
            name_locations(module, self.name, fill=True)
            return module

    def _named(self, diagnostic: Diagnostic) -> Diagnostic:
        return with_source_name(diagnostic, self.name)

    def _take(self, module: ir.Operation) -> None:
        """Analyse what has changed: all of it at once, or, if that is refused, part by part."""
        functions, rest = functions_of(module, self.name, self.lines)
        parts = parts_of(functions, rest)
        known = self._cache
        changed = [part for part in parts if part.key not in known]
        self._cache = {
            part.key: _moved(known[part.key], part.functions, self.name) for part in parts if part.key in known
        }
        lines = FileLines({self.name: "\n".join(self.lines)})
        self._cache.update(self._analyse(module, changed, lines) or {})
        for part in changed:
            if part.key not in self._cache:
                self._cache.update(self._analyse(module, [part], lines) or {})
        self.analysed = sum(len(part.functions) for part in changed)
        found = [state for analysed in self._cache.values() for state in analysed.functions]
        self.functions = tuple(sorted(found, key=lambda state: state.line))
        said = [diagnostic for analysed in self._cache.values() for diagnostic in analysed.diagnostics]
        self.diagnostics = tuple(sorted(said, key=lambda diagnostic: diagnostic.line))

    def _analyse(
        self, module: ir.Operation, parts: Sequence[Part], lines: FileLines
    ) -> dict[tuple[str, ...], _Analysed] | None:
        """Explain the functions of the parts, in a module with what is no function; None if several are refused."""
        if not parts:
            return {}
        wanted = {function.number for part in parts for function in part.functions}
        explainer = Explainer(lines.line)
        with self.context, module.location, DiagnosticCollector(self.context, consume_all=True) as found:
            alone = ir.Module.create(module.location)
            for number, op in enumerate(module.regions[0].blocks[0].operations):
                if op.operation.name != "func.func" or number in wanted:
                    op.operation.clone(ir.InsertionPoint(alone.body))
            try:
                _PIPELINE.run(alone, Explaining(explainer))
            except PassError as error:
                if len(parts) > 1:
                    return None
                said = found.diagnostics or error.diagnostics or (_unplaced(error, self.name),)
                return {parts[0].key: _Analysed(_states(parts[0].functions, {}), tuple(map(self._named, said)))}
        reports = BufferizationReport.of(explainer).by_function()
        return {part.key: _Analysed(_states(part.functions, reports), ()) for part in parts}

    # --- broken text -------------------------------------------------------------------------------------------

    def _shown_still(self) -> tuple[FunctionState, ...]:
        """Return the last good functions that lie in lines which are still there, above or below what has changed."""
        old, functions = self._good
        above = common_lines(old, self.lines)
        below = common_lines(old[above:][::-1], self.lines[above:][::-1])
        by = len(self.lines) - len(old)
        kept: list[FunctionState] = []
        for state in functions:
            upper = _within(state, self.name, lambda line: line <= above)
            lower = _within(state, self.name, lambda line: line > len(old) - below)
            if state.line > len(old) - below:
                kept.append(replace(state, line=state.line + by, report=moved(state.report, self.name, by)))
                continue
            records = (*upper.records, *moved(lower, self.name, by).records)
            kept.append(replace(state, report=replace(upper, records=records)))
        return tuple(kept)


def common_lines(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many lines are the same at the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _within(state: FunctionState, file: str, holds: Callable[[int], bool]) -> BufferizationReport:
    """Return the report with the records in lines that ``holds`` is true of."""
    kept = [record for record in state.report.records if holds(_line(record.location, file))]
    return replace(state.report, records=tuple(kept))


def _line(location: str, file: str) -> int:
    rest = location[len(file) + 1 :].partition(":")[0] if location.startswith(f"{file}:") else ""
    return int(rest) if rest.isdigit() else 0


def _states(functions: Sequence[FunctionText], reports: dict[str, BufferizationReport]) -> tuple[FunctionState, ...]:
    empty = BufferizationReport((), ())
    return tuple(FunctionState(f.name, f.line, reports.get(f.name, empty)) for f in functions)


def _moved(analysed: _Analysed, functions: Sequence[FunctionText], file: str) -> _Analysed:
    """Return what was found with the lines that the functions have now."""
    by = [function.line - state.line for function, state in zip(functions, analysed.functions, strict=True)]
    if not any(by):
        return analysed
    states = tuple(
        FunctionState(state.name, state.line + delta, moved(state.report, file, delta))
        for state, delta in zip(analysed.functions, by, strict=True)
    )

    def at(diagnostic: Diagnostic) -> Diagnostic:
        above = [delta for state, delta in zip(analysed.functions, by, strict=True) if state.line <= diagnostic.line]
        delta = above[-1] if above and diagnostic.file == file else 0
        return replace(diagnostic, line=diagnostic.line + delta, notes=tuple(map(at, diagnostic.notes)))

    return _Analysed(states, tuple(map(at, analysed.diagnostics)))


def _unplaced(error: Exception, name: str) -> Diagnostic:
    """Return an error that is about no line in particular."""
    if isinstance(error, TextError):
        return Diagnostic("error", name, error.line, error.column, error.message)
    return Diagnostic("error", name, 1, 1, str(error).partition("\n")[0])
