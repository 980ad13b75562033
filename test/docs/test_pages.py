"""What README.md, CONTRIBUTING.md and docs/ show is true: programs run and print that, links lead somewhere.

`pages.py` says how a fence tells what is to be done with it.
"""

from __future__ import annotations

import fnmatch
import io
import re
import runpy
import shlex
import shutil
import sys
from contextlib import redirect_stdout, suppress
from functools import cache
from pathlib import Path

import pytest
from page_runner import PageRunner, commands, run_process
from pages import ROOT, anchors, blocks, inline_commands, links, named_paths, page_names, prose, read, slug

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PAGES = page_names()

OWN_PROCESS = {
    "docs/OP_MODELS.md": "test_op_model_plugins.py: op models are read once in a process",
    "docs/WRITING_PASSES.md": "test_writing_passes.py: it installs a package",
}
"""Pages that have a test of their own, and why."""

PROCESSES = {"cc ": run_process, "./": run_process}
"""Commands that are no Python: a C compiler, and what it makes."""
NEEDS_COMPILER = {"docs/AHEAD_OF_TIME.md"}

NOT_RUN = {
    "python3 -m venv *": "makes an environment and installs into it; .ci/run does that",
    "pip install *": "would change the environment",
    "pre-commit *": "would change the clone, and needs the network",
    "python -m pytest*": "would run this test, too",
    "lit *": "test_lit.py runs lit",
    "ruff *": "is installed with the extra `lint` only",
    "basedpyright*": "is installed with the extra `lint` only",
    "python -m mlir_inplace.tools.generate_stubs *": "test_generate_stubs.py runs it",
    "python -m mlir_inplace.tools.generate_screens *": "would write pictures by whatever browser there is",
    "python -m mlir_inplace.tools.generate_docs": "would write the page that test_generate_docs.py compares",
    "python benchmarks/*": "measures for minutes",
    "OMP_WAIT_POLICY=passive python benchmarks/*": "measures for minutes, and threads of others wait asleep",
    "python .ci/*": "builds distributions, which .ci/run does, or changes the version",
    "python test/*": "takes hours, or writes files of the repository",
    "*mutate_inputs *": "takes minutes",
}
"""Commands that no test runs, as patterns, and why."""

SLOW = ("docs/CHECKING.md", "docs/FUZZING.md")
"""Their commands run thousands of programs: in a full run only."""


NO_COMPILER = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


def marks_of(page: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.full] * (page in SLOW) + [NO_COMPILER] * (page in NEEDS_COMPILER)


def is_skipped(command: str) -> bool:
    return any(fnmatch.fnmatchcase(command, pattern) for pattern in NOT_RUN)


def shown_commands(page: str) -> list[str]:
    shown = [command for block in blocks(page) if block.language == "sh" for command in commands(block.text)]
    return shown + inline_commands(page)


SKIPPED = sorted({command for page in PAGES for command in shown_commands(page) if is_skipped(command)})


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=marks_of(page)) for page in PAGES if page not in OWN_PROCESS]
)
def test_what_a_page_shows_runs(page: str, tmp_path: Path) -> None:
    PageRunner(page, tmp_path, is_skipped, PROCESSES).run()


@pytest.mark.parametrize("pattern", NOT_RUN)
def test_what_is_not_run_is_on_a_page(pattern: str) -> None:
    assert fnmatch.filter(SKIPPED, pattern)


@pytest.mark.parametrize("command", SKIPPED)
def test_what_is_not_run_could_be(command: str) -> None:
    """Files are there, flags of our own programs are known, and extras exist."""
    words = shlex.split(command, comments=True)
    for word in words[1:]:
        path = word.partition("::")[0]
        if re.fullmatch(r"[\w-]+(/[\w.-]+)+", path) and not path.startswith("build/"):
            assert (ROOT / path).exists(), path
    for extra in re.findall(r"\[(\w+)\]", command):
        assert extra in {*EXTRAS, "EXTRA"}
    if words[0] == "python" and words[1].endswith(".py"):
        known = help_of(words[1])
        assert [word for word in words[2:] if word.startswith("--") and word not in known] == []


EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@cache
def help_of(script: str) -> str:
    """What a script of the repository says of its flags; nothing if it takes none."""
    if "argparse" not in (ROOT / script).read_text():
        return ""
    printed, before, path = io.StringIO(), sys.argv, sys.path[:]
    sys.argv = [script, "--help"]
    sys.path.insert(0, str((ROOT / script).parent))
    try:
        with redirect_stdout(printed), suppress(SystemExit):
            runpy.run_path(str(ROOT / script), run_name="__main__")
    finally:
        sys.argv, sys.path[:] = before, path
    return printed.getvalue()


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target.resolve().relative_to(ROOT).as_posix()), link


