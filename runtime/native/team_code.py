"""The native code of `thread_team.py`, in the LLVM dialect: the functions that OpenMP's lowering calls for its loops.

Code of `threads=` calls `__kmpc_fork_call` with the function that all threads of a team run; there each asks
`__kmpc_dispatch_next_8u` for iterations until none are left. The loop has no barrier at its end, so it does not matter
which threads come: the caller runs the function too, and iterations that nobody else takes are its own.

The process has one team. A region is published by its gate: how many threads may be inside at a time (upper half), and
how many are (lower half). The caller closes the gate when it has found no iterations left, and waits only for threads
that are inside. A thread that the system gives no processor never enters, and is not waited for. A thread that is
inside has passed the gate after the region was published and before it was closed, so what it reads of the region is
stable.

Threads sleep on the epoch, which counts the regions. They look at it for a while first: waking takes the system longer
than a small region. A call from inside of a region, or while another thread's region runs, has no team: it is run by
the caller alone. So the team's lock is never waited for.

Where another process shares a processor, the system stops a thread of ours after its slice of some milliseconds. It
would do so within a part, which the caller waits for. So each thread offers its processor before, outside of the
region, between two of its parts if need be: the other process has its slice then, and the caller takes all parts. A
thread that finds itself on the caller's processor moves to another one, or naps where there is none: it would take from
the caller the time that it gives.
"""

from __future__ import annotations

import platform
from enum import IntEnum

from .shorthand import declaration, expand
from .team_processors import ALLOW_CALLS, MOVE_AWAY, OFFER, SLICE
from .team_records import TEAM, TEAM_BYTES, StateRecord, TeamRecord, begin_slice

__all__ = ["ADDRESSES", "NAMES", "team_module"]

ADDRESSES = "inplace_team_addresses"
"""The function that stores the address of the team, then those of the functions called `NAMES`."""

NAMES = (
    "__kmpc_fork_call",
    "__kmpc_global_thread_num",
    "__kmpc_push_num_threads",
    "__kmpc_dispatch_init_8u",
    "__kmpc_dispatch_next_8u",
)
"""What OpenMP's lowering calls, with the arguments that it gives."""


_ALIGNMENT = 64
_STATE_WORDS = len(StateRecord)
_HALF = 1 << 32
_PATIENCE = 1 << 19
"""Cycles for which a thread looks for the next region before it sleeps: some hundred microseconds."""
_TURNS = 1 << 10
"""How often the caller looks for threads inside before it offers its processor to them."""
_FUTEX = {"x86_64": 202, "aarch64": 98}
_WAIT, _WAKE = 128, 129
"""Operations of Linux's futex, private to the process."""
_BLOCKED = ~sum(1 << (number - 1) for number in (4, 5, 6, 7, 8, 11)) & (1 << 63) - 1
"""The signals that Python's threads are to get, all but those of faults."""
_SIGNAL_BYTES = 128
"""The size of glibc's set of signals; other C libraries have smaller ones."""

_SET_SIGNALS = "\n".join(f"signals[{at}] := {0 if at else _BLOCKED}" for at in range(0, _SIGNAL_BYTES, 8))

_FUNCTIONS = {
    "pthread_getspecific": "i p",
    "pthread_setspecific": "ip i",
    "pthread_create": "pppp i",
    "pthread_detach": "w i",
    "pthread_sigmask": "ipp i",
    "sched_yield": " i",
    "sched_getcpu": " i",
    "usleep": "w i",
    "syscall": "wwwww w",
    "inplace_start": "w v",
    "inplace_offer": "w v",
    "inplace_move_away": "w v",
    "inplace_pause": " v",
    "function": "ppp v",
}
_RECORDS: dict[str, type[IntEnum]] = {"team": TeamRecord, "state": StateRecord}


def _state() -> str:
    return f"""
%state_at = llvm.alloca %k{_STATE_WORDS} x i64 {{alignment = 16 : i64}} : (i64) -> !llvm.ptr
%state = llvm.ptrtoint %state_at : !llvm.ptr to i64
state.ZERO := 0
state.OWN := 0
state.OFFERED := 0
state.LEFT := 0
zero = state + {StateRecord.ZERO * 8}"""


