"""Passes that exist for the tests of the infrastructure, each with one behaviour, and a registry that knows them."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from mlir_inplace.passes.framework.base import Pass, Statistic
from mlir_inplace.passes.framework.errors import PassFailure
from mlir_inplace.passes.framework.options import PassOptions, option
from mlir_inplace.passes.pipeline.registry import Registry


@dataclass(frozen=True)
class TagOptions(PassOptions):
    name: str = option("tensor.tag", help="the attribute to set")
    times: int = option(1, help="how often to count it")


class TagPass(Pass[TagOptions]):
    """Sets an attribute on the operation it runs on."""

    argument = "inplace-tag"
    summary = "set an attribute"
    Options = TagOptions
    statistics = (Statistic("tagged", "operations that were tagged"),)

    def run(self, op: ir.Operation) -> None:
        op.attributes[self.options.name] = ir.UnitAttr.get()
        self.count("tagged", self.options.times)


class LookPass(Pass):
    """Changes nothing; tells a remark and a warning at every function directly inside."""

    argument = "inplace-look"
    summary = "report what is there"

    def run(self, op: ir.Operation) -> None:
        for function in op.regions[0].blocks[0].operations:
            self.remark(function.location, f"saw '{function.operation.name}'", [("in here", op.location)])
            self.warn(function.location, "looked at")


class RefusePass(Pass):
    """Refuses every function called @refused, with a note."""

    argument = "inplace-refuse"
    summary = "refuse a function"
    anchor = "func.func"

    def run(self, op: ir.Operation) -> None:
        if ir.StringAttr(op.attributes["sym_name"]).value == "refused":
            raise PassFailure("function cannot be accepted", op, [("it is inside this", op.parent.location)])
        op.attributes["accepted"] = ir.UnitAttr.get()


class BreakPass(Pass):
    """Leaves IR that the verifier refuses: a function that returns less than it promises."""

    argument = "inplace-break"
    summary = "make the IR invalid"
    anchor = "func.func"

    def run(self, op: ir.Operation) -> None:
        op.attributes["function_type"] = ir.TypeAttr.parse("() -> i32")


class CrashPass(Pass):
    """Has a bug."""

    argument = "inplace-crash"
    summary = "raise an exception"

    def run(self, op: ir.Operation) -> None:
        raise ZeroDivisionError("nobody thought of this")


def example_registry() -> Registry:
    """A registry of these passes and no others."""
    found = Registry(group=None)
    for cls in (TagPass, LookPass, RefusePass, BreakPass, CrashPass):
        found.register(cls, "tests")
    return found
