"""The report of a check, as data that outlives the program; `str()` is for people."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from ...runtime.interface.signature import Signature


class DifferenceKind(enum.Enum):
    """How a compiled program differs from its reference."""

    RESULT = "result"
    ARGUMENT = "argument"
    REPEATED = "repeated call"
    LEAK = "leak"
    BAD_FREE = "bad free"
    CRASH = "crash"
    HANG = "hang"
    FAILURE = "failure"


@dataclass(frozen=True)
class Origin:
    """Where values first differ: the op, its `file:line:column`, and a sentence about the difference."""

    op: str
    location: str
    message: str

    def __str__(self) -> str:
        return f"{self.location}: {self.message}"


@dataclass(frozen=True)
class Difference:
    """The first difference of a function, with the inputs that show it.

    Attributes:
        kind: the kind of difference; a reduced program fails with the same kind.
        function: the symbol; empty if the program could not be compiled at all.
        message: one sentence.
        arguments: the inputs, ready to be passed again.
        inputs: the same as text, one line for each.
        origin: the op it comes from, if that could be found.
        argument: the number of the argument that is wrong after the call, if one is.
        round: the number of the input set, from 1.
    """

    kind: DifferenceKind
    function: str
    message: str
    arguments: tuple[Any, ...] = field(default=(), compare=False, repr=False)
    inputs: tuple[str, ...] = ()
    origin: Origin | None = None
    argument: int | None = None
    round: int = 1

    def as_dict(self) -> dict[str, Any]:
        """The difference as dictionaries, lists, text and numbers; without the arrays."""
        fields = asdict(replace(self, arguments=()))
        del fields["arguments"]
        return {**fields, "kind": self.kind.value, "inputs": list(self.inputs)}

    def __str__(self) -> str:
        lines = [f"'{self.function}': {self.message}" if self.function else self.message]
        lines += [f"  {self.origin}"] if self.origin else []
        lines += ["  inputs:", *(f"    {line}" for line in self.inputs)] if self.inputs else []
        return "\n".join(lines)


@dataclass(frozen=True)
class Unchecked:
    """A function that could not be checked, with the reason and advice."""

    function: str
    reason: str

    def __str__(self) -> str:
        return f"'{self.function}': not checked: {self.reason}"


@dataclass(frozen=True)
class Counts:
    """The totals of one function over all input sets.

    `reference` is what it was compared with; `skipped` counts generated inputs that the program forbids, `overruled`
    those on which the evaluator agrees with the program and not with the reference.
    """

    function: str
    reference: str
    input_sets: int = 0
    skipped: int = 0
    overruled: int = 0
    allocations: int = 0
    frees: int = 0
    result_allocations: int = 0
    copies: int = 0
    copied_bytes: int = 0
    leaked_bytes: int = 0
    bad_frees: int = 0

    def __str__(self) -> str:
        skipped = f" ({self.skipped} more are forbidden by the program)" if self.skipped else ""
        wrong = f", which is wrong on {self.overruled} of them, as the NumPy evaluator says" if self.overruled else ""
        sets = plural(self.input_sets, "input set")
        return (
            f"'{self.function}': {sets}{skipped}, compared with {self.reference}{wrong}\n"
            f"  allocations: {self.allocations} ({self.result_allocations} for results), frees: {self.frees}, "
            f"copies: {self.copies} ({self.copied_bytes} bytes), leaked: {self.leaked_bytes} bytes, "
            f"bad frees: {self.bad_frees}"
        )


@dataclass(frozen=True, repr=False)
class CheckReport:
    """The outcome of `check`: at most one difference for each function, and counts for each that was run.

    `ok` is true only if every function was checked and nothing differs.
    """

    differences: tuple[Difference, ...] = ()
    counts: tuple[Counts, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every function was checked and nothing differs."""
        return not self.differences and not self.unchecked

    def as_dict(self) -> dict[str, Any]:
        """The report as dictionaries, lists, text and numbers, ready for JSON; inputs are text, as in `str()`."""
        return {
            "ok": self.ok,
            "differences": [difference.as_dict() for difference in self.differences],
            "counts": [asdict(counts) for counts in self.counts],
            "unchecked": [asdict(unchecked) for unchecked in self.unchecked],
        }

    def __repr__(self) -> str:
        found = f"{len(self.differences)} different, {len(self.unchecked)} not checked"
        return f"<CheckReport: {'equal' if self.ok else found}>"

    def __str__(self) -> str:
        if self.ok and not self.counts:
            return "nothing to check: the program has no public function with a body"
        wrong = {difference.function for difference in self.differences}
        lines = [str(difference) for difference in self.differences]
        lines += [str(unchecked) for unchecked in self.unchecked]
        for counts in self.counts:
            verdict = "different" if counts.function in wrong else "equal"
            lines.append(f"{counts}\n  {verdict}")
        return "\n".join(lines)


def describe_inputs(signature: Signature, arguments: Sequence[Any]) -> tuple[str, ...]:
    """One line for each argument: its label, type, and value, or sizes and the first of many values."""
    return tuple(
        f"{parameter.label}: {parameter.type.spelling} = {describe(argument)}"
        for parameter, argument in zip(signature.parameters, arguments, strict=True)
    )


def describe(value: Any) -> str:
    """A value in one line; the shape and first elements of a large array."""
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.size <= 16:
        return " ".join(np.array2string(value, separator=", ").split())
    first = ", ".join(str(item) for item in value.ravel()[:6])
    return f"{'x'.join(map(str, value.shape))}: {first}, …"


def plural(count: int, noun: str) -> str:
    """`1 copy`-like text for a count."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
