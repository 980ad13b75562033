"""A linalg op as plain data: its loops, their sizes, and the indices at which an iteration accesses operands.

Every linalg op with a payload is a nest of loops around that payload. Loops that occur in the indexing maps of the
inits are parallel, the others are reductions. An index into an operand is a sum of multiples of loops, which is all
that convolutions, poolings, contractions and elementwise ops need; an op with any other index (`mod`, a symbol) is
refused. So is one whose payload has effects: its iterations could not be reordered.

Linear in the sizes of the maps; nothing is changed. Upstream counterpart: `LinalgOp`, which the bindings do not expose.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from math import prod

from mlir import ir

from ....dialects.support.element_sizes import element_bytes
from ....dialects.support.frozen_classes import frozen
from .payload_effects import find_effect

__all__ = [
    "UNKNOWN_SIZE",
    "NotStructured",
    "OperandIndex",
    "Structured",
    "as_structured",
    "nests_kept",
    "read_structured",
    "type_bytes",
]

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_WORD_BYTES = 8
_REDUCE = "linalg.reduce"
"""It has an init for each input; other ops without `operandSegmentSizes` have one init."""
_OWN_PAYLOAD = frozenset({"linalg.generic", "linalg.map", _REDUCE})
"""Ops with arbitrary payloads; the payloads of other ops follow from their names."""

UNKNOWN_SIZE = 1 << 12
"""The size assumed for a dynamic one where only speed depends on it: too large for the caches."""


class NotStructured(Exception):
    """The reason why an op cannot be read as a loop nest: a phrase that follows "because"."""


@frozen
class OperandIndex:
    """An index into an operand: `constant` plus each loop times its (nonzero) coefficient."""

    coefficients: Mapping[int, int] = field(default_factory=dict[int, int])
    constant: int = 0

    def coefficient(self, loop: int) -> int:
        """Return the coefficient of `loop`, 0 if the index does not depend on it."""
        return self.coefficients.get(loop, 0)

    @property
    def loop(self) -> int | None:
        """The loop that the index equals; None for any other index."""
        ((loop, factor),) = self.coefficients.items() if len(self.coefficients) == 1 else ((None, 0),)
        return loop if factor == 1 and self.constant == 0 else None

    def __add__(self, other: OperandIndex) -> OperandIndex:
        total = dict(self.coefficients)
        for loop, factor in other.coefficients.items():
            total[loop] = total.get(loop, 0) + factor
        return OperandIndex({loop: factor for loop, factor in total.items() if factor}, self.constant + other.constant)

    def __mul__(self, factor: int) -> OperandIndex:
        scaled = {loop: factor * own for loop, own in self.coefficients.items() if factor}
        return OperandIndex(scaled, factor * self.constant)


@frozen
class Structured:
    """A linalg op as a loop nest.

    Attributes:
        op: the op.
        inputs: how many of the first operands are inputs; the others are inits.
        indices: for each operand one `OperandIndex` for each of its dimensions; none for a scalar.
        sizes: for each loop its number of iterations, None where that is dynamic.
        places: for each loop an operand and a dimension of that size.
        parallel: for each loop whether it is parallel.
        reads: for each operand whether the payload uses its element.
    """

    op: ir.Operation
    inputs: int
    indices: tuple[tuple[OperandIndex, ...], ...]
    sizes: tuple[int | None, ...]
    places: tuple[tuple[int, int], ...]
    parallel: tuple[bool, ...]
    reads: tuple[bool, ...]

    @property
    def loops(self) -> range:
        """The numbers of the loops."""
        return range(len(self.sizes))

    @property
    def asks_for_iterations(self) -> bool:
        """Whether the payload asks for the numbers of iterations."""
        return any(one.operation.name == "linalg.index" for one in self.payload.operations)

    @property
    def parallel_loops(self) -> list[int]:
        """The numbers of the parallel loops."""
        return [loop for loop in self.loops if self.parallel[loop]]

    @property
    def reduction_loops(self) -> list[int]:
        """The numbers of the loops that reduce."""
        return [loop for loop in self.loops if not self.parallel[loop]]

    def size(self, loop: int, unknown: int = UNKNOWN_SIZE) -> int:
        """Return the trip count of `loop`, and `unknown` where it is dynamic."""
        size = self.sizes[loop]
        return unknown if size is None else size

    @property
    def outputs(self) -> range:
        """The numbers of the operands that are inits."""
        return range(self.inputs, len(self.indices))

    @property
    def falling(self) -> frozenset[int]:
        """The loops in indices that decrease along a loop, like `7 - d0`: these are not tiled.

        The slice for a tile would begin at the index of its last iteration, and the map of the tiled op would need a
        constant that depends on the tile size.
        """
        return frozenset(
            loop
            for indices in self.indices
            for index in indices
            if any(factor < 0 for factor in index.coefficients.values())
            for loop in index.coefficients
        )

    @property
    def has_windows(self) -> bool:
        """Whether an input is read at sums of loops, as by a convolution."""
        return any(len(index.coefficients) > 1 for indices in self.indices[: self.inputs] for index in indices)

    @property
    def payload(self) -> ir.Block:
        """The block that computes one iteration from one element of each operand."""
        return self.op.regions[0].blocks[0]

    def depends(self, operand: int, loop: int) -> bool:
        """Return whether the element of `operand` changes with `loop`."""
        return any(loop in index.coefficients for index in self.indices[operand])

    def loops_of(self, operand: int) -> list[int] | None:
        """Return the loops that the indices of `operand` are, None if one is no loop, or occurs twice."""
        loops = [index.loop for index in self.indices[operand]]
        found = [loop for loop in loops if loop is not None]
        return found if len(set(found)) == len(loops) else None

    def read_along(self, loop: int) -> list[int]:
        """Return the inputs that the payload uses and that `loop` indexes."""
        return [operand for operand in range(self.inputs) if self.reads[operand] and self.depends(operand, loop)]

    def is_contiguous(self, operand: int, loop: int) -> bool:
        """Return whether consecutive iterations of `loop` access adjacent elements: only the last index moves, by 1."""
        return self.step(operand, loop) == 1

    def step(self, operand: int, loop: int) -> int:
        """Return how many elements apart consecutive iterations of `loop` access a row; 0 if they move between rows."""
        *others, last = self.indices[operand] or (OperandIndex(),)
        return 0 if any(index.coefficient(loop) for index in others) else last.coefficient(loop)

    def gathered_along(self, loop: int) -> list[int]:
        """Return the inputs that the payload uses and that `loop` indexes non-contiguously."""
        return [operand for operand in self.read_along(loop) if not self.is_contiguous(operand, loop)]


def type_bytes(type_: ir.Type) -> int:
    """Return the bytes of values of `type_`, a number, or a tensor or memref of numbers; others take a word."""
    if isinstance(type_, ir.ShapedType):
        sizes = (UNKNOWN_SIZE if size == _DYNAMIC else size for size in type_.shape)
        return prod(sizes) * type_bytes(type_.element_type)
    try:
        return element_bytes(type_)
    except ValueError:
        return _WORD_BYTES


def read_structured(op: ir.Operation) -> Structured:
    """Read linalg op `op`, on tensors or memrefs.

    Raises:
        NotStructured: it is no linalg op, or an index, an init, a loop or its payload is not of the kind described
            above.
    """
    if not op.name.startswith("linalg.") or len(op.regions) != 1 or not len(op.regions[0].blocks):
        raise NotStructured("it is no linalg op with a payload")
    payload = op.regions[0].blocks[0]
    effect = find_effect(payload) if op.name in _OWN_PAYLOAD else None
    if effect is not None:
        raise NotStructured(f"'{effect}' of its payload may have an effect")
    maps = _maps(op)
    types = tuple([value.type for value in op.operands])
    inputs = len(types) - _number_of_inits(op)
    known = _known.get()
    key = maps, types, inputs
    nest = None if known is None else known.get(key)
    if nest is None:
        nest = _read_nest([ir.AffineMapAttr(one).value for one in maps], types, inputs)
        if known is not None:
            known[key] = nest
    reads = tuple([any(True for _ in argument.uses) for argument in payload.arguments])
    return Structured(op, inputs, *nest, reads)


def as_structured(op: ir.Operation) -> Structured | None:
    """`read_structured`, with None in place of the exception."""
    try:
        return read_structured(op)
    except NotStructured:
        return None


@contextmanager
def nests_kept() -> Generator[None]:
    """Memoize nests by maps and operand types in the `with` block, as many ops have the same."""
    if _known.get() is not None:
        yield
        return
    token = _known.set({})
    try:
        yield
    finally:
        _known.reset(token)  # Attributes keep their context alive.


_Indices = tuple[tuple[OperandIndex, ...], ...]
_Nest = tuple[_Indices, tuple[int | None, ...], tuple[tuple[int, int], ...], tuple[bool, ...]]
"""Of a `Structured`: `indices`, `sizes`, `places` and `parallel`."""
_known: ContextVar[dict[tuple[ir.ArrayAttr, tuple[ir.Type, ...], int], _Nest] | None] = ContextVar(
    "nests", default=None
)


def _read_nest(maps: Sequence[ir.AffineMap], types: Sequence[ir.Type], inputs: int) -> _Nest:
    if len(maps) != len(types):
        raise NotStructured("it does not have one indexing map for each operand")
    indices = tuple(tuple(_index(result) for result in map_.results) for map_ in maps)
    if any(0 in ir.ShapedType(type_).shape for type_ in types if isinstance(type_, ir.ShapedType)):
        raise NotStructured("an operand has no elements")  # and so no slice of it is valid
    loops = maps[0].n_dims
    sizes, places = _sizes(types, indices, loops)
    return indices, sizes, places, _parallel(indices[inputs:], loops)


def _maps(op: ir.Operation) -> ir.ArrayAttr:
    from mlir.dialects import linalg  # With its domain-specific language, which takes long to load.

    try:
        found = linalg.get_indexing_maps(op)
    except (ValueError, RuntimeError):
        found = None
    if found is None:
        raise NotStructured("it has no indexing maps")
    return found


def _number_of_inits(op: ir.Operation) -> int:
    if "operandSegmentSizes" in op.attributes:
        return ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[1]
    return len(op.operands) // 2 if op.name == _REDUCE else 1


def _index(expression: ir.AffineExpr) -> OperandIndex:
    """Return `expression` as a sum of multiples of loops."""
    if isinstance(expression, ir.AffineDimExpr):
        return OperandIndex({expression.position: 1})
    if isinstance(expression, ir.AffineConstantExpr):
        return OperandIndex({}, expression.value)
    if isinstance(expression, ir.AffineAddExpr):
        return _index(expression.lhs) + _index(expression.rhs)
    if isinstance(expression, ir.AffineMulExpr):
        left, right = _index(expression.lhs), _index(expression.rhs)
        if not left.coefficients:
            return right * left.constant
        if not right.coefficients:
            return left * right.constant
    raise NotStructured(f"its index {expression} is no sum of multiples of loops")


def _sizes(
    types: Sequence[ir.Type], indices: _Indices, loops: int
) -> tuple[tuple[int | None, ...], tuple[tuple[int, int], ...]]:
    """Return the size of each loop (static if any operand's is), with an operand and dimension of that size."""
    sizes: dict[int, int | None] = {}
    places: dict[int, tuple[int, int]] = {}
    for operand, (type_, own) in enumerate(zip(types, indices, strict=True)):
        if not own:
            continue
        shape = ir.ShapedType(type_).shape
        for dimension, index in enumerate(own):
            loop = index.loop
            if loop is not None and sizes.get(loop) is None:
                sizes[loop] = None if shape[dimension] == _DYNAMIC else shape[dimension]
                places.setdefault(loop, (operand, dimension))
    if len(sizes) < loops:
        missing = next(loop for loop in range(loops) if loop not in sizes)
        raise NotStructured(f"no dimension of an operand has the size of its loop d{missing}")
    return tuple(sizes[loop] for loop in range(loops)), tuple(places[loop] for loop in range(loops))


def _parallel(outputs: tuple[tuple[OperandIndex, ...], ...], loops: int) -> tuple[bool, ...]:
    """Return which loops are parallel; raises if inits disagree, or two iterations may write one element."""
    found: set[frozenset[int]] = set()
    for own in outputs:
        parallel = [index.loop for index in own if index.coefficients]
        if None in parallel or len(set(parallel)) < len(parallel):
            raise NotStructured("an init is not indexed by one loop for each dimension")
        found.add(frozenset(loop for loop in parallel if loop is not None))
    if len(found) != 1:
        raise NotStructured("its inits are not indexed by the same loops")
    (own,) = found
    return tuple(loop in own for loop in range(loops))
