"""Compile JAX functions, with `optimize` off and on, and compare their results with those of `jax.jit`.

    python benchmarks/conformance/jax_functions.py [PART OF A NAME …] [--from N --to M --every K] [--json FILE]
    python benchmarks/conformance/jax_functions.py --merge FILE … [--page docs/FRONTENDS.md]

`--programs FOLDER` keeps linalg on tensors, for `beside_upstream.py`.

Each function runs in a child process, which starts anew after a crash or two minutes of computing: that is the
function's row.
Results agree if each integer and truth value is equal, and each number x of JAX differs by at most
`tolerance * (|x| + 0.1 * max |x|)`, with the tolerance of the dtype in `TOLERANCE` (times `loose` of the case, where
JAX's own error is as large).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from onnx_backend import LONGEST_SECONDS, how_it_ended, limit_time, write_program, write_section

TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-4, "float64": 1e-10, "complex64": 1e-4}
PASSED, REFUSED, WRONG, CRASHED = "passed", "refused", "wrong", "crashed"


def main() -> None:
    """Run the functions that are asked for, and print what did not pass, and a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of names; all functions if there is none")
    parser.add_argument("--json", type=Path, help="append each row to this file, as a line of JSON")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the number of the first function")
    parser.add_argument("--to", type=int, help="the number after that of the last one")
    parser.add_argument("--every", type=int, default=1, help="only every N-th function")
    parser.add_argument("--merge", nargs="+", type=Path, help="run nothing; take the rows of these files")
    parser.add_argument("--page", type=Path, help="write the table into this page")
    parser.add_argument("--programs", type=Path, help="write linalg on tensors into this folder, a file each")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        _serve(options.programs)
        return
    if options.merge:
        lines = [line for path in options.merge for line in path.read_text().splitlines()]
        merged = list({row["name"]: row for row in map(json.loads, lines)}.values())  # Of several runs the last one.
        text = f"{table(merged)}\n\n{refusals(merged)}"
        print(text)
        if options.page:
            write_section(options.page, text, "jax-functions")
        return
    if options.json:
        options.json.touch()
    names = [name for name in _ask_names() if not options.names or any(part in name for part in options.names)]
    rows: list[dict[str, Any]] = []
    for row in _run(names[options.first : options.to : options.every], options.programs):
        rows.append(row)
        if row["outcome"] != PASSED:
            print(f"{row['outcome']:8} {row['name']}: {row['why']}", flush=True)
        if options.json:
            with options.json.open("a") as file:
                file.write(json.dumps(row) + "\n")
    print(table(rows))


def table(rows: list[dict[str, Any]]) -> str:
    """How many functions of each group passed, as Markdown."""
    lines = ["| group | functions | passed | refused | wrong | crashed |", "|---|---|---|---|---|---|"]
    groups = list(dict.fromkeys(row["name"].split(".")[0] for row in rows))
    for group in [*groups, "all"]:
        counts = Counter(row["outcome"] for row in rows if group == "all" or row["name"].startswith(f"{group}."))
        cells = [group, sum(counts.values()), *(counts[outcome] for outcome in (PASSED, REFUSED, WRONG, CRASHED))]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def refusals(rows: list[dict[str, Any]]) -> str:
    """What did not pass, and why, as Markdown."""
    return "\n".join(f"- {row['outcome']}: `{row['name']}`: {row['why']}" for row in rows if row["outcome"] != PASSED)


