"""The boundary of a compiled program: the contract of its arguments before the passes, and the native signature after.

Before bufferization, read-only arguments are marked so. After it, memref arguments are marked for the boundary passes.
The resulting signature is read into a `Form`: the layout each array must have, the out arguments, and for each result
its location after the call.
"""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir
from mlir.dialects import func

from ...dialects.support.memref_types import has_identity_layout
from ...passes.analysis.ir.symbols import is_public
from ...passes.analysis.ir.traversal import find_ops, first_op
from ...passes.framework.contract import ALIGNMENT, CONTIGUOUS, OUT_RESULT, OUT_SIZES, READ_ONLY, RETURNABLE
from ...passes.framework.errors import PassError
from ...passes.functions.rewriting.results import collect_functions, result_arguments
from .forms import Form, Layout, OutArgument
from .signature import BoundaryKind, Signature
from .signature_reading import WRITABLE

_DYNAMIC = ir.ShapedType.get_dynamic_stride_or_offset()
LAYOUT = "bufferization.buffer_layout"
_TENSORS = (ir.RankedTensorType, ir.UnrankedTensorType)


def entry_functions(module: ir.Operation) -> dict[str, func.FuncOp]:
    """The functions a caller outside can name: public, with a body, at the top of the module."""
    found: dict[str, func.FuncOp] = {}
    for op in module.regions[0].blocks[0].operations:
        if isinstance(op, func.FuncOp) and is_public(op) and not op.is_external:
            found[ir.StringAttr(op.operation.attributes["sym_name"]).value] = op
    return found


def separate_entries(module: ir.Operation) -> None:
    """Give each entry point that the module itself calls a private copy, to which those calls go.

    The promises to callers outside (arguments do not change, results are fresh) would cost copies inside.
    """
    entries = entry_functions(module)
    functions = collect_functions(module)
    with module.context:
        symbols = ir.SymbolTable(module)
        copies: dict[str, ir.Attribute] = {}
        for name in entries:
            uses = functions[name]
            if uses.calls:
                copy = uses.function.operation.clone(ir.InsertionPoint(uses.function))
                copy.operation.attributes["sym_visibility"] = ir.StringAttr.get("private")
                symbols.insert(copy)  # which gives it a unique name
                copies[name] = ir.FlatSymbolRefAttr.get(ir.StringAttr(copy.operation.attributes["sym_name"]).value)
    for call in find_ops(module, "func.call") if copies else ():
        callee = ir.FlatSymbolRefAttr(call.attributes["callee"])
        call.attributes["callee"] = copies.get(callee.value, callee)


def protect_arguments(module: ir.Operation, *, contiguous: bool = False) -> None:
    """Set `bufferization.writable = false` on tensor arguments of entry points that do not have the attribute.

    With `contiguous`, ranked ones without a `bufferization.buffer_layout` get the identity layout: then a reshape of an
    argument is a view, while one of a buffer of unknown strides is a copy.
    """
    with module.context:
        no = ir.BoolAttr.get(False)
        for function in entry_functions(module).values():
            known = list(function.arg_attrs)
            added: dict[int, dict[str, ir.Attribute]] = {}
            for number, argument in enumerate(function.arguments):
                if not isinstance(argument.type, _TENSORS):
                    continue
                new = added[number] = {}
                if WRITABLE not in known[number]:
                    new[WRITABLE] = no
                if contiguous and isinstance(argument.type, ir.RankedTensorType) and LAYOUT not in known[number]:
                    new[LAYOUT] = ir.AffineMapAttr.get(ir.AffineMap.get_identity(argument.type.rank))
            _add_argument_attributes(function, added)


