"""Small programs of one op, or of a few, as JAX lowers them to StableHLO: what `benchmarks/sweep.py` measures.

Tables name an op, its text and what it means in NumPy; `SWEEP` has each for some dimensions, element types and sizes.
In texts `{t}` is the type of the first argument, `{e}` its element type, `{b}` the type of a comparison; `%r` is the
result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .workloads import ELEMENTS, Workload, tensor_type

__all__ = ["SWEEP"]

Shape = tuple[int, ...]
Typed = tuple[Shape, str]
Meaning = Callable[..., Any]

SIZES = {"first": (64, 64), "last": (512, 1024), "memory": (4096, 4096)}
"""The shapes of matrices that stay in the first cache, in the last one, and that come from memory."""
TOLERANCES = {"f32": 1e-4, "f64": 1e-11, "bf16": 2e-2, "i8": 0.0, "i32": 0.0}
POSITIVE = (0.5, 4.0)
NAMES = {"f32": "float32", "f64": "float64", "bf16": "bfloat16", "i8": "int8", "i32": "int32"}


def _typed(typed: Typed) -> str:
    return tensor_type(*typed[0], element=typed[1])


def _program(
    name: str, text: str, inputs: Sequence[Typed], result: Typed, function: Meaning, *,
    between: tuple[float, float] | None = None,
) -> Workload:  # fmt: skip
    """A workload named after what it does and its first argument."""
    shape, element = inputs[0]
    types = {"t": _typed(inputs[0]), "e": element, "b": tensor_type(*shape, element="i1"), "out": _typed(result)}
    body = text.format(**types)
    arguments = ", ".join(f"%a{number}: {_typed(typed)}" for number, typed in enumerate(inputs))
    traffic = sum(math.prod(size) * ELEMENTS[kind](0).nbytes for size, kind in (*inputs, result))
    return Workload(
        f"{name} {element} {'x'.join(map(str, shape))}",
        f"func.func @main({arguments}) -> {types['out']} {{\n{body}\nreturn %r : {types['out']}\n}}",
        tuple(inputs), function, 0, traffic, max(TOLERANCES[element], TOLERANCES[result[1]]), between,
    )  # fmt: skip


UNARY: dict[str, tuple[str, Meaning]] = {
    "exp": ("%r = stablehlo.exponential %a0 : {t}", lambda xp, x: xp.exp(x)),
    "tanh": ("%r = stablehlo.tanh %a0 : {t}", lambda xp, x: xp.tanh(x)),
    "sin": ("%r = stablehlo.sine %a0 : {t}", lambda xp, x: xp.sin(x)),
    "abs": ("%r = stablehlo.abs %a0 : {t}", lambda xp, x: xp.abs(x)),
    "cbrt": ("%r = stablehlo.cbrt %a0 : {t}", lambda xp, x: xp.cbrt(x)),
    "sin * cos": (
        "%s = stablehlo.sine %a0 : {t}\n%c = stablehlo.cosine %a0 : {t}\n%r = stablehlo.multiply %s, %c : {t}",
        lambda xp, x: xp.sin(x) * xp.cos(x),
    ),
    "logistic": ("%r = stablehlo.logistic %a0 : {t}", lambda xp, x: 1 / (1 + xp.exp(-x))),
    "clamp": (
        "%l = stablehlo.constant dense<-1.0> : {t}\n%h = stablehlo.constant dense<1.0> : {t}\n"
        "%r = stablehlo.clamp %l, %a0, %h : {t}",
        lambda xp, x: xp.clip(x, -1, 1),
    ),
    "leaky relu": (
        "%z = stablehlo.constant dense<0.0> : {t}\n%k = stablehlo.constant dense<0.125> : {t}\n"
        "%m = stablehlo.multiply %a0, %k : {t}\n"
        "%p = stablehlo.compare GT, %a0, %z, FLOAT : ({t}, {t}) -> {b}\n%r = stablehlo.select %p, %a0, %m : {b}, {t}",
        lambda xp, x: xp.where(x > 0, x, x * 0.125),
    ),
}
POSITIVES: dict[str, tuple[str, Meaning]] = {
    "log": ("%r = stablehlo.log %a0 : {t}", lambda xp, x: xp.log(x)),
    "sqrt": ("%r = stablehlo.sqrt %a0 : {t}", lambda xp, x: xp.sqrt(x)),
}
BINARY: dict[str, tuple[str, Meaning]] = {
    "add": ("%r = stablehlo.add %a0, %a1 : {t}", lambda xp, x, y: x + y),
    "multiply": ("%r = stablehlo.multiply %a0, %a1 : {t}", lambda xp, x, y: x * y),
    "maximum": ("%r = stablehlo.maximum %a0, %a1 : {t}", lambda xp, x, y: xp.maximum(x, y)),
    "atan2": ("%r = stablehlo.atan2 %a0, %a1 : {t}", lambda xp, x, y: xp.arctan2(x, y)),
}
POSITIVE_BINARY: dict[str, tuple[str, Meaning]] = {
    "divide": ("%r = stablehlo.divide %a0, %a1 : {t}", lambda xp, x, y: x / y),
    "integer divide": ("%r = stablehlo.divide %a0, %a1 : {t}", lambda xp, x, y: xp.floor_divide(x, y)),
    "pow": ("%r = stablehlo.power %a0, %a1 : {t}", lambda xp, x, y: x**y),
    "mod": ("%r = stablehlo.remainder %a0, %a1 : {t}", lambda xp, x, y: xp.fmod(x, y)),
}


def unary(kind: str, element: str, size: str) -> Workload:
    """An op on each element of one matrix."""
    text, function = (UNARY | POSITIVES)[kind]
    typed = SIZES[size], element
    return _program(kind, text, [typed], typed, function, between=POSITIVE if kind in POSITIVES else None)


def binary(kind: str, element: str, size: str) -> Workload:
    """An op on the elements of two matrices."""
    text, function = (BINARY | POSITIVE_BINARY)[kind]
    typed = SIZES[size], element
    between = None
    if kind in POSITIVE_BINARY:
        between = (1, 100) if element.startswith("i") else POSITIVE
    return _program(kind, text, [typed, typed], typed, function, between=between)


def along(kind: str, element: str, size: str, axis: int) -> Workload:
    """A vector added to each row (`axis` is 1) or to each column."""
    shape = SIZES[size]
    text = (
        f"%v = stablehlo.broadcast_in_dim %a1, dims = [{axis}] : ({_typed(((shape[axis],), element))}) -> {{t}}\n"
        f"%r = stablehlo.{kind} %a0, %v : {{t}}"
    )

    def function(xp: Any, x: Any, v: Any) -> Any:
        del xp
        return x + (v if axis else v[:, None])

    inputs = [(shape, element), ((shape[axis],), element)]
    return _program(f"{kind} {('column', 'row')[axis]}", text, inputs, inputs[0], function)


def _reduced(op: str, start: str, axes: Sequence[int], shape: Shape, element: str, *, name: str, of: str) -> str:
    left = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    return (
        f"%{name}_0 = stablehlo.constant dense<{start}> : tensor<{element}>\n"
        f"%{name} = stablehlo.reduce({of} init: %{name}_0) applies stablehlo.{op} across dimensions = {list(axes)}"
        f" : ({_typed((shape, element))}, tensor<{element}>) -> {_typed((left, element))}\n"
    )


WIDER = {"bf16": "f32", "i8": "i32"}
LOWEST = {"f32": "0xFF800000", "f64": "0xFFF0000000000000", "bf16": "0xFF80", "i8": "-128", "i32": "-2147483648"}


def reduction(kind: str, element: str, size: str, *axes: int) -> Workload:
    """A sum (in wider numbers, where they are narrow) or a maximum."""
    shape = SIZES[size]
    left = tuple(extent for axis, extent in enumerate(shape) if axis not in axes)
    axis: Any = axes if len(axes) > 1 else axes[0]
    name = f"{kind} of {'all' if len(axes) > 1 else ('columns', 'rows')[axes[0]]}"
    if kind == "max":
        text = _reduced("maximum", LOWEST[element], axes, shape, element, name="r", of="%a0")
        typed = shape, element
        return _program(name, text, [typed], (left, element), lambda xp, x: xp.max(x, axis=axis))
    wide = WIDER.get(element, element)
    zero = "0" if wide.startswith("i") else "0.0"
    text, of = "", "%a0"
    if wide != element:
        text, of = f"%w = stablehlo.convert %a0 : ({{t}}) -> {_typed((shape, wide))}\n", "%w"
    text += _reduced("add", zero, axes, shape, wide, name="r", of=of)

    def function(xp: Any, x: Any) -> Any:
        if xp is np and x.dtype == np.float64:
            return np.sum(x, axis=axis)
        return xp.sum(x, axis=axis, dtype=getattr(xp, NAMES[wide]))

    return _program(name, text, [(shape, element)], (left, wide), function)


def argmax(element: str, size: str, axis: int) -> Workload:
    """Where the largest element is."""
    shape = SIZES[size]
    left = (shape[1 - axis],)
    places, value = tensor_type(*shape, element="i32"), _typed((left, element))
    text = f"""
      %i = stablehlo.iota dim = {axis} : {places}
      %low = stablehlo.constant dense<{LOWEST[element]}> : tensor<{element}>
      %0 = stablehlo.constant dense<0> : tensor<i32>
      %v, %r = stablehlo.reduce(%a0 init: %low), (%i init: %0) across dimensions = [{axis}]
          : ({{t}}, {places}, tensor<{element}>, tensor<i32>) -> ({value}, {{out}})
       reducer(%x: tensor<{element}>, %y: tensor<{element}>) (%j: tensor<i32>, %k: tensor<i32>) {{{{
        %1 = stablehlo.compare GT, %x, %y, FLOAT : (tensor<{element}>, tensor<{element}>) -> tensor<i1>
        %2 = stablehlo.compare NE, %x, %x, FLOAT : (tensor<{element}>, tensor<{element}>) -> tensor<i1>
        %3 = stablehlo.or %1, %2 : tensor<i1>
        %4 = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<{element}>, tensor<{element}>) -> tensor<i1>
        %5 = stablehlo.compare LT, %j, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %6 = stablehlo.and %4, %5 : tensor<i1>
        %7 = stablehlo.or %3, %6 : tensor<i1>
        %8 = stablehlo.select %3, %x, %y : tensor<i1>, tensor<{element}>
        %9 = stablehlo.select %7, %j, %k : tensor<i1>, tensor<i32>
        stablehlo.return %8, %9 : tensor<{element}>, tensor<i32>
      }}}}"""
    typed = shape, element
    name = f"argmax of {('columns', 'rows')[axis]}"
    return _program(name, text, [typed], (left, "i32"), lambda xp, x: xp.argmax(x, axis=axis))


def _wide_sum(shape: Shape, element: str, axis: int) -> str:
    """The sums `%s` of `%x`, added up in wider numbers where they are narrow, as JAX does."""
    if (wide := WIDER.get(element)) is None:
        return _reduced("add", "0.0", [axis], shape, element, name="s", of="%x")
    left = (shape[1 - axis],)
    return (
        f"%w = stablehlo.convert %x : ({_typed((shape, element))}) -> {_typed((shape, wide))}\n"
        + _reduced("add", "0.0", [axis], shape, wide, name="u", of="%w")
        + f"%s = stablehlo.convert %u : ({_typed((left, wide))}) -> {_typed((left, element))}\n"
    )


def softmax(element: str, size: str, axis: int) -> Workload:
    """The softmax of columns (`axis` is 0) or rows."""
    shape = SIZES[size]
    left = _typed(((shape[1 - axis],), element))
    text = (
        _reduced("maximum", LOWEST[element], [axis], shape, element, name="m", of="%a0")
        + f"%n = stablehlo.broadcast_in_dim %m, dims = [{1 - axis}] : ({left}) -> {{t}}\n"
        + "%d = stablehlo.subtract %a0, %n : {t}\n%x = stablehlo.exponential %d : {t}\n"
        + _wide_sum(shape, element, axis)
        + f"%q = stablehlo.broadcast_in_dim %s, dims = [{1 - axis}] : ({left}) -> {{t}}\n"
        + "%r = stablehlo.divide %x, %q : {t}"
    )

    def function(xp: Any, x: Any) -> Any:
        if hasattr(xp, "softmax"):
            return xp.softmax(x, axis=axis)
        power = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
        return power / xp.sum(power, axis=axis, keepdims=True)

    typed = shape, element
    return _program(f"softmax of {('columns', 'rows')[axis]}", text, [typed], typed, function)


def cumulative(kind: str, element: str, size: str, axis: int) -> Workload:
    """Sums of all elements up to each one, or their maxima."""
    shape = SIZES[size]
    window, low = [1, 1], [0, 0]
    window[axis], low[axis] = shape[axis], shape[axis] - 1
    op, start = ("add", "0" if element.startswith("i") else "0.0") if kind == "cumsum" else ("maximum", LOWEST[element])
    text = f"""
      %0 = stablehlo.constant dense<{start}> : tensor<{{e}}>
      %r = "stablehlo.reduce_window"(%a0, %0) <{{{{padding = dense<[[{low[0]}, 0], [{low[1]}, 0]]> : tensor<2x2xi64>,
          window_dimensions = array<i64: {window[0]}, {window[1]}>}}}}> ({{{{
      ^bb0(%x: tensor<{{e}}>, %y: tensor<{{e}}>):
        %1 = stablehlo.{op} %x, %y : tensor<{{e}}>
        stablehlo.return %1 : tensor<{{e}}>
      }}}}) : ({{t}}, tensor<{{e}}>) -> {{t}}"""

    def function(xp: Any, x: Any) -> Any:
        if kind == "cumsum":
            return xp.cumsum(x, axis=axis, dtype=x.dtype)
        return xp.cummax(x, axis=axis) if hasattr(xp, "cummax") else xp.maximum.accumulate(x, axis=axis)

    typed = shape, element
    return _program(f"{kind} of {('columns', 'rows')[axis]}", text, [typed], typed, function)


def transpose(element: str, shape: Shape, *order: int) -> Workload:
    """Dimensions in another order."""
    text = f"%r = stablehlo.transpose %a0, dims = {list(order)} : ({{t}}) -> {{out}}"

    def function(xp: Any, x: Any) -> Any:
        copied = xp.permute_dims(x, order)
        return np.ascontiguousarray(copied) if xp is np else copied

    result = tuple(shape[axis] for axis in order), element
    return _program(f"transpose {''.join(map(str, order))}", text, [(shape, element)], result, function)


def concatenation(element: str, size: str, axis: int) -> Workload:
    """Two matrices below each other, or side by side."""
    shape = SIZES[size]
    result = list(shape)
    result[axis] *= 2
    text = f"%r = stablehlo.concatenate %a0, %a1, dim = {axis} : ({{t}}, {{t}}) -> {{out}}"
    typed = shape, element
    name = f"concatenate {('rows', 'columns')[axis]}"
    function: Meaning = lambda xp, x, y: xp.concatenate((x, y), axis=axis)  # noqa: E731
    return _program(name, text, [typed, typed], (tuple(result), element), function)


def moved(kind: str, element: str, size: str, axis: int) -> Workload:
    """Elements of one matrix at other places: every second one, in reverse, with a border, repeated."""
    shape = SIZES[size]
    result = list(shape)
    index: list[slice] = [slice(None), slice(None)]
    if kind == "every second":
        result[axis] //= 2
        index[axis] = slice(None, None, 2)
        ranges = [f"0:{extent}" for extent in shape]
        ranges[axis] += ":2"
        text = f"%r = stablehlo.slice %a0 [{', '.join(ranges)}] : ({{t}}) -> {{out}}"
        function: Meaning = lambda xp, x: xp.copied(x[tuple(index)]) if hasattr(xp, "copied") else +x[tuple(index)]  # noqa: E731
    elif kind == "reverse":
        text = f"%r = stablehlo.reverse %a0, dims = [{axis}] : {{t}}"
        function = lambda xp, x: xp.copied(xp.flip(x, axis)) if hasattr(xp, "copied") else +xp.flip(x, axis)  # noqa: E731
    else:
        result = [extent + 2 for extent in shape]
        text = (
            "%0 = stablehlo.constant dense<0.0> : tensor<{e}>\n"
            "%r = stablehlo.pad %a0, %0, low = [1, 1], high = [1, 1], interior = [0, 0]"
            " : ({t}, tensor<{e}>) -> {out}"
        )
        function = lambda xp, x: xp.pad(x, 1)  # noqa: E731
    name = kind if kind == "pad" else f"{kind} {('row', 'column')[axis]}"
    return _program(name, text, [(shape, element)], (tuple(result), element), function)


def gather(element: str, size: str, axis: int) -> Workload:
    """Rows (`axis` is 0) or columns that a vector of indices names."""
    shape = SIZES[size]
    count = 512
    other = shape[1 - axis]
    slices = [1, other] if axis == 0 else [other, 1]
    result = (count, other) if axis == 0 else (other, count)
    text = f"""
      %i = stablehlo.reshape %a1 : (tensor<{count}xi32>) -> tensor<{count}x1xi32>
      %r = "stablehlo.gather"(%a0, %i) <{{{{dimension_numbers = #stablehlo.gather<offset_dims = [{1 - axis}],
          collapsed_slice_dims = [{axis}], start_index_map = [{axis}], index_vector_dim = 1>,
          slice_sizes = array<i64: {slices[0]}, {slices[1]}>}}}}>
          : ({{t}}, tensor<{count}x1xi32>) -> {{out}}"""
    inputs = [(shape, element), ((count,), "i32")]
    function: Meaning = lambda xp, x, i: x[i] if axis == 0 else x[:, i]  # noqa: E731
    name = f"gather {('rows', 'columns')[axis]}"
    return _program(name, text, inputs, (result, element), function, between=(0, shape[axis]))


def scatter(element: str, size: str) -> Workload:
    """Rows added to those that a vector of indices names."""
    shape = SIZES[size]
    count = 512
    text = f"""
      %i = stablehlo.reshape %a1 : (tensor<{count}xi32>) -> tensor<{count}x1xi32>
      %r = "stablehlo.scatter"(%a0, %i, %a2) <{{{{scatter_dimension_numbers = #stablehlo.scatter<
          update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
          index_vector_dim = 1>}}}}> ({{{{
      ^bb0(%x: tensor<{{e}}>, %y: tensor<{{e}}>):
        %1 = stablehlo.add %x, %y : tensor<{{e}}>
        stablehlo.return %1 : tensor<{{e}}>
      }}}}) : ({{t}}, tensor<{count}x1xi32>, {tensor_type(count, shape[1], element=element)}) -> {{t}}"""

    def function(xp: Any, x: Any, i: Any, v: Any) -> Any:
        if xp is np:
            x = x.copy()
            np.add.at(x, i, v)
            return x
        return x.at[i].add(v) if hasattr(x, "at") else x.index_add(0, i, v)

    inputs = [(shape, element), ((count,), "i32"), ((count, shape[1]), element)]
    return _program("scatter-add rows", text, inputs, (shape, element), function, between=(0, shape[0]))


def sort(element: str, shape: Shape, axis: int) -> Workload:
    """Columns (`axis` is 0) or rows in order, or a vector."""
    text = f"""
      %r = "stablehlo.sort"(%a0) <{{{{dimension = {axis} : i64, is_stable = true}}}}> ({{{{
      ^bb0(%x: tensor<{{e}}>, %y: tensor<{{e}}>):
        %1 = stablehlo.compare LT, %x, %y : (tensor<{{e}}>, tensor<{{e}}>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }}}}) : ({{t}}) -> {{t}}"""
    name = "sort" if len(shape) == 1 else f"sort {('columns', 'rows')[axis]}"
    return _program(name, text, [(shape, element)], (shape, element), lambda xp, x: xp.sort(x, axis=axis))


def argsort(element: str, shape: Shape, axis: int) -> Workload:
    """Where the elements of sorted lines were, equal ones in their order."""
    result = shape, "i32"
    text = f"""
      %p = stablehlo.iota dim = {axis} : {_typed(result)}
      %s, %r = "stablehlo.sort"(%a0, %p) <{{{{dimension = {axis} : i64, is_stable = true}}}}> ({{{{
      ^bb0(%x: tensor<{{e}}>, %y: tensor<{{e}}>, %m: tensor<i32>, %n: tensor<i32>):
        %1 = stablehlo.compare LT, %x, %y : (tensor<{{e}}>, tensor<{{e}}>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }}}}) : ({{t}}, {_typed(result)}) -> ({{t}}, {_typed(result)})"""
    name = "argsort" if len(shape) == 1 else f"argsort {('columns', 'rows')[axis]}"
    return _program(
        name, text, [(shape, element)], result, lambda xp, x: xp.argsort(x, axis=axis, stable=True), between=(-1e6, 1e6)
    )


def conversion(element: str, to: str, size: str) -> Workload:
    """Elements of another type."""
    typed = SIZES[size], element
    text = "%r = stablehlo.convert %a0 : ({t}) -> {out}"
    function: Meaning = lambda xp, x: xp.astype(x, getattr(xp, NAMES[to], NAMES[to]))  # noqa: E731
    return _program(f"to {to} from", text, [typed], (SIZES[size], to), function)


def product(element: str, left: Shape, right: Shape) -> Workload:
    """A product of matrices or vectors; small integers are added up as i32."""
    to = "i32" if element == "i8" else element
    result = (*left[:-1], *right[1:])
    text = f"%r = stablehlo.dot_general %a0, %a1, contracting_dims = [{len(left) - 1}] x [0]"
    text += f" : ({{t}}, {_typed((right, element))}) -> {{out}}"

    def function(xp: Any, a: Any, b: Any) -> Any:
        if element == "i8":
            a, b = (xp.astype(value, xp.int32) for value in (a, b))
        return xp.matmul(a, b)

    name = f"times {'x'.join(map(str, right))} of"
    return _program(name, text, [(left, element), (right, element)], (result, to), function)


def convolution(layout: str, image: Shape, window: Shape) -> Workload:
    """A convolution without padding in a `layout` of the image; windows have their filters last (or first, if NC…)."""
    last = layout.endswith("C")
    places = "".join(letter for letter in layout if letter not in "NC")
    dims = ", ".join(str(number) for number in range(len(places)))
    where = slice(1, -1) if last else slice(2, None)
    spatial = tuple(big - small + 1 for big, small in zip(image[where], _spatial(window, last=last), strict=True))
    result = (image[0], *spatial, window[-1]) if last else (image[0], window[0], *spatial)
    numbers = (
        f"[b, {dims}, f]x[{dims}, i, o]->[b, {dims}, f]" if last else f"[b, f, {dims}]x[o, i, {dims}]->[b, f, {dims}]"
    )
    text = (
        f"%r = stablehlo.convolution(%a0, %a1) dim_numbers = {numbers}, window = {{{{}}}}"
        " {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}"
        f" : ({{t}}, {_typed((window, 'f32'))}) -> {{out}}"
    )

    def function(xp: Any, x: Any, w: Any) -> Any:
        return _convolved(xp, x, w, layout, spatial)

    name = f"convolution {layout} {'x'.join(map(str, window))} of"
    return _program(name, text, [(image, "f32"), (window, "f32")], (result, "f32"), function)


def _spatial(window: Shape, *, last: bool) -> Shape:
    return window[:-2] if last else window[2:]


def _convolved(xp: Any, x: Any, w: Any, layout: str, spatial: Shape) -> Any:
    """Each peer's own convolution; for NumPy a sum of products."""
    last, rank = layout.endswith("C"), len(spatial)
    if xp is np:
        if not last:
            x, w = np.moveaxis(x, 1, -1), np.moveaxis(w, (0, 1), (-1, -2))
        total = sum(
            x[(slice(None), *(slice(o, o + n) for o, n in zip(tap, spatial, strict=True)))] @ w[tap]
            for tap in np.ndindex(w.shape[:-2])
        )
        return total if last else np.ascontiguousarray(np.moveaxis(total, -1, 1))
    if hasattr(xp, "convolution"):
        if not last:
            return xp.convolution(x, w)
        channels_first = xp.convolution(x.movedim(-1, 1), w.movedim((-1, -2), (0, 1)))
        return channels_first.movedim(1, -1)
    from jax import lax

    places = "HW"[-rank:]
    windows = f"{places}IO" if last else f"OI{places}"
    form = layout.replace("W", places[-1])
    return lax.conv_general_dilated(x, w, (1,) * rank, "VALID", dimension_numbers=(form, windows, form))


def pool(image: Shape) -> Workload:
    """The largest of each two by two pixels, NHWC."""
    n, h, w, c = image
    text = """
      %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %r = "stablehlo.reduce_window"(%a0, %0) <{{window_dimensions = array<i64: 1, 2, 2, 1>,
          window_strides = array<i64: 1, 2, 2, 1>}}> ({{
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.maximum %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }}) : ({t}, tensor<f32>) -> {out}"""

    def function(xp: Any, x: Any) -> Any:
        return xp.max(xp.reshape(x, (n, h // 2, 2, w // 2, 2, c)), axis=(2, 4))

    result = (n, h // 2, w // 2, c), "f32"
    return _program("max pool", text, [(image, "f32")], result, function)


def _rows() -> Iterator[Workload]:
    yield from _of_all_sizes()
    yield from _elementwise()
    yield from _along_dimensions()
    yield from _movements()
    yield from _products()


def _of_all_sizes() -> Iterator[Workload]:
    for size, shape in SIZES.items():
        yield from (unary(kind, "f32", size) for kind in ("exp", "tanh"))
        yield from (binary("add", element, size) for element in ("f32", "f64", "bf16", "i8", "i32"))
        yield from (reduction("sum", "f32", size, *axes) for axes in ((0,), (1,), (0, 1)))
        yield from (cumulative("cumsum", "f32", size, axis) for axis in (0, 1))
        yield from (softmax("f32", size, axis) for axis in (0, 1))
        yield from (transpose(element, shape, 1, 0) for element in ("f32", "f64", "bf16", "i8"))
        yield from (concatenation("f32", size, axis) for axis in (0, 1))
        yield along("add", "f32", size, 0)
        yield along("add", "f32", size, 1)


def _elementwise() -> Iterator[Workload]:
    for kind in ("sin", "cbrt", "sin * cos", "logistic", "clamp", "leaky relu", "log", "sqrt"):
        yield unary(kind, "f32", "last")
    for kind in ("exp", "tanh", "sin", "log", "sqrt", "sin * cos", "logistic"):
        yield unary(kind, "f64", "last")
    for kind in ("exp", "tanh", "sqrt", "leaky relu"):
        yield unary(kind, "bf16", "last")
    for kind, element in (("abs", "i8"), ("abs", "i32")):
        yield unary(kind, element, "last")
    for kind in ("divide", "pow", "mod", "atan2", "maximum"):
        yield from (binary(kind, element, "last") for element in ("f32", "f64"))
    yield from (binary(kind, "bf16", "last") for kind in ("multiply", "divide", "maximum"))
    for kind in ("multiply", "maximum", "integer divide", "mod"):
        yield binary(kind, "i32", "last")
    yield from (binary(kind, "i8", "last") for kind in ("multiply", "maximum"))


def _along_dimensions() -> Iterator[Workload]:
    for element in ("f64", "bf16", "i8", "i32"):
        yield from (reduction("sum", element, "last", *axes) for axes in ((0,), (1,), (0, 1)))
    for element in ("f32", "bf16", "i8", "i32"):
        yield from (reduction("max", element, "last", axis) for axis in (0, 1))
    yield from (argmax("f32", "last", axis) for axis in (0, 1))
    yield from (softmax(element, "last", axis) for element in ("f64", "bf16") for axis in (0, 1))
    yield from (cumulative("cumsum", element, "last", axis) for element in ("f64", "i32") for axis in (0, 1))
    yield from (cumulative("cummax", "f32", "last", axis) for axis in (0, 1))
    yield from _sorts()


def _sorts() -> Iterator[Workload]:
    yield from (sort(element, SIZES["last"], axis) for element in ("f32", "i32") for axis in (0, 1))
    yield from (sort(element, (1_000_000,), 0) for element in ("f32", "f64", "bf16", "i32"))
    yield sort("f32", (10_000,), 0)
    yield from (sort("f32", shape, 1) for shape in ((10_000, 16), (1_000, 100)))
    yield from (argsort("f32", shape, 0) for shape in ((1_000_000,), (10_000,)))
    yield from (argsort("f32", shape, axis) for shape in ((10_000, 16), (1_000, 100)) for axis in (0, 1))
    yield argsort("f64", (1_000, 100), 1)


def _movements() -> Iterator[Workload]:
    yield transpose("f32", (64, 128, 128), 0, 2, 1)
    yield transpose("f32", (64, 128, 128), 1, 0, 2)
    yield transpose("f32", (64, 128, 128), 2, 1, 0)
    yield transpose("f32", (4, 64, 56, 56), 0, 2, 3, 1)
    yield transpose("f32", (4, 56, 56, 64), 0, 3, 1, 2)
    yield from (concatenation("i8", "last", axis) for axis in (0, 1))
    for kind in ("every second", "reverse"):
        yield from (moved(kind, "f32", "last", axis) for axis in (0, 1))
    yield moved("pad", "f32", "last", 0)
    yield from (gather("f32", size, axis) for size in ("last", "memory") for axis in (0, 1))
    yield scatter("f32", "last")
    for element, to in (
        ("f32", "bf16"),
        ("bf16", "f32"),
        ("i8", "f32"),
        ("i32", "f32"),
        ("f64", "f32"),
        ("f32", "f64"),
    ):
        yield conversion(element, to, "last")


def _products() -> Iterator[Workload]:
    for element in ("f32", "f64", "bf16", "i8"):
        yield product(element, (64, 64), (64, 64))
        yield product(element, (256, 256), (256, 256))
    yield product("f32", (1024, 1024), (1024,))
    yield product("f32", (1024,), (1024, 1024))
    yield product("f32", (4096, 64), (64, 64))
    yield product("f32", (64, 4096), (4096, 64))
    yield convolution("NWC", (8, 512, 64), (3, 64, 64))
    yield convolution("NHWC", (1, 58, 58, 64), (3, 3, 64, 64))
    yield convolution("NCHW", (1, 64, 58, 58), (64, 64, 3, 3))
    yield pool((8, 56, 56, 64))


SWEEP = tuple(_rows())
"""What is measured."""
