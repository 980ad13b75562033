"""Keep waits for messages, which upstream's op does not say to have an effect.

`mpi.wait` is declared without effects, so that canonicalization erases it where its code is not used, and any pass may
move it. As a call it stays where it is.

In: `mpi.wait`. Out: calls of a declared function, which `inplace-lower-mpi` takes for what they are; they return the
code, and an assertion takes it where the program does not. Left alone: everything else. To be run first. Linear in the
operations.

```mlir
func.func @f(%request: !mpi.request) {
  mpi.wait(%request) : !mpi.request
  func.return
}
```

becomes:

```mlir
func.func private @inplace_mpi_wait_for(!mpi.request) -> !mpi.retval
func.func @f(%request: !mpi.request) {
  %code = call @inplace_mpi_wait_for(%request) : (!mpi.request) -> !mpi.retval
  %ok = mpi.retval_check %code = <MPI_SUCCESS> : i1
  cf.assert %ok, "mpi.wait failed"
  func.return
}
```

Upstream counterpart: none; the declaration of the op is at fault.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import cf, func

from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.contract import WAIT_FOR
from ..framework.options import PassOptions

_WAIT = "mpi.wait"


class KeepWaitsPass(Pass[PassOptions]):
    """Keep waits for messages, which upstream's op does not say to have an effect."""

    argument = "inplace-keep-waits"
    summary = "make calls of mpi.wait, which canonicalization would erase"
    anchor = "builtin.module"
    statistics = (Statistic("waits", "waits that are kept"),)
    concerns = (_WAIT,)

    def run(self, op: ir.Operation) -> None:
        waits = find_ops(op, _WAIT)
        with op.context:
            code, request, bit = map(ir.Type.parse, ("!mpi.retval", "!mpi.request", "i1"))
            success = ir.Attribute.parse("#mpi.errclass<MPI_SUCCESS>")
            for wait in waits:
                with ir.InsertionPoint(wait), wait.location:
                    returned = func.CallOp([code], WAIT_FOR, list(wait.operands)).results[0]
                    if len(wait.results):
                        wait.results[0].replace_all_uses_with(returned)
                    if not any(True for _ in returned.uses):
                        check = ir.Operation.create("mpi.retval_check", [bit], [returned], {"errclass": success})
                        cf.AssertOp(check.results[0], f"{_WAIT} failed")
                wait.erase()
            if waits and WAIT_FOR not in ir.SymbolTable(op):
                with ir.InsertionPoint.at_block_begin(op.regions[0].blocks[0]), ir.Location.unknown():
                    func.FuncOp(WAIT_FOR, ir.FunctionType.get([request], [code]), visibility="private")
        self.count("waits", len(waits))
