"""Lower the `mpi` dialect to calls of the runtime's functions, for the MPI library that the process has loaded.

In: `mpi` ops on memrefs. Out: calls of functions `@inplace_mpi_…`, which the runtime defines
(`runtime/message_passing/native_code.py`). Handles of data types, reductions and communicators come from a table that
is filled when the program is loaded, so the same code runs on MPICH, Open MPI and what has their interface.

- `mpi.comm_world` is the communicator that the caller gave, `comm=` of `mi.compile`. `mpi.init` and `mpi.finalize` do
  nothing: the caller has begun, and will end.
- What is sent or received may have any strides. A collective of two memrefs that are one buffer is in place, as is an
  all-gather whose source is its own part of the destination.
- `mpi.wait` may be the call that `inplace-keep-waits` makes of it. The functions that op models of `shard` call
  (`dialects/support/mpi_names.py`) send and receive at once, or make the communicator of a part of the grid.
- A code that is none of success fails an assertion, unless the op returns it to the program.
- A communicator that is split off is made once and kept (`rewriting/split_communicators.py`).

```mlir
func.func @f() {
  %c = mpi.comm_world : !mpi.comm
  mpi.barrier(%c)
  func.return
}
```

becomes:

```mlir
func.func private @inplace_mpi_barrier(i64) -> i64
func.func private @inplace_mpi_word(i64) -> i64
func.func @f() {
  %c0_i64 = arith.constant 0 : i64
  %0 = call @inplace_mpi_word(%c0_i64) : (i64) -> i64
  %1 = call @inplace_mpi_barrier(%0) : (i64) -> i64
  %c0_i64_0 = arith.constant 0 : i64
  %2 = arith.cmpi eq, %1, %c0_i64_0 : i64
  cf.assert %2, "mpi.barrier failed"
  func.return
}
```

Refused: reductions of numbers that MPI cannot compute with or that do not lie one after the other, and requests and
communicators that are passed through other ops. Linear in the operations.

Upstream counterpart: `convert-to-llvm`, which has no `isend`, `irecv`, `wait` and `barrier`, takes no strided memory,
ignores codes, and knows the world's communicator only, as it is in the MPI that the module names.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from mlir import ir
from mlir.dialects import arith, cf, func

from ...dialects.support.memref_types import is_row_major
from ...dialects.support.mpi_names import (
    COMMUNICATOR,
)
from ..analysis.ir.symbols import callee_name
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.contract import MESSAGE_PREFIX, MESSAGE_TAG, MESSAGE_WORDS, MOST_SENT
from ..framework.options import PassOptions
from .rewriting.message_buffers import call, describe, word, word_type
from .rewriting.split_communicators import is_settled, kept_place
from .rewriting.supported_messages import (
    KINDS,
    LOWERED,
    MESSAGES,
    POSITIONS,
    analyze_messages,
    called_prefix,
    message_buffers,
    message_name,
    reduction_of,
)

_REPLACED = tuple(kind for kind in KINDS if kind != COMMUNICATOR)


class LowerMpiPass(Pass[PassOptions]):
    """Lower the `mpi` dialect to calls of the runtime's functions."""

    argument = "inplace-lower-mpi"
    summary = "lower the mpi dialect to calls of the MPI library that the process has loaded"
    anchor = "builtin.module"
    statistics = (
        Statistic("messages", "sends, receives and collectives"),
        Statistic("strided-messages", "of them, those of memory with strides"),
        Statistic("splits", "communicators that are made once and kept"),
    )
    concerns = (*LOWERED, *POSITIONS, "func.call", "shard.grid")

    def run(self, op: ir.Operation) -> None:
        found = analyze_messages(op)
        buffers = [message_buffers(one) for one in found]
        self.count("messages", sum(map(bool, buffers)))
        self.count("strided-messages", sum(not all(is_row_major(ir.MemRefType(b.type)) for b in bs) for bs in buffers))
        self.count("splits", sum(one.name == "mpi.comm_split" for one in found))
        with op.context:
            lowering = _Lowering(op, [is_settled(one) for one in found if one.name == "mpi.comm_split"])
            for one in found:
                with ir.InsertionPoint(one), one.location:
                    lowering.lower(one)
            lowering.return_communicators()
            for one in reversed(found):
                one.erase()
            _replace_declarations(op)


