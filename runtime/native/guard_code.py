"""The native code of `guarded_entries.py`, in the LLVM dialect: calls that can be given up, and what they allocated.

A call has a context on its stack, which a key of the thread leads to: where to jump when the call is given up, and the
blocks that it has allocated and not freed. These are in slots; a slot that is free has the number of the next free one,
negative. A block knows the number of its slot, in a word that its allocator has room for. What a slot does not confirm
was not allocated in this call, and is only freed.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...dialects.support.frozen_classes import frozen
from ...passes.framework.contract import REQUIRE, REQUIRE_ROOM
from .guard_slots import (
    CONTEXT_BYTES,
    FAIL,
    FIRST_BYTES,
    GROW,
    JUMP_BYTES,
    STACK_SLOTS,
    TRACKED,
    UNTRACKED,
    ContextRecord,
)
from .shorthand import declaration, expand

__all__ = [
    "ALLOCATE",
    "ENTER",
    "FAILED_IN_BODY",
    "FREE",
    "GUARDED",
    "KEY",
    "LEAVE",
    "OTHER_KEYS",
    "PROCESS_KEYS",
    "RAISE_NOTED",
    "REQUIRE_STACK",
    "STACK_KEY",
    "USE_GUARD",
    "NativeAllocator",
    "guard_module",
    "unguarded_module",
]

ALLOCATE, FREE = "_mlir_memref_to_llvm_alloc", "_mlir_memref_to_llvm_free"
"""What the lowering of memrefs calls."""
ENTER, LEAVE = "inplace_enter", "inplace_leave"
"""The function that makes memory the context of the thread, and returns where to note the place in the stack; and the
one that makes the context before it that of the thread again, and returns why the call was given up, or 0."""
FAILED_IN_BODY, RAISE_NOTED = "inplace_failed_in_body", "inplace_raise_noted"
"""The function that leaves a context that was given up, and notes why; and the one that gives a call up for what is
noted, if anything is."""
GUARDED = "inplace_guarded"
"""The function that calls another one with its argument, and returns 0, or why the call was given up."""
REQUIRE_STACK = "inplace_require_stack"
"""The function that gives the call up if little is left of the stack."""
USE_GUARD = "inplace_use_guard"
"""The function that takes the keys under which threads find the context of their call, and the end of their stack."""

KEY, STACK_KEY = "inplace_key", "inplace_stack_key"
"""The functions that return the key under which a thread finds the context of its call, and the end of its stack."""

_ATTRIBUTE_BYTES = 256
"""More than the `pthread_attr_t` of any C library has."""
_MOST_RESERVED = 1 << 18
"""The part of the stack that is left to a function's own frame, to the C library, and to the rest of the call."""


@frozen
class NativeAllocator:
    """An allocator in the LLVM dialect.

    Attributes:
        text: its functions.
        allocate: the name of the one that takes a number of bytes, and returns a block or null.
        free: the name of the one that takes a block back.
        spare: the bytes that each block needs for the number of its slot.
        place: shorthand that sets `place` to where that number is in `block`.
    """

    text: str = ""
    allocate: str = "malloc"
    free: str = "free"
    spare: int = 8
    place: str = "size_of_block = malloc_usable_size(block)\nend = block + size_of_block\nplace = end - 8"


_FUNCTIONS = {
    "malloc": "w p",
    "free": "p v",
    "malloc_usable_size": "p w",
    "memcpy": "ppw p",
    "abort": " v",
    "pthread_getspecific": "i p",
    "pthread_setspecific": "ip i",
    "_longjmp": "pi v",
    KEY: " w",
    "inplace_fail": "w v",
    "inplace_grow": "w w",
}
_STACK_FUNCTIONS = {
    "pthread_self": " p",
    "pthread_getattr_np": "pp i",
    "pthread_attr_getstack": "ppp i",
    "pthread_attr_destroy": "p i",
    STACK_KEY: " w",
    "inplace_stack_limit": " w",
}
_LIBRARY = (
    "malloc",
    "free",
    "malloc_usable_size",
    "memcpy",
    "abort",
    "pthread_getspecific",
    "pthread_setspecific",
    "_longjmp",
)
_ENTER = f"""
%context = llvm.ptrtoint %memory : !llvm.ptr to i64
key = inplace_key()
previous = pthread_getspecific(key)
slots = context + {FIRST_BYTES}
context.PREVIOUS := previous
context.SLOTS := slots
context.CAPACITY := {STACK_SLOTS}
context.USED := 0
context.FREE := 0
context.FAILURE := 0
context.LIMIT := 0
SET_LIMIT
entered = pthread_setspecific(key, context)
jump_at = context + {JUMP_BYTES}
%jump = llvm.inttoptr %jump_at : i64 to !llvm.ptr
llvm.return %jump : !llvm.ptr
"""

