"""Linalg ops that are optimized as functions: the same values, copies and allocations, in memory that overlaps too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from linalg_programs import rounds_of
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.kernels.rewriting.optimized_kernels import Kernels, take_kernels
from mlir_inplace.runtime.compilation import lowering, steps

T = "tensor<80x80xf32>"
N = 80


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The twins of what becomes a function from now on, optimized; everything does that occurs twice."""
    found: list[str] = []

    class Watched:
        def __init__(self, kernels: Kernels) -> None:
            self._kernels, self.module = kernels, kernels.module

        @property
        def are_in_place(self) -> bool:
            return self._kernels.are_in_place

        def give_back(self) -> None:
            found.extend(str(op) for op in self.module.body.operations)
            self._kernels.give_back()

    def taken(module: ir.Operation, *, open_sizes: bool) -> Watched | None:
        made = take_kernels(module, repeats=2, open_sizes=open_sizes)
        return None if made is None else Watched(made)

    marks = replace(lowering.MARK_KERNELS[0], passes=("inplace-mark-kernels{saved=1}",))
    monkeypatch.setattr(lowering, "MARK_KERNELS", (marks,))
    monkeypatch.setattr(steps, "take_kernels", taken)
    return found


def chain(rounds: int) -> str:
    """Products, and two elementwise ops that become one; the first input is read to the end."""
    lines, last = rounds_of(rounds, T)
    return "\n".join([f"func.func @main(%a: {T}, %b: {T}) -> {T} {{", *lines, f"return {last} : {T}", "}"])


def matrices() -> tuple[np.ndarray, np.ndarray]:
    numbers = np.arange(N * N, dtype=np.float32).reshape(N, N) / (N * N)
    return numbers + 0.5, np.flip(numbers, 0).copy() / 8


def traffic(text: str, *arguments: Any, **options: Any) -> tuple[Any, tuple[int, int, int]]:
    """What a program returns, its allocations, and the bytes that it copies and leaks."""
    program = mi.compile(text, optimize=True, memory_stats=True, **options)
    result = program.main(*arguments)
    stats = program.memory_stats
    return result, (stats.allocations, stats.copied_bytes, stats.leaked_bytes)


@pytest.mark.parametrize("options", [{}, {"machine": "vector-bits=128 registers=16 l1=8192"}], ids=["here", "small"])
def test_a_chain_costs_no_more_and_is_the_same_bit_by_bit(
    kernels: list[str], monkeypatch: pytest.MonkeyPatch, options: dict[str, str]
) -> None:
    a, b = matrices()
    found, cost = traffic(chain(5), a, b, **options)
    # A product, and what alone reads it.
    assert len(kernels) == 1
    assert all("vector<" in kernel and "linalg" not in kernel and "memref.alloc" not in kernel for kernel in kernels)
    monkeypatch.setattr(lowering, "MARK_KERNELS", ())
    expected, most = traffic(chain(5), a, b, **options)
    assert len(kernels) == 1
    np.testing.assert_array_equal(found, expected)
    assert cost == most
    exact = a.astype(np.float64)
    for _ in range(5):
        exact = (exact @ b.astype(np.float64) + a) * a
    np.testing.assert_allclose(found, exact, rtol=1e-5)


def products(rounds: int, other: str, init: str) -> str:
    """Rounds of a product and a sum of it and of `other`, computed in `init`; the last two results are returned."""
    lines = [f"func.func @main(%a: {T}, %b: {T}) -> ({T}, {T}) {{", "%z = arith.constant 0.0 : f32"]
    lines += [f"%e = tensor.empty() : {T}", f"%x0 = linalg.exp ins(%a : {T}) outs(%e : {T}) -> {T}"]
    for n in range(rounds):
        named = {"x": f"%x{n}", "m": f"%m{n}", "e": "%e", "b": "%b"}
        lines += [f"%f{n} = linalg.fill ins(%z : f32) outs(%e : {T}) -> {T}"]
        lines += [f"%m{n} = linalg.matmul ins(%x{n}, %b : {T}, {T}) outs(%f{n} : {T}) -> {T}"]
        lines += [f"%x{n + 1} = linalg.add ins(%m{n}, {named[other]} : {T}, {T}) outs({named[init]} : {T}) -> {T}"]
    return "\n".join([*lines, f"return %x{rounds}, %x{rounds - 1} : {T}, {T}", "}"])


