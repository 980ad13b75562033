"""Lifetimes in functions whose blocks branch to one another: liveness of roots over the block graph.

Each memref argument of a block is a separate root. An edge *hands over* ownership of a buffer to it if the edge's
operand, looking through views, is a root that its block owns and that is dead after the edge otherwise; else it *lends*
one. An argument that some edge hands a buffer over to owns its memory, unless that is the memory of a root lent to it;
a comparison of addresses decides. An argument that is only lent buffers owns nothing: its uses are uses of the roots it
may be.

A root is live from its definition to its last use through any value that may be it. It is freed at the end of its live
range: behind the last use in a block, at the start of a block on all of whose incoming edges it is dead, or on a split
edge. A lent root has to be defined on every path to the block that borrows it, so that it can be freed; otherwise the
function is refused. The edges that hand over are a fixpoint: it starts with all candidates and removes, round by round,
those whose root is still needed. Linear in the ops; in the graph, a few rounds over bit sets of the roots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

from mlir import ir

from ...framework.errors import PassFailure
from .branch_edges import BranchEdge, BranchEdges
from .loops import LOOPS
from .plan import EdgeFrees, Free
from .regions import BlockScan, RegionLifetimes
from .returned_buffers import ReturnedBuffers
from .roots import VIEWS, Root, RootKind, Roots, is_buffer, leaving_buffers

__all__ = ["GraphLifetimes"]

_ROUNDS = 32

_Pass = tuple[int, int, int]
"""Source block, number of the successor, number of the operand."""


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class GraphLifetimes(RegionLifetimes):
    """The analysis of a function with several blocks."""

    def __init__(self, blocks: Sequence[ir.Block], callees: Mapping[str, ReturnedBuffers]) -> None:
        super().__init__(LOOPS, callees)
        self.graph = BranchEdges(blocks)
        self.edge_frees: list[EdgeFrees] = []
        count = len(self.graph.blocks)
        self._ops: list[list[ir.Operation]] = []
        self._uses: list[dict[int, int]] = []
        """For each block, the roots it uses, and the position of the last use."""
        self._owned: list[Root] = []
        self._home: dict[int, int] = {}
        """The block that each root is defined in; none for roots that are live on entry to the function."""
        self._defined = [0] * count
        self._live_in = [0] * count
        self._live_out = [0] * count
        self._argument: dict[int, list[tuple[_Pass, ir.Value]]] = {}
        """For an argument's root: the operand that each edge forwards."""
        self._handed: dict[_Pass, int] = {}
        self._handed_on: dict[tuple[int, int], int] = {}
        """For source block and number of the successor, the mask of roots that the edge hands over."""
        self._heirs: dict[tuple[int, int, int], int] = {}
        """For source block, number of the successor and a root that is handed over: the receiving argument."""
        self._owners: set[int] = set()
        """Roots of arguments that own their memory."""
        self._whole: list[int] = []
        """For each root, the mask of the roots that a memref of this root may be."""

    def run(self) -> None:
        """Scan the blocks, determine ownership, and place the frees in `frees` and `edge_frees`."""
        for argument in self.graph.blocks[0].arguments:
            if is_buffer(argument.type):
                self.new_argument(argument)
        for number in range(len(self.graph.blocks)):
            self._scan(number)
        for edges in self.graph.out:
            for edge in edges:
                self._note_passes(edge)
        self._settle()
        self._check_homes()

    # Scanning

    def _scan(self, number: int) -> None:
        block, level = self.graph.blocks[number], self.new_level()
        ops = [op.operation for op in block.operations]
        scan = BlockScan(level, ops[-1])
        first = len(self.roots)
        if number:
            self._own_arguments(block, level)
        uses: dict[int, int] = {}
        for position, op in enumerate(ops[:-1]):
            for root in self.scan_op(op, scan):
                uses[root] = position
        for value in leaving_buffers(ops[-1]).values():
            uses.update(dict.fromkeys(self.sets[value], len(ops) - 1))
        self._find_homes(number, first, level)
        positions = {id(op): position for position, op in enumerate(ops)}
        for root in scan.own:
            if root.last_use is not None:
                uses.setdefault(root.number, positions.get(id(root.last_use), 0))
        self._owned += scan.own
        self._ops.append(ops)
        self._uses.append(uses)

    def _find_homes(self, number: int, first: int, level: int) -> None:
        for root in self.roots[first:]:
            if root.level == level:
                self._home[root.number] = number
                self._defined[number] |= 1 << root.number

    def _own_arguments(self, block: ir.Block, level: int) -> None:
        for argument in block.arguments:
            if not is_buffer(argument.type):
                continue
            if not isinstance(argument.type, ir.MemRefType):
                message = f"cannot plan the lifetime of a {argument.type}: its address cannot be taken"
                raise PassFailure(message, next(iter(block.operations)).operation)
            root = self.new_root(RootKind.JOINED, (argument,), level)
            self.sets[argument] = frozenset((root.number,))
            self._argument[root.number] = []

    def _origin(self, value: ir.Value) -> int | None:
        """The owning root that `value` is, looking through views."""
        while not isinstance(value, ir.BlockArgument):
            op = ir.OpResult(value).owner.operation
            if op.name not in VIEWS:
                break
            value = op.operands[0]
        for number in self.sets[value]:
            root = self.roots[number]
            if root.handles == (value,) and root.kind is not RootKind.BORROWED and not root.freed_by_program:
                return number
        return None

    def _note_passes(self, edge: BranchEdge) -> None:
        arguments = self.graph.blocks[edge.target].arguments
        for number, (value, argument) in enumerate(zip(edge.operands, arguments, strict=True)):
            if is_buffer(value.type):
                self.check_address(value, edge.terminator)
                (root,) = self.sets[argument]
                origin = self._origin(value)
                place = (edge.source, edge.index, number)
                self._argument[root].append((place, value))
                if origin is not None:
                    self._hand_over(place, origin, root)

    # Ownership

    def _hand_over(self, place: _Pass, root: int, heir: int) -> None:
        """Let an edge hand over `root` to argument `heir`, unless it hands it over to an earlier argument."""
        edge = place[:2]
        if not self._handed_on.get(edge, 0) >> root & 1:
            self._handed_on[edge] = self._handed_on.get(edge, 0) | 1 << root
            self._handed[place] = root
            self._heirs[edge[0], edge[1], root] = heir

    def _settle(self) -> None:
        for _ in range(_ROUNDS):
            self._find_owners()
            self._take_back(lambda place: not self._owns(self._handed[place]))
            self._close()
            self._flow()
            if not self._take_back(self._is_still_needed):
                return
        message = "cannot plan the lifetimes of buffers that so many branches forward"
        raise PassFailure(message, self.graph.terminators[0])

    def _take_back(self, is_wrong: Callable[[_Pass], bool]) -> bool:
        """Lend instead of handing over where `is_wrong`; return whether that changed anything."""
        lent = [place for place in self._handed if is_wrong(place)]
        for place in lent:
            root = self._handed.pop(place)
            self._handed_on[place[:2]] &= ~(1 << root)
            del self._heirs[place[0], place[1], root]
        return bool(lent)

    def _owns(self, root: int) -> bool:
        """Whether this root owns its memory: an argument does if some edge hands a buffer over to it."""
        return root not in self._argument or root in self._owners

    def _find_owners(self) -> None:
        """An argument owns if an allocated buffer reaches it over handing-over edges; a cycle alone makes no owner."""
        heirs: dict[int, list[int]] = {}
        work: list[int] = []
        for edge, heir in self._heirs.items():
            root = edge[2]
            if root in self._argument:
                heirs.setdefault(root, []).append(heir)
            else:
                work.append(heir)
        self._owners = set[int]()
        while work:
            heir = work.pop()
            if heir not in self._owners:
                self._owners.add(heir)
                work.extend(heirs.get(heir, ()))

    def _is_still_needed(self, place: _Pass) -> bool:
        target = self.graph.out[place[0]][place[1]].target
        return bool(self._live_in[target] >> self._handed[place] & 1)

    def _close(self) -> None:
        """Compute the roots each argument may be: itself if it owns, lent roots, and those of handed-over roots."""
        self._whole = [1 << number for number in range(len(self.roots))]
        for root in self._argument:
            if not self._owns(root):
                self._whole[root] = 0
        changed = True
        while changed:
            changed = False
            for root, passes in self._argument.items():
                mask = self._whole[root]
                for place, value in passes:
                    heirs, others = self._given(place, value)
                    mask |= heirs | others
                if mask != self._whole[root]:
                    self._whole[root], changed = mask, True

    def _given(self, place: _Pass, value: ir.Value) -> tuple[int, int]:
        """The roots, besides itself, that an argument may be if an edge forwards `value`: heirs of the edge, others."""
        heirs = others = 0
        for root in _bits(self._mask(self.sets[value])):
            heir = self._heirs.get((place[0], place[1], root))
            if heir is None:
                others |= 1 << root
            elif self._handed.get(place) != root:
                heirs |= self._whole[heir]
        return heirs, others

    def _mask(self, roots: Roots) -> int:
        return reduce(or_, (self._whole[root] for root in roots), 0)

    def _flow(self) -> None:
        """Compute which roots are live at the start and at the end of each block."""
        count = len(self.graph.blocks)
        pinned = self._mask(frozenset(root.number for root in self.roots if root.pinned))
        owned = sum(1 << root.number for root in self._owned)
        used = [self._mask(frozenset(uses)) & ~self._defined[b] for b, uses in enumerate(self._uses)]
        for root in self._argument:
            # Its ownership is decided at run time by comparing its address with those of the roots it may have been
            # lent.
            home = self._home[root]
            used[home] |= self._whole[root] & ~self._defined[home]
        for block in range(count):
            if not self.graph.out[block]:
                used[block] |= pinned & ~self._defined[block] & owned
        self._live_in, self._live_out = list(used), [0] * count
        changed = True
        while changed:
            changed = False
            for block in reversed(range(count)):
                out = reduce(or_, (self._live_in[edge.target] for edge in self.graph.out[block]), 0)
                into = used[block] | (out & ~self._defined[block])
                if (out, into) != (self._live_out[block], self._live_in[block]):
                    self._live_out[block], self._live_in[block], changed = out, into, True

    def _check_homes(self) -> None:
        """The roots that are live in a block, or compared with its arguments, must be defined on every path to it."""
        for block, live in enumerate(self._live_in):
            self._check_dominance(live, block, self._ops[block][0])
        for root, passes in self._argument.items():
            for place, value in passes:
                # The block's roots do not stand for buffers of its earlier executions.
                _, others = self._given(place, value)
                self._check_dominance(others, self._home[root], self.graph.terminators[place[0]])

    def _check_dominance(self, mask: int, block: int, op: ir.Operation) -> None:
        for root in _bits(mask):
            home = self._home.get(root)
            if home is not None and not self.graph.dominates(home, block):
                raise PassFailure(
                    "cannot plan the lifetimes of buffers where blocks meet: which buffer is held, and so who frees "
                    "it, depends on the path taken",
                    op,
                )

    # Frees

    def all_roots(self, value: ir.Value) -> Roots:
        """The roots `value` may be, with arguments that own nothing replaced by the roots lent to them."""
        return frozenset(_bits(self._mask(self.sets[value])))

    def place_frees(self, given_away: Sequence[Sequence[ir.Value]]) -> None:
        """Free each root where it dies. `given_away`: for each block, the memrefs whose ownership it returns."""
        mine = [root for root in self._owned if not root.freed_by_program]
        for number in filter(self._owns, self._argument):
            self.roots[number].avoid = frozenset(_bits(self._whole[number])) - {number}
            mine.append(self.roots[number])
        mask = sum(1 << root.number for root in mine)
        ends: dict[tuple[int, int], list[int]] = {}
        for block, edges in enumerate(self.graph.out):
            here = (self._live_in[block] | self._defined[block]) & mask
            handed = reduce(or_, (self._handed_on.get((block, edge.index), 0) for edge in edges), 0)
            self._free_in(block, here & ~self._live_out[block] & ~handed, given_away[block])
            for edge in edges:
                over = self._handed_on.get((block, edge.index), 0)
                dead = here & (self._live_out[block] | handed) & ~over & ~self._live_in[edge.target]
                ends[block, edge.index] = list(_bits(dead))
        self._place_on_edges(ends)

    def _last_uses(self, block: int) -> dict[int, int]:
        found: dict[int, int] = {}
        for used, position in self._uses[block].items():
            for root in _bits(self._whole[used]):
                found[root] = max(position, found.get(root, position))
        return found

    def _free_in(self, block: int, dying: int, returned: Sequence[ir.Value]) -> None:
        """Free the roots that die in `block`: behind their last use in it, or at its end if they may be returned."""
        if not dying:
            return
        ops, last = self._ops[block], self._last_uses(block)
        places: dict[int, list[tuple[int, Sequence[ir.Value]]]] = {}
        for number in _bits(dying):
            root = self.roots[number]
            out = [value for value in returned if number in self.all_roots(value)]
            if any(self._origin(value) == number or self.is_certain(self.all_roots(value)) for value in out):
                continue
            for value in out:
                self.check_address(value, ops[-1])
            position = len(ops) if out or root.pinned else last.get(number, -1) + 1
            places.setdefault(min(position, len(ops) - 1), []).append((number, out))
        for position, frees in places.items():
            self._free_together(frees, ops[position])

    def _free_together(self, frees: Sequence[tuple[int, Sequence[ir.Value]]], before: ir.Operation) -> None:
        """Free the roots that die at one point, each with the memrefs that it must not alias.

        Two arguments may be each other. If both die here, exactly one must free a buffer that they share: the first one
        is freed without a comparison with the second.
        """
        numbers = {number for number, _ in frees}
        for number, out in frees:
            numbers.discard(number)
            root = self.roots[number]
            mutual = {other for other in numbers & root.avoid if number in self.roots[other].avoid}
            self.add_frees(replace(root, avoid=root.avoid - mutual) if mutual else root, before, out)

    def _place_on_edges(self, ends: dict[tuple[int, int], list[int]]) -> None:
        """Put frees at the start of a block if all its incoming edges agree, else on the edge."""
        for block, edges in enumerate(self.graph.into):
            lists = [ends[edge.source, edge.index] for edge in edges]
            shared = set[int]().union(*lists[:1]).intersection(*lists)
            shared = {number for number in shared if self.graph.dominates(self._home[number], block)}
            self._free_together([(number, ()) for number in sorted(shared)], self._ops[block][0])
            for edge, numbers in zip(edges, lists, strict=True):
                rest = [number for number in numbers if number not in shared]
                if rest:
                    self.edge_frees.append(EdgeFrees(edge.terminator, edge.index, self._on_edge(edge, rest)))

    def _on_edge(self, edge: BranchEdge, numbers: Sequence[int]) -> tuple[Free, ...]:
        before = len(self.frees)
        self._free_together([(number, ()) for number in numbers], edge.terminator)
        found = tuple(self.frees[before:])
        del self.frees[before:]
        return found
