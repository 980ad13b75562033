"""Modules for `torch_ops.py`: what models are made of, small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn


class Residual(nn.Module):
    """A block of a ResNet."""

    def __init__(self, channels: int, stride: int = 1) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels * stride, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels * stride)
        self.second = nn.Conv2d(channels * stride, channels * stride, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels * stride)
        self.short = nn.Conv2d(channels, channels * stride, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x: Any) -> Any:
        """The block of an image."""
        y = torch.relu(self.norm1(self.first(x)))
        return torch.relu(self.norm2(self.second(y)) + self.short(x))


class Attention(nn.Module):
    """Causal scaled dot-product attention."""

    def forward(self, q: Any, k: Any, v: Any) -> Any:
        """The attention of four heads."""
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        return torch.softmax(scores.masked_fill(~mask, float("-inf")), -1) @ v


class Last(nn.Module):
    """The first output of a recurrent network."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Any) -> Any:
        """The outputs and the state."""
        return self.inner(x)


class Decoder(nn.Module):
    """Embedding, one transformer layer, and logits."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0, batch_first=True, norm_first=True)
        self.norm = nn.LayerNorm(16)

    def forward(self, tokens: Any) -> Any:
        """The logits of each position."""
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        return self.norm(self.layer(self.embed(tokens), mask)) @ self.embed.weight.t()


def _image(*shape: int) -> list[Any]:
    return [torch.randn(*shape)]


def _tokens() -> list[Any]:
    return [torch.randint(0, 50, (2, 7))]


_MAKERS: dict[str, Callable[[], tuple[nn.Module, list[Any]]]] = {
    "MLP": lambda: (
        nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16), nn.GELU(), nn.Linear(16, 4)),
        _image(5, 8),
    ),
    "CNN": lambda: (
        nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3),
            nn.Flatten(),
            nn.Linear(16 * 4, 10),
            nn.LogSoftmax(-1),
        ),
        _image(2, 3, 8, 8),
    ),
    "residual block": lambda: (Residual(8), _image(2, 8, 7, 7)),
    "residual block, stride 2": lambda: (Residual(8, 2), _image(2, 8, 8, 8)),
    "depthwise separable": lambda: (
        nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.ReLU6(), nn.Conv2d(8, 16, 1), nn.Hardswish()),
        _image(1, 8, 9, 9),
    ),
    "grouped and dilated": lambda: (nn.Conv2d(8, 8, 3, dilation=2, groups=4, padding=2), _image(1, 8, 9, 9)),
    "transposed convolution": lambda: (nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1), _image(1, 4, 5, 5)),
    "1-d convolution": lambda: (nn.Sequential(nn.Conv1d(4, 8, 5), nn.AvgPool1d(2)), _image(2, 4, 20)),
    "3-d convolution": lambda: (nn.Conv3d(2, 3, 3), _image(1, 2, 5, 5, 5)),
    "squeeze and excite": lambda: (
        nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 2, 1), nn.SiLU(), nn.Conv2d(2, 8, 1), nn.Sigmoid()),
        _image(2, 8, 6, 6),
    ),
    "GRU": lambda: (Last(nn.GRU(4, 8, batch_first=True)), _image(2, 6, 4)),
    "LSTM": lambda: (Last(nn.LSTM(4, 8, num_layers=2, bidirectional=True)), _image(5, 2, 4)),
    "RNN": lambda: (Last(nn.RNN(4, 8)), _image(5, 2, 4)),
    "attention": lambda: (Attention(), [torch.randn(2, 4, 6, 8) for _ in range(3)]),
    "multi-head attention": lambda: (
        nn.MultiheadAttention(16, 4, batch_first=True),
        [torch.randn(2, 5, 16) for _ in range(3)],
    ),
    "transformer encoder layer": lambda: (
        nn.TransformerEncoderLayer(16, 4, 32, dropout=0, batch_first=True),
        _image(2, 5, 16),
    ),
    "transformer decoder layer": lambda: (
        nn.TransformerDecoderLayer(16, 4, 32, dropout=0, batch_first=True),
        [torch.randn(2, 5, 16), torch.randn(2, 7, 16)],
    ),
    "language model": lambda: (Decoder(), _tokens()),
    "embedding": lambda: (nn.Embedding(50, 12), _tokens()),
    "embedding bag": lambda: (nn.EmbeddingBag(50, 12, mode="mean"), _tokens()),
    "layer norm": lambda: (nn.LayerNorm((4, 6)), _image(3, 4, 6)),
    "group norm": lambda: (nn.GroupNorm(2, 8), _image(2, 8, 5, 5)),
    "instance norm": lambda: (nn.InstanceNorm2d(4, affine=True), _image(2, 4, 5, 5)),
    "RMS norm": lambda: (nn.RMSNorm(8), _image(3, 8)),
    "upsampling": lambda: (nn.Upsample(scale_factor=2, mode="bilinear"), _image(1, 3, 5, 5)),
    "pixel shuffle": lambda: (nn.PixelShuffle(2), _image(1, 8, 3, 3)),
}


def _made(make: Callable[[], tuple[nn.Module, list[Any]]]) -> tuple[nn.Module, list[Any]]:
    torch.manual_seed(0)
    module, inputs = make()
    return module.eval(), inputs


MODULES: dict[str, Callable[[], tuple[nn.Module, list[Any]]]] = {
    name: (lambda make=make: _made(make)) for name, make in _MAKERS.items()
}
"""Makes a module in evaluation mode, and its inputs, by name."""
