"""Whether a bufferized function does what the program on tensors means: values, arguments, memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from ...passes.functions.rewriting.results import result_arguments
from ...runtime.interface.dtypes import element_type
from ..evaluator import Evaluation, EvaluationError, Evaluator
from ..generator import GeneratedProgram
from .kernel_arguments import used_arguments
from .outcomes import FindingKind, Trial, copies_of, difference, first_error

__all__ = ["STEPS", "judge"]

STEPS = 400_000
_MORE = 16  # How many times as many steps what passes make may take: a structured op becomes loops of vector ops.


def judge(
    program: GeneratedProgram,
    source: Any,
    function: Any,
    evaluator: Evaluator,
    wanted: Sequence[Evaluation],
    trial: Trial,
) -> tuple[FindingKind, str] | None:
    """Run `function`, which is `source` bufferized, on each argument set, and return what is wrong first.

    `evaluator` is that of the module of `function`; `trial` counts allocations and copies.
    """
    used = used_arguments(source.operation, function.operation)
    places = result_arguments(function)
    name = ir.StringAttr(function.operation.attributes["sym_name"]).value
    for number, (given, reference) in enumerate(zip(program.argument_sets, wanted, strict=True)):
        try:
            arguments = copies_of(given) + _out_arguments(function, reference)
            passed = arguments if used is None else [arguments[place] for place in used]
            found = evaluator.run(name, passed, steps=_MORE * STEPS)
        except EvaluationError as error:
            kind = FindingKind.UNSUPPORTED if "not supported" in str(error) else FindingKind.MEMORY
            return kind, f"argument set {number}: {first_error(str(error))}"
        trial.allocations += found.allocations
        trial.copies += found.copies
        returned = iter(found.results)
        results = [found.arguments[place] if place >= 0 else next(returned) for place in places]
        # The arrays of bindings are changed in place.
        outcome = (results, found.arguments if used is None else arguments)
        problem = difference(outcome, reference, program.kept, trial)
        if problem is None and any(mask is not None and np.any(mask) for mask in found.undefined):
            problem = FindingKind.MEMORY, "a result has elements that were never written"
        if problem is None and found.leaked:
            problem = FindingKind.LEAK, f"{found.leaked} of {found.allocations} buffers"
        if problem is not None:
            return problem[0], f"argument set {number}: {problem[1]}"
    return None


def _out_arguments(function: Any, reference: Evaluation) -> list[Any]:
    """Return arrays for the results that became arguments, with something in them."""
    if "arg_attrs" not in function.operation.attributes:
        return []
    attributes = [ir.DictAttr(attribute) for attribute in function.operation.attributes["arg_attrs"]]
    outs: list[Any] = []
    for argument, attribute in zip(function.arguments, attributes, strict=True):
        if "inplace.out_result" in attribute:
            result = reference.results[ir.IntegerAttr(attribute["inplace.out_result"]).value]
            dtype = element_type(ir.MemRefType(argument.type).element_type).dtype
            outs.append(np.full(np.shape(result), 77, dtype))
    return outs
