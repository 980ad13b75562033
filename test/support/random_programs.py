"""Random tensor programs for the soundness test: every aliasing shape of the op models, in all combinations.

A program is a function of three 8-element vectors and an index in 0..3; it returns two vectors. Everything it computes
is defined (nothing reads a `tensor.empty`), small integers in f32, so results are exact whatever the order of copies.
"""

from __future__ import annotations

import random

VECTOR = "tensor<8xf32>"
TILE = "tensor<4xf32>"
HEADER = """#id = affine_map<(d0) -> (d0)>
func.func private @callee(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c2 = arith.constant 2 : index
  %e = tensor.extract %y[%c2] : tensor<8xf32>
  %r = tensor.insert %e into %x[%c2] : tensor<8xf32>
  return %r, %y : tensor<8xf32>, tensor<8xf32>
}
"""


class Generator:
    """Builds one program; `vectors` and `tiles` are the names in scope."""

    nesting: tuple[str, ...] = ("step_if", "step_for")
    """The statements that have regions."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.depth = 1
        self.vectors = ["%a", "%b", "%c", "%k"]
        self.tiles: list[str] = []
        self.indices = ["%n", "%c0", "%c4"]

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def vector(self) -> str:
        # Recent values are picked more often: chains are where in-place decisions are made.
        return self.random.choice(self.vectors[-4:] if self.random.random() < 0.7 else self.vectors)

    def offset(self) -> str:
        return self.random.choice(["0", "4", "2", *self.indices])

    def destination(self) -> str:
        if self.random.random() < 0.25:
            name = self.name()
            self.emit(f"{name} = tensor.empty() : {VECTOR}")
            return name
        return self.vector()

    def generic(self, source: str, target: str, type_: str, *, reads: bool) -> str:
        name = self.name()
        body = "%s = arith.addf %x, %y : f32" if reads else "%s = arith.addf %x, %x : f32"
        self.emit(f'{name} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}')
        self.emit(f"  ins({source} : {type_}) outs({target} : {type_}) {{")
        self.emit(f"  ^bb0(%x: f32, %y: f32): {body}")
        self.emit(f"  linalg.yield %s : f32 }} -> {type_}")
        return name

    # One statement each.

    def step_generic(self) -> None:
        reads = self.random.random() < 0.5
        target = self.vector() if reads else self.destination()
        self.vectors.append(self.generic(self.vector(), target, VECTOR, reads=reads))

    def step_fill(self) -> None:
        target, name = self.destination(), self.name()
        self.emit(f"{name} = linalg.fill ins(%f : f32) outs({target} : {VECTOR}) -> {VECTOR}")
        self.vectors.append(name)

    def step_insert(self) -> None:
        target, name, index = self.vector(), self.name(), self.random.choice(self.indices)
        self.emit(f"{name} = tensor.insert %f into {target}[{index}] : {VECTOR}")
        self.vectors.append(name)

    def step_extract_slice(self) -> None:
        source, name = self.vector(), self.name()
        self.emit(f"{name} = tensor.extract_slice {source}[{self.offset()}] [4] [1] : {VECTOR} to {TILE}")
        self.tiles.append(name)

    def step_tile(self) -> None:
        if self.tiles:
            source, target = self.random.choice(self.tiles[-3:]), self.random.choice(self.tiles[-3:])
            self.tiles.append(self.generic(source, target, TILE, reads=self.random.random() < 0.7))

    def step_insert_slice(self) -> None:
        if self.tiles:
            tile, target, name = self.random.choice(self.tiles[-3:]), self.vector(), self.name()
            self.emit(
                f"{name} = tensor.insert_slice {tile} into {target}[{self.offset()}] [4] [1] : {TILE} into {VECTOR}"
            )
            self.vectors.append(name)

    def step_update(self) -> None:
        """The matching pair: a tile taken out, worked on, put back at the same place."""
        target, offset, tile, name = self.vector(), self.offset(), self.name(), self.name()
        self.emit(f"{tile} = tensor.extract_slice {target}[{offset}] [4] [1] : {VECTOR} to {TILE}")
        source = self.random.choice(self.tiles) if self.tiles and self.random.random() < 0.5 else tile
        self.tiles.append(tile)
        result = self.generic(source, tile, TILE, reads=True)
        self.tiles.append(result)
        where = target if self.random.random() < 0.8 else self.vector()
        self.emit(f"{name} = tensor.insert_slice {result} into {where}[{offset}] [4] [1] : {TILE} into {VECTOR}")
        self.vectors.append(name)

    def step_reshape(self) -> None:
        source, wide, name = self.vector(), self.name(), self.name()
        self.emit(f"{wide} = tensor.expand_shape {source} [[0, 1]] output_shape [2, 4] : {VECTOR} into tensor<2x4xf32>")
        filled = wide
        if self.random.random() < 0.6:
            filled = self.name()
            self.emit(f"{filled} = tensor.insert %f into {wide}[%c0, %c0] : tensor<2x4xf32>")
        self.emit(f"{name} = tensor.collapse_shape {filled} [[0, 1]] : tensor<2x4xf32> into {VECTOR}")
        self.vectors.append(name)

    def step_select(self) -> None:
        name = self.name()
        self.emit(f"{name} = arith.select %p, {self.vector()}, {self.vector()} : {VECTOR}")
        self.vectors.append(name)

    def step_call(self) -> None:
        name = self.name()
        types = f"({VECTOR}, {VECTOR}) -> ({VECTOR}, {VECTOR})"
        self.emit(f"{name}:2 = func.call @callee({self.vector()}, {self.vector()}) : {types}")
        self.vectors += [f"{name}#0", f"{name}#1"]

    def step_materialize(self) -> None:
        source, target, name = self.vector(), self.destination(), self.name()
        types = f"({VECTOR}, {VECTOR}) -> {VECTOR}"
        self.emit(f"{name} = bufferization.materialize_in_destination {source} in {target} : {types}")
        self.vectors.append(name)

    def step_transfer(self) -> None:
        source, target, vector, name = self.vector(), self.vector(), self.name(), self.name()
        index = self.random.choice(self.indices)
        self.emit(f"{vector} = vector.transfer_read {source}[{index}], %f : {VECTOR}, vector<4xf32>")
        place = f"{target}[{self.random.choice(['%c0', '%c4'])}] {{in_bounds = [true]}}"
        self.emit(f"{name} = vector.transfer_write {vector}, {place} : vector<4xf32>, {VECTOR}")
        self.vectors.append(name)

    def nested(self, steps: int, count: int) -> list[str]:
        """Emit a nested block and return `count` values it may yield; its names go out of scope."""
        saved = self.vectors[:], self.tiles[:]
        self.depth += 1
        self.block(steps)
        picked = [self.vector() for _ in range(count)]
        self.depth -= 1
        self.vectors, self.tiles = saved
        return picked

    def step_if(self) -> None:
        name, saved = self.name(), len(self.lines)
        self.emit(f"{name} = scf.if %p -> ({VECTOR}) {{")
        for separator in ("} else {", "}"):
            (picked,) = self.nested(self.random.randrange(3), 1)
            self.emit(f"  scf.yield {picked} : {VECTOR}")
            self.emit(separator)
        assert len(self.lines) > saved
        self.vectors.append(name)

    def step_for(self) -> None:
        count = self.random.choice([1, 1, 2, 2, 3])
        name, arguments = self.name(), [self.name() for _ in range(count)]
        index = self.name()
        inits = ", ".join(f"{argument} = {self.vector()}" for argument in arguments)
        types = ", ".join([VECTOR] * count)
        bound = self.random.choice(["%c0", "%n", "%c4"])
        self.emit(f"{name}:{count} = scf.for {index} = %c0 to {bound} step %c1 iter_args({inits}) -> ({types}) {{")
        saved = self.vectors[:], self.tiles[:], self.indices[:]
        self.vectors += arguments
        self.indices.append(index)
        self.depth += 1
        self.block(self.random.randrange(1, 4))
        yielded = [self.vector() for _ in range(count)]
        if self.random.random() < 0.5:
            yielded = arguments[:]
            self.random.shuffle(yielded)
            slot = self.random.randrange(count)
            yielded[slot] = self.generic(self.vector(), yielded[slot], VECTOR, reads=self.random.random() < 0.5)
        self.emit(f"scf.yield {', '.join(yielded)} : {types}")
        self.depth -= 1
        self.emit("}")
        self.vectors, self.tiles, self.indices = saved
        self.vectors += [f"{name}#{i}" for i in range(count)]

    def block(self, steps: int) -> None:
        simple = [getattr(self, name) for name in dir(self) if name.startswith("step_")]
        if self.depth >= 3:
            simple = [step for step in simple if step.__name__ not in self.nesting]
        for _ in range(steps):
            self.random.choice(simple)()


def random_program(seed: int, steps: int = 7) -> str:
    """Return the text of a module with the function @main; the same seed gives the same text."""
    return assemble(Generator(seed), steps)


def assemble(generator: Generator, steps: int) -> str:
    """Return the text of a module whose function @main takes so many more steps of `generator`."""
    generator.block(steps)
    results = [generator.vector(), generator.vector()]
    body = "\n".join(generator.lines)
    return f"""{HEADER}
func.func @main(%a: {VECTOR}, %b: {VECTOR}, %c: {VECTOR}, %n: index, %p: i1) -> ({VECTOR}, {VECTOR}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 100.0 : f32
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : {VECTOR}
{body}
  return {", ".join(results)} : {VECTOR}, {VECTOR}
}}
"""
