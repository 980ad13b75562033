"""Which ops may refer to a function, and what they name."""

from __future__ import annotations

import pytest
from mlir import ir

from mlir_inplace.passes.analysis.ir.symbols import may_name_functions, named_symbols
from mlir_inplace.passes.analysis.ir.traversal import find_ops

KERNEL = """
llvm.func @callee(!llvm.ptr)
llvm.func @caller(%a: !llvm.ptr, %n: i64) {
  %0 = llvm.mlir.addressof @callee : !llvm.ptr
  %1 = llvm.mlir.poison : !llvm.struct<(ptr, i64)>
  %2 = llvm.insertvalue %a, %1[0] : !llvm.struct<(ptr, i64)>
  %3 = llvm.extractvalue %2[0] : !llvm.struct<(ptr, i64)>
  %4 = llvm.inttoptr %n : i64 to !llvm.ptr
  %5 = llvm.ptrtoint %4 : !llvm.ptr to i64
  %6 = llvm.load %a : !llvm.ptr -> i64
  llvm.store %6, %4 : i64, !llvm.ptr
  llvm.call @callee(%3) : (!llvm.ptr) -> ()
  llvm.return
}
func.func @third(%a: !llvm.ptr) {
  call @fourth(%a) : (!llvm.ptr) -> ()
  return
}
func.func private @fourth(!llvm.ptr)
"""


@pytest.mark.parametrize("name", ["llvm.call", "llvm.mlir.addressof", "func.call", "func.constant", "mine.op", "gpu.x"])
def test_ops_that_may_name_functions(name: str) -> None:
    assert may_name_functions(name)


@pytest.mark.parametrize(
    "name", ["llvm.insertvalue", "llvm.inttoptr", "llvm.mlir.poison", "func.return", "memref.load"]
)
def test_ops_that_cannot(name: str) -> None:
    assert not may_name_functions(name)


def test_what_cannot_name_a_function_names_nothing() -> None:
    with ir.Context():
        module = ir.Module.parse(KERNEL)
        ops = find_ops(module.operation)
        named = {op.name: set(named_symbols(op)) - {"private"} for op in ops if not op.name.endswith(".func")}
    assert {name: symbols for name, symbols in named.items() if symbols} == {
        "llvm.mlir.addressof": {"callee"},
        "llvm.call": {"callee"},
        "func.call": {"fourth"},
    }
    assert all(may_name_functions(name) for name, symbols in named.items() if symbols)
    assert not any(may_name_functions(f"llvm.{name}") for name in ("load", "store", "extractvalue", "ptrtoint"))
