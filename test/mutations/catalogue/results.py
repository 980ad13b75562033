"""Rules about results that become arguments. Data."""

from __future__ import annotations

from disabling import Rule

RESULTS = (
    Rule(
        "a result is an argument on every return",
        "## 7. Freeing",
        "passes.functions.drop_equivalent_results:_Tracer._agreed",
        "return sources.pop()",
        "return sources.pop() if len(sources) == 1 else None",
    ),
    Rule(
        "every region yields the argument",
        "## 7. Freeing",
        "passes.functions.drop_equivalent_results:_yielded",
        "return [list(op.regions[0].blocks[0].operations)[-1].operation.operands[result]]",
    ),
    Rule(
        "recursion reaches a fixpoint",
        "**Recursion**",
        "passes.functions.drop_equivalent_results:_Tracer.run",
        "changed = False",
        "changed = before != [self._known[name] for name in component]",
    ),
    Rule(
        "out params are made in the entry block",
        "## 7. Freeing",
        "passes.functions.results_to_out_params:_is_hoistable",
        "if type_.memory_space is not None or not _is_contiguous(type_):",
        "if allocation.block != uses.function.entry_block or type_.memory_space is not None or not _is_contiguous(type_):",
    ),
    Rule(
        "out params are not freed",
        "## 7. Freeing",
        "passes.functions.results_to_out_params:_is_hoistable",
        "if False:",
        'if any(use.owner.operation.name == "memref.dealloc" for use in allocation.result.uses):',
    ),
    Rule(
        "out params have sizes that callers know",
        "## 7. Freeing",
        "passes.functions.results_to_out_params:_is_known_to_callers",
        "return True",
    ),
    Rule(
        "each allocation becomes one out param",
        "## 7. Freeing",
        "passes.functions.results_to_out_params:analyze_out_results",
        "if allocation is not None and _is_hoistable(allocation, uses, options):",
        "if allocation is not None and allocation not in taken and _is_hoistable(allocation, uses, options):",
    ),
)
