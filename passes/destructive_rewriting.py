"""Carries out what was planned of destructive updates: stores and loads of tiles, loops that carry fewer tensors.

Everything has been decided; the order here is: what is stored first and reloaded last, updates and reads, then the
loops and branches from the innermost one on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from mlir import ir
from mlir.dialects import arith, tensor

from ..dialects import dispatch
from ..dialects.bufferizable import Subset
from ..dialects.subsets import mixed_subset, subview
from .analysis.snapshot import Snapshot
from .analysis.update_rewrites import ReadFrom, UpdateRewrite

__all__ = ["Rewriter", "erase_dead"]

_PURE_DIALECTS = frozenset({"affine", "arith", "linalg", "math", "tensor"})
"""Ops of these that have results have no effect but these: those that work on memrefs have none."""

_PURE = frozenset({"dispatch.load"})


class Rewriter:
    """Rewrites the program of one snapshot, which nothing may use for positions afterwards."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._dropped: dict[int, set[int]] = {}
        self._now: dict[int, ir.Value] = {}
        """What stands for a value that is reloaded."""

    def apply(
        self, rewrites: Sequence[UpdateRewrite], tiles: Iterable[tuple[int, int]], redundant: Iterable[int]
    ) -> None:
        """Carry out ``rewrites``, let slices of whole loads be loads, drop stores. Linear in what changes."""
        s = self._snapshot
        for store in redundant:
            s.ops[store].erase()
        targets = {rewrite.store: s.ops[rewrite.store].operands[1] for rewrite in rewrites}
        for rewrite in rewrites:
            self._begin_and_end(rewrite, targets[rewrite.store])
        done: set[int] = set()
        for rewrite in rewrites:
            done.update(access.op for access in rewrite.update.reads)
            self._read(rewrite, targets[rewrite.store])
        for rewrite in rewrites:
            for access in rewrite.update.updates:
                self._store(s.ops[access.op], targets[rewrite.store])
            for link in rewrite.update.links:
                self._dropped.setdefault(link.op, set()).add(link.index)
        for slice_, load in tiles:
            if slice_ not in done:
                self._load_tile(s.ops[slice_], s.ops[load].operands[0])
        for op in sorted(self._dropped, key=lambda op: s.op_exit[op]):
            if s.op_name[op] == "scf.for":
                self._drop_carried(s.ops[op], self._dropped[op])
            else:
                self._drop_results(s.ops[op], self._dropped[op])

    def _begin_and_end(self, rewrite: UpdateRewrite, target: ir.Value) -> None:
        """Store the source if the target has to hold it, let other users reload, and drop the store."""
        s = self._snapshot
        first, last, store = s.ops[rewrite.first], s.ops[rewrite.update.ops[-1]], s.ops[rewrite.store]
        value, source = s.values[rewrite.update.value], self._source(rewrite)
        location = store.location
        store.erase()
        if rewrite.copies_source:
            with ir.InsertionPoint(first), location:
                _write(source, target, None)
        if rewrite.reloads:
            with ir.InsertionPoint.after(last), location:
                reloaded = self._now[rewrite.update.value] = dispatch.load(target, result=value.type)
            value.replace_all_uses_with(reloaded)

    def _source(self, rewrite: UpdateRewrite) -> ir.Value:
        source = rewrite.update.source
        return self._now.get(source, self._snapshot.values[source])

    # --- reads and updates -------------------------------------------------------------------------------------

    def _read(self, rewrite: UpdateRewrite, target: ir.Value) -> None:
        s = self._snapshot
        source = self._source(rewrite)
        for access in rewrite.update.reads:
            op = s.ops[access.op]
            if rewrite.reads is ReadFrom.SOURCE:
                op.operands[s.operand_index(access.operand)] = source
                continue
            binding = target
            if rewrite.reads is ReadFrom.SOURCE_BINDING:
                binding = s.ops[s.value_op[rewrite.update.source]].operands[0]
            if op.name == "tensor.extract_slice":
                self._load_tile(op, binding)
            else:
                self._load_element(op, binding)

    def _load_tile(self, op: ir.Operation, binding: ir.Value) -> None:
        """Let a load stand for ``op``, a slice of what ``binding`` holds."""
        subset = mixed_subset(op, 1)
        with ir.InsertionPoint(op), op.location:
            tile = dispatch.load(binding, subset.offsets, subset.sizes, subset.strides, result=op.results[0].type)
        op.results[0].replace_all_uses_with(tile)
        op.erase()

    def _load_element(self, op: ir.Operation, binding: ir.Value) -> None:
        indices = list(op.operands)[1:]
        ones = [1] * len(indices)
        with ir.InsertionPoint(op), op.location:
            tile = dispatch.load(binding, indices, ones, ones)
            zero = arith.constant(ir.IndexType.get(), 0)
            element = tensor.extract(tile, [zero] * len(indices))
        op.results[0].replace_all_uses_with(element)
        op.erase()

    def _store(self, op: ir.Operation, target: ir.Value) -> None:
        """Let a store stand for an insertion; what it is inserted into goes on in its place."""
        tile, into = op.operands[0], op.operands[1]
        with ir.InsertionPoint(op), op.location:
            if op.name == "tensor.insert_slice":
                subset = mixed_subset(op, 2)
            else:
                indices = list(op.operands)[2:]
                ones = (1,) * len(indices)
                subset = Subset(tuple(indices), ones, ones)
                type_ = ir.RankedTensorType.get(ones, tile.type)
                tile = tensor.from_elements(type_, [tile])
            _write(tile, target, subset)
        op.results[0].replace_all_uses_with(into)
        op.erase()

    # --- loops and branches ------------------------------------------------------------------------------------

    def _drop_carried(self, op: ir.Operation, dropped: AbstractSet[int]) -> None:
        """Let an ``scf.for`` carry less: what it hands back of these is what it was given."""
        body = op.regions[0].blocks[0]
        operands = list(op.operands)
        kept = [operands[3 + i] for i in range(len(op.results)) if i not in dropped]
        for index in sorted(dropped, reverse=True):
            op.results[index].replace_all_uses_with(operands[3 + index])
            body.arguments[1 + index].replace_all_uses_with(operands[3 + index])
        _shrink_terminator(body, dropped)
        for index in sorted(dropped, reverse=True):
            body.erase_argument(1 + index)
        _replace(op, [*operands[:3], *kept], dropped)

    def _drop_results(self, op: ir.Operation, dropped: AbstractSet[int]) -> None:
        """Let an ``scf.if`` return less: both of its branches yield these from outside."""
        yielded = list(list(op.regions[0].blocks[0].operations)[-1].operation.operands)
        for index in dropped:
            op.results[index].replace_all_uses_with(yielded[index])
        for region in op.regions:
            _shrink_terminator(region.blocks[0], dropped)
        _replace(op, list(op.operands), dropped)


