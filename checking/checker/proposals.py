"""Input sets that a program accepts: proposals, tried on a reference, and repaired by its size checks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...passes.framework.contract import BYTES, LEAST
from ...runtime.call.arguments import SizeCheckError
from ...runtime.interface.signature import Signature
from ..evaluator import EvaluationError
from .inputs import Demands, InputMaker
from .isolation import Ended
from .options import Options
from .outcomes import Expected

_MOST_REFUSALS = 40
"""The most proposals that a program may refuse before it accepts one."""

_MOST_HANGS = 2
"""The most proposals that may run into the time limit."""

_REPAIRS = 12
"""The most repairs of a proposal for a dispatch function."""

Run = Callable[[tuple[Any, ...]], Ended]
"""Calls a reference; the value is the expected outcome."""


@dataclass(frozen=True)
class Proposal:
    """One input set, its round (from 1), and the expected outcome: None if the program refuses it."""

    round: int
    arguments: tuple[Any, ...]
    expected: Expected | None


class Proposer:
    """Proposals for one function; `refusal` is why the last one was refused, `forbidden` whether by the program."""

    def __init__(self, signature: Signature, options: Options, run: Run) -> None:
        self._signature, self._options, self._run = signature, options, run
        self.refusal, self.forbidden = "", False
        self._hangs = 0

    def __iter__(self) -> Iterator[Proposal]:
        if self._options.inputs is not None:
            for number, arguments in enumerate(map(tuple, self._options.inputs(self._signature)), start=1):
                yield Proposal(number, arguments, self._try(arguments).value)
            return
        maker = InputMaker(self._signature, self._options.seed)
        attempts = list(range(maker.attempts))
        refused, accepted = 0, False
        for number in range(self._options.rounds if maker.varied else min(2, self._options.rounds)):
            for attempt in tuple(attempts):
                arguments, ended = self._repaired(maker, number, attempt)
                yield Proposal(number + 1, arguments, ended.value)
                if ended.value is not None:
                    accepted = True
                    attempts.sort(key=lambda other, best=attempt: other != best)
                    break
                refused += 1
                if self._hangs >= _MOST_HANGS:
                    return
            if refused >= _MOST_REFUSALS and not accepted:
                return

    def _repaired(self, maker: InputMaker, number: int, attempt: int) -> tuple[tuple[Any, ...], Ended]:
        """A proposal, repaired by the size checks of a dispatch function."""
        demands = Demands()
        arguments = maker.make(number, attempt, demands)
        ended = self._try(arguments)
        for _ in range(_REPAIRS):
            if not (isinstance(ended.error, SizeCheckError) and _note(ended.error, arguments, demands)):
                break
            arguments = maker.make(number, attempt, demands)
            ended = self._try(arguments)
        return arguments, ended

    def _try(self, arguments: tuple[Any, ...]) -> Ended:
        ended = self._run(arguments)
        if ended.value is None:
            asserted = "Runtime op verification" in ended.output
            self.refusal = why_refused(ended)
            self._hangs += ended.hung
            self.forbidden = asserted or isinstance(ended.error, (SizeCheckError, EvaluationError))
        return ended


def _note(error: SizeCheckError, arguments: Sequence[Any], demands: Demands) -> bool:
    """Record the demand of a failed size check; False if it is not new, or cannot be met."""
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


def why_refused(ended: Ended) -> str:
    """Why a reference refused an input set, in one line."""
    if ended.error is not None:
        return str(ended.error).partition("\n")[0]
    if ended.hung:
        return "the reference did not end in time"
    lines = [line.strip() for line in ended.output.splitlines()]
    with contextlib.suppress(StopIteration):
        return next(line.lstrip("^ ") for line in reversed(lines) if line.startswith("^"))
    return f"the reference crashed, {ended.cause}"
