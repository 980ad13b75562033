"""Linalg ops on tensors that can be left unoptimized until they are outlined into functions, and optimized there.

An op that is optimized where it stands becomes dozens of ops, which all later passes process, for each occurrence. Left
alone it is one op; outlined, it is optimized once for all occurrences.

A candidate is at the top level of its function, or in the body of a loop with a crowd of ops: what few ops of a loop
need may stay in registers, or be computed in front of it. It has one result, which is used, and static sizes. All its
operands fit into the second cache, so it is not packed together with other ops and needs no nontemporal stores. Or that
cache holds its result, and half of the last one all operands, and it is not tiled: a convolution of many weights or a
large image. What is elementwise behind it then reads the result from the cache, where it would have had it in registers
(`epilogues.py`); so such a candidate computes 256 products or more for each element. An op with few elements is better
kept in registers, between the ops around it. A fill of its init belongs to the candidate.
Ops that are optimized together are no candidates: members of a fusion group, and an elementwise op and a reduction that
may be joined.

Linear in the ops; nothing is changed. No upstream counterpart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from math import prod

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from ..linalg.structured_op import Structured, as_structured, type_bytes
from ..repetition.bodies import BodyReader, NotShared
from .cache_tiling import choose_tiling
from .fusion_groups import find_groups
from .machine import Machine

__all__ = ["BODIES", "MUCH_WORK", "Candidate", "find_candidates", "products_of_element", "unused_results"]

BODIES = frozenset({"scf.for", "scf.if", "scf.while"})
"""Ops in whose regions candidates may be: these run one after the other, on one thread."""
_FILL = "linalg.fill"
MUCH_WORK = 256
"""How many products of an element take a hundred times as long as to read it from the second cache once more."""
_SCALARS = ir.IntegerType | ir.FloatType | ir.IndexType


@frozen
class Candidate:
    """An op, the fill that it starts from, and what is computed with its result (`kernel_epilogues.py`), if any."""

    op: ir.Operation
    fill: ir.Operation | None
    epilogue: ir.Operation | None = None

    @property
    def ops(self) -> tuple[ir.Operation, ...]:
        """All of them, in their order."""
        return tuple([one for one in (self.fill, self.op, self.epilogue) if one is not None])


def find_candidates(
    function: ir.Operation, ops: Sequence[ir.Operation], machine: Machine, least: int, crowd: int, reader: BodyReader
) -> dict[int, list[Candidate]]:
    """Return the candidates among `ops`, the linalg ops on tensors of `function`, grouped by `reader`'s equality.

    Each has an operand of at least `least` elements, and a loop that it is in a body of at least `crowd` ops.
    """
    blocks = list(function.regions[0])
    if len(blocks) != 1:
        return {}
    found: dict[int, list[Candidate]] = {}
    unused, crowded = unused_results(ops), _crowded_blocks(ops, crowd) | {blocks[0]}
    for op in ops:
        # An unused op is erased when it is vectorized, but would not be as a function.
        if op.name == _FILL or op.block not in crowded or len(op.results) != 1 or op.results[0] in unused:
            continue
        candidate = Candidate(op, _fill_of(op))
        try:
            key, body = reader.read(candidate.ops)
        except NotShared:
            continue
        # Values from outside that only the payload uses are no operands.
        operands = {value for one in candidate.ops for value in one.operands}
        if operands.issuperset(body.parameters):
            found.setdefault(key, []).append(candidate)
    loops: dict[ir.Value, tuple[bool, ...]] = {}
    fitting: dict[int, list[Candidate]] = {}
    for key, candidates in found.items():
        own = _loops(candidates[0].op, machine, least)
        if own is not None:
            fitting[key] = candidates
            loops.update((candidate.op.results[0], own) for candidate in candidates)
    return _without_companions(fitting, ops, loops, machine)


def _crowded_blocks(ops: Sequence[ir.Operation], crowd: int) -> Set[ir.Block]:
    """Return the blocks with at least `crowd` of `ops`, without fills, that run one after the other."""
    counts = Counter(op.block for op in ops if op.name != _FILL)
    return {block for block, count in counts.items() if count >= crowd and _runs_in_order(block)}


def _runs_in_order(block: ir.Block) -> bool:
    """Whether all ops around `block`, up to its function, are loops on one thread, or branches."""
    op = block.owner.operation
    while op.name in BODIES and op.parent is not None:
        op = op.parent.operation
    return op.name == "func.func"


def unused_results(ops: Sequence[ir.Operation]) -> set[ir.Value]:
    """Return the results of `ops` that are dead: all users are ops with dead results."""
    unused: set[ir.Value] = set()
    for op in reversed(ops):
        users = [use.owner.operation for result in op.results for use in result.uses]
        if all(len(user.results) and all(result in unused for result in user.results) for user in users):
            unused.update(op.results)
    return unused


def _fill_of(op: ir.Operation) -> ir.Operation | None:
    """Return the fill that defines the only init of `op`."""
    return defining_op(op.operands[len(op.operands) - 1], _FILL)


def _loops(op: ir.Operation, machine: Machine, least: int) -> tuple[bool, ...] | None:
    """Return for each loop of `op` whether it is parallel; None if the op is no candidate."""
    types = [value.type for value in op.operands]
    if not all(isinstance(type_, _SCALARS) or _is_plain(type_) for type_ in types):
        return None
    elements = max(prod(type_.shape) for type_ in types if isinstance(type_, ir.RankedTensorType))
    structured = as_structured(op) if elements >= least else None
    if structured is None or _names_tensors(structured.payload):
        return None
    sizes = [*map(type_bytes, types)]
    fits = sum(sizes) <= machine.l2 or _stays_whole(structured, sizes, machine)
    return structured.parallel if fits else None


def _stays_whole(op: Structured, sizes: Sequence[int], machine: Machine) -> bool:
    """Whether `op`, of operands of these `sizes`, computes much for each element, and the second cache has the result.

    It is not tiled then, either.
    """
    is_near = sizes[-1] <= machine.l2 and sum(sizes) <= machine.l3 // 2
    return is_near and products_of_element(op) >= MUCH_WORK and choose_tiling(op.op, machine) is None


def products_of_element(op: Structured) -> int:
    """Return how often the payload of `op` runs for each element of a result."""
    return prod(op.size(loop) for loop, parallel in enumerate(op.parallel) if not parallel)


def _names_tensors(payload: ir.Block) -> bool:
    """Whether an op in `payload` uses tensors, which are memrefs by the time the function is outlined."""
    work = [payload]
    while work:
        for view in work.pop().operations:
            op = view.operation
            if any(isinstance(value.type, ir.ShapedType) for value in (*op.operands, *op.results)):
                return True
            work += [block for region in op.regions for block in region]
    return False


def _is_plain(type_: ir.Type) -> bool:
    return isinstance(type_, ir.RankedTensorType) and type_.has_static_shape and type_.encoding is None


def _without_companions(
    found: Mapping[int, list[Candidate]],
    ops: Sequence[ir.Operation],
    loops: Mapping[ir.Value, tuple[bool, ...]],
    machine: Machine,
) -> dict[int, list[Candidate]]:
    """Return `found` without the ops that are optimized together with others."""
    taken: set[ir.Value] = set()
    for group in find_groups(ops, machine):
        taken.update(result for one in (group.root, *group.producers) for result in one.op.results)
    for candidates in found.values():
        for candidate in candidates:
            result = candidate.op.results[0]
            if not all(loops[result]):
                *inputs, _ = candidate.op.operands
                joined = [value for value in inputs if _may_be_joined(value, len(loops[result]), loops)]
                taken.update(joined)
                taken.update([result] if joined else [])
    kept = {
        key: [one for one in candidates if taken.isdisjoint(result for op in one.ops for result in op.results)]
        for key, candidates in found.items()
    }
    return {key: candidates for key, candidates in kept.items() if candidates}


def _may_be_joined(value: ir.Value, depth: int, loops: Mapping[ir.Value, tuple[bool, ...]]) -> bool:
    """Whether `value`, read by a reduction of `depth` loops, comes from an elementwise op and has other users.

    A reduction with more loops than `value` has dimensions, such as a product of matrices, reads elements more than
    once, so nothing is joined with it.
    """
    if not isinstance(value.type, ir.RankedTensorType) or value.type.rank != depth:
        return False
    op = defining_op(value)
    if op is None or op.name == _FILL or not op.name.startswith("linalg."):
        return False
    uses = iter(value.uses)
    next(uses)
    return all(loops.get(value, ())) and next(uses, None) is not None
