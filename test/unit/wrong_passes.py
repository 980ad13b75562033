"""Passes that are wrong on purpose, each in one way, for the tests of what must find it out."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mlir import ir
from mlir.dialects import memref

from mlir_inplace.passes.base import Pass
from mlir_inplace.passes.options import PassOptions
from mlir_inplace.passes.registry import registry


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
            if source.type == target.type:
                target.replace_all_uses_with(source)
                copy.erase()


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
