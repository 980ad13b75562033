"""The functions that `inplace-lower-mpi` calls, in the LLVM dialect: one for each function of MPI, and the table.

All of them take and return i64. MPI's own take its handles, which are 32 bits wide in MPICH and addresses in Open MPI:
both are passed as 64 bits, as the calling conventions of x86-64 and AArch64 leave what is above an argument's type
undefined. A place where MPI writes a handle is 0 before, so that the 64 bits there are the handle in both (on
little-endian machines).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any

from mlir import ir

from ...passes.framework.contract import MESSAGE_PREFIX, MESSAGE_TABLE, MESSAGE_TAG, MESSAGE_WORDS
from ..native.linking import link
from ..native.shorthand import declaration, expand

__all__ = ["link_messages", "link_messages_by_table"]


class _Kept(IntEnum):
    """The words of a communicator that is kept."""

    OF = 0
    COLOR = 1
    KEY = 2
    MADE = 3


_Table: Any = IntEnum("_Table", {name: number for number, name in enumerate(MESSAGE_WORDS)})
"""The words of the table."""
_RECORDS: dict[str, type[IntEnum]] = {"table": _Table, "kept": _Kept}

_MPI = {
    "MPI_Comm_rank": "wp i",
    "MPI_Comm_size": "wp i",
    "MPI_Send": "piwiiw i",
    "MPI_Recv": "piwiiwp i",
    "MPI_Isend": "piwiiwp i",
    "MPI_Irecv": "piwiiwp i",
    "MPI_Sendrecv": "piwiipiwiiwp i",
    "MPI_Wait": "pp i",
    "MPI_Barrier": "w i",
    "MPI_Allreduce": "ppiwww i",
    "MPI_Allgather": "piwpiww i",
    "MPI_Reduce_scatter_block": "ppiwww i",
    "MPI_Iallreduce": "ppiwwwp i",
    "MPI_Iallgather": "piwpiwwp i",
    "MPI_Ireduce_scatter_block": "ppiwwwp i",
    "MPI_Type_create_hvector": "iiwwp i",
    "MPI_Type_commit": "p i",
    "MPI_Type_free": "p i",
    "MPI_Type_size": "wp i",
}
_OWN = {"note": "w w", "in_place": "ww w", "somebody": "w w"}
_GIVEN = {"splitter": "wiip i"}
"""Functions whose addresses stand in the table."""

_PLACE = """
%one = llvm.mlir.constant(1 : i64) : i64
%place_p = llvm.alloca %one x !llvm.array<16 x i64> : (i64) -> !llvm.ptr
%place = llvm.ptrtoint %place_p : !llvm.ptr to i64
place[0] := 0
"""
"""Memory for what a function of MPI writes: a handle, a number or a status."""
_TABLE = f"""
%table_p = llvm.mlir.addressof @{MESSAGE_PREFIX}words : !llvm.ptr
%table = llvm.ptrtoint %table_p : !llvm.ptr to i64
"""


def _asked(function: str) -> str:
    """The body of a function that returns a number of a communicator."""
    return f"""
        {_PLACE}
        code = {function}(communicator, place)
        noted = note(code)
        number = place[0]:i32
        llvm.return %number : i64
    """


_REQUEST = """
noted = note(code)
request = place[0]
if code == 0 -> ^sent, ^failed
^sent:
llvm.return %request : i64
^failed:
llvm.return %k0 : i64
"""
"""The end of a function that begins something: it returns the request, or 0."""


def _begun(function: str) -> str:
    """The body of a function that begins a message and returns the request, or 0."""
    return f"""
        {_PLACE}
        code = {function}(address, count, type, rank, tag, communicator, place)
        {_REQUEST}
    """


def _reduced(function: str) -> str:
    """The body of a reduction among ranks, in place where source and target are one."""
    return f"""
        from = in_place(source, target)
        code = {function}(from, target, count, type, operator, communicator)
        noted = note(code)
        llvm.return %noted : i64
    """


def _begun_reduction(function: str) -> str:
    """The same for one that is begun, which returns the request, or 0."""
    return f"""
        {_PLACE}
        from = in_place(source, target)
        code = {function}(from, target, count, type, operator, communicator, place)
        {_REQUEST}
    """


_OWN_PART = f"""
{_PLACE}
asked = MPI_Comm_rank(communicator, place)
rank = place[0]:i32
place[0] := 0
sized = MPI_Type_size(type, place)
bytes = place[0]:i32
place[0] := 0
part = count * bytes
before = part * rank
own = target + before
from = in_place(source, own)
"""
"""What an all-gather sends: nothing, if it is the rank's own part of the target."""


