"""Calls of functions: decoding at the first call, checks of arguments, counts of memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from .decoding.decoder import Decoder, Registers
from .dialects.cf import decode_graph
from .dialects.dispatch import interface_of
from .evaluation import Evaluation
from .values.elements import Element, scalar_value
from .values.errors import EvaluationError, at
from .values.memory import MemRef, wrap_arrays
from .values.ranks import Rank
from .values.shapes import fits
from .values.state import EvaluationState
from .values.undefined import Partial, Undefined

__all__ = ["DEFAULT_STEPS", "DecodedModule"]

DEFAULT_STEPS = 10_000_000
DEPTH = 150


class DecodedFunction:
    """A decoded function."""

    def __init__(self, machine: DecodedModule, op: ir.Operation) -> None:
        self.op = op
        decoder = Decoder(machine)
        self.run = decode_graph(decoder, op.regions[0])
        self.decoder = decoder
        loaded = op.context.is_dialect_loaded("dispatch")
        self.interface = interface_of(op) if loaded else None

    def call(self, state: EvaluationState, values: Sequence[Any]) -> list[Any]:
        """Call it, with registers of its own."""
        if state.depth >= state.depth_limit:
            raise EvaluationError(f"more than {state.depth_limit} calls are nested")
        state.depth += 1
        state.frames.append([])
        try:
            registers: Registers = [None] * len(self.decoder.slots)
            return self.run(registers, values)
        finally:
            state.depth -= 1
            for buffer in state.frames.pop():
                buffer.live = False


class DecodedModule:
    """A module that is ready to run, on one thread at a time: all runs share one state."""

    def __init__(self, module: ir.Module, rank: Rank | None = None) -> None:
        self.module, self.rank = module, rank
        self.elements: dict[ir.Type, Element] = {}
        self.state = EvaluationState(0, DEPTH)
        self.symbols: dict[str, ir.Operation] = {}
        for op in module.body.operations:
            if "sym_name" in op.attributes:
                self.symbols[ir.StringAttr(op.attributes["sym_name"]).value] = op.operation
        self._functions: dict[str, DecodedFunction] = {}

    def function(self, name: str) -> DecodedFunction:
        """The function called `name`, decoded once."""
        found = self._functions.get(name)
        if found is None:
            op = self.symbols.get(name)
            if op is None or op.name != "func.func":
                raise EvaluationError(f"there is no function @{name}")
            if not len(op.regions[0].blocks):
                raise EvaluationError(f"function @{name} has no body")
            found = self._functions[name] = DecodedFunction(self, op)
        return found

    def run(self, name: str, arguments: Sequence[Any], steps: int) -> Evaluation:
        """Call `name` from outside."""
        fresh = EvaluationState(steps, DEPTH)
        self.state.__dict__.update(fresh.__dict__)
        function = self._entry(name)
        types = ir.FunctionType(ir.TypeAttr(function.op.attributes["function_type"]).value)
        try:
            kernel = function.interface
            own = len(types.inputs) if kernel else len(arguments)
            values = self._enter(types.inputs, arguments[:own])
            if kernel:
                values = [*values, *arguments[own:]]
            with np.errstate(all="ignore"):
                results = self._call(function, values)
                return self._leave(results, arguments)
        except EvaluationError as error:
            raise at(function.op, error) from error.__cause__

    def _entry(self, name: str) -> DecodedFunction:
        try:
            return self.function(name)
        except RecursionError as error:
            raise at(self.symbols[name], error) from error

    def _call(self, function: DecodedFunction, values: list[Any]) -> list[Any]:
        """Call it once, or for each workgroup of a dispatch function."""
        kernel = function.interface
        if kernel is None:
            return function.call(self.state, values)
        own = len(values) - kernel.size
        if own < 0:
            raise EvaluationError(f"{len(values)} arguments were given, the kernel needs {kernel.size} and its own")
        results: list[Any] = []
        dimensions = sorted(kernel.dimensions["id"])
        for point in kernel.enter(values[own:], self.state.grid):
            self.state.grid["id"] = dict(zip(dimensions, point, strict=True))
            results = function.call(self.state, values[:own])
        return results

    def _enter(self, types: Sequence[ir.Type], arguments: Sequence[Any]) -> list[Any]:
        if len(types) != len(arguments):
            raise EvaluationError(f"{len(arguments)} arguments were given, {len(types)} are needed")
        pairs = enumerate(zip(types, arguments, strict=True))
        values = [self._argument(number, type_, value) for number, (type_, value) in pairs]
        memory = [i for i, type_ in enumerate(types) if isinstance(type_, ir.MemRefType | ir.UnrankedMemRefType)]
        for i, memref in zip(memory, wrap_arrays([values[i] for i in memory], "argument"), strict=True):
            values[i] = memref
        return [self._apart(value, memory, values) for value in values]

    def _apart(self, value: Any, memory: Sequence[int], values: Sequence[Any]) -> Any:
        """A tensor's array, copied if it overlaps a memref."""
        if isinstance(value, np.ndarray) and any(np.may_share_memory(value, values[i].array) for i in memory):
            return value.copy()
        return value

    def _argument(self, number: int, type_: ir.Type, value: Any) -> Any:
        decoder = Decoder(self)
        element = decoder.element(type_)
        if not isinstance(type_, ir.ShapedType):
            return scalar_value(value, element)
        array = value if isinstance(value, np.ndarray) else np.asarray(value, element.dtype)
        if array.dtype != element.dtype or not fits(type_, array.shape):
            found = f"an array of {array.dtype} and shape {list(array.shape)}"
            raise EvaluationError(f"argument {number} is {found}, {type_} is needed")
        return array

    def _leave(self, values: Sequence[Any], arguments: Sequence[Any]) -> Evaluation:
        state = self.state
        results: list[Any] = []
        undefined: list[Any] = []
        kept: set[int] = set()
        for value in values:
            if isinstance(value, MemRef):
                kept.add(id(value.buffer))
                value = value.read()
            results.append(_result(value))
            mask = np.array(value.undefined) if type(value) is Partial else None
            undefined.append(np.ones((), np.bool_) if isinstance(value, Undefined) else mask)
        leaked = sum(buffer.live and id(buffer) not in kept for buffer in state.heap)
        return Evaluation(
            tuple(results),
            tuple(arguments),
            state.allocations,
            state.frees,
            state.copies,
            state.copied_bytes,
            leaked,
            tuple(undefined),
        )


def _result(value: Any) -> Any:
    if type(value) is Partial:
        return value.data.copy()
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, Undefined):
        return 0
    return value.item() if isinstance(value, np.generic) and value.dtype.kind in "fc" else value
