"""Let functions with very many memrefs take the words of their descriptors, as they do after the lowering.

`convert-func-to-llvm` makes a descriptor of the words of each memref at the beginning of the entry block, and numbers
the ops of that block anew for each: for 3,000 arguments that takes longer than all the rest of a compilation. Here all
are made in one go.

In: `func.func` on memrefs, just before `convert-func-to-llvm`. Out: a function that has a body, at least `least`
arguments that are ranked memrefs without a memory space, and no unknown users takes the words of these in the order of
the descriptor: allocated and aligned pointer, offset, sizes, strides. Calls of it pass words. Attributes of arguments
that are replaced are dropped, as they are by the lowering. Left alone: other functions, other arguments, declarations,
and functions with `llvm.emit_c_interface`, `llvm.bareptr` or `func.varargs`.

```mlir
func.func private @f(%m: memref<4xf32>, %i: index) -> f32 {
  %x = memref.load %m[%i] : memref<4xf32>
  return %x : f32
}
```

becomes, with `least=1`:

```mlir
func.func private @f(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64, %arg5: index) -> f32 {
  %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %1 = llvm.insertvalue %arg0, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %2 = llvm.insertvalue %arg1, %1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %3 = llvm.insertvalue %arg2, %2[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %4 = llvm.insertvalue %arg3, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %5 = llvm.insertvalue %arg4, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %6 = builtin.unrealized_conversion_cast %5
      : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<4xf32>
  %7 = memref.load %6[%arg5] : memref<4xf32>
  return %7 : f32
}
```

Linear in the operations; a module without such a function costs a look at its functions.

Upstream counterpart: `convert-func-to-llvm`, with the same convention and in time quadratic in the arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from mlir import ir
from mlir.dialects import func

from ...dialects.support.cloning import attributes_of
from ...dialects.support.descriptors import descriptor_of, descriptor_type, words_of
from ...dialects.support.frozen_classes import frozen
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.results import FunctionUses, collect_functions

_OTHER_CONVENTIONS = ("llvm.emit_c_interface", "llvm.bareptr", "func.varargs")


@frozen
class ExpandMemrefArgumentsOptions(PassOptions):
    """Options of `inplace-expand-memref-arguments`."""

    least: int = option(256, help="so many memrefs a function must take at least")


def analyze_memref_arguments(root: ir.Operation, least: int) -> list[FunctionUses]:
    """Return the functions directly in `root` whose memrefs are to be expanded. Changes nothing."""
    top = root.regions[0].blocks[0]
    if not any(isinstance(op, func.FuncOp) and _takes_many(op, least) for op in top.operations):
        return []
    return [
        uses
        for uses in collect_functions(root).values()
        if not uses.address_taken and uses.function.operation.block == top and _takes_many(uses.function, least)
    ]


def _takes_many(function: func.FuncOp, least: int) -> bool:
    inputs = function.type.inputs
    if function.is_external or len(inputs) < least or any(name in function.attributes for name in _OTHER_CONVENTIONS):
        return False
    return sum(map(_is_expanded, inputs)) >= least


def _is_expanded(type_: ir.Type) -> bool:
    return isinstance(type_, ir.MemRefType) and type_.memory_space is None


class ExpandMemrefArgumentsPass(Pass[ExpandMemrefArgumentsOptions]):
    """Let functions with very many memrefs take the words of their descriptors."""

    argument = "inplace-expand-memref-arguments"
    summary = "let functions with very many memrefs take the words of their descriptors"
    Options = ExpandMemrefArgumentsOptions
    anchor = "builtin.module"
    statistics = (Statistic("expanded-functions", "functions that take words"),)

    def run(self, op: ir.Operation) -> None:
        found = analyze_memref_arguments(op, self.options.least)
        with op.context:
            for uses in found:
                for call in uses.calls:
                    _expand_call(call.operation)
                _expand_function(uses.function)
        self.count("expanded-functions", len(found))


def _words(type_: ir.Type) -> list[ir.Type]:
    """Return the types of what a value of type `type_` is passed as."""
    if not _is_expanded(type_):
        return [type_]
    pointer, word = ir.Type.parse("!llvm.ptr"), ir.IntegerType.get_signless(64)
    return [pointer, pointer, *[word] * (1 + 2 * ir.MemRefType(type_).rank)]


def _cast(value: ir.Value, type_: ir.Type) -> ir.Value:
    return ir.Operation.create("builtin.unrealized_conversion_cast", [type_], [value]).result


def _expand_call(call: ir.Operation) -> None:
    """Let `call` pass words."""
    passed: list[ir.Value] = []
    with ir.InsertionPoint(call), call.location:
        for value in call.operands:
            if _is_expanded(value.type):
                rank = ir.MemRefType(value.type).rank
                passed += words_of(_cast(value, descriptor_type(rank)), _words(value.type), rank)
            else:
                passed.append(value)
        new = ir.Operation.create("func.call", [one.type for one in call.results], passed, attributes_of(call))
    for old, result in zip(call.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    call.erase()


def _expand_function(old: func.FuncOp) -> None:
    """Replace `old` by a function that takes words, with the same body."""
    arguments = list(old.arguments)
    words = [_words(argument.type) for argument in arguments]
    types = list(chain.from_iterable(words))
    locations = [argument.location for argument, of_one in zip(arguments, words, strict=True) for _ in of_one]
    with ir.InsertionPoint(old), old.location:
        new = ir.Operation.create("func.func", attributes=_attributes(old, words, types), regions=1)
    first, *others = list(old.body.blocks)
    entry = ir.Block.create_at_start(new.regions[0], types, locations)
    with ir.InsertionPoint(entry):
        _replace_uses(arguments, words, list(entry.arguments))
    for op in list(first.operations):
        entry.append(op)
    for block in others:
        block.append_to(new.regions[0])
    old.operation.erase()


def _attributes(
    old: func.FuncOp, words: Sequence[Sequence[ir.Type]], types: Sequence[ir.Type]
) -> dict[str, ir.Attribute]:
    """Return the attributes of the function that replaces `old`: of its arguments, those that stay keep theirs."""
    attributes = attributes_of(old.operation)
    attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, old.type.results))
    if "arg_attrs" in attributes:
        none = ir.DictAttr.get({})
        kept = [
            [none] * len(of_one) if _is_expanded(argument.type) else [given]
            for argument, of_one, given in zip(old.arguments, words, old.arg_attrs, strict=True)
        ]
        attributes["arg_attrs"] = ir.ArrayAttr.get(list(chain.from_iterable(kept)))
    return attributes


def _replace_uses(arguments: Sequence[ir.Value], words: Sequence[Sequence[ir.Type]], given: Sequence[ir.Value]) -> None:
    """Build, at the insertion point, what each of `arguments` was from `given`, and let its users use that."""
    place = 0
    for argument, of_one in zip(arguments, words, strict=True):
        values = given[place : place + len(of_one)]
        place += len(of_one)
        if next(iter(argument.uses), None) is None:
            continue
        new = values[0]
        if _is_expanded(argument.type):
            with argument.location:
                new = _cast(descriptor_of(values, ir.MemRefType(argument.type).rank), argument.type)
        argument.replace_all_uses_with(new)
