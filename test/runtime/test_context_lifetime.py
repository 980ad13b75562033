"""Contexts are freed: nothing of ours keeps one alive after the last reference to it is gone."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import pytest
from mlir import ir

import mlir_inplace as mi

TEXT = """
func.func @main(%t: tensor<4xf32>, %f: f32, %i: index) -> tensor<4xf32> {
  %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def run_pipeline(module: ir.Module) -> None:
    mi.run_pipeline(module, "builtin.module(inplace-one-shot-bufferize,canonicalize)")


def refuse(module: ir.Module) -> None:
    text = TEXT.replace("tensor.insert %f into %t[%i]", '"foo.op"(%t) : (tensor<4xf32>) -> tensor<4xf32> //')
    module.context.allow_unregistered_dialects = True
    with pytest.raises(mi.PassError):
        mi.bufferize(ir.Module.parse(text))


@pytest.mark.parametrize("use", [run_pipeline, mi.bufferize, mi.compile, refuse])
def test_a_context_dies_after_use(use: Callable[[ir.Module], object]) -> None:
    context = ir.Context()
    with context:
        module = ir.Module.parse(TEXT)
        use(module)
    died = weakref.ref(context)
    del module, context
    gc.collect()
    assert died() is None
