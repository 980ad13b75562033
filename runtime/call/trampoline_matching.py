"""The native code that finds the plan of a call: arguments that fit, arrays apart in memory, and what `out=` gives.

It is the first half of a trampoline (`trampoline_code.py`). What it needs of the second half are the blocks `^fresh`
and `^run` (`trampoline_answers.py`).
"""

from __future__ import annotations

from .trampoline_records import MOST_OUTS, ArgumentRecord, PairRecord, SpanRecord

__all__ = ["MATCH"]

MATCH = f"""
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
"""
"""From the arguments given to the plan of a call; to `^miss` where no plan fits."""