class _Child:
    """A process that runs one function after the other."""

    def __init__(self, programs: Path | None) -> None:
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        flags = {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--child", *(["--programs", str(programs)] if programs else [])],
            env={**os.environ, **threads, **flags},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, name: str) -> dict[str, Any] | None:
        """The row of a function; None if the process ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def end(self) -> int:
        """End the process, and return its exit code."""
        self._process.kill()
        return self._process.wait()


def _ask_names() -> list[str]:
    from jax_cases import all_cases

    return [case.name for case in all_cases()]


def _run(names: list[str], programs: Path | None) -> Iterator[dict[str, Any]]:
    child = _Child(programs)
    for name in names:
        row = child.ask(name)
        if row is None:
            row = {"name": name, "outcome": CRASHED, "why": how_it_ended(child.end())}
            child = _Child(programs)
        yield row
    child.end()


def _serve(programs: Path | None) -> None:
    """Answer each name on standard input with a row, as JSON."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # What libraries print is no answer.
    from jax_cases import all_cases

    cases = {case.name: case for case in all_cases()}
    for line in sys.stdin:
        limit_time(LONGEST_SECONDS)
        row = _row(cases[line.strip()], programs)
        limit_time(0)
        answers.write(json.dumps(row) + "\n")
        answers.flush()


def _row(case: Any, programs: Path | None) -> dict[str, Any]:
    import time

    import jax

    import mlir_inplace as mi

    row: dict[str, Any] = {"name": case.name, "outcome": PASSED, "why": ""}
    started = time.perf_counter()
    expected = jax.block_until_ready(jax.jit(case.function)(*case.arguments))
    row["seconds JAX"] = round(time.perf_counter() - started, 3)
    for optimize in (False, True):
        started = time.perf_counter()
        try:
            program = mi.from_jax(case.function, *case.arguments, optimize=optimize)
            row[f"seconds {optimize}"] = round(time.perf_counter() - started, 3)
            if programs and not optimize:
                write_program(programs, case.name, program)
            found = program.main(*case.arguments)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the row of this function
            return {**row, "outcome": REFUSED, "why": _reason(error, optimize)}
        difference = _difference(jax, expected, found, case.loose)
        if difference:
            return {**row, "outcome": WRONG, "why": f"optimize={optimize}: {difference}"}
    return row


def _reason(error: Exception, optimize: bool) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    known = type(error).__name__ in ("PassError", "MLIRError", "UnsupportedTypeError")
    where = "" if known else f" at {traceback.extract_tb(error.__traceback__)[-1].name}"
    text = " | ".join(line for line in lines if "called from" not in line)[:300]
    text = re.sub(r"/\S*/", "", text)  # files of this machine
    return f"{'optimize: ' if optimize else ''}{type(error).__name__}{where}: {text}"


def _difference(jax: Any, expected: Any, found: Any, loose: float) -> str:
    """What differs; an empty text if nothing does."""
    import numpy as np

    if jax.tree.structure(expected) != jax.tree.structure(found):
        return f"the structure is {jax.tree.structure(found)}, not {jax.tree.structure(expected)}"
    for number, (ours, theirs) in enumerate(zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True)):
        a, b = np.asarray(ours), np.asarray(theirs)
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"result {number} is {a.dtype}{a.shape}, not {b.dtype}{b.shape}"
        tolerance = TOLERANCE.get(str(b.dtype))
        if tolerance is None:
            if not np.array_equal(a, b):
                return f"result {number} differs in {int((a != b).sum())} of {a.size} elements"
            continue
        wide = np.complex128 if b.dtype.kind == "c" else np.float64
        a, b = a.astype(wide), b.astype(wide)
        finite = np.isfinite(b)
        scale = np.abs(b[finite]).max(initial=0.0)
        allowed = tolerance * loose * (np.abs(b) + 0.1 * scale)
        with np.errstate(invalid="ignore"):
            bad = np.where(finite, np.abs(a - b) > allowed, ~((a == b) | (np.isnan(a) & np.isnan(b)))) | (
                finite & ~np.isfinite(a)
            )
        if bad.any():
            worst = int(np.argmax(bad))
            return (
                f"result {number}: {a.flat[worst]} is not {b.flat[worst]}; {int(bad.sum())} of {a.size} elements differ"
            )
    return ""


if __name__ == "__main__":
    main()
