"""Destructive updates: tensors that loops and branches carry and update slice by slice, found on SSA values.

From the *source* to the final value leads a chain of versions of one tensor: results of insertions, loops and branches.
The chain is a destructive update if all versions could share one buffer: each version but the last is read only before
the next one is defined, no other op updates it, and a loop yields each carried tensor at the position of its own
argument. An ``scf.for``, ``scf.while``, ``scf.forall`` or ``scf.if`` is a :class:`Link` of the chain, with a chain in
each of its blocks. Which elements the slices cover is decided in ``proofs.py``.

Cost: linear in ops and uses, at any depth: each result is visited once, inner ops first. Nothing is changed. See
docs/theory/destructive-updates.md.
"""

from __future__ import annotations

import enum
from bisect import bisect_left
from collections.abc import Iterator

from ....dialects.support.frozen_classes import frozen_slots
from ..effects.reader import TensorEffects

__all__ = ["DestructiveUpdate", "DestructiveUpdates", "Link", "RefusedUpdate", "UpdateAccess", "UpdateRule"]

_BRANCH, _FOR, _FORALL, _WHILE = "scf.if", "scf.for", "scf.forall", "scf.while"
_LINKS = frozenset({_BRANCH, _FOR, _FORALL, _WHILE})
_SLICE_READS = frozenset({"tensor.extract", "tensor.extract_slice", "vector.transfer_read"})


class UpdateRule(enum.Enum):
    """Why a result is not a destructive update. The value is the phrase that remarks use."""

    UNUSED = "the region argument is not used"
    UNCHANGED = "no element is updated"
    NO_UPDATE = "the yielded value is not an update of the region argument"
    PING_PONG = "the yielded value is an update of another region argument"
    SECOND_VERSION = "the same version is updated twice"
    LATE_READ = "the old version is read after the update"
    READ_MEANWHILE = "the old version is read inside of the op that updates it"
    WHOLE_READ = "the whole tensor is used, not a slice of it"
    CAPTURED_TWICE = "the branches update different tensors"


@frozen_slots
class UpdateAccess:
    """Operand ``operand`` of op ``op`` reads a part of the tensor, or is the destination of an update of a part."""

    op: int
    operand: int
    is_conditional: bool = False
    """Whether a branch or a loop without bounds lies between the outermost op of the chain and ``op``."""


@frozen_slots
class Link:
    """Result ``index`` of ``op``, a loop or a branch, is the version that it makes of ``source``."""

    op: int
    index: int
    source: int
    chains: tuple[tuple[int | Link, ...], ...]
    """For each block, the updated operands and the nested links, in order."""
    reads: tuple[int, ...]
    carried: int
    """The index of the init that the chain starts from: the same as ``index`` except for ``scf.while``."""


@frozen_slots
class RefusedUpdate:
    """Result ``index`` of ``op`` is not a destructive update, by ``rule``, because of op ``culprit``."""

    op: int
    index: int
    rule: UpdateRule
    culprit: int


@frozen_slots
class DestructiveUpdate:
    """``value`` is ``source`` after a chain of updates; everything by its number in the snapshot."""

    value: int
    source: int
    ops: tuple[int, ...]
    """The ops of the outermost chain, first to last: loops, branches and insertions."""
    loops: tuple[int, ...]
    """All loops and branches that carry or yield the tensor, outer ones first."""
    updates: tuple[UpdateAccess, ...]
    reads: tuple[UpdateAccess, ...]
    links: tuple[Link, ...]

    @property
    def is_write_only(self) -> bool:
        """Whether no part of the tensor is read."""
        return not self.reads


_Step = tuple[int | Link, int]
"""The step that defines a version, and the previous version."""


