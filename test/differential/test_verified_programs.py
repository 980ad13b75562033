"""The independent checker finds nothing wrong with the differential programs, and follows nearly all of them."""

from __future__ import annotations

from fast_run import sample
from mlir import ir
from programs import PROGRAMS

from mlir_inplace.passes.bufferization.one_shot_bufferize import OneShotBufferizeOptions, OneShotBufferizePass
from mlir_inplace.passes.framework.errors import PassFailure
from mlir_inplace.passes.verification.checker.machine import SymbolicMachine
from mlir_inplace.passes.verification.checker.reading import read_snapshot
from mlir_inplace.passes.verification.checker.report import VerificationReport, verify
from mlir_inplace.passes.verification.checker.tensor_program import TensorProgram

OPTIONS = OneShotBufferizeOptions(bufferize_function_boundaries=True, warn_written_arguments=False)


def report(text: str) -> VerificationReport:
    with ir.Context() as context:
        context.attach_diagnostic_handler(lambda _: True)
        module = ir.Module.parse(text)
        program = TensorProgram(read_snapshot(module.operation))
        program.tag()
        try:
            OneShotBufferizePass(OPTIONS).run(module.operation)
        except PassFailure:
            return VerificationReport()  # Some programs need other options.
        return verify(SymbolicMachine(program, module.operation))


def test_reads_of_all_programs() -> None:
    programs = sample(PROGRAMS, least=80)
    reports = {program.name: report(program.text) for program in programs}
    assert [(name, found.violations) for name, found in reports.items() if found.violations] == []
    checked = sum(found.checked for found in reports.values())
    unchecked = sum(found.unchecked.total() for found in reports.values())
    assert checked > 2.5 * len(programs)
    assert unchecked < 0.04 * checked, (checked, unchecked)
