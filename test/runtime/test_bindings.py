"""The bindings gate: which package `mlir` stands for, and what is said when none will do.

Made-up packages of empty modules are searched in subprocesses that see nothing installed (`-S`); the last tests use the
bindings this Python really has.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from mlir_inplace.runtime import bindings

ROOT = Path(__file__).parents[2]
SHOW = "import mlir_inplace, mlir.ir; from mlir import ir; print(ir.__name__, ir.__spec__.name, mlir.ir is ir)"


def make_package(folder: Path, package: str, *, missing: Collection[str] = (), namespace: bool = False) -> None:
    """Writes a package with all required modules but the missing ones, every module an empty file."""
    base = folder.joinpath(*package.split("."))
    base.mkdir(parents=True)
    if not namespace:
        (base / "__init__.py").touch()
    for module in bindings.REQUIRED_MODULES:
        if module not in missing:
            path = base.joinpath(*module.split(".")).with_suffix(".py")
            path.parent.mkdir(exist_ok=True)
            path.touch()


def run(folder: Path, code: str, *, forced: str | None = None) -> subprocess.CompletedProcess[str]:
    """Runs code in a Python that finds this project, the packages in `folder` and the standard library."""
    link = folder / "project" / "mlir_inplace"
    link.parent.mkdir(exist_ok=True)
    if not link.exists():
        link.symlink_to(ROOT)
    code = f"import sys; sys.path[:0] = {[str(folder), str(link.parent)]}\n{code}"
    environment = {} if forced is None else {bindings.ENVIRONMENT_VARIABLE: forced}
    command = [sys.executable, "-S", "-c", code]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)


def output(folder: Path, code: str, *, forced: str | None = None) -> str:
    process = run(folder, code, forced=forced)
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


def import_error(folder: Path, code: str = "import mlir_inplace", *, forced: str | None = None) -> str:
    """The message of the ImportError, which is the last line Python prints: so it is one line."""
    process = run(folder, code, forced=forced)
    assert process.returncode == 1
    kind, _, message = process.stderr.splitlines()[-1].partition(": ")
    assert kind == "ImportError"
    return message


def test_no_bindings(tmp_path: Path) -> None:
    message = import_error(tmp_path)
    assert message.startswith("no MLIR Python bindings are installed")
    assert message.endswith("run: python -m pip install torch-mlir")


@pytest.mark.parametrize("namespace", [True, False])
def test_torch_mlir_is_aliased(tmp_path: Path, namespace: bool) -> None:
    make_package(tmp_path, "torch_mlir", namespace=namespace)
    assert output(tmp_path, SHOW) == "torch_mlir.ir torch_mlir.ir True"


def test_the_alias_covers_all_modules(tmp_path: Path) -> None:
    make_package(tmp_path, "torch_mlir", namespace=True)
    same = (
        "import mlir_inplace, mlir, mlir.dialects.scf, torch_mlir.dialects.scf\n"
        "from mlir.dialects import linalg\n"
        "print(mlir is torch_mlir, mlir.dialects.scf is torch_mlir.dialects.scf, linalg.__name__)"
    )
    assert output(tmp_path, same) == "True True torch_mlir.dialects.linalg"


def test_a_module_the_provider_lacks(tmp_path: Path) -> None:
    make_package(tmp_path, "torch_mlir")
    message = import_error(tmp_path, "import mlir_inplace\nfrom mlir import no_such_thing")
    assert "cannot import name 'no_such_thing'" in message
    process = run(tmp_path, "import mlir_inplace, mlir.no_such_module")
    assert process.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'mlir.no_such_module'"


def test_a_complete_mlir_wins(tmp_path: Path) -> None:
    make_package(tmp_path, "mlir")
    make_package(tmp_path, "torch_mlir")
    assert output(tmp_path, SHOW) == "mlir.ir mlir.ir True"
    added = "import sys; known = list(sys.meta_path); import mlir_inplace\n"
    added += "print(*(type(finder).__name__ for finder in sys.meta_path if finder not in known))"
    assert output(tmp_path, added) == "OperatorFinder"


def test_a_placeholder_mlir_is_skipped(tmp_path: Path) -> None:
    make_package(tmp_path, "torch_mlir", namespace=True)
    (tmp_path / "mlir").mkdir()
    (tmp_path / "mlir" / "__init__.py").write_text("raise RuntimeError('looking must not import')")
    assert output(tmp_path, SHOW) == "torch_mlir.ir torch_mlir.ir True"


@pytest.mark.parametrize("placeholder", ["mlir/__init__.py", "mlir.py"])
def test_a_placeholder_that_is_imported_already(tmp_path: Path, placeholder: str) -> None:
    make_package(tmp_path, "torch_mlir")
    (tmp_path / placeholder).parent.mkdir(exist_ok=True)
    (tmp_path / placeholder).touch()
    assert output(tmp_path, f"import mlir\n{SHOW}") == "torch_mlir.ir torch_mlir.ir True"


def test_a_partial_mlir_is_not_mixed_with_another_package(tmp_path: Path) -> None:
    make_package(tmp_path, "mlir", missing=["execution_engine"])
    make_package(tmp_path, "torch_mlir")
    assert output(tmp_path, SHOW) == "torch_mlir.ir torch_mlir.ir True"
    message = import_error(tmp_path, f"import mlir.ir\n{SHOW}")
    assert "already imported from" in message
    assert message.endswith("import mlir_inplace first, or uninstall the other package")


@pytest.mark.parametrize("module", bindings.REQUIRED_MODULES)
def test_each_required_module_counts(tmp_path: Path, module: str) -> None:
    make_package(tmp_path, "torch_mlir", missing=[module])
    message = import_error(tmp_path)
    assert f"package `torch_mlir` in {tmp_path / 'torch_mlir'} lacks {module};" in message
    assert message.startswith("no complete MLIR Python bindings are installed")


def test_iree_says_what_it_lacks(tmp_path: Path) -> None:
    make_package(tmp_path, "iree.compiler", missing=["execution_engine", "dialects.bufferization"])
    message = import_error(tmp_path)
    assert "package `iree.compiler`" in message
    assert "lacks execution_engine, dialects.bufferization; run: python -m pip install torch-mlir" in message


def test_looking_imports_nothing(tmp_path: Path) -> None:
    make_package(tmp_path, "iree.compiler", missing=["ir"])
    make_package(tmp_path, "torch_mlir")
    names = "[name for name in sys.modules if name.split('.')[0] in ('mlir', 'torch_mlir', 'iree')]"
    assert output(tmp_path, f"import mlir_inplace; print({names})") == "[]"


def test_another_finder_is_asked(tmp_path: Path) -> None:
    """An editable install of the bindings is known only to a finder of its own."""
    make_package(tmp_path / "elsewhere", "mlir")
    finder = (
        "import importlib.util\n"
        f"init = {str(tmp_path / 'elsewhere' / 'mlir' / '__init__.py')!r}\n"
        "class Finder:\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if name == 'mlir':\n"
        "            return importlib.util.spec_from_file_location(name, init)\n"
        "sys.meta_path.append(Finder)\n"
    )
    assert output(tmp_path, finder + SHOW) == "mlir.ir mlir.ir True"


@pytest.mark.parametrize("package", ["mlir", "torch_mlir", "some.where.mlir"])
def test_forcing_a_package(tmp_path: Path, package: str) -> None:
    for name in {"mlir", "torch_mlir", package}:
        make_package(tmp_path, name)
    assert output(tmp_path, SHOW, forced=package) == f"{package}.ir {package}.ir True"


@pytest.mark.parametrize("package", ["no_such_package", "torch_mlir.nothing", "../mlir", "a..b", "."])
def test_forcing_a_package_that_is_not_there(tmp_path: Path, package: str) -> None:
    make_package(tmp_path, "torch_mlir")
    start = f"MLIR_INPLACE_BINDINGS={package}: no package `{package}` is installed; unset the variable, or run: "
    assert import_error(tmp_path, forced=package).startswith(start)


def test_forcing_an_incomplete_package(tmp_path: Path) -> None:
    make_package(tmp_path, "torch_mlir")
    make_package(tmp_path, "iree.compiler", missing=["execution_engine"])
    message = import_error(tmp_path, forced="iree.compiler")
    assert message.startswith("MLIR_INPLACE_BINDINGS=iree.compiler: package `iree.compiler` in ")
    assert "lacks execution_engine; unset the variable" in message


def test_an_empty_variable_forces_nothing(tmp_path: Path) -> None:
    make_package(tmp_path, "torch_mlir")
    assert output(tmp_path, SHOW, forced="") == "torch_mlir.ir torch_mlir.ir True"


@pytest.mark.parametrize("program", bindings.PROGRAMS)
def test_a_program_prints_one_line(tmp_path: Path, program: str) -> None:
    process = run(tmp_path, f"sys.argv[0] = '/somewhere/bin/{program}'; import mlir_inplace")
    assert process.returncode == 1
    assert process.stdout == ""
    (line,) = process.stderr.splitlines()
    assert line.startswith(f"{program}: error: no MLIR Python bindings are installed")


@pytest.mark.parametrize(
    ("module", "program"),
    [
        ("mlir_inplace", "inplace-opt"),
        ("mlir_inplace.tools.inplace_opt", "inplace-opt"),
        ("mlir_inplace.tools.inplace_fuzz", "inplace-fuzz"),
    ],
)
def test_a_program_started_as_a_module_prints_one_line(module: str, program: str) -> None:
    command = [sys.executable, "-m", module, "--version"]
    environment = {**os.environ, bindings.ENVIRONMENT_VARIABLE: "no_such_package"}
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 1
    (line,) = process.stderr.splitlines()
    assert line.startswith(f"{program}: error: MLIR_INPLACE_BINDINGS=no_such_package: no package")


@pytest.mark.parametrize("arguments", [["-m"], ["-m", "mlir_inplace.tools.inplace_opt"]])
def test_a_program_of_somebody_else_gets_the_exception(tmp_path: Path, arguments: list[str]) -> None:
    code = f"sys.argv[1:] = {arguments}; sys.orig_argv += {arguments}; import mlir_inplace"
    assert import_error(tmp_path, code).startswith("no MLIR Python bindings are installed")


def test_the_installed_bindings() -> None:
    provider = bindings.install()
    assert bindings.install() is provider
    for module in bindings.REQUIRED_MODULES:
        assert importlib.import_module(f"mlir.{module}") is importlib.import_module(f"{provider.package}.{module}")


def test_the_installed_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\w*", bindings.llvm_version())
    provider = bindings.install()
    assert str(provider).startswith(f"{provider.package} (")
    assert str(provider).endswith(f"), LLVM {bindings.llvm_version()}")
    if provider.package == "torch_mlir":
        assert re.fullmatch(r"torch-mlir \d+", provider.distribution or "")
