"""Assert what ops on tensors need of indices and sizes that only a run shows, and say it in one line.

In: any program, before anything else is done with it. Out: the same with `cf.assert` in front of ops whose offsets,
sizes and shapes are values: slices that are inserted, negative sizes, expanded shapes. Comes after
`generate-runtime-verification`, which asserts the rest (elements, slices that are taken, casts, operands of linalg ops
that differ in size, views of memrefs); its messages of four lines become one.

```mlir
func.func @f(%s: tensor<?xf32>, %t: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %r = tensor.insert_slice %s into %t[0] [%n] [1] : tensor<?xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}
```

becomes:

```mlir
func.func @f(%s: tensor<?xf32>, %t: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %sign = arith.cmpi sle, %c0, %n : index
  cf.assert %sign, "'tensor.insert_slice': size 0 is negative"
  %c8 = arith.constant 8 : index
  %inside = arith.cmpi sle, %n, %c8 : index
  cf.assert %inside, "'tensor.insert_slice': the slice ends outside of dimension 0"
  %c0_0 = arith.constant 0 : index
  %dim = tensor.dim %s, %c0_0 : tensor<?xf32>
  %same = arith.cmpi eq, %dim, %n : index
  cf.assert %same, "'tensor.insert_slice': dimension 0 of the source is not size 0 of the slice"
  %r = tensor.insert_slice %s into %t[0] [%n] [1] : tensor<?xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}
```

What is true for constants is not asserted. Left alone: `tensor.reshape`, vectors, and what upstream's pass leaves alone
as well. Linear in the operations.

Upstream counterpart: `generate-runtime-verification`, which knows no insertion of a slice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from mlir import ir
from mlir.dialects import arith, cf

from ...dialects.bufferizable import Subset
from ...dialects.subsets import elements, mixed_subset
from ...dialects.support.index_math import Number, add, as_value, multiply, subtract, tensor_size
from ...dialects.tensor.assembly import padding
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions

_UPSTREAM = re.compile(r"(?:ERROR: Runtime op verification failed\n)?(.*)\n\^ (.*)\nLocation: .*", re.DOTALL)
_NAME = re.compile(r"(?:%[^=]* = )?\"?([\w.]+)")
_DYNAMIC = ir.ShapedType.get_dynamic_size()


class _Demand(NamedTuple):
    """`least <= number`, or `least == number` if `exact`, and what it means if that does not hold."""

    least: Number
    number: Number
    failure: str
    exact: bool = False


def _not_negative(numbers: Iterable[Number], what: str) -> Iterator[_Demand]:
    return (_Demand(0, number, f"{what} {i} is negative") for i, number in enumerate(numbers))


def _taken_slice(op: ir.Operation) -> Iterator[_Demand]:
    return _not_negative(mixed_subset(op, 1).sizes, "size")


def _inserted_slice(op: ir.Operation) -> Iterator[_Demand]:
    source, target = list(op.operands)[:2]
    subset = mixed_subset(op, 2)
    yield from _not_negative(subset.sizes, "size")
    yield from _not_negative(subset.offsets, "offset")
    yield from _ends(subset, target)
    # Where unit dimensions are dropped, the type of the source may not say which.
    if ir.RankedTensorType(source.type).rank == len(subset.sizes):
        for i, size in enumerate(subset.sizes):
            failure = f"dimension {i} of the source is not size {i} of the slice"
            yield _Demand(tensor_size(source, i), size, failure, exact=True)


def _ends(subset: Subset, target: ir.Value) -> Iterator[_Demand]:
    """Differences, in place of sums that may overflow: offset <= extent, and (size - 1) * stride < extent - offset."""
    for i, (offset, size, stride) in enumerate(zip(subset.offsets, subset.sizes, subset.strides, strict=True)):
        failure = f"the slice ends outside of dimension {i}"
        extent = tensor_size(target, i)
        yield _Demand(offset, extent, failure)
        span = size if stride == 1 else add(multiply(add(size, -1), stride), 1)
        yield _Demand(span, subtract(extent, offset), failure)


def _expanded_shape(op: ir.Operation) -> Iterator[_Demand]:
    source, *dynamic = op.operands
    given = iter(dynamic)
    shape = [next(given) if size == _DYNAMIC else size for size in elements(op.attributes["static_output_shape"])]
    yield from _not_negative(shape, "size")
    for i, group in enumerate(ir.ArrayAttr(op.attributes["reassociation"])):
        product: Number = 1
        for dimension in ir.ArrayAttr(group):
            product = multiply(product, shape[ir.IntegerAttr(dimension).value])
        failure = f"the sizes that dimension {i} becomes have another product"
        yield _Demand(tensor_size(source, i), product, failure, exact=True)


def _padding(op: ir.Operation) -> Iterator[_Demand]:
    for side, numbers in zip(("low", "high"), padding(op), strict=True):
        yield from _not_negative(numbers, f"{side} padding")


def _new_tensor(op: ir.Operation) -> Iterator[_Demand]:
    sizes = [value for value in op.operands if isinstance(value.type, ir.IndexType)]
    dimensions = [i for i, size in enumerate(ir.RankedTensorType(op.results[0].type).shape) if size == _DYNAMIC]
    return (_Demand(0, size, f"size {i} is negative") for i, size in zip(dimensions, sizes, strict=False))


_RULES: dict[str, Callable[[ir.Operation], Iterator[_Demand]]] = {
    "bufferization.alloc_tensor": _new_tensor,
    "tensor.empty": _new_tensor,
    "tensor.expand_shape": _expanded_shape,
    "tensor.extract_slice": _taken_slice,
    "tensor.generate": _new_tensor,
    "tensor.insert_slice": _inserted_slice,
    "tensor.pad": _padding,
    "tensor.parallel_insert_slice": _inserted_slice,
    "tensor.splat": _new_tensor,
}


class CheckAccessesPass(Pass[PassOptions]):
    """Assert what ops on tensors need of indices and sizes."""

    argument = "inplace-check-accesses"
    summary = "assert what slices, padding and new shapes need of their sizes, beside generate-runtime-verification"
    anchor = "builtin.module"
    statistics = (Statistic("assertions", "assertions that were made"),)

    def run(self, op: ir.Operation) -> None:
        with op.context:
            for assertion in find_ops(op, "cf.assert"):
                assertion.attributes["msg"] = ir.StringAttr.get(_one_line(assertion))
            for checked in find_ops(op, *_RULES):
                # Nothing else may stand in scf.forall.in_parallel.
                around = checked.parent if checked.name == "tensor.parallel_insert_slice" else None
                place = checked if around is None else around.operation
                with ir.InsertionPoint(place), checked.location:
                    self.count("assertions", sum(_assert(checked, demand) for demand in _RULES[checked.name](checked)))


def _assert(op: ir.Operation, demand: _Demand) -> bool:
    """Assert `demand` at the insertion point; return whether it has to be."""
    least, number, failure, exact = demand
    if isinstance(least, int) and isinstance(number, int) and (least == number or (least < number and not exact)):
        return False
    predicate = arith.CmpIPredicate.eq if exact else arith.CmpIPredicate.sle
    cf.assert_(arith.cmpi(predicate, as_value(least), as_value(number)), f"'{op.name}': {failure}")
    return True


def _one_line(assertion: ir.Operation) -> str:
    """The message of an assertion, in one line if upstream's pass has made it."""
    text = ir.StringAttr(assertion.attributes["msg"]).value
    found = _UPSTREAM.fullmatch(text)
    name = _NAME.match(found[1]) if found else None
    return f"'{name[1]}': {found[2]}" if found and name else text
