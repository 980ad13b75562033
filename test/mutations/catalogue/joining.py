"""Rules about when sets of values may share memory. Data."""

from __future__ import annotations

from disabling import Rule

_SETS = "passes.analysis.conflicts.alias_sets:AliasSets."
_CARRIED = "passes.analysis.in_place.loops:CarriedDecisions."
_JOIN = "passes.analysis.conflicts.joining:Joiner."
_ATTEMPT = "passes.analysis.conflicts.attempt:Attempt."

JOINING = (
    Rule(
        "a cycle of edges asks again",
        "**Origins**",
        _JOIN + "_conflict",
        "return None",
        "return next(filter(None, (check.again(storage, attempt) for storage in storages)), None)",
    ),
    Rule(
        "rotated sets stay a forest",
        "**Rotation**",
        _JOIN + "_conflict",
        "if False:",
        "if attempt.closes_cycle and not attempt.keeps_apart and any(storage.rotating for storage in storages):",
    ),
    Rule(
        "two sets are compared",
        "## 4. The invariant",
        _JOIN + "_conflict",
        "conflict = None",
        "conflict = check.between(first, second, attempt)",
    ),
    Rule(
        "a new write is compared",
        "## 4. The invariant",
        _JOIN + "_conflict",
        "conflict = None",
        "conflict = check.new_write(write, storage, attempt)",
    ),
    Rule("sets are joined", "## 4. The invariant", _ATTEMPT + "commit", "pass", "sets.merge(value, other)"),
    Rule("writes are remembered", "## 4. The invariant", _JOIN + "decide", "pass", "storage.add_write(write)"),
    Rule(
        "a conflict takes facts back",
        "## 4. The invariant",
        _ATTEMPT + "roll_back",
        "pass",
        "self._sets.undo(self._mark)",
    ),
    Rule(
        "spared questions are kept",
        "**Origins**",
        _ATTEMPT + "commit",
        "pass",
        "storage.spare(questions, sets.equivalence.find)",
    ),
    Rule(
        "spared questions are asked one by one",
        "**Origins**",
        "passes.analysis.conflicts.interference:Interference.again",
        "if True:",
        "if not self._sets.have_common_origin(*questions[0].values):",
    ),
    Rule(
        "rotated buffers are apart in one loop only",
        "**Rotation**",
        _SETS + "rotated_apart",
        "return a is not None and b is not None and a != b",
        "return a is not None and b is not None and a[0] == b[0] and a[1] != b[1]",
    ),
    Rule(
        "swapped buffers begin apart",
        "**Rotation**",
        _CARRIED + "decide_initial",
        "if False:",
        "if is_shared and not self._starts_apart(value, argument):",
    ),
    Rule(
        "swapped buffers are different sets",
        "**Rotation**",
        _CARRIED + "rotate",
        "if len(rotation) > _MOST_ROTATED:",
        "if len(rotation) > _MOST_ROTATED or not self._are_apart(arguments, results):",
    ),
    Rule(
        "a rotation destroys nothing",
        "**Rotation**",
        _CARRIED + "rotate",
        "if False:",
        "if self._joiner.decide(attempt) is not None:",
    ),
    Rule(
        "rotated sets are flagged",
        "**Rotation**",
        _CARRIED + "rotate",
        "pass",
        "sets.storage(arguments[0]).rotating = True",
    ),
    Rule(
        "a permutation yields each buffer once",
        "**Rotation**",
        "passes.analysis.in_place.region_flow:permuted",
        "yielded[i] not in by_argument",
        "arguments[i] not in once or yielded[i] not in by_argument",
    ),
)
