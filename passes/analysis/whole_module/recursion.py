"""Functions that call each other in a cycle: their summaries are assumed, and kept if the decisions then imply them.

The first assumption is that calls inside of the cycle never return and access nothing. Functions are analysed under it.
The implied summaries are weaker and are assumed next, up to a fixpoint. A result that may be in one argument's buffer
is first assumed to be equivalent to it. If a few rounds do not reach a fixpoint, ``pessimistic_summary`` is assumed,
which is always right.

Sound although the first assumptions are false: decisions are kept only if the assumed summary covers the implied one,
and then they are right by induction over the depth of calls (docs/theory/calls.md).

Cost: each function of the cycle is analysed once in every round, of which there are few.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from mlir import ir

from ....dialects.bufferizable import Relation
from ..effects.reader import TensorEffects
from ..effects.summary import FunctionSummary, pessimistic_summary
from ..in_place.function import analyze_function
from ..in_place.function_decisions import FunctionAnalysis
from ..in_place.options import AnalysisOptions

__all__ = ["analyze_recursion", "join_summaries"]

_ROUNDS = 8


def analyze_recursion(
    effects: TensorEffects,
    summaries: dict[str, FunctionSummary],
    functions: Mapping[str, int],
    options: AnalysisOptions,
    prepare: Callable[[int], None],
) -> list[FunctionAnalysis]:
    """Analyse the ``functions`` of one cycle and enter their summaries; refusals of ops are entered in ``effects``.

    ``prepare`` is called with each function after its effects are entered and before decisions are taken.
    """

    def analyze(name: str) -> FunctionAnalysis | None:
        before = len(effects.refusals)
        effects.forget_function(functions[name])
        effects.add_function(functions[name])
        if len(effects.refusals) > before:
            return None
        prepare(functions[name])
        return analyze_function(effects, functions[name], options.of_function(name))

    ops = {name: effects.snapshot.ops[op] for name, op in functions.items()}
    refusals = len(effects.refusals)
    summaries.update((name, _nothing(op)) for name, op in ops.items())
    assumed: dict[str, FunctionSummary] = {}
    for _ in range(_ROUNDS):
        found: list[FunctionAnalysis] = []
        before = dict(assumed)
        for name in functions:
            analysis = analyze(name)
            if analysis is None or analysis.refusals:
                break
            found.append(analysis)
            known = assumed.get(name)
            implied = analysis.summary
            assumed[name] = summaries[name] = _guess(implied) if known is None else join_summaries(known, implied)
        if len(found) < len(functions):
            break
        if assumed == before:
            return found
    del effects.refusals[refusals:]
    summaries.update((name, pessimistic_summary(op, recursive=True, unwritable=True)) for name, op in ops.items())
    return [result for name in functions if (result := analyze(name)) is not None]


def _nothing(function: ir.Operation) -> FunctionSummary:
    """Return the summary of a function that never returns and accesses nothing."""
    type_ = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    no = (False,) * len(type_.inputs)
    results = range(len(type_.results))
    return FunctionSummary(no, no, tuple({} for _ in results), tuple("" for _ in results), ())


def _guess(summary: FunctionSummary) -> FunctionSummary:
    """Assume that a result that may be in the buffer of a single argument is equivalent to it."""
    ties = tuple(dict.fromkeys(ties, Relation.EQUIVALENT) if len(ties) == 1 else ties for ties in summary.result_ties)
    return replace(summary, result_ties=ties, shared_results=tuple(sorted(set(summary.shared_results))))


def join_summaries(first: FunctionSummary, second: FunctionSummary) -> FunctionSummary:
    """Return the strongest summary that covers both."""
    return FunctionSummary(
        tuple(a or b for a, b in zip(first.argument_is_read, second.argument_is_read, strict=True)),
        tuple(a or b for a, b in zip(first.argument_is_written, second.argument_is_written, strict=True)),
        tuple(_join_ties(a, b) for a, b in zip(first.result_ties, second.result_ties, strict=True)),
        tuple(a or b for a, b in zip(first.result_readonly, second.result_readonly, strict=True)),
        tuple(sorted({*first.shared_results, *second.shared_results})),
    )


def _join_ties(first: dict[int, Relation], second: dict[int, Relation]) -> dict[int, Relation]:
    """A single EQUIVALENT entry is a "must" that has to hold in both; any other entry is a "may"."""
    if first == second:
        return first
    return dict.fromkeys(sorted({*first, *second}), Relation.UNKNOWN)
