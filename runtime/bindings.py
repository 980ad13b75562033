"""The gate to the MLIR Python bindings: the only module that knows which package they are installed under.

Everywhere else code reads as in the upstream documentation, `from mlir import ir`. `install()`, which the root
`__init__.py` runs before anything else, makes that work:

1. `MLIR_INPLACE_BINDINGS=<package>` in the environment forces the package of that name.
2. Otherwise the first complete package of `PROVIDERS` is taken; a real `mlir` wins.
3. If the chosen package is not `mlir` itself, `mlir` becomes an alias of it: `mlir.x` IS the module `<package>.x`,
   the same object under both names, as nanobind requires (loading the libraries twice aborts the process).

Complete means that every module of `REQUIRED_MODULES` can be found. Looking imports nothing, so a placeholder or a
partial package leaves no trace in the process. Where no package is complete, an `ImportError` of one line names what
is missing and the command that installs it.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from .deferred_operators import OperatorFinder

ENVIRONMENT_VARIABLE = "MLIR_INPLACE_BINDINGS"

_PIP = "python -m pip install"
_DISTRIBUTION = "torch-mlir"

INSTALL_COMMAND = f"{_PIP} {_DISTRIBUTION}"

PROVIDERS = ("mlir", "torch_mlir", "iree.compiler", "jaxlib.mlir")
"""Packages known to hold MLIR's Python bindings, in order of preference; the last two lack parts as of 2026."""

REQUIRED_MODULES = (
    "ir",
    "passmanager",
    "rewrite",
    "execution_engine",
    "runtime",
    "dialects.arith",
    "dialects.bufferization",
    "dialects.cf",
    "dialects.ext",
    "dialects.func",
    "dialects.linalg",
    "dialects.memref",
    "dialects.scf",
    "dialects.tensor",
    "dialects.transform",
    "dialects.vector",
)
"""What makes bindings complete: the modules, below the package, that this project's code is written against."""

PROGRAMS = (
    "inplace-check",
    "inplace-compile",
    "inplace-exhaust",
    "inplace-explain",
    "inplace-fuzz",
    "inplace-lsp",
    "inplace-opt",
    "inplace-run",
)
"""The commands that pip installs; `python -m mlir_inplace` is one of them."""

_PROGRAM_OF_PACKAGE = "inplace-opt"

_ALIAS = "mlir"


@dataclass(frozen=True)
class Provider:
    """The package that provides `mlir` in this process."""

    package: str
    """The import name, for example `torch_mlir`; plain `mlir` when nothing is aliased."""

    location: str
    """The folder it was found in; the first one for a namespace package."""

    @property
    def distribution(self) -> str | None:
        """Name and version of the installed distribution, for example `torch-mlir 20261001`; None for a bare folder."""
        root = self.package.partition(".")[0]
        beside = list(Path(self.location).parent.glob(f"{root}-*.dist-info/METADATA"))
        if root == self.package and len(beside) == 1:
            head = dict(line.split(": ", 1) for line in beside[0].read_text().splitlines()[:3] if ": " in line)
            return f"{head['Name']} {head['Version']}"
        from importlib import metadata  # It reads the files of all distributions: slower than all else of --version.

        owners = metadata.packages_distributions().get(root, [])
        return f"{owners[0]} {metadata.version(owners[0])}" if owners else None

    def __str__(self) -> str:
        """One line for `--version`: the package, its distribution and its LLVM version."""
        origin = self.distribution or self.location
        return f"{self.package} ({origin}), LLVM {llvm_version()}"


@dataclass(frozen=True)
class _Candidate:
    """One package that was looked for, where it is, and which modules it lacks."""

    package: str
    location: str | None
    missing: tuple[str, ...]

    @property
    def complete(self) -> bool:
        return self.location is not None and not self.missing

    def __str__(self) -> str:
        return f"package `{self.package}` in {self.location} lacks {', '.join(self.missing)}"


