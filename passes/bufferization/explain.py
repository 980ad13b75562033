"""Explain every allocation and copy that bufferization would leave, and change nothing.

## Problem

A buffer that is copied costs more than most ops, and nothing in a program shows where that will happen. This pass says
for each allocation and copy of `inplace-one-shot-bufferize` what it costs, why it is there, and which change to the
program removes it.

## Before and after

The program stays as it is. For

```mlir
func.func @f(%t: tensor<8xf32>, %x: f32, %i: index, %j: index) -> (tensor<8xf32>, f32) {
  %r = tensor.insert %x into %t[%i] : tensor<8xf32>
  %o = tensor.extract %t[%j] : tensor<8xf32>
  return %r, %o : tensor<8xf32>, f32
}
```

there is a remark at `tensor.insert`, with notes at the write, at the read and at the definition:

```text
allocation and copy of memref<8xf32>, 32 bytes: the old content is read later; change: move the read by
'tensor.extract' at f.mlir:3:8 in front of 'tensor.insert' at f.mlir:2:8
```

and one at each function with its totals. If nothing is left that a change could remove, it says so: `no copies,
1 allocation: the result`.

## Contract

In: a module that `inplace-one-shot-bufferize` takes with the same options; it is refused with the same errors. Out: the
same module. What is explained is the bufferization of the program as it stands: run passes that change it, such as
`inplace-convert-to-destination-style`, before. [EXPLAINING.md](EXPLAINING.md) lists reasons and changes.

## Cost

That of bufferization, on a copy of the module.

## Upstream

Has `print-conflicts` and `dump-alias-sets`, which annotate the decisions, without costs, reasons of allocations, or
changes.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.explanations.explainer import Explainer
from ..analysis.explanations.records import headline, together
from ..analysis.explanations.report import BufferizationReport
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .one_shot_bufferize import OneShotBufferizeOptions, OneShotBufferizePass
from .rewriting.boundary import BoundaryLayout

__all__ = ["ExplainOptions", "ExplainPass"]


@frozen
class ExplainOptions(PassOptions):
    """Options of `inplace-explain`: those of `inplace-one-shot-bufferize` that say what is bufferized."""

    bufferize_function_boundaries: bool = option(True, help="turn function arguments and results into memrefs too")
    function_boundary_type_conversion: BoundaryLayout = option(
        BoundaryLayout.INFER, help="layouts of memrefs in function signatures"
    )
    allow_unknown_ops: bool = option(False, help="leave ops without a bufferization model on tensors")
    copy_before_write: bool = option(False, help="copy before every write instead of analysing which copies are needed")


class ExplainPass(Pass[ExplainOptions]):
    """See the module's documentation."""

    argument = "inplace-explain"
    summary = "explain every allocation and copy that bufferization would leave, and change nothing"
    Options = ExplainOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("num-allocations", "allocations explained"),
        Statistic("num-copies", "copies explained"),
    )

    def run(self, op: ir.Operation) -> None:
        """Bufferize a copy of ``op``, and emit remarks."""
        explainer = Explainer()
        bufferization = OneShotBufferizePass(self._bufferization_options())
        bufferization.observer = explainer
        bufferization.run(op.clone().operation)
        report = BufferizationReport.of(explainer)
        sites = {id(record): site for record, site in zip(report.records, explainer.sites, strict=True)}
        for group in together(report.records):
            location, notes = sites[id(group[0])]
            self.remark(location, f"{headline(group)}; change: {group[0].advice}", notes)
        parts = report.by_function()
        for name, location in explainer.functions:
            self.remark(location, parts[name].summary)
        self.count("num-allocations", len(report.allocations))
        self.count("num-copies", len(report.copies))

    def _bufferization_options(self) -> OneShotBufferizeOptions:
        options = self.options
        return OneShotBufferizeOptions(
            bufferize_function_boundaries=options.bufferize_function_boundaries,
            function_boundary_type_conversion=options.function_boundary_type_conversion,
            allow_unknown_ops=options.allow_unknown_ops,
            copy_before_write=options.copy_before_write,
            warn_written_arguments=False,
        )
