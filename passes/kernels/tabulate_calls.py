"""Run long sequences of calls, allocations and copies from a table, in a loop.

## Problem

A program of a thousand ops that became calls of a few functions (`inplace-outline-kernels`) is one block with
thousands of ops, which LLVM compiles to code that runs once for each call of the program. That takes longer than
compiling the functions.

## Before and after

```text
%x = memref.alloc() {alignment = 64 : i64} : memref<32x32xf32>
call @inplace_kernel(%pa, %pb, %px) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()       // %px = the address of %x
call @inplace_kernel_0(%px, %pb) : (!llvm.ptr, !llvm.ptr) -> ()
...
memref.dealloc %x : memref<32x32xf32>
```

becomes

```text
%frame = memref.alloca() : memref<4xi64>                        // addresses: of %a, of %b, and two of %x
%table = memref.get_global @inplace_steps : memref<200x4xi32>   // [0, 2, 4096, 0], [1, 0, 1, 2], [2, 2, 1, 0], ...
scf.for %i = %c0 to %c200 step %c1 {
  %kind = ...                                                   // the first word of row %i
  scf.index_switch %kind
  case 0 {
    %new = memref.alloc(%bytes) {alignment = 64 : i64} : memref<?xi8>
    ...                                                         // its addresses go into the frame
  }
  case 1 {
    call @inplace_kernel(%p, %q, %r) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  }
  ...
}
```

## Contract

In: functions on memrefs. Out: the same; at least `fewest` steps in the block of a function, with only ops without
effects between them, and at least `of-kind` of each kind (`repetition/call_runs.py`), become a loop that executes the
same steps in the same order. Allocations keep their sizes, alignments and lifetimes. Steps lose their locations. A
function with a table is optimized even if it was marked not to be.

Values and the order of effects do not change; why: docs/theory/after-bufferization.md. Linear in the ops. No upstream
counterpart.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, llvm, memref, scf

from ...dialects.structured import index_constant
from ...dialects.support.descriptors import descriptor_type
from ...dialects.support.frozen_classes import frozen
from ..analysis.repetition.call_runs import Call, Copy, Kind, Run, TabulatedAllocation, find_runs
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option
from .rewriting.outlining import NO_OPTIMIZATION, memref_of

TABLE = "inplace_steps"
"""The name of tables, with a number where it is taken."""


@frozen
class TabulateCallsOptions(PassOptions):
    """Options of `inplace-tabulate-calls`."""

    fewest: int = option(64, help="the least number of steps for a table")
    of_kind: int = option(4, help="the least number of steps of each kind, which needs code in the loop")


class TabulateCallsPass(Pass[TabulateCallsOptions]):
    """Run long sequences of calls from a table."""

    argument = "inplace-tabulate-calls"
    summary = "run long sequences of calls, allocations and copies from a table"
    Options = TabulateCallsOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("tables", "tables that were made"),
        Statistic("steps", "steps that are in tables"),
    )

    def run(self, op: ir.Operation) -> None:
        for name in ("fewest", "of_kind"):
            if getattr(self.options, name) < 1:
                raise PassFailure(f"{name} must be at least 1, got {getattr(self.options, name)}", op.location)
        symbols: ir.SymbolTable | None = None
        for function in [inner.operation for inner in op.regions[0].blocks[0].operations]:
            blocks = list(function.regions[0]) if function.name == "func.func" else []
            runs = find_runs(blocks[0], self.options.fewest, self.options.of_kind) if len(blocks) == 1 else []
            for run in reversed(runs):  # as a later one may be given what an earlier one makes
                symbols = symbols or ir.SymbolTable(op)
                with op.context, function.location:
                    _Tabulation(symbols, blocks[0], run).carry_out()
                self.count("tables")
                self.count("steps", len(run.steps))
            for mark in NO_OPTIMIZATION if runs else ():
                if mark in function.attributes:
                    del function.attributes[mark]


class _Tabulation:
    """Replaces one run by a loop over a table."""

    def __init__(self, symbols: ir.SymbolTable, block: ir.Block, run: Run) -> None:
        self._symbols = symbols
        self._block = block
        self._run = run
        self._index = ir.IndexType.get()
        self._word = ir.IntegerType.get_signless(64)
        self._short = ir.IntegerType.get_signless(32)
        self._bytes_type = ir.MemRefType.get([ir.ShapedType.get_dynamic_size()], ir.IntegerType.get_signless(8))
        self._pointer = ir.Type.parse("!llvm.ptr")

    def carry_out(self) -> None:
        """Replace the run."""
        run = self._run
        assert run.end is not None
        with ir.InsertionPoint.at_block_begin(self._block):
            self._frame = memref.alloca(ir.MemRefType.get([max(run.size, 1)], self._word), [], [])
        with ir.InsertionPoint(run.end):
            for given, place in run.given.items():
                address = self._address(given.memref, to_be_freed=given.to_be_freed)
                memref.store(address, self._frame, [index_constant(place)])
            self._make_loop()
        allocations = [op for op in run.steps if op.name == "memref.alloc"]
        for op in run.steps:
            if op.name != "memref.alloc":
                op.erase()
        for op in reversed(run.late):
            if next(iter(op.results[0].uses), None) is None:
                op.erase()
            else:
                op.move_after(self._loop)
        with ir.InsertionPoint.after(self._loop):
            for op in allocations:
                self._take_over(op.results[0], run.made[op.results[0]])
                op.erase()

    def _make_loop(self) -> None:
        width = max(map(len, self._run.rows))
        rows = array("i", [word for row in self._run.rows for word in (*row, *(0,) * (width - len(row)))])
        type_ = ir.MemRefType.get([len(self._run.rows), width], self._short)
        elements = ir.DenseElementsAttr.get(rows, shape=type_.shape, type=self._short)
        with ir.InsertionPoint(self._block.owner):
            constant = memref.GlobalOp(TABLE, type_, sym_visibility="private", initial_value=elements, constant=True)
        name = ir.StringAttr(self._symbols.insert(constant.operation)).value
        self._table = memref.get_global(type_, name)
        self._columns = [index_constant(column) for column in range(width)]
        loop = scf.ForOp(self._columns[0], index_constant(len(self._run.rows)), index_constant(1))
        self._loop, self._row = loop.operation, loop.induction_variable
        with ir.InsertionPoint(loop.body):
            number = self._read(0)
            cases = ir.DenseI64ArrayAttr.get(list(range(len(self._run.kinds))))
            switch = ir.Operation.create(
                "scf.index_switch", operands=[number], attributes={"cases": cases}, regions=1 + len(self._run.kinds)
            )
            for region, kind in zip(switch.regions, (None, *self._run.kinds), strict=True):
                with ir.InsertionPoint(region.blocks.append()):
                    self._make_step(kind)
                    scf.yield_([])
            scf.yield_([])

    def _make_step(self, kind: Kind | None) -> None:
        """Build a step of a kind from the words of the row."""
        if isinstance(kind, Call):
            self._make_call(kind)
        elif isinstance(kind, TabulatedAllocation):
            new = memref.alloc(self._bytes_type, [self._read(2)], [], alignment=kind.alignment)
            place = self._read(1)
            memref.store(self._address(new, to_be_freed=False), self._frame, [place])
            freed = self._address(new, to_be_freed=True)
            memref.store(freed, self._frame, [arith.addi(place, index_constant(1))])
        elif isinstance(kind, Copy):
            count = self._read(5)
            memref.copy(self._bytes(1, count), self._bytes(3, count))
        elif kind is not None:
            address = self._load(self._read(1))
            memref.dealloc(self._memref(address, self._bytes_type, [arith.constant(self._word, 0)]))

    def _make_call(self, kind: Call) -> None:
        arguments: list[ir.Value] = []
        words = 0
        for value, type_ in zip(kind.fixed, kind.types, strict=True):
            words += value is None
            if value is not None:
                arguments.append(value)
            elif type_ == self._pointer:
                arguments.append(llvm.inttoptr(type_, self._load(self._read(words))))
            else:
                arguments.append(arith.index_cast(type_, self._read(words)))
        ir.Operation.create("func.call", operands=arguments, attributes={"callee": kind.callee})

    def _bytes(self, column: int, count: ir.Value) -> ir.Value:
        """Build a memref of `count` bytes, whose address is in the words from `column` on."""
        begin = arith.addi(self._load(self._read(column)), arith.index_cast(self._word, self._read(column + 1)))
        return self._memref(begin, self._bytes_type, [arith.index_cast(self._word, count)])

    def _take_over(self, value: ir.Value, place: int) -> None:
        """Replace an allocation of the run: ops after it use what the loop has allocated."""
        if next(iter(value.uses), None) is not None:
            addresses = [self._load(index_constant(place + number)) for number in (0, 1)]
            value.replace_all_uses_with(self._memref(addresses[0], ir.MemRefType(value.type), [], addresses[1]))

    def _memref(
        self, address: ir.Value, type_: ir.MemRefType, sizes: Sequence[ir.Value], freed: ir.Value | None = None
    ) -> ir.Value:
        pointer = llvm.inttoptr(self._pointer, address)
        return memref_of(pointer, type_, sizes, None if freed is None else llvm.inttoptr(self._pointer, freed))

    def _address(self, value: ir.Value, *, to_be_freed: bool) -> ir.Value:
        if not to_be_freed:
            return arith.index_cast(self._word, memref.extract_aligned_pointer_as_index(value))
        struct = descriptor_type(ir.MemRefType(value.type).rank)
        descriptor = ir.Operation.create("builtin.unrealized_conversion_cast", [struct], [value]).result
        pointer = llvm.extractvalue(self._pointer, descriptor, ir.DenseI64ArrayAttr.get([0]))
        return llvm.ptrtoint(self._word, pointer)

    def _read(self, column: int) -> ir.Value:
        """Build a word of the row, as an index."""
        return arith.index_cast(self._index, memref.load(self._table, [self._row, self._columns[column]]))

    def _load(self, place: ir.Value) -> ir.Value:
        return memref.load(self._frame, [place])
