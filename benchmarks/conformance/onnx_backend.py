"""Run ONNX's backend test suite with our backend, `optimize` off and on.

    python benchmarks/conformance/onnx_backend.py [PART OF A NAME …] [--from N --to M] [--json FILE]
    python benchmarks/conformance/onnx_backend.py --merge FILE … [--page docs/FRONTENDS.md]

`--programs FOLDER` keeps linalg on tensors, for `beside_upstream.py`.

Every test but those that download a model is run by ONNX's own runner, in a forked process that a crash or a time limit
ends; that is the test's row. A result that is wrong by the suite's tolerance (elementwise 1e-3), and right to four
units in the last place of the largest element, is counted apart: `rounded`. `--page` writes the table into a page.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import sys
import tempfile
import time
import unittest
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PASSED, ROUNDED, REFUSED, WRONG, CRASHED = "passed", "rounded", "refused", "wrong", "crashed"
OUTCOMES = (PASSED, ROUNDED, REFUSED, WRONG, CRASHED)
LONGEST_SECONDS = 120
BATCH = 25
PLAIN = {"FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16", "BOOL"}
PLAIN |= {f"{sign}INT{width}" for sign in ("", "U") for width in (8, 16, 32, 64)}
MARK = "onnx-backend"


def main() -> None:
    """Run the tests that are asked for, and print what did not pass, and a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of names; all tests if there is none")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the number of the first test")
    parser.add_argument("--to", type=int, help="the number after that of the last one")
    parser.add_argument("--every", type=int, default=1, help="only every N-th test")
    parser.add_argument("--json", type=Path, help="write each row to this file, a line each")
    parser.add_argument(
        "--merge", type=Path, nargs="+", help="run nothing; take the rows of these files, the last of each test"
    )
    parser.add_argument("--page", type=Path, help="write the table into this page")
    parser.add_argument("--programs", type=Path, help="write linalg on tensors into this folder, a file each")
    options = parser.parse_args()
    _SETTINGS["programs"] = options.programs
    rows = [json.loads(line) for path in options.merge or [] for line in path.read_text().splitlines()]
    rows = list({row["name"]: row for row in rows}.values())  # Of several runs of a test the last one.
    if not options.merge:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["ONNX_HOME"] = folder  # The runner writes the data of some tests there.
            tests = [t for t in _tests() if not options.names or any(part in t[1] for part in options.names)]
            rows = []
            with (options.json or Path(os.devnull)).open("w") as file:
                for row in _run(tests[options.first : options.to : options.every]):
                    rows.append(row)
                    file.write(json.dumps(row) + "\n")
                    file.flush()
    for row in rows:
        if row["outcome"] != PASSED:
            print(f"{row['outcome']:8} {row['name']}: {row['why']}")
    print(table(rows))
    if options.page:
        write_section(options.page, f"{table(rows)}\n\n{refusals(rows)}")


def table(rows: list[dict[str, Any]]) -> str:
    """How many tests passed, by what they are made of, as Markdown."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    lines = [f"| tests | number | {' | '.join(OUTCOMES)} |", "|---|" + "---|" * (1 + len(OUTCOMES))]
    for name, members in [*groups.items(), ("all", rows)]:
        counts = Counter(row["outcome"] for row in members)
        cells = [name, len(members), *(counts[outcome] for outcome in OUTCOMES)]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def refusals(rows: list[dict[str, Any]]) -> str:
    """Why tests were refused, wrong, rounded or crashed, as a Markdown table, the most frequent reason first."""
    reasons: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if row["outcome"] != PASSED:
            reasons[row["outcome"], _reason(row["why"])] += 1
    lines = ["| tests | outcome | why |", "|---|---|---|"]
    for (outcome, why), count in reasons.most_common():
        lines.append(f"| {count} | {outcome} | {why} |")
    return "\n".join(lines)


def _reason(why: str) -> str:
    """A reason without the names of nodes."""
    why = re.sub(r",? (for|of) \w+ node '[^']*'", "", why.split("\n", maxsplit=1)[0])
    return re.sub(r"'[^']*'( is of type|: elements)", r"a tensor\1", why).replace("|", "\\|")[:150]


def write_section(page: Path, text: str, mark: str = MARK) -> None:
    """Replace what is between the page's marks of a script, by default this one."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, _, rest = page.read_text().partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        sys.exit(f"{page} has no marks {begin} and {end}")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")


def write_program(folder: Path, name: str, program: Any) -> None:
    """Write what a program was compiled from, linalg on tensors, for `beside_upstream.py`."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.mlir").write_text(str(program._source))


def _tests() -> list[tuple[str, str, Any]]:
    """The category, the name and the class of each test."""
    from onnx.backend.test.runner import Runner

    class Suite(Runner):
        @classmethod
        def assert_similar_outputs(cls, ref_outputs: Any, outputs: Any, *rest: Any, **named: Any) -> None:
            try:
                super().assert_similar_outputs(ref_outputs, outputs, *rest, **named)
            except AssertionError as error:
                if all(map(_within_rounding, ref_outputs, outputs)):
                    raise RoundedError(str(error)) from None
                raise

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = Suite(_make_backend(), __name__).test_cases
    return [
        (category, name, case)
        for category, case in cases.items()
        for name in sorted(vars(case))
        if name.startswith("test_") and name.endswith("_cpu")
    ]


class RoundedError(Exception):
    """A result that differs from the suite's by rounding."""


