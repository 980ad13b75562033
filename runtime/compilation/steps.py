"""The steps of a compilation in their order, from a module on tensors to machine code.

`decide` and `lower_module` are the compilation from top to bottom; `lowering.py` has the passes of each step. This is
imported when something is compiled: a program from the cache needs none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ...passes.analysis.ir.traversal import types_of_values
from ...passes.analysis.lifetimes.module import analyze_lifetimes
from ...passes.buffers.deallocate import carry_out, frees_only
from ...passes.dispatch.rewriting.host_memory import names_memory_spaces, to_default_space
from ...passes.framework.errors import PassError, PassFailure
from ...passes.kernels.rewriting.optimized_kernels import take_kernels
from ...passes.pipeline.pipeline import run_pipeline
from ..interface.boundary import (
    Form,
    demands_alignment,
    entry_functions,
    manages_its_memory,
    mark_arguments,
    protect_arguments,
    read_form,
    separate_entries,
)
from ..interface.signature import Signature
from ..memory.counting_code import counting_allocator
from ..memory.pool import POOLED, use_pool, wants_pool
from ..message_passing.native_code import link_messages
from ..native.code_parts import compiled_in_parts
from ..native.early_kernels import EarlyKernels
from ..native.engine import Engine, require_registered
from ..native.guard_code import NativeAllocator, unguarded_module
from ..native.guard_keys import use_guard
from ..native.guarded_entries import guard_entries
from ..native.library_names import avoid_library_names, native_name
from ..native.linking import link
from ..native.loaded_object import LoadedObject, UnsupportedObjectError
from ..native.packed_entries import pack_entry
from ..native.thread_team import require_own_loops, thread_symbols
from ..source import private_copy
from . import lowering
from .settings import VERIFY_EACH, Settings, verifies_each
from .size_assertions import verify_sizes
from .stages import is_watched, reached

_SHORT_FLOATS = re.compile(r"bf16|f[468]E")

__all__ = ["VERIFY_EACH", "Compiled", "Lowered", "compile_module", "deallocation_phases", "lower_module"]


@frozen
class Decisions:
    """Decisions that depend on the settings alone.

    Attributes:
        kernels: mark repeated ops, to optimize each once: only after our own bufferization, which keeps the marks.
        counted: the allocator counts, and copies are counted.
        may_pool: large blocks may come from the pool: not where another allocator counts, or where nothing is freed.
        threads: on how many the native code runs: one if memory is counted, as the counters are not made for several.
        lowering_options: what `llvm_phases` is told of allocations, assertions, messages, and loops of vectors.
            Assertions that fail raise an exception; the checker's programs end their processes, which it looks at.
        tensor_options: options of the passes on tensors.
        outline_options: options of the passes that make functions.
    """

    kernels: bool
    counted: bool
    may_pool: bool
    threads: int
    lowering_options: Mapping[str, bool]
    tensor_options: Mapping[str, Any]
    outline_options: Mapping[str, Any]


def decide(settings: Settings) -> Decisions:
    """The decisions of one compilation."""
    counted = settings.memory_stats
    kernels = settings.optimize and settings.kernels and settings.pipeline is None and not settings.plain
    marks = lowering.EAGER_MARKS if kernels and settings.eager else {}
    return Decisions(
        kernels=kernels,
        counted=counted,
        may_pool=not (settings.plain or counted),
        threads=1 if counted else settings.threads,
        lowering_options={
            "own_allocator": counted or not settings.plain,
            "raises": not (settings.plain or settings.checked),
            "messages": settings.ranks,
            "vectors": settings.optimize,
        },
        tensor_options={"threads": settings.threads, "machine": settings.machine, **marks},
        outline_options=lowering.EAGER_OUTLINES if settings.eager else {},
    )


class Lowered(NamedTuple):
    """A module in the LLVM dialect, the forms of its entry points, and whether callers own returned buffers.

    `pooled`: it allocates large blocks, which come from a pool.
    """

    module: ir.Module
    forms: Mapping[str, Form]
    owns_results: bool
    pooled: bool


class Compiled(NamedTuple):
    """A compiled module: its machine code, the forms of its entry points, and whether callers own returned buffers."""

    engine: Engine | LoadedObject
    forms: Mapping[str, Form]
    owns_results: bool


def compile_module(
    source: ir.Module, signatures: Mapping[str, Signature], settings: Settings, *, contiguous: bool
) -> Compiled:
    """The whole compilation. Raises `PassError` if a pass refuses the program, `OSError` if a library cannot be loaded.

    `source` is not changed.
    """
    team = thread_symbols(decide(settings).threads, settings.shared_libs)
    callbacks = {**settings.callbacks, **team}
    early = EarlyKernels(settings.opt_level, settings.shared_libs, callbacks)
    try:
        apart = early if settings.in_parts and not is_watched() else None
        lowered = lower_module(source, signatures, settings, contiguous=contiguous, early=apart)
        engine = _start(lowered, settings, callbacks, early, own_loops=bool(team))
    finally:
        early.stop()
    if engine is None:
        return compile_module(source, signatures, replace(settings, in_parts=False), contiguous=contiguous)
    return Compiled(engine, lowered.forms, lowered.owns_results)


def lower_module(
    source: ir.Module,
    signatures: Mapping[str, Signature],
    settings: Settings,
    *,
    contiguous: bool,
    early: EarlyKernels | None = None,
    entry_sizes: bool = True,
) -> Lowered:
    """All steps up to the LLVM dialect, from top to bottom; `lowering.py` has their passes under the same numbers.

    `early` may take kernels when they are finished. With `entry_sizes`, callers provide the memory of results whose
    sizes follow from those of arguments. Raises `PassError` if a pass refuses the program.
    """
    decided = decide(settings)
    module = private_copy(source)
    separate_entries(module.operation)
    own = settings.pipeline is None and not settings.plain
    protect_arguments(module.operation, contiguous=contiguous and own)
    _run(module, lowering.before_phases(checks=settings.runtime_checks, messages=settings.ranks))
    # 1. Tensors: fuse, tile and vectorize before bufferization makes its in-place decisions.
    if settings.optimize:
        _run(module, lowering.optimize_phases(kernels=decided.kernels), **decided.tensor_options)
    reached("tensors", module)
    # 2. From tensors to memrefs: by our passes, or by the caller's.
    if settings.pipeline is None:
        _run(module, lowering.BUFFERIZE if settings.optimize else lowering.BUFFERIZE_UNOPTIMIZED, verify=False)
    else:
        run_pipeline(module, settings.pipeline)
        if names_memory_spaces(module.operation):
            to_default_space(module.operation)
    require_registered(module.operation)
    reached("bufferize", module)
    # 3. The boundary: signatures for calls from NumPy. A plain program keeps its own, and checks its accesses.
    if settings.plain:
        verify_sizes(module.operation)
        _run(module, lowering.VERIFY)
    else:
        mark_arguments(module.operation, signatures, contiguous=contiguous)
        _run(module, lowering.boundary_phases(messages=settings.ranks), verify=False, entry_sizes=entry_sizes)
    forms = _read_forms(module.operation, signatures)
    avoid_library_names(module.operation)
    reached("boundary", module)
    # 4. Deallocation, which may leave passes to be run after it. All allocations are visible now: may any be large?
    freeing = () if settings.plain else _deallocate(source.operation, module.operation)
    pooled = decided.may_pool and wants_pool(module.operation)
    reached("deallocate", module)
    # 5. Buffers: hoist them out of loops, prefetch and stream; optimize the marked kernels, which are finished then.
    to_llvm = _phases_to_llvm(source.operation, settings, decided)
    if settings.optimize:
        _run(module, (*freeing, *lowering.HOIST, *lowering.STREAMS, *lowering.SORTS), machine=settings.machine)
        if not _optimize_kernels(module, settings, early, to_llvm):
            settings = replace(settings, kernels=False)
            return lower_module(
                source, signatures, settings, contiguous=contiguous, early=early, entry_sizes=entry_sizes
            )
    reached("buffers", module)
    # 6. Outline repeated ops into functions, put repeated calls into tables, count copies.
    after = () if settings.optimize else freeing
    _run(module, (*after, *lowering.outline_phases(count=decided.counted)), **decided.outline_options)
    reached("functions", module)
    # 7. Loops, addresses, LLVM. The functions of the runtime, and machine code, come after that.
    _to_llvm(module, to_llvm, forms, early)
    return Lowered(module, forms, bool(freeing), pooled)


def _phases_to_llvm(source: ir.Operation, settings: Settings, decided: Decisions) -> Sequence[lowering.Phase]:
    """The last phases, for the types that there are in the source."""
    bf16 = settings.pipeline is not None or _has_short_floats(source)
    return lowering.llvm_phases(decided.threads, bf16=bf16, **decided.lowering_options)


def _to_llvm(
    module: ir.Module, phases: Sequence[lowering.Phase], names: Iterable[str], early: EarlyKernels | None
) -> None:
    """Run the last phases, of the kernels that `early` takes at first; then pack the entry points."""
    if early is not None:
        early.take(module, lambda kernels: _run(kernels, phases))
    _run(module, phases)
    for name in sorted(map(native_name, names), key=len, reverse=True):  # One may be called as the wrapper of another.
        pack_entry(module.operation, name)
    reached("llvm", module)


def _run(module: ir.Module, phases: Sequence[lowering.Phase], *, verify: bool = True, **options: Any) -> None:
    """Run phases, and verify the result if asked: tests show that each pass leaves valid IR.

    A valid program may still become invalid, where folding shows an access out of the bounds of a memref. With the
    environment variable `MLIR_INPLACE_VERIFY_EACH=1`, as in tests, the IR is verified after every pass.
    """
    if not phases:
        return
    pipeline = lowering.pipeline(phases, **options)
    run_pipeline(module, pipeline, verify_each=verifies_each(), verify_result=verify)


def _has_short_floats(module: ir.Operation) -> bool:
    """Whether a value of the source is of bf16, or of floats of up to 8 bits; no pass of ours makes others of these."""
    return any(_SHORT_FLOATS.search(str(type_)) for type_ in types_of_values(module))


def _optimize_kernels(
    module: ir.Module, settings: Settings, early: EarlyKernels | None, to_llvm: Sequence[lowering.Phase]
) -> bool:
    """Optimize the functions that marked ops become; return whether each computes its result in place.

    No pass changes them from here `to_llvm`, unless they allocate or copy: `early` may take the others.
    """
    # A dynamic size counts as large, so small ops would wake threads.
    kernels = take_kernels(module.operation, open_sizes=settings.threads == 1)
    if kernels is not None:
        _run(kernels.module, lowering.KERNELS, threads=settings.threads, machine=settings.machine)
        if not kernels.are_in_place:
            return False
        kernels.give_back()
        if early is not None:
            early.take_first(module, lambda part: _run(part, to_llvm))
    return True


def _start(
    lowered: Lowered, settings: Settings, callbacks: Mapping[str, Any], early: EarlyKernels, *, own_loops: bool
) -> Engine | LoadedObject | None:
    """Link the runtime's functions into a lowered module, and compile it to machine code, with the kernels of `early`.

    None if it was compiled in parts that cannot be brought together, which do not put it together again.
    """
    module = lowered.module
    if settings.ranks:
        link_messages(module)
    allocator = POOLED if lowered.pooled else NativeAllocator()
    if settings.memory_stats:
        allocator = counting_allocator(module, checked=settings.checked)
    guarded = not settings.plain and guard_entries(module, map(native_name, lowered.forms), allocator)
    if settings.memory_stats and not guarded:
        link(module, unguarded_module(allocator))
    reached("linked", module)
    if own_loops:
        require_own_loops(module.operation)
    try:
        divided = _in_parts(module, settings, callbacks, early) if settings.in_parts else None
    except UnsupportedObjectError:
        return None
    engine = divided or Engine(module, settings.opt_level, settings.shared_libs, callbacks)
    use_pool(engine)
    use_guard(engine)
    return engine


def _in_parts(
    module: ir.Module, settings: Settings, callbacks: Mapping[str, Any], early: EarlyKernels
) -> LoadedObject | None:
    """The code in several object files; None if it is not divided."""
    if early:
        return early.finish(module)
    return compiled_in_parts(module, settings.opt_level, settings.shared_libs, callbacks)


def deallocation_phases(source: ir.Operation, module: ir.Operation) -> tuple[lowering.Phase, ...]:
    """The phases that free the allocations of `module`: our pass, else upstream's; none if the program frees by itself.

    Where our pass needs it, branches between blocks are lifted to structured control flow first.
    """
    if _has_lifetimes(module):
        return lowering.DEALLOCATE
    if manages_its_memory(source):
        return ()
    run_pipeline(module, lowering.pipeline(lowering.STRUCTURE))
    return lowering.DEALLOCATE if _has_lifetimes(module) else lowering.DEALLOCATE_UNSTRUCTURED


def _deallocate(source: ir.Operation, module: ir.Operation) -> tuple[lowering.Phase, ...]:
    """Free the allocations of `module` if our pass can do it as it is; return the phases that remain.

    The pass itself would compute lifetimes a second time. Clones need no phase where deallocation inserted none.
    """
    try:
        plan = analyze_lifetimes(module)
    except PassFailure:
        return deallocation_phases(source, module)
    carry_out(plan)
    _, clones, *others = lowering.DEALLOCATE
    return (*(lowering.FREED if frees_only(plan) else (clones,)), *others)


def _has_lifetimes(module: ir.Operation) -> bool:
    try:
        analyze_lifetimes(module)
    except PassFailure:
        return False
    return True


def _read_forms(module: ir.Operation, signatures: Mapping[str, Signature]) -> dict[str, Form]:
    """The form of each entry point after the boundary passes; raises `PassError` if a pipeline removed one."""
    aligned = demands_alignment(module)
    functions = entry_functions(module)
    for name in signatures:
        if name not in functions:
            raise PassError(
                f"the pipeline left no public func.func '{name}' with a body; keep entry points as they are"
            )
    return {name: read_form(functions[name], signature, aligned=aligned) for name, signature in signatures.items()}
