"""The program to explain, and its text: what was written, or, where that is not text, what it prints as."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from mlir import ir

from ...passes.framework.diagnostics import file_location
from ...runtime.source.lines import FileLines
from ..shared.input import Source
from ..shared.source_ir import parse_module, parsed_program

__all__ = ["program_to_explain"]


@contextmanager
def program_to_explain(source: Source) -> Generator[tuple[ir.Operation, str]]:
    """Parse ``source`` for a ``with`` block, as `parsed_program` does, with the text that its locations are about.

    A program without a text whose locations are in no file that can be read is printed, and the print is its text.
    """
    with parsed_program(source) as (module, _, _):
        if source.text or _is_located(module):
            yield module, source.text
        else:
            printed = str(module)
            yield parse_module(Source(source.name, printed), module.context), printed


def _is_located(module: ir.Operation) -> bool:
    """Whether the location of some op in ``module`` is a line of a file that can be read."""
    lines, found = FileLines(), False

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal found
        place = file_location(op.location)
        found = place is not None and bool(lines.line(place.filename, place.start_line))
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    module.walk(visit)
    return found
