"""The references of one program, and the evaluator's verdict on a difference from one of them."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import replace

from mlir import ir

from ...passes.framework.errors import PassError
from ...runtime.compilation.program import Program
from ..evaluator import EvaluationError, Evaluator
from .isolation import Send, allow
from .options import COMPILING, CheckStage, Options
from .references import EvaluatorReference, Reference, compile_reference, keeps_state, routes


class References:
    """The references, best first; each is compiled at its first use."""

    def __init__(self, module: ir.Module, options: Options, send: Send) -> None:
        self._module, self._options, self._send = module, options, send
        self._made: dict[int, Reference | None] = {}
        self._evaluator: EvaluatorReference | None = None
        # Calls must not see the stores of other calls.
        self.stateful = keeps_state(module.operation)
        self.failures: list[str] = []

    def evaluator(self, program: Program) -> EvaluatorReference:
        """The evaluator on the source of the program."""
        if self._evaluator is None:
            signatures = {name: program[name].signature for name in program.entry_points}
            self._evaluator = EvaluatorReference(Evaluator(self._module), signatures)
        return self._evaluator

    def for_program(self, program: Program) -> Iterator[Reference]:
        """The references to compare the program with, best first."""
        return iter([self.evaluator(program)] if self._options.engine == "evaluator" else self._compiled())

    def _compiled(self) -> Iterator[Reference]:
        for number in routes(self._options, stateful=self.stateful):
            if number not in self._made:
                self._made[number] = self._compile(number)
            made = self._made[number]
            if made is not None:
                self._send(CheckStage("running"))
                yield made

    def _compile(self, number: int) -> Reference | None:
        allow(COMPILING * self._options.time_limit)
        self._send(CheckStage("compiling the reference", number))
        try:
            made = compile_reference(self._module, number, self._options.shared_libs)
            return replace(made, seconds=self._options.time_limit if self.stateful else None)
        except (PassError, ir.MLIRError) as error:
            self.failures.append(str(error).partition("\n")[0])
            return None


class Exoneration(enum.Enum):
    """Why a difference does not count: the reference is wrong, or the program forbids the inputs."""

    WRONG = enum.auto()
    FORBIDDEN = enum.auto()


def is_forbidden(error: BaseException | None) -> bool:
    """Whether the evaluator found undefined behavior, and not just something that it does not support."""
    if not isinstance(error, EvaluationError) or not error.operation:
        return False
    return not any(word in error.reason for word in ("support", "cannot be evaluated", "steps", "nested"))
