"""One check, in a child process: compile both versions, find inputs the program allows, run, compare.

Each call is in a child of its own again, since it is the generated code that may crash, and since a reference ends its
process when an access is out of bounds: that is how inputs are refused.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mlir import ir

from ...passes.dispatch.size_checks import BYTES, LEAST
from ...passes.errors import PassError
from ...passes.pipeline import Pipeline
from ..arguments import SizeCheckError
from ..dtypes import UnsupportedTypeError
from ..evaluator import EvaluationError, Evaluator
from ..program import Program
from ..signature import Signature
from .inputs import Demands, InputMaker
from .isolation import Ended, Send, allow, isolated
from .outcomes import Expected, Finding, Outcome, compare, run_checked
from .references import (
    OWN_ROUTE,
    ROUTES,
    EvaluatorReference,
    Reference,
    compile_checked,
    compile_reference,
    keeps_state,
)
from .report import CheckReport, Counts, Difference, Kind, Unchecked, describe_inputs

ENGINES = ("jit", "evaluator")
"""Where right values come from."""

_COMPILING = 12.0
"""How many times the limit of one call compiling may take."""

_MOST_REFUSALS = 40
"""How many proposals a program may refuse before any that it takes."""

_REPAIRS = 12
"""How often a proposal is changed to what a dispatch function says it needs."""


MakeInputs = Callable[[Signature], Sequence[Sequence[Any]]]
"""Argument lists for a function; what it raises, `check` raises."""


@dataclass(frozen=True)
class Options:
    """How to check; `check` explains them. `first_route`: the references before it have crashed."""

    pipeline: Pipeline | None = None
    functions: tuple[str, ...] | None = None
    inputs: MakeInputs | None = None
    seed: int = 0
    rounds: int = 8
    tolerance: float = 0.0
    time_limit: float = 10.0
    shared_libs: tuple[str, ...] = ()
    engine: str = "jit"
    first_route: int = 0


@dataclass(frozen=True)
class Phase:
    """What a child is about to do; the last one it sent says where it crashed. `route`: of the reference."""

    title: str
    route: int | None = None


def run_session(module: ir.Module, options: Options, send: Send) -> CheckReport:
    """Check all functions that were asked for. Raises what compiling the program raises."""
    allow(_COMPILING * options.time_limit)
    send(Phase("compiling the program"))
    program = compile_checked(module, options.pipeline, options.shared_libs)
    references = _References(module, options, send)
    differences: list[Difference] = []
    counts: list[Counts] = []
    unchecked: list[Unchecked] = []
    for name in _names(program, options):
        try:
            checked = _FunctionCheck(program, name, options).run(references)
        except UnsupportedTypeError as error:
            unchecked.append(Unchecked(name, str(error)))
            continue
        differences += checked.differences
        counts += checked.counts
        unchecked += checked.unchecked
    return CheckReport(tuple(differences), tuple(counts), tuple(unchecked))


def _names(program: Program, options: Options) -> tuple[str, ...]:
    for name in options.functions or ():
        if name not in program.all_names:
            known = ", ".join(program.all_names) or "none; make a function with a body public"
            raise ValueError(f"the program has no entry point {name!r}; it has: {known}")
    return program.all_names if options.functions is None else options.functions


class _References:
    """The references, best first; each is compiled when it is first asked for."""

    def __init__(self, module: ir.Module, options: Options, send: Send) -> None:
        self._module, self._options, self._send = module, options, send
        self._made: dict[int, Reference | None] = {}
        self._evaluator: EvaluatorReference | None = None
        # Upstream forgets that stores to globals come after loads, and calls must not see what others have left.
        self.stateful = keeps_state(module.operation)
        self.failures: list[str] = []

    def evaluator(self, program: Program) -> EvaluatorReference:
        """The evaluator on the source of the program."""
        if self._evaluator is None:
            signatures = {name: program[name].signature for name in program.entry_points}
            self._evaluator = EvaluatorReference(Evaluator(self._module), signatures)
        return self._evaluator

    def for_program(self, program: Program) -> Iterator[Reference]:
        """What the program is to be compared with, best first."""
        return iter([self.evaluator(program)] if self._options.engine == "evaluator" else self._compiled())

    def _compiled(self) -> Iterator[Reference]:
        first = max(self._options.first_route, OWN_ROUTE if self.stateful else 0)
        for number in range(first, len(ROUTES)):
            if number not in self._made:
                self._made[number] = self._compile(number)
            made = self._made[number]
            if made is not None:
                self._send(Phase("running"))
                yield made

    def _compile(self, number: int) -> Reference | None:
        allow(_COMPILING * self._options.time_limit)
        self._send(Phase("compiling the reference", number))
        try:
            made = compile_reference(self._module, number, self._options.shared_libs)
            return replace(made, seconds=self._options.time_limit if self.stateful else None)
        except (PassError, ir.MLIRError) as error:
            self.failures.append(str(error).partition("\n")[0])
            return None


class _FunctionCheck:
    """The check of one function; raises `UnsupportedTypeError` if NumPy has no such types."""

    def __init__(self, program: Program, name: str, options: Options) -> None:
        self._program, self._name, self._options = program, name, options
        self._signature: Signature = program[name].signature
        self._refusal, self._forbidden = "", False

    def run(self, references: _References) -> CheckReport:
        """Run by the first reference that takes any inputs."""
        for reference in references.for_program(self._program):
            report = self._against(reference, references)
            if report.counts[0].input_sets or report.differences:
                return report
            if self._forbidden:
                break  # by the program itself, so that others would say the same
        if self._refusal:
            reason = f"the program takes none of the inputs tried ({self._refusal}); give inputs that it takes"
        else:
            reason = f"no reference takes the program ({'; '.join(references.failures)})"
        return CheckReport(unchecked=(Unchecked(self._name, reason),))

    def _against(self, reference: Reference, references: _References) -> CheckReport:
        counts = Counts(self._name, reference.title)
        for arguments, expected in self._accepted(reference):
            if expected is None:
                counts = replace(counts, skipped=counts.skipped + 1)
                continue
            counts = replace(counts, input_sets=counts.input_sets + 1)
            ended = self._call(
                lambda given=arguments: run_checked(self._program, self._name, given, once=references.stateful)
            )
            finding = self._judge(arguments, ended, expected)
            if isinstance(ended.value, Outcome):
                counts = _added(counts, ended.value)
            if finding is not None and (verdict := self._evaluated(finding, arguments, ended, references)):
                wrong, forbidden = verdict is _Verdict.WRONG, verdict is _Verdict.FORBIDDEN
                counts = replace(
                    counts,
                    overruled=counts.overruled + wrong,
                    skipped=counts.skipped + forbidden,
                    input_sets=counts.input_sets - forbidden,
                )
                continue
            if finding is not None:
                inputs = describe_inputs(self._signature, arguments)
                difference = Difference(
                    finding.kind,
                    self._name,
                    finding.message,
                    arguments,
                    inputs,
                    argument=finding.argument,
                    round=counts.input_sets,
                )
                return CheckReport((difference,), (counts,))
        return CheckReport(counts=(counts,))

    def _checked(self, arguments: tuple[Any, ...], *, once: bool) -> Ended:
        return self._call(lambda: run_checked(self._program, self._name, arguments, once=once))

    def _evaluated(
        self, finding: Finding, arguments: tuple[Any, ...], ended: Ended, references: _References
    ) -> _Verdict | None:
        """What the evaluator has against a difference from a compiled reference, if anything."""
        if self._options.engine == "evaluator" or finding.kind not in (Kind.RESULT, Kind.ARGUMENT, Kind.REPEATED):
            return None
        evaluated = self._call(lambda: references.evaluator(self._program).run(self._name, arguments))
        if evaluated.value is not None:
            agrees = self._judge(arguments, ended, evaluated.value) is None
            return _Verdict.WRONG if agrees else None
        return _Verdict.FORBIDDEN if _is_forbidden(evaluated.error) else None

    def _judge(self, arguments: Sequence[Any], ended: Ended, expected: Expected) -> Finding | None:
        if ended.hung:
            return Finding(Kind.HANG, f"the call did not end within {self._options.time_limit:g} s")
        if ended.crashed:
            return Finding(Kind.CRASH, f"the call crashed ({ended.cause})")
        if ended.error is not None:
            return Finding(Kind.FAILURE, f"the call failed: {ended.error}")
        return compare(self._signature, arguments, ended.value, expected, self._options.tolerance)

    def _call(self, work: Any) -> Ended:
        allow(3 * self._options.time_limit)
        return isolated(lambda _: work(), self._options.time_limit)

    def _accepted(self, reference: Reference) -> Iterator[tuple[tuple[Any, ...], Expected | None]]:
        """Input sets with what they must give; None for those that the program does not take."""
        if self._options.inputs is not None:
            for arguments in map(tuple, self._options.inputs(self._signature)):
                yield arguments, self._expected(reference, arguments).value
            return
        maker = InputMaker(self._signature, self._options.seed)
        attempts = list(range(maker.attempts))
        refused, accepted = 0, False
        for number in range(self._options.rounds if maker.varied else min(2, self._options.rounds)):
            for attempt, arguments, ended in self._proposals(reference, maker, number, tuple(attempts)):
                yield arguments, ended.value
                if ended.value is not None:
                    accepted = True
                    attempts.sort(key=lambda other, best=attempt: other != best)
                    break
                refused += 1
            if refused >= _MOST_REFUSALS and not accepted:
                return

    def _proposals(
        self, reference: Reference, maker: InputMaker, number: int, attempts: Sequence[int]
    ) -> Iterator[tuple[int, tuple[Any, ...], Ended]]:
        for attempt in attempts:
            demands = Demands()
            arguments = maker.make(number, attempt, demands)
            ended = self._expected(reference, arguments)
            for _ in range(_REPAIRS):
                if not (isinstance(ended.error, SizeCheckError) and _note(ended.error, arguments, demands)):
                    break
                arguments = maker.make(number, attempt, demands)
                ended = self._expected(reference, arguments)
            yield attempt, arguments, ended

    def _expected(self, reference: Reference, arguments: tuple[Any, ...]) -> Ended:
        ended = self._call(lambda: reference.run(self._name, arguments))
        if ended.value is None:
            self._refusal = _why_refused(ended)
            self._forbidden = (
                isinstance(ended.error, (SizeCheckError, EvaluationError)) or "Runtime op verification" in ended.output
            )
        return ended


class _Verdict(enum.Enum):
    """Why a difference is none: the reference is wrong, or the program forbids the inputs."""

    WRONG = enum.auto()
    FORBIDDEN = enum.auto()


def _is_forbidden(error: BaseException | None) -> bool:
    """Whether the evaluator found the program to do what it must not, and not just something that it does not know."""
    if not isinstance(error, EvaluationError) or not error.operation:
        return False
    return not any(word in error.reason for word in ("support", "cannot be evaluated", "steps", "nested"))


def _note(error: SizeCheckError, arguments: Sequence[Any], demands: Demands) -> bool:
    """Note what a dispatch function needs; false if that is nothing new, or nothing one could give."""
    if error.dimension == LEAST:
        new = demands.scalars.get(error.argument) != error.needed
        demands.scalars[error.argument] = error.needed
        return new
    size = error.needed
    if error.dimension == BYTES:
        array = arguments[error.argument]
        if array.ndim != 1:
            return False
        size = -(-error.needed // array.itemsize)
    place = (error.argument, max(error.dimension, 0))
    new = demands.sizes.get(place) != size
    demands.sizes[place] = size
    return new and 0 <= size < 10**7


def _why_refused(ended: Ended) -> str:
    if ended.error is not None:
        return str(ended.error).partition("\n")[0]
    if ended.hung:
        return "the reference did not end in time"
    lines = [line.strip() for line in ended.output.splitlines()]
    with contextlib.suppress(StopIteration):
        return next(line.lstrip("^ ") for line in reversed(lines) if line.startswith("^"))
    return f"the reference crashed, {ended.cause}"


def _added(counts: Counts, outcome: Outcome) -> Counts:
    stats = outcome.stats
    names = ("allocations", "frees", "result_allocations", "copies", "copied_bytes", "leaked_bytes", "bad_frees")
    return replace(counts, **{name: getattr(counts, name) + getattr(stats, name) for name in names})
