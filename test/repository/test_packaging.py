"""The distribution: what the wheel holds, that it works away from the repository, that its lists are complete."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import distributions
import pytest

import mlir_inplace
from mlir_inplace.runtime import bindings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PACKAGE_FOLDERS = ("dialects", "passes", "runtime", "frontends", "checking", "tools")


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def package_files() -> set[str]:
    """The Python files of the package, as paths in the wheel."""
    files = [ROOT / "__init__.py", ROOT / "__main__.py"]
    for folder in PACKAGE_FOLDERS:
        files += (ROOT / folder).rglob("*.py")
    return {f"mlir_inplace/{path.relative_to(ROOT).as_posix()}" for path in files}


def build(source: Path, kind: str, target: Path) -> Path:
    """Builds a wheel or an sdist with the installed setuptools, nothing being downloaded; returns the file made."""
    code = f"import setuptools.build_meta as backend; backend.build_{kind}({str(target)!r})"
    target.mkdir()
    process = subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    (built,) = target.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, built from a copy of the repository that has no leftovers of earlier builds."""
    folder = tmp_path_factory.mktemp("wheel")
    leftovers = shutil.ignore_patterns(
        ".git", ".*_cache", ".hypothesis", ".venv", "build", "dist", "venv", "*.egg-info", "__pycache__"
    )
    shutil.copytree(ROOT, folder / "source", ignore=leftovers)
    return build(folder / "source", "wheel", folder / "built")


def test_every_package_folder_is_listed() -> None:
    folders = {path.rpartition("/")[0].replace("/", ".") for path in package_files()}
    assert folders == set(project()["tool"]["setuptools"]["packages"])


def test_every_package_folder_has_an_init() -> None:
    files = package_files()
    assert {f"{path.rpartition('/')[0]}/__init__.py" for path in files} <= files


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    metadata = {name for name in names if name.startswith(f"mlir_inplace-{mlir_inplace.__version__}.dist-info/")}
    assert names - metadata == package_files() | {"mlir_inplace/py.typed"}


def test_wheel_metadata(wheel: Path) -> None:
    folder = f"mlir_inplace-{mlir_inplace.__version__}.dist-info"
    archive = zipfile.ZipFile(wheel)
    metadata = archive.read(f"{folder}/METADATA").decode()
    assert "Name: mlir-inplace\n" in metadata
    assert f"Version: {mlir_inplace.__version__}\n" in metadata
    assert "License-Expression: Apache-2.0 WITH LLVM-exception\n" in metadata
    assert f"{folder}/licenses/LICENSE" in archive.namelist()
    scripts, backends = archive.read(f"{folder}/entry_points.txt").decode().split("[torch_dynamo_backends]\n")
    assert backends.strip() == "inplace = mlir_inplace.frontends.torch.dynamo:inplace"
    assert re.findall(r"^(\S+) = (\S+)$", scripts, re.MULTILINE) == [
        (program, f"mlir_inplace.tools.launch:{program.replace('-', '_')}") for program in bindings.PROGRAMS
    ]


def test_wheel_works_away_from_the_repository(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    code = (
        "import mlir_inplace; from mlir import ir; print(mlir_inplace.__file__)\n"
        "for name in mlir_inplace.__all__: getattr(mlir_inplace, name)"
    )
    environment = {"PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, "-c", code]
    process = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert process.stdout.strip() == str(tmp_path / "site" / "mlir_inplace" / "__init__.py")


@pytest.fixture(scope="module")
def unpacked(wheel: Path) -> Path:
    """The folder in an sdist of the same files."""
    folder = wheel.parents[1]
    sdist = build(folder / "source", "sdist", folder / "sdist")
    shutil.unpack_archive(sdist, folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    return unpacked


def test_a_source_distribution_holds_what_git_tracks(wheel: Path, unpacked: Path) -> None:
    if (ROOT / ".git").exists():
        tracked = distributions.tracked_files()
    else:  # in an unpacked sdist
        source = wheel.parents[1] / "source"
        tracked = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    missing = {path for path in tracked - distributions.ONLY_IN_CLONES if not (unpacked / path).is_file()}
    assert not missing


def test_a_source_distribution_builds_the_same_wheel(wheel: Path, unpacked: Path, tmp_path: Path) -> None:
    rebuilt = build(unpacked, "wheel", tmp_path / "wheel")
    assert set(zipfile.ZipFile(rebuilt).namelist()) == set(zipfile.ZipFile(wheel).namelist())


def test_the_version_is_the_installed_one() -> None:
    assert mlir_inplace.__version__ == importlib.metadata.version("mlir-inplace")
    assert project()["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "mlir_inplace.__version__"}


def test_constraints_pin_every_requirement() -> None:
    requirements = list(project()["project"]["dependencies"])
    for extra in project()["project"]["optional-dependencies"].values():
        requirements += extra
    needed = {re.split(r"[^\w-]", requirement)[0] for requirement in requirements} - {"mlir-inplace"}
    pinned = re.findall(r"^([\w-]+)==", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert needed <= set(pinned)


def test_public_names_load_on_first_use() -> None:
    code = "import sys, mlir_inplace; print(sorted(n for n in sys.modules if n.startswith(('mlir_inplace.', 'mlir.'))))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    expected = ["mlir_inplace.runtime", "mlir_inplace.runtime.bindings", "mlir_inplace.runtime.deferred_operators"]
    assert loaded.strip() == str(expected)
    assert set(mlir_inplace.__all__) <= set(dir(mlir_inplace))
    for name in mlir_inplace.__all__:
        assert getattr(mlir_inplace, name) is not None


def test_an_unknown_public_name() -> None:
    with pytest.raises(AttributeError, match="module 'mlir_inplace' has no attribute 'bufferise'"):
        mlir_inplace.bufferise  # noqa: B018
