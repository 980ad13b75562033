"""The closed set of reasons for an allocation or a copy, each with the change to the program that removes it.

One table, in the order of the life of a buffer: the content is needed, the buffer must not be written, its layout does
not fit, a loop carries it, the op makes something new. Every reason is one fact: no phrase offers a choice of two.
"""

from __future__ import annotations

import enum

from ....dialects.support.frozen_classes import frozen

__all__ = ["GUIDE", "Advice", "Change", "Reason"]


class Reason(enum.Enum):
    """Why a buffer is allocated or copied; the value is its name in JSON."""

    READ_LATER = "read-later"
    READ_WITH_NEW_CONTENT = "read-with-new-content"
    READ_IN_NEXT_ITERATION = "read-in-next-iteration"
    OLD_CONTENT_RETURNED = "old-content-returned"
    READ_BY_WRITER = "read-by-writer"
    WRITTEN_TWICE = "written-twice"
    ARGUMENT_NOT_WRITABLE = "argument-not-writable"
    ARGUMENT_STAYS_TENSOR = "argument-stays-tensor"
    CONSTANT = "constant"
    MEMREF_NOT_WRITABLE = "memref-not-writable"
    GLOBAL_NOT_WRITABLE = "global-not-writable"
    CALL_RESULT_NOT_WRITABLE = "call-result-not-writable"
    NOT_WRITABLE = "not-writable"
    ESCAPES = "escapes"
    WRITTEN_BY_THREADS = "written-by-threads"
    BUDGET = "budget"
    CHEAPER = "cheaper"
    COPY_BEFORE_WRITE = "copy-before-write"
    GAPS = "gaps"
    UNKNOWN_STRIDES = "unknown-strides"
    LAYOUT_OF_CALLEE = "layout-of-callee"
    LAYOUT_OF_RESULT = "layout-of-result"
    LAYOUT_OF_MEMREF = "layout-of-memref"
    LAYOUT_OF_SHAPE = "layout-of-shape"
    LAYOUT = "layout"
    STARTS_SHARED = "starts-shared"
    YIELDED_ELSEWHERE = "yielded-elsewhere"
    RESULT = "result"
    REQUESTED = "requested"
    REQUESTED_COPY = "requested-copy"
    NO_INIT = "no-init"
    COMPUTED_ELSEWHERE = "computed-elsewhere"
    FROM_ARGUMENT = "from-argument"
    FROM_CONSTANT = "from-constant"
    MOVED_WITHIN = "moved-within"
    JOINED = "joined"
    STORED_TO_GLOBAL = "stored-to-global"
    GLOBAL_OVERWRITTEN = "global-overwritten"
    MOVED = "moved"


class Change(enum.Enum):
    """A change to the program; the value is its name in JSON."""

    MOVE_READ = "move-read"
    DROP_READ = "drop-read"
    READ_BEFORE_LOOP = "read-before-loop"
    RETURN_NEW_ONLY = "return-new-only"
    OTHER_INIT = "other-init"
    INIT_FOR_EACH = "init-for-each"
    MARK_WRITABLE = "mark-writable"
    SET_OPTION = "set-option"
    FILL = "fill"
    PASS_AS_ARGUMENT = "pass-as-argument"
    RETURN_OWN_TENSOR = "return-own-tensor"
    MARK_READ_ONLY = "mark-read-only"
    MAKE_INSIDE = "make-inside"
    SPLIT_FUNCTION = "split-function"
    RESHAPE_FIRST = "reshape-first"
    STATE_LAYOUT = "state-layout"
    FIT_LAYOUT = "fit-layout"
    START_APART = "start-apart"
    UPDATE_CARRIED = "update-carried"
    PASS_DESTINATION = "pass-destination"
    REUSE = "reuse"
    USE_DIRECTLY = "use-directly"
    COMPUTE_THERE = "compute-there"
    INSERT_BY_CALLER = "insert-by-caller"
    USE_BEFORE_STORE = "use-before-store"


