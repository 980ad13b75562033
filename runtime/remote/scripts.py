"""Python scripts on the workers of a scheduler: their files come with the task, and one file of output goes back."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from ...dialects.support.frozen_classes import frozen

__all__ = ["ScriptTask", "run_script"]

OUTPUT = "{output}"
"""In an argument: the file that the script is to write."""


@frozen
class ScriptTask:
    """A script, by name, its arguments, and the texts of all files of its folder."""

    name: str
    arguments: tuple[str, ...]
    files: tuple[tuple[str, str], ...]


def run_script(task: ScriptTask) -> str:
    """What the script has written into its output file. Raises `RuntimeError` with its last line if it wrote none."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in task.files:
            Path(folder, name).write_text(text)
        output = Path(folder, "output")
        arguments = [argument.replace(OUTPUT, str(output)) for argument in task.arguments]
        command = [sys.executable, task.name, *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if not output.exists():
            last = (done.stderr or done.stdout or "no message").strip().splitlines()[-1]
            raise RuntimeError(f"{task.name} ended with exit code {done.returncode}: {last}")
        return output.read_text()
