"""The native code of `trampolines.py`, which reads the records of `trampoline_records.py`.

Offsets in Python's and NumPy's objects are those of CPython 3.10 to 3.13 and of NumPy's C interface, which
`trampolines.py` checks in the process.
"""

from __future__ import annotations

from enum import IntEnum

from ..native.shorthand import declaration, expand
from .trampoline_answers import FREE, RESULT, RUN
from .trampoline_matching import MATCH
from .trampoline_records import (
    ArgumentRecord,
    BoundRecord,
    HeadRecord,
    OutRecord,
    PairRecord,
    PlanRecord,
    ResultRecord,
    SpanRecord,
)

__all__ = ["ADDRESSES", "trampoline_module"]

ADDRESSES = "inplace_trampolines"
"""The function that stores the addresses of the trampolines: that of calls, then that of bound calls."""


_RECORDS: dict[str, type[IntEnum]] = {
    "head": HeadRecord,
    "plan": PlanRecord,
    "argument": ArgumentRecord,
    "pair": PairRecord,
    "span": SpanRecord,
    "out": OutRecord,
    "result": ResultRecord,
    "bound": BoundRecord,
}
_FUNCTIONS = {
    "PyTuple_GetItem": "pw p",
    "PyLong_AsVoidPtr": "p p",
    "PyLong_AsLongLongAndOverflow": "pp w",
    "PyEval_SaveThread": " p",
    "PyEval_RestoreThread": "p v",
    "Py_IncRef": "p v",
    "Py_DecRef": "p v",
    "PyTuple_New": "w p",
    "PyCapsule_New": "ppp p",
    "PyCapsule_SetContext": "pp i",
    "PyCapsule_GetContext": "p p",
    "PyCapsule_GetPointer": "pp p",
    "PyTuple_SetItem": "pwp i",
    "PyLong_FromLongLong": "w p",
    "PyBool_FromLong": "w p",
    "PyObject_CallNoArgs": "p p",
    "PyObject_CallOneArg": "pp p",
    "inplace_result": "wwwww p",
}
_BY_ADDRESS = {"new_array": "ppipppip p", "set_base": "pp i", "function": "p w", "release": "p v"}

_BOUND = """
%tuple = llvm.ptrtoint %self : !llvm.ptr to i64
number = PyTuple_GetItem(tuple, 0)
bound = PyLong_AsVoidPtr(number)
busy = bound.BUSY
missed = bound.MISS
if busy == 0 -> ^run, ^miss
^miss:
Py_IncRef(missed)
return missed
^run:
function = bound.FUNCTION
table = bound.TABLE
bound.BUSY := 1
state = PyEval_SaveThread()
failure = function(table)
PyEval_RestoreThread(state)
bound.BUSY := 0
if failure == 0 -> ^fine, ^given_up
^given_up:
raise = bound.RAISE
code = PyLong_FromLongLong(failure)
if code == 0 -> ^no_code, ^raise
^no_code:
return 0
^raise:
nothing = PyObject_CallOneArg(raise, code)
Py_DecRef(code)
return nothing
^fine:
result = bound.RESULT
Py_IncRef(result)
return result
"""


_STORE_ADDRESSES = f"""
llvm.func @{ADDRESSES}(%to: !llvm.ptr) attributes {{llvm.emit_c_interface}} {{
  %call = llvm.mlir.addressof @inplace_call : !llvm.ptr
  %bound_call = llvm.mlir.addressof @inplace_bound_call : !llvm.ptr
  %second = llvm.getelementptr %to[1] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %call, %to : !llvm.ptr, !llvm.ptr
  llvm.store %bound_call, %second : !llvm.ptr, !llvm.ptr
  llvm.return
}}"""


def trampoline_module() -> str:
    """The module of the trampolines, in the LLVM dialect."""
    c_functions = {name: kinds for name, kinds in _FUNCTIONS.items() if not name.startswith("inplace_")}
    return "\n".join(
        [
            *(declaration(name, kinds) for name, kinds in {**c_functions, "PyFloat_FromDouble": "d p"}.items()),
            "llvm.func @inplace_call(%self: !llvm.ptr, %given: !llvm.ptr, %count: i64) -> !llvm.ptr {",
            expand(MATCH + RUN, _RECORDS, _FUNCTIONS | _BY_ADDRESS),
            "}",
            "llvm.func @inplace_result(%result: i64, %frame: i64, %arguments: i64, %outs: i64, %head: i64)"
            ' -> !llvm.ptr attributes {sym_visibility = "private"} {',
            expand(RESULT, _RECORDS, _FUNCTIONS | _BY_ADDRESS),
            "}",
            'llvm.func @inplace_free(%self: !llvm.ptr) attributes {sym_visibility = "private"} {',
            expand(FREE, _RECORDS, _FUNCTIONS | _BY_ADDRESS),
            "}",
            "llvm.func @inplace_bound_call(%self: !llvm.ptr, %none: !llvm.ptr) -> !llvm.ptr {",
            expand(_BOUND, _RECORDS, _FUNCTIONS | _BY_ADDRESS),
            "}",
            _STORE_ADDRESSES,
        ]
    )
