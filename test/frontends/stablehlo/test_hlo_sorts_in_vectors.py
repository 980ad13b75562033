"""Sorts in vectors against NumPy's stable sort, bit for bit, on any machine: vectors of 512 bits are taken as given."""

from __future__ import annotations

import numpy as np
import pytest
from fast_run import sample
from sort_programs import DTYPES, FLOATS, comparators, sort_data, sort_places, sort_program

import mlir_inplace as mi
from mlir_inplace.frontends.stablehlo import legalize_stablehlo, parse_stablehlo
from mlir_inplace.passes.vectorization import vectorize_sorts
from mlir_inplace.passes.vectorization.rewriting.quicksort import QUICK, QUICK_TYPES
from mlir_inplace.passes.vectorization.rewriting.sort_code import SortCode
from mlir_inplace.passes.vectorization.rewriting.sort_lines import write_number_sort

WIDE, NARROW = "vector-bits=512", "vector-bits=256"
ELEMENTS = ("f32", "f64", "i32", "i64", "ui32", "ui64")
CASES = [(element, one) for element in ELEMENTS for one in comparators(element) if one not in ("general", "magnitude")]
SIZES = (16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300, 511, 512, 513, 1023, 1025, 2000, 5001)
SHAPES = ((1000,), (3, 70), (2, 2, 300), (2, 1500))


@pytest.fixture(autouse=True)
def few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sorts of few numbers are in vectors too."""
    monkeypatch.setattr(vectorize_sorts, "_FEWEST", 1)


def program(text: str, machine: str = WIDE) -> mi.Program:
    return mi.compile(legalize_stablehlo(parse_stablehlo(text)), optimize=True, machine=machine)


def as_argument(x: np.ndarray) -> np.ndarray:
    return x.view(f"i{x.itemsize}") if x.dtype.kind == "u" else x


def arrays(rng: np.random.Generator, shape: tuple[int, ...], element: str, comparator: str) -> list[np.ndarray]:
    """Arrays with and without elements that are equal and not alike, and in all kinds of order."""
    dtype = np.dtype(DTYPES[element])
    mixed = sort_data(rng, shape, element, comparator)
    few = rng.integers(0, 7, shape).astype(dtype)
    if element in FLOATS:
        plain = rng.standard_normal(shape).astype(dtype)
        some = plain.copy()
        some[..., 3] = -0.0
        many = np.where(rng.random(shape) < 0.4, np.array(-0.0, dtype), np.where(rng.random(shape) < 0.5, 0, plain))
        return [mixed, few, plain, some, many.astype(dtype), np.sort(plain), np.full(shape, -0.0, dtype)]
    plain = rng.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0]
    least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
    ends = rng.choice(np.array([least, greatest], dtype), shape)
    return [mixed, few, plain, ends, np.sort(plain), np.sort(plain)[..., ::-1].copy(), np.full(shape, greatest, dtype)]


def check(shape: tuple[int, ...], element: str, comparator: str, seed: int) -> None:
    dim = len(shape) - 1
    sort = program(sort_program(shape, dim, element, comparator, "x"))
    for x in arrays(np.random.default_rng(seed), shape, element, comparator):
        expected = np.take_along_axis(x, sort_places(x, dim, comparator), dim)
        assert sort.main(as_argument(x)).tobytes() == expected.tobytes(), (shape, element, comparator, x)


@pytest.mark.each_value
@pytest.mark.parametrize(("element", "comparator"), sample(CASES, least=6))
def test_every_type_and_order(element: str, comparator: str) -> None:
    for shape in SHAPES:
        check(shape, element, comparator, CASES.index((element, comparator)))


@pytest.mark.each_value
@pytest.mark.parametrize("element", ["f32", "i64"])
@pytest.mark.parametrize("size", sample(SIZES, least=6))
def test_every_size(size: int, element: str) -> None:
    check((size,), element, "less", size)


@pytest.mark.each_value
@pytest.mark.parametrize("comparator", ["less", "greater"])
@pytest.mark.parametrize("element", sample(["i32", "i64", "ui32", "ui64"], least=2))
def test_small_ranges(element: str, comparator: str) -> None:
    """Numbers of a range below 64 are counted, if they are 2048 or more; one that is not sampled makes it larger."""
    dtype = np.dtype(DTYPES[element])
    least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
    rng = np.random.default_rng(0)
    for size in (2047, 2048, 2560, 5003):
        sort = program(sort_program((2, size), 1, element, comparator, "x"))
        for low, high in ((3, 3), (0, 15), (least, least + 63), (greatest - 63, greatest), (greatest - 64, greatest)):
            x = rng.integers(low, high, (2, size), dtype, endpoint=True)
            x[:, 3], x[:, -2] = low, high
            outside = x.copy()
            outside[1, size // 3] = least + 100
            for y in (x, outside):
                expected = np.sort(y)[:, :: -1 if comparator == "greater" else 1]
                np.testing.assert_array_equal(sort.main(as_argument(y)).view(dtype), expected)


@pytest.mark.parametrize("machine", [WIDE, NARROW])
def test_only_wide_machines_need_one_line_more(machine: str) -> None:
    """A sort in vectors has a line of memory besides; one by the digits of keys has several."""
    module = legalize_stablehlo(parse_stablehlo(sort_program((5000,), 0, "f64", "less", "x")))
    sort = mi.compile(module, optimize=True, machine=machine, memory_stats=True)
    x = np.random.default_rng(0).standard_normal(5000)
    np.testing.assert_array_equal(sort.main(x), np.sort(x))
    assert (sort.memory_stats.allocated_bytes <= 2 * 8 * 5000 + 64) == (machine == WIDE)


def depth_program(kind: str, size: int, depth: int) -> mi.Program:
    """Sorts an array in place; partitions are `depth` deep at most."""
    code = SortCode(kind)
    write_number_sort(code)
    memory = f"memref<{size}x{code.element}>"
    text = f"""
func.func @main(%x: {memory}, %y: {memory}) {{
  %0 = memref.extract_aligned_pointer_as_index %x : {memory} -> index
  %1 = arith.index_cast %0 : index to i64
  %d = llvm.inttoptr %1 : i64 to !llvm.ptr
  %2 = memref.extract_aligned_pointer_as_index %y : {memory} -> index
  %3 = arith.index_cast %2 : index to i64
  %s = llvm.inttoptr %3 : i64 to !llvm.ptr
  %n = arith.constant {size} : i64
  %depth = arith.constant {depth} : i64
  %no = arith.constant false
  func.call @{QUICK}_{kind}(%d, %s, %n, %depth, %no) : ({QUICK_TYPES}) -> ()
  return
}}
{code.text()}
"""
    return mi.compile(text)


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["f32", "i64", "ui32"])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_what_is_too_deep_is_sorted_by_a_heap(kind: str, depth: int) -> None:
    rng = np.random.default_rng(depth)
    for x in arrays(rng, (3000,), kind, "less")[2:3] * 2:
        rng.shuffle(x)
        sorted_ = as_argument(x.copy())
        depth_program(kind, x.size, depth).main(sorted_, np.empty_like(sorted_))
        np.testing.assert_array_equal(sorted_.view(x.dtype), np.sort(x))
