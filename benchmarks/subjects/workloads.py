"""Programs of plain linalg on tensors, with what they mean in NumPy: what `benchmarks/speed.py` measures.

A workload says nothing about how it is to run: no tile, no order, no layout is in it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

__all__ = ["ELEMENTS", "WORKLOADS", "Workload", "tensor_type"]

ELEMENTS = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "i8": np.int8, "i32": np.int32}


@dataclass(frozen=True)
class Workload:
    """A program and what it is compared with.

    Attributes:
        name: what the table calls it.
        text: the program; its function is `main`.
        inputs: shape and element type of each argument.
        function: the same with the operations of NumPy, for any module that has them (`xp`).
        work: how many floating-point (or integer) operations, or 0 where memory is what limits it.
        traffic: how many bytes have to be read and written at least.
        tolerance: how far off results may be, relative to the largest.
        between: where the elements of arguments are; normally distributed, or small integers, by default.
    """

    name: str
    text: str
    inputs: tuple[tuple[tuple[int, ...], str], ...]
    function: Callable[..., Any]
    work: int
    traffic: int
    tolerance: float = 1e-4
    between: tuple[float, float] | None = None

    def arguments(self, seed: int = 0) -> list[np.ndarray]:
        """Return random arguments, which begin at cache lines: JAX copies its own there, so all peers have that."""
        rng = np.random.default_rng(seed)
        made: list[np.ndarray] = []
        for shape, element in self.inputs:
            if element.startswith("i"):
                low, high = map(int, self.between or (-8, 8))
                made.append(rng.integers(low, high, shape).astype(ELEMENTS[element]))
            elif self.between and not any(kind.startswith("i") for _, kind in self.inputs):
                made.append(rng.uniform(*self.between, shape).astype(ELEMENTS[element]))
            else:
                made.append(rng.standard_normal(shape, dtype=np.float32).astype(ELEMENTS[element]))
        return [_aligned(array) for array in made]


def _aligned(array: np.ndarray) -> np.ndarray:
    block = np.empty(array.nbytes + 64, np.uint8)
    begin = -block.ctypes.data % 64
    copy = block[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class _Text:
    """Writes one function; each method adds an op and returns the name of its result."""

    def __init__(self, *arguments: str) -> None:
        self.lines: list[str] = []
        self.types = {f"%a{number}": type_ for number, type_ in enumerate(arguments)}
        self.arguments = dict(self.types)
        self._numbers = itertools.count()

    def filled(self, type_: str, value: str) -> str:
        """A tensor full of `value`."""
        number = next(self._numbers)
        element = type_.removesuffix(">").rsplit("x", 1)[-1]
        dynamic = ", ".join(self.sizes(type_))
        self.lines += [
            f"%v{number} = arith.constant {value} : {element}",
            f"%e{number} = tensor.empty({dynamic}) : {type_}",
            f"%f{number} = linalg.fill ins(%v{number} : {element}) outs(%e{number} : {type_}) -> {type_}",
        ]
        self.types[f"%f{number}"] = type_
        return f"%f{number}"

    def empty(self, type_: str) -> str:
        """A tensor without contents."""
        name = f"%e{next(self._numbers)}"
        self.lines.append(f"{name} = tensor.empty({', '.join(self.sizes(type_))}) : {type_}")
        self.types[name] = type_
        return name

    def sizes(self, type_: str) -> list[str]:
        """Values for the dynamic sizes of a result: rows of the first argument, columns of the second."""
        if "?" not in type_:
            return []
        number = next(self._numbers)
        first, second = self.arguments["%a0"], self.arguments["%a1"]
        self.lines += [
            f"%c{number} = arith.constant 0 : index",
            f"%d{number} = arith.constant 1 : index",
            f"%m{number} = tensor.dim %a0, %c{number} : {first}",
            f"%n{number} = tensor.dim %a1, %d{number} : {second}",
        ]
        return [f"%m{number}", f"%n{number}"]

    def generic(self, loops: str, maps: Sequence[str], inputs: Sequence[str], out: str, body: str) -> str:
        """`loops` are letters, capitals reduce; a map names loops; the body uses x0, x1, … and acc, and yields y."""
        name = f"%r{next(self._numbers)}"
        names = ", ".join(loops.lower())
        attributes = ", ".join(f"affine_map<({names}) -> ({', '.join(map_.split())})>" for map_ in maps)
        kinds = ", ".join('"reduction"' if loop.isupper() else '"parallel"' for loop in loops)
        types = [self.types[value] for value in (*inputs, out)]
        elements = [type_.removesuffix(">").rsplit("x", 1)[-1] for type_ in types]
        block = ", ".join(f"%x{i}: {element}" for i, element in enumerate(elements[:-1]))
        block += f"{', ' if block else ''}%acc: {elements[-1]}"
        self.lines.append(
            f"{name} = linalg.generic {{indexing_maps = [{attributes}], iterator_types = [{kinds}]}}"
            f" ins({', '.join(inputs)} : {', '.join(types[:-1])}) outs({out} : {types[-1]}) {{\n"
            f"^bb0({block}):\n{body}\nlinalg.yield %y : {elements[-1]}\n}} -> {types[-1]}"
        )
        self.types[name] = types[-1]
        return name

    def named(self, op: str, inputs: Sequence[str], out: str) -> str:
        """A named op."""
        name = f"%r{next(self._numbers)}"
        types = ", ".join(self.types[value] for value in inputs)
        type_ = self.types[out]
        self.lines.append(f"{name} = {op} ins({', '.join(inputs)} : {types}) outs({out} : {type_}) -> {type_}")
        self.types[name] = type_
        return name

    def function(self, result: str) -> str:
        """The function that returns `result`."""
        arguments = ", ".join(f"{name}: {type_}" for name, type_ in self.arguments.items())
        type_ = self.types[result]
        body = "\n".join(self.lines)
        return f"func.func @main({arguments}) -> {type_} {{\n{body}\nreturn {result} : {type_}\n}}"


def tensor_type(*shape: int | str, element: str = "f32") -> str:
    """The type of a tensor as MLIR writes it."""
    return f"tensor<{'x'.join(map(str, (*shape, element)))}>"


def _arguments(*types: str) -> tuple[tuple[tuple[int, ...], str], ...]:
    parts = [type_.removeprefix("tensor<").removesuffix(">").split("x") for type_ in types]
    return tuple((tuple(map(int, part[:-1])), part[-1]) for part in parts)


def matmul(m: int, n: int, k: int, *, element: str = "f32", to: str = "f32", dynamic: bool = False) -> Workload:
    """A product of matrices."""
    types = tensor_type(m, k, element=element), tensor_type(k, n, element=element)
    text = _Text(*(tensor_type("?", "?", element=element) for _ in types) if dynamic else types)
    out = tensor_type("?", "?", element=to) if dynamic else tensor_type(m, n, element=to)
    zero = "0" if to.startswith("i") else "0.0"
    program = text.function(text.named("linalg.matmul", ["%a0", "%a1"], text.filled(out, zero)))
    size = ELEMENTS[element](0).nbytes
    traffic = size * (m * k + k * n) + ELEMENTS[to](0).nbytes * m * n
    name = f"matmul {m}x{n}x{k}{'' if element == 'f32' else f' {element}'}{' dynamic' if dynamic else ''}"

    def function(xp: Any, a: Any, b: Any) -> Any:
        same = element == to
        return xp.matmul(a, b) if same else xp.matmul(a.astype(ELEMENTS[to]), b.astype(ELEMENTS[to]))

    return Workload(name, program, _arguments(*types), function, 2 * m * n * k, traffic)


def transposed(m: int, n: int, k: int, which: str) -> Workload:
    """A product whose first (`A`) or second (`B`) operand is transposed."""
    first = tensor_type(k, m) if which == "A" else tensor_type(m, k)
    second = tensor_type(n, k) if which == "B" else tensor_type(k, n)
    text = _Text(first, second)
    maps = ["k m" if which == "A" else "m k", "n k" if which == "B" else "k n", "m n"]
    body = "%p = arith.mulf %x0, %x1 : f32\n%y = arith.addf %acc, %p : f32"
    result = text.generic("mnK", maps, ["%a0", "%a1"], text.filled(tensor_type(m, n), "0.0"), body)

    def function(xp: Any, a: Any, b: Any) -> Any:
        return xp.matmul(a.T if which == "A" else a, b.T if which == "B" else b)

    inputs = _arguments(first, second)
    return Workload(f"matmul {which}^T {m}x{n}x{k}", text.function(result), inputs, function, 2 * m * n * k, 0)


def batch_matmul(b: int, m: int, n: int, k: int) -> Workload:
    """Several products."""
    text = _Text(tensor_type(b, m, k), tensor_type(b, k, n))
    result = text.named("linalg.batch_matmul", ["%a0", "%a1"], text.filled(tensor_type(b, m, n), "0.0"))
    inputs = _arguments(tensor_type(b, m, k), tensor_type(b, k, n))
    return Workload(
        f"batch matmul {b}x{m}x{n}x{k}", text.function(result), inputs, lambda xp, x, y: xp.matmul(x, y),
        2 * b * m * n * k, 0,
    )  # fmt: skip


def _dense(text: _Text, x: str, w: str, bias: str, m: int, n: int, activation: str) -> str:
    product = text.named("linalg.matmul", [x, w], text.filled(tensor_type(m, n), "0.0"))
    body = f"%s = arith.addf %x0, %x1 : f32\n{activation}"
    return text.generic("mn", ["m n", "n", "m n"], [product, bias], text.empty(tensor_type(m, n)), body)


RELU = "%zero = arith.constant 0.0 : f32\n%y = arith.maximumf %s, %zero : f32"
KEEP = "%zero = arith.constant 0.0 : f32\n%y = arith.addf %s, %zero : f32"
GELU = """%k = arith.constant 0.7071067811865476 : f32
%half = arith.constant 0.5 : f32
%one = arith.constant 1.0 : f32
%t = arith.mulf %s, %k : f32
%e = math.erf %t : f32
%u = arith.addf %e, %one : f32
%v = arith.mulf %u, %half : f32
%y = arith.mulf %s, %v : f32"""


def mlp(m: int, sizes: Sequence[int], activation: str, name: str, function: Callable[..., Any]) -> Workload:
    """Layers of products with a bias and an activation, except for the last."""
    pairs = list(itertools.pairwise(sizes))
    types = [tensor_type(m, sizes[0]), *(type_ for k, n in pairs for type_ in (tensor_type(k, n), tensor_type(n)))]
    text = _Text(*types)
    x = "%a0"
    for number, (_, n) in enumerate(pairs):
        last = number == len(pairs) - 1
        x = _dense(text, x, f"%a{2 * number + 1}", f"%a{2 * number + 2}", m, n, KEEP if last else activation)
    work = sum(2 * m * k * n for k, n in pairs)
    return Workload(f"{name} {m}: {'-'.join(map(str, sizes))}", text.function(x), _arguments(*types), function, work, 0)


def relu_mlp(xp: Any, x: Any, *parameters: Any) -> Any:
    """What the MLP with relu computes."""
    for number in range(0, len(parameters), 2):
        x = xp.matmul(x, parameters[number]) + parameters[number + 1]
        if number < len(parameters) - 2:
            x = xp.maximum(x, 0)
    return x


def gelu_mlp(xp: Any, x: Any, *parameters: Any) -> Any:
    """What the MLP with GELU computes."""
    for number in range(0, len(parameters), 2):
        x = xp.matmul(x, parameters[number]) + parameters[number + 1]
        if number < len(parameters) - 2:
            x = x * (_erf_of(xp)(x * np.float32(0.5**0.5)) + 1) * np.float32(0.5)
    return x


def _erf_of(xp: Any) -> Callable[[Any], Any]:
    """The error function of a module; NumPy has none, so SciPy's, which comes with JAX, stands in for it."""
    if hasattr(xp, "erf"):
        return xp.erf
    try:
        if xp is np:
            from scipy.special import erf
        else:
            from jax.scipy.special import erf
    except ImportError:
        return np.vectorize(math.erf, otypes=[np.float64])
    return erf


