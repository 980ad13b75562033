"""What a memref program does instead of what it should: results, arguments and memory, compared after a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir

from mlir_inplace.checking.evaluator import Evaluation, EvaluationError, evaluate, evaluate_ranks
from mlir_inplace.runtime.interface.dtypes import element_type

_RANKS = 2
"""How many ranks run a program that is for several."""


class Unusable(Exception):
    """The program says nothing about rules: it is refused, or cannot be evaluated."""


@dataclass(frozen=True)
class Meaning:
    """What one run of a program comes to."""

    results: list[tuple[Any, Any]]
    """What is returned, and which of its elements are not defined."""
    memory: dict[int, np.ndarray[Any, Any]]
    """What the arguments that are memory hold afterwards."""


def difference(module: ir.Module, given: Sequence[Any], expected: Meaning, *, protected: list[bool]) -> str | None:
    outs, order = _out_parameters(module)
    arguments = [*copies(given), *outs]
    run = _run(module, arguments)
    if isinstance(run, str):
        return run
    returned = iter(run.results)
    found = [next(returned) if place < 0 else arguments[place] for place in order] or list(run.results)
    for one, (other, undefined) in zip(found, expected.results, strict=True):
        if np.shape(one) != np.shape(other):
            return "wrong shape"
        defined = np.ones(np.shape(other), bool) if undefined is None else ~np.asarray(undefined)
        if not np.array_equal(np.asarray(one)[defined], np.asarray(other)[defined], equal_nan=_has_nan(other)):
            return "wrong value"
    for now, before, kept in zip(arguments, given, protected, strict=False):
        if kept and isinstance(before, np.ndarray) and not np.array_equal(now, before, equal_nan=_has_nan(before)):
            return "argument changed"
    for place, held in expected.memory.items():
        if not np.array_equal(arguments[place], held, equal_nan=_has_nan(held)):
            return "wrong value"
    return "leak" if run.leaked else None


def change(module: ir.Module, given: Sequence[Any], expected: Sequence[Any]) -> str | None:
    """What is wrong with the memory that a program changes; NaN stands for what may be anything."""
    arguments = copies(given)
    run = _run(module, arguments)
    if isinstance(run, str):
        return run
    for now, wanted in zip(arguments, expected, strict=False):
        if not np.array_equal(now[~np.isnan(wanted)], wanted[~np.isnan(wanted)]):
            return "wrong value"
    return "leak" if run.leaked else None


def _run(module: ir.Module, arguments: Sequence[Any]) -> Evaluation | str:
    """What `@main` comes to, or what goes wrong on the way."""
    try:
        return evaluated(module, arguments)
    except EvaluationError as error:
        if "not supported" in error.reason:
            raise Unusable(str(error)) from None
        return _fault(error.reason)


def evaluated(module: ir.Module, arguments: Sequence[Any]) -> Evaluation:
    """What `@main` comes to; on the first rank, if the program is for several, which all have the same arguments."""
    text = str(module)
    if not any(sign in text for sign in ("shard.grid", "@inplace_mpi_", "mpi.comm_world")):
        return evaluate(module, "main", arguments)
    return evaluate_ranks(module, "main", [arguments, *(copies(arguments) for _ in range(_RANKS - 1))])[0]


def _has_nan(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "fc"


def _fault(reason: str) -> str:
    known = {
        "must not be changed": "argument changed",
        "freed twice": "double free",
        "after it was freed": "use after free",
        "never written": "garbage is read",
        "before the wait": "memory of a message is used",
        "is received into": "a message is received where it is sent from",
        "must call the same": "collectives do not meet",
    }
    which = re.sub(r"^rank \d+: ", "", reason)  # Any of the ranks may be the first.
    return next((name for words, name in known.items() if words in reason), f"fault: {which}")


def copies(given: Sequence[Any]) -> list[Any]:
    return [np.copy(value) if isinstance(value, np.ndarray) else value for value in given]


def main_function(module: ir.Module) -> ir.Operation:
    functions = (op.operation for op in module.body.operations if op.operation.name == "func.func")
    return next(op for op in functions if ir.StringAttr(op.attributes["sym_name"]).value == "main")


def _out_parameters(module: ir.Module) -> tuple[list[Any], list[int]]:
    """New arrays for results that became arguments, and the argument that each original result is; -1 if returned."""
    main = main_function(module)
    if "inplace.result_arguments" not in main.attributes:
        return [], []
    order = list(ir.DenseI64ArrayAttr(main.attributes["inplace.result_arguments"]))
    types = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).inputs
    marks = ir.ArrayAttr(main.attributes["arg_attrs"]) if "arg_attrs" in main.attributes else []
    outs = [_array(types[n]) for n, mark in enumerate(marks) if "inplace.out_result" in ir.DictAttr(mark)]
    return outs, order


def _array(type_: ir.Type) -> Any:
    return np.full(ir.MemRefType(type_).shape, 113, element_type(ir.MemRefType(type_).element_type).dtype)
