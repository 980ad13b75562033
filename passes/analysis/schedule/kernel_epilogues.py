"""Candidates that become kernels together: a reduction, and the elementwise op that alone reads its result.

A kernel that ends with the reduction would store its result for another one to read, which takes a tenth of the time of
a convolution with few products for an element. Together they are one kernel, in which the op is an epilogue
(`epilogues.py`). Both have one buffer there: that which the op writes. So a pair is formed only where the op reads
of the result each element in whose place it writes, and does not read its own init, which has the type of the result,
and is new memory or a part of it, or the result itself; and where the reduction starts from a fill. A pair that is
repeated less often than kernels are stays two candidates; and so does one of a reduction of many products for an
element, of which more functions would have to be compiled, to save little.

Linear in the ops, and in the uses of what a reduction reads, up to a bound; nothing is changed. No upstream
counterpart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ..linalg.structured_op import Structured, type_bytes
from ..repetition.bodies import BodyReader, NotShared
from .epilogues import find_epilogue, may_move
from .kernel_candidates import MUCH_WORK, Candidate, products_of_element
from .machine import Machine
from .vector_plan import find_plan

__all__ = ["with_epilogues"]

_FILL = "linalg.fill"
_NEW = ("bufferization.alloc_tensor", "tensor.empty")
_Pair = tuple[Candidate, Candidate]


def with_epilogues(
    groups: Mapping[int, Sequence[Candidate]], machine: Machine, repeats: int, reader: BodyReader
) -> dict[int, list[Candidate]]:
    """Return `groups`, candidates by their keys, in which each pair that occurs `repeats` times is one candidate."""
    chosen = [
        (key, pairs)
        for key, pairs in _pairs(groups, machine, reader).items()
        if len(pairs) >= repeats and _is_epilogue(*pairs[0], machine)
    ]
    taken = {one.op.results[0] for _, pairs in chosen for pair in pairs for one in pair}
    kept = {key: [one for one in same if one.op.results[0] not in taken] for key, same in groups.items()}
    joined = {key: [replace(one, epilogue=other.op) for one, other in pairs] for key, pairs in chosen}
    return {key: same for key, same in {**kept, **joined}.items() if same}


def _pairs(groups: Mapping[int, Sequence[Candidate]], machine: Machine, reader: BodyReader) -> dict[int, list[_Pair]]:
    """Return the pairs that may be formed, as far as the ops around them say, by the keys of all that they do."""
    candidates: dict[ir.Value, Candidate] = {one.op.results[0]: one for same in groups.values() for one in same}
    pairs: dict[int, list[_Pair]] = {}
    followers: set[ir.Value] = set()
    for result, candidate in candidates.items():
        other = _follower(candidate, candidates)
        if other is None or other.op.results[0] in followers or type_bytes(result.type) <= machine.l1 // 2:
            continue
        try:
            key, _ = reader.read((*candidate.ops, other.op))
        except NotShared:
            continue
        if may_move(candidate.op, other.op):
            followers.add(other.op.results[0])
            pairs.setdefault(key, []).append((candidate, other))
    return pairs


def _follower(candidate: Candidate, candidates: Mapping[ir.Value, Candidate]) -> Candidate | None:
    """Return the candidate that alone reads the result of `candidate`, and may be computed in its buffer."""
    result, (*inputs, _) = candidate.op.results[0], candidate.op.operands
    users = {use.owner.operation for use in result.uses}
    user = users.pop() if len(users) == 1 else None
    other = candidates.get(user.results[0]) if user is not None and len(user.results) == 1 else None
    if candidate.fill is None or other is None or other.fill is not None or other.op.block != candidate.op.block:
        return None
    *read, init = other.op.operands
    if other.op.results[0].type != result.type or result not in read:
        return None
    is_own = init == result or (init not in read and init not in inputs and _is_new(init))
    return other if is_own else None


def _is_new(value: ir.Value) -> bool:
    """Whether `value` has a content that only a fill gave it, in memory of its own."""
    while (op := defining_op(value, _FILL, "tensor.extract_slice")) is not None:
        value = op.operands[1 if op.name == _FILL else 0]
    op = defining_op(value, *_NEW)
    return op is not None and not any(one.type == value.type for one in op.operands)


def _is_epilogue(candidate: Candidate, other: Candidate, machine: Machine) -> bool:
    """Whether the op of `other` is computed where that of `candidate` has its results in registers."""
    plan, following = find_plan(candidate.op, machine), find_plan(other.op, machine)
    if plan is None or following is None or products_of_element(plan.structured) >= MUCH_WORK:
        return False
    found = find_epilogue(plan, {other.op.results[0]: following}, (), machine)
    return found is not None and found.collapse is None and _in_place(following.structured, candidate.op.results[0])


def _in_place(structured: Structured, result: ir.Value) -> bool:
    """Whether an iteration reads nothing of `result` but the element in whose place it writes, and not its init."""
    init = structured.inputs
    read = [index for index, operand in enumerate(structured.op.operands) if operand == result and index < init]
    return not structured.reads[init] and all(structured.indices[one] == structured.indices[init] for one in read)
