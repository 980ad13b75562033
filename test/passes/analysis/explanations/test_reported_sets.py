"""The alias sets of a report: which tensors are together, where the memory comes from, and until when it is used."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlir import ir

import mlir_inplace as mi

ARGUMENTS = "%t: tensor<4xf32>, %x: f32, %i: index, %m: memref<4xf32>"
Found = list[tuple[tuple[str, ...], list[str], int, int]]


def found_in(folder: Path, body: str, results: str = "tensor<4xf32>") -> Found:
    """Origins, names, first and last line of each set of a function with `body`, which begins in line 2."""
    file = folder / "program.mlir"
    file.write_text(f"func.func @main({ARGUMENTS}) -> ({results}) {{\n{body}\n}}\n")
    with ir.Context():
        sets = mi.bufferize(ir.Module.parseFile(str(file)), warn_written_arguments=False).alias_sets
    assert {(alias_set.function, alias_set.file) for alias_set in sets} == {("main", str(file))}
    return [(s.origins, [value.name for value in s.values], s.first, s.last) for s in sets]


INSERT = "%0 = tensor.insert %x into %t[%i] : tensor<4xf32>\n"


def test_in_place_is_the_set_of_the_argument(tmp_path: Path) -> None:
    assert found_in(tmp_path, f"{INSERT}return %0 : tensor<4xf32>") == [(("argument",), ["%t", "%0"], 1, 3)]


def test_out_of_place_is_a_set_of_its_own(tmp_path: Path) -> None:
    body = f"{INSERT}return %0, %t : tensor<4xf32>, tensor<4xf32>"
    assert found_in(tmp_path, body, "tensor<4xf32>, tensor<4xf32>") == [
        (("argument",), ["%t"], 1, 3),
        (("allocation",), ["%0"], 2, 3),
    ]


@pytest.mark.parametrize(
    ("op", "origin"),
    [
        ("arith.constant dense<1.0> : tensor<4xf32>", "constant"),
        ("bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>", "memref"),
        ("tensor.splat %x : tensor<4xf32>", "allocation"),
    ],
)
def test_where_memory_comes_from(tmp_path: Path, op: str, origin: str) -> None:
    body = f"%a = {op}\n%e = tensor.extract %a[%i] : tensor<4xf32>\nreturn %e : f32"
    assert found_in(tmp_path, body, "f32") == [(("argument",), ["%t"], 1, 1), ((origin,), ["%a"], 2, 3)]


def test_what_a_loop_reads_lives_to_its_end(tmp_path: Path) -> None:
    """`%t` is read in line 4 only, in each iteration; what the loop makes itself is dead sooner."""
    body = """%c1 = arith.constant 1 : index
%s = scf.for %k = %c1 to %i step %c1 iter_args(%a = %x) -> f32 {
%e = tensor.extract %t[%k] : tensor<4xf32>
%o = tensor.splat %e : tensor<4xf32>
%f = tensor.extract %o[%k] : tensor<4xf32>
%g = arith.addf %f, %a : f32
scf.yield %g : f32
}
return %s : f32"""
    assert found_in(tmp_path, body, "f32") == [(("argument",), ["%t"], 1, 8), (("allocation",), ["%o"], 5, 6)]


def test_what_needs_no_memory_has_no_set(tmp_path: Path) -> None:
    """Of a dead op, and of a tensor without content whose buffer nothing needs."""
    body = f"""%e = tensor.empty() : tensor<4xf32>
%1 = linalg.exp ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
{INSERT}return %0 : tensor<4xf32>"""
    assert found_in(tmp_path, body) == [(("argument",), ["%t", "%0"], 1, 5)]


def test_a_part_has_the_sets_of_its_function() -> None:
    text = f"func.func @f({ARGUMENTS}) {{ return }} func.func @g({ARGUMENTS}) {{ return }}"
    with ir.Context():
        report = mi.bufferize(ir.Module.parse(text))
    parts = report.by_function()
    assert [alias_set.function for alias_set in parts["g"].alias_sets] == ["g"]
    assert len(report.alias_sets) == 2
    assert report.to_json()["alias_sets"][0]["values"] == [{"name": "%arg0", "type": "tensor<4xf32>", "line": 1}]
