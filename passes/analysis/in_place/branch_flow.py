"""The tensors that branches forward to block arguments.

A block argument is in the buffer that some branch forwards. If all forwarded buffers, except the argument itself, are
of one equivalence class, so is the argument (docs/theory/foundations.md). All forwardings on the back edges of a loop
in the CFG are decided together, after the loop's body: they may permute the argument buffers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..conflicts.alias_sets import AliasSets
from ..conflicts.decisions import Decision
from ..effects.reader import TensorEffects
from .region_flow import CarriedTensor, permuted

__all__ = ["BranchFlow"]


class BranchFlow:
    """The branches of one function and the tensor arguments of their successor blocks. Linear in both.

    ``sets`` and ``decisions`` are those of the calling analysis.
    """

    def __init__(
        self, effects: TensorEffects, function: int, sets: AliasSets, decisions: Mapping[int, Decision]
    ) -> None:
        s = self._snapshot = effects.snapshot
        self._effects = effects
        self._sets = sets
        self._decisions = decisions
        self.arguments: list[int] = []
        """The tensor arguments of successor blocks that something uses, last block first."""
        self._joined: dict[int, list[int]] = {}
        self._rounds: dict[int, list[list[CarriedTensor]]] = {}
        self._waiting: set[int] = set()
        for op in (function, *s.nested_ops(function)) if s.graphs else ():
            for region in s.op_regions[op]:
                if len(region) > 1:
                    self._add_region(region)

    def _add_region(self, region: tuple[int, ...]) -> None:
        s = self._snapshot
        dominators = s.graphs[s.block_branches[region[0]]].immediate_dominator
        for place in range(len(region) - 1, 0, -1):
            arguments = [a for a in s.arguments(region[place]) if a in self._effects.sources]
            self.arguments.extend(arguments)
            if arguments:
                branch = s.block_ops[region[dominators[place]]][-1]
                self._joined.setdefault(branch, []).extend(arguments)

        self._add_rounds(s.block_branches[region[0]])

    def _add_rounds(self, branches: int) -> None:
        """Collect the forwardings on loop back edges that may permute several buffers."""
        s = self._snapshot
        graph, first = s.graphs[branches], s.graph_first[branches]
        for begin, end, _ in graph.loops:
            tensors = [a for a in s.arguments(first + begin) if a in self._effects.sources]
            back = [place for place in graph.predecessors[begin] if begin <= place <= end]
            if len(tensors) < 2:
                continue
            for place in back:
                branch = s.block_ops[first + place][-1]
                for edge in self._edges(branch, first + begin):
                    self._rounds.setdefault(first + begin, []).append(edge)
                    self._waiting.update(entry.operand for entry in edge)

    def _edges(self, branch: int, block: int) -> Iterator[list[CarriedTensor]]:
        """Yield the forwardings from ``branch`` to ``block``, one list per edge."""
        s = self._snapshot
        count = sum(a in self._effects.sources for a in s.arguments(block))
        entries = [CarriedTensor(o, target, -1) for o, target in self.values(branch) if s.value_block[target] == block]
        for start in range(0, len(entries), count):
            yield entries[start : start + count]

    def waits(self, operand: int) -> bool:
        """Whether ``operand`` is forwarded on an undecided back edge."""
        return operand in self._waiting

    def take_rounds(self, block: int) -> list[list[CarriedTensor]]:
        """Remove and return the undecided forwardings on the back edges to loop header ``block``, by edge."""
        rounds = self._rounds.pop(block, [])
        self._waiting.difference_update(entry.operand for edge in rounds for entry in edge)
        return rounds

    def waiting_headers(self) -> list[int]:
        """Return the headers of loops with undecided back edges."""
        return list(self._rounds)

    def rotation(self, rounds: list[list[CarriedTensor]]) -> list[CarriedTensor]:
        """Return the largest part of ``rounds`` that permutes the same buffers on every edge."""
        find, s = self._sets.equivalence.find, self._snapshot
        entries = [entry for edge in rounds for entry in edge]
        arguments = {e.argument for e in entries if find(s.operand_value[e.operand]) != find(e.argument)}
        while True:
            before = len(arguments)
            for edge in rounds:
                part = permuted(self._effects, self._sets, [entry for entry in edge if entry.argument in arguments])
                arguments = {entry.argument for entry in part}
            if len(arguments) == before:
                return [entry for entry in entries if entry.argument in arguments]

    def joined(self, branch: int) -> list[int]:
        """Return the arguments of the blocks whose immediate dominator ``branch`` ends."""
        return self._joined.get(branch, [])

    def values(self, branch: int) -> Iterator[tuple[int, int]]:
        """Yield the forwardings of ``branch``: the operand and the block argument."""
        for operand in self._snapshot.operands(branch):
            for target in self._effects.forwards.get(operand, ()):
                yield operand, target

    def entered_loop(self, branch: int, block: int) -> int:
        """Return the outermost loop around ``block`` that its predecessor ``branch`` is not in; -1 if none."""
        s = self._snapshot
        entered, loop = -1, s.block_loop[block]
        while loop >= 0 and not s.encloses(loop, s.op_enter[branch]):
            entered = loop
            loop = s.outer_loop(loop)
        return entered

    def blocks(self, loop: int) -> range:
        """Return the blocks of a loop of the CFG."""
        s = self._snapshot
        whole = s.block_branches[loop]
        graph = s.graphs[whole].loops[loop - whole - 1]
        return range(s.graph_first[whole] + graph.begin, s.graph_first[whole] + graph.end + 1)

    # --- what was decided --------------------------------------------------------------------------------------

    def is_settled(self, argument: int, operand: int) -> bool:
        """Whether every operand forwarded to ``argument``, except ``operand``, is in the argument's own buffer."""
        root = self._sets.equivalence.find(argument)
        return all(self._forwards(o, root) for o in self._effects.sources[argument] if o != operand)

    def unite(self, argument: int) -> None:
        """Put ``argument`` into the class of the buffers forwarded to it, if these, except itself, are of one class."""
        s, find = self._snapshot, self._sets.equivalence.find
        sources, own = self._effects.sources[argument], find(argument)
        root = next((r for r in (find(s.operand_value[o]) for o in sources) if r != own), own)
        if root != own and all(self._forwards(o, own) or self._forwards(o, root) for o in sources):
            self._sets.unite(argument, root)

    def _forwards(self, operand: int, root: int) -> bool:
        """Whether it is decided that ``operand`` forwards a buffer of class ``root``."""
        decision = self._decisions.get(operand)
        value = self._snapshot.operand_value[operand]
        return decision is not None and decision.in_place and self._sets.equivalence.find(value) == root
