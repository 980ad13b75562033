"""The bufferization plan: the in-place decisions of a function as equivalence classes of tensors that share one buffer.

Contract: changes nothing and decides nothing. The one-shot analysis decides, in one fixed order, and unites two sets
only if that causes no RaW conflict with a decided write (``conflicts/joining.py``). The plan records the outcome: for
every union the rule that proposed it, for every refusal the rule that refused it, with the ops concerned. So a class of
the plan is a may-alias set of the analysis, and every union in it has passed the interference check.

A class with the contents of a binding that the function commits is *stored*: its members are computed in place in the
output. A value stored from another buffer is a separation; its rule names the buffer.

Cost: that of the analysis, and linear in operands and values on top. docs/theory/foundations.md proves it correct.
Source: the plan of IREE's LinalgBufferize pass (2021); there, classes are joined by local rules (one use, not
read-only) without looking at reads, so what it ties is a subset of what is tied here.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

from ....dialects.bufferizable import Relation
from ....dialects.dispatch import access_of, binding_of, byte_offset_of, slot_of
from ..conflicts.decisions import Conflict, Decision, Rule, Strategy
from ..in_place.function_decisions import FunctionAnalysis
from ..whole_module.explain import conflict_notes
from ..whole_module.module import ModuleAnalysis
from .plan_data import (
    BufferClass,
    FunctionPlan,
    Note,
    PlannedValue,
    Separation,
    SeparationRule,
    Storage,
    StorageKind,
    Union,
    UnionKind,
    UnionRule,
)

__all__ = ["plan_of"]

_VIEWS = frozenset(
    {
        "tensor.bitcast",
        "tensor.cast",
        "tensor.collapse_shape",
        "tensor.expand_shape",
        "tensor.extract_slice",
        "tensor.reshape",
    }
)
_UPDATES = frozenset(
    {
        "bufferization.materialize_in_destination",
        "tensor.insert",
        "tensor.insert_slice",
        "tensor.scatter",
        "vector.scatter",
        "vector.transfer_write",
    }
)
_KINDS = {
    Relation.EQUIVALENT: UnionKind.SAME,
    Relation.VIEW: UnionKind.SLICE,
    Relation.RESHAPED: UnionKind.RESHAPE,
    Relation.UNKNOWN: UnionKind.MAYBE,
}
_SEPARATE = {
    StorageKind.CONSTANT: SeparationRule.CONSTANT,
    StorageKind.BINDING: SeparationRule.OTHER_BINDING,
    StorageKind.ARGUMENT: SeparationRule.ARGUMENT,
    StorageKind.GIVEN: SeparationRule.GIVEN,
}


def plan_of(analysis: ModuleAnalysis) -> tuple[FunctionPlan, ...]:
    """Return the plans of the functions of ``analysis``, callees first. Linear in operands and values."""
    names = ir.AsmState(analysis.snapshot.root)
    return tuple(_PlanReader(analysis, function, names).read() for function in analysis.functions)


class _PlanReader:
    """Reads the decisions of one function as a plan."""

    def __init__(self, analysis: ModuleAnalysis, function: FunctionAnalysis, names: ir.AsmState) -> None:
        self._analysis = analysis
        self._snapshot = s = analysis.snapshot
        self._effects = analysis.effects
        self._function = function
        self._names = names
        self._values: dict[int, PlannedValue] = {}
        self._members: dict[int, list[int]] = {}
        for value in s.nested_values(function.function):
            if s.value_is_tensor[value]:
                self._members.setdefault(function.sets.find(value), []).append(value)
        self._places: dict[int, Storage] = {}
        self._contents: set[int] = set()
        """The tensors that represent the memory of a binding at some point of the program."""
        self._committed: set[int] = set()
        self._find_bindings()

    def read(self) -> FunctionPlan:
        """Return the plan."""
        s, number = self._snapshot, self._function.function
        unions: dict[int, list[Union]] = {root: [] for root in self._members}
        for union in self._unions():
            unions[self._function.sets.find(union.value.number)].append(union)
        storages = {root: self._storages(members) for root, members in self._members.items()}
        classes = tuple(
            BufferClass(
                index,
                storages[root],
                tuple(map(self._value, members)),
                tuple(unions[root]),
                root in self._committed,
            )
            for index, (root, members) in enumerate(self._members.items())
        )
        name = ir.StringAttr(s.ops[number].attributes["sym_name"]).value
        return FunctionPlan(name, s.ops[number].location, classes, tuple(self._separations(storages)))

    def _find_bindings(self) -> None:
        s, sets = self._snapshot, self._function.sets
        for op in s.nested_ops(self._function.function):
            if s.op_name[op] == "dispatch.contents":
                value = s.op_first_result[op]
                self._places[value] = self._binding(s.ops[op].operands[0], self._value(value))
                self._contents.add(value)
            elif s.op_name[op] == "dispatch.commit":
                self._committed.add(sets.find(s.operand_value[s.op_first_operand[op] + 1]))
            elif self._contents:
                self._follow_contents(op)

    def _follow_contents(self, op: int) -> None:
        """Record results of ``op`` that are contents too: after stores, and carried by loops."""
        s, effects = self._snapshot, self._effects
        for operand in s.operands(op):
            if s.operand_value[operand] in self._contents:
                self._contents.update(effects.forwards.get(operand, ()))
                if s.op_name[op] == "tensor.insert_slice" and effects.writes[operand]:
                    self._contents.update(tie.value for tie in effects.ties.get(operand, ()))

    def _binding(self, value: ir.Value, contents: PlannedValue) -> Storage:
        """Return the memory of ``value``, a `dispatch.binding` or a `dispatch.tie_shape` of one."""
        owner = binding_of(value)
        assert owner is not None
        slot, offset = slot_of(owner), byte_offset_of(owner)
        text = "0" if offset is None else self._number(offset)
        return Storage(StorageKind.BINDING, contents, (slot.set, slot.binding), text, access_of(value.type).value)

    def _number(self, value: ir.Value) -> str:
        """Return an index as a number if it is constant, else as its name."""
        owner = None if isinstance(value, ir.BlockArgument) else ir.OpResult(value).owner.operation
        if owner is not None and owner.name == "arith.constant":
            return str(ir.IntegerAttr(owner.attributes["value"]).value)
        return value.get_name(self._names)

    # --- values ------------------------------------------------------------------------------------------------

    def _value(self, value: int) -> PlannedValue:
        found = self._values.get(value)
        if found is None:
            found = self._values[value] = self._describe(value)
        return found

    def _describe(self, value: int) -> PlannedValue:
        s = self._snapshot
        location = s.values[value].location
        name = location.name_str if isinstance(location, ir.NameLoc) else s.values[value].get_name(self._names)
        op = s.value_op[value]
        origin = s.op_name[op] if op >= 0 else f"argument of {s.op_name[s.block_op[s.value_block[value]]]}"
        return PlannedValue(value, name, origin, location)

    # --- storages ----------------------------------------------------------------------------------------------

    def _storages(self, members: list[int]) -> tuple[Storage, ...]:
        """Return the storages of a class: the memory that its members are defined in."""
        found = [storage for value in members if (storage := self._storage(value)) is not None]
        return tuple(found) if found else (Storage(StorageKind.GIVEN, self._value(members[0])),)

    def _storage(self, value: int) -> Storage | None:
        effects = self._effects
        sources = effects.sources.get(value, ())
        refused = [d for o in sources if (d := self._decision(o)) is not None and d.strategy is Strategy.OUT_OF_PLACE]
        if refused:
            filled = any(decision.copies for decision in refused)
            source = self._value(self._snapshot.operand_value[refused[0].operand])
            return Storage(StorageKind.NEW, self._value(value), detail=f"with a copy of {source}" if filled else "")
        return None if sources else self._defined(value)

    def _defined(self, value: int) -> Storage:
        """Return the memory of a value that aliases no operand."""
        s, effects, planned = self._snapshot, self._effects, self._value(value)
        if value in self._places:
            return self._places[value]
        op = s.value_op[value]
        if op < 0:
            is_argument = s.block_op[s.value_block[value]] == self._function.function
            return Storage(StorageKind.ARGUMENT if is_argument else StorageKind.GIVEN, planned)
        if value in effects.readonly:
            constant = s.op_name[op] == "arith.constant"
            return Storage(StorageKind.CONSTANT if constant else StorageKind.GIVEN, planned)
        model = effects.model(op)
        if model is None or not model.bufferizes_to_allocation(s.ops[op], s.value_index[value]):
            return Storage(StorageKind.GIVEN, planned)
        unused = effects.undefined[value] and not self._function.needs_buffer(effects, value)
        return Storage(StorageKind.UNUSED if unused else StorageKind.NEW, planned)

    # --- unions ------------------------------------------------------------------------------------------------

    def _decision(self, operand: int) -> Decision | None:
        return self._function.decisions.get(operand)

    def _unions(self) -> Iterator[Union]:
        """Yield the accepted unions, in program order."""
        effects = self._effects
        for op in self._snapshot.nested_ops(self._function.function):
            for operand in effects.tensor_operands(op):
                decision = self._decision(operand)
                if decision is not None and not decision.in_place:
                    continue
                for tie in effects.ties.get(operand, ()):
                    kind = _KINDS[tie.relation] if tie.definite else UnionKind.MAYBE
                    yield self._union(operand, tie.value, kind, self._tie_rule(operand, kind))
                for target in effects.forwards.get(operand, ()):
                    yield self._union(operand, target, self._forwarded(operand, target), self._forward_rule(operand))
                if operand in self._function.redundant_writes:
                    yield self._stored(operand)

    def _stored(self, operand: int) -> Union:
        """Return the union of the operand with the source value that its op need not copy, being in place already."""
        s = self._snapshot
        source = s.operand_value[self._effects.redundant_source[operand]]
        if operand in self._effects.slices:
            return self._union(operand, source, UnionKind.SLICE, UnionRule.STORED_VALUE)
        is_commit = s.op_name[s.operand_op[operand]] == "dispatch.commit"
        rule = UnionRule.COMMIT if is_commit else UnionRule.STORED_VALUE
        return self._union(operand, source, UnionKind.SAME, rule)

    def _union(self, operand: int, value: int, kind: UnionKind, rule: UnionRule) -> Union:
        s = self._snapshot
        op, source = s.operand_op[operand], self._value(s.operand_value[operand])
        return Union(self._value(value), source, kind, rule, s.op_name[op], s.ops[op].location)

    def _forwarded(self, operand: int, target: int) -> UnionKind:
        same = self._function.sets.equivalence.find
        return UnionKind.SAME if same(self._snapshot.operand_value[operand]) == same(target) else UnionKind.MAYBE

    def _tie_rule(self, operand: int, kind: UnionKind) -> UnionRule:
        s, effects = self._snapshot, self._effects
        name, value = s.op_name[s.operand_op[operand]], s.operand_value[operand]
        is_contents = value in self._contents
        if name in _VIEWS:
            return UnionRule.LOAD if is_contents and name == "tensor.extract_slice" else UnionRule.VIEW
        if name in _UPDATES:
            return UnionRule.STORE if is_contents and name == "tensor.insert_slice" else UnionRule.UPDATE
        if name == "func.call":
            return UnionRule.CALLED
        if kind is UnionKind.MAYBE:
            return UnionRule.CHOSEN
        if not effects.writes[operand]:
            return UnionRule.TIED
        if effects.reads[operand]:
            return UnionRule.INIT_READ
        inputs = (o for o in s.operands(s.operand_op[operand]) if o != operand and effects.reads[o])
        reused = any(s.operand_value[o] == value for o in inputs)
        return UnionRule.INPUT_REUSED if reused else UnionRule.INIT_OVERWRITTEN

    def _forward_rule(self, operand: int) -> UnionRule:
        s = self._snapshot
        op = s.operand_op[operand]
        if op in s.op_successors:
            return UnionRule.BRANCHED
        return UnionRule.CARRIED if s.op_regions[op] else UnionRule.YIELDED

    # --- separations -------------------------------------------------------------------------------------------

    def _separations(self, storages: dict[int, tuple[Storage, ...]]) -> Iterator[Separation]:
        """Yield refused unions, and values that are copied into their destination, in program order."""
        effects, function = self._effects, self._function
        for op in self._snapshot.nested_ops(function.function):
            for operand in effects.tensor_operands(op):
                decision = self._decision(operand)
                if decision is not None and decision.conflict is not None:
                    notes = (
                        *conflict_notes(self._analysis, decision.conflict),
                        *self._where(decision.conflict, storages),
                    )
                    carried = decision.strategy is Strategy.COPY_TO_CARRIED
                    yield self._separation(operand, decision.conflict.rule, decision.copies, notes, carried=carried)
                if operand in effects.redundant_source and operand not in function.redundant_writes:
                    source = effects.redundant_source[operand]
                    rule, notes = self._elsewhere(operand, source, storages)
                    yield self._separation(source, rule, True, notes)

    def _where(self, conflict: Conflict, storages: dict[int, tuple[Storage, ...]]) -> Iterator[Note]:
        """Yield the read-only memory, if it is the reason of a refusal."""
        if conflict.rule is Rule.NOT_WRITABLE and conflict.value >= 0:
            storage = storages[self._function.sets.find(conflict.value)][0]
            yield f"the value lies in the {storage}", storage.value.location

    def _separation(
        self,
        operand: int,
        rule: Rule | SeparationRule,
        copies: bool,
        notes: tuple[Note, ...],
        *,
        carried: bool = False,
    ) -> Separation:
        s = self._snapshot
        op = s.operand_op[operand]
        value = self._value(s.operand_value[operand])
        index = s.operand_index(operand)
        return Separation(s.op_name[op], index, value, rule, copies, s.ops[op].location, carried, notes)

    def _elsewhere(
        self, target: int, source: int, storages: dict[int, tuple[Storage, ...]]
    ) -> tuple[SeparationRule, tuple[Note, ...]]:
        """Return the buffer of operand ``source``, if that is not the slice it is inserted into."""
        s, find = self._snapshot, self._function.sets.find
        mine, theirs = find(s.operand_value[source]), find(s.operand_value[target])
        decision = self._decision(target)
        if mine == theirs and (decision is None or decision.in_place):
            return SeparationRule.OTHER_PART, ()
        storage = storages[mine][0]
        rule = _SEPARATE.get(storage.kind, SeparationRule.OWN_BUFFER)
        if rule is SeparationRule.OTHER_BINDING and storage.binding in {other.binding for other in storages[theirs]}:
            rule = SeparationRule.OTHER_OFFSET
        return rule, ((f"the value lies in the {storage}", storage.value.location),)
