"""Random programs of all subjects: what is decided in place never shows in a value.

Deterministic: the seeds are fixed. To look further, run inplace-fuzz, or call `check` with other seeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from analysed import context
from fast_run import is_full, scaled, seeds
from generated import SUBJECTS, attempt, program
from mlir import ir
from mlir.passmanager import PassManager

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import evaluate
from mlir_inplace.checking.fuzzing import CONFIGURATIONS
from mlir_inplace.checking.fuzzing.comparison import Agreement, compare
from mlir_inplace.checking.generator import GeneratedProgram, generate
from mlir_inplace.passes.analysis.conflicts import accesses, storage_set
from mlir_inplace.passes.analysis.conflicts.decisions import Strategy
from mlir_inplace.passes.analysis.in_place.decision_order import Heuristic
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.ir.block_graph import BlockGraph
from mlir_inplace.passes.analysis.whole_module.module import analyze_module
from mlir_inplace.runtime.compilation.steps import VERIFY_EACH

COPY_EVERYTHING = (
    "builtin.module(one-shot-bufferize{copy-before-write bufferize-function-boundaries allow-return-allocs-from-loops})"
)


@pytest.mark.parametrize("seed", range(20 if is_full() else 1))
@pytest.mark.parametrize("subject", SUBJECTS)
def test_values(subject: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every order of decisions, with every kind of boundary, behind every pass; compiled in one of these.

    Values, arguments that must not change, and leaks are compared with the evaluation of the program on tensors.
    Upstream's expand-strided-metadata leaves casts between its passes that do not verify, where a dropped dimension
    has a stride; so compiled programs are verified after each stage and not after each pass.
    """
    monkeypatch.setenv(VERIFY_EACH, "0")
    trial = attempt(subject, seed)
    assert trial.findings == []
    assert (trial.runs, trial.executed) == (len(CONFIGURATIONS), 1)


UPSTREAM = ("slices", "named", "loops", "branches", "select", "bufferization")
"""What upstream bufferizes rightly without passes that come before: not generics that leave a part of their init."""


def by_upstream(text: str) -> ir.Module:
    """The program with a copy before every write."""
    with context():
        module = ir.Module.parse(text)
        PassManager.parse(COPY_EVERYTHING).run(module.operation)
    return module


def meanings(made: GeneratedProgram) -> list[tuple[Any, ...]]:
    """The results for each of the argument sets."""
    with context():
        module = ir.Module.parse(made.text)
    return [evaluate(module, made.function, given).results for given in made.argument_sets]


def assert_same(found: Any, expected: tuple[Any, ...], message: str) -> None:
    for one, other in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
        assert compare(one, other) is not Agreement.DIFFERENT, message


@pytest.mark.parametrize("seed", seeds(40, least=4))
def test_the_reference_is_right(seed: int) -> None:
    """The evaluator says what upstream's bufferization with a copy before every write computes."""
    made = generate(seed, size=6, features=UPSTREAM)
    compiled = mi.compile(by_upstream(made.text), opt_level=0)
    for expected, given in zip(meanings(made), made.argument_sets, strict=True):
        assert_same(compiled.main(*given), expected, made.text)


def edges(text: str) -> Iterator[list[list[int]]]:
    """The blocks that each block of a function branches to."""
    with context():
        for function in ir.Module.parse(text).body.operations:
            blocks = list(function.regions[0].blocks)
            yield [
                [blocks.index(target) for target in list(block.operations)[-1].operation.successors] for block in blocks
            ]


def test_programs_of_blocks_form_loops_of_all_kinds() -> None:
    """Nested loops, loops with two ways in, and loops that swap buffers. Many functions return in several places."""
    texts = [program("blocks", seed).text for seed in range(60)]
    graphs = [BlockGraph(found) for text in texts for found in edges(text)]
    entered = [
        {place for place in range(begin, end + 1) for other in graph.predecessors[place] if not begin <= other <= end}
        for graph in graphs
        for begin, end, _ in graph.loops
    ]
    assert sum(len(places) > 1 for places in entered) >= 5
    assert sum(outer >= 0 for graph in graphs for _, _, outer in graph.loops) >= 5
    assert sum(text.count("return") > 1 for text in texts) >= 20
    # The cheapest order swaps no buffers where that costs a copy in front of the loop.
    made = [decisions(text, Heuristic.BOTTOM_UP) for text in texts]
    strategies = [{strategy for function in functions for strategy, _ in function.values()} for functions in made]
    assert sum(Strategy.ROTATE in found for found in strategies) >= 5


def decisions(text: str, heuristic: Heuristic = Heuristic.CHEAPEST) -> list[dict[int, tuple[Strategy, bool]]]:
    with context():
        module = ir.Module.parse(text)
        functions = analyze_module(module.operation, AnalysisOptions(boundaries=True, heuristic=heuristic)).functions
    return [{o: (d.strategy, d.copies) for o, d in function.decisions.items()} for function in functions]


def test_an_index_changes_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets that are searched from end to end, and sets with an index from the first access on."""
    texts = [program(subject, seed, 10).text for subject in ("loops", "views") for seed in range(scaled(12, 4))]
    monkeypatch.setattr(storage_set, "_SMALL", 10**9)
    expected = [decisions(text) for text in texts]
    monkeypatch.setattr(storage_set, "_SMALL", 0)
    assert [decisions(text) for text in texts] == expected
    monkeypatch.setattr(accesses, "_FEW", 1)
    monkeypatch.setattr(accesses, "_MANY_CELLS", 0)
    assert [decisions(text) for text in texts] == expected
