"""A program split over ranks beside the whole one: `inplace-check --ranks`."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import func

from ...passes.analysis.ir.traversal import find_ops
from ...passes.framework.contract import GRID
from ...passes.framework.shard_attributes import read_grid
from ...passes.pipeline.pipeline import run_pipeline
from ...runtime.interface.signature_reading import read_signature
from ...runtime.source.parsing import private_copy
from ..evaluator import EvaluationError, evaluate
from .inputs import Demands, InputMaker
from .outcomes import differs
from .random_shardings import annotate_at_random, random_grid
from .sharded import evaluate_sharded

__all__ = ["check_on_ranks"]

_SHARD = "builtin.module(inplace-shard)"
_BUFFERIZE = """builtin.module(inplace-canonicalize,cse,inplace-convert-to-destination-style,
    inplace-one-shot-bufferize{bufferize-function-boundaries=true},inplace-canonicalize,cse,inplace-receive-in-place,
    inplace-pack-messages)"""


def check_on_ranks(
    module: ir.Module, ranks: int, names: Sequence[str] | None, *, seed: int, rounds: int, tolerance: float
) -> tuple[list[str], int]:
    """Compare what so many ranks compute together with what the program computes, in the evaluator.

    Both on tensors and, bufferized, on memrefs. A program with annotations is split as they say, any other one at
    random. Returns a line for each difference, and how many comparisons were made.

    Raises:
        ValueError: the program is annotated for a grid of another size, or is that of one rank already.
    """
    with module.context:
        if GRID in module.operation.attributes:
            raise ValueError(
                f"the program is that of one rank ({GRID} is set), so there is no whole one to compare with; give the "
                f"annotated program before inplace-shard, or run it: mpiexec -n {ranks} inplace-run --grid …"
            )
        grids = [tuple(op.attributes["shape"]) for op in find_ops(module.operation, "shard.grid")]
        if grids and prod(grids[0]) != ranks:
            raise ValueError(f"the program is for a grid of {list(grids[0])}, which is not of {ranks} ranks")
        found: list[str] = []
        made = 0
        for name in _functions(module, names):
            for number in range(rounds):
                difference = _compare(module, name, ranks, seed, number, tolerance)
                if difference is not None:
                    made += 1
                    found += [f"{name}: {difference}"] if difference else []
        return found, made


def _functions(module: ir.Module, names: Sequence[str] | None) -> list[str]:
    """The public functions of one block, or the named ones."""
    public = [
        ir.StringAttr(op.operation.attributes["sym_name"]).value
        for op in module.body.operations
        if op.operation.name == "func.func"
        and "sym_visibility" not in op.operation.attributes
        and len(op.operation.regions[0].blocks) == 1
    ]
    return public if names is None else list(names)


def _compare(module: ir.Module, name: str, ranks: int, seed: int, number: int, tolerance: float) -> str | None:
    """What differs, or nothing; None if the inputs are none for the program."""
    chosen = random.Random(f"{seed} {name} {number}")
    split = private_copy(module)
    function = next(op for op in split.body.operations if _is_called(op.operation, name))
    assert isinstance(function, func.FuncOp)
    inputs = InputMaker(read_signature(function), seed).make(number, 0, Demands())
    try:
        wanted = evaluate(module, name, _own(inputs)).results
    except EvaluationError:
        return None
    grid = random_grid(ranks, chosen)
    if not find_ops(split.operation, "shard.grid"):
        annotate_at_random(function.operation, grid, chosen)
    run_pipeline(split, _SHARD)
    if GRID not in split.operation.attributes:
        return None
    told = f"on a grid of {list(read_grid(split.operation) or ())}, round {number}"
    for form, pipeline in (("tensors", ""), ("memrefs", _BUFFERIZE)):
        if pipeline:
            run_pipeline(split, pipeline)
        try:
            results, _ = evaluate_sharded(split, name, _own(inputs))
        except EvaluationError as error:
            return f"{told}, on {form}: {error}"
        for place, (one, other) in enumerate(zip(wanted, results, strict=True)):
            if difference := _difference(other, one, tolerance):
                return f"{told}, on {form}: result {place} {difference}"
    return ""


def _is_called(op: ir.Operation, name: str) -> bool:
    return op.name == "func.func" and ir.StringAttr(op.attributes["sym_name"]).value == name


def _own(inputs: Sequence[Any]) -> list[Any]:
    return [value.copy() if isinstance(value, np.ndarray) else value for value in inputs]


def _difference(found: Any, wanted: Any, tolerance: float) -> str:
    """How a result differs, in words; empty if only as sums in another order do, relative to the largest element."""
    a, b = np.asarray(found), np.asarray(wanted)
    if a.dtype != b.dtype:
        return f"has elements of {a.dtype} where {b.dtype} is right"
    least = 1e-2 if b.dtype.itemsize <= 2 else 1e-5
    return differs(a, b, np.ones(b.shape, bool), max(tolerance, least))
