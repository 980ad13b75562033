"""Random dispatch functions: kernels that load, compute and store slices of their bindings in loops and branches.

Each workgroup has rows of every binding to itself, one or every n-th, so that workgroups may run in any order and no
two touch the same memory. A row is cut into tiles; its size is a number or comes with the call, and may be 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .building.draw import Draw
from .program import GeneratedProgram

__all__ = ["generate_kernel"]

_DEPTH = 2
_TILE = 2
_COLUMNS = 2
_SETS = 3


def generate_kernel(seed: int, *, size: int = 8) -> GeneratedProgram:
    """Return the dispatch function of a seed, with arguments in the order that docs/DISPATCH.md gives."""
    return _Kernel(Draw(seed), size).assemble(seed)


class _Kernel:
    def __init__(self, draw: Draw, size: int) -> None:
        self.draw, self.size = draw, size
        self.element = draw.choice(("f32", "i32"))
        self.is_dynamic = draw.chance(0.5)
        self.has_columns = draw.chance(0.3)
        self.walks_rows = draw.chance(0.4)
        self.length = _TILE * draw.between(1, 4)
        self.height = draw.between(1, 4) if draw.chance(0.4) else 0
        """The number of rows of a binding; 0 if the call gives it."""
        accesses = [draw.choice(("readonly", "writeonly", "readwrite", "readwrite")) for _ in range(draw.between(1, 3))]
        self.accesses = ["readwrite", *accesses] if set(accesses) <= {"readonly", "writeonly"} else accesses
        self.lines: list[str] = []
        self.count = 0
        self.depth = 0
        self.tile = ""
        """The offset of the current tile; empty outside of loops over tiles."""
        self.rows: list[str] = []
        self.tiles: list[str] = []
        self.used: Counter[str] = Counter()

    # --- types and names -------------------------------------------------------------------------------------------

    @property
    def row_size(self) -> str:
        return "?" if self.is_dynamic else str(self.length)

    def type(self, *, whole: bool) -> str:
        return f"tensor<{self.row_size if whole else _TILE}x{self.element}>"

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, line: str) -> None:
        self.lines.append(line)

    def define(self, text: str, *, whole: bool) -> None:
        """Add an op with a row or a tile as its result, which is kept."""
        name = self.name()
        self.emit(f"{name} = {text}")
        self.values(whole=whole).append(name)

    @contextmanager
    def region(self, tile: str | None = None) -> Generator[None]:
        """A scope: values defined in the `with` block are dropped at its end."""
        before = self.rows[:], self.tiles[:], self.tile
        self.tile = self.tile if tile is None else tile
        self.depth += 1
        yield
        self.depth -= 1
        self.rows, self.tiles, self.tile = before

    def values(self, *, whole: bool) -> list[str]:
        return self.rows if whole else self.tiles

    def pick(self, *, whole: bool) -> str:
        """Return a value, mostly a recent one."""
        known = self.values(whole=whole)
        if not known:
            self.load(whole=whole) if whole or self.tile else self.fill(whole=whole)
            known = self.values(whole=whole)
        return self.draw.choice(known[-3:] if self.draw.chance(0.8) else known)

    def place(self, binding: int, *, whole: bool) -> str:
        columns = ", %column" if self.has_columns else ""
        ones = ", 1" if self.has_columns else ""
        offset, size = ("0", "%n" if self.is_dynamic else str(self.length)) if whole else (self.tile, str(_TILE))
        return f"%b{binding}[%row{columns}, {offset}] [1{ones}, {size}] [1{ones}, 1]"

    def binding_type(self, binding: int) -> str:
        columns = f"{_COLUMNS}x" if self.has_columns else ""
        return (
            f"!dispatch.{self.accesses[binding]}<tensor<{self.height or '?'}x{columns}{self.row_size}x{self.element}>>"
        )

    # --- steps -----------------------------------------------------------------------------------------------------

    def produce(self) -> None:
        """Add a random step."""
        kinds: list[tuple[str, float]] = [("load", 3), ("store", 3), ("add", 2), ("update", 3), ("fill", 1)]
        kinds += [("slice", 2), ("insert", 3)] if self.tile else []
        kinds += [("loop", 3), ("branch", 2), ("threads", 1 if not self.tile else 0)] if self.depth < _DEPTH else []
        kind = self.draw.weighted([name for name, _ in kinds], [weight for _, weight in kinds])
        whole = not self.tile or self.draw.chance(0.3)
        self.used[f"kernel.{kind}"] += 1
        step: Callable[..., None] = getattr(self, kind)
        step(whole=whole)

    def load(self, *, whole: bool, binding: int = -1) -> None:
        """Load from a binding that may be read."""
        readable = [b for b, access in enumerate(self.accesses) if access != "writeonly"]
        binding = self.draw.choice(readable) if binding < 0 else binding
        types = f"{self.binding_type(binding)} -> {self.type(whole=whole)}"
        self.define(f"dispatch.load {self.place(binding, whole=whole)} : {types}", whole=whole)

    def store(self, *, whole: bool, binding: int = -1) -> None:
        """Store to a binding that may be written."""
        writable = [b for b, access in enumerate(self.accesses) if access != "readonly"]
        binding = self.draw.choice(writable) if binding < 0 else binding
        value, place = self.pick(whole=whole), self.place(binding, whole=whole)
        self.emit(f"dispatch.store {value}, {place} : {self.type(whole=whole)} -> {self.binding_type(binding)}")

    def empty(self, *, whole: bool) -> str:
        """Return a tensor without content."""
        name = self.name()
        self.emit(f"{name} = tensor.empty({'%n' if whole and self.is_dynamic else ''}) : {self.type(whole=whole)}")
        return name

    def fill(self, *, whole: bool) -> None:
        """Write over everything."""
        known = self.values(whole=whole)
        target = self.draw.choice(known) if known and self.draw.chance(0.5) else self.empty(whole=whole)
        number, t = self.draw.choice(("%x", "%y")), self.type(whole=whole)
        self.define(f"linalg.fill ins({number} : {self.element}) outs({target} : {t}) -> {t}", whole=whole)

    def add(self, *, whole: bool) -> None:
        """Add two tensors, in a new one or over another one."""
        x, y = self.pick(whole=whole), self.pick(whole=whole)
        target = self.pick(whole=whole) if self.draw.chance(0.5) else self.empty(whole=whole)
        t = self.type(whole=whole)
        self.define(f"linalg.add ins({x}, {y} : {t}, {t}) outs({target} : {t}) -> {t}", whole=whole)

    def update(self, *, whole: bool) -> None:
        """Accumulate into a tensor; tiles sometimes backwards."""
        x, y, t = self.pick(whole=whole), self.pick(whole=whole), self.type(whole=whole)
        first = f"{_TILE - 1} - d0" if not whole and self.draw.chance(0.3) else "d0"
        suffix = self.element[0]
        text = f"""linalg.generic {{indexing_maps = [affine_map<(d0) -> ({first})>, affine_map<(d0) -> (d0)>],
              iterator_types = ["parallel"]}} ins({x} : {t}) outs({y} : {t}) {{
          ^bb0(%p: {self.element}, %q: {self.element}):
            %s = arith.add{suffix} %p, %q : {self.element}
            linalg.yield %s : {self.element}
          }} -> {t}"""
        self.define(text, whole=whole)

    def slice(self, *, whole: bool) -> None:
        """Extract the current tile of a row."""
        source, types = self.pick(whole=True), f"{self.type(whole=True)} to {self.type(whole=False)}"
        self.define(f"tensor.extract_slice {source}[{self.tile}] [{_TILE}] [1] : {types}", whole=False)

    def insert(self, *, whole: bool) -> None:
        """Put a tile into a row."""
        tile, target = self.pick(whole=False), self.pick(whole=True)
        types = f"{self.type(whole=False)} into {self.type(whole=True)}"
        self.define(f"tensor.insert_slice {tile} into {target}[{self.tile}] [{_TILE}] [1] : {types}", whole=True)

    def loop(self, *, whole: bool) -> None:
        """Loop over the tiles of the row, with a loop-carried tensor."""
        whole = self.draw.chance(0.7) or not self.tile
        initial, t = self.pick(whole=whole), self.type(whole=whole)
        index, carried, name = self.name(), self.name(), self.name()
        self.emit(f"{name} = scf.for {index} = %c0 to %n step %tile iter_args({carried} = {initial}) -> ({t}) {{")
        with self.region(index):
            self.values(whole=whole).append(carried)
            for _ in range(self.draw.between(1, 4)):
                self.produce()
            self.emit(f"scf.yield {self.pick(whole=whole)} : {t}")
        self.emit("}")
        self.values(whole=whole).append(name)

    def branch(self, *, whole: bool) -> None:
        """Do one thing or the other."""
        name, t = self.name(), self.type(whole=whole)
        self.emit(f"{name} = scf.if %flag -> ({t}) {{")
        for end in ("} else {", "}"):
            with self.region():
                for _ in range(self.draw.below(3)):
                    self.produce()
                self.emit(f"scf.yield {self.pick(whole=whole)} : {t}")
            self.emit(end)
        self.values(whole=whole).append(name)

    def threads(self, *, whole: bool) -> None:
        """Let threads load and store their own tiles."""
        index = self.name()
        self.emit(f"scf.forall ({index}) = (%c0) to (%n) step (%tile) {{")
        with self.region(index):
            self.rows, self.tiles = [], []
            self.load(whole=False)
            for step in (self.add, self.update, self.fill)[: self.draw.between(0, 3)]:
                step(whole=False)
            self.store(whole=False)
        self.emit("}")

    # --- the whole -------------------------------------------------------------------------------------------------

    def assemble(self, seed: int) -> GeneratedProgram:
        """Write the kernel."""
        if self.walks_rows:
            self.emit("scf.for %row = %id to %rows step %count {")
        for _ in range(self.size):
            self.produce()
        for binding, access in enumerate(self.accesses):
            # Unused arguments are not part of the kernel's interface.
            if not any(f"%b{binding}[" in line for line in self.lines):
                (self.store if access == "writeonly" else self.load)(whole=True, binding=binding)
        if self.walks_rows:
            self.emit("}")
        lines = [*self._header(), *self.lines, "return"]
        text = "\n".join(["func.func @main() {", *(f"  {line}" for line in lines), "}", ""])
        used = tuple(sorted(self.used.items()))
        sets = tuple(self._arguments(number) for number in range(_SETS))
        return GeneratedProgram(seed, text, "main", ("kernels",), used, sets, tuple(range(len(self.accesses))))

    def _header(self) -> Iterator[str]:
        """The inputs of a kernel: all of them in every kernel, so that all have one signature."""
        yield from ("%c0 = arith.constant 0 : index", f"%tile = arith.constant {_TILE} : index")
        yield "%given_n = dispatch.push_constant 0 : index"
        yield "%given_rows = dispatch.push_constant 1 : index"
        yield "%flag = dispatch.push_constant 2 : i1"
        yield "%given_x = dispatch.push_constant 3 : i32"
        yield f"%x = arith.{'sitofp' if self.element == 'f32' else 'bitcast'} %given_x : i32 to {self.element}"
        yield f"%y = arith.constant {'7.0' if self.element == 'f32' else '7'} : {self.element}"
        yield f"%n = arith.{f'constant {self.length}' if not self.is_dynamic else 'addi %given_n, %c0'} : index"
        yield f"%rows = arith.{f'constant {self.height}' if self.height else 'addi %given_rows, %c0'} : index"
        yield f"%{'id' if self.walks_rows else 'row'} = dispatch.workgroup_id 0 : index"
        yield "%count = dispatch.workgroup_count 0 : index"
        if self.has_columns:
            yield "%column = dispatch.workgroup_id 1 : index"
        dynamic = (("%rows", not self.height), ("%n", self.is_dynamic))
        sizes = ", ".join(name for name, is_given in dynamic if is_given)
        for binding in range(len(self.accesses)):
            place = f"set(0) binding({binding}){f' sizes({sizes})' if sizes else ''}"
            yield f"%b{binding} = dispatch.binding {place} : {self.binding_type(binding)}"

    def _arguments(self, number: int) -> tuple[Any, ...]:
        """Arrays of distinct numbers, push constants, and the grid."""
        rows = self.height or self.draw.between(1, 4)
        length = (0, _TILE, 3 * _TILE)[number] if self.is_dynamic else self.length
        shape = (rows, *((_COLUMNS,) if self.has_columns else ()), length)
        dtype = np.float32 if self.element == "f32" else np.int32
        count = int(np.prod(shape))
        arrays = [(np.arange(count) + 1 + 100 * b).astype(dtype).reshape(shape) for b in range(len(self.accesses))]
        groups = self.draw.between(1, 3) if self.walks_rows else rows
        grid = (groups, *((_COLUMNS,) if self.has_columns else ()))
        return (*arrays, length, rows, number % 2 == 0, 50 + number, *grid)
