"""Sorts by keys, by ranks and by digits, against NumPy's stable sort, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from fast_run import sample, seeds
from hlo_programs import compiled
from mlir import ir
from sort_programs import DTYPES, FLOATS, comparators, sort_data, sort_places, sort_program

from mlir_inplace.checking.evaluator import evaluate
from mlir_inplace.frontends.stablehlo import legalize_stablehlo, parse_stablehlo
from mlir_inplace.passes.analysis.ir.traversal import find_ops
from mlir_inplace.passes.stablehlo.rewriting.sort_keys import KeyOrder, SortKey, recognized_key

SIZES = (0, 1, 2, 3, 7, 8, 9, 16, 31, 64, 95, 96, 97, 255, 256, 257, 1000)
CASES = [(element, comparator) for element in DTYPES for comparator in comparators(element)]


def as_argument(x: np.ndarray) -> np.ndarray:
    """Unsigned integers as the signless ones that programs take."""
    return x.view(f"i{x.itemsize}") if x.dtype.kind == "u" else x


def check(
    rng: np.random.Generator, shape: tuple[int, ...], dim: int, element: str, comparator: str, results: str, *,
    payload_first: bool, optimize: bool,
) -> None:  # fmt: skip
    text = sort_program(shape, dim, element, comparator, results, payload_first=payload_first)
    x = sort_data(rng, shape, element, comparator)
    payload = rng.permutation(x.size).reshape(shape).astype(np.int16)
    arguments = [as_argument(x), *([payload] if payload_first else [])]
    found = compiled(text, optimize=optimize).main(*arguments)
    places = sort_places(x, dim, comparator)
    moved = np.take_along_axis(payload, places, dim) if payload_first else places.astype(np.int32)
    expected = {"x": np.take_along_axis(x, places, dim), "i": moved}
    for name, array in zip(results, found if len(results) > 1 else [found], strict=True):
        assert array.shape == expected[name].shape
        assert array.tobytes() == expected[name].tobytes(), (name, text, x)


@pytest.mark.each_value
@pytest.mark.parametrize(("element", "comparator"), sample(CASES, least=5))
@pytest.mark.parametrize("size", [33, 130])
def test_every_type_and_comparator(size: int, element: str, comparator: str) -> None:
    rng = np.random.default_rng([size, CASES.index((element, comparator))])
    check(rng, (3, size), 1, element, comparator, "xi", payload_first=False, optimize=False)


@pytest.mark.parametrize("size", sample(SIZES, least=6))
def test_every_size(size: int) -> None:
    rng = np.random.default_rng(size)
    check(rng, (size, 2), 0, "f32", "jax", "xi", payload_first=False, optimize=size % 2 == 0)


@pytest.mark.parametrize("seed", seeds(150, least=4))
def test_random_sorts(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    rank = int(rng.integers(1, 4))
    dim = int(rng.integers(rank))
    shape = [int(rng.integers(1, 5)) for _ in range(rank)]
    shape[dim] = int(rng.choice(SIZES)) if seed % 2 else int(rng.integers(2, 300))
    element = str(rng.choice(list(DTYPES)))
    comparator = str(rng.choice(comparators(element)))
    results = ("x", "i", "xi", "ix")[int(rng.integers(4))]
    flags = {"payload_first": bool(rng.integers(2)), "optimize": bool(rng.integers(2))}
    check(rng, tuple(shape), dim, element, comparator, results, **flags)


GROUPS = [
    (element, comparator, size, place)
    for size in (2, 3, 16, 17, 130)
    for element, comparator in CASES
    for place in ("rows", "columns", "middle")
][::7]


@pytest.mark.parametrize(("element", "comparator", "size", "place"), sample(GROUPS))
def test_groups_of_lines(element: str, comparator: str, size: int, place: str) -> None:
    """As many lines as a vector has lanes are sorted at once, some of them twice, those with zeros one by one."""
    rng = np.random.default_rng(GROUPS.index((element, comparator, size, place)))
    shape, dim = {"rows": ((35, size), 1), "columns": ((size, 70), 0), "middle": ((2, size, 33), 1)}[place]
    x = sort_data(rng, shape, element, comparator)
    if element in FLOATS:
        lines = np.moveaxis(x, dim, -1)
        lines = lines[lines.shape[0] // 8 :]  # those in front keep their zeros and NaNs
        lines[...] = np.where((lines == 0) | np.isnan(lines), np.array(0.375, x.dtype), lines)
    found = compiled(sort_program(shape, dim, element, comparator, "x"), optimize=bool(rng.integers(2))).main(
        as_argument(x)
    )
    assert found.tobytes() == np.take_along_axis(x, sort_places(x, dim, comparator), dim).tobytes()


@pytest.mark.each_value
@pytest.mark.parametrize("size", [5, 40, 100])
@pytest.mark.parametrize("element", ["i8", "f32", "f64"])
def test_nothing_is_read_before_it_is_written(element: str, size: int) -> None:
    """The evaluator refuses elements of `tensor.empty` that decide anything."""
    text = sort_program((2, size), 1, element, "greater")
    x = sort_data(np.random.default_rng(size), (2, size), element, "greater")
    values, places = evaluate(legalize_stablehlo(parse_stablehlo(text)), "main", [x]).results
    expected = sort_places(x, 1, "greater")
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(x, expected, 1))


@pytest.mark.each_value
@pytest.mark.parametrize("results", ["x", "xi"])
@pytest.mark.parametrize("element", ["i16", "i32", "i64"])
def test_ranges_of_keys(element: str, results: str) -> None:
    """Passes are as many as the range of the keys has pairs of bytes: none, one, two or all of them."""
    program = compiled(sort_program((120,), 0, element, "less", results))
    dtype = np.dtype(DTYPES[element])
    ends = np.iinfo(dtype)
    rng = np.random.default_rng(0)
    for extent in (0, 1, 255, 256, 65535, 65536, 2**32 - 1, 2**32, ends.max - ends.min):
        for low in (ends.min, -7, ends.max - extent):
            if low < ends.min or low + extent > ends.max:
                continue
            x = rng.choice(np.array([low, low + extent // 3, low + extent // 2, low + extent], dtype), 120)
            found = program.main(x)
            expected = np.argsort(x, kind="stable")
            np.testing.assert_array_equal(found if results == "x" else found[0], x[expected])
            if results != "x":
                np.testing.assert_array_equal(found[1], expected)


@pytest.mark.parametrize("size", [20, 200])
def test_nan_that_is_not_ordered_loses_no_element(size: int) -> None:
    """`compare LT` without an order of NaN: it is greatest, and all of the elements are there."""
    x = sort_data(np.random.default_rng(size), (size,), "f32", "jax")
    values, places = compiled(sort_program((size,), 0, "f32", "less")).main(x)
    expected = sort_places(x, 0, "jax")
    np.testing.assert_array_equal(places, expected)
    assert values.tobytes() == x[expected].tobytes()


@pytest.mark.parametrize("size", [20, 200])
def test_places_that_are_compared_are_read(size: int) -> None:
    text = f"""
