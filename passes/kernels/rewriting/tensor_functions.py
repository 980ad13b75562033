"""Functions on tensors that repeated ops are moved to, and their calls."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol, TypeVar

from mlir import ir
from mlir.dialects import func

from ...analysis.repetition.bodies import Body

__all__ = ["RepeatedBodies", "marks", "outline_bodies"]


class RepeatedBodies(Protocol):
    """Equal bodies, and what a call of the function that computes them takes and gives."""

    @property
    def bodies(self) -> Sequence[Body]:
        """The bodies in program order."""
        ...

    def arguments(self, body: Body) -> list[ir.Value]:
        """Return the values that a call passes in the place of `body`."""
        ...

    def results(self, body: Body) -> list[ir.Value]:
        """Return the values that a call returns in their place."""
        ...


Found = TypeVar("Found", bound=RepeatedBodies)


def marks(arguments: Sequence[ir.Value], written: Collection[ir.Value]) -> ir.ArrayAttr:
    """Return the attributes of the arguments that become of these values: tensors are not writable unless `written`."""
    unwritten = ir.DictAttr.get({"bufferization.writable": ir.BoolAttr.get(False)})
    none = ir.DictAttr.get({})
    return ir.ArrayAttr.get(
        [unwritten if isinstance(one.type, ir.RankedTensorType) and one not in written else none for one in arguments]
    )


def outline_bodies(module: ir.Operation, found: Sequence[Found], make: Callable[[Found], func.FuncOp]) -> int:
    """Let a function do what bodies do, which `make` builds at the insertion point; return the number of calls.

    All functions are built from ops that no call has replaced yet. Calls stand where the last ops of bodies were. Names
    get a number where they are taken.
    """
    symbols, functions = ir.SymbolTable(module), list[func.FuncOp]()
    for repeated in found:
        with ir.InsertionPoint(module.regions[0].blocks[0]), repeated.bodies[0].op.location:
            functions.append(make(repeated))
    names = [ir.StringAttr(symbols.insert(function.operation)).value for function in functions]
    replaced: dict[ir.Value, ir.Value] = {}
    calls = [(body, repeated, name) for repeated, name in zip(found, names, strict=True) for body in repeated.bodies]
    for body, repeated, name in calls:
        arguments = [replaced.get(value, value) for value in repeated.arguments(body)]
        results = repeated.results(body)
        with ir.InsertionPoint(body.op), body.op.location:
            call = func.CallOp([one.type for one in results], name, arguments)
        for old, new in zip(results, call.results, strict=True):
            old.replace_all_uses_with(new)
            replaced[old] = new
    for body, _, _ in calls:
        for one in reversed(body.ops):
            one.erase()
    return len(calls)
