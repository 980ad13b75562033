"""The route from a tensor program to LLVM, as data: named phases, each with the reason why it stands where it does.

    [dispatch functions --BUFFERIZE--> --DISPATCH--> functions on memrefs]
    source --BUFFERIZE--> memrefs --BOUNDARY--> signatures as NumPy calls them --DEALLOCATE--> no leaks
           --[COUNT]--> --LOWER--> LLVM dialect

`Phase.passes` are textual pipelines below `builtin.module`, ours and upstream's mixed. The phases are lists of names
on purpose: a route is changed by editing data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Phase:
    """A few passes that belong together. `why` says what they are for and why they come at this point."""

    name: str
    why: str
    passes: tuple[str, ...]


TILES = Phase(
    "tiles and vectors",
    "Threads, each with tiles of its own: chains of rows, then tiles for the caches and panels, then vectors with"
    " results in registers, and math functions of them; all on tensors, so that bufferization decides afterwards what"
    " is in place.",
    (
        "func.func(inplace-distribute{threads=1},inplace-fuse{elementwise=false},inplace-schedule,inplace-vectorize,"
        "inplace-vector-math)",
        "cse",
    ),
)

OPTIMIZE = (
    Phase(
        "elementwise fusion",
        "Only on demand (`optimize=True`), and first: elementwise ops go where their results are used, so that a value"
        " that only one op wants never reaches memory.",
        ("func.func(convert-elementwise-to-linalg,inplace-fuse{tiles=false})",),
    ),
    Phase(
        "two versions",
        "Behind the fusion of elementwise ops, which shows what a sweep reads; before destinations, so that new"
        " elements are computed in the buffer that they take turns in.",
        ("func.func(inplace-ping-pong,inplace-skew-time{threads=1})",),
    ),
    Phase(
        "destinations",
        "What is computed where its input dies, or where it is wanted, must be known before loops hide it; after fusion"
        ", since a producer whose buffer takes a result cannot go inside of the op that makes it.",
        ("inplace-convert-to-destination-style",),
    ),
    Phase(
        "operands",
        "Operands that have to lie another way are transposed as a whole, so that it does not depend on the threads how"
        " sums are added up. Then those that are read often are widened, as there is less to transpose before.",
        ("func.func(inplace-transpose-operands,inplace-widen-operands)",),
    ),
    TILES,
)

MARK_KERNELS = (
    Phase(
        "kernels",
        "What is repeated stays as it is until it is a function on memrefs, and is optimized then: a thousand linalg"
        " ops are fewer than what they would become. When it is known what is computed in the place of what.",
        ("inplace-mark-kernels",),
    ),
)

BUFFERIZE = (
    Phase(
        "destinations",
        "On tensors still: what is going to be inserted somewhere is computed there, also what begins with a copy.",
        ("inplace-convert-to-destination-style",),
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

DISPATCH = (
    Phase(
        "dispatch",
        "Only in programs with dispatch functions, and before signatures are read: bindings become arguments. Sizes are"
        " checked, since the memory is the caller's and how large it is the program's word.",
        ("inplace-lower-dispatch{check-sizes=true}",),
    ),
)

BOUNDARY = (
    Phase(
        "results in arguments",
        "Must come before deallocation, which gives each returned buffer an owner of its own by cloning it.",
        ("inplace-drop-equivalent-results", "inplace-results-to-out-params"),
    ),
    Phase(
        "contiguous arguments",
        "Once results have left the signature only arguments are still strided. Canonicalization folds the casts into "
        "their users, and so static strides reach the loops.",
        ("inplace-contiguous-arguments", "inplace-canonicalize"),
    ),
)

VERIFY = (
    Phase(
        "verify",
        "Only in the reference of `inplace-check`, in place of the boundary passes and deallocation: on memrefs, where "
        "every access is explicit. Inputs that lead out of bounds then stop the program instead of giving any values.",
        ("inplace-canonicalize", "cse", "generate-runtime-verification"),
    ),
)

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
        "In place of all that, where deallocation put nothing but deallocations into what was canonicalized before.",
        ("cse",),
    ),
)

HOIST = (
    Phase(
        "hoist",
        "Only on demand (`optimize=True`): memory that each iteration of a loop allocates anew may not even be mapped."
        " After deallocation, which says what is dead at the end of an iteration.",
        ("inplace-hoist-allocations",),
    ),
)

STRUCTURE = (
    Phase(
        "structure",
        "Only where deallocation needs it: branches between blocks become loops and conditions, which it knows. "
        "That leaves memrefs without a value, which must not be taken for buffers.",
        ("lift-cf-to-scf", "canonicalize", "inplace-expand-poison"),
    ),
)

DEALLOCATE_UNSTRUCTURED = (
    Phase(
        "deallocate",
        "In place of ours where that does not apply: who frees depends on the way taken. Masks go first: "
        "upstream's would put its constants into the region of a vector.mask, which holds one op only.",
        ("func.func(lower-vector-mask)", "buffer-deallocation-pipeline", "inplace-expand-clones"),
    ),
)

COUNT = (
    Phase(
        "count",
        "Only for memory statistics: when all copies and allocations exist and are still recognisable.",
        ("inplace-count-memory",),
    ),
)

KERNELS = (
    TILES,
    Phase(
        "bufferize kernels",
        "In a module of their own (`kernels/rewriting/optimized_kernels.py`), where each writes the argument that it"
        " computes, and returns what it has allocated to nobody.",
        (
            "inplace-one-shot-bufferize{bufferize-function-boundaries=true}",
            "inplace-canonicalize",
            "cse",
            "inplace-drop-equivalent-results",
        ),
    ),
    *DEALLOCATE,
    *HOIST,
)

STREAMS = (
    Phase(
        "streams",
        "Only on demand (`optimize=True`): rows are fetched ahead, and large buffers are written past the caches. When "
        "all buffers, and who reads them, are known, and while loops are still loops.",
        ("func.func(inplace-prefetch-rows,inplace-nontemporal-stores)",),
    ),
)

LOWER = (
    Phase(
        "copies",
        "Strided copies become linalg before linalg becomes loops; contiguous ones stay for memcpy. Reallocation has no"
        " lowering of its own.",
        ("expand-realloc{emit-deallocs=false}", "inplace-expand-strided-copies"),
    ),
    Phase(
        "kernels",
        "What is repeated on other buffers is compiled once. Ops are compared while they are few and say what they do,"
        " so before loops. The many calls that remain are in a table then, of which no code is made.",
        ("inplace-outline-kernels", "inplace-tabulate-calls"),
    ),
    Phase(
        "loops",
        "Structured ops become loops; forall runs on one thread. Vector transfers may become loops as well, so they are"
        " taken apart while loops can still be built.",
        (
            "convert-linalg-to-loops",
            "scf-forall-to-for",
            "func.func(lower-vector-mask,lower-vector-multi-reduction)",
            "convert-vector-to-scf",
        ),
    ),
    Phase(
        "addresses",
        "Views become explicit offset arithmetic (affine.apply), which lower-affine turns into arith. Twice, because "
        "affine loads in the source hide memref ones.",
        ("lower-affine", "memref-expand", "expand-strided-metadata", "lower-affine", "inplace-canonicalize", "cse"),
    ),
    Phase(
        "control flow",
        "After all producers of loops. Branches are what the LLVM dialect knows.",
        ("convert-scf-to-cf",),
    ),
    Phase(
        "arithmetic",
        "Ops without an LLVM counterpart are expanded into ones that have one: rounding divisions, complex functions, "
        "math on narrow floats, which libm does not know. Then arithmetic on bf16 is done in f32 and rounded after each"
        " op: few processors have instructions for it, and elsewhere code generation calls a function that no library"
        " here has. Truncations of f64 come first, as what they leave is one of f32; those to bf16 last, as the others"
        " make them. What upstream truncates may be contracted, until it is told not to be, behind the two passes that"
        " make such casts and before one that folds. `expm1` would become a difference otherwise, which leaves nothing"
        " of small numbers.",
        (
            "convert-complex-to-standard",
            "inplace-expand-truncations",
            "inplace-extend-fma",
            "math-extend-to-supported-types{target-type=f32}",
            "arith-emulate-unsupported-floats{source-types=bf16 target-type=f32}",
            "inplace-keep-roundings",
            "inplace-expand-expm1",
            "math-expand-ops{ops=ceilf,clampf,ctlz,fpowi,rsqrt}",
            "arith-expand{include-bf16=true}",
        ),
    ),
    Phase(
        "LLVM",
        "One dialect after another; math goes to LLVM's intrinsics first, and only the rest to libm: of vectors lane by"
        " lane, which makes vector ops, so those come later. Where `log1p` became the logarithm of a sum, little would"
        " be left of small numbers.",
        (
            "convert-math-to-llvm{approximate-log1p=false}",
            "convert-math-to-libm",
            "convert-vector-to-llvm",
            "convert-complex-to-llvm",
            "finalize-memref-to-llvm",
            "convert-arith-to-llvm",
            "convert-index-to-llvm",
            "convert-ub-to-llvm",
            "convert-func-to-llvm",
            "convert-cf-to-llvm",
            "reconcile-unrealized-casts",
        ),
    ),
    Phase(
        "narrow registers",
        "Last, when loads, calls, and branches are LLVM's, which would round a bf16 wherever it is handed on: numbers"
        " that some processors cannot keep in a register are carried as integers.",
        ("inplace-convert-bf16-to-i16",),
    ),
)

OWN_ALLOCATOR = ("finalize-memref-to-llvm", "finalize-memref-to-llvm{use-generic-functions=true}")
"""What `lower` replaces for an allocator of ours: malloc and free become functions that the runtime brings."""


SEQUENTIAL = ("scf-forall-to-for", "convert-func-to-llvm")
"""What `lower_phases` changes for threads: OpenMP in place of a loop, and its lowering after that of what is inside."""


EAGER = {
    "inplace-mark-kernels": "inplace-mark-kernels{repeats=1 many=1 elements=1}",
    "inplace-outline-kernels": "inplace-outline-kernels{repeats=2 crowd=1}",
    "inplace-tabulate-calls": "inplace-tabulate-calls{fewest=2 of-kind=1}",
}
"""What `eager` changes: code becomes functions and tables where that is not worth it, to see whether it is right."""


_FOR_MACHINE = re.compile(
    r"\binplace-(?:distribute|fuse|mark-kernels|nontemporal-stores|prefetch-rows|schedule|skew-time|transpose-operands|vector-math|vectorize|widen-operands)\b"
    r"(?:\{[^}]*\})?"
)
"""The passes that have to know the machine, with their options."""


def optimize_phases(
    threads: int, machine: str = "", *, kernels: bool = False, eager: bool = False
) -> tuple[Phase, ...]:
    """From tensors to tensors, tiled and vectorized, for so many threads, and what `machine` says of the machine.

    With `kernels`, what is repeated is marked, for `kernel_phases` to be optimized by; if `eager`, also what is not.
    """
    phases = (*OPTIMIZE[:-1], *(MARK_KERNELS if kernels else ()), *OPTIMIZE[-1:])
    return _told(_renamed(phases, {"threads=1": f"threads={threads}"} | (EAGER if eager else {})), machine)


def kernel_phases(threads: int, machine: str = "") -> tuple[Phase, ...]:
    """From kernels on tensors to optimized ones on memrefs, for so many threads, and what `machine` says."""
    return _told(_renamed(KERNELS, {"threads=1": f"threads={threads}"}), machine)


def stream_phases(machine: str = "") -> tuple[Phase, ...]:
    """What is left to optimize on memrefs, for `machine`."""
    return _told(STREAMS, machine)


def _told(phases: tuple[Phase, ...], machine: str) -> tuple[Phase, ...]:
    """Return `phases` with what `machine` says given to all passes that want to know."""

    def told(match: re.Match[str]) -> str:
        name, _, options = match[0].rstrip("}").partition("{")
        return f'{name}{{{options}{" " if options else ""}machine="{machine}"}}'

    if not machine:
        return phases
    return tuple(replace(phase, passes=tuple(_FOR_MACHINE.sub(told, one) for one in phase.passes)) for phase in phases)


def lower_phases(
    *, count: bool, threads: int = 1, streams: bool = False, pooled: bool = False, eager: bool = False
) -> tuple[Phase, ...]:
    """From memrefs to LLVM; with `count`, copies are counted and the allocator is the one of `memory/statistics.py`.

    With `pooled` it is the one of `memory/pool.py`.

    With several `threads` an `scf.forall` runs on them, by OpenMP; but not if memory is counted, since the counters are
    not made for that. With `streams` there may be stores past the caches, which need fences.
    """
    loop, functions = SEQUENTIAL
    # Behind the lowering of parallel loops, whose scopes admit no fence.
    fences = ",func.func(inplace-fence-streams)" if streams else ""
    changed = {loop: loop + fences}
    if threads > 1 and not count:
        # The canonicalization removes the scopes for stack memory that OpenMP's lowering puts around bodies.
        parallel = f"scf-forall-to-parallel,convert-scf-to-openmp{{num-threads={threads}}},canonicalize{fences}"
        changed = {loop: parallel, functions: f"{functions},convert-openmp-to-llvm"}
    changed |= EAGER if eager else {}
    if count or pooled:
        plain, own = OWN_ALLOCATOR
        changed[plain] = own
    return (*(COUNT if count else ()), *_renamed(LOWER, changed))


def split_at_loops(phases: Sequence[Phase]) -> tuple[tuple[Phase, ...], tuple[Phase, ...]]:
    """What leaves ops and views as they are, and what makes loops and addresses of them.

    Between the two it must be certain that the IR is valid: afterwards nobody can tell any more that a view leaves the
    bounds of its memref.
    """
    names = [phase.name for phase in phases]
    place = names.index("loops")
    return tuple(phases[:place]), tuple(phases[place:])


def _renamed(phases: Iterable[Phase], names: Mapping[str, str]) -> tuple[Phase, ...]:
    """Return `phases` with other passes, or options, in the place of those that are keys of `names`."""

    def renamed(text: str) -> str:
        for old, new in names.items():
            text = text.replace(old, new)
        return text

    return tuple(Phase(phase.name, phase.why, tuple(map(renamed, phase.passes))) for phase in phases)


def pipeline_text(phases: Iterable[Phase]) -> str:
    """One textual pipeline for all `phases`."""
    return f"builtin.module({','.join(name for phase in phases for name in phase.passes)})"