class _AliasFinder:  # Its base classes are in `importlib.abc`, which takes long to import.
    """Resolves `mlir` and everything below it to the modules of another package.

    It is FIRST in `sys.meta_path`: the packages that it returns keep their own `__path__`, on which the ordinary path
    finder would find `mlir.ir` again as a second module and load the native libraries twice, which aborts the process.
    A real `mlir` still wins, because then this finder is never installed.
    """

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec for `mlir` or `mlir.x` when the package has that module, else None."""
        if fullname != _ALIAS and not fullname.startswith(f"{_ALIAS}."):
            return None
        if importlib.util.find_spec(self._aliased_name(fullname)) is None:
            return None
        loader: Any = self
        return ModuleSpec(fullname, loader)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The package's own module, imported; its own spec is kept for `exec_module`."""
        module = importlib.import_module(self._aliased_name(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Gives the module back the spec which the import system has just replaced; it has been executed already."""
        alias_spec = module.__spec__
        if alias_spec is not None:
            module.__spec__ = alias_spec.loader_state

    def _aliased_name(self, fullname: str) -> str:
        return self.package + fullname[len(_ALIAS) :]


@cache
def install() -> Provider:
    """Makes `mlir` importable and returns its provider; later calls return the same provider.

    Raises ImportError, with one line that says what to do, when there are no complete bindings, when the forced
    package is not complete, or when the process has already imported `mlir` modules from another package.
    """
    chosen = _choose()
    loaded = sys.modules.get(f"{_ALIAS}.ir")
    if loaded is not None and loaded.__name__ != f"{chosen.package}.ir":
        raise ImportError(
            f"`{_ALIAS}.ir` is already imported from {loaded.__file__}, but the MLIR bindings to use are"
            f" `{chosen.package}` in {chosen.location}: import mlir_inplace first, or uninstall the other package"
        )
    sys.meta_path.insert(0, OperatorFinder(chosen.package))
    if chosen.package != _ALIAS:
        _forget_placeholder()
        sys.meta_path.insert(0, _AliasFinder(chosen.package))
        importlib.invalidate_caches()
    return chosen


@cache
def llvm_version() -> str:
    """The LLVM version the bindings are built from, for example `24.0.0git`, as their bytecode writer states it."""
    # Not from `mlir.ir`, which imports NumPy: `--version` answers at once.
    ir: Any = importlib.import_module("mlir._mlir_libs._mlir").ir
    with ir.Context(load_on_create_dialects=()):
        buffer = io.BytesIO()
        ir.Module.parse("module {}").operation.write_bytecode(buffer)
    # Bytecode opens with a magic number, a version of one byte and the producer, which ends in a zero byte.
    producer = buffer.getvalue()[5:].split(b"\0", 1)[0].decode()
    return producer.removeprefix("MLIR")


def command_line_program() -> str | None:
    """The name of our program that this process was started as, for example `inplace-opt`; else None."""
    started = Path(sys.argv[0]).name if sys.argv else ""
    if started == "-m":  # Python has not found the module yet, which is in this package.
        module = next((after for flag, after in pairwise(sys.orig_argv) if flag == "-m"), "")
        started = _PROGRAM_OF_PACKAGE if module == "mlir_inplace" else module.rpartition(".")[2].replace("_", "-")
    return started if started in PROGRAMS else None


def explain_missing_module(error: ImportError) -> str | None:
    """One line: which module of another package could not be imported, and what to do; None for modules of ours."""
    package = (error.name or "mlir_inplace").partition(".")[0]
    if package == "mlir_inplace":
        return None
    distribution = _DISTRIBUTION if package in PROVIDERS else package
    if isinstance(error, ModuleNotFoundError) and error.name == package:
        return f"the package `{package}` is not installed; run: {_PIP} {distribution}"
    reason = str(error).partition("\n")[0]
    return f"cannot import `{error.name}`: {reason}; run: {_PIP} --upgrade --force-reinstall {distribution}"


def _choose() -> Provider:
    """The forced package, or the first complete one; ImportError when there is none."""
    forced = os.environ.get(ENVIRONMENT_VARIABLE)
    candidates = [_examine(package) for package in ([forced] if forced else PROVIDERS)]
    for candidate in candidates:
        if candidate.location is not None and candidate.complete:
            return Provider(candidate.package, candidate.location)
    raise ImportError(_explain_failure(forced, candidates))


def _explain_failure(forced: str | None, candidates: Sequence[_Candidate]) -> str:
    """One line: what was looked for, what each package found lacks, and what to do."""
    incomplete = "; ".join(str(candidate) for candidate in candidates if candidate.location is not None)
    if forced:
        found = incomplete or f"no package `{forced}` is installed"
        return f"{ENVIRONMENT_VARIABLE}={forced}: {found}; unset the variable, or run: {INSTALL_COMMAND}"
    if incomplete:
        return f"no complete MLIR Python bindings are installed: {incomplete}; run: {INSTALL_COMMAND}"
    return f"no MLIR Python bindings are installed (no package `mlir` or `torch_mlir`); run: {INSTALL_COMMAND}"


def _examine(package: str) -> _Candidate:
    """Looks for a package and its required modules without importing any of them."""
    if not all(part.isidentifier() for part in package.split(".")):
        return _Candidate(package, None, REQUIRED_MODULES)
    root, *rest = package.split(".")
    folders = _find_top_level(root)
    for name in rest:
        folders = _find_below(folders, name)
    missing = tuple(module for module in REQUIRED_MODULES if not _has_module(folders, module))
    return _Candidate(package, folders[0] if folders else None, missing)


def _has_module(folders: Sequence[str], module: str) -> bool:
    """Tells whether the package that consists of `folders` contains the dotted `module`."""
    *packages, last = module.split(".")
    for name in packages:
        folders = _find_below(folders, name)
    suffixes = importlib.machinery.all_suffixes()
    return bool(_find_below(folders, last)) or any(
        Path(folder, last + suffix).is_file() for folder in folders for suffix in suffixes
    )


def _find_top_level(name: str) -> Sequence[str]:
    """The folders of an installed top-level package; every finder is asked, since editable installs have their own."""
    for finder in sys.meta_path:
        if isinstance(finder, _AliasFinder) or not hasattr(finder, "find_spec"):
            continue
        spec = finder.find_spec(name, None)
        if spec is not None:
            return list(spec.submodule_search_locations or ())
    return ()


def _find_below(folders: Sequence[str], name: str) -> Sequence[str]:
    """The folders of a subpackage.

    Finders cannot be asked: for a namespace package (torch_mlir has no `__init__.py`) they need the parent imported.
    """
    return [str(path) for path in (Path(folder, name) for folder in folders) if path.is_dir()]


def _forget_placeholder() -> None:
    """Unloads an incomplete `mlir` that was imported earlier: the alias takes its place."""
    for name in [name for name in sys.modules if name == _ALIAS or name.startswith(f"{_ALIAS}.")]:
        del sys.modules[name]
