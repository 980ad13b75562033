"""Diagnostics as plain data, and the collector that turns MLIR's own into it.

MLIR hands a diagnostic to a handler for the length of one call; `Diagnostic` is a frozen copy that can be kept,
compared and printed. `DiagnosticCollector` gathers, in the order of emission, what C++ (parser, verifier, passes) and
our passes report while it is active.

The bindings can emit errors only, and without notes. `emit` fills the gap: an error goes through MLIR, so every handler
of the context sees it, and its notes are added by the collectors; warnings and remarks go to the collectors alone, and
to standard error when there is none, as MLIR's default handler would do.
"""

from __future__ import annotations

import copyreg
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal

from mlir import ir

from ...dialects.support.frozen_classes import frozen

Severity = Literal["error", "warning", "remark", "note"]

_DIAGNOSTICS = "_error_diagnostics"
"""Where the bindings keep the diagnostics of an `ir.MLIRError`."""

# MLIR stops following a chain of call sites after this many frames when it prints one; so do we.
_MAX_CALL_FRAMES = 10


@frozen
class Diagnostic:
    """One reported finding. `line` and `column` count from 1; a place that is not in a file has an empty `file`."""

    severity: Severity
    file: str
    line: int
    column: int
    message: str
    notes: tuple[Diagnostic, ...] = ()

    @property
    def header(self) -> str:
        """`file:line:col: severity: message`, as mlir-opt prints it; the place is left out when it is unknown."""
        place = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return f"{place}{self.severity}: {self.message}"

    def __str__(self) -> str:
        return "\n".join([self.header, *map(str, self.notes)])


def file_location(location: ir.Location) -> ir.FileLineColLoc | None:
    """The first place in a file that `location` leads to, looking through names, fusions and call sites."""
    if isinstance(location, ir.FileLineColLoc):
        return location
    if isinstance(location, ir.NameLoc):
        return file_location(location.child_loc)
    if isinstance(location, ir.CallSiteLoc):
        return file_location(location.callee)
    if isinstance(location, ir.FusedLoc):
        return next(filter(None, map(file_location, _fused(location))), None)
    return None


def name_at(location: ir.Location) -> str:
    """The outermost name in `location`: frontends name JAX's primitives, torch's modules, ONNX's nodes. Else ""."""
    if isinstance(location, ir.NameLoc):
        return location.name_str
    if isinstance(location, ir.CallSiteLoc):
        return name_at(location.callee)
    if isinstance(location, ir.FusedLoc):
        return next(filter(None, map(name_at, _fused(location))), "")
    return ""


def place_text(location: ir.Location) -> str:
    """`file:line:column` of the first place in a file that `location` leads to, else `loc("name")`, or `unknown`."""
    place = file_location(location)
    if place:
        return f"{place.filename}:{place.start_line}:{place.start_col}"
    name = name_at(location)
    return f'loc("{name}")' if name else "unknown"


def located(location: ir.Location, message: str) -> str:
    """`message` behind the place in a file that `location` leads to, or the name there, if there is one."""
    place = place_text(location)
    return message if place == "unknown" else f"{place}: {message}"


def make_diagnostic(
    severity: Severity, location: ir.Location, message: str, notes: Sequence[Diagnostic] = ()
) -> Diagnostic:
    """A diagnostic at `location`; an inlined location gets one note for each caller, innermost first."""
    frames = tuple(_diagnostic_at("note", caller, "called from", ()) for caller in _callers(location))
    return _diagnostic_at(severity, location, message, (*frames, *notes))


def from_mlir(diagnostic: ir.Diagnostic | ir.DiagnosticInfo) -> Diagnostic:
    """A lasting copy of a diagnostic that MLIR lends to a handler, or keeps in an error."""
    severity = _SEVERITIES[diagnostic.severity]
    notes = [from_mlir(note) for note in diagnostic.notes]
    try:
        message = diagnostic.message
    except (RuntimeError, UnicodeDecodeError):
        # A symbol may have any bytes as its name, and a message may quote it.
        message = "(a message that quotes bytes which are not UTF-8)"
    location = diagnostic.location
    if type(location) is ir.Location:  # Errors keep locations without their class.
        location = ir.Location.from_attr(location.attr, location.context)
    return make_diagnostic(severity, location, message, notes)


