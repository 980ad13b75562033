"""The snapshot's numbering: positions, nesting, values, uses, loops."""

from __future__ import annotations

import sys

import pytest
from analysed import context, parse
from mlir import ir
from mlir.dialects import arith, func, scf

from mlir_inplace.passes.analysis.ir.snapshot import Snapshot

NEST = """
func.func @f(%t: !v, %n: index, %p: i1) -> !v {
  %c0 = arith.constant 0 : index
  %l = scf.for %k = %c0 to %n step %n iter_args(%a = %t) -> !v {
    %x:2 = scf.if %p -> (!v, index) {
      %d = tensor.cast %a : !v to !d
      scf.yield %a, %k : !v, index
    } else {
      scf.yield %t, %n : !v, index
    }
    scf.yield %x#0 : !v
  }
  return %l : !v
}
func.func private @g()
"""


def repetitive(_op: ir.Operation, name: str, _region: int) -> bool:
    return name == "scf.for"


@pytest.fixture
def nest() -> Snapshot:
    return Snapshot(parse(NEST).operation, repetitive)


def op(s: Snapshot, name: str, which: int = 0) -> int:
    return [number for number, found in enumerate(s.op_name) if found == name][which]


def test_ops_are_numbered_in_preorder(nest: Snapshot) -> None:
    assert nest.op_name == [
        "builtin.module",
        "func.func",
        "arith.constant",
        "scf.for",
        "scf.if",
        "tensor.cast",
        "scf.yield",
        "scf.yield",
        "scf.yield",
        "func.return",
        "func.func",
    ]
    assert [o.name for o in nest.ops] == nest.op_name


def test_positions_grow_in_program_order_and_enclose_what_is_nested(nest: Snapshot) -> None:
    assert nest.op_enter == sorted(set(nest.op_enter))
    for number in range(len(nest.ops)):
        assert (nest.op_enter[number] == nest.op_exit[number]) == (not nest.op_regions[number])
        block = nest.op_block[number]
        if block >= 0:
            assert nest.block_begin[block] < nest.op_enter[number] <= nest.op_exit[number] < nest.block_end[block]
    for block, owner in enumerate(nest.block_op):
        assert nest.op_enter[owner] < nest.block_begin[block] < nest.block_end[block] < nest.op_exit[owner]
    first, second = (nest.op_regions[op(nest, "scf.if")][region][0] for region in (0, 1))
    assert nest.block_end[first] < nest.block_begin[second]


def test_nested_ops_are_a_range(nest: Snapshot) -> None:
    names = {owner: [nest.op_name[o] for o in nest.nested_ops(op(nest, owner))] for owner in ("scf.for", "scf.if")}
    assert names["scf.for"] == ["scf.if", "tensor.cast", "scf.yield", "scf.yield", "scf.yield"]
    assert names["scf.if"] == ["tensor.cast", "scf.yield", "scf.yield"]
    assert list(nest.nested_ops(0)) == list(range(1, len(nest.ops)))
    assert list(nest.nested_ops(op(nest, "func.return"))) == []
    assert list(nest.nested_ops(op(nest, "func.func", 1))) == []


def test_values_know_where_they_are_defined(nest: Snapshot) -> None:
    for number, value in enumerate(nest.values):
        assert nest.value_id(value) == number
        owner = nest.value_op[number]
        if owner >= 0:
            assert nest.ops[owner].results[nest.value_index[number]] == value
            assert nest.value_block[number] == nest.op_block[owner]
            assert nest.value_position[number] == nest.op_exit[owner]
        else:
            block = nest.value_block[number]
            assert nest.blocks[block].arguments[nest.value_index[number]] == value
            assert nest.value_position[number] == nest.block_begin[block]
    assert [nest.value_index[v] for v in nest.results(op(nest, "scf.if"))] == [0, 1]
    body = nest.op_regions[op(nest, "scf.for")][0][0]
    assert [nest.value_is_tensor[v] for v in nest.arguments(body)] == [False, True]
    assert [nest.value_is_tensor[v] for v in nest.results(op(nest, "scf.if"))] == [True, False]


def test_every_operand_is_a_use(nest: Snapshot) -> None:
    for number, found in enumerate(nest.ops):
        assert [nest.operand_value[o] for o in nest.operands(number)] == [nest.value_id(v) for v in found.operands]
        assert [nest.operand_index(o) for o in nest.operands(number)] == list(range(len(found.operands)))
        assert all(nest.operand_op[o] == number for o in nest.operands(number))
        assert all(nest.operand_position(o) == nest.op_enter[number] for o in nest.operands(number))
    for number, value in enumerate(nest.values):
        uses = {(use.owner.name, use.operand_number) for use in value.uses}
        assert {(nest.op_name[nest.operand_op[o]], nest.operand_index(o)) for o in nest.value_uses[number]} == uses
        assert len(nest.value_uses[number]) == len(list(value.uses))


def test_a_value_from_outside_of_the_root_has_no_number() -> None:
    module = parse(NEST)
    loop = next(o.operation for o in module.body.operations[0].regions[0].blocks[0].operations if o.name == "scf.for")
    s = Snapshot(loop, repetitive)
    assert s.op_name[0] == "scf.for"
    assert [s.operand_value[o] for o in s.operands(0)] == [-1, -1, -1, -1]
    assert s.value_id(module.body.operations[0].regions[0].blocks[0].arguments[0]) == -1


