"""Function signatures with buffers: argument and result types, and the entry and exit of a function.

``infer-layout-map`` (the default): arguments may have any strided layout, as callers may pass any; a result has the
layout of the buffer that is returned. ``fully-dynamic-layout-map``: results too may have any. ``identity-layout-map``:
arguments and results are contiguous, and a buffer that is not is copied, never cast, so no stride is lost.
"""

from __future__ import annotations

import enum

from mlir import ir

from ...dialects.bufferizable import is_tensor
from ...dialects.memref_types import dynamic_layout_type, identity_type
from ..analysis.module_analysis import ModuleAnalysis
from .rewriter import BufferRewriter

__all__ = ["Boundary", "BoundaryLayout"]


class BoundaryLayout(enum.Enum):
    """Values of the option ``function-boundary-type-conversion``; names and meanings are upstream's."""

    INFER = "infer-layout-map"
    DYNAMIC = "fully-dynamic-layout-map"
    IDENTITY = "identity-layout-map"


_ANALYSIS_ATTRIBUTES = ("bufferization.writable", "bufferization.access", "bufferization.buffer_layout")


class Boundary:
    """Converts signatures under one layout rule."""

    def __init__(self, layout: BoundaryLayout) -> None:
        self._layout = layout

    def _type(self, type_: ir.Type) -> ir.Type:
        if not is_tensor(type_):
            return type_
        return identity_type(type_) if self._layout is BoundaryLayout.IDENTITY else dynamic_layout_type(type_)

    @staticmethod
    def _function_type(function: ir.Operation) -> ir.FunctionType:
        return ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)

    def declare(self, analysis: ModuleAnalysis, rewriter: BufferRewriter) -> None:
        """Set the types of functions that must be known before any body is: declarations and recursive ones."""
        s = analysis.snapshot
        bodies = {function.function for function in analysis.functions}
        for op in (op for region in s.op_regions[0] for block in region for op in s.block_ops[block]):
            if s.op_name[op] != "func.func":
                continue
            function = s.ops[op]
            name = ir.StringAttr(function.attributes["sym_name"]).value
            type_ = self._function_type(function)
            converted = ir.FunctionType.get(
                [self._type(t) for t in type_.inputs], [self._type(t) for t in type_.results]
            )
            if op not in bodies:
                if converted != type_:
                    rewriter.signatures[name] = converted
                    function.attributes["function_type"] = ir.TypeAttr.get(converted)
                    _drop_attributes(function)
            elif name in analysis.recursive:
                rewriter.signatures[name] = converted

    def enter(self, function: ir.Operation, rewriter: BufferRewriter) -> None:
        """Give ``function`` new arguments, with memrefs for tensors; the old ones stay until :meth:`finish`."""
        block = function.regions[0].blocks[0]
        for argument in list(block.arguments):
            new = block.add_argument(self._type(argument.type), argument.location)
            if is_tensor(argument.type):
                rewriter.hold(argument, new)
            else:
                argument.replace_all_uses_with(new)

    def finish(self, function: ir.Operation, rewriter: BufferRewriter) -> None:
        """Drop the old arguments, which nothing uses any more, and give ``function`` the type that it now has."""
        block = function.regions[0].blocks[0]
        for _ in range(len(block.arguments) // 2):
            block.erase_argument(0)
        name = ir.StringAttr(function.attributes["sym_name"]).value
        terminator = list(block.operations)[-1].operation
        declared = rewriter.signatures.get(name)
        for index, value in enumerate(list(terminator.operands)):
            wanted = self._result_type(value.type) if declared is None else declared.results[index]
            if wanted != value.type:
                with ir.InsertionPoint(terminator):
                    terminator.operands[index] = rewriter.cast(value, wanted)
        converted = ir.FunctionType.get([a.type for a in block.arguments], [v.type for v in terminator.operands])
        rewriter.signatures[name] = converted
        function.attributes["function_type"] = ir.TypeAttr.get(converted)
        _drop_attributes(function)

    def _result_type(self, type_: ir.Type) -> ir.Type:
        """Return the type that a returned buffer of ``type_`` is to have."""
        if self._layout is BoundaryLayout.INFER or not isinstance(type_, ir.MemRefType):
            return type_
        tensor = ir.RankedTensorType.get(type_.shape, type_.element_type)
        make = identity_type if self._layout is BoundaryLayout.IDENTITY else dynamic_layout_type
        return make(tensor, type_.memory_space)


def _drop_attributes(function: ir.Operation) -> None:
    """Remove the attributes that steer bufferization: they are not allowed on memref arguments."""
    if "arg_attrs" not in function.attributes:
        return
    kept = [
        ir.DictAttr.get({a.name: a.attr for a in entry if a.name not in _ANALYSIS_ATTRIBUTES})
        for entry in function.attributes["arg_attrs"]
    ]
    if any(len(entry) for entry in kept):
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(kept)
    else:
        del function.attributes["arg_attrs"]
