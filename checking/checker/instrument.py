"""Insertion of trace calls: after the op that computes a value, or after all ops that could overwrite one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, func

from ...passes.analysis.ir.traversal import find_ops
from ...passes.framework.diagnostics import file_location
from ...runtime.interface.dtypes import UnsupportedTypeError, element_type
from ...runtime.source import private_copy
from .edits import CONTROL_FLOW, TERMINATORS
from .tracing import SCALARS, Channel, Site, Traced

_SYMBOL = "inplace_trace_"

# Constants are never wrong, and the content of `tensor.empty` is undefined.
_UNTOLD = ("arith.constant", "tensor.empty", "bufferization.alloc_tensor")


def trace_results(module: ir.Module) -> Traced:
    """A copy of the program that reports each result when it is computed."""
    teller = _Teller(private_copy(module))
    for ordinal, op in enumerate(teller.ops):
        if _is_traced(op) and op.name not in _UNTOLD:
            for number, result in enumerate(op.results):
                teller.tell(op, result, f"result {number} of '{op.name}'", ordinal, defines=True)
    return teller.traced()


def watch_operands(module: ir.Module, ordinal: int) -> Traced:
    """A copy of the program that reports the operands of one op after each op that may run before it."""
    teller = _Teller(private_copy(module))
    reader = teller.ops[ordinal]
    teller.watch([(value, op) for value in reader.operands for op in _before(value, reader)])
    return teller.traced()


def watch_argument(module: ir.Module, function: str, number: int) -> Traced:
    """A copy of the program that reports an argument of a function after each op at the top of its body."""
    teller = _Teller(private_copy(module))
    for op in teller.ops:
        if op.name == "func.func" and ir.StringAttr(op.attributes["sym_name"]).value == function:
            block = op.regions[0].blocks[0]
            teller.watch([(block.arguments[number], inner.operation) for inner in block.operations])
            break
    return teller.traced()


def _is_traced(op: ir.Operation) -> bool:
    parent = op.parent
    return parent is not None and parent.operation.name in CONTROL_FLOW and op.name not in TERMINATORS


def _before(value: ir.Value, reader: ir.Operation) -> list[ir.Operation]:
    """The ops after which `value`, which `reader` reads, may have changed.

    They are those of the enclosing blocks, from the definition on; within a loop, also those after the reader.
    """
    found: list[ir.Operation] = []
    block, inner = reader.block, reader
    while True:
        here = [op.operation for op in block.operations]
        if isinstance(value.owner, ir.Block):
            is_home, start = value.owner == block, 0
        else:
            definition = value.owner.operation
            is_home = definition.block == block
            start = here.index(definition) if is_home else 0
        end = here.index(inner) if is_home else len(here)
        found += here[start:end]
        if is_home:
            return found
        parent = block.owner.operation
        if parent.name == "func.func":
            return found
        inner, block = parent, parent.block
    return found


@dataclass
class _Teller:
    """Inserts the calls into a module."""

    module: ir.Module

    def __post_init__(self) -> None:
        self.ops = find_ops(self.module.operation)
        self._ordinals = {op: number for number, op in enumerate(self.ops)}
        self._sites: list[Site] = []
        self._symbols: dict[str, str] = {}
        self._channels: dict[str, Channel] = {}

    def traced(self) -> Traced:
        """The program as it is now."""
        return Traced(self.module, tuple(self._sites), self._channels)

    def watch(self, places: Sequence[tuple[ir.Value, ir.Operation]]) -> None:
        """Report each value after its op, if values are reported there."""
        # Before anything is inserted: the hash of an op depends on its contents.
        numbers = [self._ordinals[op] for _, op in places]
        for (value, op), ordinal in zip(places, numbers, strict=True):
            if _is_traced(op):
                is_definition = not isinstance(value.owner, ir.Block) and value.owner.operation == op
                self.tell(op, value, describe_value(value), ordinal, defines=is_definition)

    def tell(self, op: ir.Operation, value: ir.Value, what: str, ordinal: int, *, defines: bool) -> None:
        """Report `value` after `op`, if its type can be reported."""
        symbol = self._symbol(value.type)
        if symbol is None:
            return
        site = Site(op.name, place(op.location), what, ordinal, defines)
        with op.context, op.location, ir.InsertionPoint.after(op):
            number = arith.constant(ir.IntegerType.get_signless(64), len(self._sites))
            func.CallOp([], symbol, [number, value])
        self._sites.append(site)

    def _symbol(self, type_: ir.Type) -> str | None:
        """The function that reports values of a type; None if there is none."""
        text = str(type_)
        if text not in self._symbols:
            channel = _channel(type_)
            if channel is None:
                return None
            name = f"{_SYMBOL}{len(self._symbols)}"
            self._declare(name, type_)
            self._symbols[text], self._channels[name] = name, channel
        return self._symbols[text]

    def _declare(self, name: str, type_: ir.Type) -> None:
        with self.module.context, ir.Location.unknown(), ir.InsertionPoint.at_block_begin(self.module.body):
            signature = ir.FunctionType.get([ir.IntegerType.get_signless(64), type_], [])
            function = func.FuncOp(name, signature, visibility="private")
            function.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
            if isinstance(type_, ir.RankedTensorType):
                read = ir.DictAttr.get({"bufferization.access": ir.StringAttr.get("read")})
                function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get({}), read])


def _channel(type_: ir.Type) -> Channel | None:
    try:
        if isinstance(type_, ir.RankedTensorType):
            return Channel(element_type(type_.element_type), type_.rank) if type_.encoding is None else None
        return Channel(element_type(type_), None) if str(type_) in SCALARS else None
    except UnsupportedTypeError:
        return None


def describe_value(value: ir.Value) -> str:
    """`result 0 of 'linalg.add'`, or `argument 1`, with the location."""
    if isinstance(value, ir.BlockArgument):
        owner = value.owner.owner.operation
        return f"argument {value.arg_number} of '{owner.name}' at {place(owner.location)}"
    definition = ir.OpResult(value).owner.operation
    number = ir.OpResult(value).result_number
    return f"result {number} of '{definition.name}' at {place(definition.location)}"


def place(location: ir.Location) -> str:
    """`file:line:column`, or `unknown`."""
    found = file_location(location)
    return "unknown" if found is None else f"{found.filename}:{found.start_line}:{found.start_col}"
