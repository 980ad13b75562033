"""Rules about calls, functions and recursion. Data."""

from __future__ import annotations

from disabling import Rule

_TE = "passes.analysis.effects.reader:TensorEffects."
_SUMMARY = "passes.analysis.in_place.summaries:"
_PESSIMISTIC = "passes.analysis.effects.summary:pessimistic_summary"

CALLS = (
    Rule(
        "calls read what callees read",
        "**Calls**",
        _TE + "_add_call",
        "pass",
        "self.reads[operand] = summary.argument_is_read[index]",
    ),
    Rule(
        "calls write what callees write",
        "**Calls**",
        _TE + "_add_call",
        "pass",
        "self.writes[operand] = summary.argument_is_written[index]",
    ),
    Rule("calls return what callees return", "**Calls**", _TE + "_add_call", "pass", "self._set_ties(operand, ties)"),
    Rule(
        "results of a call that share memory",
        "**Calls**",
        _TE + "_add_call",
        "pass",
        "shared.extend((first + a, first + b) for a, b in summary.shared_results)",
    ),
    Rule(
        "results of a call that are in one copy",
        "**Calls**",
        _TE + "_add_call",
        "pass",
        "shared.extend(pairwise(tie.value for tie in ties))",
    ),
    Rule("results of a call that are read-only", "**Calls**", _TE + "_add_call", "if False:", "if reason:"),
    Rule(
        "a call's result is one argument",
        "**Calls**",
        _TE + "_add_call",
        "definite = relation is Relation.EQUIVALENT and not copies",
        "definite = len(result_ties) == 1 and relation is Relation.EQUIVALENT and not copies",
    ),
    Rule(
        "an argument that is returned is the argument",
        "**Calls**",
        "passes.bufferization.rewriting.rewriter:BufferRewriter.same_operand",
        "return None",
    ),
    Rule(
        "calls that copy promise no identity",
        "**Copies at calls.**",
        _TE + "_add_call",
        "definite = len(result_ties) == 1 and relation is Relation.EQUIVALENT",
        "definite = len(result_ties) == 1 and relation is Relation.EQUIVALENT and not copies",
    ),
    Rule(
        "reads of arguments",
        "**Calls**",
        _SUMMARY + "summarize_function",
        "tuple(False for argument in arguments)",
        "tuple(bool(effects.value_read[argument]) for argument in arguments)",
    ),
    Rule(
        "writes of arguments",
        "**Calls**",
        _SUMMARY + "summarize_function",
        "tuple(False for argument in arguments)",
        "tuple(s.value_is_tensor[a] and _is_written(sets, a, redundant, written) for a in arguments)",
    ),
    Rule("writes that reach an argument", "**Calls**", _SUMMARY + "_is_written", "return False"),
    Rule(
        "results that may be arguments",
        "**Calls**",
        _SUMMARY + "summarize_function",
        "found = {}",
        "found = {s.value_index[a]: _relation(sets, a, value) for a in tensors if _share(sets, a, value)}",
    ),
    Rule("results that are arguments", "**Calls**", _SUMMARY + "_relation", "return Relation.EQUIVALENT"),
    Rule(
        "results that are read-only",
        "**Calls**",
        _SUMMARY + "summarize_function",
        "if False:",
        "if _reach(sets, _classes(sets, sets.storage(value).readonly), value):",
    ),
    Rule("results that share memory", "**Calls**", _SUMMARY + "_shared", "return iter(())"),
    Rule("several returns", "**Calls**", _SUMMARY + "_either", "return first"),
    Rule(
        "unknown callees read",
        "**Calls**",
        _PESSIMISTIC,
        "read = [False] * len(type_.inputs)",
        "read = [True] * len(type_.inputs)",
    ),
    Rule(
        "unknown callees write",
        "**Calls**",
        _PESSIMISTIC,
        "written = [False] * len(type_.inputs)",
        "written = [True] * len(type_.inputs)",
    ),
    Rule(
        "unknown callees return arguments",
        "**Calls**",
        _PESSIMISTIC,
        "{} for _ in type_.results",
        "dict.fromkeys(arguments, Relation.UNKNOWN) for _ in type_.results",
    ),
    Rule("unknown callees return one buffer twice", "**Calls**", _PESSIMISTIC, "()", "tuple(combinations(results, 2))"),
    Rule(
        "recursive results are read-only",
        "**Recursion**",
        _PESSIMISTIC,
        'reason = ""',
        'reason = "the result of a recursive call, which may be a buffer that must not be written" if unwritable else ""',
    ),
    Rule(
        "assumptions are implied",
        "**Recursion**",
        "passes.analysis.whole_module.recursion:analyze_recursion",
        "if True:",
        "if assumed == before:",
    ),
    Rule(
        "assumed identities hold for both",
        "**Recursion**",
        "passes.analysis.whole_module.recursion:_join_ties",
        "return first",
    ),
    Rule(
        "assumed reads",
        "**Recursion**",
        "passes.analysis.whole_module.recursion:join_summaries",
        "first.argument_is_read",
        "tuple(a or b for a, b in zip(first.argument_is_read, second.argument_is_read, strict=True))",
    ),
    Rule(
        "assumed writes",
        "**Recursion**",
        "passes.analysis.whole_module.recursion:join_summaries",
        "first.argument_is_written",
        "tuple(a or b for a, b in zip(first.argument_is_written, second.argument_is_written, strict=True))",
    ),
    Rule(
        "assumed read-only results",
        "**Recursion**",
        "passes.analysis.whole_module.recursion:join_summaries",
        "first.result_readonly",
        "tuple(a or b for a, b in zip(first.result_readonly, second.result_readonly, strict=True))",
    ),
    Rule(
        "assumed shared results",
        "**Recursion**",
        "passes.analysis.whole_module.recursion:join_summaries",
        "first.shared_results",
        "tuple(sorted({*first.shared_results, *second.shared_results}))",
    ),
)
