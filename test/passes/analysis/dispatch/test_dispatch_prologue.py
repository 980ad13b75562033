"""What may run ahead of the workgroups, rule by rule, and what must not."""

from __future__ import annotations

import pytest
from mlir import ir
from mlir.dialects import func

from mlir_inplace.dialects import dispatch
from mlir_inplace.passes.analysis.dispatch.prologue import find_known_ahead, needed_ahead

SIZE = "dispatch.workgroup_size"

BODY = """
func.func @f(%argument: index) {{
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = dispatch.push_constant 0 : index
  %s = dispatch.workgroup_size 0 : index
  %x = dispatch.workgroup_id 0 : index
  %t = arith.constant true
  %m = dispatch.binding set(0) binding(0) sizes(%n) : memref<?xindex>
  {op}
  return
}}
"""


def last_is_known(op: str) -> bool:
    """Whether the op in front of the return is known ahead."""
    with ir.Context() as context:
        module = dispatch.parse(BODY.format(op=op), context)
        function = module.body.operations[0]
        assert isinstance(function, func.FuncOp)
        order = [inner.operation for inner in function.entry_block.operations]
        known = find_known_ahead(function.entry_block, order, lambda grid: grid.name == SIZE)
        return order[-2] in known


@pytest.mark.parametrize(
    "op",
    [
        "%r = arith.addi %n, %s : index",
        "%r = arith.muli %argument, %n : index",
        "%r = arith.divui %n, %c4 : index",
        "%r = arith.ceildivsi %n, %c4 : index",
        "%r = affine.min affine_map<(d0)[s0] -> (d0, s0 floordiv 4)>(%n)[%s]",
        "%r = memref.dim %m, %c0 : memref<?xindex>",
        "%r = memref.subview %m[%n] [2] [1] : memref<?xindex> to memref<2xindex, strided<[1], offset: ?>>",
        "%r = dispatch.tie_shape %m, [%n] : memref<?xindex>",
    ],
)
def test_what_every_workgroup_computes_alike(op: str) -> None:
    assert last_is_known(op)


@pytest.mark.parametrize(
    "op",
    [
        "%r = arith.addi %n, %x : index",
        "%r = arith.divui %n, %s : index",
        "%r = arith.remsi %n, %c0 : index",
        "%r = affine.apply affine_map<(d0)[s0] -> (d0 + 2 * (d0 floordiv s0))>(%n)[%s]",
        "%r = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%n)[%s]",
        "%r = arith.divsi %n, %n : index",
        "%r = memref.load %m[%c0] : memref<?xindex>",
        "%r = memref.dim %m, %n : memref<?xindex>",
        "%r = memref.alloc(%n) : memref<?xindex>",
        "%r = memref.subview %m[%x] [2] [1] : memref<?xindex> to memref<2xindex, strided<[1], offset: ?>>",
        "%r = scf.if %t -> index { scf.yield %n : index } else { scf.yield %s : index }",
        "memref.store %n, %m[%c0] : memref<?xindex>",
    ],
)
def test_what_stays_in_the_grid(op: str) -> None:
    assert not last_is_known(op)


def test_only_what_is_wanted_leaves_a_branch() -> None:
    with ir.Context() as context:
        module = dispatch.parse(
            """
            func.func @f(%c: i1) {
              %n = dispatch.push_constant 0 : index
              scf.if %c {
                %wanted = arith.addi %n, %n : index
                %other = arith.muli %n, %n : index
              }
              return
            }
            """,
            context,
        )
        function = module.body.operations[0]
        assert isinstance(function, func.FuncOp)
        order: list[ir.Operation] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            order.append(op)
            return ir.WalkResult.ADVANCE

        function.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
        known = find_known_ahead(function.entry_block, order, lambda grid: grid.name == SIZE)
        assert [op.name for op in known] == ["dispatch.push_constant", "arith.addi", "arith.muli"]
        wanted = known[1].results[0]
        assert [op.name for op in needed_ahead(function.entry_block, known, [wanted])] == [
            "dispatch.push_constant",
            "arith.addi",
        ]
        assert [op.name for op in needed_ahead(function.entry_block, known, [])] == ["dispatch.push_constant"]