@cache
def files_and_folders() -> set[str]:
    """All paths of the repository, with a slash behind those of folders."""
    found: set[str] = set()
    for top in ROOT.iterdir():
        if top.name not in {".git", ".venv", "build", "__pycache__"}:
            found |= {f"{p.relative_to(ROOT).as_posix()}{'/' * p.is_dir()}" for p in [top, *top.rglob("*")]}
    return found


PLACEHOLDERS = r"\b(FAMILY|SUBJECT|NAME|DIALECT)\b"

ELSEWHERE = {".venv/", "build/", "dist/"}
"""Folders that commands make."""


@pytest.mark.parametrize("page", PAGES)
def test_paths_exist(page: str) -> None:
    """A path is one below the root, or the end of one: `interference.py` is a file wherever it is."""
    shown = {block.file for block in blocks(page)}
    for path in named_paths(page):
        pattern = re.sub(PLACEHOLDERS, "*", path)
        found = fnmatch.filter(files_and_folders(), pattern) or fnmatch.filter(files_and_folders(), f"*/{pattern}")
        assert found or path in shown or path in ELSEWHERE, path


@pytest.mark.parametrize("page", PAGES)
def test_names_are_in_the_files_beside_them(page: str) -> None:
    """Where a page says `name` (`file.py`), or `name` in `file.py`, the file has that name."""
    for name, path in re.findall(r"`(\w+)`\s+(?:\(|in )`([\w/]+\.py)`", prose(page)):
        files = [ROOT / file for file in files_and_folders() if f"/{file}".endswith(f"/{path}")]
        assert any(re.search(rf"\b{name}\b", file.read_text()) for file in files), (name, path)


@pytest.mark.parametrize("page", PAGES)
def test_code_is_fenced(page: str) -> None:
    """What is indented would be shown as code, and escape these tests; so would a fence without a language."""
    assert not re.search(r"\n\n {4,}\S", prose(page))
    assert [str(block) for block in blocks(page) if not block.language] == []


def test_the_index_of_the_theory_is_complete() -> None:
    pages = [page for page in PAGES if page.startswith("docs/theory/")]
    listed = {link.partition("#")[0] for link in links("docs/THEORY.md")}
    assert listed == {page.removeprefix("docs/") for page in pages} | {"MUTATIONS.md"}
    for page in pages:
        name = page.removeprefix("docs/")
        linked = {link.partition("#")[2] for link in links("docs/THEORY.md") if link.startswith(name)}
        first = re.search(r"^# (.*)$", read(page), re.MULTILINE)[1]
        assert anchors(page) == {*linked, slug(first)} - {""}


@pytest.mark.parametrize("folder", ["dialects", "passes", "runtime", "frontends", "checking", "tools", "benchmarks"])
def test_pages_that_the_code_names_exist(folder: str) -> None:
    for path in (ROOT / folder).rglob("*.py"):
        for page in re.findall(r"\bdocs/[\w/-]+\.(?:md|svg)", path.read_text()):
            assert (ROOT / page).exists(), f"{path}: {page}"


def test_the_readme_is_short() -> None:
    assert len(read("README.md").splitlines()) <= 120


def test_the_two_lines() -> None:
    """.ci/run takes the first lines of the first two shell blocks; it renames `python3` and `.venv` in the first."""
    install, tests, *_ = (block.text.splitlines() for block in blocks("README.md") if block.language == "sh")
    assert len(install) == len(tests) == 1
    assert install[0].startswith("python3 -m venv .venv && . .venv/bin/activate && ")
    assert "pip install -q -c constraints.txt -e '.[test]' && " in install[0]
    assert tests[0] == "python -m pytest"


def test_the_first_line_ends_in_a_program_that_runs(tmp_path: Path) -> None:
    """What follows the installation is run here."""
    install = next(block.text for block in blocks("README.md") if block.language == "sh").strip()
    PageRunner("README.md", tmp_path, is_skipped).run_one(install.rpartition(" && ")[2])


def test_hooks_run_what_ci_or_a_test_runs() -> None:
    entries = re.findall(r"^ +entry: (.*)$", (ROOT / ".pre-commit-config.yaml").read_text(), re.MULTILINE)
    steps = (ROOT / ".ci" / "run").read_text()
    checked = [entry for entry in entries if entry.partition(" --")[0] in steps]
    others = [entry for entry in entries if entry not in checked]
    assert len(checked) == 3
    assert others == ["python -m mlir_inplace.tools.generate_docs --check"]
