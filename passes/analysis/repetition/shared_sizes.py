"""Bodies that differ only in outermost sizes can share a function that takes these sizes as arguments.

Rows of `memref<37x64xf32>` and of `memref<38x64xf32>` have the same layout: no address depends on the outermost size of
a memref, only a loop bound does. The inner loops, which are the optimized ones, keep their static bounds. A size is
*open* if it can be an argument: the body is a linalg op, and

- the loop bounded by the size indexes only outermost dimensions of operands (the rows of a product, not its reduction
  loop, which indexes other dimensions);
- the operand is a memref whose layout and sizes are static, and the payload does not use it.

If another operand of such a loop keeps its static type, the verifier requires both sizes to be equal; the only loss is
a function that could have been shared. Nothing is changed here. Linear in the ops.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import linalg

from ....dialects.linalg.output_coverage import loops_in
from ....dialects.support.frozen_classes import frozen

__all__ = ["NOTHING_OPEN", "OpenSizes", "SizeReader", "is_plain"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_DYNAMIC_STRIDE = ir.ShapedType.get_dynamic_stride_or_offset()


@frozen
class OpenSizes:
    """A body's types without its open sizes.

    `sizes` are these, each once. For each parameter, `types` has its type with an outermost dimension of any size, or
    None if it stays as it is, and `places` where in `sizes` that of the outermost dimension is, or -1.
    """

    sizes: tuple[int, ...]
    types: tuple[ir.Type | None, ...]
    places: tuple[int, ...]


NOTHING_OPEN = OpenSizes((), (), ())


def is_plain(type_: ir.Type) -> bool:
    """Whether sizes, strides and offset of a memref are static, so that only its address is unknown."""
    if not isinstance(type_, ir.MemRefType) or not type_.has_static_shape or type_.memory_space is not None:
        return False
    strides, offset = type_.get_strides_and_offset()
    return _DYNAMIC_STRIDE not in (*strides, offset)


class SizeReader:
    """Finds open sizes; memoizes what depends on maps and types only, which are few."""

    def __init__(self) -> None:
        self._operands: dict[tuple[ir.Attribute, ...], list[bool]] = {}
        self._types: dict[ir.Type, tuple[ir.Type, int] | None] = {}

    def read(self, op: ir.Operation, parameters: Sequence[ir.Value]) -> OpenSizes:
        """The open sizes of a body with `parameters`, none of which a payload uses."""
        maps = linalg.get_indexing_maps(op) if op.name.startswith("linalg.") else None
        if maps is None:
            return NOTHING_OPEN
        may_open = self._operands.get(key := tuple(maps))
        if may_open is None:
            may_open = self._operands[key] = _open_operands(key)
        if True not in may_open:
            return NOTHING_OPEN
        shut = {value for value, may in zip(op.operands, may_open, strict=True) if not may}
        sizes: list[int] = []
        types: list[ir.Type | None] = []
        places: list[int] = []
        for value in parameters:
            found = None if value in shut else self._without_outermost_size(value.type)
            type_, size = found or (None, -1)
            if type_ is not None and size not in sizes:
                sizes.append(size)
            types.append(type_)
            places.append(-1 if type_ is None else sizes.index(size))
        return OpenSizes(tuple(sizes), tuple(types), tuple(places)) if sizes else NOTHING_OPEN

    def _without_outermost_size(self, type_: ir.Type) -> tuple[ir.Type, int] | None:
        """A memref type with a dynamic outermost size, and that size; None at rank 0 or if anything else is dynamic."""
        if type_ not in self._types:
            self._types[type_] = _without_outermost_size(type_)
        return self._types[type_]


def _open_operands(maps: tuple[ir.Attribute, ...]) -> list[bool]:
    """For each operand whether the loop over its outermost dimension indexes outermost dimensions only."""
    first: list[int] = []
    others: set[int] = set()
    for attribute in maps:
        results = list(ir.AffineMapAttr(attribute).value.results)
        heads = [ir.AffineDimExpr(head).position for head in results[:1] if isinstance(head, ir.AffineDimExpr)]
        first.append(heads[0] if heads else -1)
        others.update(*map(loops_in, results[len(heads) :]))
    return [loop >= 0 and loop not in others for loop in first]


def _without_outermost_size(type_: ir.Type) -> tuple[ir.Type, int] | None:
    if not is_plain(type_):
        return None
    memref = ir.MemRefType(type_)
    if not memref.rank:
        return None
    size, *others = memref.shape
    with ir.Location.unknown(type_.context):
        return ir.MemRefType.get([_DYNAMIC, *others], memref.element_type, memref.layout), size
