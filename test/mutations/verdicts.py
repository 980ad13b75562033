"""What is said of rules that no program was found for: why each is there, or what is missing, by verdict and name."""

from __future__ import annotations

_PLAN = (
    "the plan changes a program on tensors, which means the same whatever takes the slice, as what is needed of the "
    "old content is copied; the rule spares plans that do not pay"
)
_REUSE = "the analysis decides about the reused init like about any other and copies what is still needed"

COSTS: dict[str, str] = {
    "a loop's argument begins with its operand": (
        "without it the result of a loop that surely runs may be in the initial buffer too, which refuses more"
    ),
    "slices overlap in all dimensions": "without it no slices are apart, which refuses more",
    "maps have points enough": (
        "a sum without gaps that reaches both ends has points enough, other maps are looked at point by point, and "
        "loops without iterations are found at the end; the rule spares the work, and says why where there is too much"
    ),
    "a redundant write needs its views": (
        "without it the write is emitted, which copies memory onto itself; whether it is one is asked before"
    ),
    "LoadModel makes no buffer of its own": (
        "what is loaded is read-only or a copy, and both are asked before (*loaded memory is read-only*); without it "
        "`inplace-remove-outs-dependency` counts an allocation for each load"
    ),
    "what may leave a block is compared": (
        "without it the pass refuses the program, as a buffer would be freed that the end of its block still uses"
    ),
    "buffers that are freed elsewhere": (
        "the one deallocation moves out with the allocation from wherever in the iteration it stands; "
        "the rule keeps programs as they are that free in some iterations only"
    ),
    "what leaves a block surely is not freed": (
        "without it addresses are compared when the program runs, which come out equal"
    ),
    "owners get allocations": (
        "without it an argument that is only lent buffers is freed as well, behind comparisons with all that it is "
        "lent, one of which it always is"
    ),
    "one of several buffers": _PLAN,
    "an unread init has no content": _PLAN,
    "ops that discard content do not qualify": _PLAN,
    "reshapes are views of the slice": _PLAN,
    "expansions are taken back directly": _PLAN,
    "read-only destinations become empty": _REUSE,
    "destinations that are asked for stay": (
        "the value is the same in any other buffer; it is the buffer that the program asked for that is not used"
    ),
    "sizes are known otherwise": "without it the empty tensor takes its sizes from the tensor that it should replace",
    "dead inputs are not used later": _REUSE,
    "dead inputs may be read while written": _REUSE,
    "the slice is in bounds": (
        "a program that ends before the insertion has no results to compare; it would fail with another message"
    ),
}
"""Without the rule programs come out right but slower, or fail otherwise where they fail anyway."""

_RACE = (
    "no program of ours shows it, although threads are also run in step; "
    "test/passes/analysis/in_place/test_one_shot_forall.py checks what is decided"
)
_POINTS = "test/passes/analysis/index_sets/test_index_sets.py compares the answers with all points of small sets"
_REFUSED = "programs that need it are refused, and without it another rule refuses those that were written for it"

UNTESTED: dict[str, str] = {
    **dict.fromkeys(
        (
            "writes are confined to their region",
            "slices that differ by thread",
            "writes of the same slice are final",
            "writes of other threads are inserted there too",
        ),
        _RACE,
    ),
    **dict.fromkeys(("no solution is a proof", "unknown is no proof"), _POINTS),
    **dict.fromkeys(
        (
            "ranges of one slot lie apart",
            "a thread's stores lie apart",
            "a thread loads just what it stored",
            "MaterializeModel has no other place",
        ),
        _REFUSED,
    ),
    "swapped buffers are different sets": (
        "no program that was tried shows it; of 80 written for it 34 come out changed in some order of decisions, and "
        "are right"
    ),
    "simultaneous access needs one type": (
        "our models say yes only where both maps are one permutation, and then the shapes are equal; a model of others "
        "may rely on the type, as the question is about one buffer with one layout"
    ),
    "ties that are certain": (
        "of our ops only selects have ties that are not certain, and two of them, which is no tie either; an op of "
        "others may have one"
    ),
    "memory has no other tensor": "without it the pass plans the same insertion again and again, and does not end",
    "buffers that are stored": "the evaluator has no memory that holds memrefs",
    "runs that overlap": "needs an op whose region runs later than the op itself, which the evaluator has none of",
}
"""No program shows what the rule is for; what else is known."""

VERDICTS: dict[str, dict[str, str]] = {
    "costs only": COSTS,
    "untested": UNTESTED,
}
"""What is said of rules, by verdict and name."""
