"""`torch.compile(backend="inplace")`: values, training, random numbers, breaks, shapes, fallback, threads."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", minversion="2.12")

from mlir_inplace.frontends.torch import compiled, dynamo  # noqa: E402

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    torch._dynamo.reset()
    dynamo._told.clear()  # pyright: ignore[reportPrivateUsage]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The graphs that are compiled."""
    made: list[Any] = []
    original = compiled.CompiledGraph.__init__

    def recorded(self: Any, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        made.append(self)

    monkeypatch.setattr(compiled.CompiledGraph, "__init__", recorded)
    return made


def compile_it(function: Any, **named: Any) -> Any:
    return torch.compile(function, backend=dynamo.inplace, **named)


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(2, 4, 3)
        self.norm = torch.nn.BatchNorm2d(4)
        self.drop = torch.nn.Dropout(0.4)
        self.last = torch.nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        return self.last(self.drop(torch.relu(self.norm(self.conv(x)))).mean((2, 3)))


@pytest.mark.parametrize("train", [False, True])
def test_a_model(train: bool, graphs: list[Any]) -> None:
    """Values, gradients, running statistics, and the elements that dropout drops."""
    torch.manual_seed(0)
    eager = Net().train(train)
    model = copy.deepcopy(eager)
    fast = compile_it(model)
    for seed in range(3):
        x = torch.randn(2, 2, 6, 6)
        results: list[Any] = []
        for function in (eager, fast):
            torch.manual_seed(seed)
            with torch.set_grad_enabled(train):
                results.append(function(x))
        torch.testing.assert_close(results[1], results[0])
        if train:
            for result in results:
                (result**2).sum().backward()
    for one, other in zip(model.parameters(), eager.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-5)
    for one, other in zip(model.buffers(), eager.buffers(), strict=True):
        torch.testing.assert_close(one, other)
    assert len(graphs) == (2 if train else 1)


def test_an_optimizer_step() -> None:
    torch.manual_seed(0)
    eager = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    model = copy.deepcopy(eager)
    fast = compile_it(model)
    losses: list[list[float]] = [[], []]
    for function, owner, found in ((eager, eager, losses[0]), (fast, model, losses[1])):
        optimizer = torch.optim.Adam(owner.parameters(), 0.05)
        for step in range(5):
            generator = torch.Generator().manual_seed(step)
            x = torch.randn(16, 5, generator=generator)
            loss = ((function(x).squeeze(1) - x.sum(1)) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)
    assert losses[0][-1] < losses[0][0]


def test_attention_is_trained(graphs: list[Any]) -> None:
    torch.manual_seed(0)
    eager = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0, batch_first=True)
    model = copy.deepcopy(eager)
    x = torch.randn(2, 5, 8)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(5)
    for function in (eager, compile_it(model)):
        (function(x, src_mask=mask, is_causal=True) ** 2).sum().backward()
    for one, other in zip(model.parameters(), eager.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-4)
    assert len(graphs) == 2


def _gradients(function: Any, *inputs: Any) -> list[Any]:
    """What a function returns, and the gradients of a weighted sum of that by its inputs."""
    result = function(*inputs)
    weights = torch.linspace(0, 1, result.numel()).view(result.shape)
    return [result, *torch.autograd.grad((result * weights).sum(), inputs)]


@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("is_causal", [False, True])
def test_heads_that_share_keys_are_trained(heads: int, is_causal: bool, graphs: list[Any]) -> None:
    def attended(*parts: Any) -> Any:
        return torch.nn.functional.scaled_dot_product_attention(*parts, is_causal=is_causal, enable_gqa=True)

    torch.manual_seed(0)
    query, key, value = (torch.randn(2, n, 5, 8, requires_grad=True) for n in (4, heads, heads))
    torch.testing.assert_close(
        _gradients(compile_it(attended), query, key, value), _gradients(attended, query, key, value)
    )
    assert len(graphs) == 2


