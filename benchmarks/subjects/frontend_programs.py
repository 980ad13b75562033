"""Programs of `frontends.py`: the examples of each frontend, and two ONNX models, with the frontend's own compilers."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .onnx_runtime import onnx_model, runtime_call

EXAMPLES = Path(__file__).parents[2] / "examples"
Call = Callable[[], Any]
JaxProgram = tuple[Any, Any, tuple[Any, ...]]


def _example(name: str) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / name))


def training(batch: int, sizes: tuple[int, ...]) -> JaxProgram:
    """The step of `examples/jax_training.py` on `sizes`: the function, its donated state, and its other arguments."""
    example = _example("jax_training.py")
    function = example["train_step"]
    function.__globals__.update(BATCH=batch, SIZES=sizes, STEPS=1)
    images, labels = example["batches"]()
    return function, example["first_parameters"](), (np.ascontiguousarray(images[0]), np.ascontiguousarray(labels[0]))


def decoding() -> JaxProgram:
    """The step of `examples/jax_decoding.py`, in the middle of its cache."""
    import jax
    import jax.numpy as jnp

    example = _example("jax_decoding.py")
    model, decode = jax.tree.map(jnp.asarray, example["weights"]()), example["decode"]

    def step(cache: Any, position: Any, word: Any) -> Any:
        word, cache = decode(model, cache, position, word)
        return cache, word

    return step, example["empty_cache"](), (np.int32(60), np.int32(3))


JAX: dict[str, Callable[[], JaxProgram]] = {
    "training step, 64-128-10, batch 32": partial(training, 32, (64, 128, 10)),
    "training step, 256-512-10, batch 64": partial(training, 64, (256, 512, 10)),
    "decoding step, 2 layers, width 64": decoding,
}


def _stepping(function: Callable[..., Any], state: Any, rest: tuple[Any, ...]) -> Call:
    """A call that makes a step from the state of the last one."""
    import jax

    def call() -> Any:
        nonlocal state
        state, value = function(state, *rest)
        return jax.block_until_ready(value)

    return call


def jax_calls(name: str) -> dict[str, Call]:
    """A step of ours, of ours with JAX's arrays, and of JAX, on states of their own."""
    import jax
    import jax.numpy as jnp

    import mlir_inplace as mi

    function, state, rest = JAX[name]()

    def fresh(convert: Callable[[Any], Any]) -> Any:
        return jax.tree.map(convert, state)

    ours = mi.jit(function, donate_argnums=0)
    arrays = tuple(map(jnp.asarray, rest))
    return {
        "ours": _stepping(ours, fresh(np.array), rest),
        "ours, JAX's arrays": _stepping(ours, fresh(jnp.array), arrays),
        "jax.jit": _stepping(jax.jit(function, donate_argnums=0), fresh(jnp.array), arrays),
    }


def torch_calls(batch: int) -> dict[str, Call]:
    """The model of `examples/torch_compile.py`: ours by `torch.compile`, eager and inductor."""
    import torch

    from mlir_inplace.frontends.torch.dynamo import inplace

    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = _example("torch_compile.py")["vision_model"]().eval()
    images = torch.randn(batch, 3, 32, 32)
    made: dict[str, Any] = {
        "ours": torch.compile(model, backend=inplace, dynamic=False),
        "eager": model,
        "inductor": torch.compile(model, dynamic=False),
    }

    def call(function: Any) -> Any:
        with torch.no_grad():
            return function(images)

    return {name: partial(call, function) for name, function in made.items()}


def onnx_calls(model: Any, given: np.ndarray) -> dict[str, Call]:
    """A model of one input: ours and ONNX Runtime's."""
    import mlir_inplace as mi

    program = mi.from_onnx(model)
    theirs = runtime_call(model.graph, given)
    assert theirs is not None
    return {"ours": lambda: program.main(given), "ONNX Runtime": lambda: theirs()[0]}


