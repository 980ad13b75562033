"""Modules of contexts that the caller made, in whatever state these are, with the caller's own passes in between."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import pytest
from mlir import ir
from mlir.passmanager import PassManager

import mlir_inplace as mi
from mlir_inplace.runtime import bindings

TEXT = """
func.func @main(%t: tensor<8xf32> {bufferization.writable = false}, %x: f32) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %first = tensor.insert %x into %t[%c0] : tensor<8xf32>
  %old = tensor.extract %t[%c0] : tensor<8xf32>
  return %first, %old : tensor<8xf32>, f32
}
func.func @other(%t: tensor<4xf32> {bufferization.writable = true}, %x: f32) -> tensor<4xf32> {
  %0 = linalg.fill ins(%x : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
CAST = """
func.func @f(%t: tensor<2xi8>) -> tensor<2xui8> {
  %0 = builtin.unrealized_conversion_cast %t : tensor<2xi8> to tensor<2xui8>
  return %0 : tensor<2xui8>
}
"""
BUFFERIZE = "inplace-one-shot-bufferize{bufferize-function-boundaries}"


@contextmanager
def entered(*things: Any) -> Iterator[None]:
    with ExitStack() as stack:
        for thing in things:
            stack.enter_context(thing)
        yield


def states(context: ir.Context) -> dict[str, Callable[[ir.Module, ir.Module], Any]]:
    """What the caller may have entered; the second module is another one of the caller's, in the same context."""
    other = ir.Context()
    there = ir.Location.name("theirs", context=context)
    return {
        "context": lambda module, mine: context,
        "location": lambda module, mine: there,
        "insertion point in the module": lambda module, mine: entered(
            there, ir.InsertionPoint.at_block_begin(module.body)
        ),
        "insertion point elsewhere": lambda module, mine: entered(there, ir.InsertionPoint(mine.body)),
        "another context": lambda module, mine: entered(other, ir.Location.unknown(other)),
    }


STATES = tuple(states(ir.Context()))

USES = {
    "bufferize": lambda module: str(mi.bufferize(module)),
    "plan": lambda module: mi.run_pipeline(module, "builtin.module(inplace-plan-bufferize)"),
    "mixed": lambda module: mi.run_pipeline(module, f"builtin.module({BUFFERIZE},canonicalize,func.func(cse))"),
    "before": lambda module: mi.run_pipeline(
        module, f"builtin.module(inplace-convert-to-destination-style,{BUFFERIZE},inplace-deallocate)"
    ),
    "compile": lambda module: mi.compile(module).main(np.arange(8, dtype=np.float32), 9.0)[0].tolist(),
    "strided": lambda module: mi.compile(module).main(np.arange(16, dtype=np.float32)[::2], 9.0)[0].tolist(),
    "optimize": lambda module: mi.compile(module, optimize=True).main(np.arange(8, dtype=np.float32), 9.0)[1],
    "check": lambda module: mi.check(module, rounds=1).ok,
}


@pytest.mark.each_value
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("use", USES)
def test_what_the_caller_has_entered_changes_nothing(use: str, state: str) -> None:
    context = ir.Context()
    expected, module = (ir.Module.parse(TEXT, context) for _ in range(2))
    mine = ir.Module.parse("", context)
    wanted = USES[use](expected)
    with states(context)[state](module, mine):
        assert USES[use](module) == wanted
        assert ir.Context.current is not None
    assert str(module) == str(expected)
    assert list(mine.body.operations) == []


def test_the_insertion_point_of_the_caller_is_still_there_afterwards() -> None:
    with ir.Context(), ir.Location.unknown():
        module, mine = ir.Module.parse(TEXT), ir.Module.parse("")
        with ir.InsertionPoint(mine.body):
            mi.bufferize(module)
            ir.Operation.parse("func.func private @added()")
            dispatch_free = ir.Operation.create("builtin.module", regions=1)
        assert dispatch_free.parent == mine.operation


def bare_context() -> ir.Context:
    """A context as C++ makes it: without a dialect."""
    return ir.Context.__mro__[1]()


@pytest.mark.each_value
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("make", [lambda: ir.Context(load_on_create_dialects=["func"]), ir.Context])
def test_dialects_that_are_not_loaded(use: str, make: Callable[[], ir.Context]) -> None:
    few, all_ = (ir.Module.parse(TEXT, context) for context in (make(), ir.Context()))
    assert USES[use](few) == USES[use](all_)
    assert str(few) == str(all_)


def test_ops_that_were_read_without_their_dialect_are_refused() -> None:
    context = bare_context()
    context.allow_unregistered_dialects = True
    with ir.Context():
        generic = ir.Module.parse(TEXT).operation.get_asm(print_generic_op_form=True)
    for use in USES.values():
        module = ir.Module.parse(generic, context)
        before = str(module)
        with pytest.raises(mi.PassError, match="context has no dialect 'affine'; before parsing, register"):
            use(module)
        assert str(module) == before


def test_a_context_without_dialects() -> None:
    """Of its ops only those of the builtin dialect are known; the passes load what they need."""
    context = bare_context()
    module = ir.Module.parse("module {}", context)
    mi.run_pipeline(module, f"builtin.module({BUFFERIZE},canonicalize)")
    assert context.is_dialect_loaded("memref")


@pytest.mark.parametrize("multithreading", [True, False])
def test_unregistered_ops_stay(multithreading: bool) -> None:
    context = ir.Context()
    context.allow_unregistered_dialects = True
    context.enable_multithreading(multithreading)
    body = '"theirs.note"() {at = #theirs<"x">} : () -> ()\n  %0 = "theirs.make"(%t) : (tensor<8xf32>) -> tensor<8xf32>'
    text = f"func.func @main(%t: tensor<8xf32>) -> tensor<8xf32> {{\n  {body}\n  return %0 : tensor<8xf32>\n}}"
    module = ir.Module.parse(text, context)
    before = str(module)
    with pytest.raises(mi.PassError, match="op 'theirs.make' works on tensors but has no bufferization model"):
        mi.bufferize(module)
    assert str(module) == before
    mi.bufferize(module, allow_unknown_ops=True)
    assert '"theirs.note"() {at = #theirs<"x">}' in str(module) and "-> memref<8xf32" in str(module)
    assert context.allow_unregistered_dialects


def test_the_callers_diagnostic_handler_gets_what_the_pass_says() -> None:
    heard: list[str] = []
    with ir.Context() as context:
        context.attach_diagnostic_handler(lambda found: heard.append(found.message) or True)
        context.emit_error_diagnostics = True
        module = ir.Module.parse(CAST)
        with pytest.raises(mi.PassError, match="has no bufferization model"):
            mi.bufferize(module)
    assert any("has no bufferization model" in message for message in heard)


@pytest.mark.parametrize("multithreading", [True, False])
def test_in_a_pass_manager_of_upstreams_bindings(multithreading: bool) -> None:
    seen: list[str] = []

    def ours(op: ir.Operation, current: Any) -> None:
        try:
            mi.run_pipeline(op, f"builtin.module({BUFFERIZE},cse)")
        except mi.PassError as error:
            seen.append(str(error))
            current.signal_pass_failure()

    with ir.Context() as context:
        context.enable_multithreading(multithreading)
        module, expected = ir.Module.parse(TEXT), ir.Module.parse(TEXT)
        passes = PassManager()
        passes.add("canonicalize")
        passes.add(ours)
        passes.add("convert-linalg-to-loops")
        passes.run(module.operation)
        mi.run_pipeline(expected, f"builtin.module(canonicalize,{BUFFERIZE},cse,convert-linalg-to-loops)")
        assert str(module) == str(expected) and "memref.store" in str(module)
        refused = ir.Module.parse(CAST)
        with pytest.raises(ir.MLIRError, match="Failure while executing pass pipeline"):
            passes.run(refused.operation)
        assert "'builtin.unrealized_conversion_cast' works on tensors but has no bufferization model" in seen[0]


def test_a_context_made_before_this_package_was_imported() -> None:
    package = bindings.install().package
    code = f"""
from {package} import ir
module = ir.Module.parse({TEXT!r}, ir.Context())
import mlir_inplace as mi
assert mi.bufferize(module).copies and "memref" in str(module)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
