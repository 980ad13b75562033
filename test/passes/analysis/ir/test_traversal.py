"""Finding ops, the ops that define values, and clones on other operands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

from mlir_inplace.dialects.support.cloning import attributes_of, clone_with
from mlir_inplace.dialects.support.defining_ops import defining_op, parent_block
from mlir_inplace.passes.analysis.ir.traversal import find_ops, loops_around, types_of_values

PROGRAM = """
func.func @f(%a: index, %n: index, %b: i1) {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %n step %n {
    scf.for %j = %c0 to %n step %n {
      %x = arith.addi %i, %j overflow<nsw> : index
    }
    scf.if %b {
      %y = arith.addi %i, %a : index
    }
  }
  return
^unreachable:
  %z = arith.addi %a, %a : index
  cf.br ^unreachable
}"""


@pytest.fixture
def module() -> Iterator[ir.Module]:
    with ir.Context(), ir.Location.unknown():
        yield ir.Module.parse(PROGRAM)


def test_ops_are_found_in_program_order(module: ir.Module) -> None:
    found = find_ops(module.operation, "arith.addi", "scf.if")
    assert [op.name for op in found] == ["arith.addi", "scf.if", "arith.addi", "arith.addi"]
    assert find_ops(module.operation, "arith.addi", reachable=True) == [found[0], found[2]]
    same = find_ops(module.operation, "arith.addi", where=lambda op: op.operands[0] == op.operands[1])
    assert same == [found[3]]


def test_loops_around_end_at_another_op(module: ir.Module) -> None:
    outer, inner = find_ops(module.operation, "scf.for")
    first, in_branch, *_ = find_ops(module.operation, "arith.addi")
    assert list(loops_around(first)) == [inner, outer]
    assert list(loops_around(in_branch)) == []
    assert list(loops_around(inner)) == [outer]


def test_defining_op(module: ir.Module) -> None:
    add = find_ops(module.operation, "arith.addi")[0]
    assert defining_op(add.results[0]) == add
    assert defining_op(add.results[0], "arith.constant", "arith.addi") == add
    assert defining_op(add.results[0], "arith.constant") is None
    assert defining_op(add.operands[1]) is None
    assert parent_block(add.results[0]) == parent_block(add.operands[1]) == add.block
    assert parent_block(add.operands[0]) != add.block


def test_clones_work_on_other_operands(module: ir.Module) -> None:
    inner = find_ops(module.operation, "scf.for")[1]
    variable = inner.regions[0].blocks[0].arguments[0]
    known = {inner.parent.regions[0].blocks[0].arguments[0]: inner.operands[1]}
    with ir.InsertionPoint(inner):
        clone = clone_with(inner, known)
    add = find_ops(clone, "arith.addi")[0]
    assert list(add.operands) == [inner.operands[1], clone.regions[0].blocks[0].arguments[0]]
    assert add.operands[1] != variable
    with ir.InsertionPoint(add):
        again = clone_with(add, known)
    assert known[add.results[0]] == again.results[0]
    assert str(attributes_of(add)["overflowFlags"]) == "#arith.overflow<nsw>"


def test_types_of_values() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(PROGRAM.replace("%b: i1", "%b: i1, %unused: tensor<2xbf16>"))
        assert sorted(map(str, types_of_values(module.operation))) == ["i1", "index", "tensor<2xbf16>"]
