"""Findings as plain data: the reduced program as a file that stands by itself, and how to see the failure again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mlir import ir

from ...passes.analysis.in_place.decision_order import DecisionOrder
from ...passes.analysis.in_place.function_decisions import OneShotAnalyzer
from ...passes.analysis.in_place.options import AnalysisOptions
from ...passes.analysis.whole_module.module import analyze_module
from ..decisions import Turns, decisions_of
from ..fuzzing.configurations import Configuration
from ..fuzzing.trial import quiet_context
from .batch import DEFAULT, Failure
from .programs import SmallProgram
from .text import argument_sets, module_text

__all__ = ["Counterexample", "finding_of", "save_finding"]

_SEEDS = 300
"""So many seeds of the fuzzer are tried to find one that decides as an order does."""
_OPTIONS = "bufferize-function-boundaries=true warn-written-arguments=false"


@dataclass(frozen=True)
class Counterexample:
    """What is wrong with a program: the kind, in words, the pipeline if there is one, and the program."""

    kind: str
    text: str
    route: str
    pipeline: str
    program: str
    arguments: str


def finding_of(failure: Failure, configurations: Sequence[Configuration] = ()) -> Counterexample:
    """Return a failure as plain data."""
    program = failure.program
    lines = (", ".join(" ".join(repr(value).split()) for value in given) for given in argument_sets(program))
    return Counterexample(
        failure.kind.value,
        failure.text,
        failure.route,
        _pipeline(failure, configurations),
        module_text(program),
        "\n".join(lines),
    )


def save_finding(finding: Counterexample, folder: Path, number: int) -> Path:
    """Write a finding to `folder` and return the file; raises `OSError`."""
    lines = [f"{finding.kind}: {finding.text}", f"decisions: {finding.route}"]
    if finding.pipeline:
        lines.append(f"inplace-opt --pass-pipeline='{finding.pipeline}'")
    lines += ["arguments, one set on each line:", *finding.arguments.splitlines()]
    path = folder / f"{number:03}-{finding.kind.replace(' ', '-')}.mlir"
    path.write_text("".join(f"// {line}\n" for line in lines) + finding.program)
    return path


def _pipeline(failure: Failure, configurations: Sequence[Configuration]) -> str:
    """Return a pipeline that bufferizes as the failure did; empty if none is known."""
    for configuration in configurations:
        if configuration.name == failure.route:
            return configuration.pipeline(1)
    options = _OPTIONS
    if isinstance(failure.order, Turns):
        seed = _fuzzer_seed(failure.program, failure.order)
        if seed is None:
            return ""
        options += f" analysis-heuristic=fuzzer analysis-fuzzer-seed={seed}"
    elif failure.route != DEFAULT:
        return ""
    return f"builtin.module(inplace-one-shot-bufferize{{{options}}})"


def _fuzzer_seed(program: SmallProgram, order: DecisionOrder) -> int | None:
    """Return a seed of the fuzzer with which the analysis decides as in an order."""
    options = AnalysisOptions(boundaries=True, skip_dead=True)
    with quiet_context():
        module = ir.Module.parse(module_text(program))
        analysis = analyze_module(module.operation, options)
        names = analysis.snapshot.ops
        (function,) = (
            one.function
            for one in analysis.functions
            if ir.StringAttr(names[one.function].attributes["sym_name"]).value == "main"
        )

        def decide(order: DecisionOrder) -> object:
            return decisions_of(analysis.effects, OneShotAnalyzer(analysis.effects, function, options, order).run())

        wanted = decide(order)
        fuzzed = (seed for seed in range(_SEEDS) if decide(DecisionOrder.fuzzer(seed)) == wanted)
        return next(fuzzed, None)
