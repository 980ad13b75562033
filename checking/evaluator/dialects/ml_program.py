"""ml_program: globals that hold tensors."""

from __future__ import annotations

from typing import Any

from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import on_values
from ..values.elements import constant_array
from ..values.errors import EvaluationError
from ..values.signature import Function

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


@on_values
def _load(decoder: Decoder, op: ir.Operation) -> Function:
    name, state = _symbol(op), decoder.machine.state

    def load() -> Any:
        if name not in state.globals:
            state.globals[name] = _initial(decoder, name)
        return state.globals[name]

    return load


@on_values
def _store(decoder: Decoder, op: ir.Operation) -> Function:
    name, state = _symbol(op), decoder.machine.state
    return lambda value: state.globals.update({name: value})


OPS: dict[str, Handler] = {
    "ml_program.global_load": _load,
    "ml_program.global_load_const": _load,
    "ml_program.global_store": _store,
}
