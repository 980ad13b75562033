"""The text of functions that sort in vectors, a line for each op.

Functions are written as text, as MLIR parses a thousand ops in the time in which its bindings build a few dozen.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

__all__ = ["SortCode"]

_BITS = 512
_GREATEST = {
    "f32": "0x7F800000", "f64": "0x7FF0000000000000", "i32": str(2**31 - 1), "i64": str(2**63 - 1),
    "ui32": "-1", "ui64": "-1",
}  # fmt: skip
"""The numbers that no other is above; there is no NaN when they are used."""
_MINIMUM = {"f": "arith.minimumf", "i": "arith.minsi", "u": "arith.minui"}
_MAXIMUM = {"f": "arith.maximumf", "i": "arith.maxsi", "u": "arith.maxui"}


class SortCode:
    """Text that grows, for numbers of one kind: `f32`, `f64`, `i32`, `i64`, `ui32` or `ui64`.

    Attributes:
        kind: that of numbers.
        element: their type in MLIR.
        lanes: how many of them are in a vector.
        vector: the type of a vector of them, `mask` that of as many bits.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.width = int(kind[-2:])
        self.lanes = _BITS // self.width
        self.element = kind.removeprefix("u")
        self.vector, self.mask = f"vector<{self.lanes}x{self.element}>", f"vector<{self.lanes}xi1>"
        self._lines: list[str] = []
        self._count = 0

    def text(self) -> str:
        """All that was written."""
        return "\n".join(self._lines)

    def fresh(self) -> str:
        """A name that is not in use."""
        self._count += 1
        return f"%v{self._count}"

    def do(self, text: str) -> None:
        """Write an op without results."""
        self._lines.append(text)

    def get(self, text: str) -> str:
        """Write an op; return the name of its result."""
        name = self.fresh()
        self._lines.append(f"{name} = {text}")
        return name

    @contextmanager
    def function(self, name: str, arguments: str) -> Generator[None]:
        """A function that is not seen from outside, without results."""
        self.do(f"func.func private @{name}({arguments}) attributes {{llvm.linkage = #llvm.linkage<internal>}} {{")
        yield
        self.do("return\n}")

    @contextmanager
    def branch(self, condition: str) -> Generator[None]:
        """What happens if `condition` holds."""
        self.do(f"scf.if {condition} {{")
        yield
        self.do("}")

    def otherwise(self) -> None:
        """What follows happens if the condition of the branch does not hold."""
        self.do("} else {")

    @contextmanager
    def loop(
        self, first: str, end: str, step: int, carried: Sequence[str] = (), type_: str = "i64"
    ) -> Generator[list[str]]:
        """A loop over i64: yields the index and what is carried, of `type_`, to be replaced by what it becomes.

        The list holds the results behind the loop.
        """
        by, index, results = self.number(step), self.fresh(), self.fresh()
        inner = [self.fresh() for _ in carried]
        types = ", ".join(type_ for _ in carried)
        given = ", ".join(f"{name} = {value}" for name, value in zip(inner, carried, strict=True))
        head = f"{results}:{len(carried)} = " if carried else ""
        tail = f" iter_args({given}) -> ({types})" if carried else ""
        self.do(f"{head}scf.for {index} = {first} to {end} step {by}{tail} : i64 {{")
        names = [index, *inner]
        yield names
        if carried:
            self.do(f"scf.yield {', '.join(names[1:])} : {types}")
        self.do("}")
        names[:] = [f"{results}#{number}" for number in range(len(carried))]

    def number(self, value: int) -> str:
        """A constant of i64."""
        return self.get(f"arith.constant {value} : i64")

    def add(self, left: str, right: str) -> str:
        """A sum of i64."""
        return self.get(f"arith.addi {left}, {right} : i64")

    def subtract(self, left: str, right: str) -> str:
        """A difference of i64."""
        return self.get(f"arith.subi {left}, {right} : i64")

    def compare(self, predicate: str, left: str, right: str) -> str:
        """A comparison of i64."""
        return self.get(f"arith.cmpi {predicate}, {left}, {right} : i64")

    def choose(self, condition: str, left: str, right: str, type_: str = "i64") -> str:
        """One of two values."""
        return self.get(f"arith.select {condition}, {left}, {right} : {type_}")

    def call(self, name: str, *arguments: str, types: str) -> None:
        """A call of a function without results."""
        self.do(f"func.call @{name}({', '.join(arguments)}) : ({types}) -> ()")

    def at(self, pointer: str, place: str) -> str:
        """The address of an element."""
        return self.get(f"llvm.getelementptr {pointer}[{place}] : (!llvm.ptr, i64) -> !llvm.ptr, {self.element}")

    def load(self, pointer: str, mask: str = "", other: str = "") -> str:
        """A vector from any address; with a mask, `other` where that does not hold."""
        if not mask:
            return self.get(f"llvm.load {pointer} {{alignment = {self.width // 8} : i64}} : !llvm.ptr -> {self.vector}")
        types = f"(!llvm.ptr, {self.mask}, {self.vector}) -> {self.vector}"
        return self.get(f"llvm.intr.masked.load {pointer}, {mask}, {other} {{alignment = 4 : i32}} : {types}")

    def store(self, value: str, pointer: str, mask: str = "") -> None:
        """A vector to any address, or the part of it where a mask holds."""
        if mask:
            types = f"{self.vector}, {self.mask} into !llvm.ptr"
            self.do(f"llvm.intr.masked.store {value}, {pointer}, {mask} {{alignment = 4 : i32}} : {types}")
        else:
            self.do(f"llvm.store {value}, {pointer} {{alignment = {self.width // 8} : i64}} : {self.vector}, !llvm.ptr")

    def load_number(self, pointer: str) -> str:
        """One number."""
        return self.get(f"llvm.load {pointer} : !llvm.ptr -> {self.element}")

    def store_number(self, number: str, pointer: str) -> None:
        """One number."""
        self.do(f"llvm.store {number}, {pointer} : {self.element}, !llvm.ptr")

    def copy(self, source: str, target: str, count: str) -> None:
        """As many numbers, to memory that does not overlap."""
        length = self.get(f"arith.muli {count}, {self.number(self.width // 8)} : i64")
        types = "(!llvm.ptr, !llvm.ptr, i64) -> ()"
        self.do(f'"llvm.intr.memcpy"({target}, {source}, {length}) <{{isVolatile = false}}> : {types}')

    def prefetch(self, pointer: str, *, written: bool) -> None:
        """Ask for a line of memory, which need not be there."""
        how = f"cache = 1 : i32, hint = 3 : i32, rw = {int(written)} : i32"
        self.do(f'"llvm.intr.prefetch"({pointer}) <{{{how}}}> : (!llvm.ptr) -> ()')

    def splat(self, number: str) -> str:
        """A vector of one number."""
        return self.get(f"vector.broadcast {number} : {self.element} to {self.vector}")

    def greatest(self) -> str:
        """A vector of the number that no other is above."""
        return self.get(f"arith.constant dense<{_GREATEST[self.kind]}> : {self.vector}")

    def shuffle(self, left: str, right: str, lanes: Sequence[int]) -> str:
        """Lanes of two vectors."""
        return self.get(f"vector.shuffle {left}, {right} {list(lanes)} : {self.vector}, {self.vector}")

    def minimum(self, left: str, right: str) -> str:
        """Of two vectors, the lesser numbers."""
        return self._extreme(_MINIMUM, left, right)

    def maximum(self, left: str, right: str) -> str:
        """Of two vectors, the greater numbers."""
        return self._extreme(_MAXIMUM, left, right)

    def _extreme(self, ops: dict[str, str], left: str, right: str) -> str:
        flags = " fastmath<nnan,nsz>" if self.kind[0] == "f" else ""  # there is no NaN, nor -0
        return self.get(f"{ops[self.kind[0]]} {left}, {right}{flags} : {self.vector}")

    def less(self, left: str, right: str, type_: str = "") -> str:
        """Where vectors, or numbers of `type_`, are less than others."""
        op = {"f": "arith.cmpf olt", "i": "arith.cmpi slt", "u": "arith.cmpi ult"}[self.kind[0]]
        return self.get(f"{op}, {left}, {right} : {type_ or self.vector}")

    def first_lanes(self, count: str) -> str:
        """The mask of the lanes below `count`, of i64: all, some or none."""
        type_ = f"vector<{self.lanes}xi32>"
        lanes = self.get(f"arith.constant dense<{list(range(self.lanes))}> : {type_}")
        narrow = self.get(f"arith.trunci {count} : i64 to i32")
        return self.get(f"arith.cmpi slt, {lanes}, {self.get(f'vector.broadcast {narrow} : i32 to {type_}')} : {type_}")

    def both(self, left: str, right: str) -> str:
        """Where two masks hold."""
        return self.get(f"arith.andi {left}, {right} : {self.mask}")

    def either(self, left: str, right: str) -> str:
        """Where one of two masks holds."""
        return self.get(f"arith.ori {left}, {right} : {self.mask}")

    def compressed(self, value: str, mask: str) -> str:
        """The lanes of a vector where a mask holds, moved together from the first lane on; any others behind."""
        types = f"({self.vector}, {self.mask}, {self.vector}) -> {self.vector}"
        return self.get(f'llvm.call_intrinsic "llvm.experimental.vector.compress"({value}, {mask}, {value}) : {types}')

    def count(self, mask: str) -> str:
        """In how many lanes a mask holds."""
        bits = self.get(f"vector.bitcast {mask} : {self.mask} to vector<1xi{self.lanes}>")
        word = self.get(f"vector.extract {bits}[0] : i{self.lanes} from vector<1xi{self.lanes}>")
        return self.get(f"math.ctpop {self.get(f'arith.extui {word} : i{self.lanes} to i64')} : i64")
