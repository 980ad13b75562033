"""A snapshot of a copy is that of the program itself, if both are alike op by op."""

from __future__ import annotations

import pytest
from analysed import parse
from mlir import ir

from mlir_inplace.passes.analysis.ir.snapshot import Snapshot
from mlir_inplace.passes.analysis.ir.twins import move_to_twin
from mlir_inplace.passes.destinations.rewriting.insertions import all_ops

_T = "tensor<4xf32>"
_LOOPS = f"""func.func @f(%t: {_T}, %u: {_T}, %n: index, %p: i1) -> {_T} {{
  %c0 = arith.constant 0 : index
  %l = scf.for %i = %c0 to %n step %n iter_args(%a = %t) -> {_T} {{
    %x:2 = scf.if %p -> ({_T}, index) {{
      %d = linalg.exp ins(%a : {_T}) outs(%u : {_T}) -> {_T}
      scf.yield %d, %i : {_T}, index
    }} else {{
      scf.yield %t, %n : {_T}, index
    }}
    scf.yield %x#0 : {_T}
  }}
  return %l : {_T}
}}"""


def _is_loop(_op: ir.Operation, name: str, _region: int) -> bool:
    return name == "scf.for"


def test_what_is_known_of_a_copy_holds_for_the_program() -> None:
    module = parse(_LOOPS).operation
    copy, fresh = Snapshot(module.clone(), _is_loop), Snapshot(module, _is_loop)
    assert move_to_twin(copy, module, all_ops(module))
    assert (copy.root, copy.ops, copy.values, copy.blocks) == (module, fresh.ops, fresh.values, fresh.blocks)
    assert [copy.value_id(value) for value in fresh.values] == list(range(len(fresh.values)))
    assert copy.operand_value == fresh.operand_value


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ins(%a :", "ins(%t :"),
        ("linalg.exp", "linalg.log"),
        ("scf.yield %d, %i", "%e = tensor.empty() : tensor<4xf32>\n scf.yield %d, %i"),
        ("%c0 = arith.constant 0 : index", "%c0, %c1 = call @g() : () -> (index, index)"),
        ("@f(%t", "@f(%first: index, %t"),
        (f"return %l : {_T}\n}}", f"cf.br ^b(%l : {_T})\n^b(%r: {_T}):\n  return %r : {_T}\n}}"),
    ],
)
def test_other_programs_are_no_twins(old: str, new: str) -> None:
    """Nothing is changed then. Neither is the snapshot of a program with branches between blocks."""
    one, other = (
        parse(text + "\nfunc.func private @g() -> (index, index)") for text in (_LOOPS, _LOOPS.replace(old, new))
    )
    assert old in _LOOPS
    snapshot = Snapshot(one.operation, _is_loop)
    before = (snapshot.root, list(snapshot.ops), list(snapshot.values))
    assert not move_to_twin(snapshot, other.operation, all_ops(other.operation))
    assert (snapshot.root, snapshot.ops, snapshot.values) == before


def test_branches_are_read_anew() -> None:
    module = parse(
        _LOOPS.replace(f"return %l : {_T}", f"cf.br ^b(%l : {_T})\n^b(%r: {_T}):\n  return %r : {_T}")
    ).operation
    snapshot = Snapshot(module.clone(), _is_loop)
    assert not move_to_twin(snapshot, module, all_ops(module))