def _write(value: ir.Value, target: ir.Value, subset: Subset | None) -> None:
    """Store ``value`` into a slice of a binding or of a memref, or into the whole."""
    if not isinstance(target.type, ir.MemRefType):
        groups = ((), (), ()) if subset is None else (subset.offsets, subset.sizes, subset.strides)
        dispatch.store(value, target, *groups)
        return
    slice_ = target if subset is None else subview(target, subset, ir.ShapedType(value.type).shape)
    ir.Operation.create(
        "bufferization.materialize_in_destination",
        operands=[value, slice_],
        attributes={"restrict": ir.UnitAttr.get(), "writable": ir.UnitAttr.get()},
    )


def erase_dead(function: ir.Operation) -> None:
    """Erase what computes tensors and numbers that nobody uses. Linear in the ops of ``function``."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    function.walk(visit, ir.WalkOrder.PRE_ORDER)
    while found:
        op = found.pop()
        results = list(op.results)
        unused = results and all(next(iter(result.uses), None) is None for result in results)
        if unused and _is_pure(op):
            op.erase()


def _is_pure(op: ir.Operation) -> bool:
    """Whether neither ``op`` nor anything in it has an effect."""
    pure = True

    def visit(nested: ir.Operation) -> ir.WalkResult:
        nonlocal pure
        pure = pure and (nested.name in _PURE or nested.name.partition(".")[0] in _PURE_DIALECTS)
        return ir.WalkResult.ADVANCE

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return pure


def _shrink_terminator(block: ir.Block, dropped: AbstractSet[int]) -> None:
    old = list(block.operations)[-1].operation
    kept = [operand for index, operand in enumerate(old.operands) if index not in dropped]
    ir.Operation.create(old.name, operands=kept, ip=ir.InsertionPoint(old), loc=old.location)
    old.erase()


def _replace(op: ir.Operation, operands: Sequence[ir.Value], dropped: AbstractSet[int]) -> None:
    """Put an op without the dropped results in the place of ``op``."""
    left = [result for index, result in enumerate(op.results) if index not in dropped]
    new = ir.Operation.create(
        op.name,
        results=[result.type for result in left],
        operands=operands,
        attributes={name: op.attributes[name] for name in op.attributes},
        regions=len(op.regions),
        ip=ir.InsertionPoint(op),
        loc=op.location,
    )
    for region, target in zip(op.regions, new.regions, strict=True):
        region.blocks[0].append_to(target)
    for old, result in zip(left, new.results, strict=True):
        old.replace_all_uses_with(result)
    op.erase()
