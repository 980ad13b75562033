"""What `.ci/distributions.py` demands of a wheel and an sdist, and how it finds interpreters to try them with.

That real ones are as it demands is the matter of test_packaging.py and of CI.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import distributions
import pytest
from distributions import Fault

TRACKED = {
    "__init__.py",
    "__main__.py",
    "py.typed",
    "tools/launch.py",
    "test/a.mlir",
    "benchmarks/speed.py",
    ".gitignore",
}
SDIST = (TRACKED - {".gitignore"}) | {"PKG-INFO", "setup.cfg", "mlir_inplace.egg-info/SOURCES.txt"}
METADATA = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "top_level.txt")
WHEEL = {f"mlir_inplace/{path}" for path in ("__init__.py", "__main__.py", "py.typed", "tools/launch.py")} | {
    f"mlir_inplace-0.1.0.dist-info/{name}" for name in METADATA
}
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def test_distributions_that_are_complete() -> None:
    distributions.check_sdist({f"mlir_inplace-0.1.0/{path}" for path in SDIST}, TRACKED)
    distributions.check_wheel(WHEEL, TRACKED)


@pytest.mark.parametrize("path", ["benchmarks/speed.py", "test/a.mlir", "__init__.py"])
def test_an_sdist_that_lacks_a_file(path: str) -> None:
    with pytest.raises(Fault, match=rf"^the sdist lacks {path}$"):
        distributions.check_sdist({f"m-1/{name}" for name in SDIST - {path}}, TRACKED)


@pytest.mark.parametrize("path", ["notes.txt", ".gitignore", "build/lib/x.py"])
def test_an_sdist_that_holds_too_much(path: str) -> None:
    with pytest.raises(Fault, match=rf"^the sdist holds {path}, which does not belong there$"):
        distributions.check_sdist({f"m-1/{name}" for name in SDIST | {path}}, TRACKED)


@pytest.mark.parametrize("path", ["tools/launch.py", "py.typed"])
def test_a_wheel_that_lacks_a_file(path: str) -> None:
    with pytest.raises(Fault, match=rf"^the wheel lacks mlir_inplace/{path}$"):
        distributions.check_wheel(WHEEL - {f"mlir_inplace/{path}"}, TRACKED)


@pytest.mark.parametrize("path", ["lit.cfg.py", "test/a.mlir", "benchmarks/speed.py", "tools/unknown.py"])
def test_a_wheel_that_holds_too_much(path: str) -> None:
    with pytest.raises(Fault, match=rf"^the wheel holds mlir_inplace/{path}, which does not belong there$"):
        distributions.check_wheel(WHEEL | {f"mlir_inplace/{path}"}, TRACKED)


def test_a_wheel_without_the_license() -> None:
    with pytest.raises(Fault, match="^the wheel lacks dist-info/licenses/LICENSE$"):
        distributions.check_wheel(WHEEL - {"mlir_inplace-0.1.0.dist-info/licenses/LICENSE"}, TRACKED)


def test_the_supported_versions_begin_with_the_required_one() -> None:
    versions = distributions.supported_pythons()
    assert versions == sorted(versions, key=lambda version: int(version.partition(".")[2]))
    assert f'requires-python = ">={versions[0]}"' in (distributions.ROOT / "pyproject.toml").read_text()


def test_an_interpreter_is_found_if_it_is_what_its_name_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in ("3.98", "3.99"):
        (tmp_path / f"python{version}").write_text("#!/bin/sh\necho 3.99\n")
        (tmp_path / f"python{version}").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert distributions.find_python(VERSION) == sys.executable
    assert distributions.find_python("3.99") == str(tmp_path / "python3.99")
    assert distributions.find_python("3.98") is None
    assert distributions.find_python("3.97") is None


def test_pyenv_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binaries = tmp_path / "versions" / "3.99.1" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python3.99").write_text("#!/bin/sh\necho 3.99\n")
    (binaries / "python3.99").chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert distributions.find_python("3.99") == str(binaries / "python3.99")


def test_each_python_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[str, int]] = []
    monkeypatch.setattr(distributions, "supported_pythons", lambda: ["3.97", "3.98", "3.99"])
    monkeypatch.setattr(distributions, "find_python", {"3.98": "/a", "3.99": "/b"}.get)
    monkeypatch.setattr(distributions, "try_install", lambda python, given, _: tried.append((python, len(given))))
    assert distributions.try_all(Path("sdist"), Path("wheel"), tmp_path) == [
        "Python 3.98: tried, /a",
        "Python 3.99: tried, /b",
        "Python 3.97: not tried, there is none here",
    ]
    assert sorted(tried) == [("/a", 2), ("/b", 1)]  # The first installs the sdist too.


def test_one_python_at_least_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributions, "find_python", lambda _: None)
    with pytest.raises(Fault, match=r"^no Python of 3\.10, .* was found$"):
        distributions.try_all(Path("sdist"), Path("wheel"), tmp_path)


def test_a_command_that_fails_is_told_with_its_output(tmp_path: Path) -> None:
    with pytest.raises(Fault, match=r"^sh -c 'echo out; exit 3' exits with 3:\nout\n$"):
        distributions.run(["sh", "-c", "echo out; exit 3"], tmp_path)


def test_commands_do_not_find_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/here")
    distributions.run(["sh", "-c", 'test -z "$PYTHONPATH" && test "${PATH%%:*}" = /bins'], tmp_path, Path("/bins"))


def test_the_command_of_the_readme() -> None:
    assert distributions.readme_command().startswith("inplace-run examples/tiled_matmul.mlir ")


def test_a_fault_is_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(_: Path) -> None:
        raise Fault("the wheel lacks x")

    monkeypatch.setattr(distributions, "build", build)
    (tmp_path / "old.whl").touch()
    assert distributions.main([str(tmp_path)]) == 1
    assert capsys.readouterr().err == "distributions: error: the wheel lacks x\n"
    assert not list(tmp_path.iterdir())


BUILD = """
import os, sys
from setuptools import build_meta
target, source = map(os.path.abspath, sys.argv[1:])
os.chdir(source)
build_meta.build_sdist(target)
build_meta.build_wheel(target)
"""


def test_the_same_files_are_the_same_bytes(tmp_path: Path) -> None:
    """Whatever the dates, the owner's umask and the folder."""
    project = '[build-system]\nrequires = ["setuptools"]\n[project]\nname = "small"\nversion = "1"\n'
    contents = {"pyproject.toml": project, "small/__init__.py": "", "small/run.py": "import small\n"}
    built: list[dict[str, bytes]] = []
    for number, name in enumerate(("one", "other")):
        root = tmp_path / name / "root"
        before = os.umask(0o077 if number else 0o002)
        try:
            for path, text in contents.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
                os.utime(root / path, (1_600_000_000 + number * 12345,) * 2)
            target = tmp_path / name / "target"
            paths = list(contents) if number else list(contents)[::-1]
            distributions.build_once(root, paths, target, 1_700_000_000, [sys.executable, "-c", BUILD])
        finally:
            os.umask(before)
        built.append({path.name: path.read_bytes() for path in target.iterdir()})
    assert sorted(built[0]) == ["small-1-py3-none-any.whl", "small-1.tar.gz"]
    assert built[0] == built[1]
