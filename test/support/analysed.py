"""Small programs and what the in-place analysis says about them, in words.

Tests name an op by its location, `loc("w")`, or, if it has none, by its own name. Operand 1 of it is the place `w#1`,
its second result the value `w:1` (the first one is `w`), argument 2 of its region the value `w^2`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from mlir import ir

from mlir_inplace.passes.analysis.conflicts.decisions import Decision, Strategy
from mlir_inplace.passes.analysis.in_place.decision_order import Heuristic
from mlir_inplace.passes.analysis.in_place.function_decisions import FunctionAnalysis
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.ir.snapshot import Snapshot
from mlir_inplace.passes.analysis.whole_module.module import ModuleAnalysis, analyze_module

ALIASES = """
!v = tensor<8xf32>
!h = tensor<4xf32>
!m = tensor<4x4xf32>
!d = tensor<?xf32>
#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
"""
ARGUMENTS = '%t: !v loc("t"), %u: !v loc("u"), %f: f32, %i: index, %j: index, %n: index, %p: i1'
CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
"""


@functools.cache
def context() -> ir.Context:
    """One context for all programs; ops of unknown dialects are allowed."""
    shared = ir.Context()
    shared.allow_unregistered_dialects = True
    return shared


def parse(text: str) -> ir.Module:
    with context():
        return ir.Module.parse(ALIASES + text)


def operations(module: ir.Module) -> list[ir.Operation]:
    """All operations of a program, in order."""
    found: list[ir.Operation] = []

    def add(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(add)
    return found


def function(body: str, arguments: str = ARGUMENTS, name: str = "f") -> str:
    """A function with `body`; what it returns is read off its last line, if that is a return."""
    last = body.strip().splitlines()[-1].strip() if body.strip() else ""
    returns = last.startswith("return")
    results = last.partition(" : ")[2].partition(" loc(")[0] if returns else ""
    end = "" if returns else "  return\n"
    return f"func.func @{name}({arguments}) -> ({results}) {{{CONSTANTS}{body}\n{end}}}\n"


@dataclass(frozen=True)
class Analysed:
    """The analysis of a module; `a["w#1"]` is the decision for a place, in words."""

    analysis: ModuleAnalysis

    @property
    def snapshot(self) -> Snapshot:
        return self.analysis.snapshot

    def op_label(self, op: int) -> str:
        location = self.snapshot.ops[op].location
        return location.name_str if isinstance(location, ir.NameLoc) else self.snapshot.op_name[op]

    def op(self, label: str) -> int:
        found = [op for op in range(len(self.snapshot.ops)) if self.op_label(op) == label]
        assert len(found) == 1, f"{len(found)} ops are called {label}"
        return found[0]

    def operand(self, place: str) -> int:
        label, _, index = place.partition("#")
        return self.snapshot.operands(self.op(label))[int(index)]

    def place(self, operand: int) -> str:
        return f"{self.op_label(self.snapshot.operand_op[operand])}#{self.snapshot.operand_index(operand)}"

    def value_label(self, value: int) -> str:
        s = self.snapshot
        index = s.value_index[value]
        if s.value_op[value] >= 0:
            label = self.op_label(s.value_op[value])
            return f"{label}:{index}" if index else label
        location = s.values[value].location
        if isinstance(location, ir.NameLoc):
            return location.name_str
        return f"{self.op_label(s.block_op[s.value_block[value]])}^{index}"

    def value(self, label: str) -> int:
        found = [value for value in range(len(self.snapshot.values)) if self.value_label(value) == label]
        assert len(found) == 1, f"{len(found)} values are called {label}"
        return found[0]

    def function(self, name: str = "f") -> FunctionAnalysis:
        for found in self.analysis.functions:
            if ir.StringAttr(self.snapshot.ops[found.function].attributes["sym_name"]).value == name:
                return found
        raise KeyError(name)

    def decision(self, place: str) -> Decision | None:
        """The decision for an operand; None if there was nothing to decide."""
        operand = self.operand(place)
        decisions = [f.decisions[operand] for f in self.analysis.functions if operand in f.decisions]
        return decisions[0] if decisions else None

    def __getitem__(self, place: str) -> str:
        """The decision for an operand: its strategy, what it costs, and for a "no" the rule and what it is about."""
        decision = self.decision(place)
        if decision is None:
            return "undecided"
        if decision.conflict is None:
            assert not decision.copies
            return decision.strategy.value
        cost = "copy" if decision.copies else "alloc"
        if decision.strategy is Strategy.COPY_TO_CARRIED:
            cost = f"{cost}-to-carried"
        conflict = decision.conflict
        about = [
            f"{name}={label(number)}"
            for name, label, number in (
                ("write", self.place, conflict.write),
                ("read", self.place, conflict.read),
                ("value", self.value_label, conflict.value),
            )
            if number >= 0
        ]
        return f"{cost}: {conflict.rule.name} {' '.join(about)}".strip()

    @property
    def not_in_place(self) -> dict[str, str]:
        """The decisions that cost something, by place."""
        operands = sorted(o for f in self.analysis.functions for o, d in f.decisions.items() if not d.in_place)
        return {self.place(operand): self[self.place(operand)] for operand in operands}

    @property
    def costs(self) -> list[str]:
        """The same without the places, for tests in which any of several operands may be the one that is copied."""
        return sorted(self.not_in_place.values())

    @property
    def redundant(self) -> set[str]:
        """The writes that are left out, as they would copy memory onto itself."""
        return {self.place(operand) for f in self.analysis.functions for operand in f.redundant_writes}

    @property
    def refused(self) -> list[str]:
        return [refusal.message for refusal in self.analysis.refusals]


def analyse_module(
    text: str,
    *,
    boundaries: bool = True,
    allow_unknown: bool = False,
    copy_before_write: bool = False,
    calls_copy: bool = False,
    single_order: bool = False,
) -> Analysed:
    options = AnalysisOptions(
        boundaries=boundaries,
        allow_unknown=allow_unknown,
        copy_before_write=copy_before_write,
        calls_copy=calls_copy,
        single_order=single_order,
    )
    return analyse_with(text, options)


def analyse_with(text: str, options: AnalysisOptions) -> Analysed:
    module = parse(text)
    with context():
        return Analysed(analyze_module(module.operation, options))


def analyse(
    body: str,
    arguments: str = ARGUMENTS,
    *,
    boundaries: bool = True,
    allow_unknown: bool = False,
    single_order: bool = False,
) -> Analysed:
    """The analysis of one function with `body`; nothing of it may have been refused."""
    analysed = analyse_module(
        function(body, arguments), boundaries=boundaries, allow_unknown=allow_unknown, single_order=single_order
    )
    assert not analysed.refused
    return analysed


def analyse_bottom_up(body: str, arguments: str = ARGUMENTS) -> Analysed:
    """The same with one order of decisions, which copies into what a loop carries where another one passes on."""
    options = AnalysisOptions(boundaries=True, heuristic=Heuristic.BOTTOM_UP)
    analysed = analyse_with(function(body, arguments), options)
    assert not analysed.refused
    return analysed


def loop(carried: str, body: str) -> str:
    """A loop over %k with iter_args `carried`, called "for"; its results are %l."""
    count = carried.count("=")
    types = ", ".join(["!v"] * count)
    iter_args = f"iter_args({carried}) -> ({types})" if count else ""
    results = f"%l:{count} = " if count else ""
    return f'{results}scf.for %k = %c0 to %n step %c1 {iter_args} {{\n{body}\n}} loc("for")\n'
