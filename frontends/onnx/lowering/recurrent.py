"""RNN, GRU and LSTM: a loop over time that carries the state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import Number, as_value, multiply
from .contractions import matmul
from .elementwise import logistic
from .graph import Node, lowers
from .movement import concat, pieces
from .scalars import INDEX, TypedScalar, choose, greatest, least
from .structured import cast_tensor, elementwise, empty, fill, for_loop, insert_slice, reshape, slice_of, transpose
from .values import UnsupportedOnnxError, Value

_ACTIVATIONS: dict[str, Callable[[TypedScalar, float, float], TypedScalar]] = {
    "sigmoid": lambda x, a, b: logistic(x),
    "tanh": lambda x, a, b: x.math("tanh"),
    "relu": lambda x, a, b: greatest(x, 0.0),
    "affine": lambda x, a, b: x * a + b,
    "leakyrelu": lambda x, a, b: choose(x < 0, x * a, x),
    "thresholdedrelu": lambda x, a, b: choose(x >= a, x, 0.0),
    "scaledtanh": lambda x, a, b: (x * b).math("tanh") * a,
    "hardsigmoid": lambda x, a, b: least(greatest(x * a + b, 0.0), 1.0),
    "elu": lambda x, a, b: choose(x < 0, x.math("expm1") * a, x),
    "softsign": lambda x, a, b: x / (1.0 + x.absolute()),
    "softplus": lambda x, a, b: (1.0 + x.math("exp")).math("log"),
}
_DEFAULT_ALPHA = {
    "leakyrelu": 0.01,
    "thresholdedrelu": 1.0,
    "hardsigmoid": 0.2,
    "elu": 1.0,
    "affine": 1.0,
    "scaledtanh": 1.0,
}
_DEFAULT_BETA = {"hardsigmoid": 0.5, "scaledtanh": 1.0}
_DEFAULTS = {"RNN": ["tanh"], "GRU": ["sigmoid", "tanh"], "LSTM": ["sigmoid", "tanh", "tanh"]}
_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}

Activation = Callable[[TypedScalar], TypedScalar]


def _activations(node: Node) -> list[list[Activation]]:
    """The activation functions of each direction."""
    per = _DEFAULTS[node.op_type]
    directions = 2 if node.attribute("direction", "forward") == "bidirectional" else 1
    given = [n.decode() if isinstance(n, bytes) else n for n in node.attribute("activations") or per * directions]
    alphas, betas = list(node.attribute("activation_alpha") or []), list(node.attribute("activation_beta") or [])
    clip = node.attribute("clip")

    def bound(name: str) -> Activation:
        name = name.lower()
        if name not in _ACTIVATIONS:
            raise UnsupportedOnnxError(f"activation {name!r} of {node} is not supported")
        alpha = alphas.pop(0) if name in _DEFAULT_ALPHA and alphas else _DEFAULT_ALPHA.get(name, 0.0)
        beta = betas.pop(0) if name in (*_DEFAULT_BETA, "affine") and betas else _DEFAULT_BETA.get(name, 0.0)
        function = _ACTIVATIONS[name]
        if clip is None:
            return lambda x: function(x, alpha, beta)
        return lambda x: function(least(greatest(x, -clip), clip), alpha, beta)

    functions = [bound(name) for name in given]
    return [functions[d * len(per) : (d + 1) * len(per)] for d in range(directions)]


@frozen
class Cell:
    """One direction: what is multiplied with the state, the bias of that, peepholes, activations, hidden size."""

    recurrent: Value
    recurrent_bias: Value | None
    peepholes: list[Value]
    functions: list[Activation]
    hidden: Number


def _of_direction(value: Value, direction: int) -> Value:
    part = slice_of(value, [direction, *[0] * (value.rank - 1)], [1, *value.sizes[1:]])
    return reshape(part, value.sizes[1:])


def _gate(x: Value, number: int, hidden: Number) -> Value:
    """The columns of one gate."""
    return slice_of(x, [0, multiply(hidden, number)], [x.sizes[0], hidden])


def _rnn_step(cell: Cell, x: Value, state: list[Value]) -> list[Value]:
    total = matmul(state[0], cell.recurrent, x.dtype)
    return [elementwise(x.dtype, [x, total], lambda a, b: cell.functions[0](a + b))]


def _lstm_step(cell: Cell, x: Value, state: list[Value], *, coupled: bool) -> list[Value]:
    h, c = state
    f, g, last = cell.functions
    total = matmul(h, cell.recurrent, x.dtype)
    gates = [v for number in range(4) for v in (_gate(x, number, cell.hidden), _gate(total, number, cell.hidden))]
    i1, i2, o1, o2, f1, f2, c1, c2 = gates
    holes = cell.peepholes

    def inner(old: TypedScalar, *parts: TypedScalar) -> TypedScalar:
        a, b, p, q, r, s, *hole = parts
        entry, forget = a + b, p + q
        if hole:
            entry, forget = entry + hole[0] * old, forget + hole[1] * old
        entry = f(entry)
        kept = 1.0 - entry if coupled else f(forget)
        return kept * old + entry * g(r + s)

    new = elementwise(x.dtype, [c, i1, i2, f1, f2, c1, c2, *([holes[0], holes[2]] if holes else [])], inner)

    def outer(cell_state: TypedScalar, a: TypedScalar, b: TypedScalar, *hole: TypedScalar) -> TypedScalar:
        total = a + b + hole[0] * cell_state if hole else a + b
        return f(total) * last(cell_state)

    return [elementwise(x.dtype, [new, o1, o2, *holes[1:2]], outer), new]


def _gru_step(cell: Cell, x: Value, state: list[Value], *, linear: bool) -> list[Value]:
    h = state[0]
    f, g = cell.functions
    hidden, dtype = cell.hidden, x.dtype
    gates = slice_of(cell.recurrent, [0, 0], [hidden, multiply(hidden, 2)])
    candidate = slice_of(cell.recurrent, [0, multiply(hidden, 2)], [hidden, hidden])
    total = matmul(h, gates, dtype)
    update = elementwise(dtype, [_gate(x, 0, hidden), _gate(total, 0, hidden)], lambda a, b: f(a + b))
    reset = elementwise(dtype, [_gate(x, 1, hidden), _gate(total, 1, hidden)], lambda a, b: f(a + b))
    extra = [cell.recurrent_bias] if cell.recurrent_bias is not None else []
    if linear:
        inner = matmul(h, candidate, dtype)
        parts = [_gate(x, 2, hidden), inner, reset, *extra]
        new = elementwise(dtype, parts, lambda a, b, r, *c: g(a + r * (b + c[0] if c else b)))
    else:
        inner = matmul(elementwise(dtype, [reset, h], lambda r, e: r * e), candidate, dtype)
        new = elementwise(dtype, [_gate(x, 2, hidden), inner, *extra], lambda a, b, *c: g(a + b + c[0] if c else a + b))
    return [elementwise(dtype, [update, new, h], lambda z, n, e: (1.0 - z) * n + z * e)]


def _step(node: Node, cell: Cell) -> Callable[[Value, list[Value]], list[Value]]:
    if node.op_type == "RNN":
        return lambda x, state: _rnn_step(cell, x, state)
    if node.op_type == "LSTM":
        coupled = bool(node.attribute("input_forget", 0))
        return lambda x, state: _lstm_step(cell, x, state, coupled=coupled)
    linear = bool(node.attribute("linear_before_reset", 0))
    return lambda x, state: _gru_step(cell, x, state, linear=linear)


def _cell(node: Node, direction: int, functions: list[Activation]) -> tuple[Cell, Value, Value | None]:
    """The cell of a direction, the weights of its input, turned, and what is added to that product."""
    hidden: Number = node.attribute("hidden_size") or node.input(2).sizes[-1]
    gates = _GATES[node.op_type]
    weights = transpose(_of_direction(node.input(1), direction), [1, 0])
    recurrent = transpose(_of_direction(node.input(2), direction), [1, 0])
    bias: Value | None = None
    separate: Value | None = None
    if node.has(3):
        both = _of_direction(node.input(3), direction)
        width = multiply(hidden, gates)
        first, second = pieces(both, 0, [width, width])
        if node.op_type == "GRU":
            front, separate = pieces(second, 0, [multiply(hidden, 2), hidden])
            second = concat([front, fill([hidden], front.dtype, 0)], 0)
        bias = elementwise(first.dtype, [first, second], lambda a, b: a + b)
    holes = pieces(_of_direction(node.input(7), direction), 0, [hidden] * 3) if node.has(7) else []
    return Cell(recurrent, separate, holes, functions, hidden), weights, bias


def _run(node: Node, x: Value, cell: Cell, states: list[Value], *, backwards: bool) -> list[Value]:
    """The states of all times, then the last ones; `x` is [time, batch, gates]."""
    lengths = node.input(4) if node.has(4) else None
    step = _step(node, cell)
    time, batch, _ = x.sizes
    last = TypedScalar(as_value(time), INDEX) - 1
    table = Value(x.dtype, empty([time, batch, cell.hidden], x.dtype))

    def body(number: TypedScalar, carried: list[Value]) -> Sequence[Value]:
        *state, into = carried
        place = last - number if backwards else number
        row = reshape(slice_of(x, [place.value, 0, 0], [1, *x.sizes[1:]]), x.sizes[1:])
        new = [cast_tensor(n, s.shape) for n, s in zip(step(row, state), state, strict=True)]
        shown = new[0]
        if lengths is not None:
            column = reshape(lengths, [*lengths.sizes, 1])
            new = [
                elementwise(n.dtype, [column, n, o], lambda e, a, b: choose(place.to(e.dtype) < e, a, b))
                for n, o in zip(new, state, strict=True)
            ]
            shown = elementwise(x.dtype, [column, shown], lambda e, a: choose(place.to(e.dtype) < e, a, 0.0))
        return [*new, insert_slice(reshape(shown, [1, *shown.sizes]), into, [place.value, 0, 0])]

    *final, table = for_loop(time, [*states, table], body)
    return [table, *final]


@lowers("RNN", "GRU", "LSTM")
def _recurrent(node: Node) -> Any:
    x = node.input()
    turned = node.attribute("layout", 0)
    if turned:
        x = transpose(x, [1, 0, 2])
    time, batch, width = x.sizes
    mode = node.attribute("direction", "forward")
    state_inputs = [5, 6] if node.op_type == "LSTM" else [5]
    found: list[list[Value]] = []
    for direction, functions in enumerate(_activations(node)):
        cell, weights, bias = _cell(node, direction, functions)
        flat = matmul(reshape(x, [multiply(time, batch), width]), weights, x.dtype)
        if bias is not None:
            flat = elementwise(x.dtype, [flat, bias], lambda a, b: a + b)
        products = reshape(flat, [time, batch, flat.sizes[1]])
        states: list[Value] = []
        for number in state_inputs:
            if node.has(number):
                given = node.input(number)
                states.append(_of_direction(transpose(given, [1, 0, 2]) if turned else given, direction))
            else:
                states.append(fill([batch, cell.hidden], x.dtype, 0))
        backwards = mode == "reverse" or direction == 1
        found.append(_run(node, products, cell, states, backwards=backwards))
    tables, *finals = ([parts[n] for parts in found] for n in range(1 + len(state_inputs)))
    whole = concat([reshape(t, [t.sizes[0], 1, *t.sizes[1:]]) for t in tables], 1)
    ends = [concat([reshape(s, [1, *s.sizes]) for s in states], 0) for states in finals]
    if turned:
        return (transpose(whole, [2, 0, 1, 3]), *(transpose(e, [1, 0, 2]) for e in ends))
    return (whole, *ends)
