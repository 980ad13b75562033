"""What op models say, denied one answer at a time. Data."""

from __future__ import annotations

from disabling import Rule

_D = "dialects."
_READS = "bufferizes_to_memory_read"
_WRITES = "bufferizes_to_memory_write"
_ANCHOR = "**Setting**"


def _rules(said: str, method: str, new: str, *classes: str) -> tuple[Rule, ...]:
    return tuple(Rule(f"{path.partition(':')[2]} {said}", _ANCHOR, f"{_D}{path}.{method}", new) for path in classes)


READS = _rules(
    "reads", _READS, "return False",
    "arith:SelectModel", "bufferization:AllocTensorModel", "bufferization:MaterializeModel",
    "bufferization:ToBufferModel", "dispatch.models:CommitModel", "elementwise:ElementwiseModel", "func:ReturnModel",
    "linalg:StructuredOpModel", "linalg.packing:_PackingModel", "linalg.softmax:SoftmaxModel", "ml_program:StoreModel",
    "tensor:ExtractModel", "tensor:InsertModel", "tensor:InsertSliceModel", "tensor.assembly:ConcatModel",
    "tensor.assembly:PadModel", "tensor.casts:BitcastModel", "tensor.gathers:GatherModel",
    "tensor.gathers:ScatterModel", "tensor.parallel_inserts:ParallelInsertSliceModel", "tensor.shapes:ReshapeModel",
    "vector:TransferReadModel", "vector:TransferWriteModel", "vector:VectorGatherModel", "vector:VectorScatterModel",
)  # fmt: skip
WRITES = _rules(
    "writes", _WRITES, "return False",
    "arith:SelectModel", "bufferization:MaterializeModel", "bufferization:ToBufferModel",
    "dispatch.models:CommitModel", "elementwise:ElementwiseModel", "linalg:StructuredOpModel",
    "linalg.packing:_PackingModel", "linalg.softmax:SoftmaxModel", "tensor:InsertModel", "tensor:InsertSliceModel",
    "tensor.gathers:ScatterModel", "tensor.parallel_inserts:ParallelInsertSliceModel", "vector:_StoreModel",
    "shard.collective:InPlaceModel",
)  # fmt: skip
TIES = _rules(
    "ties its result", "aliasing_values", "return ()",
    "arith:SelectModel", "bufferization:MaterializeModel", "elementwise:ElementwiseModel",
    "linalg:StructuredOpModel", "linalg.packing:_PackingModel", "linalg.softmax:SoftmaxModel", "tensor:InsertModel",
    "tensor:ExtractSliceModel", "tensor:InsertSliceModel", "tensor.casts:BitcastModel", "tensor.casts:CastModel",
    "tensor.gathers:ScatterModel", "tensor.shapes:ReassociationModel", "tensor.shapes:ReshapeModel",
    "vector:_StoreModel", "shard.collective:InPlaceModel", "shard.movements:AllSliceModel", "shard.rooted:SendModel",
)  # fmt: skip
NOT_SIMULTANEOUS = _rules(
    "does not read while it writes", "is_not_conflicting", "return True",
    "linalg:StructuredOpModel", "linalg.packing:_PackingModel", "tensor.gathers:ScatterModel",
)  # fmt: skip
KEEPS = _rules(
    "needs the old content in a new buffer", "discards_content", "return True",
    "linalg:StructuredOpModel", "tensor:InsertModel", "tensor:InsertSliceModel", "tensor.gathers:ScatterModel",
    "vector:TransferWriteModel", "vector:VectorScatterModel",
)  # fmt: skip
READ_ONLY = _rules(
    "makes what must not be written", "is_writable", "return True",
    "arith:ConstantModel", "bufferization:ToTensorModel", "dispatch.models:ContentsModel",
)  # fmt: skip
REPEATED = _rules(
    "runs its region again", "is_repetitive_region", "return False",
    "scf:ForModel", "scf.while_loop:WhileModel", "scf.forall:ForallModel", "scf.forall:ParallelModel",
    "scf.forall:ReduceModel", "linalg:StructuredOpModel", "tensor.creation:GenerateModel", "tensor.assembly:PadModel",
)  # fmt: skip
PARALLEL = _rules(
    "overlaps runs of its region", "is_parallel_region", "return False",
    "scf.forall:ForallModel", "scf.forall:ParallelModel", "scf.forall:ReduceModel", "linalg:StructuredOpModel",
    "tensor.creation:GenerateModel", "tensor.assembly:PadModel",
)  # fmt: skip
OTHERS = (
    *_rules("runs both regions", "are_exclusive_regions", "return True", "scf.while_loop:WhileModel"),
    *_rules("reads in its region", "reads_before_regions", "return True", "linalg:StructuredOpModel"),
    *_rules(
        "hands its buffer out",
        "escapes",
        "return False",
        "bufferization:ToBufferModel",
        "bufferization:MaterializeModel",
    ),
    *_rules("copies into what it makes", "result_is_undefined", "return True", "bufferization:AllocTensorModel"),
    *_rules("loads state", "loaded_state", "return None", "ml_program:LoadModel"),
    *_rules("stores state", "stored_state", "return None", "ml_program:StoreModel"),
    *_rules(
        "makes no buffer of its own",
        "bufferizes_to_allocation",
        "return True",
        "bufferization:ToTensorModel",
        "ml_program:LoadModel",
        "dispatch.models:ContentsModel",
    ),
    *_rules(
        "has no other place",
        "must_bufferize_in_place",
        "return False",
        "dispatch.models:CommitModel",
        "bufferization:MaterializeModel",
    ),
    *_rules(
        "is not all of what it inserts",
        "redundant_source",
        "return 0 if operand == 1 else None",
        "tensor:InsertModel",
        "tensor.gathers:ScatterModel",
    ),
    Rule(
        "a slice is a part",
        _ANCHOR,
        "dialects.tensor:ExtractSliceModel.aliasing_values",
        "return (AliasingValue(0, Relation.EQUIVALENT),)",
    ),
    Rule(
        "a reshape is no identity",
        "**Reshapes**",
        "dialects.tensor.shapes:ReassociationModel.aliasing_values",
        "return (AliasingValue(0),)",
    ),
    Rule(
        "a select returns either operand",
        _ANCHOR,
        "dialects.arith:SelectModel.aliasing_values",
        "definite=True",
        "definite=False",
    ),
    Rule(
        "a select shares a class with neither",
        _ANCHOR,
        "dialects.arith:SelectModel.aliasing_values",
        "return (AliasingValue(0, Relation.EQUIVALENT),)",
        "return (AliasingValue(0, Relation.EQUIVALENT, definite=False),)",
    ),
    Rule(
        "elements in the same place",
        "*simultaneous*",
        "dialects.linalg:StructuredOpModel.is_not_conflicting",
        "return True",
        "return maps[read] == maps[write] and ir.AffineMapAttr(maps[write]).value.is_permutation",
    ),
    Rule(
        "each element in one place",
        "*simultaneous*",
        "dialects.linalg:StructuredOpModel.is_not_conflicting",
        "return maps[read] == maps[write]",
        "return maps[read] == maps[write] and ir.AffineMapAttr(maps[write]).value.is_permutation",
    ),
    Rule(
        "an init that the payload reads",
        "**Fully overwritten**",
        "dialects.linalg:StructuredOpModel.bufferizes_to_memory_read",
        "pass",
        "return True",
    ),
    Rule("masked transfers leave elements", "**Fully overwritten**", "dialects.vector:_has_mask", "return False"),
    Rule(
        "transfers of part of a tensor",
        "**Fully overwritten**",
        "dialects.vector:_covers_destination",
        "True",
        "all(written >= size for written, size in zip(vector.shape, tensor.shape, strict=False))",
    ),
    Rule(
        "transfers to dynamic sizes",
        "**Fully overwritten**",
        "dialects.vector:_covers_destination",
        "True",
        "tensor.has_static_shape",
    ),
    Rule("transfers that begin at zero", "**Fully overwritten**", "dialects.vector:_is_zero", "return True"),
    Rule(
        "transfers that permute",
        "**Fully overwritten**",
        "dialects.vector:_box",
        "sizes[0] = size",
        "sizes[expression.position] = size",
    ),
    Rule(
        "slices at an offset do not cover",
        "**Fully overwritten**",
        "dialects.subsets:covers",
        "True",
        "all(offset == 0 for offset in subset.offsets)",
    ),
    Rule(
        "slices with strides do not cover",
        "**Fully overwritten**",
        "dialects.subsets:covers",
        "True",
        "all(stride == 1 for stride in subset.strides)",
    ),
    Rule(
        "slices of another size do not cover",
        "**Fully overwritten**",
        "dialects.subsets:covers",
        "True",
        "all(size == extent != _DYNAMIC for size, extent in zip(subset.sizes, shaped.shape, strict=True))",
    ),
    Rule("loops that may not run hand on their init", "**Loops that run**", "dialects.scf:surely_runs", "return True"),
    Rule(
        "the shape operand of a reshape is read",
        "**Reshapes**",
        "dialects.tensor.shapes:ReshapeModel.bufferizes_to_memory_read",
        "return False",
    ),
    Rule(
        "branches yield from every region",
        "are *exclusive*",
        "dialects.scf:RegionBranchModel.forwardings",
        "for region in list(regions)[:1])",
        "for region in regions)",
    ),
    Rule(
        "a loop's argument begins with its operand",
        "**Carried**",
        "dialects.scf:ForModel.forwardings",
        "results=(i,)",
        "results=() if runs and region is None else (i,)",
    ),
)

MODELS = (*READS, *WRITES, *TIES, *NOT_SIMULTANEOUS, *KEEPS, *READ_ONLY, *REPEATED, *PARALLEL, *OTHERS)
