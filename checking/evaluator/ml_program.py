"""ml_program: globals that hold tensors."""

from __future__ import annotations

from typing import Any

from mlir import ir

from .decoder import Decoder, Registers, Step
from .elements import constant_array
from .errors import EvaluationError
from .handlers import Handler

__all__ = ["OPS"]


def _symbol(op: ir.Operation) -> str:
    return str(op.attributes["global"]).removeprefix("@").strip('"')


def _initial(decoder: Decoder, name: str) -> Any:
    op = decoder.machine.symbols.get(name)
    if op is None or op.name != "ml_program.global":
        raise EvaluationError(f"there is no ml_program.global @{name}")
    type_ = ir.TypeAttr(op.attributes["type"]).value
    if "value" not in op.attributes:
        raise EvaluationError(f"global @{name} is loaded before anything was stored in it")
    return constant_array(op, "value", ir.ShapedType(type_).shape, decoder.element(type_))


def _load(decoder: Decoder, op: ir.Operation) -> Step:
    name, result, state = _symbol(op), decoder.slot(op.results[0]), decoder.machine.state

    def step(registers: Registers) -> None:
        if name not in state.globals:
            state.globals[name] = _initial(decoder, name)
        registers[result] = state.globals[name]

    return step


def _store(decoder: Decoder, op: ir.Operation) -> Step:
    name, source, state = _symbol(op), decoder.slot(op.operands[0]), decoder.machine.state

    def step(registers: Registers) -> None:
        state.globals[name] = registers[source]

    return step


OPS: dict[str, Handler] = {
    "ml_program.global_load": _load,
    "ml_program.global_load_const": _load,
    "ml_program.global_store": _store,
}
