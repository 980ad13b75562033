"""Symbolic execution of a memref program: which content of the tensor program each piece of memory holds.

The state maps *roots* (allocations, arguments, globals, and memrefs that merge several views) to contents. Views are
places in a root. An op with a tag was made for an op of the tensor program: it must read that op's operands, and it
writes its result.
"""

from __future__ import annotations

from typing import NamedTuple

from mlir import ir

from ...analysis.ir.snapshot import Snapshot
from .memory import ContentAnswer, ContentVerdict, Layer, SymbolicMemory, unknown
from .places import WHOLE, LinearSum, Overlap, Place, join, overlap
from .reading import Scalars, read_snapshot
from .states import MemoryState, View
from .tags import tag_of
from .tensor_program import TensorProgram, read_successors, shaped_values
from .terms import UNDEFINED

__all__ = ["MemrefRead", "NotFollowed", "SymbolicMachine"]

_CONSTANT = 1 << 20
"""The key of the question whether an op changes a constant."""
_AROUND = (Overlap.SAME, Overlap.AROUND)
_MOST_HOLDERS = 64
_TWINS = {"tensor.extract": "memref.load", "tensor.dim": "memref.dim", "tensor.rank": "memref.rank"}


class NotFollowed(Exception):
    """A function cannot be followed to its end; the message is the reason."""


class MemrefRead(NamedTuple):
    """A read of the memref program: ``op`` was made for ``tensor_op``, whose operand ``operand`` is ``expected``."""

    op: int
    tensor_op: int
    operand: int
    expected: int
    answer: ContentAnswer


class MemrefScalars(Scalars):
    """Sums in the memref program, in the symbols of the tensor program where values correspond."""

    def __init__(self, snapshot: Snapshot, program: TensorProgram) -> None:
        super().__init__(snapshot)
        self.twins: dict[int, int] = {}
        """For scalars, the same value of the tensor program."""
        self._program = program

    def symbol(self, value: int) -> int:
        """Return the symbol of ``value``."""
        return self.twins.get(value, -value - 1)

    def known(self, value: int) -> LinearSum | None:
        """Return the sum of the same value of the tensor program."""
        twin = self.twins.get(value)
        return self.sums.get(value) if twin is None else self._program.scalars.sum(twin)


