"""A sharded program beside the whole one: every rank is run by the evaluator, in one process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from ...dialects.support.shard_layout import ShardLayout
from ...passes.framework.contract import WHOLE_TYPE
from ...passes.framework.shard_attributes import read_grid, read_layout
from ..evaluator import Evaluation, EvaluationError, evaluate_ranks

__all__ = ["evaluate_sharded", "layouts"]


def layouts(module: ir.Module, name: str) -> tuple[list[ShardLayout | None], list[ShardLayout | None]]:
    """How arguments and results of a function of a partitioned module lie on the grid; None where they are whole."""
    grid = read_grid(module.operation)
    if grid is None:
        raise EvaluationError("the module is not partitioned; run inplace-shard")
    function = next(op for op in module.body.operations if _name(op.operation) == name).operation
    return _read(function, "arg_attrs", grid), _read(function, "res_attrs", grid)


def evaluate_sharded(module: ir.Module, name: str, arguments: Sequence[Any]) -> tuple[list[Any], list[Evaluation]]:
    """Run function `name` of a partitioned module on all ranks, with whole arguments.

    Returns the whole results, put together from shards, and the evaluation of each rank. An element that several ranks
    hold must be the same on all of them.
    """
    with module.context:
        given, returned = layouts(module, name)
        grid = read_grid(module.operation)
        assert grid is not None
        ranks = int(np.prod(grid))
        pairs = list(zip(arguments, given or [None] * len(arguments), strict=True))
        local = [[_part(value, layout, rank) for value, layout in pairs] for rank in range(ranks)]
        found = evaluate_ranks(module, name, local)
        count = len(found[0].results)
        shapes = _whole_shapes(module, name, count)
        padded = [*returned, *[None] * (count - len(returned))]
        results = [
            _together([one.results[number] for one in found], padded[number], shapes[number], number)
            for number in range(count)
        ]
        return results, found


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value if "sym_name" in op.attributes else ""


def _entries(function: ir.Operation, attribute: str) -> list[Any]:
    return list(ir.ArrayAttr(function.attributes[attribute])) if attribute in function.attributes else []


def _read(function: ir.Operation, attribute: str, grid: tuple[int, ...]) -> list[ShardLayout | None]:
    found: list[ShardLayout | None] = []
    for entry in _entries(function, attribute):
        whole = entry[WHOLE_TYPE].value if WHOLE_TYPE in entry else None
        found.append(None if whole is None else read_layout(entry, grid, ir.RankedTensorType(whole).rank))
    return found


def _whole_shapes(module: ir.Module, name: str, count: int) -> list[Any]:
    function = next(op for op in module.body.operations if _name(op.operation) == name).operation
    shapes = [
        tuple(ir.RankedTensorType(entry[WHOLE_TYPE].value).shape) if WHOLE_TYPE in entry else None
        for entry in _entries(function, "res_attrs")
    ]
    return shapes or [None] * count


def _part(value: Any, layout: ShardLayout | None, rank: int) -> Any:
    """A rank's own copy of its part of an argument."""
    if layout is None:
        return value.copy() if isinstance(value, np.ndarray) else value
    local = np.zeros(layout.local_shape(rank, value.shape), value.dtype)
    reach = tuple(
        slice(owned.start - before, owned.stop + after)
        for owned, (before, after) in zip(layout.owned(rank, value.shape), layout.halo, strict=True)
    )
    inside = tuple(slice(max(s.start, 0), min(s.stop, size)) for s, size in zip(reach, value.shape, strict=True))
    places = tuple(slice(i.start - s.start, i.stop - s.start) for i, s in zip(inside, reach, strict=True))
    local[places] = value[inside]
    return local


def _together(parts: Sequence[Any], layout: ShardLayout | None, shape: Any, number: int) -> Any:
    """The whole of the parts of all ranks; what several of them hold must be equal."""
    if layout is None:
        for rank, part in enumerate(parts):
            if not np.array_equal(parts[0], part, equal_nan=_is_float(part)):
                raise EvaluationError(f"result {number} is replicated, but rank {rank} has other values than rank 0")
        return parts[0]
    # What is not split has the size that every rank has.
    shape = tuple(own if size < 0 else size for size, own in zip(shape, parts[0].shape, strict=True))
    found = np.zeros(shape, parts[0].dtype)
    written = np.zeros(shape, np.bool_)
    for rank, part in enumerate(parts):
        place = layout.owned(rank, shape)
        own = part[layout.inside(rank, shape)]
        if written[place].all() and own.size and not np.array_equal(found[place], own, equal_nan=_is_float(own)):
            raise EvaluationError(f"a part of result {number} is on several ranks, but rank {rank} has other values")
        found[place], written[place] = own, True
    if not written.all():
        raise EvaluationError(f"a part of result {number} is on no rank")
    return found


def _is_float(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "fc"
