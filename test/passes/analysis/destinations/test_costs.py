"""What the decisions of a function cost: refusals, and the bytes of copies and buffers, as often as they are made."""

from __future__ import annotations

from mlir import ir

from mlir_inplace.passes.analysis.costs.estimates import ASSUMED_TRIPS
from mlir_inplace.passes.analysis.costs.price import COPY_WEIGHT, Price
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


def test_copies_and_buffers_count_as_often_as_they_are_made() -> None:
    """A buffer has 32 bytes; the loop is taken to run ten times."""
    copy, fill = _COPY.format("%a", "%c0"), _FILL.format("%a")
    copy_inside, fill_inside = _COPY.format("%b", "%i"), _FILL.format("%b")
    size, trips = 32, ASSUMED_TRIPS

    def expected(copied: int, allocated: int, ops: int) -> Cost:
        return Cost(Price(0, COPY_WEIGHT * copied + allocated, copied, ops), buffers=2)

    assert cost_of(fill, fill_inside) == expected(0, (1 + trips) * size, 2)
    assert cost_of(copy, fill_inside) == expected(size, (1 + trips) * size, 3)
    assert cost_of(fill, copy_inside) == expected(trips * size, (1 + trips) * size, 3)
    assert cost_of(fill, copy_inside).exceeds(cost_of(copy, fill_inside))
    assert not cost_of(copy, fill_inside).exceeds(cost_of(fill, copy_inside))


def test_a_copy_in_an_inner_loop_exceeds_one_in_the_outer_loop() -> None:
    """Both are in loops. Trip counts that are known are taken as they are."""

    def nested(outer: str, inner: str) -> Cost:
        text = f"""
        func.func @main(%t: tensor<8xf32> {{bufferization.writable = false}}, %u: tensor<8xf32>, %f: f32)
            -> tensor<8xf32> {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %u) -> (tensor<8xf32>) {{
            {outer}
            %s = scf.for %j = %c0 to %c3 step %c1 iter_args(%y = %x) -> (tensor<8xf32>) {{
              {inner}
              %e = tensor.extract %b[%i] : tensor<8xf32>
              %z = tensor.insert %e into %y[%j] : tensor<8xf32>
              scf.yield %z : tensor<8xf32>
            }}
            scf.yield %s : tensor<8xf32>
          }}
          return %r : tensor<8xf32>
        }}"""
        with ir.Context():
            module = ir.Module.parse(text)
            analysis = analyze_module(module.operation, AnalysisOptions(boundaries=True))
            return cost(analysis, by_name(analysis)["main"])

    outside, inside = nested(_COPY.format("%b", "%c0"), ""), nested("", _COPY.format("%b", "%c0"))
    assert (outside.price.copied, inside.price.copied) == (3 * 32, 9 * 32)
    assert inside.exceeds(outside) and not outside.exceeds(inside)


def test_no_copy_is_traded_for_allocations() -> None:
    """Fewer weighed bytes are no gain where more are copied; a refusal is never one."""
    few, many = Cost(Price.of(copied=1)), Cost(Price.of(allocated=100))
    assert few.exceeds(many) and many.exceeds(few)
    assert not Cost(Price.of(copied=8)).exceeds(Cost(Price.of(copied=8, allocated=1)))
    assert Cost(Price(refusals=1)).exceeds(Cost(Price.of(copied=1 << 40)))
