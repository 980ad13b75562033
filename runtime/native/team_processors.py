"""How threads of `thread_team.py` share processors with other processes: functions in shorthand."""

from __future__ import annotations

from .team_records import TEAM, begin_slice

__all__ = ["ALLOW_CALLS", "MOVE_AWAY", "OFFER", "SLICE"]

SLICE = 3 << 20
"""Cycles after which a thread offers its processor: a millisecond, less than the system's slices."""
_NAP = 100_000
"""Microseconds."""
ALLOW_CALLS = {"x86_64": {"ALLOW": 203, "ALLOWED": 204}, "aarch64": {"ALLOW": 122, "ALLOWED": 123}}
"""Linux's numbers of `sched_setaffinity` and `sched_getaffinity`."""
_MASK_BYTES = 128
"""Of a set of 1024 processors."""

OFFER = f"""
%now = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
offered = state.OFFERED
since = now - offered
if since <u {SLICE} -> ^done, ^offer
^offer:
given = sched_yield()
{begin_slice("back")}
jump ^done
^done:
llvm.return
"""

MOVE_AWAY = f"""{TEAM}
%mask_at = llvm.alloca %k{_MASK_BYTES} x i8 {{alignment = 16 : i64}} : (i64) -> !llvm.ptr
%mask = llvm.ptrtoint %mask_at : !llvm.ptr to i64
processor = sched_getcpu()
callers = team.PROCESSOR
if processor == callers -> ^both, ^done
^both:
if processor <u {_MASK_BYTES * 8} -> ^read, ^done
^read:
bytes = syscall(ALLOWED, 0, {_MASK_BYTES}, mask, 0)
words = processor / 64
place = processor % 64
reach = words * 8
%bit = llvm.shl %k1, %place : i64
if reach < bytes -> ^change, ^done
^change:
word = mask + reach
all = word[0]
%others = llvm.xor %all, %bit : i64
word[0] := others
moved = syscall(ALLOW, 0, bytes, mask, 0)
if moved == 0 -> ^compare, ^nap
^compare:
again = syscall(ALLOWED, 0, bytes, mask, 0)
now_allowed = word[0]
if now_allowed == others -> ^restore, ^back
^restore:
word[0] := all
allowed = syscall(ALLOW, 0, bytes, mask, 0)
jump ^back
^nap:
napped = usleep({_NAP})
jump ^back
^back:
{begin_slice("back")}
jump ^done
^done:
llvm.return
"""
"""The caller's processor is taken from those that the thread may use, which moves it, and given back.

It is not given back if somebody else has said meanwhile where the thread may run. Where that is on no other processor,
it naps. It stays where there are more processors than the mask has: then the system refuses to fill it.
"""
