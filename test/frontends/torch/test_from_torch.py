"""`mi.from_torch`: values, weights by pointer, updates in place, structures, dynamic dimensions, refusals."""

from __future__ import annotations

import copy
import inspect
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import mlir_inplace as mi

torch: Any = pytest.importorskip("torch", minversion="2.12")

torch.set_num_threads(1)


class Classifier(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.norm = torch.nn.BatchNorm2d(4)
        self.last = torch.nn.Linear(4, 5)

    def forward(self, x: Any) -> Any:
        return self.last(torch.relu(self.norm(self.conv(x))).mean((2, 3)))


class Stateful(torch.nn.Module):
    """Updates a buffer and an argument, and returns structures, constants, and a value twice."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("steps", torch.zeros(4))
        self.register_buffer("hidden", torch.full((4,), 0.5), persistent=False)
        self.weight = torch.nn.Parameter(torch.ones(4))
        self.constant = torch.tensor([1.0, 2, 3, 4])

    def forward(self, x: Any, more: Any, *, scale: Any) -> Any:
        self.steps.add_(1)
        x.mul_(2)
        y = x + self.steps + more["a"] * more["factor"] + self.constant + self.weight + self.hidden
        bytes_ = (scale * 100).to(torch.uint8)
        return {"y": (y, self.steps), "twice": self.steps, "none": None, "three": 3, "bytes": bytes_, "x": x}


def tensors(*shape: int) -> Any:
    return torch.arange(1, 1 + int(np.prod(shape)), dtype=torch.float32).reshape(shape) / 7


def assert_same(got: Any, expected: Any) -> None:
    got_leaves, got_spec = torch.utils._pytree.tree_flatten(got)
    leaves, spec = torch.utils._pytree.tree_flatten(expected)
    assert got_spec == spec
    for one, other in zip(got_leaves, leaves, strict=True):
        if torch.is_tensor(other):
            assert isinstance(one, np.ndarray) and one.dtype == other.detach().numpy().dtype
            np.testing.assert_allclose(one, other.detach().numpy(), rtol=1e-5, atol=1e-6)
        else:
            assert one == other


@pytest.mark.parametrize("optimize", [False, True])
def test_a_classifier(optimize: bool) -> None:
    torch.manual_seed(0)
    model, x = Classifier().eval(), torch.randn(2, 3, 6, 7)
    program = mi.from_torch(model, x, optimize=optimize)
    with torch.no_grad():
        expected = model(x)
        assert_same(program.main(x), expected)
        assert_same(program.main(x.numpy()), expected)
        assert_same(program.main(x=x.requires_grad_()), expected)
        assert_same(program.main(x.transpose(2, 3).contiguous().transpose(2, 3)), expected)
        model.last.weight.mul_(-3)  # As an optimizer does it: seen by the next call.
        assert_same(program.main(x), model(x))


def test_weights_are_the_modules_own_memory() -> None:
    class Scale(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1000, 1000))
            self.register_buffer("shift", torch.zeros(1000))

        def forward(self, x: Any) -> Any:
            return (x * self.weight).sum(0) + self.shift

    model = Scale()
    program = mi.from_torch(model, torch.zeros(1000), memory_stats=True)
    addresses = [array.__array_interface__["data"][0] for array in program["main"].held.arrays.values()]
    assert addresses == [model.weight.data_ptr(), model.shift.data_ptr()]
    np.testing.assert_array_equal(program.main(np.ones(1000, np.float32)), np.full(1000, 1000))
    assert program.memory_stats.copied_bytes == 0 and program.memory_stats.peak_bytes < 10_000


MACHINE = "vector-bits=512 registers=32 l1=49152 l2=2097152"
"""With a smaller first cache 16 rows pay for a transposed copy."""


def test_a_linear_layer_reads_its_weights_where_they_are() -> None:
    """For few rows; the transposed copy for many is one per call, and has the size of the weights."""
    model = torch.nn.Linear(300, 500)
    for rows, most in ((1, 5_000), (16, 150_000), (64, 800_000)):
        x = torch.sin(tensors(rows, 300))
        program = mi.from_torch(model, x, memory_stats=True, machine=MACHINE)
        assert_same(program.main(x), model(x))
        assert program.memory_stats.peak_bytes < most


def test_a_transposed_matrix_that_others_read_too() -> None:
    class Both(torch.nn.Module):
        def forward(self, x: Any, w: Any) -> Any:
            return x @ w.t(), w.t() + 1, (x * 2) @ w.t()

    x, w = torch.sin(tensors(3, 4)), torch.cos(tensors(3, 4))
    assert_same(mi.from_torch(Both(), x, w).main(x, w), Both()(x, w))


def test_updates_structures_and_constants() -> None:
    module = Stateful()
    eager = copy.deepcopy(module)
    x, scale = tensors(4), torch.tensor([0.5, 1, 1.5, 2.5])
    example = (x.clone(), {"a": x + 1, "factor": 2.5})
    program = mi.from_torch(module, *example, example_kwargs={"scale": scale})
    own, theirs = x.clone(), x.clone()
    kept: list[Any] = []
    for _ in range(3):
        more = {"a": tensors(4) * 3, "factor": 2.5}
        got = program.main(own, more, scale=scale.numpy())
        assert_same(got, eager(theirs, more, scale=scale))
        assert torch.equal(own, theirs) and torch.equal(module.steps, eager.steps)
        kept.append(got["twice"])
    assert [array[0] for array in kept] == [1, 2, 3]  # Outputs are no views of what the next call updates.
    assert str(inspect.signature(program.main)) == "(x, more, *, scale)"
    assert repr(program.main) == "<compiled module main(x, more, *, scale)>"
    array = x.numpy().copy()
    program.main(array, {"a": x, "factor": 2.5}, scale=scale)
    np.testing.assert_array_equal(array, x.numpy() * 2)


def test_an_update_in_place_copies_nothing() -> None:
    class Counter(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(1000))

        def forward(self, x: Any) -> Any:
            self.count.add_(x)
            return x.sum()

    module = Counter()
    program = mi.from_torch(module, torch.zeros(1000), memory_stats=True)
    program.main(torch.arange(1000.0))
    program.main(torch.ones(1000))
    assert torch.equal(module.count, torch.arange(1000.0) + 1)
    assert program.memory_stats.copied_bytes == 0 and program.memory_stats.temporaries == 0


def test_dynamic_dimensions() -> None:
    class Rows(torch.nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return x @ y.t(), x.shape[0]

    batch = torch.export.Dim("batch", min=2, max=99)
    program = mi.from_torch(Rows(), tensors(3, 4), tensors(5, 4), dynamic_shapes={"x": {0: batch}, "y": None})
    for rows in (2, 3, 50):
        x, y = tensors(rows, 4), tensors(5, 4) * 2
        assert_same(program.main(x, y), Rows()(x, y))


def test_an_exported_program() -> None:
    exported = torch.export.export(torch.nn.Linear(4, 3), (tensors(2, 4),))
    program = mi.from_torch(exported)
    assert_same(program.main(tensors(2, 4)), exported.module()(tensors(2, 4)))
    with pytest.raises(TypeError, match="^an exported program has its example inputs and dynamic shapes; give none"):
        mi.from_torch(exported, tensors(2, 4))


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int8", "int16", "int32", "int64", "float64", "float16", "bfloat16"]
)
def test_dtypes(dtype: str) -> None:
    class Choose(torch.nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return torch.where(x > y, x, y)

    x = torch.tensor([0, 1, 200 if dtype == "uint8" else 100, 3]).to(getattr(torch, dtype))
    y = torch.tensor([1, 0, 50, 90]).to(getattr(torch, dtype))
    got = mi.from_torch(Choose(), x, y).main(x, y)
    expected = Choose()(x, y)
    assert str(got.dtype) == dtype
    np.testing.assert_array_equal(got.astype(np.float64), expected.to(torch.float64).numpy())


@pytest.mark.parametrize("optimize", [False, True])
def test_scans_sorts_and_scatters(optimize: bool) -> None:
    """What torch-mlir does not lower to linalg goes through StableHLO."""

    class Ranks(torch.nn.Module):
        def forward(self, x: Any, index: Any) -> Any:
            top = x.topk(2, dim=1)
            return x.cumsum(0), tuple(x.sort(stable=True, dim=1)), tuple(top), x.scatter_add(1, index, x)

    x, index = torch.sin(tensors(4, 5) * 40), torch.tensor([[3, 0, 3, 1, 4]] * 4)
    assert_same(mi.from_torch(Ranks(), x, index, optimize=optimize).main(x, index), Ranks()(x, index))


@pytest.mark.parametrize("optimize", [False, True])
def test_zeros_and_nans_that_upstream_gets_wrong(optimize: bool) -> None:
    class Edge(torch.nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return torch.reciprocal(x), 1 / x, torch.maximum(x, y), torch.minimum(x, y)

    nan = float("nan")
    x, y = torch.tensor([0.0, 2.0, nan, 1.0]), torch.tensor([1.0, nan, 3.0, -1.0])
    assert_same(mi.from_torch(Edge(), x, y, optimize=optimize).main(x, y), Edge()(x, y))


@pytest.mark.parametrize("optimize", [False, True])
def test_bounds_keep_nan(optimize: bool) -> None:
    class Bounded(torch.nn.Module):
        def forward(self, x: Any, low: Any, whole: Any) -> Any:
            f = torch.nn.functional
            scalars = x.clamp(-1, 2), x.clamp(min=0.5), x.clamp(max=0.5), x.clamp_min(1), x.clamp_max(0)
            tensors = x.clamp(low, low + 1), x.clamp(min=low), x.clamp(max=low)
            integers = whole.clamp(-1, 2), whole.clamp(max=1), whole.clamp(min=0.5)
            return *scalars, *tensors, *integers, f.hardtanh(x), f.relu6(x), f.hardsigmoid(x), f.hardswish(x)

    nan, infinity = float("nan"), float("inf")
    x = torch.tensor([nan, -infinity, -3.0, 0.25, 1.5, 7.0, infinity])
    low = torch.tensor([0.0, 1.0, nan, 0.5, -infinity, infinity, 2.0])
    whole = torch.tensor([-5, -1, 0, 1, 2, 3, 9])
    assert_same(
        mi.from_torch(Bounded(), x, low, whole, optimize=optimize).main(x, low, whole), Bounded()(x, low, whole)
    )


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8])
def test_hardtanh_of_integers_has_bounds_of_their_type(dtype: Any) -> None:
    class Bounded(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            f = torch.nn.functional
            return f.hardtanh(x), f.hardtanh(x, -3, 5), f.hardtanh(x, -0.5, 1.5), f.hardtanh(x, 0.5, 6.0), f.relu6(x)

    x = torch.tensor([-7, -3, -1, 0, 1, 2, 9], dtype=dtype)
    assert_same(mi.from_torch(Bounded(), x).main(x), Bounded()(x))


def test_special_functions() -> None:
    class Special(torch.nn.Module):
        def forward(self, x: Any, rows: Any) -> Any:
            counts = torch.searchsorted(rows, x), torch.searchsorted(rows, x, right=True, out_int32=True)
            return torch.lgamma(x), torch.digamma(x), torch.hypot(x, x.flip(0)), counts

    inf, nan = float("inf"), float("nan")
    x = torch.tensor([-3.7, -2.0, -0.5, 0.0, 1e-3, 0.4, 1.0, 2.0, 2.5, 30.0, 1e6, 1e30, inf, nan, 3e38, -inf])
    rows = torch.tensor([-1.0, 0.0, 0.0, 1.0, 2.0, 2.0, 9.0])
    *values, counts = mi.from_torch(Special(), x, rows).main(x, rows)
    *expected, other = Special()(x, rows)
    for got, wanted in zip(values, expected, strict=True):
        np.testing.assert_allclose(got, wanted.numpy(), rtol=1e-5, atol=1e-6)
    assert_same(tuple(one[:-3] for one in counts), tuple(one[:-3] for one in other))


@pytest.mark.parametrize("optimize", [False, True])
def test_factorizations(optimize: bool) -> None:
    """Cholesky, LU and QR are loops of ours, for batches of matrices too."""

    class Factors(torch.nn.Module):
        def forward(self, x: Any, b: Any) -> Any:
            lu, pivots = torch.linalg.lu_factor(x)
            solved = torch.linalg.solve(x, b), torch.linalg.lu_solve(lu, pivots, b, adjoint=True), torch.linalg.inv(x)
            positive = x @ x.mT + torch.eye(3, dtype=x.dtype)
            factor = torch.linalg.cholesky(positive)
            others = torch.cholesky_solve(b, factor), torch.linalg.solve_triangular(factor.mT, b, upper=True)
            return (*torch.linalg.lu(x), pivots, solved, factor, others, torch.linalg.det(x), tuple(torch.linalg.qr(b)))

    torch.manual_seed(2)
    x, b = torch.randn(2, 3, 3, dtype=torch.float64), torch.randn(2, 3, 2, dtype=torch.float64)
    assert_same(mi.from_torch(Factors(), x, b, optimize=optimize).main(x, b), Factors()(x, b))


def test_random_numbers_are_refused_by_name() -> None:
    with pytest.raises(mi.PassError, match=r"because of aten\.bernoulli\.p: it draws random numbers"):
        mi.from_torch(torch.nn.Dropout(), torch.ones(3))


def test_ops_without_a_lowering_are_refused_by_name() -> None:
    class Values(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.linalg.ldl_factor_ex(x)[0]

    with pytest.raises(mi.PassError, match=r"cannot be lowered to linalg because of aten\.linalg_ldl_factor_ex"):
        mi.from_torch(Values(), tensors(3, 3))


def test_wrong_arguments() -> None:
    program = mi.from_torch(
        Stateful(), tensors(4), {"a": tensors(4), "factor": 2.5}, example_kwargs={"scale": tensors(4)}
    )
    x = tensors(4)
    with pytest.raises(TypeError, match="missing a required argument: 'more'"):
        program.main(x)
    with pytest.raises(ValueError, match="^more_factor: the module was exported with 2.5, got 3; export it again"):
        program.main(x, {"a": x, "factor": 3}, scale=x)
    with pytest.raises(TypeError, match=r"^the module was exported with arguments TreeSpec\(tuple"):
        program.main(x, {"a": x}, scale=x)
    with pytest.raises(TypeError, match=r"^argument 0 \('x'\): expected dtype float32, got float64; convert"):
        program.main(x.double(), {"a": x, "factor": 2.5}, scale=x)
    with pytest.raises(ValueError, match=r"^argument 2 \('scale'\): expected shape 4 for tensor<4xf32>, got 3"):
        program.main(x, {"a": x, "factor": 2.5}, scale=x[:3])
    with pytest.raises(TypeError, match="^expected a torch.nn.Module or ExportedProgram, got int 3$"):
        mi.from_torch(3)


def test_the_importer_uses_the_bindings_that_are_loaded() -> None:
    """One `ir` under both names, whoever is imported first: loading the libraries twice would abort."""
    script = "import torch_mlir.fx, mlir_inplace; from mlir import ir; assert torch_mlir.ir is ir"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)
