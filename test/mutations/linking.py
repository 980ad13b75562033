"""What programs leave open, filled in for the evaluator: functions without a body, and ops that nobody knows.

A written program may declare functions and say in comments what they do with tensors and, once they got them, with
memrefs. The ops of dialect `test` are unknown to the package. They keep their tensors through bufferization, between
`to_tensor` and `to_buffer`; here both hand on the memory itself, and the ops do the worst that is allowed. A region of
`test.later` runs at the next `test.run`, with the values that it had. Memrefs may be stored in memory, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import others
from mlir import ir

from mlir_inplace.checking.evaluator.decoding import decoder as decoding
from mlir_inplace.checking.evaluator.decoding.decoder import Decoder, Registers, Step, transfer
from mlir_inplace.checking.evaluator.decoding.handlers import Handler, find_handler
from mlir_inplace.checking.evaluator.values.memory import MemRef, wrap_array

_DIALECT = "test."


def linked(module: ir.Module, definitions: str) -> ir.Module:
    """The module with `definitions` in the place of what it only declares; itself if there are none."""
    if not definitions:
        return module
    text = str(module)
    for name in re.findall(r"func\.func @(\w+)", definitions):
        text = re.sub(rf"\n *func\.func private @{name}\(.*(?=\n)", "", text)
    body, end, _ = text.rpartition("}")
    with module.context:
        return ir.Module.parse(f"{body}{definitions}\n{end}")


def _same(values: Sequence[Any], count: int) -> list[Any]:
    """Every result is the first operand."""
    return [values[0]] * count


def _look(values: Sequence[Any], _: int) -> list[Any]:
    value = values[0].read() if isinstance(values[0], MemRef) else values[0]
    return [np.asarray(value).flat[0]]


_OPS: dict[str, Callable[[Sequence[Any], int], list[Any]]] = {
    "test.same": _same,
    "test.look": _look,
    "test.kept": _look,
    "test.keep": lambda _values, _count: [],
    **others.OPS,
}


def _op(decoder: Decoder, op: ir.Operation) -> Step:
    operands, results = decoder.all(list(op.operands)), decoder.all(list(op.results))
    code = decoder.region(op.regions[0]) if len(op.regions) else None
    makes = _global(decoder, op) if op.name == "test.global" else None

    def step(registers: Registers) -> None:
        values = [makes()] if makes else [registers[slot] for slot in operands]
        if op.name == "test.keep":
            decoder.machine.state.globals["kept"] = values[0]
        if op.name == "test.kept":
            values = [decoder.machine.state.globals["kept"]]
        if code is not None:
            values = code.call(registers, values)
        elif makes is None:
            values = _OPS[op.name](values, len(results))
        transfer(registers, results, values)

    return step


def _later(decoder: Decoder, op: ir.Operation) -> Step:
    code, waiting = decoder.region(op.regions[0]), decoder.machine.state.globals
    return lambda registers: waiting.setdefault("later", []).append((code, list(registers)))


def _run(decoder: Decoder, _op: ir.Operation) -> Step:
    waiting = decoder.machine.state.globals

    def step(_registers: Registers) -> None:
        for code, registers in waiting.pop("later", []):
            code.call(registers, [])

    return step


def _store_memref(decoder: Decoder, op: ir.Operation) -> Step:
    value, memory, *indices = decoder.all(list(op.operands))

    def step(registers: Registers) -> None:
        registers[memory][tuple(registers[slot] for slot in indices)] = registers[value]

    return step


def _load_memref(decoder: Decoder, op: ir.Operation) -> Step:
    memory, *indices = decoder.all(list(op.operands))
    result = decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[result] = registers[memory][tuple(registers[slot] for slot in indices)]

    return step


def _make_memory_of_memrefs(decoder: Decoder, op: ir.Operation) -> Step:
    result = decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[result] = {}

    return step


def _memory_of_memrefs(op: ir.Operation) -> Handler | None:
    """What runs an op on a memref whose elements are memrefs."""
    made = {"memref.alloca": _make_memory_of_memrefs, "memref.load": _load_memref, "memref.store": _store_memref}
    place = 1 if op.name == "memref.store" else 0
    value = op.results[0] if op.name == "memref.alloca" else op.operands[place]
    return made[op.name] if isinstance(ir.MemRefType(value.type).element_type, ir.MemRefType) else None


def _memory(decoder: Decoder, op: ir.Operation) -> Step | None:
    handler = _memory_of_memrefs(op) or find_handler(op.name)
    assert handler is not None
    return handler(decoder, op)


def _global(decoder: Decoder, op: ir.Operation) -> Callable[[], Any]:
    """What an op of no operands returns, or gives its region: numbers that are the same memory every time."""
    value = op.regions[0].blocks[0].arguments[0] if len(op.regions) else op.results[0]
    numbers = np.arange(ir.ShapedType(value.type).get_dim_size(0), dtype=np.float32)
    if not any(use.owner.operation.name == "bufferization.to_buffer" for use in value.uses):
        return lambda: numbers
    state = decoder.machine.state
    return lambda: state.globals.setdefault(op.name, wrap_array(numbers, "global"))


def _handed_on(decoder: Decoder, op: ir.Operation) -> Step:
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[result] = registers[source]

    return step


def _handler(decoder: Decoder, op: ir.Operation) -> Step | None:
    """The memory itself where an unknown op is at the other end; else what the evaluator does."""
    value = op.results[0] if op.name == "bufferization.to_tensor" else op.operands[0]
    owner = value.owner
    ends = [owner.owner if isinstance(owner, ir.Block) else owner, *(use.owner for use in value.uses)]
    if any(end.operation.name.startswith(_DIALECT) for end in ends):
        return _handed_on(decoder, op)
    handler = find_handler(op.name)
    assert handler is not None
    return handler(decoder, op)


def _find(name: str) -> Handler | None:
    if name in ("test.later", "test.run"):
        return _later if name == "test.later" else _run
    if name.startswith((_DIALECT, others.DIALECT)):
        return _op
    if name in ("memref.alloca", "memref.load", "memref.store"):
        return _memory
    return _handler if name in ("bufferization.to_tensor", "bufferization.to_buffer") else find_handler(name)


@contextmanager
def foreign_ops() -> Iterator[None]:
    """Within this context the evaluator runs the ops of dialect `test`."""
    decoding.find_handler = _find
    try:
        yield
    finally:
        decoding.find_handler = find_handler