def mark_arguments(module: ir.Operation, signatures: Mapping[str, Signature], *, contiguous: bool) -> None:
    """Mark the bufferized arguments for the boundary passes.

    A tensor that may not be changed must not be returned either, another one may be; with `contiguous`, the caller
    promises row-major memory for all tensors. Arguments that were memrefs in the source keep the layout their author
    gave them.
    """
    with module.context:
        mark = ir.UnitAttr.get()
        for name, function in entry_functions(module).items():
            added: dict[int, dict[str, ir.Attribute]] = {}
            for parameter in signatures[name].parameters if name in signatures else ():
                if parameter.type.kind is BoundaryKind.TENSOR:
                    writable = parameter.writable
                    marks = {READ_ONLY: not writable, RETURNABLE: writable, CONTIGUOUS: contiguous}
                    added[parameter.index] = {key: mark for key, is_set in marks.items() if is_set}
            _add_argument_attributes(function, added)


def _add_argument_attributes(function: func.FuncOp, added: Mapping[int, Mapping[str, ir.Attribute]]) -> None:
    """Add attributes to arguments, by number; written once, as all arguments have their attributes in one."""
    if not any(added.values()):
        return
    attributes = list(function.arg_attrs)
    for number, new in added.items():
        old = {entry.name: entry.attr for entry in attributes[number]}
        attributes[number] = ir.DictAttr.get({**old, **new})
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)


def manages_its_memory(module: ir.Operation) -> bool:
    """Whether the program frees buffers itself, so that no deallocation may be added."""
    return first_op(module, lambda op: op.name in ("memref.dealloc", "bufferization.dealloc")) is not None


def demands_alignment(module: ir.Operation) -> bool:
    """Whether any access relies on more than natural alignment, so that results need the alignment of their alloc."""
    allocations = ("memref.alloc", "memref.alloca", "memref.global", "memref.realloc")
    return first_op(module, lambda op: "alignment" in op.attributes and op.name not in allocations) is not None


def read_form(function: func.FuncOp, signature: Signature, *, aligned: bool) -> Form:
    """The native signature of an entry point. `aligned`: the code relies on the alignment of allocations.

    Raises `PassError` if the function is not on memrefs, which only a caller's pipeline can cause.
    """
    layouts: list[Layout | None] = []
    outs: list[OutArgument] = []
    for number, argument in enumerate(function.arguments):
        type_, is_out = argument.type, number >= len(signature.parameters)
        if isinstance(type_, _TENSORS):
            raise PassError(
                f"the pipeline left argument {number} of '{signature.name}' a {type_}; "
                "it must bufferize function boundaries"
            )
        if is_out:
            marks = function.arg_attrs[number]
            if OUT_RESULT not in marks:
                raise PassError(
                    f"the pipeline added argument {number} to '{signature.name}', which callers do not know; "
                    "add it before the program is compiled"
                )
            asked = ir.IntegerAttr(marks[ALIGNMENT]).value if aligned and ALIGNMENT in marks else 1
            result = ir.IntegerAttr(marks[OUT_RESULT]).value
            outs.append(OutArgument(result, _out_shape(ir.MemRefType(type_), marks), asked))
        elif isinstance(type_, ir.MemRefType):
            layouts.append(_layout(argument, type_, signature.parameters[number].type.element.alignment))
        else:
            layouts.append(None)
    results = result_arguments(function) if signature.size_checks is None else ()
    return Form(tuple(layouts), tuple(outs), results)


def _out_shape(type_: ir.MemRefType, marks: ir.DictAttr) -> tuple[int | str, ...]:
    """The sizes of an out argument, with words for those that callers compute."""
    words = iter(ir.ArrayAttr(marks[OUT_SIZES]) if OUT_SIZES in marks else ())
    return tuple(
        ir.StringAttr(next(words)).value if type_.is_dynamic_dim(number) else size
        for number, size in enumerate(type_.shape)
    )


def _layout(argument: ir.Value, type_: ir.MemRefType, natural: int) -> Layout:
    strides, offset = type_.get_strides_and_offset()
    known = [None if number == _DYNAMIC else number for number in (*strides, offset)]
    promised = (
        ir.IntegerAttr(use.owner.operation.attributes["alignment"]).value
        for use in argument.uses
        if use.owner.operation.name == "memref.assume_alignment"
    )
    return Layout(tuple(known[:-1]), known[-1], max([natural, *promised]), has_identity_layout(type_))
