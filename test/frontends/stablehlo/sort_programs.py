"""Sorts of StableHLO by comparators of every kind, with the keys by which NumPy sorts the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
INTEGERS = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
}  # fmt: skip
DTYPES = {**FLOATS, **INTEGERS}
NANS = {"f16": "0x7E00", "bf16": "0x7FC0", "f32": "0x7FC00000", "f64": "0x7FF8000000000000"}


@dataclass(frozen=True)
class Comparator:
    """The body of a comparator of `{e}` numbers `%a` and `%b`, which defines `%r`, and what it means.

    `order` names how NumPy sorts the same: by `total` order, by `numbers` (0 and -0 are equal, NaN is greatest), by
    `magnitude`. `nan` if it says anything of NaN.
    """

    text: str
    order: str
    descending: bool = False
    nan: bool = False


def _compare(result: str, direction: str, left: str, right: str, kind: str = "") -> str:
    return f"%{result} = stablehlo.compare {direction}, %{left}, %{right}{kind} : ({{t}}, {{t}}) -> tensor<i1>\n"


def _plain(name: str) -> str:
    """What JAX compares instead of `name`."""
    return (
        f"%{name}0 = stablehlo.constant dense<0.0> : {{t}}\n"
        + _compare(f"{name}1", "EQ", name, f"{name}0", ", FLOAT")
        + f"%{name}2 = stablehlo.select %{name}1, %{name}0, %{name} : tensor<i1>, {{t}}\n"
        + _compare(f"{name}3", "NE", name, name, ", FLOAT")
        + f"%{name}4 = stablehlo.constant dense<{{nan}}> : {{t}}\n"
        + f"%{name}5 = stablehlo.select %{name}3, %{name}4, %{name}2 : tensor<i1>, {{t}}\n"
    )


def _jax(direction: str) -> str:
    return _plain("a") + _plain("b") + _compare("r", direction, "a5", "b5", ", TOTALORDER")


def _nan_greatest(direction: str) -> str:
    least, greatest = "ab" if direction == "LT" else "ba"
    return (
        _compare("c", direction, "a", "b", ", FLOAT")
        + _compare("l", "EQ", least, least, ", FLOAT")
        + _compare("g", "NE", greatest, greatest, ", FLOAT")
        + "%d = stablehlo.and %l, %g : tensor<i1>\n%r = stablehlo.or %c, %d : tensor<i1>\n"
    )


_ABS = "%f = stablehlo.abs %a : {t}\n%g = stablehlo.abs %b : {t}\n"
_GENERAL = "%t = stablehlo.constant dense<true> : tensor<i1>\n%r = stablehlo.and %c, %t : tensor<i1>\n"

ANY = {
    "less": Comparator(_compare("r", "LT", "a", "b"), "numbers"),
    "greater": Comparator(_compare("r", "GT", "a", "b"), "numbers", descending=True),
    "swapped less": Comparator(_compare("r", "LT", "b", "a"), "numbers", descending=True),
    "swapped greater": Comparator(_compare("r", "GT", "b", "a"), "numbers"),
    "general": Comparator(_compare("c", "LT", "a", "b") + _GENERAL, "numbers"),
}
"""Comparators of integers and floats; the last one is no key for us."""
OF_FLOATS = {
    "total": Comparator(_compare("r", "LT", "a", "b", ", TOTALORDER"), "total", nan=True),
    "total down": Comparator(_compare("r", "GT", "a", "b", ", TOTALORDER"), "total", descending=True, nan=True),
    "jax": Comparator(_jax("LT"), "numbers", nan=True),
    "jax down": Comparator(_jax("GT"), "numbers", descending=True, nan=True),
    "nan greatest": Comparator(_nan_greatest("LT"), "numbers", nan=True),
    "nan greatest down": Comparator(_nan_greatest("GT"), "numbers", descending=True, nan=True),
    "magnitude": Comparator(_ABS + _compare("r", "LT", "f", "g", ", TOTALORDER"), "magnitude"),
}
COMPARATORS = {**ANY, **OF_FLOATS}


def comparators(element: str) -> list[str]:
    """The comparators of `COMPARATORS` that `element` has."""
    return list(COMPARATORS if element in FLOATS else ANY)


def sort_program(
    shape: Sequence[int], dim: int, element: str, comparator: str, results: str = "xi", *, payload_first: bool = False
) -> str:
    """A sort of `x` and of a payload `i`: places, or an argument of i16 if it is `payload_first`, the first operand.

    `results` says which of them the program returns; without `i` and `payload_first`, there is no payload.
    """
    sizes = "".join(f"{size}x" for size in shape)
    types = {"x": f"tensor<{sizes}{element}>", "i": f"tensor<{sizes}{'i16' if payload_first else 'i32'}>"}
    scalars = {"x": f"tensor<{element}>", "i": "tensor<i16>" if payload_first else "tensor<i32>"}
    order = "ix" if payload_first else "xi" if "i" in results else "x"
    names = {"x": ("%a", "%b"), "i": ("%m", "%n")}
    arguments = ", ".join(f"{name}: {scalars[key]}" for key in order for name in names[key])
    both = ", ".join(types[key] for key in order)
    body = COMPARATORS[comparator].text.format(t=scalars["x"], nan=NANS.get(element))
    returned = ", ".join(types[key] for key in results)
    operands = ", ".join(f"%{key}" for key in order)
    extra = f", %i: {types['i']}" if payload_first else ""
    places = "" if order != "xi" else f"%i = stablehlo.iota dim = {dim} : {types['i']}\n"
    return f"""
