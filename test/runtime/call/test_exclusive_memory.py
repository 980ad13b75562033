"""Whether arrays that a call writes may meet others, by their bounds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.runtime.call.exclusive_memory import bounds_of, may_meet

PIECES = [slice(0, 4), slice(4, 6), slice(2, 9), slice(6, 6), slice(8, None, -3), slice(9, 12), slice(9, 10)]
MEMORY = np.arange(12, dtype=np.float32)

UPDATE = """
#id = affine_map<(i) -> (i)>
func.func @main(%a: tensor<?xf32> {bufferization.writable = true}, %b: tensor<?xf32>, %c: tensor<?xf32>)
    -> tensor<?xf32> {
  %0 = linalg.add ins(%b, %c : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""


@pytest.mark.parametrize("exclusive", list(itertools.product([False, True], repeat=3)))
def test_bounds_meet_exactly_where_two_arrays_of_which_one_is_exclusive_do(exclusive: tuple[bool, ...]) -> None:
    for pieces in itertools.product(PIECES, repeat=3):
        arrays = [MEMORY[piece] for piece in pieces]
        addresses = [array.__array_interface__["data"][0] for array in arrays]
        bounds = [
            bounds_of(place, array, addresses[place], exclusive=alone)
            for place, (array, alone) in enumerate(zip(arrays, exclusive, strict=True))
        ]
        expected = any(
            (exclusive[one] or exclusive[other]) and np.may_share_memory(arrays[one], arrays[other])
            for one, other in itertools.combinations(range(3), 2)
        )
        found = may_meet(bounds, addresses)
        # An empty array inside another one may count as meeting it; the arrays themselves are compared then.
        assert found == expected or (found and any(array.size == 0 for array in arrays))


def test_a_written_array_may_interleave_with_others_but_not_overlap() -> None:
    program = mi.compile(UPDATE)
    matrix = np.arange(12, dtype=np.float32).reshape(4, 3)
    before = matrix.copy()
    program.main(matrix[:, 0], matrix[:, 1], matrix[:, 1])
    np.testing.assert_array_equal(matrix[:, 0], before[:, 1] * 2)
    np.testing.assert_array_equal(matrix[:, 1:], before[:, 1:])
    for number, arguments in enumerate(
        [(slice(0, 4), slice(6, 10), slice(3, 7)), (slice(3, 7), slice(0, 4), slice(8, 12))]
    ):
        with pytest.raises(
            ValueError, match=f"argument 0 .*is written in place, but its memory overlaps argument {2 - number}"
        ):
            program.main(*(MEMORY[piece].view() for piece in arguments))
