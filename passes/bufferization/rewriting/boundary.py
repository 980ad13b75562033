"""Function signatures with buffers: argument and result types, and the entry and exit of a function.

``infer-layout-map`` (the default): arguments of public functions may have any strided layout, as callers may pass any;
those of private functions have the join of the layouts at all calls. A result has the layout of the returned buffer.
``fully-dynamic-layout-map``: all arguments and results may have any strided layout. ``identity-layout-map``: they are
contiguous, and a buffer that is not is copied, never cast, so no stride is lost. ``bufferization.buffer_layout`` on an
argument overrides the option.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator

from mlir import ir

from ....dialects.bufferizable import is_tensor
from ....dialects.support.memref_types import dynamic_layout_type, identity_type, joint_type
from ...analysis.effects.summary import buffer_layouts
from ...analysis.whole_module.layouts import Signatures, find_callers, infer_layouts, returned_operands
from ...analysis.whole_module.module import ModuleAnalysis
from .rewriter import BufferRewriter

__all__ = ["BoundaryLayout", "SignatureConverter"]


class BoundaryLayout(enum.Enum):
    """Values of the option ``function-boundary-type-conversion``; names and meanings are upstream's."""

    INFER = "infer-layout-map"
    DYNAMIC = "fully-dynamic-layout-map"
    IDENTITY = "identity-layout-map"


_ANALYSIS_ATTRIBUTES = ("bufferization.writable", "bufferization.access", "bufferization.buffer_layout")


