"""Attach the decisions to ops as the attributes of ``test-analysis-only``, spelled as upstream does.

``__inplace_operands_attr__``
    One string per operand: ``true`` in-place, ``false`` out-of-place, ``none`` for operands that are not tensors.
``__equivalent_func_args__``, ``bufferization.access``
    With function boundaries. On a return, the argument whose buffer each operand always is, -1 if there is none (left
    out where no operand is one); on the tensor arguments of a function, whether their buffers are read and written.
``__opresult_alias_set_attr__``, ``__bbarg_alias_set_attr__``
    With ``dump-alias-sets``. For each tensor result, and for each tensor argument by region and block, the values that
    may share its memory, by name and in program order. Ours has a loop's arguments and results in one set.
``C_0[CONFL-WRITE: 1]``, ``C_0[READ: 0]``, ``C_0[DEF: result 0]``, ``W_0[NOT-WRITABLE: bbArg 0]``
    With ``print-conflicts``. One number for each operand that is out-of-place because content would be lost, and one
    for each because the buffer must not be written, counted from 0 in program order of each function.

Cost: linear, apart from the text of alias sets, which repeats each set at each of its values.
"""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir

from ...analysis.conflicts.decisions import Conflict, Rule
from ...analysis.effects.summary import FunctionSummary
from ...analysis.in_place.function_decisions import FunctionAnalysis
from ...analysis.whole_module.module import ModuleAnalysis

__all__ = ["ACCESS", "ALIASES_OF_ARGUMENTS", "ALIASES_OF_RESULTS", "EQUIVALENT", "IN_PLACE", "annotate"]

IN_PLACE = "__inplace_operands_attr__"
EQUIVALENT = "__equivalent_func_args__"
ACCESS = "bufferization.access"
ALIASES_OF_RESULTS = "__opresult_alias_set_attr__"
ALIASES_OF_ARGUMENTS = "__bbarg_alias_set_attr__"


def annotate(analysis: ModuleAnalysis, *, alias_sets: bool = False, conflicts: bool = False) -> None:
    """Attach the decisions of every function to its ops. Needs a current location."""
    names = _Names(analysis, ir.AsmState(analysis.snapshot.root)) if alias_sets else None
    for function in analysis.functions:
        if function.function in analysis.not_analysed:
            continue
        _annotate_operands(analysis, function)
        if names is not None:
            names.annotate(function)
    if conflicts:
        _Conflicts(analysis).annotate()
    if analysis.effects.boundaries:
        for function in analysis.functions:
            _annotate_return(analysis, function)
        _annotate_accesses(analysis)


def _strings(texts: Iterable[str]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])


def _annotate_operands(analysis: ModuleAnalysis, function: FunctionAnalysis) -> None:
    s, effects = analysis.snapshot, analysis.effects
    for op in s.nested_ops(function.function):
        operands = effects.tensor_operands(op)
        described = op not in effects.unknown_ops or s.op_name[op].startswith("func.")
        if not operands or not described:
            continue
        entries = ["none"] * s.op_operand_count[op]
        for operand in operands:
            decision = function.decisions.get(operand)
            # There is no decision for an operand that is only read.
            entries[s.operand_index(operand)] = "true" if decision is None or decision.in_place else "false"
        s.ops[op].attributes[IN_PLACE] = _strings(entries)


# --- functions -------------------------------------------------------------------------------------------------------


def _annotate_return(analysis: ModuleAnalysis, function: FunctionAnalysis) -> None:
    s, find = analysis.snapshot, function.sets.equivalence.find
    arguments = s.arguments(s.op_regions[function.function][0][0])
    classes = {find(argument): s.value_index[argument] for argument in arguments if s.value_is_tensor[argument]}
    for terminator in s.returns(function.function):
        returned = [s.operand_value[operand] for operand in s.operands(terminator)]
        found = [classes.get(find(value), -1) if s.value_is_tensor[value] else -1 for value in returned]
        if any(index >= 0 for index in found):
            type_ = ir.IntegerType.get_signless(64)
            s.ops[terminator].attributes[EQUIVALENT] = ir.ArrayAttr.get([ir.IntegerAttr.get(type_, i) for i in found])


