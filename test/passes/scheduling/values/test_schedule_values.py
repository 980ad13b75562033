"""Values of ops that `inplace-schedule` tiles in each of its ways, on a machine whose caches are small."""

from __future__ import annotations

import numpy as np
import pytest
from fast_run import sample
from linalg_programs import floats, generic
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.schedule.machine import Machine
from mlir_inplace.passes.analysis.schedule.vector_plan import plan_vectors
from mlir_inplace.passes.scheduling.rewriting.linalg_ops import find_linalg_ops

MACHINE = "l1=1024 l2=8192 l3=65536"
MATRIX = "tensor<?x?xf32>"


def product(m: int | str, n: int | str, k: int | str) -> str:
    """A product that is added to a third argument."""
    a, b, c = f"tensor<{m}x{k}xf32>", f"tensor<{k}x{n}xf32>", f"tensor<{m}x{n}xf32>"
    return f"""func.func @main(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
      %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%c : {c}) -> {c}
      return %r : {c} }}"""


def column_sums(m: int | str, n: int | str) -> str:
    """Sums over the rows of a matrix, on top of a second argument."""
    a, c = f"tensor<{m}x{n}xf32>", f"tensor<{n}xf32>"
    return f"""func.func @main(%a: {a}, %c: {c}) -> {c} {{
      %r = linalg.reduce {{ arith.addf }} ins(%a : {a}) outs(%c : {c}) dimensions = [0]
      return %r : {c} }}"""


