"""Who frees which buffer, and when: lifetimes of memrefs in structured code.

A *root* is a piece of memory as seen from one block: an allocation or a call's result (owned), an argument, a constant
or the stack (borrowed), an argument of a loop's body (borrowed, or left over from an earlier iteration), or what a
structured op may have made inside and passes out (joined). Each memref has the set of roots it may be; views have the
set of their source. Sets are found in one walk, inside out, because a block sees the inside of an op only as results:

    %r = scf.if %c -> memref {          sets:   %a {a}, inside %b {b}
      yield %a                                  %r {a, r}: either the outer a, or something made inside
    } else { yield %b (allocated here) }        r owns its memory unless its address is that of a

That address is the whole run-time cost of ownership: where it is not known who owns a buffer, the plan compares
pointers. An owned or joined root is freed

- after the last op of its block that uses a memref whose set contains it, if none of them leaves the block;
- else at the end of the block, unless its address is that of a memref that leaves; not at all if it surely leaves.

The buffer an iteration was given is freed at the end of the iteration if an earlier one made it: if its address is
neither that of an initial value or another outer buffer, nor that of a value passed on. A function owns nothing it was
given and gives away everything it returns, each buffer once: a result that may be borrowed, or an earlier result, is
cloned then.

Addresses may be compared because memory stays allocated while anything that may be it is in use (the sets say so), so
two buffers in use never share an address. Views keep the address of their buffer; `memref.view`, which does not, is
refused, as is what is not structured: branches between blocks, `scf.while` that carries memrefs, memrefs in memrefs,
ops with memref results that are not known. Linear in the ops for sets of constant size.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from mlir import ir

from ..errors import PassFailure
from .lifetime_plan import Free, GlobalBuffer, Handle, LifetimePlan, ReturnedClone


class _Kind(enum.Enum):
    OWNED = enum.auto()
    JOINED = enum.auto()
    CARRIED = enum.auto()
    BORROWED = enum.auto()


@dataclass
class _Root:
    """`handles`: its values (several for the joined results of one op). `avoid`: roots it may be without owning them.

    `level` is the number of the block it is seen from (None: everywhere). `freed_by_program`: it has a dealloc already.
    """

    number: int
    kind: _Kind
    handles: tuple[Handle, ...]
    level: int | None
    avoid: frozenset[int] = frozenset()
    last_use: ir.Operation | None = None
    pinned: bool = False
    freed_by_program: bool = False


_Roots = frozenset[int]
_NONE: _Roots = frozenset()

_VIEWS = frozenset(
    f"memref.{name}"
    for name in (
        "assume_alignment",
        "cast",
        "collapse_shape",
        "expand_shape",
        "extract_strided_metadata",
        "reinterpret_cast",
        "reshape",
        "subview",
        "transpose",
    )
)
_BRANCHES = frozenset(("scf.if", "scf.index_switch", "scf.execute_region"))
# Ops of other dialects may keep the address for later, as may this one; then nothing is known about the last use.
_KEEPS_NO_ADDRESS = frozenset(("affine", "arith", "bufferization", "func", "linalg", "math", "memref", "scf", "vector"))
_TAKES_ADDRESS = "memref.extract_aligned_pointer_as_index"


def is_buffer(type_: ir.Type) -> bool:
    """Whether values of this type are memory."""
    return isinstance(type_, (ir.MemRefType, ir.UnrankedMemRefType))


def analyze_lifetimes(root: ir.Operation) -> LifetimePlan:
    """The plan for all functions under `root`. Changes nothing.

    Raises `PassFailure`, which names the op, for code that is not covered (see above).
    """
    clones: list[ReturnedClone] = []
    frees: list[Free] = []
    functions: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.func":
            functions.append(op)
            return ir.WalkResult.SKIP
        return ir.WalkResult.ADVANCE

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    for function in functions:
        blocks = list(function.regions[0])
        if not blocks:
            continue
        if len(blocks) > 1:
            raise PassFailure("cannot plan the lifetimes of buffers across branches between blocks", function)
        try:
            plan = _FunctionLifetimes(blocks[0]).plan()
        except RecursionError:
            raise PassFailure(
                "cannot plan the lifetimes of buffers in code that is nested so deeply", function
            ) from None
        clones += plan.clones
        frees += plan.frees
    return LifetimePlan(tuple(clones), tuple(frees))


@dataclass
class _Scan:
    """What one pass over a block found: roots of its own, roots of outer blocks that it uses, and its terminator."""

    level: int
    terminator: ir.Operation
    own: list[_Root] = field(default_factory=list)
    outer: set[int] = field(default_factory=set)


class _FunctionLifetimes:
    """The analysis of one function."""

    def __init__(self, body: ir.Block) -> None:
        self._body = body
        self._roots: list[_Root] = []
        self._sets: dict[ir.Value, _Roots] = {}
        self._globals: dict[str, int] = {}
        self._frees: list[Free] = []
        self._levels = 0
        self._next: dict[ir.Operation, ir.Operation] = {}

    def plan(self) -> LifetimePlan:
        for argument in self._body.arguments:
            if is_buffer(argument.type):
                self._new_root(_Kind.BORROWED, (argument,), None)
        scan = self._scan_block(self._body, self._new_level())
        returned = self._leaving(scan.terminator)
        clones = [self._owned_return(scan.terminator, number, returned) for number in returned]
        kept = [clone for clone in clones if clone is not None]
        always = {clone.operand for clone in kept if clone.when is None}
        given_away = [value for number, value in returned.items() if number not in always]
        self._free_own(scan, given_away)
        return LifetimePlan(tuple(kept), tuple(self._frees))

    # Sets of roots

    def _new_root(self, kind: _Kind, handles: tuple[Handle, ...], level: int | None, avoid: _Roots = _NONE) -> _Root:
        root = _Root(len(self._roots), kind, handles, level, avoid)
        self._roots.append(root)
        if kind is not _Kind.JOINED:
            for handle in handles:
                if isinstance(handle, ir.Value):
                    self._sets[handle] = frozenset((root.number,))
        return root

    def _global_root(self, op: ir.Operation) -> _Roots:
        symbol = ir.FlatSymbolRefAttr(op.attributes["name"]).value
        if symbol not in self._globals:
            handle = GlobalBuffer(symbol, op.results[0].type)
            self._globals[symbol] = self._new_root(_Kind.BORROWED, (handle,), None).number
        return frozenset((self._globals[symbol],))

    def _handles(self, numbers: Iterable[int]) -> list[Handle]:
        return [handle for number in sorted(numbers) for handle in self._roots[number].handles]

    def _is_certain(self, numbers: _Roots) -> bool:
        """Whether memrefs with this set are all one buffer."""
        return len(numbers) == 1 and all(len(self._roots[number].handles) == 1 for number in numbers)

    # One block

    def _new_level(self) -> int:
        self._levels += 1
        return self._levels

    def _scan_block(self, block: ir.Block, level: int) -> _Scan:
        ops = [op.operation for op in block.operations]
        self._next.update(pairwise(ops))
        scan = _Scan(level, ops[-1])
        for op in ops:
            used = self._scan_op(op, scan)
            for number in used:
                root = self._roots[number]
                if root.level == level:
                    root.last_use = op
                elif root.level is not None:
                    scan.outer.add(number)
        return scan

    def _scan_op(self, op: ir.Operation, scan: _Scan) -> set[int]:
        """Give the results of `op` their sets; the roots that it uses, itself or inside."""
        used: set[int] = set()
        for operand in op.operands:
            if is_buffer(operand.type):
                used |= self._sets[operand]
        buffers = [result for result in op.results if is_buffer(result.type)]
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
                self._roots[number].pinned = True
        return used

    def _scan_source(self, op: ir.Operation, buffers: Sequence[ir.Value], scan: _Scan) -> None:
        """An op without regions that gives a memref: it makes one, or passes on what it got."""
        name = op.name
        if any(isinstance(buffer.type, ir.MemRefType) and is_buffer(buffer.type.element_type) for buffer in buffers):
            raise PassFailure("cannot plan the lifetimes of memrefs that lie in memrefs", op)
        if name in ("memref.alloc", "bufferization.clone", "func.call"):
            for buffer in buffers:
                self._add_own(self._new_root(_Kind.OWNED, (buffer,), scan.level), op, scan)
        elif name == "memref.alloca":
            self._new_root(_Kind.BORROWED, (buffers[0],), scan.level)
        elif name == "memref.get_global":
            self._sets[buffers[0]] = self._global_root(op)
        elif name in _VIEWS:
            self._sets[buffers[0]] = self._sets[op.operands[0]]
        elif name == "arith.select":
            self._sets[buffers[0]] = self._sets[op.operands[1]] | self._sets[op.operands[2]]
        else:
            raise PassFailure(f"cannot tell whose memory the result of '{name}' is", op)

    def _add_own(self, root: _Root, op: ir.Operation, scan: _Scan) -> None:
        for handle in root.handles:
            if isinstance(handle, ir.Value) and not isinstance(handle.type, ir.MemRefType):
                raise PassFailure(f"cannot plan the lifetime of a {handle.type}: its address cannot be taken", op)
        root.last_use = op
        scan.own.append(root)

    def _note_dealloc(self, op: ir.Operation) -> None:
        roots = [self._roots[number] for number in self._sets[op.operands[0]]]
        if any(root.kind is not _Kind.OWNED for root in roots):
            raise PassFailure(
                "cannot plan the lifetimes of buffers beside a dealloc that may be of several buffers", op
            )
        for root in roots:
            root.freed_by_program = True

    # Ops with regions

    def _scan_regions(self, op: ir.Operation, buffers: Sequence[ir.Value], scan: _Scan) -> set[int]:
        blocks = [block for region in op.regions for block in region if len(block.operations)]
        if len(blocks) > len(op.regions):
            raise PassFailure("cannot plan the lifetimes of buffers across branches between blocks", op)
        if op.name == "scf.for":
            return self._scan_loop(op, blocks[0], scan)
        if op.name in _BRANCHES:
            return self._scan_branches(op, blocks, scan)
        if buffers or any(is_buffer(argument.type) for block in blocks for argument in block.arguments):
            raise PassFailure(f"cannot plan the lifetimes of buffers that '{op.name}' carries", op)
        used: set[int] = set()
        for block in blocks:
            inner = self._scan_block(block, self._new_level())
            used |= inner.outer
            if self._leaving(inner.terminator):
                raise PassFailure(f"cannot plan the lifetimes of buffers that leave '{op.name}'", inner.terminator)
            self._free_own(inner, [])
        return used

    def _scan_branches(self, op: ir.Operation, blocks: Sequence[ir.Block], scan: _Scan) -> set[int]:
        used: set[int] = set()
        outer: dict[int, _Roots] = {}
        fresh: set[int] = set()
        for block in blocks:
            inner = self._scan_block(block, self._new_level())
            used |= inner.outer
            leaving = self._leaving(inner.terminator)
            self._free_own(inner, list(leaving.values()))
            for number, value in leaving.items():
                roots, made = self._sets[value], self._made_in(inner, self._sets[value])
                outer[number] = outer.get(number, _NONE) | (roots - made)
                fresh |= {number} if made else set()
        self._join(op, outer, fresh, scan)
        return used

    def _scan_loop(self, op: ir.Operation, body: ir.Block, scan: _Scan) -> set[int]:
        inits = list(op.operands)[3:]
        carried = {n: argument for n, argument in enumerate(list(body.arguments)[1:]) if is_buffer(argument.type)}
        level = self._new_level()
        positions = {self._new_root(_Kind.CARRIED, (carried[n],), level).number: n for n in carried}
        inner = self._scan_block(body, level)
        passed = {number: self._sets[value] for number, value in self._leaving(inner.terminator).items()}
        starts = {number: self._sets[inits[number]] for number in carried}
        made = {number: self._made_in(inner, roots) for number, roots in passed.items()}
        outer, fresh = _close_loop(passed, starts, positions, made)
        values = list(self._leaving(inner.terminator).values())
        self._free_own(inner, values)
        self._free_carried([carried[n] for n in sorted(fresh)], inner, values, _NONE.union(*outer.values()))
        self._join(op, outer, fresh, scan)
        return inner.outer

    def _made_in(self, scan: _Scan, roots: _Roots) -> _Roots:
        """Those of `roots` that a block made itself; memory on its stack cannot leave it."""
        own = [self._roots[number] for number in roots if self._roots[number].level == scan.level]
        if any(root.kind is _Kind.BORROWED for root in own):
            raise PassFailure("memory on the stack leaves the block it was allocated in", scan.terminator)
        return frozenset(root.number for root in own if root.kind is not _Kind.CARRIED)

    def _join(self, op: ir.Operation, outer: dict[int, _Roots], fresh: Iterable[int], scan: _Scan) -> None:
        """Give the results of a structured op their sets; those that may be made inside share a joined root."""
        made = sorted(fresh)
        joined = _NONE
        if made:
            avoid = _NONE.union(*(outer[number] for number in made))
            root = self._new_root(_Kind.JOINED, tuple(op.results[number] for number in made), scan.level, avoid)
            self._add_own(root, op, scan)
            joined = frozenset((root.number,))
        for number, roots in outer.items():
            self._sets[op.results[number]] = roots | (joined if number in made else _NONE)

    # Frees

    def _leaving(self, terminator: ir.Operation) -> dict[int, ir.Value]:
        """The memrefs that leave a block, by operand number."""
        return {number: value for number, value in enumerate(terminator.operands) if is_buffer(value.type)}

    def _free_own(self, scan: _Scan, leaving: Sequence[ir.Value]) -> None:
        """Free the roots of a block, of which those in `leaving` may leave it."""
        for root in scan.own:
            if root.freed_by_program:
                continue
            out = [value for value in leaving if root.number in self._sets[value]]
            if any(self._is_certain(self._sets[value]) for value in out):
                continue
            before = scan.terminator if out or root.pinned else self._after_last_use(root, scan)
            unless = [*out, *self._handles(root.avoid)]
            for position, handle in enumerate(root.handles):
                if isinstance(handle, ir.Value):
                    self._frees.append(Free(handle, before, (*unless, *root.handles[:position])))

    def _after_last_use(self, root: _Root, scan: _Scan) -> ir.Operation:
        following = self._next.get(root.last_use) if root.last_use else None
        if following is None:
            raise PassFailure("cannot free a buffer that the end of its block still uses", scan.terminator)
        return following

    def _free_carried(
        self, arguments: Sequence[ir.Value], scan: _Scan, passed: Sequence[ir.Value], outer: _Roots
    ) -> None:
        unless: list[Handle] = [*passed, *self._handles(outer)]
        for argument in arguments:
            self._frees.append(Free(argument, scan.terminator, tuple(unless)))
            unless.append(argument)

    def _owned_return(
        self, terminator: ir.Operation, number: int, returned: dict[int, ir.Value]
    ) -> ReturnedClone | None:
        """How to own result `number` of the function; None when it is owned anyway."""
        roots = self._sets[returned[number]]
        borrowed = [n for n in sorted(roots) if self._roots[n].kind is _Kind.BORROWED]
        earlier = [value for n, value in returned.items() if n < number and self._sets[value] & roots]
        certain = self._is_certain(roots) and any(self._sets[value] == roots for value in earlier)
        if certain or len(borrowed) == len(roots):
            return ReturnedClone(terminator, number, None)
        when = (*self._handles(borrowed), *earlier)
        return ReturnedClone(terminator, number, when) if when else None


def _close_loop(
    passed: dict[int, _Roots], starts: dict[int, _Roots], positions: dict[int, int], made: dict[int, _Roots]
) -> tuple[dict[int, _Roots], list[int]]:
    """What each value a loop carries may be, over all iterations: outer roots, and which may be made in the loop.

    `passed` holds what the body passes on, `starts` the initial values, `made` what of `passed` the body makes;
    `positions` maps the root of a carried value to its position.
    """
    sources = {n: [positions[root] for root in roots if root in positions] for n, roots in passed.items()}
    outer = {n: starts[n] | (roots - made[n] - positions.keys()) for n, roots in passed.items()}
    fresh = {n for n in passed if made[n]}
    changed = True
    while changed:
        changed = False
        for n, others in sources.items():
            joined = outer[n].union(*(outer[other] for other in others))
            if joined != outer[n] or (n not in fresh and not fresh.isdisjoint(others)):
                outer[n] = joined
                fresh |= {n} if not fresh.isdisjoint(others) else set()
                changed = True
    return outer, sorted(fresh)
