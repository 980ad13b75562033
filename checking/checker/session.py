"""One check, in a child process: compile both versions, find inputs that the program accepts, run, compare.

Each call runs in a child process of its own, since generated code may crash, and since a reference refuses inputs by
ending its process at an access out of bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mlir import ir

from ...runtime.call.arguments import SizeCheckError
from ...runtime.compilation.program import Program
from ...runtime.interface.dtypes import UnsupportedTypeError
from ...runtime.interface.signature import Signature
from .isolation import Ended, Send, allow, isolated
from .options import COMPILING, CheckStage, Options
from .outcomes import CheckFinding, Expected, Outcome, compare, run_checked
from .proposals import Proposer, why_refused
from .reference_set import Exoneration, References, is_forbidden
from .references import Reference, compile_checked
from .report import CheckReport, Counts, Difference, DifferenceKind, Unchecked, describe_inputs


def run_session(module: ir.Module, options: Options, send: Send) -> CheckReport:
    """Check the chosen functions. Raises what compiling the program raises."""
    allow(COMPILING * options.time_limit)
    send(CheckStage("compiling the program"))
    program = compile_checked(module, options)
    references = References(module, options, send)
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


class _FunctionCheck:
    """The check of one function; raises `UnsupportedTypeError` if NumPy has no such types."""

    def __init__(self, program: Program, name: str, options: Options) -> None:
        self._program, self._name, self._options = program, name, options
        self._signature: Signature = program[name].signature
        self._refusal, self._forbidden = "", False

    def run(self, references: References) -> CheckReport:
        """Compare with the first reference that accepts any inputs."""
        for reference in references.for_program(self._program):
            report = self._against(reference, references)
            if report.counts[0].input_sets or report.differences:
                return report
            if self._forbidden:
                break  # by the program itself, so other references would refuse too
        if self._refusal:
            reason = f"the program takes none of the inputs tried ({self._refusal}); give inputs that it takes"
        else:
            reason = f"no reference takes the program ({'; '.join(references.failures)})"
        return CheckReport(unchecked=(Unchecked(self._name, reason),))

    def _against(self, reference: Reference, references: References) -> CheckReport:
        counts = Counts(self._name, reference.title)
        proposals = Proposer(self._signature, self._options, lambda given: self._expect(reference, given))
        for proposal in proposals:
            if proposal.expected is None:
                counts = replace(counts, skipped=counts.skipped + 1)
                self._refusal, self._forbidden = proposals.refusal, proposals.forbidden
                continue
            ended = self._checked(proposal.arguments, once=references.stateful)
            finding = self._judge(proposal.arguments, ended, proposal.expected)
            verdict = None if finding is None else self._verdict(proposal.arguments, ended, references)
            if verdict is Exoneration.FORBIDDEN:
                counts = replace(counts, skipped=counts.skipped + 1)
                continue
            overruled = counts.overruled + (verdict is Exoneration.WRONG)
            counts = _added(replace(counts, input_sets=counts.input_sets + 1, overruled=overruled), ended)
            if finding is not None and verdict is None:
                difference = self._difference(finding, proposal.arguments)
                return CheckReport((replace(difference, round=proposal.round),), (counts,))
        return CheckReport(counts=(counts,))

    def _difference(self, finding: CheckFinding, arguments: tuple[Any, ...]) -> Difference:
        inputs = describe_inputs(self._signature, arguments)
        return Difference(finding.kind, self._name, finding.message, arguments, inputs, argument=finding.argument)

    def _checked(self, arguments: tuple[Any, ...], *, once: bool) -> Ended:
        return self._call(lambda: run_checked(self._program, self._name, arguments, once=once))

    def _expect(self, reference: Reference, arguments: tuple[Any, ...]) -> Ended:
        if self._signature.size_checks is not None and self._options.engine == "evaluator":
            # Compiled references check sizes as the program does; the evaluator takes any that fit the accesses.
            checked = self._checked(arguments, once=True)
            if isinstance(checked.error, SizeCheckError):
                return checked
        return self._call(lambda: reference.run(self._name, arguments))

    def _verdict(self, arguments: tuple[Any, ...], ended: Ended, references: References) -> Exoneration | None:
        """Why a difference from a compiled reference does not count, by the evaluator; None if it does."""
        if self._options.engine == "evaluator":
            return None
        evaluated = self._expect(references.evaluator(self._program), arguments)
        if evaluated.value is not None:
            return Exoneration.WRONG if self._judge(arguments, ended, evaluated.value) is None else None
        if not is_forbidden(evaluated.error):
            return None
        self._refusal, self._forbidden = why_refused(evaluated), True
        return Exoneration.FORBIDDEN

    def _judge(self, arguments: Sequence[Any], ended: Ended, expected: Expected) -> CheckFinding | None:
        if ended.hung:
            return CheckFinding(DifferenceKind.HANG, f"the call did not end within {self._options.time_limit:g} s")
        if ended.crashed:
            return CheckFinding(DifferenceKind.CRASH, f"the call crashed ({ended.cause})")
        if ended.error is not None:
            return CheckFinding(DifferenceKind.FAILURE, f"the call failed: {ended.error}")
        return compare(self._signature, arguments, ended.value, expected, self._options.tolerance)

    def _call(self, work: Any) -> Ended:
        allow(3 * self._options.time_limit)
        return isolated(lambda _: work(), self._options.time_limit)


def _added(counts: Counts, ended: Ended) -> Counts:
    if not isinstance(ended.value, Outcome):
        return counts
    stats = ended.value.stats
    names = ("allocations", "frees", "result_allocations", "copies", "copied_bytes", "leaked_bytes", "bad_frees")
    return replace(counts, **{name: getattr(counts, name) + getattr(stats, name) for name in names})
