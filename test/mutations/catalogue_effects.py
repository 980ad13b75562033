"""Rules about what ops do to tensors, and what has content. Data."""

from __future__ import annotations

from disabling import Rule

_TE = "passes.analysis.effects.reader:TensorEffects."

EFFECTS = (
    Rule(
        "ops with effects inside are not dead",
        "**Dead ops**",
        "passes.analysis.effects.dead_ops:find_dead_ops",
        "if False:",
        "if _has_effect(s, op, dead):",
    ),
    Rule(
        "arguments that stay tensors are read-only",
        "**Not writable**",
        _TE + "_add_arguments",
        "pass",
        'self.readonly[argument] = "a function argument that stays a tensor"',
    ),
    Rule(
        "arguments marked as not writable",
        "**Not writable**",
        _TE + "_add_arguments",
        "elif False:",
        "elif declared_writable(s.ops[function], s.value_index[argument]) is False:",
    ),
    Rule(
        "results that must not be written",
        "**Not writable**",
        _TE + "_add_op",
        "if False:",
        "if not model.is_writable(s.ops[op], index):",
    ),
    Rule(
        "reads behind views and forwardings",
        "**Content reads.**",
        "passes.analysis.effects.content_reads:close_reads",
        "while False:",
        "while work:",
    ),
    Rule(
        "a written operand passes reads on only if forwarded",
        "**Content reads.**",
        "passes.analysis.effects.content_reads:close_reads",
        "if not tables.content_reads[operand] and operand in tables.ties and not tables.writes[operand]:",
        "if not tables.content_reads[operand] and (operand in tables.forwards or not tables.writes[operand]):",
    ),
    Rule(
        "definite views have no content",
        "**Undefined**",
        "passes.analysis.effects.content_reads:_spread_undefined",
        "if True:",
        "if tie.definite:",
    ),
    Rule(
        "what is written has content",
        "**Undefined**",
        "passes.analysis.effects.content_reads:_spread_undefined",
        "if ties and tables.undefined",
        "if ties and not tables.writes[operand] and tables.undefined",
    ),
    Rule(
        "content that is needed is copied",
        "## 1. Setting",
        "passes.analysis.in_place.decision_record:DecisionRecord.is_cheap",
        "return True",
    ),
    Rule(
        "an escape that may be stored to",
        "**Escape**",
        _TE + "_add_escape",
        "if True:",
        "if not self.writes[operand] and all(s.op_name[s.operand_op[use]] in _LOADS for use in uses):",
    ),
    Rule(
        "an escape of a written operand is refused",
        "**Escape**",
        "passes.analysis.in_place.function_decisions:OneShotAnalyzer._decide_tie",
        "if False:",
        "if writes and effects.escapes[operand]:",
    ),
    Rule(
        "must be in place",
        "**Committed**",
        "passes.analysis.in_place.decision_record:DecisionRecord.refuse",
        "if False:",
        "if self._effects.must_in_place[operand]:",
    ),
    Rule(
        "unranked tensors are copied at casts",
        "**Unranked tensors**",
        "passes.analysis.in_place.unranked:is_copyable",
        "return True",
    ),
    Rule(
        "unranked values are not copied to carried ones",
        "**Unranked tensors**",
        "passes.analysis.in_place.unranked:is_unranked",
        "return False",
    ),
    Rule(
        "reshapes of gaps copy",
        "**Gaps**",
        "passes.analysis.in_place.function_decisions:OneShotAnalyzer._surely_copies",
        "return False",
    ),
    Rule(
        "an identity is a definite tie",
        "*definite*",
        "passes.analysis.in_place.function_decisions:OneShotAnalyzer._state",
        "if tie.relation is Relation.EQUIVALENT:",
        "if relation is Relation.EQUIVALENT:",
    ),
    Rule(
        "a redundant write needs its views",
        "**Disjoint, matching, contained**",
        "passes.analysis.in_place.function_decisions:OneShotAnalyzer._result",
        "pass",
        "redundant[operand] = reshaped",
    ),
    Rule(
        "empty tensors that need a buffer",
        "**Undefined**",
        "passes.analysis.in_place.function_decisions:FunctionAnalysis.needs_buffer",
        "return False",
    ),
    Rule(
        "unknown ops return what they are given",
        "**Unknown ops**",
        _TE + "_add_unknown",
        "pass",
        "self._set_ties(operand, [Tie(target, Relation.UNKNOWN, False)] if target >= 0 else [])",
    ),
    Rule("unknown ops read", "**Unknown ops**", _TE + "_add_unknown", "pass", "self.reads[operand] = True"),
    Rule(
        "results of unknown ops are read-only",
        "**Unknown ops**",
        _TE + "_add_unknown",
        "pass",
        'self.readonly[result] = f"the result of {name}, whose buffer is not known to be writable"',
    ),
    Rule(
        "region arguments of unknown ops are read-only",
        "**Unknown ops**",
        _TE + "_add_unknown",
        "pass",
        'self.readonly[argument] = f"a region argument of {name}, whose buffer is not known"',
    ),
    Rule(
        "results of unknown ops share memory",
        "**Unknown ops**",
        _TE + "_add_unknown",
        "group, outer = [], -1",
        "group, outer = [*results, *arguments], self._unknown_target_around(op)",
    ),
    Rule("unknown ops inside of unknown ops", "**Unknown ops**", _TE + "_unknown_target_around", "return -1"),
)
