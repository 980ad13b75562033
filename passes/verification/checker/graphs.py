"""Regions that are CFGs: the blocks are run in order until the facts at their heads are a fixpoint.

Back edges count from the second pass on: the search starts with the facts of the forward edges, which then only shrink.
Terms and symbols that are defined in a loop are dropped on its back edges.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .control import Control, back_edge
from .machine import SymbolicMachine
from .memory import Content, IncomingPath, Layer, Lost, Renamed, unknown
from .places import WHOLE
from .states import MemoryState, View

__all__ = ["Graphs"]

_MOST_PASSES = 10
_MOST_BLOCKS = 256


@dataclass
class BranchState:
    """A CFG edge: the branch, the state there, and the operands it forwards in both programs."""

    branch: int
    state: MemoryState
    passed: list[int]
    tensors: list[int]
    back: bool


@dataclass
class Head:
    """Facts at the head of a block."""

    contents: dict[int, Content] = field(default_factory=dict[int, Content])
    views: dict[int, View | None] = field(default_factory=dict[int, View | None])
    varying: set[int] = field(default_factory=set[int])
    aliases: dict[int, set[int]] = field(default_factory=dict[int, set[int]])


class Graphs:
    """Runs regions with several blocks on ``machine``."""

    def __init__(self, machine: SymbolicMachine, control: Control) -> None:
        self.machine = machine
        self.control = control
        self._heads: dict[int, Head] = {}
        self._edges: dict[int, list[BranchState]] = {}
        self._stable = True

    def is_followed(self, blocks: tuple[int, ...]) -> bool:
        """Whether there are few enough blocks, all reachable, and all branches are known and have tags."""
        m, s = self.machine, self.machine.snapshot
        last = [s.block_ops[block][-1] for block in blocks]
        known = all(o not in s.op_successors or (m.twin(o) >= 0 and o in m.successors) for o in last)
        graph = s.graphs[s.block_branches[blocks[0]]]
        return known and len(blocks) <= _MOST_BLOCKS and not graph.unreachable

    def run(self, blocks: tuple[int, ...]) -> list[tuple[int, MemoryState]]:
        """Run the region; return its exits with the states there. The machine's state is that of the entry again."""
        m, s = self.machine, self.machine.snapshot
        entry = m.state
        for block in blocks:
            self._heads[block] = Head()
            self._edges[block] = []
        exits: list[tuple[int, MemoryState]] = []
        for passes in range(_MOST_PASSES + 1):
            self._stable = True
            exits = []
            for block in blocks:
                m.state = (
                    MemoryState(entry) if block == blocks[0] else self._enter(block, entry, passes == _MOST_PASSES)
                )
                self.control.run_block(block)
                last = s.block_ops[block][-1]
                if last in s.op_successors:
                    self._leave(last, block)
                else:
                    exits.append((last, m.state))
            if self._stable or passes == _MOST_PASSES:
                break
        m.state = entry
        return exits

    def _leave(self, branch: int, block: int) -> None:
        """Add the edges from ``branch`` to its successors."""
        m, s = self.machine, self.machine.snapshot
        program, twin = m.program, m.twin(branch)
        for number, target in enumerate(s.op_successors[branch]):
            passed = [m.operand(branch, i) for i in m.successors[branch][number]]
            tensors = [program.operand(twin, i) for i in program.successors[twin][number]]
            edge = BranchState(branch, m.state, passed, tensors, target <= block)
            edges = self._edges[target]
            same = [i for i, e in enumerate(edges) if e.branch == branch and e.back == edge.back]
            # Two edges of one branch to one block differ in the operands that they forward.
            same = [i for i in same if edges[i].passed == passed and edges[i].tensors == tensors]
            if same:
                edges[same[0]] = edge
            else:
                edges.append(edge)
                self._stable = self._stable and not edge.back

    def _enter(self, block: int, entry: MemoryState, give_up: bool) -> MemoryState:
        """Return the state at the head of ``block``."""
        m, s = self.machine, self.machine.snapshot
        edges, head = self._edges[block], self._heads[block]
        forward = [edge for edge in edges if not edge.back]
        renamed = self._renamed(block, edges)
        if len(edges) == 1:
            m.state = MemoryState(forward[0].state)
            for argument, value in zip(s.arguments(block), forward[0].passed, strict=True):
                if m.is_shaped[argument]:
                    m.alias(argument, m.view(value))
            self._name(block, renamed)
            return m.state
        m.state = state = MemoryState(entry)
        roots = dict.fromkeys(root for edge in edges for root in self.control.changed(edge.state, entry))
        for edge in edges:
            roots.update(dict.fromkeys(self.control.holders(renamed, edge.state)))
        for root in roots:
            contents = [edge.state.get(root) for edge in edges]
            if all(contents):
                self._set(block, root, contents, renamed, give_up)
        for index, argument in enumerate(s.arguments(block)):
            if m.is_shaped[argument]:
                self._choose(block, argument, [m.view(edge.passed[index]) for edge in edges], renamed, give_up)
        if head.contents.keys() - state.changes.keys():
            self._stable = False
        head.contents = dict(state.changes)
        return state

    def _renamed(self, block: int, edges: list[BranchState]) -> list[tuple[int, list[int]]]:
        """Return the terms of the arguments of ``block``'s twin, with the terms that the edges forward."""
        m, t = self.machine, self.machine.program.snapshot
        content = m.program.content
        twin = t.op_block[m.tags[m.snapshot.block_ops[block][-1]]]
        return [
            (content[argument], [content[edge.tensors[index]] for edge in edges])
            for index, argument in enumerate(t.arguments(twin))
            if content[argument] >= 0
        ]

    def _name(self, block: int, renamed: list[tuple[int, list[int]]]) -> None:
        """Rename contents for ``block``, which has one predecessor."""
        m, state = self.machine, self.machine.state
        for root in self.control.holders(renamed, state):
            path, writer = IncomingPath(state.get(root)), m.snapshot.block_ops[block][-1]
            state.set(root, self.control.merged([path], renamed, writer))

    def _set(self, block: int, root: int, contents: list[Content], renamed: Renamed, give_up: bool) -> None:
        """Set the content of ``root`` at the head of ``block``."""
        m, head, edges = self.machine, self._heads[block], self._edges[block]
        writer = max((content[-1].writer for content in contents), default=-1)
        chosen = list(range(len(edges)))
        if root not in head.contents:
            chosen = [i for i in chosen if not edges[i].back]
        forwarded = {old for _, before in renamed for old in before}
        paths = [self._path(block, edges[i].back, contents[i], forwarded) for i in chosen]
        names = [(term, [before[i] for i in chosen]) for term, before in renamed]
        content = tuple(_unsure(layer) for layer in self.control.merged(paths, names, writer))
        if give_up:
            content = (Layer(WHOLE, frozenset(), writer, "branches with too many cases"),)
        if head.contents.get(root) != content:
            self._stable = self._stable and not any(edge.back for edge in edges)
        m.state.set(root, content)

    def _choose(self, block: int, argument: int, views: list[View | None], renamed: Renamed, give_up: bool) -> None:
        """Set memref ``argument`` to the views that the edges forward."""
        m, head, edges = self.machine, self._heads[block], self._edges[block]
        own = View(argument)
        known = [view for view in views if view is not None]
        if len(known) < len(views):
            m.views.pop(argument, None)
            return
        if argument not in head.varying and all(view in (known[0], own) for view in known):
            m.views[argument] = known[0]
            return
        head.varying.add(argument)
        aliases = head.aliases.setdefault(argument, set())
        before = len(aliases)
        for view in known:
            aliases |= {view.root, *m.related.get(view.root, ())} - {argument}
        if len(aliases) != before:
            self._stable = False
        m.views[argument] = own
        contents = [self.control.seen(view, edge.state, edge.branch) for view, edge in zip(known, edges, strict=True)]
        self._set(block, argument, contents, renamed, give_up)
        m.renew(argument)
        m.relate(argument, aliases)

    def _path(self, block: int, is_back: bool, content: Content, forwarded: set[int]) -> IncomingPath:
        if not is_back:
            return IncomingPath(content)
        m = self.machine
        twin = m.program.snapshot.op_block[m.tags[m.snapshot.block_ops[block][-1]]]
        begins = m.program.snapshot.block_begin[twin] - 1, m.snapshot.block_begin[block] - 1
        return back_edge(m.program.terms, content, forwarded, *begins)


def _unsure(layer: Layer) -> Layer:
    """Return ``layer`` without definite losses: the path on which a term is lost may never be taken."""
    lost = Lost(unknown(layer.reason, layer.writer))
    return layer._replace(lost=dict.fromkeys(layer.lost, lost))
