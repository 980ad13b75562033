r"""Let a failed assertion, and a size that cannot be allocated, end the call of the program and not the process.

In: `cf.assert` anywhere, after loops and conditions have become branches. Out: a call of `@inplace_require`, with the
message, which holds the place of the assertion. The runtime defines that function (`runtime/native/guard_code.py`): if
the assertion does not hold, it frees what the call of the program has allocated, and returns to where that began, which
raises the message.

```mlir
func.func @f(%ok: i1) {
  cf.assert %ok, "not ok"
  func.return
}
```

becomes:

```mlir
llvm.mlir.global internal constant @inplace_message_0("-:2:3: not ok\00") {addr_space = 0 : i32}
func.func @f(%ok: i1) {
  %0 = llvm.mlir.addressof @inplace_message_0 : !llvm.ptr
  call @inplace_require(%ok, %0) : (i1, !llvm.ptr) -> ()
  func.return
}
func.func private @inplace_require(i1, !llvm.ptr)
```

Before each `memref.alloc` with dynamic sizes, `@inplace_require_room` is called with the number of bytes, computed in
floating-point numbers: the lowering multiplies sizes modulo 2^64, so that for a tensor of 2^62 by 5 numbers too little
would be allocated. Left alone: allocations of elements whose size is not known.

Linear in the operations; a module with neither is walked once.

Upstream counterpart: none. `convert-cf-to-llvm` prints the message and calls `abort`.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, func, llvm

from ...dialects.support.element_sizes import least_bytes
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.contract import REQUIRE, REQUIRE_ROOM
from ..framework.diagnostics import located
from ..framework.options import PassOptions

_MESSAGE = "inplace_message"


class _Messages:
    """The constants of one module that are messages."""

    def __init__(self, module: ir.Operation) -> None:
        self._top = module.regions[0].blocks[0]
        self._symbols: dict[str, str] = {}

    def symbol(self, text: str) -> str:
        """The symbol of the constant that is `text`, with a zero at the end."""
        if text not in self._symbols:
            symbol = self._symbols[text] = f"{_MESSAGE}_{len(self._symbols)}"
            content = text.replace("\0", " ").encode(errors="replace") + b"\0"
            with ir.InsertionPoint.at_block_begin(self._top):
                ir.Operation.create(
                    "llvm.mlir.global",
                    attributes={
                        "sym_name": ir.StringAttr.get(symbol),
                        "global_type": ir.TypeAttr.get(ir.Type.parse(f"!llvm.array<{len(content)} x i8>")),
                        "linkage": ir.Attribute.parse("#llvm.linkage<internal>"),
                        "value": ir.StringAttr.get(content),
                        "addr_space": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 0),
                        "constant": ir.UnitAttr.get(),
                    },
                    regions=1,
                )
        return self._symbols[text]


class RaiseAssertionsPass(Pass[PassOptions]):
    """Let a failed assertion, and a size that cannot be allocated, end the call of the program."""

    argument = "inplace-raise-assertions"
    summary = "let a failed cf.assert return to the caller with its message, instead of ending the process"
    anchor = "builtin.module"
    statistics = (
        Statistic("assertions", "assertions that raise"),
        Statistic("sizes", "allocations whose size is checked"),
    )
    concerns = ("cf.assert", "memref.alloc")

    def run(self, op: ir.Operation) -> None:
        found = find_ops(op, "cf.assert", "memref.alloc")
        assertions = [one for one in found if one.name == "cf.assert"]
        allocations = [one for one in found if one.name != "cf.assert" and _is_counted(one)]
        with op.context, ir.Location.unknown():
            pointer = ir.Type.parse("!llvm.ptr")
            messages = _Messages(op)
            for assertion in assertions:
                text = located(assertion.location, ir.StringAttr(assertion.attributes["msg"]).value)
                with ir.InsertionPoint(assertion), assertion.location:
                    message = llvm.mlir_addressof(pointer, messages.symbol(text))
                    func.CallOp([], REQUIRE, [assertion.operands[0], message])
                assertion.erase()
            for allocation in allocations:
                with ir.InsertionPoint(allocation), allocation.location:
                    func.CallOp([], REQUIRE_ROOM, [_bytes(allocation)])
            if assertions:
                _declare(op, REQUIRE, ir.IntegerType.get_signless(1), pointer)
            if allocations:
                _declare(op, REQUIRE_ROOM, ir.F64Type.get())
        self.count("assertions", len(assertions))
        self.count("sizes", len(allocations))


def _is_counted(allocation: ir.Operation) -> bool:
    """Whether an allocation has dynamic sizes, and elements of a known size."""
    try:
        least_bytes(ir.MemRefType(allocation.results[0].type))
    except ValueError:
        return False
    return bool(_sizes(allocation))


def _sizes(allocation: ir.Operation) -> list[ir.Value]:
    count = ir.DenseI32ArrayAttr(allocation.attributes["operandSegmentSizes"])[0]
    return list(allocation.operands)[:count]


def _bytes(allocation: ir.Operation) -> ir.Value:
    """Build the number of bytes that `allocation` needs, as an f64."""
    wide, word = ir.F64Type.get(), ir.IntegerType.get_signless(64)
    total = arith.constant(wide, float(least_bytes(ir.MemRefType(allocation.results[0].type))))
    for size in _sizes(allocation):
        total = arith.mulf(total, arith.uitofp(wide, arith.index_castui(word, size)))
    return total


def _declare(module: ir.Operation, name: str, *types: ir.Type) -> None:
    with ir.InsertionPoint(module.regions[0].blocks[0]):
        func.FuncOp(name, ir.FunctionType.get(list(types), []), visibility="private")
