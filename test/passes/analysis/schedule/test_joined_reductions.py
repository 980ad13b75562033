"""Elementwise ops that are computed in the loop of the reduction that reads them: values, and when they are not."""

from __future__ import annotations

import numpy as np
import pytest
from linalg_programs import MATRIX, ROW, floats
from mlir import ir

import mlir_inplace as mi

HEAD = """
  #ij = affine_map<(i, j) -> (i, j)>
  #ji = affine_map<(i, j) -> (j, i)>
  #i = affine_map<(i, j) -> (i)>
  #j = affine_map<(i, j) -> (j)>
"""


def moved(maps: str, inputs: str, types: str, out: str, result: str = "%moved") -> str:
    return f"""
      {result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
          ins({inputs} : {types}) outs({out} : {MATRIX}) {{
      ^bb0(%x: f32, %y: f32, %o: f32):
        %d = arith.subf %x, %y : f32
        linalg.yield %d : f32
      }} -> {MATRIX}"""


def squares(source: str, map_: str = "#ij", reduced: str = "#i") -> str:
    kinds = '["parallel", "reduction"]' if reduced == "#i" else '["reduction", "parallel"]'
    return f"""
      %sum = linalg.generic {{indexing_maps = [{map_}, {reduced}], iterator_types = {kinds}}}
          ins({source} : {MATRIX}) outs(%s : {ROW}) {{
      ^bb0(%x: f32, %o: f32):
        %p = arith.mulf %x, %x : f32
        %q = arith.addf %p, %o : f32
        linalg.yield %q : f32
      }} -> {ROW}"""


def program(body: str, results: str = "%moved, %sum", marks: str = "") -> str:
    return f"""{HEAD}
      func.func @main(%a: {MATRIX} {marks}, %m: {ROW}, %s: {ROW}, %e: {MATRIX}) -> ({MATRIX}, {ROW}) {{
        {body}
        return {results} : {MATRIX}, {ROW}
      }}"""


JOINED = moved("#ij, #i, #ij", "%a, %m", f"{MATRIX}, {ROW}", "%e") + squares("%moved")


def loops_after_vectorization(text: str) -> tuple[int, mi.Program]:
    """How many loops over vectors with sums in registers also carry a tensor, and the program."""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, 'builtin.module(func.func(inplace-vectorize{machine="vector-bits=256"}))')
        module.operation.verify()
        found = sum("scf.for" in line and "vector<" in line and "tensor<" in line for line in str(module).splitlines())
        return found, mi.compile(module, memory_stats=True)


@pytest.mark.parametrize("shape", [(1, 1), (3, 37), (7, 64), (5, 203), (5, 0), (0, 5)])
def test_both_results_are_right(shape: tuple[int, int]) -> None:
    found, compiled = loops_after_vectorization(program(JOINED))
    assert found
    (m, n), a = shape, floats(*shape)
    mean, start, e = floats(m), floats(m), floats(m, n)
    d, total = compiled.main(a, mean, start, e)
    np.testing.assert_array_equal(d, a - mean[:, None])
    np.testing.assert_allclose(total, start + (d * d).sum(1), rtol=1e-5)
    assert compiled.memory_stats.leaked_bytes == 0


def test_the_result_takes_the_place_of_an_input() -> None:
    body = moved("#ij, #i, #ij", "%a, %m", f"{MATRIX}, {ROW}", "%a") + squares("%moved")
    found, compiled = loops_after_vectorization(program(body, marks="{bufferization.writable = true}"))
    assert found
    a, mean, start = floats(6, 45), floats(6), floats(6)
    before = a.copy()
    d, total = compiled.main(a, mean, start, floats(6, 45))
    assert d is a
    np.testing.assert_array_equal(a, before - mean[:, None])
    np.testing.assert_allclose(total, start + (a * a).sum(1), rtol=1e-5)
    assert (compiled.memory_stats.allocations, compiled.memory_stats.copies) == (1, 1)  # the sums, which begin with %s


def test_the_reduction_of_columns_reads_what_is_stored_by_rows() -> None:
    # Its lanes are columns, each with a sum of its own: nothing is combined.
    body = moved("#ij, #i, #ij", "%a, %m", f"{MATRIX}, {ROW}", "%e") + squares("%moved", "#ij", "#j")
    found, compiled = loops_after_vectorization(program(body))
    assert not found
    a, mean, start = floats(20, 20), floats(20), floats(20)
    d, total = compiled.main(a, mean, start, a)
    np.testing.assert_allclose(total, start + (d * d).sum(0), rtol=1e-5)


def test_what_is_read_across_its_rows_is_not_joined() -> None:
    body = moved("#ji, #i, #ij", "%a, %m", f"{MATRIX}, {ROW}", "%e") + squares("%moved")
    found, compiled = loops_after_vectorization(program(body))
    assert not found
    a, mean, start = floats(20, 20), floats(20), floats(20)
    d, total = compiled.main(a, mean, start, a)
    np.testing.assert_array_equal(d, a.T - mean[:, None])
    np.testing.assert_allclose(total, start + (d * d).sum(1), rtol=1e-5)


def test_a_user_in_front_of_the_reduction_gets_the_result_in_time() -> None:
    first = moved("#ij, #i, #ij", "%a, %m", f"{MATRIX}, {ROW}", "%e")
    between = moved("#ij, #i, #ij", "%moved, %s", f"{MATRIX}, {ROW}", "%e", "%again")
    found, compiled = loops_after_vectorization(program(first + between + squares("%moved"), "%again, %sum"))
    assert not found
    a, mean, start = floats(5, 30), floats(5), floats(5)
    again, total = compiled.main(a, mean, start, a)
    d = a - mean[:, None]
    np.testing.assert_array_equal(again, d - start[:, None])
    np.testing.assert_allclose(total, start + (d * d).sum(1), rtol=1e-5)


def test_what_only_the_reduction_wants_is_not_stored_for_others() -> None:
    found, compiled = loops_after_vectorization(program(JOINED, "%e, %sum"))
    assert not found
    a, mean, start = floats(5, 30), floats(5), floats(5)
    _, total = compiled.main(a, mean, start, a)
    np.testing.assert_allclose(total, start + ((a - mean[:, None]) ** 2).sum(1), rtol=1e-5)