@pytest.mark.parametrize(("other", "init"), [("b", "e"), ("x", "m"), ("b", "x"), ("m", "m"), ("x", "x"), ("x", "e")])
def test_a_product_and_what_reads_it(kernels: list[str], other: str, init: str) -> None:
    """Also where it is computed in what the product reads, which then stays a kernel by itself."""
    a, b = (matrix / 8 for matrix in matrices())
    found = mi.compile(products(4, other, init), optimize=True).main(a, b)
    assert any("vector<" in kernel for kernel in kernels)
    assert any("math.fma" in one or "vector.fma" in one for one in kernels)
    x, last = np.exp(a.astype(np.float64)), a
    for _ in range(4):
        m = x @ b.astype(np.float64)
        x, last = m + {"b": b, "x": x, "m": m}[other], x
    np.testing.assert_allclose(found[0], x, rtol=1e-5)
    np.testing.assert_allclose(found[1], last, rtol=1e-5)


def test_what_reads_a_product_writes_to_the_middle_of_another_tensor(kernels: list[str]) -> None:
    """The product is computed there, too: no buffer is made for it, and what is around is left as it was filled."""
    wide = "tensor<96x96xf32>"
    lines = [f"func.func @main(%a: {T}, %b: {T}) -> {wide} {{", "%z = arith.constant 0.0 : f32"]
    lines += ["%one = arith.constant 1.0 : f32", f"%e = tensor.empty() : {T}"]
    part, last = f"[8, 8] [{N}, {N}] [1, 1]", "%a"
    for n in range(4):
        lines += [f"%w{n} = bufferization.alloc_tensor() : {wide}"]
        lines += [f"%g{n} = linalg.fill ins(%one : f32) outs(%w{n} : {wide}) -> {wide}"]
        lines += [f"%f{n} = linalg.fill ins(%z : f32) outs(%e : {T}) -> {T}"]
        lines += [f"%m{n} = linalg.matmul ins({last}, %b : {T}, {T}) outs(%f{n} : {T}) -> {T}"]
        lines += [f"%s{n} = tensor.extract_slice %g{n}{part} : {wide} to {T}"]
        lines += [f"%x{n} = linalg.sub ins(%m{n}, %b : {T}, {T}) outs(%s{n} : {T}) -> {T}"]
        lines += [f"%i{n} = tensor.insert_slice %x{n} into %g{n}{part} : {T} into {wide}"]
        last = f"%r{n}"
        lines += [f"{last} = tensor.extract_slice %i{n}[0, 0] [{N}, {N}] [1, 1] : {wide} to {T}"]
    text = "\n".join([*lines, f"return %i3 : {wide}", "}"])
    a, b = (matrix / 8 for matrix in matrices())
    found, (allocations, copied, leaked) = traffic(text, a, b)
    assert len(kernels) == 2  # The first product reads an argument, the others a part of a buffer.
    assert allocations <= 3 and copied == leaked == 0
    x = a.astype(np.float64)
    for _ in range(4):
        whole = np.ones((96, 96))
        whole[8:-8, 8:-8] = x @ b - b
        x = whole[:N, :N]
    np.testing.assert_allclose(found, whole, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_on_threads(kernels: list[str], threads: int) -> None:
    a, b = matrices()
    one = mi.compile(chain(3), optimize=True).main(a, b)
    np.testing.assert_array_equal(mi.compile(chain(3), optimize=True, threads=threads).main(a, b), one)
    assert kernels


def test_in_a_loop_that_swaps_what_it_carries(kernels: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One tensor is updated in place, and read by the product that makes the other one; both change places."""
    marks = replace(lowering.MARK_KERNELS[0], passes=("inplace-mark-kernels{saved=1 crowd=1}",))
    monkeypatch.setattr(lowering, "MARK_KERNELS", (marks,))
    text = f"""
      func.func @main(%a: {T}, %b: {T}, %n: index) -> ({T}, {T}) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %z = arith.constant 0.0 : f32
        %e = tensor.empty() : {T}
        %f = linalg.fill ins(%z : f32) outs(%e : {T}) -> {T}
        %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> ({T}, {T}) {{
          %p = linalg.matmul ins(%x, %y : {T}, {T}) outs(%f : {T}) -> {T}
          %q = linalg.matmul ins(%p, %y : {T}, {T}) outs(%f : {T}) -> {T}
          %s = linalg.sub ins(%x, %q : {T}, {T}) outs(%x : {T}) -> {T}
          %t = linalg.sub ins(%s, %p : {T}, {T}) outs(%p : {T}) -> {T}
          scf.yield %t, %s : {T}, {T}
        }}
        return %r#0, %r#1 : {T}, {T}
      }}"""
    a, b = (matrix / 8 for matrix in matrices())
    found = mi.compile(text, optimize=True).main(a, b, 3)
    assert kernels
    x, y = a.astype(np.float64), b.astype(np.float64)
    for _ in range(3):
        p = x @ y
        s = x - p @ y
        x, y = s - p, s
    for one, other in zip(found, (x, y), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(mi.compile(text, optimize=True).main(a, b, 0), (a, b))


def test_arguments_that_are_not_contiguous(kernels: list[str]) -> None:
    a, b = matrices()
    program = mi.compile(chain(3), optimize=True)
    expected = program.main(a, b)
    contiguous = len(kernels)
    np.testing.assert_allclose(program.main(np.asfortranarray(a), np.asfortranarray(b)), expected, rtol=1e-5)
    assert len(kernels) > contiguous


def test_in_place_in_slices_of_one_tensor(kernels: list[str]) -> None:
    """Each round computes on rows in the place of these rows, and adds the rows behind, which are other memory."""
    whole, rows = "tensor<48x24xf32>", "tensor<16x24xf32>"
    text = f"""
      func.func @main(%t: {whole} {{bufferization.writable = true}}) -> {whole} {{
        %low = tensor.extract_slice %t[0, 0] [16, 24] [1, 1] : {whole} to {rows}
        %mid = tensor.extract_slice %t[16, 0] [16, 24] [1, 1] : {whole} to {rows}
        %x = linalg.sub ins(%low, %mid : {rows}, {rows}) outs(%low : {rows}) -> {rows}
        %u = tensor.insert_slice %x into %t[0, 0] [16, 24] [1, 1] : {rows} into {whole}
        %again = tensor.extract_slice %u[16, 0] [16, 24] [1, 1] : {whole} to {rows}
        %high = tensor.extract_slice %u[32, 0] [16, 24] [1, 1] : {whole} to {rows}
        %y = linalg.sub ins(%again, %high : {rows}, {rows}) outs(%again : {rows}) -> {rows}
        %v = tensor.insert_slice %y into %u[16, 0] [16, 24] [1, 1] : {rows} into {whole}
        return %v : {whole}
      }}"""
    t = np.arange(48 * 24, dtype=np.float32).reshape(48, 24) ** 2
    expected = t.copy()
    expected[:16] -= t[16:32]
    expected[16:32] -= t[32:]
    _, cost = traffic(text, t)
    np.testing.assert_array_equal(t, expected)
    assert kernels and cost == (0, 0, 0)


@pytest.mark.usefixtures("kernels")
def test_a_fill_that_is_read_by_another_name_comes_first() -> None:
    """The input is a cast of what is filled, which the op overwrites: the fill is no part of the function then."""
    flat, any_ = "tensor<576xf32>", "tensor<?xf32>"
    body = "".join(
        f"""
        %e{n} = tensor.empty() : {flat}
        %f{n} = linalg.fill ins(%s : f32) outs(%e{n} : {flat}) -> {flat}
        %c{n} = tensor.cast %f{n} : {flat} to {any_}
        %g{n} = tensor.cast %c{n} : {any_} to {flat}
        %x{n + 1} = linalg.sub ins(%x{n}, %g{n} : {flat}, {flat}) outs(%f{n} : {flat}) -> {flat}"""
        for n in range(3)
    )
    text = f"func.func @main(%x0: {flat}, %s: f32) -> {flat} {{ {body} \n return %x3 : {flat} }}"
    x = np.arange(576, dtype=np.float32)
    np.testing.assert_array_equal(mi.compile(text, optimize=True).main(x, 0.25), x - 0.75)


def test_without_functions_where_a_result_is_in_another_buffer(
    kernels: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """That no pass does so is not for the route to rely on."""
    a, b = matrices()
    expected, cost = traffic(chain(3), a, b)
    given_back = len(kernels)
    phases = [replace(one, passes=tuple(p for p in one.passes if "drop" not in p)) for one in lowering.KERNELS]
    monkeypatch.setattr(lowering, "KERNELS", tuple(phases))
    found, same = traffic(chain(3), a, b)
    np.testing.assert_array_equal(found, expected)
    assert same == cost and len(kernels) == given_back


def test_repeated_weights_are_arguments(kernels: list[str]) -> None:
    """Products with other constants are one function."""
    _, b = matrices()
    weights = [b + n for n in range(3)]
    lines = ["func.func @main(%x0: tensor<80x80xf32>) -> tensor<80x80xf32> {", "%z = arith.constant 0.0 : f32"]
    for n, weight in enumerate(weights):
        lines += [f"%w{n} = arith.constant dense<{weight.tolist()}> : {T}", f"%e{n} = tensor.empty() : {T}"]
        lines += [f"%f{n} = linalg.fill ins(%z : f32) outs(%e{n} : {T}) -> {T}"]
        lines += [f"%x{n + 1} = linalg.matmul ins(%x{n}, %w{n} : {T}, {T}) outs(%f{n} : {T}) -> {T}"]
    program = mi.compile("\n".join([*lines, f"return %x3 : {T}", "}"]), optimize=True)
    assert len(kernels) == 1
    x = np.eye(N, dtype=np.float32)
    exact = x.astype(np.float64)
    for weight in weights:
        exact = exact @ weight.astype(np.float64)
    np.testing.assert_allclose(program.main(x), exact, rtol=1e-5)


def rows_of(rounds: int) -> str:
    """Products and elementwise ops on as many rows as the round has a number, from 8 on."""
    whole = f"tensor<{rounds + 8}x64xf32>"
    lines = [f"func.func @main(%a: {whole}, %b: tensor<64x64xf32>) -> {whole} {{", "%z = arith.constant 0.0 : f32"]
    last = "%a"
    for n in range(8, rounds + 8):
        t = f"tensor<{n}x64xf32>"
        lines += [f"%s{n} = tensor.extract_slice {last}[0, 0] [{n}, 64] [1, 1] : {whole} to {t}"]
        lines += [f"%e{n} = tensor.empty() : {t}", f"%f{n} = linalg.fill ins(%z : f32) outs(%e{n} : {t}) -> {t}"]
        lines += [f"%m{n} = linalg.matmul ins(%s{n}, %b : {t}, tensor<64x64xf32>) outs(%f{n} : {t}) -> {t}"]
        lines += [f"%x{n} = linalg.add ins(%m{n}, %s{n} : {t}, {t}) outs(%e{n} : {t}) -> {t}"]
        lines += [f"%i{n} = tensor.insert_slice %x{n} into {last}[0, 0] [{n}, 64] [1, 1] : {t} into {whole}"]
        last = f"%i{n}"
    return "\n".join([*lines, f"return {last} : {whole}", "}"])


@pytest.mark.parametrize(("threads", "functions"), [(1, 3), (2, 24)])
def test_any_number_of_rows_is_one_function(
    kernels: list[str], monkeypatch: pytest.MonkeyPatch, threads: int, functions: int
) -> None:
    marks = replace(lowering.MARK_KERNELS[0], passes=("inplace-mark-kernels{many=2}",))
    monkeypatch.setattr(lowering, "MARK_KERNELS", (marks,))
    found = mi.compile(rows_of(12), optimize=True, threads=threads)
    # The first round reads the argument, which is contiguous like the buffers, and writes to another one.
    assert len(kernels) == functions
    assert all("vector<" in kernel for kernel in kernels)
    a = np.arange(20 * 64, dtype=np.float32).reshape(20, 64) / 1000
    b = np.flip(np.arange(64 * 64, dtype=np.float32)).reshape(64, 64) / 1e5
    exact = a.astype(np.float64)
    for n in range(8, 20):
        exact[:n] += exact[:n] @ b.astype(np.float64)
    np.testing.assert_allclose(found.main(a, b), exact, rtol=1e-5)


def test_payloads_that_read_elsewhere_in_an_operand_stay(kernels: list[str]) -> None:
    """There would be no tensor any more that the payload could name."""
    flipped = """%r# = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]} ins(%before : T) outs(%e : T) {
        ^bb0(%x: f32, %o: f32):
          %i = linalg.index 0 : index
          %j = linalg.index 1 : index
          %k = arith.subi %last, %i : index
          %y = tensor.extract %before[%k, %j] : T
          %z = arith.subf %x, %y : f32
          linalg.yield %z : f32
        } -> T"""
    ops = [flipped.replace("#", str(n)).replace("%before", f"%r{n - 1}" if n else "%a") for n in range(9)]
    constants = f"%last = arith.constant {N - 1} : index\n%e = tensor.empty() : T"
    text = "\n".join(["func.func @main(%a: T) -> T {", constants, *ops, "return %r8 : T", "}"]).replace("T", T)
    a, _ = matrices()
    expected = a
    for _ in range(9):
        expected = expected - np.flip(expected, 0)
    np.testing.assert_array_equal(mi.compile(text, optimize=True).main(a), expected)
    assert not kernels


def test_other_routes_have_no_kernels(kernels: list[str]) -> None:
    a, b = matrices()
    route = lowering.pipeline(lowering.BUFFERIZE)
    expected = mi.compile(chain(3)).main(a, b)
    np.testing.assert_allclose(mi.compile(chain(3), pipeline=route, optimize=True).main(a, b), expected, rtol=1e-5)
    assert not kernels
