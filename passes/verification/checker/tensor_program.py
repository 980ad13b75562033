"""The tensor program: integer tables and the term of every tensor value.

It is read once, before the conversion; the ops are erased afterwards. Terms follow from the semantics of tensor ops: a
slice is a part, an insertion replaces one, a cast has the same content, the result of any other op is a new value.
Linear in ops, operands and results.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ....dialects.bufferizable import is_tensor
from ...analysis.ir.snapshot import Snapshot
from .accesses import transfer_box
from .places import Place, Reshape
from .reading import Scalars, element_place, shape_of, slice_place, successor_operands
from .tags import put_tags
from .terms import UNDEFINED, TermKind, Terms

__all__ = ["TensorProgram", "read_successors", "shaped_values"]

_SUMS = frozenset({"arith.addi", "arith.constant", "arith.muli", "arith.subi", "index.constant"})

_SLICES = frozenset({"tensor.extract_slice", "tensor.insert_slice", "tensor.parallel_insert_slice"})
_RESHAPES = frozenset({"tensor.expand_shape", "tensor.collapse_shape", "tensor.reshape"})
_ONE_REGION = frozenset({"vector.mask", "scf.execute_region", "shape.assuming"})
_BRANCHES = frozenset({"scf.if", "scf.index_switch"})
_ACCESS, _WRITABLE = "bufferization.access", "bufferization.writable"
_MOVES = frozenset({"bufferization", "func", "scf", "tensor", "vector", "ml_program"})
"""Dialects whose ops may return elements of their operands."""
_MOVING = frozenset(
    {"arith.select", "linalg.copy", "linalg.transpose", "linalg.broadcast", "linalg.pack", "linalg.unpack"}
)


class TensorProgram:
    """A module before bufferization, as tables; ``snapshot`` holds facts of the IR only, no decisions."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = s = snapshot
        self.scalars = Scalars(s)
        self.terms = Terms(self._age)
        self.memref_ages: list[int] = []
        """Positions of the values of the memref program, which :class:`SymbolicMachine` fills in."""
        self.content: list[int] = [-1] * len(s.values)
        """For each tensor value, the term of its content."""
        self.places: dict[int, Place] = {}
        """For each slice op, the place that it reads or writes."""
        self.accesses: dict[str, dict[int, str]] = {}
        """By function and argument, `bufferization.access`."""
        self.unwritable: dict[int, list[int]] = {}
        """For each function, the arguments with `bufferization.writable = false`."""
        for value in range(len(s.values)):
            if s.value_is_tensor[value]:
                self.content[value] = self._content(value)
        for op, name in enumerate(s.op_name):
            if name == "tensor.parallel_insert_slice":
                self.places[op] = self._place(op, 0)
            elif name == "func.func":
                self._read_marks(op)
        self.is_shaped = shaped_values(s)
        for value, op in enumerate(s.value_op):
            if op >= 0 and s.op_name[op] in _SUMS and not self.is_shaped[value]:
                self.scalars.sum(value)
        self.scalars.freeze()
        self.successors = read_successors(s)
        """For each branch, which operands its successors get."""
        self._relate()
        self.locations: list[ir.Location] = []

    def tag(self) -> None:
        """Tag all ops with their numbers."""
        self.locations = put_tags(self.snapshot.ops)

    def _age(self, symbol: int) -> tuple[int, int]:
        if symbol >= 0:
            return self.snapshot.value_position[symbol], -1
        return -1, self.memref_ages[-symbol - 1]

    def _read_marks(self, function: int) -> None:
        """Read the argument attributes of ``function``."""
        attributes = self.snapshot.ops[function].attributes
        marks = ir.ArrayAttr(attributes["arg_attrs"]) if "arg_attrs" in attributes else ()
        accesses = self.accesses.setdefault(ir.StringAttr(attributes["sym_name"]).value, {})
        for index, mark in enumerate(marks):
            entries = ir.DictAttr(mark)
            if _ACCESS in entries:
                accesses[index] = ir.StringAttr(entries[_ACCESS]).value
            if _WRITABLE in entries and not ir.BoolAttr(entries[_WRITABLE]).value:
                self.unwritable.setdefault(function, []).append(index)

    def operand(self, op: int, index: int) -> int:
        """Return the value that is operand ``index`` of ``op``."""
        return self.snapshot.operand_value[self.snapshot.op_first_operand[op] + index]

    def operand_content(self, op: int, index: int) -> int:
        """Return the term of operand ``index`` of ``op``, a tensor; -1 if it is none."""
        value = self.operand(op, index) if index < self.snapshot.op_operand_count[op] else -1
        return self.content[value] if value >= 0 else -1

    def tensor_operands(self, op: int) -> list[int]:
        """Return which operands of ``op`` are tensors."""
        return [i for i in range(self.snapshot.op_operand_count[op]) if self.operand_content(op, i) >= 0]

    def yielded(self, op: int, region: int, index: int) -> int:
        """Return the value that the only exit of a region yields as operand ``index``; -1 if there is not just one."""
        exits = self.snapshot.exits(op, region) if len(self.snapshot.op_regions[op]) > region else []
        return self.operand(exits[0], index) if len(exits) == 1 else -1

    # --- terms -----------------------------------------------------------------------------------------------------

    def _content(self, value: int) -> int:
        if 0 in (self._shape(value) or ()):
            return UNDEFINED
        return self._argument(value) if self.snapshot.value_op[value] < 0 else self._result(value)

    def surely_runs(self, loop: int) -> bool:
        """Whether an `scf.for` has an iteration, by constant bounds."""
        lower, upper = (self.scalars.sum(self.operand(loop, i)) for i in range(2))
        return not lower.terms and not upper.terms and 0 <= lower.constant < upper.constant

    def _output(self, loop: int, output: int) -> int:
        """Return the term of an output of an `scf.forall` that no thread inserts into; -1 if one does."""
        s = self.snapshot
        arguments, count = s.arguments(s.op_regions[loop][0][0]), s.op_result_count[loop]
        argument = arguments[len(arguments) - count + output]
        if any(s.op_name[s.operand_op[use]] == "tensor.parallel_insert_slice" for use in s.value_uses[argument]):
            return -1
        return self.operand_content(loop, s.op_operand_count[loop] - count + output)

    def _argument(self, value: int) -> int:
        s = self.snapshot
        block, index = s.value_block[value], s.value_index[value]
        op, name = s.block_op[block], s.op_name[s.block_op[block]]
        if name == "scf.for" and self.yielded(op, 0, index - 1) == value:
            return self.operand_content(op, index + 2)
        if name == "scf.while" and s.block_region[block] == 1:
            passed = self.yielded(op, 0, index + 1)
            return self.content[passed] if passed >= 0 else self.terms.value(value)
        if name == "scf.forall":
            output = index - len(s.arguments(block)) + s.op_result_count[op]
            kept = self._output(op, output) if output >= 0 else -1
            return kept if kept >= 0 else self.terms.value(value)
        return self.terms.value(value)

    def _result(self, value: int) -> int:
        s = self.snapshot
        op, index = s.value_op[value], s.value_index[value]
        name = s.op_name[op]
        if name == "tensor.empty" or (name == "bufferization.alloc_tensor" and not self.tensor_operands(op)):
            return UNDEFINED
        if name == "bufferization.alloc_tensor":
            return self.operand_content(op, self.tensor_operands(op)[0])
        if name in ("tensor.cast", "bufferization.materialize_in_destination"):
            return self.operand_content(op, 0)
        if name == "arith.constant":
            return self.terms.constant(s.ops[op].attributes["value"])
        if name in _SLICES or name in ("tensor.insert", *_RESHAPES):
            return self._place_result(op, name)
        if name == "scf.forall" and (kept := self._output(op, index)) >= 0:
            return kept
        if name == "vector.transfer_write":
            indices = [self.scalars.sum(self.operand(op, i)) for i in range(2, s.op_operand_count[op])]
            rank = len(self._shape(self.operand(op, 1)) or ())
            place = transfer_box(s.ops[op], 1, s.ops[op].operands[0].type, indices[:rank])
            return self.terms.insertion(self.terms.value(value), self.operand_content(op, 1), place)
        source = -1
        if name == "scf.for" and self.surely_runs(op):
            source = self.yielded(op, 0, index)
        elif name == "scf.for":
            source = s.arguments(s.op_regions[op][0][0])[index + 1]
        elif name == "scf.while":
            source = self.yielded(op, 0, index + 1)
        elif name in _ONE_REGION or (name in _BRANCHES and self._yields_one(op, index)):
            source = self.yielded(op, 0, index)
        return self.content[source] if source >= 0 and self.content[source] >= 0 else self.terms.value(value)

    def _yields_one(self, op: int, index: int) -> bool:
        """Whether all regions of a branch yield the same content as operand ``index``."""
        yielded = [self.yielded(op, region, index) for region in range(len(self.snapshot.op_regions[op]))]
        return all(value >= 0 and self.content[value] == self.content[yielded[0]] for value in yielded)

    def _place_result(self, op: int, name: str) -> int:
        """Return the term of what a slice, an insertion or a reshape makes."""
        s, first = self.snapshot, self.operand_content(op, 0)
        value = s.results(op)[0]
        if name == "tensor.insert":
            indices = [self.scalars.sum(self.operand(op, i)) for i in range(2, s.op_operand_count[op])]
            place = self.places[op] = element_place(self._shape(self.operand(op, 1)), indices)
            return self.terms.insertion(self.terms.element(self.operand(op, 0)), self.operand_content(op, 1), place)
        if name in _RESHAPES:
            before, after = self._shape(self.operand(op, 0)), self._shape(value)
            if before is None or after is None:
                return self.terms.value(value)
            return self.terms.part(first, (Reshape(before, after),) if before != after else ())
        sliced = 0 if name == "tensor.extract_slice" else 1
        place = self.places[op] = self._place(op, value if sliced == 0 else self.operand(op, 0))
        if sliced == 0:
            return self.terms.part(first, place)
        return self.terms.insertion(first, self.operand_content(op, 1), place)

    def _place(self, op: int, slice_: int) -> Place:
        if self.snapshot.op_name[op] == "tensor.parallel_insert_slice":
            slice_ = self.operand(op, 0)
        return slice_place(self.snapshot, op, self.scalars, self.snapshot.values[slice_].type)

    def _shape(self, value: int) -> tuple[int, ...] | None:
        return shape_of(self.snapshot.values[value].type)

    def _relate(self) -> None:
        """Record which values may have elements of which others, although they have terms of their own."""
        s = self.snapshot
        for op, name in enumerate(s.op_name):
            results = [value for value in s.results(op) if self.content[value] >= 0]
            regions = s.op_regions[op]
            if not results and not regions:
                continue
            dialect = name.partition(".")[0]
            made = any(self.terms.table[self.content[value]].kind == TermKind.VALUE for value in results)
            if dialect == "tensor" and not made:
                continue  # Its terms say everything.
            if name != "func.func" and (dialect in _MOVES or name in _MOVING or dialect == "cf"):
                arguments = [a for region in regions for block in region for a in s.arguments(block)]
                yielded = [
                    s.operand_value[operand]
                    for region in range(len(regions))
                    for exit_ in s.exits(op, region)
                    for operand in s.operands(exit_)
                ]
                given = [s.operand_value[operand] for operand in s.operands(op)]
                self._relate_all((*results, *arguments), (*yielded, *given))
        for op, targets in s.op_successors.items():
            given = [s.operand_value[operand] for operand in s.operands(op)]
            arguments = [a for target in targets for a in s.arguments(target)]
            self._relate_all(arguments, given)

    def _relate_all(self, made: Sequence[int], sources: Sequence[int]) -> None:
        """Record that the values ``made`` may have elements of ``sources``."""
        table = self.terms.table
        terms = [self.content[value] for value in sources if value >= 0 and self.content[value] >= 0]
        atoms = {atom for term in terms for atom in self.terms.atoms(term)}
        for value in made:
            term = self.content[value]
            while term >= 0 and table[term].kind == TermKind.INSERTION and table[term].inserted >= 0:
                term = table[term].inserted
            if term >= 0 and table[term].kind == TermKind.VALUE and table[term].base == value:
                self.terms.relate(term, atoms)  # Other values have the term of another value, which is related.


def read_successors(snapshot: Snapshot) -> dict[int, list[range]]:
    """Return for each branch of a known kind which operands its successors get."""
    found = {op: successor_operands(snapshot, op) for op in snapshot.op_successors}
    return {op: ranges for op, ranges in found.items() if ranges is not None}


def shaped_values(snapshot: Snapshot) -> list[bool]:
    """Return for each value whether it is a tensor or a memref."""
    types = {value.type: False for value in snapshot.values}
    for type_ in types:
        types[type_] = is_tensor(type_) or isinstance(type_, ir.MemRefType | ir.UnrankedMemRefType)
    return [types[value.type] for value in snapshot.values]
