"""The functions of a module in its text, those that must be analysed together, and reports whose lines are moved."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mlir import ir

from ...passes.analysis.explanations.report import BufferizationReport
from ...passes.analysis.explanations.reported_sets import ReportedAliasSet
from ...passes.analysis.ir.union_find import UnionFind
from ...passes.framework.diagnostics import file_location

__all__ = ["FunctionText", "Part", "functions_of", "moved", "parts_of"]

_SYMBOL = re.compile(r'@([\w$.-]+|"[^"\n]*")')
_ALIAS = re.compile(r"\s*(?:[#!][\w$.-]+\s*=|\{-#)")
_PLACE = re.compile(r"^(.*):(\d+):(\d+)$", re.DOTALL)
_NOTE_PLACE = re.compile(r"^(.*), (.*):(\d+):(\d+)$", re.DOTALL)
_LINE = re.compile(r"(?<=' in line )\d+")


@dataclass(frozen=True)
class FunctionText:
    """A function: its symbol, its number among the module's ops, its first line, and its text, with what follows."""

    name: str
    number: int
    line: int
    text: str


@dataclass(frozen=True)
class Part:
    """Functions that name each other, and so are analysed together, and the text that decides about them."""

    functions: tuple[FunctionText, ...]
    key: tuple[str, ...]


def functions_of(module: ir.Operation, name: str, lines: Sequence[str]) -> tuple[list[FunctionText], str]:
    """Return the functions of ``module``, parsed from ``lines`` of file ``name``, and the text outside of them."""
    placed: list[tuple[int, int, str]] = []
    others = [number for number, line in enumerate(lines, start=1) if _ALIAS.match(line)]
    for number, op in enumerate(module.regions[0].blocks[0].operations):
        op = op.operation
        place = file_location(op.location)
        if place is None or place.filename != name:
            continue
        if op.name == "func.func":
            symbol = ir.StringAttr(op.attributes["sym_name"]).value
            placed.append((place.start_line, number, symbol))
        else:
            others.append(place.start_line)
    # Aliases, globals and what else is not a function may follow one; it ends there.
    ends = sorted({line for line, _, _ in placed} | set(others) | {len(lines) + 1})
    found: list[FunctionText] = []
    inside: set[int] = set()
    for line, number, symbol in sorted(placed):
        end = ends[bisect_right(ends, line)]
        inside.update(range(line, end))
        while end > line + 1 and _says_nothing(lines[end - 2]):
            end -= 1
        found.append(FunctionText(symbol, number, line, "\n".join(lines[line - 1 : end - 1])))
    outside = (line for number, line in enumerate(lines, start=1) if number not in inside)
    return found, "\n".join(line for line in outside if not _says_nothing(line))


def _says_nothing(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("//")


def parts_of(functions: Sequence[FunctionText], rest: str) -> list[Part]:
    """Return the functions in parts: two that are linked by calls, or by naming each other, are in one."""
    sets, numbers = UnionFind(), {function.name: index for index, function in enumerate(functions)}
    for index, function in enumerate(functions):
        for symbol in _SYMBOL.findall(function.text):
            other = numbers.get(symbol.strip('"'))
            if other is not None and sets.find(other) != sets.find(index):
                sets.union(other, index)
    members: dict[int, list[FunctionText]] = {}
    for index, function in enumerate(functions):
        members.setdefault(sets.find(index), []).append(function)
    return [Part(tuple(group), (rest, *(f"{f.name}\n{f.text}" for f in group))) for group in members.values()]


# --- moving lines ----------------------------------------------------------------------------------------------------


def moved(report: BufferizationReport, file: str, by: int) -> BufferizationReport:
    """Return ``report``, of a function that now begins ``by`` lines further down in ``file``."""
    if not by:
        return report

    def place(location: str) -> str:
        found = _PLACE.match(location)
        if found is None or found[1] != file:
            return location
        return f"{file}:{int(found[2]) + by}:{found[3]}"

    def note_place(note: str) -> str:
        found = _NOTE_PLACE.match(note)
        return note if found is None else f"{found[1]}, {place(f'{found[2]}:{found[3]}:{found[4]}')}"

    return replace(
        report,
        records=tuple(
            replace(
                record,
                location=place(record.location),
                loops=tuple(replace(loop, location=place(loop.location)) for loop in record.loops),
                notes=tuple(replace(note, location=place(note.location)) for note in record.notes),
                advice=_LINE.sub(lambda line: str(int(line[0]) + by), record.advice),
            )
            for record in report.records
        ),
        decisions=tuple(
            replace(decision, location=place(decision.location), notes=tuple(map(note_place, decision.notes)))
            for decision in report.decisions
        ),
        alias_sets=tuple(_moved_set(one, by) if one.file == file else one for one in report.alias_sets),
    )


def _moved_set(alias_set: ReportedAliasSet, by: int) -> ReportedAliasSet:
    values = tuple(replace(value, line=value.line + by) for value in alias_set.values)
    return replace(alias_set, first=alias_set.first + by, last=alias_set.last + by, values=values)
