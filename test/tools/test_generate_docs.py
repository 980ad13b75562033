"""The generated documents are those that are committed, and say what the passes declare."""

from __future__ import annotations

from pathlib import Path

import pytest
from pass_examples import RefusePass, TagPass

from mlir_inplace.tools.generate_docs import ROOT, TABLE_BEGIN, TABLE_END, generate, main, pass_section, pass_table


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


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder that looks like a clone of the repository, with a README that wants a table."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "README.md").write_text(f"before\n{TABLE_BEGIN}\nold\n{TABLE_END}\nafter\n")
    return tmp_path


def test_writing_and_checking(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"], clone) == 1
    assert "PASSES.md is out of date" in capsys.readouterr().err
    assert not (clone / "docs").exists()
    assert main([], clone) == 0
    assert main(["--check"], clone) == 0
    assert capsys.readouterr().err == ""


def test_the_readme_keeps_everything_around_its_table(clone: Path) -> None:
    main([], clone)
    readme = (clone / "README.md").read_text()
    assert readme.startswith(f"before\n{TABLE_BEGIN}\n| pass | what it does |\n")
    assert readme.endswith(f"|\n{TABLE_END}\nafter\n")
    assert "\nold\n" not in readme
    assert "](docs/PASSES.md#inplace-tag) | set an attribute |" in pass_table([TagPass])


def test_a_readme_without_markers_is_left_alone(clone: Path) -> None:
    (clone / "README.md").write_text("no markers\n")
    main([], clone)
    assert (clone / "README.md").read_text() == "no markers\n"


def test_half_a_pair_of_markers_is_told(clone: Path) -> None:
    (clone / "README.md").write_text(TABLE_BEGIN)
    with pytest.raises(ValueError, match="without"):
        main([], clone)


def test_outside_a_clone_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], tmp_path) == 1
    assert "is no clone of the repository" in capsys.readouterr().err
    assert (ROOT / "pyproject.toml").is_file()
