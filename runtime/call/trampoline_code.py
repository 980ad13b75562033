"""The native code of `trampolines.py`, which reads the records of `trampoline_records.py`.

Offsets in Python's and NumPy's objects are those of CPython 3.10 to 3.13 and of NumPy's C interface, which
`trampolines.py` checks in the process.
"""

from __future__ import annotations

from enum import IntEnum

from ..native.shorthand import declaration, expand
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

__all__ = ["ADDRESSES", "MOST_OUTS", "trampoline_module"]

ADDRESSES = "inplace_trampolines"
"""The function that stores the addresses of the trampolines: that of calls, then that of bound calls."""

MOST_OUTS = 16
"""How many results may be written by native code to new arrays."""


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

_CALL = f"""
%outs_at = llvm.alloca %k{MOST_OUTS} x i64 : (i64) -> !llvm.ptr
%overflow_at = llvm.alloca %k1 x i64 : (i64) -> !llvm.ptr
%tuple = llvm.ptrtoint %self : !llvm.ptr to i64
%arguments = llvm.ptrtoint %given : !llvm.ptr to i64
%outs = llvm.ptrtoint %outs_at : !llvm.ptr to i64
%overflow = llvm.ptrtoint %overflow_at : !llvm.ptr to i64
number = PyTuple_GetItem(tuple, 0)
head = PyLong_AsVoidPtr(number)
array_type = head.ARRAY_TYPE
target = arguments[0]
first = head.FIRST
jump ^plan(first)

^plan(plan):
if plan == 0 -> ^miss, ^try
^miss:
missed = head.MISS
Py_IncRef(missed)
return missed
^next:
following = plan.NEXT
jump ^plan(following)
^try:
wanted = plan.ARGUMENTS
with_out = wanted + 1
busy = plan.BUSY
if with_out == count -> ^idle, ^next
^idle:
argument_first = plan.ARGUMENT
frame = plan.FRAME
if busy == 0 -> ^argument(0, argument_first), ^next

^argument(index, argument):
if index == wanted -> ^arguments_fit, ^look
^look:
index_next = index + 1
argument_next = argument + {len(ArgumentRecord) * 8}
offset = index_next * 8
object_place = arguments + offset
object = object_place[0]
type = object[8]
type_wanted = argument.TYPE
place = argument.PLACE
slot = frame + place
if type == type_wanted -> ^typed, ^next
^typed:
kind = argument.KIND
switch kind -> ^next, ^array, ^f64, ^f32, ^i64, ^i32, ^i1

^array:
dtype = object[56]
dtype_wanted = argument.DTYPE
if dtype == dtype_wanted -> ^rank, ^next
^rank:
rank = object[24]:i32
rank_wanted = argument.RANK
if rank == rank_wanted -> ^flags, ^next
^flags:
flags = object[64]:i32
flags_wanted = argument.FLAGS
flags_had = flags & flags_wanted
if flags_had == flags_wanted -> ^alignment, ^next
^alignment:
data = object[16]
mask = argument.MASK
rest = data & mask
sizes = object[32]
strides = object[40]
sizes_wanted = argument.SIZES
length = rank * 8
strides_wanted = sizes_wanted + length
if rest == 0 -> ^dimension(0), ^next
^dimension(at):
if at == length -> ^array_fits, ^size
^size:
at_next = at + 8
size_at = sizes + at
size = size_at[0]
size_wanted_at = sizes_wanted + at
size_wanted = size_wanted_at[0]
stride_at = strides + at
stride = stride_at[0]
stride_wanted_at = strides_wanted + at
stride_wanted = stride_wanted_at[0]
if size == size_wanted -> ^stride, ^next
^stride:
if stride == stride_wanted -> ^dimension(at_next), ^next
^array_fits:
back = argument.BACK
address = data - back
slot[0] := address
jump ^argument(index_next, argument_next)

^f64:
double = object[16]
slot[0] := double
jump ^argument(index_next, argument_next)
^f32:
wide_bits = object[16]
%wide = llvm.bitcast %wide_bits : i64 to f64
%single = llvm.fptrunc %wide : f64 to f32
%single_bits = llvm.bitcast %single : f32 to i32
%bits = llvm.zext %single_bits : i32 to i64
exponent = bits & 2139095040
if exponent == 2139095040 -> ^next, ^f32_fits
^f32_fits:
%slot_f32 = llvm.inttoptr %slot : i64 to !llvm.ptr
llvm.store %single, %slot_f32 : f32, !llvm.ptr
jump ^argument(index_next, argument_next)
^i64:
overflow[0] := 0
integer = PyLong_AsLongLongAndOverflow(object, overflow)
beyond = overflow[0]:i32
if beyond == 0 -> ^i64_fits, ^next
^i64_fits:
slot[0] := integer
jump ^argument(index_next, argument_next)
^i32:
overflow[0] := 0
number_i32 = PyLong_AsLongLongAndOverflow(object, overflow)
beyond_i32 = overflow[0]:i32
%narrow = llvm.trunc %number_i32 : i64 to i32
%again = llvm.sext %narrow : i32 to i64
if again == number_i32 -> ^i32_in_64, ^next
^i32_in_64:
if beyond_i32 == 0 -> ^i32_fits, ^next
^i32_fits:
%slot_i32 = llvm.inttoptr %slot : i64 to !llvm.ptr
llvm.store %narrow, %slot_i32 : i32, !llvm.ptr
jump ^argument(index_next, argument_next)
^i1:
true = head.TRUE
%is_true = llvm.icmp "eq" %object, %true : i64
%byte = llvm.zext %is_true : i1 to i8
%slot_i1 = llvm.inttoptr %slot : i64 to !llvm.ptr
llvm.store %byte, %slot_i1 : i8, !llvm.ptr
jump ^argument(index_next, argument_next)

^arguments_fit:
pairs = plan.PAIRS
pair_first = plan.PAIR
jump ^pair(0, pair_first)
^pair(pair_index, pair):
pair_next = pair + {len(PairRecord) * 8}
pair_index_next = pair_index + 1
if pair_index == pairs -> ^arrays_fit, ^meets
^meets:
one_place = pair.PLACE
one_at = frame + one_place
one = one_at[0]
one_low_by = pair.LOW
one_high_by = pair.HIGH
one_low = one + one_low_by
one_high = one + one_high_by
other_place = pair.OTHER_PLACE
other_at = frame + other_place
other = other_at[0]
other_low_by = pair.OTHER_LOW
other_high_by = pair.OTHER_HIGH
other_low = other + other_low_by
other_high = other + other_high_by
if one_low < other_high -> ^meets_below, ^pair(pair_index_next, pair_next)
^meets_below:
if other_low < one_high -> ^next, ^pair(pair_index_next, pair_next)

^arrays_fit:
none = head.NONE
count_outs = plan.OUTS
out_first = plan.OUT
if target == none -> ^fresh, ^into
^into:
takes_out = plan.TAKES_OUT
if takes_out == 0 -> ^next, ^into_type
^into_type:
target_type = target[8]
if target_type == array_type -> ^into_dtype, ^next
^into_dtype:
target_dtype = target[56]
out_dtype = out_first.DTYPE
if target_dtype == out_dtype -> ^into_rank, ^next
^into_rank:
target_rank = target[24]:i32
out_rank = out_first.RANK
if target_rank == out_rank -> ^into_flags, ^next
^into_flags:
target_flags = target[64]:i32
target_usual = target_flags & 1281
if target_usual == 1281 -> ^into_alignment, ^next
^into_alignment:
target_data = target[16]
target_mask = out_first.MASK
target_rest = target_data & target_mask
target_sizes = target[32]
out_sizes = out_first.SIZES
target_length = target_rank * 8
if target_rest == 0 -> ^into_dimension(0), ^next
^into_dimension(into_at):
if into_at == target_length -> ^into_span_first, ^into_size
^into_size:
into_next = into_at + 8
target_size_at = target_sizes + into_at
target_size = target_size_at[0]
out_size_at = out_sizes + into_at
out_size = out_size_at[0]
if target_size == out_size -> ^into_dimension(into_next), ^next
^into_span_first:
target_bytes = out_first.BYTES
target_end = target_data + target_bytes
spans = plan.SPANS
span_first = plan.SPAN
jump ^span(0, span_first)
^span(span_index, span):
span_next = span + {len(SpanRecord) * 8}
span_index_next = span_index + 1
if span_index == spans -> ^into_fits, ^span_meets
^span_meets:
span_place = span.PLACE
span_at = frame + span_place
span_address = span_at[0]
span_low_by = span.LOW
span_high_by = span.HIGH
span_low = span_address + span_low_by
span_high = span_address + span_high_by
if span_low < target_end -> ^span_below, ^span(span_index_next, span_next)
^span_below:
if target_data < span_high -> ^next, ^span(span_index_next, span_next)
^into_fits:
into_place = out_first.PLACE
into_slot = frame + into_place
into_slot[0] := target_data
Py_IncRef(target)
outs[0] := target
jump ^run

^fresh:
plan.BUSY := 1
jump ^make(0, out_first)
^make(out_index, out):
if out_index == count_outs -> ^run, ^block
^block:
out_index_next = out_index + 1
out_next = out + {len(OutRecord) * 8}
new_array = head.NEW_ARRAY
set_base = head.SET_BASE
take = out.TAKE
if take == 0 -> ^new_block, ^pool
^pool:
pooled = PyObject_CallNoArgs(take)
jump ^memory(pooled)
^new_block:
byte_dtype = head.BYTE
Py_IncRef(byte_dtype)
block_size = out + {OutRecord.BLOCK * 8}
new_memory = new_array(array_type, byte_dtype, 1, block_size, 0, 0, 0, 0)
jump ^memory(new_memory)
^memory(memory):
if memory == 0 -> ^not_made(out_index), ^aligned
^aligned:
memory_data = memory[16]
out_alignment = out.ALIGNMENT
least = out_alignment - 1
behind = memory_data + least
over = behind & least
start = behind - over
made_dtype = out.DTYPE
made_rank = out.RANK
made_sizes = out.SIZES
Py_IncRef(made_dtype)
made = new_array(array_type, made_dtype, made_rank, made_sizes, 0, start, 1281, 0)
if made == 0 -> ^no_array, ^array_made
^no_array:
Py_DecRef(memory)
jump ^not_made(out_index)
^array_made:
refused = set_base(made, memory)
outs_offset = out_index * 8
outs_slot = outs + outs_offset
outs_slot[0] := made
out_place = out.PLACE
out_slot = frame + out_place
out_slot[0] := start
if refused == 0 -> ^make(out_index_next, out_next), ^not_made(out_index_next)
^not_made(made_before):
plan.BUSY := 0
jump ^failed(made_before)
^failed(left):
if left == 0 -> ^give_up, ^drop
^drop:
left_less = left - 1
left_offset = left_less * 8
left_slot = outs + left_offset
left_array = left_slot[0]
Py_DecRef(left_array)
jump ^failed(left_less)
^give_up:
return 0

^run:
function = plan.FUNCTION
table = plan.TABLE
plan.BUSY := 1
state = PyEval_SaveThread()
failure = function(table)
PyEval_RestoreThread(state)
plan.BUSY := 0
results = plan.RESULTS
result_first = plan.RESULT
if failure == 0 -> ^fine, ^given_up
^given_up:
raise = head.RAISE
code = PyLong_FromLongLong(failure)
if code == 0 -> ^failed(count_outs), ^raise
^raise:
nothing = PyObject_CallOneArg(raise, code)
Py_DecRef(code)
jump ^failed(count_outs)
^fine:
if results == 0 -> ^nothing, ^something
^nothing:
Py_IncRef(none)
return none
^something:
if results == 1 -> ^one, ^several
^one:
only = inplace_result(result_first, frame, arguments, outs, head)
return only
^several:
all = PyTuple_New(results)
if all == 0 -> ^failed(count_outs), ^result(0, result_first)
^result(result_index, result):
result_index_next = result_index + 1
result_next = result + {len(ResultRecord) * 8}
if result_index == results -> ^complete, ^take
^take:
taken = inplace_result(result, frame, arguments, outs, head)
if taken == 0 -> ^no_result, ^taken
^taken:
ignored = PyTuple_SetItem(all, result_index, taken)
jump ^result(result_index_next, result_next)
^no_result:
Py_DecRef(all)
return 0
^complete:
return all
"""
_RESULT = """
kind = result.KIND
value = result.VALUE
number = value * 8
place = frame + value
%place_at = llvm.inttoptr %place : i64 to !llvm.ptr
switch kind -> ^argument, ^argument, ^out, ^f64, ^f32, ^i64, ^i32, ^i1, ^array
^argument:
argument_at = arguments + number
argument_given = argument_at[8]
Py_IncRef(argument_given)
return argument_given
^out:
out_at = outs + number
made = out_at[0]
return made
^f64:
%double = llvm.load %place_at : !llvm.ptr -> f64
%float = llvm.call @PyFloat_FromDouble(%double) : (f64) -> !llvm.ptr
llvm.return %float : !llvm.ptr
^f32:
%single = llvm.load %place_at : !llvm.ptr -> f32
%wide = llvm.fpext %single : f32 to f64
%float_of_single = llvm.call @PyFloat_FromDouble(%wide) : (f64) -> !llvm.ptr
llvm.return %float_of_single : !llvm.ptr
^i64:
long = place[0]
integer = PyLong_FromLongLong(long)
return integer
^i32:
int = place[0]:i32
integer_of_int = PyLong_FromLongLong(int)
return integer_of_int
^i1:
%byte = llvm.load %place_at : !llvm.ptr -> i8
%bit = llvm.zext %byte : i8 to i64
bool = PyBool_FromLong(bit)
return bool

^array:
%strides_at = llvm.alloca %k64 x i64 : (i64) -> !llvm.ptr
%strides = llvm.ptrtoint %strides_at : !llvm.ptr to i64
allocated = place[0]
aligned = place[8]
first_element = place[16]
sizes = place + 24
rank = result.RANK
item = result.ITEM_BYTES
length = rank * 8
steps = sizes + length
by = first_element * item
data = aligned + by
jump ^stride(0)
^stride(at):
if at == length -> ^owner, ^one_stride
^one_stride:
at_next = at + 8
step_at = steps + at
step = step_at[0]
stride = step * item
stride_at = strides + at
stride_at[0] := stride
jump ^stride(at_next)
^owner:
free_at = result.FREE
%free_capsule = llvm.mlir.addressof @inplace_free : !llvm.ptr
%destructor = llvm.ptrtoint %free_capsule : !llvm.ptr to i64
capsule = PyCapsule_New(allocated, 0, destructor)
if capsule == 0 -> ^no_owner, ^owned
^no_owner:
release = free_at[0]
release(allocated)
return 0
^owned:
done = PyCapsule_SetContext(capsule, free_at)
array_type = head.ARRAY_TYPE
new_array = head.NEW_ARRAY
set_base = head.SET_BASE
dtype = result.DTYPE
Py_IncRef(dtype)
array = new_array(array_type, dtype, rank, sizes, strides, data, 1024, 0)
if array == 0 -> ^no_array, ^array_made
^no_array:
Py_DecRef(capsule)
return 0
^array_made:
refused = set_base(array, capsule)
return array
"""
_FREE = """
%capsule = llvm.ptrtoint %self : !llvm.ptr to i64
free_at = PyCapsule_GetContext(capsule)
memory = PyCapsule_GetPointer(capsule, 0)
release = free_at[0]
release(memory)
llvm.return
"""
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
            expand(_CALL, _RECORDS, _FUNCTIONS | _BY_ADDRESS),
            "}",
            "llvm.func @inplace_result(%result: i64, %frame: i64, %arguments: i64, %outs: i64, %head: i64)"
            ' -> !llvm.ptr attributes {sym_visibility = "private"} {',
            expand(_RESULT, _RECORDS, _FUNCTIONS | _BY_ADDRESS),
            "}",
            'llvm.func @inplace_free(%self: !llvm.ptr) attributes {sym_visibility = "private"} {',
            expand(_FREE, _RECORDS, _FUNCTIONS | _BY_ADDRESS),
            "}",
            "llvm.func @inplace_bound_call(%self: !llvm.ptr, %none: !llvm.ptr) -> !llvm.ptr {",
            expand(_BOUND, _RECORDS, _FUNCTIONS | _BY_ADDRESS),
            "}",
            _STORE_ADDRESSES,
        ]
    )
