"""Bodies that differ in outermost sizes only can share a function that takes the sizes as arguments.

Rows of `memref<37x64xf32>` and of `memref<38x64xf32>` lie alike: the outermost size of a memref is in no address, only
in the bound of a loop. The loops inside of that one, which are what is fast, keep their bounds. A size is *open* if it
may be given: the body is a linalg op, and

- the loop that the size is the bound of runs over the outermost dimension of operands, and over nothing else of any
  (the rows of a product, not what is added up, of which there are other sizes and strides);
- the operand is a memref of which the type says all but where it is, and the payload does not use it.

Where an op has such a loop and an operand of it stays as it is, the verifier has both sizes equal, so nothing is lost
but a function that could have been shared. Nothing is changed here. Linear in the ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import linalg

from ....dialects.linalg.output_coverage import loops_in

__all__ = ["NOTHING_OPEN", "OpenSizes", "SizeReader", "is_plain"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_DYNAMIC_STRIDE = ir.ShapedType.get_dynamic_stride_or_offset()


@dataclass(frozen=True)
class OpenSizes:
    """What a body is like without its open sizes.

    `sizes` are these, each once. For each parameter, `types` has its type with an outermost dimension of any size, or
    None if it stays as it is, and `places` where in `sizes` that of the outermost dimension is, or -1.
    """

    sizes: tuple[int, ...]
    types: tuple[ir.Type | None, ...]
    places: tuple[int, ...]


NOTHING_OPEN = OpenSizes((), (), ())


def is_plain(type_: ir.Type) -> bool:
    """Whether the address of a memref is all that its type does not say: sizes, strides and offset are static."""
    if not isinstance(type_, ir.MemRefType) or not type_.has_static_shape or type_.memory_space is not None:
        return False
    strides, offset = type_.get_strides_and_offset()
    return _DYNAMIC_STRIDE not in (*strides, offset)


class SizeReader:
    """Finds open sizes; what depends on maps and types only, which are few, is asked once."""

    def __init__(self) -> None:
        self._operands: dict[tuple[ir.Attribute, ...], list[bool]] = {}
        self._types: dict[ir.Type, tuple[ir.Type, int] | None] = {}

    def read(self, op: ir.Operation, parameters: Sequence[ir.Value]) -> OpenSizes:
        """The open sizes of a body; `parameters` are what it is given, none of which a payload uses."""
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
        """A memref type with any outermost size, and the size; None without one, or if all else is not static."""
        if type_ not in self._types:
            self._types[type_] = _without_outermost_size(type_)
        return self._types[type_]


def _open_operands(maps: tuple[ir.Attribute, ...]) -> list[bool]:
    """For each operand whether the loop over its outermost dimension runs over nothing but outermost dimensions."""
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
