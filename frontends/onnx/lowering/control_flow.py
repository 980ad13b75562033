"""If, Loop and Scan, as ops of scf."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import scf

from ....dialects.support.index_math import Number, as_value
from .graph import Node, Result, lowers, stated
from .scalars import INDEX, Scalar, constant
from .structured import cast_tensor, else_of, empty, extract, insert_slice, reshape, slice_of
from .values import NeedsConstantError, UnsupportedOnnxError, Value, tensor_type

BOOL, I64 = np.dtype(np.bool_), np.dtype(np.int64)


def _body(node: Node, proto: Any, inputs: Sequence[Result]) -> list[Value]:
    """The outputs of a subgraph, each a tensor."""
    graph = node.subgraph()
    results = graph.lower_graph(proto, inputs)
    for result in results:
        if not isinstance(result, Value):
            raise UnsupportedOnnxError(
                f"the body of {node} gives a sequence or an optional value; only tensors are supported"
            )
    return [stated(output, result) for output, result in zip(proto.output, results, strict=True)]


def _merged(left: Sequence[int | None], right: Sequence[int | None], node: Node) -> list[int | None]:
    if len(left) != len(right):
        raise NeedsConstantError(f"{node} gives tensors of rank {len(left)} or {len(right)}: it needs a constant", "")
    return [a if a == b else None for a, b in zip(left, right, strict=True)]


@lowers("If")
def _if(node: Node) -> Any:
    condition = reshape(node.input(), [])
    branches = [node.attribute("then_branch"), node.attribute("else_branch")]
    if condition.constant is not None:
        graph = node.subgraph()
        return tuple(graph.lower_graph(branches[0 if condition.constant.item() else 1], []))
    chosen = extract(condition, [])
    shapes = [_tried(node, branch, []) for branch in branches]
    kinds = [dtype for dtype, _ in shapes[0]]
    merged = [_merged(a, b, node) for (_, a), (_, b) in zip(*shapes, strict=True)]
    types = [tensor_type(shape, dtype) for shape, dtype in zip(merged, kinds, strict=True)]
    op = scf.IfOp(chosen.value, types, has_else=True)
    for block, proto in zip((op.then_block, else_of(op)), branches, strict=True):
        with ir.InsertionPoint(block):
            results = _body(node, proto, [])
            scf.YieldOp([cast_tensor(r, shape).ssa for r, shape in zip(results, merged, strict=True)])
    return tuple(Value(dtype, result) for dtype, result in zip(kinds, op.results, strict=True))


Kind = tuple[Any, tuple["int | None", ...]]
"""The element type and the sizes of a tensor."""


def _tried(node: Node, proto: Any, inputs: Sequence[Kind]) -> list[Kind]:
    """What a subgraph gives for inputs of these kinds: it is lowered into a block that is erased."""
    scratch = scf.ExecuteRegionOp([])
    block = scratch.regions[0].blocks.append(*(tensor_type(shape, dtype) for dtype, shape in inputs))
    with ir.InsertionPoint(block):
        given = [Value(dtype, a) for (dtype, _), a in zip(inputs, block.arguments, strict=True)]
        found = [(value.dtype, value.shape) for value in _body(node, proto, given)]
    scratch.operation.erase()
    return found


def _settled(node: Node, first: Sequence[Kind], body: Callable[[Sequence[Kind]], Sequence[Kind]]) -> list[Kind]:
    """The kinds of carried tensors: sizes that an iteration changes are dynamic."""
    kinds = list(first)
    for _ in range(1 + sum(len(shape) for _, shape in kinds)):
        after = body(kinds)
        merged = [(d, tuple(_merged(a, b, node))) for (d, a), (_, b) in zip(kinds, after, strict=True)]
        if merged == kinds:
            break
        kinds = merged
    return kinds


def _scalar_condition(value: Value | None) -> Scalar:
    return constant(True, BOOL) if value is None else extract(reshape(value, []), [])


@lowers("Loop")
def _loop(node: Node) -> Any:
    trips = node.input(0) if node.has(0) else None
    start = node.input(1) if node.has(1) else None
    carried = [node.input(number) for number in range(2, len(node.inputs))]
    proto = node.attribute("body")
    scanned = len(proto.output) - 1 - len(carried)

    def once(kinds: Sequence[Kind]) -> list[Kind]:
        return _tried(node, proto, [(I64, ()), (BOOL, ()), *kinds])

    first = [(value.dtype, value.shape) for value in carried]
    kinds = _settled(node, first, lambda now: once(now)[1 : 1 + len(carried)])
    rows = once(kinds)[1 + len(carried) :]
    if trips is None and scanned:
        raise UnsupportedOnnxError(f"{node} collects rows and has no trip count: how many there are is not known")
    limit = constant(np.iinfo(np.int64).max, INDEX) if trips is None else extract(reshape(trips, []), []).to(INDEX)
    begin = _scalar_condition(start)
    inits = [cast_tensor(v, shape) for v, (_, shape) in zip(carried, kinds, strict=True)]
    collected = [_collector(limit.value, trips, kind) for kind in rows]
    state = [Scalar(as_value(0), INDEX).value, begin.value, *(v.ssa for v in (*inits, *collected))]
    types = [value.type for value in state]
    op = scf.WhileOp(types, state)
    before = op.before.blocks.append(*types)
    with ir.InsertionPoint(before):
        number, condition = Scalar(before.arguments[0], INDEX), Scalar(before.arguments[1], BOOL)
        scf.ConditionOp(((number < limit) & condition).value, list(before.arguments))
    after = op.after.blocks.append(*types)
    with ir.InsertionPoint(after):
        number = Scalar(after.arguments[0], INDEX)
        given = [_rank_zero(number.to(I64)), _rank_zero(Scalar(after.arguments[1], BOOL))]
        given += [Value(d, a) for (d, _), a in zip(kinds, after.arguments[2:], strict=False)]
        found = _body(node, proto, given)
        tables = [Value(d, a) for (d, _), a in zip(rows, after.arguments[2 + len(kinds) :], strict=True)]
        kept = [cast_tensor(v, s) for v, (_, s) in zip(found[1:], kinds, strict=False)]
        filled = [_put(v, t, number.value) for v, t in zip(found[1 + len(kinds) :], tables, strict=True)]
        following = _scalar_condition(found[0])
        scf.YieldOp([(number + 1).value, following.value, *(v.ssa for v in (*kept, *filled))])
    results = list(op.results)
    finals = [Value(d, r) for (d, _), r in zip(kinds, results[2:], strict=False)]
    tables = [Value(d, r) for (d, _), r in zip(rows, results[2 + len(kinds) :], strict=True)]
    return tuple(finals + [_used(t, results[0]) for t in tables])


def _rank_zero(scalar: Scalar) -> Value:
    from mlir.dialects import tensor

    return Value(scalar.dtype, tensor.from_elements(tensor_type((), scalar.dtype), [scalar.value]))


def _collector(limit: ir.Value, trips: Value | None, kind: Kind) -> Value:
    """Room for a row of each iteration."""
    dtype, shape = kind
    if None in shape:
        raise UnsupportedOnnxError("a loop collects rows whose sizes are not known before it runs")
    count: Number = limit
    if trips is not None and trips.constant is not None:
        count = max(int(trips.constant.reshape(-1)[0]), 0)
    return Value(dtype, empty([count, *[size for size in shape if size is not None]], dtype))


def _put(row: Value, table: Value, number: Number) -> Value:
    return insert_slice(reshape(row, [1, *row.sizes]), table, [number, *[0] * row.rank])


def _used(table: Value, count: ir.Value) -> Value:
    """The rows that were collected."""
    return slice_of(table, [0] * table.rank, [count, *table.sizes[1:]])


@lowers("Scan")
def _scan(node: Node) -> Any:
    if node.version < 9:
        raise UnsupportedOnnxError(
            f"{node} of operator set {node.version} is not supported; version 9 or later is needed"
        )
    proto, count = node.attribute("body"), node.attribute("num_scan_inputs")
    values = node.tensors
    states, inputs = values[: len(values) - count], values[len(values) - count :]
    axes = [a % v.rank for a, v in zip(node.attribute("scan_input_axes") or [0] * count, inputs, strict=True)]
    backwards = node.attribute("scan_input_directions") or [0] * count
    trips = inputs[0].sizes[axes[0]]
    outputs = len(proto.output) - len(states)
    out_axes = node.attribute("scan_output_axes") or [0] * outputs
    out_backwards = node.attribute("scan_output_directions") or [0] * outputs
    row_kinds: list[Kind] = [
        (v.dtype, tuple(s for d, s in enumerate(v.shape) if d != a)) for v, a in zip(inputs, axes, strict=True)
    ]
    first = [(v.dtype, v.shape) for v in states]
    kinds = _settled(node, first, lambda now: _tried(node, proto, [*now, *row_kinds])[: len(states)])
    rows = _tried(node, proto, [*kinds, *row_kinds])[len(states) :]
    tables = [_table(trips, kind, axis) for kind, axis in zip(rows, out_axes, strict=True)]
    inits = [cast_tensor(v, s) for v, (_, s) in zip(states, kinds, strict=True)]
    last = Scalar(as_value(trips), INDEX) - 1
    op = scf.ForOp(as_value(0), as_value(trips), as_value(1), [v.ssa for v in (*inits, *tables)])
    with ir.InsertionPoint(op.body):
        number = Scalar(op.induction_variable, INDEX)
        carried = list(op.inner_iter_args)
        given = [Value(d, a) for (d, _), a in zip(kinds, carried, strict=False)]
        given += [
            _row(v, axis, last - number if back else number)
            for v, axis, back in zip(inputs, axes, backwards, strict=True)
        ]
        found = _body(node, proto, given)
        kept = [cast_tensor(v, s) for v, (_, s) in zip(found, kinds, strict=False)]
        into = [Value(d, a) for (d, _), a in zip(rows, carried[len(states) :], strict=True)]
        filled = [
            _put_at(v, t, a, last - number if back else number)
            for v, t, a, back in zip(found[len(states) :], into, out_axes, out_backwards, strict=True)
        ]
        scf.YieldOp([v.ssa for v in (*kept, *filled)])
    return tuple(Value(d, r) for (d, _), r in zip([*kinds, *rows], op.results, strict=True))


def _table(trips: Number, kind: Kind, axis: int) -> Value:
    dtype, shape = kind
    if None in shape:
        raise UnsupportedOnnxError("a scan collects rows whose sizes are not known before it runs")
    sizes: list[Number] = [size for size in shape if size is not None]
    at = axis % (len(sizes) + 1)
    return Value(dtype, empty([*sizes[:at], trips, *sizes[at:]], dtype))


def _row(value: Value, axis: int, number: Scalar) -> Value:
    """The slice at an index of a dimension, without that dimension."""
    offsets: list[Number] = [number.value if d == axis else 0 for d in range(value.rank)]
    sizes = value.sizes
    part = slice_of(value, offsets, [*sizes[:axis], 1, *sizes[axis + 1 :]])
    return reshape(part, [*sizes[:axis], *sizes[axis + 1 :]])


def _put_at(row: Value, table: Value, axis: int, number: Scalar) -> Value:
    at = axis % table.rank
    offsets: list[Number] = [number.value if d == at else 0 for d in range(table.rank)]
    sizes = row.sizes
    return insert_slice(reshape(row, [*sizes[:at], 1, *sizes[at:]]), table, offsets)
