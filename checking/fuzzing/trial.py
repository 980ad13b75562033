"""One random program through all configurations: bufferized, freed, evaluated, compared.

Passes that configurations share run once, and programs that bufferize to the same text are evaluated once. The
reference is the program on tensors, evaluated by `checking/evaluator`, which shares no code with the tested passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from mlir import ir

from ...dialects import dispatch
from ...passes.framework.entered_context import new_context
from ...passes.framework.errors import PassError
from ...passes.pipeline.pipeline import run_pipeline
from ...runtime.compilation import lowering
from ...runtime.compilation.program import Program
from ...runtime.compilation.program import compile as compile_program
from ...runtime.compilation.settings import Settings
from ...runtime.compilation.shared_trampolines import compile_trampolines
from ...runtime.compilation.steps import deallocation_phases
from ...runtime.source import private_copy
from ..decisions import functions_by_name
from ..evaluator import Evaluation, EvaluationError, Evaluator
from ..generator import GeneratedProgram
from .arenas import check_arenas
from .configurations import Configuration
from .judging import STEPS, judge
from .outcomes import Finding, FindingKind, Trial, copies_of, difference, first_error
from .random_orders import bufferize_in_orders
from .ranks import split_at_random, try_on_ranks, with_messages

_UNCOUNTED = 3
"""One of so many programs is compiled without statistics of memory, so that trampolines call it."""


def try_program(
    program: GeneratedProgram,
    configurations: Sequence[Configuration],
    *,
    evaluated: Sequence[int] | None = None,
    compiled: Sequence[int] = (),
    begin: Callable[[int], None] = lambda number: None,
) -> Trial:
    """Put a program through configurations. `begin` is told the number of each before it is tried.

    `evaluated` are the numbers of those in which it is bufferized and evaluated, all by default; in those of
    `compiled` it is compiled and run.
    """
    trial = Trial()
    with quiet_context() as context:
        try:
            source = _parse(program.text, context)
            wanted = _reference(program, source)
        except EvaluationError as error:
            trial.findings.append(Finding(program.seed, "", FindingKind.REFERENCE, str(error)))
            return trial
        route = _Route(program, source)
        for number in range(len(configurations)) if evaluated is None else evaluated:
            begin(number)
            trial.findings += _try(program, configurations[number], wanted, route, trial)
    for number in compiled:
        begin(number)
        trial.findings += _execute(program, configurations[number], wanted, trial)
    return trial


class _Route:
    """One program, and the results of passes that configurations share."""

    def __init__(self, program: GeneratedProgram, source: ir.Module) -> None:
        self.program = program
        self.source = source
        self._seen: set[str] = set()
        self._bufferized: dict[str, Any] = {}

    def bufferize(self, configuration: Configuration) -> Any:
        """Return a private module on memrefs; raises the exceptions of the passes."""
        passes = configuration.bufferization(self.program.seed)
        if passes not in self._bufferized:
            module = self.source.operation.clone()
            run_pipeline(module, f"builtin.module({passes})")
            self._bufferized[passes] = module
        module = self._bufferized[passes].operation.clone()
        if configuration.on_memrefs:
            run_pipeline(module, f"builtin.module({configuration.on_memrefs})")
        return module

    def is_new(self, text: str) -> bool:
        """Whether a bufferized program was not evaluated yet; from now on it was."""
        before = len(self._seen)
        self._seen.add(text)
        return len(self._seen) > before


def quiet_context() -> ir.Context:
    """Return a context that discards remarks; errors are raised as exceptions."""
    context = new_context()
    context.attach_diagnostic_handler(lambda _: True)
    return context


def _parse(text: str, context: ir.Context) -> ir.Module:
    return dispatch.parse(text, context) if dispatch.mentions_dispatch(text) else ir.Module.parse(text)


def _reference(program: GeneratedProgram, source: ir.Module) -> list[Evaluation]:
    evaluator = Evaluator(source)
    found = [evaluator.run(program.function, copies_of(given), steps=STEPS) for given in program.argument_sets]
    if any(mask is not None and np.any(mask) for evaluation in found for mask in evaluation.undefined):
        raise EvaluationError("the program returns elements that were never written")
    return found


def _try(
    program: GeneratedProgram,
    configuration: Configuration,
    wanted: Sequence[Evaluation],
    route: _Route,
    trial: Trial,
) -> Iterator[Finding]:
    def finding(kind: FindingKind, text: str) -> Finding:
        return Finding(program.seed, configuration.name, kind, text)

    if configuration.ranks:
        problem = _on_ranks(program, configuration, wanted, route.source, trial)
        if problem is not None:
            yield finding(*problem)
        return
    names = [program.function]
    try:
        if configuration.orders:
            module: Any = route.source.operation.clone()
            names = bufferize_in_orders(module, program.function, program.seed, configuration.orders)
        else:
            module = route.bufferize(configuration)
        trial.bufferized[configuration.name] += len(names)
        if not route.is_new(f"{configuration.on_freed}\n{module}"):
            return
        free_buffers(route.source, module)
        if configuration.on_freed:
            check_arenas(module)
            run_pipeline(module, f"builtin.module({configuration.on_freed})")
    except Exception as error:  # noqa: BLE001 - whatever a pass raises is what is looked for
        yield finding(*stopped(error))
        return
    source, evaluator = functions_by_name(route.source.operation)[program.function], Evaluator(module)
    functions = functions_by_name(module.operation)
    for name in names:
        trial.evaluated += 1
        problem = judge(program, source, functions[name], evaluator, wanted, trial)
        if problem is not None:
            yield finding(*problem)


def _on_ranks(
    program: GeneratedProgram,
    configuration: Configuration,
    wanted: Sequence[Evaluation],
    source: ir.Module,
    trial: Trial,
) -> tuple[FindingKind, str] | None:
    """Split the program, and run what each rank runs, before it is bufferized and after."""
    try:
        module = split_at_random(source, program)
        if module is None:
            return None
        problem = try_on_ranks(program, module, wanted, trial)
        if problem is not None:
            return problem[0], f"on tensors: {problem[1]}"
        split = private_copy(module)
        run_pipeline(module, f"builtin.module({configuration.bufferization(program.seed)})")
        trial.bufferized[configuration.name] += 1
        free_buffers(split, module)
        with_messages(module)
    except Exception as error:  # noqa: BLE001 - as above
        return stopped(error)
    return try_on_ranks(program, module, wanted, trial)


def stopped(error: Exception) -> tuple[FindingKind, str]:
    """Classify the error of a pass: a refusal or a bug."""
    if isinstance(error, PassError):
        return FindingKind.REFUSED, first_error(str(error))
    return FindingKind.BUG, f"{type(error).__name__}: {error}"


def free_buffers(source: ir.Module, module: Any) -> None:
    """Add deallocations to `module`, which is `source` bufferized, by the passes that `mi.compile` uses."""
    text = str(source)
    if "shape." in text:
        run_pipeline(module, "builtin.module(func.func(convert-shape-constraints),inplace-canonicalize)")
    phases = deallocation_phases(source.operation, module.operation)
    run_pipeline(module, lowering.pipeline(phases))


def _execute(
    program: GeneratedProgram, configuration: Configuration, wanted: Sequence[Evaluation], trial: Trial
) -> Iterator[Finding]:
    """Compile and run; passes on memrefs are left out, as the runtime has its own.

    Memory is counted, but not with several threads, nor for some programs: of these Python makes the first call of a
    kind, and a trampoline the second one.
    """
    counts = configuration.threads <= 1 and program.seed % _UNCOUNTED != 0

    def finding(kind: FindingKind, text: str) -> Finding:
        return Finding(program.seed, f"{configuration.name}, compiled", kind, text)

    try:
        with quiet_context() as context:
            module = _parse(program.text, context)
        compiled = _compiled(program, module, configuration, counts=counts)
    except Exception as error:  # noqa: BLE001 - as above
        yield finding(*stopped(error))
        return
    trial.executed += 1
    calls = list(zip(program.argument_sets, wanted, strict=False))
    if "ml_program.global private mutable" in program.text:
        del calls[1:]  # A second call would see the first one's stores to globals.
    elif not counts:
        compile_trampolines()
        calls = [call for call in calls for _ in range(2)]
    for number, (given, reference) in enumerate(calls):
        arguments = copies_of(given)
        found = compiled[program.function](*arguments)
        arrays = [position for position, value in enumerate(given) if isinstance(value, np.ndarray)]
        checked = [position for position in arrays if position not in program.unspecified]
        results = found if isinstance(found, tuple) else (() if found is None else (found,))
        outcome = (results, arguments)
        problem = difference(outcome, reference, checked, trial)
        if problem is None and counts and compiled.memory_stats.leaked_bytes:
            problem = FindingKind.LEAK, f"{compiled.memory_stats.leaked_bytes} bytes"
        if problem is not None:
            yield finding(problem[0], f"call {number}: {problem[1]}")
            return


def _compiled(program: GeneratedProgram, module: ir.Module, configuration: Configuration, *, counts: bool) -> Program:
    """Compile by the passes of the configuration, or optimize; with statistics of memory if it `counts`."""
    if configuration.eager:
        settings = Settings(None, 0, memory_stats=counts, optimize=True, machine=configuration.machine, eager=True)
        return Program(private_copy(module), settings)
    if configuration.threads:
        return compile_program(
            module,
            optimize=True,
            threads=configuration.threads,
            machine=configuration.machine,
            opt_level=0,
            memory_stats=counts,
        )
    constraints = ",func.func(convert-shape-constraints),inplace-canonicalize" if "shape." in program.text else ""
    passes = configuration.bufferization(program.seed) + constraints
    return compile_program(module, pipeline=f"builtin.module({passes})", opt_level=0, memory_stats=counts)
