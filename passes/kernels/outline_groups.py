"""Outline groups of linalg ops that are computed tile by tile together, where a module repeats them.

## Problem

The softmax of a transformer block becomes four hundred ops when it is fused, tiled and vectorized. A program of twelve
blocks has it twelve times: all are tiled, analysed and bufferized, to be found equal in the end.

## Before and after

With two groups `%x = exp(%a)`, `%s = sum(%x)`, `%y = %x / %s`, on `%a` and on `%b`, and `repeats=2`:

```text
func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %y = call @inplace_group(%a, %e) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %z = call @inplace_group(%b, %e) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y, %z : tensor<64x64xf32>, tensor<64x64xf32>
}

func.func private @inplace_group(%t: tensor<64x64xf32> {bufferization.writable = false}, %out: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  // The group, on these arguments.
}
```

## Contract

In: a module; linalg ops on tensors. Out: the same values. A group that `inplace-fuse` would compute in tiles and that
occurs at least `repeats` times becomes a private function, called where its root was. Arguments that no op of the group
has as an init are `bufferization.writable = false`, so no call copies them. A group stays where it is if it reads a
slice, whose layout would be that of the whole function, if it may overwrite what others read, if it has an empty tensor
of dynamic sizes, if its result is not used, and in a loop.

Linear in the ops. No upstream counterpart; `inplace-outline-kernels` does this for single ops and loops on memrefs.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func

from ...dialects.support.cloning import clone_with
from ...dialects.support.defining_ops import defining_op
from ...dialects.support.frozen_classes import frozen
from ..analysis.schedule.machine import Machine
from ..analysis.schedule.repeated_groups import RepeatedGroup, find_repeated_groups, inits
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option
from ..scheduling.rewriting.linalg_ops import find_linalg_ops, read_machine
from .rewriting.tensor_functions import marks, outline_bodies

_EMPTY = "tensor.empty"
_GROUP = "inplace_group"
"""The name of the functions, with a number where it is taken."""


@frozen
class OutlineGroupsOptions(PassOptions):
    """Options of `inplace-outline-groups`."""

    repeats: int = option(4, help="how often a group must occur to become a function")
    machine: str = option("", help="properties of the machine that differ from the detected ones: 'l2=1048576'")


def analyze_groups(module: ir.Operation, machine: Machine, repeats: int) -> list[RepeatedGroup]:
    """Return the groups of `module` that become functions. Changes nothing."""
    functions = [inner.operation for inner in module.regions[0].blocks[0].operations]
    return find_repeated_groups(
        [find_linalg_ops(one) for one in functions if one.name == "func.func" and len(one.regions[0].blocks)],
        machine,
        repeats,
    )


def _make_function(group: RepeatedGroup) -> func.FuncOp:
    """Build the function of `group` at the insertion point, from its first body."""
    body = group.bodies[0]
    arguments, results = group.arguments(body), list(body.op.results)
    types = [one.type for one in arguments], [one.type for one in results]
    function = func.FuncOp(_GROUP, types, visibility="private")
    block = function.add_entry_block([body.op.location] * len(arguments))
    function.operation.attributes["arg_attrs"] = marks(arguments, inits(body))
    passed: dict[ir.Value, ir.Value] = dict(zip(arguments, block.arguments, strict=True))
    made_inside = [op for value in body.parameters if (op := defining_op(value, _EMPTY)) is not None]
    known = dict(passed)
    with ir.InsertionPoint(block):
        for op in (*made_inside, *body.constants, *body.ops[:-1]):
            clone_with(op, known)
        root = clone_with(body.ops[-1], known)
        func.ReturnOp([known[value] for value in results])
    for op in made_inside:
        if op.results[0] in passed:
            _compute_in(root, passed[op.results[0]], known[op.results[0]])
    return function


def _compute_in(root: ir.Operation, argument: ir.Value, empty: ir.Value) -> None:
    """Let one result of `root` be computed in `argument` in place of `empty`, which other ops may share as an init."""
    first = len(root.operands) - len(root.results)
    number = next(n for n in range(first, len(root.operands)) if root.operands[n] == empty)
    root.operands[number] = argument
    if next(iter(empty.uses), None) is None:
        ir.OpResult(empty).owner.erase()


class OutlineGroupsPass(Pass[OutlineGroupsOptions]):
    """Outline repeated fusion groups."""

    argument = "inplace-outline-groups"
    summary = "outline groups of linalg ops that are repeated on other tensors, to be tiled once"
    Options = OutlineGroupsOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("groups", "functions that were outlined"),
        Statistic("calls", "groups that became calls"),
    )

    def run(self, op: ir.Operation) -> None:
        if self.options.repeats < 1:
            raise PassFailure(f"repeats must be at least 1, got {self.options.repeats}", op.location)
        found = analyze_groups(op, read_machine(self.options.machine, op), self.options.repeats)
        if not found:
            return
        self.count("groups", len(found))
        self.count("calls", outline_bodies(op, found, _make_function))
