"""Turn results into out-parameters: `return memref.alloc()` becomes an argument to write into.

A caller that owns the result's buffer from the start needs no hand-over of ownership: NumPy allocates the array, the
code fills it, and `out=` needs no copy.

In: `func.func` on memrefs. Out: for each entry function (public, with a body, not called and not referred to inside the
module) every result that qualifies is removed, and an argument of the allocation's type is appended, marked
`inplace.out_result = <original number>` and, if the allocation asked for one, `inplace.alignment`;
`inplace.result_arguments` on the function holds the map (see `rewriting/results.py`). A result qualifies if every
return gives the same value, which is, through `memref.cast`, a `memref.alloc` in the function's entry block, with
static shape, the identity layout and no explicit `memref.dealloc`. Everything else is left alone: results of dynamic
shape (but see below), views, arguments, globals, allocations made in branches or loops, a second result that is the
same buffer.

```mlir
func.func @f(%c: f32) -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  linalg.fill ins(%c : f32) outs(%0 : memref<4xf32>)
  return %0 : memref<4xf32>
}
```

becomes:

```mlir
func.func @f(%c: f32, %arg1: memref<4xf32> {inplace.out_result = 0 : i64})
    attributes {inplace.result_arguments = array<i64: 1>} {
  linalg.fill ins(%c : f32) outs(%arg1 : memref<4xf32>)
  func.return
}
```

With `modify-called-functions`, functions that the module calls take part, private ones too: each call allocates the
buffers that it passes. Callees come first, so a buffer that is returned through a chain of calls is allocated in its
outermost caller. There `hoist-dynamic-allocs` moves allocations whose sizes follow from arguments. With `entry-sizes`
those of entry functions take part whose sizes follow from sizes of arguments: `inplace.out_sizes` on the new argument
has the words of each dynamic size (`rewriting/result_sizes.py`), which callers compute. `copy-results` turns other
results into arguments as well, with a copy in front of each return, if their shapes are static and any layout will do.

Legal because the entry block runs exactly once per call, so the argument is as fresh as the allocation was. A copy is
as good as the original: after the return neither changes any more. Linear in the operations.

Upstream counterpart: `buffer-results-to-out-params`. That one turns EVERY result into an argument, copies by default,
and changes public functions only when asked to, which is when ours is of most use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import memref

from ...dialects.support.cloning import attributes_of
from ...dialects.support.defining_ops import defining_op
from ...dialects.support.frozen_classes import frozen
from ...dialects.support.memref_types import has_identity_layout, identity_type, is_castable
from ..analysis.ir.symbols import is_public
from ..framework.base import Pass, Statistic
from ..framework.contract import ALIGNMENT, OUT_RESULT, OUT_SIZES, RETURNED
from ..framework.options import PassOptions, option
from .rewriting.result_sizes import size_words
from .rewriting.results import (
    FunctionUses,
    append_attributes,
    callees_first,
    collect_functions,
    replace_call,
    result_arguments,
    take_out_results,
)

RESULT_ATTRIBUTE = "bufferize.result"
"""Upstream's mark of an argument that was a result."""

_SIZE_OPS = frozenset(f"arith.{name}" for name in ("addi", "constant", "index_cast", "maxsi", "minsi", "muli", "subi"))
_MOST = 32
"""How many values behind a size are looked at."""


@frozen
class ResultsToOutParamsOptions(PassOptions):
    """Options of `inplace-results-to-out-params`; upstream's names, where upstream has the option."""

    modify_public_functions: bool = option(True, help="change functions that are visible outside of the module")
    modify_called_functions: bool = option(False, help="change functions that the module calls, and their callers")
    hoist_static_allocs: bool = option(True, help="turn returned allocations of static size into arguments")
    hoist_dynamic_allocs: bool = option(
        False, help="do so where a function is called and its arguments give the sizes, too"
    )
    entry_sizes: bool = option(
        False, help="do so in entry functions as well, and say how callers compute the sizes from those of arguments"
    )
    copy_results: bool = option(False, help="copy results that are no such allocation into an argument")
    add_result_attr: bool = option(False, help="mark new arguments with the attribute bufferize.result")


