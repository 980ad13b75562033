"""Upstream's passes by name: the bindings have no list of them, and do not tell the class of a pass.

Names come from the bindings of LLVM 24; a name that other bindings do not have is not shown or suggested
(`known_passes` in `upstream.py`), and a pass that is not here runs all the same.
"""

from __future__ import annotations

from functools import cache

__all__ = ["PIPELINES", "pass_classes"]

PIPELINES = (
    "buffer-deallocation-pipeline",
    "gpu-lower-to-nvvm-pipeline",
    "gpu-lower-to-rocdl-pipeline",
    "gpu-lower-to-xevm-pipeline",
    "sparsifier",
    "tosa-to-linalg-pipeline",
)
"""Named pipelines: each stands for several passes."""

_CLASSES = """
acc-bind-routine:ACCBindRoutine acc-cg-to-gpu:ACCCGToGPU acc-compute-lowering:ACCComputeLowering
acc-declare-gpu-module-insertion:ACCDeclareGPUModuleInsertion acc-emit-remarks-data:ACCEmitRemarksData
acc-emit-remarks-loop:ACCEmitRemarksLoop acc-emit-remarks-private:ACCEmitRemarksPrivate
acc-if-clause-lowering:ACCIfClauseLowering acc-implicit-data:ACCImplicitData acc-implicit-declare:ACCImplicitDeclare
acc-implicit-routine:ACCImplicitRoutine acc-legalize-serial:ACCLegalizeSerial acc-loop-tiling:ACCLoopTiling
acc-recipe-materialization:ACCRecipeMaterialization acc-routine-lowering:ACCRoutineLowering
acc-routine-to-gpu-func:ACCRoutineToGPUFunc acc-specialize-for-device:ACCSpecializeForDevice
acc-specialize-for-host:ACCSpecializeForHost acc-to-llvm:ConvertACCToLLVMPass
affine-data-copy-generate:AffineDataCopyGeneration affine-expand-index-ops:AffineExpandIndexOps
affine-expand-index-ops-as-affine:AffineExpandIndexOpsAsAffine affine-fold-memref-alias-ops:AffineFoldMemRefAliasOps
affine-loop-coalescing:LoopCoalescing affine-loop-fusion:AffineLoopFusion
affine-loop-invariant-code-motion:AffineLoopInvariantCodeMotion affine-loop-normalize:AffineLoopNormalize
affine-loop-tile:AffineLoopTiling affine-loop-unroll:AffineLoopUnroll affine-loop-unroll-jam:AffineLoopUnrollAndJam
affine-parallelize:AffineParallelize affine-pipeline-data-transfer:AffinePipelineDataTransfer
affine-raise-from-memref:RaiseMemrefDialect affine-scalrep:AffineScalarReplacement
affine-simplify-min-max:SimplifyAffineMinMaxPass affine-simplify-structures:SimplifyAffineStructures
affine-simplify-with-bounds:SimplifyAffineWithBounds affine-super-vectorize:AffineVectorize
amdgpu-emulate-atomics:AmdgpuEmulateAtomicsPass amdgpu-maskedload-to-load:AmdgpuMaskedloadToLoadPass
amdgpu-resolve-strided-metadata:AmdgpuResolveStridedMetadataPass
arith-emulate-unsupported-floats:ArithEmulateUnsupportedFloats arith-emulate-wide-int:ArithEmulateWideInt
arith-expand:ArithExpandOpsPass arith-int-range-narrowing:ArithIntRangeNarrowing
arith-unsigned-when-equivalent:ArithUnsignedWhenEquivalentPass arm-neon-2d-to-intr:ConvertArmNeon2dToIntrPass
arm-sme-outer-product-fusion:OuterProductFusion arm-sme-vector-legalization:VectorLegalization
arm-sve-legalize-vector-storage:LegalizeVectorStorage async-func-to-async-runtime:AsyncFuncToAsyncRuntimePass
async-parallel-for:AsyncParallelForPass async-runtime-policy-based-ref-counting:AsyncRuntimePolicyBasedRefCountingPass
async-runtime-ref-counting:AsyncRuntimeRefCountingPass async-runtime-ref-counting-opt:AsyncRuntimeRefCountingOptPass
async-to-async-runtime:AsyncToAsyncRuntimePass bubble-down-memory-space-casts:BubbleDownMemorySpaceCasts
buffer-deallocation-simplification:BufferDeallocationSimplificationPass buffer-hoisting:BufferHoistingPass
buffer-loop-hoisting:BufferLoopHoistingPass buffer-results-to-out-params:BufferResultsToOutParamsPass
bufferization-lower-deallocations:LowerDeallocationsPass canonicalize:CanonicalizerPass
composite-fixed-point-pass:CompositeFixedPointPass control-flow-sink:ControlFlowSinkPass
convert-affine-for-to-gpu:ConvertAffineForToGPUPass convert-amdgpu-to-rocdl:ConvertAMDGPUToROCDLPass
convert-arith-to-amdgpu:ArithToAMDGPUConversionPass convert-arith-to-apfloat:ArithToAPFloatConversionPass
convert-arith-to-arm-sme:ArithToArmSMEConversionPass convert-arith-to-emitc:ConvertArithToEmitC
convert-arith-to-llvm:ArithToLLVMConversionPass convert-arith-to-spirv:ConvertArithToSPIRVPass
convert-arm-sme-to-llvm:ConvertArmSMEToLLVM convert-arm-sme-to-scf:ConvertArmSMEToSCFPass
convert-async-to-llvm:ConvertAsyncToLLVMPass convert-bufferization-to-memref:ConvertBufferizationToMemRefPass
convert-cf-to-llvm:ConvertControlFlowToLLVMPass convert-cf-to-spirv:ConvertControlFlowToSPIRVPass
convert-complex-to-libm:ConvertComplexToLibm convert-complex-to-llvm:ConvertComplexToLLVMPass
convert-complex-to-rocdl-library-calls:ConvertComplexToROCDLLibraryCalls
convert-complex-to-spirv:ConvertComplexToSPIRVPass convert-complex-to-standard:ConvertComplexToStandardPass
convert-elementwise-to-linalg:ConvertElementwiseToLinalgPass convert-func-to-emitc:ConvertFuncToEmitC
convert-func-to-llvm:ConvertFuncToLLVMPass convert-func-to-spirv:ConvertFuncToSPIRVPass
convert-gpu-to-llvm-spv:ConvertGpuOpsToLLVMSPVOps convert-gpu-to-nvvm:ConvertGpuOpsToNVVMOps
convert-gpu-to-rocdl:ConvertGpuOpsToROCDLOps convert-gpu-to-spirv:ConvertGPUToSPIRV
convert-index-to-llvm:ConvertIndexToLLVMPass convert-index-to-spirv:ConvertIndexToSPIRVPass
convert-linalg-to-affine-loops:ConvertLinalgToAffineLoopsPass convert-linalg-to-loops:ConvertLinalgToLoopsPass
convert-linalg-to-parallel-loops:ConvertLinalgToParallelLoopsPass convert-linalg-to-std:ConvertLinalgToStandardPass
convert-math-to-apfloat:MathToAPFloatConversionPass convert-math-to-emitc:ConvertMathToEmitC
convert-math-to-funcs:ConvertMathToFuncs convert-math-to-libm:ConvertMathToLibmPass
convert-math-to-llvm:ConvertMathToLLVMPass convert-math-to-nvvm:ConvertMathToNVVM
convert-math-to-rocdl:ConvertMathToROCDL convert-math-to-spirv:ConvertMathToSPIRVPass
convert-math-to-xevm:ConvertMathToXeVM convert-memref-to-emitc:ConvertMemRefToEmitC
convert-memref-to-spirv:ConvertMemRefToSPIRVPass convert-nvgpu-to-nvvm:ConvertNVGPUToNVVMPass
convert-nvvm-to-llvm:ConvertNVVMToLLVMPass convert-openacc-to-scf:ConvertOpenACCToSCFPass
convert-openmp-to-llvm:ConvertOpenMPToLLVMPass convert-parallel-loops-to-gpu:ConvertParallelLoopToGpuPass
convert-pdl-to-pdl-interp:ConvertPDLToPDLInterpPass convert-scf-to-cf:SCFToControlFlowPass
convert-scf-to-emitc:SCFToEmitC convert-scf-to-openmp:ConvertSCFToOpenMPPass convert-scf-to-spirv:SCFToSPIRV
convert-shape-constraints:ConvertShapeConstraintsPass convert-shape-to-std:ConvertShapeToStandardPass
convert-shard-to-mpi:ConvertShardToMPIPass convert-spirv-to-llvm:ConvertSPIRVToLLVMPass
convert-tensor-to-linalg:ConvertTensorToLinalgPass convert-tensor-to-spirv:ConvertTensorToSPIRVPass
convert-to-emitc:ConvertToEmitC convert-to-llvm:ConvertToLLVMPass convert-ub-to-llvm:UBToLLVMConversionPass
convert-ub-to-spirv:UBToSPIRVConversionPass convert-vector-to-amx:ConvertVectorToAMX
convert-vector-to-arm-sme:ConvertVectorToArmSMEPass convert-vector-to-gpu:ConvertVectorToGPU
convert-vector-to-llvm:ConvertVectorToLLVMPass convert-vector-to-scf:ConvertVectorToSCF
convert-vector-to-spirv:ConvertVectorToSPIRVPass convert-vector-to-xegpu:ConvertVectorToXeGPU
convert-xegpu-to-xevm:ConvertXeGPUToXeVMPass convert-xevm-to-llvm:ConvertXeVMToLLVMPass cse:CSEPass
decorate-spirv-composite-type-layout:SPIRVCompositeTypeLayoutPass
drop-equivalent-buffer-results:DropEquivalentBufferResultsPass
duplicate-function-elimination:DuplicateFunctionEliminationPass eliminate-empty-tensors:EmptyTensorEliminationPass
empty-tensor-to-alloc-tensor:EmptyTensorToAllocTensorPass enable-arm-streaming:EnableArmStreaming
ensure-debug-info-scope-on-llvm-func:DIScopeForLLVMFuncOpPass expand-realloc:ExpandReallocPass
expand-strided-metadata:ExpandStridedMetadataPass finalize-memref-to-llvm:FinalizeMemRefToLLVMConversionPass
flatten-memref:FlattenMemrefsPass fold-memref-alias-ops:FoldMemRefAliasOpsPass
fold-tensor-subset-ops:FoldTensorSubsetOpsPass form-expressions:FormExpressionsPass
generate-runtime-verification:GenerateRuntimeVerificationPass gpu-async-region:GpuAsyncRegionPass
gpu-decompose-memrefs:GpuDecomposeMemrefsPass gpu-eliminate-barriers:GpuEliminateBarriers
gpu-kernel-outlining:GpuKernelOutliningPass gpu-launch-sink-index-computations:GpuLaunchSinkIndexComputationsPass
gpu-map-parallel-loops:GpuMapParallelLoopsPass gpu-module-to-binary:GpuModuleToBinaryPass
gpu-to-llvm:GpuToLLVMConversionPass inline:InlinerPass int-range-optimizations:ArithIntRangeOpts
lift-cf-to-scf:LiftControlFlowToSCFPass linalg-block-pack-matmul:LinalgBlockPackMatmul
linalg-fold-into-elementwise:LinalgFoldIntoElementwisePass linalg-fold-unit-extent-dims:LinalgFoldUnitExtentDimsPass
linalg-fuse-elementwise-ops:LinalgElementwiseOpFusionPass linalg-generalize-named-ops:LinalgGeneralizeNamedOpsPass
linalg-inline-scalar-operands:LinalgInlineScalarOperandsPass linalg-morph-ops:LinalgMorphOpsPass
linalg-specialize-generic-ops:LinalgSpecializeGenericOpsPass llvm-add-comdats:LLVMAddComdats
llvm-legalize-for-export:LLVMLegalizeForExportPass llvm-optimize-for-nvvm-target:NVVMOptimizeForTargetPass
llvm-request-c-wrappers:LLVMRequestCWrappersPass llvm-target-to-data-layout:LLVMTargetToDataLayout
llvm-target-to-target-features:LLVMTargetToTargetFeatures llvm-use-default-visibility:LLVMUseDefaultVisibilityPass
loop-invariant-code-motion:LoopInvariantCodeMotionPass loop-invariant-subset-hoisting:LoopInvariantSubsetHoistingPass
lower-affine:LowerAffinePass lower-host-to-llvm:LowerHostCodeToLLVMPass lower-quant-ops:LowerQuantOps
lower-sparse-foreach-to-scf:LowerForeachToSCF lower-sparse-iteration-to-scf:LowerSparseIterationToSCF
lower-sparse-ops-to-foreach:LowerSparseOpsToForeach lower-vector-mask:LowerVectorMaskPass
lower-vector-multi-reduction:LowerVectorMultiReduction
lower-vector-to-from-elements-to-shuffle-tree:LowerVectorToFromElementsToShuffleTree
map-memref-spirv-storage-class:MapMemRefStorageClass math-expand-ops:MathExpandOpsPass
math-extend-to-supported-types:MathExtendToSupportedTypes math-sincos-fusion:MathSincosFusionPass
math-uplift-to-fma:MathUpliftToFMA mem2reg:Mem2Reg memref-elide-reinterpret-cast:ElideReinterpretCastPass
memref-emulate-wide-int:MemRefEmulateWideInt memref-expand:ExpandOpsPass
mlgo-add-reflection-map:MLGOAddReflectionMapPass mlprogram-pipeline-globals:MLProgramPipelineGlobalsPass
normalize-memrefs:NormalizeMemRefsPass normalize-quant-types:NormalizeQuantTypes
nvgpu-optimize-shared-memory:OptimizeSharedMemory nvvm-attach-target:GpuNVVMAttachTarget
offload-livein-value-canonicalization:OffloadLiveInValueCanonicalization offload-target-verifier:OffloadTargetVerifier
omp-host-op-filter:HostOpFilteringPass omp-mark-declare-target:MarkDeclareTargetPass
omp-offload-privatization-prepare:PrepareForOMPOffloadPrivatizationPass omp-stack-to-shared:StackToSharedPass
one-shot-bufferize:OneShotBufferizePass openacc-legalize-data-values:LegalizeDataValuesInRegion
optimize-allocation-liveness:OptimizeAllocationLivenessPass outline-shape-computation:OutlineShapeComputationPass
ownership-based-buffer-deallocation:OwnershipBasedBufferDeallocationPass
pre-sparsification-rewrite:PreSparsificationRewrite print-ir:PrintIRPass print-op-stats:PrintOpStatsPass
promote-buffers-to-stack:PromoteBuffersToStackPass raise-scf-to-affine:RaiseSCFToAffinePass
raise-wasm-mlir:RaiseWasmMLIR reconcile-unrealized-casts:ReconcileUnrealizedCastsPass
reify-result-shapes:ReifyResultShapesPass remove-dead-values:RemoveDeadValuesPass
remove-shape-constraints:RemoveShapeConstraintsPass
resolve-ranked-shaped-type-result-dims:ResolveRankedShapeTypeResultDimsPass
resolve-shaped-type-result-dims:ResolveShapedTypeResultDimsPass rocdl-attach-target:GpuROCDLAttachTarget
scalarize-single-element-tensor-return:ScalarizeSingleElementTensorReturnPass sccp:SCCPPass
scf-for-loop-canonicalization:SCFForLoopCanonicalization scf-for-loop-peeling:SCFForLoopPeeling
scf-for-loop-range-folding:SCFForLoopRangeFolding scf-for-loop-specialization:SCFForLoopSpecialization
scf-for-to-while:SCFForToWhileLoop scf-forall-to-for:SCFForallToForLoop scf-forall-to-parallel:SCFForallToParallelLoop
scf-parallel-for-to-nested-fors:SCFParallelForToNestedFors scf-parallel-loop-fusion:SCFParallelLoopFusion
scf-parallel-loop-specialization:SCFParallelLoopSpecialization scf-parallel-loop-tiling:SCFParallelLoopTiling
set-llvm-module-datalayout:SetLLVMModuleDataLayoutPass shape-to-shape-lowering:ShapeToShapeLoweringPass
shard-partition:Partition shard-simplify:ShardSimplify sharding-propagation:ShardingPropagation
simplify-depthwise-conv:SimplifyDepthwiseConvPass snapshot-op-locations:LocationSnapshot
sparse-assembler:SparseAssembler sparse-buffer-rewrite:SparseBufferRewrite sparse-gpu-codegen:SparseGPUCodegen
sparse-reinterpret-map:SparseReinterpretMap sparse-space-collapse:SparseSpaceCollapse
sparse-storage-specifier-to-llvm:StorageSpecifierToLLVM sparse-tensor-codegen:SparseTensorCodegen
sparse-tensor-conversion:SparseTensorConversionPass sparse-vectorization:SparseVectorization
sparsification:SparsificationPass sparsification-and-bufferization:SparsificationAndBufferization
spirv-attach-target:GpuSPIRVAttachTarget spirv-canonicalize-gl:SPIRVCanonicalizeGLPass
spirv-lower-abi-attrs:SPIRVLowerABIAttributesPass
spirv-promote-to-replicated-constants:SPIRVReplicatedConstantCompositePass
spirv-rewrite-inserts:SPIRVRewriteInsertsPass spirv-unify-aliased-resource:SPIRVUnifyAliasedResourcePass
spirv-update-vce:SPIRVUpdateVCEPass spirv-webgpu-prepare:SPIRVWebGPUPreparePass sroa:SROA
stage-sparse-ops:StageSparseOperations static-memory-planner-analysis:StaticMemoryPlannerAnalysisPass
strip-debuginfo:StripDebugInfoPass strip-func-quant-types:StripFuncQuantTypes symbol-dce:SymbolDCEPass
symbol-privatize:SymbolPrivatizePass test-arm-sme-tile-allocation:TestTileAllocation
test-scf-parallel-loop-collapsing:TestSCFParallelLoopCollapsing topological-sort:TopologicalSortPass
tosa-arith-const-to-tosa-const:TosaArithConstantToTosaConstPass tosa-attach-target:TosaAttachTarget
tosa-convert-integer-type-to-signless:TosaConvertIntegerTypeToSignless
tosa-downgrade-1-1-to-1-0:TosaDowngrade1p1To1p0Pass tosa-experimental-input-shape:TosaInputShape
tosa-infer-shapes:TosaInferShapesPass tosa-layerwise-constant-fold:TosaLayerwiseConstantFoldPass
tosa-make-broadcastable:TosaMakeBroadcastablePass tosa-narrow-f64-to-f32:TosaNarrowF64ToF32Pass
tosa-narrow-i64-to-i32:TosaNarrowI64ToI32Pass tosa-optional-decompositions:TosaOptionalDecompositionsPass
tosa-reduce-transposes:TosaReduceTransposes tosa-to-arith:TosaToArithPass tosa-to-linalg:TosaToLinalg
tosa-to-linalg-named:TosaToLinalgNamed tosa-to-mlprogram:TosaToMLProgram tosa-to-scf:TosaToSCFPass
tosa-to-spirv-tosa:TosaToSPIRVTosa tosa-to-spirv-tosa-mark-graph-constants:TosaToSPIRVTosaMarkGraphConstants
tosa-to-tensor:TosaToTensorPass tosa-validate:TosaValidation transform-dialect-check-uses:CheckUsesPass
transform-infer-effects:InferEffectsPass transform-interpreter:InterpreterPass
transform-preload-library:PreloadLibraryPass trivial-dce:TrivialDeadCodeEliminationPass view-op-graph:ViewOpGraphPass
wrap-emitc-func-in-class:WrapFuncInClassPass xegpu-blocking:XeGPUBlocking
xegpu-optimize-peephole:XeGPUPeepHoleOptimizer xegpu-propagate-layout:XeGPUPropagateLayout
xegpu-sg-to-lane-distribute:XeGPUSgToLaneDistribute xegpu-vector-linearize:XeGPUVectorLinearize
xegpu-wg-to-sg-distribute:XeGPUWgToSgDistribute xevm-attach-target:GpuXeVMAttachTarget
"""


@cache
def pass_classes() -> dict[str, str]:
    """The C++ class of each pass, which reports call it by, in alphabetical order of the names."""
    return {name: cls for name, _, cls in (entry.partition(":") for entry in _CLASSES.split())}
