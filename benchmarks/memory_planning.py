"""How large planned arenas are, against what is live at most, and against a best-fit allocator.

    python benchmarks/memory_planning.py
    python benchmarks/memory_planning.py --csv instance.csv another.csv
    python benchmarks/memory_planning.py --programs

Without arguments, instances of our own are placed: live ranges as networks have them (layers, residuals, branches),
and random ones. `--csv` reads instances in the format of MiniMalloc: a header with `id,lower,upper,size`, a buffer a
line, live from `lower` until just before `upper`; further columns are not read. `--programs` plans all buffers of each
program of the differential suite. `--write FOLDER` writes our instances in that format.

The table has the number of buffers, the peak of the plan and of best fit as multiples of what is live at most, which no
arena is below, and the milliseconds of the processor that placing took. Nothing here is a test: times depend on the
machine, peaks do not.
"""

from __future__ import annotations

import argparse
import csv
import random
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import mlir_inplace as mi
from mlir_inplace.passes.analysis.memory_plan.arena import plan_arena
from mlir_inplace.passes.analysis.memory_plan.buffers import read_buffers
from mlir_inplace.passes.analysis.memory_plan.placement import LiveRange, best_fit, place
from mlir_inplace.runtime.compilation.lowering import BOUNDARY, BUFFERIZE, DEALLOCATE, pipeline

COLUMNS = ("id", "lower", "upper", "size")


def read_instance(path: Path) -> list[LiveRange]:
    """The live ranges of a file. Raises `ValueError` with the line for what is no such file."""
    with path.open(newline="") as file:
        rows = csv.DictReader(file, skipinitialspace=True)
        missing = [column for column in COLUMNS[1:] if column not in (rows.fieldnames or ())]
        if missing:
            raise ValueError(f"{path}:1: the header has no column '{missing[0]}'; id,lower,upper,size are needed")
        ranges: list[LiveRange] = []
        for row in rows:
            try:
                ranges.append(LiveRange(*(int(row[column]) for column in COLUMNS[1:])))
            except (TypeError, ValueError):
                raise ValueError(f"{path}:{rows.line_num}: lower, upper and size must be integers") from None
    return ranges


