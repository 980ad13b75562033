"""`inplace-vector-math`: each function within 2 ulp of float64, over a dense sample of all bit patterns of f32."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest
from math_kernels import UNARY, assert_within, compiled, compute, exact, kernel
from mlir import ir
from softmax_programs import MAPS, softmax

import mlir_inplace as mi
from mlir_inplace.passes.analysis.linalg.vector_payload import MATH_FUNCTIONS
from mlir_inplace.passes.vectorization.functions import FUNCTIONS, op_name
from mlir_inplace.runtime.compilation.lowering import OPTIMIZE, pipeline

SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan]


def neighbours(values: np.ndarray, distance: int = 3) -> np.ndarray:
    """`values` and the numbers next to them, of both signs."""
    bits = np.concatenate([values, -values]).astype(np.float32).view(np.int32)
    return (bits[:, None] + np.arange(-distance, distance + 1, dtype=np.int32)).ravel().view(np.float32)


def sample() -> np.ndarray:
    """2 million f32 in the order of their bits: 4096 of each exponent and sign, denormals and NaN among them."""
    chosen = np.random.default_rng(5).integers(0, 2048, (512, 4096), dtype=np.uint32)
    chosen[:, 0], chosen[:, -1] = 0, 2047
    exponents = np.arange(512, dtype=np.uint32)[:, None] << 23
    return (exponents + (np.arange(4096, dtype=np.uint32) << 11) + chosen).ravel().view(np.float32)


def boundaries() -> np.ndarray:
    """Where the functions go from one formula, or one integer of their reduction, to the next; special values."""
    n = np.arange(1, 400)
    limits = [0.5, 0.625, 0.7071068, 0.9, 1.0, 1.4142135, 3.95, 17.33, 20.0, 65536.0, 2.0**-13, 2.0**-25, 2.0**-126]
    overflows = [87.33655, 88.02969, 88.72284, 103.97208, 104.0, 89.0, 126.0, 127.0, 128.0, 129.0, 149.0, 150.0, 151.0]
    near_zeros = np.arange(1, 41722) * (np.pi / 2)
    points = [n * (math.log(2) / 2), n / 2, n * (np.pi / 4), 2.0 ** np.arange(-149, 128), limits, overflows]
    found = np.concatenate([np.concatenate([neighbours(np.asarray(one)) for one in points]), neighbours(near_zeros, 1)])
    filled = -len(found) % 16
    return np.concatenate([found, np.zeros(filled, np.float32), np.float32([*SPECIAL] * 16)])


@pytest.fixture(scope="module")
def program() -> mi.Program:
    return compiled("\n".join(kernel(name, "16") for name in UNARY))


@pytest.fixture(scope="module")
def inputs() -> np.ndarray:
    return np.concatenate([sample(), boundaries()])


@pytest.mark.parametrize("name", UNARY)
def test_functions_are_within_two_ulp(name: str, program: mi.Program, inputs: np.ndarray) -> None:
    assert len(inputs) > 2**21
    assert_within(2, inputs, compute(program, name, inputs), exact(name, inputs))


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_one_large_lane_does_not_change_the_others(name: str, program: mi.Program) -> None:
    x = np.linspace(-70, 70, 4096, dtype=np.float32)
    alone = compute(program, name, x)
    x[::16] *= np.float32(2.0**90)
    found = compute(program, name, x)
    assert_within(2, x, found, exact(name, x))
    small = np.arange(len(x)) % 16 != 0
    np.testing.assert_array_equal(found[small], alone[small])


@pytest.mark.parametrize("odd", [0.0, -0.0, 2.0**-140, -3.0, math.inf, math.nan])
@pytest.mark.parametrize("name", ["log", "log2", "log10"])
def test_a_lane_without_a_normal_logarithm_does_not_change_the_others(
    name: str, odd: float, program: mi.Program
) -> None:
    x = np.geomspace(2.0**-126, 2.0**127, 4096, dtype=np.float32)
    alone = compute(program, name, x)
    x[5::16] = odd
    found = compute(program, name, x)
    assert_within(2, x, found, exact(name, x))
    others = np.arange(len(x)) % 16 != 5
    np.testing.assert_array_equal(found[others], alone[others])


@pytest.mark.parametrize(("name", "tiny", "nothing"), [("exp", -100.0, -110.0), ("exp2", -140.5, -152.0)])
def test_the_power_of_minus_infinity_does_not_underflow(
    name: str, tiny: float, nothing: float, program: mi.Program
) -> None:
    libm, underflow = ctypes.CDLL(None), 0x10
    raised: dict[float, int] = {}
    for value in (-math.inf, -300.0, nothing, tiny):
        x = np.full(64, value, np.float32)
        result = np.empty_like(x)
        call = getattr(program, f"vector_{name}").bind(x, result)
        libm.feclearexcept(underflow)
        call()
        raised[value] = libm.fetestexcept(underflow)
        assert ((result > 0) == (value == tiny)).all()
    # Next to the last numbers a product may be zero by underflow, which takes longer; far below it must not.
    assert raised == {-math.inf: 0, -300.0: 0, nothing: underflow, tiny: underflow}


@pytest.mark.parametrize("vector", ["1", "3", "4", "2x4", "3x1x2"])
def test_vectors_may_have_any_shape(vector: str) -> None:
    names = ["exp", "sin", "log"]
    program = compiled("\n".join(kernel(name, vector) for name in names))
    x = np.random.default_rng(3).uniform(-40, 40, 12 * 64).astype(np.float32)
    x[5], x[6] = 1e30, -0.0
    for name in names:
        assert_within(2, x, compute(program, name, x), exact(name, x))


@pytest.mark.parametrize(("element", "dtype"), [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_narrow_floats_are_rounded_from_f32(element: str, dtype: type) -> None:
    names = ["exp", "tanh", "log", "rsqrt", "erf"]
    program = compiled("\n".join(kernel(name, "16", element) for name in names))
    x = np.arange(2**16, dtype=np.uint16).view(dtype)
    for name in names:
        found = compute(program, name, x)
        with np.errstate(all="ignore"):
            expected = exact(name, x).astype(np.float32).astype(dtype)
            apart = np.abs(found.view(np.int16).astype(int) - expected.view(np.int16))
        numbers = ~np.isnan(expected)
        # Where f32 is next to the middle of two narrow numbers either may come out, which is rare.
        assert apart[numbers].max() <= 1
        assert np.count_nonzero(apart[numbers]) < 20
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))


def several(name: str, count: int) -> str:
    """`kernel`, which computes `count` vectors at a time."""
    array = "memref<?xf32>"
    reads = "\n".join(
        f"%c{n} = arith.constant {8 * n} : index\n%i{n} = arith.addi %i, %c{n} : index\n"
        f"%x{n} = vector.transfer_read %a[%i{n}], %z {{in_bounds = [true]}} : {array}, vector<8xf32>"
        for n in range(count)
    )
    computed = "\n".join(f"%y{n} = math.{name} %x{n} : vector<8xf32>" for n in range(count))
    writes = "\n".join(
        f"vector.transfer_write %y{n}, %o[%i{n}] {{in_bounds = [true]}} : vector<8xf32>, {array}" for n in range(count)
    )
    return f"""
      func.func @vector_{name}(%a: {array}, %o: {array}) {{
        %begin = arith.constant 0 : index
        %step = arith.constant {8 * count} : index
        %z = arith.constant 0.0 : f32
        %n = memref.dim %a, %begin : {array}
        scf.for %i = %begin to %n step %step {{
          {reads}
          {computed}
          {writes}
        }}
        return
      }}"""


@pytest.mark.parametrize(("count", "names"), [(3, UNARY), (6, ("cbrt", "exp", "tan"))])
def test_in_lockstep_each_vector_is_what_it_is_alone(count: int, names: Sequence[str], program: mi.Program) -> None:
    together = compiled("\n".join(several(name, count) for name in names))
    x = np.concatenate([boundaries()[::16], sample()[::64]])
    x = np.concatenate([x, np.zeros(-len(x) % 96, np.float32)])
    for name in names:
        found, alone = compute(together, name, x), compute(program, name, x)
        numbers = ~np.isnan(alone)
        np.testing.assert_array_equal(found[numbers].view(np.int32), alone[numbers].view(np.int32), name)
        np.testing.assert_array_equal(np.isnan(found), ~numbers, name)


def test_the_registers_say_how_many_vectors_go_in_lockstep() -> None:
    # A constant stands between two steps, so what follows without one is a step of a group; there are nine.
    counts: dict[int, int] = {}
    for registers in (4, 8, 16, 32):
        with ir.Context():
            module = ir.Module.parse(several("exp", 8))
            mi.run_pipeline(module, f'builtin.module(inplace-vector-math{{machine="registers={registers}"}})')
            lines = str(module).splitlines()
            fused = [number for number, line in enumerate(lines) if "math.fma" in line]
            runs = [1 for before, after in itertools.pairwise(fused) if after != before + 1]
            counts[registers] = len(fused) // (len(runs) + 1)
            assert len(fused) == 8 * 9
    assert counts == {4: 1, 8: 2, 16: 4, 32: 8}


def test_the_functions_that_plans_know_are_those_with_polynomials() -> None:
    assert {op_name(name) for name in FUNCTIONS} == MATH_FUNCTIONS


def test_only_the_functions_asked_for_are_rewritten() -> None:
    with ir.Context():
        module = ir.Module.parse(kernel("exp", "8") + kernel("log", "8"))
        mi.run_pipeline(module, "builtin.module(inplace-vector-math{functions=log})")
        text = str(module)
    assert "math.exp" in text
    assert "math.log" not in text


def test_an_optimized_softmax_does_not_call_libm() -> None:
    matrix, row = "tensor<24x37xf32>", "tensor<24xf32>"
    body = softmax("%a", "%r", matrix, row)
    with ir.Context():
        module = ir.Module.parse(f"{MAPS} func.func @main(%a: {matrix}) -> {matrix} {{ {body} return %r : {matrix} }}")
        mi.run_pipeline(module, pipeline(OPTIMIZE))
        assert "math.fma" in str(module)
        assert "math.exp" not in str(module)