func.func @main(%x: {types["x"]}{extra}) -> ({returned}) {{
{places}%0:{len(order)} = "stablehlo.sort"({operands}) <{{dimension = {dim} : i64, is_stable = true}}> ({{
^bb0({arguments}):
{body}stablehlo.return %r : tensor<i1>
}}) : ({both}) -> ({both})
return {", ".join(f"%0#{order.index(key)}" for key in results)} : {returned}
}}
"""


def sort_places(x: np.ndarray, dim: int, comparator: str) -> np.ndarray:
    """Where the elements of the sorted lines of `x` were."""
    means = COMPARATORS[comparator]
    if x.dtype.kind in "iu":
        keys = x.astype(object)
        return np.argsort(-keys if means.descending else keys, axis=dim, kind="stable")
    if x.dtype.kind == "b":
        return np.argsort(~x if means.descending else x, axis=dim, kind="stable")
    keys = _bits(_as_ordered(x, means.order))
    return np.argsort(-keys if means.descending else keys, axis=dim, kind="stable")


def _as_ordered(x: np.ndarray, order: str) -> np.ndarray:
    if order == "total":
        return x
    if order == "magnitude":
        return np.abs(x)
    nan = np.array(np.nan, x.dtype)
    return np.where(np.isnan(x), np.abs(nan), np.where(x == 0, np.zeros_like(x), x))


def _bits(x: np.ndarray) -> np.ndarray:
    """Integers in the total order of floats, as Python's, which negate without overflow."""
    bits = np.ascontiguousarray(x).view(f"i{x.itemsize}").astype(object)
    return np.where(bits < 0, -(bits + (1 << (8 * x.itemsize - 1))) - 1, bits)


def sort_data(rng: np.random.Generator, shape: Sequence[int], element: str, comparator: str) -> np.ndarray:
    """Numbers with ties; of floats also zeros of both signs, infinities, and several NaNs if they are ordered."""
    dtype = np.dtype(DTYPES[element])
    if element in INTEGERS:
        wide = rng.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype if element != "i1" else np.uint8)
        few = rng.integers(0, 5, shape)
        many = wide[..., 0] & 1 if element == "i1" else wide[..., 0]
        return np.where(rng.random(shape) < 0.5, few.astype(many.dtype), many).astype(dtype)
    values = rng.integers(-9, 9, shape).astype(dtype) / dtype.type(4)
    values = np.where(rng.random(shape) < 0.5, rng.standard_normal(shape).astype(dtype), values)
    nans = np.array([np.nan, -np.nan], dtype).view(f"u{dtype.itemsize}") + np.array([0, 3], f"u{dtype.itemsize}")
    special = [0.0, -0.0, np.inf, -np.inf]
    pool = np.array(special, dtype)
    if COMPARATORS[comparator].nan:
        pool = np.concatenate([pool, nans.view(dtype)])
    return np.where(rng.random(shape) < 0.3, rng.choice(pool.view(f"u{dtype.itemsize}"), shape).view(dtype), values)
