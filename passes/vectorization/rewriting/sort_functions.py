"""The text of functions that sort in vectors: imported when a program sorts, as few do."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir

from ...framework.sort_attributes import SortFunction
from .quicksort import MOST
from .sort_code import SortCode
from .sort_lines import LINE_TYPES, line_function, write_line_sort, write_number_sort

__all__ = ["text_of_sorts"]


def text_of_sorts(sorts: Sequence[SortFunction]) -> str:
    """The text of a module with the functions of all sorts, each once."""
    parts: list[str] = []
    for kind in sorted({sort.kind for sort in sorts}):
        code = SortCode(kind)
        write_number_sort(code)
        for order in sorted({sort.form.order for sort in sorts if sort.kind == kind}):
            write_line_sort(code, order)
        parts.append(code.text())
    return "\n".join([*parts, *map(_replaced, sorts)])


def _replaced(sort: SortFunction) -> str:
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


def _pointer(code: SortCode, value: str, type_: str) -> str:
    address = code.get(f"memref.extract_aligned_pointer_as_index {value} : {type_} -> index")
    return code.get(f"llvm.inttoptr {code.get(f'arith.index_cast {address} : index to i64')} : i64 to !llvm.ptr")