@pytest.mark.parametrize("of_numbers", [False, True])
def test_rows_that_are_masked_wholly_are_zero(of_numbers: bool, graphs: list[Any]) -> None:
    def attended(*parts: Any) -> Any:
        return torch.nn.functional.scaled_dot_product_attention(*parts, attn_mask=mask)

    torch.manual_seed(0)
    query, key, value = (torch.randn(2, 3, 5, 8, requires_grad=True) for _ in range(3))
    mask = torch.ones(2, 1, 5, 5, dtype=torch.bool).tril()
    mask[0, 0, 3] = mask[1] = False
    if of_numbers:
        mask = torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))
    found, *gradients = _gradients(compile_it(attended), query, key, value)
    torch.testing.assert_close([found, *gradients], _gradients(attended, query, key, value))
    assert not found[0, :, 3].any() and not found[1].any() and not gradients[0][1].any()
    assert len(graphs) == 2


@pytest.mark.parametrize(
    ("kernel", "stride", "padding", "rest", "dilation", "groups"),
    [
        (2, 2, 0, 0, 1, 1),
        (3, 2, 1, 1, 1, 2),
        (3, 1, 1, 0, 2, 4),
        (2, 1, 0, 1, 3, 1),
    ],
)
def test_transposed_convolutions_are_trained(
    kernel: int, stride: int, padding: int, rest: int, dilation: int, groups: int, graphs: list[Any]
) -> None:
    def convolved(x: Any, weight: Any, bias: Any) -> Any:
        return torch.conv_transpose2d(x, weight, bias, stride, padding, rest, groups, dilation)

    torch.manual_seed(0)
    shapes = (2, 4, 5, 3), (4, 8 // groups, kernel, kernel), (8,)
    inputs = [torch.randn(shape, requires_grad=True) for shape in shapes]
    torch.testing.assert_close(
        _gradients(compile_it(convolved), *inputs), _gradients(convolved, *inputs), rtol=1e-4, atol=1e-4
    )
    assert len(graphs) == 2


@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm_is_trained(dim: int | None, graphs: list[Any]) -> None:
    torch.manual_seed(0)
    eager = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(8, 4), dim=dim)
    fast, x = copy.deepcopy(eager), torch.randn(3, 8)
    for function in (eager, compile_it(fast)):
        (function(x) ** 2).sum().backward()
    for one, other in zip(fast.parameters(), eager.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad)
    assert len(graphs) == 2


def test_slices_of_embeddings_are_trained(graphs: list[Any]) -> None:
    """Every second element, to the end: with the scatter of the embedding, it once took all memory there is."""

    def rotated(weight: Any) -> Any:
        rows = torch.nn.functional.embedding(torch.tensor([[1, 4, 1], [0, 2, 3]]), weight)
        even, odd = rows[..., ::2], rows[..., 1::2]
        return torch.stack([even * 2 - odd * 3, even * 3 + odd * 2], -1).flatten(-2)

    weight = torch.randn(5, 8, requires_grad=True)
    torch.testing.assert_close(_gradients(compile_it(rotated), weight), _gradients(rotated, weight))
    assert len(graphs) == 2


@pytest.mark.parametrize("bounds", [(-9, None), (-9, -9), (2, 9), (5, 1), (-2, 2**63 - 1)])
def test_slices_from_and_to_outside_are_trained(bounds: tuple[int, int | None], graphs: list[Any]) -> None:
    """As a window of the last 4095 tokens of a short text, with the scatter of an embedding."""

    def window(weight: Any) -> Any:
        rows = torch.nn.functional.embedding(torch.tensor([[1, 4, 1], [0, 2, 3]]), weight)
        return torch.cat([rows[:, slice(*bounds)] * 2, rows], 1)

    weight = torch.randn(5, 8, requires_grad=True)
    torch.testing.assert_close(_gradients(compile_it(window), weight), _gradients(window, weight))
    assert len(graphs) == 2


