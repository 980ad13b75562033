"""How JAX says that arrays are split over devices: the attributes of Shardy on a lowered function, read and erased."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dialects.support.frozen_classes import frozen
from ...passes.framework.errors import PassError
from .framework import jaxlib_module

__all__ = ["JaxShardings", "take_shardings"]

_SHARDING = "sdy.sharding"
_MANUAL = "sdy.manual_computation"
_CONSTRAINTS = ("sdy.mesh", "sdy.sharding_constraint")


@frozen
class JaxShardings:
    """The mesh of a function, and how its leaves are split.

    Attributes:
        axes: the names of the mesh's axes.
        grid: their extents.
        arguments: for each leaf of the arguments the axes that split each dimension; None where nothing is said.
        results: the same for the results.
    """

    axes: tuple[str, ...]
    grid: tuple[int, ...]
    arguments: tuple[tuple[tuple[int, ...], ...] | None, ...]
    results: tuple[tuple[tuple[int, ...], ...] | None, ...]


def take_shardings(module: Any) -> JaxShardings | None:
    """Read the shardings of `main` of a module of JAX's bindings, and erase all; None for a function without a mesh.

    What is said within the function are hints, which are not followed: values are the same without them. Raises
    `PassError` for what a grid of ranks cannot do.
    """
    found = _read(module)
    _erase(module)
    return found


def _read(module: Any) -> JaxShardings | None:
    meshes = [op for op in module.body.operations if op.operation.name == "sdy.mesh"]
    if not meshes:
        if module.operation.attributes["mhlo.num_partitions"].value > 1:
            raise PassError("the function is sharded for GSPMD; set jax_use_shardy_partitioner to True")
        return None
    main = _main(module)
    sides = [_entries(main, side) for side in ("arg_attrs", "res_attrs")]
    if len(meshes) > 1:
        raise PassError(f"the function is sharded over {len(meshes)} meshes, but ranks have one grid; use one mesh")
    listed = _axes_of(str(meshes[0].operation.attributes["mesh"]))
    axes, grid = tuple(name for name, _ in listed), tuple(extent for _, extent in listed)
    read = [tuple(_split(entry, axes) for entry in side) for side in sides]
    return JaxShardings(axes, grid, *read)


def _axes_of(text: str) -> list[tuple[str, int]]:
    """The axes in `#sdy.mesh<["x"=2, "y"=4]>`."""
    inner = text.partition("[")[2].partition("]")[0]
    if not inner:
        return []
    pairs = (part.rpartition("=") for part in inner.split(","))
    return [(name.strip().strip('"'), int(extent)) for name, _, extent in pairs]


def _main(module: Any) -> Any:
    functions = (op for op in module.body.operations if op.operation.name == "func.func")
    return next(op for op in functions if op.operation.attributes["sym_name"].value == "main")


def _entries(main: Any, side: str) -> Sequence[Any]:
    """The dictionaries of all arguments or results; None where there is none."""
    type_ = main.function_type.value
    count = len(type_.inputs if side == "arg_attrs" else type_.results)
    attributes = main.operation.attributes
    return list(attributes[side]) if side in attributes else [None] * count


def _split(entry: Any, axes: Sequence[str]) -> tuple[tuple[int, ...], ...] | None:
    if entry is None or _SHARDING not in entry:
        return None
    sdy = jaxlib_module("dialects.sdy")
    sharding = sdy.TensorShardingAttr(entry[_SHARDING])
    if len(sharding.unreduced_axes):
        raise PassError(f"{sharding} has axes that are not reduced yet, which no shard of a grid of ranks says")
    split: list[tuple[int, ...]] = []
    for dimension in sharding.dimension_shardings:
        of_axes = [sdy.AxisRefAttr(axis) for axis in sdy.DimensionShardingAttr(dimension).axes]
        if any(axis.sub_axis_info is not None for axis in of_axes):
            raise PassError(f"{sharding} splits by a part of an axis; make a mesh that has an axis for it")
        split.append(tuple(axes.index(axis.name) for axis in of_axes))
    return tuple(split)


def _erase(module: Any) -> None:
    """Erase what says where arrays are: on one host it is nothing. JAX writes it for keys of random numbers."""
    found: list[Any] = []
    advance = jaxlib_module("ir").WalkResult.ADVANCE

    def note(op: Any) -> Any:
        if op.name in (*_CONSTRAINTS, _MANUAL):
            found.append(op)
        elif op.name == "func.func":
            _erase_attributes(op)
        return advance

    module.operation.walk(note)
    if any(op.name == _MANUAL for op in found):
        raise PassError("the function is written for one device by shard_map; write it for whole arrays")
    for op in found:
        for result, operand in zip(op.results, op.operands, strict=True):
            result.replace_all_uses_with(operand)
        op.erase()


def _erase_attributes(function: Any) -> None:
    ir = jaxlib_module("ir")
    for side in ("arg_attrs", "res_attrs"):
        if side in function.attributes:
            kept = [
                {one.name: one.attr for one in entry if one.name != _SHARDING} for entry in function.attributes[side]
            ]
            function.attributes[side] = ir.ArrayAttr.get([ir.DictAttr.get(entry) for entry in kept])
