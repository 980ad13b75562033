"""Calls of a program's functions with made-up arguments, and what bufferized forms of it make of the same calls."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import func

from mlir_inplace.checking.checker.inputs import Demands, InputMaker
from mlir_inplace.checking.evaluator import Evaluation, EvaluationError, Evaluator
from mlir_inplace.runtime.interface.dtypes import UnsupportedTypeError
from mlir_inplace.runtime.interface.signature_reading import read_signature

STEPS = 20_000
"""The most ops that one call may run on tensors; it may be a hundred times as many on memrefs, which has more loops."""
ELEMENTS = 10_000
"""The most elements of one tensor: others are not executed."""
SETS = 4
"""How many sizes are tried; each of them that a function accepts is a call."""


@dataclass(frozen=True)
class MadeUpCall:
    """A call that the program on tensors accepts, and its outcome."""

    function: str
    arguments: tuple[Any, ...]
    expected: Evaluation


@dataclass(frozen=True)
class Executed:
    """What a bufferized program made of all calls: the first wrong value in words, and what was done at run time."""

    wrong: str
    allocations: int
    copies: int


def make_calls(module: ir.Module) -> list[MadeUpCall]:
    """Calls of every function with a body that can be executed: with a signature and ops that the evaluator knows."""
    evaluator = Evaluator(module)
    return [
        call
        for op in module.body.operations
        if isinstance(op, func.FuncOp) and not op.is_external and _is_small(op)
        for call in _calls_of(evaluator, op)
    ]


def _calls_of(evaluator: Evaluator, function: func.FuncOp) -> Iterator[MadeUpCall]:
    try:
        maker = InputMaker(read_signature(function), seed=0)
    except UnsupportedTypeError:
        return
    for number in range(SETS if maker.varied else 1):
        for attempt in range(maker.attempts):
            arguments = maker.make(number, attempt, Demands())
            with contextlib.suppress(EvaluationError):
                expected = evaluator.run(function.name.value, _copied(arguments), steps=STEPS)
                yield MadeUpCall(function.name.value, arguments, expected)
                break


_NO_ANSWER = ("not supported", "the limit of steps", "Unable to allocate")


def _is_small(function: func.FuncOp) -> bool:
    """Whether no tensor is too large, dynamic sizes not counted."""
    shapes = re.findall(r"\b(?:tensor|memref|vector)<((?:[\d?]+x)+)", str(function))
    return all(math.prod(map(int, re.findall(r"\d+", shape))) <= ELEMENTS for shape in shapes)


def execute(module: ir.Module, calls: list[MadeUpCall]) -> Executed | None:
    """The calls on memrefs, by the evaluator; None if it cannot run one of them."""
    evaluator = Evaluator(module)
    wrong, allocations, copies = "", 0, 0
    for call in calls:
        try:
            found = evaluator.run(call.function, _copied(call.arguments), steps=100 * STEPS)
        except EvaluationError as error:
            if any(words in error.reason for words in _NO_ANSWER):
                return None
            wrong = wrong or f"@{call.function}: {error.reason}"
            continue
        allocations += found.allocations
        copies += found.copies
        wrong = wrong or _difference(call, found)
    return Executed(wrong, allocations, copies)


def _copied(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(value.copy() if isinstance(value, np.ndarray) else value for value in arguments)


def _difference(call: MadeUpCall, found: Evaluation) -> str:
    """Where a result differs in an element that the program defines."""
    masks = call.expected.undefined
    for number, (one, other, mask) in enumerate(zip(call.expected.results, found.results, masks, strict=True)):
        right, given = np.asarray(one), np.asarray(other)
        if right.shape != given.shape:
            return f"result {number} of @{call.function} has sizes {given.shape}, not {right.shape}"
        wrong = ~_same(right, given) & ~(np.zeros((), np.bool_) if mask is None else mask)
        if np.any(wrong):
            return f"result {number} of @{call.function} is {given[wrong][0]} somewhere, not {right[wrong][0]}"
    return ""


def _same(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> Any:
    return (one == other) | ((one != one) & (other != other))  # noqa: PLR0124 - NaN of any type
