"""A random program split at random over ranks, which the evaluator runs together: on tensors, then on memrefs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from mlir import ir

from ...passes.framework.contract import GRID
from ...passes.pipeline.pipeline import run_pipeline
from ...runtime.source import private_copy
from ..checker.random_shardings import annotate_at_random, random_grid
from ..checker.sharded import evaluate_sharded
from ..decisions import functions_by_name
from ..evaluator import Evaluation, EvaluationError
from ..generator import GeneratedProgram
from .outcomes import FindingKind, Trial, copies_of, difference, first_error

__all__ = ["split_at_random", "try_on_ranks"]

_RANKS = (2, 3, 4, 6)
_SHARD = "builtin.module(inplace-shard)"
_MESSAGES = "builtin.module(inplace-overlap-messages)"


def split_at_random(source: ir.Module, program: GeneratedProgram) -> ir.Module | None:
    """The program of each rank, the same one for the same seed; None if nothing was split.

    Raises what `inplace-shard` raises.
    """
    chosen = random.Random(program.seed)
    module = private_copy(source)
    with module.context:
        function = functions_by_name(module.operation)[program.function].operation
        grid = random_grid(chosen.choice(_RANKS), chosen)
        annotate_at_random(function, grid, chosen)
        run_pipeline(module, _SHARD)
        return module if GRID in module.operation.attributes else None


def try_on_ranks(
    program: GeneratedProgram, module: ir.Module, wanted: Sequence[Evaluation], trial: Trial
) -> tuple[FindingKind, str] | None:
    """Run the program of each rank, on tensors or on memrefs, and return what is wrong first."""
    trial.evaluated += 1
    for number, (given, reference) in enumerate(zip(program.argument_sets, wanted, strict=True)):
        try:
            results, found = evaluate_sharded(module, program.function, copies_of(given))
        except EvaluationError as error:
            kind = FindingKind.UNSUPPORTED if "not supported" in str(error) else FindingKind.MEMORY
            return kind, f"argument set {number}: {first_error(str(error))}"
        problem = difference((results, ()), reference, (), trial)
        leaked = sum(one.leaked for one in found)
        if problem is None and leaked:
            problem = FindingKind.LEAK, f"{leaked} buffers of all ranks"
        if problem is not None:
            return problem[0], f"argument set {number}: {problem[1]}"
    return None


def with_messages(module: Any) -> None:
    """Begin and end messages as compiled programs do."""
    run_pipeline(module, _MESSAGES)
