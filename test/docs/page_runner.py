"""Runs the fences of one page, in order, in this process: commands as calls of the programs' `main`.

`python test/docs/page_runner.py PAGE FOLDER` does so for a page that needs a process of its own.
"""

from __future__ import annotations

import importlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import MappingProxyType
from typing import Any

import mlir_inplace  # noqa: F401  # isort: skip

from mlir import ir
from pages import ROOT, Block, blocks, inline_commands

from mlir_inplace.dialects import dispatch
from mlir_inplace.frontends.formats import find_dialect, register_dialect

PROGRAMS = {
    f"inplace-{name}": f"mlir_inplace.tools.inplace_{name}"
    for name in ("opt", "run", "compile", "explain", "check", "exhaust", "fuzz")
}
"""The installed programs, by name, and the modules of their `main`."""

Runner = Callable[[Sequence[str]], int]


class PageRunner:
    """Runs a page in `folder`, but for commands that are `skipped`; `others` says how further programs are run."""

    def __init__(
        self,
        page: str,
        folder: Path,
        skipped: Callable[[str], bool] = lambda command: False,
        others: Mapping[str, Runner] = MappingProxyType({}),
    ) -> None:
        self._page = page
        self._folder = folder
        self._skipped = skipped
        self._others = others
        self._namespace: dict[str, Any] = {"__name__": "__main__"}
        self._printed = ""

    def run(self) -> None:
        """Run all that is on the page; a difference is an AssertionError that says where."""
        provide_files(self._folder)
        with _inside(self._folder):
            for block in blocks(self._page):
                self._run_block(block)
            for command in inline_commands(self._page):
                self._run_command(command)

    def run_one(self, command: str) -> str:
        """Run a command as if it were on the page; return what it prints."""
        provide_files(self._folder)
        with _inside(self._folder):
            return self._run_command(command)

    def _run_block(self, block: Block) -> None:
        if block.source:
            assert block.text in (ROOT / block.source).read_text(), f"{block}: this is not in {block.source}"
        if block.is_output:
            assert matches(block.text, self._printed), f"{block}: this is printed instead:\n{self._printed}"
        if block.file:
            path = self._folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
        elif block.language == "mlir":
            parse(block)
        elif block.language == "sh":
            fails = "fails" in block.words
            self._printed = "".join(self._run_command(command, fails=fails) for command in commands(block.text))
        elif block.language == "python":
            # Lines keep their numbers, so that a traceback leads to the page.
            code = compile("\n" * block.line + block.text, str(ROOT / block.page), "exec")
            with _printing() as printed:
                exec(code, self._namespace)
            self._printed = printed.getvalue()

    def _run_command(self, text: str, *, fails: bool = False) -> str:
        """Run a command, which must succeed, or report errors if it `fails`; return what it prints."""
        if self._skipped(text):
            return ""
        words = shlex.split(text, comments=True)
        with _printing() as printed, _variables(words):
            try:
                code = self._runner(words)(words)
            except SystemExit as ended:  # argparse's way to end with a help text or an error
                code = ended.code
        assert code == int(fails), f"{self._page}: `{text}` exits with {code}:\n{printed.getvalue()}"
        return printed.getvalue()

    def _runner(self, words: Sequence[str]) -> Runner:
        for beginning, runner in self._others.items():
            if " ".join(words).startswith(beginning):
                return runner
        if words[0] in PROGRAMS:
            return lambda words: _main(PROGRAMS[words[0]])(words[1:])
        if words[:2] == ["python", "-m"] and words[2].startswith("mlir_inplace."):
            return lambda words: _main(words[2])(words[3:])
        raise AssertionError(f"{self._page}: no test knows how to run `{shlex.join(words)}`")


def _main(module: str) -> Callable[[Sequence[str]], int]:
    return importlib.import_module(module).main


def commands(text: str) -> Iterator[str]:
    """The commands of a shell block: its lines, continued where they end in a backslash, without comments."""
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.strip()


def matches(expected: str, printed: str) -> bool:
    """Whether a program printed what a page shows; a line of dots stands for any number of lines."""
    parts = re.split(r"^[ \t]*\.\.\.[ \t]*$", expected.strip("\n"), flags=re.MULTILINE)
    return re.fullmatch("(?:.*\n)*.*".join(map(re.escape, parts)), printed.strip("\n")) is not None


def parse(block: Block) -> None:
    """Parse and verify a program; the dispatch dialect may be in its lighter form."""
    with ir.Context() as context:
        register_dialect(find_dialect(block.text) or "", context)
        try:
            module = dispatch.parse(block.text, context)
        except ir.MLIRError as error:
            raise AssertionError(f"{block}: {error}") from None
        assert module.operation.verify(), block


def provide_files(folder: Path) -> None:
    """Put what pages refer to into `folder`: a copy of the examples, links to what no command changes."""
    shutil.copytree(ROOT / "examples", folder / "examples", dirs_exist_ok=True)
    for name in ("test", "docs"):
        (folder / name).symlink_to(ROOT / name)


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Work in `folder`, and import from there."""
    before = Path.cwd()
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        os.chdir(before)
        sys.path.remove(str(folder))


@contextmanager
def _printing() -> Iterator[io.StringIO]:
    """Gather what is printed, standard error included."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        yield printed


@contextmanager
def _variables(words: list[str]) -> Iterator[None]:
    """Take `NAME=value` off the beginning of a command, and have the environment say so."""
    given: dict[str, str] = {}
    while words and (match := re.fullmatch(r"([A-Z_]+)=(.*)", words[0])):
        given[match[1]] = match[2]
        del words[0]
    before = dict(os.environ)
    os.environ.update(given)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def run_process(words: Sequence[str]) -> int:
    """Run a command as a process of its own, `python` and `pip` being those of this one."""
    python = {"python": [sys.executable], "pip": [sys.executable, "-m", "pip"]}
    done = subprocess.run(
        [*python.get(words[0], [words[0]]), *words[1:]], capture_output=True, text=True, timeout=120, check=False
    )
    print(done.stdout + done.stderr, end="")
    return done.returncode


def main(page: str, folder: Path) -> None:
    """Run a page that installs a package, which goes into a folder that this process imports from."""
    site = folder / "site"
    site.mkdir()
    sys.path.insert(0, str(site))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])

    def install(words: Sequence[str]) -> int:
        offline = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--no-cache-dir"]
        code = run_process(["pip", "install", *offline, "--target", str(site), words[-1]])
        importlib.invalidate_caches()
        return code

    PageRunner(page, folder, others={"pip install": install, "python -m pytest": run_process}).run()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