_FUNCTIONS = {
    "note(code)": f"""
        {_TABLE}
        if code == 0 -> ^end, ^failed
        ^failed:
        table.ERROR := code
        jump ^end
        ^end:
        llvm.return %code : i64
    """,
    "in_place(source, target)": f"""
        {_TABLE}
        if source == target -> ^same, ^other
        ^same:
        word = table.IN_PLACE
        llvm.return %word : i64
        ^other:
        llvm.return %source : i64
    """,
    "somebody(rank)": f"""
        {_TABLE}
        nobody = table.PROC_NULL
        if rank < 0 -> ^none, ^some
        ^none:
        llvm.return %nobody : i64
        ^some:
        llvm.return %rank : i64
    """,
    "exchange(source, sent, source_type, to, target, got, target_type, rank, comm)": f"""
        {_PLACE}
        there = somebody(to)
        sender = somebody(rank)
        tag = {MESSAGE_TAG} + 0
        code = MPI_Sendrecv(source, sent, source_type, there, tag, target, got, target_type, sender, tag, comm, place)
        noted = note(code)
        llvm.return %noted : i64
    """,
    "word(number)": f"""
        {_TABLE}
        bytes = number * 8
        at = table + bytes
        word = at[0]
        llvm.return %word : i64
    """,
    "rank(communicator)": _asked("MPI_Comm_rank"),
    "size(communicator)": _asked("MPI_Comm_size"),
    "split(communicator, color, key, kept, settled)": f"""
        {_PLACE}
        {_TABLE}
        made = kept.MADE
        if settled == 0 -> ^compare, ^known
        ^known:
        if made == 0 -> ^make, ^keep
        ^compare:
        place[0] := 0
        of = kept.OF
        old_color = kept.COLOR
        old_key = kept.KEY
        if made == 0 -> ^ask, ^same_of
        ^same_of:
        if of == communicator -> ^same_color, ^ask
        ^same_color:
        if old_color == color -> ^same_key, ^ask
        ^same_key:
        if old_key == key -> ^same, ^ask
        ^same:
        place[0] := 1
        jump ^ask
        ^ask:
        place[8] := 0
        mine = place + 0
        all = place + 8
        type = table.INT32_T
        least = table.MIN
        asked = MPI_Allreduce(mine, all, 1, type, least, communicator)
        code = note(asked)
        agreed = place[8]
        if agreed == 0 -> ^make, ^keep
        ^keep:
        llvm.return %made : i64
        ^make:
        place[0] := 0
        splitter = table.SPLIT
        split = splitter(communicator, color, key, place)
        noted = note(split)
        new = place[0]
        kept.OF := communicator
        kept.COLOR := color
        kept.KEY := key
        kept.MADE := new
        if split == 0 -> ^made, ^failed
        ^made:
        llvm.return %new : i64
        ^failed:
        kept.MADE := 0
        llvm.return %k0 : i64
    """,
    "send(address, count, type, rank, tag, communicator)": """
        code = MPI_Send(address, count, type, rank, tag, communicator)
        noted = note(code)
        llvm.return %noted : i64
    """,
    "recv(address, count, type, rank, tag, communicator)": f"""
        {_PLACE}
        code = MPI_Recv(address, count, type, rank, tag, communicator, place)
        noted = note(code)
        llvm.return %noted : i64
    """,
    "isend(address, count, type, rank, tag, communicator)": _begun("MPI_Isend"),
    "irecv(address, count, type, rank, tag, communicator)": _begun("MPI_Irecv"),
    "started(request)": f"""
        {_TABLE}
        code = table.ERROR
        if request == 0 -> ^failed, ^started
        ^failed:
        llvm.return %code : i64
        ^started:
        llvm.return %k0 : i64
    """,
    "wait(request)": f"""
        {_PLACE}
        place[0] := request
        status = place + 8
        code = MPI_Wait(place, status)
        noted = note(code)
        llvm.return %noted : i64
    """,
    "barrier(communicator)": """
        code = MPI_Barrier(communicator)
        noted = note(code)
        llvm.return %noted : i64
    """,
    "allreduce(source, target, count, type, operator, communicator)": _reduced("MPI_Allreduce"),
    "reduce_scatter_block(source, target, count, type, operator, communicator)": _reduced("MPI_Reduce_scatter_block"),
    "allgather(source, sent, source_type, target, count, type, communicator)": f"""
        {_OWN_PART}
        code = MPI_Allgather(from, sent, source_type, target, count, type, communicator)
        noted = note(code)
        llvm.return %noted : i64
    """,
    "iallreduce(source, target, count, type, operator, communicator)": _begun_reduction("MPI_Iallreduce"),
    "ireduce_scatter_block(source, target, count, type, operator, communicator)": _begun_reduction(
        "MPI_Ireduce_scatter_block"
    ),
    "iallgather(source, sent, source_type, target, count, type, communicator)": f"""
        {_OWN_PART}
        code = MPI_Iallgather(from, sent, source_type, target, count, type, communicator, place)
        {_REQUEST}
    """,
    "vector(count, stride, type)": f"""
        {_PLACE}
        code = MPI_Type_create_hvector(count, 1, stride, type, place)
        noted = note(code)
        committed = MPI_Type_commit(place)
        made = place[0]
        llvm.return %made : i64
    """,
    "release(type)": f"""
        {_PLACE}
        place[0] := type
        code = MPI_Type_free(place)
        llvm.return %code : i64
    """,
}


