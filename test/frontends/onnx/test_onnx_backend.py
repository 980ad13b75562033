"""The backend: ONNX's interface, and its own tests."""

from __future__ import annotations

import numpy as np
import pytest
from onnx_models import distinct, helper, node_model

from mlir_inplace.frontends.onnx import backend


def test_prepare_and_run() -> None:
    x = distinct(3, 4)
    prepared = backend.prepare(node_model("Neg", [x]))
    for given in ([x], {"x0": x}):
        (found,) = prepared.run(given)
        np.testing.assert_array_equal(found, -x)
    (found,) = backend.run_model(node_model("Neg", [x]), [x])
    np.testing.assert_array_equal(found, -x)


def test_run_node() -> None:
    x = distinct(3, 4)
    (found,) = backend.run_node(helper.make_node("Neg", ["x"], ["y"]), [x])
    np.testing.assert_array_equal(found, -x)
    (found,) = backend.run_node(helper.make_node("Neg", ["x"], ["y"]), {"x": x})
    np.testing.assert_array_equal(found, -x)


def test_inputs_that_decide_the_code_are_compiled_for() -> None:
    x = distinct(2, 3)
    prepared = backend.prepare(node_model("ReduceSum", [x, np.array([0])], keepdims=0))
    for axis in (0, 1, 0):
        np.testing.assert_array_equal(prepared.run([x, np.array([axis])])[0], x.sum(axis))
    assert prepared.decisive_inputs == ("x1",)


def test_devices_and_models_that_are_not_supported() -> None:
    assert backend.supports_device("CPU")
    assert backend.supports_device("CPU:0")
    assert not backend.supports_device("CUDA")
    with pytest.raises(ValueError, match="device 'CUDA' is not supported; CPU is"):
        backend.prepare(node_model("Neg", [distinct(2)]), "CUDA")
    assert backend.is_compatible(node_model("Neg", [distinct(2)]))
    assert backend.is_compatible(node_model("ReduceSum", [distinct(2), np.array([0])]))
    proto = node_model("Neg", [distinct(2)])
    proto.graph.node[0].op_type = "RandomNormalLike"
    assert not backend.is_compatible(proto)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_the_runner_of_onnx_accepts_it() -> None:
    import unittest

    import onnx.backend.test

    tests = onnx.backend.test.BackendTest(backend, __name__)
    tests.include("^test_(abs|gemm_all_attributes|layer_normalization_2d_axis0|reduce_sum_keepdims_example)_cpu$")
    found = unittest.TextTestRunner().run(tests.test_suite)
    assert found.wasSuccessful()
    assert found.testsRun - len(found.skipped) == 4
