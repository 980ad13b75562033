"""Whether a recursive function may return a buffer that must not be written.

What a function of a cycle of the call graph returns is not known before the cycle is analysed. But it is made, handed
over or chosen in one of the functions that the cycle reaches: if none of them holds a tensor that must not be written,
no constant, no read-only memref, the result of no unknown op, then no result of theirs is one, but for the arguments
that they were given, which the caller sees in its own alias sets.

Cost: linear in the ops of these functions, each once, however many cycles there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mlir import ir

from .analysis_options import AnalysisOptions
from .tensor_effects import TensorEffects

__all__ = ["may_return_unwritable"]


def may_return_unwritable(
    effects: TensorEffects,
    options: AnalysisOptions,
    functions: Mapping[str, int],
    calls: Mapping[str, Sequence[str]],
    recursive: Iterable[str],
) -> bool:
    """Return whether a function that a ``recursive`` one reaches holds a tensor that must not be written."""
    reached = set(recursive)
    work = list(reached)
    while work:
        for callee in calls.get(work.pop(), ()):
            if callee not in reached:
                reached.add(callee)
                work.append(callee)
    return any(name not in functions or _holds_unwritable(effects, options, functions[name]) for name in reached)


def _holds_unwritable(effects: TensorEffects, options: AnalysisOptions, function: int) -> bool:
    s = effects.snapshot
    attributes = s.ops[function].attributes
    if "arg_attrs" in attributes and any(
        "bufferization.writable" in argument and not ir.BoolAttr(argument["bufferization.writable"]).value
        for argument in (ir.DictAttr(entry) for entry in ir.ArrayAttr(attributes["arg_attrs"]))
    ):
        return True
    return any(_makes_unwritable(effects, options, op) for op in s.nested_ops(function))


def _makes_unwritable(effects: TensorEffects, options: AnalysisOptions, op: int) -> bool:
    s = effects.snapshot
    results = effects.tensor_results(op)
    arguments = [a for region in s.op_regions[op] for block in region for a in s.arguments(block)]
    if s.op_name[op] == "func.call" or not (results or any(s.value_is_tensor[a] for a in arguments)):
        return False
    model = effects.model(op) if options.allows(s.op_name[op]) else None
    return model is None or any(not model.is_writable(s.ops[op], s.value_index[result]) for result in results)
