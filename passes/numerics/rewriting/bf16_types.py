"""LLVM types with another type in place of bf16, and casts of values between them."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import llvm

__all__ = ["ReplacedTypes", "recast"]


class ReplacedTypes:
    """Types with `number`, which is as wide, in place of bf16; each is built once."""

    def __init__(self, number: ir.Type) -> None:
        self._number = number
        self._known: dict[ir.Type, ir.Type] = {}

    def __getitem__(self, type_: ir.Type) -> ir.Type:
        known = self._known.get(type_)
        if known is None:
            known = self._known[type_] = self._replaced(type_)
        return known

    def changes(self, type_: ir.Type) -> bool:
        """Whether there is a bf16 in `type_`."""
        return self[type_] != type_

    def _replaced(self, type_: ir.Type) -> ir.Type:
        if isinstance(type_, ir.BF16Type):
            return self._number
        if isinstance(type_, ir.VectorType):
            element = self[type_.element_type]
            return ir.VectorType.get(type_.shape, element, scalable=list(type_.scalable_dims))
        if isinstance(type_, llvm.ArrayType):
            return llvm.ArrayType.get(self[type_.element_type], type_.num_elements)
        if isinstance(type_, llvm.StructType) and not type_.opaque:
            return self._struct(type_)
        if isinstance(type_, llvm.FunctionType):
            inputs = [self[one] for one in type_.inputs]
            return llvm.FunctionType.get(self[type_.return_type], inputs, is_var_arg=type_.is_var_arg)
        return type_

    def _struct(self, type_: llvm.StructType) -> ir.Type:
        body = [self[one] for one in type_.body]
        if body == list(type_.body):
            return type_
        if type_.name is not None:
            return llvm.StructType.new_identified(type_.name, body, packed=type_.packed)
        return llvm.StructType.get_literal(body, packed=type_.packed)


def recast(value: ir.Value, source: ir.Type, target: ir.Type) -> ir.Value:
    """Cast `value`, which has or will have type `source`, to `target`, with the same bits."""
    if source == target:
        return value
    if isinstance(source, llvm.StructType) and isinstance(target, llvm.StructType):
        parts = list(zip(source.body, target.body, strict=True))
    elif isinstance(source, llvm.ArrayType) and isinstance(target, llvm.ArrayType):
        parts = [(source.element_type, target.element_type)] * source.num_elements
    else:
        return llvm.bitcast(target, value)
    result = llvm.mlir_poison(target)
    for place, (old, new) in enumerate(parts):
        part = recast(llvm.extractvalue(old, value, [place]), old, new)
        result = llvm.insertvalue(result, part, [place], results=[target])
    return result
