"""What the decisions of a function cost: refusals, copies and buffers, in all of it and in its loops."""

from __future__ import annotations

from mlir import ir

from mlir_inplace.passes.analysis.destinations.costs import Cost, by_name, cost
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.whole_module.module import analyze_module

_FUNCTION = """
func.func @main(%t: tensor<8xf32> {{bufferization.writable = false}}, %u: tensor<8xf32>, %f: f32, %n: index)
    -> (tensor<8xf32>, tensor<8xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  {outside}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %u) -> (tensor<8xf32>) {{
    {inside}
    %e = tensor.extract %b[%i] : tensor<8xf32>
    %y = tensor.insert %e into %x[%i] : tensor<8xf32>
    scf.yield %y : tensor<8xf32>
  }}
  return %a, %r : tensor<8xf32>, tensor<8xf32>
}}"""
_COPY = "{} = tensor.insert %f into %t[{}] : tensor<8xf32>"
_FILL = """{0}_e = tensor.empty() : tensor<8xf32>
  {0} = linalg.fill ins(%f : f32) outs({0}_e : tensor<8xf32>) -> tensor<8xf32>"""


def cost_of(outside: str, inside: str) -> Cost:
    with ir.Context():
        module = ir.Module.parse(_FUNCTION.format(outside=outside, inside=inside))
        analysis = analyze_module(module.operation, AnalysisOptions(boundaries=True))
        return cost(analysis, by_name(analysis)["main"], new_tensors=True)


def test_copies_and_buffers_in_loops_are_counted_twice() -> None:
    """In all of the function, and in its loops: so that none moves into a loop unnoticed."""
    copy, fill = _COPY.format("%a", "%c0"), _FILL.format("%a")
    copy_inside, fill_inside = _COPY.format("%b", "%i"), _FILL.format("%b")
    assert cost_of(fill, fill_inside) == Cost(buffers=2, buffers_in_loops=1)
    assert cost_of(copy, fill_inside) == Cost(copies=1, buffers=2, buffers_in_loops=1)
    assert cost_of(fill, copy_inside) == Cost(copies=1, copies_in_loops=1, buffers=2, buffers_in_loops=1)
    assert cost_of(fill, copy_inside).exceeds(cost_of(copy, fill_inside))
