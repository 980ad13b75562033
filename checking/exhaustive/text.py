"""A program as MLIR text, with the functions that it calls and the arguments to call it with."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .programs import FRESH, TENSORS, Block, Op, SmallProgram, nested_ops

__all__ = ["argument_sets", "callees", "function_text", "module_text"]

_TYPES = {**TENSORS, "I": "i32", "X": "index"}
_T = TENSORS["T"]
_SHAPES = {"T": (4,), "S": (2,), "M": (2, 2)}
_TRIPS = (0, 1, 2)

_CALLEES = {
    "same": f"func.func private @same(%x: {_T}) -> {_T} {{\n  return %x : {_T}\n}}\n",
    "put": f"""func.func private @put(%x: {_T}) -> {_T} {{
  %k = arith.constant 77 : i32
  %i = arith.constant 1 : index
  %r = tensor.insert %k into %x[%i] : {_T}
  return %r : {_T}
}}
""",
    "peek": f"""func.func private @peek(%x: {_T}) -> i32 {{
  %i = arith.constant 1 : index
  %r = tensor.extract %x[%i] : {_T}
  return %r : i32
}}
""",
    "fresh": f"""func.func private @fresh(%x: {_T}) -> {_T} {{
  %k = arith.constant 78 : i32
  %e = tensor.empty() : {_T}
  %r = linalg.generic {{
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
    ins(%x : {_T}) outs(%e : {_T}) {{
  ^bb0(%in: i32, %out: i32):
    %0 = arith.addi %in, %k : i32
    linalg.yield %0 : i32
  }} -> {_T}
  return %r : {_T}
}}
""",
    "choose": f"""func.func private @choose(%x: {_T}, %y: {_T}) -> {_T} {{
  %i = arith.constant 0 : index
  %k = arith.constant 50 : i32
  %0 = tensor.extract %x[%i] : {_T}
  %c = arith.cmpi slt, %0, %k : i32
  %r = arith.select %c, %x, %y : {_T}
  return %r : {_T}
}}
""",
    "other": f"""func.func private @other(%x: {_T}, %y: {_T}) -> {_T} {{
  %i = arith.constant 1 : index
  %0 = tensor.extract %x[%i] : {_T}
  %r = tensor.insert %0 into %y[%i] : {_T}
  return %r : {_T}
}}
""",
}


def callees(program: SmallProgram) -> set[str]:
    """Return the names of the functions that a program calls."""
    return {op.kind.partition("@")[2] for op in nested_ops(program.body) if "@" in op.kind}


def module_text(program: SmallProgram) -> str:
    """Return a program that stands by itself, as a function called `main`."""
    return "".join(_CALLEES[name] for name in sorted(callees(program))) + function_text(program, "main")


def callee_text(names: Iterable[str]) -> str:
    """Return the functions of these names."""
    return "".join(_CALLEES[name] for name in sorted(names))


def argument_sets(program: SmallProgram) -> tuple[tuple[Any, ...], ...]:
    """Return the arguments of all calls that may differ: elements that are all distinct, each condition and count."""
    kinds = {op.kind for op in nested_ops(program.body)}
    conditions = (True, False) if kinds & {"if", "select"} else (True,)
    trips = _TRIPS if kinds & {"for", "for2", "while"} else _TRIPS[-1:]
    tensors = [np.arange(4, dtype=np.int32) + 1 + 100 * number for number in range(len(program.arguments))]
    return tuple((*tensors, condition, count) for condition, count in itertools.product(conditions, trips))


def function_text(program: SmallProgram, name: str) -> str:
    """Return the function of a program."""
    return _Writer(program).function(name)


class _Writer:
    """Writes one function; constants stand in front."""

    def __init__(self, program: SmallProgram) -> None:
        self._program = program
        self._constants: dict[str, str] = {}

    def function(self, name: str) -> str:
        body = list(self._block(self._program.body, "  "))
        kinds = self._program.arguments
        marks = ["" if kind == "w" else " {bufferization.writable = false}" for kind in kinds]
        arguments = [f"%v{number}: {_T}{mark}" for number, mark in enumerate(marks)]
        returned = self._program.body.yields
        types = ", ".join(map(self._type, returned))
        end = f"  return {self._names(returned)} : {types}"
        head = f"func.func @{name}({', '.join([*arguments, '%c: i1', '%n: index'])}) -> ({types}) {{"
        constants = [f"  {name} = arith.constant {value}" for value, name in self._constants.items()]
        return "\n".join([head, *constants, *body, end, "}", ""])

    def _type(self, value: int) -> str:
        return _TYPES[self._program.types[value]]

    def _names(self, values: Sequence[int]) -> str:
        return ", ".join(f"%v{value}" for value in values)

    def _constant(self, value: str) -> str:
        return self._constants.setdefault(value, f"%k{len(self._constants)}")

    def _number(self, op: Op) -> str:
        """A number that no other op has, wherever the op stands."""
        return self._constant(f"{1000 * op.results[0]} : i32")

    def _index(self, number: int) -> str:
        return self._constant(f"{number} : index")

    def _block(self, block: Block, indent: str) -> Iterator[str]:
        for op in block.ops:
            for line in self._op(op):
                yield indent + line

    def _op(self, op: Op) -> Iterator[str]:
        name, _, callee = op.kind.partition(" ")
        if callee:
            types = ", ".join(map(self._type, op.operands))
            signature = f"({types}) -> {self._type(op.results[0])}"
            yield f"{self._result(op)} = func.call {callee}({self._names(op.operands)}) : {signature}"
        else:
            yield from getattr(self, f"_{name}")(op)

    def _result(self, op: Op) -> str:
        return self._names(op.results)

    # --- ops on tensors ----------------------------------------------------------------------------------------

    def _indices(self, op: Op, value: int) -> str:
        (place,) = op.places
        found = self._index(place.factor) if place.value == FRESH else f"%v{place.value}"
        return f"{self._index(0)}, {found}" if self._program.types[value] == "M" else found

    def _insert(self, op: Op) -> Iterator[str]:
        element, into = op.operands
        number = self._number(op) if element == FRESH else f"%v{element}"
        place = self._indices(op, into)
        yield f"{self._result(op)} = tensor.insert {number} into %v{into}[{place}] : {self._type(into)}"

    def _extract(self, op: Op) -> Iterator[str]:
        (value,) = op.operands
        yield f"{self._result(op)} = tensor.extract %v{value}[{self._indices(op, value)}] : {self._type(value)}"

    def _offset(self, op: Op) -> tuple[list[str], str]:
        """The lines that compute the offset of a slice, and the offset."""
        (place,) = op.places
        if place.value == FRESH:
            return [], str(place.factor)
        if place.factor == 1:
            return [], f"%v{place.value}"
        name = f"%p{op.results[0]}"
        return [f"{name} = arith.muli %v{place.value}, {self._index(place.factor)} : index"], name

    def _extract_slice(self, op: Op) -> Iterator[str]:
        lines, offset = self._offset(op)
        yield from lines
        types = f"{_T} to {TENSORS['S']}"
        yield f"{self._result(op)} = tensor.extract_slice {self._names(op.operands)}[{offset}] [2] [1] : {types}"

    def _insert_slice(self, op: Op) -> Iterator[str]:
        source, into = op.operands
        lines, offset = self._offset(op)
        yield from lines
        types = f"{TENSORS['S']} into {_T}"
        yield f"{self._result(op)} = tensor.insert_slice %v{source} into %v{into}[{offset}] [2] [1] : {types}"

    def _empty(self, op: Op) -> Iterator[str]:
        yield f"{self._result(op)} = tensor.empty() : {self._type(op.results[0])}"

    def _select(self, op: Op) -> Iterator[str]:
        yield f"{self._result(op)} = arith.select %c, {self._names(op.operands)} : {self._type(op.operands[0])}"

    def _expand(self, op: Op) -> Iterator[str]:
        yield (
            f"{self._result(op)} = tensor.expand_shape {self._names(op.operands)} [[0, 1]] output_shape [2, 2]"
            f" : {_T} into {TENSORS['M']}"
        )

    def _collapse(self, op: Op) -> Iterator[str]:
        types = f"{TENSORS['M']} into {_T}"
        yield f"{self._result(op)} = tensor.collapse_shape {self._names(op.operands)} [[0, 1]] : {types}"

    def _fill(self, op: Op) -> Iterator[str]:
        (init,) = op.operands
        yield (
            f"{self._result(op)} = linalg.fill ins({self._number(op)} : i32) outs(%v{init} : {self._type(init)})"
            f" -> {self._type(init)}"
        )

    # --- structured ops ----------------------------------------------------------------------------------------

    def _map(self, op: Op) -> Iterator[str]:
        return self._generic(op, False, ["%r = arith.addi %x, {0} : i32"])

    def _add(self, op: Op) -> Iterator[str]:
        return self._generic(op, False, ["%d = arith.addi %y, %y : i32", "%r = arith.addi %x, %d : i32"])

    def _spread(self, op: Op) -> Iterator[str]:
        return self._generic(op, True, ["%r = arith.addi %x, {0} : i32"])

    def _generic(self, op: Op, one: bool, payload: Sequence[str]) -> Iterator[str]:
        source, init = op.operands
        letters = "i, j" if self._program.types[init] == "M" else "i"
        read = ", ".join("0" for _ in letters.split(", ")) if one else letters
        maps = f"affine_map<({letters}) -> ({read})>, affine_map<({letters}) -> ({letters})>"
        kinds = ", ".join('"parallel"' for _ in letters.split(", "))
        yield (
            f"{self._result(op)} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}"
            f" ins(%v{source} : {self._type(source)}) outs(%v{init} : {self._type(init)}) {{"
        )
        yield "^bb0(%x: i32, %y: i32):"
        for line in payload:
            yield "  " + (line.format(self._number(op)) if "{" in line else line)
        yield "  linalg.yield %r : i32"
        yield f"}} -> {self._type(init)}"

    # --- ops with regions --------------------------------------------------------------------------------------

    def _if(self, op: Op) -> Iterator[str]:
        yield f"{self._result(op)} = scf.if %c -> ({self._type(op.results[0])}) {{"
        for number, block in enumerate(op.blocks):
            if number:
                yield "} else {"
            yield from self._block(block, "  ")
            yield f"  scf.yield {self._names(block.yields)} : {self._type(op.results[0])}"
        yield "}"

    def _for(self, op: Op, count: str = "%n") -> Iterator[str]:
        (block,) = op.blocks
        index, *carried = block.arguments
        types = ", ".join(map(self._type, op.results))
        inits = ", ".join(f"%v{value} = %v{init}" for value, init in zip(carried, op.operands, strict=True))
        bounds = f"{self._index(0)} to {count} step {self._index(1)}"
        yield f"{self._result(op)} = scf.for %v{index} = {bounds} iter_args({inits}) -> ({types}) {{"
        yield from self._block(block, "  ")
        yield f"  scf.yield {self._names(block.yields)} : {types}"
        yield "}"

    def _for2(self, op: Op) -> Iterator[str]:
        return self._for(op)

    def _repeat(self, op: Op) -> Iterator[str]:
        return self._for(op, self._index(2))

    def _while(self, op: Op) -> Iterator[str]:
        before, after = op.blocks
        (result,), type_ = op.results, self._type(op.results[0])
        zero, one = self._index(0), self._index(1)
        head = f"%v{result}, %w{result} = scf.while (%v{before.arguments[0]} = %v{op.operands[0]}, %m{result} = {zero})"
        yield f"{head} : ({type_}, index) -> ({type_}, index) {{"
        yield from self._block(before, "  ")
        yield f"  %l{result} = arith.cmpi slt, %m{result}, %n : index"
        yield f"  scf.condition(%l{result}) %v{before.yields[0]}, %m{result} : {type_}, index"
        yield "} do {"
        yield f"^bb0(%v{after.arguments[0]}: {type_}, %a{result}: index):"
        yield from self._block(after, "  ")
        yield f"  %b{result} = arith.addi %a{result}, {one} : index"
        yield f"  scf.yield %v{after.yields[0]}, %b{result} : {type_}, index"
        yield "}"

    def _forall(self, op: Op) -> Iterator[str]:
        (block,) = op.blocks
        thread, output = block.arguments
        outputs = f"shared_outs(%v{output} = %v{op.operands[0]})"
        yield f"{self._result(op)} = scf.forall (%v{thread}) in (2) {outputs} -> ({_T}) {{"
        yield from self._block(block, "  ")
        yield f"  %o{thread} = arith.muli %v{thread}, {self._index(2)} : index"
        yield "  scf.forall.in_parallel {"
        yield (
            f"    tensor.parallel_insert_slice %v{block.yields[0]} into %v{output}[%o{thread}] [2] [1]"
            f" : {TENSORS['S']} into {_T}"
        )
        yield "  }"
        yield "}"
