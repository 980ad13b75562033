"""Rules about making allocations once. Data."""

from __future__ import annotations

from disabling import Rule

_HOIST = "passes.analysis.lifetimes.hoisting:"

HOISTING = (
    Rule(
        "buffers that leave the iteration",
        "no memref\nthat may lie in it leaves the iteration",
        _HOIST + "_only_accesses",
        "return True",
    ),
    Rule(
        "buffers that are stored",
        "a store of the memref itself",
        _HOIST + "_only_accesses",
        "if name in _GIVES_AWAY:",
        'if name in _GIVES_AWAY or (name == "memref.store" and operand == 0):',
    ),
    Rule("runs that overlap", "do not overlap in time", _HOIST + "_runs_at_once", "return True"),
    Rule(
        "buffers that are freed elsewhere",
        "## 8. Hoisting allocations",
        _HOIST + "_check_stays_inside",
        "if deallocation is not None:",
        "if deallocation is not None or op.block != allocation.block:",
    ),
    Rule(
        "sizes of one iteration",
        "Its sizes are the same in all\niterations",
        _HOIST + "_needed",
        "continue",
        'raise _Obstacle("its size changes from iteration to iteration", allocation)',
    ),
    Rule(
        "sizes are computed without effects", "has no effect and is moved along", _HOIST + "is_movable", "return True"
    ),
    Rule(
        "sizes are not negative",
        "a size that might be negative is raised to 0",
        _HOIST + "_plan",
        "clamped = []",
        "clamped = [n for n, size in enumerate(allocation.operands) if may_not_run and not _is_size(size)]",
    ),
    Rule("stack memory stays in its block", "*On the stack*", _HOIST + "find_escape", "return None"),
)
