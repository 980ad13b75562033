"""`mi.shard`: arguments by name, results, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.checking.checker.sharded import evaluate_sharded

MATMUL = """
  func.func @main(%a: tensor<5x6xf32>, %b: tensor<6x7xf32>, %c: tensor<5x7xf32>) -> tensor<5x7xf32> {
    %0 = linalg.matmul ins(%a, %b : tensor<5x6xf32>, tensor<6x7xf32>) outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
    return %0 : tensor<5x7xf32>
  }"""


def matrices() -> list[Any]:
    generator = np.random.default_rng(0)
    return [generator.integers(-5, 5, shape).astype(np.float32) for shape in ((5, 6), (6, 7), (5, 7))]


@pytest.mark.parametrize(
    ("grid", "shardings", "results"),
    [
        ((2, 2), {"a": (0, 1), "b": (0, 1)}, {0: (0, 1)}),
        ((3,), {"a": (None, 0)}, {}),
        ((2, 3), {0: ((0, 1), None), "c": (None, 1)}, {0: (None, None)}),
        ((1,), {"a": (0, None)}, {}),
    ],
)
def test_all_ranks_together_compute_the_program(grid: Any, shardings: Any, results: Any) -> None:
    module = mi.shard(MATMUL, grid=grid, shardings=shardings, results=results)
    a, b, c = matrices()
    (found,), _ = evaluate_sharded(module, "main", [a, b, c])
    np.testing.assert_array_equal(found, c + a @ b)


def test_the_source_stays_as_it_is() -> None:
    from mlir import ir

    with ir.Context():
        module = ir.Module.parse(MATMUL)
        before = str(module)
        assert "inplace.grid" in str(mi.shard(module, grid=(2,), shardings={0: (0, None)}))
        assert str(module) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"grid": (0,), "shardings": {}}, "grid is (0,), but needs extents of at least 1"),
        ({"grid": 4, "shardings": {}}, "grid is 4, but needs extents of at least 1, such as (2, 2)"),
        ({"grid": {2: 1}, "shardings": {}}, "grid is {2: 1}, but needs extents of at least 1, such as (2, 2)"),
        ({"grid": (10**30,), "shardings": {}}, f"grid is ({10**30},), but needs extents of at least 1, such as"),
        ({"grid": (2,), "shardings": {"x": (0, None)}}, "there is no argument 'x'; there are a, b, c, or numbers"),
        ({"grid": (2,), "shardings": {}, "function": "f"}, "the module has functions main; it has no 'f'"),
    ],
)
def test_what_is_not_there(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        mi.shard(MATMUL, **arguments)


@pytest.mark.parametrize(
    ("shardings", "message"),
    [
        ({7: (0, None)}, "argument 7 is no ranked tensor of the function, and cannot be split"),
        (
            {"a": (0,)},
            "argument 0 is a tensor<5x6xf32> of 2 dimensions, but (0,) has 1; write an axis or None for each",
        ),
        ({"a": (0, 0)}, "argument 0 is a tensor<5x6xf32>, which (0, 0) does not split over [2]"),
        ({"a": (1, None)}, "argument 0 is a tensor<5x6xf32>, which (1, None) does not split over [2]"),
    ],
)
def test_what_cannot_be_split(shardings: Any, message: str) -> None:
    with pytest.raises(mi.PassError, match=re.escape(message)):
        mi.shard(MATMUL, grid=(2,), shardings=shardings)


@pytest.mark.parametrize("axes", [0, "01", (True, None), (0, "1"), ((0, 1.0), None)])
def test_what_is_no_sharding(axes: Any) -> None:
    message = f"the sharding of 'a' is {axes!r}; write an axis or None for each dimension, as in (0, None)"
    with pytest.raises(TypeError, match=re.escape(message)):
        mi.shard(MATMUL, grid=(2,), shardings={"a": axes})
    with pytest.raises(TypeError, match=re.escape(message.replace("'a'", "0"))):
        mi.shard(MATMUL, grid=(2,), shardings={}, results={0: axes})


def test_ranks_are_asked_for() -> None:
    """A program of several ranks is compiled with a communicator; the error says so, with the first op's place."""
    module = mi.shard(MATMUL, grid=(2,), shardings={"a": (0, None)})
    with pytest.raises(mi.PassError, match=r"'shard.grid': it is for the ranks of a grid; compile it with comm=MPI"):
        mi.compile(module)


def test_shardings_that_name_nothing() -> None:
    with pytest.raises(
        TypeError, match=re.escape("shardings are [[0]]; write what is split and how, as in {'a': (0, No")
    ):
        mi.shard(MATMUL, grid=(2,), shardings=[[0]])  # pyright: ignore[reportArgumentType]
