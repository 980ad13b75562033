"""Structured control flow: loops carry buffers, branches hand them out.

A loop whose carried tensor stays in one buffer loses that iteration argument and its result: body and users name the
buffer itself. Buffers that a loop swaps stay iteration arguments. A branch result that is the same buffer on both
sides is that buffer; otherwise the ``scf.if`` returns a memref.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from .bufferizable import Forwarding, OpModel, Rewriter, is_tensor
from .memref_types import dynamic_layout_type, has_identity_layout, identity_type, joint_type

__all__ = ["MODELS", "ForModel", "IfModel", "YieldModel"]

_BOUNDS = 3


def _tensor_results(op: ir.Operation) -> list[int]:
    return [i for i, result in enumerate(op.results) if is_tensor(result.type)]


def _yield(old: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Replace terminator ``old`` by a yield of ``values``."""
    ir.Operation.create("scf.yield", operands=values, ip=ir.InsertionPoint(old), loc=old.location)
    old.erase()


class YieldModel(OpModel):
    """``scf.yield``: forwards; the op around it does the rewriting."""

    op_names = ("scf.yield",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Handing a tensor over reads nothing."""
        return False


class ForModel(OpModel):
    """``scf.for``: initial values and yielded values flow to the iteration arguments and to the results."""

    op_names = ("scf.for",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Handing a tensor over reads nothing."""
        return False

    def forwardings(self, op: ir.Operation) -> tuple[Forwarding, ...]:
        """Operand and yield number i reach argument i and result i."""
        return tuple(
            Forwarding(region, base + i, arguments=((0, i + 1),), results=(i,))
            for i in _tensor_results(op)
            for region, base in ((None, _BOUNDS), (0, 0))
        )

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """The body runs any number of times."""
        return True

    def enter(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Give the iteration arguments their buffers."""
        terminator, block = rewriter.terminator(op, 0), op.regions[0].blocks[0]
        arguments = list(block.arguments)
        changing: list[tuple[int, ir.Value]] = []
        for i in _tensor_results(op):
            buffer = rewriter.buffer(op, _BOUNDS + i)
            if rewriter.carries_one_buffer(terminator, i):
                rewriter.hold(arguments[i + 1], buffer)
            else:
                changing.append((i, buffer))
        # What is yielded is another one of these buffers, or a new one: their layouts and memory spaces must fit.
        identity = all(has_identity_layout(buffer.type) for _, buffer in changing)
        spaces = {buffer.type.memory_space for _, buffer in changing}
        space = spaces.pop() if len(spaces) == 1 else None
        for i, buffer in changing:
            make = identity_type if identity else dynamic_layout_type
            type_ = make(op.results[i].type, space)
            # The loop is about to be replaced; until then its operand remembers the initial buffer.
            op.operands[_BOUNDS + i] = rewriter.cast(buffer, type_)
            rewriter.hold(arguments[i + 1], block.add_argument(type_, arguments[i + 1].location))

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
        _yield(terminator, [values[i] for i in scalars] + [yielded[i] for i in changing])
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


class IfModel(OpModel):
    """``scf.if``: one of two regions runs; what it yields is the result."""

    op_names = ("scf.if",)

    def forwardings(self, op: ir.Operation) -> tuple[Forwarding, ...]:
        """Yield number i of either region reaches result i."""
        return tuple(Forwarding(region, i, results=(i,)) for i in _tensor_results(op) for region in (0, 1))

    def are_exclusive_regions(self, op: ir.Operation) -> bool:
        """Only one branch runs."""
        return True

    def reads_before_regions(self, op: ir.Operation) -> bool:
        """The only operand is the condition."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Recreate the op with the results that are not one known buffer."""
        terminators = [rewriter.terminator(op, region) for region in (0, 1)]
        tensors = _tensor_results(op)
        yielded: list[dict[int, ir.Value]] = []
        for terminator in terminators:
            with ir.InsertionPoint(terminator), terminator.location:
                yielded.append({i: rewriter.yielded_buffer(terminator, i, None) for i in tensors})
        same = {i: yielded[0][i] for i in tensors if yielded[0][i] == yielded[1][i]}
        kept = [i for i in range(len(op.results)) if i not in same]
        types = [op.results[i].type for i in kept]
        for position, i in enumerate(kept):
            if i not in yielded[0]:
                continue
            types[position] = joint_type(op.results[i].type, [yielded[0][i].type, yielded[1][i].type])
        for terminator, buffers in zip(terminators, yielded, strict=True):
            values = list(terminator.operands)
            with ir.InsertionPoint(terminator), terminator.location:
                operands = [
                    rewriter.cast(buffers[i], type_) if i in buffers else values[i]
                    for i, type_ in zip(kept, types, strict=True)
                ]
            _yield(terminator, operands)
        rewriter.sweep(op)
        new = ir.Operation.create("scf.if", results=types, operands=list(op.operands), regions=2)
        for region in (0, 1):
            op.regions[region].blocks[0].append_to(new.regions[region])
        results = iter(new.results)
        rewriter.replace(op, [same[i] if i in same else next(results) for i in range(len(kept) + len(same))])


MODELS: tuple[OpModel, ...] = (ForModel(), IfModel(), YieldModel())
