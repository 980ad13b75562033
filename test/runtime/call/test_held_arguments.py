"""Programs that hold some of their arguments: by pointer, checked once, unseen by callers."""

from __future__ import annotations

import array
import gc
import inspect
import pydoc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlir_inplace as mi

MODEL = """
func.func @main(%w: tensor<4x3xf32>, %x: tensor<?x4xf32>, %b: tensor<3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %0 = linalg.broadcast ins(%b : tensor<3xf32>) outs(%e : tensor<?x3xf32>) dimensions = [0]
  %1 = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x3xf32>) outs(%0 : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}
"""
STATE = """
func.func @step(%count: tensor<4xf64> {bufferization.writable = true}, %by: tensor<4xf64>, %scale: f64)
    -> (tensor<4xf64>, f64, tensor<4xf64>) {
  %e = tensor.empty() : tensor<4xf64>
  %0 = linalg.sub ins(%by, %count : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %1 = linalg.add ins(%count, %by : tensor<4xf64>, tensor<4xf64>) outs(%count : tensor<4xf64>) -> tensor<4xf64>
  return %1, %scale, %0 : tensor<4xf64>, f64, tensor<4xf64>
}
func.func @fixed(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.sub ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @same(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
"""


def numbers(*shape: int, start: float = 1, dtype: str = "float32") -> np.ndarray[Any, Any]:
    return (start + np.arange(np.prod(shape))).reshape(shape).astype(dtype)


W, B, X = numbers(4, 3), numbers(3, start=100), numbers(5, 4, start=-3)


@pytest.fixture(scope="module")
def model() -> mi.Program:
    return mi.compile(MODEL)


@pytest.fixture(scope="module")
def state() -> mi.Program:
    return mi.compile(STATE)


class TestCalls:
    def test_calls_take_the_rest(self, model: mi.Program) -> None:
        for held in (model.hold({"w": W, "b": B}), model.hold({0: W, 2: B}), model.hold({"b": B}).hold({"w": W})):
            for rows in (5, 2, 0):  # the dynamic size: several plans
                np.testing.assert_array_equal(held.main(X[:rows]), X[:rows] @ W + B)
            np.testing.assert_array_equal(held.main(x=X), X @ W + B)
            np.testing.assert_array_equal(held.bind(X)(), X @ W + B)
            out = np.empty((5, 3), np.float32)
            assert held.main(X, out=out) is out
            np.testing.assert_array_equal(out, X @ W + B)
        np.testing.assert_array_equal(model.main(W, X, B), X @ W + B)

    def test_strided_arrays_are_read_where_they_are(self, model: mi.Program) -> None:
        wide = numbers(8, 6)
        held = model.hold({"w": wide[::2, ::2], "b": B})
        np.testing.assert_array_equal(held.main(X), X @ wide[::2, ::2] + B)
        wide[:] += 5
        np.testing.assert_array_equal(held.main(X), X @ wide[::2, ::2] + B)

    def test_each_program_has_its_own(self, model: mi.Program) -> None:
        first, second = model.hold({"w": W, "b": B}), model.hold({"w": W * 2, "b": B})
        np.testing.assert_array_equal(first.main(X), X @ W + B)
        np.testing.assert_array_equal(second.main(X), X @ (W * 2) + B)

    def test_a_result_that_is_a_held_array_is_a_copy(self, state: mi.Program) -> None:
        kept = numbers(4)
        result = state.hold({"a": kept}, function="same").same(numbers(4, start=9))
        np.testing.assert_array_equal(result, kept)
        assert not np.shares_memory(result, kept)

    def test_other_functions_are_as_before(self, state: mi.Program) -> None:
        held = state.hold({0: numbers(4)}, function="fixed")
        np.testing.assert_array_equal(held.same(W[:, 0].copy(), B.repeat(2)[:4]), W[:, 0])
        again = held.hold({"b": numbers(4, start=50)}, function="same")
        np.testing.assert_array_equal(again.fixed(numbers(4)), np.zeros(4))
        np.testing.assert_array_equal(again.same(numbers(4)), numbers(4))


