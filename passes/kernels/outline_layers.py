"""Outline the layers of a model: long runs of ops that a function repeats on other tensors.

## Problem

Twelve blocks of a transformer are twelve times the same forty ops on other weights. They are fused, tiled, analysed and
bufferized twelve times, to become the same code in the end; that takes most of the time of a compilation.

## Before and after

```mlir
func.func @f(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %0 = linalg.add ins(%x, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.exp ins(%0 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = linalg.add ins(%1, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = linalg.exp ins(%2 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}
```

becomes, with `repeats=2 fewest=2`:

```mlir
func.func @f(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = call @inplace_layer(%x, %a) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = call @inplace_layer(%0, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
func.func private @inplace_layer(%arg0: tensor<64x64xf32> {bufferization.writable = false},
    %arg1: tensor<64x64xf32> {bufferization.writable = false}) -> tensor<64x64xf32> {
  %0 = tensor.empty() : tensor<64x64xf32>
  %1 = linalg.add ins(%arg0, %arg1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>)
      -> tensor<64x64xf32>
  %2 = linalg.exp ins(%1 : tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
```

## Contract

In: a module, functions of one block. Out: the same values. Runs of at least `fewest` ops that occur at least `repeats`
times, one behind the other, become a private function, and calls where their last ops were. Arguments that the function
only reads are `bufferization.writable = false`, so no call copies them. What stays where it is, and how the runs are
found, is described in `passes/analysis/repetition/layers.py`. What two layers would have fused is fused no more, so
they are cut where the fewest values cross.

Linear in the ops. No upstream counterpart; XLA has none either, IREE deduplicates executables after they are formed.
"""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir
from mlir.dialects import func

from ...dialects.support.cloning import clone_with
from ...dialects.support.defining_ops import defining_op
from ...dialects.support.frozen_classes import frozen
from ..analysis.repetition.layers import Layers, find_layers
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option
from .rewriting.tensor_functions import marks, outline_bodies

_LAYER = "inplace_layer"
"""The name of the functions, with a number where it is taken."""


@frozen
class OutlineLayersOptions(PassOptions):
    """Options of `inplace-outline-layers`."""

    repeats: int = option(3, help="how often a layer must occur to become a function; at least twice")
    fewest: int = option(12, help="how many ops a layer has at least, besides constants and empty tensors")


def analyze_layers(module: ir.Operation, repeats: int, fewest: int) -> list[Layers]:
    """Return the layers of `module` that become functions. Changes nothing."""
    functions = [view.operation for view in module.regions[0].blocks[0].operations]
    bodies = [one.regions[0].blocks for one in functions if one.name == "func.func"]
    return [layers for blocks in bodies if len(blocks) == 1 for layers in find_layers(blocks[0], repeats, fewest)]


def _make_function(layers: Layers) -> func.FuncOp:
    """Build the function of `layers` at the insertion point, from the first of them."""
    body = layers.bodies[0]
    arguments, results = layers.arguments(body), layers.results(body)
    types = [one.type for one in arguments], [one.type for one in results]
    function = func.FuncOp(_LAYER, types, visibility="private")
    block = function.add_entry_block([body.op.location] * len(arguments))
    function.operation.attributes["arg_attrs"] = marks(arguments, layers.written(body))
    known: dict[ir.Value, ir.Value] = dict(zip(arguments, block.arguments, strict=True))
    with ir.InsertionPoint(block):
        for value in layers.made(body):
            _make(value, known)
        for op in (*body.constants, *body.ops):
            clone_with(op, known)
        func.ReturnOp([known[value] for value in results])
    return function


def _make(value: ir.Value, known: dict[ir.Value, ir.Value]) -> None:
    """Make a constant, an empty tensor, or a tensor of one number at the insertion point."""
    op = defining_op(value)
    assert op is not None
    for operand in op.operands:
        if operand not in known:
            _make(operand, known)
    clone_with(op, known)


def _erase_unused(values: Iterable[ir.Value]) -> None:
    """Erase what makes `values`, pure ops, and what these are made of, where nothing uses it any more."""
    work, erased = list(values), set[ir.Value]()
    while work:
        value = work.pop()
        op = defining_op(value) if value not in erased else None
        if op is not None and all(next(iter(result.uses), None) is None for result in op.results):
            erased.update(op.results)
            work += op.operands
            op.erase()


class OutlineLayersPass(Pass[OutlineLayersOptions]):
    """Outline layers."""

    argument = "inplace-outline-layers"
    summary = "outline long runs of ops that a function repeats on other tensors, to be optimized once"
    Options = OutlineLayersOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("layers", "functions that were outlined"),
        Statistic("calls", "runs of ops that became calls"),
    )

    def run(self, op: ir.Operation) -> None:
        for name in ("repeats", "fewest"):
            if getattr(self.options, name) < 1:
                raise PassFailure(f"{name} must be at least 1, got {getattr(self.options, name)}", op.location)
        found = analyze_layers(op, self.options.repeats, self.options.fewest)
        self.count("layers", len(found))
        made = [value for layers in found for body in layers.bodies for value in layers.made(body)]
        self.count("calls", outline_bodies(op, found, _make_function))
        _erase_unused(made)
