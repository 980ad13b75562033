"""Communicators of parts of the ranks, which are made in the first call of a program and then kept.

MPI has room for some thousand communicators, and to make one takes longer than most messages. So each `mpi.comm_split`
has a place where the last communicator is kept with what it was made of. Whether all ranks would make the same one
again is known where color and key depend on the rank and on constants alone; elsewhere the ranks ask each other.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import llvm

from ...framework.contract import MESSAGE_PREFIX

__all__ = ["is_settled", "kept_place"]

_SETTLED = frozenset({"mpi.comm_world", "mpi.comm_rank", "mpi.comm_size", "mpi.comm_split"})
_WORDS = "!llvm.array<4 x i64>"


def is_settled(split: ir.Operation) -> bool:
    """Whether the op makes the same communicator whenever it is run. Linear in what its operands are computed from."""
    pending, seen = list(split.operands), set[ir.Value]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        op = value.owner
        if isinstance(op, ir.Block) or len(op.regions):
            return False
        if op.name not in _SETTLED and not op.name.startswith(("arith.", "affine.apply")):
            return False
        pending += op.operands
    return True


def kept_place(module: ir.Operation, number: int) -> ir.Value:
    """The address, as an i64, of a new global for the communicator that split number `number` keeps."""
    symbol = f"{MESSAGE_PREFIX}split_{number}"
    with ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0]):
        ir.Operation.create(
            "llvm.mlir.global",
            attributes={
                "sym_name": ir.StringAttr.get(symbol),
                "global_type": ir.TypeAttr.get(ir.Type.parse(_WORDS)),
                "linkage": ir.Attribute.parse("#llvm.linkage<internal>"),
                "value": ir.Attribute.parse("dense<0> : tensor<4xi64>"),
                "addr_space": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 0),
            },
            regions=1,
        )
    address = llvm.mlir_addressof(ir.Type.parse("!llvm.ptr"), symbol)
    return llvm.ptrtoint(ir.IntegerType.get_signless(64), address)
