"""Random structured programs: right values, nothing leaked, nothing freed twice or too early.

A program is a small tree, run by two interpreters: MLIR text, compiled by the usual route with memory counted (a freed
buffer is overwritten there), and Python on lists. Buffers hold one number; every write changes it, so that a buffer
which is not the right one has a wrong number. A log of all that was read is the program's output beside its results.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.buffer_lifetimes import analyze_lifetimes

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
"""

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

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
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
        kinds = ["alloc", "alloc", "write", "write", "read", "select", "fresh", "one_of", "seven", "view"]
        kind = self.random.choice(kinds + ["if", "if", "for", "for"] * (depth > 0))
        pick = lambda: self.random.choice(known[-5:] if self.random.random() < 0.7 else known)  # noqa: E731
        number = self.random.randint(0, 9)
        if kind in ("alloc", "seven"):
            return Op(kind, (), (self.name(),), number)
        if kind in ("write", "read"):
            return Op(kind, (pick(), pick()), (), number)
        if kind in ("select", "one_of"):
            return Op(kind, (pick(), pick()), (self.name(),), number)
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
        arguments = tuple(self.name() for _ in range(width))
        ops, inner = self.block([*known, *arguments], depth - 1, 4)
        near = [*arguments, *inner[-3:]]
        passed = tuple(self.random.choice(near) for _ in range(width))
        return Op(kind, tuple(pick() for _ in range(width)), defines, number, ((ops, passed),), arguments)


def conditions(number: int, trip: int) -> int:
    """Which way a branch goes: it depends on the op and on how often loops have gone round."""
    return (number + trip) % 3 != 0


class Python:
    """Runs a program on lists."""

    def __init__(self, flip: int) -> None:
        self.trip = flip
        self.log = 1

    def run(self, ops: list[Op], values: dict[str, Buffer]) -> None:
        for op in ops:
            getattr(self, f"do_{op.kind}")(op, values)

    def do_alloc(self, op: Op, values: dict[str, Buffer]) -> None:
        values[op.defines[0]] = [op.number]

    def do_seven(self, op: Op, values: dict[str, Buffer]) -> None:
        values[op.defines[0]] = SEVEN

    def do_write(self, op: Op, values: dict[str, Buffer]) -> None:
        target, source = (values[name] for name in op.uses)
        if target is not SEVEN:
            target[0] = (3 * target[0] + source[0] + op.number) % 1_000_003

    def do_read(self, op: Op, values: dict[str, Buffer]) -> None:
        for name in op.uses:
            self.log = (31 * self.log + values[name][0]) % 1_000_003

    def do_select(self, op: Op, values: dict[str, Buffer]) -> None:
        values[op.defines[0]] = values[op.uses[0 if conditions(op.number, self.trip) else 1]]

    def do_one_of(self, op: Op, values: dict[str, Buffer]) -> None:
        self.do_select(op, values)
        values[op.defines[0]] = list(values[op.defines[0]])

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


SEVEN: Buffer = [7]


class Text:
    """Writes a program as MLIR."""

    def __init__(self) -> None:
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
            getattr(self, f"do_{op.kind}")(op)

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

    def do_one_of(self, op: Op) -> None:
        operands = f"({self.condition(op.number)}, %{op.uses[0]}, %{op.uses[1]})"
        types = "(i1, memref<1xi64>, memref<1xi64>) -> memref<1xi64>"
        self.emit(f"%{op.defines[0]} = func.call @one_of{operands} : {types}")

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
        self.emit(f"memref.store {self.arith('addi', self.load('trip'), self.constant(1))}, %trip[%c0] : memref<1xi64>")
        self.emit(self.passing(passed))
        self.emit("}")


def mlir_text(ops: list[Op], returned: tuple[str, ...]) -> str:
    text = Text()
    text.block(ops)
    values = ", ".join(f"%{name}" for name in returned)
    types = text.types(returned)
    header = "func.func @main(%log: memref<1xi64>, %trip: memref<1xi64>, %a: memref<1xi64>, %b: memref<1xi64>)"
    body = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", *text.lines]
    end = f"return {values} : {types}" if returned else "return"
    return PRELUDE + "\n".join([f"{header} -> ({types}) {{", *body, end, "}"])


@pytest.mark.parametrize("seed", range(80))
def test_random_programs(seed: int) -> None:
    ops, returned = Generator(seed).program()
    text = mlir_text(ops, returned)
    with ir.Context():
        module = ir.Module.parse(text)
        analyze_lifetimes(module.operation)  # raises if it leaves the program to another pass
    program = mi.compile(text, memory_stats=True, opt_level=0)
    for flip in (0, 1, 2):
        python = Python(flip)
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
    "cannot plan the lifetimes of buffers across branches between blocks": """
        func.func @f(%c: i1) {
          cf.cond_br %c, ^a, ^a
        ^a:
          return
        }""",
    "cannot plan the lifetimes of buffers that leave 'scf.while'|that 'scf.while' carries": """
        func.func @f(%m: memref<4xf32>) {
          %0 = scf.while (%x = %m) : (memref<4xf32>) -> memref<4xf32> {
            %c = arith.constant false
            scf.condition(%c) %x : memref<4xf32>
          } do {
          ^bb0(%x: memref<4xf32>):
            scf.yield %x : memref<4xf32>
          }
          return
        }""",
    "cannot tell whose memory the result of 'memref.view' is": """
        func.func @f(%m: memref<16xi8>) {
          %c0 = arith.constant 0 : index
          %0 = memref.view %m[%c0][] : memref<16xi8> to memref<4xf32>
          return
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


def test_branches_between_blocks_and_loops_on_conditions_are_left_to_upstream() -> None:
    program = mi.compile(
        """
        func.func @branches(%c: i1, %a: memref<4xf32>) -> memref<4xf32> {
          cf.cond_br %c, ^one, ^two
        ^one:
          %0 = memref.alloc() : memref<4xf32>
          linalg.exp ins(%a : memref<4xf32>) outs(%0 : memref<4xf32>)
          return %0 : memref<4xf32>
        ^two:
          return %a : memref<4xf32>
        }
        func.func @loop(%a: memref<4xf32>, %n: index) -> f32 {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %m, %k = scf.while (%x = %a, %i = %c0) : (memref<4xf32>, index) -> (memref<4xf32>, index) {
            %more = arith.cmpi slt, %i, %n : index
            scf.condition(%more) %x, %i : memref<4xf32>, index
          } do {
          ^bb0(%x: memref<4xf32>, %i: index):
            %new = memref.alloc() : memref<4xf32>
            linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%new : memref<4xf32>)
            %next = arith.addi %i, %c1 : index
            scf.yield %new, %next : memref<4xf32>, index
          }
          %r = memref.load %m[%c1] : memref<4xf32>
          return %r : f32
        }""",
        memory_stats=True,
    )
    a = np.arange(4, dtype=np.float32)
    np.testing.assert_allclose(program.branches(True, a), np.exp(a), rtol=1e-6)
    np.testing.assert_array_equal(program.branches(False, a), a)
    assert program.memory_stats.leaked_bytes == 0
    assert program.loop(a, 3) == 8.0
    assert program.memory_stats.leaked_bytes == 0
