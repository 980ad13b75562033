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
    "reads after the next version": (
        "*reads inside of the next version* refuses these reads as well; the rule says where they are"
    ),
    "a second version": "*whole reads* refuses these uses as well; the rule says that they are updates",
    "whole reads": (
        "such a read has no slice, so nothing is proven of it: it sees the source if it comes ahead of all "
        "updates, else "
        "it would have to be a load of a tile, which it cannot be, and the store is kept"
    ),
    "only a part was computed": (
        "only a `tensor.extract_slice` surely ties a part to its result, which *what an op does cannot be "
        "undone* refuses "
        "as well; the rule words the reason"
    ),
    "encodings stay": (
        "an encoding that names a memory space is that of the empty tensor, too; others are refused by bufferization"
    ),
    "reshapes of gaps copy": (
        "the conversion makes the same copy where it meets the gaps; the rule tells the analysis that the copy "
        "shares no "
        "memory, which saves a second one"
    ),
    "a call's result is one argument": (
        "that a result is an argument on every return is true of this argument alone, whatever else the result may "
        "share memory with; without it the tie is definite and less is refused"
    ),
    "steps to what is committed are in place": (
        "without it a step may be out of place, and then *what is committed is there* refuses the program, "
        "which an order "
        "of decisions with the step in place would not be"
    ),
    "CommitModel writes": (
        "a commit stands right in front of a return, so nothing reads after it; what it would copy back of its "
        "own memory "
        "*what is committed is there* refuses"
    ),
    "ContentsModel makes no buffer of its own": (
        "asked of values in loops, where contents are not committed, and so are read-only and never fresh"
    ),
    "a copy to the carried buffer has another source": (
        "where the two may share memory, *an op reads what it writes* refuses the copy, unless they are disjoint, "
        "where it is right; the rule tries a cheaper way first"
    ),
    "any caller gives any layout": (
        "without it the conversion copies what arrives with another layout, which nothing else writes; functions that "
        "others call have types of their own"
    ),
    "the slice is in bounds": (
        "a program that ends before the insertion has no results to compare; it would fail with another message"
    ),
}
"""Without the rule programs come out right but slower, or fail otherwise where they fail anyway."""
