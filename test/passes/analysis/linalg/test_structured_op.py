"""What is read once for all ops with the same maps and types is what is read for each of them."""

from __future__ import annotations

import pytest
from mlir import ir

from mlir_inplace.passes.analysis.linalg.structured_op import NotStructured, Structured, nests_kept, read_structured
from mlir_inplace.passes.analysis.schedule.machine import detect_machine
from mlir_inplace.passes.analysis.schedule.operand_transposition import TranspositionFinder
from mlir_inplace.passes.scheduling.rewriting.linalg_ops import find_linalg_ops

PROGRAM = """
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#all = {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<8x8xf32>, %d: tensor<4x?xf32>, %r: tensor<4xf32>) {
  %0 = linalg.generic #all ins(%a : tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic #all ins(%a : tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %y : f32
  } -> tensor<4x8xf32>
  %2 = linalg.generic #all ins(%b : tensor<8x4xf32>) outs(%b : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<8x4xf32>
  %3:2 = linalg.generic #all outs(%a, %a : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %y, %x : f32, f32
  } -> (tensor<4x8xf32>, tensor<4x8xf32>)
  %4 = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<8x4xf32>) outs(%a : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4x8xf32>
  %5 = linalg.generic #all ins(%d : tensor<4x?xf32>) outs(%d : tensor<4x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4x?xf32>
  %6 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf32>) outs(%r : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<4xf32>
  return
}
"""


def parts(one: Structured) -> tuple[object, ...]:
    return one.inputs, one.indices, one.sizes, one.places, one.parallel, one.reads


def test_ops_are_read_as_by_themselves() -> None:
    with ir.Context():
        module = ir.Module.parse(PROGRAM)
        ops = find_linalg_ops(module.operation)
        alone = [parts(read_structured(op)) for op in ops]
        with nests_kept(), nests_kept():
            together = [parts(read_structured(op)) for op in (*ops, *ops)]
    assert together == [*alone, *alone]
    assert [one[0] for one in alone] == [1, 1, 1, 0, 1, 1, 1]
    assert [one[2] for one in alone] == [(4, 8), (4, 8), (8, 4), (4, 8), (4, 8), (4, None), (4, 8)]
    assert [one[4] for one in alone] == [(True, True)] * 6 + [(True, False)]
    assert [one[5] for one in alone[:4]] == [(True, False), (False, True), (True, False), (True, True)]


@pytest.mark.parametrize("place", ["tensor", "memref"])
def test_reductions_have_an_init_for_each_input(place: str) -> None:
    whole, row = f"{place}<4x8xf32>", f"{place}<4xf32>"
    text = f"""func.func @f(%a: {whole}, %b: {whole}, %c: {row}, %d: {row}) {{
        {"%0:2 =" if place == "tensor" else ""} linalg.reduce ins(%a, %b : {whole}, {whole}) outs(%c, %d : {row}, {row})
            dimensions = [1] (%x: f32, %y: f32, %s: f32, %t: f32) {{
          %u = arith.addf %x, %s : f32
          %v = arith.mulf %y, %t : f32
          linalg.yield %u, %v : f32, f32
        }}
        return
      }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        function = module.body.operations[0].operation
        found = read_structured(function.regions[0].blocks[0].operations[0].operation)
        assert (found.inputs, list(found.outputs), found.parallel) == (2, [2, 3], (True, False))


def test_what_cannot_be_read_is_refused_each_time() -> None:
    with ir.Context():
        module = ir.Module.parse(
            """func.func @f(%a: tensor<0x8xf32>) -> tensor<0x8xf32> {
              %0 = linalg.exp ins(%a : tensor<0x8xf32>) outs(%a : tensor<0x8xf32>) -> tensor<0x8xf32>
              return %0 : tensor<0x8xf32>
            }"""
        )
        (op,) = find_linalg_ops(module.operation)
        with nests_kept():
            for _ in range(2):
                with pytest.raises(NotStructured, match="has no elements"):
                    read_structured(op)


def test_equal_ops_are_transposed_alike_and_others_are_not() -> None:
    rows, columns = "affine_map<(i, j, k) -> (i, k)>", "affine_map<(i, j, k) -> (j, k)>"
    turned, out = "affine_map<(i, j, k) -> (k, j)>", "affine_map<(i, j, k) -> (i, j)>"
    t = "tensor<64x64xf32>"

    def product(name: str, first: str, second: str) -> str:
        return f"""%{name} = linalg.generic {{indexing_maps = [{rows}, {second}, {out}],
            iterator_types = ["parallel", "parallel", "reduction"]}} ins({first}, %b : {t}, {t}) outs(%c : {t}) {{
        ^bb0(%x: f32, %y: f32, %z: f32):
          %p = arith.mulf %x, %y : f32
          %q = arith.addf %z, %p : f32
          linalg.yield %q : f32
        }} -> {t}"""

    ops = [product("d", "%a", columns), product("e", "%a", turned), product("f", "%d", columns)]
    with ir.Context():
        module = ir.Module.parse(
            "func.func @f(%a: T, %b: T, %c: T) {\n".replace("T", t) + "\n".join([*ops, "return", "}"])
        )
        finder = TranspositionFinder(detect_machine().override("vector-bits=256"))
        found = [finder.find(op) for op in find_linalg_ops(module.operation)]
        alone = [
            TranspositionFinder(detect_machine().override("vector-bits=256")).find(op)
            for op in find_linalg_ops(module.operation)
        ]
    orders = [one and one.operands for one in found]
    assert orders == [one and one.operands for one in alone] == [{1: (1, 0)}, None, {1: (1, 0)}]
    assert [one.structured.op for one in found if one] == [one.structured.op for one in alone if one]