def elementwise(n: int) -> Workload:
    """relu(a * b + c), three ops."""
    type_ = tensor_type(n)
    text = _Text(type_, type_, type_)
    product = text.named("linalg.mul", ["%a0", "%a1"], text.empty(type_))
    total = text.named("linalg.add", [product, "%a2"], text.empty(type_))
    result = text.named("linalg.max", [total, text.filled(type_, "0.0")], text.empty(type_))
    function: Callable[..., Any] = lambda xp, a, b, c: xp.maximum(a * b + c, 0)  # noqa: E731
    return Workload(f"relu(a*b+c) {n}", text.function(result), _arguments(*[type_] * 3), function, 0, 16 * n)


def _row(text: _Text, x: str, m: int, start: str, body: str) -> str:
    return text.generic("iJ", ["i j", "i"], [x], text.filled(tensor_type(m), start), body)


def _each(text: _Text, inputs: Sequence[str], maps: Sequence[str], m: int, n: int, body: str) -> str:
    return text.generic("ij", [*maps, "i j"], inputs, text.empty(tensor_type(m, n)), body)


def _softmax(text: _Text, x: str, m: int, n: int, *, log: bool = False) -> str:
    largest = _row(text, x, m, "0xFF800000", "%y = arith.maximumf %x0, %acc : f32")
    if log:
        moved = _each(text, [x, largest], ["i j", "i"], m, n, "%y = arith.subf %x0, %x1 : f32")
        power = _each(text, [moved], ["i j"], m, n, "%y = math.exp %x0 : f32")
        total = _row(text, power, m, "0.0", "%y = arith.addf %x0, %acc : f32")
        body = "%l = math.log %x1 : f32\n%y = arith.subf %x0, %l : f32"
        return _each(text, [moved, total], ["i j", "i"], m, n, body)
    body = "%d = arith.subf %x0, %x1 : f32\n%y = math.exp %d : f32"
    power = _each(text, [x, largest], ["i j", "i"], m, n, body)
    total = _row(text, power, m, "0.0", "%y = arith.addf %x0, %acc : f32")
    return _each(text, [power, total], ["i j", "i"], m, n, "%y = arith.divf %x0, %x1 : f32")


