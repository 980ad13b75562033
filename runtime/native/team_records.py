"""What the threads of `thread_team.py` have in memory, and the shorthand that their functions share."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["TEAM", "TEAM_BYTES", "StateRecord", "TeamRecord", "begin_slice"]


class TeamRecord(IntEnum):
    """The team. What threads write at different times is in different lines of the cache."""

    LOCK = 0
    FUNCTION = 8
    ARGUMENTS = 9
    STATE_KEY = 10
    COUNT_KEY = 11
    PROCESSOR = 12
    WORKERS = 16
    EPOCH = 24
    GATE = 32
    TAKEN = 40
    SLEEPERS = 48


class StateRecord(IntEnum):
    """A thread in a region: the loop, where its taken chunks are counted, a counter of its own, and a zero.

    A thread of the team also has the time when it last offered its processor, and whether it left parts to do that.
    """

    FIRST, LAST, STEP, CHUNK, TAKEN_AT, OWN, ZERO, OFFERED, LEFT = range(9)


TEAM_BYTES = 56 * 8

TEAM = """
%team_at = llvm.mlir.addressof @inplace_team : !llvm.ptr
%team = llvm.ptrtoint %team_at : !llvm.ptr to i64"""
"""The address of the team, in functions of its module."""


def begin_slice(time: str) -> str:
    """Note that a thread's slice of time begins now, called `time`."""
    return f'%{time} = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64\nstate.OFFERED := {time}'
