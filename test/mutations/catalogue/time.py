"""Rules about when one op comes before another one. Data."""

from __future__ import annotations

from disabling import Rule

_ORDER = "passes.analysis.ir.program_order:ProgramOrder."
_GRAPH = "passes.analysis.ir.block_graph:BlockGraph."

TIME = (
    Rule(
        "definitions on every way, between blocks",
        "**Lemma 1",
        _ORDER + "dominates",
        "return False",
        "return s.graphs[branches].dominates(block - s.graph_first[branches], s.place(branches, position))",
    ),
    Rule(
        "arguments of threads are defined before",
        "**Threads**",
        _ORDER + "definition",
        "position = None",
        "position = self._early.get(value) if self._early else None",
    ),
    Rule("only exclusive regions exclude", "are *exclusive*", _ORDER + "order", "if True:", "if a in self._exclusive:"),
    Rule(
        "regions of a loop take turns",
        "**Time**",
        _ORDER + "order",
        "return Order.BEFORE, block",
        "return Order.BEFORE, inner if s.block_loop[inner] == inner else block",
    ),
    Rule(
        "no loop leads from a region to another one",
        "**Time**",
        _ORDER + "widest_gap",
        "if False:",
        "if self.outermost_wrap(value, s.op_block[around]) >= 0:",
    ),
    Rule(
        "only exclusive regions are left out",
        "are *exclusive*",
        _ORDER + "widest_gap",
        "is_one_of_several = True",
        "is_one_of_several = around in self._exclusive and s.block_branches[block] < 0",
    ),
    Rule("branches lead forward", "**Forward, not passing the definition**", _ORDER + "_leads", "return False"),
    Rule(
        "a branch may avoid the definition",
        "**Forward, not passing the definition**",
        _GRAPH + "_search",
        "return False",
    ),
    Rule("loops that do not define the value", "**Lemma 2", _ORDER + "outermost_wrap", "return -1"),
    Rule("the outermost loop counts", "**Lemma 2", _ORDER + "outermost_wrap", "return loop", "outermost = loop"),
    Rule("threads that are apart, in loops", "**Threads**", _ORDER + "outermost_within", "return -1"),
    Rule(
        "regions run again unless a model says not",
        "**Repetitive**",
        "passes.analysis.whole_module.module:_is_repetitive",
        "return False",
    ),
)
