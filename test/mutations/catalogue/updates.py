"""Rules about destructive updates. Data.

What `destructive_updates/rewrites.py` refuses is shown case by case in the tests of the pass.
"""

from __future__ import annotations

from disabling import Rule

_UPDATE = "passes.analysis.destructive_updates.chains:DestructiveUpdates."
_PROOF = "passes.analysis.destructive_updates.proofs:UpdateProofs."
_REWRITE = "passes.analysis.destructive_updates.rewrites:"

UPDATES = (
    Rule("no version is needed later", "*No version is needed after", _UPDATE + "_misuse", "return None"),
    Rule(
        "reads after the next version",
        "*No version is needed after",
        _UPDATE + "_misuse",
        "if False:",
        "if problem is None and position > end:",
    ),
    Rule(
        "reads inside of the next version",
        "*No version is needed after",
        _UPDATE + "_misuse",
        "elif False:",
        "elif problem is None and position >= begin:",
    ),
    Rule(
        "a second version",
        "*No version is needed after",
        _UPDATE + "_refusal_of",
        "if False:",
        "if effects.writes[use] or use in effects.forwards:",
    ),
    Rule(
        "whole reads",
        "*No version is needed after",
        _UPDATE + "_refusal_of",
        "if False:",
        "if s.op_name[op] not in _SLICE_READS:",
    ),
    Rule("one place in a loop", "*One place.*", _UPDATE + "_loop", "if False:", "if source != argument:"),
    Rule("one source of branches", "*One source.*", _UPDATE + "_branch", "if False:", "if len(set(sources)) > 1:"),
    Rule(
        "covered by what runs always",
        "Covering counts updates that run in each iteration",
        _PROOF + "_covers",
        "if False:",
        "if access.is_conditional:",
    ),
    Rule("updates cover the tensor", "Covering counts updates", _PROOF + "_covers", "return Answer.YES"),
    Rule("accesses never meet", "These are all paths", _PROOF + "_never_meet", "return Answer.YES"),
    Rule(
        "accesses of later iterations",
        "These are all paths",
        _PROOF + "_is_apart",
        "for carrier in ():",
        "for carrier in reversed(shared):",
    ),
    Rule(
        "accesses of the same iteration",
        "These are all paths",
        _PROOF + "_is_apart",
        "is_earlier = False",
        "is_earlier = first is not second and s.op_enter[first.op] < s.op_enter[second.op]",
    ),
    Rule(
        "store and chain in one block",
        "**Stores of slices**",
        _REWRITE + "why_not_in_memory",
        "if False:",
        "if s.op_block[first] != s.op_block[store] or s.op_enter[store] < s.op_exit[update.ops[-1]]:",
    ),
    Rule("nobody sees it early", "*Nobody sees it early.*", _REWRITE + "_Planner.is_untouched", "return True"),
    Rule("nothing planned sees it early", "*Nobody sees it early.*", _REWRITE + "_Windows.uses", "return []"),
    Rule(
        "the target holds the source",
        "*What the memory holds behind",
        _REWRITE + "_Planner._holds_source",
        "return True",
    ),
)
