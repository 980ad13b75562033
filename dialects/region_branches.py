"""Ops that run one of their regions: what it yields is the result.

A tensor result that is the same buffer in every region is that buffer; otherwise the op returns a memref.
"""

from __future__ import annotations

from mlir import ir

from .bufferizable import Forwarding, OpModel, is_tensor
from .carried_arguments import end_region
from .rewriter import Rewriter
from .support.cloning import recreate
from .support.defining_ops import is_inside
from .support.memref_types import identity_type, joint_type

__all__ = ["RegionBranchModel", "tensor_results"]

_YIELDS = frozenset({"scf.yield", "shape.assuming_yield"})


def tensor_results(op: ir.Operation) -> list[int]:
    """Return the numbers of the results of ``op`` that are tensors."""
    return [i for i, result in enumerate(op.results) if is_tensor(result.type)]


class RegionBranchModel(OpModel):
    """Ops that run one of their regions, once, and return what it yields: ``scf.if``, ``shape.assuming``."""

    joins_buffer_types = True

    def forwardings(self, op: ir.Operation) -> tuple[Forwarding, ...]:
        """Yield number i of every region reaches result i."""
        regions = range(len(op.regions))
        return tuple(Forwarding(region, i, results=(i,)) for i in tensor_results(op) for region in regions)

    def are_exclusive_regions(self, op: ir.Operation) -> bool:
        """Only one of the regions runs."""
        return True

    def reads_before_regions(self, op: ir.Operation) -> bool:
        """The only operand is a condition."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Recreate the op with the results that are not one known buffer.

        Each block that leaves a region yields. There is none if an ``scf.execute_region`` never ends.
        """
        terminators = [
            terminator
            for region in range(len(op.regions))
            for terminator in rewriter.terminators(op, region)
            if terminator.name in _YIELDS
        ]
        yielded: list[dict[int, ir.Value]] = []
        for terminator in terminators:
            with ir.InsertionPoint(terminator), terminator.location:
                yielded.append({i: rewriter.yielded_buffer(terminator, i, None) for i in tensor_results(op)})
        same = {
            i: buffer
            for buffers in yielded[:1]
            for i, buffer in buffers.items()
            if all(others[i] == buffer for others in yielded) and not is_inside(buffer, op)
        }
        kept = [i for i in range(len(op.results)) if i not in same]
        types = [
            _result_type(op.results[i].type, [buffers[i].type for buffers in yielded if i in buffers]) for i in kept
        ]
        for terminator, buffers in zip(terminators, yielded, strict=True):
            values = list(terminator.operands)
            with ir.InsertionPoint(terminator), terminator.location:
                operands = [
                    rewriter.cast(buffers[i], type_) if i in buffers else values[i]
                    for i, type_ in zip(kept, types, strict=True)
                ]
            end_region(terminator, operands)
        rewriter.sweep(op)
        new = recreate(op, list(op.operands), types)
        results = dict(zip(kept, new.results, strict=True))
        rewriter.replace(op, [same[i] if i in same else results[i] for i in range(len(op.results))])


def _result_type(type_: ir.Type, yielded: list[ir.Type]) -> ir.Type:
    """Return what a result of ``type_`` becomes when buffers of the types ``yielded`` are."""
    return joint_type(type_, yielded or [identity_type(type_)]) if is_tensor(type_) else type_
