"""Rules about which elements two accesses touch. Data."""

from __future__ import annotations

from disabling import Rule

_FRAMES = "passes.analysis.conflicts.frames:Frames."
_SLICES = "passes.analysis.index_sets.slices:"

ELEMENTS = (
    Rule(
        "symbols are those of the same iteration",
        "**Disjoint, matching, contained**",
        _FRAMES + "_stable",
        "return True",
    ),
    Rule("symbols are not defined anew", "**Renewed symbols**", _FRAMES + "is_renewed", "return False"),
    Rule(
        "a write within what is overwritten",
        "**Disjoint, matching, contained**",
        _FRAMES + "apart",
        "return True",
        "return accessed is not None and is_within(frame.written, accessed)",
    ),
    Rule(
        "slices that are disjoint",
        "**Disjoint, matching, contained**",
        _FRAMES + "apart",
        "return True",
        "return _disjoint(frame.written, accessed)",
    ),
    Rule(
        "redundant writes put back the same slice",
        "**Disjoint, matching, contained**",
        _FRAMES + "redundant_by",
        "return tuple(passed)",
        "return tuple(passed) if slice_relation(found[1], wanted) is SliceRelation.EQUAL else None",
    ),
    Rule(
        "redundant writes put back to the same buffer",
        "**Disjoint, matching, contained**",
        _FRAMES + "redundant_by",
        "True",
        "found[0] == target",
    ),
    Rule(
        "redundant writes of a whole buffer",
        "**Disjoint, matching, contained**",
        _FRAMES + "redundant_by",
        "if True:",
        "if root == target:",
    ),
    Rule(
        "copies of other tensors",
        "**Redundant write**",
        _FRAMES + "is_copied_onto_itself",
        "True",
        "find(value[source]) == find(value[write])",
    ),
    Rule("operands of one op that are disjoint", "**Written twice**", _FRAMES + "are_regions_apart", "return True"),
    Rule(
        "slices that are one",
        "**RaW**",
        _FRAMES + "are_one_slice",
        "return True",
        "return a is not None and b is not None and a[0] == b[0] and slice_relation(a[1], b[1]) is SliceRelation.EQUAL",
    ),
    Rule(
        "only one element has any stride",
        "**Disjoint, matching, contained**",
        "passes.analysis.index_sets.slices:slice_of",
        "1",
        "1 if size == 1 else stride",
    ),
    Rule(
        "intervals have stride 1",
        "**Disjoint, matching, contained**",
        _SLICES + "_relation_1d",
        "if True:",
        "if stride_a == stride_b == 1:",
    ),
    Rule(
        "intervals that follow each other",
        "**Disjoint, matching, contained**",
        _SLICES + "_follows",
        "return distance is not None",
        "return distance is not None and distance >= 0",
    ),
    Rule(
        "an interval contained at both ends",
        "**Disjoint, matching, contained**",
        _SLICES + "_interval_relation",
        "_follows(first[0], second[0])",
        "_follows(first[0], second[0]) and _follows(end_b, end_a)",
    ),
    Rule(
        "an interval contained at its begin",
        "**Disjoint, matching, contained**",
        _SLICES + "_interval_relation",
        "_follows(end_b, end_a)",
        "_follows(first[0], second[0]) and _follows(end_b, end_a)",
    ),
    Rule(
        "strided slices that interleave",
        "**Disjoint, matching, contained**",
        _SLICES + "_integer_relation",
        "True",
        "offset_b % stride_a != 0",
    ),
    Rule(
        "strided slices of one stride interleave",
        "**Disjoint, matching, contained**",
        _SLICES + "_integer_relation",
        "stride_a > 0",
        "stride_a == stride_b and stride_a > 0",
    ),
    Rule(
        "strided slices contained in steps",
        "**Disjoint, matching, contained**",
        _SLICES + "_integer_relation",
        "steps = True",
        "steps = stride_b > 0 and stride_a % stride_b == 0 and offset_b % stride_b == 0",
    ),
    Rule(
        "strided slices contained at both ends",
        "**Disjoint, matching, contained**",
        _SLICES + "_integer_relation",
        "if steps:",
        "if steps and offset_b <= 0 and last_a <= last_b:",
    ),
    Rule(
        "the last element of a slice",
        "**Disjoint, matching, contained**",
        _SLICES + "_integer_relation",
        "last_a, last_b = 0, offset_b",
        "last_a, last_b = (size_a - 1) * stride_a, offset_b + (size_b - 1) * stride_b",
    ),
    Rule("differences of sums", "*sums*", "passes.analysis.index_sets.sums:difference", "return 1 << 20"),
    Rule(
        "the variable of the only iteration",
        "*The only iteration.*",
        "dialects.scf.trip_counts:only_index",
        "if False:",
        "if not runs_at_most_once(loop):",
    ),
    Rule(
        "places with constant bounds",
        "**Place**",
        "passes.analysis.conflicts.accesses:_bounds",
        "last = offset",
        "last = offset + max(size - 1, 0) * stride",
    ),
    Rule(
        "places that meet",
        "**Place**",
        "passes.analysis.conflicts.accesses:_meet",
        "return False",
        "return all(a is None or b is None or (a[0] <= b[1] and b[0] <= a[1]) for a, b in zip(first, second, strict=True))",
    ),
    Rule(
        "places in one class only",
        "**Place**",
        "passes.analysis.conflicts.accesses:AccessIndex._timelines",
        "if region:",
        "if any(not _meet(region[root], around[root]) for root in region.keys() & around.keys()):",
    ),
    Rule(
        "sets whose accesses meet in time",
        "**Place**",
        "passes.analysis.conflicts.storage_set:StorageSet.may_meet",
        "return self.first_begin < self.last_end and self.first_begin < written.first_write <= self.last_end",
        "return self.first_begin < written.last_write and written.first_write <= self.last_end",
    ),
)
