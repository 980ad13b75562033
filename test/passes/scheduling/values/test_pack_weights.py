"""`inplace-pack-weights`: values of products with held weights, and of what is around them.

Elements are small integers, so that sums are exact; the programs are chains of products and elementwise ops on rows.
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

MACHINES = {"wide": "vector-bits=512 registers=32 l1=1024", "narrow": "vector-bits=256 registers=16 l1=1024 l2=16384"}


class Program:
    """A function on rows and weights, as text; methods add an op, and return the name of its result.

    `rows` are the sizes of the first dimensions of all values but weights; `dynamic` ones are not in the types.
    """

    def __init__(self, rows: Sequence[int], columns: int, *, element: str = "f32", dynamic: bool = False) -> None:
        self.rows, self.element, self.dynamic = tuple(rows), element, dynamic
        self.columns = {"x": columns}
        self.weights: dict[str, tuple[int, ...]] = {}
        self.lines = [f"%zero = arith.constant 0.0 : {element}"]
        if dynamic:
            self.lines += [f"%d{at} = arith.constant {at} : index" for at in range(len(rows))]
            self.lines += [f"%n{at} = tensor.dim %x, %d{at} : {self.type('x')}" for at in range(len(rows))]

    def shaped(self, shape: Sequence[object]) -> str:
        return f"tensor<{'x'.join(map(str, shape))}x{self.element}>"

    def type(self, name: str) -> str:
        if name in self.weights:
            return self.shaped(self.weights[name])
        return self.shaped([*("?" if self.dynamic else row for row in self.rows), self.columns[name]])

    def weight(self, *shape: int) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = shape
        return name

    def _value(self, columns: int, line: Callable[[str, str], str]) -> str:
        name = f"v{len(self.columns)}"
        self.columns[name] = columns
        type_ = self.type(name)
        sizes = ", ".join(f"%n{at}" for at in range(len(self.rows))) if self.dynamic else ""
        self.lines += [f"%{name}_e = tensor.empty({sizes}) : {type_}", line(name, type_)]
        return name

    def _generic(self, inputs: Sequence[str], maps: Sequence[str], init: str, body: str, *, reduces: bool) -> str:
        loops = ", ".join([*(f"r{at}" for at in range(len(self.rows))), "n", *(["k"] if reduces else [])])
        kinds = ['"parallel"'] * (len(self.rows) + 1) + ['"reduction"'] * reduces
        attributes = ", ".join(f"affine_map<({loops}) -> ({one})>" for one in maps)
        arguments = ", ".join(f"%i{number}: {self.element}" for number in range(len(inputs)))
        return (
            f"linalg.generic {{indexing_maps = [{attributes}], iterator_types = [{', '.join(kinds)}]}}"
            f" ins({', '.join(f'%{one}' for one in inputs)} : {', '.join(map(self.type, inputs))})"
            f" outs({init}) {{\n^bb0({arguments}, %o: {self.element}):\n{body}\nlinalg.yield %y : {self.element}\n}}"
        )

    def product(
        self, x: str, columns: int, *, turned: bool = False, first: bool = False, start: str = "", weight: str = ""
    ) -> str:
        """A product; of `turned` weights, which are the `first` operand, and added to `start`, if that is given."""
        depth = self.columns[x]
        w = weight or self.weight(*((columns, depth) if turned else (depth, columns)))
        rows = ", ".join(f"r{at}" for at in range(len(self.rows)))
        pairs = [(x, f"{rows}, k"), (w, "n, k" if turned else "k, n")]
        if first:
            pairs.reverse()
        body = f"%s = arith.mulf %i0, %i1 : {self.element}\n%y = arith.addf %o, %s : {self.element}"

        def line(name: str, type_: str) -> str:
            filled = f"%{name}_f = linalg.fill ins(%zero : {self.element}) outs(%{name}_e : {type_}) -> {type_}\n"
            init = f"%{start or f'{name}_f'} : {type_}"
            names, maps = [one for one, _ in pairs], [*(one for _, one in pairs), f"{rows}, n"]
            op = self._generic(names, maps, init, body, reduces=True)
            return f"{'' if start else filled}%{name} = {op} -> {type_}"

        return self._value(columns, line)

    def elementwise(self, inputs: Sequence[str], body: str) -> str:
        """An elementwise op on values and on rows of weights."""
        rows = ", ".join(f"r{at}" for at in range(len(self.rows)))
        maps = [*("n" if one in self.weights else f"{rows}, n" for one in inputs), f"{rows}, n"]
        return self._value(
            self.columns[inputs[0]],
            lambda name, type_: (
                f"%{name} = {self._generic(inputs, maps, f'%{name}_e : {type_}', body, reduces=False)} -> {type_}"
            ),
        )

    def relu(self, x: str) -> str:
        return self.elementwise([x], f"%y = arith.maximumf %i0, %zero : {self.element}")

    def biased(self, x: str) -> str:
        return self.sum(x, self.weight(self.columns[x]))

    def sum(self, x: str, y: str) -> str:
        return self.elementwise([x, y], f"%y = arith.addf %i0, %i1 : {self.element}")

    def text(self, *results: str) -> str:
        arguments = ", ".join(f"%{name}: {self.type(name)}" for name in ("x", *self.weights))
        types, values = ", ".join(map(self.type, results)), ", ".join(f"%{one}" for one in results)
        body = "\n".join(self.lines)
        return f"func.func @main({arguments}) -> ({types}) {{\n{body}\nreturn {values} : {types}\n}}"

    def arrays(self, most: int = 1) -> list[np.ndarray]:
        rng = np.random.default_rng(3)
        dtype = {"f32": np.float32, "f64": np.float64}[self.element]
        shapes = [(*self.rows, self.columns["x"]), *self.weights.values()]
        return [rng.integers(-most, most + 1, shape).astype(dtype) for shape in shapes]


def layers(**options: object) -> tuple[str, Program]:
    """Biases and relu between three products; the last one's columns fill no block, or one and a half."""
    p = Program((13,), 24, **options)  # type: ignore[arg-type]
    x = p.relu(p.biased(p.product("x", 128)))
    x = p.relu(p.biased(p.product(x, 64, turned=True)))
    return p.text(p.biased(p.product(x, 10))), p


