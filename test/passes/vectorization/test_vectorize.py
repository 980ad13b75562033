"""`inplace-vectorize`: values against NumPy, for all kinds of access, sizes that fit and sizes that do not."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fast_run import chosen, sample
from linalg_programs import MATRIX, PROGRAMS, ROW, Arrays, floats, generic
from mlir import ir

import mlir_inplace as mi


def vectorized(text: str) -> ir.Module:
    """The program of `text`, vectorized; the context is the current one."""
    module = ir.Module.parse(text)
    mi.run_pipeline(module, "builtin.module(func.func(inplace-vectorize))")
    module.operation.verify()
    return module


CASES = [pytest.param(*PROGRAMS[name], id=name) for name in PROGRAMS if PROGRAMS[name][2]]


@pytest.mark.parametrize(("text", "expected", "arguments"), sample(CASES, least=8))
def test_values_are_those_of_numpy(text: str, expected: Callable[..., np.ndarray], arguments: list[Arrays]) -> None:
    with ir.Context():
        module = vectorized(text)
        assert "linalg." not in str(module)
        program = mi.compile(module)
    for one in arguments:
        np.testing.assert_allclose(program.main(*one), expected(*one), rtol=1e-5, atol=1e-5)


WIDE, MIDDLE, NARROW = (f"vector-bits={bits} registers={count}" for bits, count in ((512, 32), (256, 16), (128, 16)))
TURNED = [
    *(("f32", np.float32, machine) for machine in (WIDE, MIDDLE, NARROW)),
    *(("f64", np.float64, machine) for machine in (WIDE, MIDDLE, NARROW)),
    *(("i8", np.int8, machine) for machine in (WIDE, MIDDLE)),
    ("i16", np.int16, MIDDLE),
]
SHAPES = {"?x?": [(1, 1), (5, 3), (16, 16), (33, 40), (17, 30), (0, 3)], "67x9": [(67, 9)], "6x48": [(6, 48)]}


@pytest.mark.each_value
@pytest.mark.parametrize("text", SHAPES)
@pytest.mark.parametrize(("element", "dtype", "machine"), TURNED)
def test_squares_are_transposed_in_registers(element: str, dtype: type[np.generic], machine: str, text: str) -> None:
    swapped = "x".join(reversed(text.split("x")))
    types = [f"tensor<2x{text}x{element}>", f"tensor<2x{swapped}x{element}>"]
    with ir.Context():
        module = ir.Module.parse(generic(types, ["k, j, i", "k, i, j"], "ppp", f"linalg.yield %e0 : {element}"))
        mi.run_pipeline(module, f'builtin.module(func.func(inplace-vectorize{{machine="{machine}"}}))')
        assert "vector.shuffle" in str(module)
        program = mi.compile(module)
    for m, n in SHAPES[text]:
        a = np.arange(2 * m * n).astype(dtype).reshape(2, m, n)
        np.testing.assert_array_equal(program.main(a, np.zeros((2, n, m), dtype)), a.transpose(0, 2, 1))


@pytest.mark.each_value
@pytest.mark.parametrize("constant", [0, 1])
@pytest.mark.parametrize("step", [2, 3, 4, 5])
@pytest.mark.parametrize(("element", "dtype", "machine"), TURNED)
def test_elements_a_few_steps_apart_are_shuffled(
    element: str, dtype: type[np.generic], machine: str, step: int, constant: int
) -> None:
    """Of rows that end with the last element, and of longer ones; those five steps apart are gathered."""
    lanes = int(machine.split(maxsplit=1)[0].split("=")[1]) // (8 * dtype().nbytes)
    for size, more in ((1, 0), (lanes - 1, 0), (lanes, 0), (lanes, 1), (2 * lanes + 3, 0), (4 * lanes, step)):
        row = step * (size - 1) + 1 + constant + more
        types = [f"tensor<3x{row}x{element}>", f"tensor<3x{size}x{element}>"]
        with ir.Context():
            module = ir.Module.parse(
                generic(types, [f"i, {step} * j + {constant}", "i, j"], "pp", f"linalg.yield %e0 : {element}")
            )
            mi.run_pipeline(module, f'builtin.module(func.func(inplace-vectorize{{machine="{machine}"}}))')
            assert ("vector.shuffle" in str(module)) == (step < min(5, lanes))
            program = mi.compile(module)
        a = np.arange(3 * row).astype(dtype).reshape(3, row)
        found = program.main(a, np.zeros((3, size), dtype))
        np.testing.assert_array_equal(found, a[:, constant::step][:, :size])


def test_an_input_that_is_the_init_is_updated_in_place() -> None:
    body = "%x = math.exp %e0 : f32\n linalg.yield %x : f32"
    text = generic([MATRIX, MATRIX], ["i, j", "i, j"], "pp", body, "{bufferization.writable = true}")
    text = text.replace("%t1: tensor<?x?xf32> {bufferization.writable = true}", "").replace(", )", ")")
    text = text.replace("%t1", "%t0")
    with ir.Context():
        program = mi.compile(vectorized(text), memory_stats=True)
    array = floats(9, 37)
    expected = np.exp(array)
    np.testing.assert_allclose(program.main(array), expected, rtol=1e-6)
    np.testing.assert_allclose(array, expected, rtol=1e-6)
    assert (program.memory_stats.allocations, program.memory_stats.copies) == (0, 0)


def test_elements_of_a_fill_that_are_read_are_written_first() -> None:
    """By the payload, and as an input that is the init as well; what the fill wrote over has other elements."""
    text = """
      func.func @main(%e: tensor<?x21xf32>) -> (tensor<?x21xf32>, tensor<?x21xf32>) {
        %seven = arith.constant 7.0 : f32
        %f = linalg.fill ins(%seven : f32) outs(%e : tensor<?x21xf32>) -> tensor<?x21xf32>
        %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
            outs(%f : tensor<?x21xf32>) {
        ^bb0(%x: f32):
          %y = arith.mulf %x, %seven : f32
          linalg.yield %y : f32
        } -> tensor<?x21xf32>
        %1 = linalg.exp ins(%f : tensor<?x21xf32>) outs(%f : tensor<?x21xf32>) -> tensor<?x21xf32>
        return %0, %1 : tensor<?x21xf32>, tensor<?x21xf32>
      }"""
    with ir.Context():
        program = mi.compile(vectorized(text))
    squares, exponentials = program.main(floats(3, 21))
    np.testing.assert_array_equal(squares, np.full((3, 21), 49, np.float32))
    np.testing.assert_allclose(exponentials, np.full((3, 21), np.exp(7), np.float32), rtol=1e-6)


def test_a_fill_is_where_accumulators_start_and_is_not_written_first() -> None:
    text = """
      func.func @main(%a: tensor<9x3xf32>, %b: tensor<3x21xf32>) -> tensor<9x21xf32> {
        %one = arith.constant 1.0 : f32
        %e = tensor.empty() : tensor<9x21xf32>
        %f = linalg.fill ins(%one : f32) outs(%e : tensor<9x21xf32>) -> tensor<9x21xf32>
        %r = linalg.matmul ins(%a, %b : tensor<9x3xf32>, tensor<3x21xf32>) outs(%f : tensor<9x21xf32>)
            -> tensor<9x21xf32>
        return %r : tensor<9x21xf32>
      }"""
    with ir.Context():
        module = vectorized(text)
        assert "linalg" not in str(module)
        program = mi.compile(module, memory_stats=True)
    a, b = floats(9, 3), floats(3, 21)
    # Sums that cancel out keep the rounding of their terms.
    np.testing.assert_allclose(program.main(a, b), 1 + a @ b, rtol=1e-5, atol=1e-5)
    assert (program.memory_stats.allocations, program.memory_stats.copies) == (1, 0)


BY_ROW = generic(
    [MATRIX, "tensor<?xf32>", "tensor<?xf32>", MATRIX],
    ["i, j", "i", "j", "i, j"],
    "pp",
    """
      %root = math.sqrt %e1 : f32
      %q = arith.divf %e0, %root : f32
      %r = arith.mulf %q, %e2 : f32
      linalg.yield %r : f32""",
)


@pytest.mark.parametrize("shape", [(1, 1), (3, 37), (7, 64), (5, 0), (0, 5)])
def test_what_a_row_shares_is_computed_once_for_it(shape: tuple[int, int]) -> None:
    with ir.Context():
        module = vectorized(BY_ROW)
        # In front of the vectors and of those that are left at the end of a row, not in their loops.
        assert str(module).count("math.sqrt") == 1
        program = mi.compile(module)
    m, n = shape
    a, b, c = floats(m, n), np.abs(floats(m)), floats(n)
    np.testing.assert_allclose(program.main(a, b, c, a), a / np.sqrt(b)[:, None] * c, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_quotient_by_what_a_row_shares_is_right_whatever_the_divisor_is(dtype: str) -> None:
    text = generic([MATRIX, ROW, MATRIX], ["i, j", "i", "i, j"], "pp",
                   "%q = arith.divf %e0, %e1 : f32\n linalg.yield %q : f32")  # fmt: skip
    with ir.Context():
        program = mi.compile(vectorized(text if dtype == "f4" else text.replace("f32", "f64")))
    limits = np.finfo(dtype)
    some = [0, limits.smallest_subnormal, limits.smallest_subnormal * 9, limits.tiny, limits.tiny * 1.7, 1e-30, 3, 1e30]
    some += [limits.max / 4.1, limits.max / 3, limits.max, np.inf, np.nan, 1]
    values = np.array([*some, *(-value for value in some)], dtype)
    dividends = np.tile(values, (len(values), 1))
    with np.errstate(all="ignore"):
        expected = dividends / values[:, None]
    quotients = program.main(dividends, values, dividends)
    np.testing.assert_array_equal(np.isnan(quotients), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(quotients), np.isinf(expected))
    np.testing.assert_array_equal(np.signbit(quotients[expected == 0]), np.signbit(expected[expected == 0]))
    finite = np.isfinite(expected)
    size = np.abs(expected[finite])
    assert (np.abs(quotients[finite] - expected[finite]) <= 1.5 * (size - np.nextafter(size, 0, dtype=dtype))).all()


@pytest.mark.parametrize(("name", "function"), [("maximumf", np.maximum), ("minimumf", np.minimum)])
@pytest.mark.parametrize(("element", "dtype"), [("f32", np.float32), ("f64", np.float64)])
def test_extremes_of_lanes_know_nan_and_signs_of_zeros(
    name: str, function: np.ufunc, element: str, dtype: type[np.floating[Any]]
) -> None:
    types = [f"tensor<?x?x{element}>", f"tensor<?x{element}>"]
    body = f"%y = arith.{name} %e0, %e1 : {element}\n linalg.yield %y : {element}"
    with ir.Context():
        module = vectorized(generic(types, ["i, j", "i"], "pr", body))
        assert "vector.reduction <m" in str(module)
        program = mi.compile(module)
    limits = np.finfo(dtype)
    tiny = limits.smallest_subnormal
    values = [0.0, -0.0, tiny, -tiny, limits.max, limits.min, np.inf, -np.inf, np.nan, -np.nan, 1.5, -1.5]
    worst = -np.inf if name == "maximumf" else np.inf
    pairs = [(first, second, start) for first in values for second in values for start in (worst, 0.0, -0.0, np.nan)]
    rows = np.array([[first] * 5 + [second] * 32 for first, second, _ in pairs], dtype)
    starts = np.array([start for *_, start in pairs], dtype)
    result = program.main(rows, starts.copy())
    expected = [extreme(function, [first, second, start]) for first, second, start in pairs]
    np.testing.assert_array_equal(result, np.array(expected, dtype))
    np.testing.assert_array_equal(np.signbit(result)[result == 0], np.signbit(expected)[result == 0])


@pytest.mark.parametrize(
    ("name", "element", "dtype"),
    [("maximumf", "f16", np.float16), ("maxnumf", "f32", np.float32), ("minnumf", "f64", np.float64)],
)
def test_other_extremes_of_lanes_are_those_of_floats(name: str, element: str, dtype: type[np.floating[Any]]) -> None:
    types = [f"tensor<?x?x{element}>", f"tensor<?x{element}>"]
    body = f"%y = arith.{name} %e0, %e1 : {element}\n linalg.yield %y : {element}"
    with ir.Context():
        module = vectorized(generic(types, ["i, j", "i"], "pr", body))
        assert f"vector.reduction <{name}>" in str(module)
        assert "arith.bitcast" not in str(module)
        program = mi.compile(module)
    rows = np.random.default_rng(0).standard_normal((3, 37)).astype(dtype)
    starts = np.array([-9, 0, 9], dtype)
    expected = np.minimum(rows.min(1), starts) if name.startswith("min") else np.maximum(rows.max(1), starts)
    np.testing.assert_array_equal(program.main(rows, starts.copy()), expected)


def extreme(function: np.ufunc, numbers: list[float]) -> float:
    """What is left of `numbers`, of which -0.0 is below 0.0."""
    best = function.reduce(numbers)
    signs = [np.signbit(number) for number in numbers if number == 0]
    return float(best) if best else -0.0 if (all(signs) if function is np.maximum else any(signs)) else 0.0


PREDICATES: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
    "ult": lambda left, right: left < right.astype(np.uint64),
}


@pytest.mark.each_value
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_iterations_are_compared_with_any_number(predicate: str, *, swapped: bool) -> None:
    sides = "%l, %j" if swapped else "%j, %l"
    body = f"""%j = linalg.index 1 : index
      %l = arith.index_cast %e0 : i64 to index
      %c = arith.cmpi {predicate}, {sides} : index
      %y = arith.extui %c : i1 to i32
      linalg.yield %y : i32"""
    with ir.Context():
        module = vectorized(generic(["tensor<?xi64>", "tensor<?x?xi32>"], ["i", "i, j"], "pp", body))
        assert ("arith.minsi" in str(module)) == (predicate != "ult")
        program = mi.compile(module)
    limits = np.iinfo(np.int64)
    numbers = [*range(-3, 60), limits.min, limits.min + 1, limits.max, limits.max - 1, 2**32, -(2**32), 2**31 + 5]
    rows = np.array(numbers, np.int64)
    columns = np.arange(53)
    result = program.main(rows, np.zeros((len(rows), 53), np.int32))
    left, right = np.broadcast_arrays(columns[None, :], rows[:, None])
    if swapped:
        left, right = right, left
    if predicate == "ult":
        left = left.astype(np.uint64)
    np.testing.assert_array_equal(result, PREDICATES[predicate](left, right))


@pytest.mark.parametrize(
    ("compared", "expected"),
    [
        ("%c = arith.cmpi slt, %j, %l : index", lambda j, numbers: j < numbers),
        ("%k = arith.addi %j, %l : index\n %c = arith.cmpi slt, %k, %n : index", lambda j, numbers: j + numbers < 40),
        ("%c = arith.cmpi eq, %j, %j : index", lambda j, numbers: np.ones_like(j)),
    ],
)
def test_what_differs_between_lanes_is_compared_as_it_is(compared: str, expected: Callable[..., np.ndarray]) -> None:
    body = f"""%j = linalg.index 1 : index
      %n = arith.constant 40 : index
      %l = arith.index_cast %e0 : i64 to index
      {compared}
      %y = arith.extui %c : i1 to i32
      linalg.yield %y : i32"""
    with ir.Context():
        module = vectorized(generic(["tensor<?xi64>", "tensor<?x?xi32>"], ["j", "i, j"], "pp", body))
        assert "arith.minsi" not in str(module)
        program = mi.compile(module)
    numbers = np.random.default_rng(0).integers(-9, 60, 53)
    result = program.main(numbers, np.zeros((3, 53), np.int32))
    np.testing.assert_array_equal(result, np.tile(expected(np.arange(53), numbers), (3, 1)))


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_iterations_are_cast_from_the_first_one(width: int) -> None:
    body = f"""%j = linalg.index 1 : index
      %k = arith.addi %j, %j : index
      %n = arith.index_cast %j : index to i{width}
      %m = arith.index_cast %k : index to i{width}
      %s = arith.addi %n, %m : i{width}
      linalg.yield %s : i{width}"""
    with ir.Context():
        module = vectorized(generic([f"tensor<?x?xi{width}>", f"tensor<?x?xi{width}>"], ["i, j", "i, j"], "pp", body))
        casts = re.findall(rf"arith.index_cast %\S+ : (\S+) to \S*i{width}>?", str(module))
        # The other number is a sum of two.
        assert any("vector" in cast for cast in casts)
        assert any("vector" not in cast for cast in casts) == (width in {16, 32})
        program = mi.compile(module)
    result = program.main(np.zeros((2, 70001), f"i{width // 8}"), np.zeros((2, 70001), f"i{width // 8}"))
    np.testing.assert_array_equal(result, np.tile(3 * np.arange(70001), (2, 1)).astype(f"i{width // 8}"))


@pytest.mark.parametrize("width", chosen([4, 7, 8, 12, 16, 24, 31, 32, 40, 48, 56, 63, 64], 4, 7, 12, 24, 31, 48, 64))
def test_elements_that_do_not_fill_their_places(width: int) -> None:
    """In a memref three bytes have four, in a vector they have three. What is passed on has to be in memory."""
    narrow, wide = f"tensor<40x40xi{width}>", "tensor<40x40xi64>"
    maps = "#id = affine_map<(i, j) -> (i, j)>\n#all = {indexing_maps = [#id, #id], iterator_types = [PP]}"
    cast = "" if width == 64 else f"%n = arith.trunci %x : i64 to i{width}"
    back = "" if width == 64 else f"%w = arith.extsi %x : i{width} to i64"
    text = (
        maps.replace("PP", '"parallel", "parallel"')
        + f"""
      func.func @main(%a: {wide}) -> {wide} {{
        %zero = arith.constant 0 : i{width}
        %e = tensor.empty() : {narrow}
        %o = tensor.empty() : {wide}
        %f = linalg.fill ins(%zero : i{width}) outs(%e : {narrow}) -> {narrow}
        %t = linalg.generic #all ins(%a : {wide}) outs(%e : {narrow}) {{
        ^bb0(%x: i64, %y: i{width}):
          {cast}
          linalg.yield {"%n" if cast else "%x"} : i{width}
        }} -> {narrow}
        %p = linalg.matmul ins(%t, %t : {narrow}, {narrow}) outs(%f : {narrow}) -> {narrow}
        %q = linalg.transpose ins(%p : {narrow}) outs(%e : {narrow}) permutation = [1, 0]
        %s = linalg.add ins(%q, %p : {narrow}, {narrow}) outs(%e : {narrow}) -> {narrow}
        %r = linalg.generic #all ins(%s : {narrow}) outs(%o : {wide}) {{
        ^bb0(%x: i{width}, %y: i64):
          {back}
          linalg.yield {"%w" if back else "%x"} : i64
        }} -> {wide}
        return %r : {wide}
      }}"""
    )
    a = np.random.default_rng(width).integers(-(2**62), 2**62, (40, 40))
    left = np.int64(64 - width)
    with np.errstate(over="ignore"):
        product = a @ a
        expected = (product + product.T) << left >> left
    np.testing.assert_array_equal(mi.compile(text, optimize=True).main(a), expected)
