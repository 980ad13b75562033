"""Packages that inplace-compile writes: they need NumPy alone, and their calls behave as those of mi.compile."""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from c_libraries import needs_compiler
from fast_run import sample
from programs import PROGRAMS
from programs.program import Program, arguments

import mlir_inplace as mi
from mlir_inplace.runtime.ahead_of_time.python_package import COPIED, COPIED_FOR_RANKS
from mlir_inplace.tools.inplace_compile import main

ROOT = Path(__file__).parents[3]

TEXT = """
func.func @add(%a: tensor<2x3xf32>, %b: tensor<?x3xf32>) -> tensor<2x3xf32> {
  %c = tensor.cast %b : tensor<?x3xf32> to tensor<2x3xf32>
  %0 = arith.addf %a, %c : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func @set(%a: tensor<?xi32> {bufferization.writable = true}, %i: index, %in: i32) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xi32>
  %below = arith.cmpi ult, %i, %n : index
  cf.assert %below, "no such element"
  %0 = tensor.insert %in into %a[%i] : tensor<?xi32>
  return %0 : tensor<?xi32>
}
func.func @several(%a: tensor<?xf64>, %x: f64) -> (tensor<?xf64>, f64, tensor<?xf64>) {
  %0 = arith.addf %a, %a : tensor<?xf64>
  return %0, %x, %0 : tensor<?xf64>, f64, tensor<?xf64>
}
func.func @brain(%a: tensor<3xbf16>, %z: complex<f64>) -> (tensor<3xbf16>, complex<f64>) {
  %0 = arith.addf %a, %a : tensor<3xbf16>
  return %0, %z : tensor<3xbf16>, complex<f64>
}
"""


@pytest.fixture(scope="module", params=[False, True], ids=["contiguous", "any-strides"])
def both(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[tuple[Any, ModuleType]]:
    """The program compiled here, and its package."""
    name = f"package_{request.param}"
    folder = tmp_path_factory.mktemp(name)
    (folder / "p.mlir").write_text(TEXT)
    flags = ["--any-strides"] if request.param else []
    assert main([str(folder / "p.mlir"), "--python", str(folder / name), *flags]) == 0
    sys.path.insert(0, str(folder))
    yield mi.compile(TEXT), importlib.import_module(name)
    sys.path.remove(str(folder))


def outcome(call: Callable[..., Any], *given: Any, **named: Any) -> tuple[Any, Any]:
    """What a call returns, or the exception; and the arguments as they are then."""
    given, named = copy.deepcopy((given, named))
    try:
        result: Any = call(*given, **named)
    except Exception as error:  # noqa: BLE001
        result = (type(error), str(error).replace("package_", ""))
    return result, (given, named)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, (tuple, list)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    return type(one) is type(other) and one == other


F, I32 = np.float32, np.int32
A = np.arange(6, dtype=F).reshape(2, 3)
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("add", (A, A), {}),
    ("add", (A,), {"b": A}),
    ("add", (A, A), {"out": np.zeros((2, 3), F)}),
    ("add", (A, A), {"out": np.zeros((3, 2), F).T}),
    ("add", (A, A), {"out": np.zeros((3, 3), F)}),
    ("add", (A, A), {"out": (None,)}),
    ("add", (A[:1], A), {}),
    ("add", (A, A[:, :2]), {}),
    ("add", (A.astype(np.float64), A), {}),
    ("add", (A.tolist(), A), {}),
    ("add", (A, A, A), {}),
    ("add", (A,), {}),
    ("add", (A,), {"c": A}),
    ("add", (memoryview(A), A), {}),
    ("set", (np.zeros(3, I32), 1, 5), {}),
    ("set", (np.zeros(3, I32), 3, 5), {}),
    ("set", (np.zeros(3, I32), 1.5, 5), {}),
    ("set", (np.zeros(3, I32), 1, 1 << 40), {}),
    ("set", (np.zeros(3, I32), 1), {"in_": 5}),
    ("set", (np.broadcast_to(np.zeros(1, I32), 3), 1, 5), {}),
    ("set", (np.zeros(3, I32).tobytes(), 1, 5), {}),
    ("several", (np.arange(4.0), 2.5), {}),
    ("several", (np.arange(0.0), 2), {}),
    ("several", (np.arange(4.0), 2.5), {"out": (np.zeros(4), None, None)}),
    ("several", (np.arange(4.0), 2.5), {"out": (np.zeros(3), None, None)}),
    ("brain", (np.arange(3).astype(ml_dtypes.bfloat16), 1j), {}),
]


