"""Passes that make code faster leave alone what cannot be reached, where ops may use what comes after them."""

from __future__ import annotations

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.ir.reachable_ops import reachable_blocks, walk_reachable

T, LARGE = "tensor<64x64xf32>", "tensor<512x512xf32>"
TINY = 'machine="l1=256 l2=1024 l3=4096"'
ON_TENSORS = {
    "its own result": f"%y = linalg.matmul ins(%y, %a : {T}, {T}) outs(%y : {T}) -> {T}",
    "two in a circle": f"""%y = linalg.exp ins(%z : {T}) outs(%b : {T}) -> {T}
        %z = linalg.exp ins(%y : {T}) outs(%b : {T}) -> {T}""",
    "a wide circle": f"""%y = linalg.exp ins(%z : {T}) outs(%b : {T}) -> {T}
        %t = linalg.transpose ins(%y : {T}) outs(%b : {T}) permutation = [1, 0]
        %x = linalg.matmul ins(%t, %z : {T}, {T}) outs(%x : {T}) -> {T}
        %z = linalg.add ins(%x, %y : {T}, {T}) outs(%z : {T}) -> {T}""",
    "a sweep": f"""%y = scf.for %i = %c0 to %c9 step %c1 iter_args(%t = %z) -> ({T}) {{
          %s = tensor.extract_slice %t[1, 1] [62, 62] [1, 1] : {T} to tensor<62x62xf32>
          %u = tensor.extract_slice %t[0, 1] [62, 62] [1, 1] : {T} to tensor<62x62xf32>
          %e = tensor.empty() : tensor<62x62xf32>
          %v = linalg.add ins(%s, %u : tensor<62x62xf32>, tensor<62x62xf32>) outs(%e : tensor<62x62xf32>)
              -> tensor<62x62xf32>
          %w = tensor.insert_slice %v into %t[1, 1] [62, 62] [1, 1] : tensor<62x62xf32> into {T}
          scf.yield %w : {T}
        }}
        %z = linalg.add ins(%y, %y : {T}, {T}) outs(%y : {T}) -> {T}""",
    "narrow numbers": """%y = linalg.matmul ins(%n, %n : tensor<512x512xi8>, tensor<512x512xi8>)
            outs(%y : tensor<512x512xi32>) -> tensor<512x512xi32>""",
    "large tensors": f"""%y = linalg.exp ins(%x : {LARGE}) outs(%x : {LARGE}) -> {LARGE}
        %x = linalg.reduce {{arith.addf}} ins(%y3 : tensor<512x512x4xf32>) outs(%y : {LARGE}) dimensions = [2]
        %y3 = linalg.broadcast ins(%x : {LARGE}) outs(%y3 : tensor<512x512x4xf32>) dimensions = [2]""",
}
PASSES = [
    "inplace-distribute{threads=2}",
    f"inplace-distribute{{threads=2 {TINY}}}",
    "inplace-fuse",
    f"inplace-fuse{{{TINY}}}",
    "inplace-ping-pong",
    f"inplace-schedule{{{TINY}}}",
    f"inplace-skew-time{{threads=2 {TINY}}}",
    "inplace-tile{tile-sizes=5,7}",
    "inplace-transpose-operands",
    f"inplace-unfold-windows{{{TINY}}}",
    "inplace-vectorize",
    "inplace-widen-operands",
]


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("body", ON_TENSORS.values(), ids=list(ON_TENSORS))
def test_ops_on_tensors_stay(passes: str, body: str) -> None:
    text = f"""func.func @f(%a: {T}, %b: {T}, %n: tensor<512x512xi8>) -> {T} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c9 = arith.constant 9 : index
        return %a : {T}
      ^circle:
        {body}
        cf.br ^circle
      }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        before = str(module)
        mi.run_pipeline(module, f"builtin.module(func.func({passes}))")
        assert str(module) == before


@pytest.mark.parametrize("passes", ["inplace-outline-kernels{repeats=2}", "func.func(inplace-prefetch-rows)"])
def test_ops_on_views_of_themselves_stay(passes: str) -> None:
    row = "memref<1x64xf32, strided<[64, 1], offset: ?>>"
    text = f"""func.func @f() {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        return
      ^circle:
        %x = memref.cast %y : memref<64x64xf32> to memref<?x64xf32>
        %y = memref.cast %x : memref<?x64xf32> to memref<64x64xf32>
        linalg.exp ins(%y : memref<64x64xf32>) outs(%y : memref<64x64xf32>)
        linalg.exp ins(%y : memref<64x64xf32>) outs(%y : memref<64x64xf32>)
        scf.for %i = %c0 to %c8 step %c1 {{
          %s = memref.subview %y[%i, 0] [1, 64] [1, 1] : memref<64x64xf32> to {row}
          linalg.exp ins(%s : {row}) outs(%s : {row})
        }}
        cf.br ^circle
      }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        before = str(module)
        mi.run_pipeline(module, f"builtin.module({passes})")
        assert str(module) == before


def test_what_can_be_reached_does_not_stay() -> None:
    op = f"linalg.exp ins(%t : {T}) outs(%t : {T}) -> {T}"
    text = f"""func.func @f(%a: {T}, %more: i1) -> {T} {{
        cf.br ^loop(%a : {T})
      ^unreachable:
        %t = tensor.empty() : {T}
        %0 = {op}
        cf.br ^loop(%0 : {T})
      ^loop(%u: {T}):
        %1 = {op.replace("%t", "%u")}
        cf.cond_br %more, ^loop(%1 : {T}), ^end
      ^end:
        %2 = {op.replace("%t", "%1")}
        return %2 : {T}
      }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(func.func(inplace-tile{tile-sizes=5,7}))")
        blocks = list(module.body.operations[0].operation.regions[0].blocks)
        assert ["scf.for" in str(block) for block in blocks] == [False, False, True, True]


@pytest.mark.parametrize("passes", PASSES)
def test_ops_inside_of_unknown_ops_stay(passes: str) -> None:
    """Nobody knows whether these run one after the other."""
    text = f"""func.func @f(%a: {T}, %b: {T}, %n: tensor<512x512xi8>) {{
        "unknown.graph"() ({{
          {ON_TENSORS["a wide circle"]}
        }}) : () -> ()
        return
      }}"""
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        before = str(module)
        mi.run_pipeline(module, f"builtin.module(func.func({passes}))")
        assert str(module) == before


def test_ops_around_and_inside_of_branches() -> None:
    text = """func.func @f(%c: i1) {
        scf.if %c {
          scf.execute_region {
            cf.br ^end
          ^never:
            scf.if %c { %n = arith.constant 2 : i32 }
            cf.br ^never
          ^end:
            %1 = arith.constant 1 : i32
            scf.yield
          }
        }
        return
      ^never:
        %2 = arith.constant 3 : i32
        cf.br ^never
      }"""
    names: list[str] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        names.append(op.name)
        return ir.WalkResult.ADVANCE

    with ir.Context():
        module = ir.Module.parse(text)
        walk_reachable(module.operation, visit)
        (body,) = module.body.operations[0].operation.regions
        assert len(reachable_blocks(body)) == 1 and len(reachable_blocks(module.operation.regions[0])) == 1
    inner = ["scf.if", "scf.execute_region", "cf.br", "arith.constant", "scf.yield", "scf.yield"]
    assert names == ["builtin.module", "func.func", *inner, "func.return"]
