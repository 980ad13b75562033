"""What is asked of a function with many arguments and results is asked a bounded number of times."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from analysed import parse
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.framework import attribute_checks
from mlir_inplace.passes.functions import expand_memref_arguments
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


def test_no_function_with_hundreds_of_memrefs_is_left_to_upstream(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time is quadratic in them; results of the entry point, and of what it calls, are arguments by then."""
    expanded: list[str] = []
    expand = expand_memref_arguments._expand_function

    def noted(function: Any) -> None:
        expanded.append(function.name.value)
        expand(function)

    monkeypatch.setattr(expand_memref_arguments, "_expand_function", noted)
    count, tensor = 300, "tensor<2xf32>"
    types, values = ", ".join([tensor] * count), ", ".join(f"%t{i}" for i in range(count))
    updates = "\n".join(f"%t{i} = tensor.insert %f into %t[%c{i % 2}] : {tensor}" for i in range(count))
    constants = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index"
    program = mi.compile(
        f"""func.func private @f(%t: {tensor}, %f: f32) -> ({types}) {{
          {constants}
          {updates}
          return {values} : {types}
        }}
        func.func @main(%t: {tensor}, %f: f32) -> ({types}) {{
          %r:{count} = func.call @f(%t, %f) : ({tensor}, f32) -> ({types})
          return {", ".join(f"%r#{i}" for i in range(count))} : {types}
        }}"""
    )
    found = program.main(np.array([1, 2], np.float32), np.float32(5))
    assert [tuple(one) for one in found] == [(5, 2), (1, 5)] * (count // 2)
    assert sorted(expanded) == ["f", "main"]
