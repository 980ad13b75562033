"""Carry bf16 as i16 in the LLVM dialect, so that moving a value never changes it.

## Before and after

```mlir
llvm.func @f(%x: bf16, %p: !llvm.ptr) -> bf16 {
  %old = llvm.load %p : !llvm.ptr -> bf16
  llvm.store %x, %p : bf16, !llvm.ptr
  llvm.return %old : bf16
}
```

becomes

```mlir
llvm.func @f(%x: f16, %p: !llvm.ptr) -> f16 {
  %bits = llvm.bitcast %x : f16 to i16
  %old = llvm.load %p : !llvm.ptr -> i16
  llvm.store %bits, %p : i16, !llvm.ptr
  %result = llvm.bitcast %old : i16 to f16
  llvm.return %result : f16
}
```

## Why

LLVM keeps a bf16 in a register as f32, and rounds it when it leaves the register. Where the processor has an
instruction for that (AVX512-BF16), it flushes subnormal numbers to zero and quiets signaling NaN. So values change on
their way through a function, and the loop that LLVM makes of an atomic update never ends: it compares the changed value
with memory. Elsewhere a function of the compiler's runtime library is called, which few systems have.

## Contract

In: a module in the LLVM dialect, with OpenMP's or without; one with other ops is left alone. Out: a module whose values
of type bf16, also as elements of vectors, structs and arrays, have type i16 and the same bits.

- Signatures have f16, which is passed like bf16, and which LLVM moves unchanged. So declared functions and calls
  through pointers keep their calling convention.
- Arithmetic is computed in f32, and rounded to nearest, ties to even. A NaN becomes the quiet one.
- `llvm.atomicrmw` that computes becomes a call of a function with a loop around `llvm.cmpxchg`.
- Types in memory (`llvm.alloca`, `llvm.getelementptr`, globals) stay: they only determine sizes.
- Ops that the pass does not know, such as inline assembly and target intrinsics, keep bf16, with casts around them.

Runs once over the ops. No upstream counterpart.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.ir.traversal import first_op
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.bf16_arithmetic import compute_in_f32, is_computed_in_f32
from .rewriting.bf16_atomics import expand_atomics, is_atomic_update, is_exchange
from .rewriting.bf16_types import ReplacedTypes, recast

_NAMES_OF_MOVES = (
    "br cond_br extractelement extractvalue freeze insertelement insertvalue load mlir.poison mlir.undef mlir.zero "
    "select shufflevector store switch intr.masked.compressstore intr.masked.expandload intr.masked.gather "
    "intr.masked.load intr.masked.scatter intr.masked.store intr.vector.deinterleave2 intr.vector.extract "
    "intr.vector.insert intr.vector.interleave2"
)
_MOVES = frozenset(f"llvm.{name}" for name in _NAMES_OF_MOVES.split())
"""Ops that move numbers of any type."""
_AT_SIGNATURES = frozenset({"llvm.call", "llvm.return"})
_FUNCTION, _SIGNATURE, _CALLED_SIGNATURE = "llvm.func", "function_type", "var_callee_type"
_TRANSLATED = ("llvm.", "omp.")
_FLAGS = "fastmathFlags"
"""Flags about NaN and infinities, which are other numbers in i16 and f16."""


@frozen
class TypedOp:
    """An op with the types of its operands and results before any is changed."""

    op: ir.Operation
    operands: tuple[ir.Type, ...]
    results: tuple[ir.Type, ...]


def has_bf16(root: ir.Operation) -> bool:
    """Whether a value or a signature under `root` has bf16 in its type. Stops at the first one."""
    types = ReplacedTypes(ir.F16Type.get(root.context))

    def has_one(op: ir.Operation) -> bool:
        in_signature = op.name == _FUNCTION and types.changes(op.attributes[_SIGNATURE].value)
        return in_signature or any(types.changes(result.type) for result in op.results)

    with root.location:
        return first_op(root, has_one) is not None


def _typed_ops(root: ir.Operation) -> list[TypedOp]:
    found: list[TypedOp] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(TypedOp(op, *(tuple(value.type for value in values) for values in (op.operands, op.results))))
        return ir.WalkResult.ADVANCE

    root.walk(visit)
    return found


class _Conversion:
    """Converts the types of one module."""

    def __init__(self, context: ir.Context) -> None:
        self._carried = ReplacedTypes(ir.IntegerType.get_signless(16, context))
        self._passed = ReplacedTypes(ir.F16Type.get(context))

    def convert(self, typed: TypedOp) -> bool:
        """Convert the types of an op, and of the blocks in it; return whether its own changed."""
        op = typed.op
        for region in op.regions:
            for number, block in enumerate(region.blocks):
                self._convert_arguments(block, is_entry=op.name == _FUNCTION and number == 0)
        for name in {_SIGNATURE, _CALLED_SIGNATURE}.intersection(op.attributes):
            op.attributes[name] = ir.TypeAttr.get(self._passed[op.attributes[name].value])
        if not any(map(self._carried.changes, (*typed.operands, *typed.results))):
            return False
        if op.name in _MOVES or is_exchange(op):
            self._move(typed)
        elif op.name == "llvm.bitcast":
            self._cast(typed)
        elif is_computed_in_f32(op, typed.operands):
            compute_in_f32(op, typed.operands, typed.results)
        else:
            self._surround(typed)
        return True

    def _convert_arguments(self, block: ir.Block, *, is_entry: bool) -> None:
        for argument in block.arguments:
            old = argument.type
            if self._carried.changes(old) and is_entry:
                argument.set_type(self._passed[old])
                with ir.InsertionPoint.at_block_begin(block), argument.location:
                    _hand_on(argument, argument.type, self._carried[old])
            elif self._carried.changes(old):
                argument.set_type(self._carried[old])

    def _move(self, typed: TypedOp) -> None:
        for result in typed.op.results:
            result.set_type(self._carried[result.type])
        _drop_flags(typed.op)

    def _cast(self, typed: TypedOp) -> None:
        op = typed.op
        if self._carried[typed.operands[0]] == self._carried[typed.results[0]]:
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()
        else:
            self._move(typed)

    def _surround(self, typed: TypedOp) -> None:
        """Cast the operands and results of the op: at signatures to f16, else back to bf16."""
        op, at_signature = typed.op, typed.op.name in _AT_SIGNATURES
        with ir.InsertionPoint(op), op.location:
            for number, type_ in enumerate(typed.operands):
                taken = self._passed[type_] if at_signature else type_
                op.operands[number] = recast(op.operands[number], self._carried[type_], taken)
        if at_signature:
            for result in op.results:
                result.set_type(self._passed[result.type])
            _drop_flags(op)
        with ir.InsertionPoint.after(op), op.location:
            for result, type_ in zip(op.results, typed.results, strict=True):
                _hand_on(result, result.type, self._carried[type_])


def _drop_flags(op: ir.Operation) -> None:
    if _FLAGS in op.attributes:
        op.attributes[_FLAGS] = ir.Attribute.parse("#llvm.fastmath<none>")


def _hand_on(value: ir.Value, source: ir.Type, target: ir.Type) -> None:
    """Cast `value`, of type `source`, to `target` for all its users."""
    uses = [(use.owner, use.operand_number) for use in value.uses]
    result = recast(value, source, target)
    for owner, number in uses:
        owner.operands[number] = result


class ConvertBf16ToI16Pass(Pass[PassOptions]):
    """Carry bf16 as i16."""

    argument = "inplace-convert-bf16-to-i16"
    summary = "carry bf16 as i16 in the LLVM dialect, so that moving a value never changes it"
    anchor = "builtin.module"
    statistics = (
        Statistic("expanded-atomics", "atomic updates that became calls"),
        Statistic("converted-ops", "ops whose types changed"),
    )

    def run(self, op: ir.Operation) -> None:
        if not has_bf16(op):
            return
        with op.location:
            ops = _typed_ops(op)
            if not all(typed.op.name.startswith(_TRANSLATED) or typed.op == op for typed in ops):
                return
            atomics = [typed.op for typed in ops if is_atomic_update(typed.op)]
            if atomics:
                expand_atomics(op, atomics)
                ops = _typed_ops(op)
            conversion = _Conversion(op.context)
            converted = [conversion.convert(typed) for typed in ops]
        self.count("expanded-atomics", len(atomics))
        self.count("converted-ops", sum(converted))