@frozen
class OutResult:
    """Result `result` (current number) of a function is to be an argument of type `type`.

    It is the buffer that `allocation` makes, or, if that is None, it is copied.
    """

    result: int
    type: ir.Type
    allocation: ir.Operation | None


def analyze_out_results(uses: FunctionUses, options: ResultsToOutParamsOptions) -> tuple[OutResult, ...]:
    """The results of one function whose memory its callers could provide. Changes nothing."""
    if not uses.returns or not _may_change(uses, options):
        return ()
    found: list[OutResult] = []
    taken: set[ir.Operation] = set()
    for number, type_ in enumerate(uses.function.type.results):
        allocations = {_allocation(ret.operation.operands[number]) for ret in uses.returns}
        allocation = allocations.pop() if len(allocations) == 1 else None
        if allocation is not None and allocation not in taken and _is_hoistable(allocation, uses, options):
            taken.add(allocation)
            found.append(OutResult(number, allocation.result.type, allocation))
        elif options.copy_results and _is_copyable(type_):
            found.append(OutResult(number, identity_type(type_), None))
    return tuple(found)


def _may_change(uses: FunctionUses, options: ResultsToOutParamsOptions) -> bool:
    if uses.address_taken or (is_public(uses.function) and not options.modify_public_functions):
        return False
    return uses.is_entry or (options.modify_called_functions and bool(uses.calls))


def _allocation(value: ir.Value) -> ir.Operation | None:
    """The `memref.alloc` behind `value`, looking through casts."""
    while (cast := defining_op(value, "memref.cast")) is not None:
        value = cast.operands[0]
    return defining_op(value, "memref.alloc")


def _is_hoistable(allocation: ir.Operation, uses: FunctionUses, options: ResultsToOutParamsOptions) -> bool:
    type_ = ir.MemRefType(allocation.result.type)
    if allocation.block != uses.function.entry_block or type_.memory_space is not None or not _is_contiguous(type_):
        return False
    if any(use.owner.operation.name == "memref.dealloc" for use in allocation.result.uses):
        return False
    if type_.has_static_shape:
        return options.hoist_static_allocs and not len(allocation.operands)
    # A caller outside of the module does not know the sizes, unless it is told.
    if options.entry_sizes and uses.is_entry:
        return all(size_words(size, uses.function.entry_block) is not None for size in allocation.operands)
    known = (_is_known_to_callers(size, uses.function.entry_block) for size in allocation.operands)
    return options.hoist_dynamic_allocs and not is_public(uses.function) and all(known)


def _is_contiguous(type_: ir.MemRefType) -> bool:
    return has_identity_layout(type_) or is_castable(type_, identity_type(type_))


def _is_copyable(type_: ir.Type) -> bool:
    if not isinstance(type_, ir.MemRefType) or not type_.has_static_shape or type_.memory_space is not None:
        return False
    return is_castable(identity_type(type_), type_)


def _is_known_to_callers(size: ir.Value, entry: ir.Block) -> bool:
    """Whether `size` follows from the arguments of the function with the block `entry`, by ops that cannot fail."""
    seen = {size}
    work = [size]
    while work:
        value = work.pop()
        op = defining_op(value)
        if op is None:
            if value.owner != entry:
                return False
            continue
        if op.name not in _SIZE_OPS and not _is_size_of_argument(op, entry):
            return False
        new = [operand for operand in op.operands if operand not in seen]
        seen.update(new)
        work.extend(new)
        if len(seen) > _MOST:
            return False
    return True


def _is_size_of_argument(op: ir.Operation, entry: ir.Block) -> bool:
    if op.name != "memref.dim" or defining_op(op.operands[1], "arith.constant") is None:
        return False
    return op.operands[0].owner == entry


