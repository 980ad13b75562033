"""What became of upstream's own test files: categories, the record of `upstream_files.py`, the section of the page."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from mlir_inplace.runtime.bindings import install

RECORD = Path(__file__).with_name("upstream_files.json")
CATEGORIES = {
    "crash of ours": "ours ends the process, raises an exception that is no refusal, or does not end",
    "wrong by ours": "a result of ours is not that of the program on tensors",
    "refused by ours alone": "upstream takes it",
    "more": "ours allocates or copies more, in the text or when executed",
    "more, upstream wrong": "ours allocates or copies more, and upstream's result is wrong by execution",
    "fewer": "ours allocates or copies less, in the text or when executed",
    "same": "as many allocations and copies",
    "crash of upstream": "upstream ends the process or does not end",
    "refused by upstream alone": "ours takes it",
    "refused by both": "most of them are tests of diagnostics",
    "not parsed": "these bindings do not parse it; most of them are tests of the parser",
    "no tensors": "nothing to bufferize",
}
"""What can become of a chunk, worst first: with several sets of options the worst counts."""
WORSE = tuple(CATEGORIES)[:5]
"""What has to be explained."""
_SWAPPED = "thread-swaps-two-outputs"
_SCF = "Dialect/SCF/one-shot-bufferize"
EXPLAINED = {
    "Dialect/Arith/bufferize.mlir:1": "cast-of-the-elements-to-index",
    "Dialect/Bufferization/Transforms/tensorlike-bufferlike.mlir:1": "buffer-that-is-handed-out-is-filled",
    f"{_SCF}-analysis.mlir:913": _SWAPPED,
    f"{_SCF}-analysis.mlir:941": _SWAPPED,
    f"{_SCF}-analysis.mlir:971": _SWAPPED,
    f"{_SCF}-analysis.mlir:1000": "thread-reads-what-another-one-inserts",
    f"{_SCF}-tensor-copy-insertion.mlir:137": _SWAPPED,
    "Integration/Dialect/Linalg/CPU/test-tensor-e2e.mlir:1": "constant-that-a-function-returns",
}
"""Why a chunk is in one of these: the program of this folder that is wrong by execution for the same reason."""

_SECTION = """## Upstream's own test files

Each file of upstream's tests that is named after bufferization, or whose RUN lines or transform scripts bufferize or
eliminate empty tensors, but for those of sparse tensors, is split into its programs, and each is bufferized by upstream
and by us, with the options of the file's RUN lines (without any: `bufferize-function-boundaries
allow-return-allocs-from-loops`) and behind the passes of ours or upstream's that prepare empty tensors there.
Allocations and copies are counted in the text after the same clean-up of both. What the evaluator can run is also run
with made-up arguments: values are compared with those of the program on tensors, and allocations and copies are counted
again. With several sets of options the worst result counts.

{files} files of {source} have {chunks} programs, {tensors} of them with tensors. They were run on {date} with the
bindings `{bindings}`.

```sh
python test/upstream/upstream_files.py $LLVM/mlir/test --list more --list "refused by ours alone"
```

{table}
Where we refuse a program alone, or allocate or copy more, upstream shares a buffer that it must not share; the smallest
programs that go wrong for that reason are above. An unranked buffer cannot be copied, so there we refuse.

{worse}
"""


def table(counts: Mapping[str, int]) -> str:
    """The counts as Markdown."""
    rows = [f"| {name} | {counts.get(name, 0)} | {what} |" for name, what in CATEGORIES.items()]
    return "\n".join(["| | chunks | |", "|---|---:|---|", *rows]) + "\n"


def section() -> str:
    """What docs/UPSTREAM.md says of the files, from the record."""
    kept = json.loads(RECORD.read_text())
    counts, taken = kept["chunks"], sum(kept["chunks"].values())
    lines = [f"- `{name}`: {category}, as {_link(name)}" for name, category in kept["worse"].items()]
    return _SECTION.format(
        source=kept["source"],
        date=kept["date"],
        bindings=kept["bindings"],
        files=kept["files"],
        chunks=taken,
        tensors=taken - counts["no tensors"],
        table=table(counts),
        worse="\n".join(lines),
    )


def _link(name: str) -> str:
    case = EXPLAINED[name]
    return f"[{case.replace('-', ' ')}](#{case})"


def keep(source: str, found: Mapping[str, str]) -> None:
    """Write the record: what the files are from, and the category of each chunk by its name, FILE:LINE."""
    counts = Counter(found.values())
    kept = {
        "source": source,
        "date": datetime.date.today().isoformat(),
        "bindings": install().distribution,
        "files": len({name.rpartition(":")[0] for name in found}),
        "chunks": {name: counts[name] for name in CATEGORIES},
        "worse": {name: category for name, category in found.items() if category in WORSE},
    }
    RECORD.write_text(json.dumps(kept, indent=2) + "\n")
