"""The native code of a call whose plan is found: new arrays for results, the call itself, and what Python gets.

It is the second half of a trampoline (`trampoline_code.py`), behind `trampoline_matching.py`.
"""

from __future__ import annotations

from .trampoline_records import OutRecord, ResultRecord

__all__ = ["FREE", "RESULT", "RUN"]

RUN = f"""
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
"""From `^fresh`, which makes new arrays, or `^run` to the results; whatever was made is dropped where it fails."""

RESULT = """
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
"""One result as an object of Python: an argument, an array made before the call, a number, or an array of its own."""

FREE = """
%capsule = llvm.ptrtoint %self : !llvm.ptr to i64
free_at = PyCapsule_GetContext(capsule)
memory = PyCapsule_GetPointer(capsule, 0)
release = free_at[0]
release(memory)
llvm.return
"""
"""Gives the memory of a result back, when the capsule that owns it is dropped."""
