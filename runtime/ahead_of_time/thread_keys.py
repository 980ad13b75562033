"""The keys by which threads find the context of their call in a library (`native/guard_code.py`).

The library makes them itself, at the first call. Threads that come at the same time may make one each: the first that
notes its key wins, and the others delete theirs. The library keeps them: it cannot know whether threads still run its
code.
"""

from __future__ import annotations

from ..native.guard_code import KEY, STACK_KEY
from ..native.shorthand import declaration, expand

__all__ = ["MAKE_KEYS", "NOTE_BYTES", "key_functions"]

MAKE_KEYS = "inplace_make_keys"
"""The function that makes the keys unless they are made, and returns 0 if the system has none."""
NOTE_BYTES = "inplace_note_bytes"
"""The function that notes for the thread how many bytes were refused."""
_MAKE_KEY, _BYTES_KEY = "inplace_make_key", "inplace_bytes_key"
_NAMES = (KEY, STACK_KEY, _BYTES_KEY)
_LIBRARY = {
    "pthread_key_create": "pp i",
    "pthread_key_delete": "i i",
    "pthread_getspecific": "i p",
    "pthread_setspecific": "ip i",
}
_FUNCTIONS = {**_LIBRARY, **dict.fromkeys(_NAMES, " w"), MAKE_KEYS: " w"}

_KEY_OF = """
llvm.mlir.global internal @{name}.made(0 : i64) : i64
llvm.func internal @{name}() -> i64 {{
  %place = llvm.mlir.addressof @{name}.made : !llvm.ptr
  %made = llvm.load %place atomic monotonic {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %key = llvm.sub %made, %one : i64
  llvm.return %key : i64
}}"""
"""A key, from the global that holds it plus one, or 0."""

_MAKE_ONE = """
%known = llvm.load %place atomic acquire {alignment = 8 : i64} : !llvm.ptr -> i64
if known == 0 -> ^make, ^end(1)
^make:
%memory = llvm.alloca %k1 x i32 : (i64) -> !llvm.ptr
%address = llvm.ptrtoint %memory : !llvm.ptr to i64
refused = pthread_key_create(address, 0)
if refused == 0 -> ^note, ^end(0)
^note:
key = address[0]:i32
made = key + 1
%pair = llvm.cmpxchg %place, %k0, %made seq_cst seq_cst : !llvm.ptr, i64
%first = llvm.extractvalue %pair[1] : !llvm.struct<(i64, i1)>
llvm.cond_br %first, ^end(%k1 : i64), ^delete
^delete:
deleted = pthread_key_delete(key)
jump ^end(1)
^end(done):
llvm.return %done : i64
"""

_MAKE_ALL = """
%ready_at = llvm.mlir.addressof @inplace_keys.ready : !llvm.ptr
%ready = llvm.load %ready_at atomic acquire {alignment = 8 : i64} : !llvm.ptr -> i64
if ready == 0 -> ^make, ^yes
%MAKE
llvm.store %k1, %ready_at atomic release {alignment = 8 : i64} : i64, !llvm.ptr
jump ^yes
^yes:
llvm.return %k1 : i64
^no:
llvm.return %k0 : i64
"""


def key_functions(refused_bytes: str) -> str:
    """The functions `KEY`, `STACK_KEY`, `MAKE_KEYS` and `NOTE_BYTES`, and `refused_bytes`.

    The latter returns what the last call of `NOTE_BYTES` on the thread was given.
    """
    making = "".join(_made(number, name) for number, name in enumerate(_NAMES))
    return "\n".join(
        [
            *(declaration(name, kinds) for name, kinds in _LIBRARY.items()),
            *(_KEY_OF.format(name=name) for name in _NAMES),
            "llvm.mlir.global internal @inplace_keys.ready(0 : i64) : i64",
            _function(f"internal @{_MAKE_KEY}(%place: !llvm.ptr) -> i64", _MAKE_ONE),
            _function(f"internal @{MAKE_KEYS}() -> i64", _MAKE_ALL.replace("%MAKE", making)),
            _function(
                f"internal @{NOTE_BYTES}(%bytes: i64)",
                f"key = {_BYTES_KEY}()\nnoted = pthread_setspecific(key, bytes)\nllvm.return",
            ),
            _function(
                f"@{refused_bytes}() -> !llvm.ptr",
                f"""
                made = {MAKE_KEYS}()
                if made == 0 -> ^none, ^get
                ^none:
                return made
                ^get:
                key = {_BYTES_KEY}()
                bytes = pthread_getspecific(key)
                return bytes
                """,
            ),
        ]
    )


def _made(number: int, name: str) -> str:
    following = f"made_{number}"
    head = "^make:\n" if number == 0 else ""
    return f"""{head}%place_{number} = llvm.mlir.addressof @{name}.made : !llvm.ptr
%{following} = llvm.call @{_MAKE_KEY}(%place_{number}) : (!llvm.ptr) -> i64
if {following} == 0 -> ^no, ^behind_{number}
^behind_{number}:
"""


def _function(head: str, body: str) -> str:
    return f"llvm.func {head} {{\n{expand(body, {}, _FUNCTIONS)}\n}}"
