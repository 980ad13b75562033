"""Sweeps of weighted sums of neighbours, as programs and in NumPy."""

from __future__ import annotations

import numpy as np

MAPS = {rank: f"affine_map<({(d := ', '.join('ijk'[:rank]))}) -> ({d})>" for rank in (1, 2, 3)}


def shape_text(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def list_text(values: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, values))}]"


class Stencil:
    """Weighted sums of neighbours: the program of one sweep, and NumPy's. `offsets` count from the first neighbour."""

    def __init__(
        self,
        shape: tuple[int, ...],
        offsets: list[tuple[int, ...]],
        element: str = "f32",
        first: tuple[int, ...] | None = None,
    ) -> None:
        self.shape = shape
        self.offsets = offsets
        self.element = element
        self.whole = shape_text(shape, element)
        reach = np.max(offsets, axis=0)
        self.first = tuple(int(far) // 2 for far in reach) if first is None else first
        reach = np.maximum(reach, self.first)
        self.inside = tuple(int(size - far) for size, far in zip(shape, reach, strict=True))
        self.part = shape_text(self.inside, element)
        self.ones = list_text((1,) * len(shape))

    def sums(self, source: str = "%u") -> str:
        """Ops that compute `%r`, the new elements inside."""
        lines = [
            f"%n{number} = tensor.extract_slice {source}{list_text(offset)} {list_text(self.inside)} {self.ones}"
            f" : {self.whole} to {self.part}"
            for number, offset in enumerate(self.offsets)
        ]
        count, e = len(self.offsets), self.element
        suffix = "i" if e.startswith("i") else "f"
        iterators = ", ".join(['"parallel"'] * len(self.shape))
        block = ", ".join(f"%x{number}: {e}" for number in range(count))
        steps = "\n".join(
            f"%s{number} = arith.add{suffix} %s{number - 1}, %x{number} : {e}" for number in range(2, count)
        )
        inputs = ", ".join(f"%n{number}" for number in range(count))
        return (
            "\n".join(lines)
            + f"""
          %part = tensor.empty() : {self.part}
          %r = linalg.generic {{indexing_maps = [{", ".join([MAPS[len(self.shape)]] * (count + 1))}],
              iterator_types = [{iterators}]}}
              ins({inputs} : {", ".join([self.part] * count)}) outs(%part : {self.part}) {{
          ^bb0({block}, %old: {e}):
            %s1 = arith.add{suffix} %x0, %x1 : {e}
            {steps}
            %y = arith.mul{suffix} %s{count - 1}, %k : {e}
            linalg.yield %y : {e}
          }} -> {self.part}"""
        )

    def insert(self, into: str, name: str = "%new") -> str:
        where = f"{into}{list_text(self.first)} {list_text(self.inside)} {self.ones}"
        return f"{name} = tensor.insert_slice %r into {where} : {self.part} into {self.whole}"

    def program(self, body: str, *, steps: str = "%steps", writable: bool = False) -> str:
        """A function with a loop around `body`, which makes `%new` from `%u`."""
        factor = "3" if self.element.startswith("i") else "0.3"
        mark = " {bufferization.writable = true}" if writable else ""
        return f"""
          func.func @main(%u0: {self.whole}{mark}, %steps: index) -> {self.whole} {{
            %k = arith.constant {factor} : {self.element}
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %c7 = arith.constant 7 : index
            %last = scf.for %t = %c0 to {steps} step %c1 iter_args(%u = %u0) -> ({self.whole}) {{
              {body}
              scf.yield %new : {self.whole}
            }}
            return %last : {self.whole}
          }}"""

    def sweep(self, u: np.ndarray) -> np.ndarray:
        """What one iteration makes of `u`."""
        total = 0
        for offset in self.offsets:
            total = total + u[tuple(slice(o, o + size) for o, size in zip(offset, self.inside, strict=True))]
        new = u.copy()
        box = tuple(slice(o, o + size) for o, size in zip(self.first, self.inside, strict=True))
        new[box] = total * u.dtype.type(3 if u.dtype.kind == "i" else 0.3)
        return new

    def start(self) -> np.ndarray:
        """Distinct elements."""
        count = int(np.prod(self.shape))
        kinds = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i8": np.int8}
        return (np.random.default_rng(5).permutation(count).reshape(self.shape) % 251 - 99).astype(kinds[self.element])


FIVE = [(0, 1), (2, 1), (1, 0), (1, 2), (1, 1)]
THREE_D = [(0, 1, 1), (2, 1, 1), (1, 0, 1), (1, 2, 1), (1, 1, 0), (1, 1, 2), (1, 1, 1)]