def write_instance(path: Path, ranges: Sequence[LiveRange]) -> None:
    """Write live ranges as `read_instance` reads them."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        rows.writerows((number, one.begin, one.end, one.size) for number, one in enumerate(ranges))


def layers(count: int, seed: int) -> list[LiveRange]:
    """A network: each layer reads the one before, every third also an earlier one, and has scratch of its own."""
    rng = random.Random(seed)
    ranges: list[LiveRange] = []
    width = 64
    for layer in range(count):
        width = max(4, int(width * rng.choice((0.5, 1, 1, 1, 2)))) if layer % 4 == 0 else width
        kept = rng.randint(3, 12) if layer % 3 == 0 else 2
        ranges.append(LiveRange(layer, layer + kept, 1024 * width))
        ranges += [LiveRange(layer, layer + 1, 64 * rng.randint(1, 8 * width)) for _ in range(rng.randint(0, 2))]
    return ranges


def branches(count: int, seed: int) -> list[LiveRange]:
    """Blocks of parallel branches, whose results are joined at the end of the block."""
    rng = random.Random(seed)
    ranges: list[LiveRange] = []
    at = 0
    while len(ranges) < count:
        widths = [64 * rng.randint(1, 400) for _ in range(rng.randint(2, 6))]
        ends = at + sum(3 for _ in widths) + 1
        for width in widths:
            ranges += [LiveRange(at, at + 2, 2 * width), LiveRange(at + 1, at + 3, 3 * width)]
            ranges.append(LiveRange(at + 2, ends, width))
            at += 3
        ranges.append(LiveRange(ends - 1, ends + 6, sum(widths)))
        at = ends
    return ranges


def drawn(count: int, seed: int, longest: int) -> list[LiveRange]:
    """Any begins, lengths and sizes."""
    rng = random.Random(seed)
    begins = [rng.randrange(count) for _ in range(count)]
    return [LiveRange(begin, begin + rng.randint(1, longest), 64 * rng.randint(1, 2000)) for begin in begins]


def instances() -> dict[str, list[LiveRange]]:
    """Instances of our own, by name."""
    made = {f"layers {count}": layers(count, count) for count in (20, 100, 500)}
    made |= {f"branches {count}": branches(count, count) for count in (30, 150, 1000)}
    made |= {f"random 1000, up to {longest}": drawn(1000, longest, longest) for longest in (10, 60, 400)}
    return made


def programs() -> Iterator[tuple[str, list[LiveRange]]]:
    """The buffers of each function of the differential suite that has two of static size or more."""
    sys.path += [str(Path(__file__).parents[1] / "test" / folder) for folder in ("support", "differential")]
    from mlir import ir
    from programs import PROGRAMS

    steps = pipeline((*BUFFERIZE, *BOUNDARY, *DEALLOCATE))
    for program in PROGRAMS:
        with ir.Context() as context:
            context.attach_diagnostic_handler(lambda _: True)
            module = ir.Module.parse(program.text)
            try:
                steps.run(module)
            except mi.PassError:
                continue
            for op in module.body.operations:
                if op.operation.name != "func.func" or not len(op.regions[0].blocks):
                    continue
                for section in plan_arena(read_buffers(op.operation).buffers, 64).sections:
                    ranges = [LiveRange(b.begin, b.end, -(-b.size // section.factor)) for b in section.buffers]
                    if len(ranges) > 1:
                        yield program.name, ranges


def row(name: str, ranges: Sequence[LiveRange], rounds: int) -> None:
    """Print a row: how much higher than the bound the plan and best fit are."""
    times: list[float] = []
    for _ in range(rounds):
        start = time.process_time()
        placement = place(ranges)
        times.append((time.process_time() - start) * 1e3)
    fit = max(offset + one.size for offset, one in zip(best_fit(ranges), ranges, strict=True))
    bound = max(placement.max_live, 1)
    plan, other, median = placement.peak / bound, fit / bound, statistics.median(times)
    print(f"| {name} | {len(ranges)} | {plan:.3f} | {other:.3f} | {median:.1f} |")


def table(chosen: Mapping[str, Sequence[LiveRange]], rounds: int) -> None:
    """Print a table."""
    print("| instance | buffers | peak / live | best fit / live | ms |\n|---|---|---|---|---|")
    for name, ranges in chosen.items():
        row(name, ranges, rounds)


def summary() -> None:
    """Print how the programs of the differential suite come out, in one line, and those that are above the bound."""
    count, worst, above = 0, 1.0, 0
    for name, ranges in programs():
        placement = place(ranges)
        fit = max(offset + one.size for offset, one in zip(best_fit(ranges), ranges, strict=True))
        ratio = placement.peak / max(placement.max_live, 1)
        count, worst, above = count + 1, max(worst, ratio), above + (placement.peak > fit)
        if ratio > 1:
            print(f"{name}: {len(ranges)} buffers, {ratio:.3f} of what is live at most")
    print(f"{count} arenas of the differential suite: at most {worst:.3f} of what is live, {above} above best fit")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--csv", nargs="+", type=Path, metavar="FILE", help="instances in MiniMalloc's format")
    parser.add_argument("--programs", action="store_true", help="plan the programs of the differential suite")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write our instances in MiniMalloc's format")
    parser.add_argument("--only", default="", help="part of the names of the instances")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if given.programs:
        summary()
        return
    try:
        chosen = {path.name: read_instance(path) for path in given.csv} if given.csv else instances()
    except (OSError, ValueError) as error:
        parser.error(str(error))
    chosen = {name: ranges for name, ranges in chosen.items() if given.only in name}
    if given.write:
        given.write.mkdir(parents=True, exist_ok=True)
        for name, ranges in chosen.items():
            write_instance(given.write / f"{name.replace(' ', '-').replace(',', '')}.csv", ranges)
    table(chosen, given.rounds)


if __name__ == "__main__":
    main()
