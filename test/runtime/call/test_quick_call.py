"""The short way through a call, and that anything unusual goes the long one with the same outcome."""

from __future__ import annotations

import re

import numpy as np
import pytest

import mlir_inplace as mi

ADD = """
func.func @main(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %e = tensor.empty() : tensor<6x5xf32>
  %r = linalg.add ins(%a, %b : tensor<6x5xf32>, tensor<6x5xf32>) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %r : tensor<6x5xf32>
}
"""


@pytest.fixture
def program() -> mi.Program:
    return mi.compile(ADD)


@pytest.fixture
def arrays() -> tuple[np.ndarray, np.ndarray]:
    first = np.arange(30, dtype=np.float32).reshape(6, 5)
    return first, first * first + 1


def is_quick(program: mi.Program, *arguments: object) -> bool:
    """Whether calls with arguments like these go the short way."""
    return program.main._plan(arguments).quick is not None


def test_each_call_has_a_result_of_its_own(program: mi.Program, arrays: tuple[np.ndarray, np.ndarray]) -> None:
    first, second = program.main(*arrays), program.main(*arrays[::-1])
    assert is_quick(program, *arrays)
    assert not np.shares_memory(first, second)
    first[...] = 0
    np.testing.assert_array_equal(second, arrays[0] + arrays[1])
    assert second.ctypes.data % 64 == 0


def test_a_read_only_array_goes_the_long_way(program: mi.Program, arrays: tuple[np.ndarray, np.ndarray]) -> None:
    program.main(*arrays)
    arrays[0].flags.writeable = False
    np.testing.assert_array_equal(program.main(*arrays), arrays[0] + arrays[1])


def test_a_misaligned_array_is_refused_as_ever(program: mi.Program, arrays: tuple[np.ndarray, np.ndarray]) -> None:
    program.main(*arrays)
    crooked = np.zeros(124, np.uint8)[2:122].view(np.float32).reshape(6, 5)
    with pytest.raises(
        ValueError, match=re.escape("argument 1 ('b'): its memory is not aligned to 4 bytes; pass a copy")
    ):
        program.main(arrays[0], crooked)


def test_other_strides_and_several_results_go_the_long_way(
    program: mi.Program, arrays: tuple[np.ndarray, np.ndarray]
) -> None:
    wide = np.arange(60, dtype=np.float32).reshape(6, 10)[:, ::2]
    assert not is_quick(program, wide, arrays[1])
    np.testing.assert_array_equal(program.main(wide, arrays[1]), wide + arrays[1])
    two = mi.compile("func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, f32) {\n"
                     "%c = arith.constant 1.0 : f32\nreturn %a, %c : tensor<2xf32>, f32\n}")  # fmt: skip
    given = np.float32([3, 4])
    assert not is_quick(two, given)
    array, number = two.main(given)
    assert (array.tolist(), number) == ([3, 4], 1)
