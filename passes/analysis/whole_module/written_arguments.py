"""Which arguments of public functions are written in place although they are not marked as writable.

The pass keeps upstream's default: a function owns its arguments. A caller outside of the module may not expect that its
array is changed. Such an argument should be marked ``bufferization.writable``, either true or false.

Contract: reads finished decisions, changes nothing. Linear in arguments and writes; no more than a few hundred writes
are checked for one argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mlir import ir

from ..effects.summary import declared_writable
from ..in_place.function_decisions import FunctionAnalysis
from ..ir.symbols import is_public
from .explain import describe_place
from .module import ModuleAnalysis

__all__ = ["find_written_arguments"]

_MANY = 256


def find_written_arguments(analysis: ModuleAnalysis) -> Iterator[tuple[int, str, tuple[str, ir.Location]]]:
    """Yield the arguments of public functions that are written in place and not marked ``bufferization.writable``.

    Each is given by its value number, with the warning and the note that names the write.
    """
    s = analysis.snapshot
    for function in analysis.functions:
        op = s.ops[function.function]
        if not is_public(op):
            continue
        name = ir.StringAttr(op.attributes["sym_name"]).value
        for argument in s.arguments(s.op_regions[function.function][0][0]):
            index = s.value_index[argument]
            says_nothing = s.value_is_tensor[argument] and declared_writable(op, index) is None
            write = _first_write(function, argument) if says_nothing else -1
            if write >= 0:
                text = (
                    f"argument #{index} of public function '{name}' is written in place, which changes the caller's "
                    "array; mark it bufferization.writable = true if callers expect that, or = false to have a copy "
                    "written instead"
                )
                note = f"{describe_place(s, write)} writes the buffer", s.ops[s.operand_op[write]].location
                yield argument, text, note


def _first_write(function: FunctionAnalysis, argument: int) -> int:
    """Return the first operand whose op changes the buffer of ``argument``; -1 if none does."""
    sets = function.sets
    for write in sorted(islice(sets.storage(argument).writes, _MANY), key=lambda write: write.position):
        redundant = write.operand in function.redundant_writes
        if not redundant and sets.have_common_origin(write.value, argument):
            return write.operand
    return -1