def _at(word: TeamRecord) -> str:
    """Where a word is that several threads change: `NAME_at`."""
    name = word.name.lower()
    return f"{name} = team + {word * 8}\n%{name}_at = llvm.inttoptr %{name} : i64 to !llvm.ptr"


def _load(name: str, word: TeamRecord, order: str = "acquire") -> str:
    place = f"%{word.name.lower()}_at"
    return f"%{name} = llvm.load {place} atomic {order} {{alignment = 8 : i64}} : !llvm.ptr -> i64"


def _store(value: str, word: TeamRecord) -> str:
    return f"llvm.store {value}, %{word.name.lower()}_at atomic release {{alignment = 8 : i64}} : i64, !llvm.ptr"


def _update(name: str, how: str, word: TeamRecord, value: str, order: str = "seq_cst") -> str:
    return f"%{name} = llvm.atomicrmw {how} %{word.name.lower()}_at, {value} {order} : !llvm.ptr, i64"


_FORK = f"""{TEAM}{_state()}
%function = llvm.ptrtoint %function_at : !llvm.ptr to i64
%arguments = llvm.ptrtoint %arguments_at : !llvm.ptr to i64
{_at(TeamRecord.LOCK)}
{_at(TeamRecord.GATE)}
{_at(TeamRecord.EPOCH)}
{_at(TeamRecord.SLEEPERS)}
key = team.STATE_KEY
count_key = team.COUNT_KEY
outer = pthread_getspecific(key)
wanted = pthread_getspecific(count_key)
helpers = wanted - 1
if outer == 0 -> ^outermost, ^alone
^outermost:
if 1 < wanted -> ^lock, ^alone
^lock:
%pair = llvm.cmpxchg %lock_at, %k0, %k1 acq_rel monotonic : !llvm.ptr, i64
%locked = llvm.extractvalue %pair[1] : !llvm.struct<(i64, i1)>
llvm.cond_br %locked, ^publish, ^alone
^alone:
own = state + {StateRecord.OWN * 8}
state.TAKEN_AT := own
entered_alone = pthread_setspecific(key, state)
function(zero, zero, arguments)
left_alone = pthread_setspecific(key, outer)
llvm.return
^publish:
inplace_start(helpers)
team.TAKEN := 0
team.FUNCTION := function
team.ARGUMENTS := arguments
processor = sched_getcpu()
team.PROCESSOR := processor
permits = helpers * {_HALF}
{_store("%permits", TeamRecord.GATE)}
{_update("before", "add", TeamRecord.EPOCH, "%k1")}
{_load("asleep", TeamRecord.SLEEPERS, "seq_cst")}
if asleep == 0 -> ^run, ^wake
^wake:
woken = syscall(FUTEX, epoch, {_WAKE}, helpers, 0)
jump ^run
^run:
taken = team + {TeamRecord.TAKEN * 8}
state.TAKEN_AT := taken
entered = pthread_setspecific(key, state)
function(zero, zero, arguments)
left = pthread_setspecific(key, outer)
{_update("closed", "_and", TeamRecord.GATE, f"%k{_HALF - 1}")}
jump ^wait(0)
^wait(turn):
{_load("inside", TeamRecord.GATE)}
if inside == 0 -> ^end, ^again
^again:
next = turn + 1
inplace_pause()
if turn <u {_TURNS} -> ^wait(next), ^offer
^offer:
offered = sched_yield()
jump ^wait(turn)
^end:
{_store("%k0", TeamRecord.LOCK)}
llvm.return
"""

