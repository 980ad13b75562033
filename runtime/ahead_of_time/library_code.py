"""The code of a library that is no entry point's: runs of native code, texts of errors, the name of the processor."""

from __future__ import annotations

from collections.abc import Sequence

from ..native.shorthand import expand
from .interface import DEEP_RECURSION, NO_KEYS, OUT_OF_MEMORY, UNSUPPORTED_CPU
from .thread_keys import MAKE_KEYS, NOTE_BYTES

__all__ = ["cpu_function", "error_function", "message_function", "run_function", "text_symbol"]


def text_symbol(prefix: str, number: int) -> str:
    """The symbol of the text of the error `number`."""
    return f"{prefix}.texts.{number}"


def message_function(prefix: str, listed: Sequence[str]) -> str:
    """The C function that gives the text of an error; a number that no error has gets a text of its own."""
    unknown = len(listed)
    return _function(
        f"@{prefix}_message(%given: i32) -> !llvm.ptr",
        f"""
        %number = llvm.sext %given : i32 to i64
        if number < 0 -> ^known({unknown}), ^more
      ^more:
        if number < {unknown} -> ^known(number), ^known({unknown})
      ^known(position):
        {_element("text", f"{prefix}.texts", "position")}
        return text
    """,
        before=_texts(f"{prefix}.texts", [*listed, "unknown error"]),
    )


def cpu_function(prefix: str, names: Sequence[str], version: str | None) -> str:
    """The C function that gives the name of the version that runs on this processor; NULL if there is none."""
    return _function(
        f"@{prefix}_cpu() -> !llvm.ptr",
        f"""
        {_choice(version)}
        if number == 0 -> ^end(0), ^known
      ^known:
        position = number - 1
        {_element("name", f"{prefix}.cpus", "position")}
        jump ^end(name)
      ^end(found):
        return found
    """,
        {version or "": " w"},
        before=_texts(f"{prefix}.cpus", names),
    )


def run_function(symbol: str, prefix: str, natives: Sequence[str], version: str | None, *, guarded: bool) -> str:
    """The function that runs native code of an entry point on a table, and returns why the call was given up, or 0.

    That is what `call/failures.py` takes; errors of the library itself are the negative addresses of their texts.

    Args:
        symbol: its name.
        prefix: that of the library.
        natives: the code of each version, in the order of `version`.
        version: the function that says which version to run; None if the only one runs on every processor.
        guarded: whether native code needs the keys of the library.
    """
    made = f"made = {MAKE_KEYS}()" if guarded else "made = 1 + 0"
    return _function(
        f"@{symbol}(%given: !llvm.ptr) -> i64",
        f"""
        %table = llvm.ptrtoint %given : !llvm.ptr to i64
        {_choice(version)}
        if number == 0 -> ^refuse({UNSUPPORTED_CPU}), ^known
      ^known:
        {made}
        if made == 0 -> ^refuse({NO_KEYS}), ^run
      ^run:
        position = number - 1
        {_element("native", f"{symbol}.natives", "position")}
        failure = native(table)
        llvm.return %failure : i64
      ^refuse(error):
        {_element("text", f"{prefix}.texts", "error")}
        negative = 0 - text
        llvm.return %negative : i64
    """,
        {version or "": " w", "native": "p w", MAKE_KEYS: " w"},
        before=_addresses(f"{symbol}.natives", natives),
    )


def error_function(name: str, prefix: str, errors: int, *, guarded: bool) -> str:
    """The function that makes the number of an error of what a call was given up for; `errors`: how many there are."""
    return _function(
        f"internal @{name}(%code: i64) -> i64",
        f"""
        recursion = 0 - 1
        if code < 0 -> ^negative, ^refused
      ^refused:
        bytes = code - 1
        {f"{NOTE_BYTES}(bytes)" if guarded else ""}
        jump ^end({OUT_OF_MEMORY})
      ^negative:
        address = 0 - code
        if code == recursion -> ^end({DEEP_RECURSION}), ^look(0)
      ^look(at):
        {_element("text", f"{prefix}.texts", "at")}
        if text == address -> ^end(at), ^next
      ^next:
        following = at + 1
        if following < {errors} -> ^look(following), ^end({errors})
      ^end(error):
        llvm.return %error : i64
    """,
        {NOTE_BYTES: "w v"},
    )


def _choice(version: str | None) -> str:
    return f"number = {version}()" if version else "number = 1 + 0"


def _element(name: str, table: str, position: str) -> str:
    """`name` as the address at a position of a table."""
    return f"""
        %{name}_table = llvm.mlir.addressof @{table} : !llvm.ptr
        %{name}_first = llvm.ptrtoint %{name}_table : !llvm.ptr to i64
        {name}_bytes = {position} * 8
        {name}_place = {name}_first + {name}_bytes
        {name} = {name}_place[0]"""


def _function(header: str, body: str, functions: dict[str, str] | None = None, *, before: str = "") -> str:
    return f"{before}\nllvm.func {header} {{\n{expand(body, {}, functions or {})}\n}}"


def _texts(symbol: str, listed: Sequence[str]) -> str:
    """Constants `symbol.0` and so on, and the array `symbol` of their addresses."""
    constants: list[str] = []
    for number, text in enumerate(listed):
        content = text.replace("\0", " ").encode(errors="replace") + b"\0"
        escaped = "".join(chr(one) if 32 <= one < 127 and one not in b'"\\' else f"\\{one:02X}" for one in content)
        type_ = f"!llvm.array<{len(content)} x i8>"
        constants.append(f'llvm.mlir.global internal constant @{symbol}.{number}("{escaped}") : {type_}')
    return "\n".join((*constants, _addresses(symbol, [f"{symbol}.{number}" for number in range(len(listed))])))


def _addresses(symbol: str, of: Sequence[str]) -> str:
    """A constant array of the addresses of symbols."""
    type_ = f"!llvm.array<{len(of)} x ptr>"
    lines = [f"%a0 = llvm.mlir.undef : {type_}"]
    for number, one in enumerate(of):
        lines.append(f"%p{number} = llvm.mlir.addressof @{one} : !llvm.ptr")
        lines.append(f"%a{number + 1} = llvm.insertvalue %p{number}, %a{number}[{number}] : {type_}")
    body = "\n  ".join((*lines, f"llvm.return %a{len(of)} : {type_}"))
    return f"llvm.mlir.global internal constant @{symbol}() : {type_} {{\n  {body}\n}}"
