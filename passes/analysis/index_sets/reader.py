"""Reads the symbols, slices and loops of a snapshot into a table.

Indices are sums of values (``sums.py``). Here the values are defined: induction variables, ``affine.min`` and ``max``,
quotients and remainders by constants, products, sizes of tensors, and workgroup ids, sizes and counts. Everything else
is a symbol that may be any integer in each iteration of the loops around it.

Loops are ``scf.for``, ``scf.forall`` and ``scf.parallel``; any other op that may run a region more than once counts as
a loop without an upper bound, and so does a CFG. The grid of workgroups is a loop for each dimension.

Cost: each value and each block once; definitions are followed to a fixed depth. Counterpart upstream:
``ValueBoundsOpInterface``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mlir import ir

from ..ir.grid_uniformity import GridUniformity
from ..ir.snapshot import Snapshot
from .slices import Slice
from .sums import Index, IndexSums, Symbol, add, affine_value, index_symbols, index_terms
from .symbols import IndexTerms, InductionVariable, Range

__all__ = ["Follow", "IndexReader"]

_DEEPEST = 32
"""The depth to which definitions of values are followed; deeper ones are symbols."""

_DIVISIONS = frozenset(
    f"arith.{name}" for name in ("floordivsi", "ceildivsi", "ceildivui", "divsi", "divui", "remsi", "remui")
)

Follow = Callable[[int, int], "int | tuple[int, int]"]
"""The source of a dynamic size of a tensor value: a number, a dimension of a value, or an index value and -1."""


class IndexReader:
    """Reads from one snapshot into one table; ``follow`` may say where sizes come from (``effects/sizes.py``)."""

    def __init__(self, snapshot: Snapshot, follow: Follow | None = None, terms: IndexTerms | None = None) -> None:
        self.terms = IndexTerms() if terms is None else terms
        self._snapshot = snapshot
        self._sums = IndexSums(snapshot)
        self._follow = follow
        self._uniformity = GridUniformity(snapshot)
        self._known: dict[int, Index] = {}
        self._named: dict[tuple[str, int, int], Symbol] = {}
        self._loops: dict[int, tuple[InductionVariable, ...]] = {}
        self._around: dict[int, tuple[InductionVariable, ...]] = {-1: ()}
        self._grids: dict[int, tuple[InductionVariable, ...]] = {}

    # --- slices and indices ------------------------------------------------------------------------------------

    def slice(self, slice_: Slice) -> Slice:
        """Return a slice over the snapshot's symbols as one over the table's."""
        parts = (slice_.offsets, slice_.sizes, slice_.strides)
        return Slice(*(tuple(self._refined(index, _DEEPEST) for index in part) for part in parts))

    def index(self, value: int) -> Index:
        """Return an index value."""
        return self._value(value, _DEEPEST)

    def _value(self, value: int, depth: int) -> Index:
        return self._refined(self._sums.of(self._snapshot.values[value]), depth)

    def _refined(self, index: Index, depth: int) -> Index:
        total: Index | None = index if isinstance(index, int) else 0
        constant = getattr(index, "constant", 0)
        for symbol, factor in index_terms(index):
            total = None if total is None else add(total, self._symbol(symbol, depth), factor)
        total = None if total is None else add(total, constant)
        if total is None:
            for symbol in index_symbols(index):
                self._declared(symbol)
            return index
        return total

    def _symbol(self, value: int, depth: int) -> Index:
        if value not in self._known:
            found = self._looked_into(value, depth - 1) if depth > 0 else None
            self._known[value] = self._declared(value) if found is None else found
        return self._known[value]

    def _declared(self, value: int) -> Symbol:
        """Return the value as a symbol that may differ between iterations of the loops around it."""
        loops = self.loops_around(self._snapshot.value_block[value])
        if not isinstance(self.terms.definitions.get(value), InductionVariable):
            self.terms.surroundings[value] = frozenset((*(loop.variable for loop in loops), *self._ids(value)))
        return Symbol(value)

    def _ids(self, value: int) -> Iterator[int]:
        """Yield the ids of workgroups that ``value`` may depend on in an unknown way."""
        block = self._snapshot.value_block[value]
        dimensions = self._uniformity.dimensions(block)
        if dimensions and not self._uniformity.is_uniform(value):
            for dimension in dimensions:
                yield self._id(block, dimension).value

    def _looked_into(self, value: int, depth: int) -> Index | None:
        s = self._snapshot
        op = s.value_op[value]
        if op < 0:
            # Reading the loop defines the induction variables.
            self.loops_around(s.value_block[value])
            return None
        name = s.op_name[op]
        if name == "tensor.dim":
            return self._size(op, value, depth)
        if name.startswith("dispatch.workgroup_"):
            return self._workgroup(op)
        if not name.startswith(("affine.", "arith.")):
            return None
        operands = [self._value(s.operand_value[operand], depth) for operand in s.operands(op)]
        if name.startswith("affine."):
            return self._affine(op, operands)
        return self._arithmetic(name, operands) if len(operands) == 2 else None

    def _affine(self, op: int, operands: Sequence[Index]) -> Index | None:
        s = self._snapshot
        if s.op_name[op] not in ("affine.apply", "affine.min", "affine.max"):
            return None
        map_ = ir.AffineMapAttr(s.ops[op].attributes["map"]).value
        entries = [affine_value(map_, i, operands, self._non_linear) for i in range(len(map_.results))]
        known = [entry for entry in entries if entry is not None]
        if len(known) < len(entries):
            return None
        return known[0] if len(known) == 1 else self.terms.extremum(known, is_largest=s.op_name[op] == "affine.max")

    def _non_linear(self, kind: ir.AffineExpr, first: Index, second: Index) -> Index | None:
        if isinstance(kind, ir.AffineMulExpr):
            return self.terms.product(first, second)
        if not isinstance(second, int) or second <= 0:
            return None
        if isinstance(kind, ir.AffineFloorDivExpr):
            return self.terms.quotient(first, second)
        if isinstance(kind, ir.AffineCeilDivExpr):
            return self._rounded_up(first, second)
        return self._remainder(first, second) if isinstance(kind, ir.AffineModExpr) else None

    def _arithmetic(self, name: str, operands: Sequence[Index]) -> Index | None:
        first, second = operands
        if name in ("arith.minsi", "arith.maxsi"):
            return self.terms.extremum(operands, is_largest=name == "arith.maxsi")
        if name == "arith.muli":
            return self.terms.product(first, second)
        if name not in _DIVISIONS or not isinstance(second, int) or second <= 0:
            return None
        # The others round to 0, or take a negative number for a huge one.
        if name not in ("arith.floordivsi", "arith.ceildivsi") and not self.terms.is_never_negative(first):
            return None
        if name.startswith("arith.rem"):
            return self._remainder(first, second)
        return self._rounded_up(first, second) if "ceil" in name else self.terms.quotient(first, second)

    def _rounded_up(self, first: Index, second: int) -> Index | None:
        above = add(first, second - 1)
        return None if above is None else self.terms.quotient(above, second)

    def _remainder(self, first: Index, second: int) -> Index | None:
        return add(first, self.terms.quotient(first, second), -second)

    # --- sizes -------------------------------------------------------------------------------------------------

    def size(self, tensor: int, dimension: int) -> Index:
        """Return a dimension of a tensor value."""
        return self._followed(tensor, dimension, _DEEPEST)

    def _size(self, op: int, value: int, depth: int) -> Index | None:
        s = self._snapshot
        tensor, which = (s.operand_value[operand] for operand in s.operands(op))
        dimension = self._value(which, depth)
        if not isinstance(dimension, int):
            self.terms.definitions[value] = Range(0)
            return None
        return self._followed(tensor, dimension, depth)

    def _followed(self, tensor: int, dimension: int, depth: int) -> Index:
        s = self._snapshot
        found = (tensor, dimension) if self._follow is None else self._follow(tensor, dimension)
        if isinstance(found, int):
            return found
        if found[1] < 0:
            return self._value(found[0], depth)
        type_ = s.values[found[0]].type
        if isinstance(type_, ir.RankedTensorType) and found[1] < type_.rank and not type_.is_dynamic_dim(found[1]):
            return type_.shape[found[1]]
        loops = self.loops_around(s.value_block[found[0]])
        return self._name(
            "size", found[0], found[1], Range(0), (*(loop.variable for loop in loops), *self._ids(found[0]))
        )

    def _name(self, kind: str, value: int, index: int, range_: Range, variables: Sequence[int] = ()) -> Symbol:
        key = (kind, value, index)
        if key not in self._named:
            self._named[key] = self.terms.fresh(range_, variables)
        return self._named[key]

    # --- loops -------------------------------------------------------------------------------------------------

    def loops_around(self, block: int) -> tuple[InductionVariable, ...]:
        """Return the loops around ``block``, outermost first."""
        s = self._snapshot
        path: list[int] = []
        while block not in self._around:
            path.append(block)
            block = s.parent_block(block)
        for inner in reversed(path):
            self._around[inner] = (*self._around[s.parent_block(inner)], *self._loops_of(inner))
        return self._around[path[0] if path else block]

    def _loops_of(self, block: int) -> tuple[InductionVariable, ...]:
        """Return the loops of the op around ``block``."""
        s = self._snapshot
        op = s.block_op[block]
        if op not in self._loops:
            self._loops[op] = ()
            branches = s.block_branches[block] >= 0
            if branches or any(s.block_loop[b] == b for region in s.op_regions[op] for b in region):
                self._loops[op] = self._read_loop(op, block) or (self.terms.loop(0, None),)
        return self._loops[op]

    def _read_loop(self, op: int, block: int) -> tuple[InductionVariable, ...]:
        s = self._snapshot
        name, attributes = s.op_name[op], s.ops[op].attributes
        operands = [s.operand_value[operand] for operand in s.operands(op)]
        bounds: list[list[Index]]
        if name == "scf.for" and "unsignedCmp" not in attributes:
            bounds = [[self.index(operand)] for operand in operands[:3]]
        elif name == "scf.parallel":
            counts = ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"])
            rank = counts[0]
            bounds = [[self.index(v) for v in operands[k * rank : (k + 1) * rank]] for k in range(3)]
        elif name == "scf.forall":
            dynamic = iter(operands)
            bounds = []
            for key in ("staticLowerBound", "staticUpperBound", "staticStep"):
                static = ir.DenseI64ArrayAttr(attributes[key])
                marker = ir.ShapedType.get_dynamic_size()
                bounds.append([self.index(next(dynamic)) if number == marker else number for number in static])
        else:
            return ()
        if any(isinstance(step, int) and step <= 0 for step in bounds[2]):
            return ()
        first = s.block_first_argument[block]
        return tuple(self.terms.define_loop(first + k, *entries) for k, entries in enumerate(zip(*bounds, strict=True)))

    # --- workgroups --------------------------------------------------------------------------------------------

    def workgroups(self, function: int) -> tuple[InductionVariable, ...]:
        """Return the loops over the ids of workgroups that ``function`` uses, the last dimension outermost."""
        if function not in self._grids:
            s = self._snapshot
            ids = [op for op in s.nested_ops(function) if s.op_name[op] == "dispatch.workgroup_id"]
            found = {self._dimension(op): self._workgroup(op) for op in ids}
            definitions = [self.terms.definitions[found[d].value] for d in sorted(found, reverse=True)]
            self._grids[function] = tuple(loop for loop in definitions if isinstance(loop, InductionVariable))
        return self._grids[function]

    def _dimension(self, op: int) -> int:
        return ir.IntegerAttr(self._snapshot.ops[op].attributes["dimension"]).value

    def _workgroup(self, op: int) -> Symbol:
        """Return the symbol for a number of the grid: one for all ops of a function."""
        s = self._snapshot
        dimension, block = self._dimension(op), s.op_block[op]
        if s.op_name[op] == "dispatch.workgroup_id":
            return self._id(block, dimension)
        return self._name(s.op_name[op], self._top(block), dimension, Range(1))

    def _id(self, block: int, dimension: int) -> Symbol:
        """Return the id in ``dimension``, the variable of a loop over the workgroups."""
        top = self._top(block)
        count = self._name("dispatch.workgroup_count", top, dimension, Range(1))
        symbol = self._name("dispatch.workgroup_id", top, dimension, Range(0, count))
        self.terms.define_loop(symbol.value, 0, count)
        return symbol

    def _top(self, block: int) -> int:
        """Return the block of the function around ``block``."""
        while self._snapshot.parent_block(block) > 0:
            block = self._snapshot.parent_block(block)
        return block