def adversarial(*shape: int) -> np.ndarray:
    """Numbers of all sizes; one column has an infinity, another one a NaN."""
    values = floats(*shape) * np.float32(10.0) ** np.random.default_rng(7).integers(-6, 6, shape).astype(np.float32)
    values[shape[0] // 2, 0], values[-1, 1] = np.inf, np.nan
    return values


@pytest.mark.each_value
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(
    ("m", "n", "k"),
    [
        (1, 70, 203),
        (3, 65, 100),
        (4, 130, 97),
        (12, 70, 301),
        (60, 70, 301),
        (2, 300, 9),
        (5, 4, 700),
        (70, 2, 301),
        (33, 3, 129),
        (9, 10, 500),
        (13, 257, 64),
    ],
)
def test_products_with_few_rows_or_columns(m: int, n: int, k: int, dynamic: bool) -> None:
    program = mi.compile(product(*("???" if dynamic else (m, n, k))), optimize=True, machine=MACHINE)
    a, b, c = floats(m, k), floats(k, n), floats(m, n)
    before = c.copy()
    expected = a.astype(np.float64) @ b.astype(np.float64) + c
    np.testing.assert_allclose(program.main(a, b, c), expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(c, before)


@pytest.mark.each_value
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("m", "n"), [(7, 400), (8, 400), (9, 400), (1003, 33), (40, 1000)])
def test_sums_of_columns(m: int, n: int, dynamic: bool) -> None:
    program = mi.compile(column_sums(*("??" if dynamic else (m, n))), optimize=True, machine=MACHINE)
    a, c = adversarial(m, n), floats(n)
    expected = c.copy()
    for row in a:  # one after the other, as the program adds them
        expected += row
    np.testing.assert_array_equal(program.main(a, c), expected)


ADD_PRODUCT = """%p = arith.mulf %e0, %e1 : f32
  %s = arith.addf %e2, %p : f32
  linalg.yield %s : f32"""


@pytest.mark.parametrize("dynamic", [False, True])
def test_what_no_sum_goes_along_is_no_panel(dynamic: bool) -> None:
    """All rows read the second input, which is larger than the second cache, but nothing is added up along it."""
    types = ["tensor<?x?xf32>", "tensor<?xf32>", "tensor<?x?xf32>"]
    if not dynamic:
        types = ["tensor<20x30xf32>", "tensor<3000xf32>", "tensor<20x3000xf32>"]
    text = generic(types, ["i, k", "j", "i, j"], "ppr", ADD_PRODUCT)
    a, b, c = floats(20, 30), floats(3000), floats(20, 3000)
    result = mi.compile(text, optimize=True, machine=MACHINE).main(a, b, c)
    np.testing.assert_allclose(result, np.outer(a.sum(1), b) + c, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("m", "n", "k", "dynamic"),
    sample([(70, 150, 40, False), (30, 130, 200, False), (200, 70, 33, True), (90, 300, 90, True)], least=2),
)
def test_transposed_panels_on_threads(m: int, n: int, k: int, dynamic: bool) -> None:
    shapes = [("?", "?")] * 3 if dynamic else [(m, k), (n, k), (m, n)]
    types = [f"tensor<{first}x{second}xf32>" for first, second in shapes]
    text = generic(types, ["i, k", "j, k", "i, j"], "ppr", ADD_PRODUCT)
    a, b, c = floats(m, k), floats(n, k), floats(m, n)
    alone, together = (
        mi.compile(text, optimize=True, machine=MACHINE, threads=threads).main(a, b, c.copy()) for threads in (1, 2)
    )
    np.testing.assert_allclose(alone, a.astype(np.float64) @ b.T.astype(np.float64) + c, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize(
    ("elements", "registers", "rows"), [("i32 i32", 32, 4), ("bf16 f32", 32, 6), ("i8 i32", 32, 6), ("bf16 f32", 16, 6)]
)
def test_more_rows_share_what_is_widened(elements: str, registers: int, rows: int) -> None:
    narrow, wide = elements.split()
    a, b, c = f"tensor<64x64x{narrow}>", f"tensor<64x64x{narrow}>", f"tensor<64x64x{wide}>"
    text = f"""func.func @main(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
      %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%c : {c}) -> {c}
      return %r : {c} }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        (op,) = find_linalg_ops(module.operation)
        assert dict(plan_vectors(op, Machine(512, registers)).tile) == {1: 4 if registers == 32 else 2, 0: rows}


@pytest.mark.each_value
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("m", "n", "k"), [(13, 150, 64), (9, 257, 33)])
def test_products_in_parts_whose_second_operand_is_transposed(
    m: int, n: int, k: int, dynamic: bool, threads: int
) -> None:
    rows, columns, depth = "???" if dynamic else (m, n, k)
    a, b, turned, c = (
        f"tensor<{size}x{other}xf32>"
        for size, other in ((rows, depth), (columns, depth), (depth, columns), (rows, columns))
    )
    text = f"""func.func @main(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      {"%n = tensor.dim %b, %zero : " + b if dynamic else ""}
      {"%k = tensor.dim %b, %one : " + b if dynamic else ""}
      %e = tensor.empty({"%k, %n" if dynamic else ""}) : {turned}
      %t = linalg.transpose ins(%b : {b}) outs(%e : {turned}) permutation = [1, 0]
      %r = linalg.matmul ins(%a, %t : {a}, {turned}) outs(%c : {c}) -> {c}
      return %r : {c} }}"""
    program = mi.compile(text, optimize=True, machine=MACHINE, threads=threads)
    left, right, start = floats(m, k), floats(n, k), floats(m, n)
    expected = left.astype(np.float64) @ right.T.astype(np.float64) + start
    np.testing.assert_allclose(program.main(left, right, start), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.each_value
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("count", "m", "n", "k"), [(3, 60, 70, 64), (5, 13, 300, 33), (0, 60, 70, 64), (1, 50, 16, 301)]
)
def test_batches_whose_matrices_are_packed_one_by_one(
    count: int, m: int, n: int, k: int, threads: int, dynamic: bool
) -> None:
    batch, rows, columns, depth = "????" if dynamic else (count, m, n, k)
    a, b, c = (
        f"tensor<{batch}x{size}x{other}xf32>" for size, other in ((rows, depth), (depth, columns), (rows, columns))
    )
    text = f"""func.func @main(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
      %r = linalg.batch_matmul ins(%a, %b : {a}, {b}) outs(%c : {c}) -> {c}
      return %r : {c} }}"""
    program = mi.compile(text, optimize=True, machine=MACHINE, threads=threads)
    left, right, start = floats(count, m, k), floats(count, k, n), floats(count, m, n)
    expected = left.astype(np.float64) @ right.astype(np.float64) + start
    np.testing.assert_allclose(program.main(left, right, start), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("place", ["l + k, j", "k, j", "l, k, j"], ids=["at sums", "for all", "one each"])
def test_transposed_operands_of_batches(place: str) -> None:
    """What is transposed is computed in the iterations of a batch only if each needs a part of its own."""
    count, m, n, k = 3, 13, 40, 65
    depth = (count, k, n) if place == "l, k, j" else (count + k - 1, n) if "+" in place else (k, n)
    order = [*range(len(depth) - 2), len(depth) - 1, len(depth) - 2]
    kept, turned = (f"tensor<{'x'.join(map(str, one))}xf32>" for one in ([depth[i] for i in order], depth))
    # A second panel moves with the batch, whatever the first one does.
    b, a, c = f"tensor<{count}x{k}x{n}xf32>", f"tensor<{m}x{k}xf32>", f"tensor<{count}x{m}x{n}xf32>"
    maps = ", ".join(f"affine_map<(l, i, j, k) -> ({one})>" for one in ("i, k", place, "l, k, j", "l, i, j"))
    text = f"""func.func @main(%a: {a}, %s: {kept}, %b: {b}, %c: {c}) -> {c} {{
      %e = tensor.empty() : {turned}
      %t = linalg.transpose ins(%s : {kept}) outs(%e : {turned}) permutation = {order}
      %r = linalg.generic {{indexing_maps = [{maps}],
          iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
          ins(%a, %t, %b : {a}, {turned}, {b}) outs(%c : {c}) {{
      ^bb0(%x: f32, %y: f32, %z: f32, %w: f32):
        %p = arith.mulf %x, %y : f32
        %q = arith.mulf %p, %z : f32
        %r = arith.addf %w, %q : f32
        linalg.yield %r : f32
      }} -> {c}
      return %r : {c} }}"""
    left, t, right, start = floats(m, k), floats(*depth), floats(count, k, n), floats(count, m, n)
    read = np.stack([t[one] if t.ndim == 3 else t[one : one + k] if "+" in place else t for one in range(count)])
    expected = np.einsum("ik,lkj,lkj->lij", left, read, right, dtype=np.float64) + start
    program = mi.compile(text, optimize=True, machine=MACHINE)
    result = program.main(left, t.transpose(order).copy(), right, start)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
