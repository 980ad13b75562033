"""`inplace-check --ranks`: what ranks compute is compared with the whole program, and a difference is told."""

from __future__ import annotations

from typing import Any

import pytest
from mlir import ir

from mlir_inplace.checking.checker import rank_check
from mlir_inplace.checking.checker.rank_check import check_on_ranks
from mlir_inplace.checking.evaluator import EvaluationError

SUM = """
  func.func @main(%a: tensor<5x6xf32>, %b: tensor<5x6xf32>) -> tensor<5x6xf32> {
    %0 = arith.addf %a, %b : tensor<5x6xf32>
    return %0 : tensor<5x6xf32>
  }"""


def check(text: str = SUM) -> tuple[list[str], int]:
    with ir.Context():
        return check_on_ranks(ir.Module.parse(text), 4, None, seed=0, rounds=4, tolerance=0.0)


def test_a_program_that_is_the_same_on_all_ranks() -> None:
    found, made = check()
    assert (found, made > 0) == ([], True)


def test_another_value_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    right = rank_check.evaluate_sharded

    def wrong(module: ir.Module, name: str, arguments: Any) -> Any:
        results, ranks = right(module, name, arguments)
        return [result + 1 for result in results], ranks

    monkeypatch.setattr(rank_check, "evaluate_sharded", wrong)
    found, made = check()
    assert len(found) == made > 0
    assert "on tensors: result 0 is" in found[0]


def test_a_deadlock_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(*_: Any) -> Any:
        raise EvaluationError("deadlock: ranks 0, 1: waiting in 'mpi.barrier'")

    monkeypatch.setattr(rank_check, "evaluate_sharded", stuck)
    assert "deadlock: ranks 0, 1" in check()[0][0]


def test_a_function_that_is_none_for_its_inputs_is_not_compared() -> None:
    found, made = check("""
      func.func @main(%a: tensor<4xf32>, %b: tensor<?xf32>, %i: index) -> f32 {
        %c9 = arith.constant 9 : index
        %0 = tensor.extract %a[%c9] : tensor<4xf32>
        return %0 : f32
      }""")
    assert (found, made) == ([], 0)


def test_sums_in_another_order_are_told_by_the_largest_element(monkeypatch: pytest.MonkeyPatch) -> None:
    """As everywhere in the checker: relative to the largest element that was expected."""
    right = rank_check.evaluate_sharded
    scale = [1e-7]

    def nearly(module: ir.Module, name: str, arguments: Any) -> Any:
        results, ranks = right(module, name, arguments)
        return [result + result.dtype.type(scale[0] * abs(result).max(initial=1)) for result in results], ranks

    monkeypatch.setattr(rank_check, "evaluate_sharded", nearly)
    large = SUM.replace(
        "%0 = arith",
        "%1 = arith.constant dense<1.0e12> : tensor<5x6xf32>\n%2 = arith.mulf %a, %1 : tensor<5x6xf32>\n%0 = arith",
    ).replace("addf %a", "addf %2")
    found, made = check(large)
    assert (found, made > 0) == ([], True)
    scale[0] = 1e-4
    assert len(check(large)[0]) > 0