def test_gelu_by_tanh_is_exact() -> None:
    gelu = partial(torch.nn.functional.gelu, approximate="tanh")
    x = torch.linspace(-6, 6, 1001)
    torch.testing.assert_close(compile_it(gelu)(x), gelu(x), rtol=1e-6, atol=6e-7)


def test_memory_is_shared(graphs: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors are passed by pointer, and results have the memory that native code wrote."""
    fast = compile_it(lambda x, y: x @ y + 1)
    x, y = torch.randn(8, 8), torch.randn(8, 8)
    fast(x, y)
    (graph,) = graphs
    seen: list[int] = []
    main = graph.program.main

    def watched(*arrays: Any) -> Any:
        result = main(*arrays)
        seen.extend(array.__array_interface__["data"][0] for array in (*arrays, result))
        return result

    monkeypatch.setattr(graph.program, "main", watched)
    result = fast(x, y)
    assert seen == [x.data_ptr(), y.data_ptr(), result.data_ptr()]
    torch.testing.assert_close(result, x @ y + 1)


def test_arguments_that_are_updated(graphs: list[Any]) -> None:
    def step(state: Any, x: Any) -> Any:
        state.mul_(0.5).add_(x)
        return state.sum()

    fast = compile_it(step)
    own = torch.arange(6.0)
    theirs, x = own.clone(), torch.ones(6)
    for _ in range(2):
        torch.testing.assert_close(fast(own, x), step(theirs, x))
        torch.testing.assert_close(own, theirs)
    wide = torch.arange(12.0).reshape(6, 2)
    other = wide.clone()
    fast(wide[:, 1], x)
    step(other[:, 1], x)
    torch.testing.assert_close(wide, other)
    assert all(list(graph.recipe.updates) for graph in graphs)


def test_graph_breaks(graphs: list[Any]) -> None:
    def broken(x: Any) -> Any:
        y = torch.relu(x) * 2
        torch._dynamo.graph_break()
        return y.sum() + y.shape[0]

    x = torch.randn(5)
    torch.testing.assert_close(compile_it(broken)(x), broken(x))
    assert len(graphs) == 2


def test_sizes_that_change(graphs: list[Any]) -> None:
    def mean(x: Any) -> Any:
        return (x - x.mean(0)) / x.shape[0], x.shape[0] + 1

    fast = compile_it(mean)
    for rows in (3, 4, 5, 9):
        x = torch.randn(rows, 2)
        torch.testing.assert_close(fast(x), mean(x))
    assert len(graphs) == 2  # One size, then any.


def test_strides_of_results_are_those_of_eager() -> None:
    fast = compile_it(lambda x: (x.permute(2, 0, 1) + 1, x.t() if x.dim() == 2 else x.mT))
    x = torch.randn(3, 4, 5)
    for got, expected in zip(fast(x), (x.permute(2, 0, 1) + 1, x.mT), strict=True):
        torch.testing.assert_close(got, expected)
        assert got.stride() == expected.stride()


def test_results_that_are_expanded(graphs: list[Any]) -> None:
    """As a mask or a table of positions that BERT keeps for the backward."""

    def expanded(x: Any, y: Any) -> tuple[Any, ...]:
        return (x + 1).expand(3, 4), (y * 2).t().expand(2, 4, 3), x.unfold(0, 2, 1) * 1

    arguments = torch.randn(4), torch.randn(3, 4)
    for got, expected in zip(compile_it(expanded)(*arguments), expanded(*arguments), strict=True):
        torch.testing.assert_close(got, expected)
        assert got.stride() == expected.stride()
    assert len(graphs) == 1


@pytest.mark.parametrize("name", ["Adam", "Rprop"])
def test_an_optimizer_is_compiled(name: str, graphs: list[Any]) -> None:
    torch.manual_seed(0)
    eager = torch.nn.Linear(8, 4)
    model = copy.deepcopy(eager)
    updates = [getattr(torch.optim, name)(one.parameters(), lr=0.01) for one in (eager, model)]
    compiled = compile_it(updates[1].step)
    for step in range(3):
        for one, update in ((eager, updates[0].step), (model, compiled)):
            one.zero_grad()
            (one(torch.full((5, 8), 0.1 * step)) ** 2).sum().backward()
            update()
    torch.testing.assert_close(model.weight, eager.weight)
    torch.testing.assert_close(model.bias, eager.bias)
    assert graphs


def test_arguments_that_are_not_contiguous(graphs: list[Any]) -> None:
    fast = compile_it(lambda x, y: x * 2 + y)
    x, y = torch.randn(4, 3).t(), torch.randn(4).expand(3, 4)
    torch.testing.assert_close(fast(x, y), x * 2 + y)
    assert len(graphs) == 1


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float64", "int32", "int64", "uint8", "bool"])
def test_dtypes(dtype: str, graphs: list[Any]) -> None:
    x = torch.tensor([0, 1, 100, 3]).to(getattr(torch, dtype))
    y = x.flip(0)

    def largest(x: Any, y: Any) -> Any:
        return torch.where(x > y, x, y)

    got, expected = compile_it(largest)(x, y), largest(x, y)
    assert got.dtype == expected.dtype and torch.equal(got, expected)
    assert len(graphs) == 1


def test_constants_are_held(graphs: list[Any]) -> None:
    fast = compile_it(lambda x: x + torch.tensor([1.0, 2.0, 3.0]))
    x = torch.zeros(3)
    torch.testing.assert_close(fast(x), torch.tensor([1.0, 2.0, 3.0]))
    torch.testing.assert_close(fast(x), torch.tensor([1.0, 2.0, 3.0]))
    assert len(graphs) == 1


def test_random_numbers_come_from_torch(graphs: list[Any]) -> None:
    def noisy(x: Any) -> Any:
        return x + torch.rand_like(x) - torch.randn(3) * torch.randint(0, 9, (3,))

    fast, x = compile_it(noisy), torch.zeros(3)
    drawn: list[Any] = []
    for function in (noisy, fast, fast):
        torch.manual_seed(4)
        drawn.append(function(x))
    torch.testing.assert_close(drawn[1], drawn[0])
    torch.testing.assert_close(drawn[2], drawn[0])
    assert len(graphs) == 1


class TestFallback:
    def test_an_op_without_a_lowering_runs_eagerly_with_one_warning(self) -> None:
        def values(x: Any) -> Any:
            return torch.linalg.ldl_factor_ex(x)[0] + 1

        x = torch.eye(3)
        with pytest.warns(
            RuntimeWarning, match=r"runs a graph eagerly: .* because of aten\.linalg_ldl_factor_ex"
        ) as told:
            got = compile_it(values)(x)
        assert len(told) == 1
        torch.testing.assert_close(got, values(x))
        torch._dynamo.reset()
        torch.testing.assert_close(compile_it(values)(x), values(x))  # Said once: a second warning would be an error.

    def test_what_is_refused_behind_torch_mlir_is_named_too(self) -> None:
        x, y = (torch.arange(20.0).reshape(5, 4).requires_grad_() for _ in range(2))
        labels, loss = torch.arange(5) % 4, torch.nn.functional.cross_entropy
        loss(x, labels).backward()
        with pytest.warns(RuntimeWarning, match=r"runs a graph eagerly: .*: cannot lower stablehlo\.dynamic_"):
            compile_it(loss, dynamic=True)(y, labels).backward()
        torch.testing.assert_close(y.grad, x.grad)

    def test_random_numbers_that_depend_on_values(self) -> None:
        def draw(p: Any) -> Any:
            return torch.bernoulli(p)

        p = torch.full((4,), 0.5)
        with pytest.warns(RuntimeWarning, match=r"because of aten\.bernoulli"):
            torch.manual_seed(3)
            got = compile_it(draw)(p)
        torch.manual_seed(3)
        torch.testing.assert_close(got, draw(p))

    def test_options(self) -> None:
        got = compile_it(lambda x: x + 1, options={"optimize": False, "opt_level": 1})(torch.zeros(2))
        torch.testing.assert_close(got, torch.ones(2))
        with pytest.raises(Exception, match="unexpected keyword argument 'optimise'"):
            compile_it(lambda x: x + 2, options={"optimise": False})(torch.zeros(2))
        with pytest.raises(Exception, match="has the mode 'default' only, got 'max-autotune'"):
            compile_it(lambda x: x + 3, mode="max-autotune")(torch.zeros(2))


@pytest.mark.parametrize("mode", ["max", pytest.param("sum", marks=pytest.mark.full)])
def test_bags_of_embeddings(mode: str) -> None:
    def taken(table: Any, index: Any, offsets: Any, weights: Any) -> Any:
        weights = weights if mode == "sum" else None
        bags = torch.nn.functional.embedding_bag(
            index, table, offsets, mode=mode, per_sample_weights=weights, padding_idx=3
        )
        return bags.square().sum()

    table = -torch.arange(1, 16.0).reshape(5, 3)
    given = torch.tensor([0, 4, 2, 3, 4, 1]), torch.tensor([0, 1, 3, 3]), torch.tensor([2, -1, 0.5, 3, 1, -4])
    torch.testing.assert_close(compile_it(taken)(table, *given), taken(table, *given))
    mine, other = (table.clone().requires_grad_() for _ in range(2))
    taken(other, *given).backward()
    with pytest.warns(RuntimeWarning, match="_embedding_bag_backward"):
        compile_it(taken)(mine, *given).backward()
    torch.testing.assert_close(mine.grad, other.grad)


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_transformer_that_does_not_train(graphs: list[Any], norm_first: bool) -> None:
    """PyTorch computes each layer by one op then."""
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=norm_first)
    model = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    x = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(1))
    ends = torch.arange(5) >= torch.tensor([[3], [4]])
    with torch.no_grad():
        torch.testing.assert_close(compile_it(model)(x), model(x))
        found = compile_it(lambda x: model(x, src_key_padding_mask=ends))(x)
        torch.testing.assert_close(found, model(x, src_key_padding_mask=ends))
    assert len(graphs) == 2


def test_an_inverse(graphs: list[Any]) -> None:
    x = torch.eye(3) * 4 + torch.arange(9.0).reshape(3, 3)
    torch.testing.assert_close(compile_it(torch.linalg.inv)(x), torch.linalg.inv(x))
    assert len(graphs) == 1


def test_several_threads() -> None:
    fast: Callable[[Any], Any] = compile_it(lambda x: (x * 2).flip(0) + x.shape[0])

    def run(rows: int) -> bool:
        x = torch.arange(float(rows))
        return all(torch.equal(fast(x), (x * 2).flip(0) + rows) for _ in range(50))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(run, [3, 3, 4, 4, 5, 6, 7, 8]))


def test_torch_finds_the_backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the entry point, as `pip install` writes it."""
    root = Path(dynamo.__file__).parents[2]
    text = (root / "pyproject.toml").read_text()
    line = text.split("[project.entry-points.torch_dynamo_backends]\n")[1].splitlines()[0].replace('"', "")
    metadata = tmp_path / "told-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: told\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[torch_dynamo_backends]\n{line}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = torch._dynamo.backends.registry
    monkeypatch.setattr(registry, "_COMPILER_FNS", dict(registry._COMPILER_FNS))
    monkeypatch.setattr(registry, "_BACKENDS", dict(registry._BACKENDS))
    registry._lazy_import.cache_clear()
    registry._discover_entrypoint_backends.cache_clear()
    assert "inplace" in torch._dynamo.list_backends()
    x = torch.ones(3)
    torch.testing.assert_close(torch.compile(lambda x: x * 5, backend="inplace")(x), x * 5)
