"""Entry points of programs on several ranks: arrays given as shards, or whole on rank 0, and results likewise."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from ..call.arguments import checked_arguments
from ..call.bound_call import BoundCall
from ..call.entry_point import EntryPoint
from ..call.held_arguments import HeldArguments
from ..call.results import NativeCode
from ..interface.signature import Signature
from ..memory.statistics import MemoryStats
from .communicators import Communicators
from .shards import ShardedSignature, local_sizes
from .whole_arrays import WholeArrays

__all__ = ["DistributedEntry"]

_MIXED = "it is None on some ranks only; give each rank its shard, or the whole on rank 0 and None on all others"
_NOWHERE = "it is None on all ranks; give each rank its shard, or the whole on rank 0"


class DistributedEntry(EntryPoint):
    """One function of a program that all ranks of a communicator call together.

    Each rank gives its own arrays. In a partitioned program these are shards; an argument may also be given whole on
    rank 0, with None on all others, which get their parts then. If every array is given so, results are whole on rank
    0 and None elsewhere; otherwise each rank gets its own.

    Arguments are checked on all ranks before native code runs on any. What is wrong on one rank is an error on all of
    them: `RankError` on those where nothing was wrong.
    """

    def __init__(
        self,
        whole: Signature,
        native: Callable[[bool], NativeCode],
        report: Callable[[MemoryStats], None],
        held: HeldArguments,
        communicator: Communicators,
        shards: ShardedSignature | None,
    ) -> None:
        """The first four are as for `EntryPoint`. `shards`: how what callers see lies on the ranks, if it is split."""
        # Trampolines keep other Python threads waiting, which must not last as long as a message takes.
        super().__init__(whole, native, report, lambda: None, held)
        self._communicator, self.shards = communicator, shards

    @cached_property
    def whole_signature(self) -> Signature:
        """The signature for whole arrays."""
        return self.signature if self.shards is None else self.shards.of_whole(self.signature)

    def __call__(self, /, *arguments: Any, out: Any = None, **named: Any) -> Any:
        """Run on all ranks, and return this one's result, or the whole one: None, one, or a tuple."""
        problem: Exception | None = None
        try:
            arguments = self._keywords.in_order(arguments, named)
        except TypeError as error:
            problem = error
        whole = self._given_whole(arguments, problem)
        if not whole:
            return self._run(arguments, out, problem)
        assert self.shards is not None
        arrays = WholeArrays(self._communicator, self.shards, self.whole_signature, whole)
        given = arrays.scattered(arguments, out)
        arrays_ = [number for number, shard in enumerate(self.shards.parameters) if shard.layout is not None]
        returns_whole = whole.issuperset(arrays_) or self._communicator.size == 1
        result = self._run(given, None if returns_whole else out, None)
        return arrays.gathered(result, arguments, given, out) if returns_whole else result

    def bind(self, /, *arguments: Any, out: Any = None, **named: Any) -> BoundCall:
        """A call of this rank's arrays, checked on all ranks now.

        The calls themselves are not checked: a rank that fails in one raises alone.
        """
        return self._bound(self._keywords.in_order(arguments, named), out, None)

    def _run(self, arguments: Sequence[Any], out: Any, problem: Exception | None) -> Any:
        bound, result = self._bound(arguments, out, problem), None
        try:
            result = bound()
        except Exception as error:  # noqa: BLE001 - all ranks are told of it
            problem = self._communicator.explain(error)
        self._communicator.agree(problem, running=True)
        return result

    def _bound(self, arguments: Sequence[Any], out: Any, problem: Exception | None) -> BoundCall:
        """Check the arrays of this rank; raises if there is a problem on any rank.

        If one rank has arrays with strides, all run the code for them: each version keeps communicators of its own,
        which all ranks make together.
        """
        bound, plan, sizes, checked = None, None, 0, tuple(arguments)
        if problem is None:
            try:
                if self.shards is not None:
                    found = local_sizes(self.shards, self.signature, arguments, self._communicator.rank)
                    sizes = zlib.crc32(repr(found).encode())
                checked = checked_arguments(self.signature, checked)
                plan = self._plan(checked)
                bound = self._bound_by(plan, checked, out)
            except Exception as error:  # noqa: BLE001 - all ranks are told of it
                problem = error
        any_strides = self._communicator.agree(problem, same=sizes, wish=plan is not None and not plan.contiguous)
        assert bound is not None and plan is not None
        if not any_strides:
            return bound
        if not plan.contiguous:
            self._communicator.agree(None)
            return bound
        return self._bound_for_any_strides(checked, out)

    def _bound_for_any_strides(self, arguments: tuple[Any, ...], out: Any) -> BoundCall:
        bound, problem = None, None
        try:
            bound = self._bound_by(self._plan_for_any_strides(arguments), arguments, out)
        except Exception as error:  # noqa: BLE001 - all ranks are told of it
            problem = error
        self._communicator.agree(problem)
        assert bound is not None
        return bound

    def _given_whole(self, arguments: Sequence[Any], problem: Exception | None) -> frozenset[int]:
        """The arguments that are None on all ranks but rank 0; raises on all ranks if some are None on some only."""
        if self.shards is None:
            return frozenset()
        if self._communicator.size == 1:  # Of one rank, a shard differs from the whole by its border.
            return frozenset(number for number, shard in enumerate(self.shards.parameters) if shard.has_border)
        count, first = len(self.shards.parameters), self._communicator.rank == 0
        given = [argument is not None for argument in arguments[:count]] if problem is None else [not first] * count
        given += [True] * (count - len(given))
        here = [(not first and one, not first and not one, first and not one) for one in given]
        told = self._communicator.largest([problem is not None, *(flag for flags in here for flag in flags)])
        if told[0]:
            self._communicator.agree(problem)
        flags = [told[1 + 3 * number : 4 + 3 * number] for number in range(count)]
        for parameter, (some, none, none_on_first) in zip(self.signature.parameters, flags, strict=True):
            if none and some:
                raise ValueError(f"{parameter.label}: {_MIXED}")
            if none and none_on_first:
                raise ValueError(f"{parameter.label}: {_NOWHERE}")
        return frozenset(number for number, (_, none, _) in enumerate(flags) if none)

    def __repr__(self) -> str:
        return f"<entry point {self.signature.brief} on {self._communicator.size} ranks>"
