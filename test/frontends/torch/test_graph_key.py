"""Keys of graphs: a second process lowers nothing, and whatever the lowered module depends on makes another key."""

from __future__ import annotations

import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch", minversion="2.12")

import mlir_inplace as mi  # noqa: E402
from mlir_inplace.frontends.torch import compiled, dynamo  # noqa: E402
from mlir_inplace.frontends.torch.graph_key import graph_key  # noqa: E402

ATEN = torch.ops.aten


def graph(*values: Any, scale: Any = 2.0, target: Any = ATEN.mul.Tensor, path: str = "a", trace: str = "f:1") -> Any:
    """One call of `target`, of inputs with these values, and a constant."""
    made = torch.fx.Graph()
    inputs = []
    for number, value in enumerate(values):
        inputs.append(made.placeholder(f"x{number}"))
        inputs[-1].meta["val"] = value
    call = made.call_function(target, (*inputs, scale))
    call.meta.update(val=values[0], nn_module_stack={"m": (path, torch.nn.Module)}, stack_trace=trace)
    made.output((call,))
    return made


def a(*shape: int, dtype: Any = torch.float32) -> Any:
    return torch.empty(shape or (2, 3), dtype=dtype)


DIFFERENT: dict[str, Callable[[], Any]] = {
    "as it is": lambda: graph(a()),
    "number": lambda: graph(a(), scale=3.0),
    "kind of number": lambda: graph(a(), scale=2),
    "truth": lambda: graph(a(), scale=True),
    "sign of zero": lambda: graph(a(), scale=-0.0),
    "zero": lambda: graph(a(), scale=0.0),
    "not a number": lambda: graph(a(), scale=float("nan")),
    "text": lambda: graph(a(), scale="2.0"),
    "dtype as argument": lambda: graph(a(), scale=torch.float64),
    "list": lambda: graph(a(), scale=[2.0]),
    "tuple": lambda: graph(a(), scale=(2.0,)),
    "shape": lambda: graph(a(3, 2)),
    "rank": lambda: graph(a(6)),
    "strides": lambda: graph(a(3, 2).t()),
    "dtype": lambda: graph(a(dtype=torch.float16)),
    "target": lambda: graph(a(), target=ATEN.add.Tensor),
    "module": lambda: graph(a(), path="b"),
    "place": lambda: graph(a(), trace="f:2"),
    "another input": lambda: graph(a(), a()),
    "several values": lambda: graph([a()]),
}


def test_what_differs_has_another_key() -> None:
    keys = {name: repr(graph_key(make())) for name, make in DIFFERENT.items()}
    assert len(set(keys.values())) == len(keys)
    assert keys == {name: repr(graph_key(make())) for name, make in DIFFERENT.items()}


def test_the_default_dtype_is_part_of_it() -> None:
    before = graph_key(graph(a()))
    torch.set_default_dtype(torch.float64)
    try:
        assert graph_key(graph(a())) != before
    finally:
        torch.set_default_dtype(torch.float32)


def with_attribute() -> Any:
    made = torch.fx.Graph()
    node = made.get_attr("inner")
    made.output((node,))
    return made


def with_unknown_size() -> Any:
    seen: list[Any] = []

    def keep(module: Any, _examples: Any) -> Any:
        seen.extend(node.meta.get("example_value") for node in module.graph.nodes if node.op == "placeholder")
        return module.forward

    torch._dynamo.reset()
    torch.compile(lambda x: x + 1, backend=keep, dynamic=True)(a())
    return graph(next(one for one in seen if isinstance(one, torch.Tensor)))


UNKNOWN: dict[str, Callable[[], Any]] = {
    "attribute": with_attribute,
    "unknown size": with_unknown_size,
    "sparse": lambda: graph(a().to_sparse()),
    "object": lambda: graph(a(), scale=operator),
    "number in an array": lambda: graph(a(), scale=np.float32(2)),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_told_whole_has_no_key(name: str) -> None:
    assert graph_key(UNKNOWN[name]()) is None


def test_a_second_process_lowers_nothing(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    x = torch.randn(3, 4)
    lowered: list[Any] = []
    original = compiled.tensor_module

    def counted(*arguments: Any) -> Any:
        lowered.append(arguments)
        return original(*arguments)

    with mock.patch.object(compiled, "tensor_module", counted):
        for slope in (1, 1, 2):
            program = mi.from_torch(Scaled(model, slope), x, cache=tmp_path)
            np.testing.assert_allclose(program.main(x), slope * model(x).detach().numpy(), rtol=1e-5, atol=1e-6)
        assert len(lowered) == 2
        for _ in range(2):
            torch._dynamo.reset()
            with torch.no_grad():
                y = torch.compile(model, backend=dynamo.inplace, options={"cache": str(tmp_path)})(x)
            np.testing.assert_allclose(y, model(x).detach().numpy(), rtol=1e-5, atol=1e-6)
    assert len(lowered) == 3


def test_updates_are_part_of_what_is_kept(tmp_path: Path) -> None:
    for _ in range(2):
        counter = Counter()
        program = mi.from_torch(counter, a(2).fill_(3), cache=tmp_path)
        np.testing.assert_array_equal(program.main(np.full(2, 3, np.float32)), [3, 3])
        assert counter.sum.tolist() == [3, 3]  # The module's own buffer.


class Scaled(torch.nn.Module):
    def __init__(self, inner: Any, slope: int) -> None:
        super().__init__()
        self.inner, self.slope = inner, slope

    def forward(self, x: Any) -> Any:
        return self.inner(x) * self.slope


class Counter(torch.nn.Module):
    sum: Any

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("sum", torch.zeros(2))

    def forward(self, x: Any) -> Any:
        self.sum.add_(x)
        return self.sum + 0