@frozen
class Advice:
    """What is said of one reason: a phrase, and the change that removes the allocation or copy.

    ``{op}``, ``{write}``, ``{read}``, ``{loop}`` and ``{wanted}`` stand for the places and the type that it is about.
    """

    phrase: str
    change: Change
    text: str


GUIDE: dict[Reason, Advice] = {
    Reason.READ_LATER: Advice(
        "the old content is read later", Change.MOVE_READ, "move the read by {read} in front of {write}"
    ),
    Reason.READ_WITH_NEW_CONTENT: Advice(
        "an op that needs the new content reads the old one too",
        Change.DROP_READ,
        "let {read} do without the old content",
    ),
    Reason.READ_IN_NEXT_ITERATION: Advice(
        "the next iteration of the loop reads the old content",
        Change.READ_BEFORE_LOOP,
        "read what {read} needs in front of {loop}",
    ),
    Reason.OLD_CONTENT_RETURNED: Advice(
        "the function also returns the old content",
        Change.RETURN_NEW_ONLY,
        "return the updated tensor alone: {read} keeps the old one alive",
    ),
    Reason.READ_BY_WRITER: Advice(
        "the op reads the buffer while it writes it",
        Change.OTHER_INIT,
        "give {write} another init, a tensor that nothing reads any more",
    ),
    Reason.WRITTEN_TWICE: Advice(
        "the op would write two results to overlapping memory",
        Change.INIT_FOR_EACH,
        "give each result of {op} an init of its own",
    ),
    Reason.ARGUMENT_NOT_WRITABLE: Advice(
        "the argument must not be written, as its bufferization.writable is false",
        Change.MARK_WRITABLE,
        "mark the argument bufferization.writable = true, once callers need its content no more",
    ),
    Reason.ARGUMENT_STAYS_TENSOR: Advice(
        "the function argument stays a tensor, whose buffer belongs to others",
        Change.SET_OPTION,
        "set the option bufferize-function-boundaries=true",
    ),
    Reason.CONSTANT: Advice(
        "the buffer holds a constant", Change.FILL, "start from tensor.empty and linalg.fill instead of the constant"
    ),
    Reason.MEMREF_NOT_WRITABLE: Advice(
        "the tensor wraps a memref that is not marked writable",
        Change.MARK_WRITABLE,
        "add writable to the bufferization.to_tensor",
    ),
    Reason.GLOBAL_NOT_WRITABLE: Advice(
        "the buffer is the memory of a global, which only stores change",
        Change.PASS_AS_ARGUMENT,
        "pass the tensor as an argument instead of through a global",
    ),
    Reason.CALL_RESULT_NOT_WRITABLE: Advice(
        "the callee returns a buffer that must not be written",
        Change.RETURN_OWN_TENSOR,
        "let the callee return a tensor that it makes itself",
    ),
    Reason.NOT_WRITABLE: Advice(
        "nothing says that the buffer is writable",
        Change.RETURN_OWN_TENSOR,
        "write a tensor that an op with a model makes",
    ),
    Reason.ESCAPES: Advice(
        "the buffer escapes, and what gets it may write it at any later time",
        Change.MARK_READ_ONLY,
        "add read_only to {op}, once its memref is only read",
    ),
    Reason.WRITTEN_BY_THREADS: Advice(
        "threads of a parallel region would write one buffer at the same time",
        Change.MAKE_INSIDE,
        "make the tensor that {write} writes inside of the region",
    ),
    Reason.BUDGET: Advice(
        "its alias set has more accesses than the analysis compares",
        Change.SPLIT_FUNCTION,
        "split the function: each part has a budget of its own",
    ),
    Reason.CHEAPER: Advice(
        "with it the other decisions of the function cost less",
        Change.SET_OPTION,
        "set analysis-heuristic=cheapest: another buffer is copied then",
    ),
    Reason.COPY_BEFORE_WRITE: Advice(
        "an option asks for a copy before each write",
        Change.SET_OPTION,
        "leave copy-before-write and no-analysis-func-filter unset",
    ),
    Reason.GAPS: Advice(
        "the op needs contiguous elements, and those of the slice are not",
        Change.RESHAPE_FIRST,
        "reshape the whole tensor first, and take the slice of the result",
    ),
    Reason.UNKNOWN_STRIDES: Advice(
        "the op needs contiguous elements, and the strides of the buffer are not known",
        Change.STATE_LAYOUT,
        "state the layout of the argument by bufferization.buffer_layout: {identity}, where it is this tensor",
    ),
    Reason.LAYOUT_OF_CALLEE: Advice(
        "the callee's argument has another layout",
        Change.FIT_LAYOUT,
        "let the callee take the layout of the buffer, {type}",
    ),
    Reason.LAYOUT_OF_RESULT: Advice(
        "the function's result has another layout",
        Change.SET_OPTION,
        "set the option function-boundary-type-conversion=infer-layout-map",
    ),
    Reason.LAYOUT_OF_MEMREF: Advice(
        "the program asks for a memref of another layout", Change.FIT_LAYOUT, "let {op} ask for {type}"
    ),
    Reason.LAYOUT_OF_SHAPE: Advice(
        "the sizes of a reshape must lie contiguously, as index",
        Change.FIT_LAYOUT,
        "make the shape a contiguous tensor of index",
    ),
    Reason.LAYOUT: Advice(
        "the buffer must have the layout of another one", Change.FIT_LAYOUT, "make the buffers alike: {wanted}"
    ),
    Reason.STARTS_SHARED: Advice(
        "two loop-carried values that the loop permutes would start in one buffer",
        Change.START_APART,
        "start each of them from a tensor of its own",
    ),
    Reason.YIELDED_ELSEWHERE: Advice(
        "the yielded tensor is not in the buffer that the loop carries",
        Change.UPDATE_CARRIED,
        "make the iteration argument the init of the op that computes what {read} hands on",
    ),
    Reason.RESULT: Advice(
        "the function returns it", Change.PASS_DESTINATION, "take the memory of the result as an argument"
    ),
    Reason.REQUESTED: Advice(
        "the program asks for a new tensor",
        Change.REUSE,
        "take a tensor that nothing reads any more in the place of {op}",
    ),
    Reason.REQUESTED_COPY: Advice(
        "the program asks for a copy", Change.USE_DIRECTLY, "use the tensor itself in the place of {op}"
    ),
    Reason.NO_INIT: Advice(
        "the op has no init, in whose buffer its result could be",
        Change.REUSE,
        "compute it by a linalg op whose init is a tensor that nothing reads any more",
    ),
    Reason.COMPUTED_ELSEWHERE: Advice(
        "the source was computed in a buffer of its own",
        Change.COMPUTE_THERE,
        "compute the source in the destination, as inplace-convert-to-destination-style does",
    ),
    Reason.FROM_ARGUMENT: Advice(
        "the source lives in the buffer of an argument",
        Change.INSERT_BY_CALLER,
        "let the caller pass the destination with the source in it",
    ),
    Reason.FROM_CONSTANT: Advice(
        "the source is a constant", Change.FILL, "write the constant by a linalg.fill of the destination"
    ),
    Reason.MOVED_WITHIN: Advice(
        "the op moves elements to another place of the same buffer",
        Change.USE_DIRECTLY,
        "read the elements where they are, in the place of {op}",
    ),
    Reason.JOINED: Advice(
        "the op puts its operands into one new tensor",
        Change.COMPUTE_THERE,
        "insert the operands into a tensor.empty by tensor.insert_slice, and compute them there",
    ),
    Reason.STORED_TO_GLOBAL: Advice(
        "the op stores the tensor to the memory of a global",
        Change.PASS_AS_ARGUMENT,
        "pass the tensor as an argument instead of through a global",
    ),
    Reason.GLOBAL_OVERWRITTEN: Advice(
        "a store may change the global while what was loaded is in use",
        Change.USE_BEFORE_STORE,
        "use what {op} loads in front of the next store",
    ),
    Reason.MOVED: Advice(
        "the op copies elements itself", Change.USE_DIRECTLY, "read the elements in the place of {op}"
    ),
}
"""What is said of each reason."""
