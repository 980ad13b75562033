"""Functions rewritten by passes, in the text: with the names of the source, and without its comments."""

from __future__ import annotations

from mlir import ir

from ...passes.analysis.explanations.names import ValueNames
from ...passes.analysis.ir.snapshot import Snapshot
from ...passes.framework.diagnostics import DiagnosticCollector
from ...passes.framework.errors import PassError
from ...passes.pipeline.pipeline import run_pipeline
from ...runtime.source.lines import FileLines
from .document import Document
from .functions import functions_of

__all__ = ["rewritten"]


def rewritten(document: Document, function: str, pipeline: str) -> str | None:
    """Return the text in which ``function`` is what ``pipeline`` makes of it.

    None if the pipeline fails, or if the text is lowered before it is analysed.
    """
    text = "\n".join(document.lines)
    with DiagnosticCollector(document.context, consume_all=True):
        module = document.parsed(text)
        if module is None:
            return None
        found, _ = functions_of(module, document.name, document.lines)
        old = next(part for part in found if part.name == function)
        with document.context:
            _name_values(module, FileLines({document.name: text}))
        try:
            run_pipeline(module, pipeline)
        except PassError:
            return None
        new = next(
            op.operation.get_asm(use_local_scope=True, use_name_loc_as_prefix=True)
            for op in module.regions[0].blocks[0].operations
            if op.operation.name == "func.func" and ir.StringAttr(op.operation.attributes["sym_name"]).value == function
        )
    first, count = old.line - 1, old.text.count("\n") + 1
    indent = document.lines[first][: len(document.lines[first]) - len(document.lines[first].lstrip())]
    lines = [f"{indent}{line}" for line in str(new).rstrip().split("\n")]
    return "\n".join([*document.lines[:first], *lines, *document.lines[first + count :]])


def _name_values(module: ir.Operation, lines: FileLines) -> None:
    """Give values the names of the source as locations, by which the printer names them."""
    snapshot = Snapshot(module, lambda *_: False)
    names = ValueNames(snapshot, lines.line)
    found = [(value, names.of(number).removeprefix("%")) for number, value in enumerate(snapshot.values)]
    for value, name in found:
        owner = value.owner
        if isinstance(owner, ir.Block):
            ir.BlockArgument(value).set_location(ir.Location.name(name, value.location))
        elif len(owner.operation.results) == 1:
            owner.operation.location = ir.Location.name(name, owner.operation.location)
