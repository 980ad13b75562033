"""Grids of ranks: which ranks an op communicates with, and which of them runs the code.

The ranks that differ only in some grid axes are a group. Its communicator comes from a function, one for each list of
axes, so that `inplace-lower-mpi` can make it once in the life of a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from mlir import ir
from mlir.dialects import arith, func

from ..subsets import elements
from ..support.frozen_classes import frozen
from ..support.index_math import Number, add, index_constant
from ..support.mpi_names import communicator_name

__all__ = [
    "RankGroup",
    "balanced_extent",
    "call_declared",
    "grid_shape",
    "group_of",
    "module_of",
    "mpi_op",
    "why_no_grid",
]


@frozen
class RankGroup:
    """The ranks that an op communicates among: those that differ from each other in `axes` of the grid only."""

    module: ir.Operation
    grid: tuple[int, ...]
    axes: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many ranks they are."""
        return prod(self.grid[axis] for axis in self.axes)

    def communicator(self) -> ir.Value:
        """Build the call that returns their communicator, and the function if there is none yet."""
        name = communicator_name(self.axes)
        if name not in ir.SymbolTable(self.module):
            text = _communicator_function(name, self.grid, self.axes)
            block = self.module.regions[0].blocks[0]
            ir.InsertionPoint(block).insert(ir.Operation.parse(text, context=self.module.context))
        return func.CallOp([ir.Type.parse("!mpi.comm")], name, []).operation.result

    def rank(self, communicator: ir.Value) -> ir.Value:
        """Build the number of the rank that runs the code, within the group, as an index."""
        number = mpi_op("mpi.comm_rank", [communicator], [ir.IntegerType.get_signless(32)]).result
        return arith.index_cast(ir.IndexType.get(), number)


def group_of(op: ir.Operation, axes: Sequence[int]) -> RankGroup:
    """The group of an op of the shard dialect that names a grid; without axes each rank is alone."""
    return RankGroup(module_of(op), grid_shape(op), tuple(axes))


def grid_shape(op: ir.Operation) -> tuple[int, ...]:
    """The extents of the grid that the op names."""
    table = ir.SymbolTable(module_of(op))
    return tuple(elements(table[ir.FlatSymbolRefAttr(op.attributes["grid"]).value].operation.attributes["shape"]))


def why_no_grid(op: ir.Operation) -> str | None:
    """Why the grid that the op names cannot be communicated on, or None."""
    if any(extent < 1 for extent in grid_shape(op)):
        return f"'{op.name}' is on a grid of unknown extents; give 'shard.grid' a static shape"
    return None


def balanced_extent(size: Number, parts: int, part: Number) -> tuple[Number, Number]:
    """Build the offset and size of one of `parts` balanced parts: see `support/shard_layout.py`."""
    if isinstance(size, int):
        least, longer = divmod(size, parts)
        if not longer:
            return _times(part, least), least
    divisor = index_constant(parts)
    whole = index_constant(size) if isinstance(size, int) else size
    quotient, remainder = arith.divui(whole, divisor), arith.remui(whole, divisor)
    number = index_constant(part) if isinstance(part, int) else part
    is_longer = arith.cmpi(arith.CmpIPredicate.ult, number, remainder)
    extra = arith.select(is_longer, index_constant(1), index_constant(0))
    extent = arith.addi(quotient, extra)
    return add(arith.muli(number, quotient), arith.minui(number, remainder)), extent


def mpi_op(name: str, operands: Sequence[ir.Value], results: Sequence[ir.Type] = (), **attributes: Any) -> ir.Operation:
    """Build an op of the mpi dialect, which has no classes in the bindings."""
    return ir.Operation.create(name, results=list(results), operands=list(operands), attributes=attributes)


def _times(number: Number, factor: int) -> Number:
    return number * factor if isinstance(number, int) else arith.muli(number, index_constant(factor))


def call_declared(module: ir.Operation, name: str, operands: Sequence[ir.Value]) -> ir.Operation:
    """Build the call of a function without results, and its declaration if there is none yet."""
    if name not in ir.SymbolTable(module):
        with ir.InsertionPoint(module.regions[0].blocks[0]):
            func.FuncOp(name, ([operand.type for operand in operands], []), visibility="private")
    return func.CallOp([], name, list(operands)).operation


def module_of(op: ir.Operation) -> ir.Operation:
    """The module that `op` is in."""
    while op.name != "builtin.module":
        parent = op.parent
        assert parent is not None, "the verifier has seen the symbol"
        op = parent.operation
    return op


def _communicator_function(name: str, grid: Sequence[int], axes: Sequence[int]) -> str:
    """The world's communicator, split by the coordinates in all other axes; `axes` order the ranks."""
    if list(axes) == list(range(len(grid))):
        split = "  return %world : !mpi.comm"
    else:
        others = [axis for axis in range(len(grid)) if axis not in axes]
        split = f"""  %rank = mpi.comm_rank(%world) : i32
{_linear("color", grid, others)}{_linear("key", grid, axes)}\
  %group = mpi.comm_split(%world, %color, %key) : !mpi.comm
  return %group : !mpi.comm"""
    return f"func.func private @{name}() -> !mpi.comm {{\n  %world = mpi.comm_world : !mpi.comm\n{split}\n}}"


def _linear(name: str, grid: Sequence[int], axes: Sequence[int]) -> str:
    """Text that computes the row-major number of `%rank` among the coordinates of some axes."""
    last = f"%{name}_start" if axes else f"%{name}"
    text = f"  {last} = arith.constant 0 : i32\n"
    for number, axis in enumerate(axes):
        done = f"%{name}" if number == len(axes) - 1 else f"%{name}_{number}"
        text += f"""  %{name}_step{number} = arith.constant {prod(grid[axis + 1 :])} : i32
  %{name}_extent{number} = arith.constant {grid[axis]} : i32
  %{name}_high{number} = arith.divui %rank, %{name}_step{number} : i32
  %{name}_at{number} = arith.remui %{name}_high{number}, %{name}_extent{number} : i32
  %{name}_scaled{number} = arith.muli {last}, %{name}_extent{number} : i32
  {done} = arith.addi %{name}_scaled{number}, %{name}_at{number} : i32
"""
        last = done
    return text
