"""Handlers of ops made of functions on values: they read the operands' registers and write the results'."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from ..values.signature import Function
from .decoder import Decoder, Registers, Step, transfer
from .handlers import Handler

__all__ = ["computation", "known", "masked", "on_registers", "on_values", "plain"]

Make = Callable[[Decoder, ir.Operation], Function]


def on_values(make: Make) -> Handler:
    """The handler of an op without regions. `make` gives the function from the operands' values to the result.

    If the op has several results the function returns them all; if it has none, what it returns is ignored.
    """
    return lambda decoder, op: computation(make(decoder, op), decoder.all(op.operands), decoder.all(op.results))


def masked(make: Make) -> Handler:
    """As `on_values`, for an op under vector.mask: the first argument of the function is the mask, or None."""

    def handler(decoder: Decoder, op: ir.Operation) -> Step:
        function, mask = make(decoder, op), decoder.fresh() if decoder.mask is None else decoder.mask
        return computation(function, (mask, *decoder.all(op.operands)), decoder.all(op.results))

    return handler


def plain(function: Function) -> Handler:
    """The handler of an op that is always the same function of its operands' values."""
    return on_values(lambda _decoder, _op: function)


def on_registers(make: Make) -> Handler:
    """The handler of an op that runs regions or functions. `make` gives a function that returns all results.

    Its arguments are the registers, in which the regions run, and the operands' values.
    """

    def handler(decoder: Decoder, op: ir.Operation) -> Step:
        function = make(decoder, op)
        operands, results = decoder.all(op.operands), decoder.all(op.results)

        def step(registers: Registers) -> None:
            transfer(registers, results, function(registers, *[registers[slot] for slot in operands]))

        return step

    return handler


def known(make: Callable[[Decoder, ir.Operation], Any]) -> Handler:
    """The handler of an op whose result is known when the op is decoded."""

    def handler(decoder: Decoder, op: ir.Operation) -> Step:
        value, result = make(decoder, op), decoder.slot(op.results[0])

        def step(registers: Registers) -> None:
            registers[result] = value

        return step

    return handler


def computation(function: Function, operands: Sequence[int], results: Sequence[int]) -> Step:
    """A step that applies a function to registers."""
    if len(results) != 1:
        return _effect_or_several(function, operands, results)
    (result,) = results
    if len(operands) == 1:
        (a,) = operands

        def unary(registers: Registers) -> None:
            registers[result] = function(registers[a])

        return unary
    if len(operands) == 2:
        a, b = operands

        def binary(registers: Registers) -> None:
            registers[result] = function(registers[a], registers[b])

        return binary

    def step(registers: Registers) -> None:
        registers[result] = function(*[registers[slot] for slot in operands])

    return step


def _effect_or_several(function: Function, operands: Sequence[int], results: Sequence[int]) -> Step:
    def step(registers: Registers) -> None:
        found = function(*[registers[slot] for slot in operands])
        if results:
            transfer(registers, results, found)

    return step
