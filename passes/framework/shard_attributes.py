"""What `inplace-shard` writes on a module, and on the arguments and results of its functions: read and checked.

The module has `inplace.grid = array<i64: 2, 2>`. An argument or result that is split has `inplace.sharding`, for each
dimension the grid axes that split it, and `inplace.whole_type`, the type before it was split. See docs/SHARDING.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from ...dialects.support.shard_layout import ShardLayout
from .contract import GRID, HALO, SHARDING, WHOLE_TYPE
from .errors import PassFailure

__all__ = ["check_grid", "check_shardings", "read_grid", "read_layout"]


def read_grid(module: ir.Operation) -> tuple[int, ...] | None:
    """The extents of the grid that the module was partitioned for, if it was."""
    return tuple(module.attributes[GRID]) if GRID in module.attributes else None  # pyright: ignore[reportReturnType]


def read_layout(entry: Any, grid: tuple[int, ...], rank: int) -> ShardLayout:
    """How an argument or result of that rank lies on the grid, by its dictionary of attributes, which is checked."""
    axes: tuple[tuple[int, ...], ...] = ((),) * rank
    halo = ((0, 0),) * rank
    if entry is not None and SHARDING in entry:
        axes = tuple(tuple(axis.value for axis in dimension) for dimension in entry[SHARDING])
    if entry is not None and HALO in entry:
        widths = list(entry[HALO])
        halo = tuple(zip(widths[::2], widths[1::2], strict=True))
    return ShardLayout(grid, axes, halo)


def check_grid(module: ir.Operation) -> None:
    """Raises `PassFailure` if the module has a grid that is none."""
    if GRID not in module.attributes:
        return
    grid: Any = module.attributes[GRID]
    if not isinstance(grid, ir.DenseI64ArrayAttr) or not len(grid) or min(grid) < 1:
        raise _failure(module, GRID, grid, "array<i64: …> with the extents of a grid, each at least 1")


def check_shardings(function: ir.Operation) -> None:
    """Raises `PassFailure` for a sharding of an argument or result that does not fit its type or the module's grid."""
    for entry, type_, place in _signature(function):
        found = [name for name in (SHARDING, WHOLE_TYPE, HALO) if name in entry]
        if not found:
            continue
        module = function.parent
        grid = None if module is None else read_grid(module)
        if grid is None:
            raise PassFailure(f"{place} has '{found[0]}', but the module has no '{GRID}'; add it", function)
        if SHARDING not in entry or WHOLE_TYPE not in entry:
            missing = WHOLE_TYPE if SHARDING in entry else SHARDING
            raise PassFailure(f"{place} has '{found[0]}' without '{missing}'; add it", function)
        needed = _wrong_part(entry, type_, grid)
        if needed is not None:
            name, text = needed
            raise _failure(function, name, entry[name], f"{text} ({place})")


def _signature(function: ir.Operation) -> Iterator[tuple[Any, Any, str]]:
    type_ = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    for name, types, word in (("arg_attrs", type_.inputs, "argument"), ("res_attrs", type_.results, "result")):
        if name in function.attributes:
            entries = ir.ArrayAttr(function.attributes[name])
            for number, (entry, of) in enumerate(zip(entries, types, strict=True)):
                yield entry, of, f"{word} {number}"


def _wrong_part(entry: Any, type_: Any, grid: tuple[int, ...]) -> tuple[str, str] | None:
    """Which attribute is wrong, and what it has to be."""
    whole: Any = entry[WHOLE_TYPE].value if isinstance(entry[WHOLE_TYPE], ir.TypeAttr) else None
    if not isinstance(whole, ir.RankedTensorType):
        return WHOLE_TYPE, "the type of a ranked tensor"
    if not _is_sharding(entry[SHARDING], whole.rank, grid):
        return SHARDING, f"for each of {whole.rank} dimensions a list of axes of the grid, each axis once, as [[0], []]"
    if HALO in entry and not _is_halo(entry[HALO], whole.rank):
        return HALO, f"array<i64: …> with the widths before and after each of {whole.rank} dimensions"
    layout = read_layout(entry, grid, whole.rank)
    for dimension, (size, (before, after)) in enumerate(zip(whole.shape, layout.halo, strict=True)):
        parts = layout.parts(dimension)
        if max(before, after) > 0 and (not layout.axes[dimension] or 0 <= size < max(before, after) * parts):
            return (
                HALO,
                f"0 where no axis splits, and at most the least part, as dimension {dimension} is not",
            )
    if not isinstance(type_, (ir.RankedTensorType, ir.MemRefType)) or not _is_local(type_, whole, layout):
        return WHOLE_TYPE, f"a type of which {type_} is the shard"
    return None


def _is_sharding(attribute: Any, rank: int, grid: tuple[int, ...]) -> bool:
    if not isinstance(attribute, ir.ArrayAttr) or len(attribute) != rank:
        return False
    dimensions = list(attribute)
    if not all(isinstance(axes, ir.ArrayAttr) for axes in dimensions):
        return False
    axes = [axis for axes in dimensions for axis in axes]
    if not all(isinstance(axis, ir.IntegerAttr) for axis in axes):
        return False
    numbers = [axis.value for axis in axes]
    return len(set(numbers)) == len(numbers) and all(0 <= number < len(grid) for number in numbers)


def _is_halo(attribute: Any, rank: int) -> bool:
    return isinstance(attribute, ir.DenseI64ArrayAttr) and len(attribute) == 2 * rank and min(attribute, default=0) >= 0


def _is_local(type_: Any, whole: Any, layout: ShardLayout) -> bool:
    if type_.element_type != whole.element_type or type_.rank != whole.rank:
        return False
    dynamic = ir.ShapedType.get_dynamic_size()
    for dimension, (local, size) in enumerate(zip(type_.shape, whole.shape, strict=True)):
        if local != dynamic:
            parts, (before, after) = layout.parts(dimension), layout.halo[dimension]
            if size == dynamic or size % parts or local != size // parts + before + after:
                return False
    return True


def _failure(op: ir.Operation, name: str, found: ir.Attribute, needed: str) -> PassFailure:
    return PassFailure(f"attribute '{name}' is {found}, but must be {needed}; remove it or correct it", op)
