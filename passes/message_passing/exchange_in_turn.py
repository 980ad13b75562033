"""Exchange parts with one rank after the other.

In: calls of functions that exchange parts with all ranks, which op models of `shard` make (`PartsExchange` in
`dialects/support/mpi_names.py`). Out: a copy of the rank's own part to its place, and a loop over the other ranks that
sends to one while it receives from another. Places and parts whose elements may not lie one after the other go through
an allocation of the size of one part. Left alone: everything else.

```mlir
func.func private @inplace_mpi_exchange_parts_2_1_all_2d_f32(memref<?x?xf32, strided<[?, ?], offset: ?>>,
    memref<?x?xf32, strided<[?, ?], offset: ?>>, !mpi.comm)
func.func @f(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %t: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %c = mpi.comm_world : !mpi.comm
  func.call @inplace_mpi_exchange_parts_2_1_all_2d_f32(%x, %t, %c) : (memref<?x?xf32, strided<[?, ?], offset: ?>>,
    memref<?x?xf32, strided<[?, ?], offset: ?>>, !mpi.comm) -> ()
  func.return
}
```

Here `%x` of two ranks lie side by side in `%t`, along dimension 1. Behind `inplace-receive-in-place`, which says where
parts are received, and before deallocation, which frees the allocations. Linear in the operations.

Upstream counterpart: none.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.shard.exchanged_parts import exchange_in_turn
from ...dialects.support.mpi_names import parts_exchange, parts_exchange_of
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions


def _is_exchange(function: ir.Operation) -> bool:
    return parts_exchange(ir.StringAttr(function.attributes["sym_name"]).value) is not None


class ExchangeInTurnPass(Pass[PassOptions]):
    """Exchange parts with one rank after the other."""

    argument = "inplace-exchange-in-turn"
    summary = "exchange parts with one rank after the other"
    anchor = "builtin.module"
    statistics = (Statistic("exchanges", "exchanges with all ranks that become loops"),)
    concerns = ("func.call",)

    def run(self, op: ir.Operation) -> None:
        found = find_ops(op, "func.call", where=lambda one: parts_exchange_of(one) is not None)
        with op.context:
            for call in found:
                exchange_in_turn(call)
        for function in find_ops(op, "func.func", where=_is_exchange):
            function.erase()
        self.count("exchanges", len(found))
