"""Passes that name the ops they are about are not called where there are none."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from mlir import ir
from mlir.dialects import arith

from mlir_inplace.passes.framework.base import Pass
from mlir_inplace.passes.pipeline.pipeline import Pipeline
from mlir_inplace.passes.pipeline.registry import BUILT_IN, Registry, registry

TEXT = """\
func.func @first(%x: f32) -> f32 {
  %0 = math.absf %x : f32
  return %0 : f32
}
func.func @second() { return }
"""


class AbsPass(Pass[Any]):
    """Notes what it runs on."""

    argument = "inplace-note-abs"
    summary = "note what it runs on"
    concerns = ("math.absf",)
    seen: ClassVar[list[str]] = []

    def run(self, op: ir.Operation) -> None:
        names = op.attributes
        self.seen.append(ir.StringAttr(names["sym_name"]).value if "sym_name" in names else op.name)


class SqrtPass(AbsPass):
    """The same about square roots."""

    argument = "inplace-note-sqrt"
    concerns = ("math.sqrt",)


class ReplacePass(Pass[Any]):
    """Turns absolute values into square roots, or back."""

    argument = "inplace-replace"
    summary = "replace ops"

    def run(self, op: ir.Operation) -> None:
        for block in op.regions[0]:
            for inner in block.operations:
                if inner.operation.name == "math.absf":
                    with ir.InsertionPoint(inner), inner.location:
                        new = ir.Operation.create("math.sqrt", [inner.results[0].type], [inner.operands[0]])
                    inner.results[0].replace_all_uses_with(new.results[0])
                    inner.operation.erase()


PASSES = Registry()
for cls in (AbsPass, SqrtPass, ReplacePass):
    PASSES.register(cls, "test")


@pytest.mark.parametrize(
    ("pipeline", "seen"),
    [
        ("inplace-note-abs,inplace-note-sqrt", ["builtin.module"]),
        ("func.func(inplace-note-abs,inplace-note-sqrt)", ["first"]),
        ("func.func(inplace-note-sqrt,inplace-replace,inplace-note-sqrt,inplace-note-abs)", ["first"]),
        ("inplace-note-abs,func.func(inplace-replace),inplace-note-abs,inplace-note-sqrt", ["builtin.module"] * 2),
        ("inplace-note-abs,math-expand-ops,inplace-note-sqrt,symbol-dce", ["builtin.module"]),
        ("inplace-note-abs,convert-math-to-llvm,inplace-note-abs", ["builtin.module"]),
    ],
)
def test_only_what_holds_such_ops_is_shown_to_the_pass(pipeline: str, seen: list[str]) -> None:
    AbsPass.seen.clear()
    with ir.Context() as context:
        module = ir.Module.parse(TEXT, context)
        Pipeline.parse(f"builtin.module({pipeline})", PASSES).run(module)
    assert AbsPass.seen == seen


CONCERNED = [argument for argument in BUILT_IN if registry.get(argument).concerns is not None]


@pytest.mark.parametrize("argument", CONCERNED)
def test_such_a_pass_does_nothing_without_its_ops(argument: str) -> None:
    with ir.Context() as context, ir.Location.unknown():
        module = ir.Module.parse(TEXT, context)
        with ir.InsertionPoint.at_block_begin(module.body):
            arith.constant(ir.F32Type.get(), 1.0)
        before = str(module)
        instance = registry.get(argument)()
        instance.run(module.operation)
    assert str(module) == before and not any(instance.statistic_values.values()) and len(CONCERNED) > 15
