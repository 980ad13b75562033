"""Lower `stablehlo.sort` to loops: by keys where the comparator is one, else by merges.

In: `stablehlo.sort` anywhere, of any number of operands, along any dimension, with any comparator. Out: for each line
along the dimension loops that sort the operands in place. Every sort is stable. What it needs besides, all lines share.

| lines | sorted by | steps for n elements |
|---|---|---|
| of 2 to 1024 elements, in groups, keys tell all | a network of minima and maxima, a line a lane | n log² n / 4 |
| of 2 to 96 elements, the comparator is a key | ranks: how many stand in front of each, in vectors | n * n / 8 |
| of more, of known size, the comparator is a key | digits of keys: bytes, least significant first | n for each byte |
| any other | merges from the bottom up | n log n |

A network needs 64 n bytes besides. It sorts as many lines as a vector has lanes, if the only result that is used is the
one that is compared. If zeros are equal, it leaves groups with a zero or NaN to the next two. Ranks need 16 n bytes and
a line for each result; digits up to 24 n bytes and a line for each result that keys do not tell; merges a line for each
operand.

Sorts of rows of 64 elements and more (of 16 if there is one row) by keys of 32 or 64 bits, which tell all that is
wanted, are functions, one for each kind and type: `inplace-vectorize-sorts` replaces them where vectors are wide.

A comparator is a key if it asks whether `k(a) < k(b)`, or `>`, with one function `k` of one operand, which is an
integer or a float: what JAX and torch sort by, NaN and -0 included. Where a comparison of floats says nothing of NaN,
which is no order, keys put NaN last, or first with `>`; merges put it anywhere. Results without uses are not
computed, and places, as in `argsort`, are not read: an operand that is a `stablehlo.iota` along the dimension.

```mlir
func.func @f(%x: tensor<5x100xf32>) -> tensor<5x100xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<5x100xf32>) -> tensor<5x100xf32>
  return %0 : tensor<5x100xf32>
}
```

computes:

```text
keys, scratch, counts = tensor.empty() : tensor<100xi32>, tensor<100xi32>, tensor<256xi32>
for each row of x:
  keys = integers without sign in the order of the elements of the row
  for each byte of keys, least significant first:
    counts = where the first key goes that has each value of the byte
    scratch = keys, each where it goes; swap keys and scratch
  row = the elements that keys stand for
```

and with any other comparator:

```text
scratch = tensor.empty() : tensor<100xf32>
for each row of x:
  for width = 1, 4, 16, 64:
    scratch = pairs of sorted runs of `width` elements of the row, merged
    row = pairs of sorted runs of `2 * width` elements of scratch, merged
```

Two merges make an iteration, so that the sorted line is always where it has been. A merge takes the element of the left
run unless that of the right one is less, and reads both without a branch.

Upstream counterpart: none in the bindings; `stablehlo-legalize-to-linalg` leaves sorts as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from ...dialects.subsets import insert_slice
from ...dialects.support.defining_ops import defining_op
from ...dialects.support.index_math import Number, index_constant, tensor_size
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.loops import loop, loop_nest
from .rewriting.merge_sort import MergeSort
from .rewriting.radix_sort import RadixSort
from .rewriting.rank_sort import RankSort
from .rewriting.sort_functions import call_sort, is_for_vectors
from .rewriting.sort_keys import SortedOperand, SortKey, recognized_key
from .rewriting.sorting_network import SortingNetwork
from .rewriting.tensor_lines import TensorLines

_MOST_BY_RANKS = 96
"""The longest lines that are sorted faster by ranks than by digits."""
_MOST_BY_NETWORK = 1024
"""The longest lines that a network sorts faster than their digits."""


def _merged(op: ir.Operation, shape: TensorLines) -> Sequence[ir.Value]:
    """Build merge sorts of all lines; return what replaces the results."""
    (comparator,) = op.regions[0].blocks
    way = MergeSort(comparator, shape.line)
    scratch = way.scratch([ir.RankedTensorType(value.type).element_type for value in op.operands])
    return shape.replace_each(list(op.operands), lambda _, lines: way.sort(lines, scratch))


def _way(key: SortKey, size: int, sources: Sequence[SortedOperand]) -> RankSort | RadixSort:
    """Return how lines of `size` elements are sorted by their keys."""
    return (RankSort if size <= _MOST_BY_RANKS else RadixSort)(key, size, sources)


def _sorted_by_keys(op: ir.Operation, shape: TensorLines, key: SortKey) -> Sequence[ir.Value]:
    """Build sorts of all lines by their keys; return what replaces the results, the operand for one without uses."""
    numbers = [number for number, result in enumerate(op.results) if next(iter(result.uses), None) is not None]
    assert isinstance(shape.line, int)
    sources = [
        SortedOperand(
            number,
            ir.RankedTensorType(op.operands[number].type).element_type,
            is_place=number != key.operand and _numbers_lines(op.operands[number], shape.dim),
        )
        for number in numbers
    ]
    way = _way(key, shape.line, sources)
    keyed = op.operands[key.operand]
    scratch = way.scratch()

    def sort(indices: list[ir.Value], lines: list[ir.Value]) -> list[ir.Value]:
        of_key = lines[numbers.index(key.operand)] if key.operand in numbers else shape.extracted(keyed, indices)
        return way.sort(of_key, lines, scratch)

    inits = [tensor.empty(shape.sizes, each.type) if each.is_place else op.operands[each.operand] for each in sources]
    replaced = dict(zip(numbers, shape.replace_each(inits, sort), strict=True))
    return [replaced.get(number, value) for number, value in enumerate(op.operands)]


def _sorted_in_groups(
    op: ir.Operation, shape: TensorLines, key: SortKey, network: SortingNetwork
) -> Sequence[ir.Value]:
    """Build sorts of groups of lines by a network; return what replaces the results.

    The last group ends with the last line. Lines that are in the one before, too, are sorted twice.
    """
    value = op.operands[key.operand]
    count = shape.sizes[network.across]
    assert isinstance(shape.line, int)
    assert isinstance(count, int)
    way = _way(key, shape.line, [SortedOperand(key.operand, ir.RankedTensorType(value.type).element_type)])
    scratch = way.scratch()
    rows = tensor.empty(network.scratch_type.shape, network.scratch_type.element_type)

    def by_lines(at: list[ir.Value], carried: ir.Value) -> ir.Value:
        def sort(lane: ir.Value, inner: list[ir.Value]) -> list[ir.Value]:
            place = [arith.addi(index, lane) if d == network.across else index for d, index in enumerate(at)]
            indices = [index for d, index in enumerate(place) if d != shape.dim]
            line = shape.extracted(inner[0], indices)
            return [insert_slice(way.sort(line, [line], scratch)[0], inner[0], shape.subset(indices))]

        return loop(0, network.lanes, [carried], sort)[0]

    def group(outer: list[ir.Value], carried: list[ir.Value]) -> list[ir.Value]:
        first = arith.muli(outer[-1], index_constant(network.lanes))
        rest = iter(outer)
        at = [index_constant(0) if d in (shape.dim, network.across) else next(rest) for d in range(len(shape.sizes))]
        at[network.across] = arith.minui(first, index_constant(count - network.lanes))
        return [network.sort(carried[0], at, rows, lambda: by_lines(at, carried[0]))]

    others = [size for d, size in enumerate(shape.sizes) if d not in (shape.dim, network.across)]
    (ordered,) = loop_nest([*others, -(-count // network.lanes)], [value], group)
    return [ordered if number == key.operand else other for number, other in enumerate(op.operands)]


def _network(op: ir.Operation, shape: TensorLines, key: SortKey) -> SortingNetwork | None:
    """Return the network that sorts groups of lines, if keys tell all that is wanted and there is a group."""
    used = [number for number, result in enumerate(op.results) if next(iter(result.uses), None) is not None]
    if used != [key.operand] or not key.is_element or key.width == 1 or len(shape.sizes) == 1:
        return None
    assert isinstance(shape.line, int)
    last = len(shape.sizes) - 1
    network = SortingNetwork(key, shape.line, shape.dim, last - 1 if shape.dim == last else last)
    count = shape.sizes[network.across]
    return network if isinstance(count, int) and count >= network.lanes and shape.line <= _MOST_BY_NETWORK else None


def _numbers_lines(value: ir.Value, dim: int) -> bool:
    """Whether the elements of `value` are their places in each line along `dim`."""
    iota = defining_op(value, "stablehlo.iota")
    element = ir.RankedTensorType(value.type).element_type
    return (
        iota is not None
        and ir.IntegerAttr(iota.attributes["iota_dimension"]).value == dim
        and isinstance(element, ir.IntegerType)
        and element.width >= 32
    )


def _has_places(size: Number) -> bool:
    """Whether places in lines of `size` elements are known to fit into 32 bits, and there is something to sort."""
    return isinstance(size, int) and 2 <= size < 1 << 31


def _key(op: ir.Operation, size: Number) -> SortKey | None:
    """Return the key by which lines of `size` elements are sorted; None if they are merged."""
    one_shape = len({tuple(ir.RankedTensorType(value.type).shape) for value in (*op.operands, *op.results)}) == 1
    return recognized_key(op) if one_shape and _has_places(size) else None


def _lower(op: ir.Operation, *, outlines: bool = True) -> None:
    """Lower a sort where it is, or, if it `outlines`, some in functions."""
    operands = list(op.operands)
    type_ = ir.RankedTensorType(operands[0].type)
    dim = ir.IntegerAttr(op.attributes["dimension"]).value if "dimension" in op.attributes else -1
    shape = TensorLines([tensor_size(operands[0], number) for number in range(type_.rank)], dim % max(type_.rank, 1))
    key = _key(op, shape.line)
    if 0 in type_.shape or all(next(iter(result.uses), None) is None for result in op.results):
        results: Sequence[ir.Value] = operands
    elif key is None:
        results = _merged(op, shape)
    elif outlines and is_for_vectors(op, key, shape.dim, shape.line):
        results = call_sort(op, key, shape.dim, lambda inner: _lower(inner, outlines=False))
    elif network := _network(op, shape, key):
        results = _sorted_in_groups(op, shape, key, network)
    else:
        results = _sorted_by_keys(op, shape, key)
    for result, new in zip(op.results, results, strict=True):
        result.replace_all_uses_with(new)
    op.erase()


class LowerHloSortPass(Pass[PassOptions]):
    """Lower stablehlo.sort to sorts by networks, ranks, digits or merges."""

    argument = "inplace-lower-hlo-sort"
    summary = "lower stablehlo.sort to stable sorts in place: by networks, ranks, digits or merges"
    statistics = (Statistic("lowered-sorts", "sorts that became loops"),)
    concerns = ("stablehlo.sort",)

    def run(self, op: ir.Operation) -> None:
        found = find_ops(op, "stablehlo.sort")
        for sort in found:
            with ir.InsertionPoint(sort), sort.location:
                _lower(sort)
        self.count("lowered-sorts", len(found))