_START = f"""{TEAM}
%worker_at = llvm.mlir.addressof @inplace_worker : !llvm.ptr
%worker = llvm.ptrtoint %worker_at : !llvm.ptr to i64
%thread_at = llvm.alloca %k1 x i64 : (i64) -> !llvm.ptr
%thread = llvm.ptrtoint %thread_at : !llvm.ptr to i64
jump ^more
^more:
workers = team.WORKERS
if workers < helpers -> ^create, ^done
^create:
refused = pthread_create(thread, 0, worker, 0)
if refused == 0 -> ^count, ^done
^count:
made = thread[0]
detached = pthread_detach(made)
now = workers + 1
team.WORKERS := now
jump ^more
^done:
llvm.return
"""
"""Where the system refuses another thread, the caller and those there are do the work."""

_WORKER = f"""{TEAM}{_state()}
%signals_at = llvm.alloca %k{_SIGNAL_BYTES} x i8 {{alignment = 16 : i64}} : (i64) -> !llvm.ptr
%signals = llvm.ptrtoint %signals_at : !llvm.ptr to i64
{_SET_SIGNALS}
masked = pthread_sigmask(2, signals, 0)
{_at(TeamRecord.GATE)}
{_at(TeamRecord.EPOCH)}
{_at(TeamRecord.SLEEPERS)}
key = team.STATE_KEY
taken = team + {TeamRecord.TAKEN * 8}
state.TAKEN_AT := taken
entered = pthread_setspecific(key, state)
{begin_slice("at_first")}
jump ^look(0)
^look(seen):
{_load("now", TeamRecord.EPOCH)}
if now == seen -> ^idle, ^knock(now)
^idle:
%began = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
jump ^spin
^spin:
inplace_pause()
{_load("later", TeamRecord.EPOCH)}
if later == seen -> ^still, ^knock(later)
^still:
inplace_move_away(state)
%cycles = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
spent = cycles - began
inplace_offer(state)
if spent <u {_PATIENCE} -> ^spin, ^sleep
^sleep:
{_update("awake", "add", TeamRecord.SLEEPERS, "%k1")}
slept = syscall(FUTEX, epoch, {_WAIT}, seen, 0)
{_update("asleep", "sub", TeamRecord.SLEEPERS, "%k1")}
{begin_slice("rested")}
jump ^look(seen)
^knock(current):
inplace_move_away(state)
jump ^ask(current)
^ask(asked):
{_load("found", TeamRecord.GATE)}
most = found / {_HALF}
inside = found % {_HALF}
if inside <u most -> ^enter, ^look(asked)
^enter:
more = found + 1
%pair = llvm.cmpxchg %gate_at, %found, %more acq_rel monotonic : !llvm.ptr, i64
%passed = llvm.extractvalue %pair[1] : !llvm.struct<(i64, i1)>
llvm.cond_br %passed, ^run, ^ask(%asked : i64)
^run:
state.LEFT := 0
function = team.FUNCTION
arguments = team.ARGUMENTS
function(zero, zero, arguments)
{_update("left", "sub", TeamRecord.GATE, "%k1")}
inplace_offer(state)
early = state.LEFT
if early == 0 -> ^look(asked), ^knock(asked)
"""

_PUSH = f"""{TEAM}
%wanted = llvm.sext %count : i32 to i64
key = team.COUNT_KEY
noted = pthread_setspecific(key, wanted)
llvm.return
"""

_INIT = f"""{TEAM}
key = team.STATE_KEY
state = pthread_getspecific(key)
state.FIRST := first
state.LAST := last
state.STEP := step
state.CHUNK := chunk
llvm.return
"""