@pytest.mark.parametrize(("name", "given", "named"), CALLS)
def test_calls_behave_alike(
    both: tuple[Any, ModuleType], name: str, given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    program, package = both
    if any(isinstance(one, memoryview) for one in given):  # cannot be copied
        np.testing.assert_array_equal(package.add(*given), program.add(*given))
        return
    expected, found = outcome(program[name], *given, **named), outcome(getattr(package, name), *given, **named)
    if isinstance(expected[0], tuple) and expected[0][0] is AssertionError:
        assert found[0][0] is AssertionError
        assert found[0][1].endswith("no such element")
    else:
        assert same(expected, found), (expected, found)


def test_arrays_that_are_not_contiguous(both: tuple[Any, ModuleType]) -> None:
    program, package = both
    wide = np.arange(12, dtype=F).reshape(2, 6)[:, ::2]
    if package.add._native(False).form == package.add._native(True).form:
        with pytest.raises(ValueError, match=r"expected strides \(3, 1\) in elements .* pass a contiguous array"):
            package.add(wide, A)
    else:
        np.testing.assert_array_equal(package.add(wide, A), program.add(wide, A))


def test_functions_describe_themselves(both: tuple[Any, ModuleType]) -> None:
    program, package = both
    assert package.__all__ == ["add", "brain", "set", "several"]
    for name in package.__all__:
        assert str(inspect.signature(getattr(package, name))) == str(inspect.signature(program[name]))
        assert getattr(package, name).__doc__ == program[name].__doc__


def test_calls_can_be_bound(both: tuple[Any, ModuleType]) -> None:
    _, package = both
    a, out = A.copy(), np.zeros((2, 3), F)
    call = package.add.bind(a, A, out=out)
    assert call() is out
    a[:] = 1
    np.testing.assert_array_equal(call(), A + 1)


def test_updated_arguments_are_the_results(both: tuple[Any, ModuleType]) -> None:
    _, package = both
    a = np.zeros(3, I32)
    assert package.set(a, 1, 7) is a
    assert a.tolist() == [0, 7, 0]


@pytest.mark.parametrize(
    ("first", "copied"),
    [("loaded_library", COPIED), ("library_ranks", (*COPIED, *COPIED_FOR_RANKS))],
)
def test_copies_import_only_each_other_and_numpy(first: str, copied: Sequence[str]) -> None:
    wanted = {f"runtime/ahead_of_time/{first}.py"}
    pending, outside = list(wanted), set[str]()
    while pending:
        path = Path(pending.pop())
        tree = ast.parse((ROOT / path).read_text())
        lazy = {
            child for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.If)) for child in ast.walk(node)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level and node not in lazy:
                base = path.parents[node.level - 1]
                target = base.joinpath(*(node.module or "").split(".")).with_suffix(".py").as_posix()
                pending += [] if target in wanted else [target]
                wanted.add(target)
            elif node not in lazy and isinstance(node, ast.ImportFrom):
                outside.add((node.module or "").partition(".")[0])
            elif node not in lazy and isinstance(node, ast.Import):
                outside |= {one.name.partition(".")[0] for one in node.names}
    assert wanted == set(copied)
    assert outside - set(sys.stdlib_module_names) == {"numpy"}


@needs_compiler
def test_a_package_runs_where_there_is_no_mlir(tmp_path: Path) -> None:
    (tmp_path / "p.mlir").write_text(TEXT)
    assert main([str(tmp_path / "p.mlir"), "--python", str(tmp_path / "alone")]) == 0
    script = """
        import sys
        sys.path.insert(0, sys.argv[1])
        class Refuse:
            def find_spec(self, name, *_):
                if name.split('.')[0] in ('mlir', 'torch_mlir', 'mlir_inplace'):
                    raise ModuleNotFoundError(name)
        sys.meta_path.insert(0, Refuse())
        import alone, numpy as np
        print(alone.set(np.zeros(3, np.int32), 1, 7))
        try:
            alone.set(np.zeros(3, np.int32), 1, 7, 8)
        except TypeError as error:
            print(error)
    """
    command = [sys.executable, "-W", "error", "-c", inspect.cleandoc(script), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout.splitlines()[0] == "[0 7 0]"
    assert done.stdout.splitlines()[1].startswith("set takes 3 arguments, got 4: set(a: tensor<?xi32>")


@needs_compiler
@pytest.mark.parametrize("program", sample(PROGRAMS[::7], least=8), ids=lambda program: program.name)
def test_numbers_are_those_of_the_jit(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, name = tmp_path / "p.mlir", f"same_{program.name}"
    source.write_text(program.text)
    compiled = mi.compile(program.text, optimize=True)
    assert main([str(source), "--python", str(tmp_path / name), "--optimize"]) == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    package = importlib.import_module(name)
    for run in program.runs:
        given = arguments(run)
        expected, found = outcome(compiled.main, *given), outcome(package.main, *given)
        assert same(expected, found)