def _rebuild(size: ir.Value, operands: Sequence[ir.Value], built: dict[ir.Value, ir.Value]) -> ir.Value:
    """Compute, at the insertion point, what `size` is in a callee that gets `operands`, each part once."""
    if isinstance(size, ir.BlockArgument):
        return operands[size.arg_number]
    if size not in built:
        owner = ir.OpResult(size).owner.operation
        values = [_rebuild(operand, operands, built) for operand in owner.operands]
        built[size] = ir.Operation.create(
            owner.name, results=[size.type], operands=values, attributes=attributes_of(owner)
        ).result
    return built[size]


def _rewrite_call(call: ir.Operation, found: Sequence[OutResult]) -> None:
    """Replace `call` by one that gets an allocation for each result in `found`."""
    with ir.InsertionPoint(call), call.location:
        added = [_allocate(out, list(call.operands)) for out in found]
    replace_call(call, {out.result: value for out, value in zip(found, added, strict=True)}, added)


def _allocate(out: OutResult, operands: Sequence[ir.Value]) -> ir.Value:
    if out.allocation is None:
        return memref.alloc(out.type, [], [])
    built: dict[ir.Value, ir.Value] = {}
    sizes = [_rebuild(size, operands, built) for size in out.allocation.operands]
    attributes = attributes_of(out.allocation)
    return ir.Operation.create("memref.alloc", results=[out.type], operands=sizes, attributes=attributes).result


def _change_function(uses: FunctionUses, found: Sequence[OutResult], marks: Mapping[str, ir.Attribute]) -> None:
    """Add the arguments, use them in the place of allocations or copy to them, and drop the results."""
    function = uses.function
    originals = [number for number, argument in enumerate(result_arguments(function)) if argument == RETURNED]
    integer = ir.IntegerType.get_signless(64)
    moved: dict[int, int] = {}
    added: list[ir.DictAttr] = []
    given = len(function.arguments)
    for out in found:
        moved[out.result] = given + len(added)
        attributes = {**marks, OUT_RESULT: ir.IntegerAttr.get(integer, originals[out.result])}
        location = function.location if out.allocation is None else out.allocation.location
        if out.allocation is not None and "alignment" in out.allocation.attributes:
            attributes[ALIGNMENT] = out.allocation.attributes["alignment"]
        if uses.is_entry and out.allocation is not None and len(out.allocation.operands):
            words = [size_words(size, function.entry_block) or "" for size in out.allocation.operands]
            attributes[OUT_SIZES] = ir.ArrayAttr.get([ir.StringAttr.get(one) for one in words])
        added.append(ir.DictAttr.get(attributes))
        value = function.entry_block.add_argument(out.type, location)
        if out.allocation is not None:
            out.allocation.result.replace_all_uses_with(value)
            out.allocation.erase()
            continue
        for terminator in uses.returns:
            with ir.InsertionPoint(terminator), terminator.operation.location:
                memref.copy(terminator.operation.operands[out.result], value)
    append_attributes(function, added)
    take_out_results(uses, moved)


class ResultsToOutParamsPass(Pass[ResultsToOutParamsOptions]):
    """Turn results into arguments."""

    argument = "inplace-results-to-out-params"
    summary = "turn statically shaped results of entry functions into out-parameters"
    Options = ResultsToOutParamsOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("hoisted-results", "results that became arguments"),
        Statistic("copied-results", "results that became arguments by a copy"),
    )

    def run(self, op: ir.Operation) -> None:
        with op.context, op.location:
            marks = {RESULT_ATTRIBUTE: ir.UnitAttr.get()} if self.options.add_result_attr else {}
            functions = collect_functions(op)
            for name in (name for component in callees_first(functions) for name in component):
                # The records stay valid: a call is replaced only on behalf of its callee.
                found = analyze_out_results(functions[name], self.options)
                if found:
                    for call in functions[name].calls:
                        _rewrite_call(call.operation, found)
                    _change_function(functions[name], found, marks)
                    copied = sum(out.allocation is None for out in found)
                    self.count("copied-results", copied)
                    self.count("hoisted-results", len(found) - copied)
