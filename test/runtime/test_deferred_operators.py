"""Upstream's operators of linalg: stand-ins until one is used."""

from __future__ import annotations

import ast
import builtins
import dis
import subprocess
import sys
from pathlib import Path
from types import CodeType, FunctionType

from mlir import ir
from mlir.dialects import arith, linalg, tensor

import mlir_inplace
from mlir_inplace.runtime.bindings import install
from mlir_inplace.runtime.deferred_operators import KNOWN, checksum

_PACKAGE = Path(mlir_inplace.__file__).parent
_LANGUAGE = f"{install().package}.dialects.linalg.opdsl.lang"


def run(program: str) -> list[str]:
    """What a fresh process prints that has imported linalg."""
    start = f"import sys, mlir_inplace\nfrom mlir.dialects import linalg\nL = {_LANGUAGE!r}\n"
    done = subprocess.run([sys.executable, "-c", start + program], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def test_files_are_known() -> None:
    operators = Path(install().location) / "dialects" / "linalg" / "opdsl" / "ops" / "core_named_ops.py"
    assert checksum(operators) in KNOWN, "look whether stand-ins are still right, then add the checksum"


def test_importing_linalg_and_using_its_own_builders_does_not_load_the_language() -> None:
    assert run("linalg.GenericOp, linalg.matmul, linalg.infer_contraction_dimensions; print(L in sys.modules)") == [
        "False"
    ]


def test_a_name_of_the_language_is_found_in_linalg() -> None:
    assert run("print(linalg.TV.T1.name, linalg.linalg_structured_op.__name__, L in sys.modules)") == [
        "T1 linalg_structured_op True"
    ]


def test_star_import_has_every_name() -> None:
    program = "before = set(vars(linalg))\nfrom mlir.dialects.linalg import *\nprint('TV' in before, TV.T1.name, exp)"
    (line,) = run(program)
    assert line.startswith("False T1 <")


def test_operators_build_what_they_did() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            empty = tensor.empty([2, 3], ir.F32Type.get())
            filled = linalg.fill(arith.constant(ir.F32Type.get(), 0.0), outs=[empty])
            linalg.exp(filled, outs=[empty])
        names = [op.operation.name for op in module.body.operations]
        assert module.operation.verify()
    assert names == ["tensor.empty", "arith.constant", "linalg.fill", "linalg.exp"]
    assert linalg.exp.op_name == "exp"


def test_functions_of_linalg_miss_no_name() -> None:
    own = [f for f in vars(linalg).values() if isinstance(f, FunctionType) and f.__module__ == linalg.__name__]
    known = {*vars(linalg), *vars(builtins)}
    assert len(own) > 5
    for function in own:
        assert globals_of(function.__code__) <= known, function


def test_our_own_code_calls_no_operator_of_the_language() -> None:
    stand_in = type(vars(linalg)["conv_2d_nchw_fchw"])
    files = [
        file for layer in ("dialects", "passes", "runtime", "frontends") for file in (_PACKAGE / layer).rglob("*.py")
    ]
    used = {name for file in files for name in names_of_linalg(file.read_text())}
    assert {"GenericOp", "Conv2DNchwFchwOp"} <= used
    assert not [name for name in used if isinstance(vars(linalg).get(name), stand_in)]


def names_of_linalg(source: str) -> set[str]:
    """The names that `source` uses from `linalg`."""
    if "linalg." not in source:
        return set()
    attributes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute))
    return {node.attr for node in attributes if isinstance(node.value, ast.Name) and node.value.id == "linalg"}


def globals_of(code: CodeType) -> set[str]:
    """The global names that code loads, that of inner functions included."""
    names = {one.argval for one in dis.get_instructions(code) if one.opname == "LOAD_GLOBAL"}
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return names.union(*(globals_of(one) for one in inner))
