"""One-shot in-place analysis of a function: which operands are written, viewed and forwarded in place.

Contract: reads the IR through a snapshot and the op models' tables, changes nothing, and returns decisions with
reasons. The invariant, kept from the first decision to the last: *in every may-alias set, no decided write destroys
a value of the set that is still read.* It holds at the start, when every value has a buffer of its own (a loop's
argument and result share one). A tie is accepted only if joining its two sets keeps it. So decisions may be
taken in any order; the order only chooses which of two clashing ties is refused.

Order: that of a :class:`DecisionOrder`; in all of them a region op's body comes before the op's own ties. The default
goes backwards: late writes get their way, and a clash between a loop's body and what is used after it is settled by
one copy in front of the loop.

Loops carry buffers. A yielded value that is equivalent to what the loop carries costs nothing. Yields that permute
the carried buffers are *rotated*: the loop swaps buffers. Anything else is copied: into the carried buffer if that
destroys nothing, else into a new buffer. See docs/THEORY.md for the arguments.

Cost: near-linear in ops and uses (see ``interference.py`` and ``alias_sets.py``). Counterpart upstream:
``OneShotAnalysis.cpp``, ``analyzeOp``; here a decision is never revisited, and no rule looks at all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ...dialects.bufferizable import Relation
from .alias_sets import AliasSets, Fact
from .analysis_options import AnalysisOptions
from .branch_flow import BranchFlow
from .decision_order import DecisionOrder
from .decisions import Conflict, Decision, Rule, Strategy
from .function_summary import FunctionSummary
from .interference import Interference
from .program_order import ProgramOrder
from .region_flow import Carried, carried_values, exit_values, passed_values, permuted
from .sizes import keeps_size
from .storage_set import StorageSet
from .summarize import summarize_function
from .tensor_effects import Refusal, TensorEffects, Tie
from .unranked import is_copyable, is_unranked

__all__ = ["FunctionAnalysis", "OneShotAnalyzer"]


_MOST_ROTATED = 64
"""How many buffers a loop may swap: each is compared with each. More are copied."""


@dataclass(frozen=True)
class FunctionAnalysis:
    """The decisions of one function, by operand number, and the relations between its values that they imply."""

    function: int
    decisions: dict[int, Decision]
    sets: AliasSets
    redundant_writes: dict[int, tuple[int, ...]]
    """In-place writes that copy memory onto itself, unless one of these reshaped views turns out to be a copy."""
    summary: FunctionSummary
    refusals: tuple[Refusal, ...]


class OneShotAnalyzer:
    """One analysis of op number ``function``, whose effects were added before; :meth:`run` decides every operand."""

    def __init__(self, effects: TensorEffects, function: int, options: AnalysisOptions, order: DecisionOrder) -> None:
        s = effects.snapshot
        self._effects = effects
        self._snapshot = s
        self._function = function
        self._options = options
        self._order = order
        self._sets = AliasSets(s.nested_values(function))
        exclusive = frozenset(op for op in s.nested_ops(function) if len(s.op_regions[op]) > 1 and self._exclusive(op))
        self._program = ProgramOrder(s, exclusive, effects.early_definitions)
        self._check = Interference(effects, self._program, self._sets)
        self._decisions: dict[int, Decision] = {}
        self._refusals: list[Refusal] = []
        self._has_parallel_regions = any(
            s.block_parallel[block] >= 0
            for op in s.nested_ops(function)
            for region in s.op_regions[op]
            for block in region
        )
        self._exits: dict[int, list[tuple[int, list[int]]]] = {}
        """For a terminator whose turn is still to come, what it hands to results only."""
        self._branches = BranchFlow(effects, function, self._sets, self._decisions)
        self._postponed: dict[int, list[int]] = {}
        self._settled: set[int] = set()
        """Loop arguments that are one buffer in every iteration."""

    def _exclusive(self, op: int) -> bool:
        model = self._effects.model(op)
        return model is not None and model.are_exclusive_regions(self._snapshot.ops[op])

    def run(self) -> FunctionAnalysis:
        """Enter the values, decide in order, and sum up."""
        s, effects = self._snapshot, self._effects
        ops = s.nested_ops(self._function)
        self._enter_values(self._function)
        for op in ops:
            self._enter_values(op)
        for op in ops:
            self._join_first(op)
        for op in ops if effects.shared_outputs else ():
            self._decide_outputs(op)
        for op in ops:
            self._begin_exits(op)
            if self._order.postpone:
                self._decide_choice(op)
        for op in self._order.ops(self._effects, self._function):
            self._decide_op(op)
        self._decide_postponed(self._function)
        for header in self._branches.waiting_headers():
            self._decide_rounds(header)
        for argument in self._branches.arguments:
            self._branches.unite(argument)
        redundant = {}
        for operand, decision in self._decisions.items():
            reshaped = self._check.redundant_by(operand) if decision.in_place else None
            if reshaped is not None:
                redundant[operand] = reshaped
        return FunctionAnalysis(
            self._function,
            self._decisions,
            self._sets,
            redundant,
            summarize_function(self._effects, self._sets, self._function),
            tuple(self._refusals),
        )

    # --- values ------------------------------------------------------------------------------------------------

    def _enter_values(self, op: int) -> None:
        s = self._snapshot
        for value in s.results(op) if op != self._function else ():
            self._enter_value(value)
        for region in s.op_regions[op]:
            for block in region:
                for value in s.arguments(block):
                    self._enter_value(value)

    def _enter_value(self, value: int) -> None:
        if not self._snapshot.value_is_tensor[value]:
            return
        reads = self._check.reads(value)
        readonly = value in self._effects.readonly
        if not reads and not readonly and not self._has_parallel_regions:
            return
        storage = self._sets.storage(value)
        storage.first = self._program.definition(value)
        for read in reads:
            storage.add_read(read)
        if readonly:
            storage.readonly.append(value)

    def _join_first(self, op: int) -> None:
        """Join what shares memory whatever is decided.

        A loop's argument and result: either is the initial buffer or a yielded one. Results of one call that may be
        one buffer of the callee's.
        """
        for _, argument, result in carried_values(self._effects, op):
            if result >= 0:
                self._sets.merge(argument, result)
                self._sets.come_from(result, argument)
        for first, second in self._effects.shared.get(op, ()):
            self._sets.merge(first, second)
            self._sets.come_from(second, first)

    # --- decisions ---------------------------------------------------------------------------------------------

    def _decide_op(self, op: int) -> None:
        s, effects = self._snapshot, self._effects
        for operand, targets in self._exits.get(op, ()):
            self._decide_exit(operand, targets)
        self._decide_postponed(op)
        self._decide_passed(op)
        if op in s.op_successors:
            self._decide_branch(op)
        carried = carried_values(self._effects, op)
        rotating = self._decide_carried(op, carried) if carried else False
        self._unite_exits(op)
        for operand in self._order.operands(s, op):
            if operand in self._decisions:
                continue
            if operand in effects.ties or effects.writes[operand] or effects.escapes[operand]:
                if self._order.postpone and self._is_cheap(operand):
                    self._postponed.setdefault(s.op_block[op], []).append(operand)
                else:
                    self._decide_tie(operand)
            elif operand in effects.forwards and self._is_region_op(op):
                self._decide_init(operand, rotating)

    def _is_cheap(self, operand: int) -> bool:
        """Whether refusing the operand costs a buffer but no copy, so that others may choose first."""
        effects = self._effects
        undefined = effects.undefined[self._snapshot.operand_value[operand]]
        return not effects.content_reads[operand] or bool(effects.discards[operand] or undefined)

    def _decide_postponed(self, op: int) -> None:
        """Decide what was put off in the blocks of ``op``, or put it off further.

        Whether a loop yields what it carries depends on every decision inside of it, so it has to be known by then.
        """
        s = self._snapshot
        outside = op != self._function and s.block_loop[s.op_block[op]] < 0 and not carried_values(self._effects, op)
        blocks = (block for region in s.op_regions[op] for block in region)
        for block in blocks:
            if outside and block in self._postponed:
                self._postponed.setdefault(s.op_block[op], []).extend(self._postponed.pop(block))
            for operand in self._postponed.pop(block, ()):
                self._decide_tie(operand)

    def _is_region_op(self, op: int) -> bool:
        return bool(self._snapshot.op_regions[op])

    def _accept(self, operand: int, strategy: Strategy = Strategy.IN_PLACE) -> None:
        self._decisions[operand] = Decision(operand, strategy)

    def _refuse(self, operand: int, conflict: Conflict, strategy: Strategy = Strategy.OUT_OF_PLACE) -> None:
        s, effects = self._snapshot, self._effects
        copies = not self._is_cheap(operand)
        self._decisions[operand] = Decision(operand, strategy, copies, conflict)
        if not is_copyable(effects, operand):
            message = f"operand #{s.operand_index(operand)} is unranked and cannot be copied, but {conflict.rule.value}"
            self._refusals.append(Refusal(s.ops[s.operand_op[operand]], message))
        if effects.must_in_place[operand]:
            message = f"operand #{s.operand_index(operand)} must be bufferized in-place, but {conflict.rule.value}"
            self._refusals.append(Refusal(s.ops[s.operand_op[operand]], message))

    def _decide_tie(self, operand: int) -> None:
        """Decide an operand that its op views or writes."""
        effects = self._effects
        value = self._snapshot.operand_value[operand]
        ties = effects.ties.get(operand, ())
        write = operand if effects.writes[operand] else -1
        if write >= 0 and self._options.copy_before_write:
            self._refuse(operand, Conflict(Rule.COPY_BEFORE_WRITE, write=write))
            return
        if write >= 0 and effects.escapes[operand]:
            self._refuse(operand, Conflict(Rule.ESCAPES, write=write, value=value))
            return
        if any(tie.relation is Relation.RESHAPED for tie in ties) and self._surely_copies(operand):
            self._refuse(operand, Conflict(Rule.NOT_CONTIGUOUS, value=value))
            return
        conflict = self._try(value, [t.value for t in ties], write, lambda: self._propose(operand, value, ties))
        if conflict is None:
            self._accept(operand)
        else:
            self._refuse(operand, conflict)

    def _surely_copies(self, operand: int) -> bool:
        s = self._snapshot
        op = s.operand_op[operand]
        model = self._effects.model(op)
        return model is not None and model.surely_copies(s.ops[op], s.operand_index(operand))

    def _propose(self, operand: int, value: int, ties: tuple[Tie, ...]) -> list[Fact]:
        """State what would be known if the operand were in place."""
        facts: list[Fact] = []
        for tie in ties:
            if tie.definite and tie.relation is Relation.EQUIVALENT:
                facts.append(self._sets.unite(tie.value, value))
            elif tie.definite and tie.relation is Relation.VIEW:
                facts.append(self._sets.link(tie.value, value, self._effects.slices[operand]))
            elif tie.definite and tie.relation is Relation.RESHAPED:
                facts.append(self._sets.link(tie.value, value, None))
            else:
                facts.append(self._sets.come_from(tie.value, value))
        return facts

    def _try(
        self, value: int, others: list[int], write: int | Sequence[int], propose: Callable[[], list[Fact]]
    ) -> Conflict | None:
        """Join the sets of ``value`` and ``others``, written by ``write`` if that is not -1, or say why not.

        ``propose`` states what would then be known; it is taken back when the answer is no.
        """
        sets = self._sets
        writes = [w for w in ((write,) if isinstance(write, int) else write) if w >= 0]
        storages = {sets.find(v): sets.storage(v) for v in (value, *others)}
        # More edges than sets they connect: members of one set may get an origin in common that they did not have.
        closing = len(storages) <= len(others)
        if closing and any(storage.rotating for storage in storages.values()):
            return Conflict(Rule.ROTATION_SHARED, write=next(iter(writes), -1), value=value)
        facts = propose()
        self._check.begin(len(storages))
        conflict = self._join_conflict(list(storages.values()), writes)
        spared = self._check.spared[:]
        if conflict is None and closing:
            conflict = next(filter(None, map(self._check.again, storages.values())), None)
        if conflict is not None:
            for fact in reversed(facts):
                sets.take_back(fact)
            return conflict
        for other in others:
            sets.merge(value, other)
        storage = sets.storage(value)
        storage.spared.extend(spared)
        self._check.threads.release(storage)
        for operand in writes:
            entry = self._check.write(operand)
            storage.add_write(entry)
            self._check.threads.confine(entry, storage)
        return None

    def _join_conflict(self, storages: list[StorageSet], writes: Sequence[int]) -> Conflict | None:
        for index, first in enumerate(storages):
            for second in storages[:index]:
                conflict = self._check.between(first, second)
                if conflict is not None:
                    return conflict
        for write in writes:
            for storage in storages:
                conflict = self._check.new_write(self._check.write(write), storage)
                if conflict is not None:
                    return conflict
        return None

    # --- region ops --------------------------------------------------------------------------------------------

    def _decide_outputs(self, op: int) -> None:
        """Decide whether what the runs of a parallel region insert goes to the buffer that their argument is.

        First of all, because everything else that they may write depends on it. They may not when some run still reads
        what another one inserts; then it goes to a copy of that buffer.
        """
        s, effects = self._snapshot, self._effects
        blocks = [block for region in s.op_regions[op] for block in region]
        for argument in (a for block in blocks for a in s.arguments(block) if a in effects.shared_outputs):
            result = effects.shared_outputs[argument].result
            insertions = effects.insertions.get(argument, [])
            self._settled.add(argument)
            self._check.threads.share(argument)
            conflict = Conflict(Rule.COPY_BEFORE_WRITE, write=insertions[0]) if insertions else None
            if conflict is None or not self._options.copy_before_write:
                conflict = self._try(argument, [result], insertions, partial(self._same, argument, [result]))
            if conflict is not None:
                self._check.threads.unshare(argument)
            for operand in insertions:
                if conflict is None:
                    self._accept(operand)
                else:
                    copies = bool(effects.value_read[result])
                    self._decisions[operand] = Decision(operand, Strategy.OUT_OF_PLACE, copies, conflict)

    def _decide_init(self, operand: int, rotating: bool) -> None:
        """Decide whether a loop may work in the buffer it is given."""
        sets, value = self._sets, self._snapshot.operand_value[operand]
        arguments = [v for v in self._effects.forwards[operand] if self._snapshot.value_op[v] < 0]
        argument = arguments[0]
        settled = argument in self._settled

        def propose() -> list[Fact]:
            return [sets.unite(value, argument) if settled else sets.come_from(argument, value)]

        if rotating and sets.find(value) == sets.find(argument):
            self._refuse(operand, Conflict(Rule.ROTATION_SHARED, value=value))
            return
        conflict = self._try(value, [argument], -1, propose)
        if conflict is None:
            self._accept(operand)
        else:
            self._refuse(operand, conflict)

    def _decide_passed(self, op: int) -> None:
        """Decide what one region of a loop hands to the next, or out of the loop: the same buffer, or a copy of it."""
        for operand, targets in passed_values(self._effects, op):
            value = self._snapshot.operand_value[operand]
            conflict = self._try(value, list(targets), -1, partial(self._same, value, targets))
            if conflict is None:
                self._accept(operand)
            else:
                self._refuse(operand, conflict)

    def _same(self, value: int, targets: Sequence[int]) -> list[Fact]:
        return [self._sets.unite(target, value) for target in targets]

    def _decide_carried(self, op: int, carried: list[Carried]) -> bool:
        """Decide what a loop yields to its next iteration; return whether it swaps buffers."""
        s, equivalence = self._snapshot, self._sets.equivalence
        pending = []
        for operand, argument, result in carried:
            if equivalence.find(s.operand_value[operand]) == equivalence.find(argument):
                self._accept(operand)
                self._settle(argument, result)
            elif not (self._is_reshaped(operand, argument) and self._pass_on(operand, argument)):
                pending.append(Carried(operand, argument, result))
        rotation = permuted(self._effects, self._sets, pending)
        rotates = bool(rotation) and self._options.return_allocs and self._rotate(op, rotation)
        swapped = set(rotation) if rotates else set()
        for entry in pending:
            if entry not in swapped:
                self._copy_carried(*entry)
        return rotates

    def _is_reshaped(self, operand: int, argument: int) -> bool:
        """Whether a loop yields a reshaped view of what it carries: the carried buffer, or a copy made in the body."""
        carried = self._sets.equivalence.find(argument)
        return any(root == carried for _, root in self._sets.reshapes(self._snapshot.operand_value[operand]))

    def _pass_on(self, operand: int, argument: int) -> bool:
        """Hand the next iteration the very buffer that is yielded, whichever it is, if that destroys nothing."""
        sets, value = self._sets, self._snapshot.operand_value[operand]
        if self._try(argument, [value], -1, lambda: [sets.come_from(argument, value)]) is not None:
            return False
        self._accept(operand, Strategy.PASS_ON)
        return True

    def _settle(self, argument: int, result: int) -> None:
        self._settled.add(argument)
        if result >= 0:
            self._sets.unite(argument, result)

    def _rotate(self, op: int, rotation: list[Carried]) -> bool:
        """Join the sets of buffers that a loop swaps, if they start apart and nothing is destroyed."""
        sets, s = self._sets, self._snapshot
        arguments = list(dict.fromkeys(argument for _, argument, _ in rotation))
        if len(rotation) > _MOST_ROTATED or len({sets.find(argument) for argument in arguments}) < len(arguments):
            return False
        results = [result for _, _, result in rotation if result >= 0]
        frames = [sets.rotate(arguments, 2 * op), sets.rotate(results, 2 * op + 1)]

        def propose() -> list[Fact]:
            return [sets.come_from(argument, s.operand_value[operand]) for operand, argument, _ in rotation]

        if self._try(arguments[0], arguments[1:], -1, propose) is not None:
            for frame in frames:
                sets.stop_rotating(frame)
            return False
        sets.storage(arguments[0]).rotating = True
        for operand, _, _ in rotation:
            self._accept(operand, Strategy.ROTATE)
        return True

    def _copy_carried(self, operand: int, argument: int, result: int) -> None:
        """Copy what is yielded into the carried buffer, or pass it on, in either order; else pass on a new copy."""
        value = self._snapshot.operand_value[operand]
        conflict = Conflict(Rule.NOT_EQUIVALENT, read=operand, value=value)
        ways = [partial(self._copy_to_carried, operand, argument, result)]
        if self._options.return_allocs and not is_unranked(self._effects, value):
            ways.insert(0 if self._order.pass_on else 1, partial(self._pass_on, operand, argument))
        if any(way() for way in ways):
            return
        self._refuse(operand, conflict)
        if not self._options.return_allocs:
            self._refuse_return(operand)

    def _copy_to_carried(self, operand: int, argument: int, result: int) -> bool:
        """Copy what a loop yields into the buffer that it carries, if that is as large and nothing is destroyed."""
        value = self._snapshot.operand_value[operand]
        apart = self._sets.find(value) != self._sets.find(argument)
        if not apart or not keeps_size(self._effects, value, argument) or is_unranked(self._effects, value):
            return False
        self._check.targets[operand] = argument
        if self._try(argument, [], operand, list) is not None:
            del self._check.targets[operand]
            return False
        conflict = Conflict(Rule.NOT_EQUIVALENT, read=operand, value=value)
        self._refuse(operand, conflict, Strategy.COPY_TO_CARRIED)
        self._settle(argument, result)
        return True

    def _refuse_return(self, operand: int) -> None:
        s = self._snapshot
        message = (
            f"operand #{s.operand_index(operand)} is not in the buffer that the loop carries and cannot be copied into "
            "it; yield an update of the iteration argument, or set allow-return-allocs-from-loops=true"
        )
        self._refusals.append(Refusal(s.ops[s.operand_op[operand]], message))

    def _begin_exits(self, op: int) -> None:
        """Decide what branches hand out, or leave it to the turns of their terminators.

        What enters a loop of branches has to wait for the loop's body.
        """
        s = self._snapshot
        if op in s.op_successors and self._order.exits_first:
            for operand, argument in self._branches.values(op):
                entered = self._branches.entered_loop(op, s.value_block[argument])
                if entered < 0 and not self._branches.waits(operand):
                    self._decide_exit(operand, [argument])
        for operand, targets in exit_values(self._effects, op):
            if self._order.exits_first:
                self._decide_exit(operand, targets)
            else:
                self._exits.setdefault(self._snapshot.operand_op[operand], []).append((operand, targets))

    def _decide_exit(self, operand: int, targets: list[int]) -> None:
        value = self._snapshot.operand_value[operand]
        conflict = self._try(value, targets, -1, partial(self._flow, value, targets))
        if conflict is None:
            self._accept(operand)
        else:
            self._refuse(operand, conflict)

    def _decide_branch(self, op: int) -> None:
        """Decide what ``op`` hands to the blocks it leads to, after the bodies of the loops that it enters."""
        s = self._snapshot
        for block in s.op_successors[op]:
            loop = self._branches.entered_loop(op, block)
            for inner in self._branches.blocks(loop) if loop >= 0 else ():
                for operand in self._postponed.pop(inner, ()):
                    self._decide_tie(operand)
            if loop >= 0:
                self._decide_rounds(block)
        for operand, argument in self._branches.values(op):
            if operand not in self._decisions and not self._branches.waits(operand):
                self._decide_edge(operand, argument)
        for argument in self._branches.joined(op):
            self._branches.unite(argument)

    def _decide_rounds(self, header: int) -> None:
        """Decide what a loop of branches hands to its next round: the same buffers in another order, or each alone."""
        rounds = self._branches.take_rounds(header)
        rotation = self._branches.rotation(rounds)
        if rotation:
            self._rotate(self._snapshot.operand_op[rotation[0].operand], rotation)
        for entry in (entry for edge in rounds for entry in edge):
            if entry.operand not in self._decisions:
                self._decide_edge(entry.operand, entry.argument)

    def _decide_edge(self, operand: int, argument: int) -> None:
        """Decide whether an argument may be the buffer itself; it is that always if it is itself on all other ways."""
        sets, value = self._sets, self._snapshot.operand_value[operand]
        if sets.equivalence.find(value) == sets.equivalence.find(argument):
            self._accept(operand)
            return
        settled = self._branches.is_settled(argument, operand)

        def propose() -> list[Fact]:
            return [sets.unite(value, argument) if settled else sets.come_from(argument, value)]

        conflict = self._try(value, [argument], -1, propose)
        if conflict is None:
            self._accept(operand)
        else:
            self._refuse(operand, conflict)

    def _decide_choice(self, op: int) -> None:
        """Decide an op that returns one of several buffers, such as a select, like branches."""
        effects, s = self._effects, self._snapshot
        for operand in s.operands(op):
            ties = effects.ties.get(operand, ())
            if not effects.writes[operand] and any(len(effects.sources[tie.value]) > 1 for tie in ties):
                self._decide_tie(operand)

    def _flow(self, value: int, targets: list[int]) -> list[Fact]:
        return [self._sets.come_from(target, value) for target in targets]

    def _unite_exits(self, op: int) -> None:
        """A result that is one class whichever region runs belongs to that class."""
        find = self._sets.equivalence.find
        results: dict[int, list[int]] = {}
        for operand, targets in exit_values(self._effects, op):
            for target in targets:
                results.setdefault(target, []).append(operand)
        for result, operands in results.items():
            values = [self._snapshot.operand_value[operand] for operand in operands]
            if all(self._decisions[o].in_place for o in operands) and len({find(value) for value in values}) == 1:
                self._sets.unite(result, values[0])