class DiagnosticCollector:
    """Gathers a context's diagnostics for the length of a `with` block.

    Args:
        context: the context to listen to.
        on_diagnostic: called with each diagnostic as it arrives; it must not raise.
        consume_all: keep everything from the handlers attached before. Otherwise warnings and remarks travel on to
            them, and errors do so only when the context asks for it (`context.emit_error_diagnostics`), which is also
            the rule of `PassManager.run`: an error is told by the exception, not printed as well.

    Collectors nest: an inner one lets everything travel on to an outer one.
    """

    def __init__(
        self,
        context: ir.Context,
        *,
        on_diagnostic: Callable[[Diagnostic], None] | None = None,
        consume_all: bool = False,
    ) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._context = context
        self._on_diagnostic = on_diagnostic
        self._consume_all = consume_all
        self._errors_travel_on = False
        self._notes_of_next_error: tuple[Diagnostic, ...] = ()

    def __enter__(self) -> DiagnosticCollector:
        self._errors_travel_on = self._context.emit_error_diagnostics
        # Without this, parse() and run() would keep the errors in their exception and no handler would see them.
        self._context.emit_error_diagnostics = True
        self._handler = self._context.attach_diagnostic_handler(self._handle)
        _collectors.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _collectors.remove(self)
        self._handler.detach()
        # The handler holds a method of ours, out of the garbage collector's sight: together with us it would live for
        # ever, and the context with it.
        del self._handler
        self._context.emit_error_diagnostics = self._errors_travel_on

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The errors among what was gathered so far."""
        return tuple(d for d in self.diagnostics if d.severity == "error")

    def listens_to(self, context: ir.Context) -> bool:
        """Whether this collector was made for `context`."""
        return self._context is context

    def expect_notes(self, notes: tuple[Diagnostic, ...]) -> None:
        """Tells which notes belong to the error that MLIR is about to hand over: it cannot carry them."""
        self._notes_of_next_error = notes

    def add(self, diagnostic: Diagnostic) -> bool:
        """Takes one diagnostic; the answer tells whether it ends here (else it travels on to the handlers before)."""
        self.diagnostics.append(diagnostic)
        if self._on_diagnostic:
            self._on_diagnostic(diagnostic)
        return self._consume_all or (diagnostic.severity == "error" and not self._errors_travel_on)

    def _handle(self, diagnostic: ir.Diagnostic) -> bool:
        """The handler that MLIR calls; it adds the notes that the bindings cannot emit."""
        copied = from_mlir(diagnostic)
        notes = (*copied.notes, *self._notes_of_next_error)
        self._notes_of_next_error = ()
        return self.add(replace(copied, notes=notes))


def emit(
    severity: Literal["error", "warning", "remark"],
    location: ir.Location,
    message: str,
    notes: Sequence[tuple[str, ir.Location]] = (),
) -> None:
    """Reports a finding at `location`, with notes `(text, location)`, to the handlers of its context."""
    attached = tuple(make_diagnostic("note", place, text) for text, place in notes)
    if severity == "error":
        _emit_error(location, message, attached)
        return
    deliver(location.context, make_diagnostic(severity, location, message, attached))


def deliver(context: ir.Context, diagnostic: Diagnostic) -> None:
    """Hands a diagnostic to the collectors of `context`, innermost first, until one keeps it; else prints it."""
    if not any(collector.add(diagnostic) for collector in _listening(context)):
        print(diagnostic, file=sys.stderr)


def _listening(context: ir.Context) -> list[DiagnosticCollector]:
    """The collectors of `context` that are in force, innermost first."""
    return [collector for collector in reversed(_collectors) if collector.listens_to(context)]


def _reduce_error(error: ir.MLIRError) -> tuple[Any, ...]:
    """What pickles an error of the bindings: its diagnostics as data, since no location leaves its context."""
    state = dict(vars(error))
    if _DIAGNOSTICS in state:
        state[_DIAGNOSTICS] = [d if isinstance(d, Diagnostic) else from_mlir(d) for d in state[_DIAGNOSTICS]]
    return type(error), error.args, state


# A worker of a multiprocessing.Pool that raises what cannot be pickled leaves the pool waiting for ever.
copyreg.pickle(ir.MLIRError, _reduce_error)


def _emit_error(location: ir.Location, message: str, notes: tuple[Diagnostic, ...]) -> None:
    """Emits through MLIR, which calls the collectors before this returns."""
    for collector in _listening(location.context):
        collector.expect_notes(notes)
    location.emit_error(message)
    for collector in _listening(location.context):
        collector.expect_notes(())


def _fused(location: ir.FusedLoc) -> list[ir.Location]:
    """The parts of a fused location, which the stubs of the bindings call objects."""
    return [part for part in location.locations if isinstance(part, ir.Location)]


def _diagnostic_at(
    severity: Severity, location: ir.Location, message: str, notes: tuple[Diagnostic, ...]
) -> Diagnostic:
    """A diagnostic at the place in a file that `location` leads to, without notes of its own making.

    Where there is none, the name of the location stands in front of the message, as mlir-opt prints it.
    """
    place = file_location(location)
    if place is None:
        return Diagnostic(severity, "", 0, 0, located(location, message), notes)
    return Diagnostic(severity, place.filename, place.start_line, place.start_col, message, notes)


def _callers(location: ir.Location) -> Iterator[ir.Location]:
    """The call sites of an inlined location, innermost first."""
    for _ in range(_MAX_CALL_FRAMES):
        call = _call_site(location)
        if call is None:
            return
        location = call.caller
        yield location


def _call_site(location: ir.Location) -> ir.CallSiteLoc | None:
    """The call site that `location` is, directly or under names and fusions."""
    if isinstance(location, ir.CallSiteLoc):
        return location
    if isinstance(location, ir.NameLoc):
        return _call_site(location.child_loc)
    if isinstance(location, ir.FusedLoc):
        return next(filter(None, map(_call_site, _fused(location))), None)
    return None


_SEVERITIES: dict[ir.DiagnosticSeverity, Severity] = {
    ir.DiagnosticSeverity.ERROR: "error",
    ir.DiagnosticSeverity.WARNING: "warning",
    ir.DiagnosticSeverity.REMARK: "remark",
    ir.DiagnosticSeverity.NOTE: "note",
}

# The collectors in force, innermost last. MLIR gives each context its own handlers, but nothing to emit remarks with.
_collectors: list[DiagnosticCollector] = []