class DestructiveUpdates:
    """The destructive updates of one snapshot; ``effects`` must be filled for the functions in question."""

    def __init__(self, effects: TensorEffects) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._links: dict[tuple[int, int], Link | RefusedUpdate] = {}

    def of_function(self, function: int) -> tuple[list[DestructiveUpdate], list[RefusedUpdate]]:
        """Return the maximal updates of ``function`` and the refused results, each in program order."""
        s = self._snapshot
        ops = s.nested_ops(function)
        for op in sorted((op for op in ops if s.op_name[op] in _LINKS), key=lambda op: s.op_exit[op]):
            for result in s.results(op):
                if s.value_is_tensor[result]:
                    self._links[op, s.value_index[result]] = self._link(op, s.value_index[result])
        accepted: list[DestructiveUpdate] = []
        refused: list[RefusedUpdate] = []
        claimed: set[int] = set()
        for value in self._candidates(ops):
            found = None if value in claimed else self.of_value(value)
            if isinstance(found, DestructiveUpdate):
                accepted.append(found)
                claimed.update(self._versions(found))
            elif found is not None and found.op == s.value_op[value]:
                refused.append(found)
        return accepted[::-1], refused[::-1]

    def _candidates(self, ops: range) -> Iterator[int]:
        """Yield results of loops, branches and insertions of slices, outer ones and later ones first."""
        s = self._snapshot
        for op in sorted(ops, key=lambda op: -s.op_exit[op]):
            for value in s.results(op):
                if s.value_is_tensor[value] and (
                    s.op_name[op] in _LINKS
                    or any(o in self._effects.slices for o in (self._updated_operand(value),) if o >= 0)
                ):
                    yield value

    def _versions(self, update: DestructiveUpdate) -> Iterator[int]:
        s = self._snapshot
        for access in update.updates:
            yield from s.results(access.op)
        for link in update.links:
            yield s.op_first_result[link.op] + link.index

    def of_value(self, value: int) -> DestructiveUpdate | RefusedUpdate | None:
        """Return the longest chain of updates that ends at ``value``; None if no update defines it.

        :meth:`of_function` must have been called before for the function of ``value``.
        """
        chain: list[int | Link] = []
        reads: list[int] = []
        source, block = value, self._snapshot.value_block[value]
        while (step := self._step(source, block)) is not None:
            if isinstance(step, RefusedUpdate):
                if not chain:
                    return step
                break
            between: list[int] = []
            # An op that computes all of a tensor starts the chain of updates of its slices.
            if chain and not isinstance(step[0], Link) and step[0] not in self._effects.slices:
                break
            if chain and self._misuse(source, chain[-1], within=-1, reads=between) is not None:
                break
            reads.extend(between)
            chain.append(step[0])
            source = step[1]
        if not chain:
            return None
        found = self._flattened(value, source, chain[::-1], reads)
        if not found.updates:
            op = self._snapshot.value_op[value]
            return RefusedUpdate(op, self._snapshot.value_index[value], UpdateRule.UNCHANGED, op)
        return found

    # --- one op ------------------------------------------------------------------------------------------------

    def _link(self, op: int, index: int) -> Link | RefusedUpdate:
        name = self._snapshot.op_name[op]
        if name == _BRANCH:
            return self._branch(op, index)
        if name == _FORALL:
            return self._forall(op, index)
        return self._loop(op, index)

    def _loop(self, op: int, index: int) -> Link | RefusedUpdate:
        """Follow a tensor carried by ``scf.for`` or ``scf.while`` through the one or two blocks of the loop."""
        s = self._snapshot
        chains: list[tuple[int | Link, ...]] = []
        reads: list[int] = []
        skipped = 1 if s.op_name[op] == _FOR else 0
        init = self._init_of(op, index)
        carried = init if skipped == 0 else index
        for region in s.op_regions[op]:
            last = s.block_ops[region[0]][-1]
            enters, leaves = (index, carried) if region[0] != s.op_regions[op][0][0] else (carried, index)
            argument = s.block_first_argument[region[0]] + skipped + enters
            yielded = s.op_first_operand[last] + leaves + (s.op_name[last] == "scf.condition")
            if not s.value_uses[argument]:
                return RefusedUpdate(op, index, UpdateRule.UNUSED, op)
            found = self._chain(op, index, region[0], yielded, reads)
            if isinstance(found, RefusedUpdate):
                return found
            chain, source = found
            if source != argument:
                back = source >= 0 and s.value_op[source] < 0 and s.block_op[s.value_block[source]] == op
                rule = UpdateRule.PING_PONG if back else UpdateRule.NO_UPDATE
                made = -1 if back or source < 0 else s.value_op[source]
                return RefusedUpdate(op, index, rule, made if made >= 0 else last)
            chains.append(chain)
        first = s.op_first_operand[op] + (3 if skipped else 0)
        return Link(op, index, s.operand_value[first + carried], tuple(chains), tuple(reads), carried)

    def _init_of(self, op: int, index: int) -> int:
        """Return the index of the ``scf.while`` init whose chain ends at result ``index``."""
        s = self._snapshot
        if s.op_name[op] == _FOR:
            return index
        block = s.op_regions[op][0][0]
        value = s.operand_value[s.op_first_operand[s.block_ops[block][-1]] + 1 + index]
        while not isinstance(step := self._step(value, block), RefusedUpdate) and step is not None:
            value = step[1]
        return s.value_index[value] if s.value_op[value] < 0 and s.value_block[value] == block else index

    def _forall(self, op: int, index: int) -> Link | RefusedUpdate:
        s = self._snapshot
        block = s.op_regions[op][0][0]
        count = s.op_result_count[op]
        argument = s.block_first_argument[block] + s.block_argument_count[block] - count + index
        uses = s.value_uses[argument]
        if not uses:
            return RefusedUpdate(op, index, UpdateRule.UNUSED, op)
        updates = tuple(use for use in uses if s.op_name[s.operand_op[use]] == "tensor.parallel_insert_slice")
        reads: list[int] = []
        for use in uses:
            problem = None if use in updates else self._refusal_of(use, reads)
            if problem is not None:
                return RefusedUpdate(op, index, problem, s.operand_op[use])
        source = s.operand_value[s.op_first_operand[op] + s.op_operand_count[op] - count + index]
        return Link(op, index, source, (updates,), tuple(reads), index)

    def _branch(self, op: int, index: int) -> Link | RefusedUpdate:
        """Both branches start from the same tensor from outside; one of them may yield it unchanged."""
        s = self._snapshot
        sources: list[int] = []
        chains: list[tuple[int | Link, ...]] = []
        reads: list[int] = []
        for region in s.op_regions[op]:
            yielded = s.op_first_operand[s.block_ops[region[0]][-1]] + index
            found = self._chain(op, index, region[0], yielded, reads)
            if isinstance(found, RefusedUpdate):
                return found
            chains.append(found[0])
            sources.append(found[1])
            source = sources[-1]
            if source < 0 or s.is_inside(s.value_position[source], op):
                culprit = s.value_op[source] if source >= 0 and s.value_op[source] >= 0 else op
                return RefusedUpdate(op, index, UpdateRule.NO_UPDATE, culprit)
        if len(set(sources)) > 1:
            return RefusedUpdate(op, index, UpdateRule.CAPTURED_TWICE, op)
        return Link(op, index, sources[0], tuple(chains), tuple(reads), index)

    # --- one block ---------------------------------------------------------------------------------------------

    def _chain(
        self, op: int, index: int, block: int, yielded: int, reads: list[int]
    ) -> tuple[tuple[int | Link, ...], int] | RefusedUpdate:
        """Return the steps of ``block`` that define its yielded value, first to last, and the value they start from."""
        s = self._snapshot
        value = s.operand_value[yielded]
        after: int | Link = yielded
        steps: list[int | Link] = []
        while True:
            problem = self._misuse(value, after, within=block, reads=reads) if value >= 0 else None
            if problem is not None:
                return RefusedUpdate(op, index, *problem)
            step = self._step(value, block)
            if step is None:
                return tuple(reversed(steps)), value
            if isinstance(step, RefusedUpdate):
                return step
            steps.append(step[0])
            after, value = step

    def _step(self, value: int, block: int) -> _Step | RefusedUpdate | None:
        """Return the step in ``block`` that defines ``value`` from an earlier version; None if there is none."""
        s = self._snapshot
        op = s.value_op[value] if value >= 0 else -1
        if op < 0 or s.op_block[op] != block:
            return None
        found = self._links.get((op, s.value_index[value]))
        if isinstance(found, RefusedUpdate):
            return found
        if found is not None:
            return found, found.source
        operand = self._updated_operand(value)
        return None if operand < 0 else (operand, s.operand_value[operand])

    def _updated_operand(self, value: int) -> int:
        """Return the one destination operand that ``value`` is tied to; -1 if there is none."""
        s, effects = self._snapshot, self._effects
        op = s.value_op[value]
        if op < 0 or (s.op_regions[op] and s.op_name[op].startswith("scf.")):
            return -1
        found = [
            operand
            for operand in effects.sources.get(value, ())
            if s.operand_op[operand] == op and effects.writes[operand] and effects.is_same_buffer(operand, value)
        ]
        return found[0] if len(found) == 1 and s.operand_value[found[0]] >= 0 else -1

    # --- uses --------------------------------------------------------------------------------------------------

    def _misuse(self, value: int, after: int | Link, *, within: int, reads: list[int]) -> tuple[UpdateRule, int] | None:
        """Return why ``value`` cannot be overwritten by the next step, ``after``; enters the reads before it.

        Only uses in block ``within`` count: the block that defines ``value`` or captures it. -1 for all uses.
        """
        s = self._snapshot
        op = after.op if isinstance(after, Link) else s.operand_op[after]
        begin, end = s.op_enter[op], s.op_exit[op]
        # The uses inside of a branch were checked with the branch.
        skipped = (begin, end) if isinstance(after, Link) and s.op_name[op] == _BRANCH else None
        for use in self._uses(value, within, skipped):
            if use == after or (isinstance(after, Link) and self._is_only_init(use, op)):
                continue
            position = s.operand_position(use)
            problem = self._refusal_of(use, reads)
            if problem is None and position > end:
                problem = UpdateRule.LATE_READ
            elif problem is None and position >= begin:
                problem = UpdateRule.READ_MEANWHILE
            if problem is not None:
                return problem, s.operand_op[use]
        return None

    def _is_only_init(self, use: int, op: int) -> bool:
        """Whether ``use`` is an init of ``op`` and the only operand of ``op`` with its value."""
        s = self._snapshot
        if s.operand_op[use] != op or use not in self._effects.forwards:
            return False
        return [s.operand_value[operand] for operand in s.operands(op)].count(s.operand_value[use]) == 1

    def _uses(self, value: int, block: int, skipped: tuple[int, int] | None) -> Iterator[int]:
        """Yield the uses of ``value`` inside of ``block``, except those strictly inside of ``skipped``."""
        s = self._snapshot
        uses = s.value_uses[value]
        # Uses are in program order.
        place = 0 if block < 0 else bisect_left(uses, s.block_begin[block], key=s.operand_position)
        while place < len(uses):
            position = s.operand_position(uses[place])
            if block >= 0 and position > s.block_end[block]:
                return
            if skipped is not None and skipped[0] < position < skipped[1]:
                place = bisect_left(uses, skipped[1], lo=place, key=s.operand_position)
                continue
            yield uses[place]
            place += 1

    def _refusal_of(self, use: int, reads: list[int]) -> UpdateRule | None:
        """Return why ``use`` is neither a slice read nor a `tensor.dim`, None if it is one; enters slice reads."""
        s, effects = self._snapshot, self._effects
        op = s.operand_op[use]
        if s.op_name[op] == "tensor.dim":
            return None
        if effects.writes[use] or use in effects.forwards:
            return UpdateRule.SECOND_VERSION
        if s.op_name[op] not in _SLICE_READS:
            return UpdateRule.WHOLE_READ
        reads.append(use)
        return None

    # --- the outcome -------------------------------------------------------------------------------------------

    def _flattened(self, value: int, source: int, chain: list[int | Link], between: list[int]) -> DestructiveUpdate:
        """Return the chain with all nested chains, outer ops first; ``between`` are the reads between its steps."""
        s = self._snapshot
        links: list[Link] = []
        updates: list[UpdateAccess] = []
        reads = [UpdateAccess(s.operand_op[use], use) for use in between]
        waiting: list[tuple[int | Link, bool]] = [(step, False) for step in reversed(chain)]
        while waiting:
            step, conditional = waiting.pop()
            if not isinstance(step, Link):
                updates.append(UpdateAccess(s.operand_op[step], step, conditional))
                continue
            links.append(step)
            inner = conditional or s.op_name[step.op] in (_BRANCH, _WHILE)
            reads.extend(UpdateAccess(s.operand_op[use], use, inner) for use in step.reads)
            waiting.extend((nested, inner) for nested_chain in step.chains[::-1] for nested in nested_chain[::-1])
        ops = tuple(step.op if isinstance(step, Link) else s.operand_op[step] for step in chain)
        reads.sort(key=lambda access: access.operand)
        loops = tuple(dict.fromkeys(link.op for link in links))
        return DestructiveUpdate(value, source, ops, loops, tuple(updates), tuple(reads), tuple(links))
