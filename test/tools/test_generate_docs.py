"""The generated documents are those that are committed, and say what the passes declare."""

from __future__ import annotations

from pathlib import Path

import pytest
from pass_examples import RefusePass, TagPass

from mlir_inplace.tools.generate_docs import ROOT, generate, main, pass_section, pass_table


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


def test_the_table_links_each_pass_to_its_section() -> None:
    assert "| [`inplace-tag`](#inplace-tag) | set an attribute |\n" in pass_table([TagPass])
    page = (ROOT / "docs" / "PASSES.md").read_text()
    assert page.index("| [`inplace-tile`](#inplace-tile) |") < page.index("## inplace-canonicalize\n")


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
