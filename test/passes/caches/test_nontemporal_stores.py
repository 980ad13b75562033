"""Large results written past the caches: the values stay, wherever results begin and however many threads there are."""

from __future__ import annotations

import numpy as np
import pytest
from linalg_programs import floats, generic
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.compilation.lowering import BOUNDARY, BUFFERIZE, OPTIMIZE, STREAMS, llvm_phases, pipeline

MACHINE = "l3=2048"
ELEMENTS = {"f32": np.float32, "f64": np.float64, "i8": np.int8}


def aligned_to(array: np.ndarray, skip: int) -> np.ndarray:
    """A copy of `array` that begins `skip` bytes behind a cache line."""
    block = np.empty(array.nbytes + 128, np.uint8)
    begin = -block.ctypes.data % 64 + skip
    view = block[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


@pytest.mark.each_value
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("shape", [(64, 64), (5, 1024), (4096,), (1003,), (1 << 18,)])
def test_results_are_the_same_past_the_caches(shape: tuple[int, ...], threads: int) -> None:
    type_ = f"tensor<{'x'.join(map(str, shape))}xf32>"
    loops = ", ".join("ij"[: len(shape)])
    text = generic([type_, type_], [loops, loops], "p" * len(shape),
                   "%e = math.exp %e0 : f32\n linalg.yield %e : f32").replace("outs(%t1", "outs(%empty")  # fmt: skip
    text = text.replace(f", %t1: {type_} ", "").replace(
        "%r = linalg", f"%empty = tensor.empty() : {type_}\n%r = linalg"
    )
    program = mi.compile(text, optimize=True, threads=threads, machine=MACHINE)
    usual = mi.compile(text, optimize=True)
    a = floats(*shape)
    for skip in (0, 4, 16):
        expected = usual.main(a)
        np.testing.assert_allclose(expected, np.exp(a), rtol=1e-6)
        out = aligned_to(np.zeros_like(a), skip)
        assert program.main(a, out=out) is out
        np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(program.main(a), expected)


@pytest.mark.each_value
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "shape", [(64, 64), (63, 48), (5, 1003), (4096,), (4097,), (15,), (3, 16), (0, 64), (5, 3, 20), (3, 5, 32)]
)
def test_buffers_of_dynamic_size(shape: tuple[int, ...], threads: int) -> None:
    """Small ones, and rows that are no multiples of a vector, go through the caches."""
    type_ = f"tensor<{'x'.join('?' * len(shape))}xf32>"
    sizes = ", ".join(f"%n{i}" for i in range(len(shape)))
    dims = "".join(f"%c{i} = arith.constant {i} : index\n %n{i} = tensor.dim %a, %c{i} : {type_}\n"
                   for i in range(len(shape)))  # fmt: skip
    text = f"""
      func.func @main(%a: {type_}, %b: {type_}) -> {type_} {{
        {dims}
        %e = tensor.empty({sizes}) : {type_}
        %s = linalg.sub ins(%a, %b : {type_}, {type_}) outs(%e : {type_}) -> {type_}
        return %s : {type_}
      }}"""
    program = mi.compile(text, optimize=True, threads=threads, machine=MACHINE)
    a, b = floats(*shape), floats(*shape)
    for skip in (0, 4, 16):
        out = aligned_to(np.zeros_like(a), skip)
        assert program.main(a, b, out=out) is out
        np.testing.assert_array_equal(out, a - b)
    np.testing.assert_array_equal(program.main(a, b), a - b)


@pytest.mark.parametrize("element", ELEMENTS)
def test_vectors_of_any_elements(element: str) -> None:
    type_ = f"tensor<60x64x{element}>"
    text = f"""
      func.func @main(%a: {type_}, %b: {type_}) -> {type_} {{
        %e = tensor.empty() : {type_}
        %s = linalg.add ins(%a, %b : {type_}, {type_}) outs(%e : {type_}) -> {type_}
        return %s : {type_}
      }}"""
    program = mi.compile(text, optimize=True, machine=MACHINE)
    a, b = (floats(60, 64).astype(ELEMENTS[element]) for _ in range(2))
    np.testing.assert_array_equal(program.main(a, b), a + b)


@pytest.mark.parametrize("threads", [1, 2])
def test_stores_past_the_caches_are_followed_by_a_fence_on_each_thread(threads: int) -> None:
    type_ = "tensor<4096x1024xf32>"
    text = f"""
      func.func @main(%a: {type_}) -> {type_} {{
        %e = tensor.empty() : {type_}
        %s = linalg.add ins(%a, %a : {type_}, {type_}) outs(%e : {type_}) -> {type_}
        return %s : {type_}
      }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        phases = (*OPTIMIZE, *BUFFERIZE, *BOUNDARY, *STREAMS, *llvm_phases(threads, vectors=True))
        mi.run_pipeline(module, pipeline(phases, threads=threads, machine=MACHINE))
        found = str(module)
    assert ("omp.loop_nest" in found) == (threads == 2)
    body = found.partition("omp.loop_nest")[2].partition("omp.yield")[0] if threads == 2 else found
    assert "nontemporal" in body
    assert "llvm.fence" in body
