"""Data that is taken out of a model's file: all of it, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx_models import helper, model, onnx, value

import mlir_inplace as mi
from mlir_inplace.frontends.onnx.data_apart import data_apart
from mlir_inplace.frontends.onnx.model import lower_model, read_apart
from mlir_inplace.frontends.onnx.program import compile_model, lowered_model

F32 = np.float32
node = helper.make_node


def weights(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(F32)


def products() -> Any:
    """Three products; the names of tensors differ in length, so that their data begins anywhere."""
    stored = {"w": weights(1, 32, 32), "weights": weights(2, 32, 32), "ww": weights(3, 32, 32), "bias": weights(4, 32)}
    nodes = [node("MatMul", ["x", "w"], ["a"]), node("MatMul", ["a", "weights"], ["b"])]
    nodes += [node("MatMul", ["b", "ww"], ["c"]), node("Add", ["c", "bias"], ["y"])]
    return model(nodes, [value("x", shape=[2, 32])], [value("y", shape=[2, 32])], stored=stored)


def joined(rest: bytes, data: Any) -> Any:
    """The model with its data where it was."""
    proto = onnx.load_from_string(rest)
    for tensor in proto.graph.initializer:
        if tensor.name in data:
            assert tensor.data_location == onnx.TensorProto.EXTERNAL
            tensor.ClearField("data_location")
            tensor.raw_data = data[tensor.name].tobytes()
    return proto


def test_only_large_raw_tensors_are_taken() -> None:
    proto = products()
    proto.graph.initializer.append(onnx.helper.make_tensor("typed", onnx.TensorProto.FLOAT, [512], [1.0] * 512))
    rest, data = data_apart(memoryview(proto.SerializeToString()))
    assert set(data) == {"w", "weights", "ww"}
    assert len(rest) < 4000
    assert all(array.flags.aligned for array in data.values())
    assert joined(rest, data) == proto


def test_the_second_tensor_of_a_name_stays() -> None:
    proto = products()
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights(5, 32, 32), "w"))
    rest, data = data_apart(memoryview(proto.SerializeToString()))
    left = [len(tensor.raw_data) for tensor in onnx.load_from_string(rest).graph.initializer]
    assert left == [0, 0, 0, 128, 4096]
    np.testing.assert_array_equal(data["w"].view(F32).reshape(32, 32), weights(1, 32, 32))


def test_tensors_of_inner_graphs_stay() -> None:
    inner = onnx.helper.make_graph(
        [node("Add", ["x", "w"], ["z"])], "then", [], [value("z", shape=[2, 512])],
        [onnx.numpy_helper.from_array(weights(1, 512), "w")],
    )  # fmt: skip
    condition = [node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)]
    proto = model(condition, [value("c", kind="BOOL", shape=[]), value("x", shape=[2, 512])], [value("y")])
    content = proto.SerializeToString()
    assert data_apart(memoryview(content)) == (content, {})
    x = weights(2, 2, 512)
    np.testing.assert_array_equal(mi.from_onnx(content).main(np.array(True), x), x + weights(1, 512))


@pytest.mark.parametrize("cut", [1, 100, 5000, -1])
def test_bytes_that_are_no_model_are_refused_as_before(cut: int, tmp_path: Path) -> None:
    broken = products().SerializeToString()[:cut]
    assert data_apart(memoryview(broken)) == (broken, {})
    path = tmp_path / "broken.onnx"
    for content in (broken, b"\xff" * 64, b"\x0b"):
        path.write_bytes(content)
        for source in (content, path):
            with pytest.raises(ValueError, match="is no ONNX model"):
                mi.from_onnx(source)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.onnx").write_bytes(b"")
    with pytest.raises(ValueError, match="is no ONNX model"):
        mi.from_onnx(tmp_path / "empty.onnx")


@pytest.mark.parametrize("optimize", [False, True])
def test_a_file_its_bytes_and_its_message_are_one_program(tmp_path: Path, *, optimize: bool) -> None:
    proto, x = products(), weights(9, 2, 32)
    path = tmp_path / "products.onnx"
    path.write_bytes(proto.SerializeToString())
    expected = mi.from_onnx(proto, optimize=optimize).main(x)
    from_file = mi.from_onnx(path, optimize=optimize)
    path.write_bytes(b"")  # Nothing is read there any more.
    for program in (from_file, mi.from_onnx(proto.SerializeToString(), optimize=optimize)):
        np.testing.assert_array_equal(program.main(x), expected)


@pytest.mark.parametrize("kind", ["UINT8", "INT64", "FLOAT16", "BFLOAT16", "DOUBLE", "INT4", "UINT4"])
def test_data_of_every_width(kind: str) -> None:
    code = getattr(onnx.TensorProto, kind)
    dtype = onnx.helper.tensor_dtype_to_np_dtype(code)
    numbers = (np.arange(4096) % 7).astype(dtype).reshape(64, 64)
    proto = model(
        [node("Cast", ["w"], ["f"], to=onnx.TensorProto.FLOAT), node("Add", ["x", "f"], ["y"])],
        [value("x", shape=[64])], [value("y", shape=[64, 64])],
        stored={"w": numbers},
    )  # fmt: skip
    content = proto.SerializeToString()
    assert set(data_apart(memoryview(content))[1]) == {"w"}
    x = weights(3, 64)
    np.testing.assert_array_equal(mi.from_onnx(content).main(x), x + numbers.astype(F32))


def test_external_data_without_a_file_is_refused_if_it_is_not_apart(tmp_path: Path) -> None:
    proto = products()
    proto.graph.initializer[0].ClearField("raw_data")
    proto.graph.initializer[0].data_location = onnx.TensorProto.EXTERNAL
    rest, data = read_apart(proto.SerializeToString())
    assert "w" not in data
    with pytest.raises((ValueError, OSError)):
        lower_model(rest, folder=tmp_path, data=data)


@pytest.mark.parametrize("optimize", [False, True])
def test_the_largest_tensors_stay_in_the_file_until_they_are_held(tmp_path: Path, optimize: bool) -> None:
    stored = {"w": weights(1, 256, 256), "b": weights(2, 256, 256), "small": weights(3, 256)}
    nodes = [
        node("MatMul", ["x", "w"], ["a"]),
        node("Add", ["a", "small"], ["s"]),
        node("Add", ["s", "b"], ["y"], name="1"),
    ]
    proto = model(nodes, [value("x", shape=[256, 256])], [value("y", shape=[256, 256])], stored=stored)
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    lowered = lowered_model(path)
    assert [array.flags.writeable for array in lowered.weights.values()] == [
        n not in lowered.borrowed for n in (1, 2, 3)
    ]
    assert len(lowered.borrowed) == 2
    x = weights(4, 256, 256)
    expected = x @ stored["w"] + stored["small"] + stored["b"]
    program = mi.from_onnx(path, optimize=optimize)
    path.write_bytes(b"")  # Nothing is read there any more.
    for one in (program, mi.from_onnx(proto.SerializeToString(), optimize=optimize)):
        np.testing.assert_allclose(one.main(x), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("external", [False, True])
def test_a_file_that_becomes_shorter_is_reported(tmp_path: Path, external: bool) -> None:
    """Its pages are not there any more: reading one would end the process."""
    square = [256, 256]
    nodes = [node("MatMul", ["x", "v"], ["a"]), node("MatMul", ["a", "w"], ["y"])]
    stored = {"v": weights(1, 256, 256), "w": weights(2, 256, 256)}
    proto = model(nodes, [value("x", shape=square)], [value("y", shape=square)], stored=stored)
    path, data = tmp_path / "model.onnx", tmp_path / "weights.bin"
    onnx.save(proto, path, save_as_external_data=external, location=data.name)
    whole, part = lowered_model(path), lowered_model(path)
    compile_model(whole, optimize=True)
    os.truncate(data if external else path, 256 * 256 * 4 + 512)
    with pytest.raises(OSError, match="^the file of a model's weights became shorter while it was compiled$"):
        compile_model(part, optimize=True)