_GUARDED = f"""
%memory = llvm.alloca %k{CONTEXT_BYTES} x i8 {{alignment = 16 : i64}} : (i64) -> !llvm.ptr
%place = llvm.call @{ENTER}(%memory) : (!llvm.ptr) -> !llvm.ptr
%jumped = llvm.call @_setjmp(%place) : (!llvm.ptr) -> i32
%none = llvm.mlir.constant(0 : i32) : i32
%first = llvm.icmp "eq" %jumped, %none : i32
llvm.cond_br %first, ^run, ^end
^run:
%nothing = llvm.call %function(%table) : !llvm.ptr, (!llvm.ptr) -> i64
jump ^end
^end:
%failure = llvm.call @{LEAVE}(%memory) : (!llvm.ptr) -> i64
llvm.return %failure : i64
"""

_FAILED_IN_BODY = f"""
%failure = llvm.call @{LEAVE}(%memory) : (!llvm.ptr) -> i64
llvm.store %failure, %note : i64, !llvm.ptr
llvm.return
"""

_RAISE_NOTED = """
%code = llvm.load %note : !llvm.ptr -> i64
if code == 0 -> ^done, ^failed
^failed:
inplace_fail(code)
llvm.unreachable
^done:
llvm.return
"""

_LEAVE = f"""
%context = llvm.ptrtoint %memory : !llvm.ptr to i64
key = inplace_key()
caller = context.PREVIOUS
left = pthread_setspecific(key, caller)
slots_now = context.SLOTS
slots_then = context + {FIRST_BYTES}
if slots_now == slots_then -> ^done, ^grown
^grown:
free(slots_now)
jump ^done
^done:
failure = context.FAILURE
llvm.return %failure : i64
"""

_REQUIRE_STACK = """
key = inplace_key()
context = pthread_getspecific(key)
if context == 0 -> ^done, ^compare
^compare:
%top = llvm.intr.stacksave : !llvm.ptr
%here = llvm.ptrtoint %top : !llvm.ptr to i64
limit = context.LIMIT
if here <u limit -> ^fail, ^done
^fail:
code = 0 - 1
inplace_fail(code)
llvm.unreachable
^done:
llvm.return
"""

_STACK_LIMIT = f"""
%attributes_at = llvm.alloca %k{_ATTRIBUTE_BYTES} x i8 {{alignment = 16 : i64}} : (i64) -> !llvm.ptr
%words_at = llvm.alloca %k16 x i8 {{alignment = 16 : i64}} : (i64) -> !llvm.ptr
%attributes = llvm.ptrtoint %attributes_at : !llvm.ptr to i64
%words = llvm.ptrtoint %words_at : !llvm.ptr to i64
key = inplace_stack_key()
known = pthread_getspecific(key)
if known == 0 -> ^ask, ^known
^known:
llvm.return %known : i64
^ask:
thread = pthread_self()
refused = pthread_getattr_np(thread, attributes)
if refused == 0 -> ^read, ^unknown
^unknown:
llvm.return %k0 : i64
^read:
size_at = words + 8
read = pthread_attr_getstack(attributes, words, size_at)
destroyed = pthread_attr_destroy(attributes)
lowest = words[0]
size = words[8]
%three = llvm.mlir.constant(3 : i64) : i64
%eighth = llvm.lshr %size, %three : i64
if eighth <u {_MOST_RESERVED} -> ^limit(eighth), ^limit({_MOST_RESERVED})
^limit(reserved):
limit = lowest + reserved
noted = pthread_setspecific(key, limit)
llvm.return %limit : i64
"""

_REQUIRE_ROOM = """
%most = llvm.mlir.constant(4.611686018427387904E+18 : f64) : f64
%fits = llvm.fcmp "olt" %bytes, %most : f64
llvm.cond_br %fits, ^done, ^failed
^failed:
%largest = llvm.mlir.constant(9.223372036854774784E+18 : f64) : f64
%counted = llvm.intr.minnum(%bytes, %largest) : (f64, f64) -> f64
%asked = llvm.fptosi %counted : f64 to i64
code = asked + 1
inplace_fail(code)
llvm.unreachable
^done:
llvm.return
"""

_REQUIRE = """
llvm.cond_br %holds, ^done, ^failed
^failed:
%address = llvm.ptrtoint %message : !llvm.ptr to i64
code = 0 - address
inplace_fail(code)
llvm.unreachable
^done:
llvm.return
"""

_SET_LIMIT = "limit = inplace_stack_limit()\ncontext.LIMIT := limit"

