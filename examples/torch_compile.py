"""A small vision model with `torch.compile(model, backend="inplace")`: inference, then a step of training.

    python examples/torch_compile.py

Tensors go in and come out without a copy; the weights stay PyTorch's. `pip install 'mlir-inplace[torch]'`.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import nn


class Block(nn.Module):
    """Two convolutions beside a shortcut, as in a ResNet."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The block of a batch of images."""
        return torch.relu(self.body(x) + x)


def vision_model() -> nn.Module:
    """A classifier of 32x32 images into ten classes."""
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        Block(32),
        nn.Conv2d(32, 64, 3, stride=2, padding=1),
        nn.ReLU(),
        Block(64),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


def milliseconds(call: Callable[[], Any]) -> float:
    """The least time of a call, of twenty."""
    times: list[float] = []
    for _ in range(20):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times) * 1e3


def main() -> None:
    """Compare with eager execution, on one thread."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    eager = vision_model().eval()
    images = torch.randn(1, 3, 32, 32)
    fast = torch.compile(eager, backend="inplace")
    with torch.no_grad():
        print("same result as eager:", torch.allclose(fast(images), eager(images), atol=1e-4))
        print(f"eager {milliseconds(lambda: eager(images)):.2f} ms, ", end="")
        print(f"inplace {milliseconds(lambda: fast(images)):.2f} ms")

    eager.train()
    model = copy.deepcopy(eager)
    trained = torch.compile(model, backend="inplace", dynamic=False)  # Else the second batch size makes it dynamic.
    batch, classes = torch.randn(8, 3, 32, 32), torch.arange(8)
    for network in (eager, trained):
        nn.functional.cross_entropy(network(batch), classes).backward()
    pairs = [(one.grad, other.grad) for one, other in zip(eager.parameters(), model.parameters(), strict=True)]
    # An activation that rounds to the other side of zero changes gradients by a percent.
    close = all((one - other).norm() < 0.02 * one.norm() for one, other in pairs)
    print("same gradients as eager:", close)


if __name__ == "__main__":
    main()
