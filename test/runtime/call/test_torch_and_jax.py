"""PyTorch and JAX arrays, where these are installed; `test_foreign_arrays.py` tests the protocols without them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from test_foreign_arrays import PROGRAM, grid

import mlir_inplace as mi


@pytest.fixture(scope="module")
def program() -> mi.Program:
    return mi.compile(PROGRAM.replace("TYPE", "bf16"))


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch", minversion="2.12")


@pytest.fixture(scope="module")
def jax() -> Any:
    return pytest.importorskip("jax", minversion="0.9")


class TestTorch:
    """Tensors on the CPU."""

    def test_read_and_returned(self, torch: Any, program: mi.Program) -> None:
        tensor = torch.arange(1.0, 7.0).reshape(2, 3)
        result = torch.from_dlpack(program.plus(tensor, torch.tensor(10.0)))
        assert torch.equal(result, tensor + 10)
        np.testing.assert_array_equal(program.plus(tensor.T, 10.0), tensor.T.numpy() + 10)

    def test_written(self, torch: Any, program: mi.Program) -> None:
        tensor = torch.arange(1.0, 7.0).reshape(2, 3)
        result = program.double(tensor)
        assert result.__array_interface__["data"][0] == tensor.data_ptr()
        assert torch.equal(tensor, 2 * torch.arange(1.0, 7.0).reshape(2, 3))
        out = torch.zeros(2, 3)
        program.plus(grid(), 1.0, out=out)
        np.testing.assert_array_equal(out.numpy(), grid() + 1)

    def test_bf16_both_ways(self, torch: Any, program: mi.Program) -> None:
        tensor = torch.arange(1.0, 7.0).reshape(2, 3).to(torch.bfloat16)
        result = program.bf16(tensor)
        assert result.dtype == ml_dtypes.bfloat16
        assert torch.equal(torch.from_dlpack(result.view(np.uint16)).view(torch.bfloat16), 2 * tensor)

    def test_f8(self, torch: Any) -> None:
        text = PROGRAM[PROGRAM.index("func.func @first") : PROGRAM.index("func.func @contiguous")]
        program = mi.compile(text.replace("TYPE", "f8E4M3FN"))
        assert program.first(torch.full((2, 3), 1.5).to(torch.float8_e4m3fn)) == 1.5

    def test_a_tensor_that_requires_a_gradient(self, torch: Any, program: mi.Program) -> None:
        with pytest.raises(TypeError, match=r"argument 0.*: Tensor gives no array: .*gradient, use tensor.detach\(\)"):
            program.plus(torch.ones((2, 3), requires_grad=True), 1.0)

    def test_no_memory_on_the_host(self, torch: Any, program: mi.Program) -> None:
        with pytest.raises(TypeError, match="argument 0"):
            program.plus(torch.ones((2, 3), device="meta"), 1.0)


class TestJax:
    """Arrays on the CPU."""

    def test_read_and_returned(self, jax: Any, program: mi.Program) -> None:
        array = jax.numpy.asarray(grid())
        result = jax.dlpack.from_dlpack(program.plus(array, jax.numpy.float32(10)))
        np.testing.assert_array_equal(result, grid() + 10)

    def test_a_result_that_is_still_being_computed(self, jax: Any, program: mi.Program) -> None:
        power = jax.jit(lambda x: (jax.numpy.linalg.matrix_power(x, 64) * 0 + 1)[:2, :3])
        late = power(jax.numpy.eye(700, dtype="float32"))
        np.testing.assert_array_equal(program.plus(late, 1.0), np.full((2, 3), 2))

    def test_bf16_both_ways(self, jax: Any, program: mi.Program) -> None:
        array = jax.numpy.asarray(grid(), dtype="bfloat16")
        np.testing.assert_array_equal(jax.numpy.asarray(program.bf16(array)), 2 * array)

    def test_it_cannot_be_written(self, jax: Any, program: mi.Program) -> None:
        array = jax.numpy.asarray(grid())
        with pytest.raises(ValueError, match="argument 0.*: the array is read-only, but the call writes into it"):
            program.double(array)
        np.testing.assert_array_equal(array, grid())
