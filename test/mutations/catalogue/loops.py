"""Rules about what loops and branches hand on. Data."""

from __future__ import annotations

from disabling import Rule

_CARRIED = "passes.analysis.in_place.loops:CarriedDecisions."

LOOPS = (
    Rule(
        "what is yielded is what is carried",
        "**Carried**",
        _CARRIED + "decide",
        "if True:",
        "if equivalence.find(s.operand_value[operand]) == equivalence.find(argument):",
    ),
    Rule(
        "loop results share the carried buffer",
        "**Carried**",
        "passes.analysis.in_place.function_decisions:OneShotAnalyzer._join_first",
        "if False:",
        "if result >= 0:",
    ),
    Rule(
        "swapped buffers that start in one set are kept apart",
        "**Rotation**",
        _CARRIED + "_starts_apart",
        "True",
        "all(self._sets.rotated_apart(value, other) for other in others)",
    ),
    Rule(
        "all that a loop swaps is yielded",
        "**Rotation**",
        _CARRIED + "_is_whole",
        "all(value >= 0 for value in started)",
        "once and len(yielded) == len(started) and all(value >= 0 for value in started)",
    ),
    Rule(
        "only settled arguments are one buffer",
        "**Carried**",
        _CARRIED + "decide_initial",
        "settled=True",
        "settled=argument in self._settled",
    ),
    Rule(
        "passing on destroys nothing",
        "**Passed on**",
        _CARRIED + "_pass_on",
        "conflict = None",
        "conflict = self._joiner.decide(attempt)",
    ),
    Rule(
        "a copy to the carried buffer destroys nothing",
        "**Copy to carried**",
        _CARRIED + "_copy_to_carried",
        "if False:",
        "if self._joiner.decide(attempt) is not None:",
    ),
    Rule(
        "a copy to the carried buffer has another source",
        "**Copy to carried**",
        _CARRIED + "_copy_to_carried",
        "if not keeps_size",
        "if not apart or not keeps_size",
    ),
    Rule(
        "a copy to the carried buffer fits",
        "**Copy to carried**",
        "passes.analysis.effects.sizes:keeps_size",
        "return True",
    ),
    Rule(
        "sizes are followed through one source only",
        "**Copy to carried**",
        "passes.analysis.effects.sizes:_same_shape",
        "if not sources:",
        "if len(sources) != 1:",
    ),
    Rule(
        "sizes are followed through whole buffers only",
        "**Copy to carried**",
        "passes.analysis.effects.sizes:_same_shape",
        "any(tie.value == value for tie in effects.ties.get(operand, ()))",
        "effects.is_same_buffer(operand, value)",
    ),
    Rule(
        "branches that yield one class",
        "**Origins**",
        "passes.analysis.in_place.region_exits:ExitDecisions.unite",
        "if True:",
        "if len({find(value) for value in values}) == 1:",
    ),
    Rule(
        "branches that yield in place",
        "**Origins**",
        "passes.analysis.in_place.region_exits:ExitDecisions.unite",
        "if False:",
        "if not all(decisions[o].in_place for o in operands):",
    ),
    Rule(
        "what a condition passes is compared",
        "**Passed**",
        "passes.analysis.in_place.region_exits:ExitDecisions.decide_passed",
        "self._record.enter(operand, None)",
        "self._record.enter(operand, self._record.decide(self._joiner, attempt, operand))",
    ),
    Rule(
        "what is passed has one source", "**Passed**", "passes.analysis.in_place.region_flow:_is_passed", "return True"
    ),
    Rule(
        "block arguments of one class",
        "**One class on every path**",
        "passes.analysis.in_place.branch_flow:BranchFlow.unite",
        "if root != own:",
        "if root != own and all(self._forwards(o, own) or self._forwards(o, root) for o in sources):",
    ),
    Rule(
        "block arguments that are settled",
        "**One class on every path**",
        "passes.analysis.in_place.branch_flow:BranchFlow.is_settled",
        "return True",
    ),
    Rule(
        "edges that are in place",
        "**One class on every path**",
        "passes.analysis.in_place.branch_flow:BranchFlow._forwards",
        "return self._sets.equivalence.find(value) == root",
        "return decision is not None and decision.in_place and self._sets.equivalence.find(value) == root",
    ),
)
