"""`mi.register_pass`: passes of one process, made of public names, between others in the text of a pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.pipeline import registry as registry_module
from mlir_inplace.passes.pipeline.registry import Registry

TEXT = """
func.func @main(%t: tensor<8xf32> {bufferization.writable = false}, %x: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.insert %x into %t[%c0] : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""
OTHER = "func.func @other() { return }"
BUFFERIZE = "inplace-one-shot-bufferize{bufferize-function-boundaries}"


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has entries of its own."""
    known = registry_module.registry
    known.arguments()
    monkeypatch.setattr(known, "_entries", dict(known._entries))


def test_between_others_in_a_text() -> None:
    @dataclass(frozen=True)
    class MarkOptions(mi.PassOptions):
        name: str = mi.option("my.mark", help="the attribute")

    @mi.register_pass
    class MarkPass(mi.Pass[MarkOptions]):
        argument = "my-mark"
        summary = "mark allocations"
        Options = MarkOptions
        anchor = "func.func"
        statistics = (mi.Statistic("marked", "allocations"),)

        def run(self, op: ir.Operation) -> None:
            if "main" not in str(op.attributes["sym_name"]):
                raise mi.PassFailure("not for this function", op)
            for inner in op.regions[0].blocks[0].operations:
                if inner.operation.name == "memref.alloc":
                    inner.operation.attributes[self.options.name] = ir.UnitAttr.get()
                    self.count("marked")

    with ir.Context():
        module = ir.Module.parse(TEXT)
        mi.run_pipeline(module, f"builtin.module({BUFFERIZE},canonicalize,func.func(my-mark{{name=a.b}}),cse)")
        assert "memref.alloc() {a.b, alignment" in str(module)
        assert str(mi.Pipeline.parse("func.func(my-mark{name=x})")) == "func.func(my-mark{name=x})"
        with pytest.raises(mi.PassError, match="not for this function"):
            mi.run_pipeline(ir.Module.parse(OTHER), "builtin.module(func.func(my-mark))")
        with pytest.raises(mi.PipelineError, match="unknown option 'nam'; did you mean 'name'"):
            mi.run_pipeline(module, "func.func(my-mark{nam=x})")


def test_a_cell_that_is_run_again_replaces_its_class() -> None:
    def cell(mark: str) -> type[mi.Pass[Any]]:
        class AgainPass(mi.Pass[Any]):
            argument = "my-again"
            summary = "mark"

            def run(self, op: ir.Operation) -> None:
                op.attributes[mark] = ir.UnitAttr.get()

        return mi.register_pass(AgainPass)

    cell("my.first")
    cell("my.second")
    with ir.Context():
        module = ir.Module.parse("module {}")
        mi.run_pipeline(module, "my-again")
        assert "my.second" in str(module) and "my.first" not in str(module)


def test_names_that_are_taken() -> None:
    def named(argument: str, qualname: str) -> type[mi.Pass[Any]]:
        members = {"argument": argument, "summary": "x", "run": lambda self, op: None, "__qualname__": qualname}
        return type(qualname, (mi.Pass,), members)

    for taken, owner in (("canonicalize", "upstream's"), ("inplace-tile", "mlir-inplace")):
        with pytest.raises(mi.RegistryError, match=owner):
            mi.register_pass(named(taken, "First"))
    mi.register_pass(named("my-own", "First"))
    with pytest.raises(mi.RegistryError, match=r"two owners: .*First.* and .*Second.*; rename or uninstall one"):
        mi.register_pass(named("my-own", "Second"))


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"summary": "x", "run": print}, "needs a class attribute 'argument', a string"),
        ({"argument": "my-x", "run": print}, "needs a class attribute 'summary', a string"),
        ({"argument": "my x", "summary": "x", "run": print}, "argument is 'my x', but must be letters"),
        ({"argument": "my-x", "summary": "x"}, r"needs a method run\(self, op\)"),
        (
            {"argument": "my-x", "summary": "x", "run": print, "Options": int},
            "Options must be a class derived from",
        ),
    ],
)
def test_incomplete_classes(members: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        mi.register_pass(type("Incomplete", (mi.Pass,), members))
    assert "my-x" not in registry_module.registry


def test_options_that_are_none() -> None:
    options = dataclass(frozen=True)(type("Wrong", (mi.PassOptions,), {"__annotations__": {"n": int}, "n": 3}))
    members = {"argument": "my-x", "summary": "x", "run": print, "Options": options}
    with pytest.raises(TypeError, match=r"Wrong\.n must be declared with option"):
        mi.register_pass(type("Declared", (mi.Pass,), members))


def test_options_of_a_type_that_no_text_is_parsed_as() -> None:
    fields = {"__annotations__": {"n": list[str]}, "n": mi.option((), help="x")}
    options = dataclass(frozen=True)(type("Wrong", (mi.PassOptions,), fields))
    members = {"argument": "my-x", "summary": "x", "run": print, "Options": options}
    with pytest.raises(TypeError, match=r"Wrong\.n has a type .*: list\[str\]; use bool, .* tuple\[int, \.\.\.\]"):
        mi.register_pass(type("Declared", (mi.Pass,), members))


def test_what_is_no_class() -> None:
    with pytest.raises(TypeError, match="expected a class derived from Pass, got <class 'int'>"):
        mi.register_pass(int)  # type: ignore[type-var]


def test_a_registry_of_another_keeps_its_passes() -> None:
    assert "my-mark" not in Registry()
