"""What is to be said of rules that no program was found for, by name: why it is there, or what is missing."""

from __future__ import annotations

_UNKNOWN_OP = (
    "the evaluator cannot run an op that nobody knows; test/unit/test_unknown_ops.py checks what is decided around them"
)
_RACE = (
    "no program of ours shows it, although threads are also run in step; "
    "test/unit/test_one_shot_forall.py checks what is decided"
)
_EXACT = "no program asks for it yet; test/unit/test_index_sets.py compares the answers with all points of small sets"

UNTESTED: dict[str, str] = {
    **dict.fromkeys(
        (
            "addresses are kept by unknown ops",
            "runs that overlap",
        ),
        _UNKNOWN_OP,
    ),
    **dict.fromkeys(
        (
            "threads that leave with a set",
            "writes are confined to their region",
            "slices that differ by thread",
            "writes of other threads are inserted there too",
            "outputs that are copied are no outputs",
        ),
        _RACE,
    ),
    **dict.fromkeys(
        (
            "no solution is a proof",
            "unknown is no proof",
            "slices overlap in all dimensions",
            "a minimum is one of its entries",
            "a quotient leaves a rest",
            "values that nobody knows",
            "products with a common factor",
            "integers between bounds",
            "an exact shadow",
        ),
        _EXACT,
    ),
    "buffers that are stored": "the evaluator has no memory that holds memrefs",
}
"""No program shows what the rule is for."""

_IN_BOUNDS = (
    "a slice within bounds that has all sizes of the tensor begins at zero and has no gaps; "
    "the rule only says so for slices that are out of bounds"
)

UNNEEDED: dict[str, str] = {
    "slices at an offset do not cover": _IN_BOUNDS,
    "slices with strides do not cover": _IN_BOUNDS,
    "maps have points enough": (
        "a short cut: a sum without gaps that reaches both ends has points enough, other maps are looked at point by "
        "point, and loops without iterations are found at the end"
    ),
    "buffers that are freed elsewhere": (
        "the one deallocation moves out with the allocation from wherever in the iteration it stands; "
        "the rule keeps programs as they are that free in some iterations only"
    ),
}
"""Other rules cover all that the rule does; why it is kept."""

VERDICTS: dict[str, dict[str, str]] = {"unneeded": UNNEEDED, "untested": UNTESTED}
"""What is said of rules, by verdict and name."""
