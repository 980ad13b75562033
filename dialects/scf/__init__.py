"""Structured control flow: loops carry buffers, branches hand them out.

A loop whose carried tensor stays in one buffer loses that iteration argument and its result: body and users name the
buffer itself. Buffers that a loop swaps stay iteration arguments. A branch result that is the same buffer on both
sides is that buffer; otherwise the ``scf.if`` returns a memref. ``scf.while`` is in ``while_loop.py``,
``scf.forall`` and ``scf.parallel`` are in ``forall.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ..bufferizable import Forwarding, OpModel, is_tensor
from ..carried_arguments import end_region, hold_changing, is_inside
from ..rewriter import Rewriter
from ..support.constants import constant_integer
from ..support.memref_types import identity_type, joint_type
from .forall import FORALL_MODELS
from .while_loop import WHILE_MODELS

__all__ = ["MODELS", "ForModel", "RegionBranchModel", "ScfYieldModel"]

_BOUNDS = 3


def _tensor_results(op: ir.Operation) -> list[int]:
    return [i for i, result in enumerate(op.results) if is_tensor(result.type)]


class ScfYieldModel(OpModel):
    """``scf.yield``: forwards; the op around it does the rewriting."""

    op_names = ("scf.yield",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Handing a tensor over reads nothing."""
        return False


class ForModel(OpModel):
    """``scf.for``: initial values and yielded values flow to the iteration arguments and to the results."""

    op_names = ("scf.for",)
    joins_buffer_types = True

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Handing a tensor over reads nothing."""
        return False

    def forwardings(self, op: ir.Operation) -> tuple[Forwarding, ...]:
        """Operand and yield number i reach argument i and result i; the operand no result if the loop surely runs."""
        runs = _runs(op)
        return tuple(
            Forwarding(region, base + i, arguments=((0, i + 1),), results=() if runs and region is None else (i,))
            for i in _tensor_results(op)
            for region, base in ((None, _BOUNDS), (0, 0))
        )

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """The body runs any number of times."""
        return True

    def reads_before_regions(self, op: ir.Operation) -> bool:
        """The bounds and the initial values."""
        return True

    def enter(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Give the iteration arguments their buffers."""
        terminator, arguments = rewriter.terminator(op, 0), list(op.regions[0].blocks[0].arguments)
        for i in _tensor_results(op):
            buffer = rewriter.buffer(op, _BOUNDS + i)
            if rewriter.carries_one_buffer(terminator, i):
                rewriter.hold(arguments[i + 1], buffer)
            else:
                hold_changing(op, _BOUNDS + i, arguments[i + 1], buffer, rewriter)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Recreate the loop: arguments that are not tensors, then the buffers that change from run to run."""
        terminator, block = rewriter.terminator(op, 0), op.regions[0].blocks[0]
        tensors = _tensor_results(op)
        held = {i: rewriter.held_buffer(block.arguments[i + 1]) for i in tensors}
        dropped = {i for i in tensors if rewriter.carries_one_buffer(terminator, i)}
        changing = [i for i in tensors if i not in dropped]
        scalars = [i for i in range(len(op.results)) if i not in held]
        yielded: dict[int, ir.Value] = {}
        with ir.InsertionPoint(terminator), terminator.location:
            for i in tensors:
                buffer = rewriter.yielded_buffer(terminator, i, held[i] if i in dropped else None)
                yielded[i] = buffer if i in dropped else rewriter.cast(buffer, held[i].type)
        values = list(terminator.operands)
        end_region(terminator, [values[i] for i in scalars] + [yielded[i] for i in changing])
        rewriter.sweep(op)
        operands = list(op.operands)
        inits = [operands[_BOUNDS + i] for i in (*scalars, *changing)]
        new = ir.Operation.create(
            "scf.for",
            results=[init.type for init in inits],
            operands=[*operands[:_BOUNDS], *inits],
            attributes={name: op.attributes[name] for name in op.attributes},
            regions=1,
        )
        for i in reversed(tensors):
            block.erase_argument(i + 1)
        block.append_to(new.regions[0])
        results = dict(zip((*scalars, *changing), new.results, strict=True))
        rewriter.replace(op, [held[i] if i in dropped else results[i] for i in range(len(op.results))])


def _runs(loop: ir.Operation) -> bool:
    """Whether an ``scf.for`` has at least one iteration, by constant bounds."""
    lower, upper = (constant_integer(loop.operands[i]) for i in range(2))
    # A negative bound is a large one if the loop compares without signs.
    return lower is not None and upper is not None and 0 <= lower < upper


class RegionBranchModel(OpModel):
    """``scf.if``, ``scf.index_switch`` and ``scf.execute_region``: one region runs; what it yields is the result."""

    op_names = ("scf.if", "scf.index_switch", "scf.execute_region")
    joins_buffer_types = True

    def forwardings(self, op: ir.Operation) -> tuple[Forwarding, ...]:
        """Yield number i of every region reaches result i."""
        regions = range(len(op.regions))
        return tuple(Forwarding(region, i, results=(i,)) for i in _tensor_results(op) for region in regions)

    def are_exclusive_regions(self, op: ir.Operation) -> bool:
        """Only one of the regions runs."""
        return True

    def reads_before_regions(self, op: ir.Operation) -> bool:
        """The only operand is the condition."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Recreate the op with the results that are not one known buffer.

        Each block that leaves a region yields. There is none if an ``scf.execute_region`` never ends.
        """
        terminators = [
            terminator
            for region in range(len(op.regions))
            for terminator in rewriter.terminators(op, region)
            if terminator.name == "scf.yield"
        ]
        yielded: list[dict[int, ir.Value]] = []
        for terminator in terminators:
            with ir.InsertionPoint(terminator), terminator.location:
                yielded.append({i: rewriter.yielded_buffer(terminator, i, None) for i in _tensor_results(op)})
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
        new = _recreate(op, types)
        results = dict(zip(kept, new.results, strict=True))
        rewriter.replace(op, [same[i] if i in same else results[i] for i in range(len(op.results))])


def _result_type(type_: ir.Type, yielded: list[ir.Type]) -> ir.Type:
    """Return what a result of ``type_`` becomes when buffers of the types ``yielded`` are."""
    return joint_type(type_, yielded or [identity_type(type_)]) if is_tensor(type_) else type_


def _recreate(op: ir.Operation, types: Sequence[ir.Type]) -> ir.Operation:
    """Create ``op`` anew with results of ``types``; its blocks move over."""
    new = ir.Operation.create(
        op.name,
        results=types,
        operands=list(op.operands),
        attributes={name: op.attributes[name] for name in op.attributes},
        regions=len(op.regions),
    )
    for old, region in zip(op.regions, new.regions, strict=True):
        while len(old.blocks):
            old.blocks[0].append_to(region)
    return new


MODELS: tuple[OpModel, ...] = (ForModel(), RegionBranchModel(), ScfYieldModel(), *WHILE_MODELS, *FORALL_MODELS)
