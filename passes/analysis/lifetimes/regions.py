"""Lifetimes in one block and the structured ops in it: the walk that finds roots and frees those the block owns.

See ``module.py`` for the rules. Loops are in ``loops.py``. Nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import pairwise

from mlir import ir

from ....dialects.support.frozen_classes import record
from ...framework.errors import PassFailure
from ..ir.symbols import callee_name
from .plan import Free, GlobalBuffer, Handle
from .returned_buffers import ReturnedBuffers, connected
from .roots import NONE, VIEWS, Root, RootKind, Roots, RootTable, is_buffer, leaving_buffers

__all__ = ["BlockScan", "RegionLifetimes"]

_BRANCHES = frozenset(("scf.if", "scf.index_switch", "scf.execute_region"))
# Ops of other dialects, and this one, may capture the address; then the last use is unknown.
_KEEPS_NO_ADDRESS = frozenset(("affine", "arith", "bufferization", "func", "linalg", "math", "memref", "scf", "vector"))
_NUMBERS = frozenset(("arith", "complex", "math"))
_ELEMENTS = frozenset(("linalg.index", "linalg.yield"))
_TAKES_ADDRESS = "memref.extract_aligned_pointer_as_index"


@record
class BlockScan:
    """The result of scanning a block: its own roots, the roots of outer blocks that it uses, and its terminator."""

    level: int
    terminator: ir.Operation
    own: list[Root] = field(default_factory=list)
    outer: set[int] = field(default_factory=set)


class RegionLifetimes(RootTable):
    """Walks blocks in post-order; `frees` collects the frees in blocks of structured ops.

    `loops` handles the ops that carry memrefs from one iteration to the next. `callees` says what functions return; one
    that is left out owns what it returns.
    """

    def __init__(self, loops: Mapping[str, LoopScan], callees: Mapping[str, ReturnedBuffers]) -> None:
        super().__init__()
        self._callees = callees
        self.frees: list[Free] = []
        self._loops = loops
        self._next: dict[ir.Operation, ir.Operation] = {}

    # One block

    def scan_block(self, block: ir.Block, level: int) -> BlockScan:
        """Find the roots of `block` and the last use of each."""
        ops = [op.operation for op in block.operations]
        self._next.update(pairwise(ops))
        scan = BlockScan(level, ops[-1])
        for op in ops:
            used = self.scan_op(op, scan)
            for number in used:
                root = self.roots[number]
                if root.level == level:
                    root.last_use = op
                elif root.level is not None:
                    scan.outer.add(number)
        return scan

    def scan_op(self, op: ir.Operation, scan: BlockScan) -> set[int]:
        """Assign sets to the results of `op`; return the roots that it uses, itself or in its regions."""
        used: set[int] = set()
        is_buffer_type = self.is_buffer_type
        for operand in op.operands:
            if is_buffer_type(operand.type):
                used |= self.sets[operand]
        buffers = [result for result in op.results if is_buffer_type(result.type)]
        name = op.name
        if len(op.regions):
            used |= self._scan_regions(op, buffers, scan)
        elif name == "memref.dealloc":
            self._note_dealloc(op)
        elif name == "bufferization.dealloc":
            raise PassFailure("cannot plan the lifetimes of buffers beside a bufferization.dealloc; lower it first", op)
        elif buffers:
            self._scan_source(op, buffers, scan)
        if name == _TAKES_ADDRESS or name.partition(".")[0] not in _KEEPS_NO_ADDRESS:
            for number in used:
                self.roots[number].pinned = True
        return used

    def _scan_source(self, op: ir.Operation, buffers: Sequence[ir.Value], scan: BlockScan) -> None:
        """An op without regions that returns a memref: it allocates one, or forwards an operand."""
        name = op.name
        if any(isinstance(buffer.type, ir.MemRefType) and is_buffer(buffer.type.element_type) for buffer in buffers):
            raise PassFailure("cannot plan the lifetimes of memrefs that lie in memrefs", op)
        if name == "func.call" and callee_name(op) in self._callees:
            self._scan_call(op, self._callees[callee_name(op)], scan)
        elif name in ("memref.alloc", "bufferization.clone", "func.call"):
            for buffer in buffers:
                self._add_own(self.new_root(RootKind.OWNED, (buffer,), scan.level), op, scan)
        elif name == "memref.alloca":
            self.new_root(RootKind.BORROWED, (buffers[0],), scan.level)
        elif name == "memref.get_global":
            symbol = ir.FlatSymbolRefAttr(op.attributes["name"]).value
            self.sets[buffers[0]] = self.global_root(GlobalBuffer(symbol, buffers[0].type))
        elif name in VIEWS:
            self._pass_on(buffers[0], op.operands[0], shifts=name == "memref.view")
        elif name == "arith.select":
            for operand in list(op.operands)[1:]:
                self._pass_on(buffers[0], operand)
        else:
            raise PassFailure(f"cannot tell which memory the result of '{name}' lies in", op)

    def _scan_call(self, op: ir.Operation, returned: ReturnedBuffers, scan: BlockScan) -> None:
        """A call of a function that says what its results may be: operands, constants, or memory that is new."""
        outer: dict[int, Roots] = {}
        for number, arguments in returned.arguments.items():
            operands = [op.operands[argument] for argument in sorted(arguments)]
            constants = (self.global_root(handle) for handle in returned.constants[number])
            outer[number] = NONE.union(*(self.sets[operand] for operand in operands), *constants)
            for operand in operands:
                if operand in self.shifted:
                    self.shifted.add(op.results[number])
                if number in returned.groups:
                    self.check_address(operand, op)
        self._join_groups(op, outer, returned.groups, scan)

    def _join_groups(
        self, op: ir.Operation, outer: Mapping[int, Roots], groups: Mapping[int, int], scan: BlockScan
    ) -> None:
        """Assign sets to the results of an op; `groups` has those that may be new memory (`ReturnedBuffers`)."""
        members: dict[int, list[int]] = {number: [] for number in groups.values()}
        for number, group in groups.items():
            members[group].append(number)
        for group in members.values():
            if len(group) == 1 and not outer[group[0]]:
                self._add_own(self.new_root(RootKind.OWNED, (op.results[group[0]],), scan.level), op, scan)
            else:
                self.join(op, {number: outer[number] for number in group}, group, scan)
        for number in outer.keys() - groups.keys():
            self.sets[op.results[number]] = outer[number]

    def _pass_on(self, result: ir.Value, source: ir.Value, *, shifts: bool = False) -> None:
        self.sets[result] = self.sets.get(result, NONE) | self.sets[source]
        if shifts or source in self.shifted:
            self.shifted.add(result)

    def _add_own(self, root: Root, op: ir.Operation, scan: BlockScan) -> None:
        for handle in root.handles:
            if isinstance(handle, ir.Value) and not isinstance(handle.type, ir.MemRefType):
                raise PassFailure(f"cannot plan the lifetime of a {handle.type}: its address cannot be taken", op)
        root.last_use = op
        scan.own.append(root)

    def _note_dealloc(self, op: ir.Operation) -> None:
        roots = [self.roots[number] for number in self.sets[op.operands[0]]]
        if any(root.kind is not RootKind.OWNED for root in roots):
            raise PassFailure(
                "cannot plan the lifetimes of buffers beside a dealloc that may be of several buffers", op
            )
        for root in roots:
            root.freed_by_program = True

    # Ops with regions

    def _scan_regions(self, op: ir.Operation, buffers: Sequence[ir.Value], scan: BlockScan) -> set[int]:
        blocks = [block for region in op.regions for block in region if len(block.operations)]
        if len(blocks) > len(op.regions):
            raise PassFailure("cannot plan the lifetimes of buffers across branches between nested blocks", op)
        if op.name in self._loops:
            return self._loops[op.name](self, op, scan)
        if op.name in _BRANCHES:
            return self._scan_branches(op, blocks, scan)
        if buffers or any(self.is_buffer_type(argument.type) for block in blocks for argument in block.arguments):
            raise PassFailure(f"cannot plan the lifetimes of buffers that '{op.name}' carries", op)
        if all(_has_no_buffers(inner.operation.name) for block in blocks for inner in block.operations):
            return set()
        used: set[int] = set()
        for block in blocks:
            inner = self.scan_block(block, self.new_level())
            used |= inner.outer
            if leaving_buffers(inner.terminator):
                raise PassFailure(f"cannot plan the lifetimes of buffers that leave '{op.name}'", inner.terminator)
            self.free_own(inner, [])
        return used

    def _scan_branches(self, op: ir.Operation, blocks: Sequence[ir.Block], scan: BlockScan) -> set[int]:
        used: set[int] = set()
        outer: dict[int, Roots] = {}
        fresh: list[tuple[int, int]] = []
        for block in blocks:
            inner = self.scan_block(block, self.new_level())
            used |= inner.outer
            leaving = leaving_buffers(inner.terminator)
            self.free_own(inner, list(leaving.values()))
            first: dict[int, int] = {}
            for number, value in leaving.items():
                roots, made = self.sets[value], self.made_in(inner, self.sets[value])
                outer[number] = outer.get(number, NONE) | (roots - made)
                fresh += [(number, first.setdefault(root, number)) for root in made]
        self._join_groups(op, outer, connected(fresh), scan)
        return used

    def made_in(self, scan: BlockScan, roots: Roots) -> Roots:
        """Those of `roots` that a block allocated itself; stack memory cannot leave it."""
        own = [self.roots[number] for number in roots if self.roots[number].level == scan.level]
        if any(root.kind is RootKind.BORROWED for root in own):
            raise PassFailure("memory on the stack leaves the block it was allocated in", scan.terminator)
        return frozenset(root.number for root in own if root.kind is not RootKind.CARRIED)

    def is_made_in(self, scan: BlockScan, value: ir.Value) -> bool:
        """Whether `value` is certainly memory that a block allocated itself, and so none that it received."""
        roots = [self.roots[number] for number in self.sets[value]]
        return bool(roots) and all(root.kind is RootKind.OWNED and root.level == scan.level for root in roots)

    def join(self, op: ir.Operation, outer: Mapping[int, Roots], fresh: Iterable[int], scan: BlockScan) -> None:
        """Assign sets to the results of a structured op; those that may be allocated inside share a joined root."""
        made = sorted(fresh)
        joined = NONE
        if made:
            avoid = NONE.union(*(outer[number] for number in made))
            root = self.new_root(RootKind.JOINED, tuple(op.results[number] for number in made), scan.level, avoid)
            self._add_own(root, op, scan)
            joined = frozenset((root.number,))
        for number, roots in outer.items():
            self.sets[op.results[number]] = roots | (joined if number in made else NONE)

    # Frees

    def free_own(self, scan: BlockScan, leaving: Sequence[ir.Value]) -> None:
        """Free the roots of a block; those in `leaving` may leave it."""
        for value in leaving:
            if not self.is_certain(self.sets[value]):
                self.check_address(value, scan.terminator)
        for root in scan.own:
            if root.freed_by_program:
                continue
            out = [value for value in leaving if root.number in self.sets[value]]
            if any(self.is_certain(self.sets[value]) for value in out):
                continue
            before = scan.terminator if out or root.pinned else self._after_last_use(root, scan)
            self.add_frees(root, before, out)

    def add_frees(self, root: Root, before: ir.Operation, unless: Sequence[Handle]) -> None:
        """Free `root` before an op, unless its address is that of one of `unless`, or of memory it does not own."""
        others = [*unless, *self.handles(root.avoid)]
        kept = _without_casts(others)
        for position, handle in enumerate(root.handles):
            if isinstance(handle, ir.Value) and _uncast(handle) not in kept:
                self.frees.append(Free(handle, before, (*others, *root.handles[:position])))

    def _after_last_use(self, root: Root, scan: BlockScan) -> ir.Operation:
        following = self._next.get(root.last_use) if root.last_use else None
        if following is None:
            raise PassFailure("cannot free a buffer that the end of its block still uses", scan.terminator)
        return following

    def free_carried(
        self, arguments: Sequence[ir.Value], scan: BlockScan, passed: Sequence[ir.Value], outer: Roots
    ) -> None:
        """Free the buffers that a loop's body received, if an earlier part of the loop allocated them."""
        unless: list[Handle] = [*passed, *self.handles(outer)]
        kept = _without_casts(unless)
        for argument in arguments:
            if argument not in kept:
                self.frees.append(Free(argument, scan.terminator, tuple(unless)))
                unless.append(argument)


def _without_casts(handles: Iterable[Handle]) -> set[ir.Value]:
    """The sources of the casts `handles`: a free guarded by a comparison with one of these would never run."""
    return {_uncast(handle) for handle in handles if isinstance(handle, ir.Value)}


def _uncast(value: ir.Value) -> ir.Value:
    """Return the source of the cast `value`, which has the same address."""
    while not isinstance(value, ir.BlockArgument):
        op = ir.OpResult(value).owner.operation
        if op.name != "memref.cast":
            break
        value = op.operands[0]
    return value


LoopScan = Callable[[RegionLifetimes, ir.Operation, BlockScan], set[int]]


def _has_no_buffers(name: str) -> bool:
    """Whether ops of that name access no buffer in a block whose arguments are numbers, such as a payload."""
    return name in _ELEMENTS or (name.partition(".")[0] in _NUMBERS and name != "arith.select")
