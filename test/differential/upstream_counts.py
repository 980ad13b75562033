"""What upstream's bufferization allocates and copies in each program of the suite, from a record beside this file.

Asking upstream takes eight bufferizations a program. `python test/differential/upstream_counts.py` asks it for every
program and writes the record anew. What the record does not know, a program that changed or other bindings, is asked
for when it is needed; with `--full` everything is asked for, and compared with the record.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from pathlib import Path

import mlir_inplace  # noqa: F401  # isort: skip

if __name__ == "__main__":  # As conftest.py does for tests.
    sys.path.append(str(Path(__file__).parents[1] / "support"))

import fast_run
from oracle import Counts, upstream_runs
from programs import PROGRAMS
from programs.program import Program

from mlir_inplace.runtime.bindings import install

RECORD = Path(__file__).with_name("upstream_counts.json")


@functools.cache
def record() -> dict[str, list[list[int]]]:
    """The counts of all runs of upstream's that differ, by the digest of the program; empty for other bindings."""
    written = json.loads(RECORD.read_text())
    return written["runs"] if written["bindings"] == install().distribution else {}


def runs(program: Program) -> list[Counts]:
    """The counts that upstream's heuristics lead to, each once; none if upstream refuses the program in each way."""
    known = None if fast_run.is_full() else record().get(digest(program))
    return upstream_counts(program) if known is None else [Counts(*numbers) for numbers in known]


def upstream_counts(program: Program) -> list[Counts]:
    """What upstream does with a program, now."""
    return list(dict.fromkeys(upstream_runs(program.text)))


def digest(program: Program) -> str:
    return hashlib.sha256(program.text.encode()).hexdigest()[:16]


def is_asked_for(program: Program) -> bool:
    """Whether upstream's result is right, so that its counts mean something."""
    return not program.oracle_wrong


def write() -> None:
    """Ask upstream for every program, and write the record."""
    found = {
        digest(p): [[*vars(counts).values()] for counts in upstream_counts(p)] for p in PROGRAMS if is_asked_for(p)
    }
    lines = ",\n".join(f'  "{key}": {json.dumps(numbers)}' for key, numbers in sorted(found.items()))
    RECORD.write_text(f'{{"bindings": {json.dumps(install().distribution)}, "runs": {{\n{lines}\n}}}}\n')


if __name__ == "__main__":
    write()