func.func @main() -> tensor<{size}xi32> {{
  %i = stablehlo.iota dim = 0 : tensor<{size}xi32>
  %0 = "stablehlo.sort"(%i) <{{dimension = 0 : i64, is_stable = true}}> ({{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }}) : (tensor<{size}xi32>) -> tensor<{size}xi32>
  return %0 : tensor<{size}xi32>
}}
"""
    np.testing.assert_array_equal(compiled(text).main(), np.arange(size)[::-1])


def key_of(body: str) -> SortKey | None:
    """The key of a comparator of two operands, of f32 numbers %a and %b, and of i32 numbers %m and %n."""
    text = f"""
func.func @main(%x: tensor<9xf32>, %y: tensor<9xi32>, %c: tensor<f32>) -> tensor<9xf32> {{
  %0:2 = "stablehlo.sort"(%x, %y) <{{dimension = 0 : i64, is_stable = true}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %m: tensor<i32>, %n: tensor<i32>):
    {body}
    stablehlo.return %r : tensor<i1>
  }}) : (tensor<9xf32>, tensor<9xi32>) -> (tensor<9xf32>, tensor<9xi32>)
  return %0#0 : tensor<9xf32>
}}
"""
    module = parse_stablehlo(text)
    with module.context, ir.Location.unknown():
        (sort,) = find_ops(module.operation, "stablehlo.sort")
        key = recognized_key(sort)
        assert key is None or str(key.type) in ("f32", "i32")
        return key


F32, I32 = "(tensor<f32>, tensor<f32>) -> tensor<i1>", "(tensor<i32>, tensor<i32>) -> tensor<i1>"
NO_KEYS = {
    "no strict order": f"%r = stablehlo.compare LE, %a, %b : {F32}",
    "equality": f"%r = stablehlo.compare EQ, %a, %b : {F32}",
    "one side is changed": f"%p = stablehlo.abs %a : tensor<f32>\n%r = stablehlo.compare LT, %p, %b : {F32}",
    "two functions": (
        "%p = stablehlo.abs %a : tensor<f32>\n%q = stablehlo.negate %b : tensor<f32>\n"
        f"%r = stablehlo.compare LT, %p, %q : {F32}"
    ),
    "two constants": (
        "%k = stablehlo.constant dense<1> : tensor<i32>\n%l = stablehlo.constant dense<3> : tensor<i32>\n"
        "%p = stablehlo.and %m, %k : tensor<i32>\n%q = stablehlo.and %n, %l : tensor<i32>\n"
        f"%r = stablehlo.compare LT, %p, %q : {I32}"
    ),
    "an element with itself": f"%r = stablehlo.compare LT, %a, %a : {F32}",
    "two operands": (
        f"%e = stablehlo.compare EQ, %a, %b : {F32}\n%t = stablehlo.compare LT, %m, %n : {I32}\n"
        f"%l = stablehlo.compare LT, %a, %b : {F32}\n%r = stablehlo.select %e, %t, %l : tensor<i1>, tensor<i1>"
    ),
    "across operands": (
        f"%p = stablehlo.convert %m : (tensor<i32>) -> tensor<f32>\n%r = stablehlo.compare LT, %a, %p : {F32}"
    ),
    "a value from outside": (
        "%p = stablehlo.maximum %a, %c : tensor<f32>\n%q = stablehlo.maximum %b, %c : tensor<f32>\n"
        f"%r = stablehlo.compare LT, %p, %q : {F32}"
    ),
    "a value alone": f"%r = stablehlo.compare LT, %c, %c : {F32}",
    "numbers are greatest": (
        f"%l = stablehlo.compare LT, %a, %b, FLOAT : {F32}\n%e = stablehlo.compare NE, %a, %a, FLOAT : {F32}\n"
        f"%n2 = stablehlo.compare EQ, %b, %b, FLOAT : {F32}\n%d = stablehlo.and %e, %n2 : tensor<i1>\n"
        "%r = stablehlo.or %l, %d : tensor<i1>"
    ),
    "a number beside itself": (
        f"%l = stablehlo.compare LT, %a, %b, FLOAT : {F32}\n%e = stablehlo.compare EQ, %b, %b, FLOAT : {F32}\n"
        f"%n2 = stablehlo.compare NE, %b, %b, FLOAT : {F32}\n%d = stablehlo.and %e, %n2 : tensor<i1>\n"
        "%r = stablehlo.or %l, %d : tensor<i1>"
    ),
    "NaN beside itself": (
        f"%l = stablehlo.compare LT, %a, %b, FLOAT : {F32}\n%e = stablehlo.compare EQ, %a, %a, FLOAT : {F32}\n"
        f"%n2 = stablehlo.compare NE, %a, %a, FLOAT : {F32}\n%d = stablehlo.and %e, %n2 : tensor<i1>\n"
        "%r = stablehlo.or %l, %d : tensor<i1>"
    ),
    "a float of eight bits": (
        "%p = stablehlo.convert %a : (tensor<f32>) -> tensor<f8E5M2>\n"
        "%q = stablehlo.convert %b : (tensor<f32>) -> tensor<f8E5M2>\n"
        "%r = stablehlo.compare LT, %p, %q : (tensor<f8E5M2>, tensor<f8E5M2>) -> tensor<i1>"
    ),
}


@pytest.mark.parametrize("body", NO_KEYS.values(), ids=NO_KEYS.keys())
def test_comparators_that_are_no_keys(body: str) -> None:
    assert key_of(body) is None


def test_comparators_that_are_keys() -> None:
    for body, operand, order, descending in (
        (f"%r = stablehlo.compare LT, %a, %b : {F32}", 0, KeyOrder.NUMBERS, False),
        (f"%r = stablehlo.compare GT, %a, %b, TOTALORDER : {F32}", 0, KeyOrder.TOTAL, True),
        (f"%r = stablehlo.compare LT, %n, %m : {I32}", 1, KeyOrder.SIGNED, True),
        (f"%r = stablehlo.compare GT, %n, %m, UNSIGNED : {I32}", 1, KeyOrder.UNSIGNED, False),
    ):
        key = key_of(body)
        assert key is not None
        assert (key.operand, key.order, key.descending) == (operand, order, descending)


def test_nan_constant_with_a_sign_is_not_the_greatest() -> None:
    """As JAX's comparator, but NaN becomes a negative one, which is in front of all: the key is of what is compared."""
    x = sort_data(np.random.default_rng(0), (40,), "f32", "jax")
    text = sort_program((40,), 0, "f32", "jax").replace("0x7FC00000", "0xFFC00000")
    values, places = compiled(text).main(x)
    expected = sort_places(np.where(np.isnan(x), np.float32(-np.inf), x), 0, "jax")
    isnan = np.isnan(x)
    expected = np.concatenate([np.flatnonzero(isnan), [place for place in expected if not isnan[place]]])
    np.testing.assert_array_equal(places, expected)
    assert values.tobytes() == x[expected].tobytes()


def test_groups_are_sorted_in_place() -> None:
    text = sort_program((40, 50), 1, "f32", "less", "x")
    program = compiled(text.replace("%x: tensor<40x50xf32>)", "%x: tensor<40x50xf32> {bufferization.writable = true})"))
    x = sort_data(np.random.default_rng(0), (40, 50), "f32", "less")
    expected = np.take_along_axis(x, sort_places(x, 1, "less"), 1)
    assert program.main(x) is x
    assert x.tobytes() == expected.tobytes()
    assert program.memory_stats.copies == 0
    assert program.memory_stats.allocated_bytes <= 16 * 50 * 4 + 50 * 4 + 2 * 56 * 8 + 4 * 64  # rows; as for ranks
