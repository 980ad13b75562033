"""Eliminating empty tensors: chains of any length, programs without any, locations."""

from __future__ import annotations

from mlir import ir
from transformed import counts, transformed

import mlir_inplace as mi

ELIMINATE = "inplace-eliminate-empty-tensors"


def concatenation(count: int) -> str:
    lines = [
        f"%f{i} = linalg.negf ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>" for i in range(count)
    ]
    lines += ["%i0 = tensor.empty() : !t"]
    lines += [
        f"%i{i + 1} = tensor.insert_slice %f{i} into %i{i}[{2 * i}] [2] [1] : tensor<2xf32> into !t"
        for i in range(count)
    ]
    body = "\n".join(lines)
    text = f"""func.func @main(%a: tensor<2xf32>) -> !t {{
      %e = tensor.empty() : tensor<2xf32>
      {body}
      return %i{count} : !t
    }}"""
    return text.replace("!t", f"tensor<{2 * count}xf32>")


def test_a_long_concatenation_needs_one_buffer() -> None:
    assert counts(concatenation(300), ELIMINATE) == (1, 0)


def test_a_program_without_empty_tensors_is_left_alone() -> None:
    text = """func.func @main(%t: tensor<8xf32>, %a: tensor<4xf32>) -> tensor<8xf32> {
      %0 = tensor.insert_slice %a into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
      return %0 : tensor<8xf32>
    }"""
    assert transformed(text, ELIMINATE) == transformed(text, "")


def test_new_ops_have_the_location_of_the_insertion() -> None:
    text = """func.func @main(%t: tensor<8xf32>, %x: f32) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<4xf32> loc("empty")
      %0 = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("fill")
      %1 = tensor.insert_slice %0 into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32> loc("insert")
      return %1 : tensor<8xf32> loc("return")
    }"""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module({ELIMINATE})")
        ops = list(module.body.operations[0].regions[0].blocks[0].operations)
        found = [(op.operation.name, str(op.location)) for op in ops]
    assert found[0] == ("tensor.extract_slice", 'loc("insert")')
    assert [name for name, _ in found[1:]] == ["linalg.fill", "tensor.insert_slice", "func.return"]
