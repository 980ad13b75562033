"""tensor.gather and tensor.scatter: slices of a tensor at coordinates that another tensor holds.

The last dimension of ``indices`` holds the coordinates of one slice in the dimensions ``gather_dims`` (increasing);
its leading dimensions number the slices. The tensor of slices has these leading dimensions and then those of the
sliced tensor, where the indexed ones have size one or are left out. Coordinates out of bounds are undefined
behaviour, and so are slices of one scatter that overlap: ``unique`` promises that there are none.

Upstream does not bufferize these ops.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, memref

from ..bufferizable import OpModel
from ..common_models import DestinationModel
from ..rewriter import Rewriter
from ..structured import build_generic, build_loops, extent, linalg_index
from ..support.memref_types import identity_type

__all__ = ["INDEXED_MODELS"]


class GatherModel(OpModel):
    """``tensor.gather``: a new buffer; each of its elements is loaded from where its coordinates say."""

    op_names = ("tensor.gather",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate and load every element."""
        source, indices = rewriter.buffer(op, 0), rewriter.buffer(op, 1)
        type_ = ir.MemRefType(identity_type(op.results[0].type))
        layout = _SliceLayout(source, indices, type_.rank, list(op.attributes["gather_dims"]))
        sizes = [size for size in layout.sizes(source, indices) if not isinstance(size, int)]
        target = rewriter.allocate(type_, sizes)

        def payload(_: Sequence[ir.Value]) -> ir.Value:
            position = [linalg_index(dimension) for dimension in range(type_.rank)]
            coordinates = layout.load_coordinates(indices, position)
            return memref.load(source, layout.element(coordinates, position[layout.leading :]))

        build_generic([], target, payload)
        rewriter.replace(op, [target])


class ScatterModel(DestinationModel):
    """``tensor.scatter``: stores the slices into the destination, whose other elements stay."""

    op_names = ("tensor.scatter",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Store every element of every slice; the coordinates of a slice are loaded once."""
        source, target, indices = (rewriter.buffer(op, operand) for operand in range(3))
        rank = ir.MemRefType(source.type).rank
        layout = _SliceLayout(target, indices, rank, list(op.attributes["scatter_dims"]))
        sizes = [extent(source, dimension) for dimension in range(rank)]

        def store_slice(number: list[ir.Value]) -> None:
            coordinates = layout.load_coordinates(indices, number)

            def store(within: list[ir.Value]) -> None:
                value = memref.load(source, [*number, *within])
                memref.store(value, target, layout.element(coordinates, within))

            build_loops(sizes[layout.leading :], store)

        build_loops(sizes[: layout.leading], store_slice)
        rewriter.replace(op, [target])


class _SliceLayout:
    """How the dimensions of a tensor of slices, of ``rank``, belong to those of ``sliced`` and of ``indices``."""

    def __init__(self, sliced: ir.Value, indices: ir.Value, rank: int, indexed: Sequence[int]) -> None:
        self._indexed = indexed
        self._rank = ir.MemRefType(sliced.type).rank
        self.leading = ir.MemRefType(indices.type).rank - 1
        keeps_all = rank == self.leading + self._rank
        self._trailing = [d for d in range(self._rank) if keeps_all or d not in indexed]

    def sizes(self, sliced: ir.Value, indices: ir.Value) -> list[int | ir.Value]:
        """Return the sizes of the tensor of slices."""
        leading = [extent(indices, dimension) for dimension in range(self.leading)]
        return [*leading, *(1 if d in self._indexed else extent(sliced, d) for d in self._trailing)]

    def load_coordinates(self, indices: ir.Value, position: Sequence[ir.Value]) -> list[ir.Value]:
        """Load the coordinates of the slice whose number ``position`` begins with."""
        index = ir.IndexType.get()
        coordinates: list[ir.Value] = []
        for number in range(len(self._indexed)):
            loaded = memref.load(indices, [*position[: self.leading], arith.constant(index, number)])
            coordinates.append(loaded if loaded.type == index else arith.index_cast(index, loaded))
        return coordinates

    def element(self, coordinates: Sequence[ir.Value], within: Sequence[ir.Value]) -> list[ir.Value]:
        """Return the indices into the sliced tensor for an element of the slice at ``coordinates``."""
        indices = dict(zip(self._trailing, within, strict=True))
        indices.update(zip(self._indexed, coordinates, strict=True))
        return [indices[dimension] for dimension in range(self._rank)]


INDEXED_MODELS: tuple[OpModel, ...] = (GatherModel(), ScatterModel())
