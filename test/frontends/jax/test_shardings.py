"""JAX functions whose arrays are split over a mesh: what all ranks compute together is what JAX computes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec  # noqa: E402
from mlir import ir  # noqa: E402

import mlir_inplace as mi  # noqa: E402
from mlir_inplace.checking.checker.sharded import evaluate_sharded  # noqa: E402
from mlir_inplace.frontends.jax.framework import jaxlib_module  # noqa: E402
from mlir_inplace.frontends.jax.shardings import take_shardings  # noqa: E402

MESH = AbstractMesh((2, 3), ("x", "y"))


def split(*axes: Any, mesh: Any = MESH) -> NamedSharding:
    return NamedSharding(mesh, PartitionSpec(*axes))


def shape(*sizes: int, sharding: Any = None) -> Any:
    return jax.ShapeDtypeStruct(sizes, np.float32, sharding=sharding)


def arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(one).astype(np.float32) for one in shapes]


def assert_same(module: ir.Module, given: Sequence[np.ndarray], expected: Sequence[Any]) -> None:
    results, _ = evaluate_sharded(module, "main", [array.copy() for array in given])
    for one, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


def arguments_of(module: ir.Module) -> str:
    text = str(ir.SymbolTable(module.operation)["main"].operation.attributes["arg_attrs"])
    return " ".join(re.findall(r"inplace.sharding = (\[.*?\]), inplace.whole", text))


def test_arguments_and_results_are_split_as_jit_is_told() -> None:
    def function(tree: dict[str, Any], b: Any) -> Any:
        product = jax.lax.with_sharding_constraint(jnp.tanh(tree["w"] @ b), split("x"))
        return product + 1, jax.nn.softmax(product), b.sum()

    jitted = jax.jit(
        function, in_shardings=({"w": split("x", "y")}, split("y")), out_shardings=(split(None, "x"), None, None)
    )
    module = mi.shard_jax(jitted, {"w": shape(8, 6)}, shape(6, 4))
    assert arguments_of(module) == "[[0], [1]] [[1], []]"
    w, b = arrays((8, 6), (6, 4))
    product = jnp.tanh(w @ b)
    assert_same(module, [w, b], [product + 1, jax.nn.softmax(product), b.sum()])


def test_shardings_of_the_examples_and_several_axes_for_a_dimension() -> None:
    function = jax.jit(lambda a, b: a * 2 + b)
    module = mi.shard_jax(function, shape(12, 5, sharding=split(("x", "y"))), shape(5))
    assert arguments_of(module) == "[[0, 1], []]"
    a, b = arrays((12, 5), (5,))
    assert_same(module, [a, b], [a * 2 + b])


def test_donated_arguments_may_be_written() -> None:
    function = jax.jit(lambda a, b: a + b, donate_argnums=0, in_shardings=(split("x"), split("x")))
    module = mi.shard_jax(function, shape(4), shape(4))
    assert str(module).count("bufferization.writable = true") == 1


def test_a_function_may_be_split_again() -> None:
    function = jax.jit(lambda a: a * 3, in_shardings=(split("x"),))
    assert [arguments_of(mi.shard_jax(function, shape(4))) for _ in range(2)] == ["[[0]]"] * 2


def refused(function: Callable[..., Any], *examples: Any) -> str:
    with pytest.raises(mi.PassError) as caught:
        mi.shard_jax(function, *examples)
    return str(caught.value)


def test_what_is_refused() -> None:
    assert "nothing says how" in refused(jax.jit(lambda a: a + 1), shape(4))
    one = jax.jit(lambda a, b: a + 1, in_shardings=(split("x"), split("y")))
    assert "does not use 1 of its 2 arguments" in refused(one, shape(4), shape(3))
    mapped = jax.shard_map(lambda a: a + 1, mesh=MESH, in_specs=PartitionSpec("x"), out_specs=PartitionSpec("x"))
    assert "shard_map" in refused(jax.jit(mapped, in_shardings=(split("x"),)), shape(4))


def test_several_meshes_are_refused() -> None:
    other = AbstractMesh((3, 2), ("a", "b"))
    told = "sharded over 2 meshes, but ranks have one grid; use one mesh"
    two = jax.jit(lambda a, b: a + b, in_shardings=(split("x"), split("a", mesh=other)))
    assert told in refused(two, shape(6), shape(6))
    inside = jax.jit(
        lambda a: jax.lax.with_sharding_constraint(a + 1, split("a", mesh=other)), in_shardings=(split("x"),)
    )
    assert told in refused(inside, shape(6))


def test_shardings_for_gspmd_are_refused() -> None:
    before = jax.config.jax_use_shardy_partitioner
    jax.config.update("jax_use_shardy_partitioner", False)
    try:
        told = refused(jax.jit(lambda a: a + 2, in_shardings=(split("x"),)), shape(6))
    finally:
        jax.config.update("jax_use_shardy_partitioner", before)
    assert "sharded for GSPMD; set jax_use_shardy_partitioner to True" in told


@pytest.mark.parametrize(
    ("sharding", "message"),
    [
        ('[{"x":(1)2}]', "splits by a part of an axis; make a mesh that has an axis for it"),
        ('[{"x"}], unreduced={"y"}', "has axes that are not reduced yet"),
    ],
)
def test_what_jax_itself_does_not_write_is_refused(sharding: str, message: str) -> None:
    """Other tools write such shardings into a module of StableHLO."""
    lowered = jax.jit(lambda a: a).lower(shape(12)).compiler_ir("stablehlo")
    with lowered.context:
        module = jaxlib_module("ir").Module.parse(
            f"""module {{
              sdy.mesh @m = <["x"=4, "y"=3]>
              func.func @main(%a: tensor<12xf32> {{sdy.sharding = #sdy.sharding<@m, {sharding}>}}) -> tensor<12xf32> {{
                return %a : tensor<12xf32>
              }}
            }}"""
        )
        with pytest.raises(mi.PassError, match=re.escape(message)):
            take_shardings(module)


def test_one_process_is_told_of_ranks() -> None:
    function = jax.jit(lambda a: a + 1, in_shardings=(split("x"),))
    with pytest.raises(mi.PassError, match=r"sharded over 6 devices; split it over ranks by mi\.shard_jax"):
        mi.from_jax(function, shape(4))
