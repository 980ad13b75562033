"""Several sweeps at a time over the rows of a tensor: values are those of one after the other, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from fast_run import sample
from mlir import ir
from stencil_programs import FIVE, THREE_D, Stencil

import mlir_inplace as mi

PING_PONG = "inplace-ping-pong"


def skewed(text: str, l2: int, *, expected: int = 1, bands: int = 1, stripes: bool = False) -> ir.Module:
    """The program with its sweeps skewed, for a machine with so small a second cache and a thread for each band."""
    module = ir.Module.parse(text)
    before = text.count("scf.for")
    skew = f'inplace-skew-time{{threads={bands} machine="l2={l2}"}}'
    mi.run_pipeline(module, f"builtin.module(func.func({PING_PONG},{skew}))")
    module.operation.verify()
    # Groups, blocks and pairs; parts, and stripes; and the loop that was there.
    found = str(module)
    assert found.count("scf.forall (") == (bands > 1)
    assert found.count("scf.for ") == before + (3 + (bands > 1) + stripes) * expected
    assert f") in ({bands})" in found or bands == 1
    return module


def room_for(stencil: Stencil, rows: int) -> int:
    """A cache of which half has room for so many rows of both versions."""
    return 4 * rows * stencil.start()[0].nbytes


CASES = {
    "three points": (Stencil((67,), [(0,), (1,), (2,)]), 9),
    "five points": (Stencil((40, 37), FIVE), 8),
    "one row at a time": (Stencil((40, 37), FIVE), 6),
    "more rows at a time": (Stencil((50, 21), FIVE), 19),
    "far": (Stencil((44, 18), [(0, 0), (4, 1), (0, 3), (2, 2)]), 14),
    "far back only": (Stencil((60, 18), [(0, 0), (1, 1), (2, 3)], first=(4, 1)), 25),
    "far ahead only": (Stencil((60, 18), [(2, 0), (3, 1), (4, 3)], first=(0, 1)), 25),
    "other rows only": (Stencil((48, 18), [(3, 0), (4, 1)], first=(1, 0)), 20),
    "in each row only": (Stencil((30, 18), [(0, 0), (0, 2)]), 8),
    "seven points": (Stencil((16, 7, 20), THREE_D), 7),
    "f64": (Stencil((40, 37), FIVE, "f64"), 8),
    "i32": (Stencil((40, 37), FIVE, "i32"), 8),
}


@pytest.mark.parametrize("name", sample(list(CASES), least=3))
def test_values_are_those_of_one_sweep_after_the_other(name: str) -> None:
    stencil, rows = CASES[name]
    text = stencil.program(stencil.sums() + "\n" + stencil.insert("%u"))
    plain = mi.compile(text, optimize=True)
    with ir.Context():
        program = mi.compile(skewed(text, room_for(stencil, rows)), optimize=True, memory_stats=True)
    start = stencil.start()
    expected = start
    for steps in range(12):
        result = program.main(start, steps)
        np.testing.assert_array_equal(result, plain.main(start, steps))
        np.testing.assert_allclose(result, expected, rtol=1e-4)
        stats = program.memory_stats
        assert (stats.allocations, stats.leaked_bytes) == (2, 0)
        expected = stencil.sweep(expected)


def check_sweeps(stencil: Stencil, l2: int, bands: int, *, stripes: bool = False) -> None:
    """Any number of sweeps has the values of one after the other, on threads and on one; no band is copied."""
    text = stencil.program(stencil.sums() + "\n" + stencil.insert("%u"))
    plain = mi.compile(text, optimize=True)
    with ir.Context():
        module = skewed(text, l2, bands=bands, stripes=stripes)
        program = mi.compile(module, optimize=True, threads=bands)
        counted = mi.compile(module, optimize=True, memory_stats=True)
    start = stencil.start()
    for steps in (0, 1, 2, 3, 4, 5, 7, 9, 16, 23):
        expected = plain.main(start, steps)
        np.testing.assert_array_equal(program.main(start, steps), expected)
        np.testing.assert_array_equal(counted.main(start, steps), expected)
        stats = counted.memory_stats
        assert (stats.allocations, stats.leaked_bytes) == (2, 0)
        # Both versions start from the argument.
        assert stats.copied_bytes <= 2 * start.nbytes


BANDS = {
    "three points": (Stencil((167,), [(0,), (1,), (2,)]), 14, 3),
    "five points": (Stencil((83, 37), FIVE), 12, 2),
    "one row at a time": (Stencil((61, 37), FIVE), 6, 3),
    "more rows at a time": (Stencil((95, 21), FIVE), 30, 2),
    "far": (Stencil((110, 18), [(0, 0), (4, 1), (0, 3), (2, 2)]), 14, 3),
    "far back only": (Stencil((144, 18), [(0, 0), (1, 1), (2, 3)], first=(4, 1)), 25, 2),
    "far ahead only": (Stencil((144, 18), [(2, 0), (3, 1), (4, 3)], first=(0, 1)), 25, 2),
    "in each row only": (Stencil((60, 18), [(0, 0), (0, 2)]), 8, 4),
    "seven points": (Stencil((41, 7, 20), THREE_D), 7, 3),
    "i32, many": (Stencil((140, 37), FIVE, "i32"), 9, 7),
}


@pytest.mark.parametrize("name", sample(list(BANDS), least=2))
def test_bands_of_rows_on_threads(name: str) -> None:
    stencil, rows, bands = BANDS[name]
    check_sweeps(stencil, room_for(stencil, rows), bands)


STRIPES = {
    "seven points": (Stencil((17, 23, 8), THREE_D), 1),
    "seven points on threads": (Stencil((61, 23, 8), THREE_D), 2),
    "far aside": (Stencil((60, 41, 5), [(0, 0, 0), (1, 4, 1), (2, 2, 1), (1, 2, 0)]), 3),
    "aside on one side only": (Stencil((19, 26, 6), [(0, 2, 0), (1, 3, 1), (2, 2, 1)], first=(1, 1, 0)), 1),
    "not aside": (Stencil((19, 26, 6), [(0, 0, 0), (1, 0, 1), (2, 0, 1)]), 1),
    "f64": (Stencil((15, 30, 9), THREE_D, "f64"), 1),
}


@pytest.mark.parametrize("name", sample(list(STRIPES), least=2))
def test_stripes_of_rows_that_are_too_long_for_the_cache(name: str) -> None:
    stencil, bands = STRIPES[name]
    # Both versions of twelve planes have room in it, of each twelve rows.
    check_sweeps(stencil, 2 * 12 * 12 * stencil.start()[0, 0].nbytes, bands, stripes=True)


@pytest.mark.parametrize("steps", [4, 7, 10, 23])
def test_a_known_number_of_sweeps_is_cut_into_equal_groups(steps: int) -> None:
    stencil = Stencil((40, 37), FIVE)
    text = stencil.program(stencil.sums() + "\n" + stencil.insert("%u"), steps="%count")
    text = text.replace("%c0 =", f"%count = arith.constant {steps} : index\n%c0 =", 1)
    with ir.Context():
        program = mi.compile(skewed(text, room_for(stencil, 9)), optimize=True)
    start = stencil.start()
    expected = start
    for _ in range(steps):
        expected = stencil.sweep(expected)
    np.testing.assert_allclose(program.main(start, 0), expected, rtol=1e-4)


def test_both_versions_are_those_of_the_loop() -> None:
    # Borders of the two differ, and stay in the version that they are of.
    text = """
      #id = affine_map<(i, j) -> (i, j)>
      func.func @main(%a: tensor<30x9xf32>, %b: tensor<30x9xf32>, %n: index) -> (tensor<30x9xf32>, tensor<30x9xf32>) {
        %c3 = arith.constant 3 : index
        %c5 = arith.constant 5 : index
        %r:2 = scf.for %t = %c5 to %n step %c3 iter_args(%v = %b, %u = %a) -> (tensor<30x9xf32>, tensor<30x9xf32>) {
          %half = arith.constant 0.5 : f32
          %x = tensor.extract_slice %u[0, 0] [28, 9] [1, 1] : tensor<30x9xf32> to tensor<28x9xf32>
          %y = tensor.extract_slice %u[2, 0] [28, 9] [1, 1] : tensor<30x9xf32> to tensor<28x9xf32>
          %e = tensor.empty() : tensor<28x9xf32>
          %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
              ins(%x, %y : tensor<28x9xf32>, tensor<28x9xf32>) outs(%e : tensor<28x9xf32>) {
          ^bb0(%p: f32, %q: f32, %o: f32):
            %row = linalg.index 0 : index
            %i = arith.index_cast %row : index to i32
            %f = arith.sitofp %i : i32 to f32
            %d = arith.subf %p, %q : f32
            %h = arith.mulf %d, %half : f32
            %z = arith.addf %h, %f : f32
            linalg.yield %z : f32
          } -> tensor<28x9xf32>
          %new = tensor.insert_slice %s into %v[1, 0] [28, 9] [1, 1] : tensor<28x9xf32> into tensor<30x9xf32>
          scf.yield %u, %new : tensor<30x9xf32>, tensor<30x9xf32>
        }
        return %r#0, %r#1 : tensor<30x9xf32>, tensor<30x9xf32>
      }"""
    with ir.Context():
        program = mi.compile(skewed(text, 4 * 36 * 8), optimize=True)
    a = np.arange(270, dtype=np.float32).reshape(30, 9)
    b = -a[::-1].copy()
    for count in (-1, 5, 6, 8, 9, 14, 15, 30, 31, 40):
        old, other = a.copy(), b.copy()
        for _ in range(5, count, 3):
            other[1:-1] = (old[:-2] - old[2:]) * np.float32(0.5) + np.arange(28, dtype=np.float32)[:, None]
            old, other = other, old
        left, right = program.main(a, b, count)
        np.testing.assert_array_equal(left, other)
        np.testing.assert_array_equal(right, old)


def test_a_field_of_coefficients_is_read_row_by_row() -> None:
    text = """
      #id = affine_map<(i, j) -> (i, j)>
      #j = affine_map<(i, j) -> (j)>
      func.func @main(%a: tensor<30x9xf32>, %k: tensor<28x9xf32>, %w: tensor<9xf32>, %n: index) -> tensor<30x9xf32> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %r = scf.for %t = %c0 to %n step %c1 iter_args(%u = %a) -> (tensor<30x9xf32>) {
          %x = tensor.extract_slice %u[0, 0] [28, 9] [1, 1] : tensor<30x9xf32> to tensor<28x9xf32>
          %y = tensor.extract_slice %u[2, 0] [28, 9] [1, 1] : tensor<30x9xf32> to tensor<28x9xf32>
          %e = tensor.empty() : tensor<28x9xf32>
          %s = linalg.generic {indexing_maps = [#id, #id, #id, #j, #id], iterator_types = ["parallel", "parallel"]}
              ins(%x, %y, %k, %w : tensor<28x9xf32>, tensor<28x9xf32>, tensor<28x9xf32>, tensor<9xf32>)
              outs(%e : tensor<28x9xf32>) {
          ^bb0(%p: f32, %q: f32, %f: f32, %g: f32, %o: f32):
            %d = arith.subf %p, %q : f32
            %h = arith.addf %d, %f : f32
            %z = arith.mulf %h, %g : f32
            linalg.yield %z : f32
          } -> tensor<28x9xf32>
          %new = tensor.insert_slice %s into %u[1, 0] [28, 9] [1, 1] : tensor<28x9xf32> into tensor<30x9xf32>
          scf.yield %new : tensor<30x9xf32>
        }
        return %r : tensor<30x9xf32>
      }"""
    with ir.Context():
        program = mi.compile(skewed(text, 4 * 36 * 8), optimize=True)
    rng = np.random.default_rng(3)
    a, k, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((30, 9), (28, 9), (9,)))
    expected = a.copy()
    for steps in range(9):
        np.testing.assert_allclose(program.main(a, k, w, steps), expected, rtol=1e-5, atol=1e-5)
        new = expected.copy()
        new[1:-1] = (expected[:-2] - expected[2:] + k) * w
        expected = new


def test_values_that_are_no_numbers_go_where_they_went() -> None:
    stencil = Stencil((40, 37), FIVE)
    text = stencil.program(stencil.sums() + "\n" + stencil.insert("%u"))
    start = stencil.start()
    start[7, 7], start[20, 3], start[30, 30], start[0, 5], start[39, 36] = np.nan, np.inf, -np.inf, 3e38, 1e-42
    with ir.Context():
        program = mi.compile(skewed(text, room_for(stencil, 8)), optimize=True)
    with np.errstate(all="ignore"):
        expected = stencil.sweep(stencil.sweep(stencil.sweep(start)))
    np.testing.assert_allclose(program.main(start, 3), expected, rtol=1e-5)


def refused(text: str, said: pytest.CaptureFixture[str], l2: int = 1152, threads: int = 1) -> str:
    """What the remark says of the one loop that stays."""
    with ir.Context():
        module = ir.Module.parse(text)
        options = f'{{print-kept threads={threads} machine="l2={l2}"}}'
        mi.run_pipeline(module, f"builtin.module(func.func({PING_PONG},inplace-skew-time{options}))")
        assert str(module).count("scf.for") == text.count("scf.for")
    (line,) = said.readouterr().err.splitlines()
    return line.partition("the sweeps of this loop are not skewed, because ")[2]


def variant(sums: str = "%d = linalg.add ins(%x, %y : P, P) outs(%e : P) -> P") -> str:
    """A function with one loop; P and T are types of the inside and of the whole."""
    return f"""
      func.func @main(%a: T, %n: index) -> T {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %f = arith.constant 0.5 : f32
        %r = scf.for %t = %c0 to %n step %c1 iter_args(%u = %a) -> (T) {{
          %x = tensor.extract_slice %u[0, 0] [28, 9] [1, 1] : T to P
          %y = tensor.extract_slice %u[2, 0] [28, 9] [1, 1] : T to P
          %e = tensor.empty() : P
          {sums}
          %new = tensor.insert_slice %d into %u[1, 0] [28, 9] [1, 1] : P into T
          scf.yield %new : T
        }}
        return %r : T
      }}""".replace("P", "tensor<28x9xf32>").replace("T", "tensor<30x9xf32>")


TRANSPOSED = """%s = tensor.extract_slice %u[0, 0] [9, 9] [1, 1] : T to tensor<9x9xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : P, tensor<9x9xf32>) outs(%e : P) {
  ^bb0(%p: f32, %z: f32, %o: f32):
    %m = arith.addf %p, %z : f32
    linalg.yield %m : f32
  } -> P"""
READS = """%d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%y : P) outs(%e : P) {
  ^bb0(%p: f32, %o: f32):
    %z = tensor.extract %u[%c0, %c1] : T
    %m = arith.addf %p, %z : f32
    linalg.yield %m : f32
  } -> P"""
NUMBER = """%ti = arith.index_cast %t : index to i32
  %g = arith.sitofp %ti : i32 to f32
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y, %g : P, f32) outs(%e : P) {
  ^bb0(%p: f32, %z: f32, %o: f32):
    %m = arith.addf %p, %z : f32
    linalg.yield %m : f32
  } -> P"""
EMPTY = "%d = linalg.add ins(%x, %e : P, P) outs(%e : P) -> P"
TWO = "%d0 = linalg.add ins(%x, %y : P, P) outs(%e : P) -> P %d = linalg.exp ins(%d0 : P) outs(%e : P) -> P"
BACKWARDS = """%k = arith.constant dense<2.0> : P
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (27 - i, j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %k : P, P) outs(%e : P) {
  ^bb0(%p: f32, %z: f32, %o: f32):
    %m = arith.addf %p, %z : f32
    linalg.yield %m : f32
  } -> P"""
EVERY_OTHER_ROW = BACKWARDS.replace("27 - i", "2 * i").replace("P, P)", "P, tensor<55x9xf32>)")
EVERY_OTHER_ROW = EVERY_OTHER_ROW.replace("dense<2.0> : P", "dense<2.0> : tensor<55x9xf32>")
REFUSED = {
    "every other row": (EVERY_OTHER_ROW, "an input is not read row by row"),
    "backwards": (BACKWARDS, "an index of 'linalg.generic' decreases along a loop"),
    "fixed rows": (TRANSPOSED, "a slice is not read row by row"),
    "whole": (READS, "'tensor.extract' reads all of the old version"),
    "number": (NUMBER, "'arith.index_cast' is in the loop"),
    "empty": (EMPTY, "an input has no content"),
    "two": (TWO, "it does not carry two tensors that take turns, and nothing else"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_sweeps_stay(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    sums, reason = REFUSED[name]
    assert refused(variant(sums), capsys) == reason


def test_what_fits_into_the_cache_stays(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(variant(), capsys, 1 << 20) == "both versions fit into the second cache"


def test_rows_that_are_too_long_for_the_cache_stay(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(variant(), capsys, 400) == "there is room, or need, for fewer than 4 sweeps at a time"


def test_planes_without_room_for_broad_stripes_stay(capsys: pytest.CaptureFixture[str]) -> None:
    stencil = Stencil((17, 23, 8), THREE_D)
    text = stencil.program(stencil.sums() + "\n" + stencil.insert("%u"))
    # Six rows of each of eight planes, of both versions: four sweeps of a stripe of four rows read eight from memory.
    room = 2 * 6 * 8 * stencil.start()[0, 0].nbytes
    with ir.Context():
        skewed(text, room, stripes=True)
    assert refused(text, capsys, room - 1) == "there is room, or need, for fewer than 4 sweeps at a time"


def test_sweeps_on_many_threads_stay(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(variant(), capsys, threads=5) == "each sweep is given to threads"


def test_rows_that_one_thread_runs_sweeps_over_are_not_given_to_threads() -> None:
    stencil = Stencil((600, 400), FIVE)
    text = stencil.program(stencil.sums() + "\n" + stencil.insert("%u"))
    with ir.Context():
        module = skewed(text, room_for(stencil, 20))
        mi.run_pipeline(
            module, "builtin.module(inplace-convert-to-destination-style,func.func(inplace-distribute{threads=2}))"
        )
        # The sweep that is left of an odd number is.
        assert str(module).count("scf.forall (") == 1
        program = mi.compile(module, optimize=True, threads=2)
    start = stencil.start()
    alone = mi.compile(text, optimize=True)
    for threads in (2, 3):
        several = mi.compile(text, optimize=True, threads=threads)
        for steps in (3, 7):
            expected = alone.main(start, steps)
            np.testing.assert_array_equal(several.main(start, steps), expected)
            np.testing.assert_array_equal(program.main(start, steps), expected)
