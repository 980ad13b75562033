"""What is asked of a function with many arguments and results is asked a bounded number of times."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from analysed import parse
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.framework import attribute_checks
from mlir_inplace.passes.functions.rewriting import results


def test_the_map_of_results_reads_the_type_once() -> None:
    """A list of types costs as much as it is long."""
    reads: list[str] = []

    class Type:
        def __getattr__(self, name: str) -> Any:
            reads.append(name)
            return [None] * 50

    with ir.Context():
        attribute = ir.DenseI64ArrayAttr.get([-1] * 50 + list(range(50)))
        assert attribute_checks._is_result_map(attribute, Type())  # pyright: ignore[reportArgumentType]
        assert sorted(reads) == ["inputs", "results"]
        outside = ir.DenseI64ArrayAttr.get([50])
        assert not attribute_checks._is_result_map(outside, SimpleNamespace(inputs=[None], results=[]))  # pyright: ignore[reportArgumentType]


def test_attributes_of_new_arguments_are_stated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stated: list[int] = []
    state = results.append_attributes

    def counted(function: Any, attributes: Any) -> None:
        stated.append(len(attributes))
        state(function, attributes)

    monkeypatch.setattr("mlir_inplace.passes.functions.results_to_out_params.append_attributes", counted)
    count = 40
    types = ", ".join(["memref<4xf32>"] * count)
    made = "\n".join(f"%m{i} = memref.alloc() : memref<4xf32>" for i in range(count))
    values = ", ".join(f"%m{i}" for i in range(count))
    module = parse(f"func.func @main() -> ({types}) {{\n{made}\nreturn {values} : {types}\n}}")
    mi.run_pipeline(module, "builtin.module(inplace-results-to-out-params)")
    assert stated == [count]
