"""What is moved in one function is looked for in that function, not in each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from analysed import parse

import mlir_inplace as mi
from mlir_inplace.passes.destinations.rewriting import conversion


def test_eliminations_are_walked_once_for_all_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    walks: list[int] = []

    class Counted(tuple[Any, ...]):
        def __iter__(self) -> Iterator[Any]:
            walks.append(len(self))
            return super().__iter__()

    judge = conversion.judge_eliminations

    def counted(before: Any, plan: Any, *rest: Any) -> Any:
        return judge(before, replace(plan, eliminations=Counted(plan.eliminations)), *rest)

    monkeypatch.setattr(conversion, "judge_eliminations", counted)
    count = 30
    function = """func.func private @f{}(%t: tensor<16xf32>, %f: f32) -> tensor<16xf32> {{
      %e = tensor.empty() : tensor<8xf32>
      %l = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %r = tensor.insert_slice %l into %t[8] [8] [1] : tensor<8xf32> into tensor<16xf32>
      return %r : tensor<16xf32>
    }}"""
    module = parse("\n".join(map(function.format, range(count))))
    mi.run_pipeline(module, "builtin.module(inplace-eliminate-empty-tensors)")
    assert str(module).count("outs(%extracted_slice") == count
    assert walks[0] == count
    assert len(walks) < 10
