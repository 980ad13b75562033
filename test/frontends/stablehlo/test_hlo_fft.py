"""Fourier transforms of any length and type against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hlo_programs import compiled


def fft_text(kind: str, shape: tuple[int, ...], lengths: tuple[int, ...], result: tuple[int, ...]) -> str:
    """A transform in double precision."""
    elements = {"RFFT": ("f64", "complex<f64>"), "IRFFT": ("complex<f64>", "f64")}
    before, after = elements.get(kind, ("complex<f64>", "complex<f64>"))
    types = [f"tensor<{''.join(f'{n}x' for n in sizes)}{e}>" for sizes, e in ((shape, before), (result, after))]
    return f"""
func.func @main(%x: {types[0]}) -> {types[1]} {{
  %0 = stablehlo.fft %x, type = {kind}, length = {list(lengths)} : ({types[0]}) -> {types[1]}
  return %0 : {types[1]}
}}
"""


def numbers(*shape: int) -> np.ndarray:
    generator = np.random.default_rng(0)
    return generator.normal(size=shape) + 1j * generator.normal(size=shape)


@pytest.mark.each_value
@pytest.mark.parametrize("length", [1, 2, 3, 4, 7, 12, 16, 30, 49])
@pytest.mark.parametrize("kind", ["FFT", "IFFT", "RFFT", "IRFFT"])
def test_lines(kind: str, length: int) -> None:
    x = numbers(3, length // 2 + 1 if kind == "IRFFT" else length)
    if kind == "RFFT":
        x = x.real.copy()
    expected = {"FFT": np.fft.fft, "IFFT": np.fft.ifft, "RFFT": np.fft.rfft, "IRFFT": np.fft.irfft}[kind](x, length)
    program = compiled(fft_text(kind, x.shape, (length,), expected.shape))
    np.testing.assert_allclose(program.main(x), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("kind", ["FFT", "IFFT", "RFFT", "IRFFT"])
def test_several_dimensions(kind: str, optimize: bool) -> None:
    lengths = (4, 3, 6)
    x = numbers(2, 4, 3, 4 if kind == "IRFFT" else 6)
    if kind == "RFFT":
        x = x.real.copy()
    functions = {"FFT": np.fft.fftn, "IFFT": np.fft.ifftn, "RFFT": np.fft.rfftn, "IRFFT": np.fft.irfftn}
    expected = functions[kind](x, lengths, axes=(1, 2, 3))
    program = compiled(fft_text(kind, x.shape, lengths, expected.shape), optimize=optimize)
    np.testing.assert_allclose(program.main(x), expected, rtol=1e-11, atol=1e-11)
    assert program.memory_stats.copies == 0
