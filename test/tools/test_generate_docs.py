"""The generated documents are those that are committed, and say what the passes declare."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from mlir import ir
from pass_examples import RefusePass, TagPass

from mlir_inplace.dialects import dispatch, stablehlo
from mlir_inplace.passes.framework.base import Pass
from mlir_inplace.passes.pipeline.pipeline import run_pipeline
from mlir_inplace.passes.pipeline.registry import BUILT_IN, Registry
from mlir_inplace.tools.generate_docs import ROOT, generate, main, pass_section


@pytest.mark.parametrize("path", generate(), ids=lambda path: path.name)
def test_generated_documents_are_fresh(path: Path) -> None:
    assert path.read_text() == generate()[path], "run python -m mlir_inplace.tools.generate_docs"


def test_a_section_holds_documentation_options_and_statistics() -> None:
    section = pass_section(TagPass)
    assert section.startswith("## inplace-tag\n\nPasses that exist for the tests of the infrastructure")
    assert "| `name` | str | `tensor.tag` | the attribute to set |" in section
    assert "| `tagged` | operations that were tagged |" in section
    assert "Runs on any operation that is isolated from above." in section
    assert "Runs on `func.func`." in pass_section(RefusePass)


def test_the_table_has_the_passes_by_folder_and_links_each_to_its_section() -> None:
    page = (ROOT / "docs" / "PASSES.md").read_text()
    table = page.partition("## ")[0]
    assert re.search(
        r"^\| \*\*`passes/cleanup/`\*\* \| \*\*Canonicalization\.\*\* \|\n"
        r"\| \[`inplace-canonicalize`\]\(#inplace-canonicalize\) \| .+ \|\n\| \*\*`passes/destinations/`",
        table,
        re.MULTILINE,
    )
    linked = re.findall(r"\(#(inplace-[\w-]+)\)", table)
    assert sorted(linked) == sorted(BUILT_IN) == re.findall(r"^## (inplace-[\w-]+)$", page, re.MULTILINE)


def test_writing_and_checking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pyproject.toml").touch()  # What tells a clone of the repository.
    assert main(["--check"], tmp_path) == 1
    assert "PASSES.md is out of date" in capsys.readouterr().err
    assert not (tmp_path / "docs").exists()
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0
    assert capsys.readouterr().err == ""


def test_outside_a_clone_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], tmp_path) == 1
    assert "is no clone of the repository" in capsys.readouterr().err
    assert (ROOT / "pyproject.toml").is_file()


def examples() -> list[Any]:
    """The programs before and after each pass, with what stands between them, where its documentation has both."""
    found = []
    for cls in Registry(BUILT_IN, group=None).passes():
        parts = re.split(r"^```mlir\n(.*?)^```", cls.description, flags=re.MULTILINE | re.DOTALL)
        if len(parts) >= 5 and re.match(r"\s*(becomes|with )", parts[2]):
            found.append(pytest.param(cls, parts[1], parts[2], parts[3], id=cls.argument))
    return found


@pytest.mark.parametrize(("cls", "before", "between", "after"), examples())
def test_a_pass_does_what_its_documentation_shows(cls: type[Pass], before: str, between: str, after: str) -> None:
    options = re.findall(r"with `([^`]*)`", between)
    name = f"{cls.argument}{{{options[0]}}}" if options else cls.argument
    nested = name if cls.anchor in (None, "builtin.module") else f"{cls.anchor}({name})"
    with ir.Context() as context:
        stablehlo.register_for(before, context)
        module = dispatch.parse(before, context)
        run_pipeline(module, f"builtin.module({nested})")
        assert str(module) == str(dispatch.parse(after, context))


def test_most_passes_show_what_they_do() -> None:
    assert len(examples()) >= 25