def stacked() -> tuple[str, Program]:
    """Two dimensions of rows, a shortcut, and a sum that starts from a value that is read afterwards, too."""
    p = Program((3, 5), 64)
    x = p.product(p.relu(p.product("x", 64, first=True)), 64, turned=True)
    y = p.sum(x, "x")
    z = p.product(y, 64, start=x)
    return p.text(p.sum(z, x)), p


def shared() -> tuple[str, Program]:
    """Weights of two products stay as they are; those of a third one are packed."""
    p = Program((9,), 64)
    w = p.weight(64, 64)
    x = p.product(p.product("x", 64, weight=w), 64, weight=w)
    return p.text(p.product(x, 128), x), p


def behind_blocks() -> tuple[str, Program]:
    """Columns behind the blocks: of turned weights, of sums that start from a value, of one column, of two ranks."""
    p = Program((3, 5), 70)
    x = p.relu(p.biased(p.product("x", 100)))
    y = p.product(x, 65, turned=True, first=True)
    z = p.product(y, 100, start=x, turned=True)
    return p.text(p.sum(z, x), p.product(z, 65, start=y)), p


PROGRAMS: dict[str, Callable[[], tuple[str, Program]]] = {
    "layers": layers,
    "f64": lambda: layers(element="f64"),
    "rows of no known number": lambda: layers(dynamic=True),
    "stacked": stacked,
    "shared": shared,
    "behind blocks": behind_blocks,
}


def as_list(results: object) -> list[np.ndarray]:
    return list(results) if isinstance(results, tuple) else [np.asarray(results)]


def check_values(text: str, arrays: Sequence[np.ndarray], machine: str) -> int:
    """Compare all ways to run a program with the program as it is; return how many weights are packed."""
    with ir.Context():
        expected = [np.asarray(one) for one in evaluate(ir.Module.parse(text), "main", arrays).results]
        module, given = with_rearranged_weights(text, arrays, "inplace-pack-weights", machine)
        weights = dict(enumerate(arrays[1:], 1))
        program = compile_with_weights(ir.Module.parse(text), weights, optimize=True, machine=machine)
        compiled = [mi.compile(module), mi.compile(module, optimize=True, machine=machine)]
        found = [
            [np.asarray(one) for one in evaluate(module, "main", given).results],
            *(as_list(one.main(*given)) for one in compiled),
            as_list(program.main(arrays[0])),
        ]
    for results in found:
        for one, other in zip(results, expected, strict=True):
            np.testing.assert_array_equal(one, other)
    return sum(one.shape != other.shape for one, other in zip(given, arrays, strict=True))


