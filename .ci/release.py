"""Prepares a release of what is checked out: `python .ci/release.py 0.2.0`.

It writes the version into `__init__.py` and, with the date, over the entries under Unreleased in CHANGELOG.md; then it
builds, checks and tries the distributions (`distributions.py`). If anything fails, both files are as before. Nothing is
committed or uploaded: it prints the commands for that.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime, timezone

import distributions
from distributions import ROOT, Fault

VERSION = r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}"
SECTIONS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
_HEADING = re.compile(rf"## \[({VERSION})\] - (\d{{4}}-\d\d-\d\d)")


def version_key(version: str) -> tuple[int, ...]:
    """The numbers of a version, which compare as versions do."""
    return tuple(int(number) for number in version.split("."))


def check_changelog(text: str) -> list[str]:
    """The released versions, newest first; raises a `Fault` where the text is not in the form of Keep a Changelog."""
    headings = re.findall(r"^## .*", text, re.MULTILINE)
    if headings[:1] != ["## [Unreleased]"]:
        raise Fault("CHANGELOG.md: the first heading of a version must be '## [Unreleased]'")
    matches = [_HEADING.fullmatch(heading) for heading in headings[1:]]
    for heading, match in zip(headings[1:], matches, strict=True):
        if match is None:
            raise Fault(f"CHANGELOG.md: '{heading}' must be like '## [1.2.3] - 2026-12-31'")
    released = [(version_key(match[1]), match[2]) for match in matches if match is not None]
    if released != sorted(released, reverse=True) or len({version for version, _ in released}) < len(released):
        raise Fault("CHANGELOG.md: versions and dates must go down, each version once")
    for section in re.findall(r"^### (.*)", text, re.MULTILINE):
        if section not in SECTIONS:
            raise Fault(f"CHANGELOG.md: '### {section}' must be one of {', '.join(SECTIONS)}")
    return [match[1] for match in matches if match is not None]


def released_changelog(text: str, version: str, date: str) -> str:
    """The text with the entries under Unreleased as those of a version."""
    released = check_changelog(text)
    if released and version_key(version) <= version_key(released[0]):
        raise Fault(f"version {version} must be above {released[0]}, the last release in CHANGELOG.md")
    before, heading, rest = text.partition("## [Unreleased]\n")
    if not re.search(r"^- ", re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0], re.MULTILINE):
        raise Fault("CHANGELOG.md: there is no entry under Unreleased; tell what users see change")
    return f"{before}{heading}\n## [{version}] - {date}\n{rest}"


def with_version(text: str, version: str) -> str:
    """The text of `__init__.py` with another version, which is stated there only."""
    changed, count = re.subn(r'^__version__ = ".*"$', f'__version__ = "{version}"', text, flags=re.MULTILINE)
    if count != 1:
        raise Fault(f"__init__.py: there must be one line '__version__ = \"…\"', found {count}")
    return changed


def prepare(version: str) -> None:
    """Change the two files, build, check and try; on a failure change them back."""
    if not re.fullmatch(VERSION, version):
        raise Fault(f"the version must be three numbers, like 0.2.0, got '{version}'")
    changes = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True)
    if changes.stdout:
        raise Fault(f"commit or stash these changes first:\n{changes.stdout.rstrip()}")
    date = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    old = {name: (ROOT / name).read_text() for name in ("CHANGELOG.md", "__init__.py")}
    new = {
        "CHANGELOG.md": released_changelog(old["CHANGELOG.md"], version, date),
        "__init__.py": with_version(old["__init__.py"], version),
    }
    finished = False
    try:
        for name, text in new.items():
            (ROOT / name).write_text(text)
        finished = distributions.main([str(ROOT / "dist")]) == 0
    finally:
        if not finished:
            for name, text in old.items():
                (ROOT / name).write_text(text)
    if not finished:
        raise Fault("no release: the distributions are not as they should be")


def main(arguments: Sequence[str] | None = None) -> int:
    """Prepare the release and print what is left to do; return the exit code."""
    parser = argparse.ArgumentParser(description="Prepare a release of what is checked out.")
    parser.add_argument("version", help="three numbers, above those of the last release")
    version = parser.parse_args(arguments).version
    try:
        prepare(version)
    except Fault as fault:
        print(f"release: error: {fault}", file=sys.stderr)
        return 1
    print(f"look at `git diff`, then: git commit -am 'Release {version}' && git tag -a v{version} -m v{version}")
    print("then push both, and: python -m twine upload dist/*")
    return 0


if __name__ == "__main__":
    sys.exit(main())
