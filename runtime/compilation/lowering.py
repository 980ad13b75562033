"""The passes of a compilation as data: phases in the order in which `build.py` runs them, each with its reason.

    0. checks       CHECKS, WAITS                 only with `runtime_checks=True`; only for messages between ranks
    1. tensors      OPTIMIZE, MARK_KERNELS        only with `optimize=True`
    2. bufferize    BUFFERIZE(_UNOPTIMIZED)       or the caller's pipeline; then DISPATCH for dispatch functions
    3. boundary     BOUNDARY, RECEIPTS            or VERIFY, in the reference of `inplace-check`
    4. deallocate   DEALLOCATE                    or one of the groups that stand in for it
    5. buffers      HOIST, STREAMS, SORTS, KERNELS       only with `optimize=True`
    6. functions    COUNT, OUTLINE                the last phases on structured ops
    7. LLVM         llvm_phases

`Phase.passes` are textual pipelines below `builtin.module`, ours and upstream's mixed. What depends on the machine or
on the number of threads is an option of our passes, which `pipeline` sets on all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from ...dialects.support.frozen_classes import frozen
from ...passes.numerics.rewriting.small_floats import SMALL_FLOATS
from ...passes.pipeline.pipeline import Pipeline


@frozen
class Phase:
    """A few passes that belong together. `why` says what they are for and why they come at this point."""

    name: str
    why: str
    passes: tuple[str, ...]


def pipeline(phases: Iterable[Phase], **options: Any) -> Pipeline:
    """One pipeline for all `phases`, with `options` set on each pass that declares them (`Pipeline.with_options`)."""
    return _pipeline(",".join(name for phase in phases for name in phase.passes), tuple(options.items()))


@lru_cache(maxsize=64)
def _pipeline(passes: str, options: tuple[tuple[str, Any], ...]) -> Pipeline:
    """Kept, as all programs that are compiled with the same settings go through the same pipelines."""
    return Pipeline.parse(f"builtin.module({passes})").with_options(**dict(options))


# 0. Checks.

CHECKS = (
    Phase(
        "checks",
        "Only with `runtime_checks`. First, while ops are those of the source: an assertion that fails names one.",
        ("generate-runtime-verification", "inplace-check-accesses"),
    ),
)

WAITS = (
    Phase(
        "waits",
        "Only for programs that send messages. Before anything is canonicalized, which erases waits.",
        ("inplace-keep-waits",),
    ),
)


def before_phases(*, checks: bool, messages: bool) -> tuple[Phase, ...]:
    """What precedes all decisions: `checks` of accesses, and waits if there are `messages` between ranks."""
    return (*(WAITS if messages else ()), *(CHECKS if checks else ()))


# 1. Tensors.

TILES = Phase(
    "tiles and vectors",
    "Parts for threads first, then chains of rows in each, then tiles for the caches and packed panels, then vectors"
    " with results in registers, and math functions of them. All on tensors, so that bufferization decides afterwards"
    " what is in place.",
    (
        "func.func(inplace-distribute{threads=1},inplace-fuse{elementwise=false},inplace-schedule,inplace-vectorize,"
        "inplace-vector-math)",
        "cse",
    ),
)

OPTIMIZE = (
    Phase(
        "elementwise fusion",
        "First, so that a value that only one op reads never reaches memory: elementwise ops are fused into the ops"
        " that use their results. What takes one of two tensors of any sizes is not elementwise, and becomes a branch"
        " before. Elements a few steps apart are copied by an elementwise op, when linalg ops read them.",
        (
            "func.func(inplace-branch-on-selects,convert-elementwise-to-linalg,inplace-compact-slices,"
            "inplace-fuse{tiles=false})",
        ),
    ),
    Phase(
        "two versions",
        "After elementwise fusion, which shows what a sweep reads. Before destinations, so that new elements are"
        " computed in the buffer that alternates with the current one.",
        ("func.func(inplace-ping-pong,inplace-skew-time{threads=1})",),
    ),
    Phase(
        "destinations",
        "Before loops hide which op can compute in the buffer of an input that dies, or where its result is wanted."
        " After fusion, since a producer whose buffer takes a result cannot be fused into the op that makes it.",
        ("inplace-convert-to-destination-style",),
    ),
    Phase(
        "old contents",
        "While an op is one op: a read that moves in front of a write takes no loops with it, and what an op overwrites"
        " is all of its init. The analysis is that of the pass before.",
        ("inplace-move-reads", "inplace-detach-inits"),
    ),
    Phase(
        "operands",
        "Windows that leave vectors short are copied, which makes products of matrices. Operands that need another"
        " layout are transposed as a whole, so that the order of sums does not depend on the"
        " number of threads. Then those that are read often are widened: there was less to transpose before.",
        ("func.func(inplace-unfold-windows,inplace-transpose-operands,inplace-widen-operands)",),
    ),
    TILES,
)

MARK_KERNELS = (
    Phase(
        "kernels",
        "Just before tiling: what is repeated stays as it is until it is a function on memrefs, and is optimized then"
        " (KERNELS). A thousand linalg ops are fewer than what they would become. After destinations, when it is known"
        " what is computed in place. Repeated groups of ops, which only tiles make fast, are functions on tensors.",
        ("inplace-mark-kernels", "inplace-outline-groups"),
    ),
)

LAYERS = (
    Phase(
        "layers",
        "First, so that all passes see a repeated layer once: as a function. Not where kernels are optimized with"
        " all that is around them.",
        ("inplace-outline-layers",),
    ),
)

EAGER_MARKS = {"repeats": 1, "many": 1, "elements": 1, "fewest": 1, "crowd": 1}
"""Options of MARK_KERNELS for tests: ops become kernels even where that does not pay."""


def optimize_phases(*, kernels: bool) -> tuple[Phase, ...]:
    """OPTIMIZE; with `kernels`, repeated layers are functions, and repeated ops are marked before the rest is tiled."""
    *whole, tiles = OPTIMIZE
    return (*(LAYERS if kernels else ()), *whole, *(MARK_KERNELS if kernels else ()), tiles)


# 2. Bufferization.

BUFFERIZE = (
    Phase(
        "destinations",
        "On tensors still: what will be inserted into a tensor is computed there, also what begins with a copy.",
        ("inplace-convert-to-destination-style",),
    ),
    Phase(
        "old contents",
        "What is read before it is overwritten needs no copy. When it is known which inits there are; the analysis that"
        " this takes is that of the next pass.",
        ("inplace-move-reads",),
    ),
    Phase(
        "bufferize",
        "Our one-shot bufferization decides what is updated in place, across calls too. Shape constraints become "
        "assertions: the pass for it folds other ops as well, so it comes when nothing is decided any more. "
        "Canonicalization then removes assumptions that were asserted, casts, and loop-carried memrefs that only pass "
        "a buffer on, so that the boundary passes see through to the arguments.",
        (
            "inplace-one-shot-bufferize{bufferize-function-boundaries=true}",
            "func.func(convert-shape-constraints)",
            "inplace-canonicalize",
            "cse",
        ),
    ),
)

BUFFERIZE_UNOPTIMIZED = (
    Phase(
        "two versions",
        "Only without `optimize`, which does more of it before loops are tiled. What a sweep computes from neighbours"
        " goes to a second tensor that takes turns with the first one, in place of a copy in each iteration.",
        ("func.func(inplace-ping-pong{new-tensors=false})",),
    ),
    *BUFFERIZE,
)

DISPATCH = (
    Phase(
        "dispatch",
        "Only for dispatch functions, after BUFFERIZE and before signatures are read: bindings become arguments. Sizes"
        " are checked, since the caller owns the memory and the program says how large it is.",
        ("inplace-lower-dispatch{check-sizes=true}",),
    ),
)

# 3. The boundary.

BOUNDARY = (
    Phase(
        "results in arguments",
        "Must come before deallocation, which gives each returned buffer an owner of its own by cloning it.",
        ("inplace-drop-equivalent-results", "inplace-results-to-out-params{modify-called-functions}"),
    ),
    Phase(
        "contiguous arguments",
        "Once results have left the signature only arguments are still strided. Canonicalization folds the casts into "
        "their users, and so static strides reach the loops.",
        ("inplace-contiguous-arguments", "inplace-canonicalize"),
    ),
)

RECEIPTS = Phase(
    "receipts",
    "Only for programs that send messages. When copies are in the IR, and before deallocation gives the memory that is"
    " copied another use. What is exchanged with all ranks becomes messages when it is known where they are received."
    " What MPI reduces must lie one after the other.",
    (
        *("inplace-receive-in-place", "inplace-exchange-in-turn"),
        *("inplace-pack-messages{reductions=true}", "inplace-canonicalize", "cse"),
    ),
)


def boundary_phases(*, messages: bool) -> tuple[Phase, ...]:
    """BOUNDARY; with `messages` between ranks, these are received where they are wanted."""
    return (*BOUNDARY, *((RECEIPTS,) if messages else ()))


VERIFY = (
    Phase(
        "verify",
        "Only in the reference of `inplace-check`, in place of the boundary passes and deallocation: on memrefs, where "
        "every access is explicit. Inputs that lead out of bounds then stop the program instead of giving any values.",
        ("inplace-canonicalize", "cse", "generate-runtime-verification"),
    ),
)

# 4. Deallocation: DEALLOCATE, or another group that `build.deallocation_phases` chooses.

DEALLOCATE = (
    Phase(
        "deallocate",
        "After the last pass that moves buffers between functions, before anything hides an allocation.",
        ("inplace-deallocate",),
    ),
    Phase(
        "clones",
        "What would leave a function without an owner is cloned by deallocation; the clones become plain copies here, "
        "for the next phases to see.",
        ("inplace-expand-clones", "inplace-canonicalize", "cse"),
    ),
)

FREED = (
    Phase(
        "freed",
        "In place of DEALLOCATE where deallocation inserted nothing but deallocations: neither clones nor conditions.",
        ("cse",),
    ),
)

STRUCTURE = (
    Phase(
        "structure",
        "Before DEALLOCATE where it needs that: branches between blocks become loops and conditions, which it knows. "
        "That leaves memrefs without a value, which must not be taken for buffers.",
        ("lift-cf-to-scf", "canonicalize", "inplace-expand-poison"),
    ),
)

DEALLOCATE_UNSTRUCTURED = (
    Phase(
        "deallocate",
        "Upstream's, where ours does not apply: which block frees a buffer depends on the path taken. Masks go first: "
        "upstream's would put its constants into the region of a vector.mask, which holds one op only.",
        ("func.func(lower-vector-mask)", "buffer-deallocation-pipeline", "inplace-expand-clones"),
    ),
)

# 5. Buffers.

HOIST = (
    Phase(
        "hoist",
        "Memory that each iteration of a loop allocates anew may not even be mapped. After deallocation, which says"
        " what is dead at the end of an iteration.",
        ("inplace-hoist-allocations",),
    ),
)

STREAMS = (
    Phase(
        "streams",
        "Rows and panels are prefetched, and large buffers are written past the caches. When all buffers, and who reads"
        " them, are known, and while loops are still loops.",
        ("func.func(inplace-prefetch-rows,inplace-prefetch-panels,inplace-nontemporal-stores)",),
    ),
)

SORTS = (
    Phase(
        "sorts",
        "When functions that sort have a buffer as their one argument, and what they allocate is freed: those of a"
        " machine with wide vectors are others, of a thousand ops, which the passes before need not look at.",
        ("inplace-vectorize-sorts",),
    ),
)

KERNELS = (
    TILES,
    Phase(
        "bufferize kernels",
        "In a module of their own (`kernels/rewriting/optimized_kernels.py`), where each writes the argument that it"
        " computes, and returns no allocation.",
        (
            "inplace-one-shot-bufferize{bufferize-function-boundaries=true}",
            "inplace-canonicalize",
            "cse",
            "inplace-drop-equivalent-results",
        ),
    ),
    *DEALLOCATE,
    *HOIST,
    Phase(
        "prefetched kernels",
        "As in STREAMS, which runs while a kernel is an op: its weights may fill more than the second cache.",
        ("func.func(inplace-prefetch-rows,inplace-prefetch-panels)",),
    ),
)

# 6. Functions of repeated ops: the last phases on structured ops and views.

COUNT = (
    Phase(
        "count",
        "Only for memory statistics: when all copies and allocations exist and are still recognisable.",
        ("inplace-count-memory",),
    ),
)

ARENA = Phase(
    "arena",
    "Two or more small buffers become parts of one allocation; large ones are freed when dead, and others may have"
    " their memory then. Behind the kernels, since what was allocated by itself is known to be memory of its own.",
    ("inplace-plan-memory{fewest=2 largest=65536 called-functions}",),
)

OUTLINE = (
    Phase(
        "copies",
        "Strided copies become linalg before linalg becomes loops; contiguous ones stay for memcpy. Reallocation has no"
        " lowering of its own.",
        ("expand-realloc{emit-deallocs=false}", "inplace-expand-strided-copies"),
    ),
    Phase(
        "kernels",
        "What is repeated on other buffers is compiled once. Ops are compared while they are few and say what they do,"
        " so before loops.",
        ("inplace-outline-kernels",),
    ),
    ARENA,
    Phase(
        "tables",
        "The many calls that remain go into a table, of which no code is made. Behind the arena, since sizes and times"
        " of what a table allocates are known no longer.",
        ("inplace-tabulate-calls",),
    ),
)

EAGER_OUTLINES = {"repeats": 2, "crowd": 1, "fewest": 2, "of_kind": 1}
"""Options of OUTLINE for tests: ops are outlined, and calls tabulated, even where that does not pay."""


def outline_phases(*, count: bool) -> tuple[Phase, ...]:
    """OUTLINE; with `count`, copies are counted before.

    The IR must be valid afterwards: on loops and addresses, an out-of-bounds view can no longer be detected.
    """
    return (*(COUNT if count else ()), *OUTLINE)


# 7. LLVM.


def llvm_phases(
    threads: int = 1,
    *,
    vectors: bool = False,
    own_allocator: bool = False,
    raises: bool = False,
    messages: bool = False,
    bf16: bool = True,
) -> tuple[Phase, ...]:
    """From structured ops on memrefs to the LLVM dialect.

    Args:
        threads: on how many an `scf.forall` runs, by OpenMP if several.
        vectors: whether there may be loops of vectors (TILES), and stores past the caches (STREAMS), which need fences.
        own_allocator: call functions that the runtime brings (`memory/`) in place of malloc and free.
        raises: whether the caller asks for assertions that failed; otherwise they end the process.
        messages: whether there may be messages between ranks.
        bf16: whether there may be numbers of that type, or shorter ones, which become longer.
    """
    return (
        *((MESSAGES,) if messages else ()),
        _loops(threads, fences=vectors),
        ADDRESSES,
        CONTROL_FLOW,
        *((ASSERTIONS,) if raises else ()),
        ARITHMETIC,
        _llvm(openmp=threads > 1, own_allocator=own_allocator),
        *((NARROW_REGISTERS,) if bf16 else ()),
        *((UNROLLED,) if vectors else ()),
    )


MESSAGES = Phase(
    "messages",
    "Addresses and strides of what is sent, which later phases expand, and assertions that it was sent. No pass before"
    " knows what the functions do that are called, so waits are put where memory is used when all else is settled.",
    ("inplace-overlap-messages", "inplace-lower-mpi"),
)


def _loops(threads: int, *, fences: bool) -> Phase:
    forall = ("scf-forall-to-for",)
    if threads > 1:
        # What reduces runs in order, so that sums do not depend on the threads. The canonicalization removes the
        # scopes for stack memory that OpenMP's lowering puts around bodies.
        forall = (
            "scf-forall-to-parallel",
            "inplace-serialize-reductions",
            f"convert-scf-to-openmp{{num-threads={threads}}}",
            "canonicalize",
            f"inplace-balance-threads{{threads={threads}}}",
        )
    return Phase(
        "loops",
        "Structured ops become loops, those of forall on several threads if that is wanted. Fences come after the"
        " lowering of parallel loops, whose scopes admit none. Vector transfers may become loops as well, so they are"
        " lowered while loops can still be built.",
        (
            "convert-linalg-to-loops",
            *forall,
            *(("func.func(inplace-fence-streams)",) if fences else ()),
            "func.func(lower-vector-mask,lower-vector-multi-reduction)",
            "convert-vector-to-scf",
        ),
    )


ADDRESSES = Phase(
    "addresses",
    "Views become explicit offset arithmetic (affine.apply), which lower-affine turns into arith. Twice, because "
    "affine loads in the source hide memref ones. Then all vectors that are read and written have one dimension, "
    "and are read as memory has them, where elements that are no whole bytes are not packed.",
    (
        "lower-affine",
        "inplace-unpack-vector-memory",
        "memref-expand",
        "expand-strided-metadata",
        "lower-affine",
        "inplace-canonicalize",
        "cse",
    ),
)

CONTROL_FLOW = Phase(
    "control flow",
    "After all producers of loops. Branches are what the LLVM dialect knows.",
    ("convert-scf-to-cf",),
)

ASSERTIONS = Phase(
    "assertions",
    "When there are only branches, which may lead to the end of a function from everywhere. Divisions are those of"
    " scalars by now, which trap.",
    ("inplace-check-divisions", "inplace-raise-assertions"),
)

ARITHMETIC = Phase(
    "arithmetic",
    "Ops without an LLVM counterpart are expanded into ones that have one: rounding divisions, complex functions, "
    "math on narrow floats, which libm does not know. Then arithmetic on bf16 is done in f32 and rounded after each"
    " op: few processors have instructions for it, and elsewhere code generation calls a function that no library"
    " here has; so is that on floats of 8 bits. Truncations of f64 come first, as what they leave is one of f32;"
    " those to bf16 last, as the others make them. What upstream truncates may be contracted, until it is told not"
    " to be, behind the two passes that make such casts and before one that folds. `expm1` would become a"
    " difference otherwise, which leaves nothing of small numbers. What is asked of narrow floats, such as whether"
    " they are normal, is asked before they are wider; and the larger of two bf16 is found by their bits. Powers of"
    " integers become calls of a function at the end,"
    " when those of floats, which that pass would take as well, are expanded.",
    (
        "convert-complex-to-standard",
        "inplace-expand-classifications",
        "inplace-expand-truncations",
        "inplace-extend-fma",
        "inplace-expand-bf16-extremes",
        "math-extend-to-supported-types{target-type=f32}",
        f"arith-emulate-unsupported-floats{{source-types={','.join(('bf16', *SMALL_FLOATS))} target-type=f32}}",
        "inplace-keep-roundings",
        "inplace-expand-small-floats",
        "inplace-expand-expm1",
        "math-expand-ops{ops=ceilf,clampf,ctlz,fpowi,rsqrt}",
        "arith-expand{include-bf16=true}",
        "convert-math-to-funcs",
    ),
)


def _llvm(*, openmp: bool, own_allocator: bool) -> Phase:
    return Phase(
        "LLVM",
        "One dialect after another; math goes to LLVM's intrinsics first, and only the rest to libm: of vectors lane by"
        " lane, which makes vector ops, so those come later. Where `log1p` became the logarithm of a sum, little would"
        " be left of small numbers. Functions of hundreds of memrefs take words before functions are converted, which"
        " is quadratic in memrefs. OpenMP comes after what is in its regions. What is read from a descriptor"
        " that was just built is folded, and only addresses are left of most. Each access to memory has become"
        " constants and sums of its own, most of which are equal in a block: LLVM is faster with one of them.",
        (
            "convert-math-to-llvm{approximate-log1p=false}",
            "convert-math-to-libm",
            "convert-vector-to-llvm",
            "convert-complex-to-llvm",
            f"finalize-memref-to-llvm{'{use-generic-functions=true}' if own_allocator else ''}",
            "convert-arith-to-llvm",
            "convert-index-to-llvm",
            "convert-ub-to-llvm",
            "inplace-expand-memref-arguments",
            "convert-func-to-llvm",
            *(("convert-openmp-to-llvm",) if openmp else ()),
            "convert-cf-to-llvm",
            "reconcile-unrealized-casts",
            "canonicalize{enable-patterns=none max-iterations=1 region-simplify=disabled}",
            "cse",
        ),
    )


NARROW_REGISTERS = Phase(
    "narrow registers",
    "Last, when loads, calls, and branches are LLVM's, which would round a bf16 wherever it is passed: numbers that"
    " some processors cannot keep in a register are carried as integers.",
    ("inplace-convert-bf16-to-i16",),
)

UNROLLED = Phase(
    "unrolled loops",
    "Last, when loops are branches, which have LLVM's annotations.",
    ("inplace-keep-loops",),
)