@pytest.mark.each_value
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_of_weights_as_they_are(name: str, machine: str) -> None:
    text, program = PROGRAMS[name]()
    counts = {
        ("stacked", "wide"): 1,
        ("stacked", "narrow"): 3,
        ("shared", "wide"): 1,
        ("shared", "narrow"): 1,
        ("f64", "narrow"): 3,
        ("behind blocks", "wide"): 4,
        ("behind blocks", "narrow"): 4,
    }
    assert check_values(text, program.arrays(), MACHINES[machine]) == counts.get((name, machine), 2)


def at_random(seed: int) -> tuple[str, Program]:
    """A few ops on rows, each on one of the values so far; one or two of these are returned."""
    rng = np.random.default_rng(seed)
    rows = [int(one) for one in rng.integers(1, 12, int(rng.integers(1, 4)))]
    element, is_dynamic = str(rng.choice(["f32", "f64"])), bool(rng.integers(2))
    p = Program(rows, int(rng.choice([1, 16, 24, 64])), element=element, dynamic=is_dynamic)
    values = ["x"]
    for _ in range(int(rng.integers(3, 7))):
        x = str(rng.choice(values[-3:]))
        kind = rng.choice(["product", "product", "bias", "relu", "sum"])
        same = [one for one in values if p.columns[one] == p.columns[x]]
        if kind == "product":
            columns = int(rng.choice([3, 16, 17, 32, 50, 64, 70, 96, 100, 128, 131]))
            starts = [one for one in values if p.columns[one] == columns and one != "x"]
            start = str(rng.choice(starts)) if starts and rng.integers(2) else ""
            turned, first = map(bool, rng.integers(0, 2, 2))
            values.append(p.product(x, columns, turned=turned, first=first, start=start))
        elif kind == "sum":
            values.append(p.sum(x, str(rng.choice(same))))
        else:
            values.append(p.biased(x) if kind == "bias" else p.relu(x))
    return p.text(values[-1], str(rng.choice(values[1:]))), p


@pytest.mark.parametrize("seed", seeds(80))
def test_random_programs_have_their_values(seed: int) -> None:
    text, program = at_random(seed)
    check_values(text, program.arrays(), list(MACHINES.values())[seed % 2])


def test_a_result_in_blocks_is_the_memory_that_the_caller_gives() -> None:
    """The result is no view of another buffer: nothing is copied, and `out=` is written."""
    text, program = layers()
    rows, *weights = program.arrays()
    with ir.Context():
        held = dict(enumerate(weights, 1))
        module, options = ir.Module.parse(text), {"optimize": True, "machine": MACHINES["wide"], "memory_stats": True}
        compiled = compile_with_weights(module, held, **options)  # type: ignore[arg-type]
    expected = compiled.main(rows)
    out = np.empty_like(expected)
    assert compiled.main(rows, out=out) is out
    np.testing.assert_array_equal(out, expected)
    assert compiled.memory_stats.copies == 0


@pytest.mark.parametrize("count", [1, 50])
def test_threads_change_no_bit(count: int) -> None:
    p = Program((count,), 200)
    text = p.text(p.relu(p.biased(p.product(p.product("x", 512), 256, turned=True))))
    rng = np.random.default_rng(6)
    rows, *weights = [rng.standard_normal(array.shape).astype(np.float32) for array in p.arrays()]
    held = dict(enumerate(weights, 1))
    with ir.Context():
        one, three = (compile_with_weights(ir.Module.parse(text), held, optimize=True, threads=n) for n in (1, 3))
    np.testing.assert_array_equal(three.main(rows), one.main(rows))
    expected = np.maximum(rows.astype(np.float64) @ weights[0] @ weights[1].T + weights[2], 0)
    np.testing.assert_allclose(one.main(rows), expected, atol=1e-2)
