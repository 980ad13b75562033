"""mlir-opt's flags that leave out diagnostics, or parts of them."""

from __future__ import annotations

import sys
import traceback
from argparse import Namespace
from dataclasses import replace

from ...passes.framework.diagnostics import Diagnostic
from ..shared.diagnostic_printer import DiagnosticPrinter
from ..shared.input import Source
from .verify_diagnostics import CURRENT_OPERATION

__all__ = ["FilteredPrinter"]

_SEVERITIES = {"errors": ("error",), "warnings": ("error", "warning"), "remarks": ("error", "warning", "remark")}


class FilteredPrinter(DiagnosticPrinter):
    """Prints the diagnostics that the flags leave."""

    def __init__(self, source: Source, settings: Namespace) -> None:
        super().__init__(source)
        self._severities = _SEVERITIES[settings.diagnostic_verbosity_level]
        self._notes = not settings.disable_diagnostic_notes
        self._operations = settings.print_op_on_diagnostic
        self._stack = settings.print_stacktrace_on_diagnostic

    def take(self, diagnostic: Diagnostic) -> None:
        """Print what is wanted of one diagnostic."""
        if diagnostic.severity in self._severities:
            notes = diagnostic.notes if self._notes else ()
            if not self._operations:
                notes = tuple(note for note in notes if not note.message.startswith(CURRENT_OPERATION))
            if self._stack:
                trace = f"diagnostic emitted with trace:\n{_stack()}"
                notes = (*notes, replace(diagnostic, severity="note", message=trace, notes=()))
            super().take(replace(diagnostic, notes=notes))


def _stack() -> str:
    """Where the pass is, or where it was when it refused."""
    reached = sys.exc_info()[2]
    return "".join(traceback.format_tb(reached) if reached else traceback.format_stack()).rstrip()
