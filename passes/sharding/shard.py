"""Make of a program on whole tensors the program that each rank of a grid runs on its shards.

In: a module with one `shard.grid` of static shape, and functions with `shard.shard` on some tensors. Out: the same
functions on shards, with collectives of `shard` where ranks need what others have, and what each argument and result is
a shard of (docs/SHARDING.md). Left alone: functions without annotations, which every rank runs as they are. Refused,
with an error that names the op: halos and offsets in shardings, tensors of unknown size that are to be split,
annotations in regions other than loops, and calls of functions that change their types.

```mlir
shard.grid @g(shape = 2)
func.func @f(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<4x6xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
```

Here `%a` is split by rows, and so are the product and, as it is added to, `%c`, which every rank has whole: a slice of
it. Splits follow the program: what a structured or elementwise op computes is split as an annotation of its result
wants it, or else as its operands are, the largest first. A reduction that is split reduces its part on each rank, then
the parts of all. Every other op runs on whole tensors, on every rank.

A dimension that the parts do not divide is split evenly but for one element, and its type is dynamic. Linear in the
operations, for each tensor times the splits that it is needed in.

Upstream counterpart: `sharding-propagation` and `shard-partition`. They know linalg, elementwise ops and little else,
refuse all others, and make 2 rows of 5 on each of two ranks.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func

from ...dialects.subsets import elements
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.contract import GRID, SHARDING, WHOLE_TYPE
from ..framework.errors import PassFailure
from ..framework.options import PassOptions
from .rewriting.partitioner import Partitioner
from .rewriting.splits import RankGrid, Split, read_split, whole

_ANNOTATIONS = frozenset({"shard.shard", "shard.sharding", "shard.get_sharding"})


def analyze_shardings(module: ir.Operation) -> tuple[RankGrid, list[ir.Operation]] | None:
    """The grid and the functions to partition; None if nothing is annotated. Changes nothing.

    Raises `PassFailure` for annotations that cannot be followed.
    """
    annotations = find_ops(module, "shard.shard")
    if not annotations:
        return None
    grids = find_ops(module, "shard.grid")
    if len(grids) != 1 or any(extent < 1 for extent in elements(grids[0].attributes["shape"])):
        raise PassFailure(f"{len(grids)} grids were found, but one of static shape is needed", module)
    grid = RankGrid(ir.StringAttr(grids[0].attributes["sym_name"]).value, tuple(elements(grids[0].attributes["shape"])))
    functions: dict[str, ir.Operation] = {}
    for op in annotations:
        _check_annotation(op)
        function = _function_of(op)
        functions[ir.StringAttr(function.attributes["sym_name"]).value] = function
    for function in functions.values():
        _check_body(function)
    for call in find_ops(module, "func.call", "func.constant"):
        callee = call.attributes["callee" if call.name == "func.call" else "value"]
        if ir.FlatSymbolRefAttr(callee).value in functions:
            raise PassFailure(f"{callee} is partitioned, so that its types change; call it from outside only", call)
    return grid, list(functions.values())


def _check_annotation(op: ir.Operation) -> None:
    type_ = ir.RankedTensorType(op.operands[0].type)
    for dimension, axes in enumerate(read_split(op, type_.rank)):
        if axes and type_.is_dynamic_dim(dimension):
            raise PassFailure(f"dimension {dimension} of {type_} is to be split, so its size must be static", op)


def _check_body(function: ir.Operation) -> None:
    """Raise `PassFailure` for what would do other things on several ranks than on one."""
    for op in find_ops(function, where=lambda op: op.name.startswith(("shard.", "mpi."))):
        if op.name not in _ANNOTATIONS:
            raise PassFailure(
                f"'{op.name}' is of a program for one rank, but annotations are of one for all; leave out either", op
            )


def _function_of(op: ir.Operation) -> ir.Operation:
    """The function that an annotation is in. Raises `PassFailure` if there is another region than a loop between."""
    place = op.parent
    while place is not None and place.name == "scf.for":
        place = place.operation.parent
    if place is None or place.name != "func.func":
        raise PassFailure("an annotation must be in a function, or in an 'scf.for' of one; move it there", op)
    if len(place.operation.regions[0].blocks) != 1:
        raise PassFailure(
            "a function of several blocks is not partitioned; lift its control flow to scf", place.operation
        )
    return place.operation


class _Function:
    """One function that is being partitioned."""

    def __init__(self, function: ir.Operation, grid: RankGrid) -> None:
        self.function, self.grid = function, grid
        self.body = function.regions[0].blocks[0]
        self.partitioner = Partitioner(grid)

    def run(self) -> None:
        """Put the function on shards in the place of the function."""
        splits = [_argument_split(argument) for argument in self.body.arguments]
        locals_ = [
            self._local(argument.type, split) for argument, split in zip(self.body.arguments, splits, strict=True)
        ]
        made = ir.Operation.create("func.func", attributes=dict(self._attributes()), regions=1)
        block = made.regions[0].blocks.append(*locals_, arg_locs=[a.location for a in self.body.arguments])
        for old, new, split in zip(self.body.arguments, block.arguments, splits, strict=True):
            if split is None:
                self.partitioner.others[old] = new
            else:
                self.partitioner.define(old, split, new)
        last = list(self.body.operations)[-1].operation
        with ir.InsertionPoint(block):
            self.partitioner.block(self.body)
            with last.location:
                returned = [self.partitioner.shard(value) for value in last.operands]
                func.ReturnOp(returned)
        made.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(locals_, [v.type for v in returned]))
        result_splits = [self.partitioner.splits.get(value) for value in last.operands]
        self._describe(made, "arg_attrs", [a.type for a in self.body.arguments], splits)
        self._describe(made, "res_attrs", [v.type for v in last.operands], result_splits)

    def _attributes(self) -> dict[str, ir.Attribute]:
        return {name: self.function.attributes[name] for name in self.function.attributes}

    def _local(self, type_: ir.Type, split: Split | None) -> ir.Type:
        return type_ if split is None else self.grid.local_type(ir.RankedTensorType(type_), split)

    def _describe(self, made: ir.Operation, name: str, types: list[ir.Type], splits: list[Split | None]) -> None:
        """Say of what each argument or result is a shard, beside what was said before."""
        before = list(ir.ArrayAttr(made.attributes[name])) if name in made.attributes else [{}] * len(types)
        entries: list[ir.Attribute] = []
        for entry, type_, split in zip(before, types, splits, strict=True):
            said = {named.name: named.attr for named in entry} if entry else {}
            if split is not None and split != whole(type_):
                said[SHARDING] = ir.Attribute.parse(str([list(axes) for axes in split]))
                said[WHOLE_TYPE] = ir.TypeAttr.get(type_)
            entries.append(ir.DictAttr.get(said))
        if any(len(ir.DictAttr(entry)) for entry in entries):
            made.attributes[name] = ir.ArrayAttr.get(entries)


def _argument_split(argument: ir.Value) -> Split | None:
    """How an argument is split: as its first annotation says."""
    if not isinstance(argument.type, ir.RankedTensorType):
        return None
    for use in argument.uses:
        user = use.owner.operation
        if user.name == "shard.shard" and user.operands[0] == argument:
            return read_split(user, argument.type.rank)
    return whole(argument.type)


class ShardPass(Pass[PassOptions]):
    """Partition a program over a grid of ranks."""

    argument = "inplace-shard"
    summary = "make of an annotated program the one that each rank of a grid runs on its shards"
    anchor = "builtin.module"
    statistics = (Statistic("functions", "functions that were partitioned"),)

    def run(self, op: ir.Operation) -> None:
        found = analyze_shardings(op)
        if found is None:
            return
        grid, functions = found
        for function in functions:
            with ir.InsertionPoint(function), function.location:
                _Function(function, grid).run()
            function.erase()
        op.attributes[GRID] = ir.DenseI64ArrayAttr.get(list(grid.shape), op.context)
        self.count("functions", len(functions))
