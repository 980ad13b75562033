"""The checker around a conversion: records the tensor program, tags its ops, and checks the result."""

from __future__ import annotations

import dataclasses
import os

from mlir import ir

from ...analysis.ir.snapshot import Snapshot
from ...framework.errors import PassFailure
from .machine import SymbolicMachine
from .report import VerificationReport, verify
from .tags import plain_location, take_tags
from .tensor_program import TensorProgram
from .trace import BufferTrace

__all__ = ["ATTRIBUTE", "VARIABLE", "Recording", "is_always_on", "refuse"]

ATTRIBUTE = "inplace.tensor_program"
"""The attribute of a module that `inplace-verify-bufferization{record}` keeps the tensor program in."""
VARIABLE = "MLIR_INPLACE_VERIFY_BUFFERIZATION"
"""The environment variable that turns the check on for every bufferization, if it is `1`."""


def is_always_on() -> bool:
    """Whether the environment asks for the check."""
    return os.environ.get(VARIABLE) == "1"


class Recording:
    """A tensor program that is about to be converted in place; ``snapshot`` holds its tables."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._program = TensorProgram(snapshot)
        self._program.tag()

    def finish(self, module: ir.Operation, trace: BufferTrace) -> VerificationReport:
        """Check ``module``; remove the tags from it and from ``trace``. Raises ``PassFailure`` for a wrong program."""
        machine = SymbolicMachine(self._program, module)
        report = verify(machine)
        take_tags(machine.snapshot)
        trace.events = [dataclasses.replace(event, location=plain_location(event.location)) for event in trace.events]
        refuse(report)
        return report


def refuse(report: VerificationReport) -> None:
    """Raise ``PassFailure`` if ``report`` has violations: the first one, the others as notes."""
    if not report.violations:
        return
    first, *others = report.violations
    notes = [*first.notes, *((violation.message, violation.location) for violation in others)]
    raise PassFailure(f"wrong bufferization: {first.message}", first.location, notes)
