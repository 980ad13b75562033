"""Elementwise ops that are computed before a reduction stores its results: values, and when that is done.

Elements are small integers, so that sums are exact in whatever order they are added up.
"""

from __future__ import annotations

import numpy as np
import pytest
from fast_run import sample
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import evaluate
from mlir_inplace.passes.analysis.schedule.epilogues import find_epilogue

MACHINES = {"wide": "vector-bits=512 registers=32 l1=1024", "narrow": "vector-bits=256 registers=16 l1=1024"}

MAPS = """
  #a = affine_map<(i, j) -> (i, j)>
  #row = affine_map<(i, j) -> (j)>
  #column = affine_map<(i, j) -> (i)>
  #turned = affine_map<(i, j) -> (j, i)>
"""
PARALLEL = 'iterator_types = ["parallel", "parallel"]'
PRODUCT = """%zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{m}x{n}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %p = linalg.matmul ins(%x, %w : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>) outs({init} : tensor<{m}x{n}xf32>)
      -> tensor<{m}x{n}xf32>"""
RELU = """%s = arith.addf %i0, %i1 : f32
    %y = arith.maximumf %s, %zero : f32"""


def product(behind: str, result: str = "%r", m: int = 9, n: int = 40, k: int = 5, init: str = "%f") -> str:
    """A product of matrices, and what is behind it; the bias is %b, another matrix %t, the transposed one %u."""
    square = f"tensor<{m}x{n}xf32>"
    types = [f"%x: tensor<{m}x{k}xf32>", f"%w: tensor<{k}x{n}xf32>", f"%b: tensor<{n}xf32>", f"%t: {square}"]
    types += [f"%u: tensor<{n}x{m}xf32>", f"%d: tensor<{m}xf32>"]
    lines = PRODUCT.format(m=m, n=n, k=k, init=init)
    kinds = ", ".join([square] * len(result.split(",")))
    body = behind.replace("SQUARE", square).replace("TURNED", f"tensor<{n}x{m}xf32>").replace("ROW", f"tensor<{n}xf32>")
    body = body.replace("COLUMN", f"tensor<{m}xf32>")
    return f"""{MAPS}
func.func @main({", ".join(types)}) -> ({kinds}) {{
  {lines}
  {body}
  return {result} : {kinds}
}}"""


def elementwise(inputs: str, types: str, maps: str, body: str = RELU, init: str = "%e") -> str:
    elements = ", ".join(f"%i{number}: f32" for number in range(inputs.count("%")))
    return f"""%r = linalg.generic {{indexing_maps = [{maps}, #a], {PARALLEL}}} ins({inputs} : {types})
      outs({init} : SQUARE) {{
  ^bb0({elements}, %o: f32):
    {body}
    linalg.yield %y : f32
  }} -> SQUARE"""


SUM = "%s = arith.addf %i0, %i1 : f32\n%y = arith.subf %s, %i2 : f32"
COLLAPSED = f"""
#o = affine_map<(i, g, j, k) -> (i, g, j)>
#l = affine_map<(i, g, j, k) -> (i, k)>
#p = affine_map<(i, g, j, k) -> (g, k, j)>
#a = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<7x6xf32>, %w: tensor<3x6x32xf32>, %b: tensor<96xf32>) -> tensor<7x96xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x3x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7x3x32xf32>) -> tensor<7x3x32xf32>
  %p = linalg.generic {{indexing_maps = [#l, #p, #o],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
      ins(%x, %w : tensor<7x6xf32>, tensor<3x6x32xf32>) outs(%f : tensor<7x3x32xf32>) {{
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }} -> tensor<7x3x32xf32>
  %c = tensor.collapse_shape %p [[0], [1, 2]] : tensor<7x3x32xf32> into tensor<7x96xf32>
  %n = tensor.empty() : tensor<7x96xf32>
  %r = linalg.generic {{indexing_maps = [#a, #row, #a], {PARALLEL}}}
      ins(%c, %b : tensor<7x96xf32>, tensor<96xf32>) outs(OUT : tensor<7x96xf32>) {{
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    {RELU}
    linalg.yield %y : f32
  }} -> tensor<7x96xf32>
  return %r : tensor<7x96xf32>
}}"""

