"""Powers of integers, as Python computes them with as many bits."""

from __future__ import annotations

import numpy as np
import pytest

import mlir_inplace as mi

OPTIONS = [pytest.param({}, id="default"), pytest.param({"optimize": True}, id="optimize")]
BASES = [0, 1, -1, 2, 3, -3, 5, 100, -128]


@pytest.mark.each_value
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_integer_powers(bits: int, options: dict[str, bool]) -> None:
    """Products wrap; a negative exponent leaves what is 1 or -1, and 0 of all but 0, which has no such power."""
    dtype = np.dtype(f"int{bits}")
    pairs = [(base, exponent) for base in BASES for exponent in (-4, -3, 0, 1, 2, 3, 7, 120) if base or exponent >= 0]
    bases, exponents = np.array(pairs, dtype).T
    expected = [
        base**exponent if exponent >= 0 else (base ** (-exponent) if base in (1, -1) else 0) for base, exponent in pairs
    ]
    wrapped = [((value + (1 << (bits - 1))) % (1 << bits)) - (1 << (bits - 1)) for value in expected]
    t = f"tensor<?xi{bits}>"
    program = mi.compile(
        f"""
        func.func @main(%a: {t}, %b: {t}) -> {t} {{
          %0 = math.ipowi %a, %b : {t}
          return %0 : {t}
        }}""",
        **options,
    )
    np.testing.assert_array_equal(program.main(np.ascontiguousarray(bases), np.ascontiguousarray(exponents)), wrapped)


def test_integer_powers_of_vectors() -> None:
    program = mi.compile(
        """
        func.func @main(%a: memref<2x3xi32>, %b: memref<2x3xi32>, %c: memref<2x3xi32>) {
          %i = arith.constant 0 : index
          %p = arith.constant 0 : i32
          %x = vector.transfer_read %a[%i, %i], %p : memref<2x3xi32>, vector<2x3xi32>
          %y = vector.transfer_read %b[%i, %i], %p : memref<2x3xi32>, vector<2x3xi32>
          %0 = math.ipowi %x, %y : vector<2x3xi32>
          vector.transfer_write %0, %c[%i, %i] : vector<2x3xi32>, memref<2x3xi32>
          return
        }"""
    )
    a, b = np.arange(2, 8, dtype=np.int32).reshape(2, 3), np.arange(6, dtype=np.int32).reshape(2, 3)
    out = np.zeros_like(a)
    program.main(a, b, out)
    np.testing.assert_array_equal(out, a**b)
