"""One-shot in-place analysis of a function: which operands are written, viewed and forwarded in place.

Contract: reads the IR through a snapshot and the op models' tables, changes nothing, and returns decisions with
reasons. The invariant, kept from the first decision to the last: *in every may-alias set, no decided write destroys
a value of the set that is still read.* It holds at the start, when every value has a buffer of its own (a loop's
argument and result share one). A tie is accepted only if joining its two sets keeps it (``conflicts/joining.py``). So
decisions may be taken in any order; the order only chooses which of two clashing ties is refused.

Order: that of a :class:`DecisionOrder`; in all of them a region op's body comes before the op's own ties. The default
is backwards: late writes are accepted first, and a clash between a loop's body and a use after the loop is resolved
by one copy in front of the loop.

This file decides the ties of ops that view and write, each op in its turn. Forwardings are decided elsewhere: of loops
in ``loops.py``, of terminators in ``region_exits.py``, of branches in ``branches.py``, of threads of parallel regions
in ``shared_outputs.py``. See docs/THEORY.md for the proofs.

Cost: near-linear in ops and uses (see ``conflicts/interference.py`` and ``conflicts/alias_sets.py``). Counterpart
upstream: ``OneShotAnalysis.cpp``, ``analyzeOp``; here a decision is never revisited, and no rule looks at all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial

from mlir import ir

from ....dialects.bufferizable import Relation
from ....dialects.support.frozen_classes import frozen
from ..conflicts.alias_sets import AliasSets
from ..conflicts.decisions import Conflict, Decision, Rule, Strategy
from ..conflicts.interference import Interference
from ..conflicts.joining import Joiner
from ..costs.optimality import Optimality
from ..effects.commit_chains import commit_refusals
from ..effects.reader import TensorEffects
from ..effects.summary import FunctionSummary
from ..effects.tables import Refusal, Tie
from .branches import BranchDecisions
from .decision_order import DecisionOrder
from .decision_record import DecisionRecord
from .function_tables import FunctionTables
from .handed_out import is_made_here
from .loops import CarriedDecisions
from .options import AnalysisOptions
from .region_exits import ExitDecisions
from .region_flow import carried_values
from .shared_outputs import OutputDecisions
from .summaries import summarize_function

__all__ = ["FunctionAnalysis", "OneShotAnalyzer"]

_LONGEST = 64
"""How many values a tensor without content is followed through."""


@frozen
class FunctionAnalysis:
    """The decisions of one function, by operand number, and the relations between its values that they imply."""

    function: int
    decisions: dict[int, Decision]
    sets: AliasSets
    redundant_writes: dict[int, tuple[int, ...]]
    """In-place writes that copy memory onto itself, unless one of these reshaped views turns out to be a copy."""
    summarize: Callable[[], FunctionSummary]
    """Of most outcomes nobody asks that."""
    refusals: tuple[Refusal, ...]
    optimality: Optimality | None = None
    """How near to the cheapest decisions these are, if that was asked for."""

    @cached_property
    def summary(self) -> FunctionSummary:
        """What callers must know, by what is known of the functions that this one calls when it is first asked for."""
        return self.summarize()

    def needs_buffer(self, effects: TensorEffects, value: int) -> bool:
        """Whether any use needs the buffer of ``value``, a tensor without content, instead of allocating its own."""
        return next(self.needing_buffer(effects, value), -1) >= 0

    def needing_buffer(self, effects: TensorEffects, value: int) -> Iterator[int]:
        """Yield the uses that need the buffer of ``value``, a tensor without content."""
        for operand in self._live_uses(effects, value):
            decision = self.decisions.get(operand)
            fresh = decision is not None and decision.strategy is Strategy.OUT_OF_PLACE and not decision.copies
            without = fresh and (effects.writes[operand] or operand in effects.forwards)
            if not without and not effects.shape_only[operand]:
                yield operand

    def _sized_by(self, effects: TensorEffects, value: int) -> Iterator[int]:
        """Yield the uses of ``value``, a tensor without content, that need no more than its sizes."""
        needing = set(self.needing_buffer(effects, value))
        return (operand for operand in self._live_uses(effects, value) if operand not in needing)

    def _live_uses(self, effects: TensorEffects, value: int) -> Iterator[int]:
        """Yield the uses of ``value`` that are neither dead nor forwarded to dead values."""
        s, dead = effects.snapshot, effects.dead_code(self.function)
        for operand in s.value_uses[value]:
            if s.operand_op[operand] not in dead.ops and operand not in dead.forwarded:
                yield operand

    def needing_forwarded(self, effects: TensorEffects, value: int) -> Iterator[int]:
        """Yield the uses that need the buffer of ``value``, a tensor without content, where it is forwarded to too.

        What is only forwarded to values that nothing needs the buffer of is removed by clean-up. A buffer that was
        forwarded says what its dynamic sizes are, so whatever is made in its place needs it.
        """
        s = effects.snapshot
        work, seen = [value], {value}
        while work and len(seen) < _LONGEST:
            target = work.pop()
            if target != value and not _is_static(s.values[target].type):
                yield from self._sized_by(effects, target)
            for operand in self.needing_buffer(effects, target):
                if operand not in effects.forwards:
                    yield operand
                    continue
                targets = [target for target in effects.forwards[operand] if target not in seen]
                work += targets
                seen.update(targets)
        for rest in work:
            yield from effects.snapshot.value_uses[rest]


class OneShotAnalyzer:
    """One analysis of op number ``function``, whose effects were added before; :meth:`run` decides every operand.

    ``refused``: operands that are out-of-place from the start, because of these conflicts; what a loop yields to its
    next iteration, and what threads insert, is decided all the same. ``lenient``: conflicts are ignored, for
    bounds on cost. ``tables`` are those of the function, which may be of another analysis, or those of a part of it, in
    which nothing else is decided. ``orders``: by operand that a loop yields, another order in which that is decided.
    """

    def __init__(
        self,
        effects: TensorEffects,
        function: int,
        options: AnalysisOptions,
        order: DecisionOrder,
        refused: Mapping[int, Conflict] | None = None,
        *,
        lenient: bool = False,
        tables: FunctionTables | None = None,
        orders: Mapping[int, DecisionOrder] | None = None,
    ) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._function = function
        self._options = options
        self._order = order
        self._sets = AliasSets()
        self._tables = tables = tables or FunctionTables(effects, function)
        self._ops = tables.ops
        self._around = tables.around
        self._program = tables.order
        self._check = Interference(effects, self._program, self._sets)
        self._live = live = tables.live
        self._joiner = joiner = Joiner(effects, self._sets, self._check)
        joiner.lenient = lenient
        self._record = record = DecisionRecord(effects, refused)
        self._carried = CarriedDecisions(
            joiner,
            record,
            live,
            return_allocs=options.return_allocs,
            order=order,
            orders=orders or {},
        )
        self._exits = ExitDecisions(joiner, record, first=order.exits_first)
        self._branches = BranchDecisions(joiner, record, function, self._carried)
        self._outputs = OutputDecisions(joiner, record, live, self._carried, copies=options.copy_before_write)
        self._commits = dict.fromkeys(commit.operand for commit in effects.commits.get(function, ()))
        self._handed_out: list[int] = []
        """The operands whose buffers escape and may be written."""
        self._postponed: dict[int, list[int]] = {}
        """By block, the operands whose decisions are postponed."""
        self.is_postponing = False
        """Whether any decision was taken in another turn because the order postpones some."""

    def run(self) -> FunctionAnalysis:
        """Enter the values, decide all operands in order, and return the result."""
        s, effects = self._snapshot, self._effects
        ops = self._ops
        self._enter_values()
        for op in ops:
            if op in self._around or op in effects.shared:
                self._join_first(op)
        for op in ops if effects.shared_outputs else ():
            self._outputs.decide(op)
        for op in ops:
            if op in s.op_successors and self._order.exits_first:
                self._branches.decide_first(op, self._exits)
            if op in self._around:
                self._exits.begin(op)
            if self._order.postpone:
                self._decide_choice(op)
        for operand in effects.required.get(self._function, ()):
            self._decide_tie(operand)
        for op in self._tables.turns(self._order):
            self._decide_op(op)
        self._decide_postponed(self._function)
        self._branches.finish()
        self._decide_commits()
        self._decide_handed_out()
        self._sets.settle()
        return self._result()

    @property
    def needed(self) -> set[int]:
        """The operands that are only out-of-place because they are refused from the start."""
        return self._record.needed

    @property
    def not_passed_on(self) -> dict[int, Conflict]:
        """By operand that a loop yields, why its buffer itself is not passed on."""
        return self._record.not_passed_on

    def stands(self, conflict: Conflict) -> bool:
        """Whether a conflict of another analysis is one by what this one, which has run, knows."""
        if conflict.write < 0:
            return True
        attempt = self._joiner.begin((self._snapshot.operand_value[conflict.write],))
        attempt.left = 1 + len(self._ops)
        reads = self._live.reads(conflict.value) if conflict.value >= 0 else ()
        return self._check.stands(conflict, self._live.write(conflict.write), reads, attempt)

    def _result(self) -> FunctionAnalysis:
        redundant, decisions, part = {}, self._record.decisions, self._tables.part
        if part is not None:
            values = self._snapshot.operand_value
            decisions = {o: decision for o, decision in decisions.items() if values[o] in part}
        for operand, decision in decisions.items():
            reshaped = self._check.frames.redundant_by(operand) if decision.in_place else None
            if reshaped is not None:
                redundant[operand] = reshaped
        return FunctionAnalysis(
            self._function,
            decisions,
            self._sets,
            redundant,
            partial(summarize_function, self._effects, self._sets, self._function, redundant),
            tuple(self._record.refusals or commit_refusals(self._effects, self._function, redundant)),
        )

    # --- values ------------------------------------------------------------------------------------------------

    def _enter_values(self) -> None:
        """Seed each alias set with its value's definition and reads."""
        s, effects = self._snapshot, self._effects
        has_parallel_regions = any(
            s.block_parallel[block] >= 0 for op in self._around for region in s.op_regions[op] for block in region
        )
        for value in self._tables.values:
            if self._check.iterations.is_candidate(value):
                self._sets.make(value)
            reads = self._tables.reads(value)
            readonly = value in effects.readonly
            if not reads and not readonly and not has_parallel_regions:
                continue
            storage = self._sets.storage(value)
            storage.first = self._program.definition(value)
            self._joiner.enter_reads(value, reads)
            if readonly:
                storage.readonly.append(value)

    def _join_first(self, op: int) -> None:
        """Join the values that may share memory independently of any decision.

        These are a loop's argument and result, as either is the initial buffer or a yielded one, and the results of a
        call that may be one buffer of the callee's. Those that must be in the buffer of one operand are in one buffer,
        whether that is a copy or not.
        """
        for _, argument, result in carried_values(self._effects, op):
            if result >= 0:
                self._sets.merge(argument, result)
                self._sets.come_from(result, argument)
        for first, second in self._effects.shared.get(op, ()):
            self._sets.merge(first, second)
            self._sets.come_from(second, first)
        for operand in self._snapshot.operands(op) if op in self._effects.shared else ():
            ties = self._effects.ties.get(operand, ())
            alike = [tie.value for tie in ties if self._effects.is_same_buffer(operand, tie.value)]
            for value in alike[1:]:
                self._sets.unite(alike[0], value)

    # --- decisions ---------------------------------------------------------------------------------------------

    def _decide_op(self, op: int) -> None:
        s, effects, record = self._snapshot, self._effects, self._record
        self._exits.decide_waiting(op)
        rotating = op in self._around and self._decide_regions(op)
        if op in s.op_successors:
            for header, blocks in self._branches.entered_loops(op):
                self._decide_postponed_in(blocks)
                self._branches.decide_rounds(header)
            self._branches.decide(op)
        for operand in self._order.operands(s, op):
            if operand in record.decisions or operand in self._commits:
                continue
            if effects.writes[operand] and effects.escapes[operand]:
                self._handed_out.append(operand)
                continue
            if operand in effects.ties or effects.writes[operand] or effects.escapes[operand]:
                if self._order.postpone and record.is_cheap(operand) and not effects.must_in_place[operand]:
                    self.is_postponing = True
                    self._postponed.setdefault(s.op_block[op], []).append(operand)
                else:
                    self._decide_tie(operand)
            elif operand in effects.forwards and s.op_regions[op]:
                self._carried.decide_initial(operand, rotating=rotating)

    def _decide_regions(self, op: int) -> bool:
        """Decide the forwardings of the regions of ``op``; return whether it is a loop that swaps buffers."""
        self._decide_postponed(op)
        self._exits.decide_passed(op)
        carried = carried_values(self._effects, op)
        rotating = self._carried.decide(op, carried) if carried else False
        self._exits.unite(op)
        return rotating

    def _decide_commits(self) -> None:
        """Decide the committing writes, last: the content of that memory is known by then."""
        for operand in self._commits:
            self._decide_tie(operand)

    def _decide_handed_out(self) -> None:
        """Decide the buffers that others may write, when it is known where each of them comes from."""
        for operand in self._handed_out:
            self._decide_tie(operand)

    def _decide_postponed(self, op: int) -> None:
        """Decide the postponed operands of the blocks of ``op``, or postpone them to the enclosing block.

        Not in or out of loops: whether a loop yields its carried buffer depends on every decision in its body.
        """
        s = self._snapshot
        outside = op != self._function and s.block_loop[s.op_block[op]] < 0 and not carried_values(self._effects, op)
        for block in (block for region in s.op_regions[op] for block in region):
            if outside and block in self._postponed:
                self._postponed.setdefault(s.op_block[op], []).extend(self._postponed.pop(block))
            self._decide_postponed_in((block,))

    def _decide_postponed_in(self, blocks: Iterable[int]) -> None:
        for block in blocks:
            for operand in self._postponed.pop(block, ()):
                self._decide_tie(operand)

    def _decide_tie(self, operand: int) -> None:
        """Decide whether an operand that its op views or writes is in place."""
        effects = self._effects
        value = self._snapshot.operand_value[operand]
        ties = effects.ties.get(operand, ())
        writes = [self._live.write(operand)] if effects.writes[operand] else []
        if writes and self._options.copy_before_write and not effects.must_in_place[operand]:
            self._record.refuse(operand, Conflict(Rule.COPY_BEFORE_WRITE, write=operand))
            return
        if writes and effects.escapes[operand] and not is_made_here(effects, value, self._record.decisions):
            self._record.refuse(operand, Conflict(Rule.ESCAPES, write=operand, value=value))
            return
        if any(tie.relation is Relation.RESHAPED for tie in ties) and self._surely_copies(operand):
            self._record.refuse(operand, Conflict(Rule.NOT_CONTIGUOUS, value=value))
            return
        attempt = self._joiner.begin([value, *(tie.value for tie in ties)], writes)
        for tie in ties:
            self._state(tie, operand, value)
        conflict = self._record.decide(self._joiner, attempt, operand)
        if conflict is not None:
            for tie in ties:
                alone = tie.relation is Relation.EQUIVALENT or (tie.relation is Relation.VIEW and len(ties) == 1)
                if tie.definite and alone and effects.sources[tie.value] == [operand]:
                    self._check.iterations.copy(operand, tie.value)
        self._record.enter(operand, conflict)

    def _surely_copies(self, operand: int) -> bool:
        s = self._snapshot
        op = s.operand_op[operand]
        if not self._effects.whole_slices.isdisjoint(self._effects.sources.get(s.operand_value[operand], ())):
            # The model takes it for a slice that leaves gaps.
            return False
        model = self._effects.model(op)
        return model is not None and model.surely_copies(s.ops[op], s.operand_index(operand))

    def _state(self, tie: Tie, operand: int, value: int) -> None:
        """State the relation of a result tied to ``operand``, whose value is ``value``, given that it is in place."""
        sets, relation = self._sets, tie.relation if tie.definite else Relation.UNKNOWN
        if relation is Relation.EQUIVALENT:
            sets.unite(tie.value, value)
        elif relation is Relation.VIEW:
            sets.link(tie.value, value, self._effects.slices[operand])
        elif relation is Relation.RESHAPED:
            sets.link(tie.value, value, None)
        else:
            sets.come_from(tie.value, value)

    def _decide_choice(self, op: int) -> None:
        """Decide an op whose result may be one of several buffers, such as a select, like branch yields."""
        effects, s = self._effects, self._snapshot
        for operand in s.operands(op):
            ties = effects.ties.get(operand, ())
            if not effects.writes[operand] and any(len(effects.sources[tie.value]) > 1 for tie in ties):
                self.is_postponing = True
                self._decide_tie(operand)


def _is_static(type_: ir.Type) -> bool:
    return isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
