"""`from_onnx`: names, sizes, stored tensors, control flow, functions, and what is refused."""

from __future__ import annotations

import inspect
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx_models import distinct, helper, model, node_model, onnx, reference, untyped, value

import mlir_inplace as mi
from mlir_inplace.frontends.onnx.model import lower_model
from mlir_inplace.frontends.onnx.program import lowered_model

node = helper.make_node
F32 = np.float32


def test_arguments_have_the_names_of_the_model() -> None:
    a, b = distinct(2, 3), distinct(2, 3) * 4
    program = mi.from_onnx(
        model([node("Sub", ["left", "right"], ["y"])], [value("left", a), value("right", b)], [untyped("y")])
    )
    np.testing.assert_array_equal(program.main(right=b, left=a), a - b)


def test_results_have_the_names_of_the_model() -> None:
    a, b = distinct(2, 3), distinct(2, 3) * 4
    program = mi.from_onnx(
        model(
            [node("Sub", ["left/0", "right"], ["minus:0"]), node("Add", ["left/0", "right"], ["plus"])],
            [value("left/0", a), value("right", b)],
            [untyped("minus:0"), untyped("plus")],
        )
    )
    assert (program.input_names, program.output_names) == (("left/0", "right"), ("minus:0", "plus"))
    assert "minus:0: tensor<2x3xf32>, array of float32 (2x3)\nplus: tensor<2x3xf32>" in (program.main.__doc__ or "")
    assert list(inspect.signature(program.main).return_annotation) == ["minus:0", "plus"]
    minus, plus = program.run(None, {"right": b, "left/0": a})
    np.testing.assert_array_equal(minus, a - b)
    np.testing.assert_array_equal(plus, a + b)
    (only,) = program.run(["plus"], {"left/0": a, "right": b})
    np.testing.assert_array_equal(only, plus)
    with pytest.raises(ValueError, match=r"no output 'y'; it has: minus:0, plus"):
        program.run(["y"], {"left/0": a, "right": b})
    with pytest.raises(TypeError, match="left_0 missing"):
        program.run(None, {"right": b})


def test_dynamic_sizes() -> None:
    batch = model(
        [
            node("Shape", ["x"], ["shape"]),
            node("Gather", ["shape", "zero"], ["count"]),
            node("Unsqueeze", ["count", "axes"], ["row"]),
            node("Concat", ["row", "rest"], ["wanted"], axis=0),
            node("Reshape", ["x", "wanted"], ["flat"]),
            node("Add", ["flat", "bias"], ["y"]),
        ],
        [value("x", kind="FLOAT", shape=["batch", 2, 3])],
        [value("y", kind="FLOAT", shape=["batch", 6])],
        stored={
            "zero": np.array(0), "axes": np.array([0]), "rest": np.array([-1]), "bias": distinct(6),
        },
    )  # fmt: skip
    program = mi.from_onnx(batch)
    for count in (1, 5):
        x = distinct(count, 2, 3)
        np.testing.assert_array_equal(program.main(x), x.reshape(count, 6) + distinct(6))


def test_sizes_of_one_name_are_compared_in_each_call() -> None:
    inputs = [value(name, kind="FLOAT", shape=["n"]) for name in "ab"]
    program = mi.from_onnx(model([node("Add", ["a", "b"], ["y"])], inputs, [untyped("y")]))
    np.testing.assert_array_equal(program.main(distinct(4), distinct(4)), 2 * distinct(4))
    with pytest.raises(AssertionError, match="dimension 0 of 'b' differs from another one named 'n'"):
        program.main(distinct(4), distinct(1))


def test_run_time_sizes_of_other_names_are_compared_before_they_are_used() -> None:
    inputs = [value(name, kind="FLOAT", shape=[size]) for name, size in (("a", "n"), ("b", "m"))]
    program = mi.from_onnx(model([node("Add", ["a", "b"], ["y"])], inputs, [untyped("y")]))
    np.testing.assert_array_equal(program.main(distinct(4), distinct(4)), 2 * distinct(4))
    with pytest.raises(AssertionError, match="broadcast"):
        program.main(distinct(4), distinct(1))


def test_large_tensors_are_held_and_small_ones_are_constants() -> None:
    weights, x = distinct(32, 16), distinct(2, 32)
    proto = node_model("MatMul", [x, weights], stored=[1])
    lowered = lower_model(proto)
    assert [array.shape for array in lowered.weights.values()] == [(32, 16)]
    assert "dense<" not in str(lowered.module)
    np.testing.assert_allclose(mi.from_onnx(proto).main(x), x @ weights, rtol=1e-5)
    small = node_model("Add", [x, distinct(32)], stored=[1])
    assert not lower_model(small).weights