PROCESS_KEYS = (
    "".join(
        f"""
llvm.mlir.global internal @{name}_of_process(0 : i64) {{addr_space = 0 : i32}} : i64
llvm.func internal @{name}() -> i64 {{
  %place = llvm.mlir.addressof @{name}_of_process : !llvm.ptr
  %key = llvm.load %place : !llvm.ptr -> i64
  llvm.return %key : i64
}}"""
        for name in (KEY, STACK_KEY)
    )
    + f"""
llvm.func @{USE_GUARD}(%key: i64, %stack_key: i64) {{
  %place = llvm.mlir.addressof @inplace_key_of_process : !llvm.ptr
  %stack_place = llvm.mlir.addressof @inplace_stack_key_of_process : !llvm.ptr
  llvm.store %key, %place : i64, !llvm.ptr
  llvm.store %stack_key, %stack_place : i64, !llvm.ptr
  llvm.return
}}"""
)
"""Keys of the process, which are given by `USE_GUARD`."""
OTHER_KEYS = "\n".join(declaration(name, " w") for name in (KEY, STACK_KEY))
"""Keys that other code has."""

_KEEPS_FRAMES = 'attributes {no_inline, passthrough = [["disable-tail-calls", "true"]]}'


def unguarded_module(allocator: NativeAllocator) -> str:
    """An allocator under the names that the lowering of memrefs calls."""
    return f"""{allocator.text}
{_declarations(("malloc", "free"), allocator)}
llvm.func @{ALLOCATE}(%size: i64) -> (!llvm.ptr {{llvm.noalias}}) attributes {{no_inline}} {{
  %block = llvm.call @{allocator.allocate}(%size) : (i64) -> !llvm.ptr
  llvm.return %block : !llvm.ptr
}}
llvm.func @{FREE}(%block: !llvm.ptr) attributes {{no_inline}} {{
  llvm.call @{allocator.free}(%block) : (!llvm.ptr) -> ()
  llvm.return
}}"""


def _declarations(names: Iterable[str], allocator: NativeAllocator) -> str:
    """Declarations of C functions that the allocator does not declare."""
    kinds = {**_FUNCTIONS, **_STACK_FUNCTIONS}
    return "\n".join(declaration(one, kinds[one]) for one in names if f"llvm.func @{one}(" not in allocator.text)


def guard_module(allocator: NativeAllocator, *, recursive: bool, keys: str) -> str:
    """The functions of this page, in front of an allocator; those for the stack if functions are `recursive`.

    `keys`: the functions `KEY` and `STACK_KEY`.
    """
    functions = {**_FUNCTIONS, **_STACK_FUNCTIONS, allocator.allocate: "w p", allocator.free: "p v"}
    library = [*_LIBRARY, *(name for name in _STACK_FUNCTIONS if recursive and name.startswith("pthread"))]

    def function(head: str, text: str) -> str:
        text = text.replace("PLACE", allocator.place).replace("SET_LIMIT", _SET_LIMIT if recursive else "")
        text = text.replace("inplace_allocate(", f"{allocator.allocate}(")
        text = text.replace("inplace_release(", f"{allocator.free}(")
        return f"llvm.func {head} {{\n{expand(text, {'context': ContextRecord}, functions)}\n}}"

    return "\n".join(
        [
            allocator.text,
            _declarations(library, allocator),
            'llvm.func @_setjmp(!llvm.ptr) -> i32 attributes {passthrough = ["returns_twice"]}',
            keys,
            function(f"internal @{ENTER}(%memory: !llvm.ptr) -> !llvm.ptr attributes {{no_inline}}", _ENTER),
            function(f"internal @{LEAVE}(%memory: !llvm.ptr) -> i64 attributes {{no_inline}}", _LEAVE),
            function(
                f"internal @{FAILED_IN_BODY}(%memory: !llvm.ptr, %note: !llvm.ptr) attributes {{no_inline}}",
                _FAILED_IN_BODY,
            ),
            function(f"internal @{RAISE_NOTED}(%note: !llvm.ptr) attributes {{no_inline}}", _RAISE_NOTED),
            function(f"internal @{GUARDED}(%function: !llvm.ptr, %table: !llvm.ptr) -> i64 {_KEEPS_FRAMES}", _GUARDED),
            function(f"internal @{REQUIRE_ROOM}(%bytes: f64) attributes {{always_inline}}", _REQUIRE_ROOM),
            function(f"internal @{REQUIRE}(%holds: i1, %message: !llvm.ptr) attributes {{always_inline}}", _REQUIRE),
            function(
                'internal @inplace_fail(%code: i64) attributes {no_inline, passthrough = ["cold", "noreturn"]}', FAIL
            ),
            function("internal @inplace_grow(%context: i64) -> i64 attributes {no_inline}", GROW),
            function(
                f"@{ALLOCATE}(%size: i64) -> (!llvm.ptr {{llvm.noalias}}) attributes {{no_inline}}",
                TRACKED % allocator.spare,
            ),
            function(f"@{FREE}(%given: !llvm.ptr) attributes {{no_inline}}", UNTRACKED),
            function("internal @inplace_stack_limit() -> i64 attributes {no_inline}", _STACK_LIMIT)
            if recursive
            else "",
            function(f"internal @{REQUIRE_STACK}() attributes {{no_inline}}", _REQUIRE_STACK) if recursive else "",
        ]
    )
