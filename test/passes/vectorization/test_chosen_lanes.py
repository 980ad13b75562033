"""Reductions that choose, such as an argmax, in the lanes: any length, ties, NaN, and payloads that admit one order."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest
from fast_run import sample
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import evaluate

DTYPES: dict[str, type] = {
    "f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "i8": np.int8,
    "i32": np.int32, "i64": np.int64,
}  # fmt: skip
LENGTHS = (1, 2, 15, 16, 17, 33, 64, 100, 257)


@dataclass(frozen=True)
class Reduction:
    """What an argmax or argmin does: its comparison, what it does with NaN, and which of equal values it prefers."""

    compare: str = "gt"
    keeps_nan: bool = True
    last: bool = False

    def text(self, element: str, length: str, index: str = "i32", start: str = "%zero") -> str:
        """Reduce the rows of a matrix, with JAX's payload."""
        is_float = element.startswith(("f", "b"))
        compared = f"arith.cmpf o{self.compare}" if is_float else f"arith.cmpi s{self.compare}"
        nan = (
            f"arith.cmpf une, %m, %m : {element}" if is_float and self.keeps_nan else f"{compared}, %m, %x : {element}"
        )
        equal = f"arith.cmpf oeq, %m, %x : {element}" if is_float else f"arith.cmpi eq, %m, %x : {element}"
        initial = ("0xFF80" if self.compare == "gt" else "0x7F80") if element == "bf16" else None
        if initial is None:
            low = self.compare == "gt"
            infinity = {"f32": "FF800000", "f64": "FFF0000000000000", "f16": "FC00"}.get(element)
            if infinity:
                initial = "0x" + (infinity if low else "7" + infinity[1:])
            else:
                info = np.iinfo(DTYPES[element])
                initial = str(info.min if low else info.max)
        x, m, p = f"tensor<?x{length}x{element}>", f"tensor<?x{element}>", f"tensor<?x{index}>"
        count = "linalg.index 1 : index"
        if index != "index":
            count = f"arith.index_cast %n : index to {index}"
        return f"""
        func.func @main(%a: {x}, %start: {index}) -> ({m}, {p}) {{
          %c0 = arith.constant 0 : index
          %zero = arith.constant 0 : {index}
          %low = arith.constant {initial} : {element}
          %d = tensor.dim %a, %c0 : {x}
          %0 = tensor.empty(%d) : {m}
          %1 = tensor.empty(%d) : {p}
          %2 = linalg.fill ins(%low : {element}) outs(%0 : {m}) -> {m}
          %3 = linalg.fill ins({start} : {index}) outs(%1 : {p}) -> {p}
          %r:2 = linalg.generic {{indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>,
              affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}}
              ins(%a : {x}) outs(%2, %3 : {m}, {p}) {{
          ^bb0(%x: {element}, %m: {element}, %p: {index}):
            %n = linalg.index 1 : index
            %k = {count}
            %is_greater = {compared}, %m, %x : {element}
            %is_nan = {nan}
            %keeps = arith.ori %is_greater, %is_nan : i1
            %is_equal = {equal}
            %is_first = arith.cmpi {"sgt" if self.last else "slt"}, %p, %k : {index}
            %ties = arith.andi %is_equal, %is_first : i1
            %keeps_place = arith.ori %keeps, %ties : i1
            %value = arith.select %keeps, %m, %x : {element}
            %place = arith.select %keeps_place, %p, %k : {index}
            linalg.yield %value, %place : {element}, {index}
          }} -> ({m}, {p})
          return %r#0, %r#1 : {m}, {p}
        }}"""


def vectorized(text: str) -> tuple[str, mi.Program]:
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(func.func(inplace-vectorize))")
        return str(module), mi.compile(module)


def evaluated(text: str, *arguments: object) -> list[np.ndarray]:
    """The results of the program of `text` in the order of its iterations."""
    with ir.Context():
        return list(evaluate(ir.Module.parse(text), "main", arguments).results)


def matrix(rows: int, length: int, element: str) -> np.ndarray:
    """Few distinct numbers, so that most are ties; in the last rows all are the same, and the lowest."""
    x = np.random.default_rng(length).integers(-3, 4, (rows, length)).astype(DTYPES[element])
    x[-1] = 2
    return x


@pytest.mark.parametrize(
    ("element", "length", "compare"),
    sample([(one, size, way) for one in DTYPES for size in LENGTHS for way in ("gt", "lt")], least=14),
)
def test_the_first_extreme_of_rows(element: str, length: int, compare: str) -> None:
    text, program = vectorized(Reduction(compare).text(element, str(length)))
    assert length == 1 or "vector.shuffle" in text
    x = matrix(5, length, element)
    values, places = program.main(x, 0)
    exact = x.astype(np.float64)
    np.testing.assert_array_equal(places, exact.argmax(1) if compare == "gt" else exact.argmin(1))
    np.testing.assert_array_equal(values.astype(np.float64), exact.max(1) if compare == "gt" else exact.min(1))