JOINED = {
    "bias": product(elementwise("%p, %b", "SQUARE, ROW", "#a, #row")),
    "where the product would be": product(elementwise("%p, %b", "SQUARE, ROW", "#a, #row", init="%p")),
    "sum of an image and a number for each row": product(
        elementwise("%p, %t, %d", "SQUARE, SQUARE, COLUMN", "#a, #a, #column", SUM)
    ),
    "into what it reads": product(elementwise("%p, %t", "SQUARE, SQUARE", "#a, #a", init="%t")),
    "twice the product": product(elementwise("%p, %p", "SQUARE, SQUARE", "#a, #a")),
    "from an init": product(elementwise("%p, %b", "SQUARE, ROW", "#a, #row"), init="%t"),
    "collapsed": COLLAPSED.replace("OUT", "%n"),
    "collapsed, where the product would be": COLLAPSED.replace("OUT", "%c"),
    "large": product(elementwise("%p, %b", "SQUARE, ROW", "#a, #row"), m=70, n=33, k=40),
}
OUTSIDE = """
func.func @main(%x: tensor<9x5xf32>, %w: tensor<5x40xf32>) -> (tensor<9x40xf32>, tensor<9x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x40xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %e) -> (tensor<9x40xf32>) {
    %f = linalg.fill ins(%zero : f32) outs(%t : tensor<9x40xf32>) -> tensor<9x40xf32>
    %p = linalg.matmul ins(%x, %w : tensor<9x5xf32>, tensor<5x40xf32>) outs(%f : tensor<9x40xf32>) -> tensor<9x40xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%p : tensor<9x40xf32>) outs(%t : tensor<9x40xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<9x40xf32>
    scf.yield %y : tensor<9x40xf32>
  }
  %k = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> (tensor<9x5xf32>) {
    %v = tensor.insert %zero into %x[%i, %i] : tensor<9x5xf32>
    scf.yield %v : tensor<9x5xf32>
  }
  return %r, %k : tensor<9x40xf32>, tensor<9x5xf32>
}"""
"""Uses before, behind, and in other regions are not between the two."""
JOINED["in a loop"] = OUTSIDE
ALONE = {
    "half of the first cache has the product": product(elementwise("%p, %b", "SQUARE, ROW", "#a, #row"), m=3),
    "two users": product(elementwise("%p, %b", "SQUARE, ROW", "#a, #row"), "%r, %p"),
    "transposed operand": product(elementwise("%p, %u", "SQUARE, TURNED", "#a, #turned")),
    "into an init that is read": product(
        elementwise("%p, %b", "SQUARE, ROW", "#a, #row", SUM.replace("%i2", "%o"), init="%p")
    ),
    "a polynomial": product(
        elementwise("%p, %b", "SQUARE, ROW", "#a, #row", "%s = arith.addf %i0, %i1 : f32\n%y = math.exp %s : f32")
    ),
    "what the product reads is used between": product(
        f"%k = tensor.insert %zero into %t[%c, %c] : SQUARE\n{elementwise('%p, %b', 'SQUARE, ROW', '#a, #row')}",
        "%r, %k",
        init="%t",
    ).replace("%zero = ", "%c = arith.constant 0 : index\n%zero = ", 1),
}


def arguments(text: str) -> list[np.ndarray]:
    with ir.Context():
        module = ir.Module.parse(text)
        types = ir.FunctionType(ir.TypeAttr(module.body.operations[0].attributes["function_type"]).value).inputs
        shapes = [list(ir.RankedTensorType(one).shape) for one in types]
    rng = np.random.default_rng(7)
    return [rng.integers(-3, 4, shape).astype(np.float32) for shape in shapes]


def as_list(results: object) -> list[np.ndarray]:
    return list(results) if isinstance(results, tuple) else [np.asarray(results)]


def found_in(text: str, machine: str, monkeypatch: pytest.MonkeyPatch) -> tuple[ir.Module, int]:
    """The vectorized module, and how many epilogues it has."""
    found: list[object] = []

    def find(*given: object) -> object:
        found.append(find_epilogue(*given))
        return found[-1]

    monkeypatch.setattr("mlir_inplace.passes.vectorization.vectorize.find_epilogue", find)
    module = ir.Module.parse(text)
    mi.run_pipeline(module, f'builtin.module(func.func(inplace-vectorize{{machine="{MACHINES[machine]}"}}))')
    return module, sum(one is not None for one in found)


@pytest.mark.each_value
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", sample([*JOINED, *ALONE], least=6))
def test_values_are_those_of_the_evaluator(name: str, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (JOINED | ALONE)[name]
    given = arguments(text)
    with ir.Context():
        expected = evaluate(ir.Module.parse(text), "main", given).results
        module, count = found_in(text, machine, monkeypatch)
        assert count == (name in JOINED)
        vectorized = mi.compile(module)
    whole = mi.compile(text, optimize=True, machine=MACHINES[machine])
    for program in (vectorized, whole):
        for one, other in zip(as_list(program.main(*given)), expected, strict=True):
            np.testing.assert_allclose(one, np.asarray(other), rtol=1e-6)


@pytest.mark.parametrize("name", ["bias", "where the product would be", "collapsed"])
def test_the_results_of_the_reduction_are_not_stored(name: str) -> None:
    program = mi.compile(JOINED[name], optimize=True, machine=MACHINES["wide"], memory_stats=True)
    program.main(*arguments(JOINED[name]))
    stats = program.memory_stats
    assert (stats.allocations - stats.result_allocations, stats.copies) == (0, 0)
