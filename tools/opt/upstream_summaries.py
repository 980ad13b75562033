"""What the passes of upstream's do that stand beside ours most often, in a line: the bindings do not tell."""

from __future__ import annotations

from ...passes.framework.upstream_names import pass_classes

__all__ = ["upstream_summary"]

_SUMMARIES = """\
affine-data-copy-generate: copy what affine loops use to faster memory
affine-loop-coalescing: make one loop of a nest of affine loops
affine-loop-fusion: fuse affine loops
affine-loop-invariant-code-motion: move operations out of affine loops
affine-loop-tile: tile affine loops
affine-loop-unroll: unroll affine loops
affine-loop-unroll-jam: unroll affine loops and jam the copies
affine-parallelize: turn affine loops without dependences into parallel ones
affine-scalrep: forward affine stores to loads, and drop what is dead
affine-super-vectorize: vectorize affine loops for an abstract vector
arith-emulate-unsupported-floats: compute floats that a target lacks in a larger type
arith-emulate-wide-int: compute wide integers in halves
arith-expand: rewrite arith operations that LLVM lacks as simpler ones
arith-int-range-narrowing: compute integers of small range in smaller types
buffer-deallocation-pipeline: free what was allocated: ownership-based deallocation and what goes with it
buffer-deallocation-simplification: simplify bufferization.dealloc
buffer-hoisting: move allocations out of conditions
buffer-loop-hoisting: move allocations out of loops
buffer-results-to-out-params: turn memref results into arguments
bufferization-lower-deallocations: turn bufferization.dealloc into memref.dealloc and conditions
canonicalize: fold, and bring operations into their canonical form
control-flow-sink: move operations into the branches that need them
convert-arith-to-llvm: arith to the LLVM dialect
convert-bufferization-to-memref: bufferization to memref
convert-cf-to-llvm: cf to the LLVM dialect
convert-complex-to-libm: complex functions to calls of libm
convert-complex-to-llvm: complex to the LLVM dialect
convert-complex-to-standard: complex to arith and math
convert-elementwise-to-linalg: elementwise operations on tensors to linalg
convert-func-to-llvm: func to the LLVM dialect
convert-index-to-llvm: index to the LLVM dialect
convert-linalg-to-affine-loops: linalg on memrefs to affine loops
convert-linalg-to-loops: linalg on memrefs to loops
convert-linalg-to-parallel-loops: linalg on memrefs to parallel loops
convert-linalg-to-std: linalg on memrefs to calls of a library
convert-math-to-funcs: math to functions of this module
convert-math-to-libm: math to calls of libm
convert-math-to-llvm: math to the LLVM dialect
convert-openmp-to-llvm: types in openmp to those of the LLVM dialect
convert-scf-to-cf: scf to branches
convert-scf-to-openmp: parallel loops to openmp
convert-shape-to-std: shape to arith, scf and tensor
convert-shard-to-mpi: communication of shard to mpi
convert-tensor-to-linalg: tensor.pad and others to linalg
convert-to-llvm: every dialect that can to the LLVM dialect
convert-ub-to-llvm: ub to the LLVM dialect
convert-vector-to-llvm: vector to the LLVM dialect
convert-vector-to-scf: transfers of vectors to loops over smaller ones
cse: compute common subexpressions once
drop-equivalent-buffer-results: drop results of functions that are arguments
duplicate-function-elimination: keep one of several equal functions
eliminate-empty-tensors: compute in the destination instead of in a tensor.empty
empty-tensor-to-alloc-tensor: tensor.empty to bufferization.alloc_tensor
expand-realloc: memref.realloc to allocations and copies
expand-strided-metadata: operations on strides of memrefs to arithmetic
finalize-memref-to-llvm: memref to the LLVM dialect
fold-memref-alias-ops: fold subviews into the operations that use them
fold-tensor-subset-ops: fold slices of tensors into the operations that use them
generate-runtime-verification: check at run time what operations require
inline: inline calls
int-range-optimizations: fold what the ranges of integers decide
lift-cf-to-scf: branches to scf
linalg-block-pack-matmul: pack matmuls into blocks
linalg-fold-unit-extent-dims: drop dimensions of size one
linalg-fuse-elementwise-ops: fuse elementwise linalg operations on tensors
linalg-generalize-named-ops: named linalg operations to linalg.generic
linalg-inline-scalar-operands: read scalar operands of linalg.generic inside it
linalg-morph-ops: change between named, category and generic linalg operations
linalg-specialize-generic-ops: linalg.generic to named operations
loop-invariant-code-motion: move what does not change out of loops
loop-invariant-subset-hoisting: carry slices of tensors through loops
lower-affine: affine to scf and arith
lower-vector-mask: vector.mask to masked operations
math-expand-ops: math functions to others, and to arith
math-extend-to-supported-types: compute math functions in a larger type
math-uplift-to-fma: mulf and addf to fma
mem2reg: loads and stores of slots to values
memref-expand: memref operations that LLVM lacks to simpler ones
normalize-memrefs: memrefs to identity layouts
one-shot-bufferize: tensors to memrefs, in place where that is safe
optimize-allocation-liveness: free as early as is right
ownership-based-buffer-deallocation: free what a block owns at its end
print-ir: print the IR on standard error
print-op-stats: print how many operations of each kind there are
promote-buffers-to-stack: small allocations to the stack
reconcile-unrealized-casts: drop unrealized_conversion_cast in pairs
remove-dead-values: drop values, arguments and results that nobody needs
resolve-shaped-type-result-dims: ask for the size of operands instead of results
sccp: propagate constants through branches and calls
scf-for-loop-canonicalization: simplify loops by their bounds
scf-for-loop-peeling: peel loops so that the bulk has whole steps
scf-for-loop-range-folding: fold arithmetic of the induction variable into the bounds
scf-for-to-while: scf.for to scf.while
scf-forall-to-for: scf.forall to loops
scf-forall-to-parallel: scf.forall to scf.parallel
scf-parallel-loop-fusion: fuse parallel loops
scf-parallel-loop-tiling: tile parallel loops
shard-partition: make of a program what one device runs
sharding-propagation: decide which tensor is sharded how
sparsification-and-bufferization: bufferize sparse and dense tensors
sparsifier: lower sparse tensors down to the LLVM dialect
sroa: split aggregates on the stack into values
strip-debuginfo: drop locations
symbol-dce: drop symbols that nobody uses
symbol-privatize: make symbols private
topological-sort: order operations so that definitions come first
tosa-to-linalg-pipeline: tosa to linalg, and what goes before
transform-interpreter: apply a transform script
trivial-dce: drop operations without uses or effects
view-op-graph: print a Graphviz graph
"""

_BY_NAME = {name: text for name, _, text in (line.partition(": ") for line in _SUMMARIES.splitlines())}


def upstream_summary(name: str) -> str:
    """The class of a pass of upstream's, or that it is a pipeline, and what it does if that is known here."""
    title = pass_classes().get(name, "a pipeline of upstream's")
    return f"{title}: {_BY_NAME[name]}" if name in _BY_NAME else title
