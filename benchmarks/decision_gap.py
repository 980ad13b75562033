"""How far the decisions of `analysis-heuristic=cheapest` are from the cheapest ones, and those of the search from both.

    python benchmarks/decision_gap.py
    python benchmarks/decision_gap.py --seeds 0..200 --size 3

The programs are those of the differential suite, and random ones of each subject of the tests. A function counts as
dearer if the search finds decisions that cost less by the cost model (docs/theory/foundations.md): bytes that are
copied, four times, and bytes that are allocated, each as often as that happens by estimate. The table has the
functions, those in which the default is dearer, its copies and allocations in all against those of the search, in the
text and in bytes, and the functions in which the bound of the search is below what it found. Functions in which the
default is dearer are listed below it. Needs OR-Tools (the extra `solver`) for large functions; without it these count
as not searched.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import mlir_inplace  # noqa: F401 - first, as it says which package `mlir` is in

sys.path += [str(Path(__file__).parents[1] / "test" / folder) for folder in ("support", "differential")]

from generated import SUBJECTS, program
from mlir import ir
from programs import PROGRAMS

from mlir_inplace.passes.analysis.in_place.cost_model import CostModel
from mlir_inplace.passes.analysis.in_place.decision_order import Heuristic
from mlir_inplace.passes.analysis.in_place.function_decisions import FunctionAnalysis
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.whole_module.module import ModuleAnalysis, analyze_module

GREEDY = AnalysisOptions(boundaries=True, skip_dead=True)
OPTIMAL = AnalysisOptions(boundaries=True, skip_dead=True, heuristic=Heuristic.OPTIMAL)
COLUMNS = ("copies", "allocations", "copied bytes", "allocated bytes")


def count(analysis: ModuleAnalysis, function: FunctionAnalysis) -> Counter[str]:
    """The copies and allocations of a function, in the text, and their bytes, by estimate."""
    found = Counter[str]()
    for _, paid in CostModel(analysis.effects).expenses(function):
        found.update({"copies": int(paid.copied > 0), "allocations": int(paid.allocated > 0)})
        found.update({"copied bytes": paid.copied, "allocated bytes": paid.allocated})
    return found


def compare(name: str, text: str, totals: Counter[str], dearer: list[str]) -> None:
    """Add the functions of a program to the totals."""
    with ir.Context() as context:
        context.attach_diagnostic_handler(lambda _: True)
        module = ir.Module.parse(text)
        begin = time.process_time()
        greedy = analyze_module(module.operation, GREEDY)
        between = time.process_time()
        optimal = analyze_module(module.operation, OPTIMAL)
        if optimal.refusals and not greedy.refusals:
            totals["not searched"] += 1
            return
        totals["greedy ms"] += int(1e3 * (between - begin))
        totals["search ms"] += int(1e3 * (time.process_time() - between))
        for first, second in zip(greedy.functions, optimal.functions, strict=True):
            found = second.optimality
            if found is None:
                continue
            cost = CostModel(greedy.effects).cost(first)
            totals["functions"] += 1
            totals["open"] += not found.is_proved
            totals["dearer"] += cost > found.cost
            totals.update({f"greedy {column}": number for column, number in count(greedy, first).items()})
            totals.update({f"search {column}": number for column, number in count(optimal, second).items()})
            if cost > found.cost:
                dearer.append(f"{name}: {cost.weighed} against {found.cost.weighed} (bound {found.bound.weighed})")


def programs(seeds: range, size: int) -> Iterator[tuple[str, Iterator[tuple[str, str]]]]:
    """The programs of each row of the table, by name."""
    yield "differential suite", ((one.name, one.text) for one in PROGRAMS)
    for subject in SUBJECTS:
        yield f"random: {subject}", ((f"{subject} {seed}", program(subject, seed, size).text) for seed in seeds)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", default="0..20", help="A..B, B excluded: the random programs of each subject")
    parser.add_argument("--size", type=int, default=3, help="about how many ops a random program has")
    parser.add_argument("--only", default="", help="part of the name of a row")
    given = parser.parse_args()
    first, last = map(int, given.seeds.split(".."))
    dearer: list[str] = []
    print(
        f"| programs | functions | dearer | {' | '.join(COLUMNS)} | not proved | not searched | ms: default, search |"
    )
    print(f"|---|---|---|{'---|' * len(COLUMNS)}---|---|---|")
    for name, texts in programs(range(first, last), given.size):
        if given.only not in name:
            continue
        totals = Counter[str]()
        for label, text in texts:
            compare(label, text, totals, dearer)
        cells = [f"{totals[f'greedy {column}']}, {totals[f'search {column}']}" for column in COLUMNS]
        times = f"{totals['greedy ms']}, {totals['search ms']}"
        row = (totals["functions"], totals["dearer"], *cells, totals["open"], totals["not searched"], times)
        print(f"| {name} | {' | '.join(map(str, row))} |", flush=True)
    print(*dearer, sep="\n")


if __name__ == "__main__":
    main()
