"""What a block of many branches is given is looked at once for each branch, not for all branches each time."""

from __future__ import annotations

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.whole_module import layouts

BUFFERIZE = "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true})"


def exits(count: int, kind: str) -> str:
    """A chain of blocks that may each leave for the last one with the tensor that they were given."""
    tensor = "tensor<8xf32>"
    blocks = [
        f"""^b{i}(%t{i}: {tensor}):
          %n{i} = tensor.insert %f into %t{i}[%c] : {tensor}
          cf.cond_br %p, ^b{i + 1}(%n{i} : {tensor}), ^b{count}(%t{i} : {tensor})"""
        for i in range(count)
    ]
    first = f"%t = tensor.empty() : {tensor}\n" if kind == "allocated" else ""
    given = f"%t: {tensor}, " if kind == "argument" else ""
    return f"""func.func @f({given}%f: f32, %p: i1) -> {tensor} {{
      %c = arith.constant 1 : index
      {first}cf.br ^b0(%t : {tensor})
    {chr(10).join(blocks)}
    ^b{count}(%r: {tensor}):
      return %r : {tensor}
    }}"""


@pytest.mark.parametrize(("kind", "type_"), [("argument", "strided<[?], offset: ?>"), ("allocated", "")])
def test_types_of_a_block_that_many_branches_lead_to(monkeypatch: pytest.MonkeyPatch, kind: str, type_: str) -> None:
    count, joined, join = 60, list[int](), layouts.joint_type
    monkeypatch.setattr(layouts, "joint_type", lambda tensor, types: joined.append(len(types)) or join(tensor, types))
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(exits(count, kind))
        mi.run_pipeline(module, BUFFERIZE)
        (function,) = module.body.operations
        last = list(function.regions[0].blocks)[-1].arguments[0].type
    assert str(last) == (f"memref<8xf32, {type_}>" if type_ else "memref<8xf32>")
    assert 0 < sum(joined) < 10 * count
