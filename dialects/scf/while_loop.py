"""scf.while: two regions that run in turn, and the buffers that they carry.

The initial values and what the second region yields reach the arguments of the first region (*before*, which decides
whether to go on); what ``scf.condition`` passes reaches the arguments of the second region (*after*) or, at the end,
the results. A tensor that stays in one buffer is dropped from the loop, as in ``scf.for``. What ``scf.condition``
passes is forwarded as it is: a buffer from outside is named directly, any other one is an argument and a result.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ..bufferizable import Forwarding, is_tensor
from ..carried_arguments import end_region, hold_carried
from ..common_models import NoReadModel
from ..rewriter import Rewriter
from ..support.cloning import recreate
from ..support.defining_ops import is_inside

__all__ = ["WhileModel"]

_BEFORE, _AFTER = 0, 1
_FIRST_PASSED = 1
"""The operand of ``scf.condition`` that is passed on first; the one before is the condition."""


def _tensors(values: Sequence[ir.Value]) -> list[int]:
    return [i for i, value in enumerate(values) if is_tensor(value.type)]


class WhileModel(NoReadModel):
    """``scf.while``: carries buffers through both regions; they leave at the condition."""

    op_names = ("scf.while",)
    joins_buffer_types = True

    def forwardings(self, op: ir.Operation) -> tuple[Forwarding, ...]:
        """Operand and yield i reach argument i of before; operand i of the condition argument i of after, result i."""
        carried = tuple(
            Forwarding(region, i, arguments=((_BEFORE, i),))
            for i in _tensors(list(op.operands))
            for region in (None, _AFTER)
        )
        passed = tuple(
            Forwarding(_BEFORE, _FIRST_PASSED + i, arguments=((_AFTER, i),), results=(i,))
            for i in _tensors(list(op.results))
        )
        return carried + passed

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """Both regions run any number of times."""
        return True

    def enter(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Give the arguments of the first region their buffers."""
        terminator, arguments = rewriter.terminator(op, _AFTER), list(op.regions[_BEFORE].blocks[0].arguments)
        for i in _tensors(list(op.operands)):
            hold_carried(op, i, arguments[i], rewriter.carries_one_buffer(terminator, i), rewriter)

    def leave_region(self, op: ir.Operation, region: int, rewriter: Rewriter) -> None:
        """Give the arguments of the second region the buffers that the first one passes."""
        if region != _BEFORE:
            return
        terminator, block = rewriter.terminator(op, _BEFORE), op.regions[_AFTER].blocks[0]
        arguments = list(block.arguments)
        for i in _tensors(list(op.results)):
            buffer = rewriter.yielded_buffer(terminator, _FIRST_PASSED + i, None)
            # The terminator is about to be replaced; until then it remembers what it passes.
            terminator.operands[_FIRST_PASSED + i] = buffer
            if is_inside(buffer, op):
                buffer = block.add_argument(buffer.type, arguments[i].location)
            rewriter.hold(arguments[i], buffer)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Recreate the loop: what is no tensor first, then the buffers that change from run to run."""
        before, after = (op.regions[region].blocks[0] for region in (_BEFORE, _AFTER))
        condition, yield_ = rewriter.terminator(op, _BEFORE), rewriter.terminator(op, _AFTER)
        carried, passed = _tensors(list(before.arguments)), _tensors(list(op.results))
        passed_values = list(condition.operands)[_FIRST_PASSED:]
        outside = {i: passed_values[i] for i in passed if not is_inside(passed_values[i], op)}
        going_out = [i for i in range(len(passed_values)) if i not in passed]
        going_out += [i for i in passed if i not in outside]
        going_in = self._yield(op, yield_, rewriter)
        end_region(condition, [condition.operands[0], *(passed_values[i] for i in going_out)])
        rewriter.sweep(op)
        operands = list(op.operands)
        for block, tensors in ((before, carried), (after, passed)):
            for i in reversed(tensors):
                block.erase_argument(i)
        new = recreate(op, [operands[i] for i in going_in], [passed_values[i].type for i in going_out])
        results = dict(zip(going_out, new.results, strict=True))
        rewriter.replace(op, [outside[i] if i in outside else results[i] for i in range(len(op.results))])

    @staticmethod
    def _yield(op: ir.Operation, terminator: ir.Operation, rewriter: Rewriter) -> list[int]:
        """Replace the second region's terminator; return which operands of ``op`` it still carries, in order."""
        arguments = list(op.regions[_BEFORE].blocks[0].arguments)
        values = list(terminator.operands)
        tensors = {i for i, value in enumerate(values) if is_tensor(value.type)}
        kept = [i for i in range(len(values)) if i not in tensors]
        with ir.InsertionPoint(terminator), terminator.location:
            for i in sorted(tensors):
                held = rewriter.held_buffer(arguments[i])
                if rewriter.carries_one_buffer(terminator, i):
                    rewriter.yielded_buffer(terminator, i, held)
                else:
                    values[i] = rewriter.cast(rewriter.yielded_buffer(terminator, i, None), held.type)
                    kept.append(i)
        end_region(terminator, [values[i] for i in kept])
        return kept
