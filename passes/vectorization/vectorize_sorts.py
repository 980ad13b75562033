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
from ..framework.sort_attributes import SortForm, SortFunction
from ..scheduling.rewriting.linalg_ops import read_machine

_BITS = 512
_ELEMENTS = ("f32", "f64", "i32", "i64")
_FEWEST = 2048
"""Elements in all sorts of a type; with fewer they stay as they are."""


@frozen
class VectorizeSortsOptions(PassOptions):
    """Options of `inplace-vectorize-sorts`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'vector-bits=256'")


def _recognized(function: ir.Operation) -> SortFunction | None:
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
    return SortFunction(function, form, type_, kind) if is_plain else None


def _worth_compiling(sorts: list[SortFunction]) -> list[SortFunction]:
    """The sorts of kinds that have elements enough, in all their lines together."""
    elements = Counter[str]()
    for sort in sorts:
        elements[sort.kind] += math.prod(sort.type.shape)
    return [sort for sort in sorts if elements[sort.kind] >= _FEWEST]


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
        from .rewriting.sort_functions import text_of_sorts

        parsed = ir.Module.parse(text_of_sorts(sorts), op.context)
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
