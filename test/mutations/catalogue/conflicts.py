"""Rules about what conflicts with what. Data."""

from __future__ import annotations

from disabling import Rule

_LIVE = "passes.analysis.conflicts.liveness:Liveness."
_IF = "passes.analysis.conflicts.interference:Interference."
_DESTROYS = "passes.analysis.conflicts.destruction:Destruction."
_CHOICES = "passes.analysis.conflicts.choices:Choices."
_ORDER = "passes.analysis.ir.program_order:ProgramOrder."
_SETS = "passes.analysis.conflicts.alias_sets:AliasSets."

CONFLICTS = (
    Rule("a new write against reads", "**RaW**", _IF + "_write_against_reads", "return None"),
    Rule("decided writes against reads", "**RaW**", _IF + "_writes_against_reads", "return None"),
    Rule("loops lead back to reads", "**RaW**", _DESTROYS + "_has_no_way", "if False:", "if meeting.loop >= 0:"),
    Rule(
        "an op reads what it writes",
        "**RaW**",
        _DESTROYS + "_is_done_at_once",
        "return True",
        "return copied or self._is_simultaneous(meeting)",
    ),
    Rule(
        "an op that discards content reads it",
        "**RaW**",
        _DESTROYS + "_is_done_at_once",
        "discarded = False",
        "discarded = self._effects.discards[read] and read != write",
    ),
    Rule(
        "ops that read after their regions",
        "**RaW**",
        "passes.analysis.effects.reader:TensorEffects.reads_before_regions",
        "return True",
    ),
    Rule("reads of ops with regions last", "**RaW**", _LIVE + "_end", "return end", "return max(end, s.op_exit[op])"),
    Rule(
        "reads in loops last to their end",
        "**Live range.**",
        _ORDER + "last_moment",
        "return s.op_enter[op]",
        "return s.op_enter[op] if loop < 0 else s.loop_end(loop)",
    ),
    Rule("escaped buffers live on", "**Escape**", _LIVE + "_end", "pass", "return s.op_exit[0]"),
    Rule("escaped buffers are read at any time", "**Escape**", _DESTROYS + "_is_late", "return False"),
    Rule(
        "reads through handed-out memrefs",
        "**Escape**",
        _LIVE + "reads",
        "pass",
        "uses += [read for o in uses for read in effects.derived_reads.get(o, ())]",
    ),
    Rule(
        "what an op overwrites in part it reads",
        "**Disjoint, matching, contained**",
        _LIVE + "reads",
        "effects.slices.get(o)",
        "None if effects.writes[o] else effects.slices.get(o)",
    ),
    Rule(
        "decided writes against read-only members", "**Not writable**", _IF + "_writes_against_readonly", "return None"
    ),
    Rule(
        "a new write against read-only members",
        "**Not writable**",
        _IF + "new_write",
        "for value in ():",
        "for value in storage.readonly:",
    ),
    Rule("what a call returns is not writable", "**Not writable**", _IF + "_is_what_was_passed", "return True"),
    Rule("two results in one memory", "**Written twice**", _IF + "_write_against_writes", "return None"),
    Rule(
        "results that are read have memory of their own",
        "**Written twice**",
        _IF + "_is_unread_twice",
        "True",
        "not any(effects.value_read[tie.value] for tie in ties)",
    ),
    Rule(
        "unread results of one memory are of one buffer",
        "**Written twice**",
        _IF + "_is_unread_twice",
        "True",
        "self._sets.equivalence.find(values[first]) == self._sets.equivalence.find(values[second])",
    ),
    Rule(
        "unread results of one memory need a model's word",
        "**Written twice**",
        "dialects.linalg:StructuredOpModel.writes_at_once",
        "return True",
    ),
    Rule("a write that lands on read elements", "**RaW**", _DESTROYS + "_is_apart", "return True"),
    Rule(
        "simultaneous access needs a model's word",
        "**Scattered slices**",
        _DESTROYS + "_is_simultaneous",
        "True",
        "model.is_not_conflicting(s.ops[op], s.operand_index(read), s.operand_index(write))",
    ),
    Rule(
        "simultaneous access needs one buffer",
        "**RaW**",
        _DESTROYS + "_is_simultaneous",
        "True",
        "(self._sets.are_reshapes_of_one(source, target) or self._frames.are_one_slice(source, target))",
    ),
    Rule(
        "simultaneous access needs one type",
        "**RaW**",
        _DESTROYS + "_is_simultaneous",
        "True",
        "s.values[source].type == s.values[target].type",
    ),
    Rule(
        "one buffer in each iteration",
        "**Choices**",
        _CHOICES + "_is_always",
        "return True",
        "return all(find(each) == find(other) or not self._sets.have_common_origin(each, other) for each in forwarded)",
    ),
    Rule("what comes from a choice is compared with it", "**Choices**", _CHOICES + "_comes_from", "return False"),
    Rule("a choice is one or apart", "**Choices**", _CHOICES + "are_one_or_apart", "return True"),
    Rule(
        "a choice of an older iteration",
        "**Choices**",
        _CHOICES + "_may_be_chosen",
        "around >= 0",
        "around >= 0 and s.block_loop[block] == s.block_loop[s.op_block[around]]",
    ),
    Rule(
        "what is made after a value",
        "Made in another iteration",
        "passes.analysis.conflicts.iterations:Iterations.is_made_after",
        "True",
        "self._order.dominates(other, op)",
    ),
    Rule("questions are asked again", "**Origins**", _IF + "again", "return None"),
    Rule("buffers with a common origin", "**Origins**", _SETS + "have_common_origin", "return False"),
)