class SignatureConverter:
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

    def _argument_types(self, function: ir.Operation) -> Iterator[ir.Type]:
        """Yield the types of the arguments by the attributes of ``function`` and the option."""
        layouts = buffer_layouts(function)
        for index, type_ in enumerate(self._function_type(function).inputs):
            if index in layouts and is_tensor(type_):
                shaped = ir.ShapedType(type_)
                yield ir.MemRefType.get(shaped.shape, shaped.element_type, layouts[index])
            else:
                yield self._type(type_)

    def declare(self, analysis: ModuleAnalysis, rewriter: BufferRewriter) -> None:
        """Set the types that must be known before any body is converted.

        These are the types of declarations, of all arguments, of results of recursive functions and of loop-carried
        tensors.
        """
        s = analysis.snapshot
        bodies = {function.function for function in analysis.functions}
        declared: dict[str, ir.FunctionType] = {}
        for op in (op for region in s.op_regions[0] for block in region for op in s.block_ops[block]):
            if s.op_name[op] == "func.func" and op not in bodies:
                self._declare_external(s.ops[op], declared)
        rewriter.signatures.update(declared)
        fixed, calls = self._fixed_arguments(analysis)
        known = Signatures(True, fixed, calls, declared, self._result_type)
        rewriter.layouts = {**fixed, **infer_layouts(analysis, known)}
        for op in bodies:
            self._declare_recursive(analysis, op, rewriter)

    def _fixed_arguments(self, analysis: ModuleAnalysis) -> tuple[dict[int, ir.Type], dict[str, tuple[int, ...]]]:
        """Return the types of arguments that do not depend on calls, and the calls that the others depend on."""
        s = analysis.snapshot
        callers = find_callers(analysis) if self._layout is BoundaryLayout.INFER else None
        fixed: dict[int, ir.Type] = {}
        calls: dict[str, tuple[int, ...]] = {}
        for function in analysis.functions:
            op = s.ops[function.function]
            name, stated = _name(op), None
            if callers is not None and name in callers.closed:
                calls[name] = callers.calls[name]
                stated = buffer_layouts(op)
                if not stated:
                    continue
            arguments = s.arguments(s.op_regions[function.function][0][0])
            types = dict(zip(arguments, self._argument_types(op), strict=True))
            if stated is not None:
                types = {argument: type_ for argument, type_ in types.items() if s.value_index[argument] in stated}
            fixed.update((argument, type_) for argument, type_ in types.items() if s.value_is_tensor[argument])
        return fixed, calls

    def _declare_external(self, function: ir.Operation, declared: dict[str, ir.FunctionType]) -> None:
        type_ = self._function_type(function)
        converted = ir.FunctionType.get(list(self._argument_types(function)), [self._type(t) for t in type_.results])
        if converted != type_:
            declared[_name(function)] = converted
            function.attributes["function_type"] = ir.TypeAttr.get(converted)
            _drop_attributes(function)

    def _declare_recursive(self, analysis: ModuleAnalysis, op: int, rewriter: BufferRewriter) -> None:
        """Set the type of a function that is called before its body is converted."""
        s = analysis.snapshot
        name, type_ = _name(s.ops[op]), self._function_type(s.ops[op])
        if name not in analysis.recursive:
            return
        arguments = s.arguments(s.op_regions[op][0][0])
        inputs = [rewriter.layouts.get(a, t) for a, t in zip(arguments, type_.inputs, strict=True)]
        returned = [rewriter.layouts.get(s.operand_value[operand]) for operand in returned_operands(s, op)]
        results: list[ir.Type] = []
        for index, result in enumerate(type_.results):
            found = [t for t in returned[index :: len(type_.results)] if t is not None]
            results.append(self._result_type(joint_type(result, found)) if is_tensor(result) else result)
        rewriter.signatures[name] = ir.FunctionType.get(inputs, results)

    def enter(self, function: ir.Operation, rewriter: BufferRewriter) -> None:
        """Give ``function`` new arguments, with memrefs for tensors; the old ones stay until :meth:`finish`."""
        block = function.regions[0].blocks[0]
        for argument in list(block.arguments):
            if is_tensor(argument.type):
                new = block.add_argument(rewriter.carried_type(argument), argument.location)
                rewriter.hold(argument, new)
            else:
                argument.replace_all_uses_with(block.add_argument(argument.type, argument.location))

    def finish(self, function: ir.Operation, rewriter: BufferRewriter) -> None:
        """Drop the old arguments, which have no uses left, and set the new type of ``function``."""
        block = function.regions[0].blocks[0]
        for _ in range(len(block.arguments) // 2):
            block.erase_argument(0)
        name = _name(function)
        ends = (b.operations[-1].operation for b in function.regions[0].blocks)
        returns = [op for op in ends if op.name == "func.return"]
        declared = rewriter.signatures.get(name)
        results = self._result_types(function, returns) if declared is None else declared.results
        for terminator in returns:
            for index, (value, wanted) in enumerate(zip(list(terminator.operands), results, strict=True)):
                if wanted != value.type:
                    with ir.InsertionPoint(terminator), terminator.location:
                        terminator.operands[index] = rewriter.cast(value, wanted)
        converted = ir.FunctionType.get([a.type for a in block.arguments], results)
        rewriter.signatures[name] = converted
        function.attributes["function_type"] = ir.TypeAttr.get(converted)
        _drop_attributes(function)

    def _result_types(self, function: ir.Operation, returns: list[ir.Operation]) -> list[ir.Type]:
        """Return result types to which all ``returns`` can cast or copy their operands; a function may never return."""
        tensors = self._function_type(function).results
        if not returns:
            return [self._type(type_) for type_ in tensors]
        columns = zip(*(op.operands for op in returns), strict=True)
        types = [[self._result_type(value.type) for value in column] for column in columns]
        return [
            joint_type(tensor, column) if is_tensor(tensor) else tensor
            for tensor, column in zip(tensors, types, strict=True)
        ]

    def _result_type(self, type_: ir.Type) -> ir.Type:
        """Return the result type for a returned buffer of ``type_``."""
        if self._layout is BoundaryLayout.INFER or not isinstance(type_, ir.MemRefType):
            return type_
        tensor = ir.RankedTensorType.get(type_.shape, type_.element_type)
        make = identity_type if self._layout is BoundaryLayout.IDENTITY else dynamic_layout_type
        return make(tensor, type_.memory_space)


def _name(function: ir.Operation) -> str:
    return ir.StringAttr(function.attributes["sym_name"]).value


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
