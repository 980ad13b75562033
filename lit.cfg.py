"""Configuration of lit: `lit -v test examples`. pytest runs the same tests, one item each (repository/test_lit.py).

The suite's root is the repository's root, so that test/ mirrors the package and the examples are tests too.
"""

import os
import shlex
import sys
from pathlib import Path

import lit.formats

ROOT = Path(__file__).parent


def run_module(name: str) -> str:
    """The command that runs a module with the Python that runs lit, so that no program need be on the PATH."""
    return f"{shlex.quote(sys.executable)} -m {name}"


config.name = "mlir-inplace"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir"]
config.excludes = ["Inputs", "benchmarks", "build", "mutations", "regressions", "upstream", ".venv"]
config.test_source_root = str(ROOT)
config.test_exec_root = str(ROOT / "build" / "lit")

# A program's name is replaced where it stands as a word of its own, not inside a path or an option.
for program, command in {
    "inplace-opt": run_module("mlir_inplace.tools.inplace_opt"),
    "inplace-run": run_module("mlir_inplace.tools.inplace_run"),
    "inplace-check": run_module("mlir_inplace.tools.inplace_check"),
    "inplace-compile": run_module("mlir_inplace.tools.inplace_compile"),
    "inplace-explain": run_module("mlir_inplace.tools.inplace_explain"),
    "filecheck": run_module("filecheck"),
    "%python": shlex.quote(sys.executable),
}.items():
    config.substitutions.append((rf"(?<![\w./-]){program}(?![\w./-])", command))

config.environment["MLIR_INPLACE_CACHE"] = "0"  # What an earlier run compiled would not be tested.

if forced_bindings := os.environ.get("MLIR_INPLACE_BINDINGS"):
    config.environment["MLIR_INPLACE_BINDINGS"] = forced_bindings

# A tree that is not the installed one tests itself.
if module_path := os.environ.get("PYTHONPATH"):
    config.environment["PYTHONPATH"] = module_path
