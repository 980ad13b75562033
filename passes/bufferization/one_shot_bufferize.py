"""Bufferize a module of tensor functions in one step, in place wherever that is safe.

## Problem

Tensors are values: every update makes a new one. Memory wants the opposite. This pass decides for the whole module
which op may work in the buffer of its operand, then turns tensors into memrefs; a buffer that may not be shared is
copied, once, at the op that would have destroyed it.

## Before and after

```mlir
func.func @f(%t: tensor<8xf32>, %x: f32, %i: index) -> tensor<8xf32> {
  %r = tensor.insert %x into %t[%i] : tensor<8xf32>
  return %r : tensor<8xf32>
}
```

with `bufferize-function-boundaries`:

```mlir
func.func @f(%t: memref<8xf32, strided<[?], offset: ?>>, %x: f32, %i: index)
    -> memref<8xf32, strided<[?], offset: ?>> {
  memref.store %x, %t[%i] : memref<8xf32, strided<[?], offset: ?>>
  return %t : memref<8xf32, strided<[?], offset: ?>>
}
```

## Contract

In: a module with `func.func`s on ranked tensors, branches between blocks included; ops with a bufferization model
(`dialects/`), or any op with `allow-unknown-ops`. Out: the same module on memrefs; with `allow-unknown-ops`, or
without `bufferize-function-boundaries`, tensors stay at `bufferization.to_buffer` and `to_tensor`. Buffers are
allocated, not freed: run upstream's `buffer-deallocation-pipeline` afterwards. A module that cannot be bufferized is
refused, with one error per op, and stays as it was.

Functions that load from dispatch bindings, or store to them, are brought through `inplace-promote-bindings` and
`inplace-convert-to-destination-style` first. Their bindings become memrefs. A tensor that is stored to a binding is
computed in it, and no other element of the binding is written.

Near-linear in the size of the module. Why it is sound: docs/THEORY.md.

## Differences from upstream's one-shot-bufferize, on purpose

* Loops may swap the buffers they carry; upstream refuses yields that are not equivalent to the iteration argument. Any
  other yielded value is copied into the carried buffer. So `allow-return-allocs-from-loops` is on by default here. Off,
  loops carry one buffer per value: the yielded value is copied into it, or refused if the copy would destroy a value.
* `analysis-heuristic` is `cheapest` by default: a few orders of decisions, of which the one counts that costs least by
  the bytes that are copied and allocated, each time that happens. `optimal` searches all sets of decisions, and says
  how far from the least its own may be; large searches need OR-Tools, the extra `solver`. Upstream's names give one
  order each.
* Ops without effects whose results nothing uses are erased, with all that only they use; so are tensor arguments of
  blocks that nothing uses. Upstream does that only to ops without a model. With `test-analysis-only`, and without
  `erase-dead-ops`, they stay.
* An init that an op does not overwrite completely keeps its content.
* A memref is never cast to a layout that it may not have; it is copied.
* `bufferization.to_buffer` without `read_only` gets a buffer of its own, unless its memref is only loaded from.
* `bufferization.dealloc_tensor` frees nothing: the buffer may be another tensor's as well. Deallocation frees it.
* An argument of a public function that is written in place without `bufferization.writable` is warned of.
* A result of an op without a model may alias each operand of that op and of the ops inside of it. A buffer that is
  written while such a result is read is passed as a copy.
* `dialect-filter` never filters `bufferization.to_buffer` and `to_tensor`, nor branches between blocks. Without `func`
  in it function boundaries stay tensors. What threads of a loop insert stays a tensor if the loop does.
* Tensors with an encoding never get a buffer, unless it is the memory space: with `allow-unknown-ops` all their ops
  stay on tensors, and a function on buffers, or a branch between blocks, cannot take or return them.
* Callers know the reads and writes of a function named by `no-analysis-func-filter` all the same.
* `must-infer-memory-space` refuses every buffer whose space is not stated, before anything is changed, function
  arguments among them.
* The buffer that `bufferization.to_buffer` without `read_only` hands out is the tensor's own if an op of the function
  allocated it and nothing uses it afterwards.
* `bufferization.materialize_in_destination` into a memref without `restrict` needs one `to_tensor` of the memref in
  front of it, and updates that tensor in place.
* `print-conflicts` emits a remark for every operand that is out-of-place, with the write, the read and the definition.
  It does not need `test-analysis-only`; with that option the attributes that upstream writes are attached too.
* `test-analysis-only`, `dump-alias-sets` and `print-conflicts` attach upstream's attributes, but alias sets list their
  values in program order, conflicts are counted from 0 in every module, and a loop's arguments and results are in one
  set.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.in_place.decision_order import Heuristic
from ..analysis.in_place.options import AnalysisOptions
from ..analysis.whole_module.explain import conflict_notes, describe_decision
from ..analysis.whole_module.module import ModuleAnalysis, analyze_module, take_snapshot
from ..analysis.whole_module.written_arguments import find_written_arguments
from ..dispatch.rewriting.preparation import dispatch_ops, take_over
from ..framework.base import Pass, Statistic
from ..framework.diagnostics import place_text
from ..framework.errors import PassFailure
from ..framework.option_limits import require_dialects
from ..framework.options import PassOptions, option
from ..framework.scope_remarks import remark_nested_modules
from .rewriting.annotations import annotate
from .rewriting.boundary import BoundaryLayout
from .rewriting.bufferizer import Bufferizer, check_alignment, raise_refusals
from .rewriting.promoted_copy import promoted_copy
from .rewriting.rewriter import UnknownLayout
from .rewriting.trace import BufferEvent, BufferTrace, EventKind

__all__ = ["Observer", "OneShotBufferizeOptions", "OneShotBufferizePass"]


@frozen
class OneShotBufferizeOptions(PassOptions):
    """Options of `inplace-one-shot-bufferize`; names and meanings are upstream's."""

    bufferize_function_boundaries: bool = option(
        False, help="turn function arguments and results into memrefs too", aliases=("function-boundaries",)
    )
    function_boundary_type_conversion: BoundaryLayout = option(
        BoundaryLayout.INFER, help="layouts of memrefs in function signatures"
    )
    allow_unknown_ops: bool = option(False, help="leave ops without a bufferization model on tensors")
    allow_return_allocs_from_loops: bool = option(
        True, help="let loops yield other buffers than they carry; false refuses what cannot be copied into those"
    )
    analysis_heuristic: Heuristic = option(
        Heuristic.CHEAPEST, help="order of in-place decisions; cheapest tries a few, optimal searches for the cheapest"
    )
    analysis_fuzzer_seed: int = option(0, help="which random order analysis-heuristic=fuzzer takes")
    check_parallel_regions: bool = option(
        True, help="keep runs of parallel regions apart; false is right only if they run one after the other"
    )
    copy_before_write: bool = option(False, help="copy before every write instead of analysing which copies are needed")
    buffer_alignment: int = option(64, help="alignment of allocations in bytes; 0 for none")
    dialect_filter: tuple[str, ...] = option(
        (), help="dialects whose ops are bufferized; the others keep their tensors; empty for all"
    )
    no_analysis_func_filter: tuple[str, ...] = option(
        (), help="functions in which everything is copied before it is written, as copy-before-write does"
    )
    unknown_type_conversion: UnknownLayout = option(
        UnknownLayout.DYNAMIC, help="layouts of memrefs that are made from tensors that stay"
    )
    erase_dead_ops: bool = option(
        True, help="erase ops without effects whose results nothing uses, instead of bufferizing them"
    )
    must_infer_memory_space: bool = option(
        False, help="refuse buffers without a stated memory space instead of assuming the default one"
    )
    use_encoding_for_memory_space: bool = option(
        False, help="take the encoding of a tensor as the memory space of its buffer"
    )
    test_analysis_only: bool = option(False, help="annotate the decisions and leave the tensors")
    dump_alias_sets: bool = option(False, help="with test-analysis-only: annotate which values may share memory")
    print_conflicts: bool = option(False, help="emit a remark for every operand that is out-of-place, with the reason")
    warn_written_arguments: bool = option(
        True,
        help="warn of arguments of public functions that are written in place without bufferization.writable",
    )


