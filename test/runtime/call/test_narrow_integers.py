"""Integers of 2 and 4 bits as arguments and results, in arrays of `ml_dtypes`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mlir_inplace as mi

OPTIONS = [{}, {"optimize": True}, {"memory_stats": True}]
Array = np.ndarray[Any, Any]

SUMS = """
func.func @main(%a: tensor<?xi4>, %b: i4, %w: tensor<4xi4> {bufferization.writable = true})
    -> (tensor<?xi32>, tensor<?xi4>, i4, tensor<4xi4>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xi4>
  %wide = arith.extsi %a : tensor<?xi4> to tensor<?xi32>
  %all = tensor.splat %b[%n] : tensor<?xi4>
  %difference = arith.subi %a, %all : tensor<?xi4>
  %three = arith.constant 3 : i4
  %product = arith.muli %b, %three : i4
  %inserted = tensor.insert %product into %w[%c0] : tensor<4xi4>
  return %wide, %difference, %product, %inserted : tensor<?xi32>, tensor<?xi4>, i4, tensor<4xi4>
}
"""


def wrapped(number: int) -> int:
    return (number + 8) % 16 - 8


@pytest.mark.each_value
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("scalar", [-8, -5, 0, 7])
def test_four_bits(options: dict[str, bool], scalar: int) -> None:
    program = mi.compile(SUMS, **options)
    every = np.arange(-8, 8).astype(ml_dtypes.int4)
    for array in (every, every[::-2]):
        written = np.zeros(4, ml_dtypes.int4)
        for given in (scalar, ml_dtypes.int4(scalar), np.int64(scalar)):
            wide, difference, product, inserted = program.main(array, given, written)
            np.testing.assert_array_equal(wide, array.astype(np.int32))
            assert difference.dtype == ml_dtypes.int4
            assert [int(number) for number in difference] == [wrapped(int(number) - scalar) for number in array]
            assert product == wrapped(3 * scalar) and type(product) is int
            assert inserted is written and [int(number) for number in written] == [product, 0, 0, 0]


@pytest.mark.parametrize(
    ("element", "dtype"),
    [("i4", "int4"), ("si4", "int4"), ("ui4", "uint4"), ("i2", "int2"), ("si2", "int2"), ("ui2", "uint2")],
)
def test_every_value_goes_through(element: str, dtype: str) -> None:
    program = mi.compile(
        f"""
        func.func @main(%a: tensor<?x{element}>, %b: {element}) -> (tensor<?x{element}>, {element}) {{
          return %a, %b : tensor<?x{element}>, {element}
        }}"""
    )
    kind = np.dtype(getattr(ml_dtypes, dtype))
    limits = ml_dtypes.iinfo(kind)
    numbers = list(range(limits.min, limits.max + 1))
    for number in numbers:
        array, scalar = program.main(np.array(numbers, kind), number)
        assert array.dtype == kind and [int(value) for value in array] == numbers
        assert scalar == number and type(scalar) is int
    for beyond in (limits.min - 1, limits.max + 1):
        with pytest.raises(ValueError, match=rf"{beyond} does not fit into {element}, which holds {limits.min} to"):
            program.main(np.array(numbers, kind), beyond)


def test_unsigned_extension_and_constants() -> None:
    program = mi.compile(
        """
        func.func @main(%a: tensor<3xi4>) -> tensor<3xi32> {
          %0 = arith.constant dense<[-1, 2, -8]> : tensor<3xi4>
          %1 = arith.addi %a, %0 : tensor<3xi4>
          %2 = arith.extui %1 : tensor<3xi4> to tensor<3xi32>
          return %2 : tensor<3xi32>
        }"""
    )
    np.testing.assert_array_equal(program.main(np.array([0, 7, -8], ml_dtypes.int4)), [15, 9, 0])


def test_bound_call_and_out() -> None:
    program = mi.compile(
        "func.func @main(%a: tensor<4xi4>) -> tensor<4xi4> { %0 = arith.addi %a, %a : tensor<4xi4>\n"
        "return %0 : tensor<4xi4> }"
    )
    array, out = np.array([1, 2, 3, 5], ml_dtypes.int4), np.zeros(4, ml_dtypes.int4)
    assert program.main(array, out=out) is out
    assert [int(number) for number in out] == [2, 4, 6, -6]
    assert [int(number) for number in program.bind(array)()] == [2, 4, 6, -6]


@pytest.mark.parametrize(
    ("argument", "error", "message"),
    [
        (np.zeros(4, np.int8), TypeError, r"expected dtype int4 for tensor<4xi4>, got int8; convert with"),
        (np.zeros(4, ml_dtypes.uint4), TypeError, r"expected dtype int4 for tensor<4xi4>, got uint4"),
        (
            np.array([1, -1, 2, 3], np.int8).view(ml_dtypes.int4),
            ValueError,
            r"argument 0 \('a'\): bytes of it have bits beyond the 4 of i4; convert it from integers with .astype\(",
        ),
    ],
)
def test_wrong_arrays(argument: Array, error: type[Exception], message: str) -> None:
    program = mi.compile("func.func @main(%a: tensor<4xi4>) -> tensor<4xi4> { return %a : tensor<4xi4> }")
    with pytest.raises(error, match=message):
        program.main(argument)


def test_wrong_scalars() -> None:
    program = mi.compile("func.func @main(%a: i4) -> i4 { return %a : i4 }")
    for value in (1.0, "1", None, np.float32(1), ml_dtypes.bfloat16(1)):
        with pytest.raises(TypeError, match="expected an integer for i4, got "):
            program.main(value)