def softmax_of(xp: Any, x: Any) -> Any:
    """The softmax of each row."""
    power = xp.exp(x - x.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


def softmax(m: int, n: int, *, log: bool = False) -> Workload:
    """(Log-)softmax of rows."""
    text = _Text(tensor_type(m, n))
    result = _softmax(text, "%a0", m, n, log=log)

    def log_softmax(xp: Any, x: Any) -> Any:
        moved = x - x.max(-1, keepdims=True)
        return moved - xp.log(xp.exp(moved).sum(-1, keepdims=True))

    function = log_softmax if log else softmax_of
    name = f"{'log-' if log else ''}softmax {m}x{n}"
    return Workload(name, text.function(result), _arguments(tensor_type(m, n)), function, 0, 8 * m * n)


def layernorm(m: int, n: int, *, rms: bool = False) -> Workload:
    """Normalization of rows, by mean and deviation or by the root of the mean square."""
    text = _Text(tensor_type(m, n), tensor_type(n), tensor_type(n))
    share = f"%n = arith.constant {n}.0 : f32\n%eps = arith.constant 1.0e-5 : f32\n"
    if rms:
        moved = "%a0"
    else:
        total = _row(text, "%a0", m, "0.0", "%y = arith.addf %x0, %acc : f32")
        body = f"{share}%q = arith.divf %x1, %n : f32\n%y = arith.subf %x0, %q : f32"
        moved = _each(text, ["%a0", total], ["i j", "i"], m, n, body)
    body = "%p = arith.mulf %x0, %x0 : f32\n%y = arith.addf %p, %acc : f32"
    squares = _row(text, moved, m, "0.0", body)
    body = f"""{share}%q = arith.divf %x1, %n : f32
      %s = arith.addf %q, %eps : f32
      %r = math.rsqrt %s : f32
      %z = arith.mulf %x0, %r : f32
      %w = arith.mulf %z, %x2 : f32
      %y = arith.addf %w, %x3 : f32"""
    result = _each(text, [moved, squares, "%a1", "%a2"], ["i j", "i", "j", "j"], m, n, body)

    def function(xp: Any, x: Any, scale: Any, shift: Any) -> Any:
        d = x if rms else x - x.mean(-1, keepdims=True)
        return d / xp.sqrt((d * d).mean(-1, keepdims=True) + 1e-5) * scale + shift

    inputs = _arguments(tensor_type(m, n), tensor_type(n), tensor_type(n))
    return Workload(
        f"{'RMSNorm' if rms else 'layernorm'} {m}x{n}", text.function(result), inputs, function, 0, 8 * m * n
    )


def attention(n: int, d: int, *, causal: bool = False) -> Workload:
    """softmax(q kᵀ / √d) v."""
    type_ = tensor_type(n, d)
    text = _Text(type_, type_, type_)
    body = "%p = arith.mulf %x0, %x1 : f32\n%y = arith.addf %acc, %p : f32"
    scores = text.generic("ijD", ["i d", "j d", "i j"], ["%a0", "%a1"], text.filled(tensor_type(n, n), "0.0"), body)
    scale = f"%k = arith.constant {d**-0.5} : f32\n"
    if causal:
        body = (
            scale
            + """%s = arith.mulf %x0, %k : f32
          %i = linalg.index 0 : index
          %j = linalg.index 1 : index
          %low = arith.constant 0xFF800000 : f32
          %seen = arith.cmpi sle, %j, %i : index
          %y = arith.select %seen, %s, %low : f32"""
        )
    else:
        body = f"{scale}%y = arith.mulf %x0, %k : f32"
    scaled = _each(text, [scores], ["i j"], n, n, body)
    weights = _softmax(text, scaled, n, n)
    result = text.named("linalg.matmul", [weights, "%a2"], text.filled(type_, "0.0"))

    def function(xp: Any, q: Any, k: Any, v: Any) -> Any:
        s = xp.matmul(q, k.T) * np.float32(d**-0.5)
        if causal:
            s = xp.where(xp.tril(xp.ones((n, n), dtype=bool)), s, -np.inf)
        return xp.matmul(softmax_of(xp, s), v)

    name = f"{'causal ' if causal else ''}attention {n}x{d}"
    return Workload(name, text.function(result), _arguments(*[type_] * 3), function, 4 * n * n * d, 0)


def conv(h: int, c: int, f: int, *, depthwise: bool = False) -> Workload:
    """A 3x3 convolution, NHWC."""
    o = h - 2
    window = tensor_type(3, 3, c) if depthwise else tensor_type(3, 3, c, f)
    text = _Text(tensor_type(1, h, h, c), window)
    out = text.filled(tensor_type(1, o, o, c if depthwise else f), "0.0")
    op = "linalg.depthwise_conv_2d_nhwc_hwc" if depthwise else "linalg.conv_2d_nhwc_hwcf"
    result = text.named(op, ["%a0", "%a1"], out)

    def function(xp: Any, x: Any, w: Any) -> Any:
        total = 0
        for i, j in itertools.product(range(3), range(3)):
            part = x[:, i : i + o, j : j + o]
            total = total + (part * w[i, j] if depthwise else xp.matmul(part, w[i, j]))
        return total

    name = f"{'depthwise ' if depthwise else ''}conv 3x3 {h}x{h}x{c}{'' if depthwise else f' to {f}'}"
    work = 2 * 9 * o * o * c * (1 if depthwise else f)
    return Workload(name, text.function(result), _arguments(tensor_type(1, h, h, c), window), function, work, 0)


STARS = {
    "5-point": ((0, 1), (1, 0), (1, 1), (1, 2), (2, 1)),
    "9-point": tuple(itertools.product(range(3), repeat=2)),
    "3-point": ((0,), (1,), (2,)),
    "7-point": ((0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, 1), (1, 1, 2), (1, 2, 1), (2, 1, 1)),
}
"""Neighbours of an element, counted from the first one."""


def stencil(points: str, shape: Sequence[int], sweeps: int, *, element: str = "f32") -> Workload:
    """Sweeps in which each element inside becomes the mean of its neighbours; the border stays."""
    offsets = STARS[points]
    factor = 1 / len(offsets)
    whole, inside = tensor_type(*shape, element=element), tensor_type(*(size - 2 for size in shape), element=element)
    text = _Text(whole)
    text.types |= {f"%n{i}": inside for i in range(len(offsets))} | {"%u": whole}
    sizes, ones = [size - 2 for size in shape], [1] * len(shape)
    text.lines += [f"%c{i} = arith.constant {i} : index" for i in (0, 1, sweeps)]
    text.lines.append(f"%s = scf.for %t = %c0 to %c{sweeps} step %c1 iter_args(%u = %a0) -> ({whole}) {{")
    for i, offset in enumerate(offsets):
        text.lines.append(f"%n{i} = tensor.extract_slice %u{list(offset)} {sizes} {ones} : {whole} to {inside}")
    body = "%s1 = arith.addf %x0, %x1 : f32\n"
    body += "".join(f"%s{i} = arith.addf %s{i - 1}, %x{i} : f32\n" for i in range(2, len(offsets)))
    body += f"%k = arith.constant {factor} : f32\n%y = arith.mulf %s{len(offsets) - 1}, %k : f32"
    loops = "ijk"[: len(shape)]
    maps = [" ".join(loops)] * (len(offsets) + 1)
    inputs = [f"%n{i}" for i in range(len(offsets))]
    new = text.generic(loops, maps, inputs, text.empty(inside), body.replace("f32", element))
    text.lines += [f"%new = tensor.insert_slice {new} into %u{ones} {sizes} {ones} : {inside} into {whole}"]
    text.lines += [f"scf.yield %new : {whole}", "}"]
    text.types["%s"] = whole

    def function(xp: Any, u: Any) -> Any:
        return _sweeps(xp, u, offsets, factor, sweeps)

    name = f"{points} stencil {'x'.join(map(str, shape))}{'' if element == 'f32' else f' {element}'}, {sweeps} sweeps"
    traffic = 2 * ELEMENTS[element](0).nbytes * math.prod(shape)
    return Workload(name, text.function("%s"), _arguments(whole), function, 0, sweeps * traffic)


def _sweeps(xp: Any, u: Any, offsets: Sequence[Sequence[int]], factor: float, sweeps: int) -> Any:
    """Each peer's fastest way: NumPy in two buffers that take turns, JAX without a slice that is written; torch."""
    size = [extent - 2 for extent in u.shape]
    parts = [tuple(slice(o, o + n) for o, n in zip(offset, size, strict=True)) for offset in offsets]
    inside = tuple(slice(1, 1 + n) for n in size)
    if xp is np:
        old, new = u.copy(), u.copy()
        for _ in range(sweeps):
            target = new[inside]
            np.add(old[parts[0]], old[parts[1]], out=target)
            for part in parts[2:]:
                target += old[part]
            target *= u.dtype.type(factor)
            old, new = new, old
        return old
    if hasattr(xp, "clone"):
        for _ in range(sweeps):
            new = xp.clone(u)
            new[inside] = sum(u[part] for part in parts) * factor
            u = new
        return u
    from jax import lax

    seen = np.pad(np.ones(size, bool), 1)
    return lax.fori_loop(
        0, sweeps, lambda _, v: xp.where(seen, xp.pad(sum(v[part] for part in parts) * factor, 1), v), u
    )


WORKLOADS = (
    matmul(512, 512, 512),
    matmul(1024, 1024, 1024),
    matmul(1021, 1013, 1019),
    matmul(1000, 1000, 1000, dynamic=True),
    matmul(512, 512, 512, element="f64", to="f64"),
    matmul(512, 512, 512, element="bf16"),
    matmul(512, 512, 512, element="i8", to="i32"),
    transposed(512, 512, 512, "A"),
    transposed(512, 512, 512, "B"),
    batch_matmul(16, 128, 128, 128),
    mlp(128, (784, 512, 512, 10), RELU, "MLP", relu_mlp),
    mlp(128, (768, 3072, 768), GELU, "GELU MLP", gelu_mlp),
    elementwise(16 << 20),
    softmax(1024, 4096),
    softmax(1024, 4096, log=True),
    layernorm(1024, 1024),
    layernorm(1024, 1024, rms=True),
    attention(512, 64),
    attention(512, 64, causal=True),
    conv(58, 64, 64),
    conv(58, 64, 64, depthwise=True),
    stencil("5-point", (2048, 2048), 20),
    stencil("9-point", (2048, 2048), 20),
    stencil("5-point", (2048, 2048), 20, element="f64"),
    stencil("7-point", (160, 160, 160), 20),
    stencil("3-point", (1 << 22,), 20),
)
"""What is measured."""
