"""Writes type stubs of the bindings under the name `mlir`: `python -m mlir_inplace.tools.generate_stubs DIR`.

The wheels of the bindings type their Python half, but ship the native half, `_mlir_libs`, without stubs, and install
everything under their own name. This tool writes a folder `DIR/mlir` that holds copies of the Python files and, for the
native modules, stubs which nanobind's own generator reads off the loaded libraries. pyproject.toml points basedpyright
at `build/typings`. Nothing at run time uses the result, and it is never committed.
"""

from __future__ import annotations

import argparse
import importlib
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from ..runtime import bindings

NATIVE_MODULES = (
    "_mlir_libs._mlir",
    "_mlir_libs._mlir.ir",
    "_mlir_libs._mlir.passmanager",
    "_mlir_libs._mlir.rewrite",
    "_mlir_libs._mlirDialectsLLVM",
    "_mlir_libs._mlirDialectsLinalg",
    "_mlir_libs._mlirDialectsTransform",
    "_mlir_libs._mlirExecutionEngine",
)
"""The native modules this project uses, directly or through the Python files around them."""

CORRECTIONS = (
    (r"\A", "from collections.abc import Mapping\nfrom typing import Any\n"),
    # `Value` alone means a value of any type: its type is seldom known more precisely.
    (r", bound=Type\)", ", bound=Type, default=Any, covariant=True)"),
    # An attribute has its most derived class, and code that gets it by name relies on that class.
    (r"(def __(?:getitem|next)__\(self.*\)) -> Attribute:", r"\1 -> Any:"),
    (r"dict\[str, Attribute\] \| None", "Mapping[str, Attribute] | None"),
    (r"(def body\(self\)) -> object:", r"\1 -> list[Any]:"),
    # The lists' own untyped subscripts hide the typed ones of the Sequence they derive from.
    (r" +def __getitem__\(self, key, /\): \.\.\.\n", ""),
    (r"(def attach_diagnostic_handler\(.*\)) -> object:", r"\1 -> DiagnosticHandler:"),
)
"""Patterns and replacements for types that the native libraries declare imprecisely."""


def generate_stubs(directory: Path) -> Path:
    """Replaces `directory/mlir` by typing information for the bindings in use and returns that folder.

    Raises ImportError when nanobind (extra `lint`) is not installed and OSError when the folder cannot be written.
    """
    try:
        from nanobind.stubgen import StubGen
    except ModuleNotFoundError:
        raise ImportError("nanobind is not installed; run: python -m pip install nanobind") from None
    target = directory / "mlir"
    if target.exists():
        shutil.rmtree(target)
    provider = bindings.install()
    only_python = shutil.ignore_patterns("__pycache__", "*.so", "*.so.*", "*-opt")
    shutil.copytree(provider.location, target, ignore=only_python)
    _show_native_context(provider.package)
    for name in NATIVE_MODULES:
        module = importlib.import_module(f"{provider.package}.{name}")
        generator = StubGen(module, include_private=True, include_docstrings=False)
        generator.put(generator.module)
        stub = _stub_path(target, name)
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text(_correct(_rename_package(generator.get(), provider.package)))
    return target


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the tool; returns the exit code: 0, or 1 after a message on stderr."""
    parser = argparse.ArgumentParser(prog="generate_stubs", description="Write type stubs of the bindings as `mlir`.")
    parser.add_argument("directory", type=Path, help="the folder in which `mlir` is (re)placed")
    options = parser.parse_args(arguments)
    try:
        print(generate_stubs(options.directory))
    except (ImportError, OSError) as error:
        print(f"generate_stubs: error: {error}", file=sys.stderr)
        return 1
    return 0


def _show_native_context(package: str) -> None:
    """Undoes, in this process, the bindings' replacement of the native `Context` by a class made inside a function."""
    ir = vars(importlib.import_module(f"{package}._mlir_libs._mlir.ir"))
    if "_Context" in ir:
        ir["Context"] = ir.pop("_Context")


def _stub_path(target: Path, module: str) -> Path:
    """The path of a native module's stub; a module with submodules becomes a folder."""
    path = target.joinpath(*module.split("."))
    is_package = any(other.startswith(f"{module}.") for other in NATIVE_MODULES)
    return path / "__init__.pyi" if is_package else path.with_suffix(".pyi")


def _rename_package(stub: str, package: str) -> str:
    """The stub's text with every name under `mlir`, so that each type has one name.

    The native submodules call themselves `_mlir.ir`, without the package they are loaded from.
    """
    stub = re.sub(rf"\b{re.escape(package)}(?=[.\s])", "mlir", stub)
    return re.sub(r"(?<![\w.])_mlir\.", "mlir._mlir_libs._mlir.", stub)


def _correct(stub: str) -> str:
    """The stub with `CORRECTIONS` made."""
    for pattern, replacement in CORRECTIONS:
        stub = re.sub(pattern, replacement, stub)
    return stub


if __name__ == "__main__":
    sys.exit(main())