_NEXT = f"""{TEAM}
%none = llvm.mlir.constant(0 : i32) : i32
%some = llvm.mlir.constant(1 : i32) : i32
key = team.STATE_KEY
state = pthread_getspecific(key)
offered = state.OFFERED
if offered == 0 -> ^take_one, ^look
^look:
%now = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
since = now - offered
if since <u {SLICE} -> ^take_one, ^leave
^leave:
state.LEFT := 1
llvm.return %none : i32
^take_one:
first = state.FIRST
last = state.LAST
step = state.STEP
chunk = state.CHUNK
taken = state.TAKEN_AT
%taken_at = llvm.inttoptr %taken : i64 to !llvm.ptr
{_update("turn", "add", TeamRecord.TAKEN, "%k1")}
stride = chunk * step
before = turn * stride
begin = first + before
if last <u begin -> ^none, ^some
^none:
llvm.return %none : i32
^some:
reach = stride - step
all = begin + reach
if last <u all -> ^take(last), ^take(all)
^take(end):
llvm.store %begin, %first_at : i64, !llvm.ptr
llvm.store %end, %last_at : i64, !llvm.ptr
llvm.store %step, %step_at : i64, !llvm.ptr
%is_last = llvm.icmp "eq" %end, %last : i64
%flag = llvm.zext %is_last : i1 to i32
llvm.store %flag, %flag_at : i32, !llvm.ptr
llvm.return %some : i32
"""

_PAUSE = {
    "x86_64": 'llvm.call_intrinsic "llvm.x86.sse2.pause"() : () -> ()',
    "aarch64": "",
}


def _addresses() -> str:
    lines = [
        f"%f{number} = llvm.mlir.addressof @{name} : !llvm.ptr\n"
        f"%p{number} = llvm.getelementptr %to[{number}] : (!llvm.ptr) -> !llvm.ptr, i64\n"
        f"llvm.store %f{number}, %p{number} : !llvm.ptr, !llvm.ptr"
        for number, name in enumerate(("inplace_team", *NAMES))
    ]
    return "\n".join([*lines, "llvm.return"])


def team_module() -> str | None:
    """The module of the team, in the LLVM dialect; None for a processor that it is not written for."""
    processor = platform.machine()
    if processor not in _FUTEX:
        return None
    calls = {"FUTEX": _FUTEX[processor], **ALLOW_CALLS[processor]}

    def function(signature: str, body: str, attributes: str = "") -> str:
        for name, number in calls.items():
            body = body.replace(f"syscall({name},", f"syscall({number},")
        text = expand(body, _RECORDS, _FUNCTIONS)
        return f"llvm.func {signature} {attributes}{{\n{text}\n}}"

    declared = [name for name in _FUNCTIONS if not name.startswith("inplace_") and name != "function"]
    fork, number, push, init, following = NAMES
    words = f"!llvm.array<{TEAM_BYTES // 8} x i64>"
    return "\n".join(
        [
            *(declaration(name, _FUNCTIONS[name]) for name in declared),
            f"llvm.mlir.global internal @inplace_team(dense<0> : tensor<{TEAM_BYTES // 8}xi64>)"
            f" {{alignment = {_ALIGNMENT} : i64}} : {words}",
            function("@inplace_pause()", f"{_PAUSE[processor]}\nllvm.return"),
            function("@inplace_worker(%unused: !llvm.ptr) -> !llvm.ptr", _WORKER),
            function("@inplace_start(%helpers: i64)", _START),
            function("@inplace_offer(%state: i64)", OFFER),
            function("@inplace_move_away(%state: i64)", MOVE_AWAY),
            function(
                f"@{fork}(%location: !llvm.ptr, %count: i32, %function_at: !llvm.ptr, %arguments_at: !llvm.ptr)", _FORK
            ),
            f"llvm.func @{number}(%location: !llvm.ptr) -> i32 {{\n"
            "%zero = llvm.mlir.constant(0 : i32) : i32\nllvm.return %zero : i32\n}",
            function(f"@{push}(%location: !llvm.ptr, %thread: i32, %count: i32)", _PUSH),
            function(
                f"@{init}(%location: !llvm.ptr, %thread: i32, %kind: i32, %first: i64, %last: i64, %step: i64,"
                " %chunk: i64)",
                _INIT,
            ),
            function(
                f"@{following}(%location: !llvm.ptr, %thread: i32, %flag_at: !llvm.ptr, %first_at: !llvm.ptr,"
                " %last_at: !llvm.ptr, %step_at: !llvm.ptr) -> i32",
                _NEXT,
            ),
            function(f"@{ADDRESSES}(%to: !llvm.ptr)", _addresses(), "attributes {llvm.emit_c_interface} "),
        ]
    )
