"""Op models that a package brings through its entry point: the one of docs/OP_MODELS.md, and what may go wrong.

Models are loaded once per process, so each test runs a process of its own, with a distribution made for it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "OP_MODELS.md").read_text()

COUNTS = """
import mlir_inplace as mi
from mlir import ir
from toy_axpy import Toy

def bufferized(body):
    with ir.Context():
        Toy.load()
        module = ir.Module.parse(
            "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %a: f32) -> (tensor<4xf32>, tensor<4xf32>) {"
            + body.replace("!t", "tensor<4xf32>") + "}"
        )
        mi.run_pipeline(module, "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true})")
        return str(module)

def counts(body):
    text = bufferized(body)
    assert "toy.axpy" not in text
    return text.count("memref.alloc"), text.count("memref.copy")

AXPY = '%{} = "toy.axpy"({}, {}, %a) : (!t, !t, f32) -> !t\\n'
IN_PLACE = AXPY.format("r", "%x", "%y") + "return %r, %x : !t, !t"
READ_LATER = AXPY.format("r", "%x", "%y") + "return %r, %y : !t, !t"
OVER_ITSELF = AXPY.format("r", "%y", "%y") + "return %r, %x : !t, !t"
SHIFTED = (
    "%p = tensor.extract_slice %x[0] [3] [1] : !t to tensor<3xf32>\\n"
    "%q = tensor.extract_slice %x[1] [3] [1] : !t to tensor<3xf32>\\n"
    + AXPY.format("r", "%p", "%q").replace("!t", "tensor<3xf32>")
    + "%s = tensor.insert_slice %r into %x[1] [3] [1] : tensor<3xf32> into !t\\n"
    "return %s, %y : !t, !t"
)
assert counts(IN_PLACE) == (0, 0)
assert counts(OVER_ITSELF) == (0, 0)
assert counts(READ_LATER) == (1, 1)
assert counts(SHIFTED)[0] == 1
"""


def block(language: str) -> str:
    """The one block of the page with these words behind the backticks."""
    (found,) = re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found


MODULE, PROGRAM = block("python file=toy-axpy/toy_axpy.py"), block("python")
PROJECT = block("toml file=toy-axpy/pyproject.toml")


def install(folder: Path, name: str, module: str) -> None:
    """Put a distribution with one module into `folder`, as pip does; its entry point is that of the page's project."""
    group, entry = re.search(r'^\[project\.entry-points\."(.*)"\]\n(.*)\n', PROJECT, re.MULTILINE).groups()
    key, _, value = entry.partition(" = ")
    assert value.strip('"') == "toy_axpy"
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{key} = {name}\n")
    (folder / f"{name}.py").write_text(module)


def run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    paths = [str(folder), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_the_model_of_the_page_decides_about_copies(tmp_path: Path) -> None:
    install(tmp_path, "toy_axpy", MODULE)
    done = run(tmp_path, COUNTS)
    assert done.returncode == 0, done.stderr


def test_without_the_package_the_op_is_refused(tmp_path: Path) -> None:
    (tmp_path / "toy_axpy.py").write_text(MODULE)
    done = run(tmp_path, PROGRAM)
    assert done.returncode == 1
    assert "op 'toy.axpy' works on tensors but has no bufferization model; register one" in done.stderr


def test_a_clash_with_a_built_in_model_names_both_owners(tmp_path: Path) -> None:
    install(tmp_path, "toy_axpy", MODULE.replace('"toy.axpy",', '"toy.axpy", "tensor.insert"'))
    code = PROGRAM.replace(
        "return %1", "%i = arith.constant 0 : index\n%2 = tensor.insert %a into %1[%i] : tensor<4xf32>\nreturn %2"
    )
    done = run(tmp_path, code)
    assert done.returncode == 1
    assert (
        "op 'tensor.insert' has a bufferization model from 'toy_axpy (entry point toy)' and another one from "
        "'mlir_inplace.dialects.tensor'; uninstall one of them"
    ) in done.stderr


def test_a_clash_of_two_packages_names_both(tmp_path: Path) -> None:
    install(tmp_path, "toy_axpy", MODULE)
    install(tmp_path, "other_axpy", "from toy_axpy import AxpyModel\nMODELS = (AxpyModel(),)\n")
    done = run(tmp_path, PROGRAM)
    assert done.returncode == 1
    assert "mlir_inplace.passes.framework.errors.PassError" in done.stderr
    owners = re.search(
        r"model from '(\w+) \(entry point toy\)' and another one from '(\w+) \(entry point toy\)'", done.stderr
    )
    assert owners, done.stderr
    assert set(owners.groups()) == {"toy_axpy", "other_axpy"}
