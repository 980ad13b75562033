"""Random functions of blocks and branches for the soundness test, each with a Python interpreter of itself.

Every block gets a counter and some 8-element vectors, makes new vectors from those in scope (its arguments and those of
the blocks that dominate it) and branches on the counter, anywhere: forward, back, into the middle of loops. When the
counter runs out the function returns; some blocks return at once. Two vectors are returned.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

LIMIT = 12
VECTOR = "tensor<8xf32>"
HEADER = f"""#id = affine_map<(d0) -> (d0)>
func.func @main(%a: {VECTOR}, %b: {VECTOR}, %n: index) -> ({VECTOR}, {VECTOR}) {{
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %limit = arith.constant {LIMIT} : index
  %f = arith.constant 5.0 : f32
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : {VECTOR}
"""


@dataclass
class Step:
    """One vector op: what it is, its result, its vectors, and an index or offset (a number, or "n" for the counter)."""

    kind: str
    result: str
    sources: list[str]
    index: int | str


@dataclass
class Block:
    """`targets` are the blocks it may lead to with the vectors handed over; a block without targets returns two."""

    arguments: list[str]
    steps: list[Step] = field(default_factory=list)
    targets: list[tuple[int, list[str]]] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)


class RandomBranches:
    """The function of one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        size = self.random.randint(3, 8)
        self.blocks = [Block([self.name() for _ in range(self.random.randint(0, 3))]) for _ in range(size)]
        self.blocks[0].arguments = []
        self.edges = self._draw_edges(size)
        for number in range(size):
            self.blocks[number].steps = []
        order = sorted(self.reachable(), key=lambda b: len(self.dominators(b)))
        for number in order:
            self._fill(number)
        for number in order:
            self._leave(number)

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def _draw_edges(self, size: int) -> list[list[int]]:
        edges = []
        for number in range(size):
            count = self.random.choice([0, 1, 1, 2, 2, 2, 3]) if number else self.random.choice([1, 2, 3])
            near = [n for n in range(1, size) if abs(n - number) <= 2] or [1]
            edges.append(
                [self.random.choice(near if self.random.random() < 0.7 else range(1, size)) for _ in range(count)]
            )
        return edges

    def reachable(self, avoided: int = -1) -> set[int]:
        """The blocks that a way leads to from the first, past `avoided`."""
        if avoided == 0:
            return set()
        seen, work = {0}, [0]
        while work:
            for target in self.edges[work.pop()]:
                if target not in seen and target != avoided:
                    seen.add(target)
                    work.append(target)
        return seen

    def dominators(self, number: int) -> list[int]:
        """The blocks on every way to `number`, with itself."""
        return [b for b in self.reachable() if b == number or number not in self.reachable(avoided=b)]

    def scope(self, number: int) -> list[str]:
        """The vectors that may be used at the end of a block, those of the block last."""
        names = ["%a", "%b", "%k"]
        for block in sorted(self.dominators(number), key=lambda b: len(self.dominators(b))):
            names += self.blocks[block].arguments + [step.result for step in self.blocks[block].steps]
        return names

    def vector(self, number: int) -> str:
        names = self.scope(number)
        return self.random.choice(names[-4:] if self.random.random() < 0.6 else names)

    def _fill(self, number: int) -> None:
        for _ in range(self.random.randint(0, 3)):
            kind = self.random.choice(["insert", "insert", "insert", "copy", "add", "fill", "slice", "halves"])
            index: int | str = "n" if self.random.random() < 0.3 else self.random.randrange(8)
            if kind in ("slice", "halves"):
                index = self.random.choice([0, 2, 4])
            step = Step(kind, "", [self.vector(number), self.vector(number)], index)
            step.result = self.name()
            self.blocks[number].steps.append(step)

    def _leave(self, number: int) -> None:
        block = self.blocks[number]
        block.returned = [self.vector(number), self.vector(number)]
        for target in self.edges[number]:
            wanted = self.blocks[target].arguments
            if number and self.random.random() < 0.5 and set(wanted) <= set(self.scope(number)):
                # Back to a loop's head: the same vectors in another order, as this block has changed them.
                handed = [self._latest(block, name) for name in self.random.sample(wanted, len(wanted))]
            else:
                handed = [self.vector(number) for _ in wanted]
            block.targets.append((target, handed))

    @staticmethod
    def _latest(block: Block, name: str) -> str:
        for step in block.steps:
            if step.sources[0] == name:
                name = step.result
        return name

    # --- as MLIR ---------------------------------------------------------------------------------------------------

    def text(self) -> str:
        lines = [HEADER]
        for number in sorted(self.reachable()):
            block = self.blocks[number]
            if number:
                arguments = "".join(f", {a}: {VECTOR}" for a in block.arguments)
                lines.append(f"^b{number}(%i{number}: index{arguments}):")
            else:
                lines.append("  %i0 = arith.remui %n, %c3 : index")
            lines.append(f"  %j{number} = arith.addi %i{number}, %c1 : index")
            lines.append(f"  %x{number} = arith.remui %j{number}, %limit : index")
            lines.append(f"  %y{number} = arith.minui %x{number}, %c3 : index")
            for step in block.steps:
                lines += self._step(step, number)
            lines += self._branch(block, number)
        return "\n".join(lines) + "\n}\n"

    @staticmethod
    def _step(step: Step, number: int) -> list[str]:
        (x, y), r, at = step.sources, step.result, step.index
        n = r[1:]
        position = f"%y{number}" if at == "n" else str(at)
        if step.kind == "fill":
            return [f"  {r} = linalg.fill ins(%f : f32) outs({x} : {VECTOR}) -> {VECTOR}"]
        if step.kind == "add":
            return [
                f'  {r} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}',
                f"  ins({y} : {VECTOR}) outs({x} : {VECTOR}) {{",
                "  ^bb0(%p: f32, %q: f32):",
                "    %s = arith.addf %p, %q : f32",
                f"    linalg.yield %s : f32 }} -> {VECTOR}",
            ]
        if step.kind in ("slice", "halves"):
            other = at if step.kind == "slice" else 4 - int(at)
            half = "tensor<4xf32>"
            return [
                f"  %s{n} = tensor.extract_slice {y}[{at}] [4] [1] : {VECTOR} to {half}",
                f"  %f{n} = linalg.fill ins(%f : f32) outs(%s{n} : {half}) -> {half}",
                f"  {r} = tensor.insert_slice %f{n} into {x}[{other}] [4] [1] : {half} into {VECTOR}",
            ]
        lines = [] if at == "n" else [f"  %p{n} = arith.constant {at} : index"]
        index = position if at == "n" else f"%p{n}"
        if step.kind == "insert":
            lines += [f"  %c{n}x = arith.constant {float(int(n[1:])) + 100} : f32"]
        else:
            lines += [f"  %c{n}x = tensor.extract {y}[{index}] : {VECTOR}"]
            index = "%c2"
        return [*lines, f"  {r} = tensor.insert %c{n}x into {x}[{index}] : {VECTOR}"]

    @staticmethod
    def _target(number: int, values: list[str], counter: str) -> str:
        types = "".join(f", {VECTOR}" for _ in values)
        return f"^b{number}({', '.join([counter, *values])} : index{types})"

    def _branch(self, block: Block, number: int) -> list[str]:
        leave = f"  return {', '.join(block.returned)} : {VECTOR}, {VECTOR}"
        if not block.targets:
            return [leave]
        j = f"%j{number}"
        targets = [self._target(t, values, j) for t, values in block.targets]
        lines = [
            f"  %t{number} = arith.cmpi ult, {j}, %limit : index",
            f"  cf.cond_br %t{number}, ^go{number}, ^end{number}",
            f"^end{number}:",
            leave,
            f"^go{number}:",
        ]
        if len(targets) == 1:
            return [*lines, f"  cf.br {targets[0]}"]
        lines.append(f"  %m{number} = arith.remui {j}, %c{len(targets)} : index")
        if len(targets) == 2:
            lines.append(f"  %d{number} = arith.cmpi eq, %m{number}, %c1 : index")
            return [*lines, f"  cf.cond_br %d{number}, {targets[1]}, {targets[0]}"]
        cast = f"  %w{number} = arith.index_cast %m{number} : index to i32"
        switch = f"  cf.switch %w{number} : i32, [default: {targets[0]}, 1: {targets[1]}, 2: {targets[2]}]"
        return [*lines, cast, switch]

    # --- as Python -------------------------------------------------------------------------------------------------

    def run(self, a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], n: int) -> list[np.ndarray[Any, Any]]:
        """What the function returns."""
        values = {"%a": a, "%b": b, "%k": np.arange(1, 9, dtype=np.float32)}
        number, counter = 0, n % 3
        while True:
            block = self.blocks[number]
            counter += 1
            for step in block.steps:
                values[step.result] = self._evaluate(step, values, min(counter % LIMIT, 3))
            if not block.targets or counter >= LIMIT:
                return [values[name] for name in block.returned]
            number, handed = block.targets[counter % len(block.targets)]
            new = [values[name] for name in handed]
            values.update(zip(self.blocks[number].arguments, new, strict=True))

    @staticmethod
    def _evaluate(step: Step, values: dict[str, np.ndarray[Any, Any]], moving: int) -> np.ndarray[Any, Any]:
        x, y = (values[name] for name in step.sources)
        at = moving if step.index == "n" else int(step.index)
        result = x.copy()
        match step.kind:
            case "fill":
                result[:] = 5.0
            case "add":
                result = x + y
            case "slice":
                result[at : at + 4] = 5.0
            case "halves":
                result[4 - at : 8 - at] = 5.0
            case "insert":
                result[at] = int(step.result[2:]) + 100
            case _:
                result[2] = y[at]
        return result
