"""Sort in vectors, on machines that move the lanes together where a mask holds.

In: functions of one contiguous memref that say how they sort it (`passes/framework/sort_attributes.py`), which sorts of
StableHLO become, for machines with vectors of 512 bits. Out: they sort each line by a quicksort in vectors, whose
functions are those of all sorts of one type of elements: `rewriting/quicksort.py` and `rewriting/sort_lines.py`. Other
functions, and lines of other types than f32, f64, i32 and i64, stay as they are; so do all sorts of a type that has
fewer than 2048 elements to sort: compiling the functions takes 0.2 s, which a few microseconds in a call are not worth.

```text
func.func private @sort(%x: memref<5x1000xf32>)
    attributes {inplace.sort = {descending = false, dim = 1 : i64, order = "numbers"}} {
  ...
}
```

becomes

```text
func.func private @sort(%x: memref<5x1000xf32>) {
  spare = memref.alloc : memref<1000xf32>
  for each row: call @sort_line_numbers_f32(row, spare, 1000, descending)
}
```

A line of n elements takes n log n steps of 16 lanes of 32 bits, or 8 of 64, and n elements of memory besides; if it has
NaN or -0, which are equal to others that are not alike, 2 n more.

Upstream counterpart: none.
"""

from __future__ import annotations

import math
from collections import Counter

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from ..framework.sort_attributes import SortForm
from ..scheduling.rewriting.linalg_ops import read_machine
from .rewriting.quicksort import MOST
from .rewriting.sort_code import SortCode
from .rewriting.sort_lines import LINE_TYPES, line_function, write_line_sort, write_number_sort

_BITS = 512
_ELEMENTS = ("f32", "f64", "i32", "i64")
_FEWEST = 2048
"""Elements in all sorts of a type; with fewer they stay as they are."""


@frozen
class VectorizeSortsOptions(PassOptions):
    """Options of `inplace-vectorize-sorts`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'vector-bits=256'")


@frozen
class _Sort:
    """What a function sorts: a memref of `type`, as numbers of `kind`, in an order."""

    function: ir.Operation
    form: SortForm
    type: ir.MemRefType
    kind: str


def _recognized(function: ir.Operation) -> _Sort | None:
    """What `function` sorts, if it says and does so, and its lines lie one after the other. Changes nothing."""
    form = SortForm.of(function)
    signature = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    if form is None or len(signature.inputs) != 1 or signature.results or not function.regions[0].blocks:
        return None
    type_ = signature.inputs[0]
    if not isinstance(type_, ir.MemRefType):
        return None
    element = str(type_.element_type)
    if element not in _ELEMENTS or form.dim != type_.rank - 1 or not type_.has_static_shape:
        return None
    is_plain = type_.affine_map == ir.AffineMap.get_identity(type_.rank) and type_.memory_space is None
    kind = {"total": element.replace("f", "i"), "unsigned": f"u{element}"}.get(form.order, element)
    return _Sort(function, form, type_, kind) if is_plain else None


def _replaced(sort: _Sort) -> str:
    """The text of the function that sorts in vectors."""
    code = SortCode(sort.kind)
    size = sort.type.shape[-1]
    memory = f"memref<{size}x{sort.type.element_type}>"
    name = ir.StringAttr(sort.function.attributes["sym_name"]).value
    with code.function(name, f"%x: {sort.type}"):
        data = spare = _pointer(code, "%x", str(sort.type))
        if size > MOST * code.lanes:
            code.do(f"%spare = memref.alloc() {{alignment = 64 : i64}} : {memory}")
            spare = _pointer(code, "%spare", memory)
        down = code.get(f"arith.constant {str(sort.form.descending).lower()}")
        lines = math.prod(sort.type.shape[:-1])
        with code.loop(code.number(0), code.number(lines * size), size) as names:
            line = line_function(sort.kind, sort.form.order)
            code.call(line, code.at(data, names[0]), spare, code.number(size), down, types=LINE_TYPES)
        if size > MOST * code.lanes:
            code.do(f"memref.dealloc %spare : {memory}")
    return code.text()


def _worth_compiling(sorts: list[_Sort]) -> list[_Sort]:
    """The sorts of kinds that have elements enough, in all their lines together."""
    elements = Counter[str]()
    for sort in sorts:
        elements[sort.kind] += math.prod(sort.type.shape)
    return [sort for sort in sorts if elements[sort.kind] >= _FEWEST]


def _pointer(code: SortCode, value: str, type_: str) -> str:
    address = code.get(f"memref.extract_aligned_pointer_as_index {value} : {type_} -> index")
    return code.get(f"llvm.inttoptr {code.get(f'arith.index_cast {address} : index to i64')} : i64 to !llvm.ptr")


def _text(sorts: list[_Sort]) -> str:
    """The text of a module with the functions of all sorts, each once."""
    parts: list[str] = []
    for kind in sorted({sort.kind for sort in sorts}):
        code = SortCode(kind)
        write_number_sort(code)
        for order in sorted({sort.form.order for sort in sorts if sort.kind == kind}):
            write_line_sort(code, order)
        parts.append(code.text())
    return "\n".join([*parts, *map(_replaced, sorts)])


class VectorizeSortsPass(Pass[VectorizeSortsOptions]):
    """Sort in vectors."""

    argument = "inplace-vectorize-sorts"
    summary = "sort lines by a quicksort in vectors of 512 bits"
    Options = VectorizeSortsOptions
    anchor = "builtin.module"
    statistics = (Statistic("sorts", "functions that sort in vectors now"),)

    def run(self, op: ir.Operation) -> None:
        if read_machine(self.options.machine, op).vector_bits < _BITS:
            return
        functions = [inner.operation for inner in op.regions[0].blocks[0] if inner.operation.name == "func.func"]
        sorts = _worth_compiling([sort for function in functions if (sort := _recognized(function)) is not None])
        if not sorts:
            return
        parsed = ir.Module.parse(_text(sorts), op.context)
        replaced = {ir.StringAttr(sort.function.attributes["sym_name"]).value: sort.function for sort in sorts}
        for made in list(parsed.body):
            self._take(op, made.operation, replaced)
        self.count("sorts", len(sorts))

    def _take(self, module: ir.Operation, made: ir.Operation, replaced: dict[str, ir.Operation]) -> None:
        """Move a function to the module, in the place of one of its name that sorts otherwise."""
        made.detach_from_parent()
        old = replaced.get(ir.StringAttr(made.attributes["sym_name"]).value)
        if old is None:
            module.regions[0].blocks[0].append(made)
            return
        for name in old.attributes:
            if name not in made.attributes:
                made.attributes[name] = old.attributes[name]
        SortForm.unmark(made)
        ir.InsertionPoint(old).insert(made)
        old.erase()