def test_terminators_and_parents(nest: Snapshot) -> None:
    if_ = op(nest, "scf.if")
    assert [nest.terminator(if_, region) for region in (0, 1)] == [op(nest, "scf.yield", 0), op(nest, "scf.yield", 1)]
    blocks = [nest.op_regions[if_][region][0] for region in (0, 1)]
    assert [nest.block_region[b] for b in blocks] == [0, 1]
    body = nest.op_regions[op(nest, "scf.for")][0][0]
    assert [nest.parent_block(b) for b in blocks] == [body, body]
    assert [nest.block_depth[b] for b in blocks] == [nest.block_depth[body] + 1] * 2
    assert nest.parent_block(nest.op_regions[0][0][0]) == -1


def test_a_function_without_a_body_has_no_blocks(nest: Snapshot) -> None:
    assert nest.op_regions[op(nest, "func.func", 1)] == ((),)


def test_encloses(nest: Snapshot) -> None:
    body = nest.op_regions[op(nest, "scf.for")][0][0]
    inside = [o for o in range(len(nest.ops)) if nest.encloses(body, nest.op_enter[o])]
    assert inside == list(nest.nested_ops(op(nest, "scf.for")))
    assert nest.encloses(body, nest.block_begin[body])
    assert nest.encloses(body, nest.block_end[body])
    assert not nest.encloses(body, nest.op_exit[op(nest, "scf.for")])


def test_loops() -> None:
    text = """
    func.func @f(%n: index, %p: i1) {
      scf.for %i = %n to %n step %n {
        scf.if %p {
          scf.for %j = %n to %n step %n {
            "test.inner"() : () -> ()
          }
        }
        "test.outer"() : () -> ()
      }
      "test.none"() : () -> ()
      return
    }
    """
    s = Snapshot(parse(text).operation, repetitive)
    outer, inner = (s.op_regions[op(s, "scf.for", which)][0][0] for which in (0, 1))
    loop = {name: s.block_loop[s.op_block[op(s, f"test.{name}")]] for name in ("inner", "outer", "none")}
    assert loop == {"inner": inner, "outer": outer, "none": -1}
    assert s.block_loop[s.op_regions[op(s, "scf.if")][0][0]] == outer
    assert s.outer_loop(inner) == outer
    assert s.outer_loop(outer) == -1


def test_the_root_is_asked_nothing() -> None:
    """Whether its region repeats is a question about an op inside of something else."""
    asked: list[tuple[str, int]] = []

    def note(_op: ir.Operation, name: str, region: int) -> bool:
        asked.append((name, region))
        return False

    Snapshot(parse(NEST).operation, note)
    assert asked == [("func.func", 0), ("scf.for", 0), ("scf.if", 0), ("scf.if", 1), ("func.func", 0)]


@pytest.mark.parametrize("kind", ["if", "for"])
def test_nesting_is_deeper_than_pythons_stack(kind: str) -> None:
    """Built, not parsed: the parser itself is recursive."""
    depth = sys.getrecursionlimit() + 500
    with context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            function = func.FuncOp("f", ([], []))
        block = function.add_entry_block()
        with ir.InsertionPoint(block):
            index = arith.constant(ir.IndexType.get(), 1)
            condition = arith.constant(ir.IntegerType.get_signless(1), 1)
            func.ReturnOp([])
        at = ir.InsertionPoint(list(block.operations)[-1])
        for _ in range(depth):
            with at:
                inner = scf.IfOp(condition).then_block if kind == "if" else scf.ForOp(index, index, index).body
                with ir.InsertionPoint(inner):
                    end = scf.YieldOp([])
            at = ir.InsertionPoint(end)
        s = Snapshot(module.operation, repetitive)
        assert max(s.block_depth) == depth + 1
        assert s.op_exit[0] == max(s.op_exit)
        # Taken apart from the inside: destroying such a nest recurses as well.
        for number in reversed(range(len(s.ops))):
            if s.op_name[number] == f"scf.{kind}":
                s.ops[number].erase()


OPERANDS_CHANGE = """
func.func @f(%t: tensor<4xf32>, %u: tensor<4xf32>, %p: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = scf.if %p -> tensor<4xf32> {
    %c = linalg.add ins(%a, %u : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %c : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  %d = linalg.mul ins(%b, %u : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %d, %b : tensor<4xf32>, tensor<4xf32>
}
"""


def test_operands_that_change_are_all_that_changes() -> None:
    with context():
        module = parse(OPERANDS_CHANGE)
        before = Snapshot(module.operation, repetitive)
        tables = {name: str(table) for name, table in vars(before).items() if isinstance(table, list)}
        add, mul = op(before, "linalg.add"), op(before, "linalg.mul")
        inits = [before.op_first_operand[number] + 2 for number in (add, mul)]
        changes = {init: before.operand_value[init - 2] for init in inits}
        changes[inits[0] - 1] = before.operand_value[inits[0]]  # and one that the value of a changed one goes to
        for operand, value in changes.items():
            before.ops[before.operand_op[operand]].operands[before.operand_index(operand)] = before.values[value]
        after, expected = before.with_operands(changes), Snapshot(module.operation, repetitive)
    assert {name: str(table) for name, table in vars(before).items() if isinstance(table, list)} == tables
    for name, table in vars(expected).items():
        if isinstance(table, (list, dict, int)) and name not in ("ops", "blocks"):
            assert vars(after)[name] == table, name
    assert after.root is before.root
    assert after.operand_value != before.operand_value
    assert after.value_uses != before.value_uses
    assert after.op_has_tensors.count(True) == 8
