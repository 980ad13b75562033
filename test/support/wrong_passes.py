"""Passes that are wrong on purpose, each in one way, for the tests of what must find it out."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mlir import ir
from mlir.dialects import arith, memref, scf

from mlir_inplace.passes.framework.base import Pass
from mlir_inplace.passes.framework.options import PassOptions
from mlir_inplace.passes.pipeline.registry import registry


def named(module: ir.Operation, name: str) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == name:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.walk(visit)
    return found


class WrongPass(Pass[PassOptions], ABC):
    """A pass on a whole module."""

    summary = "wrong on purpose"


class ForgetCopiesPass(WrongPass):
    """Writes in place where a copy was decided on: each copied buffer becomes the one it is a copy of."""

    argument = "test-forget-copies"

    def run(self, op: ir.Operation) -> None:
        for copy in named(op, "memref.copy"):
            source, target = copy.operands
            with ir.InsertionPoint(copy), copy.location:
                same = source if source.type == target.type else memref.cast(target.type, source)
            copy.erase()
            target.replace_all_uses_with(same)


class DropFreesPass(WrongPass):
    """Leaks."""

    argument = "test-drop-frees"

    def run(self, op: ir.Operation) -> None:
        for free in named(op, "memref.dealloc"):
            free.erase()


class FreeTwicePass(WrongPass):
    """Frees each buffer once more."""

    argument = "test-free-twice"

    def run(self, op: ir.Operation) -> None:
        for free in named(op, "memref.dealloc"):
            with ir.InsertionPoint(free), free.location:
                memref.DeallocOp(free.operands[0])


class StrayPass(WrongPass):
    """Writes far behind the end of what each linalg.add writes."""

    argument = "test-stray"

    def run(self, op: ir.Operation) -> None:
        for add in named(op, "linalg.add"):
            with ir.InsertionPoint(add), add.location:
                far = arith.constant(ir.IndexType.get(), 1 << 44)
                memref.StoreOp(arith.constant(ir.F32Type.get(), 0.0), add.operands[2], [far])


class RaisePass(WrongPass):
    """Stops with an exception."""

    argument = "test-raise"

    def run(self, op: ir.Operation) -> None:
        raise ZeroDivisionError("on purpose")


class HangPass(WrongPass):
    """Never gets past each linalg.add."""

    argument = "test-hang"

    def run(self, op: ir.Operation) -> None:
        for add in named(op, "linalg.add"):
            with ir.InsertionPoint.after(add), add.location:
                loop = scf.WhileOp([], [])
                before, after = loop.before.blocks.append(), loop.after.blocks.append()
            with ir.InsertionPoint(before), add.location:
                scf.ConditionOp(arith.constant(ir.IntegerType.get_signless(1), 1), [])
            with ir.InsertionPoint(after), add.location:
                zero = arith.constant(ir.IndexType.get(), 0)
                memref.StoreOp(arith.constant(ir.F32Type.get(), 0.0), add.operands[2], [zero])
                scf.YieldOp([])


@contextmanager
def registered(*classes: type[Pass[Any]]) -> Iterator[None]:
    """Lets pipelines name these passes, as those of a plugin."""
    for cls in classes:
        registry.register(cls, "test")
    try:
        yield
    finally:
        for cls in classes:
            registry._entries.pop(cls.argument)
