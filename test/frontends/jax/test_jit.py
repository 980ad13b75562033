"""`mi.jit`: JAX functions compiled when they are called."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.9")

import jax.numpy as jnp  # noqa: E402  # pyright: ignore

import mlir_inplace as mi  # noqa: E402
from mlir_inplace.frontends.jax import module  # noqa: E402

A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.arange(3, dtype=np.float32) + 10


def test_numpy_arrays_in_and_out_in_pytrees() -> None:
    @mi.jit
    def step(state: Any, *, rate: Any) -> Any:
        return {"w": state["w"] - rate * state["b"], "parts": (state["b"] > 11, [state["w"].sum(0)])}

    found = step({"w": A, "b": B}, rate=0.5)
    assert isinstance(found["w"], np.ndarray)
    np.testing.assert_array_equal(found["w"], A - 0.5 * B)
    np.testing.assert_array_equal(found["parts"][0], B > 11)
    np.testing.assert_array_equal(found["parts"][1][0], A.sum(0))


def test_a_jax_array_among_the_arguments_makes_jax_arrays() -> None:
    twice = mi.jit(lambda a, b: (a * 2, b > 11))
    first, second = twice(jnp.asarray(A), B)
    assert isinstance(first, jax.Array)
    assert isinstance(second, jax.Array)
    np.testing.assert_array_equal(first, A * 2)
    np.testing.assert_array_equal(second, B > 11)


def test_a_result_lives_in_a_donated_numpy_array() -> None:
    step = mi.jit(lambda w, g: w - 2 * g, donate_argnums=0)
    w, g = A.copy(), A[::-1].copy()
    assert step(w, g) is w
    np.testing.assert_array_equal(w, A - 2 * A[::-1])
    np.testing.assert_array_equal(g, A[::-1])


def test_a_donated_jax_array_is_deleted_and_its_memory_used() -> None:
    step = mi.jit(lambda w, g: w - 2 * g, donate_argnums=0)
    w = jnp.asarray(A) + 0
    address = w.unsafe_buffer_pointer()
    found = step(w, A[::-1].copy())
    assert w.is_deleted()
    assert found.unsafe_buffer_pointer() == address
    np.testing.assert_array_equal(found, A - 2 * A[::-1])


def test_a_donated_jax_array_that_has_a_view_is_copied_first() -> None:
    step = mi.jit(lambda w: w + 1, donate_argnums=0)
    w = jnp.asarray(A) + 0
    view = np.asarray(w)
    np.testing.assert_array_equal(step(w), A + 1)
    np.testing.assert_array_equal(view, A)


def test_an_argument_that_is_not_donated_never_changes() -> None:
    step = mi.jit(lambda w, g: (w.at[0].set(g), w))
    w = A.copy()
    found, same = step(w, B)
    np.testing.assert_array_equal(w, A)
    np.testing.assert_array_equal(same, A)
    np.testing.assert_array_equal(found, np.stack([B, A[1]]))


def test_each_kind_of_arguments_is_compiled_once() -> None:
    traced: list[Any] = []

    @mi.jit(static_argnums=1)
    def power(a: Any, n: int) -> Any:
        traced.append((a.shape, str(a.dtype), n))
        return a**n

    for _ in range(2):
        np.testing.assert_array_equal(power(B, 2), B**2)
        np.testing.assert_array_equal(power(B, n=3), B**3)
        np.testing.assert_array_equal(power(A, 2), A**2)
        np.testing.assert_array_equal(power(A.astype(np.int32), 2), A**2)
    assert traced == [((3,), "float32", 2), ((3,), "float32", 3), ((2, 3), "float32", 2), ((2, 3), "int32", 2)]


def test_jax_results_of_every_kind_are_right_and_stay_so() -> None:
    @mi.jit
    def several(a: Any, b: Any) -> Any:
        halves = a.astype(jnp.bfloat16), a > 2, (a * 1j).astype(jnp.complex64), a.astype(jnp.uint8)
        return {"large": jnp.tile(b, (40, 50, 30)), "small": b + 1, "scalar": b.sum(), "halves": halves, "same": (b, b)}

    arguments = jnp.asarray(A), jnp.asarray(B)
    first, kept = several(*arguments), several(A, B)
    with jax.disable_jit():
        eager = several(*arguments)
    for _ in range(5):  # Memory of results that are still used is not used again.
        several(jnp.asarray(A + 1), jnp.asarray(B + 1))
    for found in (first, eager):
        for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(kept), strict=True):
            assert isinstance(one, jax.Array) and isinstance(other, np.ndarray)
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(np.asarray(one), other)


def test_calls_of_known_kinds_do_not_wait_for_a_compilation() -> None:
    begun, may_end = threading.Event(), threading.Event()

    @mi.jit
    def double(a: Any) -> Any:
        if a.shape == (2, 3):
            begun.set()
            assert may_end.wait(60)
        return a * 2

    np.testing.assert_array_equal(double(B), B * 2)
    with ThreadPoolExecutor(2) as pool:
        compiling = pool.submit(double, A)
        try:
            assert begun.wait(60)
            np.testing.assert_array_equal(pool.submit(double, B).result(60), B * 2)
            assert not compiling.done()
        finally:
            may_end.set()
        np.testing.assert_array_equal(compiling.result(60), A * 2)


def test_a_function_may_call_itself_with_arrays_while_it_is_traced() -> None:
    @mi.jit
    def total(a: Any) -> Any:
        return a.sum() + (total(np.ones(2, np.float32)) if a.ndim == 2 else 0)

    assert total(A) == A.sum() + 2


def test_the_program_that_was_not_used_for_longest_is_forgotten() -> None:
    double = mi.jit(lambda a: a + a, most_programs=2, optimize=False)
    one, two = np.ones(1, np.float32), np.ones(2, np.float32)
    first, second = double.program(one), double.program(two)
    assert double.program(one) is first
    np.testing.assert_array_equal(double(np.ones(3, np.float32)), 2 * np.ones(3))
    assert double.program(one) is first
    assert double.program(two) is not second


def test_python_numbers_are_weakly_typed() -> None:
    add = mi.jit(lambda a, b: a + b, optimize=False)
    assert add(np.ones(2, np.float16), 1.5).dtype == np.float16
    assert add(np.ones(2, np.int8), 3).dtype == np.int8
    assert add(np.ones(2, np.int8), 2.5).dtype == np.float32
    assert add(True, 2) == 3


def test_double_precision_is_narrowed_as_jax_does() -> None:
    add = mi.jit(lambda a, b: a + b, optimize=False)
    assert add(np.ones(2), np.arange(2)).dtype == np.float32
    with jax.enable_x64(True):
        assert add(np.ones(2), np.arange(2)).dtype == np.float64


def test_an_argument_that_is_not_used_is_kept() -> None:
    np.testing.assert_array_equal(mi.jit(lambda a, b: b + 1)(A, B), B + 1)


def test_unsigned_numbers_keep_their_type() -> None:
    found = mi.jit(lambda a: a // 3)(np.array([2**32 - 1, 7], np.uint32))
    assert found.dtype == np.uint32
    np.testing.assert_array_equal(found, [(2**32 - 1) // 3, 2])


def test_constants_are_passed_by_pointer() -> None:
    weights = np.arange(90_000, dtype=np.float32).reshape(300, 300) % 7
    inner = jax.jit(lambda x: x @ weights)
    program = mi.from_jax(lambda x: inner(x) + weights[0], np.ones((2, 300), np.float32))
    assert 'dense<"0x' not in str(program)
    first = program.main(np.ones((2, 300), np.float32))
    np.testing.assert_allclose(first[0], weights.sum(0) + weights[0])


def test_constants_have_the_types_that_jax_uses() -> None:
    unsigned, double = np.arange(600, dtype=np.uint32) + 2**31, np.arange(600) / 3
    found = mi.jit(lambda a: (a // unsigned, a + jnp.asarray(unsigned) % 7, double[:3] * 2), optimize=False)(
        unsigned * 2
    )
    expected = jax.jit(lambda a: (a // unsigned, a + unsigned % 7, double[:3] * 2))(unsigned * 2)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_jax_may_transform_it() -> None:
    square = mi.jit(lambda a: (a * a).sum())
    np.testing.assert_array_equal(jax.grad(square)(B), 2 * B)
    np.testing.assert_array_equal(jax.vmap(square)(A), (A * A).sum(1))


def test_a_method_is_called_with_its_object() -> None:
    class Scale:
        factor = 3.0

        @mi.jit(static_argnums=0)
        def scale(self, a: Any) -> Any:
            return a * self.factor

    np.testing.assert_array_equal(Scale().scale(B), B * 3)


def test_keys_of_random_numbers_go_in_and_out() -> None:
    def draw(key: Any, x: Any) -> Any:
        return jax.random.uniform(key, (3,)) + x, jax.random.split(key)

    key = jax.random.key(3)
    drawn, keys = mi.jit(draw)(key, jnp.ones(3))
    np.testing.assert_array_equal(drawn, jax.random.uniform(key, (3,)) + 1)
    np.testing.assert_array_equal(jax.random.key_data(keys), jax.random.key_data(jax.random.split(key)))
    rows = jax.vmap(lambda one: jax.random.uniform(one, (2,)))
    np.testing.assert_array_equal(mi.jit(rows)(jax.random.split(key, 4)), rows(jax.random.split(key, 4)))


@pytest.mark.parametrize("convert", [np.array, jnp.array])
def test_a_key_of_random_numbers_among_donated_arguments_is_left_alone(convert: Any) -> None:
    def step(key: Any, state: Any) -> Any:
        return jax.random.split(key)[0], state + jax.random.normal(key, (4,))

    key, state = jax.random.key(3), convert(np.ones(4, np.float32))
    expected = step(key, jnp.ones(4))
    following, state = mi.jit(step, donate_argnums=(0, 1))(key, state)
    assert not key.is_deleted()
    np.testing.assert_array_equal(jax.random.key_data(following), jax.random.key_data(expected[0]))
    np.testing.assert_allclose(state, expected[1], rtol=1e-6)


def test_wrong_options_and_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="static_argnums has 2, but the function has 1 positional arguments"):
        mi.jit(lambda a: a, static_argnums=2)
    with pytest.raises(ValueError, match="donate_argnames has 'c', but the function has no such argument"):
        mi.jit(lambda a: a, donate_argnames="c")
    with pytest.raises(ValueError, match="argument 0 is both static and donated"):
        mi.jit(lambda a: a, static_argnums=0, donate_argnames="a")
    with pytest.raises(ValueError, match="static argument 0 has the value .* of type list, which cannot be hashed"):
        mi.jit(lambda a: 0, static_argnums=0)([1])
    with pytest.raises(ValueError, match="most_programs must be a positive integer, got 0"):
        mi.jit(lambda a: a, most_programs=0)
    program = mi.from_jax(lambda a: a["x"] + 1, {"x": B}, optimize=False)
    with pytest.raises(TypeError, match="was compiled for arguments of the structure"):
        program.main({"y": B})
    with pytest.raises(ValueError, match=r"argument 0 .*expected shape 3 .*, got 2"):
        program.main({"x": A[0, :2]})


def test_callbacks_are_refused() -> None:
    def noisy(a: Any) -> Any:
        jax.debug.print("{}", a)
        return a

    with pytest.raises(mi.PassError, match=r"noisy has effects \(.*\), as callbacks do; take them out"):
        mi.jit(noisy)(A)

    def calls_back(a: Any) -> Any:
        return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(a.shape, a.dtype), a)

    with pytest.raises(mi.PassError, match=r"calls_back calls Python back .*; take the call out; .*EQX_ON_ERROR=nan"):
        mi.jit(calls_back)(A)


def test_what_was_exported_for_another_platform_is_refused() -> None:
    exported = jax.export.export(jax.jit(lambda a: a + 1), platforms=["cpu"])(A)
    with pytest.raises(mi.PassError, match="cannot be lowered: .* was exported for platforms .*cpu"):
        mi.jit(exported.call)(A)


def test_a_primitive_that_only_a_library_has_is_named() -> None:
    with pytest.raises(mi.PassError, match="cannot be lowered: .*primitive 'schur'"):
        mi.jit(jax.scipy.linalg.schur)(np.eye(3, dtype=np.float32))


def test_functions_are_traced_without_searches_for_garbage() -> None:
    enabled: list[bool] = []

    @mi.jit
    def twice(a: Any) -> Any:
        enabled.append(gc.isenabled())
        return a * 2

    np.testing.assert_array_equal(twice(A), A * 2)
    assert enabled == [False]
    assert gc.isenabled()


def test_what_is_in_the_cache_is_not_lowered_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lowered: list[bool] = []
    lower = module.tensor_module

    def counted(traced: Any) -> Any:
        lowered.append(True)
        return lower(traced)

    monkeypatch.setattr(module, "tensor_module", counted)

    def function(a: Any, b: Any) -> Any:
        return {"r": a @ b + jnp.asarray(A), "s": b}

    square = np.arange(9, dtype=np.float32).reshape(3, 3)
    for donated in (None, None, 1, 1):  # Calls of one line: locations are in the key.
        jax.clear_caches()
        given = square.copy()
        found = mi.jit(function, donate_argnums=donated, cache=tmp_path)(A, given)
        np.testing.assert_array_equal(found["r"], A @ square + A)
        assert (found["s"] is given) == (donated == 1)
    assert len(lowered) == 2
