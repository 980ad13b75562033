"""Operators that compute each element from the elements at the same place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .graph import Node, dtype_of, lowers
from .quantization import saturated
from .scalars import DType, TypedScalar, bits, choose, constant, greatest, is_float, is_narrow_float, kind, least
from .structured import Value, cast_to, elementwise, reshape

BOOL = np.dtype(np.bool_)
F32 = np.dtype(np.float32)

_MATH = [
    "Sin",
    "Cos",
    "Tan",
    "Asin",
    "Acos",
    "Atan",
    "Sinh",
    "Cosh",
    "Asinh",
    "Acosh",
    "Atanh",
    "Exp",
    "Log",
    "Sqrt",
    "Tanh",
    "Erf",
    "Ceil",
    "Floor",
]


def _by_math(name: str) -> Callable[[Node], Value]:
    def lower(node: Node) -> Value:
        x = node.input()
        if kind(x.dtype) != "f":
            return NotImplemented
        return elementwise(x.dtype, [x], lambda e: e.math(name))

    return lower


for _name in _MATH:
    lowers(_name)(_by_math(_name.lower()))
lowers("Round")(_by_math("roundeven"))


def logistic(x: TypedScalar) -> TypedScalar:
    """The logistic function."""
    return 1.0 / (1.0 + (-x).math("exp"))


def _softplus(x: TypedScalar) -> TypedScalar:
    """log(1 + exp(x)) without overflow."""
    return greatest(x, 0.0) + (-x.absolute()).math("exp").math("log1p")


def _tanh_gelu(x: TypedScalar) -> TypedScalar:
    inner = (x + x * x * x * 0.044715) * math.sqrt(2 / math.pi)
    return x * 0.5 * (inner.math("tanh") + 1.0)


def _gelu(node: Node, x: TypedScalar) -> TypedScalar:
    if node.attribute("approximate", "none") == "tanh":
        return _tanh_gelu(x)
    return x * 0.5 * ((x * math.sqrt(0.5)).math("erf") + 1.0)


def _exp_less_one(x: TypedScalar) -> TypedScalar:
    return x.math("expm1")


_a = Node.attribute
_ACTIVATIONS: dict[str, Callable[[Node, TypedScalar], TypedScalar]] = {
    "Neg": lambda n, x: -x,
    "Abs": lambda n, x: x.absolute(),
    "Relu": lambda n, x: greatest(x, 0),
    "Reciprocal": lambda n, x: 1.0 / x,
    "Sigmoid": lambda n, x: logistic(x),
    "Softplus": lambda n, x: _softplus(x),
    "Softsign": lambda n, x: x / (1.0 + x.absolute()),
    "LeakyRelu": lambda n, x: choose(x < 0, x * _a(n, "alpha", 0.01), x),
    "Elu": lambda n, x: choose(x < 0, _exp_less_one(x) * _a(n, "alpha", 1.0), x),
    "Celu": lambda n, x: greatest(x, 0.0) + least(_exp_less_one(x / _a(n, "alpha", 1.0)) * _a(n, "alpha", 1.0), 0.0),
    "Selu": lambda n, x: (
        choose(x > 0, x, _exp_less_one(x) * _a(n, "alpha", 1.6732632423543772)) * _a(n, "gamma", 1.0507009873554805)
    ),
    "ThresholdedRelu": lambda n, x: choose(x > _a(n, "alpha", 1.0), x, 0),
    "HardSigmoid": lambda n, x: least(greatest(x * _a(n, "alpha", 0.2) + _a(n, "beta", 0.5), 0.0), 1.0),
    "HardSwish": lambda n, x: x * least(greatest(x * (1 / 6) + 0.5, 0.0), 1.0),
    "Mish": lambda n, x: x * _softplus(x).math("tanh"),
    "Gelu": _gelu,
    "Swish": lambda n, x: x * logistic(x * _a(n, "alpha", 1.0)),
    "Sign": lambda n, x: _sign(x),
    "BitwiseNot": lambda n, x: ~x,
    "Not": lambda n, x: ~x,
    "Shrink": lambda n, x: choose(
        x < -_a(n, "lambd", 0.5),
        x + _a(n, "bias", 0.0),
        choose(x > _a(n, "lambd", 0.5), x - _a(n, "bias", 0.0), 0),
    ),
}
"""Operators of one tensor, the type of which stays."""


def _sign(x: TypedScalar) -> TypedScalar:
    one = choose(x > 0, constant(1, x.dtype), 0)
    if x.kind == "u":
        return one
    signed = choose(x < 0, constant(-1, x.dtype), one)
    return choose(x.is_nan(), x, signed) if x.kind == "f" else signed


def _activation(name: str) -> Callable[[Node], Value]:
    body = _ACTIVATIONS[name]

    def lower(node: Node) -> Value:
        x = node.input()
        wide = F32 if is_float(x.dtype) and bits(x.dtype) < 32 else x.dtype
        return elementwise(x.dtype, [x], lambda e: body(node, e.to(wide)).to(x.dtype))

    return lower


for _name in _ACTIVATIONS:
    lowers(_name)(_activation(_name))


def _modulo(node: Node, x: TypedScalar, y: TypedScalar) -> TypedScalar:
    remainder = x.apply("rem", y)
    if node.attribute("fmod", 0) or x.kind == "u":
        return remainder
    differs = ((remainder < 0) ^ (y < 0)) & remainder.compare("ne", 0)
    return choose(differs, remainder + y, remainder)


def _shift(node: Node, x: TypedScalar, y: TypedScalar) -> TypedScalar:
    width, left = bits(x.dtype), node.attribute("direction") == "LEFT"
    inside = y < width if x.kind == "u" else (y >= 0) & (y < width)
    amount = choose(inside, y, width - 1)  # Beyond the width LLVM's shifts are undefined.
    shifted = x.apply("shl" if left else "shr", amount)
    return shifted if x.kind == "i" and not left else choose(inside, shifted, 0)


_PAIRS: dict[str, Callable[[Node, TypedScalar, TypedScalar], TypedScalar]] = {
    "Add": lambda n, x, y: x + y,
    "Sub": lambda n, x, y: x - y,
    "Mul": lambda n, x, y: x * y,
    "Div": lambda n, x, y: x / y,
    "Mod": _modulo,
    "BitShift": _shift,
    "PRelu": lambda n, x, y: choose(x < 0, x * y, x),
    **dict.fromkeys(("And", "BitwiseAnd"), lambda n, x, y: x & y),
    **dict.fromkeys(("Or", "BitwiseOr"), lambda n, x, y: x | y),
    **dict.fromkeys(("Xor", "BitwiseXor"), lambda n, x, y: x ^ y),
}
_COMPARISONS = {"Equal": "eq", "Less": "lt", "LessOrEqual": "le", "Greater": "gt", "GreaterOrEqual": "ge"}


def _second(node: Node) -> Value:
    """The second operand; before version 7 it was aligned at `axis`, and the slopes of PRelu at the channels."""
    x, y = node.input(0), node.input(1)
    if node.op_type == "PRelu" and node.version < 7 and y.rank == 1 and y.shape != (1,):
        return reshape(y, [*y.sizes, *[1] * (x.rank - 2)])
    if node.version < 7 and node.attribute("broadcast", 0) and "axis" in node.attributes:
        behind = x.rank - node.axis(x.rank) - y.rank
        return reshape(y, [*y.sizes, *[1] * behind])
    return y


def _pair(name: str) -> Callable[[Node], Value]:
    body = _PAIRS[name]

    def lower(node: Node) -> Value:
        x, y = node.input(0), _second(node)
        known = _on_elements(name, x, y)
        return known or elementwise(x.dtype, [x, y], lambda a, b: body(node, a, b))

    return lower


def _on_elements(name: str, x: Value, y: Value) -> Value | None:
    """The result for small tensors of sizes, some known at run time only, as index arithmetic."""
    from mlir.dialects import arith

    from ....dialects.support.index_math import add, as_value, multiply, subtract

    left, right = x.known_elements, y.known_elements
    table = {"Add": add, "Sub": subtract, "Mul": multiply, "Div": lambda a, b: arith.divsi(as_value(a), as_value(b))}
    if left is None or right is None or name not in table:
        return None
    operate = np.frompyfunc(table[name], 2, 1)
    return Value(x.dtype, elements=np.asarray(operate(left, right), object))


for _name in _PAIRS:
    lowers(_name)(_pair(_name))


def _comparison(name: str) -> Callable[[Node], Value]:
    predicate = _COMPARISONS[name]
    return lambda node: elementwise(BOOL, [node.input(0), _second(node)], lambda a, b: a.compare(predicate, b))


for _name in _COMPARISONS:
    lowers(_name)(_comparison(_name))


@lowers("Pow")
def _power(node: Node) -> Value:
    base, exponent = node.input(0), node.input(1)
    wide = base.dtype if is_float(base.dtype) else np.dtype(np.float64)
    if is_float(base.dtype) and exponent.constant is not None and exponent.constant.size == 1:
        number = float(exponent.constant.reshape(-1)[0])
        if number in {0.5, 1.0, 2.0, 3.0}:
            return elementwise(base.dtype, [base, exponent], lambda x, _: _small_power(x, number))
    if kind(base.dtype) in "iu" and kind(exponent.dtype) in "iu":
        return elementwise(base.dtype, [base, exponent], _integer_power)
    return elementwise(base.dtype, [base, exponent], lambda x, y: x.to(wide).power(y.to(wide)).to(base.dtype))


def _small_power(x: TypedScalar, number: float) -> TypedScalar:
    if number == 0.5:
        return x.math("sqrt")
    return x if number == 1 else x * x if number == 2 else x * x * x


def _integer_power(x: TypedScalar, y: TypedScalar) -> TypedScalar:
    from mlir.dialects import math as math_ops

    wide = np.dtype(np.int64)
    return TypedScalar(math_ops.ipowi(x.to(wide).value, y.to(wide).value), wide).to(x.dtype)


def _folded(name: str, body: Callable[[TypedScalar, TypedScalar], TypedScalar]) -> None:
    def lower(node: Node) -> Value:
        values = node.tensors
        result = values[0] if len(values) == 1 else elementwise(values[0].dtype, values, lambda *e: _chain(body, e))
        if name != "Mean":
            return result
        return elementwise(result.dtype, [result], lambda x: x / len(values))

    lowers(name)(lower)


def _chain(body: Callable[[TypedScalar, TypedScalar], TypedScalar], elements: tuple[TypedScalar, ...]) -> TypedScalar:
    result = elements[0]
    for element in elements[1:]:
        result = body(result, element)
    return result


for _name, _body in (("Max", greatest), ("Min", least), ("Sum", lambda x, y: x + y), ("Mean", lambda x, y: x + y)):
    _folded(_name, _body)


@lowers("Where")
def _where(node: Node) -> Value:
    condition, x, y = node.tensors
    return elementwise(x.dtype, [condition, x, y], choose)


@lowers("Clip")
def _clip(node: Node) -> Value:
    x = node.input()
    low = node.inputs[1] if node.has(1) else node.attribute("min")
    high = node.inputs[2] if node.has(2) else node.attribute("max")
    limits = [limit for limit in (low, high) if isinstance(limit, Value)]

    def body(e: TypedScalar, *given: TypedScalar) -> TypedScalar:
        rest = list(given)
        for limit, bounded in ((low, greatest), (high, least)):
            if limit is not None:
                e = bounded(e, rest.pop(0) if isinstance(limit, Value) else limit)
        return e

    return elementwise(x.dtype, [x, *limits], body)


@lowers("IsNaN")
def _is_nan(node: Node) -> Value:
    return elementwise(BOOL, [node.input()], TypedScalar.is_nan)


@lowers("IsInf")
def _is_infinite(node: Node) -> Value:
    def body(x: TypedScalar) -> TypedScalar:
        positive, negative = node.attribute("detect_positive", 1), node.attribute("detect_negative", 1)
        found = constant(False, BOOL)
        if positive:
            found = found | x.equals(np.inf)
        return found | x.equals(-np.inf) if negative else found

    return elementwise(BOOL, [node.input()], body)


@lowers("Cast")
def _cast(node: Node) -> Value:
    return _converted(node, dtype_of(node.attribute("to")))


@lowers("CastLike")
def _cast_like(node: Node) -> Value:
    return _converted(node, node.input(1).dtype)


def _converted(node: Node, dtype: DType) -> Value:
    x = node.input(0)
    if x.dtype == dtype:
        return Value(dtype, x.ssa, name=x.name)
    if is_narrow_float(dtype) and node.attribute("saturate", 1):
        wide = F32 if x.dtype == F32 or bits(x.dtype) <= 16 else np.dtype(np.float64)  # Rounded once.
        return elementwise(dtype, [x], lambda e: saturated(e.to(wide), dtype))
    return cast_to(x, dtype)


@lowers("BitCast")
def _bit_cast(node: Node) -> Value:
    from mlir.dialects import tensor

    from .structured import tensor_type

    x, dtype = node.input(), dtype_of(node.attribute("to"))
    if BOOL in (x.dtype, dtype):
        return cast_to(x, dtype)
    if bits(x.dtype) != bits(dtype):
        return NotImplemented
    return Value(dtype, tensor.bitcast(tensor_type(x.shape, dtype), x.ssa))


@lowers("Identity")
def _identity(node: Node) -> Any:
    return node.inputs[0]


@lowers("Dropout")
def _dropout(node: Node) -> Any:
    x = node.input()
    ratio = node.inputs[1] if node.has(1) else None
    training = node.inputs[2] if node.has(2) else None
    if training is not None:
        on = node.input(2).require_constant(f"'training_mode' of {node}")
        off = ratio is not None and not node.input(1).require_constant(f"'ratio' of {node}").any()
        if on.any() and not off:
            return NotImplemented
    from .structured import fill

    mask_type = BOOL if node.version >= 10 else x.dtype
    return (x, fill(x.sizes, mask_type, True)) if len(node.output_names) > 1 else x
