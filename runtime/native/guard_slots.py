"""The context of a call that can be given up, and the slots of the blocks that it has allocated, in native code.

`guard_code.py` makes functions of these texts, and says what a context and a slot are.
"""

from __future__ import annotations

from enum import IntEnum

__all__ = [
    "CONTEXT_BYTES",
    "FAIL",
    "FIRST_BYTES",
    "GROW",
    "JUMP_BYTES",
    "STACK_SLOTS",
    "TRACKED",
    "UNTRACKED",
    "ContextRecord",
]

STACK_SLOTS = 16
"""The blocks for which there is room on the stack."""
_JUMP_WORDS = 64
"""More than the `jmp_buf` of any C library has."""


class ContextRecord(IntEnum):
    """What is known of a call that runs.

    `FREE` is the number of a free slot plus one, or 0; `LIMIT` the least address that its stack may grow to.
    """

    PREVIOUS, SLOTS, CAPACITY, USED, FREE, FAILURE, LIMIT, FIRST_SLOT = range(8)
    JUMP = FIRST_SLOT + STACK_SLOTS


CONTEXT_BYTES = (ContextRecord.JUMP + _JUMP_WORDS) * 8
"""The size of a context."""
FIRST_BYTES, JUMP_BYTES = ContextRecord.FIRST_SLOT * 8, ContextRecord.JUMP * 8
"""Where in a context the first slot is, and what `setjmp` notes."""

FAIL = f"""
key = inplace_key()
context = pthread_getspecific(key)
if context == 0 -> ^abort, ^escape
^abort:
abort()
llvm.unreachable
^escape:
context.FAILURE := code
slots = context.SLOTS
used = context.USED
jump ^slot(0)
^slot(at):
next = at + 1
offset = at * 8
slot = slots + offset
if at == used -> ^jump, ^look
^look:
block = slot[0]
if block < 0 -> ^slot(next), ^release
^release:
inplace_release(block)
jump ^slot(next)
^jump:
jump_at = context + {JUMP_BYTES}
_longjmp(jump_at, 1)
llvm.unreachable
"""
"""Gives the call up: frees the blocks of all slots, and jumps to where it began."""

GROW = f"""
slots = context.SLOTS
used = context.USED
bytes = used * 8
twice = used * 2
bytes_twice = bytes * 2
new = malloc(bytes_twice)
if new == 0 -> ^no, ^copy
^no:
llvm.return %new : i64
^copy:
copied = memcpy(new, slots, bytes)
context.SLOTS := new
context.CAPACITY := twice
first = context + {FIRST_BYTES}
if slots == first -> ^done, ^free
^free:
free(slots)
jump ^done
^done:
llvm.return %new : i64
"""
"""Twice as many slots, outside the stack; null where there is no memory."""

TRACKED = """
key = inplace_key()
context = pthread_getspecific(key)
wanted = size + %d
block = inplace_allocate(wanted)
if block == 0 -> ^failed, ^made
^made:
if context == 0 -> ^done, ^track
^track:
vacant = context.FREE
used = context.USED
slots = context.SLOTS
if vacant == 0 -> ^new, ^again
^again:
again = vacant - 1
hole_offset = again * 8
hole_at = slots + hole_offset
hole = hole_at[0]
following = 0 - hole
less = following - 1
context.FREE := less
jump ^put(again)
^new:
capacity = context.CAPACITY
if used == capacity -> ^full, ^push
^full:
grown = inplace_grow(context)
if grown == 0 -> ^no_room, ^push
^push:
more = used + 1
context.USED := more
jump ^put(used)
^put(at):
slots_now = context.SLOTS
offset = at * 8
slot = slots_now + offset
slot[0] := block
PLACE
place[0] := at
jump ^done
^no_room:
inplace_release(block)
jump ^failed
^failed:
if size < 0 -> ^fail(9223372036854775806), ^fail(size)
^fail(asked):
code = asked + 1
inplace_fail(code)
llvm.unreachable
^done:
return block
"""
"""A block in a free slot or a new one; `%d` is the number of bytes that it has for the number of its slot."""

UNTRACKED = """
%block = llvm.ptrtoint %given : !llvm.ptr to i64
if block == 0 -> ^done, ^look
^look:
key = inplace_key()
context = pthread_getspecific(key)
if context == 0 -> ^release, ^known
^known:
PLACE
at = place[0]
used = context.USED
slots = context.SLOTS
offset = at * 8
slot = slots + offset
if at <u used -> ^compare, ^release
^compare:
found = slot[0]
if found == block -> ^forget, ^release
^forget:
vacant = context.FREE
next = at + 1
hole = 0 - vacant
hole_next = hole - 1
slot[0] := hole_next
context.FREE := next
jump ^release
^release:
inplace_release(block)
jump ^done
^done:
llvm.return
"""
"""Frees a block; its slot is the next free one, if it confirms the block."""
