"""Loops and branches of StableHLO against NumPy; what loops carry is updated in place."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hlo_programs import compiled, distinct

from mlir_inplace.dialects import stablehlo
from mlir_inplace.frontends.stablehlo import legalize_stablehlo, parse_stablehlo

DUS = "(tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>"
SLICE = "(tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>"
SCAN = f"""
func.func @main(%xs: tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {{
  %zero = stablehlo.constant dense<0.0> : tensor<1x4xf32>
  %rows = stablehlo.constant dense<0.0> : tensor<8x4xf32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:4 = stablehlo.while(%x = %xs, %i = %c0, %sum = %zero, %ys = %rows)
      : tensor<8x4xf32>, tensor<i32>, tensor<1x4xf32>, tensor<8x4xf32>
  cond {{
    %c8 = stablehlo.constant dense<8> : tensor<i32>
    %p = stablehlo.compare LT, %i, %c8 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %z = stablehlo.constant dense<0> : tensor<i32>
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %row = stablehlo.dynamic_slice %x, %i, %z, sizes = [1, 4] : {SLICE}
    %new = stablehlo.add %sum, %row : tensor<1x4xf32>
    %out = stablehlo.dynamic_update_slice %ys, %new, %i, %z : {DUS}
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %x, %j, %new, %out : tensor<8x4xf32>, tensor<i32>, tensor<1x4xf32>, tensor<8x4xf32>
  }}
  return %0#2, %0#3 : tensor<1x4xf32>, tensor<8x4xf32>
}}
"""


@pytest.mark.parametrize("optimize", [False, True])
def test_a_scan_writes_its_rows_in_place(optimize: bool) -> None:
    program = compiled(SCAN, optimize=optimize)
    xs = distinct(8, 4)
    total, rows = program.main(xs)
    np.testing.assert_allclose(rows, np.cumsum(xs, axis=0), rtol=1e-6)
    np.testing.assert_array_equal(total, rows[-1:])
    # Each new sum is both carried on and a row of the result, so one of the two is a copy of a row.
    assert program.memory_stats.copied_bytes == xs.nbytes


UPDATES = f"""
func.func @main(%x: tensor<8x4xf32> {{bufferization.writable = true}}, %n: tensor<i32>)
    -> (tensor<8x4xf32>, tensor<i32>) {{
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c2, %end = %n, %a = %x) : tensor<i32>, tensor<i32>, tensor<8x4xf32>
  cond {{
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %z = stablehlo.constant dense<0> : tensor<i32>
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %row = stablehlo.dynamic_slice %a, %i, %z, sizes = [1, 4] : {SLICE}
    %new = stablehlo.negate %row : tensor<1x4xf32>
    %out = stablehlo.dynamic_update_slice %a, %new, %i, %z : {DUS}
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %end, %out : tensor<i32>, tensor<i32>, tensor<8x4xf32>
  }}
  return %0#2, %0#0 : tensor<8x4xf32>, tensor<i32>
}}
"""


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize(("end", "last"), [(6, 6), (2, 2), (-3, 2)])
def test_rows_of_an_argument_are_updated_in_place(optimize: bool, end: int, last: int) -> None:
    program = compiled(UPDATES, optimize=optimize)
    x = distinct(8, 4)
    expected = x.copy()
    expected[2:last] *= -1
    result, count = program.main(x, np.array(end, np.int32))
    assert result is x
    np.testing.assert_array_equal(result, expected)
    assert count == last
    assert program.memory_stats.copies == 0
    assert program.memory_stats.allocations <= 1  # the count, where it is no out-parameter


def test_indices_past_the_end_are_clamped() -> None:
    program = compiled(UPDATES)
    x = distinct(8, 4)
    expected = x.copy()
    expected[2:7] *= -1
    expected[7] *= (-1) ** (12 - 7)
    np.testing.assert_array_equal(program.main(x, np.array(12, np.int32))[0], expected)


FROM_ROW_BEFORE = f"""
func.func @main(%x: tensor<8x4xf32> {{bufferization.writable = true}}) -> tensor<8x4xf32> {{
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c1, %a = %x) : tensor<i32>, tensor<8x4xf32>
  cond {{
    %c8 = stablehlo.constant dense<8> : tensor<i32>
    %p = stablehlo.compare LT, %i, %c8 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %c8 = stablehlo.constant dense<8> : tensor<i32>
    %before = stablehlo.subtract %i, %one : tensor<i32>
    %isnegative = stablehlo.compare LT, %before, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %fromend = stablehlo.add %before, %c8 : tensor<i32>
    %index = stablehlo.select %isnegative, %fromend, %before : tensor<i1>, tensor<i32>
    %old = stablehlo.dynamic_slice %a, %index, %z, sizes = [1, 4] : {SLICE}
    %row = stablehlo.dynamic_slice %a, %i, %z, sizes = [1, 4] : {SLICE}
    %new = stablehlo.add %old, %row : tensor<1x4xf32>
    %update = stablehlo.reshape %new : (tensor<1x4xf32>) -> tensor<4xf32>
    %place = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %out = "stablehlo.scatter"(%a, %place, %update) <{{scatter_dimension_numbers = #stablehlo.scatter<
        update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}}> ({{
    ^bb0(%b: tensor<f32>, %c: tensor<f32>):
      stablehlo.return %c : tensor<f32>
    }}) : (tensor<8x4xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<8x4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %out : tensor<i32>, tensor<8x4xf32>
  }}
  return %0#1 : tensor<8x4xf32>
}}
"""


def test_a_row_is_computed_in_place_from_the_row_before() -> None:
    program = compiled(FROM_ROW_BEFORE, optimize=True)
    x = distinct(8, 4)
    expected = np.cumsum(x, axis=0)
    assert program.main(x) is x
    np.testing.assert_array_equal(x, expected)
    assert program.memory_stats.copies == program.memory_stats.allocations == 0


HALVINGS = """
func.func @main(%x: tensor<f32>, %y: tensor<3xf32>) -> (tensor<f32>, tensor<ui8>, tensor<3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<ui8>
  %0:4 = stablehlo.while(%a = %x, %n = %zero, %b = %y, %c = %y) : tensor<f32>, tensor<ui8>, tensor<3xf32>, tensor<3xf32>
  cond {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %p = stablehlo.compare GT, %a, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %next = stablehlo.multiply %a, %half : tensor<f32>
    %step = stablehlo.constant dense<100> : tensor<ui8>
    %m = stablehlo.add %n, %step : tensor<ui8>
    %d = stablehlo.add %b, %c : tensor<3xf32>
    stablehlo.return %next, %m, %c, %d : tensor<f32>, tensor<ui8>, tensor<3xf32>, tensor<3xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<f32>, tensor<ui8>, tensor<3xf32>
}
"""


def test_a_loop_with_any_condition_carries_scalars_and_swaps_tensors() -> None:
    program = compiled(HALVINGS)
    y = np.array([1, -2, 0.5], np.float32)
    a, n, b = program.main(np.float32(20), y)
    assert a == np.float32(20 / 32)
    assert n == np.uint8(500 % 256).astype(np.int8)  # signless
    np.testing.assert_array_equal(b, 8 * y)  # Fibonacci: 1 1 2 3 5 8


COUNTERS = """
func.func @main(%n: tensor<ui8>) -> (tensor<ui8>, tensor<ui8>, tensor<i16>) {
  %zero = stablehlo.constant dense<0> : tensor<ui8>
  %five = stablehlo.constant dense<5> : tensor<i16>
  %0:3 = stablehlo.while(%i = %zero, %a = %zero, %b = %five) : tensor<ui8>, tensor<ui8>, tensor<i16>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<ui8>
    %step = stablehlo.constant dense<201> : tensor<ui8>
    %down = stablehlo.constant dense<-3> : tensor<i16>
    %j = stablehlo.add %i, %one : tensor<ui8>
    %c = stablehlo.add %step, %a : tensor<ui8>
    %d = stablehlo.add %b, %down : tensor<i16>
    stablehlo.return %j, %c, %d : tensor<ui8>, tensor<ui8>, tensor<i16>
  }
  return %0#0, %0#1, %0#2 : tensor<ui8>, tensor<ui8>, tensor<i16>
}
"""


@pytest.mark.parametrize("count", [0, 1, 3, 255])
def test_values_with_constant_steps_wrap_around(count: int) -> None:
    module = legalize_stablehlo(parse_stablehlo(COUNTERS))
    assert "scf.while" not in str(module)
    i, a, b = compiled(COUNTERS).main(np.uint8(count).astype(np.int8))
    assert i.astype(np.uint8) == count
    assert a.astype(np.uint8) == count * 201 % 256
    assert b == 5 - 3 * count


CASES = """
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = "stablehlo.case"(%i) ({
    %1 = stablehlo.add %x, %x : tensor<4xf32>
    stablehlo.return %1, %zero : tensor<4xf32>, tensor<f32>
  }, {
    %1 = stablehlo.negate %x : tensor<4xf32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %1, %one : tensor<4xf32>, tensor<f32>
  }, {
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    stablehlo.return %x, %two : tensor<4xf32>, tensor<f32>
  }) : (tensor<i32>) -> (tensor<4xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<f32>
}
"""


@pytest.mark.parametrize(("index", "taken"), [(0, 0), (1, 1), (2, 2), (3, 2), (-1, 2), (-(2**31), 2)])
def test_an_index_that_no_branch_has_takes_the_last(index: int, taken: int) -> None:
    x = np.array([1, -2, 3, 0.5], np.float32)
    y, branch = compiled(CASES).main(np.array(index, np.int32), x)
    assert branch == taken
    np.testing.assert_array_equal(y, (x + x, -x, x)[taken])


def test_the_source_stays_as_it_is() -> None:
    module = parse_stablehlo(CASES)
    before = str(module)
    legalize_stablehlo(module)
    assert str(module) == before


def test_text_bytecode_and_portable_artifacts() -> None:
    bindings = stablehlo.bindings()
    module = parse_stablehlo(CASES)
    expected = str(legalize_stablehlo(module))
    bytecode = io.BytesIO()
    module.operation.write_bytecode(bytecode)
    artifact = bindings.serialize_portable_artifact_str(CASES, bindings.get_current_version())
    for source in (CASES, CASES.encode(), bytecode.getvalue(), artifact):
        assert str(legalize_stablehlo(parse_stablehlo(source))) == expected
