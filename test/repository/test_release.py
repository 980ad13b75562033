"""`.ci/release.py`: the form of CHANGELOG.md, and what a release changes."""

from __future__ import annotations

import re
import subprocess
from datetime import datetime, timezone
from pathlib import Path

import distributions
import pytest
import release
from distributions import ROOT, Fault

START = "# Changelog\n\n## [Unreleased]\n"
OLD = "\n## [0.2.0] - 2026-11-02\n\n### Fixed\n\n- c\n\n## [0.1.0] - 2026-11-01\n\n- a\n"
ENTRY = "\n### Added\n\n- b\n"


def test_the_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    assert release.check_changelog(text) == re.findall(r"^## \[(\d.*)\]", text, re.MULTILINE)


def test_a_release_of_the_changelog() -> None:
    assert release.check_changelog(START + ENTRY + OLD) == ["0.2.0", "0.1.0"]
    text = release.released_changelog(START + ENTRY + OLD, "0.10.0", "2026-11-03")
    assert text == f"{START}\n## [0.10.0] - 2026-11-03\n{ENTRY}{OLD}"
    assert release.check_changelog(text) == ["0.10.0", "0.2.0", "0.1.0"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (OLD, "the first heading of a version must be '## [Unreleased]'"),
        ("# Changelog\n", "the first heading of a version must be '## [Unreleased]'"),
        (START + "## 0.2.0", "'## 0.2.0' must be like '## [1.2.3] - 2026-12-31'"),
        (START + "## [0.2] - 2026-11-02", "'## [0.2] - 2026-11-02' must be like '## [1.2.3] - 2026-12-31'"),
        (START + START, "'## [Unreleased]' must be like '## [1.2.3] - 2026-12-31'"),
        (START + OLD.replace("0.1.0", "0.2.0"), "versions and dates must go down, each version once"),
        (START + OLD.replace("0.1.0", "0.3.0"), "versions and dates must go down, each version once"),
        (START + "### New\n", "'### New' must be one of Added, Changed, "),
    ],
)
def test_a_changelog_in_another_form(text: str, reason: str) -> None:
    with pytest.raises(Fault, match=re.escape(reason)):
        release.check_changelog(text)


@pytest.mark.parametrize(
    ("text", "version", "reason"),
    [
        (START + OLD, "0.3.0", "there is no entry under Unreleased; tell what users see change"),
        (START + ENTRY + OLD, "0.2.0", "version 0.2.0 must be above 0.2.0"),
        (START + ENTRY + OLD, "0.1.9", "version 0.1.9 must be above 0.2.0"),
    ],
)
def test_what_cannot_be_released(text: str, version: str, reason: str) -> None:
    with pytest.raises(Fault, match=re.escape(reason)):
        release.released_changelog(text, version, "2026-11-03")


def test_the_version_is_stated_once() -> None:
    text = (ROOT / "__init__.py").read_text()
    assert release.with_version(release.with_version(text, "7.8.9"), stated_version(text)) == text
    assert stated_version(release.with_version(text, "7.8.9")) == "7.8.9"
    with pytest.raises(Fault, match="there must be one line"):
        release.with_version("", "7.8.9")


def stated_version(text: str) -> str:
    (version,) = re.findall(r'^__version__ = "(.*)"$', text, re.MULTILINE)
    return version


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the two files that a release changes."""
    (tmp_path / "CHANGELOG.md").write_text(START + ENTRY + OLD)
    (tmp_path / "__init__.py").write_text('__version__ = "0.2.0"\n')
    git = ["git", "-c", "user.name=t", "-c", "user.email=t"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    return tmp_path


def test_a_release(clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[str] = []

    def build(arguments: list[str]) -> int:
        seen.extend([*arguments, stated_version((clone / "__init__.py").read_text())])
        return 0

    monkeypatch.setattr(distributions, "main", build)
    assert release.main(["0.3.0"]) == 0
    assert seen == [str(clone / "dist"), "0.3.0"]
    today = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    assert f"\n## [0.3.0] - {today}\n" in (clone / "CHANGELOG.md").read_text()
    assert "git tag -a v0.3.0" in capsys.readouterr().out


def test_a_release_that_fails_changes_nothing(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(distributions, "main", lambda _: 1)
    assert release.main(["0.3.0"]) == 1
    assert (clone / "CHANGELOG.md").read_text() == START + ENTRY + OLD
    assert (clone / "__init__.py").read_text() == '__version__ = "0.2.0"\n'
    assert capsys.readouterr().err == "release: error: no release: the distributions are not as they should be\n"


@pytest.mark.parametrize("version", ["1.0", "v1.0.0", "1.0.0rc1", "01.0.0", ""])
def test_a_version_of_another_form(clone: Path, version: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main([version]) == 1
    assert "the version must be three numbers, like 0.2.0" in capsys.readouterr().err
    assert (clone / "CHANGELOG.md").read_text() == START + ENTRY + OLD


def test_uncommitted_changes(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (clone / "new.py").touch()
    assert release.main(["0.3.0"]) == 1
    assert capsys.readouterr().err == "release: error: commit or stash these changes first:\n?? new.py\n"
