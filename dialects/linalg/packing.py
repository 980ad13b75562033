"""linalg.pack and linalg.unpack: copies between a plain layout and one of tiles, written to the destination.

Where all tiles are full and their sizes are known, element ``(o, i)`` of a tiled dimension is element ``o * tile + i``
of the plain one: an indexing map, and a copy under it. Otherwise each element computes where it comes from. Upstream
leaves the op to passes that know it on memrefs, of which it has none that ends in loops.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, memref, scf

from ..bufferizable import OpModel
from ..common_models import OverwriteModel
from ..rewriter import Rewriter
from ..structured import linalg_index, parallel_generic, size_value
from ..support.frozen_classes import frozen
from ..support.index_math import as_value

__all__ = ["PACKING_MODELS", "PackModel", "UnpackModel"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


@frozen
class _Tiling:
    """How a packed layout lies over a plain one: for each plain dimension its packed ones, and the size of a tile."""

    outer: list[int]
    """The packed dimension that counts the tiles of each plain dimension."""
    inner: dict[int, int]
    """The packed dimension inside of a tile, for each plain dimension that is tiled."""
    tiles: dict[int, int | ir.Value]

    @property
    def static_tiles(self) -> dict[int, int]:
        return {dimension: tile for dimension, tile in self.tiles.items() if isinstance(tile, int)}

    def plain_map(self) -> ir.AffineMap:
        """Return the map from packed indices to plain ones, for tiles of known sizes."""
        results = []
        for dimension, outer in enumerate(self.outer):
            index = ir.AffineExpr.get_dim(outer)
            if dimension in self.inner:
                index = index * self.static_tiles[dimension] + ir.AffineExpr.get_dim(self.inner[dimension])
            results.append(index)
        return ir.AffineMap.get(len(self.outer) + len(self.inner), 0, results)

    def is_full(self, plain: ir.MemRefType, packed: ir.MemRefType) -> bool:
        """Whether the tiles are known to have no element that the plain layout lacks."""
        for dimension, tile in self.tiles.items():
            size, count = plain.shape[dimension], packed.shape[self.outer[dimension]]
            if not isinstance(tile, int) or _DYNAMIC in (size, count) or count * tile != size:
                return False
        return True


def _tiling(op: ir.Operation, plain: int) -> _Tiling:
    """Read the attributes of a pack or unpack; the inner tiles are the last operands."""
    static = list(op.attributes["static_inner_tiles"])
    dynamic = iter(list(op.operands)[len(op.operands) - static.count(_DYNAMIC) :])
    tiles = [next(dynamic) if size == _DYNAMIC else size for size in static]
    rank = ir.ShapedType(op.operands[plain].type).rank
    permutation = list(op.attributes["outer_dims_perm"]) if "outer_dims_perm" in op.attributes else []
    permutation = permutation or list(range(rank))
    positions = list(op.attributes["inner_dims_pos"])
    return _Tiling(
        [permutation.index(dimension) for dimension in range(rank)],
        {dimension: rank + number for number, dimension in enumerate(positions)},
        dict(zip(positions, tiles, strict=True)),
    )


class _PackingModel(OverwriteModel):
    """Copies operand 0 to the destination, in another layout."""


class PackModel(_PackingModel):
    """``linalg.pack``: every element of the destination is written, with padding where the source has none."""

    op_names = ("linalg.pack",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Fill the tiles."""
        source, target = rewriter.buffer(op, 0), rewriter.buffer(op, 1)
        tiling = _tiling(op, 0)
        padded = list(op.attributes["operandSegmentSizes"])[2] > 0
        plain, packed = ir.MemRefType(source.type), ir.MemRefType(target.type)
        identity = ir.AffineMap.get_identity(packed.rank)
        if tiling.is_full(plain, packed) or (not padded and len(tiling.static_tiles) == len(tiling.tiles)):
            parallel_generic([source], [target], [tiling.plain_map(), identity], lambda elements: elements[:1])
        else:
            padding = list(op.operands)[2] if padded else None
            sizes = {d: size_value(source, d) for d in tiling.tiles}
            parallel_generic([], [target], [identity], lambda _: [_packed_element(source, tiling, sizes, padding)])
        rewriter.replace(op, [target])


def _packed_element(
    source: ir.Value, tiling: _Tiling, sizes: dict[int, ir.Value], padding: ir.Value | None
) -> ir.Value:
    """Load the element of ``source`` for the payload's element of the tiles, or take the padding."""
    indices: list[ir.Value] = []
    inside: ir.Value | None = None
    for dimension, outer in enumerate(tiling.outer):
        index = linalg_index(outer)
        if dimension in tiling.tiles:
            index = arith.muli(index, as_value(tiling.tiles[dimension]))
            index = arith.addi(index, linalg_index(tiling.inner[dimension]))
            fits = arith.cmpi(arith.CmpIPredicate.ult, index, sizes[dimension])
            inside = fits if inside is None else arith.andi(inside, fits)
        indices.append(index)
    if padding is None or inside is None:
        return memref.load(source, indices)
    branch = scf.IfOp(inside, [padding.type], has_else=True)
    with ir.InsertionPoint(branch.regions[0].blocks[0]):
        scf.yield_([memref.load(source, indices)])
    with ir.InsertionPoint(branch.regions[1].blocks[0]):
        scf.yield_([padding])
    return branch.results[0]


class UnpackModel(_PackingModel):
    """``linalg.unpack``."""

    op_names = ("linalg.unpack",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Take the elements out of their tiles; what the last tiles have in excess is left out."""
        source, target = rewriter.buffer(op, 0), rewriter.buffer(op, 1)
        tiling = _tiling(op, 1)
        packed, plain = ir.MemRefType(source.type), ir.MemRefType(target.type)
        if tiling.is_full(plain, packed):
            maps = [ir.AffineMap.get_identity(packed.rank), tiling.plain_map()]
            parallel_generic([source], [target], maps, lambda elements: elements[:1])
        else:
            identity = ir.AffineMap.get_identity(plain.rank)
            parallel_generic([], [target], [identity], lambda _: [_unpacked_element(source, tiling)])
        rewriter.replace(op, [target])


def _unpacked_element(source: ir.Value, tiling: _Tiling) -> ir.Value:
    """Load the element of the tiles that the payload's element of the plain layout lies in."""
    indices: dict[int, ir.Value] = {}
    for dimension, outer in enumerate(tiling.outer):
        index = linalg_index(dimension)
        if dimension in tiling.tiles:
            tile = as_value(tiling.tiles[dimension])
            indices[tiling.inner[dimension]] = arith.remui(index, tile)
            index = arith.divui(index, tile)
        indices[outer] = index
    return memref.load(source, [indices[dimension] for dimension in range(len(indices))])


PACKING_MODELS: tuple[OpModel, ...] = (PackModel(), UnpackModel())