class _Lowering:
    """What stands for the values of MPI's types: each is an i64. `settled` is of each split (`is_settled`)."""

    def __init__(self, module: ir.Operation, settled: list[bool]) -> None:
        self._module, self._settled = module, settled
        self._values: dict[ir.Value, ir.Value] = {}
        self._splits = 0

    def return_communicators(self) -> None:
        """Return what stands for communicators from functions that make one."""
        for made, stands in self._values.items():
            for use in list(made.uses):
                if use.owner.name == "func.return":
                    use.owner.operation.operands[use.operand_number] = stands

    def lower(self, op: ir.Operation) -> None:
        """Build what stands for `op` in front of it, and for its results."""
        kind = KINDS.get(called_prefix(op)) or op.name.partition(".")[2]
        build: Callable[[ir.Operation], ir.Value | None] | None = getattr(self, f"_{kind}", None)
        if build is None:
            build = self._message if op.name in MESSAGES else self._success
        code = build(op)
        if code is None:
            return
        results = [result for result in op.results if str(result.type) == "!mpi.retval"]
        if results:
            self._values[results[0]] = code
        else:
            ok = arith.cmpi(arith.CmpIPredicate.eq, code, word(0))
            cf.AssertOp(ok, f"{message_name(op)} failed")

    def _operand(self, op: ir.Operation, number: int) -> ir.Value:
        operand = op.operands[number]
        return self._values.get(operand, operand)

    def _success(self, op: ir.Operation) -> ir.Value | None:
        return word(0) if len(op.results) else None

    def _comm_world(self, op: ir.Operation) -> None:
        self._values[op.results[0]] = call("word", MESSAGE_WORDS.index("COMMUNICATOR"))

    def _comm_rank(self, op: ir.Operation) -> None:
        self._ask(op, "rank")

    def _comm_size(self, op: ir.Operation) -> None:
        self._ask(op, "size")

    def _ask(self, op: ir.Operation, what: str) -> None:
        *codes, number = op.results
        number.replace_all_uses_with(arith.trunci(number.type, call(what, self._operand(op, 0))))
        self._values.update({code: word(0) for code in codes})

    def _comm_split(self, op: ir.Operation) -> None:
        place = kept_place(self._module, self._splits)
        made = call("split", *(self._operand(op, n) for n in range(3)), place, int(self._settled[self._splits]))
        self._splits += 1
        *codes, communicator = op.results
        self._values[communicator] = made
        missing = arith.cmpi(arith.CmpIPredicate.eq, made, word(0))
        self._values.update({code: word(arith.extui(ir.IntegerType.get_signless(32), missing)) for code in codes})
        if not codes:
            some = arith.cmpi(arith.CmpIPredicate.ne, made, word(0))
            cf.AssertOp(some, f"{op.name} failed")

    def _message(self, op: ir.Operation) -> ir.Value:
        buffer = describe(op.operands[0])
        _require_count(op, buffer.elements if buffer.made else buffer.count)
        tag, rank, communicator = (self._operand(op, n) for n in (1, 2, 3))
        name = op.name.partition(".")[2]
        code = call(name, buffer.address, buffer.count, buffer.type, rank, tag, communicator)
        if name in ("isend", "irecv"):
            self._values[list(op.results)[-1]] = code
            code = call("started", code)
        for handle in buffer.made:
            call("release", handle)
        return code

    def _exchange(self, op: ir.Operation) -> ir.Value:
        sent, received = describe(op.operands[0]), describe(op.operands[2])
        operands: list[ir.Value] = []
        for one, rank in ((sent, op.operands[1]), (received, op.operands[3])):
            _require_count(op, one.elements if one.made else one.count)
            operands += [one.address, one.count, one.type, rank]
        code = call("exchange", *operands, self._operand(op, 4))
        for handle in (*sent.made, *received.made):
            call("release", handle)
        return code

    def _begin_send(self, op: ir.Operation) -> ir.Value:
        return self._begin(op, "isend")

    def _begin_receive(self, op: ir.Operation) -> ir.Value:
        return self._begin(op, "irecv")

    def _begin(self, op: ir.Operation, name: str) -> ir.Value:
        buffer = describe(op.operands[0])
        _require_count(op, buffer.elements if buffer.made else buffer.count)
        rank = call("somebody", op.operands[1])
        request = call(name, buffer.address, buffer.count, buffer.type, rank, MESSAGE_TAG, self._operand(op, 2))
        for handle in buffer.made:
            call("release", handle)
        return self._started(op, request)

    def _started(self, op: ir.Operation, request: ir.Value) -> ir.Value:
        self._values[op.results[0]] = request
        return call("started", request)

    def _begin_collective(self, op: ir.Operation) -> ir.Value:
        builds = {"mpi.allreduce": self._allreduce, "mpi.allgather": self._allgather}
        return self._started(op, builds.get(message_name(op), self._reduce_scatter_block)(op, "i"))

    def _group(self, op: ir.Operation) -> None:
        self._values[op.results[0]] = func.CallOp([word_type()], callee_name(op), []).results[0]

    def _process_multi_index(self, op: ir.Operation) -> None:
        grid = _grid(self._module, op)
        axes = list(op.attributes["axes"]) if "axes" in op.attributes else []
        rank = self._grid_rank()
        for result, axis in zip(op.results, axes or range(len(grid)), strict=True):
            major = arith.divsi(rank, word(prod(grid[axis + 1 :])))
            result.replace_all_uses_with(arith.index_cast(result.type, arith.remsi(major, word(grid[axis]))))

    def _process_linear_index(self, op: ir.Operation) -> None:
        op.results[0].replace_all_uses_with(arith.index_cast(op.results[0].type, self._grid_rank()))

    def _grid_shape(self, op: ir.Operation) -> None:
        grid = _grid(self._module, op)
        axes = list(op.attributes["axes"]) if "axes" in op.attributes else []
        for result, axis in zip(op.results, axes or range(len(grid)), strict=True):
            result.replace_all_uses_with(arith.constant(result.type, grid[axis]))

    def _grid_rank(self) -> ir.Value:
        return call("rank", call("word", MESSAGE_WORDS.index("COMMUNICATOR")))

    def _wait(self, op: ir.Operation) -> ir.Value:
        return call("wait", self._operand(op, 0))

    def _barrier(self, op: ir.Operation) -> ir.Value:
        return call("barrier", self._operand(op, 0))

    def _allreduce(self, op: ir.Operation, start: str = "") -> ir.Value:
        source, target = (describe(op.operands[n], reduced=True) for n in (0, 1))
        _require_count(op, target.count)
        _require_sizes(op, source.elements, target.elements)
        return self._reduce(op, f"{start}allreduce", source.address, target.address, target.count, target.type)

    def _reduce_scatter_block(self, op: ir.Operation, start: str = "") -> ir.Value:
        source, target = (describe(op.operands[n], reduced=True) for n in (0, 1))
        _require_count(op, target.count)
        ranks = call("size", self._operand(op, 2))
        _require_sizes(op, source.elements, arith.muli(target.elements, ranks))
        name = f"{start}reduce_scatter_block"
        return self._reduce(op, name, source.address, target.address, target.count, target.type)

    def _reduce(self, op: ir.Operation, name: str, *operands: ir.Value) -> ir.Value:
        operator = call("word", MESSAGE_WORDS.index(reduction_of(op) or "SUM"))
        return call(name, *operands, operator, self._operand(op, 2))

    def _allgather(self, op: ir.Operation, start: str = "") -> ir.Value:
        communicator = self._operand(op, 2)
        source, target = describe(op.operands[0]), describe(op.operands[1])
        ranks = call("size", communicator)
        _require_sizes(op, arith.muli(source.elements, ranks), target.elements)
        _require_count(op, source.elements if source.made else source.count)
        each = arith.divsi(target.count, ranks)
        operands = (source.address, source.count, source.type, target.address, each, target.type)
        code = call(f"{start}allgather", *operands, communicator)
        for handle in source.made:
            call("release", handle)
        return code

    def _retval_check(self, op: ir.Operation) -> None:
        is_success = arith.cmpi(arith.CmpIPredicate.eq, self._operand(op, 0), word(0))
        op.results[0].replace_all_uses_with(is_success)

    def _error_class(self, op: ir.Operation) -> ir.Value:
        return self._operand(op, 0)  # It is compared with success only.


