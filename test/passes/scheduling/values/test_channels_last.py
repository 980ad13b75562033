"""`inplace-channels-last`: values of convolutions with held weights, and of what is around them.

Elements are small integers, so that sums are exact in whatever order they are added up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from fast_run import seeds
from mlir import ir
from rearranged_weights import with_rearranged_weights

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import evaluate
from mlir_inplace.frontends.held_weights import compile_with_weights

MACHINES = {"wide": "vector-bits=512 registers=32", "narrow": "vector-bits=256 registers=16 l1=4096 l2=16384 l3=65536"}


class Program:
    """A function on an image and weights, as text; methods add an op, and return the name of its result."""

    def __init__(self, *shape: int, element: str = "f32") -> None:
        self.element = element
        self.lines = [f"%zero = arith.constant 0.0 : {element}", f"%least = arith.constant -9.0 : {element}"]
        self.shapes = {"x": shape}
        self.weights: list[str] = []

    def type(self, name: str) -> str:
        return f"tensor<{'x'.join(map(str, self.shapes[name]))}x{self.element}>"

    def add(self, line: Callable[[str], str], *shape: int) -> str:
        name = f"v{len(self.shapes)}"
        self.shapes[name] = shape
        self.lines.append(line(name))
        return name

    def empty(self, *shape: int) -> str:
        return self.add(lambda n: f"%{n} = tensor.empty() : {self.type(n)}", *shape)

    def filled(self, value: str, *shape: int) -> str:
        into = self.empty(*shape)
        kind = self.type(into)
        text = f"linalg.fill ins(%{value} : {self.element}) outs(%{into} : {kind}) -> {kind}"
        return self.add(lambda n: f"%{n} = {text}", *shape)

    def weight(self, *shape: int) -> str:
        name = f"w{len(self.weights)}"
        self.shapes[name] = shape
        self.weights.append(name)
        return name

    def conv(
        self, x: str, filters: int, window: Sequence[int], *, stride: int = 1, dilation: int = 1, init: str = ""
    ) -> str:
        n, c, *sizes = self.shapes[x]
        w = self.weight(filters, c, *window)
        places = [(s - (k - 1) * dilation - 1) // stride + 1 for s, k in zip(sizes, window, strict=True)]
        init = init or self.filled("zero", n, filters, *places)
        letters = "dhw"[-len(places) :]
        op = f"linalg.conv_{len(places)}d_nc{letters}_fc{letters}"
        numbers = f"strides = dense<{stride}> : tensor<{len(places)}xi64>"
        numbers += f", dilations = dense<{dilation}> : tensor<{len(places)}xi64>"
        ins = f"ins(%{x}, %{w} : {self.type(x)}, {self.type(w)})"
        outs = f"outs(%{init} : {self.type(init)}) -> {self.type(init)}"
        return self.add(lambda name: f"%{name} = {op} {{{numbers}}} {ins} {outs}", n, filters, *places)

    def elementwise(self, inputs: Sequence[str], maps: Sequence[str], body: str) -> str:
        shape = self.shapes[inputs[0]]
        into, loops = self.empty(*shape), ", ".join("nchwd"[: len(shape)])
        attributes = ", ".join(f"affine_map<({loops}) -> ({one})>" for one in (*maps, loops))
        arguments = ", ".join(f"%i{number}: {self.element}" for number in range(len(inputs)))
        kinds = ", ".join(['"parallel"'] * len(shape))
        return self.add(
            lambda n: (
                f"%{n} = linalg.generic {{indexing_maps = [{attributes}], iterator_types = [{kinds}]}}"
                f" ins({', '.join(f'%{one}' for one in inputs)} : {', '.join(map(self.type, inputs))})"
                f" outs(%{into} : {self.type(into)}) {{\n^bb0({arguments}, %o: {self.element}):\n{body}\n"
                f"linalg.yield %y : {self.element}\n}} -> {self.type(n)}"
            ),
            *shape,
        )

    def relu(self, x: str) -> str:
        loops = ", ".join("nchwd"[: len(self.shapes[x])])
        return self.elementwise([x], [loops], f"%y = arith.maximumf %i0, %zero : {self.element}")

    def biased(self, x: str) -> str:
        bias, loops = self.weight(self.shapes[x][1]), ", ".join("nchwd"[: len(self.shapes[x])])
        return self.elementwise([x, bias], [loops, "c"], f"%y = arith.addf %i0, %i1 : {self.element}")

    def sum(self, x: str, y: str) -> str:
        loops = ", ".join("nchwd"[: len(self.shapes[x])])
        return self.elementwise([x, y], [loops] * 2, f"%y = arith.addf %i0, %i1 : {self.element}")

    def pad(self, x: str, low: Sequence[int], high: Sequence[int], value: str = "zero") -> str:
        shape = [sum(parts) for parts in zip(low, self.shapes[x], high, strict=True)]
        places = ", ".join(f"%p{number}: index" for number in range(len(shape)))
        return self.add(
            lambda n: (
                f"%{n} = tensor.pad %{x} low{list(low)} high{list(high)} {{\n^bb0({places}):\n"
                f"tensor.yield %{value} : {self.element}\n}} : {self.type(x)} to {self.type(n)}"
            ),
            *shape,
        )

    def pool(self, x: str, window: int, stride: int) -> str:
        n, c, *sizes = self.shapes[x]
        shape = [n, c, *((size - window) // stride + 1 for size in sizes)]
        start, windows = self.filled("least", *shape), self.empty(window, window)
        return self.add(
            lambda name: (
                f"%{name} = linalg.pooling_nchw_max {{strides = dense<{stride}> : tensor<2xi64>}}"
                f" ins(%{x}, %{windows} : {self.type(x)}, {self.type(windows)}) outs(%{start} : {self.type(start)})"
                f" -> {self.type(start)}"
            ),
            *shape,
        )

    def total(self, x: str) -> str:
        n, c, *sizes = self.shapes[x]
        start = self.filled("zero", n, c)
        dimensions = list(range(2, 2 + len(sizes)))
        return self.add(
            lambda name: (
                f"%{name} = linalg.reduce {{arith.addf}} ins(%{x} : {self.type(x)})"
                f" outs(%{start} : {self.type(start)}) dimensions = {dimensions}"
            ),
            n,
            c,
        )

    def text(self, *results: str) -> str:
        arguments = ", ".join(f"%{name}: {self.type(name)}" for name in ("x", *self.weights))
        types, values = ", ".join(map(self.type, results)), ", ".join(f"%{one}" for one in results)
        body = "\n".join(self.lines)
        return f"func.func @main({arguments}) -> ({types}) {{\n{body}\nreturn {values} : {types}\n}}"

    def arrays(self) -> list[np.ndarray]:
        rng = np.random.default_rng(3)
        dtype = {"f32": np.float32, "f64": np.float64, "f16": np.float16}[self.element]
        return [rng.integers(-3, 4, self.shapes[name]).astype(dtype) for name in ("x", *self.weights)]


def chain() -> tuple[str, Program]:
    """Bias, relu and a pool between two convolutions; the second one has an image with channels last."""
    p = Program(1, 5, 12, 11)
    x = p.relu(p.biased(p.conv(p.pad("x", [0, 0, 1, 1], [0, 0, 1, 1]), 32, (3, 3))))
    x = p.pool(p.pad(x, [0, 0, 1, 0], [0, 0, 0, 2], "least"), 3, 2)
    x = p.relu(p.biased(p.conv(p.pad(x, [0, 0, 1, 1], [0, 0, 1, 1]), 64, (3, 3), stride=2)))
    return p.text(p.total(x)), p


def residual() -> tuple[str, Program]:
    """A block of a residual net, whose shortcut has a convolution as well, at batch 2."""
    p = Program(2, 16, 9, 9)
    short = p.biased(p.conv("x", 32, (1, 1), stride=2))
    inner = p.relu(p.conv(p.pad("x", [0, 0, 1, 1], [0, 0, 1, 1]), 32, (3, 3), stride=2))
    x = p.biased(p.conv(p.pad(inner, [0, 0, 1, 1], [0, 0, 1, 1]), 32, (3, 3)))
    return p.text(p.relu(p.sum(x, short))), p


def same_weights_width(element: str) -> tuple[str, Program]:
    p = Program(1, 7, 8, 9, element=element)
    return p.text(p.relu(p.conv("x", 32, (3, 2)))), p


def started() -> tuple[str, Program]:
    """A sum that starts from an image, and a result that is read by a convolution and returned, too."""
    p = Program(1, 6, 7, 7)
    first = p.conv("x", 16, (3, 3))
    second = p.conv(first, 16, (1, 1), init=first)
    return p.text(second, first), p


def dilated() -> tuple[str, Program]:
    p = Program(1, 6, 11, 13)
    return p.text(p.relu(p.conv("x", 48, (3, 3), dilation=2))), p


def line() -> tuple[str, Program]:
    p = Program(3, 6, 21)
    return p.text(p.relu(p.conv(p.pad("x", [0, 0, 2], [0, 0, 2]), 32, (5,)))), p


def volume() -> tuple[str, Program]:
    p = Program(1, 4, 5, 6, 7)
    return p.text(p.relu(p.conv("x", 16, (2, 3, 3)))), p


PROGRAMS: dict[str, Callable[[], tuple[str, Program]]] = {
    "chain": chain,
    "residual": residual,
    "f64": lambda: same_weights_width("f64"),
    "f16": lambda: same_weights_width("f16"),
    "started": started,
    "dilated": dilated,
    "one dimension": line,
    "three dimensions": volume,
}


def as_list(results: object) -> list[np.ndarray]:
    return list(results) if isinstance(results, tuple) else [np.asarray(results)]


@pytest.mark.each_value
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_with_channels_first(name: str, machine: str) -> None:
    text, program = PROGRAMS[name]()
    arrays = program.arrays()
    with ir.Context():
        expected = evaluate(ir.Module.parse(text), "main", arrays).results
        module, given = with_rearranged_weights(text, arrays, "inplace-channels-last", MACHINES[machine])
        assert "linalg.conv" not in str(module)
        found = evaluate(module, "main", given).results
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(one), np.asarray(other))
        weights = dict(enumerate(arrays))
        del weights[0]
        fast = compile_with_weights(ir.Module.parse(text), weights, optimize=True, machine=MACHINES[machine])
    for one, other in zip(as_list(fast.main(arrays[0])), expected, strict=True):
        np.testing.assert_array_equal(one, np.asarray(other))


def at_random(seed: int) -> tuple[str, Program]:
    """A few ops on images, each on one of the images so far; one or two of these are returned."""
    rng = np.random.default_rng(seed)
    p = Program(int(rng.integers(1, 3)), int(rng.integers(1, 9)), 9, 10, element=str(rng.choice(["f32", "f64"])))
    images = ["x"]
    for _ in range(int(rng.integers(3, 9))):
        x = str(rng.choice(images[-3:]))
        n, c, h, w = p.shapes[x]
        kind, size = rng.choice(["conv", "conv", "bias", "relu", "sum", "pad", "pool"]), int(rng.integers(1, 4))
        if kind == "conv" and min(h, w) >= size:
            window = (size, int(rng.integers(1, size + 1)))
            images.append(p.conv(x, int(rng.choice([5, 8, 16, 32, 48])), window, stride=int(rng.integers(1, 3))))
        elif kind == "bias":
            images.append(p.biased(x))
        elif kind == "pad":
            low, high = ([0, 0, *map(int, rng.integers(0, 3, 2))] for _ in range(2))
            images.append(p.pad(x, low, high, str(rng.choice(["zero", "least"]))))
        elif kind == "pool" and min(h, w) >= size:
            images.append(p.pool(x, size, int(rng.integers(1, 3))))
        else:
            same = [one for one in images if p.shapes[one] == (n, c, h, w)]
            images.append(p.sum(x, str(rng.choice(same))) if kind == "sum" else p.relu(x))
    return p.text(images[-1], p.total(images[-1]), str(rng.choice(images[1:]))), p


@pytest.mark.parametrize("seed", seeds(60))
def test_random_programs_have_their_values(seed: int) -> None:
    text, program = at_random(seed)
    arrays = [np.sign(array) for array in program.arrays()]  # So small that sums of sums of products are exact.
    machine = list(MACHINES.values())[seed % 2]
    with ir.Context():
        expected = evaluate(ir.Module.parse(text), "main", arrays).results
        module, given = with_rearranged_weights(text, arrays, "inplace-channels-last", machine)
        compiled = [mi.compile(module), mi.compile(module, optimize=True, machine=machine)]
        found = [evaluate(module, "main", given).results, *(as_list(one.main(*given)) for one in compiled)]
    for results in found:
        for one, other in zip(results, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


@pytest.mark.parametrize(("cache", "large"), [("l2=4096", True), ("l2=1048576", False)])
def test_an_image_is_computed_where_it_is_padded(cache: str, large: bool) -> None:
    """Around a large one the border is filled; a small one stays a pad until destinations are found, all of it filled.

    A transposition is left behind the last op.
    """
    text, program = residual()
    arrays = program.arrays()
    machine = f"{MACHINES['wide']} {cache}"
    with ir.Context():
        (expected,) = evaluate(ir.Module.parse(text), "main", arrays).results
        module, given = with_rearranged_weights(text, arrays, "inplace-channels-last", machine)
        assert str(module).count("linalg.transpose") == 1
        assert str(module).count("tensor.pad") == 2 - large  # That of the argument has channels first.
        compiled = mi.compile(module, optimize=True, machine=MACHINES["wide"], memory_stats=True)
    np.testing.assert_array_equal(compiled.main(*given), expected)
    stats = compiled.memory_stats
    assert (stats.copies, stats.copied_bytes) == (1, arrays[0].nbytes), "only the argument is put into a border"


def test_weights_of_a_program_are_laid_out_once_and_its_own_arrays_stay() -> None:
    text, program = chain()
    image, *weights = program.arrays()
    before = [array.copy() for array in weights]
    with ir.Context():
        module = ir.Module.parse(text)
        held = compile_with_weights(module, dict(enumerate(weights, 1)), optimize=True, machine=MACHINES["wide"])
        first = held.main(image)
    for array, copy in zip(weights, before, strict=True):
        np.testing.assert_array_equal(array, copy)
        array[...] = 0  # The biases are passed by pointer, the weights were copied.
    with ir.Context():
        without = compile_with_weights(ir.Module.parse(text), dict(enumerate(before, 1)), optimize=False)
    np.testing.assert_array_equal(first, without.main(image))


def test_threads_change_no_bit() -> None:
    p = Program(1, 32, 30, 30)
    text = p.text(p.relu(p.biased(p.conv("x", 64, (3, 3)))))
    rng = np.random.default_rng(6)
    image, *weights = [rng.standard_normal(array.shape).astype(np.float32) for array in p.arrays()]
    held = dict(enumerate(weights, 1))
    with ir.Context():
        one, three = (compile_with_weights(ir.Module.parse(text), held, optimize=True, threads=n) for n in (1, 3))
    np.testing.assert_array_equal(three.main(image), one.main(image))
    windows = np.lib.stride_tricks.sliding_window_view(image.astype(np.float64), (3, 3), (2, 3))
    expected = np.tensordot(windows, weights[0], ((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
    np.testing.assert_allclose(one.main(image), np.maximum(expected + weights[1][:, None, None], 0), atol=1e-3)


def test_a_machine_that_makes_no_sense_is_refused() -> None:
    text, program = chain()
    _, *weights = program.arrays()
    with ir.Context(), pytest.raises(ValueError, match="unknown property 'lanes' of a machine"):
        compile_with_weights(ir.Module.parse(text), dict(enumerate(weights, 1)), optimize=True, machine="lanes=4")
