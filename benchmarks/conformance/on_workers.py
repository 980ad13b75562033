"""Conformance runs on the workers of a Dask scheduler: a script in parts, whose outcomes are merged here.

    python benchmarks/conformance/on_workers.py jax_functions --scheduler tcp://10.0.0.1:8786
    python benchmarks/conformance/on_workers.py torch_ops --parts 100 --scheduler ADDRESS --with --samples 2

Workers need this version of the package and what the script imports; the script itself goes with the task. What follows
`--with` is given to the script. A part whose worker is lost is run again by another one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from mlir_inplace.runtime.remote import SchedulerError, remote_results
from mlir_inplace.runtime.remote.scripts import OUTPUT, ScriptTask, run_script

FOLDER = Path(__file__).parent
PARTS: dict[str, Callable[[int, int], tuple[str, ...]]] = {
    "jax_functions": lambda part, parts: ("--from", str(part), "--every", str(parts)),
    "onnx_backend": lambda part, parts: ("--from", str(part), "--every", str(parts)),
    "torch_ops": lambda part, parts: ("--part", f"{part + 1}/{parts}"),
}
"""For each script the arguments of one part, by its number."""


def main() -> None:
    """Run a script in parts, and print what it prints of all outcomes together."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", choices=list(PARTS))
    parser.add_argument("--scheduler", required=True, metavar="ADDRESS", help="of a Dask scheduler")
    parser.add_argument("--parts", type=int, default=20, help="how many tasks")
    parser.add_argument("--page", type=Path, help="write the table into this page")
    parser.add_argument(
        "--with", nargs=argparse.REMAINDER, default=[], dest="rest", help="all that follows: its arguments"
    )
    options = parser.parse_args()
    files = tuple((path.name, path.read_text()) for path in sorted(FOLDER.glob("*.py")))
    split = PARTS[options.script]
    tasks = [
        ScriptTask(f"{options.script}.py", (*options.rest, *split(part, options.parts), "--json", OUTPUT), files)
        for part in range(options.parts)
    ]
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = _run(options.scheduler, tasks)
            written = [_write(Path(folder, f"{number:04}.json"), text) for number, text in found]
        except SchedulerError as error:
            raise SystemExit(f"--scheduler: {error}") from None
        page = ["--page", str(options.page)] if options.page else []
        command = [sys.executable, str(FOLDER / f"{options.script}.py"), "--merge", *sorted(written), *page]
        raise SystemExit(subprocess.run(command, check=False).returncode)


def _run(scheduler: str, tasks: list[ScriptTask]) -> list[tuple[int, str]]:
    """What each part has written, by its number."""
    found: list[tuple[int, str]] = []
    for number, _, text in remote_results(scheduler, run_script, tasks):
        if text is None:
            raise SystemExit(f"part {number} was given up: one worker after the other was lost")
        found.append((number, text))
    return found


def _write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


if __name__ == "__main__":
    main()
