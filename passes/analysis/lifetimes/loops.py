"""Lifetimes of memrefs that loops carry: `scf.for` and `scf.while`.

A loop is a graph of *places*: the block arguments that carry memrefs. The buffer of a place comes from outside, from
another place, or from an allocation in the loop. The outer roots a place may be, and whether it may be allocated in the
loop, are the least fixpoint over that graph. A buffer that the loop allocated and does not forward is freed at the end
of the block that received it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from mlir import ir

from ....dialects.support.frozen_classes import record
from .regions import BlockScan, LoopScan, RegionLifetimes
from .roots import NONE, RootKind, Roots, is_buffer, leaving_buffers

__all__ = ["LOOPS"]

_FOR_BOUNDS = 3


@record
class _Places:
    """The roots that reach each place: `passed` by blocks, `made` in the passing block, and `starts` from outside.

    `positions` maps the root that stands for a place, inside of its block, to the place.
    """

    passed: dict[int, Roots] = field(default_factory=dict)
    made: dict[int, Roots] = field(default_factory=dict)
    starts: dict[int, Roots] = field(default_factory=dict)
    positions: dict[int, int] = field(default_factory=dict)

    def close(self) -> tuple[dict[int, Roots], set[int]]:
        """The outer roots that each place may be, in any iteration, and the places that may be loop allocations."""
        sources = {n: [self.positions[r] for r in roots if r in self.positions] for n, roots in self.passed.items()}
        outer = {
            n: self.starts.get(n, NONE) | (roots - self.made[n] - self.positions.keys())
            for n, roots in self.passed.items()
        }
        fresh = {n for n in self.passed if self.made[n]}
        changed = True
        while changed:
            changed = False
            for n, others in sources.items():
                joined = outer[n].union(*(outer[other] for other in others))
                if joined != outer[n] or (n not in fresh and not fresh.isdisjoint(others)):
                    outer[n] = joined
                    fresh |= {n} if not fresh.isdisjoint(others) else set()
                    changed = True
        return outer, fresh


class _Body:
    """One region of a loop: its block's arguments as places, and the memrefs it forwards."""

    def __init__(
        self, lifetimes: RegionLifetimes, block: ir.Block, places: Mapping[int, ir.Value], all_: _Places
    ) -> None:
        self._lifetimes = lifetimes
        self.arguments = dict(places)
        level = lifetimes.new_level()
        for place, argument in places.items():
            all_.positions[lifetimes.new_root(RootKind.CARRIED, (argument,), level).number] = place
        self.scan = lifetimes.scan_block(block, level)
        self.passed: list[ir.Value] = []

    def pass_on(self, places: Mapping[int, ir.Value], all_: _Places) -> None:
        """The terminator forwards to `places` their next buffers."""
        for place, value in places.items():
            self._lifetimes.check_address(value, self.scan.terminator)
            all_.passed[place] = self._lifetimes.sets[value]
            all_.made[place] = self._lifetimes.made_in(self.scan, self._lifetimes.sets[value])
        self.passed = list(places.values())

    def free(self, fresh: set[int], outer: Roots) -> None:
        """Free the places that are not forwarded, at the end of the block."""
        self._lifetimes.free_own(self.scan, self.passed)
        given = [argument for place, argument in sorted(self.arguments.items()) if place in fresh]
        # Received memory is not freed earlier, so allocations in the body have other addresses.
        others = [value for value in self.passed if not self._lifetimes.is_made_in(self.scan, value)]
        self._lifetimes.free_carried(given, self.scan, others, outer)


def _arguments(block: ir.Block, first: int) -> dict[int, ir.Value]:
    return {n: a for n, a in enumerate(list(block.arguments)[first:]) if is_buffer(a.type)}


def _start(lifetimes: RegionLifetimes, op: ir.Operation, inits: list[ir.Value], places: _Places) -> None:
    for number, value in enumerate(inits):
        if is_buffer(value.type):
            lifetimes.check_address(value, op)
            places.starts[number] = lifetimes.sets[value]


def _scan_for(lifetimes: RegionLifetimes, op: ir.Operation, scan: BlockScan) -> set[int]:
    """`scf.for`: argument i gets initial value i, then yield i; so does result i."""
    block = op.regions[0].blocks[0]
    places = _Places()
    _start(lifetimes, op, list(op.operands)[_FOR_BOUNDS:], places)
    body = _Body(lifetimes, block, _arguments(block, 1), places)
    body.pass_on(leaving_buffers(body.scan.terminator), places)
    outer, fresh = places.close()
    body.free(fresh, NONE.union(*outer.values()))
    lifetimes.join(op, outer, fresh, scan)
    return body.scan.outer


def _scan_while(lifetimes: RegionLifetimes, op: ir.Operation, scan: BlockScan) -> set[int]:
    """`scf.while`: the condition passes its operands to the second region and to the results.

    The second region yields to the first. Its places are numbered after those of the first.
    """
    before, after = (region.blocks[0] for region in op.regions)
    shift = len(before.arguments)
    places = _Places()
    _start(lifetimes, op, list(op.operands), places)
    head = _Body(lifetimes, before, _arguments(before, 0), places)
    condition = leaving_buffers(head.scan.terminator)
    head.pass_on({number - 1 + shift: value for number, value in condition.items()}, places)
    tail = _Body(lifetimes, after, {n + shift: a for n, a in _arguments(after, 0).items()}, places)
    tail.pass_on(leaving_buffers(tail.scan.terminator), places)
    outer, fresh = places.close()
    everything = NONE.union(*outer.values())
    head.free(fresh, everything)
    tail.free(fresh, everything)
    results = {place - shift: roots for place, roots in outer.items() if place >= shift}
    lifetimes.join(op, results, {place - shift for place in fresh if place >= shift}, scan)
    return head.scan.outer | tail.scan.outer


LOOPS: dict[str, LoopScan] = {"scf.for": _scan_for, "scf.while": _scan_while}
