"""Builds the wheel and the sdist, checks what is in them, and tries both as their users would.

    python .ci/distributions.py [FOLDER]    # by default build/distributions

It needs the extra `release`, and pip's package index. They are built from a copy of the files that git tracks, so that
nothing depends on what else is in the folder; the wheel is built from the sdist. The wheel is tried with each Python
that pyproject.toml names and that is found on the PATH or in pyenv; the last lines say which were and which were not.
"""

from __future__ import annotations

import argparse
import gzip
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE_FOLDERS = ("checking", "dialects", "frontends", "passes", "runtime", "tools")
ONLY_IN_CLONES = {".gitignore"}
GENERATED = r"PKG-INFO|setup\.cfg|mlir_inplace\.egg-info/.*"
"""What setuptools adds to an sdist."""
NOT_INHERITED = ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
"""Variables that would let the repository be found, or each program compile all that it imports."""
COMMANDS = (
    "inplace-opt examples/old_value.mlir --inplace-one-shot-bufferize=bufferize-function-boundaries -o bufferized.mlir",
    "inplace-check examples/old_value.mlir",
    "inplace-compile examples/jacobi.mlir -o jacobi.o --header jacobi.h",
    "inplace-explain examples/old_value.mlir -o report.html",
    "inplace-exhaust --ops 1 --grammar insert",
    "inplace-fuzz --seeds 0..1",
)
"""What is tried besides the command of the README."""


class Fault(Exception):
    """A distribution is not as it should be; the message has a line for each reason."""


def tracked_files() -> set[str]:
    """The files of the repository, as paths below its root."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {path for path in listed.split("\0") if path and (ROOT / path).is_file()}


def compare(what: str, found: Set[str], expected: Set[str]) -> None:
    """Raise a `Fault` if a distribution does not hold exactly the expected files."""
    lines = [f"{what} lacks {path}" for path in sorted(expected - found)]
    lines += [f"{what} holds {path}, which does not belong there" for path in sorted(found - expected)]
    if lines:
        raise Fault("\n".join(lines))


def check_sdist(names: Iterable[str], tracked: Set[str]) -> None:
    """An sdist holds what git tracks: it can be built, tested and changed like a clone."""
    below = {name.partition("/")[2] for name in names}
    compare("the sdist", {path for path in below if not re.fullmatch(GENERATED, path)}, tracked - ONLY_IN_CLONES)


def check_wheel(names: Iterable[str], tracked: Set[str]) -> None:
    """A wheel holds the Python files of the package, the mark that it is typed, metadata and the license."""
    modules = {path for path in tracked if path.startswith(tuple(f"{folder}/" for folder in PACKAGE_FOLDERS))}
    package = {path for path in modules if path.endswith(".py")} | {"__init__.py", "__main__.py", "py.typed"}
    metadata = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "top_level.txt")
    found = {re.sub(r"^mlir_inplace-[^/]*\.dist-info/", "dist-info/", name) for name in names}
    expected = {f"mlir_inplace/{path}" for path in package} | {f"dist-info/{name}" for name in metadata}
    compare("the wheel", found, expected)


def supported_pythons() -> list[str]:
    """The versions of Python that pyproject.toml names, oldest first."""
    text = (ROOT / "pyproject.toml").read_text()
    return re.findall(r'"Programming Language :: Python :: (3\.\d+)"', text)


def find_python(version: str) -> str | None:
    """An interpreter of this version that can make environments."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    folders = [*map(Path, os.get_exec_path()), *sorted(pyenv.glob(f"{version}.*/bin"))]
    probe = "import sys, venv, ensurepip; print(*sys.version_info[:2], sep='.')"
    for candidate in (sys.executable, *(str(folder / f"python{version}") for folder in folders)):
        if Path(candidate).is_file():
            answer = subprocess.run([candidate, "-c", probe], capture_output=True, text=True, check=False)
            if answer.stdout.strip() == version:
                return candidate
    return None


def run(command: Sequence[str | Path], cwd: Path, binaries: Path | None = None, **variables: str) -> None:
    """Run a command, with these binaries first on its PATH and variables; raise a `Fault` if it fails."""
    environment = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED} | variables
    if binaries is not None:
        environment["PATH"] = os.pathsep.join([str(binaries), environment["PATH"]])
    done = subprocess.run(command, cwd=cwd, env=environment, umask=0o022, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Fault(f"{shlex.join(map(str, command))} exits with {done.returncode}:\n{done.stdout}{done.stderr}")


def last_commit() -> int:
    """When the last commit was made, in seconds since 1970: the date of all files in the distributions."""
    shown = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=True)
    return int(shown.stdout)


