"""A reference evaluator: what a program means, computed by NumPy.

Tensors are values, which cannot alias; memrefs are views of tracked memory. It uses neither op models nor analyses of
bufferization, and so can check them. See docs/EVALUATOR.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from .evaluation import Evaluation
from .machine import DEFAULT_STEPS, DecodedModule
from .parallel_run import evaluate_ranks
from .values.errors import EvaluationError

__all__ = ["Evaluation", "EvaluationError", "Evaluator", "evaluate", "evaluate_ranks"]


class Evaluator:
    """A module decoded for several runs. It must not change meanwhile, and runs on one thread at a time."""

    def __init__(self, module: ir.Module) -> None:
        self._machine = DecodedModule(module)

    def run(self, name: str, arguments: Sequence[Any], *, steps: int = DEFAULT_STEPS) -> Evaluation:
        """Call function `name`; see `evaluate`."""
        with self._machine.module.context:
            return self._machine.run(name, arguments, steps)


def evaluate(module: ir.Module, name: str, arguments: Sequence[Any], *, steps: int = DEFAULT_STEPS) -> Evaluation:
    """Call function `name` of `module`, which is on tensors, on memrefs or on both.

    Args:
        module: the program; it is not changed.
        name: the function to call.
        arguments: arrays of exactly the right type and shape, and scalars. The array of a memref is changed in place,
            that of a tensor never.
        steps: the most ops that may run, counting all iterations.

    Raises:
        EvaluationError: the behavior is undefined (an index out of bounds, use after free, a failed assertion), there
            are too many steps or nested calls, an op is not supported, or the arguments do not fit.

    The cost is about 10 µs per op to decode, then 0.4 µs per scalar op that runs, 8 µs and more per structured op.
    """
    return Evaluator(module).run(name, arguments, steps=steps)