def _within_rounding(wanted: Any, found: Any) -> bool:
    import ml_dtypes
    import numpy as np

    if not isinstance(wanted, np.ndarray) or wanted.shape != found.shape or wanted.dtype != found.dtype:
        return False
    if wanted.dtype.kind != "f" and wanted.dtype != ml_dtypes.bfloat16:
        return bool((wanted == found).all())
    one, other = wanted.astype(np.float64), found.astype(np.float64)
    finite = np.isfinite(one)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return False
    largest = np.abs(one[finite]).max(initial=0)
    unit = float(ml_dtypes.finfo(wanted.dtype).eps)
    return bool((np.abs(one[finite] - other[finite]) <= 4 * unit * largest).all())


_SETTINGS: dict[str, Any] = {"optimize": False, "programs": None}
_PREPARED: list[Any] = []


def _make_backend() -> Any:
    from mlir_inplace.frontends.onnx.backend import InplaceBackend

    class Watched(InplaceBackend):
        @classmethod
        def prepare(cls, model: Any, device: str = "CPU", **kwargs: Any) -> Any:
            del kwargs
            _PREPARED[:] = [model]
            prepared = InplaceBackend.prepare(model, device, optimize=_SETTINGS["optimize"], cache=False)
            _PREPARED.append(prepared)
            return prepared

        @classmethod
        def is_compatible(cls, model: Any, device: str = "CPU", **kwargs: Any) -> bool:
            del model, device, kwargs
            return True  # A refusal is a row, not a skipped test.

    return Watched


def _run(tests: list[tuple[str, str, Any]]) -> Iterator[dict[str, Any]]:
    _warm_up()
    done = 0
    while done < len(tests):
        batch = tests[done : done + BATCH]
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            _serve(batch, writer)
        os.close(writer)
        with os.fdopen(reader) as lines:
            rows = [json.loads(line) for line in lines]
        _, status = os.waitpid(child, 0)
        yield from rows
        done += len(rows)
        if status and len(rows) < len(batch):
            category, name, _ = batch[len(rows)]
            why = how_it_ended(os.waitstatus_to_exitcode(status))
            yield {"name": name, "category": category, "group": "ended early", "outcome": CRASHED, "why": why}
            done += 1


def _warm_up() -> None:
    """Load in this process what each child needs."""
    import numpy as np
    import onnx

    from mlir_inplace.frontends.onnx.backend import run_node

    for optimize in (False, True):
        run_node(onnx.helper.make_node("Relu", ["x"], ["y"]), [np.zeros(4, np.float32)], optimize=optimize)


def _serve(batch: list[tuple[str, str, Any]], writer: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    warnings.simplefilter("ignore")
    for category, name, case in batch:
        row = _row(case, name)
        os.write(writer, (json.dumps({"name": name, "category": category, **row}) + "\n").encode())
    os._exit(0)


def _row(case: Any, name: str) -> dict[str, Any]:
    row: dict[str, Any] = {"outcome": PASSED, "why": "", "group": "other types"}
    for optimize in (False, True):
        _SETTINGS["optimize"] = optimize
        _PREPARED.clear()
        started = time.perf_counter()
        limit_time(LONGEST_SECONDS)
        outcome, why = _outcome(case, name)
        limit_time(0)
        row[f"seconds {optimize}"] = round(time.perf_counter() - started, 3)
        if _PREPARED:
            row["group"] = _group(_PREPARED[0])
        if len(_PREPARED) > 1:
            row["constants"] = list(_PREPARED[1].decisive_inputs)
            for program in _PREPARED[1]._programs.values() if _SETTINGS["programs"] and not optimize else ():
                write_program(_SETTINGS["programs"], name, program)
        if outcome != PASSED:
            return {**row, "outcome": outcome, "why": f"{why}{' (optimize)' if optimize else ''}"}
    return row


def limit_time(seconds: int) -> None:
    """End this process after so many seconds of computing, or ten times as many in all; 0 for no limit."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(10 * seconds)


def how_it_ended(exit_code: int) -> str:
    """Why a process with a time limit ended."""
    late = -exit_code in (signal.SIGALRM, signal.SIGPROF)
    return f"ended after {LONGEST_SECONDS} s" if late else f"exit code {exit_code}"


def _outcome(case: Any, name: str) -> tuple[str, str]:
    try:
        with contextlib.redirect_stdout(None):
            case(name).debug()
    except RoundedError as error:
        return ROUNDED, " ".join(str(error).split())[:300]
    except AssertionError as error:
        return WRONG, " ".join(str(error).split())[:300]
    except unittest.SkipTest as error:
        return REFUSED, f"the suite skips it: {error}"
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the row of this test
        kind = (
            ""
            if type(error).__name__ in ("UnsupportedOnnxError", "NeedsConstantError")
            else f"{type(error).__name__}: "
        )
        return REFUSED, f"{kind}{error}"[:300]
    return PASSED, ""


def _group(model: Any) -> str:
    """What the tensors of a model hold: what we compile, or other types."""
    import onnx

    given = model if isinstance(model, onnx.ModelProto) else onnx.load(model)
    for value in (*given.graph.input, *given.graph.output):
        if value.type.WhichOneof("value") != "tensor_type":
            return "sequences, optional values"
        if onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type) not in PLAIN:
            return "other element types"
    domains = {node.domain for node in given.graph.node} - {"", "ai.onnx", "ai.onnx.preview"}
    return "other operator sets" if domains else "floats and integers"


if __name__ == "__main__":
    main()
