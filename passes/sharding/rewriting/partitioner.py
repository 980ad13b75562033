"""Build the program of one rank from an annotated one, op by op.

Each tensor has a split. Structured and elementwise ops compute on shards, with reductions between ranks where a loop
that reduces is split; loops carry shards; every other op runs on whole tensors, on every rank. What an op needs in
another split than it is there is brought to it (`resharding.py`), once for each split.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, scf, tensor

from ....dialects.elementwise import ElementwiseModel
from ....dialects.registry import find_model
from ....dialects.structured import fill
from ....dialects.support.cloning import attributes_of, clone_with
from ....dialects.support.constants import constant_float, constant_integer, is_splat, number_of
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.index_math import as_value
from ...analysis.linalg.structured_op import Structured, as_structured
from ...vectorization.rewriting.neutral import neutral_element
from .loop_axes import REDUCTIONS, axes_of_loops, combiner_of, split_of
from .resharding import empty_of, part_extent, reshard
from .splits import RankGrid, Split, read_split, whole

__all__ = ["Partitioner"]

_DEPTH = 8


class Partitioner:
    """Builds ops on shards for the ops of one function."""

    def __init__(self, grid: RankGrid) -> None:
        self.grid = grid
        self.splits: dict[ir.Value, Split] = {}
        self.scopes: list[dict[tuple[ir.Value, Split], ir.Value]] = [{}]
        self.others: dict[ir.Value, ir.Value] = {}
        """What replaces values that are no ranked tensors."""

    def define(self, value: ir.Value, split: Split, shard: ir.Value) -> None:
        """State what the shard of a tensor is."""
        self.splits[value] = split
        self.scopes[-1][value, split] = shard

    def shard(self, value: ir.Value, split: Split | None = None) -> ir.Value:
        """The value on this rank; a tensor in the split that is asked for, or else its own."""
        if value not in self.splits:
            return self.others[value]
        own = self.splits[value]
        wanted = own if split is None else split
        for scope in reversed(self.scopes):
            if (value, wanted) in scope:
                return scope[value, wanted]
        made = self._made_anew(value, wanted)
        if made is None:
            made = reshard(self.grid, self.shard(value), ir.RankedTensorType(value.type), own, wanted)
        self.scopes[-1][value, wanted] = made
        return made

    def _made_anew(self, value: ir.Value, split: Split) -> ir.Value | None:
        """A tensor without content, or of equal elements, in another split: nothing is brought from elsewhere."""
        op = defining_op(value)
        if op is None or self.splits[value] != whole(value.type):
            return None
        if op.name == "tensor.empty" and not len(op.operands):
            return self._empty(ir.RankedTensorType(value.type), split)
        if op.name == "linalg.fill":
            init = self.shard(op.operands[1], split)
            return fill(self.others[op.operands[0]], init)
        local = self.grid.local_type(ir.RankedTensorType(value.type), split)
        if is_splat(value) and local.has_static_shape:
            return arith.constant(local, ir.DenseElementsAttr.get_splat(local, number_of(value)))
        return None

    def _empty(self, type_: ir.RankedTensorType, split: Split) -> ir.Value:
        local = self.grid.local_type(type_, split)
        sizes = [
            part_extent(self.grid, type_.shape[dimension], split[dimension])[1]
            for dimension in range(type_.rank)
            if local.is_dynamic_dim(dimension)
        ]
        return empty_of(local, sizes)

    def block(self, block: ir.Block) -> None:
        """Build all ops of a block but the terminator."""
        for op in list(block.operations)[:-1]:
            with op.operation.location:
                self.op(op.operation)

    def op(self, op: ir.Operation) -> None:
        """Build what one op becomes."""
        if op.name == "shard.sharding":
            return
        if op.name == "shard.shard":
            source = op.operands[0]
            split = read_split(op, ir.RankedTensorType(source.type).rank)
            self.define(op.results[0], split, self.shard(source, split))
            return
        if _has_ranked_tensors(op) and not _touches_memory(op):
            structured = as_structured(op)
            if structured is not None and len(op.results):
                self._structured(structured)
                return
            if isinstance(find_model(op.name), ElementwiseModel) and _is_elementwise(op):
                self._elementwise(op)
                return
            if op.name == "scf.for" and len(op.results):
                self._loop(op)
                return
        self._everywhere(op)

    def _everywhere(self, op: ir.Operation) -> None:
        """Clone an op that runs on whole tensors, regions and all."""
        known: dict[ir.Value, ir.Value] = {}
        for value in _used_from_outside(op):
            known[value] = self.shard(value, whole(value.type) if value in self.splits else None)
        copy = clone_with(op, known)
        for old, new in zip(op.results, copy.results, strict=True):
            if isinstance(old.type, ir.RankedTensorType):
                self.define(old, whole(old.type), new)
            else:
                self.others[old] = new

    def _elementwise(self, op: ir.Operation) -> None:
        type_ = ir.RankedTensorType(op.results[0].type)
        split = self._wanted(op.results[0])
        if split is None:
            candidates = [self.splits[value] for value in op.operands]
            split = next((one for one in candidates if one != whole(type_)), whole(type_))
        operands = [self.shard(value, split) for value in op.operands]
        types = [self.grid.local_type(ir.RankedTensorType(result.type), split) for result in op.results]
        made = ir.Operation.create(op.name, results=types, operands=operands, attributes=attributes_of(op))
        for old, new in zip(op.results, made.results, strict=True):
            self.define(old, split, new)

    def _wanted(self, value: ir.Value, depth: int = _DEPTH) -> Split | None:
        """The split that an annotation asks for, of the tensor or of what is computed from it element by element."""
        users = [use.owner.operation for use in value.uses]
        for user in users:
            if user.name == "shard.shard" and user.operands[0] == value:
                return read_split(user, ir.RankedTensorType(value.type).rank)
        if depth == 0:
            return None
        for user in users:
            if len(user.results) == 1 and user.results[0].type == value.type and _keeps_places(user, value):
                wanted = self._wanted(user.results[0], depth - 1)
                if wanted is not None:
                    return wanted
        return None

    def _structured(self, structured: Structured) -> None:
        op = structured.op
        splits = [self.splits.get(value) for value in op.operands]
        axes = axes_of_loops(structured, splits, self._wanted(op.results[0]))
        wanted = [split_of(structured, number, axes) for number in range(len(op.operands))]
        reduced = tuple(axis for loop in structured.reduction_loops for axis in axes[loop] if self.grid.shape[axis] > 1)
        pairs = zip(op.operands, wanted, strict=True)
        operands = [self.shard(value, split if value in self.splits else None) for value, split in pairs]
        combiner = combiner_of(structured) if reduced else None
        init = operands[-1]
        starts_anew = combiner is not None and not _is_zero(op.operands[len(op.operands) - 1], combiner)
        if combiner is not None and starts_anew:
            operands[-1] = fill(neutral_element(combiner), self._like(init))
        results: list[ir.Value] = list(self._on_shards(structured, operands, axes).results)
        if combiner is not None:
            results = [self._all_reduced(results[0], reduced, REDUCTIONS[combiner.name])]
            if starts_anew:
                results = [_combined(combiner, init, results[0])]
        for number, (old, new) in enumerate(zip(op.results, results, strict=True)):
            self.define(old, wanted[structured.inputs + number], new)

    def _like(self, shard: ir.Value) -> ir.Value:
        type_ = ir.RankedTensorType(shard.type)
        sizes = [tensor.dim(shard, as_value(d)) for d in range(type_.rank) if type_.is_dynamic_dim(d)]
        return empty_of(type_, sizes)

    def _on_shards(
        self, structured: Structured, operands: Sequence[ir.Value], axes: Sequence[tuple[int, ...]]
    ) -> ir.Operation:
        """The op on shards; what its payload asks of iterations are those of the whole."""
        op = structured.op
        starts = {
            loop: part_extent(self.grid, _whole_size(structured, loop), axes[loop])[0]
            for loop in structured.loops
            if axes[loop] and structured.asks_for_iterations
        }
        captured = {
            value: self.shard(value, whole(value.type) if value in self.splits else None)
            for value in _used_from_outside(op, regions_only=True)
        }
        types = [operands[number].type for number in structured.outputs]
        made = ir.Operation.create(
            op.name, results=types, operands=list(operands), attributes=attributes_of(op), regions=len(op.regions)
        )
        _clone_payload(op, made, captured)
        for one in [o.operation for o in made.regions[0].blocks[0].operations if o.operation.name == "linalg.index"]:
            loop = ir.IntegerAttr(one.attributes["dim"]).value
            if loop in starts:
                with ir.InsertionPoint.after(one):
                    moved = arith.addi(one.results[0], as_value(starts[loop]))
                one.results[0].replace_all_uses_except(moved, moved.owner.operation)
        return made

    def _all_reduced(self, value: ir.Value, axes: Sequence[int], kind: str) -> ir.Value:
        return ir.Operation.create(
            "shard.all_reduce",
            results=[value.type],
            operands=[value],
            attributes={
                "grid": ir.FlatSymbolRefAttr.get(self.grid.name),
                "grid_axes": ir.Attribute.parse(f"array<i16: {', '.join(map(str, axes))}>"),
                "reduction": ir.Attribute.parse(f"#shard<partial {kind}>"),
            },
        ).result

    def _loop(self, op: ir.Operation) -> None:
        """A loop carries shards in the splits of its inits, or of what it yields."""
        body = op.regions[0].blocks[0]
        carried = list(op.operands)[3:]
        pairs = zip(carried, list(body.arguments)[1:], strict=True)
        splits = [self._carried_split(value, argument) for value, argument in pairs]
        bounds = [self.shard(value) for value in list(op.operands)[:3]]
        inits = [self.shard(value, split) for value, split in zip(carried, splits, strict=True)]
        loop = scf.ForOp(bounds[0], bounds[1], bounds[2], inits)
        self.others[body.arguments[0]] = loop.induction_variable
        self.scopes.append({})
        with ir.InsertionPoint(loop.body):
            for old, new, split in zip(list(body.arguments)[1:], loop.inner_iter_args, splits, strict=True):
                self._define_any(old, split, new)
            self.block(body)
            yielded = list(list(body.operations)[-1].operands)
            scf.yield_([self.shard(value, split) for value, split in zip(yielded, splits, strict=True)])
        self.scopes.pop()
        for old, new, split in zip(op.results, loop.results, splits, strict=True):
            self._define_any(old, split, new)

    def _carried_split(self, value: ir.Value, argument: ir.Value) -> Split | None:
        if value not in self.splits:
            return None
        wanted = self._wanted(argument)
        return self.splits[value] if wanted is None else wanted

    def _define_any(self, old: ir.Value, split: Split | None, new: ir.Value) -> None:
        if split is None:
            self.others[old] = new
        else:
            self.define(old, split, new)


def _whole_size(structured: Structured, loop: int) -> int:
    size = structured.sizes[loop]
    assert size is not None, "only known sizes are split"
    return size


def _has_ranked_tensors(op: ir.Operation) -> bool:
    return any(isinstance(value.type, ir.RankedTensorType) for value in (*op.operands, *op.results))


def _touches_memory(op: ir.Operation) -> bool:
    return any(isinstance(value.type, ir.MemRefType | ir.UnrankedMemRefType) for value in op.operands)


def _is_elementwise(op: ir.Operation) -> bool:
    types = [value.type for value in (*op.operands, *op.results)]
    shapes = {tuple(type_.shape) for type_ in types if isinstance(type_, ir.RankedTensorType)}
    all_ranked = all(isinstance(type_, ir.RankedTensorType) for type_ in types)
    return bool(len(op.operands)) and all_ranked and len(shapes) == 1


def _keeps_places(user: ir.Operation, value: ir.Value) -> bool:
    """Whether an op computes each element of its result from that element of the value, and perhaps more."""
    if isinstance(find_model(user.name), ElementwiseModel):
        return _is_elementwise(user)
    structured = as_structured(user)
    if structured is None:
        return False
    output = structured.indices[structured.inputs]
    numbers = [number for number, operand in enumerate(user.operands) if operand == value]
    return len(structured.outputs) == 1 and all(structured.indices[number] == output for number in numbers)


def _is_zero(value: ir.Value, combiner: ir.Operation) -> bool:
    """Whether a sum starts from a tensor of zeros, which may be added on every rank."""
    op = defining_op(value, "linalg.fill")
    if op is None or combiner.name not in ("arith.addf", "arith.addi"):
        return False
    return 0 in (constant_float(op.operands[0]), constant_integer(op.operands[0]))


def _combined(combiner: ir.Operation, init: ir.Value, value: ir.Value) -> ir.Value:
    """The init combined with what all ranks have reduced."""
    made = ir.Operation.create(
        combiner.name, results=[value.type], operands=[init, value], attributes=attributes_of(combiner)
    )
    return made.result


def _used_from_outside(op: ir.Operation, *, regions_only: bool = False) -> list[ir.Value]:
    """The operands, unless only regions count, and the values from above that the regions use, each once."""
    found: dict[ir.Value, None] = {}
    inside: set[ir.Value] = set()

    def visit(one: ir.Operation) -> None:
        for value in () if regions_only and one == op else one.operands:
            if value not in inside:
                found.setdefault(value)
        for region in one.regions:
            for block in region.blocks:
                inside.update(block.arguments)
            for block in region.blocks:
                for inner in block.operations:
                    visit(inner.operation)
        inside.update(one.results)

    visit(op)
    return [value for value in found if value not in inside]


def _clone_payload(op: ir.Operation, made: ir.Operation, known: dict[ir.Value, ir.Value]) -> None:
    source = op.regions[0].blocks[0]
    types = [argument.type for argument in source.arguments]
    target = made.regions[0].blocks.append(*types, arg_locs=[argument.location for argument in source.arguments])
    inner = dict(known)
    inner.update(zip(source.arguments, target.arguments, strict=True))
    with ir.InsertionPoint(target):
        for one in source.operations:
            clone_with(one.operation, inner)
