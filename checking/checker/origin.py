"""Search for the op that causes a difference: the first of the values reported by both versions that differs."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from mlir import ir

from ...passes.analysis.ir.traversal import find_ops
from ...passes.framework.errors import PassError
from .instrument import trace_results, watch_argument, watch_operands
from .isolation import Ended, Send, allow, isolated
from .options import Options
from .outcomes import FILLS, differs, equal_elements
from .references import CompiledReference, compile_checked, compile_reference, keeps_state, routes
from .report import Difference, DifferenceKind, Origin
from .tracing import Event, Site, Traced, Tracer

_FOUND_BY_VALUES = (
    DifferenceKind.RESULT,
    DifferenceKind.ARGUMENT,
    DifferenceKind.CRASH,
    DifferenceKind.HANG,
    DifferenceKind.REPEATED,
)


def with_origin(module: ir.Module, options: Options, difference: Difference) -> Difference:
    """The difference with its origin; without, if the search fails for any reason."""
    if difference.kind not in _FOUND_BY_VALUES or not difference.function:
        return difference
    ended = isolated(lambda _: _Search(module, options, difference).run(), 20 * options.time_limit)
    return replace(difference, origin=ended.value) if isinstance(ended.value, Origin) else difference


@dataclass(frozen=True)
class _Divergence:
    """The first event that differs: its site, how, and the number of its occurrence."""

    site: Site
    message: str
    occurrence: int


class _Search:
    """The search for one difference, in a child process."""

    def __init__(self, module: ir.Module, options: Options, difference: Difference) -> None:
        self._module, self._options, self._difference = module, options, difference

    def run(self) -> Origin | None:
        first = self._first(trace_results(self._module))
        if self._difference.kind in (DifferenceKind.CRASH, DifferenceKind.HANG):
            return None if first is None else Origin(first.site.op, first.site.location, first.message)
        watched = self._watched(first)
        changed = None if watched is None else self._first(watched)
        if changed is not None and not changed.site.defines:
            reader = "" if first is None else f", which '{first.site.op}' at {first.site.location} reads"
            message = f"'{changed.site.op}' overwrites {changed.site.value}{reader}"
            return Origin(changed.site.op, changed.site.location, message)
        if first is None:
            return None
        times = "" if first.occurrence == 1 else f", time {first.occurrence} that it runs,"
        return Origin(
            first.site.op, first.site.location, f"first wrong value: {first.site.value}{times} {first.message}"
        )

    def _watched(self, first: _Divergence | None) -> Traced | None:
        """The program that reports the operands of the first wrong op, or of the return if all are right."""
        if first is not None:
            return watch_operands(self._module, first.site.ordinal)
        if self._difference.argument is not None:
            return watch_argument(self._module, self._difference.function, self._difference.argument)
        for ordinal, op in enumerate(find_ops(self._module.operation)):
            if op.name == "func.return" and op.parent is not None and self._is_checked(op.parent.operation):
                return watch_operands(self._module, ordinal)
        return None

    def _is_checked(self, function: ir.Operation) -> bool:
        return ir.StringAttr(function.attributes["sym_name"]).value == self._difference.function

    def _first(self, traced: Traced) -> _Divergence | None:
        runs = self._reference_events(traced)
        if runs is None:
            return None
        tracer = Tracer(traced)
        program = compile_checked(traced.module, self._options, tracer.callbacks)

        def run(send: Send) -> None:
            tracer.tell = send
            program[self._difference.function](*copy.deepcopy(self._difference.arguments))

        ended = self._call(run)
        return _diverging(traced.sites, runs, ended)

    def _reference_events(self, traced: Traced) -> Sequence[Sequence[Event]] | None:
        """The events of the first reference that runs, once for each fill of new memory."""
        for number in routes(self._options, stateful=keeps_state(traced.module.operation)):
            tracer = Tracer(traced)
            try:
                reference = compile_reference(traced.module, number, self._options.shared_libs, tracer.callbacks)
            except (PassError, ir.MLIRError):
                continue

            ended = self._call(lambda _, made=reference, by=tracer: self._told(made, by))
            if ended.value is not None:
                return ended.value
        return None

    def _told(self, reference: CompiledReference, tracer: Tracer) -> list[list[Event]]:
        runs: list[list[Event]] = []
        for fill in FILLS:
            reference.program.fill_memory_with(fill)
            tracer.restart()
            reference.program[self._difference.function](*copy.deepcopy(self._difference.arguments))
            runs.append(tracer.events)
        return runs

    def _call(self, work: Any) -> Ended:
        allow(12 * self._options.time_limit)
        return isolated(work, self._options.time_limit)


def _diverging(sites: Sequence[Site], runs: Sequence[Sequence[Event]], ended: Ended) -> _Divergence | None:
    """The first event that differs from the reference."""
    wanted, other = runs
    found: Sequence[Event] = ended.messages
    seen: dict[int, int] = {}
    for number, right in enumerate(wanted):
        seen[right.site] = seen.get(right.site, 0) + 1
        site = sites[right.site]
        if number >= len(found):
            if not ended.crashed:
                return None
            last = f"after '{sites[found[-1].site].op}' at {sites[found[-1].site].location} " if found else ""
            what = "does not end" if ended.hung else "crashes"
            return _Divergence(site, f"the program {what} {last}before '{site.op}' has computed a value", 1)
        event = found[number]
        if event.site != right.site:
            taken = sites[event.site]
            message = f"'{taken.op}' at {taken.location} runs where this operation should"
            return _Divergence(site, message, seen[right.site])
        if message := differs(event.value, right.value, _mask(right, other, number), 0.0):
            return _Divergence(site, message, seen[right.site])
    return None


def _mask(right: Event, other: Sequence[Event], number: int) -> np.ndarray[Any, Any]:
    if number < len(other) and other[number].value.shape == right.value.shape:
        return equal_elements(right.value, other[number].value)
    return np.zeros(right.value.shape, bool)
