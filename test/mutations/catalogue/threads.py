"""Rules about runs of parallel regions. Data."""

from __future__ import annotations

from disabling import Rule

_IF = "passes.analysis.conflicts.interference:Interference."
_THREADS = "passes.analysis.conflicts.threads:ParallelRegions."

THREADS = (
    Rule("threads that leave with a set", "**Parallel**", _IF + "_leave_threads", "return None"),
    Rule(
        "threads that leave with a write",
        "**Parallel**",
        _IF + "new_write",
        "if False:",
        "if self.threads.escapes(write, self.threads.region(write.operand), storage.first):",
    ),
    Rule("writes are confined to their region", "**Parallel**", _THREADS + "confine", "return None"),
    Rule("a licence is an inserted slice", "**Threads**", _THREADS + "_may_leave", "return True"),
    Rule("slices that threads insert", "**Threads**", _THREADS + "_is_inserted", "return True"),
    Rule("writes of the same slice are final", "**Threads**", _THREADS + "_is_final", "return True"),
    Rule("slices that differ by thread", "**Threads**", _THREADS + "_is_same_in_all", "return False"),
    Rule("reads of other threads", "**Threads**", _THREADS + "are_apart", "return True"),
    Rule(
        "reads of other threads are inserted there too",
        "**Threads**",
        _THREADS + "are_apart",
        "and True",
        "and self._is_inserted(argument, read, moved=True)",
    ),
    Rule(
        "writes of other threads are inserted there too",
        "**Threads**",
        _THREADS + "are_apart",
        "and True",
        "and self._is_inserted(argument, written, moved=True)",
    ),
    Rule("what is left of an output", "**Threads**", _THREADS + "is_replaced", "return True"),
    Rule(
        "what is left of an output is read",
        "**Threads**",
        "passes.analysis.conflicts.liveness:Liveness.reads",
        "if False:",
        "if value in effects.shared_outputs and effects.value_read[effects.shared_outputs[value].result]:",
    ),
    Rule(
        "insertions replace in one output only",
        "**Threads**",
        _THREADS + "is_replaced",
        "return True",
        "return self._is_insertion(write, argument)",
    ),
    Rule(
        "outputs that are copied are no outputs",
        "**Threads**",
        _THREADS + "share",
        "self._outputs.setdefault(self._snapshot.value_block[argument], {})[argument] = None",
        "self._sets.enter(self._outputs.setdefault(self._snapshot.value_block[argument], {}), argument, None)",
    ),
    Rule(
        "insertions into an output are compared",
        "**Threads**",
        "passes.analysis.in_place.shared_outputs:OutputDecisions._decide",
        "conflict = None",
        "conflict = joiner.decide(attempt)",
    ),
)
