"""Sorts of StableHLO against NumPy: stable, in any dimension, of several operands, in the order of the comparator."""

from __future__ import annotations

import numpy as np
import pytest
from hlo_programs import compiled, distinct
from sort_programs import sort_places, sort_program


def sort_text(shape: tuple[int, ...], dimension: int, element: str, comparison: str) -> str:
    """A sort of a tensor and of the numbers of its elements along the dimension; `comparison` follows `compare`."""
    sizes = "".join(f"{size}x" for size in shape)
    values, places, number = f"tensor<{sizes}{element}>", f"tensor<{sizes}i32>", f"tensor<{element}>"
    return f"""
func.func @main(%x: {values}) -> ({values}, {places}) {{
  %i = stablehlo.iota dim = {dimension} : {places}
  %0:2 = "stablehlo.sort"(%x, %i) <{{dimension = {dimension} : i64, is_stable = true}}> ({{
  ^bb0(%a: {number}, %b: {number}, %m: tensor<i32>, %n: tensor<i32>):
    %1 = stablehlo.compare {comparison} : ({number}, {number}) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }}) : ({values}, {places}) -> ({values}, {places})
  return %0#0, %0#1 : {values}, {places}
}}
"""


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize(
    ("shape", "dimension"),
    [((n,), 0) for n in (1, 2, 3, 4, 5, 16, 17, 100)] + [((7, 9), 0), ((7, 9), 1), ((3, 10, 4), 1), ((2, 0), 1)],
)
def test_lines_of_any_length_and_direction(shape: tuple[int, ...], dimension: int, optimize: bool) -> None:
    program = compiled(sort_text(shape, dimension, "f32", "LT, %a, %b"), optimize=optimize)
    x = np.floor(distinct(*shape) / 3)  # Three of a kind: only a stable sort keeps their order.
    values, places = program.main(x)
    np.testing.assert_array_equal(places, np.argsort(x, axis=dimension, kind="stable"))
    np.testing.assert_array_equal(values, np.sort(x, axis=dimension))


def test_descending_and_unsigned() -> None:
    x = np.array([3, 250, 7, 3, 128, 0, 255], np.uint8)
    values, places = compiled(sort_text((7,), 0, "ui8", "GT, %a, %b")).main(x.view(np.int8))
    np.testing.assert_array_equal(values.view(np.uint8), np.sort(x)[::-1])
    np.testing.assert_array_equal(places, [6, 1, 4, 2, 0, 3, 5])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_total_order(dtype: type) -> None:
    ordered = np.array([-np.nan, -np.inf, -2, -0.0, 0.0, 1e-3, 3, np.inf, np.nan], dtype)
    assert np.signbit(ordered[0])
    places = np.array([4, 0, 8, 2, 6, 1, 3, 7, 5])
    text = sort_text((9,), 0, f"f{8 * ordered.itemsize}", "LT, %a, %b, TOTALORDER")
    values, found = compiled(text).main(ordered[places])
    assert values.tobytes() == ordered.tobytes()
    np.testing.assert_array_equal(found, np.argsort(places))


@pytest.mark.parametrize(
    ("comparator", "scratch"),
    [
        pytest.param("general", 50 * 4 + 64, id="merges: a line"),
        pytest.param("greater", 50 * 4 + 2 * 56 * 8 + 3 * 64, id="ranks: a line, words and ranks"),
    ],
)
def test_an_argument_that_may_be_written_is_sorted_in_place(comparator: str, scratch: int) -> None:
    text = sort_program((6, 50), 1, "f32", comparator, "x")
    program = compiled(text.replace("%x: tensor<6x50xf32>)", "%x: tensor<6x50xf32> {bufferization.writable = true})"))
    x = distinct(6, 50)
    expected = np.take_along_axis(x, sort_places(x, 1, comparator), 1)
    assert program.main(x) is x
    np.testing.assert_array_equal(x, expected)
    assert program.memory_stats.copies == 0
    assert program.memory_stats.allocated_bytes <= scratch  # which all rows share


def test_sizes_that_are_not_known() -> None:
    program = compiled(
        sort_text((1, 1), 1, "f32", "LT, %a, %b")
        .replace("1x1x", "?x?x")
        .replace("%i = stablehlo.iota dim = 1 : tensor<?x?xi32>", "")
        .replace("@main(%x: tensor<?x?xf32>)", "@main(%x: tensor<?x?xf32>, %i: tensor<?x?xi32>)")
    )
    for shape in ((3, 1), (2, 5), (2, 16), (3, 17), (2, 0), (0, 3)):
        x = distinct(*shape)
        i = np.broadcast_to(np.arange(shape[1], dtype=np.int32), shape).copy()
        values, places = program.main(x, i)
        np.testing.assert_array_equal(values, np.sort(x, axis=1))
        np.testing.assert_array_equal(places, np.argsort(x, axis=1))
