"""Slices that change places in loops and branches, and rows made of rows before them: what is copied when they run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import mlir_inplace as mi

COLUMN, ROW, VECTOR = "tensor<6xf32>", "tensor<4xf32>", "tensor<8xf32>"
MATRIX = "tensor<6x4xf32>"
Case = tuple[str, np.ndarray, int, Callable[[np.ndarray, int], np.ndarray], int]
"""A program, its tensor and number, the NumPy function, and the most bytes that may be copied."""


def vector() -> np.ndarray:
    return np.arange(8, dtype=np.float32)


def matrix() -> np.ndarray:
    return np.arange(24, dtype=np.float32).reshape(6, 4) + 1


def main(body: str, type_: str, returned: str = "%r") -> str:
    """A function on a tensor that it may write, and a number."""
    return f"""
      func.func @main(%t: {type_} {{bufferization.writable = true}}, %n: index) -> {type_} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c4 = arith.constant 4 : index
        {body}
        return {returned} : {type_}
      }}"""


def loop(body: str, type_: str, first: str = "%c0", yielded: str = "%v") -> str:
    """A loop up to the number, which carries the tensor as %x."""
    return main(
        f"""%r = scf.for %k = {first} to %n step %c1 iter_args(%x = %t) -> ({type_}) {{
          %h = arith.subi %k, %c1 : index
          %i = arith.addi %k, %c1 : index
          {body}
          scf.yield {yielded} : {type_}
        }}""",
        type_,
    )


def swap(source: str, places: tuple[str, str], slice_: str, type_: str, *, last_first: bool = False) -> str:
    """Two slices of ``source`` change places, giving %v; ``slice_`` is sizes, strides and type of one."""
    first, second = reversed(places) if last_first else places
    sizes, part = slice_.rsplit(" ", 1)
    return f"""
      %a = tensor.extract_slice {source}{first} {sizes} : {type_} to {part}
      %b = tensor.extract_slice {source}{second} {sizes} : {type_} to {part}
      %u = tensor.insert_slice %b into {source}{first} {sizes} : {part} into {type_}
      %v = tensor.insert_slice %a into %u{second} {sizes} : {part} into {type_}"""


HALVES = (("[0]", "[4]"), f"[4] [1] {ROW}", VECTOR)
ROWS = (("[%k, 0]", "[%i, 0]"), f"[1, 4] [1, 1] {ROW}", MATRIX)
COLUMNS = (("[0, %k]", "[0, %i]"), f"[6, 1] [1, 1] {COLUMN}", MATRIX)


def branch(condition: str, swapped: str, source: str) -> str:
    return f"""
      %q = scf.if {condition} -> ({VECTOR}) {{
        {swapped}
        scf.yield %v : {VECTOR}
      }} else {{
        scf.yield {source} : {VECTOR}
      }}"""


def halves(a: np.ndarray, n: int) -> np.ndarray:
    """The halves changed places so often."""
    return np.roll(a, 4 * n)


def rotated(a: np.ndarray, n: int, axis: int) -> np.ndarray:
    """The first of n + 1 rows, or columns, went to the last place of these."""
    a = np.moveaxis(a.copy(), axis, 0)
    a[: n + 1] = np.roll(a[: n + 1], -1, axis=0)
    return np.moveaxis(a, 0, axis)


def swaps() -> dict[str, Case]:
    """Each swap copies three times what one slice has, through one temporary."""
    found: dict[str, Case] = {}
    for last_first in (False, True):
        order = "last first" if last_first else "first first"
        body = swap("%x", *HALVES, last_first=last_first)
        for n in (2, 3):
            found[f"halves in a loop of {n}, {order}"] = loop(body, VECTOR), vector(), n, halves, 48 * n
        condition = "%c = arith.cmpi eq, %n, %c1 : index"
        taken = condition + branch("%c", swap("%t", *HALVES, last_first=last_first), "%t")
        for n in (0, 1):
            found[f"halves in a branch, {n}, {order}"] = main(taken, VECTOR, "%q"), vector(), n, halves, 48 * n
        inner = "%c = arith.cmpi eq, %k, %c1 : index" + branch("%c", body, "%x")
        once = loop(inner, VECTOR, yielded="%q")
        found[f"halves in a branch of a loop, {order}"] = once, vector(), 3, lambda a, _: halves(a, 1), 48
        rows, columns = (swap("%x", *which, last_first=last_first) for which in (ROWS, COLUMNS))
        found[f"rows, {order}"] = loop(rows, MATRIX), matrix(), 5, partial(rotated, axis=0), 48 * 5
        found[f"columns, {order}"] = loop(columns, MATRIX), matrix(), 3, partial(rotated, axis=1), 72 * 3
    return found


TWICE = """
  %p = tensor.extract_slice %x{read} {sizes} : tensor<6x4xf32> to {part}
  %d = {init}
  %g = linalg.add ins(%p, %p : {part}, {part}) outs(%d : {part}) -> {part}
  %v = tensor.insert_slice %g into %x{write} {sizes} : {part} into tensor<6x4xf32>"""


def twice(order: range, axis: int, step: int) -> Callable[[np.ndarray, int], np.ndarray]:
    def run(a: np.ndarray, _: int) -> np.ndarray:
        a = np.moveaxis(a.copy(), axis, 0)
        for k in order:
            a[k] = 2 * a[k + step]
        return np.moveaxis(a, 0, axis)

    return run


def histories() -> dict[str, Case]:
    """Nothing is copied: a row is made of another one, where it stands."""
    found: dict[str, Case] = {}
    for axis, (part, sizes) in enumerate([(ROW, "[1, 4] [1, 1]"), (COLUMN, "[6, 1] [1, 1]")]):
        place = "[{0}, 0]" if axis == 0 else "[0, {0}]"
        for step, other in ((-1, "%h"), (1, "%i")):
            n = (6, 4)[axis] - (step > 0)
            own = f"tensor.extract_slice %x{place.format('%k')} {sizes} : {MATRIX} to {part}"
            for init in (f"tensor.empty() : {part}", own):
                read, write = place.format(other), place.format("%k")
                body = TWICE.format(read=read, write=write, sizes=sizes, part=part, init=init)
                name = f"axis {axis}, from {step:+}, into {'its own place' if init is own else 'a buffer'}"
                found[name] = loop(body, MATRIX, "%c1"), matrix(), n, twice(range(1, n), axis, step), 0
    elements = f"""
      %v = scf.for %l = %c0 to %c4 step %c1 iter_args(%y = %x) -> ({MATRIX}) {{
        %e = tensor.extract SOURCE[%h, %l] : {MATRIX}
        %s = arith.addf %e, %e : f32
        %z = tensor.insert %s into %y[%k, %l] : {MATRIX}
        scf.yield %z : {MATRIX}
      }}"""
    for source in ("%x", "%y"):
        text = loop(elements.replace("SOURCE", source), MATRIX, "%c1")
        found[f"elements, of {source}"] = text, matrix(), 6, twice(range(1, 6), 0, -1), 0
    return found


CASES = {**swaps(), **histories()}


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_values_and_copied_bytes(name: str, optimize: bool) -> None:
    text, array, n, reference, most = CASES[name]
    program = mi.compile(text, optimize=optimize, memory_stats=True, cache=False)
    expected = reference(array, n)
    np.testing.assert_array_equal(program.main(array.copy(), n), expected)
    assert program.memory_stats.copied_bytes <= most
