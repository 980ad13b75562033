"""The one-shot analysis of a whole module: one snapshot, functions callees first, summaries at the calls.

Nothing is changed. The result holds every decision, or the reasons why the module cannot be bufferized. A caller must
check ``refusals`` before it rewrites anything.

Cost: near-linear in the size of the module.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import field, replace

from mlir import ir

from ....dialects.bufferizable import OpModel, is_tensor
from ....dialects.registry import find_model
from ....dialects.support.frozen_classes import record
from ....dialects.support.memref_types import identity_type, is_castable, is_strided_layout, memory_space_of
from ..effects.dead_ops import find_dead_code
from ..effects.reader import TensorEffects
from ..effects.summary import FunctionSummary, buffer_layouts, call_order, pessimistic_summary
from ..effects.tables import Refusal
from ..in_place.function import analyze_function
from ..in_place.function_decisions import FunctionAnalysis
from ..in_place.options import AnalysisOptions
from ..ir.snapshot import Snapshot
from .globals import ProgramState
from .memory_spaces import refuse_assumed_spaces, refuse_elements, refuse_encodings, tensors_that_stay
from .recursion import analyze_recursion

__all__ = ["ModuleAnalysis", "analyze_module", "read_effects", "take_snapshot"]

Preparation = Callable[[TensorEffects, int], None]


@record
class ModuleAnalysis:
    """Decisions of every function with tensors, callees first, over one snapshot."""

    snapshot: Snapshot
    effects: TensorEffects
    state: ProgramState
    functions: list[FunctionAnalysis] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    summaries: dict[str, FunctionSummary] = field(default_factory=dict)
    recursive: frozenset[str] = frozenset()
    not_analysed: set[int] = field(default_factory=set)
    """Functions in which everything is copied because the option ``no-analysis-func-filter`` names them."""
    options: AnalysisOptions | None = None
    """The options of the analysis, if this is the analysis of a whole module."""
    erased: bool = False
    """Whether ops that nothing used were erased since: decisions and costs hold, but the snapshot does not."""

    def answers(self, module: ir.Operation, options: AnalysisOptions) -> bool:
        """Whether this is the analysis of ``module`` with ``options``, provided that nothing has changed since.

        If there are no unknown ops, the option to allow them makes no difference, nor the one to skip dead ops if no
        tensor is an operand of one or forwarded to a dead argument, and nothing is kept that nobody reads.
        """
        if self.snapshot.root is not module or self.options is None or self.refusals or self.erased:
            return False
        wanted = options if self.effects.unknown_ops else replace(options, allow_unknown=self.options.allow_unknown)
        if self.options == wanted:
            return True
        if self.options != replace(wanted, skip_dead=self.options.skip_dead) or self.effects.keeps_unread():
            return False
        dead = [find_dead_code(self.snapshot, function.function) for function in self.functions]
        return not any(one.forwarded or any(map(self.effects.tensor_operands, one.ops)) for one in dead)

    def decides(self, module: ir.Operation, options: AnalysisOptions) -> bool:
        """Whether an analysis of ``module`` with ``options`` would decide the same; ops may have been erased since."""
        if self.erased:
            return self.snapshot.root is module and self.options == options
        return self.answers(module, options)

    def after_erasing(self, options: AnalysisOptions) -> ModuleAnalysis:
        """Return what is left of this analysis, which ``answers`` with ``options``, when unused ops are erased."""
        return replace(self, options=options, erased=True)


_ONCE = frozenset(
    {"builtin.module", "func.func", "memref.alloca_scope", "scf.execute_region", "scf.if", "scf.index_switch"}
)
"""Ops that run each of their regions at most once. Other ops without a model may run them any number of times."""

_SEQUENTIAL = _ONCE | {"affine.for"}
"""Ops whose runs of a region do not overlap in time."""


def _is_repetitive(op: ir.Operation, name: str, region: int) -> bool:
    model = find_model(name)
    return name not in _ONCE if model is None else model.is_repetitive_region(op, region)


def _is_parallel(op: ir.Operation, name: str, region: int) -> bool:
    model = find_model(name)
    return name not in _SEQUENTIAL if model is None else model.is_parallel_region(op, region)


def take_snapshot(module: ir.Operation, options: AnalysisOptions) -> Snapshot:
    """Read the ops of ``module`` for an analysis with ``options``."""
    return Snapshot(module, _is_repetitive, _is_parallel if options.parallel else None)


def analyze_module(
    module: ir.Operation, options: AnalysisOptions, snapshot: Snapshot | None = None, prepare: Preparation | None = None
) -> ModuleAnalysis:
    """Analyse every ``func.func`` directly in ``module``; functions without tensors are left out.

    ``snapshot`` is one of ``module`` as it is, taken for an analysis with the same options, if there is one.
    ``prepare`` is called with the effects and the number of each function that is not recursive, before
    anything is decided in it. It may change operands, in the IR and in the snapshot, as long as the effects stay right.
    """
    if snapshot is None:
        snapshot = take_snapshot(module, options)
    names = _functions(snapshot)
    summaries: dict[str, FunctionSummary] = {}
    effects = _effects(snapshot, names, summaries, options)
    analysis = ModuleAnalysis(snapshot, effects, ProgramState(effects, names, options.allows), summaries=summaries)
    analysis.options = options
    calls = {name: _callees(snapshot, op) for name, op in names.items()}
    called = frozenset(callee for callees in calls.values() for callee in callees)
    _analyze_functions(analysis, replace(options, called=called), names, calls, prepare)
    analysis.refusals.extend(list(_other_refusals(analysis, options, names, called)))
    return analysis


def _effects(
    snapshot: Snapshot, names: Mapping[str, int], summaries: Mapping[str, FunctionSummary], options: AnalysisOptions
) -> TensorEffects:
    """Return empty effect tables."""
    # A call copies a buffer whose memory space or layout differs from that of the callee's argument.
    effects = TensorEffects(
        snapshot,
        find_model,
        summaries,
        boundaries=options.boundaries and options.allows("func.func"),
        allow_unknown=options.allow_unknown,
        calls_copy=options.calls_copy or _has_memory_spaces(snapshot) or options.encodings,
        copying_calls=[name for name, op in names.items() if buffer_layouts(snapshot.ops[op])],
        allows=options.allows,
    )
    if options.allow_unknown and not options.encodings:
        effects.encoded = tensors_that_stay(effects)
    effects.skip_dead = options.skip_dead
    # With this option arguments are contiguous: it is why a call may copy.
    effects.any_layout = effects.boundaries and not options.calls_copy
    return effects


def _analyze_functions(
    analysis: ModuleAnalysis,
    options: AnalysisOptions,
    names: Mapping[str, int],
    calls: dict[str, list[str]],
    prepare: Preparation | None,
) -> None:
    """Analyse the functions, callees first."""
    snapshot, summaries = analysis.snapshot, analysis.summaries
    order, recursive = call_order({name: snapshot.ops[op] for name, op in names.items()}, calls)
    analysis.recursive = frozenset(recursive)
    for name, op in names.items():
        if not _has_body(snapshot, op):
            summaries[name] = pessimistic_summary(snapshot.ops[op], recursive=False, unwritable=False)
    for component in order:
        functions = {
            name: op for name in component if _has_body(snapshot, op := names[name]) and _has_tensors(snapshot, op)
        }
        if options.boundaries and not recursive.isdisjoint(functions):
            add_function = analysis.state.add_function
            results = analyze_recursion(analysis.effects, summaries, functions, options, add_function)
        else:
            results = list(_analyze(analysis, functions, options, prepare))
        analysis.not_analysed.update(op for name, op in functions.items() if name in options.no_analysis)
        analysis.functions.extend(results)
        analysis.refusals.extend(refusal for result in results for refusal in result.refusals)


def _other_refusals(
    analysis: ModuleAnalysis, options: AnalysisOptions, names: Mapping[str, int], called: Container[str]
) -> Iterator[Refusal]:
    """Yield the refusals that do not come from decisions; `called` are the functions named by calls."""
    snapshot, effects = analysis.snapshot, analysis.effects
    yield from effects.refusals
    if not analysis.refusals and not effects.refusals:
        yield from analysis.state.refusals([function.function for function in analysis.functions])
    yield from refuse_elements(snapshot)
    yield from refuse_encodings(effects, as_spaces=options.encodings)
    if options.must_infer_space:
        for result in analysis.functions:
            yield from refuse_assumed_spaces(effects, result.function)
    if effects.boundaries:
        yield from _function_addresses(snapshot)
        yield from _impossible_layouts(snapshot, names, called)


def read_effects(module: ir.Operation, *, unknown: Container[str] = ()) -> tuple[TensorEffects, list[int]]:
    """Return the effects of the ops of ``module`` without any decisions, and the functions that were read.

    Calls, ops named in ``unknown`` and ops without a model have pessimistic effects. A function with an op that its
    model refuses is left out. Linear.
    """
    snapshot = Snapshot(module, _is_repetitive, _is_parallel)

    def model(name: str) -> OpModel | None:
        return None if name in unknown else find_model(name)

    effects = TensorEffects(snapshot, model, {}, boundaries=True, allow_unknown=True, allows=lambda _: True)
    read: list[int] = []
    for op in _functions(snapshot).values():
        if _has_body(snapshot, op):
            before = len(effects.refusals)
            effects.add_function(op)
            if len(effects.refusals) == before:
                read.append(op)
    return effects, read


def _analyze(
    analysis: ModuleAnalysis, functions: Mapping[str, int], options: AnalysisOptions, prepare: Preparation | None
) -> Iterator[FunctionAnalysis]:
    """Analyse functions that do not depend on each other's summaries, and enter their summaries."""
    effects = analysis.effects
    for name, op in functions.items():
        before = len(effects.refusals)
        effects.add_function(op)
        if len(effects.refusals) > before:
            continue
        if prepare is not None:
            prepare(effects, op)
        analysis.state.add_function(op)
        result = analyze_function(effects, op, options.of_function(name))
        analysis.summaries[name] = result.summary
        yield result


