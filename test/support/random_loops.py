"""Random tensor programs with the other loops of scf: `scf.while`, whose two regions take turns, and `scf.forall`.

They are those of `random_programs.py` and two kinds of statements more. What a thread reads of a shared output is what
that was before the loop, wherever it reads; what it inserts is its own part.
"""

from __future__ import annotations

import re
from functools import partial

from random_programs import TILE, VECTOR, Generator, assemble


class _LoopGenerator(Generator):
    """A generator that knows more loops."""

    nesting = (*Generator.nesting, "step_while", "step_forall")

    def step_while(self) -> None:
        """A loop that carries vectors and an index; what it passes on may be other vectors, more or fewer."""
        carried, passed = self.random.choice([0, 1, 1, 2, 3]), self.random.choice([0, 1, 1, 2, 3])
        before, after = [self.name() for _ in range(carried)], [self.name() for _ in range(passed)]
        name, index, later, go_on = (self.name() for _ in range(4))
        bound = self.random.choice(["%c0", "%n", "%c4"])
        inits = ", ".join([f"{index} = %c0", *(f"{argument} = {self.vector()}" for argument in before)])
        types_in = ", ".join(["index", *[VECTOR] * carried])
        types_out = ", ".join(["index", *[VECTOR] * passed])
        self.emit(f"{name}:{passed + 1} = scf.while ({inits}) : ({types_in}) -> ({types_out}) {{")
        picked = self.region(before, index, passed)
        self.emit(f"  {go_on} = arith.cmpi slt, {index}, {bound} : index")
        self.emit(f"  scf.condition({go_on}) {', '.join([index, *picked])} : {types_out}")
        self.emit("} do {")
        self.emit(f"^bb0({', '.join([f'{later}: index', *(f'{argument}: {VECTOR}' for argument in after)])}):")
        picked = self.region(after, later, carried)
        following = self.name()
        self.emit(f"  {following} = arith.addi {later}, %c1 : index")
        self.emit(f"  scf.yield {', '.join([following, *picked])} : {types_in}")
        self.emit("}")
        self.vectors += [f"{name}#{i + 1}" for i in range(passed)]

    def step_forall(self) -> None:
        """Threads that work on halves of vectors, or none at all."""
        count = self.random.choice([1, 1, 2])
        name, index, outputs = self.name(), self.name(), [self.name() for _ in range(count)]
        shared = ", ".join(f"{output} = {self.vector()}" for output in outputs)
        bound = self.random.choice(["8", "8", "8", "%c0"])
        types = ", ".join([VECTOR] * count)
        self.emit(
            f"{name}:{count} = scf.forall ({index}) = (0) to ({bound}) step (4) shared_outs({shared}) -> ({types}) {{"
        )
        saved = self.vectors[:], self.tiles[:], self.indices[:]
        self.vectors += outputs
        self.indices.append(index)
        self.depth += 1
        inserted = [self.inserted(output, index) for output in outputs]
        self.emit("scf.forall.in_parallel {")
        for tile, output in zip(inserted, outputs, strict=True):
            place = f"{output}[{index}] [4] [1] : {TILE} into {VECTOR}"
            self.emit(f"  tensor.parallel_insert_slice {tile} into {place}")
        self.emit("}")
        self.depth -= 1
        self.emit("}")
        self.vectors, self.tiles, self.indices = saved
        self.vectors += [f"{name}#{i}" for i in range(count)]

    def inserted(self, output: str, index: str) -> str:
        """Emit statements that lead to a tile that a thread inserts, mostly by updating its own one."""
        own = self.name()
        source = output if self.random.random() < 0.8 else self.vector()
        offset = index if self.random.random() < 0.8 else self.offset()
        self.emit(f"{own} = tensor.extract_slice {source}[{offset}] [4] [1] : {VECTOR} to {TILE}")
        self.tiles.append(own)
        self.block(self.random.randrange(3))
        if self.random.random() < 0.3:
            return self.random.choice(self.tiles[-3:])
        other = own if self.random.random() < 0.5 else self.random.choice(self.tiles)
        return self.generic(other, own, TILE, reads=self.random.random() < 0.7)

    def region(self, arguments: list[str], index: str, count: int) -> list[str]:
        """Emit a region with `arguments` and return `count` vectors that it hands on, often its own arguments."""
        saved = self.vectors[:], self.tiles[:], self.indices[:]
        self.vectors += arguments
        self.indices.append(index)
        self.depth += 1
        self.block(self.random.randrange(3))
        picked = [self.vector() for _ in range(count)]
        if arguments and self.random.random() < 0.7:
            order = self.random.choices(arguments, k=count) if len(arguments) < count else arguments[:]
            if self.random.random() < 0.4:
                self.random.shuffle(order)
            picked = order[:count]
            if picked and self.random.random() < 0.6:
                slot = self.random.randrange(count)
                picked[slot] = self.generic(self.vector(), picked[slot], VECTOR, reads=self.random.random() < 0.5)
        self.depth -= 1
        self.vectors, self.tiles, self.indices = saved
        return picked


def random_loops(seed: int, steps: int = 6) -> str:
    """Return the text of a module with the function @main; the same seed gives the same text."""
    generator = _LoopGenerator(seed)
    first = generator.step_while if seed % 3 == 0 else generator.step_forall
    first()
    return assemble(generator, steps)


def _start(starts: dict[str, str], found: re.Match[str]) -> str:
    return starts.get(found[0], found[0])


def read_before_the_loop(text: str) -> str:
    """The same program without reads of shared outputs: threads read what these start as.

    Upstream lets a thread see what others have inserted, even with a copy before every write.
    """
    starts: dict[str, str] = {}
    lines: list[str] = []
    for line in text.splitlines():
        head, separator, tail = line, "", ""
        if "parallel_insert_slice" in line:
            head, separator, tail = line.partition(" into ")
        elif "shared_outs(" in line:
            before, opening, rest = line.partition("shared_outs(")
            pairs = re.findall(r"(%\w+) = (%[\w#]+)", rest.partition(")")[0])
            starts |= {name: starts.get(start, start) for name, start in pairs}
            shared = ", ".join(f"{name} = {starts[name]}" for name, _ in pairs)
            head, separator, tail = before + opening, "", shared + rest[rest.index(")") :]
        lines.append(re.sub(r"%\w+", partial(_start, starts), head) + separator + tail)
    return "\n".join(lines)
