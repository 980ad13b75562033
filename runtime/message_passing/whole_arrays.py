"""Arguments that are given whole on rank 0, and results that are returned whole there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..call.arguments import checked_array, scalar_reader
from ..call.results import checked_outs
from ..interface.signature import Parameter, Signature
from .communicators import Communicators, RankError
from .shards import Shard, ShardedSignature, gather, scatter, whole_shape

__all__ = ["WholeArrays"]

Array = np.ndarray[Any, Any]


class WholeArrays:
    """One call in which some arguments, by number, are given whole on rank 0. All ranks call its methods."""

    def __init__(
        self, communicator: Communicators, shards: ShardedSignature, signature: Signature, whole: frozenset[int]
    ) -> None:
        """`signature` is that for whole arrays."""
        self._communicator, self._shards, self._signature, self._whole = communicator, shards, signature, whole

    def scattered(self, arguments: Sequence[Any], out: Any) -> list[Any]:
        """The arguments of this rank. Raises on all ranks what is wrong with an argument, or with `out`, on rank 0."""
        problem: Exception | None = None
        told: dict[int, Any] = {}
        checked = list(arguments)
        try:
            if self._communicator.rank == 0:
                checked_outs(self._signature, out) if out is not None else ()
                for number in sorted(self._whole):
                    checked[number] = self._checked(self._signature.parameters[number], arguments[number])
                    told[number] = checked[number].shape if isinstance(checked[number], np.ndarray) else checked[number]
        except Exception as error:  # noqa: BLE001 - all ranks are told of it
            problem = error
        text = None if problem is None else f"{type(problem).__name__}: {problem}"
        text, told = self._communicator.control.bcast((text, told))
        if text is not None:
            raise problem if problem is not None else RankError(f"rank 0 failed: {text}")
        for number in sorted(self._whole):
            shard = self._shards.parameters[number]
            checked[number] = self._scattered(shard, checked[number], told[number])
        return checked

    def _checked(self, parameter: Parameter, argument: Any) -> Any:
        if not parameter.type.is_array:
            scalar_reader(parameter)(argument)
            return argument
        array = checked_array(parameter, argument)
        if parameter.writable and not array.flags.writeable:
            raise ValueError(f"{parameter.label}: the array is read-only, but the call writes into it; pass a copy")
        return array

    def _scattered(self, shard: Shard, whole: Any, told: Any) -> Any:
        if shard.layout is None:
            return told
        array = whole if self._communicator.rank == 0 else None
        return scatter(self._communicator, shard.layout, array, told, shard.whole.element.dtype)

    def gathered(self, result: Any, arguments: Sequence[Any], given: Sequence[Any], out: Any) -> Any:
        """The whole result on rank 0, None on the others; arguments that are written are whole again there.

        `result` is that of this rank for the shards `given`, and `out` receives it where it is no updated argument.
        """
        first = self._communicator.rank == 0
        for number in sorted(self._whole):
            if self._signature.parameters[number].writable:
                self._gathered(self._shards.parameters[number], given[number], arguments[number])
        count = len(self._shards.results)
        results = [] if count == 0 else [result] if count == 1 else list(result)
        targets = checked_outs(self._signature, out) if first and out is not None else (None,) * count
        for number, (one, target) in enumerate(zip(results, targets, strict=True)):
            updated = next((n for n, array in enumerate(given) if array is one and n in self._whole), None)
            if updated is not None and self._signature.parameters[updated].writable:
                results[number] = arguments[updated]
            else:
                results[number] = self._gathered(self._shards.results[number], one, target)
        if not first or not count:
            return None
        return results[0] if count == 1 else tuple(results)

    def _gathered(self, shard: Shard, local: Any, target: Array | None) -> Any:
        if shard.layout is None:
            return local if self._communicator.rank == 0 else None
        shape = whole_shape(shard, local, self._communicator)
        return gather(self._communicator, shard.layout, local, shape, target)
