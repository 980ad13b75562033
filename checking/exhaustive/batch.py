"""Many programs at once: one module, one context, one evaluator. Each is bufferized by all decisions that differ.

The default decisions come first, then an order for each outcome that differs (`checking/decisions/`), as copies of the
function in one module. `configurations` of the fuzzer are pipelines that the whole module goes through besides. Where
something raises, the batch is halved until it is known which program it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mlir import ir

from ...passes.analysis.in_place.decision_order import DecisionOrder
from ...passes.analysis.in_place.options import AnalysisOptions
from ...passes.analysis.whole_module.module import analyze_module
from ...passes.bufferization.rewriting.bufferizer import raise_refusals
from ...passes.pipeline.pipeline import run_pipeline
from ..decisions import analyses_by_name, bufferize_variants, find_outcomes, functions_by_name
from ..evaluator import Evaluation, EvaluationError, Evaluator
from ..fuzzing.configurations import Configuration
from ..fuzzing.judging import STEPS, judge
from ..fuzzing.outcomes import FindingKind, Trial, copies_of
from ..fuzzing.trial import free_buffers, quiet_context, stopped
from ..generator import GeneratedProgram
from .programs import SmallProgram
from .text import argument_sets, callee_text, callees, function_text

__all__ = ["DEFAULT", "MOST_ORDERS", "BatchResult", "Failure", "try_programs"]

MOST_ORDERS = 200
"""So many orders are tried for a program at most."""

DEFAULT = "default"
"""The name of the decisions that are taken by default."""

_OPTIONS = AnalysisOptions(boundaries=True, skip_dead=True)


@dataclass(frozen=True)
class Failure:
    """What is wrong with a program, by the default decisions, those of an order, or a configuration."""

    program: SmallProgram
    route: str
    kind: FindingKind
    text: str
    order: DecisionOrder | None = None


@dataclass
class BatchResult:
    """The outcome of some programs."""

    programs: int = 0
    meaningless: int = 0
    """Programs that read or return what was never written, whatever their arguments are."""
    orders: int = 0
    sampled: int = 0
    """Programs with so many orders that only some were tried."""
    variants: int = 0
    """Bufferized programs that were evaluated."""
    copies: int = 0
    failures: list[Failure] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, other: BatchResult) -> None:
        """Count those of another batch too."""
        for name in ("programs", "meaningless", "orders", "sampled", "variants", "copies"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.failures += other.failures
        self.refused.update(other.refused)


def try_programs(
    programs: Sequence[SmallProgram], configurations: Sequence[Configuration] = (), *, most_orders: int = MOST_ORDERS
) -> BatchResult:
    """Bufferize and evaluate programs, in this process."""
    with quiet_context(), ir.Location.unknown():
        batch = _Batch(programs)
        result = batch.result
        _halved(batch.subjects, result, lambda some: batch.try_orders(some, most_orders), DEFAULT)
        for configuration in configurations:

            def run(some: Sequence[_Subject], configuration: Configuration = configuration) -> None:
                batch.try_configuration(some, configuration)

            _halved(batch.subjects, result, run, configuration.name)
    return result


def _halved(
    subjects: Sequence[_Subject],
    result: BatchResult,
    run: Callable[[Sequence[_Subject]], None],
    route: str,
) -> None:
    """Run all of `subjects` together; if that raises, halves of them, down to the one that it is about."""
    try:
        if subjects:
            run(subjects)
    except Exception as error:  # noqa: BLE001 - whatever a pass raises is what is looked for
        if len(subjects) > 1:
            middle = len(subjects) // 2
            _halved(subjects[:middle], result, run, route)
            _halved(subjects[middle:], result, run, route)
            return
        kind, text = stopped(error)
        if kind.is_failure:
            result.failures.append(Failure(subjects[0].program, route, kind, text))
        else:
            result.refused[f"{route}: {text.partition('error:')[2].strip() or text}"] += 1


@dataclass(frozen=True)
class _Subject:
    """One program of a batch that means something, what it means, and its function in the batch's module."""

    program: SmallProgram
    generated: GeneratedProgram
    wanted: Sequence[Evaluation]