def test_convolutions_with_stored_weights() -> None:
    """Their weights are laid out once, and a batch normalization by stored numbers is a product and a sum."""
    rng = np.random.default_rng(4)
    stored = {"w": rng.integers(-2, 3, (64, 3, 3, 3)), "v": rng.integers(-2, 3, (64, 64, 3, 3))}
    stored |= {name: rng.integers(1, 4, 64) for name in ("scale", "shift", "mean")}
    stored = {name: array.astype(F32) for name, array in stored.items()}
    stored["variance"] = rng.choice([0.25, 1, 4], 64).astype(F32)
    norm = ["scale", "shift", "mean", "variance"]
    nodes = [
        node("Conv", ["x", "w"], ["c"], pads=[1] * 4, strides=[2, 2]),
        node("BatchNormalization", ["c", *norm], ["n"], epsilon=0.0),
        node("Relu", ["n"], ["r"]),
        node("Conv", ["r", "v"], ["d"], pads=[1] * 4),
        node("Add", ["d", "r"], ["s"]),
        node("MaxPool", ["s"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
    ]
    x = rng.integers(-3, 4, (1, 3, 15, 14)).astype(F32)
    proto = model(nodes, [value("x", x)], [untyped("y")], stored=stored)
    expected = reference(proto, x)[0]
    assert "divf" not in str(lowered_model(proto).module)
    for optimize in (False, True):
        np.testing.assert_allclose(mi.from_onnx(proto, optimize=optimize).main(x), expected, rtol=1e-5)


@pytest.mark.parametrize("filters", [32, 64])
def test_depthwise_convolutions_between_others(filters: int) -> None:
    """With as many filters as channels they are one op, whose stored weights have their channels last, too."""
    rng = np.random.default_rng(5)
    shapes = {"w": (32, 8, 1, 1), "v": (filters, 1, 3, 3), "u": (16, filters, 1, 1)}
    stored = {name: rng.integers(-2, 3, shape).astype(F32) for name, shape in shapes.items()}
    nodes = [
        node("Conv", ["x", "w"], ["c"]),
        node("Conv", ["c", "v"], ["d"], group=32, pads=[1] * 4, strides=[2, 1]),
        node("Relu", ["d"], ["r"]),
        node("Conv", ["r", "u"], ["y"]),
    ]
    x = rng.integers(-2, 3, (2, 8, 9, 10)).astype(F32)
    proto = model(nodes, [value("x", x)], [untyped("y")], stored=stored)
    expected = reference(proto, x)[0]
    for optimize in (False, True):
        np.testing.assert_array_equal(mi.from_onnx(proto, optimize=optimize).main(x), expected)


def test_each_of_many_tensors_is_its_own() -> None:
    x = distinct(2, 20)
    stored = {f"w{n}": distinct(20, 20) + n for n in range(12)} | {f"b{n}": distinct(20) * n for n in range(12)}
    nodes: list[Any] = []
    wanted, last = x, "x"
    for n in range(12):
        nodes += [node("MatMul", [last, f"w{n}"], [f"p{n}"]), node("Add", [f"p{n}", f"b{n}"], [f"s{n}"])]
        nodes.append(node("Tanh", [f"s{n}"], [f"t{n}"]))
        wanted, last = np.tanh(wanted @ stored[f"w{n}"] + stored[f"b{n}"]), f"t{n}"
    proto = model(nodes, [value("x", x)], [untyped(last)], stored=stored)
    np.testing.assert_allclose(mi.from_onnx(proto).main(x), wanted, rtol=1e-4)


def test_the_example_is_what_onnx_computes() -> None:
    path = Path(__file__).parents[3] / "examples" / "onnx_classifier.py"
    make_model = runpy.run_path(str(path))["make_model"]
    pictures = np.random.default_rng(0).random((3, 1, 28, 28), F32)
    np.testing.assert_allclose(
        mi.from_onnx(make_model()).main(pictures), reference(make_model(), pictures)[0], rtol=1e-4
    )


def test_unsigned_weights_keep_their_values() -> None:
    table = (np.arange(2048) % 256).astype(np.uint8).reshape(1024, 2)
    proto = node_model("Gather", [table, np.array([3, 127, 1023])], stored=[0])
    np.testing.assert_array_equal(mi.from_onnx(proto).main(np.array([3, 127, 1023])), table[[3, 127, 1023]])


def test_external_data_is_mapped(tmp_path: Path) -> None:
    weights, x = distinct(64, 16), distinct(2, 64)
    path = tmp_path / "model.onnx"
    onnx.save(
        node_model("MatMul", [x, weights], stored=[1]), str(path), save_as_external_data=True, location="weights.bin",
        size_threshold=0,
    )  # fmt: skip
    (array,) = lowered_model(path).weights.values()
    assert isinstance(array, np.memmap)
    np.testing.assert_allclose(mi.from_onnx(path).main(x), x @ weights, rtol=1e-5)
    (tmp_path / "weights.bin").unlink()
    with pytest.raises(OSError, match=r"weights\.bin"):
        mi.from_onnx(path)


def test_external_data_outside_of_the_folder_is_refused(tmp_path: Path) -> None:
    proto = node_model("MatMul", [distinct(2, 64), distinct(64, 16)], stored=[1])
    onnx.external_data_helper.set_external_data(proto.graph.initializer[0], "../weights.bin")
    proto.graph.initializer[0].ClearField("raw_data")
    with pytest.raises(ValueError, match="outside of the model's folder"):
        lower_model(proto, folder=tmp_path)


def test_optional_inputs_may_be_left_out() -> None:
    x = distinct(3, 4)
    for arrays in ([x, None, np.float32(1)], [x, np.float32(-1), None]):
        proto = node_model("Clip", arrays)
        given = [a for a in arrays if a is not None]
        np.testing.assert_array_equal(mi.from_onnx(proto).main(*map(np.asarray, given)), reference(proto, *given)[0])


def _branch(name: str, op_type: str) -> Any:
    return helper.make_graph([node(op_type, ["x", "b"], [name])], name, [], [untyped(name)])


@pytest.mark.parametrize("chosen", [True, False])
def test_if(chosen: bool) -> None:
    branches = {"then_branch": _branch("sum", "Add"), "else_branch": _branch("difference", "Sub")}
    x, b = distinct(3), distinct(3) * 8
    proto = model(
        [node("If", ["c"], ["y"], **branches)],
        [value("c", kind="BOOL", shape=[]), value("x", x), value("b", b)],
        [untyped("y")],
    )
    np.testing.assert_array_equal(mi.from_onnx(proto).main(np.array(chosen), x, b), x + b if chosen else x - b)


def _counting_body() -> Any:
    return helper.make_graph(
        [
            node("Add", ["total", "step"], ["next"]),
            node("Less", ["next", "limit"], ["below"]),
            node("Squeeze", ["below"], ["on"]),
            node("Identity", ["next"], ["row"]),
        ],
        "body",
        [
            value("i", kind="INT64", shape=[]),
            value("go", kind="BOOL", shape=[]),
            value("total", kind="FLOAT", shape=[1]),
        ],
        [
            value("on", kind="BOOL", shape=[]),
            value("next", kind="FLOAT", shape=[1]),
            value("row", kind="FLOAT", shape=[1]),
        ],
    )


@pytest.mark.parametrize("trips", [0, 3, 20])
def test_loop_ends_by_its_count_or_its_condition(trips: int) -> None:
    inputs = [value("n", kind="INT64", shape=[]), value("go", kind="BOOL", shape=[])]
    inputs += [value(name, kind="FLOAT", shape=[1]) for name in ("start", "step", "limit")]
    proto = model(
        [node("Loop", ["n", "go", "start"], ["last", "rows"], body=_counting_body())],
        inputs,
        [value("last", kind="FLOAT", shape=[1]), value("rows", kind="FLOAT", shape=["k", 1])],
    )
    last, rows = mi.from_onnx(proto).main(
        np.array(trips), np.array(True), np.array([1], F32), np.array([2], F32), np.array([10], F32)
    )
    count = min(trips, 5)
    np.testing.assert_array_equal(rows, 1 + 2 * np.arange(1, count + 1, dtype=F32)[:, None])
    assert last == 1 + 2 * count


@pytest.mark.parametrize("backwards", [0, 1])
def test_scan(backwards: int) -> None:
    body = helper.make_graph(
        [node("Add", ["total", "row"], ["next"]), node("Identity", ["next"], ["shown"])],
        "body",
        [value("total", kind="FLOAT", shape=[2]), value("row", kind="FLOAT", shape=[2])],
        [value("next", kind="FLOAT", shape=[2]), value("shown", kind="FLOAT", shape=[2])],
    )
    x = distinct(4, 2)
    proto = model(
        [
            node(
                "Scan", ["start", "x"], ["end", "sums"], body=body, num_scan_inputs=1, scan_input_directions=[backwards]
            )
        ],
        [value("start", kind="FLOAT", shape=[2]), value("x", x)],
        [untyped("end"), untyped("sums")],
    )
    program = mi.from_onnx(proto, memory_stats=True)
    end, sums = program.main(np.zeros(2, F32), x)
    rows = x[::-1] if backwards else x
    np.testing.assert_array_equal(sums, np.cumsum(rows, 0))
    np.testing.assert_array_equal(end, x.sum(0))
    assert program.memory_stats.copied_bytes == 8  # the start, which the caller keeps


def test_functions_of_the_model_are_inlined() -> None:
    twice = helper.make_function(
        "own", "Scaled", ["a"], ["b"],
        [helper.make_node("Constant", [], ["f"]), node("Mul", ["a", "f"], ["b"])],
        [helper.make_opsetid("", 21)], ["factor"],
    )  # fmt: skip
    attribute = twice.node[0].attribute.add()
    attribute.name, attribute.ref_attr_name, attribute.type = "value_float", "factor", onnx.AttributeProto.FLOAT
    x = distinct(3)
    proto = model(
        [node("Scaled", ["x"], ["y"], domain="own", factor=3.0)], [value("x", x)], [untyped("y")], functions=[twice]
    )
    np.testing.assert_array_equal(mi.from_onnx(proto).main(x), x * 3)


def test_unsigned_integers_cross_the_boundary() -> None:
    x = np.array([1, 200, 255], np.uint8)
    program = mi.from_onnx(node_model("Max", [x, np.array([100], np.uint8)], stored=[1]))
    found = program.main(x)
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, [100, 200, 255])


def test_an_input_that_must_be_a_constant() -> None:
    x, axes = distinct(2, 3), np.array([1])
    proto = node_model("ReduceSum", [x, axes], keepdims=0)
    with pytest.raises(ValueError, match=r"input 1 \('axes'\) of ReduceSum node 'y0' must be a constant, but 'x1'"):
        mi.from_onnx(proto)
    np.testing.assert_array_equal(mi.from_onnx(proto, constants={"x1": axes}).main(x), x.sum(1))
    with pytest.raises(ValueError, match="the model has no input 'axes'; it has: x0, x1"):
        mi.from_onnx(proto, constants={"axes": axes})


def _strings() -> Any:
    return model([node("Identity", ["x"], ["y"])], [value("x", kind="STRING", shape=[2])], [untyped("y")])


def _sequence() -> Any:
    proto = helper.make_tensor_sequence_value_info("xs", onnx.TensorProto.FLOAT, None)
    return model([node("SequenceLength", ["xs"], ["y"])], [proto], [untyped("y")])


def _stored_sequence() -> Any:
    """Of constants, which are not stacked to a tensor."""
    nodes = [node("SequenceConstruct", ["a", "a"], ["y"])]
    out = helper.make_tensor_sequence_value_info("y", onnx.TensorProto.FLOAT, None)
    return model(nodes, [], [out], stored={"a": distinct(2)})


def _random() -> Any:
    return model([node("RandomNormal", [], ["y"], shape=[2], name="noise")], [], [untyped("y")])


def _no_rank() -> Any:
    return model([node("Abs", ["x"], ["y"])], [value("x", kind="FLOAT", shape=None)], [untyped("y")])


REFUSED = {
    _strings: "'x': elements of type STRING are not supported",
    _sequence: "'xs' is of type sequence; only tensors are supported",
    _stored_sequence: "output 'y' is a sequence or an optional value; only tensors are supported",
    _random: "operator RandomNormal is not supported, for RandomNormal node 'noise'",
    _no_rank: "the rank of 'x' is not known; state its dimensions in the model",
}


@pytest.mark.parametrize("make", REFUSED)
def test_what_is_refused_is_named(make: Any) -> None:
    with pytest.raises(ValueError, match=REFUSED[make]):
        mi.from_onnx(make())


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "text.onnx"
    path.write_text("module {}\n")
    with pytest.raises(ValueError, match="is no ONNX model"):
        mi.from_onnx(path)
    with pytest.raises(TypeError, match=r"expected an onnx\.ModelProto, its bytes or a path, got int"):
        mi.from_onnx(3)
