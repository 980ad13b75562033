"""Entry points, found without `importlib.metadata` where there are none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

_PROGRAM = """
import sys
from mlir_inplace.dialects.support.plugins import entry_points
found = [point.value for point in entry_points(group="some.group")]
print(found, "importlib.metadata" in sys.modules)
"""


def found_with(*folders: Path) -> str:
    """What a fresh process finds that has these folders in its path."""
    program = f"import sys; sys.path += {list(map(str, folders))!r}{_PROGRAM}"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def install(folder: Path, metadata: str, group: str) -> Path:
    """Write the metadata of a package with one entry point."""
    (folder / metadata).mkdir(parents=True)
    (folder / metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: some\nVersion: 1\n")
    (folder / metadata / "entry_points.txt").write_text(f"[other]\na = b\n\n[{group}]\nname = module:value\n")
    return folder


def test_without_any(tmp_path: Path) -> None:
    folder = install(tmp_path, "some-1.dist-info", "another.group")
    assert found_with(folder, tmp_path / "missing") == "[] False"


@pytest.mark.parametrize("metadata", ["some-1.dist-info", "some.egg-info"])
def test_with_one(tmp_path: Path, metadata: str) -> None:
    assert found_with(install(tmp_path, metadata, "some.group")) == "['module:value'] True"


def test_in_an_archive(tmp_path: Path) -> None:
    folder = install(tmp_path / "folder", "some-1.dist-info", "some.group")
    with ZipFile(tmp_path / "packages.zip", "w") as archive:
        for file in folder.rglob("*"):
            archive.write(file, file.relative_to(folder))
    assert found_with(tmp_path / "packages.zip") == "['module:value'] True"
