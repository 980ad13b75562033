"""A run of one function by several ranks."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from typing import Any

from mlir import ir

from .evaluation import Evaluation
from .machine import DEFAULT_STEPS, DecodedModule
from .values.errors import EvaluationError
from .values.ranks import Rank, World

__all__ = ["evaluate_ranks"]


def evaluate_ranks(
    module: ir.Module, name: str, arguments: Sequence[Sequence[Any]], *, steps: int = DEFAULT_STEPS
) -> list[Evaluation]:
    """Call function `name` of `module` by as many ranks as there are lists of arguments, one list for each rank.

    Ranks communicate by the collectives of `shard` on tensors, by ops of `mpi`, and by what bufferization makes of the
    former. Otherwise it is as `evaluate`. Use of memory whose message was begun and not waited for is an error.

    Raises:
        EvaluationError: as `evaluate`, with the rank; and for a deadlock, with the place where each rank waits.
    """
    world = World(len(arguments))
    outcomes: list[Evaluation | None] = [None] * world.size

    def run(number: int) -> None:
        error: EvaluationError | None = None
        try:
            with module.context, ir.Location.unknown(module.context):
                rank = Rank(world, number)
                outcomes[number] = DecodedModule(module, rank).run(name, arguments[number], steps)
                if rank.begun:
                    error = _of_rank(number, EvaluationError(f"it never waits for the message of {rank.begun[0]}"))
        except EvaluationError as failure:
            error = failure if failure is world.error or _tells_ranks(failure) else _of_rank(number, failure)
        finally:
            world.finish(number, error)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(world.size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if world.error is not None:
        raise world.error
    found = [outcome for outcome in outcomes if outcome is not None]
    if len(found) < world.size:
        raise EvaluationError(f"a rank ended without results, on Python {sys.version_info.major}")
    return found


def _tells_ranks(error: EvaluationError) -> bool:
    return error.reason.startswith(("deadlock: ", "rank "))


def _of_rank(number: int, error: EvaluationError) -> EvaluationError:
    return EvaluationError(f"rank {number}: {error.reason}", error.operation, error.location)