def _has_memory_spaces(snapshot: Snapshot) -> bool:
    """Whether some tensor has a buffer that is not in the default memory space."""
    for op, name in enumerate(snapshot.op_name):
        if name == "bufferization.alloc_tensor" and "memory_space" in snapshot.ops[op].attributes:
            return True
        if name == "bufferization.to_tensor" and memory_space_of(snapshot.ops[op].operands[0].type) is not None:
            return True
    return False


def _impossible_layouts(snapshot: Snapshot, functions: Mapping[str, int], called: Container[str]) -> Iterator[Refusal]:
    """Refuse argument layouts that no strided buffer has, or that a contiguous copy made at a call cannot have."""
    for name, op in functions.items():
        inputs = ir.FunctionType(ir.TypeAttr(snapshot.ops[op].attributes["function_type"]).value).inputs
        for index, layout in buffer_layouts(snapshot.ops[op]).items():
            what = f"argument #{index} of type {inputs[index]} has the bufferization.buffer_layout {layout}, "
            if not is_strided_layout(layout, inputs[index]):
                problem = "which is no strided layout of that rank; write strided<[...], offset: ...>"
            elif name in called and not _has_contiguous_buffers(inputs[index], layout):
                problem = "which a contiguous buffer that a call passes does not have; do not call it in this module"
            else:
                continue
            yield Refusal(snapshot.ops[op], f"{what}{problem}, or remove the attribute")


