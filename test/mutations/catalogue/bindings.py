"""Rules about bindings as values. Data."""

from __future__ import annotations

from disabling import Rule

_READER = "passes.analysis.dispatch.binding_memories:_Reader."
_PROMOTE = "passes.analysis.dispatch.promotion_plan:_Planner."
_THREADS = "passes.analysis.dispatch.promotion_threads:"

BINDINGS = (
    Rule("ranges of one slot lie apart", "*The memories lie apart.*", _READER + "_overlaps", "return iter(())"),
    Rule("loads see what is stored", "*The values are right.*", _PROMOTE + "_collect_stores", "return {}, {}"),
    Rule("versions meet between blocks", "*The values are right.*", _PROMOTE + "_joins", "return {}"),
    Rule(
        "a thread's stores lie apart", "*Threads of an `scf.forall`.*", _THREADS + "_last_stores", "return list(stores)"
    ),
    Rule("a thread's loads of its stores", "*Threads of an `scf.forall`.*", _THREADS + "_source", "return -1"),
    Rule(
        "a thread loads just what it stored",
        "*Threads of an `scf.forall`.*",
        _THREADS + "_source",
        "same = True",
        "same = loaded == _slice(s, sums, store) and s.ops[load].results[0].type == s.ops[store].operands[0].type",
    ),
    Rule(
        "steps to what is committed are in place",
        "Each step from the contents to what\nis committed",
        "passes.analysis.effects.commit_chains:enter_commits",
        "pass",
        "effects.must_in_place[step] = True",
    ),
    Rule(
        "what is committed is there",
        "**Committed**",
        "passes.analysis.effects.commit_chains:commit_refusals",
        "return iter(())",
    ),
    Rule(
        "contents that are committed to",
        "**Committed**",
        "dialects.dispatch.models:ContentsModel.is_writable",
        "return access_of(op.operands[0].type).writes",
    ),
    Rule(
        "ops ahead cannot trap",
        "*Ahead of the grid*",
        "passes.analysis.dispatch.prologue:_can_run_anywhere",
        "return True",
    ),
    Rule(
        "ops ahead are the same everywhere",
        "*Ahead of the grid*",
        "passes.analysis.dispatch.prologue:find_known_ahead",
        "if can:",
        "if can and all(operand in known for operand in op.operands):",
    ),
)