def _annotate_accesses(analysis: ModuleAnalysis) -> None:
    s = analysis.snapshot
    for op in (op for region in s.op_regions[0] for block in region for op in s.block_ops[block]):
        if s.op_name[op] != "func.func":
            continue
        function = s.ops[op]
        summary = analysis.summaries.get(ir.StringAttr(function.attributes["sym_name"]).value)
        if summary is not None:
            _annotate_access(function, summary)


def _annotate_access(function: ir.Operation, summary: FunctionSummary) -> None:
    inputs = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).inputs
    tensors = [isinstance(type_, ir.RankedTensorType | ir.UnrankedTensorType) for type_ in inputs]
    if not any(tensors):
        return
    attributes: list[dict[str, ir.Attribute]] = [{} for _ in inputs]
    if "arg_attrs" in function.attributes:
        attributes = [{a.name: a.attr for a in ir.DictAttr(entry)} for entry in function.attributes["arg_attrs"]]
    for index, tensor in enumerate(tensors):
        if tensor:
            access = (("none", "write"), ("read", "read-write"))
            read, written = summary.argument_is_read[index], summary.argument_is_written[index]
            attributes[index][ACCESS] = ir.StringAttr.get(access[bool(read)][bool(written)])
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(entry) for entry in attributes])


# --- alias sets ------------------------------------------------------------------------------------------------------


class _Names:
    """Alias sets, with the names of the values in the printed module."""

    def __init__(self, analysis: ModuleAnalysis, state: ir.AsmState) -> None:
        self._snapshot = analysis.snapshot
        self._state = state

    def annotate(self, function: FunctionAnalysis) -> None:
        s, find = self._snapshot, function.sets.find
        members: dict[int, list[str]] = {}
        for value in s.nested_values(function.function):
            if s.value_is_tensor[value]:
                members.setdefault(find(value), []).append(s.values[value].get_name(self._state))
        sets = {root: _strings(names) for root, names in members.items()}
        for op in (function.function, *s.nested_ops(function.function)):
            if op != function.function:
                results = [sets[find(value)] for value in s.results(op) if s.value_is_tensor[value]]
                if results:
                    s.ops[op].attributes[ALIASES_OF_RESULTS] = ir.ArrayAttr.get(results)
            regions = [
                [[sets[find(value)] for value in s.arguments(block) if s.value_is_tensor[value]] for block in region]
                for region in s.op_regions[op]
            ]
            if any(arguments for blocks in regions for arguments in blocks):
                nested = [ir.ArrayAttr.get([ir.ArrayAttr.get(block) for block in region]) for region in regions]
                s.ops[op].attributes[ALIASES_OF_ARGUMENTS] = ir.ArrayAttr.get(nested)


# --- conflicts -------------------------------------------------------------------------------------------------------


class _Conflicts:
    """Numbers the conflicts of a module and attaches them to the ops involved."""

    def __init__(self, analysis: ModuleAnalysis) -> None:
        self._analysis = analysis
        self._lost = 0
        self._not_writable = 0

    def annotate(self) -> None:
        for function in self._analysis.functions:
            for operand in sorted(function.decisions):
                conflict = function.decisions[operand].conflict
                if conflict is not None:
                    self._annotate(conflict)

    def _annotate(self, conflict: Conflict) -> None:
        s = self._analysis.snapshot
        if conflict.rule is Rule.NOT_WRITABLE:
            self._annotate_value(f"W_{self._not_writable}[NOT-WRITABLE: ", conflict.value)
            self._not_writable += 1
            return
        name = f"C_{self._lost}"
        self._lost += 1
        for kind, operand in (("CONFL-WRITE", conflict.write), ("READ", conflict.read)):
            if operand >= 0:
                attributes = s.ops[s.operand_op[operand]].attributes
                attributes[f"{name}[{kind}: {s.operand_index(operand)}]"] = ir.UnitAttr.get()
        if conflict.value >= 0:
            self._annotate_value(f"{name}[DEF: ", conflict.value)

    def _annotate_value(self, start: str, value: int) -> None:
        s = self._analysis.snapshot
        op = s.value_op[value]
        kind = "result" if op >= 0 else "bbArg"
        holder = s.ops[op if op >= 0 else s.block_op[s.value_block[value]]]
        holder.attributes[f"{start}{kind} {s.value_index[value]}]"] = ir.UnitAttr.get()
