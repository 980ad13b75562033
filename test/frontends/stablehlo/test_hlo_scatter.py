"""Scatters of StableHLO against NumPy, on all forms of dimension numbers; the operand is updated in place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hlo_programs import compiled, distinct


@dataclass(frozen=True)
class Case:
    """A scatter into `shape`: the indices, the shape of the updates, and the dimension numbers."""

    shape: tuple[int, ...]
    indices: np.ndarray
    updates: tuple[int, ...]
    window: tuple[int, ...] = ()
    inserted: tuple[int, ...] = ()
    batching: tuple[int, ...] = ()
    index_batching: tuple[int, ...] = ()
    indexed: tuple[int, ...] = (0,)
    vector_dim: int = 1

    def text(self, computation: str, element: str = "f32", index: str = "i32") -> str:
        types = [f"tensor<{'x'.join(map(str, shape))}x{element}>" for shape in (self.shape, self.updates)]
        indices = f"tensor<{''.join(f'{size}x' for size in self.indices.shape)}{index}>"
        numbers = (
            f"update_window_dims = {list(self.window)}, inserted_window_dims = {list(self.inserted)}, "
            f"input_batching_dims = {list(self.batching)}, "
            f"scatter_indices_batching_dims = {list(self.index_batching)}, "
            f"scatter_dims_to_operand_dims = {list(self.indexed)}, index_vector_dim = {self.vector_dim}"
        )
        return f"""