def classifier() -> dict[str, Call]:
    """The model of `examples/onnx_classifier.py`, four pictures."""
    model = _example("onnx_classifier.py")["make_model"]()
    graph = model.graph
    graph.input[0].name = graph.node[0].input[0] = "x"
    return onnx_calls(onnx_model(graph), np.random.default_rng(1).random((4, 1, 28, 28), np.float32))


class _Graph:
    """Writes an ONNX graph of one input, `x`; each method returns the name of a result."""

    def __init__(self, *shape: int) -> None:
        self._nodes: list[Any] = []
        self._weights: list[Any] = []
        self._random = np.random.default_rng(0)
        self.input = self._random.standard_normal(shape, np.float32)

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node of one output."""
        from onnx import helper

        name = f"v{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def stored(self, array: np.ndarray) -> str:
        """A stored tensor."""
        from onnx import numpy_helper

        name = f"w{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(array, name))
        return name

    def dense(self, x: str, rows: int, columns: int) -> str:
        """A product with random weights, and a bias."""
        weights = self._random.standard_normal((rows, columns), np.float32) / np.float32(rows**0.5)
        return self.node("Add", self.node("MatMul", x, self.stored(weights)), self.stored(weights[0]))

    def normalized(self, x: str, width: int) -> str:
        """A layer normalization."""
        return self.node("LayerNormalization", x, self.stored(np.ones(width, np.float32)))

    def calls(self, result: str) -> dict[str, Call]:
        """Ours and ONNX Runtime's of the graph."""
        from onnx import TensorProto, helper

        given = helper.make_tensor_value_info("x", TensorProto.FLOAT, self.input.shape)
        made = helper.make_tensor_value_info(result, TensorProto.FLOAT, None)
        graph = helper.make_graph(self._nodes, "graph", [given], [made], self._weights)
        return onnx_calls(onnx_model(graph), self.input)


def perceptron() -> dict[str, Call]:
    """Three dense layers on 128 rows."""
    graph = _Graph(128, 784)
    x = graph.node("Relu", graph.dense("x", 784, 512))
    x = graph.node("Relu", graph.dense(x, 512, 512))
    return graph.calls(graph.dense(x, 512, 10))


def encoder(tokens: int = 32, width: int = 128, heads: int = 4) -> dict[str, Call]:
    """A layer of a transformer's encoder: attention, and two dense layers, each with a shortcut and a norm."""
    graph = _Graph(tokens, width)
    split = graph.stored(np.array([tokens, heads, width // heads]))

    def projected(order: list[int]) -> str:
        return graph.node("Transpose", graph.node("Reshape", graph.dense("x", width, width), split), perm=order)

    scores = graph.node("MatMul", projected([1, 0, 2]), projected([1, 2, 0]))
    scale = graph.stored(np.array((width // heads) ** -0.5, np.float32))
    weights = graph.node("Softmax", graph.node("Mul", scores, scale), axis=-1)
    mixed = graph.node("Transpose", graph.node("MatMul", weights, projected([1, 0, 2])), perm=[1, 0, 2])
    joined = graph.node("Reshape", mixed, graph.stored(np.array([tokens, width])))
    x = graph.normalized(graph.node("Add", "x", graph.dense(joined, width, width)), width)
    inner = graph.dense(graph.node("Relu", graph.dense(x, width, 2 * width)), 2 * width, width)
    return graph.calls(graph.normalized(graph.node("Add", x, inner), width))


PROGRAMS: dict[str, Callable[[], dict[str, Call]]] = {
    **{f"jax: {name}": partial(jax_calls, name) for name in JAX},
    "torch: vision model, batch 1": partial(torch_calls, 1),
    "torch: vision model, batch 16": partial(torch_calls, 16),
    "onnx: classifier, 4 pictures": classifier,
    "onnx: perceptron 784-512-512-10, batch 128": perceptron,
    "onnx: encoder layer, 32 tokens, width 128": encoder,
}
"""By name, the calls of a program: ours first, then others of ours, then the frontend's own compilers."""
