"""Shards of tensors: parts that meet without gap or overlap, for sizes that divide and sizes that do not."""

import numpy as np
import pytest

from mlir_inplace.dialects.support.shard_layout import ShardLayout, balanced_part, grid_position


@pytest.mark.parametrize("size", [0, 1, 2, 5, 8, 13])
@pytest.mark.parametrize("parts", [1, 2, 3, 4, 7])
def test_parts_meet_and_differ_by_one_at_most(size: int, parts: int) -> None:
    extents = [balanced_part(size, parts, part) for part in range(parts)]
    assert [offset for offset, _ in extents] == [sum(s for _, s in extents[:k]) for k in range(parts)]
    assert sum(count for _, count in extents) == size
    assert max(count for _, count in extents) - min(count for _, count in extents) <= 1


def test_ranks_are_row_major() -> None:
    assert [grid_position(rank, (2, 3)) for rank in range(6)] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]


def test_shards_of_two_axes_make_the_whole() -> None:
    layout = ShardLayout((2, 3), ((1,), (), (0,)), ((0, 0),) * 3)
    whole = np.arange(7 * 2 * 5).reshape(7, 2, 5)
    gathered = np.full_like(whole, -1)
    for rank in range(6):
        assert (gathered[layout.owned(rank, whole.shape)] == -1).all()
        gathered[layout.owned(rank, whole.shape)] = whole[layout.owned(rank, whole.shape)]
    assert (gathered == whole).all()


def test_the_first_axis_of_a_dimension_is_the_major_one() -> None:
    layout = ShardLayout((2, 3), ((1, 0),), ((0, 0),))
    assert [layout.part(rank, 0) for rank in range(6)] == [0, 2, 4, 1, 3, 5]


def test_a_halo_widens_the_shard_and_not_what_is_owned() -> None:
    layout = ShardLayout((2,), ((0,), ()), ((1, 2), (0, 0)))
    assert layout.local_shape(0, (5, 4)) == (6, 4)
    assert layout.local_shape(1, (5, 4)) == (5, 4)
    assert layout.owned(1, (5, 4)) == (slice(3, 5), slice(0, 4))
    assert layout.inside(1, (5, 4)) == (slice(1, 3), slice(0, 4))
