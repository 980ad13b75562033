"""How the conformance runs judge positions that PyTorch leaves open: by the elements there, and of two ops only."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", minversion="2.12")

CONFORMANCE = Path(__file__).parents[2] / "benchmarks" / "conformance"
ROWS = [[1, 1, 1, 0, 2], [3, 3, 1, 0, 3]]


@pytest.fixture(name="judged")
def _judged(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.syspath_prepend(str(CONFORMANCE))
    monkeypatch.delitem(sys.modules, "tied_positions", raising=False)
    from tied_positions import elements_at_positions

    return elements_at_positions


def same(one: Any, other: Any) -> bool:
    return len(one) == len(other) and all(
        torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize(
    ("positions", "right"),
    [
        ([[4, 0, 1], [0, 1, 4]], True),  # Others of the equal elements.
        ([[4, 0, 3], [0, 1, 4]], False),  # A smaller one.
        ([[4, 0, 0], [0, 1, 4]], False),  # One twice.
        ([[4, 0, -1], [0, 1, 4]], False),
        ([[4, 0, 5], [0, 1, 4]], False),
    ],
)
def test_positions_of_the_largest(judged: Callable[..., Any], positions: list[list[int]], right: bool) -> None:
    x = torch.tensor(ROWS)
    expected = tuple(x.topk(3))
    got = (expected[0], torch.tensor(positions))
    assert same(judged("topk", (x, 3), {}, got), judged("topk", (x, 3), {}, expected)) == right
    assert not same(judged("sort", (x, 3), {}, got), judged("sort", (x, 3), {}, expected)), "only of these two ops"


@pytest.mark.parametrize(("position", "right"), [(0, True), (1, True), (2, True), (3, False), (4, False)])
@pytest.mark.parametrize("keepdim", [False, True])
def test_the_position_of_the_smallest_but_one(
    judged: Callable[..., Any], position: int, right: bool, keepdim: bool
) -> None:
    x = torch.tensor(ROWS)
    expected = tuple(x.kthvalue(2, 1, keepdim))
    positions = expected[1].clone()
    positions[0] = position
    given = (x, 2, 1), {"keepdim": keepdim}
    assert same(judged("kthvalue", *given, (expected[0], positions)), judged("kthvalue", *given, expected)) == right


def test_values_are_compared_as_always(judged: Callable[..., Any]) -> None:
    x = torch.tensor(ROWS)
    values, positions = x.topk(3)
    assert not same(
        judged("topk", (x, 3), {}, (values + 1, positions)), judged("topk", (x, 3), {}, (values, positions))
    )