def _require_count(op: ir.Operation, count: ir.Value) -> None:
    few = arith.cmpi(arith.CmpIPredicate.sle, count, word(MOST_SENT))
    cf.AssertOp(few, f"{message_name(op)} takes at most {MOST_SENT} elements; send several parts")


def _require_sizes(op: ir.Operation, one: ir.Value, other: ir.Value) -> None:
    same = arith.cmpi(arith.CmpIPredicate.eq, one, other)
    cf.AssertOp(same, f"{message_name(op)}: the sizes of source and destination do not agree")


def _grid(module: ir.Operation, op: ir.Operation) -> list[int]:
    name = ir.FlatSymbolRefAttr(op.attributes["grid"]).value
    return list(ir.DenseI64ArrayAttr(ir.SymbolTable(module)[name].operation.attributes["shape"]))


def _replace_declarations(module: ir.Operation) -> None:
    """Declare the functions that are called, in place of what stood for messages before."""
    top = module.regions[0].blocks[0]
    for op in list(top.operations):
        name = ir.StringAttr(op.attributes["sym_name"]).value if "sym_name" in op.attributes else ""
        if op.name == "shard.grid" or name.startswith(_REPLACED):
            op.operation.erase()
        elif name.startswith(COMMUNICATOR):
            op.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([], [word_type()]))
    calls = find_ops(module, "func.call", where=lambda op: callee_name(op).startswith(MESSAGE_PREFIX))
    declared = {callee_name(one): len(one.operands) for one in calls if not callee_name(one).startswith(COMMUNICATOR)}
    with ir.InsertionPoint.at_block_begin(top), ir.Location.unknown():
        for name, count in sorted(declared.items()):
            func.FuncOp(name, ir.FunctionType.get([word_type()] * count, [word_type()]), visibility="private")