class _Batch:
    """The programs of a batch as one module on tensors, and what each means."""

    def __init__(self, programs: Sequence[SmallProgram]) -> None:
        self.result = BatchResult(programs=len(programs))
        called = {name for program in programs for name in callees(program)}
        texts = [function_text(program, f"f{number}") for number, program in enumerate(programs)]
        self.source = ir.Module.parse(callee_text(called) + "".join(texts))
        evaluator = Evaluator(self.source)
        self.subjects: list[_Subject] = []
        for number, program in enumerate(programs):
            subject = _subject(program, f"f{number}", evaluator)
            if subject is None:
                self.result.meaningless += 1
            else:
                self.subjects.append(subject)

    def try_orders(self, subjects: Sequence[_Subject], most: int) -> None:
        """Bufferize by each outcome of the decisions that differs."""
        module = self._module(subjects)
        analysis = analyze_module(module.operation, _OPTIONS)
        raise_refusals(analysis)
        counted = BatchResult()
        orders: dict[str, DecisionOrder] = {}
        variants: dict[str, list[str]] = {}
        names = analyses_by_name(analysis)
        for subject in subjects:
            name = subject.generated.function
            outcomes = find_outcomes(analysis.effects, names[name], _OPTIONS, most)
            counted.orders += outcomes.tried
            counted.sampled += not outcomes.is_complete
            variants[name] = [name]
            for number, order in enumerate(outcomes.orders[1:]):
                variant = f"{name}_{number}"
                variants[name].append(variant)
                assert order is not None
                orders[variant] = order
        bufferize_variants(module, variants, orders, _OPTIONS)
        free_buffers(self.source, module)
        self.result.add(counted)
        self._judge(subjects, module, variants, orders)

    def try_configuration(self, subjects: Sequence[_Subject], configuration: Configuration) -> None:
        """Bufferize by the pipeline of a configuration."""
        module = self._module(subjects)
        run_pipeline(module, configuration.pipeline(len(subjects)))
        free_buffers(self.source, module)
        if configuration.on_freed:
            run_pipeline(module, f"builtin.module({configuration.on_freed})")
        names = [subject.generated.function for subject in subjects]
        self._judge(subjects, module, {name: [name] for name in names}, {}, configuration.name)

    def _module(self, subjects: Sequence[_Subject]) -> Any:
        """Return a private module of these programs, and of the functions that they call."""
        module = self.source.operation.clone()
        wanted = {subject.generated.function for subject in subjects}
        for name, function in functions_by_name(module).items():
            if name.startswith("f") and name[1:].isdigit() and name not in wanted:
                function.erase()
        return module

    def _judge(
        self,
        subjects: Sequence[_Subject],
        module: Any,
        variants: Mapping[str, Sequence[str]],
        orders: Mapping[str, DecisionOrder],
        route: str = DEFAULT,
    ) -> None:
        evaluator, functions, sources = (
            Evaluator(module),
            functions_by_name(module),
            functions_by_name(self.source.operation),
        )
        trial = Trial()
        for subject in subjects:
            name = subject.generated.function
            for variant in variants[name]:
                self.result.variants += 1
                found = judge(subject.generated, sources[name], functions[variant], evaluator, subject.wanted, trial)
                if found is not None:
                    order = orders.get(variant)
                    by = route if order is None else str(order)
                    self.result.failures.append(Failure(subject.program, by, *found, order))
        self.result.copies += trial.copies


def _subject(program: SmallProgram, name: str, evaluator: Evaluator) -> _Subject | None:
    given, wanted = [], []
    for arguments in argument_sets(program):
        try:
            found = evaluator.run(name, copies_of(arguments), steps=STEPS)
        except EvaluationError:
            continue
        if not any(mask is not None and np.any(mask) for mask in found.undefined):
            given.append(arguments)
            wanted.append(found)
    if not given:
        return None
    kept = tuple(number for number, kind in enumerate(program.arguments) if kind == "r")
    return _Subject(program, GeneratedProgram(0, "", name, (), (), tuple(given), kept), wanted)
