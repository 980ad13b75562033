"""Check that a memref program reads what the tensor program that it was made of says, by a method of its own.

## Problem

A wrong bufferization, in which two tensors share a buffer although they must not, is valid IR. This pass derives for
each read of the memref program the value in memory, and compares it with the value that the tensor program reads. It
uses none of the analyses that decide about buffers.

## Use

With `inplace-one-shot-bufferize` and `inplace-plan-bufferize` the option `verify-bufferization` is all that is needed.
Any other bufferization is checked by two runs of this pass around it:

```text
builtin.module(inplace-verify-bufferization{record=true},
               one-shot-bufferize{bufferize-function-boundaries=true},
               inplace-verify-bufferization)
```

The first run stores the text of the module in its attribute `inplace.tensor_program`, and the number of each op in the
op's location, `loc("inplace.tensor-op#7"(...))`, which conversions propagate. The second run checks, and removes both.

## Before and after

```mlir
func.func @f(%t: memref<8xf32>, %x: f32, %i: index) -> f32 {
  memref.store %x, %t[%i] : memref<8xf32>           // was: %r = tensor.insert %x into %t[%i]
  %y = memref.load %t[%i] : memref<8xf32>           // was: %y = tensor.extract %t[%i]
  return %y : f32
}
```

is refused at the load, which must read the tensor from before the insertion:

```text
error: wrong bufferization: operand 0 of 'tensor.extract' must be a part of argument 0 of 'func.func', but the memory
       holds a scalar
note: the value that is needed is made here
note: the memory was last written here, by 'memref.store'
```

## Contract

In: a module on memrefs, with a recorded tensor program; other passes may have run in between. Ops that lost their
location, or were fused with others, are not followed. Out: the same module without the record. A read that is neither
proved right nor proved wrong is *not checked*: it is counted with its reason, reported with `report=true`, and never
counted as right. Nothing is changed if a read is wrong.

Linear in ops and uses, times the passes over loops, which grow with the depth of a nest. What is trusted:
docs/theory/checker.md. There is no counterpart upstream.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from mlir import ir

from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option
from .checker.machine import SymbolicMachine
from .checker.reading import read_snapshot
from .checker.recording import ATTRIBUTE, refuse
from .checker.report import VerificationReport, verify
from .checker.tags import take_tags
from .checker.tensor_program import TensorProgram

__all__ = ["VerifyBufferizationOptions", "VerifyBufferizationPass"]


@dataclass(frozen=True)
class VerifyBufferizationOptions(PassOptions):
    """Options of `inplace-verify-bufferization`."""

    record: bool = option(False, help="record the tensor program for a later run, and check nothing")
    report: bool = option(False, help="emit a remark with the number of checked reads, and why others were not checked")


class VerifyBufferizationPass(Pass[VerifyBufferizationOptions]):
    """See the module's documentation."""

    argument = "inplace-verify-bufferization"
    summary = "check a bufferized program against its tensor program, independently of the analysis"
    Options = VerifyBufferizationOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("num-checked", "reads that were compared"),
        Statistic("num-not-checked", "reads that could not be followed"),
    )

    def run(self, op: ir.Operation) -> None:
        """Record ``op``, or check it."""
        if self.options.record:
            self._record(op)
            return
        if ATTRIBUTE not in op.attributes:
            message = (
                "no tensor program is recorded that this module could be compared with; run "
                "inplace-verify-bufferization{record=true} before bufferization"
            )
            raise PassFailure(message, op.location)
        recorded = self._recorded(op)
        program = TensorProgram(read_snapshot(recorded.operation))
        program.locations = [nested.location for nested in program.snapshot.ops]
        machine = SymbolicMachine(program, op)
        report = verify(machine)
        refuse(report)
        del op.attributes[ATTRIBUTE]
        take_tags(machine.snapshot)
        self._tell(op, report)

    def _recorded(self, op: ir.Operation) -> ir.Module:
        """The tensor program; raises where it is not one."""
        attribute = op.attributes[ATTRIBUTE]
        if isinstance(attribute, ir.StringAttr):
            with contextlib.suppress(ir.MLIRError, UnicodeDecodeError):
                return ir.Module.parse(attribute.value_bytes.decode(), op.context)
        message = f"attribute '{ATTRIBUTE}' holds no module; remove it, and record the tensor program again"
        raise PassFailure(message, op.location)

    def _record(self, op: ir.Operation) -> None:
        """Keep the text of ``op`` and tag its ops."""
        if ATTRIBUTE in op.attributes:
            del op.attributes[ATTRIBUTE]
            take_tags(read_snapshot(op))
        text = str(op.get_asm(enable_debug_info=True))
        TensorProgram(read_snapshot(op)).tag()
        op.attributes[ATTRIBUTE] = ir.StringAttr.get(text, op.context)

    def _tell(self, op: ir.Operation, report: VerificationReport) -> None:
        self.count("num-checked", report.checked)
        self.count("num-not-checked", report.unchecked.total())
        if self.options.report:
            reasons = [(f"{number} not checked: {reason}", op.location) for reason, number in report.reasons()]
            message = f"{report.checked} reads are right, {report.unchecked.total()} were not checked"
            self.remark(op.location, message, reasons)
