"""Layouts at calls: those that are inferred fit what is passed and returned, so no copy is made for their sake."""

from __future__ import annotations

import pytest
from analysed import context
from fast_run import seeds
from generated import program
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.dialects.support import memref_types
from mlir_inplace.passes.bufferization.rewriting import memref_builder, rewriter
from mlir_inplace.passes.bufferization.rewriting.boundary import BoundaryLayout


def casts(seed: int, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each buffer that is needed in another type, and not copied anyway, whether a cast makes it one."""
    fit: list[bool] = []
    buffer_as = rewriter.BufferRewriter.buffer_as

    def as_decided(self: rewriter.BufferRewriter, op: ir.Operation, operand: int, wanted: ir.Type) -> ir.Value:
        decision, before = self._decision(self._operand(op, operand)), len(fit)
        buffer = buffer_as(self, op, operand, wanted)
        if decision is not None and decision.copies:
            del fit[before:]  # The copy is made in the layout that is wanted.
        return buffer

    def is_castable(source: ir.Type, target: ir.Type) -> bool:
        fit.append(memref_types.is_castable(source, target))
        return fit[-1]

    with monkeypatch.context() as patch, context():
        patch.setattr(memref_builder, "is_castable", is_castable)
        patch.setattr(rewriter.BufferRewriter, "buffer_as", as_decided)
        mi.bufferize(ir.Module.parse(program("calls", seed).text))
    return fit


@pytest.mark.parametrize("seed", seeds(80, least=8))
def test_no_copy_for_the_sake_of_a_layout(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Casting to types that are inferred loses no stride."""
    assert all(casts(seed, monkeypatch))


def test_buffers_are_needed_in_other_types(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(len(casts(seed, monkeypatch)) for seed in range(20)) > 8


def test_strides_are_lost_where_the_option_asks_for_it() -> None:
    """The tests above would see it: contiguous arguments need copies of columns."""
    text = """
      func.func private @callee(%c: tensor<4xf32>, %f: f32, %i: index) -> tensor<4xf32> {
        %r = tensor.insert %f into %c[%i] : tensor<4xf32>
        return %r : tensor<4xf32>
      }
      func.func @main(%m: tensor<4x4xf32>, %f: f32, %i: index) -> tensor<4x4xf32> {
        %c = tensor.extract_slice %m[0, %i] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
        %n = call @callee(%c, %f, %i) : (tensor<4xf32>, f32, index) -> tensor<4xf32>
        %r = tensor.insert_slice %n into %m[0, %i] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
        return %r : tensor<4x4xf32>
      }"""
    with context():
        options = {"function_boundary_type_conversion": BoundaryLayout.IDENTITY}
        contiguous = mi.bufferize(ir.Module.parse(text), **options)
        inferred = mi.bufferize(ir.Module.parse(text))
    assert len(contiguous.copies) > len(inferred.copies) == 0