def _analysis_options(options: OneShotBufferizeOptions) -> AnalysisOptions:
    return AnalysisOptions(
        boundaries=options.bufferize_function_boundaries,
        allow_unknown=options.allow_unknown_ops,
        copy_before_write=options.copy_before_write,
        calls_copy=options.function_boundary_type_conversion is BoundaryLayout.IDENTITY,
        heuristic=options.analysis_heuristic,
        fuzzer_seed=options.analysis_fuzzer_seed,
        return_allocs=options.allow_return_allocs_from_loops,
        parallel=options.check_parallel_regions,
        dialects=options.dialect_filter,
        no_analysis=options.no_analysis_func_filter,
        encodings=options.use_encoding_for_memory_space,
        must_infer_space=options.must_infer_memory_space,
        skip_dead=options.erase_dead_ops and not options.test_analysis_only,
    )


class Observer(Protocol):
    """Observes the decisions and the emitted buffers of the pass."""

    def analysed(self, analysis: ModuleAnalysis) -> None:
        """Everything is decided and nothing is changed yet: ops and locations may still be asked for."""

    def converted(self, events: Iterable[BufferEvent]) -> None:
        """The module is converted, which emitted ``events``; ops of the analysis are gone."""


class OneShotBufferizePass(Pass[OneShotBufferizeOptions]):
    """See the module's documentation."""

    argument = "inplace-one-shot-bufferize"
    summary = "bufferize tensors in one step, in place wherever that is safe"
    Options = OneShotBufferizeOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("num-in-place", "operands whose result lives in their buffer"),
        Statistic("num-out-of-place", "operands that got a buffer of their own"),
        Statistic("num-allocations", "allocations emitted"),
        Statistic("num-copies", "copies emitted"),
    )

    def __init__(self, options: OneShotBufferizeOptions | None = None) -> None:
        super().__init__(options)
        self.observer: Observer | None = None

    def run(self, op: ir.Operation) -> None:
        """Analyse ``op``, refuse or convert it."""
        self._check_options(op)
        remark_nested_modules(self, op)
        # A copy is promoted, as the program must stay as it was if the analysis refuses it afterwards.
        self._check_filter(op)
        wanted, known = _analysis_options(self.options), self.inherited
        answer = known if known is not None and known.answers(op, wanted) else None
        snapshot = take_snapshot(op, wanted) if answer is None else answer.snapshot
        copy = promoted_copy(op, snapshot.op_name)
        if copy is None:
            self._bufferize(op, answer or analyze_module(op, wanted, snapshot))
        else:
            self._bufferize(copy, analyze_module(copy, wanted))
            take_over(op, copy)

    def _bufferize(self, op: ir.Operation, analysis: ModuleAnalysis) -> None:
        options = self.options
        raise_refusals(analysis)
        if options.print_conflicts:
            self._print_conflicts(analysis)
        if self.logs:
            self._log_decisions(analysis)
        if options.bufferize_function_boundaries and options.warn_written_arguments:
            self._warn_of_written_arguments(analysis)
        if self.observer is not None:
            self.observer.analysed(analysis)
        trace = BufferTrace()
        with op.context, op.location:
            if options.test_analysis_only:
                annotate(analysis, alias_sets=options.dump_alias_sets, conflicts=options.print_conflicts)
            else:
                bufferizer = Bufferizer(
                    options.buffer_alignment,
                    options.function_boundary_type_conversion,
                    options.unknown_type_conversion,
                )
                bufferizer.run(analysis, trace)
        self._count(analysis, trace)
        if self.observer is not None:
            self.observer.converted(trace.events)

    def _check_options(self, op: ir.Operation) -> None:
        """Refuse values that no single option can check, and combinations that mean nothing."""
        options, seed = self.options, self.options.analysis_fuzzer_seed
        check_alignment(options.buffer_alignment, op)
        require_dialects("dialect-filter", options.dialect_filter, op)
        if seed < 0:
            raise PassFailure(f"analysis-fuzzer-seed is {seed}, but must not be negative", op.location)
        if options.no_analysis_func_filter and not options.bufferize_function_boundaries:
            raise PassFailure("no-analysis-func-filter needs bufferize-function-boundaries=true", op.location)
        if options.must_infer_memory_space and options.use_encoding_for_memory_space:
            message = "must-infer-memory-space and use-encoding-for-memory-space exclude each other; set one of them"
            raise PassFailure(message, op.location)
        if options.dump_alias_sets and not options.test_analysis_only:
            raise PassFailure("dump-alias-sets annotates an analysis, so it needs test-analysis-only=true", op.location)
        if options.copy_before_write and options.test_analysis_only:
            message = "copy-before-write skips the analysis that test-analysis-only shows; set one of them to false"
            raise PassFailure(message, op.location)

    def _check_filter(self, op: ir.Operation) -> None:
        """Refuse a dialect-filter that leaves out bindings: stored tensors would have to be copied there."""
        dialects = self.options.dialect_filter
        if dialects and "dispatch" not in dialects and dispatch_ops(op):
            message = (
                "dialect-filter leaves out dispatch, whose bindings hold what is loaded and stored; add 'dispatch'"
            )
            raise PassFailure(message, op.location)

    def _print_conflicts(self, analysis: ModuleAnalysis) -> None:
        s = analysis.snapshot
        for function in analysis.functions:
            if function.optimality is not None:
                self.remark(s.ops[function.function].location, str(function.optimality))
            for operand in sorted(function.decisions):
                decision = function.decisions[operand]
                if decision.conflict is not None:
                    location = s.ops[s.operand_op[operand]].location
                    self.remark(location, describe_decision(s, decision), conflict_notes(analysis, decision.conflict))

    def _log_decisions(self, analysis: ModuleAnalysis) -> None:
        s = analysis.snapshot
        for function in analysis.functions:
            for operand, decision in sorted(function.decisions.items()):
                place = place_text(s.ops[s.operand_op[operand]].location)
                self.log(f"{place}: {describe_decision(s, decision)}")

    def _warn_of_written_arguments(self, analysis: ModuleAnalysis) -> None:
        for argument, text, note in find_written_arguments(analysis):
            self.warn(analysis.snapshot.values[argument].location, text, [note])

    def _count(self, analysis: ModuleAnalysis, trace: BufferTrace) -> None:
        for function in analysis.functions:
            in_place = sum(decision.in_place for decision in function.decisions.values())
            self.count("num-in-place", in_place)
            self.count("num-out-of-place", len(function.decisions) - in_place)
        self.count("num-allocations", trace.count(EventKind.ALLOCATION))
        self.count("num-copies", trace.count(EventKind.COPY))
