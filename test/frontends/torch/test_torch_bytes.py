"""Integers of 8 bits, and truth values, in torch graphs: what torch-mlir gets wrong, or ends the process at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", minversion="2.12")

from mlir_inplace.frontends.torch import dynamo, graphs  # noqa: E402

VALUES = {
    torch.uint8: [0, 1, 2, 3, 5, 7, 100, 127, 128, 200, 254, 255],
    torch.int8: [0, 1, -1, 2, -3, 5, 7, -7, 100, 127, -127, -128],
    torch.bool: [0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0],
    torch.int64: [0, 1, -1, 300, -3, 5, 7, -7, 100, 2**40, -127, -(2**63)],
}


def values(dtype: Any) -> Any:
    return torch.tensor(VALUES[dtype], dtype=dtype)


def compare(function: Callable[..., tuple[Any, ...]], *given: Any, **options: Any) -> None:
    """All results are those of eager execution; a warning of a fallback is an error."""
    torch._dynamo.reset()
    fast = torch.compile(function, backend=dynamo.inplace, options=options)
    for place, (got, expected) in enumerate(zip(fast(*given), function(*given), strict=True)):
        assert got.dtype == expected.dtype, place
        assert torch.equal(got, expected), (place, got, expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
class TestBytes:
    def test_with_numbers(self, dtype: Any) -> None:
        def computed(x: Any) -> tuple[Any, ...]:
            signed = (x + -2, x * -3) if dtype is torch.int8 else (x + 200, x * 129)
            arithmetic = (x * 3, 3 * x, x + 100, 5 - x, x - 1, x // 3, x % 3, x**3, x * 2.5, x / 3, x << 1, x >> 1)
            compared = (x < 100, x >= 3, x == 127, x.clamp(1, 100), x.clamp(max=7), torch.relu(x))
            chosen = (torch.where(x > 1, x, 3), x.masked_fill(x > 1, 99), torch.full_like(x, 120) + x, x[2] * 3)
            return *signed, *arithmetic, *compared, *chosen

        compare(computed, values(dtype))

    def test_reductions_and_products(self, dtype: Any) -> None:
        def computed(x: Any) -> tuple[Any, ...]:
            rows = x.reshape(3, 4)
            sums = (x.sum(), rows.sum(1), rows.cumsum(0), x[1:4].prod(), rows.sum(0, dtype=dtype))
            extremes = (x.max(), x.min(), *rows.max(1), rows.amin(0), x.argmax(), x.any(), rows.all(1))
            return *sums, *extremes, rows @ rows.t(), torch.outer(x, x), x.abs(), -x, x.reciprocal(), x.float().exp2()

        compare(computed, values(dtype))

    @pytest.mark.parametrize("other", VALUES)
    def test_with_tensors_of_other_types(self, dtype: Any, other: Any) -> None:
        def computed(x: Any, y: Any) -> tuple[Any, ...]:
            compared = (x < y, x >= y, x == y, torch.maximum(x, y), torch.minimum(y, x), torch.where(x > 1, x, y))
            return *compared, x * y, x + y, x & y, x | y, x ^ y, torch.cat([x, y]), torch.add(x, y, alpha=3), x * y[3]

        compare(computed, values(dtype), values(other).flip(0))

    def test_numbers_that_are_made(self, dtype: Any) -> None:
        def computed(x: Any) -> tuple[Any, ...]:
            made = torch.arange(12, dtype=dtype)
            return x + made, torch.full((3,), 120, dtype=dtype) + x[:3], torch.bucketize(x, made[:5])

        compare(computed, values(dtype))

    def test_optimized(self, dtype: Any) -> None:
        compare(lambda x: ((x * 3).float().sum(), (x * 3 + x).max()), values(dtype).repeat(700), optimize=True)


@pytest.mark.filterwarnings("error")
def test_truth_values_are_added_and_compared() -> None:
    def computed(x: Any, y: Any) -> tuple[Any, ...]:
        index = torch.tensor([1, 1, 3])
        added = x.scatter_add(0, index, x[:3]), x.index_add(0, index, y[1:4]), x.index_put((index,), y[:3], True)
        return *added, x < y, x >= y, torch.maximum(x, y), torch.cat([x, y]), torch.where(x, x, y)

    compare(computed, values(torch.bool), values(torch.bool).roll(1))
    compare(
        lambda x, y: (x < y, x >= y, torch.maximum(x, y), torch.where(x, x, y), torch.cat([x, y])),
        values(torch.bool),
        values(torch.int64),
    )


@pytest.mark.filterwarnings("error")
def test_what_moves_bytes_moves_bytes() -> None:
    """A buffer that is updated stays where it is."""

    def step(state: Any, new: Any, place: Any) -> Any:
        state.index_copy_(0, place, new)
        return state[place].to(torch.float32)

    seen: list[Any] = []
    prepare = graphs.NarrowIntegers.copy

    def recorded(self: Any, node: Any) -> Any:
        found = prepare(self, node)
        seen.extend([node] if found is not None else [])
        return found

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(graphs.NarrowIntegers, "copy", recorded)
        own, new, place = torch.zeros(4, 3, dtype=torch.int8), torch.tensor([[1, -2, 3]], dtype=torch.int8), [2]
        torch._dynamo.reset()
        result = torch.compile(step, backend=dynamo.inplace)(own, new, torch.tensor(place))
    assert torch.equal(own[2], new[0]) and torch.equal(result[0], new[0].float())
    used = {node: {one.meta["val"].dtype for one in (node, *node.all_input_nodes)} for node in seen}
    assert not [node for node, dtypes in used.items() if torch.int8 in dtypes]  # Others compare the place with 0.


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32, torch.int64])
def test_powers_of_integers(dtype: Any) -> None:
    """Exponents of more than six bits, and negative ones."""
    signed = [-1, -2, -3, -7] if dtype.is_signed else [4, 6, 9, 10]
    bases = torch.tensor([3, 1, 0, 3, 2, *signed, 5, 0], dtype=dtype)
    exponents = torch.tensor([39, 100, 100, 65, 7, 101, 3, 67, 2, 0, 0], dtype=dtype)

    def computed(x: Any, y: Any) -> tuple[Any, ...]:
        return x**y, 3**y, x**3, x**0, x**1, x**71

    compare(computed, bases, exponents)
    if dtype.is_signed:
        compare(lambda x, y: (x**y,), torch.tensor([1, -1, -1, 2, -5], dtype=dtype), -exponents[:5])