def link_messages(module: ir.Module) -> None:
    """Move into a lowered module the functions that it calls to send messages, and the table; linear in it.

    Functions of MPI are declared: the process has loaded them.
    """
    called = _called(module)
    if called:
        bodies, used = _bodies(called)
        link(module, "\n".join((*_table(len(MESSAGE_WORDS)), *(declaration(one, _MPI[one]) for one in used), *bodies)))


def link_messages_by_table(module: ir.Module) -> Sequence[str]:
    """The same for a library that does not name functions of MPI; returns those that it calls.

    Their addresses stand in the table, in this order, behind `MESSAGE_WORDS`; behind them is a word for the rank.
    """
    bodies, used = _bodies(_called(module))
    first = len(MESSAGE_WORDS)
    through = (_through_table(name, first + number) for number, name in enumerate(used))
    link(module, "\n".join((*_table(first + len(used) + 1), *through, *bodies)))
    return used


def _called(module: ir.Module) -> list[str]:
    """The functions of `_FUNCTIONS` that a module calls, by their symbols."""
    top = module.body.operations
    names = [ir.StringAttr(op.attributes["sym_name"]).value for op in top if op.operation.name == "llvm.func"]
    return [name for name in names if name.startswith(MESSAGE_PREFIX)]


def _bodies(called: Iterable[str]) -> tuple[list[str], list[str]]:
    """The definitions of these functions in the LLVM dialect, and the functions of MPI that they call."""
    wanted = {name.removeprefix(MESSAGE_PREFIX) for name in called} | set(_OWN)
    bodies = {header: body for header, body in _FUNCTIONS.items() if header.partition("(")[0] in wanted}
    used = [name for name in _MPI if any(f"{name}(" in body for body in bodies.values())]
    return list(map(_function, bodies, bodies.values())), used


def _table(words: int) -> tuple[str, str]:
    """The table, and the function that gives its address."""
    kind = f"!llvm.array<{words} x i64>"
    return (
        f"llvm.mlir.global internal @{MESSAGE_PREFIX}words(dense<0> : tensor<{words}xi64>) : {kind}",
        f"llvm.func @{MESSAGE_TABLE}() -> !llvm.ptr {{{_TABLE} llvm.return %table_p : !llvm.ptr }}",
    )


def _through_table(name: str, word: int) -> str:
    """A function of MPI as a call of the address in the table."""
    head = declaration(name, _MPI[name])
    types = head[head.index("(") + 1 : head.index(")")].split(", ")
    parameters = ", ".join(f"%a{number}: {type_}" for number, type_ in enumerate(types))
    given = ", ".join(f"%a{number}" for number in range(len(types)))
    body = f"""
        {_TABLE}
        address = table[{8 * word}]
        %function = llvm.inttoptr %address : i64 to !llvm.ptr
        %code = llvm.call %function({given}) : !llvm.ptr, ({", ".join(types)}) -> i32
        llvm.return %code : i32
    """
    return f"llvm.func internal @{name}({parameters}) -> i32 {{\n{expand(body, {}, {})}\n}}"


def _function(header: str, body: str) -> str:
    name, _, listed = header[:-1].partition("(")
    parameters = ", ".join(f"%{one.strip()}: i64" for one in listed.split(","))
    for own in _OWN:
        body = body.replace(f"= {own}(", f"= {MESSAGE_PREFIX}{own}(")
    own_functions = {f"{MESSAGE_PREFIX}{own}": kinds for own, kinds in _OWN.items()}
    text = expand(body, _RECORDS, {**_MPI, **_GIVEN, **own_functions})
    return f"llvm.func internal @{MESSAGE_PREFIX}{name}({parameters}) -> i64 {{\n{text}\n}}"
