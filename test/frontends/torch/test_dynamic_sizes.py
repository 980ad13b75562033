"""`torch.compile(dynamic=True)`: views of several unknown sizes, and training with other sizes in each step."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlir_inplace as mi

torch: Any = pytest.importorskip("torch", minversion="2.12")

from mlir_inplace.frontends.torch import dynamo  # noqa: E402

SIZES = (4, 7, 6)

VIEWS: dict[str, Callable[[Any], Any]] = {
    "merged": lambda x: x.view(x.shape[0] * x.shape[1], 6) + 1,
    "the rest": lambda x: x.reshape(-1, 6) + 1,
    "all": lambda x: x.reshape(-1) + 1,
    "the last": lambda x: x.reshape(x.shape[0], -1) + 1,
    "split": lambda x: (x + 1).view(x.shape[0], x.shape[1], 2, 3),
    "with one": lambda x: (x + 1).view(x.shape[0], 1, x.shape[1], 6) * 2,
    "exchanged": lambda x: (x + 1).view(x.shape[1], x.shape[0], 6) * 2,
    "heads": lambda x: (x + 1).view(*x.shape[:2], 2, 3).transpose(1, 2).reshape(x.shape[0] * 2, x.shape[1], 3) * 2,
    "rolled": lambda x: x.roll((-9, 8), (0, 1)) + x.roll(5),
    "rolled by half": lambda x: x.roll(x.shape[1] // 2, 1) + x.roll(-x.shape[0], 2),
}


@pytest.mark.filterwarnings("error:.*runs a graph eagerly")
@pytest.mark.parametrize("name", VIEWS)
def test_views_of_unknown_sizes(name: str) -> None:
    """torch-mlir takes all of several merged dimensions but one for 1."""
    torch._dynamo.reset()
    fast = torch.compile(VIEWS[name], backend=dynamo.inplace, dynamic=True, options={"optimize": False})
    for rows in SIZES:
        x = torch.randn(rows, rows + 3, 6)
        torch.testing.assert_close(fast(x), VIEWS[name](x))


class Attention(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer = torch.nn.Linear(8, 24), torch.nn.Linear(8, 8)

    def forward(self, x: Any) -> Any:
        batch, length, _ = x.shape
        heads = (part.view(batch, length, 2, 4).transpose(1, 2) for part in self.inner(x).chunk(3, -1))
        query, key, value = heads
        weights = (query @ key.transpose(-1, -2) / 2).softmax(-1)
        return self.outer((weights @ value).transpose(1, 2).reshape(batch, length, 8))


def dense() -> Any:
    return torch.nn.Sequential(torch.nn.Linear(8, 5), torch.nn.GELU(), torch.nn.LayerNorm(5), torch.nn.Linear(5, 3))


@pytest.mark.filterwarnings("error:.*runs a graph eagerly")
@pytest.mark.parametrize("make", [dense, pytest.param(Attention, marks=pytest.mark.full)])
def test_training_with_other_sizes_in_each_step(make: Callable[[], Any]) -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    eager = make()
    model = copy.deepcopy(eager)
    fast = torch.compile(model, backend=dynamo.inplace, dynamic=True)
    for rows in SIZES:
        given = torch.randn(rows, rows + 3, 8)
        results: list[Any] = []
        for function, owner in ((eager, eager), (fast, model)):
            owner.zero_grad()
            x = given.clone().requires_grad_()
            result = function(x)
            (result**2).mean().backward()
            results.append([result.detach(), x.grad, *(one.grad for one in owner.parameters())])
        for one, other in zip(*results, strict=True):
            torch.testing.assert_close(other, one, rtol=1e-4, atol=1e-5)


class Padded(torch.nn.Module):
    def __init__(self, least: int) -> None:
        super().__init__()
        self._least = least

    def forward(self, x: Any) -> Any:
        return torch.nn.functional.pad(x, (x.shape[0] - self._least, 1))


def test_paddings_that_may_be_negative_are_refused() -> None:
    """`tensor.pad` takes the number for what it is known to be once the program runs, and gives wrong values."""
    x, sizes = torch.arange(24.0).reshape(4, 6), ({0: torch.export.Dim("rows", min=2, max=6)},)
    with pytest.raises(mi.PassError, match="whether a padding is negative depends on sizes; give these bounds"):
        mi.from_torch(Padded(4), x, dynamic_shapes=sizes)
    program = mi.from_torch(Padded(2), x, dynamic_shapes=sizes, optimize=False)
    for rows in (2, 3, 6):
        given = torch.randn(rows, 6)
        np.testing.assert_array_equal(program.main(given), Padded(2)(given).numpy())


class Rolled(torch.nn.Module):
    def forward(self, x: Any) -> Any:
        return x.roll(5) + x.roll(-9, 0) + x.roll(x.shape[0] // 2, 0)


def test_rolls_of_nothing() -> None:
    x = torch.arange(24.0).reshape(4, 6)
    program = mi.from_torch(Rolled(), x, dynamic_shapes=({0: torch.export.Dim("rows", min=0)},), optimize=False)
    for rows in (0, 1, 4, 9):
        given = torch.randn(rows, 6)
        np.testing.assert_array_equal(program.main(given), Rolled()(given).numpy())