func.func @main(%x: {types[0]} {{bufferization.writable = true}}, %i: {indices}, %u: {types[1]}) -> {types[0]} {{
  %0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>}}> ({{
  ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
    {computation}
  }}) : ({types[0]}, {indices}, {types[1]}) -> {types[0]}
  return %0 : {types[0]}
}}
"""

    def expected(self, x: np.ndarray, updates: np.ndarray, combine: np.ufunc | None) -> np.ndarray:
        """What the StableHLO specification says, but for windows that are partly outside, which XLA skips."""
        result = x.copy()
        loops = [dim for dim in range(updates.ndim) if dim not in self.window]
        sizes = [dim for dim in range(x.ndim) if dim not in self.inserted + self.batching]
        for place in np.ndindex(*(updates.shape[dim] for dim in loops)):
            start = np.zeros(x.ndim, int)
            vector = list(place)
            if self.vector_dim < self.indices.ndim:
                vector.insert(self.vector_dim, slice(None))
            start[list(self.indexed)] = np.atleast_1d(self.indices[tuple(vector)])
            for dim, index_dim in zip(self.batching, self.index_batching, strict=True):
                start[dim] = place[index_dim - (index_dim > self.vector_dim)]
            window = np.ones(x.ndim, int)
            window[sizes] = [updates.shape[dim] for dim in self.window]
            if np.any(start < 0) or np.any(start + window > x.shape):
                continue
            target = tuple(slice(a, a + n) for a, n in zip(start, window, strict=True))
            source = [slice(None)] * updates.ndim
            for dim, at in zip(loops, place, strict=True):
                source[dim] = at
            update = updates[tuple(source)].reshape(result[target].shape)
            result[target] = update if combine is None else combine(result[target], update)
        return result


CASES = {
    "elements": Case((8,), np.array([[1], [5], [1], [0]]), (4,), inserted=(0,)),
    "outside": Case((8,), np.array([[8], [-1], [7], [-9], [2**31 - 1], [-(2**31)]]), (6,), inserted=(0,)),
    "rows": Case((6, 4), np.array([[1], [5], [6], [1]]), (4, 4), window=(1,), inserted=(0,)),
    "columns": Case((4, 6), np.array([[3], [0], [3]]), (4, 3), window=(0,), inserted=(1,), indexed=(1,)),
    "windows": Case((6, 6), np.array([[1, 2], [5, 5], [4, 4], [-1, 0]]), (4, 2, 2), window=(1, 2), indexed=(0, 1)),
    "swapped": Case((5, 7), np.array([[6, 1], [2, 4], [5, 5]]), (3,), inserted=(0, 1), indexed=(1, 0)),
    "one window": Case((5, 7), np.array([2]), (3, 7), window=(0, 1), vector_dim=0),
    "no vector": Case((8,), np.array([3, 1, 3]), (3,), inserted=(0,)),
    "vector first": Case((5, 7), np.array([[1, 2, 1], [6, 0, 6]]), (3,), inserted=(0, 1), indexed=(0, 1), vector_dim=0),
    "batch": Case(
        (3, 8, 2),
        np.array([[[1], [7], [1]], [[2], [8], [2]], [[0], [0], [5]]]),
        (3, 3, 2),
        window=(2,),
        inserted=(1,),
        batching=(0,),
        index_batching=(0,),
        indexed=(1,),
        vector_dim=2,
    ),
    "batch after vector": Case(
        (3, 8),
        np.array([[[1, 2, 0], [7, 2, 5]]]),
        (2, 3),
        inserted=(1,),
        batching=(0,),
        index_batching=(2,),
        indexed=(1,),
        vector_dim=0,
    ),
}
COMPUTATIONS = {
    "add": ("%c = stablehlo.add %a, %b : tensor<f32>\n stablehlo.return %c : tensor<f32>", np.add),
    "replace": ("stablehlo.return %b : tensor<f32>", None),
}


@pytest.mark.each_value
@pytest.mark.parametrize("computation", COMPUTATIONS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_scatter(case: Case, computation: str) -> None:
    text, combine = COMPUTATIONS[computation]
    program = compiled(case.text(text))
    x, updates = distinct(*case.shape), distinct(*case.updates) * 3 + 0.5
    expected = case.expected(x, updates, combine)
    assert not np.array_equal(expected, x)
    result = program.main(x, case.indices.astype(np.int32), updates)
    assert result is x
    np.testing.assert_array_equal(result, expected)
    stats = program.memory_stats
    assert stats.allocations == 0
    # A window that is replaced is one copy; nothing else is copied.
    assert stats.copied_bytes <= (updates.nbytes if computation == "replace" and case.window else 0)


def test_unsigned_indices_and_numbers() -> None:
    case = Case((4,), np.array([[1], [2], [1], [3]]), (4,), inserted=(0,))
    computation = "%c = stablehlo.maximum %a, %b : tensor<ui8>\n stablehlo.return %c : tensor<ui8>"
    program = compiled(case.text(computation, element="ui8", index="ui8"))
    x, updates = np.array([1, 200, 3, 100], np.uint8), np.array([250, 7, 3, 130], np.uint8)
    indices = np.array([[1], [2], [200], [3]], np.uint8)
    result = program.main(x.view(np.int8), indices.view(np.int8), updates.view(np.int8))
    np.testing.assert_array_equal(result.view(np.uint8), [1, 250, 7, 130])


def test_several_operands() -> None:
    text = """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xi32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>, %v: tensor<3xi32>)
    -> (tensor<4xf32>, tensor<4xi32>) {
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %m: tensor<i32>, %b: tensor<f32>, %n: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c = stablehlo.select %less, %b, %a : tensor<i1>, tensor<f32>
    %k = stablehlo.select %less, %n, %m : tensor<i1>, tensor<i32>
    stablehlo.return %c, %k : tensor<f32>, tensor<i32>
  }) : (tensor<4xf32>, tensor<4xi32>, tensor<3x1xi32>, tensor<3xf32>, tensor<3xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}
"""
    x, y = np.array([1, 2, 3, 4], np.float32), np.array([10, 20, 30, 40], np.int32)
    u, v = np.array([5, 1, 9], np.float32), np.array([7, 8, 9], np.int32)
    values, names = compiled(text).main(x, y, np.array([[2], [1], [2]], np.int32), u, v)
    np.testing.assert_array_equal(values, [1, 2, 9, 4])
    np.testing.assert_array_equal(names, [10, 20, 9, 40])
    np.testing.assert_array_equal(x, [1, 2, 3, 4])  # not writable
