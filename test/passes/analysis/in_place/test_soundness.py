"""Random programs: what is decided in place never shows in a value.

Programs of `support/random_programs.py` run twice: bufferized by us, and by upstream with a copy before every write;
every second one may change its arguments. Those of `support/random_views.py` and `support/random_branches.py` come with
their values. Deterministic: the seeds are fixed; to look further, call `check`, `check_views` and `check_branches` with
others.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from analysed import context
from mlir import ir
from mlir.passmanager import PassManager
from random_branches import RandomBranches
from random_loops import random_loops, read_before_the_loop
from random_programs import random_program
from random_views import INDICES, random_views

import mlir_inplace as mi
from mlir_inplace.passes.analysis.conflicts import accesses, storage_set
from mlir_inplace.passes.analysis.conflicts.decisions import Strategy
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.ir.block_graph import BlockGraph
from mlir_inplace.passes.analysis.whole_module.module import analyze_module

COPY_EVERYTHING = (
    "builtin.module(one-shot-bufferize{copy-before-write bufferize-function-boundaries allow-return-allocs-from-loops})"
)


def arguments(n: int, p: bool) -> list[np.ndarray | int | bool]:
    """All elements differ from each other and from every constant of the programs."""
    vectors = np.arange(24, dtype=np.float32).reshape(3, 8) + 1000
    return [*(vector.copy() for vector in vectors), n, p]


def by_upstream(text: str) -> ir.Module:
    with context():
        module = ir.Module.parse(text)
        PassManager.parse(COPY_EVERYTHING).run(module.operation)
    return module


def writable(text: str) -> str:
    """Without this, arguments of compiled functions are read only, and what is computed from them is copied first."""
    head, main, body = text.partition("@main(")
    return head + main + re.sub(r"(%[abc]: tensor<8xf32>)", r"\1 {bufferization.writable = true}", body, count=3)


def check(seed: int, generate: Callable[[int], str] = random_program) -> None:
    text = generate(seed)
    changes_arguments = seed % 2 == 1
    ours = mi.compile(writable(text) if changes_arguments else text, memory_stats=True)
    oracle = mi.compile(by_upstream(read_before_the_loop(text)))
    for n, p in ((0, True), (2, False), (3, True)):
        given = arguments(n, p)
        found, expected = ours.main(*given), oracle.main(*arguments(n, p))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=text)
        if not changes_arguments:
            for before, after in zip(arguments(n, p), given, strict=True):
                np.testing.assert_array_equal(before, after, err_msg=f"an argument was changed\n{text}")
        assert ours.memory_stats.leaked_bytes == 0, text


def test_arguments_are_made_writable() -> None:
    assert writable(random_program(0)).count("bufferization.writable = true") == 3


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int) -> None:
    check(seed)


@pytest.mark.parametrize("seed", range(60))
def test_random_loops(seed: int) -> None:
    check(seed, random_loops)


LAYOUTS = ["infer-layout-map", "identity-layout-map"]


def check_views(seed: int, layout: str) -> None:
    matrices = [
        np.arange(48, dtype=np.float32).reshape(6, 8) + 1000,
        np.arange(20, dtype=np.float32).reshape(5, 4) + 2000,
    ]
    text, expected = random_views(seed, matrices)
    options = f"bufferize-function-boundaries function-boundary-type-conversion={layout}"
    pipeline = f"builtin.module(inplace-one-shot-bufferize{{{options}}})"
    program = mi.compile(text, pipeline=pipeline, memory_stats=True)
    found = program.main(*(matrix.copy() for matrix in matrices), *range(INDICES))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=text)
        assert one.shape == other.shape
    assert program.memory_stats.leaked_bytes == 0, text


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(20))
def test_random_views(seed: int, layout: str) -> None:
    check_views(seed, layout)


def check_branches(seed: int, options: str = "") -> None:
    branches = RandomBranches(seed)
    pipeline = f"builtin.module(inplace-one-shot-bufferize{{bufferize-function-boundaries {options}}})"
    program = mi.compile(branches.text(), pipeline=pipeline, memory_stats=True, opt_level=0)
    for n in range(3):
        given = [np.arange(8, dtype=np.float32) + start for start in (1000, 2000)]
        expected = branches.run(*(vector.copy() for vector in given), n)
        found = program.main(*given, n)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=branches.text())
        assert [vector[0] for vector in given] == [1000, 2000]
        assert program.memory_stats.leaked_bytes == 0, branches.text()


BRANCHES = range(220, 245)


@pytest.mark.parametrize("seed", BRANCHES)
def test_random_branches(seed: int) -> None:
    check_branches(seed)


@pytest.mark.parametrize("seed", range(100, 110))
def test_random_branches_decided_in_any_order(seed: int) -> None:
    check_branches(seed, f"analysis-heuristic=fuzzer analysis-fuzzer-seed={seed}")


@pytest.mark.parametrize("seed", range(20, 28))
def test_random_branches_with_contiguous_boundaries(seed: int) -> None:
    check_branches(seed, "function-boundary-type-conversion=identity-layout-map")


def test_random_branches_form_loops_of_all_kinds() -> None:
    """Nested loops, loops with two ways in, and loops that swap buffers. All functions return in several places."""
    programs = [RandomBranches(seed) for seed in BRANCHES]
    graphs = [BlockGraph(program.edges) for program in programs]
    entered = [
        {place for place in range(begin, end + 1) for other in graph.predecessors[place] if not begin <= other <= end}
        for graph in graphs
        for begin, end, _ in graph.loops
    ]
    assert sum(len(places) > 1 for places in entered) >= 5
    assert sum(outer >= 0 for graph in graphs for _, _, outer in graph.loops) >= 5
    assert all(program.text().count("return") > 1 for program in programs)
    strategies = [{strategy for f in decisions(program.text()) for strategy, _ in f.values()} for program in programs]
    assert sum(Strategy.ROTATE in found for found in strategies) >= 5


def decisions(text: str) -> list[dict[int, tuple[Strategy, bool]]]:
    with context():
        module = ir.Module.parse(text)
        functions = analyze_module(module.operation, AnalysisOptions(boundaries=True)).functions
    return [{o: (d.strategy, d.copies) for o, d in function.decisions.items()} for function in functions]


@pytest.mark.parametrize("seed", range(12))
def test_an_index_changes_no_decision(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets that are searched from end to end, and sets with an index from the first access on."""
    matrices = [np.zeros((6, 8), np.float32), np.zeros((5, 4), np.float32)]
    texts = [random_program(seed, 12), random_views(seed, matrices, 12)[0]]
    monkeypatch.setattr(storage_set, "_SMALL", 10**9)
    expected = [decisions(text) for text in texts]
    monkeypatch.setattr(storage_set, "_SMALL", 0)
    assert [decisions(text) for text in texts] == expected
    monkeypatch.setattr(accesses, "_FEW", 1)
    monkeypatch.setattr(accesses, "_MANY_CELLS", 0)
    assert [decisions(text) for text in texts] == expected
