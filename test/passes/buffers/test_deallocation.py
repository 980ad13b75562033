"""Random structured programs: right values, nothing leaked, nothing freed twice or too early.

A program is a small tree, run by two interpreters: MLIR text, compiled by the usual route with memory counted (a freed
buffer is overwritten there), and Python on lists. Buffers hold one number; every write changes it, so that a buffer
which is not the right one has a wrong number. A log of all that was read is the program's output beside its results.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from fast_run import seeds
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.lifetimes.module import analyze_lifetimes
from mlir_inplace.passes.buffers.deallocate import frees_only
from mlir_inplace.passes.framework.errors import PassFailure

PRELUDE = """
memref.global "private" constant @seven : memref<1xi64> = dense<7>
func.func private @fresh(%x: memref<1xi64>) -> memref<1xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i64
  %0 = memref.alloc() : memref<1xi64>
  %1 = memref.load %x[%c0] : memref<1xi64>
  %2 = arith.addi %1, %c1 : i64
  memref.store %2, %0[%c0] : memref<1xi64>
  return %0 : memref<1xi64>
}
func.func private @one_of(%c: i1, %x: memref<1xi64>, %y: memref<1xi64>) -> memref<1xi64> {
  %0 = arith.select %c, %x, %y : memref<1xi64>
  return %0 : memref<1xi64>
}
func.func private @maybe_fresh(%c: i1, %x: memref<1xi64>, %y: memref<1xi64>) -> memref<1xi64> {
  %0 = scf.if %c -> memref<1xi64> {
    %1 = func.call @fresh(%y) : (memref<1xi64>) -> memref<1xi64>
    scf.yield %1 : memref<1xi64>
  } else {
    scf.yield %x : memref<1xi64>
  }
  return %0 : memref<1xi64>
}
func.func private @maybe_seven(%c: i1, %x: memref<1xi64>, %y: memref<1xi64>) -> memref<1xi64> {
  cf.cond_br %c, ^one, ^two
^one:
  %0 = memref.get_global @seven : memref<1xi64>
  return %0 : memref<1xi64>
^two:
  return %y : memref<1xi64>
}
func.func private @pair(%c: i1, %x: memref<1xi64>, %y: memref<1xi64>) -> (memref<1xi64>, memref<1xi64>) {
  %0 = func.call @fresh(%x) : (memref<1xi64>) -> memref<1xi64>
  %1 = arith.select %c, %0, %y : memref<1xi64>
  return %0, %1 : memref<1xi64>, memref<1xi64>
}
"""

TURNS = """
func.func private @turns(%c: i1, %x: memref<1xi64>, %y: memref<1xi64>) -> (memref<1xi64>, memref<1xi64>) {
  %false = arith.constant false
  %0:2 = scf.if %c -> (memref<1xi64>, memref<1xi64>) {
    %1 = func.call @fresh(%x) : (memref<1xi64>) -> memref<1xi64>
    %2:2 = func.call @turns(%false, %y, %1) : (i1, memref<1xi64>, memref<1xi64>) -> (memref<1xi64>, memref<1xi64>)
    scf.yield %2#0, %2#1 : memref<1xi64>, memref<1xi64>
  } else {
    scf.yield %y, %x : memref<1xi64>, memref<1xi64>
  }
  return %0#0, %0#1 : memref<1xi64>, memref<1xi64>
}
"""
"""Calls itself. As branches between blocks it is left to another pass: who owns depends on the way taken."""

CALLS = {"one_of": 1, "maybe_fresh": 1, "maybe_seven": 1, "pair": 2, "turns": 2}
"""How many memrefs the functions return that are given a condition and two memrefs."""

Buffer = list[int]


@dataclass
class Op:
    """One op: what it does, the variables it reads and defines, a number, and the blocks inside."""

    kind: str
    uses: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    number: int = 0
    blocks: tuple[tuple[list[Op], tuple[str, ...]], ...] = ()
    arguments: tuple[str, ...] = field(default=())


class Generator:
    """Makes programs that only write to buffers of their own."""

    def __init__(self, seed: int, calls: Iterable[str] = tuple(CALLS)) -> None:
        self.random = random.Random(seed)
        self.calls = tuple(calls)
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def program(self) -> tuple[list[Op], tuple[str, ...]]:
        ops, known = self.block(["a", "b"], 3, 8)
        return ops, tuple(self.random.choice(known) for _ in range(self.random.randint(0, 3)))

    def block(self, outer: list[str], depth: int, length: int) -> tuple[list[Op], list[str]]:
        known, ops = list(outer), []
        for _ in range(self.random.randint(1, length)):
            op = self.op(known, depth)
            ops.append(op)
            known += op.defines
        return ops, known

    def op(self, known: list[str], depth: int) -> Op:
        kinds = ["alloc", "alloc", "write", "write", "read", "select", "fresh", "seven", "view", "call"]
        kind = self.random.choice(kinds + ["if", "if", "for", "for", "while"] * (depth > 0))
        if kind == "call":
            kind = self.random.choice(self.calls)
        pick = lambda: self.random.choice(known[-5:] if self.random.random() < 0.7 else known)  # noqa: E731
        number = self.random.randint(0, 9)
        if kind in ("alloc", "seven"):
            return Op(kind, (), (self.name(),), number)
        if kind in ("write", "read"):
            return Op(kind, (pick(), pick()), (), number)
        if kind == "select" or kind in CALLS:
            return Op(kind, (pick(), pick()), tuple(self.name() for _ in range(CALLS.get(kind, 1))), number)
        if kind in ("fresh", "view"):
            return Op(kind, (pick(),), (self.name(),))
        width = self.random.randint(1, 3)
        defines = tuple(self.name() for _ in range(width))
        if kind == "if":
            branches = [self.block(known, depth - 1, 4) for _ in range(2)]
            blocks = tuple(
                (ops, tuple(self.random.choice(inner[-4:]) for _ in range(width))) for ops, inner in branches
            )
            return Op(kind, (), defines, number, blocks)
        if kind == "while":
            return self.loop_on_a_condition(known, depth, number, pick)
        arguments = tuple(self.name() for _ in range(width))
        ops, inner = self.block([*known, *arguments], depth - 1, 4)
        near = [*arguments, *inner[-3:]]
        passed = tuple(self.random.choice(near) for _ in range(width))
        return Op(kind, tuple(pick() for _ in range(width)), defines, number, ((ops, passed),), arguments)

    def loop_on_a_condition(self, known: list[str], depth: int, number: int, pick: Callable[[], str]) -> Op:
        """Two blocks: the first gets the initial or yielded values and passes on its own to the second."""
        widths = [self.random.randint(1, 3) for _ in range(2)]
        before, after = (tuple(self.name() for _ in range(width)) for width in widths)
        head, inner = self.block([*known, *before], depth - 1, 3)
        onward = tuple(self.random.choice([*before, *inner[-3:]]) for _ in after)
        tail, inner = self.block([*known, *after], depth - 1, 3)
        back = tuple(self.random.choice([*after, *inner[-3:]]) for _ in before)
        uses = tuple(pick() for _ in before)
        defines = tuple(self.name() for _ in after)
        return Op("while", uses, defines, number, ((head, onward), (tail, back)), (*before, *after))


def conditions(number: int, trip: int) -> int:
    """Which way a branch goes: it depends on the op and on how often loops have gone round."""
    return (number + trip) % 3 != 0


class Python:
    """Runs a program on lists. `seven` is the buffer of @seven, which is written only if it is no constant."""

    def __init__(self, flip: int, seven: Buffer | None = None) -> None:
        self.trip = flip
        self.seven = SEVEN if seven is None else seven
        self.log = 1

    def run(self, ops: list[Op], values: dict[str, Buffer]) -> None:
        for op in ops:
            getattr(self, "do_call" if op.kind in CALLS else f"do_{op.kind}")(op, values)

    def do_alloc(self, op: Op, values: dict[str, Buffer]) -> None:
        values[op.defines[0]] = [op.number]

    def do_seven(self, op: Op, values: dict[str, Buffer]) -> None:
        values[op.defines[0]] = self.seven

    def do_write(self, op: Op, values: dict[str, Buffer]) -> None:
        target, source = (values[name] for name in op.uses)
        if target is not SEVEN:
            target[0] = (3 * target[0] + source[0] + op.number) % 1_000_003

    def do_read(self, op: Op, values: dict[str, Buffer]) -> None:
        for name in op.uses:
            self.log = (31 * self.log + values[name][0]) % 1_000_003

    def do_select(self, op: Op, values: dict[str, Buffer]) -> None:
        values[op.defines[0]] = values[op.uses[0 if conditions(op.number, self.trip) else 1]]

    def do_call(self, op: Op, values: dict[str, Buffer]) -> None:
        x, y = (values[name] for name in op.uses)
        yes = conditions(op.number, self.trip)
        results: tuple[Buffer, ...]
        if op.kind == "one_of":
            results = (x if yes else y,)
        elif op.kind == "maybe_fresh":
            results = ([y[0] + 1] if yes else x,)
        elif op.kind == "maybe_seven":
            results = (self.seven if yes else y,)
        else:
            fresh = [x[0] + 1]
            last = (fresh, y) if yes else (y, x)
            results = (fresh, fresh if yes else y) if op.kind == "pair" else last
        values.update(zip(op.defines, results, strict=True))

    def do_fresh(self, op: Op, values: dict[str, Buffer]) -> None:
        values[op.defines[0]] = [values[op.uses[0]][0] + 1]

    def do_view(self, op: Op, values: dict[str, Buffer]) -> None:
        values[op.defines[0]] = values[op.uses[0]]

    def do_if(self, op: Op, values: dict[str, Buffer]) -> None:
        ops, passed = op.blocks[0 if conditions(op.number, self.trip) else 1]
        inner = dict(values)
        self.run(ops, inner)
        values.update(zip(op.defines, [inner[name] for name in passed], strict=True))

    def do_for(self, op: Op, values: dict[str, Buffer]) -> None:
        carried = [values[name] for name in op.uses]
        for _ in range(op.number % 4):
            inner = {**values, **dict(zip(op.arguments, carried, strict=True))}
            self.run(op.blocks[0][0], inner)
            carried = [inner[name] for name in op.blocks[0][1]]
            self.trip += 1
        values.update(zip(op.defines, carried, strict=True))

    def do_while(self, op: Op, values: dict[str, Buffer]) -> None:
        (head, onward), (tail, back) = op.blocks
        before, after = op.arguments[: len(op.uses)], op.arguments[len(op.uses) :]
        carried = [values[name] for name in op.uses]
        passed: list[Buffer] = []
        for trip in range(op.number % 4 + 1):
            inner = {**values, **dict(zip(before, carried, strict=True))}
            self.run(head, inner)
            passed = [inner[name] for name in onward]
            self.trip += 1
            if trip == op.number % 4:
                break
            inner = {**values, **dict(zip(after, passed, strict=True))}
            self.run(tail, inner)
            carried = [inner[name] for name in back]
        values.update(zip(op.defines, passed, strict=True))


SEVEN: Buffer = [7]


class Text:
    """Writes a program as MLIR. If @seven is a constant, addresses are compared in order not to write it."""

    def __init__(self, *, constant_seven: bool) -> None:
        self.constant_seven = constant_seven
        self.lines: list[str] = []
        self.count = 0

    def temporary(self) -> str:
        self.count += 1
        return f"%t{self.count}"

    def emit(self, line: str) -> None:
        self.lines.append(line)

    def load(self, name: str) -> str:
        value = self.temporary()
        self.emit(f"{value} = memref.load %{name}[%c0] : memref<1xi64>")
        return value

    def arith(self, op: str, *operands: str) -> str:
        value = self.temporary()
        self.emit(f"{value} = arith.{op} {', '.join(operands)} : i64")
        return value

    def constant(self, number: int) -> str:
        value = self.temporary()
        self.emit(f"{value} = arith.constant {number} : i64")
        return value

    def condition(self, number: int) -> str:
        total = self.arith("addi", self.load("trip"), self.constant(number))
        rest, zero, value = self.arith("remsi", total, self.constant(3)), self.constant(0), self.temporary()
        self.emit(f"{value} = arith.cmpi ne, {rest}, {zero} : i64")
        return value

    def block(self, ops: list[Op]) -> None:
        for op in ops:
            getattr(self, "do_call" if op.kind in CALLS else f"do_{op.kind}")(op)

    def do_alloc(self, op: Op) -> None:
        self.emit(f"%{op.defines[0]} = memref.alloc() : memref<1xi64>")
        self.emit(f"memref.store {self.constant(op.number)}, %{op.defines[0]}[%c0] : memref<1xi64>")

    def do_seven(self, op: Op) -> None:
        self.emit(f"%{op.defines[0]} = memref.get_global @seven : memref<1xi64>")

    def do_write(self, op: Op) -> None:
        target, source = op.uses
        seven, same = self.temporary(), self.temporary()
        total = self.arith("addi", self.arith("muli", self.load(target), self.constant(3)), self.load(source))
        total = self.arith("addi", total, self.constant(op.number))
        total = self.arith("remsi", total, self.constant(1_000_003))
        if not self.constant_seven:
            self.emit(f"memref.store {total}, %{target}[%c0] : memref<1xi64>")
            return
        # Constants are not written: only buffers that are not @seven.
        self.emit(f"{seven} = memref.get_global @seven : memref<1xi64>")
        first, second = self.temporary(), self.temporary()
        for value, what in ((first, f"%{target}"), (second, seven)):
            self.emit(f"{value} = memref.extract_aligned_pointer_as_index {what} : memref<1xi64> -> index")
        self.emit(f"{same} = arith.cmpi ne, {first}, {second} : index")
        self.emit(f"scf.if {same} {{\nmemref.store {total}, %{target}[%c0] : memref<1xi64>\n}}")

    def do_read(self, op: Op) -> None:
        for name in op.uses:
            total = self.arith("addi", self.arith("muli", self.load("log"), self.constant(31)), self.load(name))
            self.emit(f"memref.store {self.arith('remsi', total, self.constant(1_000_003))}, %log[%c0] : memref<1xi64>")

    def do_select(self, op: Op) -> None:
        condition = self.condition(op.number)
        self.emit(f"%{op.defines[0]} = arith.select {condition}, %{op.uses[0]}, %{op.uses[1]} : memref<1xi64>")

    def do_call(self, op: Op) -> None:
        operands = f"({self.condition(op.number)}, %{op.uses[0]}, %{op.uses[1]})"
        types = f"(i1, memref<1xi64>, memref<1xi64>) -> ({self.types(op.defines)})"
        self.emit(f"{self.results(op)} = func.call @{op.kind}{operands} : {types}")

    def do_fresh(self, op: Op) -> None:
        self.emit(f"%{op.defines[0]} = func.call @fresh(%{op.uses[0]}) : (memref<1xi64>) -> memref<1xi64>")

    def do_view(self, op: Op) -> None:
        self.emit(f"%{op.defines[0]} = memref.subview %{op.uses[0]}[0] [1] [1] : memref<1xi64> to memref<1xi64>")

    def results(self, op: Op) -> str:
        return ", ".join(f"%{name}" for name in op.defines)

    def types(self, names: tuple[str, ...]) -> str:
        return ", ".join("memref<1xi64>" for _ in names)

    def passing(self, names: tuple[str, ...]) -> str:
        return f"scf.yield {', '.join(f'%{name}' for name in names)} : {self.types(names)}"

    def do_if(self, op: Op) -> None:
        condition = self.condition(op.number)
        self.emit(f"{self.results(op)} = scf.if {condition} -> ({self.types(op.defines)}) {{")
        for position, (ops, passed) in enumerate(op.blocks):
            self.block(ops)
            self.emit(self.passing(passed))
            self.emit("}" if position else "} else {")

    def do_for(self, op: Op) -> None:
        carried = ", ".join(f"%{name} = %{init}" for name, init in zip(op.arguments, op.uses, strict=True))
        bound = self.temporary()
        self.emit(f"{bound} = arith.constant {op.number % 4} : index")
        index = self.temporary()
        self.emit(
            f"{self.results(op)} = scf.for {index} = %c0 to {bound} step %c1 iter_args({carried}) "
            f"-> ({self.types(op.defines)}) {{"
        )
        ops, passed = op.blocks[0]
        self.block(ops)
        self.count_trip()
        self.emit(self.passing(passed))
        self.emit("}")

    def count_trip(self) -> None:
        self.emit(f"memref.store {self.arith('addi', self.load('trip'), self.constant(1))}, %trip[%c0] : memref<1xi64>")

    def do_while(self, op: Op) -> None:
        (head, onward), (tail, back) = op.blocks
        before, after = op.arguments[: len(op.uses)], op.arguments[len(op.uses) :]
        count, count_again, bound, more = (self.temporary() for _ in range(4))
        carried = ", ".join(f"%{name} = %{init}" for name, init in zip(before, op.uses, strict=True))
        types = f"(index, {self.types(before)}) -> (index, {self.types(after)})"
        self.emit(f"{bound} = arith.constant {op.number % 4} : index")
        self.emit(f"{self.temporary()}, {self.results(op)} = scf.while ({count} = %c0, {carried}) : {types} {{")
        self.block(head)
        self.count_trip()
        self.emit(f"{more} = arith.cmpi slt, {count}, {bound} : index")
        values = ", ".join(f"%{name}" for name in onward)
        self.emit(f"scf.condition({more}) {count}, {values} : index, {self.types(onward)}")
        self.emit("} do {")
        self.emit(f"^bb0({count_again}: index, {', '.join(f'%{name}: memref<1xi64>' for name in after)}):")
        self.block(tail)
        following = self.temporary()
        self.emit(f"{following} = arith.addi {count_again}, %c1 : index")
        values = ", ".join(f"%{name}" for name in back)
        self.emit(f"scf.yield {following}, {values} : index, {self.types(back)}")
        self.emit("}")


def mlir_text(ops: list[Op], returned: tuple[str, ...], *, constant_seven: bool = True) -> str:
    text = Text(constant_seven=constant_seven)
    text.block(ops)
    values = ", ".join(f"%{name}" for name in returned)
    types = text.types(returned)
    header = "func.func @main(%log: memref<1xi64>, %trip: memref<1xi64>, %a: memref<1xi64>, %b: memref<1xi64>)"
    body = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", *text.lines]
    end = f"return {values} : {types}" if returned else "return"
    prelude = PRELUDE + TURNS
    prelude = prelude if constant_seven else prelude.replace('"private" constant', '"private"')
    return prelude + "\n".join([f"{header} -> ({types}) {{", *body, end, "}"])


def check_runs(text: str, ops: list[Op], returned: tuple[str, ...], *, constant_seven: bool) -> None:
    """Compile `text` and run it: the values are right, what is not returned is freed once, and arguments stay."""
    program = mi.compile(text, memory_stats=True, opt_level=0)
    seven = None if constant_seven else [7]
    for flip in (0, 1, 2):
        python = Python(flip, seven)
        buffers: dict[str, Buffer] = {"a": [100], "b": [200]}
        python.run(ops, buffers)
        log, trip, a, b = (np.array([value]) for value in (1, flip, 100, 200))
        found: Any = program.main(log, trip, a, b)
        results = () if found is None else found if isinstance(found, tuple) else (found,)
        assert [int(value[0]) for value in results] == [buffers[name][0] for name in returned], text
        assert int(log[0]) == python.log, text
        assert (int(a[0]), int(b[0])) == (buffers["a"][0], buffers["b"][0]), text
        stats = program.memory_stats
        assert stats.leaked_bytes == 0 and stats.allocations - stats.frees == stats.result_allocations, text
        del results, found


@pytest.mark.parametrize("seed", seeds(80, least=12))
def test_random_programs(seed: int) -> None:
    ops, returned = Generator(seed).program()
    text = mlir_text(ops, returned)
    with ir.Context():
        module = ir.Module.parse(text)
        analyze_lifetimes(module.operation)  # raises if it leaves the program to another pass
    check_runs(text, ops, returned, constant_seven=True)


def branching(seed: int) -> tuple[str, list[Op], tuple[str, ...]] | None:
    """A random program whose loops and branches are branches between blocks; None if our pass does not cover it."""
    ops, returned = Generator(seed, [name for name in CALLS if name != "turns"]).program()
    text = mlir_text(ops, returned, constant_seven=False).replace(TURNS, "")
    with ir.Context():
        module = ir.Module.parse(text)
        # As `compile` does before it plans deallocation: the plan depends on which blocks there are.
        mi.run_pipeline(module, "builtin.module(convert-scf-to-cf,canonicalize,cse,canonicalize)")
        try:
            analyze_lifetimes(module.operation)
        except PassFailure:
            return None
        return str(module), ops, returned


BRANCHING = {seed: made for seed in seeds(40, least=10) if (made := branching(seed)) is not None}


@pytest.mark.parametrize("seed", BRANCHING)
def test_random_programs_with_branches_between_blocks(seed: int) -> None:
    text, ops, returned = BRANCHING[seed]
    check_runs(text, ops, returned, constant_seven=False)


def test_most_programs_with_branches_between_blocks_are_covered() -> None:
    assert sum(branching(seed) is not None for seed in range(40)) >= 0.6 * 40


@pytest.mark.parametrize("length", [10, 40])
def test_a_chain_needs_two_buffers_at_a_time(length: int) -> None:
    lines = ["%z = tensor.empty() : tensor<64xf32>", "%v0 = linalg.exp ins(%a : !t) outs(%z : !t) -> !t"]
    for number in range(1, length):
        lines += [
            f"%e{number} = tensor.empty() : tensor<64xf32>",
            f"%v{number} = linalg.reciprocal ins(%v{number - 1} : !t) outs(%e{number} : !t) -> !t",
            f"%d{number} = linalg.add ins(%v{number}, %v{number - 1} : !t, !t) outs(%v{number} : !t) -> !t",
        ]
    text = "\n".join(lines).replace("!t", "tensor<64xf32>")
    text = (
        f"func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {{\n{text}\nreturn %v{length - 1} : tensor<64xf32>\n}}"
    )
    program = mi.compile(text, memory_stats=True, opt_level=0)
    program.main(np.ones(64, np.float32))
    assert program.memory_stats.leaked_bytes == 0
    assert program.memory_stats.peak_bytes <= 3 * 256


UNCOVERED = {
    "cannot plan the lifetimes of buffers across branches between nested blocks": """
        func.func @f(%c: i1) {
          scf.execute_region {
            cf.cond_br %c, ^a, ^a
          ^a:
            scf.yield
          }
          return
        }""",
    "cannot follow a memref.view out of its block": """
        func.func @f(%m: memref<16xi8>, %n: memref<4xf32>, %c: i1) -> memref<4xf32> {
          %c0 = arith.constant 0 : index
          %0 = memref.view %m[%c0][] : memref<16xi8> to memref<4xf32>
          %1 = memref.alloc() : memref<4xf32>
          %2 = arith.select %c, %0, %1 : memref<4xf32>
          return %2 : memref<4xf32>
        }""",
    "the lifetimes of buffers where blocks meet": """
        func.func @f(%m: memref<4xf32>, %c: i1, %i: index) -> f32 {
          cf.cond_br %c, ^a, ^b(%m : memref<4xf32>)
        ^a:
          %0 = memref.alloc() : memref<4xf32>
          %1 = arith.select %c, %0, %m : memref<4xf32>
          cf.br ^b(%1 : memref<4xf32>)
        ^b(%x: memref<4xf32>):
          %y = memref.load %x[%i] : memref<4xf32>
          return %y : f32
        }""",
    "cannot plan the lifetimes of memrefs that lie in memrefs": """
        func.func @f() {
          %0 = memref.alloc() : memref<2xmemref<4xf32>>
          return
        }""",
    "beside a dealloc that may be of several buffers": """
        func.func @f(%m: memref<4xf32>) {
          memref.dealloc %m : memref<4xf32>
          return
        }""",
    "beside a bufferization.dealloc": """
        func.func @f(%m: memref<4xf32>, %c: i1) {
          bufferization.dealloc (%m : memref<4xf32>) if (%c)
          return
        }""",
    "memory on the stack leaves the block it was allocated in": """
        func.func @f(%c: i1, %m: memref<4xf32>) {
          %0 = scf.if %c -> memref<4xf32> {
            %1 = memref.alloca() : memref<4xf32>
            scf.yield %1 : memref<4xf32>
          } else {
            scf.yield %m : memref<4xf32>
          }
          return
        }""",
    "its address cannot be taken": """
        func.func private @g() -> memref<*xf32>
        func.func @f() {
          %0 = call @g() : () -> memref<*xf32>
          return
        }""",
    "code that is nested so deeply": "func.func @f(%c: i1) {" + "scf.if %c {" * 900 + "}" * 900 + "return }",
}


@pytest.mark.parametrize("message", UNCOVERED)
def test_what_is_not_covered_is_refused(message: str) -> None:
    with ir.Context():
        module = ir.Module.parse(UNCOVERED[message])
        before = str(module)
        with pytest.raises(mi.PassError, match=message):
            mi.run_pipeline(module, "inplace-deallocate")
        assert str(module) == before


PATHS = """
func.func @main(%c: i1, %d: i1, %a: memref<4xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  cf.cond_br %c, ^one, ^two
^one:
  %0 = memref.alloc() : memref<4xf32>
  linalg.exp ins(%a : memref<4xf32>) outs(%0 : memref<4xf32>)
  cf.cond_br %d, ^join(%0 : memref<4xf32>), ^end
^two:
  %1 = memref.alloc() : memref<4xf32>
  linalg.negf ins(%a : memref<4xf32>) outs(%1 : memref<4xf32>)
  cf.br ^join(%1 : memref<4xf32>)
^join(%x: memref<4xf32>):
  %y = memref.load %x[%c1] : memref<4xf32>
  return %y : f32
^end:
  %z = arith.constant 7.0 : f32
  return %z : f32
}"""


@pytest.mark.parametrize(("c", "d", "right"), [(True, True, np.exp(1.0)), (True, False, 7.0), (False, True, -1.0)])
def test_the_path_decides_which_buffer_is_freed_where(c: bool, d: bool, right: float) -> None:
    program = mi.compile(PATHS, memory_stats=True, opt_level=0)
    assert program.main(c, d, np.arange(4, dtype=np.float32)) == pytest.approx(right)
    assert (program.memory_stats.allocations, program.memory_stats.frees) == (1, 1)


CHAIN_OF_BLOCKS = """
func.func @main(%a: memref<64xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = memref.alloc() : memref<64xf32>
  memref.copy %a, %0 : memref<64xf32> to memref<64xf32>
  cf.br ^head(%c0, %0 : index, memref<64xf32>)
^head(%i: index, %x: memref<64xf32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %new = memref.alloc() : memref<64xf32>
  linalg.add ins(%x, %a : memref<64xf32>, memref<64xf32>) outs(%new : memref<64xf32>)
  %next = arith.addi %i, %c1 : index
  cf.br ^head(%next, %new : index, memref<64xf32>)
^end:
  %y = memref.load %x[%c1] : memref<64xf32>
  return %y : f32
}"""


def test_a_loop_of_blocks_lives_in_two_buffers() -> None:
    program = mi.compile(CHAIN_OF_BLOCKS, memory_stats=True, opt_level=0)
    assert program.main(np.arange(64, dtype=np.float32), 50) == 51.0
    assert program.memory_stats.allocations == program.memory_stats.frees == 51
    assert program.memory_stats.peak_bytes == 2 * 256


def test_a_chain_of_a_thousand_ops_lives_in_two_buffers() -> None:
    lines = ["%b0 = memref.alloc() : !m", "linalg.exp ins(%a : !m) outs(%b0 : !m)"]
    for i in range(1, 1000):
        lines += [f"%b{i} = memref.alloc() : !m", f"linalg.negf ins(%b{i - 1} : !m) outs(%b{i} : !m)"]
    body = "\n".join(lines).replace("!m", "memref<64xf32>")
    text = f"""func.func @main(%a: memref<64xf32>, %i: index) -> f32 {{
      {body}
      %x = memref.load %b999[%i] : memref<64xf32>
      return %x : f32
    }}"""
    program = mi.compile(text, memory_stats=True, opt_level=0)
    assert program.main(np.zeros(64, np.float32), 3) == -1.0
    assert program.memory_stats.peak_bytes == 2 * 256


def test_views_of_bytes_are_freed_with_their_buffer() -> None:
    text = """func.func @main(%a: memref<4xf32>, %n: index, %i: index) -> f32 {
      %0 = memref.alloc(%n) : memref<?xi8>
      %c16 = arith.constant 16 : index
      %v = memref.view %0[%c16][] : memref<?xi8> to memref<4xf32>
      linalg.negf ins(%a : memref<4xf32>) outs(%v : memref<4xf32>)
      %x = memref.load %v[%i] : memref<4xf32>
      return %x : f32
    }"""
    with ir.Context():
        analyze_lifetimes(ir.Module.parse(text).operation)
    program = mi.compile(text, memory_stats=True, opt_level=0)
    assert program.main(np.arange(4, dtype=np.float32), 32, 3) == -3.0
    assert (program.memory_stats.allocations, program.memory_stats.frees) == (1, 1)


BODIES = {
    "scf.parallel": """
      scf.parallel (%i) = (%c0) to (%n) step (%c1) {
        %0 = memref.alloc() : memref<4xf32>
        linalg.negf ins(%a : memref<4xf32>) outs(%0 : memref<4xf32>)
        %x = memref.load %0[%i] : memref<4xf32>
        memref.store %x, %out[%i] : memref<4xf32>
        scf.reduce
      }""",
    "scf.forall": """
      scf.forall (%i) in (%n) {
        %0 = memref.alloc() : memref<4xf32>
        linalg.negf ins(%a : memref<4xf32>) outs(%0 : memref<4xf32>)
        %x = memref.load %0[%i] : memref<4xf32>
        memref.store %x, %out[%i] : memref<4xf32>
      }""",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_each_run_of_a_parallel_body_frees_its_own(body: str) -> None:
    text = f"""func.func @main(%a: memref<4xf32>, %out: memref<4xf32>, %n: index) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      {body}
      return
    }}"""
    with ir.Context():
        analyze_lifetimes(ir.Module.parse(text).operation)
    program = mi.compile(text, memory_stats=True, opt_level=0)
    a, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    program.main(a, out, 3)
    np.testing.assert_array_equal(out, [0, -1, -2, 0])
    assert (program.memory_stats.allocations, program.memory_stats.frees) == (3, 3)
    assert program.memory_stats.peak_bytes == 16


def test_an_argument_that_owns_only_on_some_ways_compares_addresses() -> None:
    """The buffer of the first iteration is the caller's, those of the others are the loop's."""
    text = CHAIN_OF_BLOCKS.replace("%c0, %0 : index", "%c0, %a : index").replace(
        "  %0 = memref.alloc() : memref<64xf32>\n  memref.copy %a, %0 : memref<64xf32> to memref<64xf32>\n", ""
    )
    program = mi.compile(text, memory_stats=True, opt_level=0)
    for count in (0, 1, 5):
        a = np.arange(64, dtype=np.float32)
        assert program.main(a, count) == 1.0 + count
        np.testing.assert_array_equal(a, np.arange(64))
        assert program.memory_stats.allocations == program.memory_stats.frees == count


ONE_BUFFER_TWICE = """
func.func @main(%n: index, %twice: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %0 = memref.alloc() : memref<8xf32>
  memref.store %one, %0[%c0] : memref<8xf32>
  cf.br ^head(%c0, %0, %0 : index, memref<8xf32>, memref<8xf32>)
^head(%i: index, %x: memref<8xf32>, %y: memref<8xf32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %new = memref.alloc() : memref<8xf32>
  %old = memref.load %y[%c0] : memref<8xf32>
  %sum = arith.addf %old, %one : f32
  memref.store %sum, %new[%c0] : memref<8xf32>
  %next = arith.addi %i, %c1 : index
  cf.cond_br %twice, ^head(%next, %new, %new : index, memref<8xf32>, memref<8xf32>),
                     ^head(%next, %y, OTHER : index, memref<8xf32>, memref<8xf32>)
^end:
  %a = memref.load %x[%c0] : memref<8xf32>
  %b = memref.load %y[%c0] : memref<8xf32>
  %r = arith.addf %a, %b : f32
  return %r : f32
}"""


@pytest.mark.each_value
@pytest.mark.parametrize("other", ["%x", "%new"])
@pytest.mark.parametrize(("count", "twice"), [(0, True), (0, False), (1, True), (1, False), (4, True), (4, False)])
def test_one_of_two_arguments_that_may_be_each_other_is_freed(other: str, count: int, twice: bool) -> None:
    """Both are handed one buffer, later buffers that they swap: whoever dies first must not leave it to the other."""
    program = mi.compile(ONE_BUFFER_TWICE.replace("OTHER", other), memory_stats=True, opt_level=0)
    x = y = 1.0
    for _ in range(count):
        x, y = (y + 1, y + 1) if twice else (y, x if other == "%x" else y + 1)
    assert program.main(count, twice) == x + y
    assert program.memory_stats.allocations == program.memory_stats.frees == count + 1


@pytest.mark.parametrize(
    ("payload", "is_used"),
    [
        ("%r = arith.addf %in, %in : f32", False),
        ("%r = memref.load %x[%i] : memref<4xf32>", True),
        (
            """%m = arith.select %c, %x, %a : memref<4xf32>
            %r = memref.load %m[%i] : memref<4xf32>""",
            True,
        ),
        (
            """%r = scf.if %c -> f32 {
              %l = memref.load %x[%i] : memref<4xf32>
              scf.yield %l : f32
            } else {
              scf.yield %in : f32
            }""",
            True,
        ),
    ],
)
def test_what_payloads_use_is_freed_behind_them(payload: str, is_used: bool) -> None:
    with ir.Context():
        module = ir.Module.parse(
            f"""func.func @f(%a: memref<4xf32>, %i: index, %c: i1) {{
              %x = memref.alloc() : memref<4xf32>
              memref.copy %a, %x : memref<4xf32> to memref<4xf32>
              linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
                  outs(%a : memref<4xf32>) {{
              ^bb0(%in: f32):
                {payload}
                linalg.yield %r : f32
              }}
              return
            }}"""
        )
        (free,) = analyze_lifetimes(module.operation).frees
        assert free.before.name == ("func.return" if is_used else "linalg.generic")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return %x : T", True),
        ("return %a : T", False),
        ("%y = arith.select %c, %x, %a : T\nreturn %y : T", False),
        ("cf.cond_br %c, ^end(%x : T), ^other\n^other:\ncf.br ^end(%b : T)\n^end(%r: T):\nreturn %r : T", False),
    ],
)
def test_plans_that_only_free(body: str, expected: bool) -> None:
    text = f"""func.func @f(%a: T, %c: i1) -> T {{
      %x = memref.alloc() : T
      %b = memref.alloc() : T
      memref.copy %a, %b : T to T
      memref.copy %b, %x : T to T
      {body}
    }}"""
    with ir.Context():
        module = ir.Module.parse(re.sub(r"\bT\b", "memref<4xf32>", text))
        assert frees_only(analyze_lifetimes(module.operation)) == expected


def _returned_by_branches(count: int, kept: str) -> str:
    """A function of `count` results: one branch makes each anew, the other one yields `kept`."""
    memref, lines = "memref<4xf32>", list[str]()
    types = ", ".join([memref] * count)
    lines += [f"    %b{i} = memref.alloc() : {memref}" for i in range(count)]
    yielded = ", ".join(f"%b{i}" for i in range(count))
    returned = ", ".join(f"%r#{i}" for i in range(count))
    body = "\n".join(lines)
    return f"""
    func.func @f(%a: {memref}, %c: i1) -> ({types}) {{
      %r:{count} = scf.if %c -> ({types}) {{
    {body}
        scf.yield {yielded} : {types}
      }} else {{
        %n = memref.alloc() : {memref}
        scf.yield {", ".join([kept] * count)} : {types}
      }}
      return {returned} : {types}
    }}"""


@pytest.mark.parametrize("count", [2, 40])
def test_results_that_branches_make_are_compared_with_what_they_borrow_only(count: int) -> None:
    """Two of them are never one new buffer."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(_returned_by_branches(count, "%a"))
        plan = analyze_lifetimes(module.operation)
    assert [len(clone.when or ()) for clone in plan.clones] == [1] * count


def test_results_that_a_branch_yields_twice_are_compared_with_each_other() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(_returned_by_branches(3, "%n"))
        plan = analyze_lifetimes(module.operation)
    assert [len(clone.when or ()) for clone in plan.clones] == [1, 2]
