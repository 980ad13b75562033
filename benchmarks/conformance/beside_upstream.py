"""Count what our bufferization and upstream's allocate and copy in programs of frontends.

    python benchmarks/conformance/jax_functions.py --programs FOLDER
    python benchmarks/conformance/beside_upstream.py NAME FOLDER [--from N --to M] [--json FILE]
    python benchmarks/conformance/beside_upstream.py NAME --merge FILE … [--page docs/FRONTENDS.md]

The folder has linalg on tensors, a file for each program. Both routes bufferize it as it is, across function
boundaries (`test/upstream/upstream_files.py`, in a process of its own): allocations and copies are counted in the text,
after the same clean-up of both, and, where the evaluator can run the program with made-up arguments, when it is
executed; values are then compared with those of the program on tensors.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from onnx_backend import write_section

sys.path.append(str(Path(__file__).parents[2] / "test" / "upstream"))

import upstream_files  # finds the bindings
from file_record import CATEGORIES

_COUNTS = re.compile(r"ours \((\d+), (\d+).*?upstream \((\d+), (\d+)")


def main() -> None:
    """Count in the programs of the folder, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the section in the page")
    parser.add_argument("folder", type=Path, nargs="?", help="with .mlir files")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the number of the first program")
    parser.add_argument("--to", type=int, help="the number after that of the last one")
    parser.add_argument("--json", type=Path, help="append each row to this file, as a line of JSON")
    parser.add_argument("--merge", nargs="+", type=Path, help="run nothing; take the rows of these files")
    parser.add_argument("--page", type=Path, help="write the table into this page")
    options = parser.parse_args()
    lines = [line for path in options.merge or [] for line in path.read_text().splitlines()]
    rows = [json.loads(line) for line in lines]
    if options.folder:
        worker = upstream_files.Worker()
        judge = cache(lambda text: worker.judge(upstream_files.Chunk("", 1, text, (("", upstream_files.DEFAULT),))))
        for path in sorted(options.folder.glob("*.mlir"))[options.first : options.to]:
            result = judge(path.read_text())  # A third of ONNX's tests are programs of other tests.
            rows.append({"name": path.stem, "category": result.category, "why": result.why})
            if options.json:
                with options.json.open("a") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
    text = f"{table(rows)}\n\n{exceptions(rows)}"
    print(text)
    if options.page:
        write_section(options.page, text, f"beside-upstream-{options.name}")


def table(rows: Sequence[dict[str, str]]) -> str:
    """How many programs are of each category, and how much is allocated and copied in their texts, as Markdown."""
    lines = [
        "| beside upstream | programs | allocations: ours, upstream | copies: ours, upstream |",
        "|---|--:|--:|--:|",
    ]
    for category in CATEGORIES:
        chosen = [row for row in rows if row["category"] == category]
        if not chosen:
            continue
        numbers = [tuple(map(int, found.groups())) for row in chosen if (found := _COUNTS.search(row["why"]))]
        sums = [sum(column) for column in zip(*numbers, strict=True)]
        cells = (f"{sums[0]}, {sums[2]}", f"{sums[1]}, {sums[3]}") if sums else ("", "")
        lines.append(f"| {category} | {len(chosen)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def exceptions(rows: Sequence[dict[str, str]]) -> str:
    """Why upstream refused programs, the most frequent reason first, and where we do more or are wrong."""
    refused = [row for row in rows if row["category"].startswith("refused")]
    reasons = Counter((row["category"], _reason(row["why"])) for row in refused)
    lines = [f"- {category}, {count}: {why}" for (category, why), count in reasons.most_common()]
    for category in CATEGORIES:
        listed = [
            row for row in rows if row["category"] == category and category not in ("fewer", "same", "no tensors")
        ]
        if listed and listed[0] not in refused:
            named = "; ".join(f"`{row['name']}`{_detail(row['why'])}" for row in listed)
            lines.append(f"- {category}: {named}")
    return "\n".join(lines)


def _detail(why: str) -> str:
    """What the made-up call of upstream's program gave, or the counts."""
    return f" ({why.removesuffix(f' [{upstream_files.DEFAULT}]')})"


def _reason(why: str) -> str:
    """The first error of what a pass said, without its place, and the op that it was about."""
    said = why.rpartition("error: ")[2].partition(" -:")[0].partition(" [")[0]
    op = re.search(r'current operation: (?:%\S+ = )?"([^"]*)"', why)
    return re.sub(r'"[^"]*":\d+:\d+: ', "", said)[:110] + (f": `{op[1]}`" if op else "")


if __name__ == "__main__":
    main()