class SymbolicMachine:
    """The tables of both programs, the state, and the answers for reads."""

    def __init__(self, program: TensorProgram, module: ir.Operation) -> None:
        self.program = program
        self.snapshot = s = read_snapshot(module)
        self.memory = SymbolicMemory(program.terms)
        self.tags = [tag_of(op.location) for op in s.ops]
        for op, tag in enumerate(self.tags):
            if tag >= len(program.snapshot.op_name):
                self.tags[op] = -1
        program.memref_ages = s.value_position
        self.scalars = MemrefScalars(s, program)
        self.is_shaped = shaped_values(s)
        self.successors = read_successors(s)
        self.state = MemoryState()
        self.views: dict[int, View] = {}
        self.related: dict[int, set[int]] = {}
        """For each root, the roots that it may be the same memory as; symmetric."""
        self.vague: set[int] = set()
        """Roots that calls return: whether they alias another root is unknown on every path."""
        self.tensors: dict[int, int] = {}
        """Terms of function arguments and call results that stayed tensors."""
        self.reads: dict[tuple[int, int], MemrefRead] = {}
        """The last answer for each read of each op: the last pass over a loop's body holds for all iterations."""
        self.shared: dict[int, list[Place]] = {}
        """For memory shared by the threads that run, the places that this thread owns."""
        self.constants: dict[int, int] = {}
        """For the memory of a constant, the constant op of the tensor program."""
        self.unchecked: dict[tuple[int, int], str] = {}
        self.needed: set[int] = set()
        """Values of the tensor program that some read expected."""
        self.stores_state = False
        """Whether the function wrote a global, or called a function that may."""
        self._pair_scalars()

    # --- pairing ---------------------------------------------------------------------------------------------------

    def twin(self, op: int) -> int:
        """Return the op of the tensor program with the name of ``op`` that ``op`` comes from; -1 if there is none."""
        tag = self.tags[op]
        return tag if tag >= 0 and self.program.snapshot.op_name[tag] == self.snapshot.op_name[op] else -1

    def _pair_scalars(self) -> None:
        s, t = self.snapshot, self.program.snapshot
        for op, tag in enumerate(self.tags):
            if tag < 0:
                continue
            name, tensor_name = s.op_name[op], t.op_name[tag]
            if name != tensor_name and _TWINS.get(tensor_name) != name:
                continue
            self.pair(s.results(op), t.results(tag))
            if name == tensor_name:
                for own, other in zip(s.op_regions[op], t.op_regions[tag], strict=False):
                    if len(own) == len(other):
                        for block, twin in zip(own, other, strict=True):
                            self.pair(s.arguments(block), t.arguments(twin))

    def pair(self, values: range, others: range) -> None:
        """Record that the scalars among ``values`` are those among ``others``, if there are as many."""
        own = [value for value in values if not self.is_shaped[value]]
        twins = [value for value in others if not self.program.is_shaped[value]]
        if len(own) == len(twins):
            self.scalars.twins.update(zip(own, twins, strict=True))

    # --- memory ----------------------------------------------------------------------------------------------------

    def operand(self, op: int, index: int) -> int:
        """Return the value that is operand ``index`` of ``op``."""
        return self.snapshot.operand_value[self.snapshot.op_first_operand[op] + index]

    def view(self, value: int) -> View | None:
        """Return the view that ``value`` is; None if it is not followed."""
        return self.views.get(value)

    def alias(self, value: int, view: View | None) -> None:
        """Let ``value`` be ``view``; a memref that is not followed without one."""
        if view is None:
            self.views.pop(value, None)
        else:
            self.views[value] = view

    def new_root(self, value: int, terms: frozenset[int], writer: int, reason: str = "") -> View:
        """Make ``value`` a root."""
        self.state.set(value, (Layer(WHOLE, terms, writer, reason),))
        self.views[value] = view = View(value)
        return view

    def relate(self, root: int, others: set[int]) -> None:
        """Record that ``root`` may alias ``others``, and whatever those may alias."""
        found = set(others)
        for other in others:
            found |= self.related.get(other, set())
        found.discard(root)
        self.related[root] = self.related.get(root, set()) | found
        for other in found:
            self.related.setdefault(other, set()).add(root)

    def renew(self, root: int) -> None:
        """Record that ``root`` is fresh memory, which aliases nothing."""
        for other in self.related.pop(root, set()):
            self.related[other].discard(root)

    def write(self, view: View, terms: frozenset[int], writer: int, reason: str = "") -> None:
        """Write ``terms`` to ``view``; the content of overlapping memory becomes unknown."""
        self.put(view.root, Layer(view.place, terms, writer, reason))

    def put(self, root: int, layer: Layer) -> None:
        """Write ``layer`` to ``root``; roots that may alias it may have been written too."""
        self.stores_state |= root < 0
        if root in self.constants:
            self._check_constant(root, layer)
        own = self.shared.get(root)
        if own is not None and layer.terms and not any(overlap(p, layer.place)[0] in _AROUND for p in own):
            layer = Layer(layer.place, frozenset(), layer.writer, "memory that each thread writes")
        self.state.set(root, self.memory.written(self.state.get(root), layer))
        for other in self.related.get(root, ()):
            content = self.state.get(other)
            if content and (content[-1].certain or content[-1].writer != layer.writer):
                called = {root, other} & self.vague
                reason = "a call that may return its argument" if called else "memory that may alias on some path"
                maybe = Layer(layer.place, frozenset(), layer.writer, reason, certain=False)
                self.state.set(other, self.memory.written(content, maybe))
                if other in self.constants:
                    self._check_constant(other, maybe)

    def _check_constant(self, root: int, layer: Layer) -> None:
        """Record a violation if ``layer`` must change a constant."""
        constant, terms = self.constants[root], self.program.terms
        whole = self.program.content[self.program.snapshot.results(constant)[0]]
        expected = terms.part(whole, layer.place)
        self.reads.pop((layer.writer, _CONSTANT), None)
        if not layer.terms:
            self.leave_out(layer.writer, _CONSTANT, "a constant that may be written")
        elif not any(terms.may_agree(term, expected) for term in layer.terms):
            answer = ContentAnswer(ContentVerdict.NO, layer.writer, min(layer.terms))
            self.read(layer.writer, 0, constant, whole, answer, _CONSTANT)

    def copy(self, source: View | None, target: View, writer: int) -> None:
        """Copy the content of ``source`` to ``target``."""
        if source is None:
            self.write(target, frozenset(), writer, "memrefs that are not followed")
            return
        layers = self.memory.copied(self.state.get(source.root), source.place, target.place, writer)
        if not layers:
            layers = [Layer(target.place, frozenset(), writer, "memory that is not known")]
        for layer in layers:
            self.put(target.root, layer)

    def forget(self, op: int, reason: str) -> None:
        """Make the content of all memory unknown from ``op`` on."""
        roots = {view.root for view in self.views.values()}
        for root in roots:
            if self.state.get(root):
                self.write(View(root), frozenset(), op, reason)

    def may_overlap(self, a: View, b: View) -> bool:
        """Whether two views may share memory."""
        if a.root == b.root:
            return overlap(a.place, b.place)[0] is not Overlap.DISJOINT
        return b.root in self.related.get(a.root, ())

    def holders(self, term: int, state: MemoryState) -> list[int]:
        """Return the roots that hold ``term`` in ``state``, among the last ones that were given it."""
        found = list(self.state.holders.get(term, ()))[-_MOST_HOLDERS:]
        return [root for root in found if any(term in layer.terms for layer in state.get(root))]

    def tensor_name(self, op: int) -> str:
        """Return the name of the tensor op that ``op`` was made for; empty if there is none."""
        return self.program.snapshot.op_name[self.tags[op]] if self.tags[op] >= 0 else ""

    def is_memref(self, value: int) -> bool:
        """Whether ``value`` is a memref."""
        return isinstance(self.snapshot.values[value].type, ir.MemRefType | ir.UnrankedMemRefType)

    # --- reads -----------------------------------------------------------------------------------------------------

    def check(self, op: int, index: int, tensor_op: int, expected: int, place: Place = WHOLE) -> None:
        """Check that ``place`` in operand ``index`` of ``op`` holds ``expected``."""
        self.read(op, index, tensor_op, expected, self.ask_operand(op, index, expected, place))

    def ask(self, view: View | None, expected: int, place: Place = WHOLE) -> ContentAnswer:
        """Whether ``place`` in ``view`` holds ``expected``."""
        if expected == UNDEFINED:
            return ContentAnswer(ContentVerdict.YES)
        if view is None:
            return unknown("memrefs that are not followed")
        return self.memory.holds(self.state.get(view.root), join(view.place, place), expected)

    def ask_operand(self, op: int, index: int, expected: int, place: Place = WHOLE) -> ContentAnswer:
        """Whether ``place`` in operand ``index`` of ``op``, a memref or a tensor that stayed, holds ``expected``."""
        value = self.operand(op, index)
        if value < 0 or value in self.views or not self.snapshot.value_is_tensor[value] or expected == UNDEFINED:
            return self.ask(self.views.get(value), expected, place)
        term = self.kept(value)
        is_right = term >= 0 and self.program.terms.part(term, place) == expected
        return ContentAnswer(ContentVerdict.YES) if is_right else unknown("tensors that stay")

    def kept(self, value: int) -> int:
        """Return the term of a value that stayed a tensor, if its op did; else -1."""
        if value in self.tensors:
            return self.tensors[value]
        s = self.snapshot
        op = s.value_op[value] if value >= 0 else -1
        twin = self.twin(op) if op >= 0 else -1
        # Results of control flow that stayed on tensors are not checked.
        if twin < 0 or (s.op_regions[op] and not s.op_name[op].startswith("linalg.")):
            return -1
        return self.program.content[self.program.snapshot.results(twin)[s.value_index[value]]]

    def read(self, op: int, operand: int, tensor_op: int, expected: int, answer: ContentAnswer, key: int = -1) -> None:
        """Record the answer for a read of ``op``; ``key`` tells its reads apart, by default by operand."""
        key = operand if key < 0 else key
        self.needed |= self.program.terms.values_of(expected)
        self.reads[op, key] = MemrefRead(op, tensor_op, operand, expected, answer)
        self.unchecked.pop((op, key), None)

    def leave_out(self, op: int, operand: int, reason: str) -> None:
        """Record that a read is not checked."""
        self.unchecked[op, operand] = reason
        self.reads.pop((op, operand), None)