class TestMemory:
    def test_weights_are_passed_by_pointer(self) -> None:
        """64 MB of them: not copied when held, nor by a call; a change of the array is seen."""
        rows = 1 << 22
        text = MODEL.replace("4x3xf32", f"4x{rows}xf32").replace("<3xf32>", f"<{rows}xf32>")
        program = mi.compile(text.replace("?x3xf32", f"?x{rows}xf32"), memory_stats=True)
        weights, bias = np.ones((4, rows), np.float32), np.zeros(rows, np.float32)
        held = program.hold({"w": weights, "b": bias})
        x = numbers(1, 4)
        assert held.main(x)[0, -1] == 10
        weights[1, -1], bias[-1] = 5, 0.5
        assert held.main(x)[0, -1] == 18.5
        stats = held.memory_stats
        assert (stats.allocations, stats.copied_bytes, stats.result_bytes) == (1, 0, rows * 4)
        with pytest.raises(RuntimeError, match="before the first call"):
            _ = program.memory_stats

    def test_arrays_live_as_long_as_what_uses_them(self, model: mi.Program) -> None:
        weights = W.copy()
        alive = weakref.ref(weights)
        call = model.hold({"w": weights, "b": B}).bind(X)
        del weights
        gc.collect()
        np.testing.assert_array_equal(call(), X @ W + B)
        assert alive() is not None
        del call
        gc.collect()
        assert alive() is None

    def test_mapped_files(self, model: mi.Program, tmp_path: Path) -> None:
        np.save(tmp_path / "w.npy", W)
        mapped = np.load(tmp_path / "w.npy", mmap_mode="r")
        held = model.hold({"w": mapped, "b": B})
        del mapped
        gc.collect()
        np.testing.assert_array_equal(held.main(X), X @ W + B)

    def test_other_packages(self, model: mi.Program) -> None:
        bias = array.array("f", B)
        held = model.hold({"w": W, "b": bias})
        bias[0] += 7
        np.testing.assert_array_equal(held.main(X)[:, 0], (X @ W + B)[:, 0] + 7)

    def test_a_written_array_is_updated_in_place(self, state: mi.Program) -> None:
        count, by = np.zeros(4), numbers(4, dtype="float64")
        held = state.hold({"count": count}, function="step")
        for turn in range(1, 4):
            updated, scale, before = held.step(by, 0.5)
            assert updated is count and scale == 0.5
            np.testing.assert_array_equal(count, turn * by)
            np.testing.assert_array_equal(before, (2 - turn) * by)
        call = held.bind(by, 0.25, function="step")
        assert call()[0] is count
        np.testing.assert_array_equal(count, 4 * by)


class TestShown:
    def test_only_the_rest(self, model: mi.Program) -> None:
        held = model.hold({"w": W, 2: B})
        assert str(inspect.signature(held.main)) == "(x: tensor<?x4xf32>, *, out=None) -> tensor<?x3xf32>"
        assert repr(held) == "<Program with main(x)>"
        assert repr(held.main.bind(X)) == "<bound call of main(x)>"
        assert [parameter.index for parameter in held.main.signature.parameters] == [0]
        said = pydoc.plain(pydoc.render_doc(held.main))
        assert "x: tensor<?x4xf32>" in said and "4x3" not in said
        assert repr(model) == "<Program with main(w, x, b)>"

    def test_errors_of_calls(self, model: mi.Program, state: mi.Program) -> None:
        held = model.hold({"w": W, "b": B})
        with pytest.raises(TypeError, match=r"^main takes 1 argument, got 2: main\(x: tensor<\?x4xf32>\) ->"):
            held.main(W, X)
        with pytest.raises(TypeError, match=r"^main has no argument 'w'; it is main\(x"):
            held.main(X, w=W)
        with pytest.raises(ValueError, match=r"^argument 0 \('x'\): expected shape \?x4"):
            held.main(X.T)
        count = np.zeros(4)
        step = state.hold({"count": count}, function="step").step
        written = r"^held argument 'count' is written in place, but its memory overlaps argument 0 \('by'\)"
        with pytest.raises(ValueError, match=written):
            step(count, 0.5)
        with pytest.raises(TypeError, match=r"^argument 1 \('scale'\): "):
            step(numbers(4, dtype="float64"), "x")

    @pytest.mark.parametrize(
        ("function", "given", "message"),
        [
            ("fixed", {"c": W}, r"^fixed has no argument 'c'; it is fixed\(a: tensor<4xf32>, b"),
            ("fixed", {2: W}, r"^fixed has no argument number 2; it is fixed\(a"),
            ("fixed", {-1: W}, r"^fixed has no argument number -1; it is fixed\(a"),
            ("fixed", {1.5: W}, r"^fixed has no argument number 1.5; it is fixed\(a"),
            ("fixed", {"a": B[:1].repeat(4), 0: B[:1].repeat(4)}, r"^argument 0 \('a'\) of fixed is given twice"),
            ("fixed", {"a": W}, r"^held argument 'a': expected shape 4 for tensor<4xf32>, got 4x3"),
            ("fixed", {"a": np.zeros(4)}, r"^held argument 'a': expected dtype float32 for tensor<4xf32>, got float64"),
            ("step", {"scale": 0.5}, r"^held argument 'scale': only arrays can be held, and it is f64"),
            ("step", {"count": np.broadcast_to(np.zeros(1), 4)}, "^held argument 'count': it is written, but several"),
            ("step", {"count": np.frombuffer(bytes(32))}, "^held argument 'count': the array is read-only, but calls"),
        ],
    )
    def test_errors_of_hold(self, state: mi.Program, function: str, given: dict[Any, Any], message: str) -> None:
        with pytest.raises((TypeError, ValueError), match=message):
            state.hold(given, function=function)

    def test_held_arrays_that_overlap(self, state: mi.Program) -> None:
        shared = np.zeros(6)
        with pytest.raises(ValueError, match="^held argument 'count' is .* its memory overlaps held argument 'by'"):
            state.hold({"count": shared[:4], "by": shared[2:]}, function="step")

    def test_which_function(self, state: mi.Program) -> None:
        with pytest.raises(ValueError, match="^say which function to bind; the program has 3"):
            state.hold({"a": B})
        with pytest.raises(KeyError, match="no entry point 'nothing'"):
            state.hold({"a": B}, function="nothing")