def repack(sdist: Path, epoch: int) -> None:
    """Let the bytes of an sdist depend on names and contents of its files only."""
    with tarfile.open(sdist) as archive:
        files = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        contents = {name: file.read() for name, file in sorted(files.items()) if file is not None}
        executable = {member.name for member in archive if member.mode & 0o100}
    with (
        sdist.open("wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=epoch) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), epoch
            member.mode = 0o755 if name in executable else 0o644
            archive.addfile(member, io.BytesIO(content))


def build_once(root: Path, tracked: Iterable[str], target: Path, epoch: int, command: Sequence[str]) -> None:
    """Build sdist and wheel of these files of `root` into a new folder; `command` takes that and the sources."""
    source = target / "source"
    for path in tracked:
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / path, source / path)
        (source / path).chmod(0o755 if (root / path).stat().st_mode & 0o100 else 0o644)
    run([*command, target, source], target, SOURCE_DATE_EPOCH=str(epoch))
    shutil.rmtree(source)
    for sdist in target.glob("*.tar.gz"):
        repack(sdist, epoch)


def build(target: Path) -> tuple[Path, Path]:
    """Build sdist and wheel of the tracked files into an empty folder, check them, and return them.

    They are built twice, in different folders: both must be the same bytes.
    """
    tracked = tracked_files()
    for folder in (target, target / "again"):
        build_once(ROOT, tracked, folder, last_commit(), [sys.executable, "-m", "build", "--outdir"])
    (sdist,), (wheel,) = target.glob("*.tar.gz"), target.glob("*.whl")
    for path in (sdist, wheel):
        if path.read_bytes() != (target / "again" / path.name).read_bytes():
            raise Fault(f"{path.name} has other bytes when it is built again")
    shutil.rmtree(target / "again")
    run([sys.executable, "-m", "twine", "check", "--strict", sdist, wheel], target)
    with tarfile.open(sdist) as archive:
        check_sdist([member.name for member in archive if member.isfile()], tracked)
    check_wheel(zipfile.ZipFile(wheel).namelist(), tracked)
    return sdist, wheel


def readme_command() -> str:
    """What the first fenced line of the README runs once it has installed the package."""
    line = re.search(r"^```sh\n(.*)\n", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert line is not None
    return line[1].rpartition(" && ")[2]


def try_install(python: str, distributions: Sequence[Path], folder: Path) -> None:
    """Install each distribution into a new environment, away from the repository, and run the commands."""
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "examples", folder / "examples")
    run([python, "-m", "venv", folder / "venv"], folder)
    binaries = folder / "venv" / "bin"
    for distribution in distributions:
        again = ["--force-reinstall", "--no-deps"] if distribution != distributions[0] else []
        run([binaries / "pip", "install", "-q", "--no-compile", *again, distribution], folder)
        for command in (readme_command(), *COMMANDS):
            run(["sh", "-c", command], folder, binaries)
    shutil.rmtree(folder)


def try_all(sdist: Path, wheel: Path, folder: Path) -> list[str]:
    """Try the wheel with each Python there is, and the sdist with the first; return a line for each Python."""
    found = {version: find_python(version) for version in supported_pythons()}
    used = [(version, python) for version, python in found.items() if python is not None]
    if not used:
        raise Fault(f"no Python of {', '.join(found)} was found")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [
            pool.submit(try_install, python, [wheel, sdist][: 1 + (number == 0)], folder / version)
            for number, (version, python) in enumerate(used)
        ]
        for one in runs:
            one.result()
    tried = [f"Python {version}: tried, {python}" for version, python in used]
    return tried + [f"Python {version}: not tried, there is none here" for version in found if found[version] is None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, check and try; return the exit code."""
    parser = argparse.ArgumentParser(description="Build the distributions, check them, and try them.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "distributions")
    folder = parser.parse_args(arguments).folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        sdist, wheel = build(folder)
        print(*try_all(sdist, wheel, folder / "trials"), sdist, wheel, sep="\n")
    except Fault as fault:
        print(f"distributions: error: {fault}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(folder / "trials", ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