@pytest.mark.parametrize("length", LENGTHS)
def test_the_first_nan_is_chosen(length: int) -> None:
    text, program = vectorized(Reduction().text("f32", "?"))
    assert "vector.shuffle" not in text, "the number of an iteration may not fit i32"
    text, program = vectorized(Reduction().text("f32", str(length), "index"))
    assert length == 1 or "vector.shuffle" in text
    rng = np.random.default_rng(length)
    x = np.repeat(matrix(1, length, "f32") + rng.random(length, np.float32), length + 3, axis=0)
    for row in range(length):
        x[row, [row, *rng.integers(row, length, 2)]] = np.nan
    x[length] = -np.inf
    x[length + 1] = np.nan
    values, places = program.main(x, 0)
    np.testing.assert_array_equal(places, x.argmax(1))
    np.testing.assert_array_equal(values, x.max(1))


def test_dynamic_lengths_and_empty_rows() -> None:
    text, program = vectorized(Reduction().text("f32", "?", "index"))
    assert "vector.shuffle" in text
    for length in LENGTHS:
        x = matrix(3, length, "f32")
        np.testing.assert_array_equal(program.main(x, 0)[1], x.argmax(1))
    values, places = program.main(np.zeros((2, 0), np.float32), 0)
    np.testing.assert_array_equal(values, [-np.inf] * 2)
    np.testing.assert_array_equal(places, [0, 0])


def test_nan_that_is_not_kept() -> None:
    text, program = vectorized(Reduction(keeps_nan=False).text("f32", "100"))
    assert "vector.shuffle" not in text, "what is chosen after a NaN depends on the order"
    x = matrix(4, 100, "f32")
    x[1, 50] = np.nan
    _, expected = evaluated(Reduction(keeps_nan=False).text("f32", "100"), x, np.int32(0))
    np.testing.assert_array_equal(program.main(x, 0)[1], expected)


def test_the_last_of_equal_values() -> None:
    """Without NaN to order, the comparison of places alone makes the payload commutative."""
    text, program = vectorized(Reduction(last=True).text("i32", "100", start="%start"))
    assert "vector.shuffle" in text
    x = matrix(6, 100, "i32")
    for start in (0, -5, 500):
        expected = 99 - x[:, ::-1].argmax(1)
        np.testing.assert_array_equal(program.main(x, start)[1], expected)


def test_a_start_that_may_be_above_other_places() -> None:
    text, program = vectorized(Reduction().text("f32", "40", start="%start"))
    assert "vector.shuffle" not in text, "the start is on the left whatever its place is"
    x = np.full((2, 40), -np.inf, np.float32)
    x[1] = np.nan
    np.testing.assert_array_equal(program.main(x, 7)[1], [0, 0])


PAYLOADS = {
    "a maximum by a comparison and a select": ("%c = arith.cmpi sgt, %x, %m : i32", "arith.select %c, %x, %m", True),
    "a maximum of unsigned numbers": ("%c = arith.cmpi ugt, %x, %m : i32", "arith.select %c, %x, %m", True),
    "the last one": ("%c = arith.constant true", "arith.select %c, %x, %m", False),
    "the last one that differs": ("%c = arith.cmpi eq, %x, %m : i32", "arith.select %c, %m, %x", False),
    "two orders": (
        "%0 = arith.cmpi sgt, %x, %m : i32\n%1 = arith.cmpi ugt, %x, %m : i32\n%c = arith.andi %0, %1 : i1",
        "arith.select %c, %x, %m",
        False,
    ),
    "a number of its own": ("%s = arith.cmpi sgt, %m, %seven : i32", "arith.select %s, %m, %x", False),
}


@pytest.mark.parametrize("name", PAYLOADS)
def test_payloads_with_one_output(name: str) -> None:
    condition, chosen, any_order = PAYLOADS[name]
    text = f"""
    func.func @main(%a: tensor<4x53xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {{
      %seven = arith.constant 7 : i32
      %r = linalg.generic {{indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
          iterator_types = ["parallel", "reduction"]}} ins(%a : tensor<4x53xi32>) outs(%b : tensor<4xi32>) {{
      ^bb0(%x: i32, %m: i32):
        {condition}
        %v = {chosen} : i32
        linalg.yield %v : i32
      }} -> tensor<4xi32>
      return %r : tensor<4xi32>
    }}"""
    made, program = vectorized(text)
    assert ("vector.shuffle" in made) == any_order
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-1000, 1000, shape).astype(np.int32) for shape in ((4, 53), (4,)))
    np.testing.assert_array_equal(program.main(a, b), evaluated(text, a, b)[0])
