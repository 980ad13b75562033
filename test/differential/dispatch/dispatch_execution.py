"""Both routes of a dispatch function to buffers, and how what they make is executed."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import oracle
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.dialects.dispatch import register
from mlir_inplace.dialects.dispatch.parsing import import_text

PLAN = "inplace-plan-bufferize"
ONE_SHOT = "inplace-one-shot-bufferize{bufferize-function-boundaries=true}"
ROUTES = {"plan": PLAN, "one-shot": ONE_SHOT}
LOWERING = "inplace-lower-dispatch"

GRID_OP = re.compile(r"dispatch\.workgroup_(id|size|count) (\d)")
BINDING = re.compile(r"dispatch\.binding set\((\d+)\) binding\((\d+)\)(.*) : !dispatch\.\w+<(.*)>\s*$", re.MULTILINE)

Grid = Sequence[int]


def parse(text: str) -> ir.Module:
    """A module of the lighter text form."""
    with oracle.context() as context:
        register(context)
        return ir.Module.parse(import_text(text))


def bufferized(text: str, route: str) -> ir.Module:
    """A program on memrefs, by one of the routes."""
    module = parse(text)
    with oracle.context():
        mi.run_pipeline(module, f"builtin.module({ROUTES[route]})")
    return module


@functools.cache
def compiled(text: str, route: str) -> mi.Program:
    """An executable program that counts allocations and copies; compiled once for all tests of a module."""
    pipeline = f"builtin.module({ROUTES[route]},{LOWERING})"
    return mi.compile(text, pipeline=pipeline, opt_level=0, memory_stats=True)


def grid_arguments(text: str, count: Grid, size: Grid) -> list[int]:
    """The workgroup sizes that a program uses, then the counts of dimensions whose id or count it uses."""
    used = {(name, int(dimension)) for name, dimension in GRID_OP.findall(text)}
    sizes = [size[d] for d in range(3) if ("size", d) in used]
    return sizes + [count[d] for d in range(3) if ("id", d) in used or ("count", d) in used]


def as_arguments(text: str, arrays: Sequence[np.ndarray[Any, Any]]) -> list[Any]:
    """Bindings as their arguments are: as bytes where a declaration has an offset or types differ."""
    slots: dict[tuple[int, int], list[tuple[str, str]]] = {}
    for set_, binding, rest, type_ in BINDING.findall(text):
        slots.setdefault((int(set_), int(binding)), []).append((rest, type_))
    arguments: list[Any] = []
    for (_, declarations), array in zip(sorted(slots.items()), arrays, strict=True):
        is_bytes = any("offset(" in rest for rest, _ in declarations) or len({type_ for _, type_ in declarations}) > 1
        arguments.append(array.reshape(-1).view(np.int8) if is_bytes else array)
    return arguments


def execute(
    program: mi.Program, text: str, arrays: Sequence[np.ndarray[Any, Any]], constants: Sequence[Any], *grid: Grid
) -> mi.MemoryStats:
    """Run the only function of a program on arrays, which it changes; `grid` is the counts and the sizes.

    Nothing leaks, and nothing is freed twice.
    """
    (name,) = program.entry_points
    program[name](*as_arguments(text, arrays), *constants, *grid_arguments(text, *grid))
    stats = program.memory_stats
    assert stats.leaked_bytes == 0, stats
    assert stats.allocations == stats.frees, stats
    return stats
