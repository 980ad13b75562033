"""scf: loops carry buffers, branches yield them.

A loop drops an iteration argument and result whose tensor stays in one buffer: body and users name the buffer itself.
Buffers that a loop swaps stay iteration arguments. ``scf.if`` and its like are in ``region_branches.py`` of
``dialects/``, ``scf.while`` is in ``while_loop.py``, ``scf.forall`` and ``scf.parallel`` are in ``forall.py``.
"""

from __future__ import annotations

from mlir import ir

from ..bufferizable import Forwarding, OpModel
from ..carried_arguments import end_region, hold_carried
from ..common_models import NoReadModel
from ..region_branches import RegionBranchModel, tensor_results
from ..rewriter import Rewriter
from ..support.cloning import recreate
from .forall import FORALL_MODELS
from .trip_counts import runs_at_most_once, surely_runs
from .while_loop import WhileModel

__all__ = ["MODELS", "ForModel", "RegionBranchModel", "surely_runs"]

_BOUNDS = 3


class ForModel(NoReadModel):
    """``scf.for``: initial and yielded values are forwarded to the iteration arguments and the results."""

    op_names = ("scf.for",)
    joins_buffer_types = True

    def forwardings(self, op: ir.Operation) -> tuple[Forwarding, ...]:
        """Operand and yield number i reach argument i and result i; the operand no result if the loop surely runs."""
        runs = surely_runs(op)
        return tuple(
            Forwarding(region, base + i, arguments=((0, i + 1),), results=() if runs and region is None else (i,))
            for i in tensor_results(op)
            for region, base in ((None, _BOUNDS), (0, 0))
        )

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """The body runs any number of times, unless the bounds say that it runs once at most."""
        return not runs_at_most_once(op)

    def reads_before_regions(self, op: ir.Operation) -> bool:
        """The bounds and the initial values are read before the body runs."""
        return True

    def enter(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Give the iteration arguments their buffers."""
        terminator, arguments = rewriter.terminator(op, 0), list(op.regions[0].blocks[0].arguments)
        for i in tensor_results(op):
            hold_carried(op, _BOUNDS + i, arguments[i + 1], rewriter.carries_one_buffer(terminator, i), rewriter)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Recreate the loop: arguments that are not tensors, then the buffers that change from run to run."""
        terminator, block = rewriter.terminator(op, 0), op.regions[0].blocks[0]
        tensors = tensor_results(op)
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
        for i in reversed(tensors):
            block.erase_argument(i + 1)
        new = recreate(op, [*operands[:_BOUNDS], *inits], [init.type for init in inits])
        results = dict(zip((*scalars, *changing), new.results, strict=True))
        rewriter.replace(op, [held[i] if i in dropped else results[i] for i in range(len(op.results))])


MODELS: tuple[OpModel, ...] = (
    ForModel(),
    RegionBranchModel("scf.if", "scf.index_switch", "scf.execute_region"),
    NoReadModel("scf.yield", "scf.condition"),
    WhileModel(),
    *FORALL_MODELS,
)
