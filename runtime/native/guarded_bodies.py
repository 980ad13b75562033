"""Bodies of parallel loops that can be given up (`guarded_entries.py`).

A thread that fails cannot jump out of the loop, since the others wait for it at the end. It ends its iteration, and
notes why; behind the loop, that gives up the call, or the iteration of the loop around.

```mlir
omp.parallel {
  omp.wsloop {
    omp.loop_nest (%i) : i64 = (%a) to (%b) step (%c) {
      llvm.call @f(%i) : (i64) -> ()
      omp.yield
    }
  }
  omp.terminator
}
```

becomes, with room for a context on the stack of each thread, and for the note on that of the function:

```mlir
llvm.store %zero, %note : i64, !llvm.ptr
omp.parallel {
  %memory = llvm.alloca %bytes x i8 : (i64) -> !llvm.ptr
  omp.wsloop {
    omp.loop_nest (%i) : i64 = (%a) to (%b) step (%c) {
      %place = llvm.call @inplace_enter(%memory) : (!llvm.ptr) -> !llvm.ptr
      %jumped = llvm.call @_setjmp(%place) : (!llvm.ptr) -> i32
      %first = llvm.icmp "eq" %jumped, %none : i32
      llvm.cond_br %first, ^body, ^failed
    ^body:
      llvm.call @f(%i) : (i64) -> ()
      %nothing = llvm.call @inplace_leave(%memory) : (!llvm.ptr) -> i64
      omp.yield
    ^failed:
      llvm.call @inplace_failed_in_body(%memory, %note) : (!llvm.ptr, !llvm.ptr) -> ()
      omp.yield
    }
  }
  omp.terminator
}
llvm.call @inplace_raise_noted(%note) : (!llvm.ptr) -> ()
```
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import llvm

from ...passes.analysis.ir.traversal import find_ops
from .guard_code import ENTER, FAILED_IN_BODY, LEAVE, RAISE_NOTED
from .guard_slots import CONTEXT_BYTES

__all__ = ["guard_bodies"]

_NEST, _PARALLEL, _FUNCTION = "omp.loop_nest", "omp.parallel", "llvm.func"


def guard_bodies(module: ir.Operation, may_fail: Callable[[ir.Operation], bool]) -> None:
    """Guard the bodies of parallel loops of a lowered module that contain a call for which `may_fail` holds."""
    nests = find_ops(module, _NEST) if module.context.is_dialect_loaded("omp") else ()
    for nest in nests:
        parallel = _around(nest, _PARALLEL)
        if parallel is not None and any(map(may_fail, find_ops(nest, "llvm.call"))):
            with module.context:
                _guard(nest, parallel, _around(parallel, _PARALLEL) or _around(parallel, _FUNCTION) or module)


def _around(op: ir.Operation, name: str) -> ir.Operation | None:
    """The innermost op of that name around `op`."""
    while op.parent is not None:
        op = op.parent.operation
        if op.name == name:
            return op
    return None


def _guard(nest: ir.Operation, parallel: ir.Operation, frame: ir.Operation) -> None:
    """Guard the body of `nest` in `parallel`; `frame` has a stack of its own for each thread that may come there."""
    pointer, word = ir.Type.parse("!llvm.ptr"), ir.IntegerType.get_signless(64)
    with nest.location:
        with ir.InsertionPoint.at_block_begin(frame.regions[0].blocks[0]):
            note = _room(8)
        with ir.InsertionPoint(parallel):
            llvm.store(_constant(word, 0), note)
        with ir.InsertionPoint.at_block_begin(parallel.regions[0].blocks[0]):
            memory = _room(CONTEXT_BYTES)
        blocks = nest.regions[0].blocks
        ends = [block.operations[len(block.operations) - 1].operation for block in blocks]
        for end in ends:
            if end.name == "omp.yield":
                with ir.InsertionPoint(end):
                    _call(LEAVE, [memory], word)
        first = blocks[0]
        body = first.create_after()
        for op in list(first.operations):
            body.append(op)
        failed = blocks[len(blocks) - 1].create_after()
        with ir.InsertionPoint(failed):
            _call(FAILED_IN_BODY, [memory, note])
            ir.Operation.create("omp.yield")
        with ir.InsertionPoint(first):
            place = _call(ENTER, [memory], pointer)
            small = ir.IntegerType.get_signless(32)
            jumped = _call("_setjmp", [place], small)
            is_first = llvm.icmp(llvm.ICmpPredicate.eq, jumped, _constant(small, 0))
            llvm.cond_br(is_first, [], [], body, failed)
    with ir.InsertionPoint.after(parallel), nest.location:
        _call(RAISE_NOTED, [note])


def _constant(type_: ir.Type, value: int) -> ir.Value:
    return llvm.mlir_constant(ir.IntegerAttr.get(type_, value))


def _room(size: int) -> ir.Value:
    count = _constant(ir.IntegerType.get_signless(64), size)
    byte = ir.IntegerType.get_signless(8)
    return llvm.alloca(ir.Type.parse("!llvm.ptr"), count, byte, alignment=16)


def _call(name: str, operands: Sequence[ir.Value], *results: ir.Type) -> ir.Value:
    """The result of a call; of one without a result the first operand."""
    made = llvm.CallOp(next(iter(results), None), operands, [], [], callee=name)
    return made.operation.result if results else operands[0]
