"""Copy slices of elements a few steps apart, by ops that can be vectorized and fused.

## Problem

A `tensor.extract_slice` with a step along rows becomes a view, whose elements do not lie side by side: what reads it is
not vectorized. A function that returns one returns a copy with the same steps, of twice the size or more.

## Before and after

```text
%s = tensor.extract_slice %a[0, 0] [512, 512] [1, 2] : tensor<512x1024xf32> to tensor<512x512xf32>
return %s : tensor<512x512xf32>
```

becomes, with `#columns = affine_map<(i, j) -> (i, j * 2)>`:

```text
%rows = tensor.extract_slice %a[0, 0] [512, 1023] [1, 1] : tensor<512x1024xf32> to tensor<512x1023xf32>
%e = tensor.empty() : tensor<512x512xf32>
%s = linalg.generic {indexing_maps = [#columns, #identity], iterator_types = ["parallel", "parallel"]}
    ins(%rows : tensor<512x1023xf32>) outs(%e : tensor<512x512xf32>) {
  ^bb0(%x: f32, %_: f32):
    linalg.yield %x : f32
} -> tensor<512x512xf32>
return %s : tensor<512x512xf32>
```

`inplace-vectorize` shuffles such elements out of vectors of their neighbours, and `inplace-fuse` has ops that read
`%s` read them where they are.

## Contract

In: a function on tensors. Out: the same values. A slice is copied if its step along rows is two to four, its size there
is static, and it is read only: by inputs of linalg ops, or returned. Left alone: slices of other steps or types that
have fewer dimensions than their tensor, and those of a tensor that something updates, which may be updated in place.

Linear in the slices and their uses. No upstream counterpart. Why it is legal: docs/theory/optimizing.md.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import linalg, tensor

from ...dialects.bufferizable import Subset
from ...dialects.subsets import extract_slice, mixed_subset
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions

_SLICE = "tensor.extract_slice"
_MOST_STEPS = 4
"""Elements further apart are not shuffled out of vectors (`vector_plan.is_strided`)."""
_READERS = frozenset({_SLICE, "tensor.dim", "tensor.extract", "tensor.collapse_shape", "tensor.expand_shape"})


def analyze_slices(root: ir.Operation) -> list[tuple[ir.Operation, Subset]]:
    """Return the slices under `root` to copy, and what they are slices of. Changes nothing."""
    slices = [(op, mixed_subset(op, 1)) for op in find_ops(root, _SLICE)]
    return [(op, subset) for op, subset in slices if _has_steps(op, subset) and _is_read_only(op)]


def _has_steps(op: ir.Operation, subset: Subset) -> bool:
    result, source = (ir.RankedTensorType(value.type) for value in (op.results[0], op.operands[0]))
    if result.rank != source.rank or result.rank == 0:
        return False
    step, size = subset.strides[-1], subset.sizes[-1]
    is_number = isinstance(result.element_type, ir.IntegerType | ir.FloatType)
    return is_number and isinstance(step, int) and 1 < step <= _MOST_STEPS and isinstance(size, int) and size > 0


def _is_read_only(op: ir.Operation) -> bool:
    """Whether the slice is an input of linalg ops, or returned, and nothing updates what it is a slice of."""
    read = all(use.owner.operation.name == "func.return" or _is_input(use) for use in op.results[0].uses)
    return read and all(
        use.owner.operation.name in _READERS or use.owner.operation.name == "func.return" or _is_input(use)
        for use in op.operands[0].uses
    )


def _is_input(use: ir.OpOperand) -> bool:
    owner = use.owner.operation
    if not owner.name.startswith("linalg.") or "operandSegmentSizes" not in owner.attributes:
        return False
    return use.operand_number < ir.DenseI32ArrayAttr(owner.attributes["operandSegmentSizes"])[0]


def _copy(op: ir.Operation, subset: Subset) -> ir.Value:
    """The elements of the slice as the result of an elementwise op."""
    source, type_ = op.operands[0], ir.RankedTensorType(op.results[0].type)
    step, size = subset.strides[-1], subset.sizes[-1]
    assert isinstance(step, int)
    assert isinstance(size, int)
    width = (size - 1) * step + 1
    rows = Subset(subset.offsets, (*subset.sizes[:-1], width), (*subset.strides[:-1], 1))
    wide = ir.RankedTensorType.get([*type_.shape[:-1], width], type_.element_type)
    empty = tensor.empty(list(subset.sizes), type_.element_type)
    loops = [ir.AffineDimExpr.get(loop) for loop in range(type_.rank)]
    steps = ir.AffineMap.get(type_.rank, 0, [*loops[:-1], loops[-1] * step])
    maps = [steps, ir.AffineMap.get_identity(type_.rank)]
    parallel = [linalg.IteratorType.parallel] * type_.rank
    copy = linalg.GenericOp([type_], [extract_slice(source, rows, wide)], [empty], maps, parallel)
    block = copy.regions[0].blocks.append(type_.element_type, type_.element_type)
    with ir.InsertionPoint(block):
        linalg.YieldOp([block.arguments[0]])
    return copy.results[0]


class CompactSlicesPass(Pass[PassOptions]):
    """Copy slices with small steps along rows."""

    argument = "inplace-compact-slices"
    summary = "copy slices of elements a few steps apart by elementwise ops, which are vectorized and fused"
    anchor = "func.func"
    statistics = (Statistic("copied", "slices that elementwise ops copy"),)

    def run(self, op: ir.Operation) -> None:
        for one, subset in analyze_slices(op):
            with ir.InsertionPoint(one), one.location:
                one.results[0].replace_all_uses_with(_copy(one, subset))
            one.erase()
            self.count("copied")
