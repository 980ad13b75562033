"""Parts in which everything is in place, and no operand costs less to refuse than what is paid: nothing is tried."""

from __future__ import annotations

from unittest import mock

import pytest
from analysed import analyse_with

from mlir_inplace.passes.analysis.costs.price import Price
from mlir_inplace.passes.analysis.in_place import function, improvement
from mlir_inplace.passes.analysis.in_place.likely_clauses import LikelyClauses
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions

FILLED = """
  %r = linalg.fill ins(%c : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>"""
SLICE = """
  %s = tensor.extract_slice %e[0, 0] [2, 64] [1, 1] : tensor<64x64xf32> to tensor<2x64xf32>
  %r = linalg.fill ins(%c : f32) outs(%s : tensor<2x64xf32>) -> tensor<2x64xf32>
  return %r : tensor<2x64xf32>"""
READ = """
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g = linalg.exp ins(%f : tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.add ins(%f, %g : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>"""


@pytest.mark.parametrize(
    ("body", "result", "is_searched"),
    [
        pytest.param(FILLED, "tensor<64x64xf32>", False, id="one buffer, which any refusal would make as well"),
        pytest.param(SLICE, "tensor<2x64xf32>", True, id="a buffer of which a slice is used: a smaller one would do"),
        pytest.param(READ, "tensor<64x64xf32>", True, id="something is refused"),
    ],
)
def test_where_a_search_is_begun(body: str, result: str, is_searched: bool) -> None:
    text = f"""func.func @f() -> {result} {{
      %c = arith.constant 1.0 : f32
      %e = tensor.empty() : tensor<64x64xf32>{body}
    }}"""
    with (
        mock.patch.object(improvement, "is_cheapest", return_value=False),
        mock.patch.object(function, "is_cheapest", return_value=False),
        mock.patch.object(improvement, "least_allocations", return_value=Price()),
        mock.patch.object(improvement, "LikelyClauses", wraps=LikelyClauses) as clauses,
    ):
        found = analyse_with(text, AnalysisOptions(boundaries=True)).function()
    assert clauses.called == is_searched
    with mock.patch.object(improvement, "_is_settled", return_value=False):
        searched = analyse_with(text, AnalysisOptions(boundaries=True)).function()
    assert found.decisions == searched.decisions