def _has_contiguous_buffers(tensor: ir.Type, layout: ir.Attribute) -> bool:
    shaped = ir.ShapedType(tensor)
    with ir.Location.unknown(tensor.context):
        wanted = ir.MemRefType.get(shaped.shape, shaped.element_type, layout)
        return is_castable(identity_type(tensor), wanted)


def _function_addresses(snapshot: Snapshot) -> Iterator[Refusal]:
    """Refuse references, other than calls, to functions whose type will change."""
    for op, name in enumerate(snapshot.op_name):
        if name == "func.constant":
            type_ = ir.FunctionType(snapshot.ops[op].results[0].type)
            if any(is_tensor(t) for t in (*type_.inputs, *type_.results)):
                yield Refusal(
                    snapshot.ops[op],
                    "'func.constant' takes the address of a function on tensors, whose type would change; "
                    "call the function directly, or do not bufferize function boundaries",
                )


def _functions(snapshot: Snapshot) -> dict[str, int]:
    found = {}
    for region in snapshot.op_regions[0]:
        for block in region:
            for op in snapshot.block_ops[block]:
                if snapshot.op_name[op] == "func.func":
                    found[ir.StringAttr(snapshot.ops[op].attributes["sym_name"]).value] = op
    return found


def _callees(snapshot: Snapshot, function: int) -> list[str]:
    return [snapshot.callee(op) for op in snapshot.nested_ops(function) if snapshot.op_name[op] == "func.call"]


def _has_body(snapshot: Snapshot, function: int) -> bool:
    return bool(snapshot.op_regions[function][0])


def _has_tensors(snapshot: Snapshot, function: int) -> bool:
    """Whether the function has tensors in its body or in its type."""
    if any(snapshot.value_is_tensor[value] for value in snapshot.nested_values(function)):
        return True
    type_ = ir.FunctionType(ir.TypeAttr(snapshot.ops[function].attributes["function_type"]).value)
    return any(is_tensor(t) for t in (*type_.inputs, *type_.results))
