"""The body of a structured op as functions on whole arrays, if it is elementwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mlir import ir

from ..decoding.decoder import Decoder, Registers
from ..values.elements import Element
from .affine import compile_map
from .elementwise import array_function, constant_value, elementwise_maker

__all__ = ["Payload", "compile_payload"]

_Line = tuple[Callable[..., Any], tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Payload:
    """A body on arrays. Its values are numbered: block arguments first, then captured and computed ones.

    `captured` has the registers and types of values from outside, `constants` those known already, `indices` the loop
    indices with their dimensions, `yields` the yielded values, `reads` the block arguments that are used.
    """

    size: int
    captured: tuple[tuple[int, int, Element], ...]
    constants: tuple[tuple[int, Any], ...]
    indices: tuple[tuple[int, int], ...]
    lines: tuple[_Line, ...]
    yields: tuple[int, ...]
    reads: frozenset[int]

    def prepare(self, registers: Registers) -> list[Any]:
        """The loop-invariant values."""
        values: list[Any] = [None] * self.size
        for place, slot, element in self.captured:
            values[place] = element.typed(registers[slot])
        for place, value in self.constants:
            values[place] = value
        return values

    def run(self, values: list[Any], arguments: Sequence[Any]) -> list[Any]:
        """Compute for arrays of elements; `values` are from `prepare`."""
        values[: len(arguments)] = arguments
        for function, operands, results in self.lines:
            found = function(*[values[place] for place in operands])
            if len(results) == 1:
                values[results[0]] = found
            else:
                for place, value in zip(results, found, strict=True):
                    values[place] = value
        return [values[place] for place in self.yields]


class _Compiler:
    def __init__(self, decoder: Decoder, block: ir.Block) -> None:
        self.decoder = decoder
        self.places: dict[ir.Value, int] = {argument: i for i, argument in enumerate(block.arguments)}
        self.captured: list[tuple[int, int, Element]] = []
        self.constants: list[tuple[int, Any]] = []
        self.indices: list[tuple[int, int]] = []
        self.lines: list[_Line] = []

    def use(self, value: ir.Value) -> int:
        """The number of a value; one from outside is captured."""
        places = self.places
        if value not in places:
            places[value] = len(places)
            self.captured.append((places[value], self.decoder.slot(value), self.decoder.element(value.type)))
        return places[value]

    def define(self, value: ir.Value) -> int:
        """The number of a result."""
        return self.places.setdefault(value, len(self.places))

    def add(self, op: ir.Operation) -> bool:
        """Compile one op; False if it is not elementwise."""
        name = op.name
        if name == "linalg.index":
            self.indices.append((self.define(op.results[0]), ir.IntegerAttr(op.attributes["dim"]).value))
        elif name == "arith.constant" and not isinstance(op.results[0].type, ir.ShapedType):
            value = constant_value(self.decoder, op)
            element = self.decoder.element(op.results[0].type)
            self.constants.append((self.define(op.results[0]), element.typed(value)))
        elif name == "affine.apply":
            (function,) = compile_map(ir.AffineMapAttr(op.attributes["map"]).value)
            self._line(lambda *values: function(values), op)
        elif elementwise_maker(name) and not isinstance(op.results[0].type, ir.ShapedType):
            self._line(array_function(self.decoder, op), op)
        else:
            return False
        return True

    def _line(self, function: Callable[..., Any], op: ir.Operation) -> None:
        operands = tuple([self.use(value) for value in op.operands])
        self.lines.append((function, operands, tuple([self.define(value) for value in op.results])))


def compile_payload(decoder: Decoder, block: ir.Block) -> Payload | None:
    """The body of a structured op on arrays, or None if it is not elementwise."""
    compiler = _Compiler(decoder, block)
    *ops, terminator = [op.operation for op in block.operations]
    if not all(compiler.add(op) for op in ops):
        return None
    yields = tuple([compiler.use(value) for value in terminator.operands])
    count = len(block.arguments)
    reads = {place for _, operands, _ in compiler.lines for place in operands} | set(yields)
    return Payload(
        len(compiler.places),
        tuple(compiler.captured),
        tuple(compiler.constants),
        tuple(compiler.indices),
        tuple(compiler.lines),
        yields,
        frozenset(place for place in reads if place < count),
    )
