"""Random tensor programs with the other loops of scf: `scf.while`, whose two regions take turns.

They are those of `random_programs.py` and one kind of statement more.
"""

from __future__ import annotations

from random_programs import VECTOR, Generator, assemble


class _LoopGenerator(Generator):
    """A generator that knows more loops."""

    nesting = (*Generator.nesting, "step_while")

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
    generator.step_while()
    return assemble(generator, steps)
