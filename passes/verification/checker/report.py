"""The report of the checker: violations with locations, and reasons for reads that were not checked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from mlir import ir

from .execution import SymbolicExecution
from .machine import MemrefRead, SymbolicMachine
from .memory import ContentVerdict
from .tags import plain_location
from .tensor_program import TensorProgram
from .terms import FREED, UNDEFINED, TermKind

__all__ = ["VerificationReport", "Violation", "verify"]


@dataclass(frozen=True)
class Violation:
    """A read of memory with the wrong content."""

    message: str
    location: ir.Location
    notes: tuple[tuple[str, ir.Location], ...] = ()


@dataclass
class VerificationReport:
    """The number of correct reads, the wrong ones, and the reasons for reads that were not checked."""

    checked: int = 0
    violations: list[Violation] = field(default_factory=list[Violation])
    unchecked: Counter[str] = field(default_factory=Counter[str])

    def reasons(self) -> list[tuple[str, int]]:
        """Return the reasons why reads were not checked, the most frequent ones first."""
        return sorted(self.unchecked.items(), key=lambda entry: (-entry[1], entry[0]))

    def __str__(self) -> str:
        lines = [f"{self.checked} reads checked, {self.unchecked.total()} not checked, {len(self.violations)} wrong"]
        lines += [f"  not checked: {number} x {reason}" for reason, number in self.reasons()]
        return "\n".join(lines)


def verify(machine: SymbolicMachine) -> VerificationReport:
    """Check the module that ``machine`` was made for. Nothing is changed.

    Linear in ops and uses, times the passes over loops, which grow with the depth of the nest. What takes more than
    `execution._MOST_RUNS` runs of a function's ops, on the average, is not checked.
    """
    SymbolicExecution(machine).run()
    report = VerificationReport()
    for read in machine.reads.values():
        verdict = read.answer.verdict
        if verdict is ContentVerdict.YES:
            report.checked += 1
        elif verdict is ContentVerdict.UNKNOWN:
            report.unchecked[read.answer.reason] += 1
        else:
            report.checked += 1
            report.violations.append(_describe(machine, read))
    report.unchecked.update(machine.unchecked.values())
    return report


def _describe(machine: SymbolicMachine, read: MemrefRead) -> Violation:
    program = machine.program
    name = program.snapshot.op_name[read.tensor_op] if read.tensor_op >= 0 else machine.snapshot.op_name[read.op]
    answer = read.answer
    wanted, defined = _named(program, read.expected)
    if answer.found == FREED:
        holds = "but that memory was freed"
    elif answer.found == UNDEFINED:
        holds = "but nothing was ever written there"
    elif answer.reason:
        holds = f"but the memory is that of {answer.reason}"
    elif answer.found >= 0:
        holds = f"but the memory holds {_named(program, answer.found)[0]}"
    else:
        holds = "but the memory may have been overwritten"
    message = f"operand {read.operand} of '{name}' must be {wanted}, {holds}"
    if name == "func.func":
        message = f"argument {read.operand} of '{name}' must not be changed, {holds}"
    elif name == "arith.constant":
        message = f"the memory of a constant must not be changed, {holds}"
    notes: list[tuple[str, ir.Location]] = []
    if defined is not None:
        notes.append(("the value that is needed is made here", defined))
    if answer.writer >= 0:
        writer = machine.snapshot.ops[answer.writer]
        notes.append((f"the memory was last written here, by '{writer.name}'", plain_location(writer.location)))
    return Violation(message, plain_location(machine.snapshot.ops[read.op].location), tuple(notes))


def _named(program: TensorProgram, number: int) -> tuple[str, ir.Location | None]:
    """Return a description of a term, and the location of its definition."""
    term, prefix = program.terms.table[number], ""
    while term.kind in (TermKind.PART, TermKind.INSERTION):
        prefix = "a part of " if term.kind == TermKind.PART else "an update of "
        term = program.terms.table[term.base]
    s = program.snapshot
    if term.kind == TermKind.CONSTANT:
        return f"{prefix}a constant", None
    if term.kind == TermKind.ELEMENT:
        return f"{prefix}a scalar", None
    if term.kind != TermKind.VALUE:
        return f"{prefix}a tensor without content", None
    op = s.value_op[term.base]
    if op >= 0:
        return f"{prefix}result {s.value_index[term.base]} of '{s.op_name[op]}'", program.locations[op]
    around = s.block_op[s.value_block[term.base]]
    return f"{prefix}argument {s.value_index[term.base]} of '{s.op_name[around]}'", program.locations[around]
