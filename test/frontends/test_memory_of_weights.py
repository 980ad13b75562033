"""How much memory a program takes for large weights: theirs, or that of one copy where optimized code packs them.

Each measurement is of a process of its own, which compiles a small model before, so that imports and the compiler are
not counted.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's peak of memory")

MEASURE = """
import sys
from pathlib import Path
import numpy as np

SIZE, ROWS, LAYERS = int(sys.argv[1]), int(sys.argv[2]), 16
BYTES = SIZE * SIZE * LAYERS * 4

def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name + ":"))

def measured(compiled):
    "The peak of memory, and what is allocated, of `compiled(SIZE)` and two calls, in parts of the weights."
    compiled(64)
    Path("/proc/self/clear_refs").write_text("5")  # The peak begins anew.
    before, allocated = status("VmRSS"), status("RssAnon")
    call = compiled(SIZE)
    first, second = call(), call()
    assert np.isfinite(first).all() and (first == second).all()
    print((status("VmHWM") - before) / BYTES, (status("RssAnon") - allocated) / BYTES)
"""

ONNX = """
import mlir_inplace as mi
from onnx import TensorProto, helper, save

folder = Path(sys.argv[3])

def compiled(size):
    nodes, stored, x = [], [], "x"
    with (folder / f"{size}.bin").open("wb") as data:
        for layer in range(LAYERS):
            name = f"w{layer}"
            one = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[size, size])
            one.data_location = TensorProto.EXTERNAL
            for key, value in {"location": data.name.rpartition("/")[2], "offset": str(data.tell())}.items():
                one.external_data.add(key=key, value=value)
            data.write(np.random.default_rng(layer).standard_normal((size, size), np.float32).tobytes())
            stored.append(one)
            nodes.append(helper.make_node(sys.argv[4], [x, name], [f"v{layer}"]))
            x = f"v{layer}"
    shapes = {"x": [ROWS, size], x: [size if sys.argv[4] == "Add" else ROWS, size]}
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], stored)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / f"{size}.onnx")
    program = mi.from_onnx(folder / f"{size}.onnx", cache=False)
    return lambda: program.main(np.full((ROWS, size), 1e-20, np.float32))

measured(compiled)
"""

TORCH = """
import torch
import mlir_inplace as mi

models = {size: torch.nn.Sequential(*(torch.nn.Linear(size, size) for _ in range(LAYERS))) for size in (64, SIZE)}

def compiled(size):
    program = mi.from_torch(models[size], torch.ones(ROWS, size), cache=False)
    return lambda: program.main(np.ones((ROWS, size), np.float32))

measured(compiled)
"""

JAX = """
import jax.numpy as jnp
import mlir_inplace as mi

def compiled(size):
    weights = [jnp.full((size, size), 1 / size, jnp.float32) for _ in range(LAYERS)]

    def net(x):
        for one in weights:
            x = x @ one
        return x

    function = mi.jit(net, cache=False)
    return lambda: np.asarray(function(np.ones((ROWS, size), np.float32)))

measured(compiled)
"""


def parts(code: str, rows: int, *arguments: Path | str, size: int = 1024) -> tuple[float, float]:
    """The peak of memory, and what stays allocated, in parts of the weights: 16 of `size` x `size`, of `rows` rows."""
    command = [sys.executable, "-c", MEASURE + code, str(size), str(rows), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr[-2000:]
    peak, allocated = map(float, done.stdout.split())
    return peak, allocated


def test_weights_in_a_file_are_read_where_they_are(tmp_path: Path) -> None:
    pytest.importorskip("onnx", minversion="1.20")
    peak, allocated = parts(ONNX, 1, tmp_path, "Add")
    assert peak < 1.4
    assert allocated < 0.4


def test_weights_in_a_file_are_packed_one_after_the_other(tmp_path: Path) -> None:
    """What is copied is not in memory twice."""
    pytest.importorskip("onnx", minversion="1.20")
    peak, allocated = parts(ONNX, 8, tmp_path, "MatMul")
    assert peak < 1.5
    assert allocated > 0.9


def test_parameters_of_torch_are_read_where_they_are() -> None:
    pytest.importorskip("torch", minversion="2.12")
    peak, _ = parts(TORCH, 8)
    assert peak < 0.5


def test_constants_of_jax_are_there_once() -> None:
    """JAX's own copy, and what it takes to trace and compile."""
    pytest.importorskip("jax", minversion="0.9")
    peak, _ = parts(JAX, 8, size=2048)
    assert peak < 1.7
