"""The arguments of a call from the texts of `--arg`.

    data.npy                   an array from a file
    4x8xf32:random             an array of that shape and type, filled: random, zeros, ones, iota, or one value
    random                     the same for a parameter whose sizes are known
    3   2.5   true   1+2j      a scalar; for an array whose sizes are known, one that is filled with it
    [[1, 2], [3, 4]]           an array, of the parameter's type

Random values are uniform: reals in [0, 1), parts of complex numbers too, integers from 0 to 99 or to the largest of the
type, booleans either way.
`iota` counts 0, 1, 2, … in row-major order.
"""

from __future__ import annotations

import ast
import math
import operator
import os
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...runtime.interface.dtypes import ElementType, UnsupportedTypeError, named_element_type
from ...runtime.interface.signature import Parameter, Signature
from ..shared.command_line import ToolError

VALUES = (__doc__ or "").split("\n", 2)[2]
"""What `--arg` may say, for `--help`."""
FILLS = ("random", "zeros", "ones", "iota")

_TYPED = re.compile(r"(?P<shape>(?:\d+x)*)(?P<type>[a-z][\w<>]*):(?P<fill>.+)")
_NAMES = {"true": True, "True": True, "false": False, "False": False, "inf": math.inf, "nan": math.nan}
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}

Array = np.ndarray[Any, Any]


def make_arguments(given: Sequence[str], signature: Signature, seed: int) -> list[Any]:
    """The arguments of a call, from one text for each; raises `ToolError`, also for one too many or too few."""
    parameters = signature.parameters
    if len(given) > len(parameters):
        raise ToolError(f"'{signature.name}' takes {len(parameters)} arguments, but --arg is given {len(given)} times")
    if len(given) < len(parameters):
        missing = parameters[len(given)]
        raise ToolError(
            f"{missing.label} of '{signature.name}' ({missing.type.spelling}) is missing; "
            f"give it with --arg {_example(missing)}{', or --arg and a .npy file' if missing.type.is_array else ''}"
        )
    random = np.random.default_rng(seed)
    return [make_argument(text, parameter, random) for text, parameter in zip(given, parameters, strict=True)]


def _example(parameter: Parameter) -> str:
    """A valid `--arg` for a parameter."""
    if not parameter.type.is_array:
        return "1"
    return "random" if parameter.type.is_static else _with_sizes(parameter)


def _with_sizes(parameter: Parameter) -> str:
    """An `--arg` that gives sizes to dynamic dimensions."""
    sizes = "x".join("8" if size is None else str(size) for size in parameter.type.shape)
    return f"{sizes}x{parameter.type.element.spelling}:random"


def make_argument(text: str, parameter: Parameter, random: np.random.Generator) -> Any:
    """Parse `text` as an argument; raises `ToolError`. The parameter may still refuse its type or shape."""
    try:
        return _make(text, parameter, random)
    except (UnsupportedTypeError, TypeError, ValueError) as error:
        raise ToolError(f"{parameter.label}: '{text}': {error}") from None
    except MemoryError:
        raise ToolError(f"{parameter.label}: '{text}' does not fit into memory") from None


def _make(text: str, parameter: Parameter, random: np.random.Generator) -> Any:
    typed = _TYPED.fullmatch(text)
    if typed:
        shape = tuple(int(size) for size in typed["shape"].split("x")[:-1])
        return _filled(typed["fill"], shape, named_element_type(typed["type"]), random)
    if text.endswith(".npy") or os.path.sep in text:
        return _loaded(text, parameter)
    if text in FILLS:
        return _filled(text, _known_shape(parameter), parameter.type.element, random)
    value = read_literal(text)
    if not parameter.type.is_array:
        return value
    if isinstance(value, list):
        return _array(value, parameter.type.element)
    return _filled(text, _known_shape(parameter), parameter.type.element, random)


def _known_shape(parameter: Parameter) -> tuple[int, ...]:
    """The parameter's shape; raises `ValueError` if a size is dynamic, with an `--arg` that states it."""
    sizes = [size for size in parameter.type.shape if size is not None]
    if len(sizes) < len(parameter.type.shape):
        raise ValueError(
            f"the sizes of {parameter.type.spelling} are not known; give them too, as in --arg {_with_sizes(parameter)}"
        )
    return tuple(sizes)


def _filled(fill: str, shape: tuple[int, ...], element: ElementType, random: np.random.Generator) -> Array:
    dtype = element.dtype
    if fill in ("zeros", "ones"):
        return np.full(shape, fill == "ones", dtype)
    if fill == "iota":
        count = np.arange(math.prod(shape)).reshape(shape)
        with np.errstate(over="ignore"):
            return (count % 2 == 1) if dtype == np.bool_ else count.astype(dtype)
    if fill == "random":
        return _random(shape, element, random)
    value = read_literal(fill)
    element.encode(value)
    return np.full(shape, value, dtype)


def _random(shape: tuple[int, ...], element: ElementType, random: np.random.Generator) -> Array:
    dtype = element.dtype
    if element.kind == "b":
        return random.integers(0, 2, shape) == 1
    if element.kind in "iu":
        most = min(100, 1 << (element.width - (element.kind == "i")))
        return random.integers(0, most, shape).astype(dtype)
    if element.kind == "c":
        return (random.random(shape) + 1j * random.random(shape)).astype(dtype)
    return np.asarray(random.random(shape)).astype(dtype)


def _loaded(path: str, parameter: Parameter) -> Array:
    try:
        loaded = np.load(path, allow_pickle=False)
    except OSError as error:
        raise ToolError(f"{parameter.label}: cannot read '{path}': {error.strerror or error}") from None
    except (ValueError, EOFError):
        raise ToolError(f"{parameter.label}: '{path}' is not a .npy file with an array of numbers") from None
    if not isinstance(loaded, np.ndarray):
        loaded.close()
        raise ToolError(f"{parameter.label}: '{path}' holds several arrays; give a .npy file with one")
    wanted = parameter.type.element.dtype
    # A .npy file has no names for types of ml_dtypes: it holds bytes without a type.
    nameless = loaded.dtype.kind == "V" and wanted.isbuiltin != 1 and loaded.dtype.itemsize == wanted.itemsize
    return loaded.view(wanted) if nameless else loaded


def _array(values: list[Any], element: ElementType) -> Array:
    array = np.array(values, dtype=object)
    for item in array.ravel():
        element.encode(item)
    return array.astype(element.dtype)


def read_literal(text: str) -> Any:
    """A number, a boolean, or nested lists of them; raises `ValueError` for anything else."""
    try:
        return _evaluate(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, KeyError, TypeError):
        known = ", ".join(FILLS)
        raise ValueError(f"expected a .npy file, a literal, one of {known}, or SHAPExTYPE:FILL") from None


def _evaluate(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float, complex)):
        return node.value
    if isinstance(node, ast.Name):
        return _NAMES[node.id]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_evaluate(item) for item in node.elts]
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_evaluate(node.operand))
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_evaluate(node.left), _evaluate(node.right))
    raise KeyError(type(node).__name__)
