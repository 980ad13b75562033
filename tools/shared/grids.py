"""The grid of ranks that a program is for, as `--grid` names it, and programs that are partitioned for one."""

from __future__ import annotations

import re

from mlir import ir

from ...passes.analysis.ir.traversal import first_op
from ...passes.framework.shard_attributes import read_grid
from ...passes.pipeline.pipeline import run_pipeline
from .command_line import ToolError, UsageError

__all__ = ["partition", "read_grid_flag", "sends_messages"]


def read_grid_flag(text: str) -> tuple[int, ...]:
    """The extents in `2x2`; raises `UsageError`."""
    if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*)*", text):
        raise UsageError(f"--grid needs extents of a grid of ranks, such as 4 or 2x2, got '{text}'")
    return tuple(map(int, text.split("x")))


def partition(module: ir.Operation, grid: tuple[int, ...] | None) -> None:
    """Partition a module that has annotations; raises `ToolError` if that is not for this grid, if there is one."""
    if first_op(module, lambda op: op.name == "shard.shard") is not None:
        run_pipeline(module, "builtin.module(inplace-shard)")
    found = read_grid(module)
    if grid is not None and found is not None and found != grid:
        extents, needed = ("x".join(map(str, one)) for one in (grid, found))
        raise ToolError(f"--grid {extents}, but the program is for a grid of {needed}; give --grid {needed}")


def sends_messages(module: ir.Operation) -> bool:
    """Whether a module runs on several ranks together."""
    return read_grid(module) is not None or first_op(module, lambda op: op.name.startswith("mpi.")) is not None
